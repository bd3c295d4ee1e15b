//! Which settings and levels of time slicing are malformed?

use alloc::format;

use raddle_policy::{ErrorKind, SettingError, Ticks};

/// Error that a setting or a level of time slicing is malformed. Levels count from 0, the most
/// urgent; times are ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SliceError(pub(crate) Reason);

impl core::fmt::Display for SliceError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.0.fmt(f)
    }
}

impl core::error::Error for SliceError {}

impl SliceError {
    /// Returns the kind of the error, so that a program can decide how to go on.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        match self.0 {
            Reason::LevelCount { .. }
            | Reason::LevelOutside { .. }
            | Reason::Setting { .. }
            | Reason::ZeroCapacity
            | Reason::ZeroSlice => ErrorKind::OutOfRange,
            Reason::LongestUsBelow { .. } | Reason::LongestBelow { .. } => ErrorKind::Inconsistent,
            Reason::Overflow { .. } => ErrorKind::Overflow,
        }
    }

    /// Returns the index, from 0, of the process whose weight or slice is too large for 128 bits,
    /// in the list of processes that were chosen to run; `None` for every other error.
    #[must_use]
    pub const fn task(&self) -> Option<usize> {
        match self.0 {
            Reason::Overflow { at } => Some(at),
            _ => None,
        }
    }
}

impl From<SliceError> for SettingError {
    fn from(error: SliceError) -> Self {
        match error.0 {
            Reason::Setting { key, given, least, most } => {
                Self::new(key, format!("it cannot be {given}: give {least} to {most}"))
            }
            Reason::LongestUsBelow { longest_us, t0_us } => {
                let message = format!(
                    "{longest_us} microseconds are less than the smallest slice, `t0-us = {t0_us}`: give at least as much, or leave it out"
                );
                Self::new("longest-us", message).with_example(format!("longest-us = {t0_us}"))
            }
            other => Self::new("", other),
        }
    }
}

/// Reason of an error of a setting or level of time slicing, with the values that its message
/// shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    /// The number of levels is not from 1 to 256.
    LevelCount { levels: u16 },
    /// A level of urgency is outside the range of the levels in use, or is 0 where levels count
    /// from 1.
    LevelOutside { level: u16, levels: u16 },
    /// The setting `key` of a turn policy has the value `given`, which is not from `least` to
    /// `most`.
    Setting { key: &'static str, given: u64, least: u64, most: u64 },
    /// The setting `longest-us` is below the setting `t0-us`, both in microseconds.
    LongestUsBelow { longest_us: u64, t0_us: u64 },
    /// The capacity (how many processes are chosen at most) is 0: no process could be chosen to
    /// run.
    ZeroCapacity,
    /// The smallest slice has a length of 0 ticks.
    ZeroSlice,
    /// The longest slice is shorter than the smallest slice.
    LongestBelow { longest: Ticks, t0: Ticks },
    /// A weight or a slice (in ticks) is too large for 128 bits; `at` is the index, from 0, of the
    /// process in the list of those that were chosen to run.
    Overflow { at: usize },
}

raddle_policy::texts! { Reason:
    LevelCount { levels } => "{levels} levels cannot be: give 1 to 256";
    LevelOutside { level, levels } =>
        "level {level} is not there, {levels} are: fold it to the last";
    Setting { key, given, least, most } => "`{key} = {given}` cannot be: give {least} to {most}";
    LongestUsBelow { longest_us, t0_us } =>
        "`longest-us = {longest_us}` is below the smallest slice `t0-us = {t0_us}`: give {t0_us} or more, or leave it out";
    ZeroCapacity => "a cache for 0 tasks: give a capacity of 1 or more";
    ZeroSlice => "a smallest slice t0 of 0 ticks: give 1 or more";
    LongestBelow { longest, t0 } =>
        "a longest slice of {longest} ticks is below the smallest of {t0}: give {t0} or more";
    Overflow { at } =>
        "the slice of loaded task {at} is beyond 128 bits: give smaller shares or a coarser tick";
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn messages_say_what_to_do() {
        let messages = [
            Reason::LevelCount { levels: 0 },
            Reason::LevelOutside { level: 16, levels: 16 },
            Reason::Setting { key: "slice-us", given: 0, least: 1, most: 9 },
            Reason::LongestUsBelow { longest_us: 1, t0_us: 2 },
            Reason::ZeroCapacity,
            Reason::ZeroSlice,
            Reason::LongestBelow { longest: Ticks(1), t0: Ticks(2) },
            Reason::Overflow { at: 2 },
        ]
        .map(|error| error.to_string());
        insta::assert_snapshot!(messages.join("\n"));
    }
}
