//! What does a batch do in plain safe Rust?

use crate::words::longest_of;

/// What holds the longest run of a map.
pub(crate) trait Length {
    /// The length, or the largest that this type holds.
    fn of(longest: u32) -> Self;
}

impl Length for u8 {
    #[inline(always)]
    fn of(longest: u32) -> Self {
        longest.min(u32::from(Self::MAX)) as Self
    }
}

impl Length for u16 {
    #[inline(always)]
    fn of(longest: u32) -> Self {
        longest.min(u32::from(Self::MAX)) as Self
    }
}

/// One map after the other, with nothing that depends on what they hold, so that the compiler can
/// lay several side by side. Inlined into every level of processors that it is compiled for.
#[inline(always)]
pub(crate) fn each<const W: usize, T: Length>(maps: &[[u64; W]], longest: &mut [T]) {
    for (map, longest) in maps.iter().zip(longest) {
        *longest = T::of(longest_of(map));
    }
}
