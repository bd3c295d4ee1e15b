//! How fast is `rangemap`? A set of the free ranges, looked through in order.

use rangemap::RangeSet;

use crate::contender::{Contender, FirstFit, Longest, Pool, runs};

pub(crate) struct Rangemap<const W: usize>(RangeSet<u32>);

impl<const W: usize> Contender for Rangemap<W> {
    const NAME: &'static str = "rangemap";

    fn of(words: &[u64]) -> Self {
        Self(runs(words).into_iter().map(|(start, end)| start..end).collect())
    }
}

impl<const W: usize> Longest for Rangemap<W> {
    #[inline]
    fn longest(&self) -> u32 {
        self.0.iter().map(|run| run.end - run.start).max().unwrap_or(0)
    }
}

impl<const W: usize> Rangemap<W> {
    #[inline]
    fn find(&self, want: u32) -> Option<u32> {
        self.0.iter().find(|run| run.end - run.start >= want).map(|run| run.start)
    }
}

impl<const W: usize> FirstFit for Rangemap<W> {
    #[inline]
    fn first_fit(&mut self, want: u32) -> Option<u32> {
        self.find(want)
    }
}

impl<const W: usize> Pool for Rangemap<W> {
    type Held = u32;

    fn empty() -> Self {
        Self::of(&[u64::MAX; W])
    }

    #[inline]
    fn take(&mut self, len: u32) -> Option<u32> {
        let start = self.find(len)?;
        self.0.remove(start..start + len);
        Some(start)
    }

    #[inline]
    fn give(&mut self, start: u32, len: u32) {
        self.0.insert(start..start + len);
    }

    fn start(held: u32) -> u32 {
        held
    }
}
