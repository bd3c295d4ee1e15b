//! Which form of a search is used for a map of this size on this processor?
//!
//! One or two words: the bodies of `words`, compiled for shifts and counts of one step. Five to 32
//! words: vectors of eight words. Anything else, and without feature `std`: safe Rust.

#[cfg(all(feature = "std", target_arch = "x86_64"))]
use crate::simd::{short, wide};
#[cfg(all(feature = "std", target_arch = "x86_64"))]
use crate::words::{BITS, from_on};
use crate::words::{first_fit_portable, longest_portable};

/// The lowest start at or after `from` of `want` ones in a row, `want` at least 1; or
/// [`NOWHERE`](crate::words::NOWHERE).
#[inline]
pub(crate) fn first_fit(words: &[u64], from: u32, want: u32) -> u32 {
    match *words {
        #[cfg(all(feature = "std", target_arch = "x86_64"))]
        [word] if want <= BITS => short::first_in_one(word & from_on(from, 0), want),
        #[cfg(all(feature = "std", target_arch = "x86_64"))]
        [lower, upper] if want <= BITS => {
            short::first_in_two(lower & from_on(from, 0), upper & from_on(from, BITS), want)
        }
        #[cfg(all(feature = "std", target_arch = "x86_64"))]
        _ if wide::serves(words.len()) => wide::first_fit(words, from, want),
        _ => first_fit_portable(words, from, want),
    }
}

/// The longest run of ones in the words.
#[inline]
pub(crate) fn longest(words: &[u64]) -> u32 {
    match *words {
        #[cfg(all(feature = "std", target_arch = "x86_64"))]
        [word] => short::longest_in_one(word),
        #[cfg(all(feature = "std", target_arch = "x86_64"))]
        [lower, upper] => short::longest_in_two(lower, upper),
        #[cfg(all(feature = "std", target_arch = "x86_64"))]
        _ if wide::serves(words.len()) => wide::longest(words),
        _ => longest_portable(words),
    }
}
