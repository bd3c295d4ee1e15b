//! After which time does the device stand as before, but for the numbers of one launch's workgroups?
//!
//! Where each front of a launch is followed by one on the same compute units, all of them have been
//! followed once after as long as a workgroup lasts: that time is a period.

use raddle_policy::{LaunchId, Tick, Ticks, WaveSpan};

use super::live_state::LiveState;
use super::pace::WorkLeft;
use super::{Front, Live, Machine};

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
    /// Returns whether the front (workgroups that end together) holds whole workgroups that last
    /// `lasts` ticks, whatever runs beside them.
    fn is_plain(&self, lasts: Ticks) -> bool {
        let whole = self.waves == WaveSpan::All && self.left == WorkLeft::of(lasts);
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
    /// Returns whether launches may repeat themselves: not where neighbours slow them down.
    pub(crate) const fn has_periods(&self) -> bool {
        !self.neighbours.are_charged()
    }

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
    /// one on the same compute units; `None` where it has none.
    pub(crate) fn period(&self, id: LaunchId) -> Option<Period> {
        let live = self.live.get(id).filter(|live| live.is_plain())?;
        let lasts = live.what.workgroup;
        let fronts = || live.fronts.iter().map(|&slot| &self.fronts[slot as usize]);
        // The fronts are in the order of their starts, so that of their ends.
        let one_by_one = fronts().map(|front| front.ends).is_sorted_by(|a, b| a < b);
        if !one_by_one || lasts == Ticks::ZERO || !fronts().all(|front| front.is_plain(lasts)) {
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

    /// Returns whether the front (workgroups that end together) with this index and generation is
    /// on the device and of this launch.
    pub(crate) fn is_front_of(&self, id: LaunchId, slot: u32, generation: u32) -> bool {
        self.front(slot, generation).is_some_and(|front| front.launch == id)
            && self.live.get(id).is_some_and(|live| live.fronts.contains(&slot))
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
