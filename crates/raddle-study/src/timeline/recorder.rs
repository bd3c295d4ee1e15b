//! Which facts of a simulation are kept for its timeline while it runs?
//!
//! The facts are the launches in the workgroup slots, the times at which launches were off the
//! device, the number of resident waves and the number of ready launches. The memory grows with the
//! number of wanted slices (bars), not with the length of the simulation.

use std::collections::BTreeMap;

use raddle_policy::{LaunchId, Piece, Preemption, Tick, WaveSpan};
use raddle_sim::{Doing, Seen, Watch};

use super::counts::CounterSet;
use super::model::{Away, Ending, Grain};
use super::slots::{GroupKey, SliceStore, UnitSlots};

/// Recorder that collects the timeline of a simulation: give it to [`raddle_sim::run_watched`],
/// then call [`Recorder::finish`].
///
/// It needs at most 80 bytes for each slice (bar) that the timeline may have, and 16 for each
/// sample of a counter; the number of samples has the same limit.
#[derive(Debug)]
pub struct Recorder {
    pub(super) units: Vec<UnitSlots>,
    pub(super) store: SliceStore,
    pub(super) counts: CounterSet,
    /// Workgroups of each launch that were saved to memory by a preemption: (number of the compute
    /// unit, key that workgroups have in common if they start and end together).
    pub(super) saved: BTreeMap<LaunchId, Vec<(u16, GroupKey)>>,
    /// Number of ended waves of each workgroup whose waves start and end one by one; the key is
    /// (launch, number of the workgroup).
    pub(super) partial: BTreeMap<(LaunchId, u64), u32>,
    /// Launches that are off the device after a preemption: (its method, time in ns since which
    /// they are off).
    pub(super) off: BTreeMap<LaunchId, (Preemption, u64)>,
    pub(super) aways: Vec<Away>,
    pub(super) aways_left_out: bool,
    /// Time in ns at which each launch was first submitted; `None` where it never was.
    pub(super) submitted: Vec<Option<u64>>,
    /// Changes of the processes that have waves on the device: (time in ns, these processes from
    /// then on).
    pub(super) holders: Vec<(u64, Holder)>,
    /// Changes of the activity of each process: (time in ns, activity from then on).
    pub(super) doing: Vec<Vec<(u64, Doing)>>,
    /// Number of all changes of activity of processes, including those that `doing` left out.
    pub(super) changes: usize,
    pub(super) most: usize,
    /// Time in ns at which any counter changed last.
    pub(super) last: u64,
    /// Time in ns before which workgroups that start are not recorded.
    from: u64,
}

/// Processes that have waves on the device: none, one, or several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holder {
    Nobody,
    One(u16),
    Several,
}

impl Recorder {
    /// Makes a recorder for a simulation of `processes` processes on a device of `cus` compute
    /// units. The timeline gets at most `most_slices` slices (bars) on the compute units.
    #[must_use]
    pub fn new(cus: u16, processes: usize, most_slices: usize) -> Self {
        Self {
            units: (0..cus).map(UnitSlots::new).collect(),
            store: SliceStore::new(most_slices),
            counts: CounterSet::new(processes, most_slices),
            saved: BTreeMap::new(),
            partial: BTreeMap::new(),
            off: BTreeMap::new(),
            aways: Vec::new(),
            aways_left_out: false,
            submitted: Vec::new(),
            holders: Vec::new(),
            doing: vec![Vec::new(); processes],
            changes: 0,
            most: most_slices,
            last: 0,
            from: 0,
        }
    }

    /// Restricts the timeline to the simulated time between `from` and `to`, in nanoseconds.
    #[must_use]
    pub fn window(mut self, from: u64, to: u64) -> Self {
        self.store.window = (from, to);
        self
    }

    /// Restricts the timeline to workgroups that start at the time `from` (in ns) or later.
    #[must_use]
    pub(crate) const fn from(mut self, from: u64) -> Self {
        self.from = from;
        self
    }

    /// Keeps the timeline at the finest level of detail: where it reaches the largest number of
    /// slices (bars), it ends instead of becoming coarser.
    #[must_use]
    pub const fn at_full_grain(mut self) -> Self {
        self.store.ends_full = true;
        self
    }

    /// Returns the part of the simulated time that is drawn, as (begin, end) in nanoseconds.
    #[must_use]
    pub const fn drawn(&self) -> (u64, u64) {
        self.store.window
    }

    fn settled(&mut self, now: u64, waves: &[u64], launches: &[u64]) {
        let (from, to) = self.drawn();
        if now > to {
            return;
        }
        // The values that hold when the part begins are its first samples.
        let now = now.max(from);
        if self.counts.take(now, waves, launches) {
            self.last = now;
        }
        let mut running = (0u16..).zip(waves).filter(|(_, waves)| **waves > 0);
        let holder = match (running.next(), running.next()) {
            (None, _) => Holder::Nobody,
            (Some((process, _)), None) => Holder::One(process),
            _ => Holder::Several,
        };
        if self.holders.last().is_some_and(|before| before.1 == holder) {
            return;
        }
        self.holders.pop_if(|before| before.0 == now);
        // Further turns are not kept, as with so many no turn is drawn.
        if self.holders.len() < self.most {
            self.holders.push((now, holder));
        }
    }

    /// Notes the activity that a process has from the time `now`, in ns, on.
    fn does(&mut self, process: usize, now: u64, doing: Doing) {
        let (_, to) = self.drawn();
        let Some(own) = self.doing.get_mut(process).filter(|_| now <= to) else { return };
        if own.last().is_some_and(|before| before.1 == doing) {
            return;
        }
        // Further waits are not kept, as with so many no wait is drawn.
        self.changes += 1;
        if self.changes < self.most {
            let now = now.max(self.store.window.0);
            own.pop_if(|before| before.0 == now);
            own.push((now, doing));
        }
    }

    fn started(
        &mut self,
        now: u64,
        launch: LaunchId,
        front: u32,
        waves: WaveSpan,
        pieces: &[Piece],
    ) {
        if !self.off.is_empty() {
            self.back(now, launch);
        }
        if self.store.grain() >= Grain::Launch || now < self.from {
            return;
        }
        for piece in pieces {
            let Some(unit) = self.units.get_mut(piece.cu.index()) else { continue };
            if waves == WaveSpan::All {
                unit.start(now, launch.0, GroupKey::Front(front), piece.count, &mut self.store);
                continue;
            }
            for workgroup in piece.workgroups() {
                if let WaveSpan::Cut { first, .. } = waves {
                    unit.start(now, launch.0, GroupKey::Part(workgroup, first), 1, &mut self.store);
                    continue;
                }
                self.partial.entry((launch, workgroup)).or_insert_with(|| {
                    unit.start(now, launch.0, GroupKey::Workgroup(workgroup), 1, &mut self.store);
                    0
                });
            }
        }
    }

    fn ended(
        &mut self,
        now: u64,
        launch: LaunchId,
        front: u32,
        (waves, whole): (WaveSpan, u16),
        pieces: &[Piece],
    ) {
        if self.store.grain() >= Grain::Launch || now < self.from {
            return;
        }
        for piece in pieces {
            let Some(unit) = self.units.get_mut(piece.cu.index()) else { continue };
            if waves == WaveSpan::All {
                unit.end(now, launch.0, GroupKey::Front(front), 1);
                continue;
            }
            let (first, count) = waves.bounds(whole);
            for workgroup in piece.workgroups() {
                let ended = self.partial.entry((launch, workgroup)).or_insert(0);
                *ended += u32::from(count);
                let done = *ended >= u32::from(whole);
                if done {
                    self.partial.remove(&(launch, workgroup));
                }
                if let WaveSpan::Cut { .. } = waves {
                    unit.end(now, launch.0, GroupKey::Part(workgroup, first), u64::from(done));
                } else if done {
                    unit.end(now, launch.0, GroupKey::Workgroup(workgroup), 1);
                }
            }
        }
    }

    fn taken_off(&mut self, now: u64, launch: LaunchId, how: Preemption) {
        if !how.holds() && !how.begins_again() {
            // A launch that leaves by the preemption flag had not begun, so it was never off the
            // device.
            return;
        }
        self.off.insert(launch, (how, now));
        if !how.frees_places() {
            return;
        }
        let ending = if how.saves() { Ending::Saved } else { Ending::Killed };
        let mut left = Vec::new();
        for unit in &mut self.units {
            unit.lift(now, launch.0, ending, &mut self.store, &mut left);
        }
        if how.saves() {
            self.saved.insert(launch, left);
        } else {
            let of_launch = (launch, 0)..=(launch, u64::MAX);
            let gone: Vec<_> = self.partial.range(of_launch).map(|(&key, _)| key).collect();
            for key in gone {
                self.partial.remove(&key);
            }
        }
    }

    fn restored(&mut self, now: u64, launch: LaunchId) {
        self.back(now, launch);
        for (cu, key) in self.saved.remove(&launch).unwrap_or_default() {
            if let Some(unit) = self.units.get_mut(usize::from(cu)) {
                unit.start(now, launch.0, key, 1, &mut self.store);
            }
        }
    }

    /// Notes that a launch is on the device again from the time `now`, in ns, on; does nothing for
    /// a launch that was not off the device after a preemption.
    pub(super) fn back(&mut self, now: u64, launch: LaunchId) {
        let Some((how, since)) = self.off.remove(&launch) else { return };
        if since < now && !self.aways_left_out {
            self.aways.push(Away { launch: launch.0, how, start_ns: since, end_ns: now });
            if self.aways.len() > self.most {
                self.aways_left_out = true;
                self.aways = Vec::new();
            }
        }
    }
}

impl Watch for Recorder {
    fn sees_from(&self) -> Option<Tick> {
        Some(Tick(self.from))
    }

    fn see(&mut self, now: Tick, seen: &Seen<'_>) {
        let now = now.0;
        match *seen {
            Seen::Started { launch, front, waves, pieces } => {
                self.started(now, launch, front, waves, pieces);
            }
            Seen::Ended { launch, front, waves, whole, pieces } => {
                self.ended(now, launch, front, (waves, whole), pieces);
            }
            Seen::TakenOff { launch, how } => self.taken_off(now, launch, how),
            Seen::Restored { launch } => self.restored(now, launch),
            Seen::Submitted { launch } => {
                if self.submitted.len() <= launch.index() {
                    self.submitted.resize(launch.index() + 1, None);
                }
                self.submitted[launch.index()].get_or_insert(now);
            }
            Seen::Settled { waves, launches, placed, issued } => {
                self.settled(now, waves, launches);
                let of = waves.iter().zip(launches).zip(placed.iter().zip(issued));
                for (process, ((&waves, &ready), (&placed, &issued))) in of.enumerate() {
                    self.does(process, now, Doing::of(waves, placed, ready, issued));
                }
            }
            _ => {}
        }
    }
}
