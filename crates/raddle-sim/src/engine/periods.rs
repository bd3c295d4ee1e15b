//! When does a launch only refill what its own workgroups free, so that whole periods are skipped?
//!
//! A launch with many more workgroups than fit at once keeps the device full by itself: each front
//! that ends is followed by one on the same compute units, again and again. Where nobody sees the
//! single fronts, neither a watch nor a log, and the dispatcher stands as it stood a period ago, as
//! many periods are skipped as pass before anything else happens. The outcome is the same.

use raddle_policy::{Action, LaunchId, Tick, Ticks, WaveSpan};

use super::Engine;
use crate::machine::Period;
use crate::queue::Due;

/// The least number of events (ends of workgroups) that a skip over repetitions must save. Fewer
/// are not worth it, because the dispatcher's account of the device is copied before a skip.
const WORTH: u64 = 2;

/// The count of events in a row that were nothing but the end of workgroups of one launch, each
/// followed at once by new workgroups of the launch on the same compute units.
#[derive(Debug, Default)]
pub(super) struct Refills {
    launch: LaunchId,
    count: usize,
    /// The state of the count when the dispatcher was last told to remember the device, as
    /// (`count`, number of fronts of the launch: groups of workgroups that end together). `None`
    /// where it was not told.
    marked: Option<(usize, usize)>,
    /// The tick from which on the run skips no periods of a launch, as a watch needs to see each
    /// event. Tick 0 where the dispatcher cannot skip.
    pub(super) until: Tick,
}

impl Engine<'_> {
    /// Counts a tick in which `happened` was the only event and led to one decision. Skips ahead
    /// where workgroups of one launch only replace each other, again and again.
    pub(super) fn count_refill(&mut self, happened: Due) {
        let Due::Front(slot, _) = happened else { return self.end_refills() };
        let [Action::Start { launch, waves: WaveSpan::All, .. }] = *self.actions.list else {
            return self.end_refills();
        };
        let Some(fronts) = self.machine.refilled(launch, slot, self.now) else {
            return self.end_refills();
        };
        if self.refills.launch != launch {
            self.end_refills();
            self.refills.launch = launch;
        }
        self.refills.count += 1;
        let count = self.refills.count;
        match self.refills.marked {
            // A period has passed since the mark: each front has been followed once.
            Some((at, of)) if of == fronts && count == at + of => {
                let skipped = self.skip_periods(launch);
                self.refills.marked = None;
                match skipped {
                    true => self.end_refills(),
                    // The fronts were not yet followed in the way in which they will be.
                    false => self.mark_period(launch, (count, fronts)),
                }
            }
            Some((_, of)) if of == fronts => {}
            Some(_) => self.end_refills(),
            // After a period the fronts are alike, if they were not at first.
            None if count == 1 || count == fronts => self.mark_period(launch, (count, fronts)),
            None => {}
        }
    }

    pub(super) fn end_refills(&mut self) {
        self.refills = Refills { until: self.refills.until, ..Refills::default() };
    }

    /// Has the dispatcher remember the state of the device, where enough periods of a launch (in
    /// which all of its running workgroups are replaced once) can be skipped.
    fn mark_period(&mut self, launch: LaunchId, (count, fronts): (usize, usize)) {
        let Some(period) = self.machine.period(launch) else { return };
        let periods = self.periods_left(launch, &period);
        if periods.saturating_sub(1).saturating_mul(period.fronts) >= WORTH {
            self.refills.marked = Some((count, fronts));
            if !self.dispatcher.mark(launch) {
                self.refills.until = Tick::ZERO;
            }
        }
    }

    /// Returns the number of whole periods of a launch (in which all of its running workgroups are
    /// replaced once) that pass before anything else happens.
    fn periods_left(&self, launch: LaunchId, period: &Period) -> u64 {
        let others = |(at, due)| self.machine.leaves_alone_until(launch, period.lasts, (at, due));
        let other = self.queue.all().filter_map(others).min().unwrap_or(Tick::MAX);
        let time = other.min(self.refills.until).since(self.now).0.saturating_sub(1);
        // Beyond this number, the times of the fronts would not fit a tick.
        let time = time.min((u64::MAX - self.now.0) / 4);
        period.most.min(time / period.lasts.0)
    }

    /// Skips as many whole periods of a launch (in which all of its running workgroups are replaced
    /// once) as pass before anything else happens. Returns whether there were any.
    fn skip_periods(&mut self, launch: LaunchId) -> bool {
        let Some(period) = self.machine.period(launch) else { return false };
        let periods = self.periods_left(launch, &period);
        if periods == 0 || !self.dispatcher.skip(launch, period.workgroups * periods) {
            return false;
        }
        let lasts = Ticks(period.lasts.0 * periods);
        let until = self.now + lasts;
        self.queue.move_on(|event| self.machine.moved(launch, event, (lasts, until)));
        self.machine.skip(launch, &period, periods);
        true
    }
}
