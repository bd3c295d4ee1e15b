//! Which launches run on the simulated compute units, and how do they start, end and leave?
//!
//! A *front* is the workgroups of one launch that start in one tick and end in one tick: one event.
//! Taking work off: drain waits for the fronts, kill ends them after a fixed cost, save and restore
//! move their registers and LDS at the device's bandwidth.

mod live_state;
mod loaded;
mod neighbours;
mod pace;
mod periods;
mod submitted;
mod take_off;

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

use raddle_dispatch::ByLaunch;
use raddle_policy::{CuId, LaunchId, Piece, StreamId, Tick, WaveSpan};

use crate::ledger::Ledger;
use crate::meetings::NEVER;
use crate::plan::Costs;
use crate::queue::{Due, Queue};
use crate::{Counters, SimError, Workload};

use live_state::LiveState;
use loaded::LoadedProcess;
use neighbours::{NeighbourLoad, Neighbours};
use pace::WorkLeft;
pub(crate) use periods::Period;
pub(crate) use submitted::SubmittedKernel;
use take_off::{give_back, shares};

/// The simulated device: its compute units, and the launches on them from start to end.
#[derive(Debug)]
pub(crate) struct Machine {
    pub(crate) ledger: Ledger,
    pub(crate) costs: Costs,
    /// The tick at which all saves and restores ordered so far are complete; they run one after the
    /// other, as each uses the whole memory bandwidth.
    moved: Tick,
    /// The last save or restore of each process, by process: (tick at which it was ordered, bytes
    /// that were ordered in that tick).
    moving: BTreeMap<u16, (Tick, u64)>,
    /// The launches, by process and stream, that leave as the preemption flag is raised (each
    /// launch tests it at its start); the first to leave comes first.
    exits: BTreeMap<(u16, StreamId), VecDeque<LaunchId>>,
    live: ByLaunch<Live>,
    neighbours: Neighbours,
    loaded: LoadedProcess,
    fronts: Vec<Front>,
    spare: Vec<u32>,
    /// The compute units of the start that is being carried out, with the workgroups on each.
    units: Vec<UnitRun>,
    pub(crate) counters: Counters,
    /// The number of decisions among `counters` that were skipped with whole periods.
    pub(crate) skipped: u64,
}

/// A front: workgroups of one launch, or some waves of each, that start together and end together,
/// by one event.
#[derive(Debug, Default)]
pub(crate) struct Front {
    generation: u32,
    pub(crate) launch: LaunchId,
    pub(crate) waves: WaveSpan,
    pub(crate) pieces: Vec<Piece>,
    /// The compute units of the workgroups: (range of units, number of workgroups on each of them).
    units: Vec<UnitRun>,
    started: Tick,
    ends: Tick,
    /// The work of each workgroup that was not yet done at the tick `since`.
    left: WorkLeft,
    since: Tick,
    /// The tick at which the event queue has the end of this front. If the end has since been put
    /// off to `ends`, a later tick, the event is queued again when this tick comes.
    due: Tick,
    groups: u64,
    /// True if the waves of the front (workgroups that end together) wait at a barrier for other
    /// waves of their workgroup.
    gathers: bool,
    /// True if the front (workgroups that end together) waits for launches of other processes that
    /// have not begun, so that its end is unknown.
    endless: bool,
    /// True if the front (workgroups that end together) is on enough compute units to use all the
    /// memory bandwidth that its launch wants.
    wide: bool,
    /// True if the front (workgroups that end together) replaced a front of the same launch on the
    /// same compute units.
    refills: bool,
}

/// A row of consecutive compute units with equally many workgroups: (range of units, workgroups on
/// each of them).
type UnitRun = (Range<usize>, u32);

/// A launch that was submitted to the simulated device and has not ended.
#[derive(Debug)]
struct Live {
    what: SubmittedKernel,
    state: LiveState,
    /// The numbers of the launch's running fronts (workgroups that end together) and waves, and its
    /// demand for memory bandwidth.
    load: NeighbourLoad,
    fronts: Vec<u32>,
    resident_waves: u64,
    started: u64,
    /// The tick at which the first workgroup of the launch started; `None` if none has.
    since: Option<Tick>,
    ended: u64,
    /// The workgroups that start wave by wave, by workgroup number: (compute unit, number of waves
    /// that have ended).
    partial: BTreeMap<u64, (CuId, u16)>,
    /// The workgroups whose waves were split over compute units (cut), by workgroup number, each
    /// with the number of its waves that have ended. A cut workgroup holds resources only for its
    /// waves on the device.
    cut: BTreeMap<u64, u16>,
    assigned: BTreeMap<u64, CuId>,
    /// The indices of the fronts (workgroups that end together) whose waves wait at a barrier for
    /// other waves of their workgroup, by workgroup number.
    gathered: BTreeMap<u64, Vec<u32>>,
}

impl Front {
    fn waves_of(&self, launch: &SubmittedKernel) -> u64 {
        let (_, count) = self.waves.bounds(launch.demand.waves);
        self.groups.saturating_mul(count.into())
    }
}

impl Live {
    /// Returns whether the launch may start these workgroups: any of them while it runs; while it
    /// drains, only workgroups that are assigned to a compute unit or partly started; else none.
    fn may_start(&self, pieces: &[Piece]) -> bool {
        let bound =
            |group: u64| self.partial.contains_key(&group) || self.assigned.contains_key(&group);
        match self.state {
            LiveState::Running => true,
            LiveState::Leaving(how) if how.drains() => {
                pieces.iter().flat_map(|piece| piece.workgroups()).all(bound)
            }
            _ => false,
        }
    }

    /// Returns whether a workgroup of the launch is bound to a compute unit (assigned to it, or
    /// partly started there).
    fn is_bound(&self) -> bool {
        !self.partial.is_empty() || !self.assigned.is_empty()
    }

    /// Returns whether no wave of the launch runs, and no workgroup is assigned to a compute unit
    /// or partly started.
    fn is_drained(&self) -> bool {
        self.resident_waves == 0 && self.partial.is_empty() && self.assigned.is_empty()
    }
}

/// The result of the end of a front (workgroups of one launch that end together).
pub(crate) struct EndedFront {
    pub(crate) process: u16,
    pub(crate) waves: u64,
    pub(crate) finished: bool,
}

impl Machine {
    pub(crate) fn new(ledger: Ledger, costs: Costs, workload: &Workload) -> Self {
        Self {
            ledger,
            costs,
            moved: Tick::ZERO,
            moving: BTreeMap::new(),
            exits: BTreeMap::new(),
            live: ByLaunch::default(),
            neighbours: Neighbours::of(workload),
            loaded: LoadedProcess::default(),
            fronts: Vec::new(),
            spare: Vec::new(),
            units: Vec::new(),
            counters: Counters::default(),
            skipped: 0,
        }
    }

    fn fault(now: Tick, launch: LaunchId, what: &'static str, live: Option<&Live>) -> SimError {
        let state = live.map_or("not submitted", |live| live.state.name());
        SimError::Action { at: now, launch, what, state }
    }

    pub(crate) fn submit(
        &mut self,
        id: LaunchId,
        what: SubmittedKernel,
        now: Tick,
    ) -> Result<(), SimError> {
        if self.live.contains(id) {
            return Err(Self::fault(now, id, "submit", self.live.get(id)));
        }
        let live = Live {
            what,
            state: LiveState::Running,
            load: NeighbourLoad::default(),
            fronts: Vec::new(),
            resident_waves: 0,
            started: 0,
            since: None,
            ended: 0,
            partial: BTreeMap::new(),
            cut: BTreeMap::new(),
            assigned: BTreeMap::new(),
            gathered: BTreeMap::new(),
        };
        self.live.insert(id, live);
        Ok(())
    }

    /// Removes a launch that will never run, whether it was submitted or not.
    pub(crate) fn forget(&mut self, id: LaunchId, now: Tick) -> Result<(), SimError> {
        if self.live.get(id).is_some_and(|live| live.started > 0) {
            return Err(Self::fault(now, id, "refuse", self.live.get(id)));
        }
        self.live.remove(id);
        Ok(())
    }

    pub(crate) fn assign(
        &mut self,
        id: LaunchId,
        workgroup: u64,
        cu: CuId,
        now: Tick,
    ) -> Result<(), SimError> {
        let running = |live: &&mut Live| live.state == LiveState::Running;
        match self.live.get_mut(id).filter(running) {
            Some(live) if !live.assigned.contains_key(&workgroup) => {
                live.assigned.insert(workgroup, cu);
                Ok(())
            }
            _ => Err(Self::fault(now, id, "assign a workgroup of", self.live.get(id))),
        }
    }

    /// Makes all workgroups of a launch that start from now on end at `until` or later.
    pub(crate) fn lasts_until(&mut self, id: LaunchId, until: Tick) {
        if let Some(live) = self.live.get_mut(id) {
            live.what.until = until;
        }
    }

    /// Returns the tick at which a workgroup of a launch would have done its work if it started
    /// now, slowed down by the present neighbours.
    pub(crate) fn works_until(&self, id: LaunchId, now: Tick) -> Tick {
        self.live.get(id).map_or(now, |live| {
            let pace = self.neighbours.pace(&live.what, &live.load);
            let begins = self.loaded.begins(live.what.process, self.costs.load, now);
            begins + WorkLeft::of(live.what.workgroup).lasts(pace)
        })
    }

    /// Ends at `until`, or now if that is later, the running workgroups of a launch that wait for
    /// launches of other processes (peers). Workgroups that start later do not end before `until`
    /// either.
    pub(crate) fn ends_at(&mut self, id: LaunchId, until: Tick, now: Tick, queue: &mut Queue) {
        let Some(live) = self.live.get_mut(id) else { return };
        live.what.until = until;
        let stands = live.state.is_stopped();
        for &slot in &live.fronts {
            let front = &mut self.fronts[slot as usize];
            if !std::mem::take(&mut front.endless) {
                continue;
            }
            if stands {
                front.left = WorkLeft::of(until.since(now));
            } else {
                front.ends = until.max(now);
                front.due = front.ends;
                queue.push(front.ends, Due::Front(slot, front.generation));
            }
        }
    }

    /// Starts workgroups of a launch, or the waves `waves` of each. Returns (number of waves
    /// started, index of the new front: the workgroups that end together).
    pub(crate) fn start(
        &mut self,
        id: LaunchId,
        waves: WaveSpan,
        pieces: &[Piece],
        now: Tick,
        queue: &mut Queue,
    ) -> Result<(u64, u32), SimError> {
        let Some(live) = self.live.get_mut(id).filter(|live| live.may_start(pieces)) else {
            return Err(Self::fault(now, id, "start workgroups of", self.live.get(id)));
        };
        let demand = live.what.demand;
        let (first, count) = waves.bounds(demand.waves);
        let overcommit = |cu| SimError::Overcommit { at: now, launch: id, cu };
        let misplaced = |piece: &&Piece| {
            let mut groups = piece.workgroups();
            groups.any(|group| live.assigned.get(&group).is_some_and(|&cu| cu != piece.cu))
        };
        let assigned = !live.assigned.is_empty();
        if let Some(piece) = pieces.iter().filter(|_| assigned).find(misplaced) {
            return Err(overcommit(piece.cu));
        }
        let mut groups = 0;
        self.units.clear();
        self.units.extend(Piece::by_units(pieces));
        for (units, n) in self.units.iter().cloned() {
            let n = u64::from(n);
            let started = n * u64::from(count);
            groups += n * units.len() as u64;
            let taken =
                self.ledger.take(units.clone(), &demand.of(waves), started, shares(waves, n));
            taken.map_err(overcommit)?;
            self.ledger.power.came(units, live.what.draw(started));
        }
        if let WaveSpan::Range { .. } = waves {
            for piece in pieces {
                let entries = piece.workgroups().map(|workgroup| (workgroup, piece.cu));
                entries.for_each(|(workgroup, cu)| {
                    live.partial.entry(workgroup).or_insert((cu, 0));
                });
            }
        }
        if !live.assigned.is_empty() {
            // From its first wave on a workgroup is known as started.
            live.assigned.retain(|&group, _| !pieces.iter().any(|piece| piece.names(group)));
        }
        self.counters.switch_ns += self.loaded.load(live.what.process, self.costs.load, now).0;
        live.since.get_or_insert(now);
        live.started += if first == 0 { groups } else { 0 };
        if live.started > live.what.workgroups {
            return Err(Self::fault(now, id, "start more workgroups than there are of", None));
        }
        let started_waves = groups * u64::from(count);
        live.resident_waves += started_waves;
        self.counters.starts += 1;
        self.counters.pieces += pieces.len() as u64;
        // Waves that start in part wait at the barrier for the last wave of their workgroup.
        let gathers = live.what.barrier
            && matches!(waves, WaveSpan::Range { .. })
            && u32::from(first) + u32::from(count) < u32::from(demand.waves);
        let front = self.add_front(id, waves, pieces, (groups, gathers), now, queue);
        if let (WaveSpan::Range { .. }, false) = (waves, gathers) {
            self.let_run(id, pieces, now, queue);
        }
        Ok((started_waves, front))
    }

    /// Lets waves run that waited at a barrier, as all waves of the workgroups in `pieces` have
    /// started.
    fn let_run(&mut self, id: LaunchId, pieces: &[Piece], now: Tick, queue: &mut Queue) {
        let Some(live) = self.live.get_mut(id).filter(|live| !live.gathered.is_empty()) else {
            return;
        };
        let pace = self.neighbours.begin(&live.what, &mut live.load);
        for workgroup in pieces.iter().flat_map(|piece| piece.workgroups()) {
            for slot in live.gathered.remove(&workgroup).unwrap_or_default() {
                let front = &mut self.fronts[slot as usize];
                front.gathers = false;
                front.started = now;
                front.since = now.max(self.loaded.opens);
                front.left = WorkLeft::of(live.what.workgroup);
                front.ends = live.what.ends(front.since, pace);
                front.due = front.ends;
                front.endless = front.ends == NEVER;
                self.neighbours.came(id, &live.what, &mut live.load, front);
                if !front.endless {
                    queue.push(front.ends, Due::Front(slot, front.generation));
                }
            }
        }
    }

    fn add_front(
        &mut self,
        id: LaunchId,
        waves: WaveSpan,
        pieces: &[Piece],
        (groups, gathers): (u64, bool),
        now: Tick,
        queue: &mut Queue,
    ) -> u32 {
        let Some(live) = self.live.get_mut(id) else {
            return u32::MAX;
        };
        let pace = self.neighbours.begin(&live.what, &mut live.load);
        let runs = now.max(self.loaded.opens);
        let ends = live.what.ends(runs, pace);
        // Workgroups that start in one tick and last equally long end in one event.
        if let Some(&slot) = live.fronts.last().filter(|_| !gathers) {
            let front = &mut self.fronts[slot as usize];
            // A saved front that came back in this tick ends with the time that it had left.
            let whole = front.left == WorkLeft::of(live.what.workgroup);
            let alike = front.waves == waves && !front.gathers && whole;
            if front.started == now && front.ends == ends && alike {
                front.pieces.extend_from_slice(pieces);
                front.units.extend_from_slice(&self.units);
                front.groups += groups;
                let (_, count) = waves.bounds(live.what.demand.waves);
                let more = (groups * u64::from(count), &*self.units);
                self.neighbours.grew(&live.what, &mut live.load, front, more);
                return slot;
            }
        }
        let slot = self.spare.pop().unwrap_or_else(|| {
            self.fronts.push(Front::default());
            self.fronts.len() as u32 - 1
        });
        let front = &mut self.fronts[slot as usize];
        front.refills = front.launch == id && front.waves == waves && front.units == self.units;
        front.launch = id;
        front.waves = waves;
        front.pieces.clear();
        front.pieces.extend_from_slice(pieces);
        front.units.clone_from(&self.units);
        front.started = now;
        front.ends = ends;
        front.left = WorkLeft::of(live.what.workgroup);
        front.since = runs;
        front.due = ends;
        front.groups = groups;
        front.gathers = gathers;
        front.endless = ends == NEVER && !gathers;
        live.fronts.push(slot);
        if gathers {
            for workgroup in pieces.iter().flat_map(|piece| piece.workgroups()) {
                live.gathered.entry(workgroup).or_default().push(slot);
            }
        } else {
            self.neighbours.came(id, &live.what, &mut live.load, front);
            if !front.endless {
                queue.push(front.ends, Due::Front(slot, front.generation));
            }
        }
        slot
    }

    /// Returns the front (workgroups that end together) with the index `slot`; `None` where the
    /// front has ended, or the index belongs to a newer front with another generation number.
    pub(crate) fn front(&self, slot: u32, generation: u32) -> Option<&Front> {
        self.fronts.get(slot as usize).filter(|front| front.generation == generation)
    }

    /// Ends a front (workgroups that end together), frees its resources, and returns what this
    /// changes for its launch; `None` where the front does not exist.
    pub(crate) fn end_front(
        &mut self,
        slot: u32,
        now: Tick,
        queue: &mut Queue,
    ) -> Option<EndedFront> {
        let front = &mut self.fronts[slot as usize];
        front.generation = front.generation.wrapping_add(1);
        let (id, waves, groups) = (front.launch, front.waves, front.groups);
        let live = self.live.get_mut(id)?;
        live.fronts.retain(|&other| other != slot);
        self.neighbours.went(id, &live.what, &mut live.load, front);
        let ended = give_back(live, front, &mut self.ledger);
        let (_, count) = waves.bounds(live.what.demand.waves);
        live.ended += ended;
        live.resident_waves -= groups * u64::from(count);
        let outcome = EndedFront {
            process: live.what.process,
            waves: groups * u64::from(count),
            finished: live.ended >= live.what.workgroups,
        };
        if matches!(live.state, LiveState::Leaving(how) if how.drains()) && live.is_drained() {
            queue.push(now, Due::TakenOff(id));
        }
        let lane = (live.what.process, live.what.stream);
        if outcome.finished {
            self.live.remove(id);
            self.next_exit(lane, now, queue);
        }
        self.spare.push(slot);
        self.counters.fronts += 1;
        self.counters.workgroups += ended;
        Some(outcome)
    }
}
