//! Which workgroup slots of a compute unit are meant?
//!
//! A set of small numbers. Hardware has at most some 40 slots a unit, so one word nearly always
//! does; what goes beyond is kept in further words.

/// A set of slots.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Slots {
    low: u64,
    /// Slots 64 and up, 64 a word.
    more: Vec<u64>,
}

impl Slots {
    pub(super) fn is_empty(&self) -> bool {
        self.low == 0 && self.more.iter().all(|&word| word == 0)
    }

    pub(super) fn count(&self) -> u64 {
        let more: u32 = self.more.iter().map(|word| word.count_ones()).sum();
        u64::from(self.low.count_ones() + more)
    }

    /// The words that are not empty: which one, and its slots.
    pub(super) fn words(&self) -> impl Iterator<Item = (u16, u64)> {
        let all = std::iter::once(self.low).chain(self.more.iter().copied());
        (0u16..).zip(all).filter(|&(_, word)| word != 0)
    }

    /// Adds the `count` lowest slots that are not in it yet; which they are.
    pub(super) fn take_lowest(&mut self, count: u32) -> Self {
        let (low, mut left) = lowest_free(self.low, count);
        self.low |= low;
        let mut taken = Self { low, more: Vec::new() };
        let mut at = 0;
        while left > 0 {
            if at == self.more.len() {
                self.more.push(0);
            }
            let (word, rest) = lowest_free(self.more[at], left);
            self.more[at] |= word;
            taken.more.push(word);
            left = rest;
            at += 1;
        }
        taken
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.low |= other.low;
        if self.more.len() < other.more.len() {
            self.more.resize(other.more.len(), 0);
        }
        for (word, more) in self.more.iter_mut().zip(&other.more) {
            *word |= more;
        }
    }

    pub(super) fn remove(&mut self, other: &Self) {
        self.low &= !other.low;
        for (word, less) in self.more.iter_mut().zip(&other.more) {
            *word &= !less;
        }
    }

    /// Whether all of another set is in it.
    pub(super) fn holds(&self, other: &Self) -> bool {
        let more = |(at, &word): (usize, &u64)| word & !self.more.get(at).unwrap_or(&0) == 0;
        other.low & !self.low == 0 && other.more.iter().enumerate().all(more)
    }

    /// Removes what is in both; which that was.
    pub(super) fn split(&mut self, other: &Self) -> Self {
        let more = self.more.iter().zip(&other.more).map(|(a, b)| a & b).collect();
        let both = Self { low: self.low & other.low, more };
        self.remove(&both);
        both
    }
}

/// The `count` lowest slots that a word leaves free, and how many more are wanted.
fn lowest_free(word: u64, count: u32) -> (u64, u32) {
    let mut free = !word;
    if count >= free.count_ones() {
        return (free, count - free.count_ones());
    }
    let (mut taken, mut left) = (0u64, count);
    while left > 0 {
        // A run of free slots at a time; fewer are wanted than are free, so no shift is by 64.
        let from = free.trailing_zeros();
        let run = (!(free >> from)).trailing_zeros().min(left);
        let bits = ((1u64 << run) - 1) << from;
        taken |= bits;
        free &= !bits;
        left -= run;
    }
    (taken, 0)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn listed(slots: &Slots) -> BTreeSet<u32> {
        let words = slots.words().flat_map(|(at, word)| {
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| u32::from(at) * 64 + bit)
        });
        words.collect()
    }

    proptest! {
        #[test]
        fn a_set_of_slots_is_a_set(steps in prop::collection::vec((0u32..90, any::<u64>()), 1..20)) {
            let (mut slots, mut naive) = (Slots::default(), BTreeSet::new());
            for (count, some) in steps {
                let taken = slots.take_lowest(count);
                let wanted: Vec<u32> =
                    (0..).filter(|slot| !naive.contains(slot)).take(count as usize).collect();
                prop_assert_eq!(listed(&taken), wanted.iter().copied().collect());
                naive.extend(wanted);
                let other = Slots { low: some, more: vec![some.rotate_left(7)] };
                let both = slots.split(&other);
                let also: BTreeSet<u32> = naive.intersection(&listed(&other)).copied().collect();
                prop_assert_eq!(listed(&both), also.clone());
                prop_assert_eq!(slots.holds(&both), also.is_empty());
                prop_assert!(other.holds(&both));
                naive.retain(|slot| !also.contains(slot));
                if some & 1 == 1 {
                    slots.add(&both);
                    naive.extend(also);
                }
                prop_assert_eq!(slots.count(), naive.len() as u64);
                prop_assert_eq!(slots.is_empty(), naive.is_empty());
                prop_assert_eq!(listed(&slots), naive.clone());
            }
        }
    }
}
