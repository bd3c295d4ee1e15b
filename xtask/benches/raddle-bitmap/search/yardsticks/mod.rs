//! Against which algorithms is it measured?
//!
//! Each is our own writing of an algorithm that is described or in use elsewhere, as fast as one
//! would write it there; a yardstick that is slow for no reason flatters us. Those that look for
//! zeros keep the map the way they do at home: 1 = taken.

pub(crate) mod full;
pub(crate) mod gem5;
pub(crate) mod go;
pub(crate) mod linux;
pub(crate) mod naive;
pub(crate) mod textbook;

/// The words as an array.
fn array<const W: usize>(words: &[u64]) -> [u64; W] {
    core::array::from_fn(|at| words[at])
}

/// The words with 1 = taken.
fn taken<const W: usize>(words: &[u64]) -> [u64; W] {
    array(words).map(|word: u64| !word)
}

/// Sets or clears `len` bits from `start`.
#[inline]
fn set_run<const W: usize>(words: &mut [u64; W], start: u32, len: u32, ones: bool) {
    let mut change = |word: usize, mask: u64| match ones {
        true => words[word] |= mask,
        false => words[word] &= !mask,
    };
    let last = start + len - 1;
    let (from, to) = (start as usize / 64, last as usize / 64);
    let (lower, upper) = (u64::MAX << (start % 64), u64::MAX >> (63 - last % 64));
    if from == to {
        return change(from, lower & upper);
    }
    change(from, lower);
    for word in from + 1..to {
        change(word, u64::MAX);
    }
    change(to, upper);
}
