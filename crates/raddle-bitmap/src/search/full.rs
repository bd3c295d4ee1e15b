//! Which length does the full search of seed 000 (E4) report? That of the longest run, exactly.

use super::{Need, Search};
use crate::{Error, View};

/// Search that reports exactly the length of a map's longest free run (method E4 of the patent,
/// seed 000); the map may have any size.
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
    fn is_exact(&self) -> bool {
        true
    }

    /// Returns the length of the map's longest run of free blocks.
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
