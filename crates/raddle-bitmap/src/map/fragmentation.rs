//! How many free blocks of a map cannot be had in one run?

use core::fmt;

use super::FreeMap;

/// Measure of how fragmented a map is: the number of its free blocks, the number of runs (free
/// blocks in a row) in which they lie, and the length of the longest run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fragmentation {
    pub(crate) free: u32,
    pub(crate) longest: u32,
    pub(crate) runs: u32,
}

impl Fragmentation {
    /// Returns the number of free blocks of the map.
    #[must_use]
    pub const fn free(&self) -> u32 {
        self.free
    }

    /// Returns the length of the map's longest free run (free blocks in a row), in blocks.
    #[must_use]
    pub const fn longest(&self) -> u32 {
        self.longest
    }

    /// Returns the number of the map's free runs (free blocks in a row).
    #[must_use]
    pub const fn runs(&self) -> u32 {
        self.runs
    }
}

/// Reason why a request does not fit into a map: the number of blocks that it wants, the number of
/// free blocks, and the length of the longest free run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FitRefusal {
    pub(crate) want: u32,
    pub(crate) free: u32,
    pub(crate) longest: u32,
}

impl FitRefusal {
    /// Returns the number of free blocks of the map.
    #[must_use]
    pub const fn free(&self) -> u32 {
        self.free
    }

    /// Returns the length of the map's longest free run (free blocks in a row), in blocks.
    #[must_use]
    pub const fn longest(&self) -> u32 {
        self.longest
    }
}

impl FitRefusal {
    /// Returns whether the map has enough free blocks for the request in all, but only in runs that
    /// are too short.
    #[must_use]
    pub const fn is_fragmentation(&self) -> bool {
        self.want <= self.free
    }

    /// Returns the number of blocks by which the longest free run is too short for the request.
    #[must_use]
    pub const fn missing(&self) -> u32 {
        self.want - self.longest
    }
}

impl fmt::Display for FitRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { want, free, longest } = self;
        write!(f, "{want} blocks in one run are wanted, {free} are free, {longest} in one run")
    }
}

impl FreeMap {
    /// Returns how fragmented the map is: its number of free blocks, the number of runs (free
    /// blocks in a row) in which they lie, and the longest run.
    #[must_use]
    pub fn fragmentation(&self) -> Fragmentation {
        let mut found = Fragmentation { free: self.free_blocks(), ..Fragmentation::default() };
        for (_, len) in self.runs() {
            found.runs += 1;
            found.longest = found.longest.max(len);
        }
        found
    }

    /// Returns the reason why `want` free blocks in a row do not exist in the map; `None` if they
    /// exist.
    ///
    /// ```
    /// use raddle_bitmap::{FreeMap, Polarity};
    ///
    /// let map = FreeMap::from_digits("01101110", Polarity::FreeIsOne)?;
    /// assert_eq!(map.refusal(3), None);
    /// let refusal = map.refusal(4).expect("3 is the most");
    /// assert!(refusal.is_fragmentation() && refusal.missing() == 1);
    /// # Ok::<(), raddle_bitmap::Error>(())
    /// ```
    #[must_use]
    pub fn refusal(&self, want: u32) -> Option<FitRefusal> {
        let (free, longest) = (self.free_blocks(), self.longest());
        (want > longest).then_some(FitRefusal { want, free, longest })
    }
}
