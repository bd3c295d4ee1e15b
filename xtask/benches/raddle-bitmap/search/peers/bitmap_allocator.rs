//! How fast is `bitmap-allocator`? A tree of 16-bit words, searched block by block; a search is a
//! pair of allocating and freeing.
//!
//! Its sizes are powers of 16: 256 blocks for small maps, 4,096 for large ones, the rest never free.

use bitmap_allocator::{BitAlloc, BitAlloc4K, BitAlloc256};

use crate::contender::{Contender, FirstFit, Longest, Pool, runs};

pub(crate) struct BitmapAllocator<A, const W: usize>(A);
/// For 64 and 128 blocks.
pub(crate) type Small<const W: usize> = BitmapAllocator<BitAlloc256, W>;
/// For 2,048 blocks.
pub(crate) type Large<const W: usize> = BitmapAllocator<BitAlloc4K, W>;

impl<A: BitAlloc, const W: usize> Contender for BitmapAllocator<A, W> {
    const NAME: &'static str = "bitmap-allocator";

    fn of(words: &[u64]) -> Self {
        let mut tree = A::default();
        for (start, end) in runs(words) {
            tree.insert(start as usize..end as usize);
        }
        Self(tree)
    }
}

impl<A: BitAlloc, const W: usize> Longest for BitmapAllocator<A, W> {
    #[inline]
    fn longest(&self) -> u32 {
        let (mut at, mut best) = (0, 0);
        while let Some(start) = self.0.next(at) {
            let mut end = start + 1;
            while end < 64 * W && self.0.test(end) {
                end += 1;
            }
            best = best.max(end - start);
            at = end;
            if at == A::CAP {
                break;
            }
        }
        best as u32
    }
}

impl<A: BitAlloc, const W: usize> FirstFit for BitmapAllocator<A, W> {
    #[inline]
    fn first_fit(&mut self, want: u32) -> Option<u32> {
        let start = self.0.alloc_contiguous(None, want as usize, 0)?;
        self.0.dealloc_contiguous(start, want as usize);
        Some(start as u32)
    }
}

impl<A: BitAlloc, const W: usize> Pool for BitmapAllocator<A, W> {
    type Held = u32;

    fn empty() -> Self {
        Self::of(&[u64::MAX; W])
    }

    #[inline]
    fn take(&mut self, len: u32) -> Option<u32> {
        self.0.alloc_contiguous(None, len as usize, 0).map(|start| start as u32)
    }

    #[inline]
    fn give(&mut self, start: u32, len: u32) {
        self.0.dealloc_contiguous(start as usize, len as usize);
    }

    fn start(held: u32) -> u32 {
        held
    }
}
