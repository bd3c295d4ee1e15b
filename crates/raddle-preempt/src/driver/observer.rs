//! How is a driver observed, and what is counted?

use core::ops::AddAssign;

use raddle_policy::{Preemption, ProcessId};

use super::Wish;
use crate::controller::{Command, NoReset, Report, ResetVerdict, WishAnswer};

/// Event of a driver that an observer sees: an action of the driver, or a report to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// A wish (request of the arbiter about a process) that the driver carried out, and its answer.
    Wish(Wish, WishAnswer),
    /// A report of the runtime that the controller accepted.
    Report(Report),
    /// The decision whether the process is reset (its running launches are killed), made when its
    /// raised preemption flag (which each launch tests at its start) became visible.
    Verdict(ProcessId, ResetVerdict),
    /// A command that the driver issued, which the runtime has to carry out next.
    Command(Command),
}

/// Observer of everything that a driver does, in order: for statistics and logs.
pub trait Observer {
    /// Called with each event of the driver, after it has happened.
    fn saw(&mut self, seen: &Seen);
}

impl Observer for () {
    fn saw(&mut self, _: &Seen) {}
}

/// Counts of the launches, preemptions and resets of a driver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub(crate) submitted: u64,
    pub(crate) finished: u64,
    pub(crate) failed: u64,
    pub(crate) exited: u64,
    pub(crate) killed: u64,
    /// Number of preemptions that began, for each method in the order of [`Preemption::ALL`].
    pub(crate) begun: [u64; Preemption::ALL.len()],
    pub(crate) drained: u64,
    pub(crate) resets: u64,
    /// Number of resets that were refused, for each reason in this order: no launch to hit; a
    /// launch may not be run again; a launch does not leave; a launch was killed too often; another
    /// process would be hit.
    pub(crate) refused: [u64; 5],
}

impl Counts {
    /// Returns the number of submissions of launches; a launch that is submitted again counts
    /// again.
    #[must_use]
    pub const fn submitted(&self) -> u64 {
        self.submitted
    }

    /// Returns the number of launches that have run to their end.
    #[must_use]
    pub const fn finished(&self) -> u64 {
        self.finished
    }

    /// Returns the number of launches that the runtime refused permanently, or that died.
    #[must_use]
    pub const fn failed(&self) -> u64 {
        self.failed
    }

    /// Returns the number of times that a launch left by the preemption flag (tested by each launch
    /// at its start).
    #[must_use]
    pub const fn exited(&self) -> u64 {
        self.exited
    }

    /// Returns the number of times that a launch was killed by a reset.
    #[must_use]
    pub const fn killed(&self) -> u64 {
        self.killed
    }

    /// Returns the number of preemptions that began with the method `way`.
    #[must_use]
    pub const fn begun(&self, way: Preemption) -> u64 {
        self.begun[way as usize]
    }

    /// Returns the number of preemptions that were completed: the work of the process left the
    /// device.
    #[must_use]
    pub const fn drained(&self) -> u64 {
        self.drained
    }

    /// Returns the number of times that the runtime was commanded to reset compute units, which
    /// kills running launches.
    #[must_use]
    pub const fn resets(&self) -> u64 {
        self.resets
    }

    /// Returns the number of resets that were refused, for each reason in this order: no launch to
    /// hit; a launch may not be run again; a launch does not leave; a launch was killed too often;
    /// another process would be hit.
    #[must_use]
    pub const fn refused(&self) -> [u64; 5] {
        self.refused
    }
}

impl AddAssign<&Self> for Counts {
    fn add_assign(&mut self, other: &Self) {
        self.submitted += other.submitted;
        self.finished += other.finished;
        self.failed += other.failed;
        self.exited += other.exited;
        self.killed += other.killed;
        self.drained += other.drained;
        self.resets += other.resets;
        self.begun.iter_mut().zip(other.begun).for_each(|(sum, more)| *sum += more);
        self.refused.iter_mut().zip(other.refused).for_each(|(sum, more)| *sum += more);
    }
}

impl Counts {
    /// Returns the index in `refused` of the reason `why` for which a reset was refused.
    const fn reason(why: NoReset) -> usize {
        match why {
            NoReset::Empty => 0,
            NoReset::NotIdempotent(_) => 1,
            NoReset::NotFlagged(_) => 2,
            NoReset::KilledOften(_) => 3,
            NoReset::OtherProcess(_) => 4,
        }
    }
}

impl Observer for Counts {
    fn saw(&mut self, seen: &Seen) {
        let count = match *seen {
            Seen::Wish(Wish::Preempt { way, .. }, WishAnswer::Begun) => {
                self.begun.get_mut(way as usize)
            }
            Seen::Verdict(_, ResetVerdict::NoReset(why)) => self.refused.get_mut(Self::reason(why)),
            Seen::Report(Report::Finished(_)) => Some(&mut self.finished),
            Seen::Report(Report::Failed(_)) => Some(&mut self.failed),
            Seen::Report(Report::Exited(_)) => Some(&mut self.exited),
            Seen::Report(Report::Killed(_)) => Some(&mut self.killed),
            Seen::Command(Command::Submit { .. }) => Some(&mut self.submitted),
            Seen::Command(Command::Reset { .. }) => Some(&mut self.resets),
            Seen::Command(Command::Drained { .. }) => Some(&mut self.drained),
            _ => None,
        };
        if let Some(count) = count {
            *count = count.saturating_add(1);
        }
    }
}
