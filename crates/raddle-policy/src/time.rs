//! What is a point in time, what is a span of it?
//!
//! Policies know ticks only: 1 ns in the simulator, one cycle in the golden models.

use core::fmt;
use core::ops::{Add, AddAssign, Sub};
use core::time::Duration;

/// A point in time, in ticks since the start of the run; a tick is 1 ns in a simulation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
pub struct Tick(pub u64);

/// A span of time, in ticks; a tick is 1 ns in a simulation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
pub struct Ticks(pub u64);

impl Tick {
    /// The start of the run.
    pub const ZERO: Self = Self(0);
    /// The largest time; arithmetic saturates here instead of wrapping.
    pub const MAX: Self = Self(u64::MAX);

    /// Returns the span since `earlier`; 0 if `earlier` is later.
    #[must_use]
    #[inline]
    pub const fn since(self, earlier: Self) -> Ticks {
        Ticks(self.0.saturating_sub(earlier.0))
    }
}

impl Ticks {
    /// A span of no time at all.
    pub const ZERO: Self = Self(0);
}

// All arithmetic saturates, so that no input can make time wrap.
impl Add<Ticks> for Tick {
    type Output = Self;
    #[inline]
    fn add(self, span: Ticks) -> Self {
        Self(self.0.saturating_add(span.0))
    }
}

impl Add for Ticks {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Ticks {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

/// Converts a duration into ticks of one nanosecond; a duration too long for a u64 becomes
/// `u64::MAX` ticks.
impl From<Duration> for Ticks {
    fn from(span: Duration) -> Self {
        Self(u64::try_from(span.as_nanos()).unwrap_or(u64::MAX))
    }
}

impl Sub for Ticks {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl fmt::Display for Tick {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Display for Ticks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}
