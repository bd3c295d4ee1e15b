//! What is the longest run of each of many maps?
//!
//! Matching asks this of every map of a device. Many maps in one call are worth a batch: bodies of
//! safe Rust compiled once for each level of processors, and, where they are at least three times
//! as fast, vectors by hand; what the processor has is found out at run time (feature `std`).
//!
//! A batch takes plain words, as a [`View`](crate::View) does: bit `i % 64` of word `i / 64` is
//! block `i`, 1 = free, bits past the last block 0. A [`Bank`](crate::Bank) uses it by itself.

mod comparer;
mod fits;
mod gathered;
mod kernel;
mod longest;
mod portable;

pub use comparer::{Comparer, words_of_answers};
#[cfg(all(feature = "std", target_arch = "x86_64"))]
pub(crate) use comparer::{PLACES, one_by_one, rest, whole_rows};
pub use fits::fits;
pub(crate) use gathered::{PART, gathered};
pub use kernel::Measurer;
pub use longest::{longest, longest_bytes};
#[cfg(all(feature = "std", target_arch = "x86_64"))]
pub(crate) use portable::Length;
#[cfg(all(feature = "std", target_arch = "x86_64"))]
pub(crate) use portable::each;
