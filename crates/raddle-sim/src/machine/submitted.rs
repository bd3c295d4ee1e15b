//! What does the machine need to know of a launch?

use raddle_policy::{Demand, StreamId, Tick, Ticks};

use super::pace::{Pace, WorkLeft};
use crate::contention::Contention;
use crate::demand::TaskDemand;

/// A launch as far as the machine needs to know it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SubmittedKernel {
    pub(crate) process: u16,
    pub(crate) stream: StreamId,
    pub(crate) workgroups: u64,
    pub(crate) workgroup: Ticks,
    pub(crate) contention: Contention,
    /// The demand for the bandwidth of the memory.
    pub(crate) memory: TaskDemand,
    /// The tick before which no workgroup of the launch ends.
    pub(crate) until: Tick,
    pub(crate) demand: Demand,
    /// True if the waves of a workgroup may meet at a barrier.
    pub(crate) barrier: bool,
    pub(crate) context_bytes: u64,
    /// The power that one wave draws, in uW.
    pub(crate) wave_uw: u64,
}

impl SubmittedKernel {
    /// Returns when a workgroup ends that starts now, at a pace.
    pub(super) fn ends(&self, now: Tick, pace: Pace) -> Tick {
        (now + WorkLeft::of(self.workgroup).lasts(pace)).max(self.until)
    }

    /// Returns the power that `waves` waves of the launch draw, in uW.
    pub(super) const fn draw(&self, waves: u64) -> u64 {
        self.wave_uw.saturating_mul(waves)
    }
}
