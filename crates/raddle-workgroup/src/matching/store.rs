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
            Self::Words(_, words) => word::first_fit(words[at], want),
            Self::W2(maps) => maps[at].first_fit(want).map(|plan| plan.start()),
            Self::W4(maps) => maps[at].first_fit(want).map(|plan| plan.start()),
            Self::Wide(maps) => maps[at].first_fit(want).map(|plan| plan.start()),
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
            Self::Words(_, words) => word::take(&mut words[at], start, len),
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
