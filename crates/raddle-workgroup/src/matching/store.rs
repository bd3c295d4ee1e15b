//! Where is there a run of granules of one resource, on which of many units?
//!
//! One map a unit, all of one size, side by side in one list of words: bit `i % 64` of a map's word
//! `i / 64` is granule `i`, 1 = free.

use alloc::vec::Vec;

use raddle_bitmap::View;
use raddle_bitmap::portable::{NOWHERE, first_fit_portable, longest_portable};

use super::finder::Finder;
use super::word;

const BITS: u32 = u64::BITS;

/// The maps of one resource.
#[derive(Clone, Debug)]
pub(super) struct Store {
    granules: u32,
    /// Words of a map.
    per: usize,
    words: Vec<u64>,
}

impl Store {
    /// So many maps of so many free granules.
    pub(super) fn new(granules: u32, maps: usize) -> Self {
        let per = granules.div_ceil(BITS) as usize;
        let mut words = Vec::with_capacity(maps * per);
        for _ in 0..maps {
            let left = (0..granules).step_by(BITS as usize).map(|word| granules - word);
            words.extend(left.map(|left| word::run(0, left.min(BITS))));
        }
        Self { granules, per, words }
    }

    #[inline]
    fn map(&self, at: usize) -> &[u64] {
        &self.words[at * self.per..][..self.per]
    }

    /// Free granules of one map.
    #[inline(always)]
    pub(super) fn free(&self, at: usize) -> u32 {
        match *self.map(at) {
            [word] => word.count_ones(),
            ref words => words.iter().map(|word| word.count_ones()).sum(),
        }
    }

    /// The longest run of one map.
    pub(super) fn longest(&self, at: usize) -> u32 {
        longest_portable(self.map(at))
    }

    /// How long a run of one map a finder reports.
    pub(super) fn reported(&self, at: usize, finder: &Finder) -> u32 {
        View::new(self.map(at), self.granules).map_or(0, |map| finder.longest(map))
    }

    /// The lowest start of so many free granules; nothing lies at 0, everywhere.
    #[inline(always)]
    pub(super) fn first_fit(&self, at: usize, want: u32) -> Option<u32> {
        if want == 0 {
            return Some(0);
        }
        let start = match *self.map(at) {
            [word] => word::first_fit(word, want),
            ref words => first_fit_portable(words, 0, want),
        };
        (start < self.granules).then_some(start)
    }

    /// The lowest starts of so many free granules in each of the maps from `first` on; whether
    /// there are all. With `even` all wants are the same.
    #[inline(always)]
    pub(super) fn first_fits(
        &self,
        first: usize,
        wants: &[u16],
        even: bool,
        starts: &mut [u16],
    ) -> bool {
        if self.per != 1 {
            return self.each_first_fit(first, wants, starts);
        }
        let words = &self.words[first..first + wants.len()];
        if even && let (&[a, b, c, d], Some(to)) = (words, starts.first_chunk_mut()) {
            return word::first_fits(&[a, b, c, d], wants[0].into(), to);
        }
        let mut all = true;
        for ((start, &want), &word) in starts.iter_mut().zip(wants).zip(words) {
            let found = word::first_fit(word, want.into());
            all &= found < BITS;
            // A position of a word.
            *start = found as u16;
        }
        all
    }

    fn each_first_fit(&self, first: usize, wants: &[u16], starts: &mut [u16]) -> bool {
        starts.iter_mut().zip(wants).enumerate().all(|(at, (start, &want))| {
            let found = self.first_fit(first + at, want.into());
            // No more granules than a u16 said.
            found.inspect(|&found| *start = found as u16).is_some()
        })
    }

    /// Whether a run of each of the maps from `first` on is free.
    pub(super) fn are_free(&self, first: usize, starts: &[u16], lens: &[u16]) -> bool {
        let mut runs = starts.iter().zip(lens).enumerate();
        runs.all(|(at, (&start, &len))| self.is_free(first + at, start.into(), len.into()))
    }

    /// Whether a run is free.
    pub(super) fn is_free(&self, at: usize, start: u32, len: u32) -> bool {
        let map = self.map(at);
        let mut free = len <= self.granules && start <= self.granules - len;
        if free && len > 0 {
            each_mask(start, len, |word, mask| free &= mask & !map[word] == 0);
        }
        free
    }

    /// Takes a run of each of the maps from `first` on, all known to be free.
    #[inline(always)]
    pub(super) fn take_all(&mut self, first: usize, starts: &[u16], lens: &[u16], even: bool) {
        debug_assert!(self.are_free(first, starts, lens), "{lens:?} from {starts:?} were free");
        if self.per == 1 {
            if even && let Some((words, runs)) = self.four(first, starts, lens) {
                for (word, run) in words.iter_mut().zip(runs) {
                    *word &= !run;
                }
                return;
            }
            let words = &mut self.words[first..first + lens.len()];
            for (word, (&start, &len)) in words.iter_mut().zip(starts.iter().zip(lens)) {
                *word &= !word::run(start.into(), len.into());
            }
            return;
        }
        for (at, (&start, &len)) in starts.iter().zip(lens).enumerate() {
            self.take(first + at, start.into(), len.into());
        }
    }

    /// Four maps of a word, and a run in each of one length, if there are four; what nearly all
    /// devices have, without a loop.
    #[inline(always)]
    fn four(
        &mut self,
        first: usize,
        starts: &[u16],
        lens: &[u16],
    ) -> Option<(&mut [u64; 4], [u64; 4])> {
        let (&[len, _, _, _], &[a, b, c, d]) = (lens, starts.first_chunk()?) else { return None };
        let words = self.words.get_mut(first..)?.first_chunk_mut()?;
        Some((words, [a, b, c, d].map(|start| word::run(start.into(), len.into()))))
    }

    /// Gives back a run of each of the maps from `first` on, all known to be taken.
    #[inline(always)]
    pub(super) fn give_all(&mut self, first: usize, starts: &[u16], lens: &[u16], even: bool) {
        if self.per == 1 {
            if even && let Some((words, runs)) = self.four(first, starts, lens) {
                for (word, run) in words.iter_mut().zip(runs) {
                    debug_assert_eq!(*word & run, 0, "{lens:?} from {starts:?} were taken");
                    *word |= run;
                }
                return;
            }
            let words = &mut self.words[first..first + lens.len()];
            for (word, (&start, &len)) in words.iter_mut().zip(starts.iter().zip(lens)) {
                let run = word::run(start.into(), len.into());
                debug_assert_eq!(*word & run, 0, "{len} granules from {start} were taken");
                *word |= run;
            }
            return;
        }
        for (at, (&start, &len)) in starts.iter().zip(lens).enumerate() {
            self.give(first + at, start.into(), len.into());
        }
    }

    /// Takes a run that is known to be free.
    #[inline(always)]
    pub(super) fn take(&mut self, at: usize, start: u32, len: u32) {
        debug_assert!(self.is_free(at, start, len), "{len} granules from {start} were free");
        if len > 0 {
            let map = &mut self.words[at * self.per..][..self.per];
            each_mask(start, len, |word, mask| map[word] &= !mask);
        }
    }

    /// Gives back a run that is known to be taken.
    #[inline(always)]
    pub(super) fn give(&mut self, at: usize, start: u32, len: u32) {
        if len > 0 {
            let map = &mut self.words[at * self.per..][..self.per];
            each_mask(start, len, |word, mask| {
                debug_assert_eq!(map[word] & mask, 0, "{len} granules from {start} were taken");
                map[word] |= mask;
            });
        }
    }
}

/// The words that a run touches, and its bits in each; `len` at least 1.
#[inline]
fn each_mask(start: u32, len: u32, mut change: impl FnMut(usize, u64)) {
    let end = start + (len - 1);
    let (first, last) = ((start / BITS) as usize, (end / BITS) as usize);
    let (from, to) = (u64::MAX << (start % BITS), u64::MAX >> (BITS - 1 - end % BITS));
    if first == last {
        return change(first, from & to);
    }
    change(first, from);
    (first + 1..last).for_each(|word| change(word, u64::MAX));
    change(last, to);
}

const _: () = assert!(NOWHERE == u32::MAX, "no granule is there, however many there are");

#[cfg(test)]
mod tests {
    use alloc::vec;

    use raddle_bitmap::FreeMap;

    use super::*;
    use crate::contract::XorShift;

    #[test]
    fn every_map_answers_as_a_map_of_its_own_does() {
        let mut draws = XorShift::default();
        let mut draw = move |below: u32| (draws.draw() % u64::from(below)) as u32;
        for granules in [1, 7, 63, 64, 65, 128, 200, 256, 300, 1_824] {
            let mut store = Store::new(granules, 3);
            let mut maps = vec![FreeMap::new(granules).unwrap(); 3];
            let mut runs = vec![];
            for _ in 0..2_000 {
                let (at, want) = (draw(3) as usize, 1 + draw(granules.min(90)));
                let expected = maps[at].first_fit(want).map(|plan| plan.start());
                assert_eq!(store.first_fit(at, want), expected, "{want} of {granules}");
                let start = draw(granules + 3);
                assert_eq!(store.is_free(at, start, want), maps[at].fit_at(start, want).is_some());
                match expected {
                    Some(start) if draw(3) > 0 => {
                        store.take(at, start, want);
                        maps[at].take(start, want).unwrap();
                        runs.push((at, start, want));
                    }
                    _ if !runs.is_empty() => {
                        let (at, start, len) = runs.swap_remove(draw(runs.len() as u32) as usize);
                        store.give(at, start, len);
                        maps[at].release(start, len).unwrap();
                    }
                    _ => {}
                }
                let expected = (maps[at].longest(), maps[at].free_blocks());
                assert_eq!((store.longest(at), store.free(at)), expected);
            }
        }
    }

    #[test]
    fn four_at_once_are_four_one_by_one() {
        let mut draws = XorShift::default();
        let mut store = Store::new(64, 4);
        for want in (0..=64).chain([65, 200, u16::MAX]) {
            for _ in 0..60 {
                store.words.fill_with(|| draws.draw() | draws.draw() | draws.draw());
                let (mut even, mut each) = ([0; 4], [0; 4]);
                let all = store.first_fits(0, &[want; 4], true, &mut even);
                assert_eq!(all, store.each_first_fit(0, &[want; 4], &mut each), "{want}");
                assert!(!all || even == each, "{want}: {even:?}, {each:?}");
            }
        }
    }

    #[test]
    fn of_nothing_there_is_nothing() {
        let store = Store::new(0, 2);
        assert_eq!((store.first_fit(1, 0), store.first_fit(1, 1)), (Some(0), None));
        assert_eq!((store.free(1), store.longest(1), store.is_free(1, 0, 0)), (0, 0, true));
    }
}
