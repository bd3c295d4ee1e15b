//! How are free maps read from words or digits, and written as digits, if 1 or if 0 means free?
//!
//! Inside a map, 1 is free.

use alloc::vec;
use core::fmt;

use super::FreeMap;
use super::plan::Identity;
use super::polarity::Polarity;
use super::view;
use crate::Error;
use crate::error::Reason;
use crate::words::{self, BITS};

impl FreeMap {
    /// Makes a free map from words: bit `i % 64` of word `i / 64` is block `i`, and `polarity` says
    /// which digit means free.
    ///
    /// The bits past the last block may be all 0, or all the digit of an occupied block.
    ///
    /// # Errors
    /// Without a block; with too few or too many words for this many blocks, or other bits past the
    /// last block.
    pub fn from_words(words: &[u64], blocks: u32, polarity: Polarity) -> Result<Self, Error> {
        let flip = polarity.flip();
        view::check(words, blocks, flip)?;
        let mut store = vec![0; words.len()];
        words::each_mask(0, blocks, words.len(), |word, mask| {
            store[word] |= (words[word] ^ flip) & mask;
        });
        let free = store.iter().map(|word: &u64| word.count_ones()).sum();
        Ok(Self { words: store, blocks, free, identity: Identity::default() })
    }

    /// Makes a free map from digits, one for each block. The leftmost digit is block 0 (d1 in the
    /// patent, seed 000).
    ///
    /// # Errors
    /// Without a digit; with a character that is neither 0 nor 1.
    pub fn from_digits(digits: &str, polarity: Polarity) -> Result<Self, Error> {
        let wrong = digits.bytes().position(|byte| !matches!(byte, b'0' | b'1'));
        if let Some(at) = wrong {
            return Err(Error(Reason::NotADigit { at }));
        }
        let blocks = u32::try_from(digits.len()).map_err(|_| {
            Error(Reason::TooManyBlocks { blocks: digits.len() as u64, most: u32::MAX })
        })?;
        if blocks == 0 {
            return Err(Error(Reason::NoBlocks));
        }
        let mut store = vec![0; words::words_for(blocks)];
        let mut free = 0;
        for (block, digit) in (0..).zip(digits.bytes()) {
            let is_free = u64::from((digit == b'1') == polarity.digit(true));
            store[words::word_of(block)] |= is_free << (block % BITS);
            free += is_free as u32;
        }
        Ok(Self { words: store, blocks, free, identity: Identity::default() })
    }

    /// Returns the map as text, with one digit for each block, block 0 first; `polarity` says which
    /// digit means free.
    pub fn digits(&self, polarity: Polarity) -> impl fmt::Display + '_ {
        self.view().digits(polarity)
    }
}

impl fmt::Debug for FreeMap {
    /// Writes the map as text, with one digit for each block, 1 = free, block 0 first.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FreeMap({})", self.digits(Polarity::FreeIsOne))
    }
}
