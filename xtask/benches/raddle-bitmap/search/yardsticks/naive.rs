//! Block by block: how slow is the plainest loop?

use crate::contender::{Contender, FirstFit, Longest};

use super::array;

pub(crate) struct Naive<const W: usize>([u64; W]);

impl<const W: usize> Contender for Naive<W> {
    const NAME: &'static str = "naive";

    fn of(words: &[u64]) -> Self {
        Self(array(words))
    }
}

impl<const W: usize> Longest for Naive<W> {
    #[inline]
    fn longest(&self) -> u32 {
        let (mut run, mut best) = (0, 0);
        for mut word in self.0 {
            for _ in 0..64 {
                // Times the block, so that no branch has to guess it.
                run = (run + 1) * (word & 1) as u32;
                best = best.max(run);
                word >>= 1;
            }
        }
        best
    }
}

impl<const W: usize> FirstFit for Naive<W> {
    #[inline]
    fn first_fit(&mut self, want: u32) -> Option<u32> {
        let mut run = 0;
        for block in 0..64 * W as u32 {
            run = (run + 1) * (self.0[block as usize / 64] >> (block % 64) & 1) as u32;
            if run == want {
                return Some(block + 1 - want);
            }
        }
        None
    }
}
