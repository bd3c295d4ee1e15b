//! What can be wrong with a timeline file?

use std::fmt;

/// Fault of a timeline file, and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Number of the packet at fault, from 0; one behind the last packet where the fault concerns
    /// the whole file.
    pub packet: usize,
    /// Kind of the fault.
    pub what: What,
}

/// Kinds of faults of a timeline file; a number is that of the name, track or arrow at fault.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum What {
    /// The bytes are no message of the format; the text says why.
    NotATrace(String),
    /// A message holds a field that the definitions lack, or one twice that may stand once; the
    /// text names it.
    Unknown(String),
    /// A packet holds nothing that belongs to a timeline; the text says what.
    Strange(&'static str),
    /// A packet is of another writer than the first.
    Sequence,
    /// Names are used before their table was begun.
    NotCleared,
    /// A name has number 0, or its number means another name already.
    NameTwice(u64),
    /// An event names the number of a name that its table lacks: (table, number).
    NoName(&'static str, u64),
    /// A track is described twice, or has number 0.
    TrackTwice(u64),
    /// A track that an event or another track names is not described.
    NoTrack(u64),
    /// A slice lies on a counter, a value on another track, or a counter is a parent.
    WrongTrack(u64),
    /// The time of an event is before that of an earlier one.
    TimeFalls,
    /// A slice ends on the track with this number where none is open.
    NothingOpen(u64),
    /// A slice of the track with this number never ends.
    NeverEnds(u64),
    /// The arrow with this number begins twice, or ends without having begun.
    Arrow(u64),
    /// The arrow with this number begins and never ends.
    ArrowNeverEnds(u64),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "packet {}: {:?}", self.packet, self.what)
    }
}

impl std::error::Error for Fault {}
