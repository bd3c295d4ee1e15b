//! How fast is the loop of the textbooks: AND the map with itself, shifted by one, until nothing is
//! left?
//!
//! As many rounds as the longest run has blocks. Words in registers for 64 and 128 blocks, a loop
//! over words that the compiler makes into vectors above.

use crate::contender::{Contender, Longest};

use super::array;

pub(crate) struct Textbook<const W: usize>([u64; W]);

impl<const W: usize> Contender for Textbook<W> {
    const NAME: &'static str = "textbook";

    fn of(words: &[u64]) -> Self {
        Self(array(words))
    }
}

impl<const W: usize> Longest for Textbook<W> {
    #[inline]
    fn longest(&self) -> u32 {
        let mut rounds = 0;
        match W {
            1 => {
                let mut map = self.0[0];
                while map != 0 {
                    map &= map << 1;
                    rounds += 1;
                }
            }
            2 => {
                let mut map = pair(&self.0);
                while map != 0 {
                    map &= map << 1;
                    rounds += 1;
                }
            }
            _ => {
                let mut map = self.0;
                while any(&map) {
                    map = round(&map);
                    rounds += 1;
                }
            }
        }
        rounds
    }
}

/// The first two words as one.
pub(super) fn pair(words: &[u64]) -> u128 {
    u128::from(words[0]) | u128::from(words[1]) << 64
}

#[inline]
pub(super) fn any<const W: usize>(map: &[u64; W]) -> bool {
    map.iter().fold(0, |any, word| any | word) != 0
}

/// The map ANDed with itself, shifted by one block over the borders of its words.
#[inline]
pub(super) fn round<const W: usize>(map: &[u64; W]) -> [u64; W] {
    let mut next = [0; W];
    next[0] = map[0] & map[0] << 1;
    for at in 1..W {
        next[at] = map[at] & (map[at] << 1 | map[at - 1] >> 63);
    }
    next
}
