//! Turn policy: the scheme that seed 004 sets out to improve. All processes lose the turn when a
//! new one appears.
//!
//! As many processes as fit have the turn (are mapped) at once, the most urgent first, then in
//! order of arrival. When a new process appears, the driver takes the turn from all (unmaps them),
//! adds the new one to its queue, and maps the queue again: here only the new process may issue for
//! one tick, so that all running work has to leave. Where more processes wait than fit, those that
//! had the turn go to the end of the queue when their slice ends.

use alloc::vec::Vec;

use raddle_policy::{ProcessId, ProcessState, Tick, Ticks, Turn};

use super::{SLICE_US, capacity, find, ticks, until};
use crate::error::SliceError;

/// Settings of the turn policy [`UnmapAll`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", default, deny_unknown_fields))]
pub struct UnmapAllConfig {
    /// Length of a turn in microseconds, 40 ms if left out. A turn ends only while more processes
    /// are runnable than may have the turn at the same time.
    pub(crate) slice_us: u64,
    /// Largest number of processes that are mapped (have the turn) at the same time; 8 if it is
    /// left out.
    pub(crate) capacity: u32,
}

impl UnmapAllConfig {
    /// Returns these settings with another length of a turn, in microseconds. A turn ends only
    /// while more processes are runnable than may have the turn at the same time.
    #[must_use]
    pub const fn with_slice_us(self, slice_us: u64) -> Self {
        Self { slice_us, ..self }
    }

    /// Returns these settings with another largest number of processes that are mapped (have the
    /// turn) at the same time.
    #[must_use]
    pub const fn with_capacity(self, capacity: u32) -> Self {
        Self { capacity, ..self }
    }
}

impl Default for UnmapAllConfig {
    fn default() -> Self {
        Self { slice_us: SLICE_US, capacity: 8 }
    }
}

/// Turn policy that maps (gives the turn to) up to `capacity` processes at the same time. When a
/// new process appears, all mapped processes lose the turn for one tick, and are then mapped anew.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnmapAll {
    slice: Ticks,
    capacity: usize,
    /// Runnable processes, in the order in which they are mapped (get the turn).
    queue: Vec<ProcessId>,
    mapped: Vec<ProcessId>,
    until: Option<Tick>,
}

impl UnmapAll {
    /// Returns the policy with these settings, before any process is mapped (has the turn).
    ///
    /// # Errors
    /// [`OutOfRange`](crate::ErrorKind::OutOfRange) for a slice of 0 microseconds, or of more than 584 years, and for a
    /// capacity of 0.
    pub fn new(config: UnmapAllConfig) -> Result<Self, SliceError> {
        Ok(Self {
            slice: ticks("slice-us", config.slice_us)?,
            capacity: capacity(config.capacity)?,
            queue: Vec::new(),
            mapped: Vec::new(),
            until: None,
        })
    }

    /// Gives the turn to as many processes of the queue as the capacity allows, the most urgent
    /// first, then in the order of the queue. The turn has an end only if not all of them fit.
    fn map(&mut self, processes: &[ProcessState], now: Tick) {
        self.mapped.clone_from(&self.queue);
        let level = |id: &ProcessId| find(processes, *id).map(|process| process.level.0);
        // The sort is stable, so equal levels stay in the queue's order.
        self.mapped.sort_by_key(level);
        self.mapped.truncate(self.capacity);
        let all_fit = self.queue.len() <= self.capacity;
        self.until = if all_fit { None } else { until(now, self.slice) };
    }
}

impl Turn for UnmapAll {
    fn turn(
        &mut self,
        processes: &[ProcessState],
        now: Tick,
        may_issue: &mut Vec<ProcessId>,
    ) -> Option<Tick> {
        let runs = |id: &ProcessId| find(processes, *id).is_some();
        self.queue.retain(runs);
        self.mapped.retain(runs);
        let known = self.queue.len();
        for process in processes {
            if !self.queue[..known].contains(&process.id) {
                self.queue.push(process.id);
            }
        }
        let moment = until(now, Ticks(1));
        if known < self.queue.len() && !self.mapped.is_empty() && moment.is_some() {
            // After the unmapping only processes that have just come, which do not run yet, may
            // issue.
            may_issue.extend(&self.queue[known..]);
            self.mapped.clear();
            self.until = moment;
            return moment;
        }
        if self.mapped.is_empty() || self.until.is_some_and(|until| until <= now) {
            // Processes that had their slice go to the end of the queue, in their order.
            let Self { queue, mapped, .. } = self;
            queue.sort_by_key(|id| mapped.contains(id));
            self.map(processes, now);
        }
        may_issue.extend(&self.mapped);
        self.until
    }

    fn minds_refills(&self) -> bool {
        false
    }
}
