//! How are maps measured that lie side by side?

use super::kernel::Measurer;
use super::portable::each;
use crate::Error;
#[cfg(all(feature = "std", target_arch = "x86_64"))]
use crate::simd;

impl Measurer {
    /// The fastest one that is here.
    #[must_use]
    pub fn best() -> Self {
        let here = Self::FASTEST_FIRST.into_iter().find(|kernel| kernel.is_here());
        here.unwrap_or(Self::Portable)
    }

    /// Whether this processor has what it takes, as far as is known: without feature `std`, and on
    /// other processors than x86-64, only [`Portable`](Self::Portable) is here.
    #[must_use]
    pub fn is_here(self) -> bool {
        #[cfg(all(feature = "std", target_arch = "x86_64"))]
        return crate::simd::has(self);
        #[cfg(not(all(feature = "std", target_arch = "x86_64")))]
        return self == Self::Portable;
    }
}

/// Writes the longest run of each map, in blocks.
///
/// All kernels give the same answers. One that is not [here](Measurer::is_here) gives way to
/// [`Measurer::Portable`].
///
/// ```
/// use raddle_bitmap::batch::{Measurer, longest};
///
/// let maps = [[0b0111_0110, 0], [u64::MAX << 60, 0b11], [0, 0]];
/// let mut runs = [0; 3];
/// longest(Measurer::best(), &maps, &mut runs)?;
/// assert_eq!(runs, [3, 6, 0]);
/// # Ok::<(), raddle_bitmap::Error>(())
/// ```
///
/// # Errors
/// [`Error::AnswerCount`] when there is not one place for an answer a map. Maps of no word and of
/// more than 1,023 words are refused by the compiler.
pub fn longest<const W: usize>(
    kernel: Measurer,
    maps: &[[u64; W]],
    longest: &mut [u16],
) -> Result<(), Error> {
    const { assert!(W > 0 && W < 1024, "a map has 1 to 1,023 words, so that a u16 holds its run") };
    same_count(maps.len(), longest.len())?;
    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    if simd::longest(kernel, maps, longest) {
        return Ok(());
    }
    let _ = kernel;
    each(maps, longest);
    Ok(())
}

/// As [`longest`], with 255 for 255 or more: what a table of bytes can hold.
///
/// # Errors
/// As [`longest`].
pub fn longest_bytes<const W: usize>(
    kernel: Measurer,
    maps: &[[u64; W]],
    longest: &mut [u8],
) -> Result<(), Error> {
    const { assert!(W > 0, "a map has at least one word") };
    same_count(maps.len(), longest.len())?;
    bytes(kernel, maps, longest);
    Ok(())
}

/// One answer a map.
pub(super) fn bytes<const W: usize>(kernel: Measurer, maps: &[[u64; W]], longest: &mut [u8]) {
    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    if simd::longest_bytes(kernel, maps, longest) {
        return;
    }
    let _ = kernel;
    each(maps, longest);
}

fn same_count(maps: usize, answers: usize) -> Result<(), Error> {
    if maps == answers { Ok(()) } else { Err(Error::AnswerCount { maps, answers }) }
}
