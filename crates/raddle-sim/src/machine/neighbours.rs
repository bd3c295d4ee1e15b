//! Who runs beside whom, and by how much longer does that make everything last?

use raddle_policy::{Tick, Ticks};

use super::Machine;
use crate::contention::{ALONE, Contention, NeighbourClass};
use crate::queue::{Due, Queue};

/// The fronts that run, by process and class, where contention is charged.
#[derive(Debug, Default)]
pub(super) struct Neighbours {
    /// By process, how many fronts of each class run; empty where nothing is charged.
    running: Vec<[u32; 4]>,
    /// True if a class of some process began or ceased to run since ends were last set.
    changed: bool,
}

impl Neighbours {
    /// Returns the neighbours of `processes` processes, of which nothing runs.
    pub(super) fn of(processes: usize) -> Self {
        Self { running: vec![[0; 4]; processes], changed: false }
    }

    /// Notes that a front of a process begins to run.
    pub(super) fn came(&mut self, process: u16, class: NeighbourClass) {
        if let Some(own) = self.running.get_mut(usize::from(process)) {
            own[class as usize] += 1;
            self.changed |= own[class as usize] == 1;
        }
    }

    /// Notes that a front of a process has ended, or stands still.
    pub(super) fn went(&mut self, process: u16, class: NeighbourClass) {
        if let Some(own) = self.running.get_mut(usize::from(process)) {
            own[class as usize] -= 1;
            self.changed |= own[class as usize] == 0;
        }
    }

    /// Returns how long work of a process lasts beside its present neighbours, in thousandths of
    /// its time alone.
    pub(super) fn permille(&self, process: u16, contention: &Contention) -> u32 {
        let others = (0..).zip(&self.running).filter(|(other, _)| *other != process);
        let beside = others.flat_map(|(_, running)| running.iter().zip(contention.permille));
        let costs = beside.filter(|(running, _)| **running > 0).map(|(_, permille)| permille);
        costs.max().unwrap_or(ALONE).max(1)
    }
}

/// Scales a time from one factor to another, rounded to the nearest, never to 0.
pub(super) fn scaled(time: Ticks, from: u32, to: u32) -> Ticks {
    let (from, to) = (u128::from(from.max(1)), u128::from(to));
    let ns = (u128::from(time.0) * to + from / 2) / from;
    Ticks(u64::try_from(ns).unwrap_or(u64::MAX).max(time.0.min(1)))
}

impl Machine {
    /// Sets the ends of all running fronts anew, where their neighbours have changed.
    pub(crate) fn retime(&mut self, now: Tick, queue: &mut Queue) {
        if !std::mem::take(&mut self.neighbours.changed) {
            return;
        }
        for live in self.live.values().filter(|live| !live.state.is_stopped()) {
            let permille = self.neighbours.permille(live.what.process, &live.what.contention);
            for &slot in &live.fronts {
                let front = &mut self.fronts[slot as usize];
                // The end of a collective is that of its peers.
                let peers = front.endless || front.ends == live.what.until;
                if front.gathers || peers || front.permille == permille || front.ends <= now {
                    continue;
                }
                let left = scaled(Ticks(front.ends.since(now).0), front.permille, permille);
                front.permille = permille;
                front.generation = front.generation.wrapping_add(1);
                front.ends = (now + left).max(live.what.until);
                queue.push(front.ends, Due::Front(slot, front.generation));
            }
        }
    }
}
