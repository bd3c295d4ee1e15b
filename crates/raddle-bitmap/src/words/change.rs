//! How is a run of bits turned over, and what lies around it?

use super::bits::{BITS, each_mask, word_of};
use crate::Error;

/// As [`change`] of a map of one word, without a loop; how many ones lie in a row right below the run,
/// and behind it.
#[inline(always)]
pub(crate) fn change_one(
    word: &mut u64,
    blocks: u32,
    start: u32,
    len: u32,
    take: bool,
) -> Result<[u32; 2], Error> {
    if len == 0 || len > blocks || start > blocks - len {
        return change(core::slice::from_mut(word), blocks, start, len, take).map(|()| [0; 2]);
    }
    let run = (u64::MAX >> (BITS - len)) << start;
    match (take, *word & run) {
        (true, free) if free != run => return Err(Error::Taken { start, len }),
        (false, free) if free != 0 => return Err(Error::NotTaken { start, len }),
        _ => *word ^= run,
    }
    // In two steps, as up to all 64 bits are shifted out.
    let below = (*word << 1 << (BITS - 1 - start)).leading_ones();
    let behind = (*word >> (start + len - 1) >> 1).trailing_ones();
    Ok([below, behind])
}

/// Takes a run of free blocks, or gives a run of taken ones back.
///
/// # Errors
/// As [`check`]; nothing has changed then.
#[inline]
pub(crate) fn change(
    words: &mut [u64],
    blocks: u32,
    start: u32,
    len: u32,
    take: bool,
) -> Result<(), Error> {
    check(words, blocks, start, len, take)?;
    each_mask(start, len, words.len(), |word, mask| words[word] ^= mask);
    Ok(())
}

/// Whether the whole run lies in a map of so many blocks and is free, or taken.
#[inline]
pub(crate) fn check(
    words: &[u64],
    blocks: u32,
    start: u32,
    len: u32,
    free: bool,
) -> Result<(), Error> {
    if len > blocks || start > blocks - len {
        return Err(Error::OutOfRange { start, len, blocks });
    }
    let flip = if free { u64::MAX } else { 0 };
    let mut wrong = 0;
    each_mask(start, len, words.len(), |word, mask| wrong |= (words[word] ^ flip) & mask);
    match (wrong, free) {
        (0, _) => Ok(()),
        (_, true) => Err(Error::Taken { start, len }),
        (_, false) => Err(Error::NotTaken { start, len }),
    }
}

/// How many ones lie in a row right below a position.
#[inline]
pub(crate) fn ones_below(words: &[u64], position: u32) -> u32 {
    let mut at = position;
    while at > 0 {
        // Zeros come in at the lower end.
        let ones = (words[word_of(at - 1)] << (BITS - 1 - (at - 1) % BITS)).leading_ones();
        at -= ones;
        if ones == 0 || !at.is_multiple_of(BITS) {
            break;
        }
    }
    position - at
}

/// How many ones lie in a row from a position on.
#[inline]
pub(crate) fn ones_from(words: &[u64], position: u32) -> u32 {
    let mut at = position;
    while let Some(word) = words.get(word_of(at)) {
        // Zeros come in at the upper end.
        let ones = (word >> (at % BITS)).trailing_ones();
        at += ones;
        if ones == 0 || !at.is_multiple_of(BITS) {
            break;
        }
    }
    at - position
}
