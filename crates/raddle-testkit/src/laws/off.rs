//! At which stage is a launch that leaves the device and comes back, and what did it have there?

use raddle_policy::{CuId, Preemption, ReadyLaunch};

use super::account::LiftedAccount;
use super::addresses::Wave;
use super::spot::Spot;

/// Launch that was asked to leave the device and is not yet back to normal: it is leaving, off, or
/// coming back.
#[derive(Debug)]
pub(super) struct OffLaunch {
    pub(super) how: Preemption,
    pub(super) stage: OffStage,
    /// Number of steps of the scenario for which the launch stays off the device.
    pub(super) steps: usize,
    /// Entry of the launch in the list that the policy sees, as it was before the launch was asked
    /// to leave; `None` if it had no entry.
    pub(super) entry: Option<ReadyLaunch>,
}

/// Stage of a launch that leaves the device or comes back.
#[derive(Debug)]
pub(super) enum OffStage {
    /// The launch was asked to leave and is still on the device.
    Leaving,
    /// The launch is off the device; the value holds the workgroups and resources that it had, if
    /// it was saved.
    Off(LiftedLaunch),
    /// The launch has its resources on the device again, but does not run yet.
    Returning,
}

/// Workgroups, addresses and resources that a launch had on the device when it was saved.
#[derive(Debug, Default)]
pub(super) struct LiftedLaunch {
    pub(super) account: LiftedAccount,
    pub(super) addresses: Vec<(CuId, Vec<Wave>)>,
    pub(super) resident: Vec<(Spot, CuId)>,
}

impl OffLaunch {
    /// Returns whether workgroups of the launch that have started go on running, as they do when
    /// the launch is drained.
    pub(super) fn runs(&self) -> bool {
        self.how.drains()
    }
}
