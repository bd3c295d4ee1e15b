//! Who runs beside whom, and by how much longer does that make everything last?
//!
//! Two sources say it, one or the other: factors that recordings taught
//! ([`Contention`](crate::Contention)), and the demand of launches for the memory's bandwidth
//! ([`ProcessDemand`](crate::ProcessDemand)). Counters are kept where workgroups come and go;
//! nothing is scanned at a decision but the launches that have some on the device.

use std::collections::BTreeSet;

use raddle_policy::{LaunchId, Piece, Tick};
use raddle_trace::KernelNeed;

use super::pace::Pace;
use super::{Front, Machine, SubmittedKernel};
use crate::contention::ALONE;
use crate::demand::TaskDemand;
use crate::queue::{Due, Queue};
use crate::workload::Workload;

/// The launches that run, by process, where neighbours cost something.
#[derive(Debug, Default)]
pub(super) struct Neighbours {
    /// By process, how many fronts of each class run; empty where nothing is charged.
    running: Vec<[u32; 4]>,
    /// By process, the bytes that its running launches want to move in a microsecond.
    wanted: Vec<u64>,
    /// The sum of `wanted`.
    all: u64,
    /// The bytes that all units together move in a microsecond.
    reached: u64,
    /// The bytes that one unit moves in a microsecond.
    unit: u64,
    /// Launches of which fronts run.
    busy: BTreeSet<LaunchId>,
    /// By process, how many fronts run, and how many processes have some.
    fronts: Vec<u32>,
    present: u32,
    /// How many copies load the memory.
    copying: u32,
    /// True if a launch may have another pace than alone.
    paced: bool,
    /// True if a class of some process began or ceased to run, or a demand changed, since ends were
    /// last set.
    changed: bool,
}

/// The part of a launch that runs.
#[derive(Debug, Default)]
pub(super) struct Load {
    /// How many fronts run, and how many waves.
    fronts: u32,
    waves: u64,
    /// How many fronts lie on so many units that these move all that the launch wants.
    wide: u32,
    /// By unit, how many workgroups of other fronts, or parts of some, it holds; kept for launches
    /// that need memory.
    holders: Vec<u32>,
    /// How many units hold some of them.
    held: u64,
    /// The bytes that the launch wants to move in a microsecond.
    wanted: u64,
    /// The present pace of all fronts that run.
    pub(super) pace: Pace,
}

impl Load {
    /// Notes that pieces came to units or went from them.
    fn hold(&mut self, pieces: &[Piece], came: bool) {
        for piece in pieces {
            let unit = piece.cu.index();
            if unit >= self.holders.len() {
                self.holders.resize(unit + 1, 0);
            }
            let held = &mut self.holders[unit];
            if came {
                self.held += u64::from(*held == 0);
                *held += piece.count;
            } else {
                *held -= piece.count;
                self.held -= u64::from(*held == 0);
            }
        }
    }

    /// Returns what the launch wants by what of it runs.
    fn wants(&self, of: &TaskDemand, waves: u16, unit: u64) -> u64 {
        match of.need {
            KernelNeed::Memory if self.wide > 0 => of.rate,
            // Units that hold none of its workgroups move nothing for it.
            KernelNeed::Memory => of.rate.min(unit.saturating_mul(self.held)),
            KernelNeed::Compute => {
                let full = of.full.saturating_mul(waves.max(1).into()).max(1);
                let wanted =
                    u128::from(of.rate) * u128::from(self.waves.min(full)) / u128::from(full);
                // At most the rate, as the waves are at most all of them.
                u64::try_from(wanted).unwrap_or(of.rate)
            }
            KernelNeed::Latency | KernelNeed::Unknown => 0,
        }
    }
}

impl Neighbours {
    /// Returns the neighbours of a workload, of which nothing runs; they cost nothing where no
    /// process is charged, or there is only one.
    pub(super) fn of(workload: &Workload) -> Self {
        let processes = &workload.processes;
        let learnt = processes.iter().flat_map(|plan| &plan.contention);
        let learnt = learnt.flat_map(|of| of.permille).any(|permille| permille != ALONE);
        let demand = processes.iter().filter_map(|plan| plan.demand.as_ref());
        let shared = demand.filter(|demand| !demand.apart).map(|demand| demand.memory);
        let memory = shared.max_by_key(|memory| memory.reached);
        if !learnt && (memory.is_none() || processes.len() < 2) {
            return Self::default();
        }
        let memory = memory.unwrap_or_default();
        Self {
            running: vec![[0; 4]; processes.len()],
            wanted: vec![0; processes.len()],
            fronts: vec![0; processes.len()],
            reached: memory.reached,
            unit: memory.unit,
            ..Self::default()
        }
    }

    /// Returns whether neighbours cost something.
    pub(super) const fn are_charged(&self) -> bool {
        !self.running.is_empty()
    }

    /// Notes that a front begins to run.
    pub(super) fn came(
        &mut self,
        id: LaunchId,
        of: &SubmittedKernel,
        load: &mut Load,
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
        front.wide = self.is_wide(of, &front.pieces);
        load.wide += u32::from(front.wide);
        self.more(of, load, front, front.waves_of(of), &front.pieces);
    }

    /// Returns whether workgroups lie on enough units for all that their launch wants to be moved,
    /// which spares counting them unit by unit.
    fn is_wide(&self, of: &SubmittedKernel, pieces: &[Piece]) -> bool {
        let enough = of.memory.rate.div_ceil(self.unit.max(1)).max(1);
        let many = of.memory.need == KernelNeed::Memory && pieces.len() as u64 >= enough;
        // Pieces in the order of their units are of different ones.
        many && pieces.is_sorted_by(|a, b| a.cu < b.cu)
    }

    /// Notes that a front which runs has got more workgroups.
    pub(super) fn grew(
        &mut self,
        of: &SubmittedKernel,
        load: &mut Load,
        front: &Front,
        (waves, pieces): (u64, &[Piece]),
    ) {
        if self.are_charged() {
            self.more(of, load, front, waves, pieces);
        }
    }

    fn more(
        &mut self,
        of: &SubmittedKernel,
        load: &mut Load,
        front: &Front,
        waves: u64,
        pieces: &[Piece],
    ) {
        load.waves += waves;
        if of.memory.need == KernelNeed::Memory && !front.wide {
            load.hold(pieces, true);
        }
        self.want(of, load);
    }

    /// Notes that a front has ended, or stands still.
    pub(super) fn went(
        &mut self,
        id: LaunchId,
        of: &SubmittedKernel,
        load: &mut Load,
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
            load.hold(&front.pieces, false);
        }
        self.want(of, load);
    }

    /// Sets what a launch wants by what of it runs.
    fn want(&mut self, of: &SubmittedKernel, load: &mut Load) {
        let wanted = load.wants(&of.memory, of.demand.waves, self.unit);
        self.charge(of.process, load.wanted, wanted);
        load.wanted = wanted;
    }

    fn charge(&mut self, process: u16, before: u64, now: u64) {
        if before == now {
            return;
        }
        if let Some(own) = self.wanted.get_mut(usize::from(process)) {
            *own = *own - before + now;
            self.all = self.all - before + now;
            self.changed = true;
        }
    }

    /// Notes that a copy begins or ends, which moves so many bytes in a microsecond.
    pub(super) fn copies(&mut self, process: u16, rate: u64, begins: bool) {
        let (before, now) = if begins { (0, rate) } else { (rate, 0) };
        if rate == 0 || !self.are_charged() {
            return;
        }
        self.copying = if begins { self.copying + 1 } else { self.copying.saturating_sub(1) };
        self.charge(process, before, now);
    }

    /// Returns the pace of a front that begins: that of those of its launch that run, as a decision
    /// sets it anew for all of them at its end.
    pub(super) fn begin(&mut self, of: &SubmittedKernel, load: &mut Load) -> Pace {
        if load.fronts == 0 {
            load.pace = self.pace(of, load);
            self.paced |= load.pace != Pace::ALONE;
        }
        load.pace
    }

    /// Returns the pace of a launch beside its present neighbours.
    pub(super) fn pace(&self, of: &SubmittedKernel, load: &Load) -> Pace {
        if !self.are_charged() {
            return Pace::ALONE;
        }
        let permille = self.permille(of);
        if permille != ALONE {
            return Pace::of_permille(permille);
        }
        let own = self.wanted.get(usize::from(of.process)).copied().unwrap_or(0);
        // The cost of neighbours of the own process is in its recording.
        let others = self.all - own;
        if others == 0 {
            return Pace::ALONE;
        }
        let reached = self.reached.max(1);
        match of.memory.need {
            KernelNeed::Memory if others.saturating_add(load.wanted) > reached => {
                let takes = others.saturating_add(load.wanted);
                Pace { takes, instead_of: reached.max(load.wanted) }
            }
            // A small launch waits for memory that is loaded, up to twice as long.
            KernelNeed::Latency => {
                Pace { takes: reached + others.min(reached), instead_of: reached }
            }
            _ => Pace::ALONE,
        }
    }

    /// Returns how long work of a process lasts beside its present neighbours by what recordings
    /// taught, in thousandths of its time alone.
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
    /// Sets the paces of all launches that run anew, and the ends of their fronts, where their
    /// neighbours have changed.
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
            paced |= pace != Pace::ALONE;
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

    /// Returns whether an event is the end of a front that was put off or brought forward, so that
    /// nothing happens now. An end that was put off is due again later.
    ///
    /// Without this the dispatcher would be asked at each of those ticks too, more than twice as
    /// often.
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

    /// Notes that a copy of a process begins or ends.
    pub(crate) fn copies(&mut self, process: u16, rate: u64, begins: bool) {
        self.neighbours.copies(process, rate, begins);
    }
}
