//! On which compute unit does the policy `spatial` place the next workgroup?
//!
//! The rules are those of `docs/policies/baselines.md`: the device is cut into blocks of
//! neighbouring compute units, one for each process in their order, in proportion to their shares
//! (largest remainder, ties to the lowest process). Within its block a process is served by the
//! rule of `leftover`. With `lend`, the units of processes that have nothing to start serve other
//! processes, the lowest first, up to their limits.

use std::collections::{BTreeMap, BTreeSet};

use raddle_policy::{CuShape, Fact, Launch, LaunchId, Place, ProcessId};
use serde_json::Value;

use super::baselines::{MostRoom, hear, most, next_of};
use super::desk::Entry;
use super::placing::{Aspect, PlacingTwin, View, Wanted};
use super::unit::{Part, Unit, Units};

/// Naive model of the policy `spatial`. The policy's answers in a log are compared with those of
/// the model.
#[derive(Debug)]
pub(super) struct Spatial {
    units: Units,
    shares: Vec<u64>,
    of: u64,
    lend: bool,
    limits: Vec<u64>,
    /// Share of each process that has joined: the compute units are divided in proportion to these
    /// numbers.
    processes: BTreeMap<ProcessId, u64>,
}

impl Spatial {
    pub(super) fn new(settings: &Value, shape: &CuShape, count: u16) -> Self {
        let list = |key: &str| -> Vec<u64> {
            settings[key].as_array().into_iter().flatten().filter_map(Value::as_u64).collect()
        };
        Self {
            units: Units::new(&Unit::empty(shape), count),
            shares: list("shares"),
            of: settings["of"].as_u64().unwrap_or(0),
            lend: settings["lend"] == true,
            limits: list("limits"),
            processes: BTreeMap::new(),
        }
    }

    fn given(&self) -> u64 {
        self.processes.values().copied().fold(0, u64::saturating_add)
    }

    fn all(&self) -> u64 {
        self.given().max(self.of).max(1)
    }

    /// Divides the compute units of the device: each process gets a range of neighbouring units,
    /// its block.
    fn blocks(&self) -> BTreeMap<ProcessId, std::ops::Range<u64>> {
        let (units, all) = (self.units.count() as u64, self.all());
        let given = self.given();
        let mut sizes: BTreeMap<ProcessId, u64> = self
            .processes
            .iter()
            .map(|(&id, &share)| (id, share.saturating_mul(units) / all))
            .collect();
        let whole: u64 = sizes.values().sum();
        let mut left = (given.saturating_mul(units) / all).saturating_sub(whole);
        let mut by_remainder: Vec<(u64, ProcessId)> = self
            .processes
            .iter()
            .map(|(&id, &share)| (share.saturating_mul(units) % all, id))
            .collect();
        by_remainder.sort_by_key(|&(remainder, id)| (std::cmp::Reverse(remainder), id));
        for (_, id) in by_remainder {
            if left > 0 {
                left -= 1;
                sizes.entry(id).and_modify(|size| *size += 1);
            }
        }
        let mut begin = 0;
        let block = |(id, size)| {
            let block = begin..begin + size;
            begin = block.end;
            (id, block)
        };
        sizes.into_iter().map(block).collect()
    }

    /// Lists the compute units that a process may borrow: those of processes that are not in `busy`
    /// (those with work to start), and those that belong to no process.
    fn lent(&self, id: ProcessId, busy: &BTreeSet<ProcessId>) -> BTreeSet<u16> {
        let (blocks, units) = (self.blocks(), self.units.count() as u64);
        let limit = self.limits.get(id.index()).copied().filter(|&limit| limit > 0);
        let most = limit.map_or(units, |limit| limit.saturating_mul(units) / self.all());
        let own = blocks.get(&id).map_or(0, |own| own.end - own.start);
        let last = blocks.values().map(|block| block.end).max().unwrap_or(0);
        let idle = blocks.iter().filter(|(id, _)| !busy.contains(id));
        let idle = idle.flat_map(|(_, block)| block.clone()).chain(last..units);
        idle.take(most.saturating_sub(own) as usize).map(|cu| cu as u16).collect()
    }
}

impl PlacingTwin for Spatial {
    fn ask(&mut self, view: &View<'_>) -> Wanted {
        let waiting: Vec<&Entry> = view.entries.iter().filter(|it| it.next < it.end).collect();
        for entry in &waiting {
            // A process that nobody saw join has a share of 1, or the one that is set.
            let id = entry.launch.process;
            let share = self.shares.get(id.index()).copied().unwrap_or(1).max(1);
            self.processes.entry(id).or_insert(share);
        }
        let busy: BTreeSet<ProcessId> = waiting.iter().map(|it| it.launch.process).collect();
        let blocks = self.blocks();
        let mut refused = BTreeSet::new();
        for entry in waiting {
            let id = entry.launch.process;
            // Of one process the next launch comes when the one before is placed whole.
            if !refused.insert(id) {
                continue;
            }
            let rooms = self.units.rooms(&entry.launch.demand, view.closed);
            let own = |cu: u16| blocks.get(&id).is_some_and(|own| own.contains(&cu.into()));
            let here = rooms.iter().copied().filter(|room| own(room.0));
            let lent = if self.lend { self.lent(id, &busy) } else { BTreeSet::new() };
            let there = || most(rooms.iter().copied().filter(|it| lent.contains(&it.0)));
            if let Some(cu) = most(here).or_else(there) {
                return next_of(entry, cu);
            }
        }
        Wanted::Wait(None)
    }

    fn start_many(&mut self, launch: &Launch, found: &[u16], view: &View<'_>) -> bool {
        let busy = view.entries.iter().filter(|it| it.next < it.end);
        let busy: BTreeSet<ProcessId> = busy.map(|it| it.launch.process).collect();
        let blocks = self.blocks();
        let own = blocks.get(&launch.process).cloned().unwrap_or_default();
        let lent = if self.lend { self.lent(launch.process, &busy) } else { BTreeSet::new() };
        let mut here = MostRoom::default();
        let pick = |rooms: &[u64]| {
            let own = own.start as usize..own.end as usize;
            let there = || {
                let lent = lent.iter().map(|&cu| usize::from(cu));
                most(lent.map(|cu| (cu, rooms[cu])).filter(|it| it.1 > 0))
            };
            here.pick(rooms, own).or_else(there)
        };
        let filling = self.units.filling(&launch.demand, view.closed, found.len() as u64, pick);
        let Some(filling) = filling.filter(|filling| filling.order == found) else { return false };
        self.units.fill(launch.id, &launch.demand, filling);
        true
    }

    fn start(&mut self, launch: &Launch, part: Part, _: &[Place], _: u64) -> Vec<Place> {
        self.units.start(launch.id, &launch.demand, part);
        Vec::new()
    }

    fn hear(&mut self, fact: &Fact<'_>, _: u64) {
        match *fact {
            Fact::ProcessJoined { process, share } => {
                let set = self.shares.get(process.index()).copied();
                self.processes.insert(process, set.unwrap_or(share.into()).max(1));
            }
            Fact::ProcessLeft { process } => drop(self.processes.remove(&process)),
            _ => hear(&mut self.units, fact),
        }
    }

    fn units(&self, launch: LaunchId) -> Vec<u16> {
        self.units.of(launch)
    }

    fn reads_the_view(&self) -> bool {
        true
    }

    fn rule(&self, _: Aspect) -> &'static str {
        "baselines.md: the process's own compute units, then those that are lent"
    }
}
