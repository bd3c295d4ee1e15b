//! Turn policy: one process after the other gets an equal slice, whatever its level.
//!
//! A slice ends early where its process has no more work; the process with the next id follows.

use alloc::vec::Vec;

use raddle_policy::{ProcessId, ProcessState, Tick, Ticks, Turn};

use super::{SLICE_US, find, ticks, until};
use crate::error::SliceError;

/// Settings of the turn policy [`RoundRobinTurn`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", default, deny_unknown_fields))]
pub struct RoundRobinTurnConfig {
    /// Length of a slice (the turn of one process) in microseconds; 40 ms if it is left out.
    pub(crate) slice_us: u64,
}

impl RoundRobinTurnConfig {
    /// Returns these settings with the length of a slice in microseconds.
    #[must_use]
    pub const fn with_slice_us(self, slice_us: u64) -> Self {
        Self { slice_us }
    }
}

impl Default for RoundRobinTurnConfig {
    fn default() -> Self {
        Self { slice_us: SLICE_US }
    }
}

/// Turn policy that lets every runnable process issue launches for one slice of time, one process
/// after the other, in the order of ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoundRobinTurn {
    slice: Ticks,
    /// (process that has the turn or had it last, tick at which that turn ends, or `None` if it has
    /// no end); `None` before the first turn.
    current: Option<(ProcessId, Option<Tick>)>,
}

impl RoundRobinTurn {
    /// Returns the policy with these settings, before any turn.
    ///
    /// # Errors
    /// [`OutOfRange`](crate::ErrorKind::OutOfRange) for a slice of 0 microseconds, or of more than 584 years.
    pub fn new(config: RoundRobinTurnConfig) -> Result<Self, SliceError> {
        Ok(Self { slice: ticks("slice-us", config.slice_us)?, current: None })
    }
}

impl Turn for RoundRobinTurn {
    fn turn(
        &mut self,
        processes: &[ProcessState],
        now: Tick,
        may_issue: &mut Vec<ProcessId>,
    ) -> Option<Tick> {
        let goes_on = self.current.filter(|&(id, until)| {
            until.is_none_or(|until| now < until) && find(processes, id).is_some()
        });
        let (id, until) = match goes_on {
            Some(current) => current,
            None => {
                let last = self.current.map(|(id, _)| id);
                let after = processes.iter().find(|process| Some(process.id) > last);
                let next = after.or(processes.first())?;
                (next.id, until(now, self.slice))
            }
        };
        self.current = Some((id, until));
        may_issue.push(id);
        until
    }

    fn minds_refills(&self) -> bool {
        false
    }
}
