//! How are free blocks in a row found and marked, 64 bits at a time?
//!
//! Bit `i % 64` of word `i / 64` stands for position `i`; positions past the end are 0. Everything
//! here takes plain slices of words.

mod bits;
mod change;
mod fit;
mod longest;
mod runs;

pub(crate) use bits::{BITS, each_mask, word_of, words_for};
pub(crate) use change::{change, check, check_in_one, flip_in_one, ones_below, ones_from, refusal};
pub(crate) use fit::{NOWHERE, first_fit, first_in_one, run_starts};
pub(crate) use longest::{Fold, longest, longest_in_one};
pub use runs::Runs;
