//! Which digit means a free block?

/// Digit that stands for a free block, in a text of digits or in the bits of words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Polarity {
    /// The digit 1 means a free block, 0 an occupied one.
    #[default]
    FreeIsOne,
    /// The digit 0 means a free block, 1 an occupied one.
    FreeIsZero,
}

impl Polarity {
    /// Returns the digit, true for 1, that stands for a free block if `free` is true, else for an
    /// occupied one.
    #[must_use]
    pub const fn digit(self, free: bool) -> bool {
        matches!(self, Self::FreeIsOne) == free
    }

    /// Returns the mask that turns words of this polarity, by XOR, into words with a 1 for each
    /// free block.
    pub(super) const fn flip(self) -> u64 {
        match self {
            Self::FreeIsOne => 0,
            Self::FreeIsZero => u64::MAX,
        }
    }
}
