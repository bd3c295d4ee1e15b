//! Which lists does every decision fill anew, in memory that is used again?
//!
//! The lists are kept so that a decision allocates nothing once each list is long enough. A list is
//! moved out of the dispatcher while it is gone through, and put back afterwards; between decisions
//! its content means nothing.

use alloc::vec::Vec;

use raddle_preempt::{Decided, LaunchHandle};

use raddle_policy::{Cus, Launch, LaunchId, ProcessState, Round, Submission};

/// A launch to be submitted: (number in the order of issue, launch, handle in the preemption
/// controller).
pub(super) type SubmittedLaunch = (u64, Launch, LaunchHandle);

/// The scratch lists of one decision, whose memory the next decision uses again.
#[derive(Debug, Default)]
pub(super) struct Lists {
    /// The states of the processes, as the turn policy sees them in this decision.
    pub(super) states: Vec<ProcessState>,
    /// The answers of the turn and preempt policies in this decision.
    pub(super) decided: Decided,
    /// Launches that are taken off the device together in this decision.
    pub(super) leaving: Vec<LaunchId>,
    /// Launches that were taken off the device and may come back in this decision.
    pub(super) back: Vec<LaunchId>,
    /// Launches to be submitted in this decision, in their order of issue.
    pub(super) batch: Vec<SubmittedLaunch>,
    /// The costs of submitting the launches of one stream: packets, bytes, and times in ticks.
    pub(super) vias: Vec<Submission>,
    /// The copy of the compute units that the allocate policy sees while some are being reset;
    /// `None` until there is a first reset.
    pub(super) open: Option<Cus>,
    /// The reused memory into which the allocate policy writes its answer.
    pub(super) round: Round,
}
