//! How fast is the seed's Full search, step for step?
//!
//! All N steps, as the circuit makes them: each ANDs the sequence with itself, shifted by one, and
//! counts whether anything is left. There is no way out before the last.

use crate::contender::{Contender, Longest};

use super::array;
use super::textbook::{any, pair, round};

pub(crate) struct Full<const W: usize>([u64; W]);

impl<const W: usize> Contender for Full<W> {
    const NAME: &'static str = "full";

    fn of(words: &[u64]) -> Self {
        Self(array(words))
    }
}

impl<const W: usize> Longest for Full<W> {
    #[inline]
    fn longest(&self) -> u32 {
        let mut left = 0;
        match W {
            1 => {
                let mut map = self.0[0];
                for _ in 0..64 {
                    left += u32::from(map != 0);
                    map &= map << 1;
                }
            }
            2 => {
                let mut map = pair(&self.0);
                for _ in 0..128 {
                    left += u32::from(map != 0);
                    map &= map << 1;
                }
            }
            _ => {
                let mut map = self.0;
                for _ in 0..64 * W {
                    left += u32::from(any(&map));
                    map = round(&map);
                }
            }
        }
        left
    }
}
