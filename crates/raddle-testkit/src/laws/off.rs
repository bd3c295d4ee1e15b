//! How is a launch that was taken off, and what did it hold?

use raddle_policy::{CuId, Preemption, ReadyLaunch};

use super::account::LiftedAccount;
use super::addresses::Wave;
use super::spot::Spot;

/// A launch that leaves, is off, or comes back.
#[derive(Debug)]
pub(super) struct OffLaunch {
    pub(super) how: Preemption,
    pub(super) stage: OffStage,
    /// Steps that it stays off.
    pub(super) steps: usize,
    /// The entry of the launch in the view before it left, if it had one.
    pub(super) entry: Option<ReadyLaunch>,
}

/// How far a launch that leaves or comes back is.
#[derive(Debug)]
pub(super) enum OffStage {
    /// Asked to leave.
    Leaving,
    /// Gone, with its holdings.
    Off(LiftedLaunch),
    /// Back in its places.
    Returning,
}

/// The holdings of a launch when it was saved.
#[derive(Debug, Default)]
pub(super) struct LiftedLaunch {
    pub(super) account: LiftedAccount,
    pub(super) addresses: Vec<(CuId, Vec<Wave>)>,
    pub(super) resident: Vec<(Spot, CuId)>,
}

impl OffLaunch {
    /// Returns whether workgroups of the launch that have started run on, as they do while it
    /// drains.
    pub(super) fn runs(&self) -> bool {
        self.how.drains()
    }
}
