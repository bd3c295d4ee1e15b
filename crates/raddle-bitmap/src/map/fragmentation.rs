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

impl Fragmentation {
    /// Free blocks that are not in the longest run: what the largest request cannot have.
    #[must_use]
    pub const fn scattered(&self) -> u32 {
        self.free - self.longest
    }

    /// [`scattered`](Self::scattered) in parts per million of what is free, rounded down; 0 where
    /// nothing is free.
    #[must_use]
    pub const fn scattered_ppm(&self) -> u32 {
        if self.free == 0 {
            return 0;
        }
        // At most a million.
        (self.scattered() as u64 * 1_000_000 / self.free as u64) as u32
    }
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

/// Requests counted, with what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Refusals {
    /// Requests in all.
    pub asked: u64,
    /// Those that did not fit.
    pub refused: u64,
    /// Those of them for which the sum of the free blocks would have been enough.
    pub fragmented: u64,
}

impl Refusals {
    /// Counts one request by its outcome.
    pub const fn count(&mut self, outcome: Option<FitRefusal>) {
        self.asked += 1;
        if let Some(refusal) = outcome {
            self.refused += 1;
            self.fragmented += refusal.is_fragmentation() as u64;
        }
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
    /// use raddle_bitmap::{FreeMap, Polarity, Refusals};
    ///
    /// let map = FreeMap::from_digits("01101110", Polarity::FreeIsOne)?;
    /// let mut counted = Refusals::default();
    /// for want in 1..=8 {
    ///     counted.count(map.refusal(want));
    /// }
    /// assert_eq!((counted.asked, counted.refused, counted.fragmented), (8, 5, 2));
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
