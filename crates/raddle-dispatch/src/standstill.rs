//! Which part has stopped, where launches are left and no event will come any more?

/// The reason why launches are left at the end of a run and no work goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Standstill {
    /// The run stands still because a policy breaks a law of its trait (`Allocate` or `Turn`).
    Policy {
        /// The slot of the policy: `allocate` or `turn`.
        slot: &'static str,
        /// The number of the law of `raddle_policy::Allocate` or `raddle_policy::Turn` that does
        /// not hold.
        law: u32,
        /// The setting of the policy that makes the law fail; `None` where the policy names none.
        setting: Option<&'static str>,
    },
    /// Workgroups on the device wait for other workgroups that have no room or no turn. A simulator
    /// finds this, as a dispatcher does not know which workgroups wait for each other.
    Peers,
    /// The run stands still because of the dispatcher itself: no policy was asked about the
    /// launches that are left.
    Dispatcher,
}
