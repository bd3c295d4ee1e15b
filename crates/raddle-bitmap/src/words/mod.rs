//! How are runs of ones found and marked 64 at a time?
//!
//! Bit `i % 64` of word `i / 64` stands for position `i`; positions past the end are 0. Everything
//! here takes plain slices of words.

mod bits;
mod change;
mod fit;
mod longest;
mod runs;

pub(crate) use bits::{BITS, each_mask, word_of, words_for};
pub(crate) use change::{change, change_one, check, ones_below, ones_from};
pub(crate) use fit::{NOWHERE, first_fit, run_starts};
pub(crate) use longest::{Fold, longest};
pub use runs::Runs;
