//! When does a launch only refill what its own workgroups free, so that whole periods are skipped?
//!
//! A launch with many more workgroups than fit at once keeps the device full by itself: each front
//! that ends is followed by one on the same compute units, again and again. Where nobody sees the
//! single fronts, neither a watch nor a log, and the dispatcher stands as it stood a period ago, as
//! many periods are skipped as pass before anything else happens. The outcome is the same.

use raddle_policy::{Action, LaunchId, Ticks, WaveSpan};

use super::Engine;
use crate::queue::Due;
use crate::watch::Watch;

/// Least number of periods that is worth a mark of the dispatcher: one passes until it can be said
/// that the device stands as at the mark.
const WORTH: u64 = 3;

/// The ticks in a row in which nothing happened but that a front (workgroups that end together) of
/// one launch ended and was followed by one on the same compute units.
#[derive(Debug, Default)]
pub(super) struct Refills {
    launch: LaunchId,
    count: usize,
    /// The number of fronts (workgroups that end together) of the launch when the dispatcher was
    /// marked; 0 where it was not.
    marked: usize,
    /// True if periods are never skipped in this run.
    pub(super) never: bool,
}

impl<W: Watch> Engine<'_, W> {
    /// Counts a tick in which `happened` was the only event and led to one decision; skips periods
    /// where the launch has begun to repeat itself.
    pub(super) fn count_refill(&mut self, happened: Due) {
        let Due::Front(slot, _) = happened else { return self.end_refills() };
        let [Action::Start { launch, waves: WaveSpan::All, .. }] = *self.actions.list else {
            return self.end_refills();
        };
        let Some(fronts) = self.machine.refilled(launch, slot, self.now) else {
            return self.end_refills();
        };
        if self.refills.launch != launch {
            self.refills = Refills { launch, ..Refills::default() };
        }
        self.refills.count += 1;
        let Refills { count, marked, .. } = self.refills;
        if marked == 0 && count == fronts {
            let period = self.machine.period(launch).filter(|period| period.most >= WORTH);
            if period.is_some() {
                self.refills.marked = fronts;
                self.refills.never = !self.dispatcher.mark(launch);
            }
        } else if marked > 0 && count == marked + fronts {
            self.skip_periods(launch);
            self.end_refills();
        }
    }

    pub(super) fn end_refills(&mut self) {
        self.refills = Refills { never: self.refills.never, ..Refills::default() };
    }

    /// Skips as many whole periods of a launch as pass before anything else happens.
    fn skip_periods(&mut self, launch: LaunchId) {
        let Some(period) = self.machine.period(launch) else { return };
        let machine = &self.machine;
        let of_launch = |due: Due| match due {
            Due::Front(slot, generation) => machine.is_front_of(launch, slot, generation),
            _ => false,
        };
        let other = self.queue.first_but(of_launch);
        let time = other.map_or(u64::MAX, |at| at.since(self.now).0.saturating_sub(1));
        // Beyond this number, the times of the fronts would not fit a tick.
        let time = time.min((u64::MAX - self.now.0) / 4);
        let periods = period.most.min(time / period.lasts.0);
        if periods == 0 || !self.dispatcher.skip(launch, period.workgroups * periods) {
            return;
        }
        self.queue.put_off(of_launch, Ticks(period.lasts.0 * periods));
        self.machine.skip(launch, &period, periods);
    }
}
