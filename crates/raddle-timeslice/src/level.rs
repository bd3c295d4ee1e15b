//! How are levels numbered and coded (seed 004, claims 10 and 11)?
//!
//! The seed counts from 1, the best, and writes level k as the value k - 1 in a field of bits; ours
//! is that value.

use core::fmt;

use raddle_policy::Level;

use crate::error::Reason;
use crate::error::SliceError;

/// Range of the levels in use, as their number: 16 in seed 004, whose codes have 4 bits; here 1 to
/// 256.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct LevelRange(u16);

/// Code of a level, in the field of bits that it has in the pool of processes: of sixteen levels,
/// `0000` is the most urgent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct LevelCode {
    /// Value of the code, which is the level counted from 0; smaller is more urgent.
    pub(crate) value: u8,
    /// Number of bits that the code of a level takes, 1 to 8.
    pub(crate) bits: u32,
}

impl LevelCode {
    /// Returns the value of the code, which is the level counted from 0; smaller is more urgent.
    #[must_use]
    pub const fn value(&self) -> u8 {
        self.value
    }
}

impl fmt::Display for LevelCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:0width$b}", self.value, width = self.bits as usize)
    }
}

impl Default for LevelRange {
    fn default() -> Self {
        Self(16)
    }
}

impl LevelRange {
    /// Returns a range of `levels` levels.
    ///
    /// # Errors
    /// [`OutOfRange`](crate::ErrorKind::OutOfRange) outside 1 to 256.
    pub const fn new(levels: u16) -> Result<Self, SliceError> {
        if levels == 0 || levels > 256 {
            return Err(SliceError(Reason::LevelCount { levels }));
        }
        Ok(Self(levels))
    }

    /// Returns the number of bits that a level code of this range takes, at least 1.
    #[must_use]
    pub const fn bits(self) -> u32 {
        let last = self.0 - 1;
        if last == 0 { 1 } else { u16::BITS - last.leading_zeros() }
    }

    /// Returns the code of a level that is counted from 1, as in seed 004.
    ///
    /// ```
    /// use raddle_timeslice::LevelRange;
    /// assert_eq!(LevelRange::default().code(10)?.to_string(), "1001");
    /// # Ok::<(), raddle_timeslice::SliceError>(())
    /// ```
    ///
    /// # Errors
    /// [`OutOfRange`](crate::ErrorKind::OutOfRange) for 0 or for a level beyond the range.
    pub const fn code(self, level: u16) -> Result<LevelCode, SliceError> {
        if level == 0 || level > self.0 {
            return Err(SliceError(Reason::LevelOutside { level, levels: self.0 }));
        }
        Ok(LevelCode { value: (level - 1) as u8, bits: self.bits() })
    }

    /// Returns the level of raddle, counted from 0, that a code with this value stands for.
    ///
    /// # Errors
    /// [`OutOfRange`](crate::ErrorKind::OutOfRange) if there are fewer levels.
    pub fn level(self, value: u8) -> Result<Level, SliceError> {
        let level = u16::from(value);
        if level < self.0 {
            return Ok(Level(value));
        }
        Err(SliceError(Reason::LevelOutside { level, levels: self.0 }))
    }

    /// Returns the level as it counts in this range: a level beyond the least urgent one of the
    /// range becomes that one.
    #[must_use]
    pub(crate) fn fold(self, level: Level) -> Level {
        let last = u8::try_from(self.0 - 1).unwrap_or(u8::MAX);
        Level(level.0.min(last))
    }
}
