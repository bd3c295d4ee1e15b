//! How much of what is free cannot be had in one piece?

use core::fmt;

use super::FreeMap;

/// How the free blocks of a map lie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fragmentation {
    /// Free blocks in all.
    pub free: u32,
    /// The longest run of them.
    pub longest: u32,
    /// How many runs they lie in.
    pub runs: u32,
}

/// Why a request does not fit: what was wanted, and what is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FitRefusal {
    /// Blocks wanted in one run.
    pub want: u32,
    /// Free blocks in all.
    pub free: u32,
    /// The longest run of them.
    pub longest: u32,
}

impl FitRefusal {
    /// Whether the sum would have fitted: the free blocks are enough, but lie in pieces too small.
    #[must_use]
    pub const fn is_fragmentation(&self) -> bool {
        self.want <= self.free
    }

    /// How many blocks the longest run lacks.
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
    /// How the free blocks lie.
    #[must_use]
    pub fn fragmentation(&self) -> Fragmentation {
        let mut found = Fragmentation { free: self.free_blocks(), ..Fragmentation::default() };
        for (_, len) in self.runs() {
            found.runs += 1;
            found.longest = found.longest.max(len);
        }
        found
    }

    /// Why `want` blocks in one run are not to be had; `None` where they are.
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
