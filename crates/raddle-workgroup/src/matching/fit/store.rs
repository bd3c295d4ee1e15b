//! Where is there a run of granules of one resource, on which of many units?
//!
//! One map a unit, all of one size, side by side in one list of words: bit `i % 64` of a map's word
//! `i / 64` is granule `i`, 1 = free.

use alloc::vec::Vec;

use raddle_bitmap::View;
use raddle_bitmap::portable::{self, NOWHERE};

use raddle_policy::MAX_SIMDS;

use super::finder::Finder;
use super::word;

const BITS: u32 = u64::BITS;

/// So many granules in a row.
#[derive(Clone, Copy, Debug)]
pub(super) struct RunLength {
    pub(super) granules: u32,
    /// As many of the lowest bits of a word, as far as it goes.
    ones: u64,
}

impl RunLength {
    pub(super) const fn new(granules: u32) -> Self {
        let ones = if granules < BITS { (1 << granules) - 1 } else { u64::MAX };
        Self { granules, ones }
    }
}

/// The maps of one resource.
#[derive(Clone, Debug)]
pub(super) struct MapArray {
    granules: u32,
    /// Words of a map.
    per: usize,
    words: Vec<u64>,
}

impl MapArray {
    /// `maps` maps of `granules` free granules each.
    pub(super) fn new(granules: u32, maps: usize) -> Self {
        let per = granules.div_ceil(BITS) as usize;
        let mut words = Vec::with_capacity(maps * per);
        for _ in 0..maps {
            let left = (0..granules).step_by(BITS as usize).map(|word| granules - word);
            words.extend(left.map(|left| RunLength::new(left).ones));
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
        portable::longest(self.map(at))
    }

    /// How long a run of one map a finder reports.
    pub(super) fn reported(&self, at: usize, finder: &Finder) -> u32 {
        View::new(self.map(at), self.granules).map_or(0, |map| finder.longest(map))
    }

    /// The lowest start of `want` free granules; a want of 0 starts at 0.
    #[inline(always)]
    pub(super) fn first_fit(&self, at: usize, want: u32) -> Option<u32> {
        if want == 0 {
            return Some(0);
        }
        let start = word::first_fit(self.map(at), want);
        (start < self.granules).then_some(start)
    }

    /// The lowest starts of `want` free granules, at least 1, in each of so many maps from `first`
    /// on; whether there are all.
    #[inline(always)]
    pub(super) fn first_fits(
        &self,
        first: usize,
        count: usize,
        want: u16,
        starts: &mut Starts,
    ) -> bool {
        if self.per == 1 && count == 4 {
            let (words, to) = (self.words[first..].first_chunk(), starts.first_chunk_mut());
            if let (Some(words), Some(to)) = (words, to) {
                return word::first_fits(words, want.into(), to);
            }
        }
        (0..count).all(|at| self.find_into(first + at, want, &mut starts[at % MAX_SIMDS]))
    }

    /// The lowest start of `want` free granules, at least 1; whether there is one.
    #[inline]
    pub(super) fn find_into(&self, at: usize, want: u16, start: &mut u16) -> bool {
        let found = word::first_fit(self.map(at), want.into());
        // No more granules than a u16 said.
        *start = found as u16;
        found < self.granules
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

    /// Takes a run of each of four maps from `first` on, of one word each, all known to be free;
    /// whether these are such maps.
    #[inline(always)]
    pub(super) fn take_four(&mut self, first: usize, starts: &Starts, len: RunLength) -> bool {
        let Some((words, runs)) = self.four(first, starts, len) else { return false };
        for (word, run) in words.iter_mut().zip(runs) {
            *word &= !run;
        }
        true
    }

    /// Gives back what [`Self::take_four`] takes.
    #[inline(always)]
    pub(super) fn give_four(&mut self, first: usize, starts: &Starts, len: RunLength) -> bool {
        let Some((words, runs)) = self.four(first, starts, len) else { return false };
        for (word, run) in words.iter_mut().zip(runs) {
            debug_assert_eq!(*word & run, 0, "{len:?} from {starts:?} were taken");
            *word |= run;
        }
        true
    }

    /// Four maps of a word, and a run of one length in each: what nearly all devices have, without a
    /// loop.
    #[inline(always)]
    fn four(
        &mut self,
        first: usize,
        starts: &Starts,
        len: RunLength,
    ) -> Option<(&mut [u64; 4], [u64; 4])> {
        if self.per != 1 {
            return None;
        }
        let &[a, b, c, d, ..] = starts;
        let words = self.words.get_mut(first..)?.first_chunk_mut()?;
        Some((words, [a, b, c, d].map(|start| len.ones << (u32::from(start) % BITS))))
    }

    /// Takes a run that is known to be free.
    #[inline(always)]
    pub(super) fn take(&mut self, at: usize, start: u32, len: RunLength) {
        debug_assert!(self.is_free(at, start, len.granules), "{len:?} from {start} were free");
        self.change(at, start, len, |word, run| word & !run);
    }

    /// Gives back a run that is known to be taken.
    #[inline(always)]
    pub(super) fn give(&mut self, at: usize, start: u32, len: RunLength) {
        self.change(at, start, len, |word, run| {
            debug_assert_eq!(word & run, 0, "{len:?} from {start} were taken");
            word | run
        });
    }

    /// Changes the words of a run; most often it is one.
    #[inline(always)]
    fn change(&mut self, at: usize, start: u32, len: RunLength, to: impl Fn(u64, u64) -> u64) {
        let bit = start % BITS;
        if bit + len.granules <= BITS {
            // Where there are no granules there is no word.
            if let Some(word) = self.words.get_mut(at * self.per + (start / BITS) as usize) {
                *word = to(*word, len.ones << bit);
            }
        } else {
            let map = &mut self.words[at * self.per..][..self.per];
            each_mask(start, len.granules, |word, run| map[word] = to(map[word], run));
        }
    }
}

/// First granules, by SIMD.
pub(super) type Starts = [u16; MAX_SIMDS];

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
    use crate::order::Seeded;

    #[test]
    fn every_map_answers_as_a_map_of_its_own_does() {
        let mut draws = Seeded::new(1);
        let mut draw = move |below: u32| (draws.next() % u64::from(below)) as u32;
        for granules in [1, 7, 63, 64, 65, 128, 200, 256, 300, 1_824] {
            let mut store = MapArray::new(granules, 3);
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
                        store.take(at, start, RunLength::new(want));
                        maps[at].take(start, want).unwrap();
                        runs.push((at, start, want));
                    }
                    _ if !runs.is_empty() => {
                        let (at, start, len) = runs.swap_remove(draw(runs.len() as u32) as usize);
                        store.give(at, start, RunLength::new(len));
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
        let mut draws = Seeded::new(1);
        let mut store = MapArray::new(64, 4);
        for want in (1..=64).chain([65, 200, u16::MAX]) {
            for _ in 0..60 {
                store.words.fill_with(|| draws.next() | draws.next() | draws.next());
                let (mut even, mut each) = ([0; MAX_SIMDS], [0; MAX_SIMDS]);
                let all = store.first_fits(0, 4, want, &mut even);
                let found = [0, 1, 2, 3].map(|at| store.find_into(at, want, &mut each[at]));
                assert_eq!(all, found == [true; 4], "{want}");
                assert!(!all || even == each, "{want}: {even:?}, {each:?}");
                let len = RunLength::new(want.into());
                let (before, mut one_by_one) = (store.clone(), store.clone());
                if all {
                    assert!(store.take_four(0, &even, len), "four words");
                    for (at, &start) in even[..4].iter().enumerate() {
                        one_by_one.take(at, start.into(), len);
                    }
                    assert_eq!(store.words, one_by_one.words);
                    assert!(store.give_four(0, &even, len), "four words");
                    assert_eq!(store.words, before.words);
                }
            }
        }
        assert!(
            !MapArray::new(65, 4).take_four(0, &[0; MAX_SIMDS], RunLength::new(1)),
            "two words each"
        );
        assert!(
            !MapArray::new(64, 3).take_four(0, &[0; MAX_SIMDS], RunLength::new(1)),
            "three maps"
        );
    }

    #[test]
    fn of_nothing_there_is_nothing() {
        let store = MapArray::new(0, 2);
        assert_eq!((store.first_fit(1, 0), store.first_fit(1, 1)), (Some(0), None));
        assert_eq!((store.free(1), store.longest(1), store.is_free(1, 0, 0)), (0, 0, true));
    }
}
