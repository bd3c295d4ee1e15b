//! How urgent is a launch or a process?

use core::fmt;

/// The urgency of a launch, stream or process: 0 is the most urgent, 255 is best effort.
///
/// There is no `Ord` on purpose, because many readers would take "greater" for "more important".
/// Ask [`Level::outranks`], and sort by [`Level::rank`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
pub struct Level(pub u8);

impl Level {
    /// The most urgent level.
    pub const MOST_URGENT: Self = Self(0);
    /// The least urgent level.
    pub const BEST_EFFORT: Self = Self(255);

    /// Returns whether this level is strictly more urgent than `other`.
    ///
    /// ```
    /// use raddle_policy::Level;
    /// assert!(Level(0).outranks(Level(5)));
    /// assert!(!Level(5).outranks(Level(5)));
    /// ```
    #[must_use]
    pub const fn outranks(self, other: Self) -> bool {
        self.0 < other.0
    }

    /// Returns a number to sort levels by: the lower, the more urgent. It can also be the rank of a
    /// launch in [`crate::Rank`].
    #[must_use]
    pub const fn rank(self) -> u64 {
        self.0 as u64
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}
