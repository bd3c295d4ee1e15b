//! What is the longest run of each of many maps?
//!
//! Matching asks this of every map of a device. Many maps in one call are worth a batch: bodies of
//! safe Rust compiled once for each level of processors, and, where they are at least three times
//! as fast, vectors by hand; what the processor has is found out at run time (feature `std`).
//!
//! A batch takes plain words, as a [`View`](crate::View) does: bit `i % 64` of word `i / 64` is
//! block `i`, 1 = free, bits past the last block 0. A [`Bank`](crate::Bank) uses it by itself.

mod fits;
mod gathered;
mod kernel;
mod portable;

pub use fits::{Comparer, fits, words_of_answers};
#[cfg(all(feature = "std", target_arch = "x86_64"))]
pub(crate) use fits::{PLACES, one_by_one, rest, whole_rows};
pub(crate) use gathered::{PART, gathered};
pub use kernel::Kernel;
#[cfg(all(feature = "std", target_arch = "x86_64"))]
pub(crate) use portable::Length;
pub(crate) use portable::each;

use crate::Error;
#[cfg(all(feature = "std", target_arch = "x86_64"))]
use crate::simd;

/// Writes the longest run of each map, in blocks.
///
/// All kernels give the same answers. One that is not [here](Kernel::is_here) gives way to
/// [`Kernel::Portable`].
///
/// ```
/// use raddle_bitmap::batch::{Kernel, longest};
///
/// let maps = [[0b0111_0110, 0], [u64::MAX << 60, 0b11], [0, 0]];
/// let mut runs = [0; 3];
/// longest(Kernel::best(), &maps, &mut runs)?;
/// assert_eq!(runs, [3, 6, 0]);
/// # Ok::<(), raddle_bitmap::Error>(())
/// ```
///
/// # Errors
/// [`Error::AnswerCount`] when there is not one place for an answer a map. Maps of no word and of
/// more than 1,023 words are refused by the compiler.
pub fn longest<const W: usize>(
    kernel: Kernel,
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
    kernel: Kernel,
    maps: &[[u64; W]],
    longest: &mut [u8],
) -> Result<(), Error> {
    const { assert!(W > 0, "a map has at least one word") };
    same_count(maps.len(), longest.len())?;
    bytes(kernel, maps, longest);
    Ok(())
}

/// One answer a map.
fn bytes<const W: usize>(kernel: Kernel, maps: &[[u64; W]], longest: &mut [u8]) {
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
