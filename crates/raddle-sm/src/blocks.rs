//! Which blocks are on one SM, and which of them wait for warps to start?
//!
//! Decisions need two things of an SM's block table: how many unfinished blocks of each priority it
//! has, and its blocks with waiting warps, sorted by priority and then by the order of
//! distribution.

use alloc::vec::Vec;

/// Thread block with warps that have not started on its SM. `slot` is the block's index in the
/// caller's table of unfinished blocks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiting {
    pub(crate) priority: u64,
    /// Number of the block in the order in which blocks were distributed to SMs.
    pub(crate) serial: u64,
    pub(crate) slot: u32,
}

/// Thread blocks on one streaming multiprocessor (SM) that have not finished.
#[derive(Clone, Debug)]
pub(crate) struct Blocks {
    /// (priority, number of unfinished blocks of that priority), the highest priority last.
    levels: Vec<(u64, u64)>,
    /// Blocks with warps that wait to start: the highest priority first, then in the order of
    /// distribution.
    waiting: Vec<Waiting>,
}

impl Default for Blocks {
    /// Returns an empty table with memory for the blocks that an SM usually has, so that it rarely
    /// has to grow.
    fn default() -> Self {
        Self { levels: Vec::with_capacity(8), waiting: Vec::with_capacity(16) }
    }
}

impl Blocks {
    /// Returns the highest priority among the blocks; `None` where there is no block.
    pub(crate) fn top(&self) -> Option<u64> {
        self.levels.last().map(|&(priority, _)| priority)
    }

    /// Adds `count` blocks of the priority `priority` that were distributed to the SM. The SM's top
    /// priority, the highest of its blocks, rises if it was lower (reading C4 of the patent, seed
    /// 003).
    pub(crate) fn add(&mut self, priority: u64, count: u64) {
        match self.levels.binary_search_by_key(&priority, |&(priority, _)| priority) {
            Ok(at) => self.levels[at].1 += count,
            Err(at) => self.levels.insert(at, (priority, count)),
        }
    }

    /// Removes `count` blocks of the priority `priority` that have finished or were taken off the
    /// SM. The SM's top priority, the highest of its blocks, may fall (step L5 of the patent, seed
    /// 003).
    pub(crate) fn remove(&mut self, priority: u64, count: u64) {
        let found = self.levels.binary_search_by_key(&priority, |&(priority, _)| priority);
        if let Ok(at) = found {
            let level = &mut self.levels[at];
            level.1 = level.1.saturating_sub(count);
            if level.1 == 0 {
                self.levels.remove(at);
            }
        }
    }

    /// Adds a block with waiting warps to the queue, which is sorted by priority, then by the order
    /// of distribution.
    pub(crate) fn enqueue(&mut self, block: Waiting) {
        let before = |it: &Waiting| {
            it.priority > block.priority
                || (it.priority == block.priority && it.serial < block.serial)
        };
        let at = self.waiting.partition_point(before);
        self.waiting.insert(at, block);
    }

    /// Removes a block from the queue of blocks with waiting warps, as all its warps have started.
    /// `slot` is the block's index in the caller's table of unfinished blocks.
    pub(crate) fn dequeue(&mut self, slot: u32) {
        if let Some(at) = self.waiting.iter().position(|it| it.slot == slot) {
            self.waiting.remove(at);
        }
    }

    pub(crate) fn has_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Returns (slot, number of warps to start) of the first block in the queue of which at least
    /// one warp can start (steps L1 to L3 of the patent, seed 003). A slot is the block's index in
    /// the caller's table; `can` returns how many warps of a block can start. Without `backfill`
    /// only the head of the queue is tried. `None` where no warp can start.
    pub(crate) fn next(&self, backfill: bool, can: impl Fn(u32) -> u64) -> Option<(u32, u64)> {
        let tried = if backfill { self.waiting.len() } else { 1 };
        let mut answers = self.waiting.iter().take(tried).map(|it| (it.slot, can(it.slot)));
        answers.find(|&(_, count)| count > 0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Checks the tables against plain lists of blocks that are searched from end to end at
        /// each question.
        #[test]
        fn the_first_that_can_start_is_served(
            steps in prop::collection::vec((0u8..4, 0u64..4, 0u64..6, 0u32..64), 1..60),
        ) {
            let mut blocks = Blocks::default();
            let (mut counts, mut waiting) = ([0_u64; 4], Vec::<Waiting>::new());
            for (at, (what, priority, serial, mask)) in (0..).zip(steps) {
                match what {
                    0 => {
                        blocks.add(priority, serial + 1);
                        counts[priority as usize] += serial + 1;
                    }
                    1 => {
                        blocks.remove(priority, serial);
                        let count = &mut counts[priority as usize];
                        *count = count.saturating_sub(serial);
                    }
                    2 if !waiting.is_empty() => {
                        let slot = waiting.swap_remove(mask as usize % waiting.len()).slot;
                        blocks.dequeue(slot);
                    }
                    _ if waiting.iter().all(|it| it.serial != serial) => {
                        let block = Waiting { priority, serial, slot: at };
                        blocks.enqueue(block);
                        waiting.push(block);
                    }
                    _ => {}
                }
                let top = (0..4).rev().find(|&it| counts[it as usize] > 0);
                prop_assert_eq!(blocks.top(), top);
                prop_assert_eq!(blocks.has_waiting(), !waiting.is_empty());
                let can = |slot: u32| u64::from(mask >> (slot % 6) & 1) * 2;
                let order = |it: &&Waiting| (core::cmp::Reverse(it.priority), it.serial);
                let startable = waiting.iter().filter(|it| can(it.slot) > 0).min_by_key(order);
                let first = waiting.iter().min_by_key(order).filter(|it| can(it.slot) > 0);
                prop_assert_eq!(blocks.next(true, can), startable.map(|it| (it.slot, 2)));
                prop_assert_eq!(blocks.next(false, can), first.map(|it| (it.slot, 2)));
            }
        }
    }
}
