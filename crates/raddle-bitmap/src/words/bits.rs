//! Which word, and which of its bits, holds the bit of a block of a map?

pub(crate) const BITS: u32 = u64::BITS;

/// Returns the index of the 64-bit word that holds the bit at `position`, a bit number over all
/// words.
pub(crate) const fn word_of(position: u32) -> usize {
    (position / BITS) as usize
}

/// Returns the number of 64-bit words that hold `positions` bits.
pub(crate) const fn words_for(positions: u32) -> usize {
    positions.div_ceil(BITS) as usize
}

/// Returns the lowest bit number, over all words, from `from` to below `end` at which the bit is 1
/// (or 0, where `flip` is `u64::MAX`); `end` where there is none.
pub(crate) fn seek(words: &[u64], from: u32, end: u32, flip: u64) -> u32 {
    let mut at = from;
    while at < end {
        let rest = (words[word_of(at)] ^ flip) >> (at % BITS);
        if rest != 0 {
            return at.saturating_add(rest.trailing_zeros()).min(end);
        }
        at = at.saturating_add(BITS - at % BITS);
    }
    end
}

/// Calls `change` for each word that the `len` bits from `start` touch (bit numbers over all
/// words), with the index of the word and a mask of the touched bits. May call it for one word
/// more, with a mask of 0.
///
/// `words` is the number of all words. Up to 64 bits touch at most two neighbouring words; both are
/// changed in any case, which costs less than an unpredictable branch.
#[inline(always)]
pub(crate) fn each_mask(start: u32, len: u32, words: usize, mut change: impl FnMut(usize, u64)) {
    let (first, shift) = (word_of(start), start % BITS);
    match len {
        0 => {}
        1..=BITS => {
            let ones = u64::MAX >> (BITS - len);
            change(first, ones << shift);
            if words > 1 {
                // The shift takes two steps, because all 64 bits are shifted out where nothing
                // crosses.
                change((first + 1).min(words - 1), ones >> 1 >> (BITS - 1 - shift));
            }
        }
        _ => each_mask_of_many(start, len, change),
    }
}

/// Calls `change` with the index of each word that the `len` bits from `start` touch (bit numbers
/// over all words), and with a mask of the bits touched, for more than 64 bits.
fn each_mask_of_many(start: u32, len: u32, mut change: impl FnMut(usize, u64)) {
    let end = start + (len - 1);
    let (first, last) = (word_of(start), word_of(end));
    change(first, u64::MAX << (start % BITS));
    for word in first + 1..last {
        change(word, u64::MAX);
    }
    change(last, u64::MAX >> (BITS - 1 - end % BITS));
}
