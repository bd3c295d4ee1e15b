//! How are the small messages of an XPlane written? (`xplane.proto` of OpenXLA, the fields that are
//! read)

use prost::Message;

/// An event of a stream or thread in an XPlane, reduced to the number of its name.
#[derive(Clone, Copy, PartialEq, Message)]
pub(super) struct XEventHead {
    #[prost(int64, tag = "1")]
    pub(super) metadata_id: i64,
}

/// An event of a stream or thread in an XPlane: the number of its name, its times in picoseconds,
/// and its stats (facts).
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

/// A stat of an XPlane: a named fact about an event or a plane, which has exactly one of several
/// kinds of value.
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
    /// Number of the stat whose name is this stat's value; `None` for a value of another kind.
    #[prost(uint64, optional, tag = "7")]
    pub(super) reference: Option<u64>,
}

impl XStat {
    /// Returns the value of the stat as a number, whether it is written as a number or in digits;
    /// `None` where it is neither.
    pub(super) fn number(&self) -> Option<u64> {
        let signed = || u64::try_from(self.signed?).ok();
        let text = || std::str::from_utf8(self.text.as_deref()?).ok()?.parse().ok();
        self.unsigned.or_else(signed).or_else(text)
    }
}
