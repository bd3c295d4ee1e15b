//! Where do the words of a map lie?

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use crate::batch::{self, PART};
use crate::runs;
use crate::words::BITS;

/// Storage of a map: `[u64; W]` in place, or `Vec<u64>`. Nothing else can be one.
pub trait WordStore: Clone + PartialEq + Eq + fmt::Debug + sealed::Sealed {
    /// The most blocks that it holds.
    const MOST: u32;

    /// Storage of at least `words` words, all 0.
    #[doc(hidden)]
    fn zeroed(words: usize) -> Self;

    /// All words; the ones past the last block are 0.
    #[doc(hidden)]
    fn words(&self) -> &[u64];

    /// All words, mutably.
    #[doc(hidden)]
    fn words_mut(&mut self) -> &mut [u64];

    /// The longest runs of `count` maps, at most [`PART`]; 0 behind them.
    #[doc(hidden)]
    fn longest_of<'a>(count: usize, map: impl Fn(usize) -> &'a Self) -> [u32; PART]
    where
        Self: 'a,
    {
        let mut longest = [0; PART];
        for (at, longest) in longest.iter_mut().enumerate().take(count) {
            *longest = runs::longest(map(at).words());
        }
        longest
    }
}

impl<const W: usize> WordStore for [u64; W] {
    const MOST: u32 = if W > (u32::MAX / BITS) as usize { u32::MAX } else { W as u32 * BITS };

    fn zeroed(_: usize) -> Self {
        [0; W]
    }

    #[inline]
    fn words(&self) -> &[u64] {
        self
    }

    #[inline]
    fn words_mut(&mut self) -> &mut [u64] {
        self
    }

    fn longest_of<'a>(count: usize, map: impl Fn(usize) -> &'a Self) -> [u32; PART] {
        batch::gathered(count, map)
    }
}

impl WordStore for Vec<u64> {
    const MOST: u32 = u32::MAX;

    fn zeroed(words: usize) -> Self {
        vec![0; words]
    }

    #[inline]
    fn words(&self) -> &[u64] {
        self
    }

    #[inline]
    fn words_mut(&mut self) -> &mut [u64] {
        self
    }
}

mod sealed {
    use alloc::vec::Vec;

    #[doc(hidden)]
    pub trait Sealed {}
    impl<const W: usize> Sealed for [u64; W] {}
    impl Sealed for Vec<u64> {}
}
