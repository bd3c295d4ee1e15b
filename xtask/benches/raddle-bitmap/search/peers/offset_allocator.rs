//! How fast is `offset-allocator`? Constant time, by bins of sizes; a search is a pair of allocating
//! and freeing.
//!
//! It rounds a request up to a bin and a free run down to one, so it can refuse what would fit, and
//! cannot say exactly how long the longest run is.

use offset_allocator::{Allocation, Allocator};

use crate::contender::{Contender, Exactness, FirstFit, Pool, is_free};

pub(crate) struct OffsetAllocator<const W: usize>(Allocator<u16>);

impl<const W: usize> OffsetAllocator<W> {
    const BLOCKS: u32 = 64 * W as u32;

    /// Runs of at least 4 blocks may be taken by requests, each with a free run beside it.
    fn new(size: u32, nodes: u32) -> Self {
        Self(Allocator::with_max_allocs(size, nodes))
    }

    fn must(&mut self, len: u32) -> Allocation<u16> {
        self.0.allocate(len).expect("twice as much is free, in one piece")
    }
}

impl<const W: usize> Contender for OffsetAllocator<W> {
    const NAME: &'static str = "offset-allocator";

    /// From one piece the allocator cuts runs in ascending order, so all runs are allocated as they
    /// lie and then the free ones are given back. A tail behind the map, as long as the map, keeps
    /// rounding from refusing any; it is allocated last.
    fn of(words: &[u64]) -> Self {
        let mut built = Self::new(2 * Self::BLOCKS, Self::BLOCKS + 8);
        let mut free = Vec::new();
        let mut at = 0;
        while at < Self::BLOCKS {
            let is_one = is_free(words, at);
            let mut len = 1;
            while at + len < Self::BLOCKS && is_free(words, at + len) == is_one {
                len += 1;
            }
            let run = built.must(len);
            assert_eq!(u32::from(run.offset), at, "one piece is cut in order");
            if is_one {
                free.push(run);
            }
            at += len;
        }
        // A power of two is a bin of its own.
        let _ = built.must(Self::BLOCKS);
        for run in free {
            built.0.free(run);
        }
        built
    }
}

impl<const W: usize> FirstFit for OffsetAllocator<W> {
    const EXACTNESS: Exactness = Exactness::Rounded;

    #[inline]
    fn first_fit(&mut self, want: u32) -> Option<u32> {
        let run = self.0.allocate(want)?;
        self.0.free(run);
        Some(run.offset.into())
    }
}

impl<const W: usize> Pool for OffsetAllocator<W> {
    type Held = Allocation<u16>;

    fn empty() -> Self {
        // Requests have 4 blocks or more, and between two of them is at most one free run.
        Self::new(Self::BLOCKS, Self::BLOCKS / 2 + 8)
    }

    #[inline]
    fn take(&mut self, len: u32) -> Option<Allocation<u16>> {
        self.0.allocate(len)
    }

    #[inline]
    fn give(&mut self, held: Allocation<u16>, _: u32) {
        self.0.free(held);
    }

    fn start(held: Allocation<u16>) -> u32 {
        held.offset.into()
    }
}
