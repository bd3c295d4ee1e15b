//! Which workgroups lie on each compute unit, and which of them wait there for waves to start?
//!
//! The tables follow from reported facts alone: which work started, was assigned, ended, was taken
//! off and came back.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use raddle_policy::{CuId, CuSet, Cus, Launch, LaunchId, Piece, WaveSpan};

use super::room::{key, priority};
use crate::blocks::{Blocks, Waiting};
use crate::index::{DemandSlot, Index};
use crate::search::SmWish;

/// Workgroup on a compute unit that did not start with all its waves at once: none or some of its
/// waves have started.
#[derive(Clone, Copy, Debug)]
pub(super) struct PartialBlock {
    pub(super) launch: LaunchId,
    pub(super) workgroup: u64,
    cu: CuId,
    serial: u64,
    pub(super) started: u16,
    ended: u16,
}

/// Workgroups of one launch on all compute units: how many started with all waves on each unit, and
/// the list of all others.
#[derive(Clone, Debug)]
struct Lying {
    priority: u64,
    waves: u16,
    /// For each compute unit, the number of the launch's workgroups that started there with all
    /// their waves.
    whole: Vec<u32>,
    /// Workgroups of which none or some waves have started: (number of the workgroup, slot in the
    /// list of all partial workgroups).
    partial: BTreeMap<u64, u32>,
    /// True while the launch is saved to memory by a preemption, so that its workgroups are off the
    /// compute units.
    saved: bool,
}

#[derive(Clone, Debug, Default)]
pub(super) struct BlockTables {
    units: Vec<Blocks>,
    index: Index,
    /// Compute units whose waiting workgroups have to be tried again, as work of the unit ended,
    /// came or was taken off.
    due: CuSet,
    launches: BTreeMap<LaunchId, Lying>,
    blocks: Vec<PartialBlock>,
    spare_blocks: Vec<u32>,
    /// Buffers of launches that have ended, kept so that new launches need not allocate memory.
    spare: Vec<Vec<u32>>,
    serials: u64,
}

impl BlockTables {
    /// Adapts the size of the tables to the number of compute units of the device.
    pub(super) fn fit(&mut self, cus: &Cus) {
        let count = cus.len();
        if self.units.len() != count {
            self.units.resize_with(count.max(self.units.len()), Blocks::default);
            self.index = Index::new(self.units.len());
            self.due.grow(self.units.len());
        }
    }

    pub(super) fn refresh(&mut self, cus: &Cus) {
        let units = &self.units;
        // Compute units are numbered by u16.
        self.index.refresh(|sm| key(cus, CuId(sm as u16), units[sm].top()));
    }

    /// Brings the index of compute units up to date for the demand of a launch, and returns the
    /// position at which the index keeps the demand.
    pub(super) fn demand(&mut self, wish: &SmWish) -> DemandSlot {
        self.index.demand(&wish.block, &wish.warp, DemandSlot::default())
    }

    pub(super) const fn index(&self) -> &Index {
        &self.index
    }

    pub(super) fn units(&self) -> &[Blocks] {
        &self.units
    }

    pub(super) fn block(&self, slot: u32) -> Option<&PartialBlock> {
        self.blocks.get(slot as usize)
    }

    /// Returns the lowest compute unit whose waiting workgroups have to be tried again; `None`
    /// where there is none.
    pub(super) fn due(&self) -> Option<CuId> {
        // Units are numbered by u16.
        self.due.first().map(|cu| CuId(cu as u16))
    }

    pub(super) fn served(&mut self, cu: CuId) {
        self.due.remove(cu.index());
    }

    /// Returns (slot in the list of partial workgroups, number of waves to start) of the first
    /// workgroup waiting on a compute unit of which at least one wave can start; `None` where no
    /// wave can start. Without `backfill` only the first waiting workgroup is tried. `can` returns
    /// how many waves of a workgroup can start.
    pub(super) fn next(
        &self,
        cu: CuId,
        backfill: bool,
        can: impl Fn(&PartialBlock) -> u32,
    ) -> Option<(u32, u64)> {
        let can = |slot: u32| self.blocks.get(slot as usize).map_or(0, |block| can(block).into());
        self.units.get(cu.index())?.next(backfill, can)
    }

    /// Records that resources of a compute unit changed. `ended` is true if work ended there, came
    /// there or was taken off, so that the waiting workgroups of the unit have to be tried again.
    fn touch(&mut self, cu: CuId, ended: bool) {
        self.index.touch(cu.index());
        let waits = self.units.get(cu.index()).is_some_and(Blocks::has_waiting);
        if ended && waits {
            self.due.insert(cu.index());
        }
    }

    pub(super) fn touch_all(&mut self) {
        // Compute units are numbered by u16.
        (0..self.units.len()).for_each(|sm| self.touch(CuId(sm as u16), true));
    }

    /// Returns the record of a launch's workgroups on compute units; adds an empty one where there
    /// is none.
    fn lying(&mut self, launch: &Launch) -> &mut Lying {
        let (spare, units) = (&mut self.spare, self.units.len());
        self.launches.entry(launch.id).or_insert_with(|| {
            let mut whole = spare.pop().unwrap_or_default();
            whole.resize(units, 0);
            Lying {
                priority: priority(launch),
                waves: launch.demand.waves,
                whole,
                partial: BTreeMap::new(),
                saved: false,
            }
        })
    }

    pub(super) fn started(&mut self, launch: &Launch, waves: WaveSpan, pieces: &[Piece]) {
        for piece in pieces {
            match waves {
                WaveSpan::All => self.started_whole(launch, *piece),
                WaveSpan::Range { first, count } => {
                    for workgroup in piece.workgroups() {
                        self.started_waves(launch, workgroup, piece.cu, first + count);
                    }
                }
                // This policy cuts no workgroups.
                WaveSpan::Cut { .. } => {}
            }
            self.touch(piece.cu, false);
        }
    }

    fn started_whole(&mut self, launch: &Launch, piece: Piece) {
        // Blocks that were assigned before have an entry in `partial`, and count on their unit
        // already.
        let last = piece.first.saturating_add(u64::from(piece.stride) * u64::from(piece.count - 1));
        let (mut from, mut fresh) = (piece.first, piece.count);
        let lying = self.lying(launch);
        if let Some(whole) = lying.whole.get_mut(piece.cu.index()) {
            *whole += piece.count;
        }
        while let Some((&workgroup, &slot)) = self
            .launches
            .get(&launch.id)
            .and_then(|lying| lying.partial.range(from..=last).find(|(it, _)| piece.names(**it)))
        {
            fresh -= 1;
            self.drop_block(launch.id, workgroup, slot);
            from = workgroup.saturating_add(1);
            if from > last {
                break;
            }
        }
        if let Some(unit) = self.units.get_mut(piece.cu.index())
            && fresh > 0
        {
            unit.add(priority(launch), fresh.into());
        }
    }

    /// Removes a workgroup from the list of partial workgroups, as all its waves have started or
    /// ended. The number of workgroups on its compute unit does not change.
    fn drop_block(&mut self, launch: LaunchId, workgroup: u64, slot: u32) {
        if let Some(lying) = self.launches.get_mut(&launch) {
            lying.partial.remove(&workgroup);
        }
        let cu = self.blocks[slot as usize].cu;
        if let Some(unit) = self.units.get_mut(cu.index()) {
            unit.dequeue(slot);
        }
        self.spare_blocks.push(slot);
    }

    fn started_waves(&mut self, launch: &Launch, workgroup: u64, cu: CuId, started: u16) {
        let known = self.lying(launch).partial.get(&workgroup).copied();
        let slot = known.unwrap_or_else(|| self.add_block(launch, workgroup, cu));
        self.blocks[slot as usize].started = started;
        if started >= launch.demand.waves
            && let Some(unit) = self.units.get_mut(cu.index())
        {
            unit.dequeue(slot);
        }
    }

    /// Adds a workgroup to a compute unit without starting all its waves, and returns its slot in
    /// the list of partial workgroups.
    fn add_block(&mut self, launch: &Launch, workgroup: u64, cu: CuId) -> u32 {
        let serial = self.serials;
        self.serials += 1;
        let block = PartialBlock { launch: launch.id, workgroup, cu, serial, started: 0, ended: 0 };
        let slot = self.spare_blocks.pop().unwrap_or_else(|| {
            self.blocks.push(block);
            // The list is at most as long as the number of blocks on the device.
            self.blocks.len() as u32 - 1
        });
        self.blocks[slot as usize] = block;
        self.lying(launch).partial.insert(workgroup, slot);
        if let Some(unit) = self.units.get_mut(cu.index()) {
            unit.add(priority(launch), 1);
            unit.enqueue(Waiting { priority: priority(launch), serial, slot });
        }
        slot
    }

    pub(super) fn assigned(&mut self, launch: &Launch, workgroup: u64, cu: CuId) {
        self.add_block(launch, workgroup, cu);
        self.touch(cu, true);
    }

    pub(super) fn ended(&mut self, launch: &Launch, waves: WaveSpan, pieces: &[Piece]) {
        for piece in pieces {
            match waves {
                WaveSpan::All => {
                    let lying = self.launches.get_mut(&launch.id);
                    let whole = lying.and_then(|lying| lying.whole.get_mut(piece.cu.index()));
                    if let (Some(whole), Some(unit)) = (whole, self.units.get_mut(piece.cu.index()))
                    {
                        *whole = whole.saturating_sub(piece.count);
                        unit.remove(priority(launch), piece.count.into());
                    }
                }
                WaveSpan::Range { count, .. } => {
                    for workgroup in piece.workgroups() {
                        self.ended_waves(launch, workgroup, count);
                    }
                }
                WaveSpan::Cut { .. } => {}
            }
            self.touch(piece.cu, true);
        }
    }

    fn ended_waves(&mut self, launch: &Launch, workgroup: u64, count: u16) {
        let lying = self.launches.get(&launch.id);
        let Some(&slot) = lying.and_then(|lying| lying.partial.get(&workgroup)) else { return };
        let block = &mut self.blocks[slot as usize];
        block.ended = block.ended.saturating_add(count);
        if block.ended >= launch.demand.waves {
            let cu = block.cu;
            self.drop_block(launch.id, workgroup, slot);
            if let Some(unit) = self.units.get_mut(cu.index()) {
                unit.remove(priority(launch), 1);
            }
        }
    }

    /// Removes a launch that has ended or was killed, with all its workgroups on compute units.
    pub(super) fn forget(&mut self, launch: LaunchId) {
        let Some(mut lying) = self.launches.remove(&launch) else { return };
        if lying.whole.iter().any(|&count| count > 0) || !lying.partial.is_empty() {
            // If blocks were left, the launch was killed, and its resources are free at once.
            self.take(&lying);
            self.spare_blocks.extend(lying.partial.values());
            self.touch_all();
        }
        lying.whole.fill(0);
        self.spare.push(lying.whole);
    }

    /// Removes the workgroups of a launch from the compute units while a preemption saves it to
    /// memory. Workgroups of which no wave has started are forgotten, as they are distributed anew
    /// later.
    pub(super) fn lift(&mut self, launch: LaunchId) {
        let Some(mut lying) = self.launches.remove(&launch) else { return };
        self.take(&lying);
        lying.saved = true;
        let (blocks, spare) = (&self.blocks, &mut self.spare_blocks);
        lying.partial.retain(|_, &mut slot| {
            let begun = blocks[slot as usize].started > 0;
            if !begun {
                spare.push(slot);
            }
            begun
        });
        self.launches.insert(launch, lying);
        self.touch_all();
    }

    /// Removes the workgroups of a launch from the compute units; does nothing for a saved launch,
    /// whose workgroups were removed before.
    fn take(&mut self, lying: &Lying) {
        if lying.saved {
            return;
        }
        for (unit, &count) in self.units.iter_mut().zip(&lying.whole) {
            unit.remove(lying.priority, count.into());
        }
        for &slot in lying.partial.values() {
            let cu = self.blocks[slot as usize].cu;
            if let Some(unit) = self.units.get_mut(cu.index()) {
                unit.dequeue(slot);
                unit.remove(lying.priority, 1);
            }
        }
    }

    /// Puts the workgroups of a saved launch back on the compute units from which they were
    /// removed.
    pub(super) fn lower(&mut self, launch: LaunchId) {
        if let Some(lying) = self.launches.get_mut(&launch).filter(|lying| lying.saved) {
            lying.saved = false;
            let priority = lying.priority;
            for (unit, &count) in self.units.iter_mut().zip(&lying.whole) {
                if count > 0 {
                    unit.add(priority, count.into());
                }
            }
            for &slot in lying.partial.values() {
                let block = self.blocks[slot as usize];
                if let Some(unit) = self.units.get_mut(block.cu.index()) {
                    unit.add(priority, 1);
                    if block.started < lying.waves {
                        unit.enqueue(Waiting { priority, serial: block.serial, slot });
                    }
                }
            }
        }
        self.touch_all();
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use raddle_policy::{CuShape, Demand, Level, ProcessId};

    use super::*;

    const CU: CuId = CuId(0);

    fn tables() -> BlockTables {
        let mut tables = BlockTables::default();
        let shape = CuShape {
            simds: 1,
            waves_per_simd: 8,
            vgpr_per_simd: 8,
            sgpr: u16::MAX,
            lds: 8,
            workgroups: 8,
            barriers: 8,
        };
        tables.fit(&Cus::new(shape, 1));
        tables
    }

    fn launch(id: u32) -> Launch {
        let demand = Demand { waves: 2, ..Demand::default() };
        Launch::new(LaunchId(id), ProcessId(0), 2, demand).with_level(Level(3))
    }

    fn waves(tables: &mut BlockTables, launch: &Launch, first: u16, count: u16) {
        tables.started(launch, WaveSpan::Range { first, count }, &[Piece::one(0, CU)]);
    }

    fn whole(tables: &mut BlockTables, launch: &Launch) {
        tables.started(launch, WaveSpan::All, &[Piece::one(0, CU)]);
    }

    /// Returns (top priority of the compute unit, whether a workgroup waits there).
    fn state(tables: &BlockTables) -> (Option<u64>, bool) {
        (tables.units[0].top(), tables.units[0].has_waiting())
    }

    #[test]
    fn the_top_falls_when_the_last_block_of_its_priority_ends() {
        let (mut tables, launch) = (tables(), launch(0));
        let top = Some(priority(&launch));
        whole(&mut tables, &launch);
        assert_eq!(state(&tables), (top, false));
        tables.ended(&launch, WaveSpan::All, &[Piece::one(0, CU)]);
        assert_eq!(state(&tables), (None, false), "a whole block");
        tables.assigned(&launch, 0, CU);
        waves(&mut tables, &launch, 0, 1);
        waves(&mut tables, &launch, 1, 1);
        for (first, left) in [(0, top), (1, None)] {
            let span = WaveSpan::Range { first, count: 1 };
            tables.ended(&launch, span, &[Piece::one(0, CU)]);
            assert_eq!(state(&tables), (left, false), "after wave {first}");
        }
    }

    #[test]
    fn a_block_that_was_assigned_and_starts_whole_counts_once() {
        let (mut tables, launch) = (tables(), launch(0));
        tables.assigned(&launch, 0, CU);
        assert!(state(&tables).1, "it waits");
        whole(&mut tables, &launch);
        assert_eq!(state(&tables), (Some(priority(&launch)), false));
        tables.ended(&launch, WaveSpan::All, &[Piece::one(0, CU)]);
        assert_eq!(state(&tables), (None, false));
    }

    #[test]
    fn what_comes_back_waits_only_if_waves_are_left() {
        for (started, waits) in [(1, true), (2, false)] {
            let (mut tables, launch) = (tables(), launch(0));
            tables.assigned(&launch, 0, CU);
            waves(&mut tables, &launch, 0, started);
            tables.lift(launch.id);
            assert_eq!(state(&tables), (None, false), "it is off the unit");
            tables.lower(launch.id);
            assert_eq!(state(&tables), (Some(priority(&launch)), waits), "{started} waves");
        }
    }

    #[test]
    fn a_block_without_a_wave_is_distributed_anew_after_a_save() {
        let (mut tables, launch) = (tables(), launch(0));
        tables.assigned(&launch, 0, CU);
        tables.lift(launch.id);
        tables.lower(launch.id);
        assert_eq!(state(&tables), (None, false));
        let free = vec![0_u32];
        assert_eq!(tables.spare_blocks, free, "its place in the list is free");
    }

    #[test]
    fn a_launch_that_is_killed_while_it_is_saved_takes_nothing_of_others() {
        let (mut tables, saved, other) = (tables(), launch(0), launch(1));
        whole(&mut tables, &saved);
        whole(&mut tables, &other);
        tables.lift(saved.id);
        let top = Some(priority(&other));
        assert_eq!(state(&tables), (top, false));
        tables.forget(saved.id);
        assert_eq!(state(&tables), (top, false), "it was off the unit already");
    }
}
