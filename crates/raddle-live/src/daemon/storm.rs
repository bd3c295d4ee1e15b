//! Which program does a storm of random preemptions take off the device next, and by which method?
//!
//! A test of clients: it preempts one program after the other, at random times between two bounds,
//! and lets it go on after another such time. Equal seeds give equal choices.

use std::time::Duration;

use raddle_policy::{Preemption, ProcessId};

use super::said::DaemonEvent;

/// Settings and state of a test that preempts programs at random times; all times are in
/// nanoseconds.
#[derive(Clone, Debug)]
pub struct Storm {
    from: u64,
    to: u64,
    state: u64,
    due: u64,
    held: Option<ProcessId>,
    /// Methods of preemption, one of which is drawn for each random preemption.
    ways: [Preemption; 4],
}

impl Storm {
    /// Returns a test that preempts or resumes some program after random times between `from` and
    /// `to`, or always after `from` if `to` is less. The number `seed` determines all random
    /// choices.
    #[must_use]
    pub fn new(from: Duration, to: Duration, seed: u64) -> Self {
        let nanos = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let (from, to) = (nanos(from), nanos(to).max(nanos(from)));
        let ways = [Preemption::Wait, Preemption::Flag, Preemption::Reset, Preemption::Reset];
        Self { from, to, state: seed, due: from, held: None, ways }
    }

    /// Returns this test with the method `way` alone for its preemptions.
    #[must_use]
    pub const fn by(self, way: Preemption) -> Self {
        Self { ways: [way; 4], ..self }
    }

    /// Returns the time in nanoseconds at which the next random preemption is due.
    pub(super) const fn due(&self) -> u64 {
        self.due
    }

    /// Does the random step that is due at the time `now`, in nanoseconds, if any: takes a program
    /// off the device, or lets the one that was taken off go on. The event is passed to `happens`.
    pub(super) fn blow(
        &mut self,
        now: u64,
        programs: &[ProcessId],
        mut happens: impl FnMut(DaemonEvent),
    ) {
        if now < self.due {
            return;
        }
        let span = self.to - self.from;
        self.due = now.saturating_add(self.from).saturating_add(self.random(span));
        if let Some(process) = self.held.take() {
            happens(DaemonEvent::LetGo { process });
            return;
        }
        let Some(last) = programs.len().checked_sub(1) else { return };
        let process = programs.get(self.random(last as u64) as usize).copied();
        let ways = self.ways;
        let way = ways.get(self.random(3) as usize).copied();
        if let (Some(process), Some(how)) = (process, way) {
            self.held = Some(process);
            happens(DaemonEvent::Held { process, how });
        }
    }

    /// Returns a random number from 0 to `most`, and advances the random state of the test.
    fn random(&mut self, most: u64) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        match most.checked_add(1) {
            Some(count) => (mixed ^ (mixed >> 31)) % count,
            None => mixed,
        }
    }
}
