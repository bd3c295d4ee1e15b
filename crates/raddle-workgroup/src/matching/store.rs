//! Where is there a run of granules of one resource, on which of many units?
//!
//! One map a unit, all of one size, side by side; what most devices have lies in place.

use alloc::vec;
use alloc::vec::Vec;

use raddle_bitmap::{FreeMap, Map128, Map256, View};

use super::finder::Finder;
use super::word;

/// The maps of one resource.
#[derive(Clone, Debug)]
pub(super) enum Store {
    /// Nothing of it, anywhere.
    None,
    /// At most 64 granules each; so many.
    Words(u32, Vec<u64>),
    W2(Vec<Map128>),
    W4(Vec<Map256>),
    Wide(Vec<FreeMap>),
}

impl Store {
    /// So many maps of so many free granules.
    pub(super) fn new(granules: u32, maps: usize) -> Self {
        if (1..=u64::BITS).contains(&granules) {
            return Self::Words(granules, vec![word::free(granules); maps]);
        }
        let medium = || Map128::new(granules).map(|map| Self::W2(vec![map; maps]));
        let large = || Map256::new(granules).map(|map| Self::W4(vec![map; maps]));
        let wide = || FreeMap::new(granules).map(|map| Self::Wide(vec![map; maps]));
        // The one thing that is refused in the end is a map without granules.
        medium().or_else(|_| large()).or_else(|_| wide()).unwrap_or(Self::None)
    }

    /// Free granules of one map.
    #[inline]
    pub(super) fn free(&self, at: usize) -> u32 {
        match self {
            Self::None => 0,
            Self::Words(_, words) => words[at].count_ones(),
            Self::W2(maps) => maps[at].free_blocks(),
            Self::W4(maps) => maps[at].free_blocks(),
            Self::Wide(maps) => maps[at].free_blocks(),
        }
    }

    /// The longest run of one map.
    pub(super) fn longest(&self, at: usize) -> u32 {
        match self {
            Self::None => 0,
            Self::Words(_, words) => word::longest(words[at]),
            Self::W2(maps) => maps[at].longest(),
            Self::W4(maps) => maps[at].longest(),
            Self::Wide(maps) => maps[at].longest(),
        }
    }

    /// How long a run of one map a finder reports.
    pub(super) fn reported(&self, at: usize, finder: &Finder) -> u32 {
        match self {
            Self::None => 0,
            Self::Words(granules, words) => {
                View::new(&words[at..=at], *granules).map_or(0, |map| finder.longest(map))
            }
            Self::W2(maps) => finder.longest(maps[at].view()),
            Self::W4(maps) => finder.longest(maps[at].view()),
            Self::Wide(maps) => finder.longest(maps[at].view()),
        }
    }

    /// The lowest start of so many free granules; nothing lies at 0, everywhere.
    #[inline]
    pub(super) fn first_fit(&self, at: usize, want: u32) -> Option<u32> {
        if want == 0 {
            return Some(0);
        }
        match self {
            Self::None => None,
            Self::Words(_, words) => {
                let start = word::first_fit(words[at], want);
                (start < u64::BITS).then_some(start)
            }
            Self::W2(maps) => maps[at].first_fit(want).map(|plan| plan.start()),
            Self::W4(maps) => maps[at].first_fit(want).map(|plan| plan.start()),
            Self::Wide(maps) => maps[at].first_fit(want).map(|plan| plan.start()),
        }
    }

    /// The lowest starts of so many free granules in each of the maps from `first` on; whether
    /// there are all.
    #[inline]
    pub(super) fn first_fits(&self, first: usize, wants: &[u16], starts: &mut [u16]) -> bool {
        if let Self::Words(_, words) = self {
            let words = &words[first..first + wants.len()];
            let mut all = true;
            for ((start, &want), &word) in starts.iter_mut().zip(wants).zip(words) {
                let found = word::first_fit(word, want.into());
                all &= found < u64::BITS;
                // A position of a word.
                *start = found as u16;
            }
            return all;
        }
        starts.iter_mut().zip(wants).enumerate().all(|(at, (start, &want))| {
            // No more granules than a u16 said.
            self.first_fit(first + at, want.into())
                .inspect(|&found| *start = found as u16)
                .is_some()
        })
    }

    /// Takes a run of each of the maps from `first` on, if all are free; or nothing.
    #[inline]
    pub(super) fn take_all(&mut self, first: usize, starts: &[u16], lens: &[u16]) -> bool {
        let count = lens.len();
        if let Self::Words(_, words) = self {
            let words = &mut words[first..first + count];
            let runs = || starts.iter().zip(lens);
            let free = words
                .iter()
                .zip(runs())
                .all(|(&word, (&start, &len))| word::is_free(word, start.into(), len.into()));
            if free {
                for (word, (&start, &len)) in words.iter_mut().zip(runs()) {
                    *word &= !word::run(start.into(), len.into());
                }
            }
            return free;
        }
        for at in 0..count {
            if !self.take(first + at, starts[at].into(), lens[at].into()) {
                self.give_all(first, &starts[..at], &lens[..at]);
                return false;
            }
        }
        true
    }

    /// Gives back a run of each of the maps from `first` on, all known to be taken.
    #[inline]
    pub(super) fn give_all(&mut self, first: usize, starts: &[u16], lens: &[u16]) {
        if let Self::Words(_, words) = self {
            let words = &mut words[first..first + lens.len()];
            for (word, (&start, &len)) in words.iter_mut().zip(starts.iter().zip(lens)) {
                word::give(word, start.into(), len.into());
            }
            return;
        }
        for (at, (&start, &len)) in starts.iter().zip(lens).enumerate() {
            self.give(first + at, start.into(), len.into());
        }
    }

    /// Takes a run, if it is free.
    #[inline]
    pub(super) fn take(&mut self, at: usize, start: u32, len: u32) -> bool {
        if len == 0 {
            return true;
        }
        match self {
            Self::None => false,
            Self::Words(_, words) => {
                let free = word::is_free(words[at], start, len);
                if free {
                    words[at] &= !word::run(start, len);
                }
                free
            }
            Self::W2(maps) => maps[at].take(start, len).is_ok(),
            Self::W4(maps) => maps[at].take(start, len).is_ok(),
            Self::Wide(maps) => maps[at].take(start, len).is_ok(),
        }
    }

    /// Gives back a run that is known to be taken.
    #[inline]
    pub(super) fn give(&mut self, at: usize, start: u32, len: u32) {
        if len == 0 {
            return;
        }
        let given = match self {
            Self::None => return,
            Self::Words(_, words) => return word::give(&mut words[at], start, len),
            Self::W2(maps) => maps[at].release(start, len),
            Self::W4(maps) => maps[at].release(start, len),
            Self::Wide(maps) => maps[at].release(start, len),
        };
        debug_assert!(given.is_ok(), "{len} granules from {start} were taken");
    }
}
