//! What can be wrong with a timeline file?

use std::fmt;

/// A fault of a file, and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The packet, from 0; behind the last one where the fault concerns the whole file.
    pub packet: usize,
    /// The kind of the fault.
    pub what: What,
}

/// The kinds of faults.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum What {
    /// The bytes are no message of the format.
    NotATrace(String),
    /// A message holds a field that the definitions lack, or one twice that may stand once.
    Unknown(String),
    /// A packet holds nothing that belongs to a timeline.
    Strange(&'static str),
    /// A packet is of another writer than the first.
    Sequence,
    /// Names are used before their table was begun.
    NotCleared,
    /// A name has number 0, or its number means another name already.
    NameTwice(u64),
    /// No name of this kind has this number.
    NoName(&'static str, u64),
    /// A track is described twice, or has number 0.
    TrackTwice(u64),
    /// A parent or an event's track that is not described.
    NoTrack(u64),
    /// A slice on a counter, a value on another track, or a counter as parent.
    WrongTrack(u64),
    /// Time falls.
    TimeFalls,
    /// A slice ends on this track where none is open.
    NothingOpen(u64),
    /// A slice of this track never ends.
    NeverEnds(u64),
    /// This arrow begins twice, or ends without having begun.
    Arrow(u64),
    /// This arrow begins and never ends.
    ArrowNeverEnds(u64),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "packet {}: {:?}", self.packet, self.what)
    }
}

impl std::error::Error for Fault {}
