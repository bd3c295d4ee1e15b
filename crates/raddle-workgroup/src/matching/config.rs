//! What can be chosen about matching?
//!
//! Units: as the names say; a tick is a nanosecond of a replay, a cycle of a golden model.

use alloc::vec::Vec;

use super::search::SearchRule;
use crate::Error;

const TICKS_PER_US: u64 = 1_000;

/// Parameters of [`Matching`](super::Matching), one for each part of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", default, deny_unknown_fields))]
pub struct MatchingConfig {
    /// The search that decides how long a free run the hardware reports (E4 to E7).
    pub search: SearchRule,
    /// The order of levels (E1, E2).
    pub order: LevelOrder,
    /// The choice among several channels of one level, where the seed says "at random" (a42).
    pub pick: Choice,
    /// The choice among the free runs that are long enough (a44).
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Fit::is_first"))]
    pub fit: Fit,
    /// The rule by which a workgroup's waves lie on SIMDs (E8).
    pub balance: Balance,
    /// The choice among several compute units that fit (E9, E10).
    pub place: PlaceRule,
    /// The rule by which a workgroup that may be cut is cut into its waves (E3); without it, no
    /// workgroup is cut.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub split: Option<SplitRule>,
    /// The time that a decision takes; without it, decisions take no time.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub decision: Option<DecisionTime>,
    /// The number of channels that streams are folded into, in the order of their first use; each
    /// stream is a channel without it.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub channels: Option<u16>,
}

/// The order of levels: the first is the best.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub enum LevelOrder {
    /// The most urgent level is always the best.
    #[default]
    Static,
    /// Each level is the best for a while, over and over (E2); levels beyond the windows share the
    /// last window.
    Windows(LevelWindows),
}

/// The time for which each level is best, the most urgent level first, in one of two units.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", default, deny_unknown_fields))]
pub struct LevelWindows {
    /// The lengths in nanoseconds, which are ticks of a replay.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub windows_ns: Vec<u64>,
    /// The lengths in microseconds.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub windows_us: Vec<u64>,
}

impl LevelWindows {
    /// Makes windows of these lengths in microseconds.
    #[must_use]
    pub const fn us(windows_us: Vec<u64>) -> Self {
        Self { windows_ns: Vec::new(), windows_us }
    }

    /// Returns the lengths in ticks.
    ///
    /// # Errors
    /// [`Error::TwoUnits`] where both units are given.
    pub fn ticks(&self) -> Result<Vec<u64>, Error> {
        let Self { windows_ns, windows_us } = self;
        if !windows_ns.is_empty() && !windows_us.is_empty() {
            return Err(Error::TwoUnits { keys: ["windows-ns", "windows-us"] });
        }
        let us = windows_us.iter().map(|us| us.saturating_mul(TICKS_PER_US));
        Ok(windows_ns.iter().copied().chain(us).collect())
    }
}

/// The time that a decision takes: the clocks of the chosen search, by the circuit model of
/// `raddle-bitmap`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub struct DecisionTime {
    /// The way in which the steps of the search are spread over clocks.
    pub timing: SearchTiming,
    /// The clock of the dispatcher, in MHz; where it is not given, `raddle` takes the clock of the
    /// device.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub clock_mhz: Option<u32>,
}

/// The way in which the steps of a search are spread over clocks (E4 to E7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum SearchTiming {
    /// All steps in one clock.
    OneClock,
    /// One clock for each step, each step with its own hardware.
    ThreeClocks,
    /// One clock for each step, on one set of hardware; only the grouped search has this timing.
    Reused,
}

/// The choice among the free runs that are long enough; the taken run begins at the start of the
/// chosen one, ties to the lowest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Fit {
    /// The lowest run.
    #[default]
    First,
    /// The shortest run.
    Best,
    /// The longest run.
    Worst,
    /// The lowest start at or after the end of the run that the map gave last, around the end; at first
    /// the lowest. A run that comes back, saved work that returns to its place, and a refusal leave
    /// that end where it is.
    Next,
}

impl Fit {
    #[cfg(feature = "serde")]
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "what serde calls")]
    const fn is_first(&self) -> bool {
        matches!(self, Self::First)
    }
}

/// The choice among several equal channels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub enum Choice {
    /// The lowest channel.
    #[default]
    Lowest,
    /// A channel by pseudo-random numbers.
    Seeded {
        /// The seed of the numbers; equal seeds give equal choices.
        seed: u64,
    },
}

/// The rule by which a workgroup's waves lie on SIMDs: as evenly as can be, the surplus from a SIMD
/// on that a pointer of each compute unit names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Balance {
    /// The pointer names the SIMD that got the last surplus wave; the next surplus wave goes to the
    /// SIMD behind.
    #[default]
    Tail,
    /// The surplus always begins at SIMD 0.
    Fixed,
}

/// The rule that decides when a workgroup that may be cut is cut into its waves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", default, deny_unknown_fields))]
pub struct SplitRule {
    /// The number of rounds in a row in which nothing fits and nothing is cut (the seed's G); the
    /// next such round cuts.
    pub threshold: u64,
    /// Nanoseconds between two rounds while nothing fits and a workgroup could be cut; 10 where
    /// neither unit is given.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub retry_ns: Option<u64>,
    /// Microseconds between two rounds, instead of `retry_ns`.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub retry_us: Option<u64>,
}

impl Default for SplitRule {
    fn default() -> Self {
        Self { threshold: crate::split::THRESHOLD, retry_ns: None, retry_us: None }
    }
}

impl SplitRule {
    /// Ticks between two rounds where no time is configured.
    pub(crate) const RETRY: u64 = 10;

    /// Returns the ticks between two rounds.
    ///
    /// # Errors
    /// [`Error::TwoUnits`] where both units are given, [`Error::NoRetry`] for 0.
    pub const fn retry(&self) -> Result<u64, Error> {
        match (self.retry_ns, self.retry_us) {
            (Some(_), Some(_)) => Err(Error::TwoUnits { keys: ["retry-ns", "retry-us"] }),
            (Some(0), _) | (_, Some(0)) => Err(Error::NoRetry),
            (Some(ns), None) => Ok(ns),
            (None, Some(us)) => Ok(us.saturating_mul(TICKS_PER_US)),
            (None, None) => Ok(Self::RETRY),
        }
    }
}

/// The choice among the compute units that fit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub enum PlaceRule {
    /// The lowest compute unit.
    #[default]
    LowestIndex,
    /// The next compute unit after the one of the last workgroup.
    RoundRobin,
    /// The compute unit with most free wave slots; ties to the lowest.
    MostWaves,
    /// The compute unit with most free, resources weighted (E9).
    MostFree(FreeWeights),
    /// The compute unit that drew least power lately (E10).
    LeastPower(PowerWeights),
    /// Free resources and recent power together, each in proportion to its largest.
    Mix {
        /// The weights of free resources.
        free: FreeWeights,
        /// The weights of recent power.
        power: PowerWeights,
        /// The shares of free resources and of recent power in the score: a, b.
        shares: [u64; 2],
    },
}

/// The weight of one unit of each resource (the seed's i10).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", default, deny_unknown_fields))]
pub struct FreeWeights {
    /// The weight of a wave slot.
    pub waves: u64,
    /// The weight of a granule of vector registers.
    pub vgpr: u64,
    /// The weight of a granule of scalar registers.
    pub sgpr: u64,
    /// The weight of a granule of LDS.
    pub lds: u64,
    /// The amount that counts of resources that lie in one run.
    pub amounts: Amounts,
}

/// The amount that counts as free of a resource that lies in one run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Amounts {
    /// All free granules of the resource.
    #[default]
    Free,
    /// The longest run that the search reports, summed over the SIMDs.
    LongestRun,
}

/// The weight of one instruction of each kind (the seed's j10), and for how long it counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub struct PowerWeights {
    /// The weights, in the order of [`raddle_policy::InstructionKind::ALL`].
    pub weights: [u64; 6],
    /// The time for which past instructions count, in ticks (the seed's NX): 1,024, which the seed
    /// prefers, where neither key is given.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    #[cfg_attr(feature = "serde", serde(default))]
    pub history_ticks: Option<u64>,
    /// The exponent of that time as a power of two, instead of `history_ticks`; at most 63
    /// (claim 5).
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    #[cfg_attr(feature = "serde", serde(default))]
    pub history_log2: Option<u8>,
    /// Set if an equal number of ticks ahead counts too, as if nothing ended: so a placed workgroup
    /// counts at once, and not from the next tick on.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "core::ops::Not::not"))]
    #[cfg_attr(feature = "serde", serde(default))]
    pub ahead: bool,
}

impl PowerWeights {
    /// Makes weights that count over the 1,024 ticks that the seed prefers.
    #[must_use]
    pub const fn new(weights: [u64; 6]) -> Self {
        Self { weights, history_ticks: None, history_log2: None, ahead: false }
    }

    /// Returns for how long past instructions count, in ticks.
    ///
    /// # Errors
    /// [`Error::TwoUnits`] where both keys are given, [`Error::NoCycles`] for 0 ticks,
    /// [`Error::History`] for more than 2 to the 63.
    pub const fn history(&self) -> Result<u64, Error> {
        match (self.history_ticks, self.history_log2) {
            (Some(_), Some(_)) => Err(Error::TwoUnits { keys: ["history-ticks", "history-log2"] }),
            (Some(0), None) => Err(Error::NoCycles),
            (Some(ticks), None) => Ok(ticks),
            (None, Some(power @ 0..64)) => Ok(1 << power),
            (None, Some(power)) => Err(Error::History { power }),
            (None, None) => Ok(1024),
        }
    }
}
