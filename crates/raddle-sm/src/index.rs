//! Which SMs have enough free resources for a block, without a look at each SM?
//!
//! For each demand the index keeps two sets of SMs: those that take a whole block of it, and those
//! that can start a warp. A set is brought up to date, from a list of changed SMs, when its demand
//! is searched. For SMs that run only lower work there is a tree of the lowest top priorities.
//!
//! Amounts above `i32::MAX` count as `i32::MAX`: the index may name an SM that has too little (the
//! caller checks), but misses none that has enough.

use alloc::vec;
use alloc::vec::Vec;

use raddle_policy::CuSet;

/// Key of an SM in the index: (free warps, free registers, free shared memory, lowness of its top
/// priority). The top priority is the highest of its blocks; the lowness is a number that is larger
/// for a lower priority.
pub(crate) type SmKey = [i32; 4];

/// Returns an amount as an `i32` for a key of the index; an amount above `i32::MAX` becomes
/// `i32::MAX`.
pub(crate) fn cut(amount: u64) -> i32 {
    i32::try_from(amount).unwrap_or(i32::MAX)
}

/// Converts a rank to a priority, or back: the smaller a rank, the more important; the larger a
/// priority, as the patent (seed 003) uses the word, the more important.
pub(crate) const fn reversed(rank: u64) -> u64 {
    u64::MAX - rank
}

/// Returns the lowness of an SM's top priority `top` (the highest of its blocks), a number that is
/// larger for a lower priority; `None`, for an SM without blocks, gives the largest. It is at least
/// 1, so that it differs from the unused leaves of the search tree.
pub(crate) fn lowness(top: Option<u64>) -> i32 {
    top.map_or(i32::MAX, |top| cut(reversed(top)).min(i32::MAX - 2) + 1)
}

/// Returns the smallest lowness (a number that is larger for a lower priority) that an SM can have
/// whose top priority is below `priority`.
pub(crate) fn lower_than(priority: u64) -> i32 {
    let exact = reversed(priority) < u64::from(i32::MAX.unsigned_abs()) - 2;
    lowness(Some(priority)) + i32::from(exact)
}

/// Returns whether an SM with the key `have` has at least the free amounts of the key `need`.
fn covers(have: &SmKey, need: &SmKey) -> bool {
    have.iter().zip(need).all(|(have, need)| have >= need)
}

/// A demand for which the index keeps the SMs that can serve it: the needs of a block and of its
/// first warp.
#[derive(Clone, Debug)]
struct Demanded {
    block: SmKey,
    warp: SmKey,
    /// [SMs that can take a whole block, SMs that can start the first warp of a block].
    sets: [CuSet; 2],
    /// Number of changes of free amounts that `sets` take into account, counted as in
    /// [`Index::changed`].
    seen: u64,
}

/// Largest number of demands that the index keeps; a further demand replaces the one that was used
/// longest ago.
const DEMANDS: usize = 64;

/// Index of SMs by their free amounts and their top priorities (highest priority of a block).
#[derive(Clone, Debug, Default)]
pub(crate) struct Index {
    keys: Vec<SmKey>,
    lows: Lows,
    demands: Vec<Demanded>,
    /// SMs whose free amounts changed last, as a ring buffer with one entry for each SM of the
    /// device.
    changes: Vec<u16>,
    /// Number of changes so far of the free amounts of any SM; a demand that has seen fewer is out
    /// of date.
    changed: u64,
    /// SMs whose keys (sort values in the index, from their free resources and top priorities) have
    /// to be computed anew, each listed once.
    stale: Vec<u16>,
    is_stale: Vec<bool>,
}

/// Index of a demand in the list of those that the index of SMs keeps.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DemandSlot(usize);

/// Choice between the two sets of SMs that the index keeps for a demand (needs of a kernel's
/// blocks).
#[derive(Clone, Copy, Debug)]
pub(crate) enum Of {
    /// SMs that can take a whole block of the demand.
    Block,
    /// SMs that can start the first warp of a block of the demand.
    Warp,
}

impl Index {
    /// Returns an index over `count` SMs; all its keys are computed before the first search.
    pub(crate) fn new(count: usize) -> Self {
        let mut index = Self {
            keys: vec![[0; 4]; count],
            lows: Lows::new(count),
            demands: Vec::with_capacity(DEMANDS),
            changes: vec![0; count],
            changed: 0,
            stale: Vec::with_capacity(count),
            is_stale: vec![false; count],
        };
        index.touch_all();
        index
    }

    /// Records that free amounts or resident blocks changed on the SM with the index `sm`, so that
    /// its entry is computed anew before the next search.
    pub(crate) fn touch(&mut self, sm: usize) {
        if let Some(stale) = self.is_stale.get_mut(sm)
            && !core::mem::replace(stale, true)
        {
            // SMs are numbered by u16.
            self.stale.push(sm as u16);
        }
    }

    /// Records that free amounts or resident blocks may have changed on every SM, so that all
    /// entries are computed anew before the next search.
    pub(crate) fn touch_all(&mut self) {
        (0..self.is_stale.len()).for_each(|sm| self.touch(sm));
    }

    /// Computes the keys (sort values in the index) of all changed SMs anew; `key` returns the
    /// present key of an SM.
    pub(crate) fn refresh(&mut self, key: impl Fn(usize) -> SmKey) {
        while let Some(sm) = self.stale.pop() {
            let at = usize::from(sm);
            self.is_stale[at] = false;
            let key = key(at);
            let old = core::mem::replace(&mut self.keys[at], key);
            if old[3] != key[3] {
                self.lows.set(at, key[3]);
            }
            if old[..3] != key[..3] {
                let slot = self.changed % self.changes.len() as u64;
                self.changes[slot as usize] = sm;
                self.changed += 1;
            }
        }
    }

    /// Brings the sets of SMs for a demand up to date, and returns the slot at which the index
    /// keeps the demand. `place` is the slot at which it was kept before, or any other one.
    pub(crate) fn demand(&mut self, block: &SmKey, warp: &SmKey, place: DemandSlot) -> DemandSlot {
        let is = |it: &Demanded| it.block == *block && it.warp == *warp;
        let at = if self.demands.get(place.0).is_some_and(is) {
            place.0
        } else {
            self.demands.iter().position(is).unwrap_or_else(|| self.remember(block, warp))
        };
        let Self { keys, demands, changes, changed, .. } = self;
        let demand = &mut demands[at];
        let missed = *changed - demand.seen.min(*changed);
        let count = changes.len() as u64;
        // The ring has only the last `count` changes; a demand that missed more looks at every SM.
        if missed > count {
            (0..keys.len()).for_each(|sm| demand.look(sm, &keys[sm]));
        } else {
            for change in *changed - missed..*changed {
                let sm = usize::from(changes[(change % count) as usize]);
                demand.look(sm, &keys[sm]);
            }
        }
        demand.seen = *changed;
        DemandSlot(at)
    }

    /// Adds a demand to the index with up-to-date sets of SMs, and returns its slot.
    fn remember(&mut self, block: &SmKey, warp: &SmKey) -> usize {
        let at = if self.demands.len() < DEMANDS {
            let sets = [CuSet::empty(self.keys.len()), CuSet::empty(self.keys.len())];
            self.demands.push(Demanded { block: *block, warp: *warp, sets, seen: 0 });
            self.demands.len() - 1
        } else {
            let seen = self.demands.iter().enumerate().min_by_key(|(_, it)| it.seen);
            seen.map_or(0, |(at, _)| at)
        };
        let demand = &mut self.demands[at];
        (demand.block, demand.warp) = (*block, *warp);
        for (sm, key) in self.keys.iter().enumerate() {
            demand.look(sm, key);
        }
        demand.seen = self.changed;
        at
    }

    /// Returns the lowest index of an SM, from `from` on, that `accept` accepts and that is in a
    /// set kept for a demand: the set `of` of the demand in the slot `place`. `None` where there is
    /// none.
    pub(crate) fn lowest(
        &self,
        (place, of): (DemandSlot, Of),
        from: usize,
        mut accept: impl FnMut(usize) -> bool,
    ) -> Option<usize> {
        let set = &self.demands.get(place.0)?.sets[of as usize];
        let mut at = set.first_from(from)?;
        while !accept(at) {
            at = set.first_from(at + 1)?;
        }
        Some(at)
    }

    /// Returns the index of the SM with the largest `value` in a set kept for a demand, given as
    /// (slot of the demand, which of its sets); of equal SMs the lowest. `None` where `value` is 0
    /// for all.
    pub(crate) fn most(
        &self,
        set: (DemandSlot, Of),
        value: impl Fn(usize) -> u64,
    ) -> Option<usize> {
        let (mut best, mut found, mut from) = (0, None, 0);
        while let Some(sm) = self.lowest(set, from, |_| true) {
            let value = value(sm);
            if value > best {
                (best, found) = (value, Some(sm));
            }
            from = sm + 1;
        }
        found
    }

    /// Returns the lowest index of an SM whose top priority (the highest of its blocks) is below
    /// `priority` and that `accept` accepts; `None` where there is none.
    pub(crate) fn lower(&self, priority: u64, accept: impl Fn(usize) -> bool) -> Option<usize> {
        self.lows.lowest(lower_than(priority), accept)
    }

    /// Returns the index of the SM with the lowest top priority, if that priority is below
    /// `priority`; of equal SMs the lowest index. `top` returns the exact top priority of an SM.
    /// `None` where every SM has a top priority of `priority` or more.
    pub(crate) fn lowest_top(
        &self,
        priority: u64,
        top: impl Fn(usize) -> Option<u64>,
    ) -> Option<usize> {
        let low = self.lows.largest();
        if low > 0 && low != lowness(Some(0)) {
            return self.lows.lowest(low, |_| true).filter(|&sm| top(sm) < Some(priority));
        }
        // Keys do not tell these priorities apart, so every SM is looked at.
        let all = (0..self.keys.len()).map(|sm| (top(sm), sm));
        all.filter(|&(top, _)| top < Some(priority)).min().map(|(_, sm)| sm)
    }
}

impl Demanded {
    fn look(&mut self, sm: usize, key: &SmKey) {
        for (set, need) in self.sets.iter_mut().zip([&self.block, &self.warp]) {
            if covers(key, need) { set.insert(sm) } else { set.remove(sm) }
        }
    }
}

/// Search tree over the SMs by the lowness of their top priority (larger for a lower priority);
/// each node holds the largest lowness below it.
#[derive(Clone, Debug, Default)]
struct Lows {
    /// Values of the nodes. Node 1 is the root, the children of node `n` are `2n` and `2n + 1`, and
    /// the second half of the list are the leaves, one for each SM.
    nodes: Vec<i32>,
}

impl Lows {
    fn new(count: usize) -> Self {
        Self { nodes: vec![0; 2 * count.next_power_of_two()] }
    }

    fn largest(&self) -> i32 {
        self.nodes.get(1).copied().unwrap_or(0)
    }

    fn set(&mut self, sm: usize, low: i32) {
        let mut at = self.nodes.len() / 2 + sm;
        self.nodes[at] = low;
        while at > 1 {
            let larger = self.nodes[at].max(self.nodes[at ^ 1]);
            at /= 2;
            if self.nodes[at] == larger {
                break;
            }
            self.nodes[at] = larger;
        }
    }

    /// Returns the lowest index of an SM whose lowness (a number that is larger for a lower top
    /// priority) is at least `low` and that `accept` accepts; `None` where there is none. `low` is
    /// 1 or more.
    fn lowest(&self, low: i32, accept: impl Fn(usize) -> bool) -> Option<usize> {
        if self.largest() < low {
            return None;
        }
        let (mut at, leaves) = (1, self.nodes.len() / 2);
        loop {
            if self.nodes[at] >= low {
                if at < leaves {
                    at *= 2;
                    continue;
                }
                if accept(at - leaves) {
                    return Some(at - leaves);
                }
            }
            // The search goes on in the next subtree on the right; from the rightmost there is
            // none.
            while at & 1 == 1 {
                at /= 2;
            }
            if at == 0 {
                return None;
            }
            at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a pseudo-random generator (xorshift) with the seed `seed`; each call returns a
    /// number below its argument.
    fn numbers(seed: u64) -> impl FnMut(u64) -> u64 {
        let mut state = seed | 1;
        move |below| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state % below
        }
    }

    #[test]
    fn a_search_finds_what_looking_at_each_finds() {
        for count in [1usize, 2, 3, 5, 8, 13, 33, 65, 130] {
            let mut number = numbers(count as u64 * 7919);
            let mut keys = vec![[0; 4]; count];
            let mut index = Index::new(count);
            for round in 0..1000 {
                // Few changes or many, so that demands lag a little or are looked through anew.
                for _ in 0..number(1 + count as u64 * (round % 3)) {
                    let sm = number(count as u64) as usize;
                    let top = number(5).checked_sub(1).map(reversed);
                    let amount = |_| number(5) as i32;
                    keys[sm] = core::array::from_fn(amount);
                    keys[sm][3] = lowness(top);
                    index.touch(sm);
                }
                index.refresh(|sm| keys[sm]);
                // More demands than are remembered.
                let mut need = || -> SmKey { [1 + number(3) as i32, number(4) as i32, 0, 0] };
                let (block, warp) = (need(), [1, number(3) as i32, number(2) as i32, 0]);
                let place = index.demand(&block, &warp, DemandSlot(number(70) as usize));
                for (of, need) in [(Of::Block, block), (Of::Warp, warp)] {
                    let fits = |&sm: &usize| covers(&keys[sm], &need);
                    let from = number(count as u64 + 1) as usize;
                    let odd = |sm: usize| round % 2 == 0 || sm % 2 == 1;
                    let expected = (from..count).find(|sm| fits(sm) && odd(*sm));
                    assert_eq!(index.lowest((place, of), from, odd), expected);
                    let value = |sm: usize| keys[sm][0] as u64;
                    let best = (0..count).filter(fits).map(value).max();
                    let expected = (0..count).find(|sm| fits(sm) && Some(value(*sm)) == best);
                    assert_eq!(index.most((place, of), value), expected);
                }
                let top = |sm: usize| match keys[sm][3] {
                    0 | i32::MAX => None,
                    low => Some(reversed(low as u64 - 1)),
                };
                let priority = reversed(number(6));
                let below = |&sm: &usize| keys[sm][3] > 0 && top(sm) < Some(priority);
                let expected = (0..count).find(below);
                if keys.iter().all(|key| key[3] > 0) {
                    assert_eq!(index.lower(priority, |_| true), expected);
                    let expected = (0..count).filter(below).min_by_key(|&sm| (top(sm), sm));
                    assert_eq!(index.lowest_top(priority, top), expected);
                }
            }
        }
    }

    #[test]
    fn an_index_of_nothing_finds_nothing() {
        let mut index = Index::new(0);
        index.refresh(|_| [9; 4]);
        let place = index.demand(&[1, 0, 0, 0], &[1, 0, 0, 0], DemandSlot::default());
        assert_eq!(index.lowest((place, Of::Block), 0, |_| true), None);
        assert_eq!(index.lower(9, |_| true), None);
        assert_eq!(index.lowest_top(9, |_| None), None);
    }

    #[test]
    fn priorities_at_the_end_of_the_range_are_never_missed() {
        let edge = u64::from(i32::MAX.unsigned_abs());
        for rank in [0, 1, 2, edge - 4, edge - 3, edge - 2, edge - 1, edge, u64::MAX] {
            let priority = reversed(rank);
            for top in [None, Some(0), Some(1), Some(edge - 3), Some(edge - 2), Some(u64::MAX)] {
                let top = top.map(reversed);
                let named = lowness(top) >= lower_than(priority);
                assert!(named || top >= Some(priority), "{top:?} below {priority}");
                let exact = rank < edge - 2;
                assert!(!exact || named == (top < Some(priority)), "{top:?} below {priority}");
            }
            assert!(lower_than(priority) >= 1);
        }
    }
}
