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
pub(crate) use fit::run_starts;
pub use fit::{NOWHERE, first_fit, shifts_for};
pub(crate) use longest::Fold;
pub use longest::longest;
pub use runs::Runs;
