//! How are free blocks in a row taken from a map, and how are they given back?

use super::{FreeMap, RunPlan};
use crate::{Error, words};

impl FreeMap {
    /// Takes the blocks that a plan names, which a search of this map has found. Returns the first
    /// of these blocks.
    ///
    /// # Errors
    /// When a block of the run has been taken since the search
    /// ([`State`](crate::ErrorKind::State)), or the plan was made for another map, even a clone of
    /// this one ([`Inconsistent`](crate::ErrorKind::Inconsistent)); nothing has changed then.
    #[inline]
    pub fn commit(&mut self, plan: RunPlan) -> Result<u32, Error> {
        let (start, len) = plan.of(&self.identity, 0)?;
        self.take(start, len)?;
        Ok(start)
    }

    /// Takes the `len` blocks from the block `start` on, if all are free: [`fit_at`](Self::fit_at)
    /// and [`commit`](Self::commit) in one step.
    ///
    /// # Errors
    /// When one of the blocks is taken ([`State`](crate::ErrorKind::State)) or lies past the end
    /// ([`OutOfRange`](crate::ErrorKind::OutOfRange)); nothing has changed then.
    #[inline]
    pub fn take(&mut self, start: u32, len: u32) -> Result<(), Error> {
        words::change(&mut self.words, self.blocks, start, len, true)?;
        self.free -= len;
        Ok(())
    }

    /// Gives back the `len` blocks from the block `start` on; they may have been taken in several
    /// parts.
    ///
    /// # Errors
    /// When one of the blocks is not taken ([`State`](crate::ErrorKind::State)), or lies past the end
    /// ([`OutOfRange`](crate::ErrorKind::OutOfRange)); nothing has changed then.
    #[inline]
    pub fn release(&mut self, start: u32, len: u32) -> Result<(), Error> {
        words::change(&mut self.words, self.blocks, start, len, false)?;
        self.free += len;
        Ok(())
    }
}
