//! How is a driver observed, and what is counted?

use raddle_policy::{Preemption, ProcessId};

use super::{Report, Wish, WishAnswer};
use crate::controller::{Command, NoReset, Preempted, ResetVerdict};

/// Something that a driver did, or that was reported to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// A wish and its answer.
    Wish(Wish, WishAnswer),
    /// A report that was accepted.
    Report(Report),
    /// The decision about a reset, when a flag had become visible.
    Verdict(ProcessId, ResetVerdict),
    /// The next command.
    Command(Command),
}

/// An observer of everything that a driver does, in order: for statistics and logs.
pub trait Observer {
    /// Observes something that was done or reported.
    fn saw(&mut self, seen: &Seen);
}

impl Observer for () {
    fn saw(&mut self, _: &Seen) {}
}

/// Counts of what a driver did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Launches submitted, including those submitted again.
    pub submitted: u64,
    /// Launches that have run to their end.
    pub finished: u64,
    /// Launches that were refused permanently, or died.
    pub failed: u64,
    /// Launches that left by the flag.
    pub exited: u64,
    /// Launches that were killed.
    pub killed: u64,
    /// Preemptions that began, by method, in the order of [`Preemption::ALL`].
    pub begun: [u64; Preemption::ALL.len()],
    /// Preemptions that are complete.
    pub drained: u64,
    /// Resets that were commanded.
    pub resets: u64,
    /// Resets that were refused, by reason: nothing to hit; a launch may not be run again, does not
    /// leave, or was killed often; another process.
    pub refused: [u64; 5],
}

impl Counts {
    /// Returns the index of a method in [`begun`](Self::begun).
    #[must_use]
    pub const fn way(way: Preemption) -> usize {
        way as usize
    }

    /// Returns the index of a reason in [`refused`](Self::refused).
    #[must_use]
    pub const fn reason(why: NoReset) -> usize {
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
            Seen::Wish(Wish::Preempt { way, .. }, WishAnswer::Preempted(Preempted::Begun)) => {
                self.begun.get_mut(Self::way(way))
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
