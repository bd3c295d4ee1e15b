//! What can be chosen about matching?
//!
//! Units: as the names say; a tick is a nanosecond of a replay, a cycle of a golden model.

use alloc::vec::Vec;

use super::search::SearchRule;
use crate::Error;

const TICKS_PER_US: u64 = 1_000;

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
    /// In which of the free runs that are long enough (a44).
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Fit::is_first"))]
    pub fit: Fit,
    /// How a workgroup's waves lie on SIMDs (E8).
    pub balance: Balance,
    /// Which of several compute units (E9, E10).
    pub place: PlaceRule,
    /// When a workgroup that may be cut is cut into its waves (E3); never, without.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub split: Option<SplitRule>,
    /// How long a decision takes; no time, without.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub decision: Option<DecisionTime>,
    /// The number of channels that streams are folded into, in the order of their first use; each
    /// stream is a channel without it.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub channels: Option<u16>,
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
    Windows(LevelWindows),
}

/// How long each level is best, the most urgent one first, in one of two units.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", default, deny_unknown_fields))]
pub struct LevelWindows {
    /// In nanoseconds, so in ticks of a replay.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub windows_ns: Vec<u64>,
    /// In microseconds.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub windows_us: Vec<u64>,
}

impl LevelWindows {
    /// The length of each in microseconds.
    #[must_use]
    pub const fn us(windows_us: Vec<u64>) -> Self {
        Self { windows_ns: Vec::new(), windows_us }
    }

    /// In ticks.
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

/// How long a decision takes: the clocks of the search that is chosen, by the circuit model of
/// `raddle-bitmap`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub struct DecisionTime {
    /// How its steps are spread over clocks.
    pub timing: SearchTiming,
    /// The clock of the dispatcher, in MHz; `raddle` takes that of the device where it is not given.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub clock_mhz: Option<u32>,
}

/// How the steps of a search are spread over clocks (E4 to E7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum SearchTiming {
    /// All in one.
    OneClock,
    /// One clock each, each with its own hardware.
    ThreeClocks,
    /// One clock each on one set of hardware; the grouped search alone has it.
    Reused,
}

/// In which of the free runs that are long enough one is taken; always at the run's start, ties to
/// the lowest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Fit {
    /// The lowest.
    #[default]
    First,
    /// The shortest.
    Best,
    /// The longest.
    Worst,
}

impl Fit {
    #[cfg(feature = "serde")]
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "what serde calls")]
    const fn is_first(&self) -> bool {
        matches!(self, Self::First)
    }
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
    /// While nothing fits and something could be cut, there is a round each time so many
    /// nanoseconds have passed; without either unit 10.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub retry_ns: Option<u64>,
    /// The same in microseconds.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub retry_us: Option<u64>,
}

impl Default for SplitRule {
    fn default() -> Self {
        Self { threshold: crate::split::THRESHOLD, retry_ns: None, retry_us: None }
    }
}

impl SplitRule {
    /// Ticks between two rounds where nothing else is said.
    pub(crate) const RETRY: u64 = 10;

    /// Ticks between two rounds.
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
    /// How far back instructions count, in ticks (the seed's NX): 1,024, which the seed prefers,
    /// where neither key is given.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    #[cfg_attr(feature = "serde", serde(default))]
    pub history_ticks: Option<u64>,
    /// The same as a power of two: 2 to this many, at most 63 (claim 5).
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    #[cfg_attr(feature = "serde", serde(default))]
    pub history_log2: Option<u8>,
    /// Whether as many ticks ahead count too, as if nothing ended: so what is placed counts at once,
    /// and not from the next tick on.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "core::ops::Not::not"))]
    #[cfg_attr(feature = "serde", serde(default))]
    pub ahead: bool,
}

impl PowerWeights {
    /// These weights over the 1,024 ticks that the seed prefers.
    #[must_use]
    pub const fn new(weights: [u64; 6]) -> Self {
        Self { weights, history_ticks: None, history_log2: None, ahead: false }
    }

    /// How far back instructions count, in ticks.
    ///
    /// # Errors
    /// [`Error::TwoUnits`] where both keys are given, [`Error::NoCycles`] for none,
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
