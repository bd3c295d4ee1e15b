//! What does a driver count?

use core::ops::AddAssign;

use raddle_policy::Preemption;

use super::Wish;
use crate::controller::{Command, Heard, NoReset, Report, WishAnswer};

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

impl Counts {
    /// Counts the answer to a wish.
    pub(super) const fn wished(&mut self, wish: Wish, answer: WishAnswer) {
        if let (Wish::Preempt { way, .. }, WishAnswer::Begun) = (wish, answer) {
            self.begun[way as usize] += 1;
        }
    }

    /// Counts a report that the controller accepted, with its effect.
    pub(super) const fn heard<T>(&mut self, report: Report, heard: &Heard<T>) {
        match report {
            Report::Finished(_) => self.finished += 1,
            Report::Failed(_) => self.failed += 1,
            Report::Exited(_) => self.exited += 1,
            Report::Killed(_) => self.killed += 1,
            _ => {}
        }
        if let Heard::NoReset(why) = heard {
            self.refused[Self::reason(*why)] += 1;
        }
    }

    /// Counts a command that the driver gives.
    pub(super) const fn commanded(&mut self, command: Command) {
        match command {
            Command::Submit { .. } => self.submitted += 1,
            Command::Reset { .. } => self.resets += 1,
            Command::Drained { .. } => self.drained += 1,
            _ => {}
        }
    }
}
