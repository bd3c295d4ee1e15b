//! Which digit means free?

/// The digit that means free.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Polarity {
    /// 1 is free, 0 is occupied.
    #[default]
    FreeIsOne,
    /// 0 is free, 1 is occupied.
    FreeIsZero,
}

impl Polarity {
    /// Returns whether the digit of a free block, or of an occupied one, is 1.
    #[must_use]
    pub const fn digit(self, free: bool) -> bool {
        matches!(self, Self::FreeIsOne) == free
    }

    /// Returns the mask that turns words of this polarity, by XOR, into words with 1 = free.
    pub(super) const fn flip(self) -> u64 {
        match self {
            Self::FreeIsOne => 0,
            Self::FreeIsZero => u64::MAX,
        }
    }
}
