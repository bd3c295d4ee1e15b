//! Turn policy: the process with the least run time, scaled by level, as in Linux's drm scheduler.
//!
//! Virtual run time = run time x 2^shift, with shifts 1, 2, 4 and 7 for the four levels, so that a
//! level gets about 2, 4 and 8 times the time of the next. A process that was not runnable comes
//! back as far behind the first in the queue as it was when it left; one that was first comes back
//! one microsecond for each level before or behind it. (The kernel also puts processes of equal
//! level one nanosecond before and behind in turns.) The kernel chooses job by job; here a turn
//! lasts `slice-us`. Shares have no effect.
//!
//! Source: `drivers/gpu/drm/scheduler/sched_rq.c` of Linux 7.2, read, not copied.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use raddle_policy::{Fact, Level, ProcessId, ProcessState, Tick, Ticks, Turn};

use super::{MICROSECOND, SLICE_US, find, ticks, until};
use crate::error::SliceError;

/// Numbers of bits by which run time is shifted to the left to become virtual run time, for urgency
/// levels 0, 1, 2, and 3 or more. The less urgent a process is, the faster its virtual run time
/// grows.
const SHIFTS: [u32; 4] = [1, 2, 4, 7];

/// Settings of the turn policy [`Vruntime`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", default, deny_unknown_fields))]
pub struct VruntimeConfig {
    /// Length of a turn in microseconds; 40 ms if it is left out.
    pub(crate) slice_us: u64,
}

impl VruntimeConfig {
    /// Returns these settings with the length of a turn in microseconds.
    #[must_use]
    pub const fn with_slice_us(self, slice_us: u64) -> Self {
        Self { slice_us }
    }
}

impl Default for VruntimeConfig {
    fn default() -> Self {
        Self { slice_us: SLICE_US }
    }
}

/// Turn policy that gives the turn to the process with the least virtual run time (run time that
/// counts more for less urgent levels).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vruntime {
    slice: Ticks,
    known: BTreeMap<ProcessId, VruntimeAccount>,
    current: Option<(ProcessId, Option<Tick>)>,
}

/// Virtual run time of a process (run time that counts more for less urgent levels), and the times
/// from which it is computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct VruntimeAccount {
    /// Virtual run time in ticks, while the process is runnable. After it stopped being runnable:
    /// the amount by which its virtual run time then exceeded the least of the processes that went
    /// on, or 0.
    virtual_time: i128,
    /// Run time of the process in ticks at the last update of its virtual run time.
    ran: Ticks,
    here: bool,
}

impl VruntimeAccount {
    /// Updates the virtual run time: adds the run time since the last update, multiplied by a power
    /// of two that is larger for less urgent levels.
    fn add(&mut self, state: &ProcessState) {
        let ran = i128::from((state.ran - self.ran).0) << SHIFTS[class(state.level)];
        self.ran = state.ran;
        self.virtual_time = self.virtual_time.saturating_add(ran);
    }
}

/// Returns the class of a level, an index into [`SHIFTS`]: levels 0 to 2 are classes of their own,
/// all others are the last class.
const fn class(level: Level) -> usize {
    if level.0 > 3 { 3 } else { level.0 as usize }
}

impl Vruntime {
    /// Returns the policy with these settings, before any process has joined.
    ///
    /// # Errors
    /// [`OutOfRange`](crate::ErrorKind::OutOfRange) for a turn of 0 microseconds, or of more than 584 years.
    pub fn new(config: VruntimeConfig) -> Result<Self, SliceError> {
        Ok(Self {
            slice: ticks("slice-us", config.slice_us)?,
            known: BTreeMap::new(),
            current: None,
        })
    }

    /// Adds to the virtual run times the run time since the last call, for all processes that were
    /// runnable then. For a process that is no longer runnable, stores by how much its virtual run
    /// time exceeds the least one.
    fn charge(&mut self, processes: &[ProcessState]) {
        for state in processes {
            if let Some(account) = self.known.get_mut(&state.id).filter(|account| account.here) {
                account.add(state);
            }
        }
        let first = self.first(processes).map(|(time, _)| time);
        for (&id, account) in self.known.iter_mut().filter(|(_, account)| account.here) {
            if find(processes, id).is_none() {
                // Where nobody else is runnable there is nobody to be behind.
                let behind = first.map_or(0, |first| account.virtual_time.saturating_sub(first));
                account.virtual_time = behind.max(0);
                account.here = false;
            }
        }
    }

    /// Returns (least virtual run time, its process) of the runnable processes; ties go to the
    /// lowest id. `None` where no process is runnable.
    fn first(&self, processes: &[ProcessState]) -> Option<(i128, &'_ ProcessId)> {
        let here = self
            .known
            .iter()
            .filter(|(id, account)| account.here && find(processes, **id).is_some());
        here.map(|(id, account)| (account.virtual_time, id)).min_by_key(|&(time, _)| time)
    }

    /// Gives each process that has become runnable a virtual run time: the least one of the
    /// runnable processes, plus the excess that [`Self::charge`] stored. Where nothing is stored,
    /// the excess is 1 microsecond for each class by which the process is less urgent than the
    /// process with the least virtual run time.
    fn admit(&mut self, processes: &[ProcessState]) {
        for state in processes {
            let first = self.first(processes).map(|(time, id)| (time, *id));
            let account = self.known.entry(state.id).or_default();
            if account.here {
                continue;
            }
            account.here = true;
            if let Some((least, head)) = first {
                let mut behind = account.virtual_time;
                if behind == 0 {
                    let head = find(processes, head).map_or(0, |head| class(head.level));
                    behind = (class(state.level) as i128 - head as i128) * i128::from(MICROSECOND);
                }
                account.virtual_time = least.saturating_add(behind);
            }
            // A process that ran dry was not seen since: its last run is charged now.
            account.add(state);
        }
    }
}

impl Turn for Vruntime {
    fn turn(
        &mut self,
        processes: &[ProcessState],
        now: Tick,
        may_issue: &mut Vec<ProcessId>,
    ) -> Option<Tick> {
        self.charge(processes);
        self.admit(processes);
        let goes_on = self.current.filter(|&(id, until)| {
            until.is_none_or(|until| now < until) && find(processes, id).is_some()
        });
        self.current = goes_on.or_else(|| {
            let (_, &id) = self.first(processes)?;
            Some((id, until(now, self.slice)))
        });
        let (id, until) = self.current?;
        may_issue.push(id);
        until
    }

    fn observe(&mut self, fact: &Fact<'_>, _now: Tick) {
        if let Fact::ProcessLeft { process } = fact {
            self.known.remove(process);
        }
    }

    fn minds_refills(&self) -> bool {
        false
    }
}
