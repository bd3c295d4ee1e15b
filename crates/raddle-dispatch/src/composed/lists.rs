//! Which lists does a decision fill, and the next one fill again?
//!
//! The lists are kept so that a turn allocates nothing once each has its size. A list leaves its
//! place while the dispatcher goes through it, and comes back; between decisions its content means
//! nothing.

use alloc::vec::Vec;

use raddle_preempt::{Decided, LaunchHandle};

use raddle_policy::{Cus, Launch, LaunchId, ProcessState, Round, Submission};

/// A launch that the controller submits: its order of issue, the launch, its submission.
pub(super) type SubmittedLaunch = (u64, Launch, LaunchHandle);

/// The lists of one decision.
#[derive(Debug, Default)]
pub(super) struct Lists {
    /// The states of the processes, as the turn policy sees them.
    pub(super) states: Vec<ProcessState>,
    /// The answers of the turn and preempt policies.
    pub(super) decided: Decided,
    /// Launches that are taken off together.
    pub(super) leaving: Vec<LaunchId>,
    /// Launches that were taken off and may go on.
    pub(super) back: Vec<LaunchId>,
    /// Launches to be submitted, by their order of issue.
    pub(super) batch: Vec<SubmittedLaunch>,
    /// The submissions of the launches of one stream, with their costs.
    pub(super) vias: Vec<Submission>,
    /// The compute units as the allocate policy sees them while some are being reset.
    pub(super) open: Option<Cus>,
    /// The round that the allocate policy fills.
    pub(super) round: Round,
    /// Scratch memory of the check that a start names each workgroup once.
    pub(super) seen: Vec<u64>,
}
