//! Which readings of seed 003 does a controller follow?
//!
//! The effects that the fields name were measured by the digest of the seed; times are in its ticks.

/// Rule that picks one of several SMs that qualify for a block; seed 003 is silent on it (reading
/// C6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Choose {
    /// The SM with the lowest index is picked.
    #[default]
    Lowest,
    /// For whole blocks, the SM that takes most of them is picked; for a first SM (on which warps
    /// of the block start), the one on which most can start; for a second SM (on which it waits),
    /// the one with the lowest top priority. Of equal ones the lowest index is picked.
    MostFree,
}

/// Choices between two readings of the rules by which blocks and warps are given to SMs (seed 003);
/// parameters of [`BlockWarp`](crate::BlockWarp).
///
/// ```
/// let options = raddle_sm::BlockWarpConfig { fall_through: true, ..raddle_sm::BlockWarpConfig::default() };
/// assert!(options.backfill && options.whole_blocks_for_barriers && !options.strict);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", default, deny_unknown_fields))]
pub struct BlockWarpConfig {
    /// True if an SM gets a block on the route `First` only if it has *more* free warps, registers
    /// and shared memory than one warp needs (claim 4 to the letter); false if it is enough to have
    /// as much (C1). Off by default: if on, a block that needs no shared memory never goes to an SM
    /// that has none left, and 20 blocks of 5 warps end at tick 100 instead of 70.
    pub strict: bool,
    /// Rule that picks one of several SMs that qualify for a block (C6).
    pub choose: Choose,
    /// True if the next kernel is tried when the most important one cannot be placed (C8). Off by
    /// default: no less important kernel overtakes, and in the worked example of seed 003 the small
    /// kernel ends at tick 50; if on, it ends at tick 11, and the other kernels end at unchanged
    /// ticks.
    pub fall_through: bool,
    /// True if a less important block of an SM may take a slot that the most important waiting
    /// block cannot use (C10). On by default: if off, the kernels of 10 of 2,000 random mixes wait
    /// for each other for ever.
    pub backfill: bool,
    /// True if a block with a barrier starts as a whole or not at all (C11), which is the default.
    /// If false, two blocks that each have half of their warps on an SM can wait for each other for
    /// ever.
    pub whole_blocks_for_barriers: bool,
}

impl Default for BlockWarpConfig {
    fn default() -> Self {
        Self {
            strict: false,
            choose: Choose::Lowest,
            fall_through: false,
            backfill: true,
            whole_blocks_for_barriers: true,
        }
    }
}
