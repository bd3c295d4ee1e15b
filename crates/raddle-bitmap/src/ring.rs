//! Where does the next part of a ring of blocks begin, whose oldest parts are freed first?

use alloc::collections::VecDeque;

use crate::Error;
use crate::error::Reason;

/// Part of a ring (blocks in a row) that was handed out and is not yet free again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Part {
    start: u32,
    len: u32,
    released: bool,
}

/// Ring of 1 to `u32::MAX` blocks, handed out in parts (blocks in a row), one behind the other. A
/// part begins where the last one ended (the tail), or at block 0 where too few blocks are left up
/// to the end. The blocks of a released part are free again once all parts that were handed out
/// earlier are released too.
///
/// ```
/// use raddle_bitmap::Ring;
///
/// let mut ring = Ring::new(10)?;
/// assert_eq!([ring.allocate(4), ring.allocate(4)], [Some(0), Some(4)]);
/// ring.release(4)?;
/// assert_eq!(ring.allocate(3), None, "blocks 0 to 4 are held, and 4 to 8 wait for them");
/// ring.release(0)?;
/// assert_eq!(ring.allocate(3), Some(0), "2 blocks are left before the end");
/// # Ok::<(), raddle_bitmap::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ring {
    blocks: u32,
    tail: u32,
    /// Parts (blocks in a row) that were handed out and are not yet free again, the oldest first.
    parts: VecDeque<Part>,
}

impl Ring {
    /// Returns a ring of which no block is handed out; the first part will begin at block 0.
    ///
    /// # Errors
    /// [`OutOfRange`](crate::ErrorKind::OutOfRange) without a block.
    pub const fn new(blocks: u32) -> Result<Self, Error> {
        if blocks == 0 {
            return Err(Error(Reason::NoBlocks));
        }
        Ok(Self { blocks, tail: 0, parts: VecDeque::new() })
    }

    /// Returns the number of blocks of the ring, both free and handed out.
    #[must_use]
    pub const fn blocks(&self) -> u32 {
        self.blocks
    }

    /// Returns the block at which the next part, of `want` blocks in a row, would begin; `None`
    /// where there is no room for it. A part without blocks begins at 0.
    #[must_use]
    pub fn find(&self, want: u32) -> Option<u32> {
        if want == 0 {
            return Some(0);
        }
        let start = if want <= self.blocks - self.tail { self.tail } else { 0 };
        if want > self.blocks {
            return None;
        }
        let meets = |it: &Part| it.start < start + want && start - it.start.min(start) < it.len;
        (!self.parts.iter().any(meets)).then_some(start)
    }

    /// Hands out a part of `want` blocks in a row, and returns its first block; `None` where there
    /// is no room for it.
    pub fn allocate(&mut self, want: u32) -> Option<u32> {
        let start = self.find(want)?;
        if want > 0 {
            self.parts.push_back(Part { start, len: want, released: false });
            self.tail = start + want;
        }
        Some(start)
    }

    /// Releases the part (blocks in a row) that was handed out from the block `start` on.
    ///
    /// # Errors
    /// [`State`](crate::ErrorKind::State) where no part that is handed out begins there.
    pub fn release(&mut self, start: u32) -> Result<(), Error> {
        let held = |it: &&mut Part| it.start == start && !it.released;
        let part =
            self.parts.iter_mut().find(held).ok_or(Error(Reason::NotTaken { start, len: 1 }))?;
        part.released = true;
        while self.parts.front().is_some_and(|oldest| oldest.released) {
            self.parts.pop_front();
        }
        Ok(())
    }
}
