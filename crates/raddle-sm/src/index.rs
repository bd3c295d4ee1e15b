//! On which SM is so much free, without looking at each?
//!
//! A binary tree over the SMs. A leaf is what an SM has, a node the largest of each below it, so a
//! search goes down only where each amount occurs somewhere. Amounts are cut off at `i32::MAX`:
//! the tree may name an SM that does not qualify (the caller looks), never miss one that does.

use alloc::vec;
use alloc::vec::Vec;

/// Warps, registers, shared memory, and how low the top priority is.
pub(crate) type Key = [i32; 4];

/// An amount that fits a key.
pub(crate) fn cut(amount: u64) -> i32 {
    i32::try_from(amount).unwrap_or(i32::MAX)
}

/// How low a top priority is: the larger, the lower; at least 1, so no padding leaf has it.
pub(crate) fn lowness(top: Option<u64>) -> i32 {
    i32::MAX - top.map_or(0, |top| cut(top).min(i32::MAX - 2) + 1)
}

/// The least lowness of an SM whose top priority is below `priority`.
pub(crate) fn lower_than(priority: u64) -> i32 {
    let exact = priority < u64::from(i32::MAX.unsigned_abs()) - 2;
    lowness(Some(priority)) + i32::from(exact)
}

/// Whether all of `need` is there.
fn covers(have: &Key, need: &Key) -> bool {
    have.iter().zip(need).all(|(have, need)| have >= need)
}

/// How often `need` is there, by warps and registers and, for whole blocks, shared memory; amounts
/// cut off do not count.
pub(crate) fn times(have: &Key, need: &Key, lanes: usize) -> u64 {
    let lanes = have.iter().zip(need).take(lanes);
    let counted = lanes.filter(|&(&have, &need)| need > 0 && have < i32::MAX);
    counted.map(|(have, need)| u64::from((have / need).unsigned_abs())).min().unwrap_or(u64::MAX)
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Index {
    /// The root is node 1, the children of `n` are `2n` and `2n + 1`, the leaves the second half.
    nodes: Vec<Key>,
    leaves: usize,
    /// Leaves that are out of date, each once.
    stale: Vec<u32>,
    is_stale: Vec<bool>,
}

impl Index {
    /// Over `count` SMs, all out of date.
    pub(crate) fn new(count: usize) -> Self {
        let leaves = count.next_power_of_two();
        let mut index = Self {
            nodes: vec![[0; 4]; 2 * leaves],
            leaves,
            stale: Vec::with_capacity(count),
            is_stale: vec![false; count],
        };
        index.touch_all();
        index
    }

    /// Something changed on an SM.
    pub(crate) fn touch(&mut self, sm: usize) {
        if let Some(stale) = self.is_stale.get_mut(sm)
            && !core::mem::replace(stale, true)
        {
            // Positions of compute units, which are u16.
            self.stale.push(sm as u32);
        }
    }

    /// Something may have changed on every SM.
    pub(crate) fn touch_all(&mut self) {
        (0..self.is_stale.len()).for_each(|sm| self.touch(sm));
    }

    /// Brings the tree up to date.
    pub(crate) fn refresh(&mut self, key: impl Fn(usize) -> Key) {
        while let Some(sm) = self.stale.pop() {
            let sm = sm as usize;
            self.is_stale[sm] = false;
            self.set(sm, key(sm));
        }
    }

    fn set(&mut self, sm: usize, key: Key) {
        let mut at = self.leaves + sm;
        self.nodes[at] = key;
        while at > 1 {
            let (one, other) = (self.nodes[at], self.nodes[at ^ 1]);
            let mut largest = [0; 4];
            for (lane, largest) in largest.iter_mut().enumerate() {
                *largest = one[lane].max(other[lane]);
            }
            at /= 2;
            if self.nodes[at] == largest {
                break;
            }
            self.nodes[at] = largest;
        }
    }

    /// The lowest SM at or above `from` that has `need` and is accepted.
    pub(crate) fn lowest(
        &self,
        need: &Key,
        from: usize,
        mut accept: impl FnMut(usize) -> bool,
    ) -> Option<usize> {
        if from >= self.is_stale.len() || !covers(&self.nodes[1], need) {
            return None;
        }
        let mut at = if from == 0 { 1 } else { self.leaves + from };
        loop {
            if covers(&self.nodes[at], need) {
                if at >= self.leaves {
                    let sm = at - self.leaves;
                    if sm < self.is_stale.len() && accept(sm) {
                        return Some(sm);
                    }
                } else {
                    at *= 2;
                    continue;
                }
            }
            // To the next subtree on the right; from the rightmost there is none.
            while at & 1 == 1 {
                at /= 2;
            }
            if at == 0 {
                return None;
            }
            at += 1;
        }
    }

    /// The SM of the largest value, ties to the lowest; of those with a value above 0. `bound` is
    /// at least the value of every SM that has this key or less.
    pub(crate) fn best<V: Ord + Default>(
        &self,
        need: &Key,
        bound: impl Fn(&Key) -> V,
        value: impl Fn(usize) -> V,
    ) -> Option<usize> {
        let (mut best, mut found) = (V::default(), None);
        let mut at = 1;
        while at > 0 && !self.is_stale.is_empty() {
            let node = &self.nodes[at];
            if covers(node, need) && bound(node) > best {
                if at < self.leaves {
                    at *= 2;
                    continue;
                }
                let sm = at - self.leaves;
                let value = if sm < self.is_stale.len() { value(sm) } else { V::default() };
                if value > best {
                    (best, found) = (value, Some(sm));
                }
            }
            while at & 1 == 1 {
                at /= 2;
            }
            if at > 0 {
                at += 1;
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Small deterministic numbers; the generator is xorshift.
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
        for count in [1usize, 2, 3, 5, 8, 13, 33] {
            let mut number = numbers(count as u64 * 7919);
            let mut keys = vec![[0; 4]; count];
            let mut index = Index::new(count);
            for _ in 0..400 {
                let sm = number(count as u64) as usize;
                keys[sm] = core::array::from_fn(|_| number(5) as i32 + 1);
                index.touch(sm);
                index.refresh(|sm| keys[sm]);
                let need: Key = core::array::from_fn(|_| number(6) as i32);
                let odd = number(2) == 0;
                let fits = |&sm: &usize| covers(&keys[sm], &need) && (!odd || sm % 2 == 1);
                let from = number(count as u64 + 1) as usize;
                let found = index.lowest(&need, from, |sm| !odd || sm % 2 == 1);
                assert_eq!(found, (from..count).find(fits), "{keys:?} {need:?}");
                let value = |sm: usize| if covers(&keys[sm], &need) { keys[sm][0] } else { 0 };
                let most = (0..count).map(value).max().unwrap();
                let expected = (0..count).find(|&sm| most > 0 && value(sm) == most);
                assert_eq!(index.best(&need, |key| key[0], value), expected);
            }
        }
    }

    #[test]
    fn an_index_of_nothing_finds_nothing() {
        let mut index = Index::new(0);
        index.refresh(|_| [9; 4]);
        assert_eq!(index.lowest(&[0; 4], 0, |_| true), None);
        assert_eq!(index.best(&[0; 4], |key| key[0] + 1, |_| 1), None);
    }

    #[test]
    fn priorities_at_the_end_of_the_range_are_never_missed() {
        let edge = u64::from(i32::MAX.unsigned_abs());
        for priority in [0, 1, 2, edge - 4, edge - 3, edge - 2, edge - 1, edge, u64::MAX] {
            for top in [None, Some(0), Some(1), Some(edge - 3), Some(edge - 2), Some(u64::MAX)] {
                let named = lowness(top) >= lower_than(priority);
                assert!(named || top >= Some(priority), "{top:?} below {priority}");
                let exact = priority < edge - 2;
                assert!(!exact || named == (top < Some(priority)), "{top:?} below {priority}");
            }
            assert!(lower_than(priority) >= 1);
        }
    }
}
