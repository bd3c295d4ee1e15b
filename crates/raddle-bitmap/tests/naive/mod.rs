//! What would a map of plain booleans answer?
//!
//! The oracle of the word-parallel map: block by block, as slow as it is plain.

/// `true` = free.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Naive(pub(crate) Vec<bool>);

impl Naive {
    pub(crate) fn first_fit_from(&self, from: usize, want: usize) -> Option<usize> {
        if want == 0 {
            return Some(0);
        }
        (from..self.0.len()).find(|&start| self.all(start, want, true))
    }

    pub(crate) fn all(&self, start: usize, len: usize, free: bool) -> bool {
        start + len <= self.0.len() && self.0[start..start + len].iter().all(|&block| block == free)
    }

    pub(crate) fn set(&mut self, start: usize, len: usize, free: bool) {
        self.0[start..start + len].fill(free);
    }

    pub(crate) fn free_blocks(&self) -> usize {
        self.0.iter().filter(|&&block| block).count()
    }

    pub(crate) fn longest_run(&self) -> usize {
        let runs = self.0.split(|&block| !block);
        runs.map(<[bool]>::len).max().unwrap_or(0)
    }
}
