//! Which fields of a launch does the simulated device need?

use raddle_policy::{Demand, StreamId, Tick, Ticks};

use super::pace::{MemoryPace, WorkLeft};
use crate::contention::Contention;
use crate::demand::TaskDemand;

/// A launch as the simulated device sees it, with only the fields that the device needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SubmittedKernel {
    pub(crate) process: u16,
    pub(crate) stream: StreamId,
    pub(crate) workgroups: u64,
    pub(crate) workgroup: Ticks,
    pub(crate) contention: Contention,
    /// The demand of the launch for memory bandwidth and pipes (execution pipelines).
    pub(crate) memory: TaskDemand,
    /// The tick before which no workgroup of the launch ends, as it waits for launches of other
    /// processes or devices; 0 where it waits for none.
    pub(crate) until: Tick,
    pub(crate) demand: Demand,
    /// True if the waves of a workgroup may meet at a barrier.
    pub(crate) barrier: bool,
    pub(crate) context_bytes: u64,
    /// The power that one wave draws, in uW.
    pub(crate) wave_uw: u64,
}

impl SubmittedKernel {
    /// Returns the tick at which a workgroup of the launch ends if it starts at `now` and has the
    /// pace `pace` (the factor by which neighbours stretch its time).
    pub(super) fn ends(&self, now: Tick, pace: MemoryPace) -> Tick {
        (now + WorkLeft::of(self.workgroup).lasts(pace)).max(self.until)
    }

    /// Returns the power that `waves` waves of the launch draw, in uW.
    pub(super) const fn draw(&self, waves: u64) -> u64 {
        self.wave_uw.saturating_mul(waves)
    }
}
