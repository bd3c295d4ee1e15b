//! Which decision do the controllers of seed 003 make next, on the compute units of a device?
//!
//! The controllers of the compute units decide first, the lowest unit first (steps L1 to L3); then
//! the global controller makes one decision (G1 to G6). Every unit and every launch is looked at
//! each time. A smaller level is more urgent. Questions that the seed leaves open are answered as
//! in `docs/policies/block-warp.md`.

use std::collections::BTreeSet;

use raddle_policy::{CuShape, Fact, Launch, LaunchId, Piece, Place, WaveSpan};
use serde_json::Value;

use super::baselines::next_of;
use super::desk::Entry;
use super::placing::{Aspect, PlacingTwin, Starts, View, Wanted};
use super::unit::{Part, Unit, Units};

/// A block (workgroup) that runs on a compute unit, or is assigned to it and waits to start.
#[derive(Clone, Copy, Debug)]
struct Block {
    launch: LaunchId,
    level: u8,
    workgroup: u64,
    cu: u16,
    /// Number of waves of the block; the fields `started` and `ended` count those that have started
    /// and those that have ended.
    waves: u16,
    started: u16,
    ended: u16,
    /// True while the block is off the device, saved by a preemption, and has not come back.
    saved: bool,
}

/// Naive model of the policy `block-warp`. The policy's answers in a log are compared with those of
/// the model.
#[derive(Debug)]
pub(super) struct BlockWarp {
    strict: bool,
    most_free: bool,
    fall_through: bool,
    backfill: bool,
    whole_for_barriers: bool,
    units: Units,
    /// Blocks (workgroups) on the compute units, in the order in which they were assigned to them.
    blocks: Vec<Block>,
    /// Whole blocks (workgroups) that the last decision gave to a compute unit and that have not
    /// started, as (launch, compute unit, next block, number of blocks left); `None` where none are
    /// left.
    granted: Option<(LaunchId, u16, u64, u64)>,
}

impl BlockWarp {
    pub(super) fn new(settings: &Value, shape: &CuShape, count: u16) -> Self {
        let on = |key: &str, default: bool| settings[key].as_bool().unwrap_or(default);
        Self {
            strict: on("strict", false),
            most_free: settings["choose"] == "most-free",
            fall_through: on("fall-through", false),
            backfill: on("backfill", true),
            whole_for_barriers: on("whole-blocks-for-barriers", true),
            units: Units::new(&Unit::empty(shape), count),
            blocks: Vec::new(),
            granted: None,
        }
    }

    /// Returns whether the waves of a block (workgroup) of a launch must all start together,
    /// because they may meet at a barrier.
    fn whole_only(&self, launch: &Launch) -> bool {
        self.whole_for_barriers && launch.barrier.possible()
    }

    /// Returns the answer that starts waves on the compute unit `cu`. They belong to the most
    /// urgent block (workgroup) that waits there and can start some; `None` where no waves can
    /// start.
    fn serve(&self, cu: u16, view: &View<'_>) -> Option<Wanted> {
        let entry = |block: &Block| view.entries.iter().find(|it| it.launch.id == block.launch);
        // By priority, then in the order of distribution (C7).
        let mut waiting: Vec<&Block> = self.waiting().filter(|block| block.cu == cu).collect();
        waiting.sort_by_key(|block| block.level);
        if !self.backfill {
            waiting.truncate(1);
        }
        let unit = self.units.get(cu)?;
        waiting.into_iter().find_map(|block| {
            // A block of a launch that is held or on its way back has no entry, and starts nothing.
            let launch = &entry(block).filter(|_| !view.closed.contains(&cu))?.launch;
            let demand = &launch.demand;
            let waves = if self.whole_only(launch) {
                (unit.room(demand) > 0).then_some(WaveSpan::All)?
            } else {
                let share = block.started > 0 || unit.has_share(demand);
                let left = u64::from(block.waves - block.started);
                let count = unit.waves(demand).min(left) as u16;
                let some = WaveSpan::Range { first: block.started, count };
                (share && count > 0).then_some(some)?
            };
            let part = Part { workgroup: block.workgroup, waves, cu };
            Some(Wanted::Start(vec![Starts { launch: block.launch, part }]))
        })
    }

    /// Iterates over the blocks (workgroups) with waves that have not started.
    fn waiting(&self) -> impl Iterator<Item = &Block> {
        self.blocks.iter().filter(|block| block.started < block.waves && !block.saved)
    }

    /// Returns the most urgent level of the blocks (workgroups) on a compute unit; `None` where it
    /// has no blocks.
    fn top(&self, cu: u16) -> Option<u8> {
        let here = self.blocks.iter().filter(|block| block.cu == cu && !block.saved);
        here.map(|block| block.level).min()
    }

    /// Decides which compute unit gets the next block (workgroup) of one launch, by steps G2 to G6
    /// of `docs/policies/block-warp.md`; `None` where no unit gets it.
    fn give(&mut self, entry: &Entry, view: &View<'_>) -> Option<Wanted> {
        let (launch, demand) = (&entry.launch, &entry.launch.demand);
        // G3: a unit that takes whole blocks.
        let rooms = self.units.rooms(demand, view.closed);
        if let Some(cu) = self.pick(rooms) {
            return Some(next_of(entry, cu));
        }
        let assign = |cu| Wanted::Assign(launch.id, entry.next, cu);
        // G5: a first unit, which can start one wave.
        let open = || self.units.each().filter(|it| !view.closed.contains(&it.0));
        let more = |unit: &Unit| {
            let (slots, vgpr) =
                unit.simds.iter().fold((0, 0), |sum, it| (sum.0 + it.0, sum.1 + it.1));
            slots > 1 && vgpr > u64::from(demand.vgpr) && unit.lds > u64::from(demand.lds)
        };
        let waves = |unit: &Unit| match unit.has_share(demand) && (!self.strict || more(unit)) {
            true => unit.waves(demand),
            false => 0,
        };
        let first = open().map(|(cu, unit)| (cu, waves(unit))).filter(|it| it.1 > 0).collect();
        if let Some(cu) = self.pick(first).filter(|_| !self.whole_only(launch)) {
            return Some(assign(cu));
        }
        // G6: a second unit, all of whose work is less urgent.
        let low = |cu: u16| self.top(cu).map_or(u64::from(u8::MAX) + 1, u64::from);
        let second = (0..self.units.count() as u16).map(|cu| (cu, low(cu)));
        self.pick(second.filter(|it| it.1 > launch.level.0.into()).collect()).map(assign)
    }

    /// Picks one of the compute units in `of`, a list of (compute unit, value): the first one or,
    /// by the policy's setting, the one with the largest value, of equal ones the first. The value
    /// is a unit's room or level. `None` for an empty list.
    fn pick(&self, of: Vec<(u16, u64)>) -> Option<u16> {
        let better = |best: (u16, u64), it: (u16, u64)| {
            if self.most_free && it.1 > best.1 { it } else { best }
        };
        of.into_iter().reduce(better).map(|best| best.0)
    }

    /// Removes the blocks (workgroups) of a launch from the compute units; if `saved`, the blocks
    /// that have started are kept, so that they can come back.
    fn lift(&mut self, launch: LaunchId, saved: bool) {
        self.units.lift(launch, saved);
        self.blocks.retain(|block| block.launch != launch || (saved && block.started > 0));
        for block in self.blocks.iter_mut().filter(|block| block.launch == launch) {
            block.saved = true;
        }
    }

    fn ended(&mut self, launch: &Launch, waves: WaveSpan, piece: &Piece) {
        self.units.end(launch.id, waves, piece);
        let (_, count) = waves.bounds(launch.demand.waves);
        let named: BTreeSet<u64> = piece.workgroups().collect();
        let of = |it: &&mut Block| it.launch == launch.id && named.contains(&it.workgroup);
        for block in self.blocks.iter_mut().filter(of) {
            block.ended = block.ended.saturating_add(count);
        }
        let over = |it: &Block| it.launch == launch.id && it.ended >= launch.demand.waves;
        self.blocks.retain(|block| !over(block));
    }
}

impl PlacingTwin for BlockWarp {
    fn ask(&mut self, view: &View<'_>) -> Wanted {
        let units: BTreeSet<u16> = self.waiting().map(|block| block.cu).collect();
        if let Some(wanted) = units.into_iter().find_map(|cu| self.serve(cu, view)) {
            return wanted;
        }
        if let Some((launch, cu, next, _)) = self.granted {
            let entry = view.entries.iter().find(|it| it.launch.id == launch && it.next == next);
            let room = |entry: &Entry| {
                self.units.get(cu).map_or(0, |unit| unit.room(&entry.launch.demand))
            };
            let fits = |entry: &&Entry| room(entry) > 0;
            if let Some(entry) = entry.filter(|entry| entry.next < entry.end).filter(fits) {
                return next_of(entry, cu);
            }
        }
        // G1: the most urgent launch, ties to the first submitted.
        let mut targets: Vec<&Entry> = view.entries.iter().filter(|it| it.next < it.end).collect();
        targets.sort_by_key(|entry| entry.launch.level.0);
        if !self.fall_through {
            targets.truncate(1);
        }
        let found = targets.into_iter().find_map(|entry| self.give(entry, view));
        if let Some(Wanted::Start(starts)) = &found
            && let Some(Starts { launch, part }) = starts.first()
            && let Some(entry) = view.entries.iter().find(|it| it.launch.id == *launch)
        {
            let n1 = self.units.get(part.cu).map_or(0, |unit| unit.room(&entry.launch.demand));
            let count = n1.min(entry.end - entry.next);
            self.granted = Some((*launch, part.cu, entry.next, count));
        }
        found.unwrap_or(Wanted::Wait(None))
    }

    fn start(&mut self, launch: &Launch, part: Part, _: &[Place], _: u64) -> Vec<Place> {
        self.units.start(launch.id, &launch.demand, part);
        let (first, count) = part.waves.bounds(launch.demand.waves);
        let is_it = |it: &&mut Block| (it.launch, it.workgroup) == (launch.id, part.workgroup);
        let started = first.saturating_add(count);
        match self.blocks.iter_mut().find(is_it) {
            Some(block) => block.started = started,
            None => self.blocks.push(Block {
                launch: launch.id,
                level: launch.level.0,
                workgroup: part.workgroup,
                cu: part.cu,
                waves: launch.demand.waves,
                started,
                ended: 0,
                saved: false,
            }),
        }
        self.granted = self
            .granted
            .filter(|it| it.3 > 1 && (it.0, it.1, it.2) == (launch.id, part.cu, part.workgroup));
        self.granted = self
            .granted
            .map(|(launch, cu, next, left)| (launch, cu, next.saturating_add(1), left - 1));
        Vec::new()
    }

    fn hear(&mut self, fact: &Fact<'_>, _: u64) {
        match *fact {
            Fact::Assigned { launch, workgroup, cu } => self.blocks.push(Block {
                launch: launch.id,
                level: launch.level.0,
                workgroup,
                cu: cu.0,
                waves: launch.demand.waves,
                started: 0,
                ended: 0,
                saved: false,
            }),
            Fact::Ended { launch, waves, pieces } => {
                pieces.iter().for_each(|piece| self.ended(launch, waves, piece));
            }
            Fact::LaunchEnded { launch } => self.blocks.retain(|block| block.launch != launch),
            Fact::TakenOff { launch, how } if how.frees_places() => {
                self.lift(launch.id, how.saves())
            }
            Fact::Returning { launch } => {
                self.units.lower(launch.id);
                for block in self.blocks.iter_mut().filter(|block| block.launch == launch.id) {
                    block.saved = false;
                }
            }
            _ => {}
        }
    }

    fn units(&self, launch: LaunchId) -> Vec<u16> {
        self.units.of(launch)
    }

    fn reads_the_view(&self) -> bool {
        false
    }

    fn rule(&self, aspect: Aspect) -> &'static str {
        match aspect {
            Aspect::Which => "seed 003, G1, L1 to L3",
            Aspect::Unit => "seed 003, G2 to G6",
            Aspect::Address | Aspect::Whether | Aspect::When => "seed 003, G1 to G6, L1 to L3",
        }
    }
}
