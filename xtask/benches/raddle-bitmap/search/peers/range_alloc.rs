//! How fast is `range-alloc`? It allocates best fit; a search is a pair of allocating and freeing.

use range_alloc::RangeAllocator;

use crate::contender::{Contender, Exactness, FirstFit, Longest, Pool, runs};

pub(crate) struct RangeAlloc<const W: usize>(RangeAllocator<u32>);

impl<const W: usize> RangeAlloc<W> {
    const BLOCKS: u32 = 64 * W as u32;
}

impl<const W: usize> Contender for RangeAlloc<W> {
    const NAME: &'static str = "range-alloc";

    fn of(words: &[u64]) -> Self {
        let mut ranges = RangeAllocator::new(0..Self::BLOCKS);
        // All of it at once; then back what is free.
        let all = ranges.allocate_range(Self::BLOCKS);
        assert!(all.is_ok(), "a new allocator has one free range");
        for (start, end) in runs(words) {
            ranges.free_range(start..end);
        }
        Self(ranges)
    }
}

impl<const W: usize> Longest for RangeAlloc<W> {
    /// The largest gap between what is allocated.
    #[inline]
    fn longest(&self) -> u32 {
        let (mut at, mut best) = (0, 0);
        for range in self.0.allocated_ranges() {
            best = best.max(range.start - at);
            at = range.end;
        }
        best.max(Self::BLOCKS - at)
    }
}

impl<const W: usize> FirstFit for RangeAlloc<W> {
    const EXACTNESS: Exactness = Exactness::Any;

    #[inline]
    fn first_fit(&mut self, want: u32) -> Option<u32> {
        let range = self.0.allocate_range(want).ok()?;
        let start = range.start;
        self.0.free_range(range);
        Some(start)
    }
}

impl<const W: usize> Pool for RangeAlloc<W> {
    type Held = u32;

    fn empty() -> Self {
        Self(RangeAllocator::new(0..Self::BLOCKS))
    }

    #[inline]
    fn take(&mut self, len: u32) -> Option<u32> {
        self.0.allocate_range(len).ok().map(|range| range.start)
    }

    #[inline]
    fn give(&mut self, start: u32, len: u32) {
        self.0.free_range(start..start + len);
    }

    fn start(held: u32) -> u32 {
        held
    }
}
