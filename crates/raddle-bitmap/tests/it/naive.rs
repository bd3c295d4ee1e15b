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

    /// Start and length of each free run that no longer one contains.
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

    /// The longest row of whole groups, in blocks; the groups divide the map.
    pub(crate) fn grouped(&self, groups: usize) -> usize {
        let size = self.0.len() / groups;
        let whole = (0..groups).map(|group| self.all(group * size, size, true)).collect();
        Naive(whole).longest() * size
    }

    /// The largest k + 1 for which so many blocks in a row are free.
    pub(crate) fn sampled(&self, k: &[u32]) -> usize {
        let fits = |amount: &usize| self.first_fit_from(0, *amount).is_some();
        k.iter().map(|&k| k as usize + 1).filter(fits).max().unwrap_or(0)
    }
}

/// The start of the shortest run of at least so many blocks, the first of several.
pub(crate) fn best_fit(runs: &[(usize, usize)], want: usize) -> Option<usize> {
    if want == 0 {
        return Some(0);
    }
    let fitting = || runs.iter().filter(|&&(_, len)| len >= want);
    let shortest = fitting().map(|&(_, len)| len).min()?;
    fitting().find(|&&(_, len)| len == shortest).map(|&(start, _)| start)
}

/// The start of the longest run, the first of several, if it has so many blocks.
pub(crate) fn worst_fit(runs: &[(usize, usize)], want: usize) -> Option<usize> {
    if want == 0 {
        return Some(0);
    }
    let longest = runs.iter().map(|&(_, len)| len).max()?;
    let first = runs.iter().find(|&&(_, len)| len == longest);
    first.filter(|_| longest >= want).map(|&(start, _)| start)
}
