//! What did a search find, before anybody takes it?

use crate::words;

/// A free run that a search found. Nothing is reserved: only [`FreeMap::commit`](crate::FreeMap::commit)
/// takes it.
///
/// Neither `Copy` nor `Clone`, so that no run is taken twice.
///
/// ```compile_fail,E0277
/// fn twice<T: Clone>(_: T) {}
/// twice(raddle_bitmap::FreeMap::new(8).unwrap().first_fit(1));
/// ```
#[derive(Debug, PartialEq, Eq)]
#[must_use = "a plan reserves nothing; give it to `commit`"]
pub struct RunPlan {
    start: u32,
    len: u32,
}

impl RunPlan {
    #[inline]
    pub(crate) const fn new(start: u32, len: u32) -> Self {
        Self { start, len }
    }

    /// The lowest `want` ones in a row at or after `from`; nothing lies at 0, always.
    #[inline]
    pub(crate) fn first(words: &[u64], from: u32, want: u32) -> Option<Self> {
        let start = if want == 0 { 0 } else { words::first_fit(words, from, want) };
        (start != words::NOWHERE).then_some(Self::new(start, want))
    }

    /// The first block of the run; 0 for an empty one.
    #[must_use]
    pub const fn start(&self) -> u32 {
        self.start
    }

    /// How many blocks the run has.
    #[must_use]
    pub const fn len(&self) -> u32 {
        self.len
    }

    /// Whether the run has no block: it takes nothing.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }
}
