//! How fast is the way in which the page allocator of the Go runtime searches its bitmaps?
//!
//! The longest run as `summarize` finds it: first the runs that touch an end of a word, joined over
//! the borders; then, where a run inside a word could still be longer, all runs of that word are
//! shrunk by the best so far, and what is left makes it longer. The first run as `findSmallN` (up to
//! 64 blocks) and `findLargeN` find it. The map is kept as there, 1 = taken.

use crate::contender::{Contender, FirstFit, Longest, Pool};

use super::{set_run, taken};

pub(crate) struct Go<const W: usize>([u64; W]);

impl<const W: usize> Contender for Go<W> {
    const NAME: &'static str = "go";

    fn of(words: &[u64]) -> Self {
        Self(taken(words))
    }
}

impl<const W: usize> Longest for Go<W> {
    #[inline]
    fn longest(&self) -> u32 {
        let (mut most, mut run) = (0, 0);
        for &word in &self.0 {
            if word == 0 {
                run += 64;
                continue;
            }
            most = most.max(run + word.trailing_zeros());
            run = word.leading_zeros();
        }
        most = most.max(run);
        // Between two taken blocks of one word there is no room for more.
        if most >= 62 {
            return most;
        }
        for &word in &self.0 {
            most = inside(word, most);
        }
        most
    }
}

/// The longest run of zeros between two ones of a word, or `most` if that is longer.
#[inline]
fn inside(word: u64, mut most: u32) -> u32 {
    // The zeros below the lowest one touch the end.
    let mut map = word >> (word.trailing_zeros() & 63);
    let mut shrink = most;
    // A block of ones at the bottom and zeros above: no run is left.
    let is_done = |map: u64| map & map.wrapping_add(1) == 0;
    if is_done(map) {
        return most;
    }
    // Every row of ones has grown to at least so many.
    let mut grown = 1;
    loop {
        while shrink > 0 {
            let by = shrink.min(grown);
            map |= map >> (by & 63);
            if is_done(map) {
                return most;
            }
            shrink -= by;
            grown += by;
        }
        // What is left of the lowest run is by how much it is longer than the best.
        map >>= map.trailing_ones() & 63;
        let more = map.trailing_zeros();
        map >>= more & 63;
        most += more;
        if is_done(map) {
            return most;
        }
        shrink = more;
    }
}

impl<const W: usize> Go<W> {
    /// Up to 64 blocks: in the zeros that one word ends and the next begins with, or in one word.
    #[inline]
    fn find_small(&self, want: u32) -> Option<u32> {
        let mut end = 0;
        for (at, &word) in self.0.iter().enumerate() {
            if word == u64::MAX {
                end = 0;
                continue;
            }
            let base = 64 * at as u32;
            if end + word.trailing_zeros() >= want {
                return Some(base - end);
            }
            let within = find_in(!word, want);
            if within < 64 {
                return Some(base + within);
            }
            end = word.leading_zeros();
        }
        None
    }

    /// More than 64 blocks: no such run begins and ends in one word.
    #[inline]
    fn find_large(&self, want: u32) -> Option<u32> {
        let (mut start, mut size) = (0, 0);
        for (at, &word) in self.0.iter().enumerate() {
            let next = 64 * (at as u32 + 1);
            if word == u64::MAX {
                size = 0;
                continue;
            }
            let below = word.trailing_zeros();
            if size > 0 && size + below >= want {
                return Some(start);
            }
            if size > 0 && below == 64 {
                size += 64;
                continue;
            }
            size = word.leading_zeros();
            start = next - size;
        }
        None
    }

    #[inline]
    fn find(&self, want: u32) -> Option<u32> {
        if want <= 64 { self.find_small(want) } else { self.find_large(want) }
    }
}

/// The lowest start of so many ones in a word; 64 or more where there is none.
#[inline]
fn find_in(mut ones: u64, want: u32) -> u32 {
    let (mut left, mut step) = (want - 1, 1);
    while left > 0 {
        if left <= step {
            ones &= ones >> (left & 63);
            break;
        }
        ones &= ones >> (step & 63);
        if ones == 0 {
            return 64;
        }
        left -= step;
        step *= 2;
    }
    ones.trailing_zeros()
}

impl<const W: usize> FirstFit for Go<W> {
    #[inline]
    fn first_fit(&mut self, want: u32) -> Option<u32> {
        self.find(want)
    }
}

impl<const W: usize> Pool for Go<W> {
    type Held = u32;

    fn empty() -> Self {
        Self([0; W])
    }

    #[inline]
    fn take(&mut self, len: u32) -> Option<u32> {
        let start = self.find(len)?;
        set_run(&mut self.0, start, len, true);
        Some(start)
    }

    #[inline]
    fn give(&mut self, start: u32, len: u32) {
        set_run(&mut self.0, start, len, false);
    }

    fn start(held: u32) -> u32 {
        held
    }
}
