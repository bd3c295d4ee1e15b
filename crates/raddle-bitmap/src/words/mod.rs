//! How are runs of ones found and marked 64 at a time?
//!
//! Bit `i % 64` of word `i / 64` stands for position `i`; positions past the end are 0. Everything
//! here takes plain slices of words, so that a faster form can stand in for any of it.

mod bits;
mod fit;
mod longest;
mod runs;

pub(crate) use bits::{BITS, each_mask, word_of, words_for};
pub(crate) use fit::run_starts;
pub use fit::{NOWHERE, first_fit_portable, shifts_for};
#[cfg(all(feature = "std", target_arch = "x86_64"))]
pub(crate) use fit::{first_in_one, first_in_two, from_on};
pub use longest::longest_portable;
pub(crate) use longest::{Fold, longest_of};
#[cfg(all(feature = "std", target_arch = "x86_64"))]
pub(crate) use longest::{longest_in_one, longest_in_two};
pub use runs::Runs;
