//! Who would have to go on, where launches are left and nothing more will happen?

/// The reason why launches are left and nothing goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Standstill {
    /// The policy of a slot: if it kept a law of its trait, work would go on.
    Policy {
        /// The slot: `allocate` or `turn`.
        slot: &'static str,
        /// The law of `raddle_policy::Allocate` or `raddle_policy::Turn`.
        law: u32,
        /// The setting of the policy under which the law does not hold, where the policy names one.
        setting: Option<&'static str>,
    },
    /// Work on the device waits for peers that have no room or no turn. A simulator finds this, as
    /// no dispatcher hears of peers.
    Peers,
    /// The dispatcher itself: no policy was asked about the launches that are left.
    Dispatcher,
}
