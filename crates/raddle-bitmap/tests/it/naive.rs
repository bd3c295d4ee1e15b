//! What would a map of plain booleans answer?
//!
//! The oracle of everything: block by block, as slow as it is plain. `true` = free.

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Naive(pub(crate) Vec<bool>);

impl Naive {
    pub(crate) fn all(&self, start: usize, len: usize, free: bool) -> bool {
        start + len <= self.0.len() && self.0[start..start + len].iter().all(|&block| block == free)
    }

    pub(crate) fn set(&mut self, start: usize, len: usize, free: bool) {
        self.0[start..start + len].fill(free);
    }

    /// Lists the free runs that no longer one contains, as (start, length).
    pub(crate) fn runs(&self) -> Vec<(usize, usize)> {
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for (block, _) in self.0.iter().enumerate().filter(|(_, free)| **free) {
            match runs.last_mut() {
                Some((start, len)) if *start + *len == block => *len += 1,
                _ => runs.push((block, 1)),
            }
        }
        runs
    }

    pub(crate) fn longest(&self) -> usize {
        self.runs().into_iter().map(|(_, len)| len).max().unwrap_or(0)
    }

    pub(crate) fn first_fit_from(&self, from: usize, want: usize) -> Option<usize> {
        if want == 0 {
            return Some(0);
        }
        (from..self.0.len()).find(|&start| self.all(start, want, true))
    }

    /// Returns the longest row of groups whose blocks are all free, in blocks; the number of groups
    /// divides the blocks.
    pub(crate) fn grouped(&self, groups: usize) -> usize {
        let size = self.0.len() / groups;
        let whole = (0..groups).map(|group| self.all(group * size, size, true)).collect();
        Naive(whole).longest() * size
    }

    /// Returns the largest k + 1 of the list for which as many blocks in a row are free; 0 where
    /// there is none.
    pub(crate) fn sampled(&self, k: &[u32]) -> usize {
        let fits = |amount: &usize| self.first_fit_from(0, *amount).is_some();
        k.iter().map(|&k| k as usize + 1).filter(fits).max().unwrap_or(0)
    }
}

/// Returns the start of the shortest run of at least `want` blocks, the first of several; `None`
/// where there is none.
pub(crate) fn best_fit(runs: &[(usize, usize)], want: usize) -> Option<usize> {
    if want == 0 {
        return Some(0);
    }
    let fitting = || runs.iter().filter(|&&(_, len)| len >= want);
    let shortest = fitting().map(|&(_, len)| len).min()?;
    fitting().find(|&&(_, len)| len == shortest).map(|&(start, _)| start)
}

/// Returns the start of the longest run, the first of several, if it has at least `want` blocks;
/// else `None`.
pub(crate) fn worst_fit(runs: &[(usize, usize)], want: usize) -> Option<usize> {
    if want == 0 {
        return Some(0);
    }
    let longest = runs.iter().map(|&(_, len)| len).max()?;
    let first = runs.iter().find(|&&(_, len)| len == longest);
    first.filter(|_| longest >= want).map(|&(start, _)| start)
}
