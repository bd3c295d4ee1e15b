//! Which readings of seed 003 do the controllers follow?
//!
//! The effects of a reading that comments here give were measured on examples of the seed, in
//! ticks.

/// Rule that picks one of several SMs that qualify for a block. The patent (seed 003) does not say
/// which one to take; raddle numbers this choice C6.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Choose {
    /// Of several SMs that qualify for a block, the SM with the lowest index is picked.
    #[default]
    Lowest,
    /// The SM with most room is picked: for whole blocks the one that takes most of them; for a
    /// block of which only some warps start, the one on which most can start; for a block that has
    /// to wait, the one whose top priority is lowest. Of equal SMs the one with the lowest index is
    /// picked.
    MostFree,
}

/// Choices where the patent (seed 003) can be read in two ways on how blocks and warps are given to
/// SMs; settings of the policy [`BlockWarp`](crate::BlockWarp).
///
/// ```
/// let options = raddle_sm::BlockWarpConfig { fall_through: true, ..raddle_sm::BlockWarpConfig::default() };
/// assert!(options.backfill && options.whole_blocks_for_barriers && !options.strict);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", default, deny_unknown_fields))]
pub struct BlockWarpConfig {
    /// True if an SM gets a block of which only some warps fit only while it has *more* free warps,
    /// registers and shared memory than one warp needs (claim 4 of the patent to the letter).
    /// False, the default, if exactly as much is enough (reading C1). If true, a block that needs
    /// no shared memory never goes to an SM that has none left.
    pub strict: bool,
    /// Rule that picks one of several SMs that qualify for a block (reading C6 of the patent, seed
    /// 003).
    pub choose: Choose,
    /// True if the next kernel is tried when the most important one fits on no SM (reading C8 of
    /// the patent, seed 003). False, the default, if no kernel may overtake a more important one.
    /// If true, the small kernel in the worked example of the patent ends at tick 11 instead of 50,
    /// and the other kernels end when they did.
    pub fall_through: bool,
    /// True if warps of a less important block may take the warp slots of an SM that the most
    /// important waiting block cannot use (reading C10). On by default: if off, in 10 of 2,000
    /// random mixes kernels wait for each other for ever.
    pub backfill: bool,
    /// True, the default, if a block with a barrier starts with all its warps or not at all
    /// (reading C11). If false, two blocks that each have half of their warps on an SM can wait for
    /// each other for ever.
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
