//! How fast is `bitvec`? From run to run with `leading_zeros` and `leading_ones`, and `fill` to take.

use bitvec::array::BitArray;
use bitvec::order::Lsb0;
use bitvec::slice::BitSlice;

use crate::contender::{Contender, FirstFit, Longest, Pool};

type Bits = BitSlice<u64, Lsb0>;

pub(crate) struct Bitvec<const W: usize>(BitArray<[u64; W], Lsb0>);

impl<const W: usize> Contender for Bitvec<W> {
    const NAME: &'static str = "bitvec";

    fn of(words: &[u64]) -> Self {
        Self(BitArray::new(core::array::from_fn(|at| words[at])))
    }
}

/// The first run of at least so many ones.
#[inline]
fn find(mut rest: &Bits, want: usize) -> Option<u32> {
    let mut at = 0;
    loop {
        let zeros = rest.leading_zeros();
        rest = &rest[zeros..];
        at += zeros;
        if rest.len() < want {
            return None;
        }
        let ones = rest.leading_ones();
        if ones >= want {
            return Some(at as u32);
        }
        rest = &rest[ones..];
        at += ones;
    }
}

impl<const W: usize> Longest for Bitvec<W> {
    #[inline]
    fn longest(&self) -> u32 {
        let mut rest = self.0.as_bitslice();
        let mut best = 0;
        while rest.len() > best {
            rest = &rest[rest.leading_zeros()..];
            let ones = rest.leading_ones();
            best = best.max(ones);
            rest = &rest[ones..];
        }
        best as u32
    }
}

impl<const W: usize> FirstFit for Bitvec<W> {
    #[inline]
    fn first_fit(&mut self, want: u32) -> Option<u32> {
        find(&self.0, want as usize)
    }
}

impl<const W: usize> Pool for Bitvec<W> {
    type Held = u32;

    fn empty() -> Self {
        Self(BitArray::new([u64::MAX; W]))
    }

    #[inline]
    fn take(&mut self, len: u32) -> Option<u32> {
        let start = find(&self.0, len as usize)?;
        self.0[start as usize..][..len as usize].fill(false);
        Some(start)
    }

    #[inline]
    fn give(&mut self, start: u32, len: u32) {
        self.0[start as usize..][..len as usize].fill(true);
    }

    fn start(held: u32) -> u32 {
        held
    }
}
