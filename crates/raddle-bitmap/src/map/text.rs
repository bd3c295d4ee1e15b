//! How do maps come in and go out, in either polarity?
//!
//! Inside, 1 is free. What the digits mean outside is decided here and nowhere else.

use core::fmt;

use super::view::{self, View};
use super::{Map, Store, storage};
use crate::Error;
use crate::words::{self, BITS};

/// Which digit means free.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Polarity {
    /// 1 is free, 0 is occupied.
    #[default]
    FreeIsOne,
    /// 0 is free, 1 is occupied.
    FreeIsZero,
}

impl Polarity {
    /// The digit of a free block, or of an occupied one: whether it is 1.
    #[must_use]
    pub const fn digit(self, free: bool) -> bool {
        matches!(self, Self::FreeIsOne) == free
    }

    /// What turns words of this polarity into words with 1 = free.
    const fn flip(self) -> u64 {
        match self {
            Self::FreeIsOne => 0,
            Self::FreeIsZero => u64::MAX,
        }
    }
}

impl<S: Store> Map<S> {
    /// A map from words: bit `i % 64` of word `i / 64` is block `i`.
    ///
    /// Bits past the last block may be 0 or the digit of an occupied block, all alike.
    ///
    /// # Errors
    /// As [`new`](Self::new); and with words too few or too many for so many blocks, or other bits
    /// past the last block.
    pub fn from_words(words: &[u64], blocks: u32, polarity: Polarity) -> Result<Self, Error> {
        let mut store: S = storage(blocks)?;
        let flip = polarity.flip();
        view::check(words, blocks, flip)?;
        let mut free = 0;
        words::each_mask(0, blocks, words.len(), |word, mask| {
            let digits = (words[word] ^ flip) & mask;
            store.words_mut()[word] |= digits;
            free += digits.count_ones();
        });
        Ok(Self { words: store, blocks, free })
    }

    /// A map from digits, the leftmost being block 0 (the seed's d1).
    ///
    /// # Errors
    /// As [`new`](Self::new); and with a character that is neither 0 nor 1.
    pub fn from_digits(digits: &str, polarity: Polarity) -> Result<Self, Error> {
        let wrong = digits.bytes().position(|byte| !matches!(byte, b'0' | b'1'));
        if let Some(at) = wrong {
            return Err(Error::NotADigit { at });
        }
        let blocks = u32::try_from(digits.len())
            .map_err(|_| Error::TooManyBlocks { blocks: digits.len() as u64, most: S::MOST })?;
        let mut store: S = storage(blocks)?;
        let mut free = 0;
        for (block, digit) in (0..).zip(digits.bytes()) {
            let is_free = u64::from((digit == b'1') == polarity.digit(true));
            store.words_mut()[words::word_of(block)] |= is_free << (block % BITS);
            free += is_free as u32;
        }
        Ok(Self { words: store, blocks, free })
    }

    /// One digit a block, block 0 first.
    pub fn digits(&self, polarity: Polarity) -> impl fmt::Display + '_ {
        self.view().digits(polarity)
    }
}

impl<'a> View<'a> {
    /// One digit a block, block 0 first.
    pub fn digits(self, polarity: Polarity) -> impl fmt::Display + 'a {
        Digits { view: self, polarity }
    }
}

struct Digits<'a> {
    view: View<'a>,
    polarity: Polarity,
}

impl fmt::Display for Digits<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for block in 0..self.view.blocks() {
            let digit = self.polarity.digit(self.view.is_free(block));
            f.write_str(if digit { "1" } else { "0" })?;
        }
        Ok(())
    }
}

impl<S: Store> fmt::Debug for Map<S> {
    /// One digit a block, 1 = free, block 0 first.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Map({})", self.digits(Polarity::FreeIsOne))
    }
}
