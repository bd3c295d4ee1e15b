//! Which settings and levels of time slicing are malformed?

use raddle_policy::Ticks;

/// Error about a malformed setting or level. Levels count from 0, the most urgent; times are ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the message says what each field is")]
pub enum SliceError {
    /// A number of levels outside 1 to 256.
    #[error("{levels} levels cannot be: give 1 to 256")]
    LevelCount { levels: u16 },
    /// A level that is 0 where levels count from 1, or beyond the range.
    #[error("level {level} is not there, {levels} are: fold it to the last")]
    LevelOutside { level: u16, levels: u16 },
    /// A setting of a turn policy with the value `given`, which is not from `least` to `most`.
    #[error("`{key} = {given}` cannot be: give {least} to {most}")]
    Setting { key: &'static str, given: u64, least: u64, most: u64 },
    /// A setting `longest-us` below the setting `t0-us`, both in microseconds.
    #[error(
        "`longest-us = {longest_us}` is below the smallest slice `t0-us = {t0_us}`: give {t0_us} or more, or leave it out"
    )]
    LongestUsBelow { longest_us: u64, t0_us: u64 },
    /// A room for 0 processes in the GPU's cache, which holds the processes that are chosen to run
    /// next.
    #[error("a cache for 0 tasks: give a capacity of 1 or more")]
    ZeroCapacity,
    /// A smallest slice of 0 ticks.
    #[error("a smallest slice t0 of 0 ticks: give 1 or more")]
    ZeroSlice,
    /// A longest slice below the smallest slice.
    #[error("a longest slice of {longest} ticks is below the smallest of {t0}: give {t0} or more")]
    LongestBelow { longest: Ticks, t0: Ticks },
    /// A weight or a slice (in ticks) that is too large for 128 bits; `at` is the index, from 0, of
    /// the process among those that were chosen to run.
    #[error(
        "the slice of loaded task {at} is beyond 128 bits: give smaller shares or a coarser tick"
    )]
    Overflow { at: usize },
}
