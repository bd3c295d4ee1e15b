//! Which part has stopped, where launches are left and no event will come any more?

/// The reason why no work continues although launches are left at the end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Standstill {
    /// No work continues because a policy breaks a law of its trait, a rule that every
    /// implementation of `Allocate` or `Turn` must keep.
    Policy {
        /// The slot of the policy that breaks the law: `allocate` or `turn`.
        slot: &'static str,
        /// The number of the broken law in the documentation of `raddle_policy::Allocate` or
        /// `raddle_policy::Turn`.
        law: u32,
        /// The setting of the policy that makes the policy break a law (rule) of its trait; `None`
        /// where the policy names none.
        setting: Option<&'static str>,
    },
    /// Workgroups on the device wait for other workgroups that get no room or no turn. Only a
    /// simulator finds this, as a dispatcher does not know which workgroups wait for each other.
    Peers,
    /// No work continues because of a fault of the dispatcher: it asked no policy about the
    /// launches that are left.
    Dispatcher,
}
