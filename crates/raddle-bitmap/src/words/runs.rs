//! Which runs of ones does a list of words have?

use core::iter::FusedIterator;

use super::bits::seek;

/// Iterator over the free runs (free blocks in a row) of a map, lowest first, as (first block,
/// number of blocks). Two runs never touch.
#[derive(Clone, Debug)]
pub struct Runs<'a> {
    words: &'a [u64],
    at: u32,
    end: u32,
}

impl<'a> Runs<'a> {
    pub(crate) const fn new(words: &'a [u64], blocks: u32) -> Self {
        Self { words, at: 0, end: blocks }
    }
}

impl Iterator for Runs<'_> {
    type Item = (u32, u32);

    fn next(&mut self) -> Option<(u32, u32)> {
        let start = seek(self.words, self.at, self.end, 0);
        self.at = seek(self.words, start, self.end, u64::MAX);
        (self.at > start).then(|| (start, self.at - start))
    }
}

impl FusedIterator for Runs<'_> {}
