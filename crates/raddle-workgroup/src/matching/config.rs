//! What can be chosen about matching?
//!
//! Units: as the names say; a microsecond is 1,000 ticks.

use alloc::vec::Vec;

pub(super) const TICKS_PER_US: u64 = 1_000;

/// Parameters of [`Matching`](super::Matching): one a part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", default, deny_unknown_fields))]
pub struct MatchingConfig {
    /// How long a free run the hardware reports (E4 to E7).
    pub search: SearchRule,
    /// Which level goes first (E1, E2).
    pub order: LevelOrder,
    /// Which of several channels of one level, where the seed says "at random" (a42).
    pub pick: Choice,
    /// How a workgroup's waves lie on SIMDs (E8).
    pub balance: Balance,
    /// Which of several compute units (E9, E10).
    pub place: PlaceRule,
    /// When a workgroup that may be cut is cut into its waves (E3); never, without.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub split: Option<SplitRule>,
    /// The number of channels that streams are folded into, in the order of their first use; each
    /// stream is a channel without it.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub channels: Option<u16>,
}

/// How long a free run is reported of each resource that lies in one run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub enum SearchRule {
    /// The longest (E4).
    #[default]
    Full,
    /// Whole groups (E5). Their number divides the granules of every resource.
    Grouped {
        /// The seed's Z.
        groups: u32,
    },
    /// The longest of some amounts (E6), ascending; those beyond a resource do not count for it.
    Sampled {
        /// In granules; none stands for 1, 2, 3, 4, 6, 8, 12, ...
        #[cfg_attr(feature = "serde", serde(default))]
        amounts: Vec<u32>,
    },
    /// The longest, by one finder of this many positions that serves the resources in turn (E7).
    Shared {
        /// The seed's E: no resource has more granules.
        width: u32,
    },
}

/// Which level goes first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub enum LevelOrder {
    /// The most urgent one, always.
    #[default]
    Static,
    /// Each for a while, over and over (E2); levels beyond the windows share the last one.
    #[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
    Windows {
        /// How long each level is best, the most urgent one first.
        windows_us: Vec<u64>,
    },
}

/// Which of several equals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub enum Choice {
    /// The lowest channel.
    #[default]
    Lowest,
    /// By pseudo-random numbers.
    Seeded {
        /// Equal seeds give equal choices.
        seed: u64,
    },
}

/// How a workgroup's waves lie on SIMDs: as evenly as can be, the surplus from a SIMD on that a
/// pointer of each compute unit names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Balance {
    /// It names the SIMD that got the last surplus wave, the next one goes behind.
    #[default]
    Tail,
    /// It stays at SIMD 0.
    Fixed,
}

/// When a workgroup that may be cut is cut into its waves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", default, deny_unknown_fields))]
pub struct SplitRule {
    /// Rounds in a row in which nothing fits that are borne (the seed's G); the next one cuts.
    pub threshold: u64,
    /// While nothing fits and something could be cut, there is a round each time so much has
    /// passed.
    pub retry_us: u64,
}

impl Default for SplitRule {
    fn default() -> Self {
        Self { threshold: crate::split::THRESHOLD, retry_us: 1 }
    }
}

/// Which compute unit of those that fit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub enum PlaceRule {
    /// The lowest.
    #[default]
    LowestIndex,
    /// The next one after the last workgroup's.
    RoundRobin,
    /// The one with most free wave slots; ties to the lowest.
    MostWaves,
    /// The one with most free, resources weighted (E9).
    MostFree(FreeWeights),
    /// The one that issued least power lately (E10).
    LeastPower(PowerWeights),
    /// Both, each in proportion to its largest.
    Mix {
        /// For what is free.
        free: FreeWeights,
        /// For recent power.
        power: PowerWeights,
        /// How much the one and the other count: a, b.
        shares: [u64; 2],
    },
}

/// What one unit of each resource counts (the seed's i10).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", default, deny_unknown_fields))]
pub struct FreeWeights {
    /// Of a wave slot.
    pub waves: u64,
    /// Of a granule of vector registers.
    pub vgpr: u64,
    /// Of a granule of scalar registers.
    pub sgpr: u64,
    /// Of a granule of LDS.
    pub lds: u64,
    /// What is counted of resources that lie in one run.
    pub amounts: Amounts,
}

/// What counts as free of a resource that lies in one run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Amounts {
    /// All of it.
    #[default]
    Free,
    /// Its longest run, summed over the SIMDs.
    LongestRun,
}

/// What one instruction of each kind counts (the seed's j10), and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub struct PowerWeights {
    /// In the order of [`raddle_policy::InstructionKind::ALL`].
    pub weights: [u64; 6],
    /// How far back instructions count, in ticks: the seed's NX, for which it prefers 1024.
    #[cfg_attr(feature = "serde", serde(default = "history"))]
    pub history_ticks: u64,
}

#[cfg(feature = "serde")]
const fn history() -> u64 {
    1024
}
