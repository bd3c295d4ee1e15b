//! How are the inputs of a test bench drawn at random, and written line by line? Equal seeds give
//! equal lines.

use std::error::Error;
use std::io::{self, Write};

/// Writes `lines` lines for a test bench. `line` makes each line from random numbers, which begin
/// with the seed `seed`. Returns an error where a line cannot be made or written.
pub(super) fn write_lines<E: Into<Box<dyn Error + Send + Sync>>>(
    lines: u64,
    seed: u64,
    to: &mut dyn Write,
    mut line: impl FnMut(&mut Draw) -> Result<String, E>,
) -> io::Result<()> {
    let mut draw = Draw(seed);
    for _ in 0..lines {
        writeln!(to, "{}", line(&mut draw).map_err(io::Error::other)?)?;
    }
    Ok(())
}

/// A generator of random numbers, SplitMix64, for the inputs of test benches.
#[derive(Clone, Debug)]
pub(super) struct Draw(u64);

impl Draw {
    pub(super) const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// Returns a random number from 0 to `bound` - 1; `bound` is at least 1.
    pub(super) const fn below(&mut self, bound: u32) -> u32 {
        (self.next() % bound as u64) as u32
    }

    /// Draws at random which blocks of a map are free (true): sparse, even or dense bits, runs of
    /// any length, all or none.
    pub(super) fn map(&mut self, blocks: u32) -> Vec<bool> {
        let kind = self.below(64);
        if kind < 2 {
            return vec![kind == 1; blocks as usize];
        }
        if kind < 40 {
            let words = |draw: &mut Self| match kind % 3 {
                0 => draw.next(),
                1 => draw.next() & draw.next(),
                _ => draw.next() | draw.next(),
            };
            let mut word = 0;
            let bit = |block: u32| {
                if block.is_multiple_of(64) {
                    word = words(self);
                }
                word >> (block % 64) & 1 == 1
            };
            return (0..blocks).map(bit).collect();
        }
        let longest = self.below(blocks) + 1;
        let (mut map, mut free) = (Vec::new(), kind.is_multiple_of(2));
        while map.len() < blocks as usize {
            let run = self.below(if free { longest } else { 3 }) + 1;
            map.extend((0..run).map(|_| free));
            free = !free;
        }
        map.truncate(blocks as usize);
        map
    }

    /// Draws a request, in blocks, for a map whose longest free run is `longest` blocks: any length
    /// up to `most`, or one that just fits or just does not fit.
    pub(super) const fn want(&mut self, longest: u32, most: u32) -> u32 {
        let want = match self.below(4) {
            0 => longest,
            1 => longest + 1,
            _ => self.below(most + 1),
        };
        if want > most { most } else { want }
    }
}
