//! How are runs taken and given back?

use super::{Map, RunPlan, WordStore};
use crate::{Error, words};

impl<S: WordStore> Map<S> {
    /// Takes the run of a plan; its start.
    ///
    /// # Errors
    /// When a block of it has been taken since the search ([`Error::Taken`]), or the plan is of a
    /// larger map ([`Error::OutOfRange`]); nothing has changed then.
    #[inline]
    pub fn commit(&mut self, plan: RunPlan) -> Result<u32, Error> {
        self.take(plan.start(), plan.len())?;
        Ok(plan.start())
    }

    /// Takes exactly these blocks, if all are free: a [`fit_at`](Self::fit_at) and its
    /// [`commit`](Self::commit) in one.
    ///
    /// # Errors
    /// As [`commit`](Self::commit); nothing has changed then.
    #[inline]
    pub fn take(&mut self, start: u32, len: u32) -> Result<(), Error> {
        self.check(start, len, true)?;
        let words = self.words.words_mut();
        words::each_mask(start, len, words.len(), |word, mask| words[word] &= !mask);
        self.free -= len;
        Ok(())
    }

    /// Gives back `len` blocks from `start`; they need not have been taken in one piece.
    ///
    /// # Errors
    /// When one of them is not taken ([`Error::NotTaken`]), or lies past the end
    /// ([`Error::OutOfRange`]); nothing has changed then.
    #[inline]
    pub fn release(&mut self, start: u32, len: u32) -> Result<(), Error> {
        self.check(start, len, false)?;
        let words = self.words.words_mut();
        words::each_mask(start, len, words.len(), |word, mask| words[word] |= mask);
        self.free += len;
        Ok(())
    }

    /// Whether the whole run lies in the map and is free, or taken.
    #[inline]
    pub(super) fn check(&self, start: u32, len: u32, free: bool) -> Result<(), Error> {
        let blocks = self.blocks;
        if len > blocks || start > blocks - len {
            return Err(Error::OutOfRange { start, len, blocks });
        }
        let flip = if free { u64::MAX } else { 0 };
        let words = self.words.words();
        let mut wrong = 0;
        words::each_mask(start, len, words.len(), |word, mask| {
            wrong |= (words[word] ^ flip) & mask
        });
        match (wrong, free) {
            (0, _) => Ok(()),
            (_, true) => Err(Error::Taken { start, len }),
            (_, false) => Err(Error::NotTaken { start, len }),
        }
    }
}
