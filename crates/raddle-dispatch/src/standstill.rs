//! Who would have to go on, where launches are left and nothing more will happen?

/// Why nothing goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Standstill {
    /// A law of its trait would have to hold for the policy of this slot.
    Policy {
        /// `allocate` or `turn`.
        slot: &'static str,
        /// The law of `raddle_policy::Allocate` or `raddle_policy::Turn`.
        law: u32,
        /// The setting of the policy under which it does not hold, and the policy says so.
        setting: Option<&'static str>,
    },
    /// Work on the device waits for peers that have no room or no turn. A simulator says so, as no
    /// dispatcher hears of peers.
    Peers,
    /// The dispatcher itself: no policy was asked for what is left.
    Dispatcher,
}
