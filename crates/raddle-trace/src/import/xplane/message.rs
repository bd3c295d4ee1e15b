//! How are the small messages of an XPlane written? (`xplane.proto` of OpenXLA, the fields in use.)

use prost::Message;

/// An event with its number alone.
#[derive(Clone, Copy, PartialEq, Message)]
pub(super) struct XEventHead {
    #[prost(int64, tag = "1")]
    pub(super) metadata_id: i64,
}

/// An event.
#[derive(Clone, PartialEq, Message)]
pub(super) struct XEvent {
    #[prost(int64, tag = "1")]
    pub(super) metadata_id: i64,
    #[prost(int64, tag = "2")]
    pub(super) offset_ps: i64,
    #[prost(int64, tag = "3")]
    pub(super) duration_ps: i64,
    #[prost(message, repeated, tag = "4")]
    pub(super) stats: Vec<XStat>,
}

/// A fact about an event or a plane; one of the four values is set.
#[derive(Clone, PartialEq, Message)]
pub(super) struct XStat {
    #[prost(int64, tag = "1")]
    pub(super) metadata_id: i64,
    #[prost(uint64, optional, tag = "3")]
    pub(super) unsigned: Option<u64>,
    #[prost(int64, optional, tag = "4")]
    pub(super) signed: Option<i64>,
    #[prost(bytes = "vec", optional, tag = "5")]
    pub(super) text: Option<Vec<u8>>,
    /// The number of the stat whose name is the value.
    #[prost(uint64, optional, tag = "7")]
    pub(super) reference: Option<u64>,
}

impl XStat {
    /// Returns the value as a number, be it written as one or in digits.
    pub(super) fn number(&self) -> Option<u64> {
        let signed = || u64::try_from(self.signed?).ok();
        let text = || std::str::from_utf8(self.text.as_deref()?).ok()?.parse().ok();
        self.unsigned.or_else(signed).or_else(text)
    }
}
