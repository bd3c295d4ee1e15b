//! How fast is `fixedbitset`? Over the ones, counting those in a row; ranges to take and to give.

use fixedbitset::FixedBitSet;

use crate::contender::{Contender, FirstFit, Longest, Pool, runs};

pub(crate) struct Fixedbitset<const W: usize>(FixedBitSet);

impl<const W: usize> Contender for Fixedbitset<W> {
    const NAME: &'static str = "fixedbitset";

    fn of(words: &[u64]) -> Self {
        let mut set = FixedBitSet::with_capacity(64 * W);
        for (start, end) in runs(words) {
            set.insert_range(start as usize..end as usize);
        }
        Self(set)
    }
}

impl<const W: usize> Longest for Fixedbitset<W> {
    #[inline]
    fn longest(&self) -> u32 {
        let (mut start, mut next, mut best) = (0, 0, 0);
        for block in self.0.ones() {
            if block != next {
                start = block;
            }
            next = block + 1;
            best = best.max(next - start);
        }
        best as u32
    }
}

impl<const W: usize> Fixedbitset<W> {
    #[inline]
    fn find(&self, want: usize) -> Option<usize> {
        let (mut start, mut next) = (0, 0);
        for block in self.0.ones() {
            if block != next {
                start = block;
            }
            next = block + 1;
            if next - start == want {
                return Some(start);
            }
        }
        None
    }
}

impl<const W: usize> FirstFit for Fixedbitset<W> {
    #[inline]
    fn first_fit(&mut self, want: u32) -> Option<u32> {
        self.find(want as usize).map(|start| start as u32)
    }
}

impl<const W: usize> Pool for Fixedbitset<W> {
    type Held = u32;

    fn empty() -> Self {
        Self::of(&[u64::MAX; W])
    }

    #[inline]
    fn take(&mut self, len: u32) -> Option<u32> {
        let start = self.find(len as usize)?;
        self.0.remove_range(start..start + len as usize);
        Some(start as u32)
    }

    #[inline]
    fn give(&mut self, start: u32, len: u32) {
        self.0.insert_range(start as usize..(start + len) as usize);
    }

    fn start(held: u32) -> u32 {
        held
    }
}
