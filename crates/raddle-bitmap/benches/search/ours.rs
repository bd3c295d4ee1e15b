//! Which of our own forms are measured?
//!
//! The maps of fixed size, and the kernels that measure many maps in one call.

use raddle_bitmap::{FixedMap, Polarity};

use crate::contender::{Contender, FirstFit, Longest, Pool};
use batch::Kernel;

/// Where the batch kernels come from.
pub(crate) mod batch {
    use raddle_bitmap::{FixedMap, Polarity};

    /// A body of the batch, and the level of the processor that it is for.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum Kernel {
        Portable,
    }

    impl Kernel {
        pub(crate) const ALL: &'static [Self] = &[Self::Portable];

        pub(crate) fn is_here(self) -> bool {
            true
        }

        pub(crate) fn serves(self, _words: usize) -> bool {
            true
        }

        pub(crate) fn name(self) -> &'static str {
            "portable"
        }
    }

    pub(crate) fn longest<const W: usize>(_: Kernel, maps: &[[u64; W]], out: &mut [u16]) {
        for (map, out) in maps.iter().zip(out) {
            let map: FixedMap<W> = FixedMap::from_words(map, 64 * W as u32, Polarity::FreeIsOne)
                .expect("every word is full");
            *out = map.longest() as u16;
        }
    }

    pub(crate) fn longest_bytes<const W: usize>(_: Kernel, maps: &[[u64; W]], out: &mut [u8]) {
        for (map, out) in maps.iter().zip(out) {
            let map: FixedMap<W> = FixedMap::from_words(map, 64 * W as u32, Polarity::FreeIsOne)
                .expect("every word is full");
            *out = map.longest().min(255) as u8;
        }
    }
}

/// The name of a kernel's rows.
pub(crate) fn row_of(kernel: Kernel) -> &'static str {
    match kernel {
        Kernel::Portable => "portable",
    }
}

pub(crate) struct Ours<const W: usize>(FixedMap<W>);

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
