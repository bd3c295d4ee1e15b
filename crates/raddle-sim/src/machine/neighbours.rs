//! Which processes run beside each other, and by how much longer do their launches last then?
//!
//! The slowdown of a launch has one of two sources: factors learnt from recordings
//! ([`Contention`](crate::Contention)), or the demand of launches for the memory's bandwidth
//! ([`ProcessDemand`](crate::ProcessDemand)). Counts are updated when workgroups start and end; a
//! decision looks only at the launches that have workgroups on the device.

use std::collections::BTreeSet;

use raddle_policy::{LaunchId, Tick};
use raddle_trace::KernelNeed;

use super::pace::MemoryPace;
use super::{Front, Machine, SubmittedKernel, UnitRun};
use crate::contention::ALONE;
use crate::demand::{ALL_PIPES, TaskDemand};
use crate::queue::{Due, Queue};
use crate::workload::Workload;

/// The running launches of all processes, as neighbours that slow down launches of other processes.
#[derive(Debug, Default)]
pub(super) struct Neighbours {
    /// The number of running fronts (workgroups that end together), by process, then by class of
    /// kernel; empty where neighbours slow nothing down.
    running: Vec<[u32; 4]>,
    /// The memory bandwidth and the pipes (execution pipelines) that the running launches and
    /// copies of each process want.
    wanted: Vec<Wants>,
    /// The memory bandwidth and the pipes (execution pipelines) that all processes together want:
    /// the sum of `wanted`.
    all: Wants,
    /// The bytes that all compute units together can move in a microsecond.
    reached: u64,
    /// The bytes that one compute unit can move in a microsecond.
    unit: u64,
    /// The launches that have a running front (workgroups that end together).
    busy: BTreeSet<LaunchId>,
    /// The number of running fronts (workgroups that end together) of each process; `present` is
    /// the number of processes that have one.
    fronts: Vec<u32>,
    present: u32,
    /// The number of copies, running now, that use the bandwidth of the memory.
    copying: u32,
    /// True if some running launch is slower beside its neighbours than alone.
    paced: bool,
    /// True if the paces (slowdowns beside neighbours) of running launches are out of date, as the
    /// classes of running kernels, or a demand, have changed.
    changed: bool,
}

/// The numbers of one launch's running fronts (workgroups that end together) and waves, and its
/// demand for memory bandwidth.
#[derive(Debug, Default)]
pub(super) struct NeighbourLoad {
    /// The number of running fronts (workgroups that end together) of the launch; `waves` is the
    /// number of waves in them.
    fronts: u32,
    waves: u64,
    /// The number of running fronts (workgroups that end together) that each are on enough compute
    /// units to use all the memory bandwidth that the launch wants.
    wide: u32,
    /// The number of workgroups of the launch (or parts of cut workgroups) on each compute unit.
    /// Fronts (workgroups that end together) on so many units that they get all the bandwidth they
    /// want are left out; `wide` counts them. Kept only for launches that need memory.
    holders: Vec<u32>,
    /// The number of compute units on which the launch has workgroups that `holders` counts.
    held: u64,
    /// The memory bandwidth and the pipes (execution pipelines) that the running workgroups of the
    /// launch want.
    wants: Wants,
    /// The present pace of the launch's running workgroups: how long work lasts over how long it
    /// would last alone.
    pub(super) pace: MemoryPace,
}

/// The demand of launches for the memory bandwidth and the pipes (execution pipelines) of a device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Wants {
    /// The bytes a microsecond that launches want to move to and from the memory which all
    /// processes share.
    bytes: u64,
    /// The pipes (execution pipelines) of compute units that launches use, in millionths of all
    /// pipes of the device.
    pipes: u64,
}

impl Wants {
    /// Returns this sum of demands after one of the demands in it has changed from `before` to
    /// `now`.
    const fn changed(self, before: Self, now: Self) -> Self {
        Self {
            bytes: self.bytes - before.bytes + now.bytes,
            pipes: self.pipes - before.pipes + now.pipes,
        }
    }
}

impl NeighbourLoad {
    /// Adds workgroups to the number on each compute unit or, with `came` false, subtracts them.
    fn hold(&mut self, units: &[UnitRun], came: bool) {
        for (units, count) in units.iter().cloned() {
            if units.end > self.holders.len() {
                self.holders.resize(units.end, 0);
            }
            let holders = &mut self.holders[units];
            let empty = |holders: &[u32]| holders.iter().filter(|&&held| held == 0).count() as u64;
            if came {
                self.held += empty(holders);
                holders.iter_mut().for_each(|held| *held += count);
            } else {
                holders.iter_mut().for_each(|held| *held -= count);
                self.held -= empty(holders);
            }
        }
    }

    /// Returns the memory bandwidth and the pipes (execution pipelines) that the launch wants, by
    /// its running waves and the compute units that they are on. `unit` is the bytes that one
    /// compute unit can move in a microsecond.
    fn wants(&self, of: &TaskDemand, waves: u16, unit: u64) -> Wants {
        match of.need {
            KernelNeed::Memory if self.wide > 0 => Wants { bytes: of.shared, pipes: 0 },
            // Units that hold none of its workgroups move nothing for it.
            KernelNeed::Memory => {
                Wants { bytes: of.shared.min(unit.saturating_mul(self.held)), pipes: 0 }
            }
            KernelNeed::Compute => {
                let full = of.full.saturating_mul(waves.max(1).into()).max(1);
                let part = |all: u64| {
                    let part =
                        u128::from(all) * u128::from(self.waves.min(full)) / u128::from(full);
                    // At most all of it, as the waves are at most all of them.
                    u64::try_from(part).unwrap_or(all)
                };
                Wants { bytes: part(of.shared), pipes: part(of.pipes).min(of.pipes_there) }
            }
            KernelNeed::Latency | KernelNeed::Unknown => Wants::default(),
        }
    }
}

impl Neighbours {
    /// Returns the neighbours for a workload of which no launch runs yet. Without slowdown factors
    /// learnt from recordings, neighbours slow nothing down in a workload of one process, or of
    /// processes without a demand for a common memory.
    pub(super) fn of(workload: &Workload) -> Self {
        let processes = &workload.processes;
        let learnt = processes.iter().flat_map(|plan| &plan.contention);
        let learnt = learnt.flat_map(|of| of.permille).any(|permille| permille != ALONE);
        let demand = processes.iter().filter_map(|plan| plan.demand.as_ref());
        let shared = demand.filter(|demand| !demand.apart);
        let shared = shared.map(|demand| (demand.memory.reached, demand.unit_beside));
        let memory = shared.max();
        if !learnt && (memory.is_none() || processes.len() < 2) {
            return Self::default();
        }
        let (reached, unit) = memory.unwrap_or_default();
        Self {
            running: vec![[0; 4]; processes.len()],
            wanted: vec![Wants::default(); processes.len()],
            fronts: vec![0; processes.len()],
            reached,
            unit,
            ..Self::default()
        }
    }

    /// Returns whether launches of other processes can slow a launch down in this run.
    pub(super) const fn are_charged(&self) -> bool {
        !self.running.is_empty()
    }

    /// Records that a front (workgroups that end together) of a launch begins to run.
    pub(super) fn came(
        &mut self,
        id: LaunchId,
        of: &SubmittedKernel,
        load: &mut NeighbourLoad,
        front: &mut Front,
    ) {
        let process = usize::from(of.process);
        let Some(own) = self.running.get_mut(process) else { return };
        let class = &mut own[of.contention.class as usize];
        *class += 1;
        self.changed |= *class == 1;
        self.fronts[process] += 1;
        self.present += u32::from(self.fronts[process] == 1);
        load.fronts += 1;
        if load.fronts == 1 {
            self.busy.insert(id);
            self.changed = true;
        }
        front.wide = self.is_wide(of, &front.units);
        load.wide += u32::from(front.wide);
        self.more(of, load, front, front.waves_of(of), &front.units);
    }

    /// Returns whether these compute units are enough to use all the memory bandwidth that a launch
    /// wants, so that its workgroups need not be counted for each unit.
    fn is_wide(&self, of: &SubmittedKernel, units: &[UnitRun]) -> bool {
        let enough = of.memory.shared.div_ceil(self.unit.max(1)).max(1);
        let all = || units.iter().map(|(units, _)| units.len() as u64).sum::<u64>();
        let many = of.memory.need == KernelNeed::Memory && all() >= enough;
        // Units in their order are different ones.
        many && units.is_sorted_by(|(a, _), (b, _)| a.end <= b.start)
    }

    /// Records that a running front (workgroups that end together) has got more workgroups, with
    /// `waves` waves in all, on these compute units.
    pub(super) fn grew(
        &mut self,
        of: &SubmittedKernel,
        load: &mut NeighbourLoad,
        front: &Front,
        (waves, units): (u64, &[UnitRun]),
    ) {
        if self.are_charged() {
            self.more(of, load, front, waves, units);
        }
    }

    fn more(
        &mut self,
        of: &SubmittedKernel,
        load: &mut NeighbourLoad,
        front: &Front,
        waves: u64,
        units: &[UnitRun],
    ) {
        load.waves += waves;
        if of.memory.need == KernelNeed::Memory && !front.wide {
            load.hold(units, true);
        }
        self.want(of, load);
    }

    /// Records that a front (workgroups that end together) of a launch has ended, or has stopped
    /// running.
    pub(super) fn went(
        &mut self,
        id: LaunchId,
        of: &SubmittedKernel,
        load: &mut NeighbourLoad,
        front: &Front,
    ) {
        let process = usize::from(of.process);
        let Some(own) = self.running.get_mut(process) else { return };
        let class = &mut own[of.contention.class as usize];
        *class -= 1;
        self.changed |= *class == 0;
        self.fronts[process] -= 1;
        self.present -= u32::from(self.fronts[process] == 0);
        load.fronts -= 1;
        if load.fronts == 0 {
            self.busy.remove(&id);
        }
        load.waves -= front.waves_of(of);
        load.wide -= u32::from(front.wide);
        if of.memory.need == KernelNeed::Memory && !front.wide {
            load.hold(&front.units, false);
        }
        self.want(of, load);
    }

    /// Sets the memory bandwidth and the pipes (execution pipelines) that a launch wants, by its
    /// running workgroups.
    fn want(&mut self, of: &SubmittedKernel, load: &mut NeighbourLoad) {
        let wants = load.wants(&of.memory, of.demand.waves, self.unit);
        self.charge(of.process, load.wants, wants);
        load.wants = wants;
    }

    fn charge(&mut self, process: u16, before: Wants, now: Wants) {
        if before == now {
            return;
        }
        if let Some(own) = self.wanted.get_mut(usize::from(process)) {
            *own = own.changed(before, now);
            self.all = self.all.changed(before, now);
            self.changed = true;
        }
    }

    /// Records that a copy of a process, which moves `rate` bytes in a microsecond, begins or, with
    /// `begins` false, ends.
    pub(super) fn copies(&mut self, process: u16, rate: u64, begins: bool) {
        let (none, some) = (Wants::default(), Wants { bytes: rate, pipes: 0 });
        let (before, now) = if begins { (none, some) } else { (some, none) };
        if rate == 0 || !self.are_charged() {
            return;
        }
        self.copying = if begins { self.copying + 1 } else { self.copying.saturating_sub(1) };
        self.charge(process, before, now);
    }

    /// Returns the pace (time over time alone) of workgroups of a launch that begin. For the first
    /// workgroups of the launch it is computed here; later ones get the same pace, until paces are
    /// computed anew at the end of a decision.
    pub(super) fn begin(&mut self, of: &SubmittedKernel, load: &mut NeighbourLoad) -> MemoryPace {
        if load.fronts == 0 {
            load.pace = self.pace(of, load);
            self.paced |= load.pace != MemoryPace::ALONE;
        }
        load.pace
    }

    /// Returns the pace of a launch: how long its work lasts beside its present neighbours over how
    /// long it would last alone.
    pub(super) fn pace(&self, of: &SubmittedKernel, load: &NeighbourLoad) -> MemoryPace {
        if !self.are_charged() {
            return MemoryPace::ALONE;
        }
        let permille = self.permille(of);
        if permille != ALONE {
            return MemoryPace::of_permille(permille);
        }
        let own = self.wanted.get(usize::from(of.process)).copied().unwrap_or_default();
        // The cost of neighbours of the own process is in its recording.
        let others = self.all.changed(own, Wants::default());
        let crowded = |own: u64, others: u64, room: u64| {
            let takes = others.saturating_add(own);
            let pace = MemoryPace { takes, instead_of: room.max(own) };
            if others > 0 && takes > room { pace } else { MemoryPace::ALONE }
        };
        let reached = self.reached.max(1);
        match of.memory.need {
            KernelNeed::Memory => crowded(load.wants.bytes, others.bytes, reached),
            KernelNeed::Compute => crowded(load.wants.pipes, others.pipes, ALL_PIPES),
            // A small launch waits for memory that is loaded, up to twice as long.
            KernelNeed::Latency if others.bytes > 0 => {
                MemoryPace { takes: reached + others.bytes.min(reached), instead_of: reached }
            }
            KernelNeed::Latency | KernelNeed::Unknown => MemoryPace::ALONE,
        }
    }

    /// Returns the time of a launch beside its present neighbours, by the slowdown factors learnt
    /// from recordings, in thousandths of its time alone.
    fn permille(&self, of: &SubmittedKernel) -> u32 {
        let permille = of.contention.permille;
        if permille == [ALONE; 4] {
            return ALONE;
        }
        let others = (0..).zip(&self.running).filter(|(other, _)| *other != of.process);
        let beside = others.flat_map(|(_, running)| running.iter().zip(permille));
        let costs = beside.filter(|(running, _)| **running > 0).map(|(_, permille)| permille);
        costs.max().unwrap_or(ALONE).max(1)
    }
}

impl Machine {
    /// Computes the paces (time over time alone) of all running launches anew, and the ends of
    /// their workgroups, if their neighbours have changed.
    pub(crate) fn retime(&mut self, now: Tick, queue: &mut Queue) {
        if !std::mem::take(&mut self.neighbours.changed) {
            return;
        }
        let crowded = self.neighbours.present > 1 || self.neighbours.copying > 0;
        if !crowded && !self.neighbours.paced {
            return;
        }
        let mut paced = false;
        for id in &self.neighbours.busy {
            let Some(live) = self.live.get_mut(*id) else { continue };
            let pace = self.neighbours.pace(&live.what, &live.load);
            let before = std::mem::replace(&mut live.load.pace, pace);
            paced |= pace != MemoryPace::ALONE;
            if before == pace || live.state.is_stopped() {
                continue;
            }
            for &slot in &live.fronts {
                let front = &mut self.fronts[slot as usize];
                if front.gathers || front.ends <= now {
                    continue;
                }
                front.left = front.left.after(now.since(front.since), before);
                front.since = front.since.max(now);
                // The end of a collective is that of its peers.
                if front.endless || front.ends == live.what.until {
                    continue;
                }
                front.ends = (front.since + front.left.lasts(pace)).max(live.what.until);
                // An end that is put off is set anew when the old one is due: most are put off and
                // brought forward several times before.
                if front.ends < front.due {
                    front.generation = front.generation.wrapping_add(1);
                    front.due = front.ends;
                    queue.push(front.ends, Due::Front(slot, front.generation));
                }
            }
        }
        self.neighbours.paced = paced;
    }

    /// Returns whether an event has no effect: it is the end of workgroups, and that end has moved
    /// since, to a later or earlier tick. An end that moved later is put into the event queue
    /// again.
    ///
    /// The dispatcher is not asked for a decision at such events, which are more than half of all.
    pub(crate) fn is_put_off(&mut self, due: Due, now: Tick, queue: &mut Queue) -> bool {
        let Due::Front(slot, generation) = due else { return false };
        if !self.neighbours.are_charged() {
            return false;
        }
        let Some(front) = self.fronts.get_mut(slot as usize) else { return true };
        if front.generation != generation {
            return true;
        }
        let later = front.ends > now;
        if later {
            front.due = front.ends;
            queue.push(front.ends, due);
        }
        later
    }

    /// Records that a copy of a process, which moves `rate` bytes in a microsecond, begins or, with
    /// `begins` false, ends.
    pub(crate) fn copies(&mut self, process: u16, rate: u64, begins: bool) {
        self.neighbours.copies(process, rate, begins);
    }
}
