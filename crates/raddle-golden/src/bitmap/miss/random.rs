//! How often is a request refused when every block is free by chance?
//!
//! Q(n), the chance that n independent cells hold no run of k free ones, by an exact recurrence
//! (only products are rounded, each by at most 2^-64): a first run of k ends exactly at cell n if
//! it has not ended before cell n - k - 1, cell n - k is taken, and the k cells after it are free:
//!
//! ```text
//! Q(n) = 1                                     for n < k
//! Q(k) = 1 - p^k
//! Q(n) = Q(n-1) - Q(n-k-1) (1 - p) p^k         for n > k
//! ```
//!
//! A grouped search looks at cells of g blocks, each free with p^g; a sampled one at a longer run.
//! [`Need`] says which, so that one recurrence serves every search.

use super::Chance;
use raddle_bitmap::{Full, Need, Search};

/// Returns the chance that a search does not find a run for a request of `want` blocks in a map of
/// `blocks` blocks, each free with the chance `free`, independent of the others.
///
/// Time and memory grow with the number of blocks.
#[must_use]
pub fn refused(search: &dyn Search, blocks: u32, want: u32, free: Chance) -> Chance {
    match search.need(want) {
        Some(Need { cell, run }) => {
            let cell = cell.max(1);
            no_run(blocks / cell, run, free.all_of(cell))
        }
        None => Chance::ALWAYS,
    }
}

/// Returns the chance that a search misses: it does not find a run of `want` blocks although a free
/// run is long enough. Each of the `blocks` blocks is free with the chance `free`.
#[must_use]
pub fn missed(search: &dyn Search, blocks: u32, want: u32, free: Chance) -> Chance {
    // A search never reports more than there is, so it refuses every wish that the exact search
    // refuses.
    refused(search, blocks, want, free).less(refused(&Full, blocks, want, free))
}

/// Returns the chance that `cells` independent cells, each free with the chance `p`, hold no `run`
/// free cells in a row.
fn no_run(cells: u32, run: u32, p: Chance) -> Chance {
    if run == 0 {
        return Chance::NEVER;
    }
    if cells < run {
        return Chance::ALWAYS;
    }
    let (cells, run) = (cells as usize, run as usize);
    let all = p.all_of(run as u32);
    let ends_here = p.not().and(all);
    let mut none = Vec::with_capacity(cells + 1);
    none.resize(run, Chance::ALWAYS);
    none.push(all.not());
    for n in run + 1..=cells {
        none.push(none[n - 1].less(none[n - run - 1].and(ends_here)));
    }
    none[cells]
}
