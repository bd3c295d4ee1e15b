//! How large is an AQL packet, and which types of it are there?

use core::fmt;

/// Number of bytes of an AQL packet.
pub const AQL_BYTES: usize = 64;
/// Number of launches that the agent's table (called reference state table in seed 002, a patent)
/// can store.
pub const AQL_ENTRIES: usize = 8;
/// Number of half-words (16 bits) of a condensed packet behind its header, and so the most kernels
/// that it launches.
pub const HALF_WORDS: usize = 31;

/// Bytes of one AQL packet.
pub type AqlPacket = [u8; AQL_BYTES];

/// Type numbers of the kinds of packets: the value of a packet's first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketTypes {
    /// Type number of an ordinary dispatch packet.
    pub dispatch: u8,
    /// Type number of a reference packet. If it equals `dispatch`, every dispatch packet is a
    /// reference packet and stores its launch.
    pub reference: u8,
    /// Type number of a condensed packet.
    pub condensed: u8,
    /// Type number of a barrier packet (holds back the packets after it until signals are given)
    /// that waits for all of its signals; `None` where the packet format has none.
    pub barrier_and: Option<u8>,
    /// Type number of a barrier packet (holds back the packets after it until signals are given)
    /// that waits for one of its signals; `None` where the packet format has none.
    pub barrier_or: Option<u8>,
}

/// Prints the type numbers, as "dispatch 2, reference 7, condensed 6, barrier-and 3, no
/// barrier-or".
impl fmt::Display for PacketTypes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { dispatch, reference, condensed, barrier_and, barrier_or } = self;
        if dispatch == reference {
            write!(f, "dispatch and reference {dispatch}, condensed {condensed}, ")?;
        } else {
            write!(f, "dispatch {dispatch}, reference {reference}, condensed {condensed}, ")?;
        }
        match (barrier_and, barrier_or) {
            (None, None) => f.write_str("no barriers"),
            (Some(and), Some(or)) => write!(f, "barrier-and {and}, barrier-or {or}"),
            (Some(and), None) => write!(f, "barrier-and {and}, no barrier-or"),
            (None, Some(or)) => write!(f, "no barrier-and, barrier-or {or}"),
        }
    }
}
