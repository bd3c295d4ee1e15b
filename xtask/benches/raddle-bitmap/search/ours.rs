//! Which of our own forms are measured?
//!
//! The maps of fixed size, and the kernels that measure many maps in one call.

use raddle_bitmap::{FixedMap, Polarity, portable};

use raddle_bitmap::batch::{self, Kernel};

use crate::contender::{Contender, FirstFit, Longest, Pool};

/// A batch of which each map has a place for its answer.
pub(crate) fn longest<const W: usize>(kernel: Kernel, maps: &[[u64; W]], out: &mut [u16]) {
    batch::longest(kernel, maps, out).expect("one place a map");
}

/// The same in bytes.
pub(crate) fn longest_bytes<const W: usize>(kernel: Kernel, maps: &[[u64; W]], out: &mut [u8]) {
    batch::longest_bytes(kernel, maps, out).expect("one place a map");
}

/// The name of a kernel's rows.
pub(crate) const fn row_of(kernel: Kernel) -> &'static str {
    match kernel {
        Kernel::SafeAvx2 => "safe-avx2",
        Kernel::SafeAvx512 => "safe-avx512",
        Kernel::TableSsse3 => "table-ssse3",
        Kernel::TableAvx2 => "table-avx2",
        Kernel::TableAvx512 => "table-avx512",
        _ => "portable",
    }
}

/// A map as its users have it: by the level of this processor.
pub(crate) struct Ours<const W: usize>(FixedMap<W>);

/// The safe bodies for any processor, which stand beside that.
pub(crate) struct OursSafe<const W: usize>([u64; W]);

impl<const W: usize> Contender for OursSafe<W> {
    const NAME: &'static str = "ours-safe";

    fn of(words: &[u64]) -> Self {
        Self(words.try_into().expect("so many words"))
    }
}

impl<const W: usize> Longest for OursSafe<W> {
    #[inline]
    fn longest(&self) -> u32 {
        portable::longest_portable(&self.0)
    }
}

impl<const W: usize> FirstFit for OursSafe<W> {
    #[inline]
    fn first_fit(&mut self, want: u32) -> Option<u32> {
        let at = portable::first_fit_portable(&self.0, 0, want);
        (at != portable::NOWHERE).then_some(at)
    }
}

impl<const W: usize> Contender for Ours<W> {
    const NAME: &'static str = "ours";

    fn of(words: &[u64]) -> Self {
        let map = FixedMap::from_words(words, 64 * W as u32, Polarity::FreeIsOne);
        Self(map.expect("every word is full"))
    }
}

impl<const W: usize> Longest for Ours<W> {
    #[inline]
    fn longest(&self) -> u32 {
        self.0.longest()
    }
}

impl<const W: usize> FirstFit for Ours<W> {
    #[inline]
    fn first_fit(&mut self, want: u32) -> Option<u32> {
        self.0.first_fit(want).map(|plan| plan.start())
    }
}

impl<const W: usize> Pool for Ours<W> {
    type Held = u32;

    fn empty() -> Self {
        Self::of(&[u64::MAX; W])
    }

    #[inline]
    fn take(&mut self, len: u32) -> Option<u32> {
        let plan = self.0.first_fit(len)?;
        self.0.commit(plan).ok()
    }

    #[inline]
    fn give(&mut self, start: u32, len: u32) {
        let given = self.0.release(start, len);
        debug_assert!(given.is_ok(), "the trace gives back what it took");
    }

    fn start(held: u32) -> u32 {
        held
    }
}
