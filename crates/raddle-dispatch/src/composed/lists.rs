//! Which lists does a decision fill, and the next one fill again?
//!
//! Kept so that a turn allocates nothing once each has its size. A list leaves its place while the
//! dispatcher goes through it, and comes back; between decisions what is in it means nothing.

use alloc::vec::Vec;

use raddle_preempt::{Decided, LaunchHandle};

use raddle_policy::{Launch, LaunchId, ProcessState, Round, Submission};

/// A launch that the controller submits: its order of issue, what it is, its submission.
pub(super) type SubmittedLaunch = (u64, Launch, LaunchHandle);

/// The lists of one decision.
#[derive(Debug, Default)]
pub(super) struct Lists {
    /// What the turn policy sees.
    pub(super) states: Vec<ProcessState>,
    /// What turn and preempt policy answered.
    pub(super) decided: Decided,
    /// Launches that are taken off together.
    pub(super) leaving: Vec<LaunchId>,
    /// Launches that were taken off and may go on.
    pub(super) back: Vec<LaunchId>,
    /// Launches to be submitted, by their order of issue.
    pub(super) batch: Vec<SubmittedLaunch>,
    /// What submitting those of one stream costs.
    pub(super) vias: Vec<Submission>,
    /// What the allocate policy fills.
    pub(super) round: Round,
    /// For the check that a start names each workgroup once.
    pub(super) seen: Vec<u64>,
}
