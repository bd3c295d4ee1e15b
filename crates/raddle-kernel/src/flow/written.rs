//! Which bytes has a work-item certainly written when control comes to a basic block?

use std::collections::{BTreeMap, BTreeSet};

use super::{Access, Analysis};
use crate::ir::BlockId;
use crate::value::{Address, Value};

/// Bytes that a work-item has written, as (base; offset of the first byte from the base; number of
/// bytes). The base is an address, or a row: the set of all addresses that an access visits in a
/// loop.
pub(super) type WrittenBytes = (Value, i64, u32);

/// Bytes that are certainly written when control goes along an edge from one basic block to
/// another, by (from, to).
pub(super) type WrittenWays = BTreeMap<(BlockId, BlockId), BTreeSet<WrittenBytes>>;

/// Largest total size of the fact sets (one bit for each fact) of all basic blocks, in 64-bit
/// words; beyond it no facts are used.
const MOST_WORDS: usize = 1 << 23;

/// Set of facts, each of which says that certain bytes have been written: bit `i` stands for fact
/// number `i`.
pub(super) type FactSet = Vec<u64>;

/// Facts of the form "these bytes have been written" that certainly hold at the beginning and at
/// the end of each basic block.
pub(super) struct WrittenFacts {
    /// All facts, each the bytes of one write of the kernel, sorted; the index of a fact is its
    /// number.
    facts: Vec<WrittenBytes>,
    pub(super) before: Vec<FactSet>,
    after: Vec<FactSet>,
}

impl WrittenFacts {
    pub(super) fn solve(
        analysis: &Analysis<'_>,
        by_block: &BTreeMap<BlockId, Vec<Access>>,
        ways: &WrittenWays,
    ) -> Self {
        let stores = by_block.values().flatten().filter_map(fact);
        let facts: BTreeSet<WrittenBytes> =
            stores.chain(ways.values().flatten().copied()).collect();
        let blocks = analysis.body.blocks.len();
        let mut written = Self {
            facts: facts.into_iter().collect(),
            before: vec![FactSet::new(); blocks],
            after: vec![FactSet::new(); blocks],
        };
        let words = written.facts.len().div_ceil(64);
        if blocks.saturating_mul(words) > MOST_WORDS {
            written.facts.clear();
        }
        let all = vec![u64::MAX; written.facts.len().div_ceil(64)];
        written.before.fill(all.clone());
        written.after.fill(all.clone());
        let mut changed = true;
        while changed {
            changed = false;
            for (at, &block) in analysis.graph.order.iter().enumerate() {
                let mut certain = all.clone();
                if at == 0 {
                    certain.fill(0);
                }
                for &from in &analysis.before[block] {
                    let mut side = written.after[from].clone();
                    for &fact in ways.get(&(from, block)).into_iter().flatten() {
                        written.set(fact, &mut side);
                    }
                    certain.iter_mut().zip(&side).for_each(|(to, from)| *to &= from);
                }
                written.before[block].clone_from(&certain);
                for access in by_block.get(&block).into_iter().flatten() {
                    written.note(access, &mut certain);
                }
                if written.after[block] != certain {
                    written.after[block] = certain;
                    changed = !analysis.graph.loops.is_empty();
                }
            }
        }
        written
    }

    fn set(&self, fact: WrittenBytes, certain: &mut FactSet) {
        if let Ok(number) = self.facts.binary_search(&fact) {
            certain[number / 64] |= 1 << (number % 64);
        }
    }

    pub(super) fn note(&self, access: &Access, certain: &mut FactSet) {
        if let Some(fact) = fact(access) {
            self.set(fact, certain);
        }
    }

    /// Returns whether, by the facts in `certain`, all `length` bytes from `address` on have been
    /// written.
    pub(super) fn holds(&self, certain: &FactSet, (address, length): (Address, u32)) -> bool {
        let end = address.bytes.saturating_add(i64::from(length));
        let mut reached = address.bytes;
        // The facts of a place are sorted by their first byte.
        let first = self.facts.partition_point(|fact| fact.0 < address.moving);
        for (number, &(moving, from, length)) in self.facts.iter().enumerate().skip(first) {
            if moving != address.moving || from > reached {
                break;
            }
            if has(certain, number) {
                reached = reached.max(from.saturating_add(i64::from(length)));
            }
        }
        reached >= end
    }

    /// Returns the bytes that are certainly written at the end of each of the basic blocks `ends`,
    /// but not yet at the beginning of the block `begin`.
    pub(super) fn since(&self, begin: BlockId, ends: &[BlockId]) -> Vec<WrittenBytes> {
        let new = |number: &usize| {
            ends.iter().all(|&end| has(&self.after[end], *number))
                && !has(&self.before[begin], *number)
        };
        (0..self.facts.len()).filter(new).map(|number| self.facts[number]).collect()
    }
}

fn has(certain: &FactSet, number: usize) -> bool {
    certain[number / 64] >> (number % 64) & 1 == 1
}

/// Returns the bytes that an access writes; `None` for a read, or a write to an unknown address.
fn fact(access: &Access) -> Option<WrittenBytes> {
    let (address, length) = access.place.filter(|_| access.write)?;
    Some((address.moving, address.bytes, length))
}
