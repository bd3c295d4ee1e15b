//! How are levels numbered and coded (seed 004, claims 10 and 11)?
//!
//! The seed counts levels from 1, the best, and writes level k as the value k - 1 in a field of
//! bits. A level of raddle is the value k - 1.

use core::fmt;

use raddle_policy::Level;

use crate::error::Reason;
use crate::error::SliceError;

/// Number of urgency levels in use, 1 to 256; the patent (seed 004) has 16, which need codes of 4
/// bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct LevelRange(u16);

/// Code of an urgency level as a field of bits, as in the pool of processes of the patent (seed
/// 004): of sixteen levels, `0000` is the most urgent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct LevelCode {
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
    /// Returns the range of the levels 0 to `levels` - 1.
    ///
    /// # Errors
    /// [`OutOfRange`](crate::ErrorKind::OutOfRange) where `levels` is not from 1 to 256.
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

    /// Returns the code of a level that is counted from 1, the most urgent, as in the patent (seed
    /// 004).
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

    /// Returns the level, counted from 0, that has the code with the value `value`.
    ///
    /// # Errors
    /// [`OutOfRange`](crate::ErrorKind::OutOfRange) where the range has no such level.
    pub fn level(self, value: u8) -> Result<Level, SliceError> {
        let level = u16::from(value);
        if level < self.0 {
            return Ok(Level(value));
        }
        Err(SliceError(Reason::LevelOutside { level, levels: self.0 }))
    }

    /// Returns `level` if it is in this range, else the least urgent level of the range.
    #[must_use]
    pub(crate) fn fold(self, level: Level) -> Level {
        let last = u8::try_from(self.0 - 1).unwrap_or(u8::MAX);
        Level(level.0.min(last))
    }
}
