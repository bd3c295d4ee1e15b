//! How are the bits of blocks in a row inverted, and how many free blocks lie beside them?

use super::bits::{BITS, each_mask, word_of};
use crate::Error;
use crate::error::Reason;

/// Checks that the `len` bits from bit `start` of a word (at least one, all inside the word) are 1
/// (free), or 0 where `free` is false; else returns the error that [`refusal`] makes.
#[inline(always)]
pub(crate) const fn check_in_one(word: u64, start: u32, len: u32, free: bool) -> Result<(), Error> {
    let run = (u64::MAX >> (BITS - len)) << start;
    if word & run == if free { run } else { 0 } { Ok(()) } else { Err(refusal(start, len, free)) }
}

/// Inverts the `len` bits from bit `start` of a word (at least one, all inside the word). Returns
/// (number of bits of 1 in a row right below them, number of bits of 1 in a row right behind them).
#[inline(always)]
pub(crate) const fn flip_in_one(word: &mut u64, start: u32, len: u32) -> (u32, u32) {
    *word ^= (u64::MAX >> (BITS - len)) << start;
    // Both shifts take two steps, as up to all 64 bits are shifted out.
    let below = (*word << 1 << (BITS - 1 - start)).leading_ones();
    (below, (*word >> (start + len - 1) >> 1).trailing_ones())
}

/// Returns the error that the `len` blocks from the block `start` on cannot be taken (if `take`),
/// or cannot be given back.
pub(crate) const fn refusal(start: u32, len: u32, take: bool) -> Error {
    if take { Error(Reason::Taken { start, len }) } else { Error(Reason::NotTaken { start, len }) }
}

/// Takes the `len` blocks from the block `start` on if `take` is true, all of which must be free;
/// else gives them back, all of which must be taken.
///
/// # Errors
/// Where a block is not as it must be, or lies past the end; nothing has changed then.
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

/// Checks that the `len` blocks from the block `start` on are within a map of `blocks` blocks, and
/// are all free, or all taken where `free` is false; else returns an error.
#[inline]
pub(crate) fn check(
    words: &[u64],
    blocks: u32,
    start: u32,
    len: u32,
    free: bool,
) -> Result<(), Error> {
    if len > blocks || start > blocks - len {
        return Err(Error(Reason::OutOfRange { start, len, blocks }));
    }
    let flip = if free { u64::MAX } else { 0 };
    let mut wrong = 0;
    each_mask(start, len, words.len(), |word, mask| wrong |= (words[word] ^ flip) & mask);
    if wrong == 0 { Ok(()) } else { Err(refusal(start, len, free)) }
}

/// Returns the number of bits of 1 in a row right below the bit with the number `position` over all
/// words.
#[inline]
pub(crate) fn ones_below(words: &[u64], position: u32) -> u32 {
    let mut at = position;
    while at > 0 {
        // The shift brings in zeros at the lower end, so the count ends there.
        let ones = (words[word_of(at - 1)] << (BITS - 1 - (at - 1) % BITS)).leading_ones();
        at -= ones;
        if ones == 0 || !at.is_multiple_of(BITS) {
            break;
        }
    }
    position - at
}

/// Returns the number of bits of 1 in a row from the bit with the number `position` over all words
/// on.
#[inline]
pub(crate) fn ones_from(words: &[u64], position: u32) -> u32 {
    let mut at = position;
    while let Some(word) = words.get(word_of(at)) {
        // The shift brings in zeros at the upper end, so the count ends there.
        let ones = (word >> (at % BITS)).trailing_ones();
        at += ones;
        if ones == 0 || !at.is_multiple_of(BITS) {
            break;
        }
    }
    at - position
}
