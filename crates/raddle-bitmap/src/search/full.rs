//! What does the full search of seed 000 (E4) report? The longest run, exactly.

use super::{Need, Promise, Search};
use crate::{Error, View};

/// The search that reports the longest free run, exactly (seed 000, E4); of a map of any size.
///
/// ```
/// use raddle_bitmap::{FreeMap, Full, Polarity, Search};
///
/// let map = FreeMap::from_digits("01101110", Polarity::FreeIsOne)?;
/// assert_eq!(Full.longest(map.view())?, 3);
/// # Ok::<(), raddle_bitmap::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Full;

impl Search for Full {
    fn promise(&self) -> Promise {
        Promise::Exact
    }

    /// Returns the length of the longest run.
    ///
    /// # Errors
    /// A full search gives no error.
    fn longest(&self, map: View<'_>) -> Result<u32, Error> {
        Ok(map.longest())
    }

    fn need(&self, want: u32) -> Option<Need> {
        Some(Need { cell: 1, run: want })
    }
}
