//! After which time does the device stand as before, but for the numbers of one launch's workgroups?
//!
//! Where each front of a launch is followed by one on the same compute units, all of them have been
//! followed once after as long as a workgroup lasts: that time is a period.

use raddle_policy::{LaunchId, Tick, Ticks, WaveSpan};

use super::live_state::LiveState;
use super::pace::WorkLeft;
use super::{Front, Live, Machine};
use crate::queue::{Due, Moved};

/// A period of a launch: the time after which all of its fronts (workgroups that end together) have
/// been followed by fronts on the same compute units.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Period {
    pub(crate) lasts: Ticks,
    /// The number of fronts (workgroups that end together) that end in a period, and as many start.
    pub(crate) fronts: u64,
    /// The number of workgroups that start in a period.
    pub(crate) workgroups: u64,
    /// The number of pieces (equal workgroups on one compute unit) that start in a period.
    pieces: u64,
    /// The most periods that begin with the present fronts (workgroups that end together) and leave
    /// at least one workgroup to start.
    pub(crate) most: u64,
}

impl Front {
    /// Returns whether the front (workgroups that end together) holds whole workgroups with this
    /// work, none of which is done yet by the account, and lasts `lasts` ticks from its start on.
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
    /// Returns the number of fronts (workgroups that end together) of a launch, if the one with the
    /// index `slot` is the last of them, began now, and follows one on the same compute units.
    pub(crate) fn refilled(&self, id: LaunchId, slot: u32, now: Tick) -> Option<usize> {
        let front = self.fronts.get(slot as usize)?;
        if front.launch != id || !front.refills || front.started != now {
            return None;
        }
        let fronts = &self.live.get(id)?.fronts;
        (fronts.last() == Some(&slot)).then_some(fronts.len())
    }

    /// Returns the period of a launch whose fronts (workgroups that end together) have all followed
    /// one on the same compute units; `None` where it has none. Neighbours that slow the launch down
    /// slow all of its fronts down alike, until something else happens.
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

    /// Returns until when an event leaves the periods of a launch alone, which last `lasts`: until it
    /// happens. `None` for the ends of the launch's own fronts (workgroups that end together), and for
    /// events without effect.
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

    /// Returns how an event moves where the periods of a launch up to the tick `until` are skipped,
    /// which last `lasts` together.
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

    /// Moves a launch on by `periods` of its periods.
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
        self.counters.starts += fronts;
        self.counters.fronts += fronts;
        self.counters.pieces += period.pieces * periods;
        self.counters.workgroups += workgroups;
    }
}
