//! How fast is `roaring`? From run to run with `next_range`; ranges to take and to give.

use roaring::RoaringBitmap;

use crate::contender::{Contender, FirstFit, Longest, Pool, runs};

pub(crate) struct Roaring<const W: usize>(RoaringBitmap);

impl<const W: usize> Contender for Roaring<W> {
    const NAME: &'static str = "roaring";

    fn of(words: &[u64]) -> Self {
        let mut set = RoaringBitmap::new();
        for (start, end) in runs(words) {
            set.insert_range(start..end);
        }
        Self(set)
    }
}

/// The first run of at least so many.
#[inline]
fn find(set: &RoaringBitmap, want: u32) -> Option<u32> {
    let mut at = set.iter();
    while let Some(run) = at.next_range() {
        if run.end() - run.start() >= want - 1 {
            return Some(*run.start());
        }
    }
    None
}

#[inline]
fn longest(set: &RoaringBitmap) -> u32 {
    let (mut at, mut best) = (set.iter(), 0);
    while let Some(run) = at.next_range() {
        best = best.max(run.end() - run.start() + 1);
    }
    best
}

impl<const W: usize> Longest for Roaring<W> {
    #[inline]
    fn longest(&self) -> u32 {
        longest(&self.0)
    }
}

impl<const W: usize> FirstFit for Roaring<W> {
    #[inline]
    fn first_fit(&mut self, want: u32) -> Option<u32> {
        find(&self.0, want)
    }
}

impl<const W: usize> Pool for Roaring<W> {
    type Held = u32;

    fn empty() -> Self {
        Self::of(&[u64::MAX; W])
    }

    #[inline]
    fn take(&mut self, len: u32) -> Option<u32> {
        let start = find(&self.0, len)?;
        self.0.remove_range(start..start + len);
        Some(start)
    }

    #[inline]
    fn give(&mut self, start: u32, len: u32) {
        self.0.insert_range(start..start + len);
    }

    fn start(held: u32) -> u32 {
        held
    }
}

/// The same after `optimize`, which stores runs as runs where that is smaller.
pub(crate) struct RoaringRuns<const W: usize>(RoaringBitmap);

impl<const W: usize> Contender for RoaringRuns<W> {
    const NAME: &'static str = "roaring-runs";

    fn of(words: &[u64]) -> Self {
        let Roaring(mut set) = Roaring::<W>::of(words);
        set.optimize();
        Self(set)
    }
}

impl<const W: usize> Longest for RoaringRuns<W> {
    #[inline]
    fn longest(&self) -> u32 {
        longest(&self.0)
    }
}

impl<const W: usize> FirstFit for RoaringRuns<W> {
    #[inline]
    fn first_fit(&mut self, want: u32) -> Option<u32> {
        find(&self.0, want)
    }
}
