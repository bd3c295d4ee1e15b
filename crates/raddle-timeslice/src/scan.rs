//! Stage one over a whole pool: which of its processes are loaded, without a look at most?
//!
//! The same answer as [`StageOne::load`] over the entries of the pool. The columns of a block show
//! which of its processes may reach the bar, and those are looked at exactly. Blocks are taken in
//! jumps, and so are the places of a block, so that no natural order of the pool (by age, by run
//! time) has every process take the place of the one before, and the bar is high early. Whoever is
//! surely owed no more than the one before needs no look where that one had a look and was not
//! loaded: of many that are equal, one a block has.

#[cfg(test)]
#[path = "../benches/pools/mod.rs"]
mod pools;

use alloc::vec::Vec;

use raddle_policy::{Tick, Ticks};

use crate::coarse::{BLOCK, Block, Coarse};
use crate::filter::Filter;
use crate::stage_one::Bar;
use crate::{Candidates, Entry, Loaded, StageOne, Task};

/// By how many places a scan goes on: odd, so that it comes to each of a power of two.
const JUMP: usize = 0x9e37_79b9;

/// The same within a block.
const HOP: u32 = 25;

/// Places of a block that are looked at one by one; of more, all are, which is quicker for each.
const MANY: u32 = 32;

/// A pool, as a scan sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scanned<'p> {
    pub(crate) tasks: &'p [Task],
    pub(crate) columns: &'p Coarse,
    pub(crate) now: Tick,
    /// Of the most urgent level present.
    pub(crate) candidates: Candidates,
}

impl Scanned<'_> {
    /// A candidate.
    #[inline]
    fn entry(&self, index: usize) -> Option<Entry> {
        let task = self.tasks.get(index)?;
        (task.level == self.candidates.level).then(|| task.entry(self.now))
    }

    /// All blocks with their numbers, the first one first.
    fn blocks(&self) -> impl Iterator<Item = (usize, &Block)> {
        let blocks = self.columns.blocks();
        let (count, steps) = (blocks.len(), blocks.len().next_power_of_two());
        (0..steps)
            .map(move |step| step.wrapping_mul(JUMP) & (steps - 1))
            .filter(move |&number| number < count)
            .filter_map(|number| Some((number, blocks.get(number)?)))
    }
}

impl Task {
    /// As stage one sees it.
    #[inline]
    pub(crate) fn entry(&self, now: Tick) -> Entry {
        let alive: Ticks = now.since(self.created);
        Entry { level: self.level, share: self.share, alive, ran: self.ran }
    }
}

impl StageOne {
    /// Loads from a pool; `loaded` is cleared and filled in load order.
    pub(crate) fn scan(&mut self, pool: &Scanned<'_>, loaded: &mut Vec<Loaded>) {
        self.heap.clear();
        let (level, t0, now) = (pool.candidates.level, self.t0.0, pool.now.0);
        let (mut bar, mut above) = (Bar::NONE, Filter::of_level(level));
        for (number, block) in pool.blocks() {
            // All that there are, where all fit.
            if self.heap.len() == pool.candidates.count {
                break;
            }
            let places = above.places(number, block);
            if places == 0 {
                continue;
            }
            if self.scan_block(pool, (number, block), places, &mut bar) && self.is_full() {
                above = pool.columns.filter(&bar, level, t0, now);
            }
        }
        self.unload(pool.candidates.count, loaded);
    }

    /// Takes from these places of a block what is owed enough; whether anything has changed.
    fn scan_block(
        &mut self,
        pool: &Scanned<'_>,
        (number, block): (usize, &Block),
        mut places: u64,
        bar: &mut Bar,
    ) -> bool {
        let mut changed = false;
        if places.count_ones() > MANY && block.after.count_ones() < MANY {
            return self.scan_all(pool, number, bar);
        }
        let mut from = 0;
        while places != 0 {
            // Not one after the other: each may be owed more than the one before.
            let at = (places.rotate_right(from).trailing_zeros() + from) % BLOCK as u32;
            from = (from + HOP) % BLOCK as u32;
            places &= !(1 << at);
            let index = number * BLOCK + at as usize;
            let Some(entry) = pool.entry(index) else { continue };
            if self.look(index, entry, bar) {
                changed = true;
            } else {
                // Nor are those of which each is owed no more than the one before.
                let owed_no_more = (block.after >> at >> 1).trailing_ones();
                places &= !(((1_u64 << owed_no_more) - 1) << at << 1);
            }
        }
        changed
    }

    /// Looks at a whole block; whether anything has changed.
    fn scan_all(&mut self, pool: &Scanned<'_>, number: usize, bar: &mut Bar) -> bool {
        let (mut changed, first) = (false, number * BLOCK);
        for step in 0..BLOCK {
            let index = first + step * HOP as usize % BLOCK;
            if let Some(entry) = pool.entry(index) {
                changed |= self.look(index, entry, bar);
            }
        }
        changed
    }

    /// Takes a candidate that is owed enough; whether it was.
    #[inline]
    fn look(&mut self, index: usize, entry: Entry, bar: &mut Bar) -> bool {
        #[cfg(test)]
        {
            self.looks += 1;
        }
        let bar_here = if index > bar.index() { *bar } else { bar.with_ties() };
        let taken = !bar_here.excludes(&entry, self.t0.0) && self.take(index, entry);
        if taken {
            *bar = self.bar();
        }
        taken
    }
}

#[cfg(test)]
mod tests {
    use raddle_policy::Tick;

    use super::pools::{POOLS, T0, entries};
    use crate::{Levels, Pool, Runnable, StageOne, Task, TaskId};

    /// The speed of a load, as far as a machine cannot change it.
    #[test]
    fn a_load_looks_at_few() {
        for (kind, most) in POOLS {
            let (mut pool, now) =
                (Pool::new(Levels::new(32).expect("a count")), Tick(1_000_000_000_000_000));
            for (id, entry) in (0..).zip(entries(kind)) {
                let (created, ran) = (Tick(now.0 - entry.alive.0), entry.ran);
                let task =
                    Task { id: TaskId(id), level: entry.level, share: entry.share, created, ran };
                pool.add(task, now).expect("a task as it may be");
            }
            let mut stage = StageOne::new(T0, 8).expect("a slice and room");
            let (mut loaded, mut plain) = (alloc::vec::Vec::new(), alloc::vec::Vec::new());
            pool.load(&mut stage, &mut loaded);
            assert!(stage.looks <= most, "{kind}: {} of at most {most}", stage.looks);
            stage.load(pool.entries(), &mut plain);
            assert_eq!(loaded, plain, "{kind}");
        }
    }
}
