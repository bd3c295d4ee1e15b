//! How long a free run does a search report? All four methods of the patent (seed 000) are here.
//!
//! | method | seed | reports | promise |
//! |---|---|---|---|
//! | [`Full`] | E4 | the longest run | exact |
//! | [`Grouped`] | E5 | a multiple of the group size | lower bound: at most `2 (g - 1)` less than the longest |
//! | [`Sampled`] | E6 | 0 or one of the amounts given | lower bound: the longest, rounded down to an amount |
//! | [`Shared`] | E7 | the longest run of each of several maps | exact |
//!
//! No method ever reports more than there is. In hardware the lower bounds are cheaper
//! (`circuit::Cost` counts by how much, `raddle explain bitmap --cost` prints what they miss); in
//! software they are not, and stand here as the exact meaning of what hardware would answer.
//!
//! Which digit means free is a matter of how a map comes in ([`Polarity`](crate::Polarity)). The
//! direction of the shifts changes no answer; it exists in the `circuit` view alone.

mod full;
mod grouped;
mod sampled;
mod shared;

pub use full::Full;
pub use grouped::Grouped;
pub use sampled::Sampled;
pub use shared::{Kind, Layout, Shared, SharedRun, Slot};

use crate::error::Reason;
use crate::{Error, View};

/// Condition under which a search reports a wanted length. The map is cut, from its beginning, into
/// cells of `cell` blocks; a cell is free when all its blocks are. `run` cells in a row must be
/// free.
///
/// The condition follows paragraph 150 of the patent (seed 000); `raddle explain bitmap --cost`
/// prints it, and which runs a search misses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Need {
    /// Number of blocks of one cell, at least 1.
    pub cell: u32,
    /// Number of free cells (equal groups of blocks) in a row; 0 where no block is wanted.
    pub run: u32,
}

/// Method to find out how long the longest free run of a map is, exactly or as a lower bound.
///
/// # Laws
///
/// 1. It never reports more than the longest free run.
/// 2. Where it [is exact](Self::is_exact), it reports just that.
/// 3. It reports `want` blocks or more if and only if what [`need`](Self::need) says is free; with
///    `None`, it never does. So `fits` never says yes where no run is long enough.
/// 4. Freeing a block never lowers the answer, taking one never raises it.
/// 5. Equal maps get equal answers.
pub trait Search {
    /// Returns whether the search reports exactly the length of the longest free run. If not, it
    /// reports at most that length, and often less.
    fn is_exact(&self) -> bool;

    /// Returns the length that the search reports for the longest free run of the map, in blocks.
    ///
    /// # Errors
    /// When the search was made for maps of another size than `map`; see each search.
    fn longest(&self, map: View<'_>) -> Result<u32, Error>;

    /// Returns the condition on free blocks in a row under which the search reports `want` blocks
    /// or more; `None` if it never does.
    fn need(&self, want: u32) -> Option<Need>;

    /// Returns whether the search reports at least `want` blocks in one run.
    ///
    /// # Errors
    /// When the search was made for maps of another size than `map`.
    fn fits(&self, map: View<'_>, want: u32) -> Result<bool, Error> {
        Ok(self.longest(map)? >= want)
    }
}

impl<T: Search + ?Sized> Search for &T {
    fn is_exact(&self) -> bool {
        (**self).is_exact()
    }

    fn longest(&self, map: View<'_>) -> Result<u32, Error> {
        (**self).longest(map)
    }

    fn need(&self, want: u32) -> Option<Need> {
        (**self).need(want)
    }

    fn fits(&self, map: View<'_>, want: u32) -> Result<bool, Error> {
        (**self).fits(map, want)
    }
}

/// Returns an error for a map whose number of blocks is not `search`, the number for which the
/// search was made.
pub(crate) fn same_size(search: u32, map: View<'_>) -> Result<(), Error> {
    let map = map.blocks();
    if map == search { Ok(()) } else { Err(Error(Reason::OtherSize { search, map })) }
}

#[cfg(test)]
fn _can_be_chosen_at_run_time(_: &dyn Search) {}
