//! Which lists does a decision fill, and the next one fill again?
//!
//! The lists are kept so that a turn allocates nothing once each has its size. A list leaves its
//! place while the dispatcher goes through it, and comes back; between decisions its content means
//! nothing.

use alloc::vec::Vec;

use raddle_preempt::{Decided, LaunchHandle};

use raddle_policy::{Cus, Launch, LaunchId, ProcessState, Round, Submission};

/// A launch that the preemption controller submits: (number in the order of issue, launch, handle
/// of the submission).
pub(super) type SubmittedLaunch = (u64, Launch, LaunchHandle);

/// The lists that one decision uses; their memory is used again by the next.
#[derive(Debug, Default)]
pub(super) struct Lists {
    /// The states of the processes that are shown to the turn policy in this decision.
    pub(super) states: Vec<ProcessState>,
    /// The answers of the turn and preempt policies in this decision.
    pub(super) decided: Decided,
    /// Launches that are taken off the device together in this decision.
    pub(super) leaving: Vec<LaunchId>,
    /// Launches that were taken off and may come back in this decision.
    pub(super) back: Vec<LaunchId>,
    /// Launches to be submitted in this decision, in their order of issue.
    pub(super) batch: Vec<SubmittedLaunch>,
    /// The costs of submitting the launches of one stream: packets, bytes, and times in ticks.
    pub(super) vias: Vec<Submission>,
    /// The compute units as the allocate policy sees them while some are being reset; `None` until
    /// that first happens.
    pub(super) open: Option<Cus>,
    /// The lists that the allocate policy fills with its answer.
    pub(super) round: Round,
}
