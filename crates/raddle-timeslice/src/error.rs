//! What is malformed?
//!
//! Levels count from 0, the most urgent; times are ticks.

use core::fmt;

use raddle_policy::{Level, Ticks};

/// What is malformed: a configuration, a task, or what is said to have happened to it. Nothing has
/// changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// A number of levels that cannot be.
    LevelCount {
        /// How many.
        levels: u16,
    },
    /// A level that there is not.
    LevelOutside {
        /// Which.
        level: u16,
        /// Levels that there are.
        levels: u16,
    },
    /// A setting of a turn policy that cannot be.
    Setting {
        /// Its name in a recipe.
        key: &'static str,
        /// What it is set to.
        given: u64,
        /// The least that it can be.
        least: u64,
        /// The most.
        most: u64,
    },
    /// The setting `longest-us` below `t0-us`.
    LongestUsBelow {
        /// What it is set to.
        longest_us: u64,
        /// The smallest slice.
        t0_us: u64,
    },
    /// A cache that holds no task.
    ZeroCapacity,
    /// A smallest slice of no time.
    ZeroSlice,
    /// A longest slice below the smallest.
    LongestBelow {
        /// The longest.
        longest: Ticks,
        /// The smallest, t0.
        t0: Ticks,
    },
    /// A weight or a slice beyond 128 bits.
    Overflow {
        /// Of which loaded task, counted from 0.
        at: usize,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LevelCount { levels } => {
                write!(f, "{levels} levels cannot be: give 1 to 256")
            }
            Self::LevelOutside { level, levels } => {
                write!(f, "level {level} is not there, {levels} are: fold it to the last")
            }
            Self::Setting { key, given, least, most } => {
                write!(f, "`{key} = {given}` cannot be: give {least} to {most}")
            }
            Self::LongestUsBelow { longest_us, t0_us } => write!(
                f,
                "`longest-us = {longest_us}` is below the smallest slice `t0-us = {t0_us}`: give {t0_us} or more, or leave it out"
            ),
            Self::ZeroCapacity => f.write_str("a cache for 0 tasks: give a capacity of 1 or more"),
            Self::ZeroSlice => f.write_str("a smallest slice t0 of 0 ticks: give 1 or more"),
            Self::LongestBelow { longest, t0 } => write!(
                f,
                "a longest slice of {longest} ticks is below the smallest of {t0}: give {t0} or more"
            ),
            Self::Overflow { at } => write!(
                f,
                "the slice of loaded task {at} is beyond 128 bits: give smaller shares or a coarser tick"
            ),
        }
    }
}

impl core::error::Error for Error {}

/// A level of a task, checked.
pub(crate) fn level_within(level: Level, levels: u16) -> Result<(), Error> {
    if u16::from(level.0) < levels {
        return Ok(());
    }
    Err(Error::LevelOutside { level: level.0.into(), levels })
}
