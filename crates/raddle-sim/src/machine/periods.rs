//! After which time does the device stand as before, but for the numbers of one launch's workgroups?
//!
//! Where each front of a launch is followed by one on the same compute units, all of them have been
//! followed once after as long as a workgroup lasts: that time is a period.

use raddle_policy::{LaunchId, Tick, Ticks, WaveSpan};

use super::live_state::LiveState;
use super::pace::WorkLeft;
use super::{Front, Live, Machine};
use crate::queue::{Due, Moved};

/// A period of a launch that keeps the device full: the time in which each of its running
/// workgroups is replaced once by another on the same compute units.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Period {
    pub(crate) lasts: Ticks,
    /// The number of fronts (workgroups that end together) that end in one period; equally many
    /// start. In a period each running workgroup of the launch is replaced once.
    pub(crate) fronts: u64,
    /// The number of workgroups that start in a period, in which each running workgroup of the
    /// launch is replaced once.
    pub(crate) workgroups: u64,
    /// The number of pieces (equal workgroups on one compute unit) that start in a period, in which
    /// each running workgroup of the launch is replaced once.
    pieces: u64,
    /// The largest number of periods that can be skipped while at least one workgroup of the launch
    /// is left to start afterwards. In a period each running workgroup is replaced once.
    pub(crate) most: u64,
}

impl Front {
    /// Returns whether the front (workgroups that end together) runs undisturbed: its workgroups
    /// are whole, had all of `work` left when neighbours last changed their speed, and end `lasts`
    /// ticks after their start.
    fn is_plain(&self, work: WorkLeft, lasts: Ticks) -> bool {
        let whole = self.waves == WaveSpan::All && self.left == work;
        whole && !self.gathers && !self.endless && self.ends == self.started + lasts
    }
}

impl Live {
    fn is_plain(&self) -> bool {
        let is_bound = self.is_bound() || !self.cut.is_empty() || !self.gathered.is_empty();
        self.state == LiveState::Running && !is_bound
    }
}

impl Machine {
    /// Returns the number of running fronts (workgroups that end together) of a launch, if the
    /// front with the index `slot` is its latest one and has just replaced another one on the same
    /// compute units, at the tick `now`. Else returns `None`.
    pub(crate) fn refilled(&self, id: LaunchId, slot: u32, now: Tick) -> Option<usize> {
        let front = self.fronts.get(slot as usize)?;
        if front.launch != id || !front.refills || front.started != now {
            return None;
        }
        let fronts = &self.live.get(id)?.fronts;
        (fronts.last() == Some(&slot)).then_some(fronts.len())
    }

    /// Returns the period of a launch, in which each of its running workgroups is replaced once.
    /// `None` where these workgroups differ, or two fronts (workgroups that end together) end at
    /// the same tick. A period stays valid until an event changes how much neighbours slow the
    /// launch down.
    pub(crate) fn period(&self, id: LaunchId) -> Option<Period> {
        let live = self.live.get(id).filter(|live| live.is_plain())?;
        let work = WorkLeft::of(live.what.workgroup);
        let lasts = work.lasts(live.load.pace);
        let fronts = || live.fronts.iter().map(|&slot| &self.fronts[slot as usize]);
        // The fronts are in the order of their starts, so that of their ends.
        let one_by_one = fronts().map(|front| front.ends).is_sorted_by(|a, b| a < b);
        if !one_by_one || lasts == Ticks::ZERO || !fronts().all(|front| front.is_plain(work, lasts))
        {
            return None;
        }
        let workgroups: u64 = fronts().map(|front| front.groups).sum();
        let left = live.what.workgroups.saturating_sub(live.started);
        Some(Period {
            lasts,
            fronts: live.fronts.len() as u64,
            workgroups,
            pieces: fronts().map(|front| front.pieces.len() as u64).sum(),
            most: left.saturating_sub(1).checked_div(workgroups)?,
        })
    }

    /// Returns the tick up to which periods of a launch, each `lasts` ticks long, can be skipped
    /// without missing the event `due`, which is queued at the tick `at`. `None` for an event that
    /// sets no limit: an end of the launch's own workgroups, or an event without effect.
    pub(crate) fn leaves_alone_until(
        &self,
        id: LaunchId,
        lasts: Ticks,
        (at, due): (Tick, Due),
    ) -> Option<Tick> {
        let Due::Front(slot, generation) = due else { return Some(at) };
        match self.front(slot, generation) {
            Some(front) if front.launch == id => None,
            // An end that was put off comes a period later than needed, so that it never falls on a
            // tick of the launch's own: their order would not be known.
            Some(front) if front.ends > at => {
                Some(Tick(front.ends.0.saturating_sub(lasts.0)).max(at))
            }
            Some(_) => Some(at),
            None => (!self.neighbours.are_charged()).then_some(at),
        }
    }

    /// Returns whether a queued event stays at its tick, moves, or is removed when periods of a
    /// launch are skipped. The skipped periods last `lasts` together and reach up to the tick
    /// `until`.
    pub(crate) fn moved(
        &mut self,
        id: LaunchId,
        (at, due): (Tick, Due),
        (lasts, until): (Ticks, Tick),
    ) -> Moved {
        let Due::Front(slot, generation) = due else { return Moved::Stays };
        let front = self.fronts.get_mut(slot as usize);
        match front.filter(|front| front.generation == generation) {
            Some(front) if front.launch == id => Moved::To(at + lasts),
            Some(_) | None if at > until => Moved::Stays,
            Some(front) => {
                front.due = front.ends;
                Moved::To(front.ends)
            }
            None => Moved::Gone,
        }
    }

    /// Moves a launch forward by `periods` periods, as if their workgroups had started and ended.
    pub(crate) fn skip(&mut self, id: LaunchId, period: &Period, periods: u64) {
        let lasts = Ticks(period.lasts.0 * periods);
        let Some(live) = self.live.get_mut(id) else { return };
        let workgroups = period.workgroups * periods;
        live.started += workgroups;
        live.ended += workgroups;
        for &slot in &live.fronts {
            let front = &mut self.fronts[slot as usize];
            for at in [&mut front.started, &mut front.since, &mut front.ends, &mut front.due] {
                *at = *at + lasts;
            }
            front.pieces.iter_mut().for_each(|piece| piece.first += workgroups);
        }
        let fronts = period.fronts * periods;
        self.counters.decisions += fronts;
        self.skipped += fronts;
        self.counters.starts += fronts;
        self.counters.fronts += fronts;
        self.counters.pieces += period.pieces * periods;
        self.counters.workgroups += workgroups;
    }
}
