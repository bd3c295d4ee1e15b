//! Which settings does the policy `matching` have?
//!
//! Units: as the names say; a tick is a nanosecond of a replay, a cycle of a golden model.

use alloc::vec::Vec;

use super::place_config::PlaceRule;
use super::search::SearchRule;
use crate::Error;
use crate::error::Reason;

const TICKS_PER_US: u64 = 1_000;

/// The settings of the policy [`Matching`](super::Matching), one field for each of its sub-rules.
/// Labels such as E4 are explained in `docs/policies/matching.md`; those such as a42 are steps of
/// patent 000.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", default, deny_unknown_fields))]
pub struct MatchingConfig {
    /// The search by which the simulated hardware finds the longest free run of granules (E4 to E7
    /// in `docs/policies/matching.md`); some searches report a shorter length.
    pub(crate) search: SearchRule,
    /// The order of the urgency levels, which may change with time: which level is the best at a
    /// tick (E1 and E2 in `docs/policies/matching.md`).
    pub(crate) order: LevelOrder,
    /// The choice among several channels with workgroups of one level, where patent 000
    /// says "at random" (step a42).
    pub(crate) pick: Choice,
    /// The choice among the free runs of granules that are long enough (step a44 of patent
    /// 000).
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Fit::is_first"))]
    pub(crate) fit: Fit,
    /// The rule that decides how many waves of a workgroup each SIMD gets (E8 in
    /// `docs/policies/matching.md`).
    pub(crate) balance: Balance,
    /// The choice among several compute units on which the workgroup fits (E9 and E10 in
    /// `docs/policies/matching.md`).
    pub(crate) place: PlaceRule,
    /// The rule that decides when a workgroup that may be cut is placed wave by wave (E3 in
    /// `docs/policies/matching.md`); with `None`, no workgroup is cut.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub(crate) split: Option<SplitRule>,
    /// The time that a decision of the dispatcher takes; with `None`, decisions take no time.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub(crate) decision: Option<DecisionTime>,
    /// The number of channels over which streams are distributed in turn, in the order of their
    /// first use; with `None`, each stream is a channel.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub(crate) channels: Option<u16>,
}

impl MatchingConfig {
    /// Returns the search by which the simulated hardware finds the longest free run of granules.
    #[must_use]
    pub const fn search(&self) -> &SearchRule {
        &self.search
    }

    /// Returns the time that a decision of the dispatcher takes; `None` where it takes no time.
    #[must_use]
    pub const fn decision(&self) -> Option<DecisionTime> {
        self.decision
    }

    /// Sets the search by which the simulated hardware finds the longest free run of granules (E4
    /// to E7 in `docs/policies/matching.md`); some searches report a shorter length.
    #[must_use]
    pub fn with_search(mut self, search: SearchRule) -> Self {
        self.search = search;
        self
    }

    /// Sets the order of the urgency levels, which may change with time: which level is the best at
    /// a tick (E1 and E2 in `docs/policies/matching.md`).
    #[must_use]
    pub fn with_order(mut self, order: LevelOrder) -> Self {
        self.order = order;
        self
    }

    /// Sets the choice among several channels with workgroups of one level, where patent 000 says
    /// "at random" (step a42).
    #[must_use]
    pub const fn with_pick(mut self, pick: Choice) -> Self {
        self.pick = pick;
        self
    }

    /// Sets the choice among the free runs of granules that are long enough (step a44 of patent
    /// 000).
    #[must_use]
    pub const fn with_fit(mut self, fit: Fit) -> Self {
        self.fit = fit;
        self
    }

    /// Sets the rule that decides how many waves of a workgroup each SIMD gets (E8 in
    /// `docs/policies/matching.md`).
    #[must_use]
    pub const fn with_balance(mut self, balance: Balance) -> Self {
        self.balance = balance;
        self
    }

    /// Sets the choice among several compute units on which the workgroup fits (E9 and E10 in
    /// `docs/policies/matching.md`).
    #[must_use]
    pub fn with_place(mut self, place: PlaceRule) -> Self {
        self.place = place;
        self
    }

    /// Sets the rule that decides when a workgroup that may be cut is placed wave by wave (E3 in
    /// `docs/policies/matching.md`); with `None`, no workgroup is cut.
    #[must_use]
    pub const fn with_split(mut self, split: Option<SplitRule>) -> Self {
        self.split = split;
        self
    }

    /// Sets the time that a decision of the dispatcher takes; with `None`, decisions take no time.
    #[must_use]
    pub const fn with_decision(mut self, decision: Option<DecisionTime>) -> Self {
        self.decision = decision;
        self
    }

    /// Sets the number of channels over which streams are distributed in turn, in the order of
    /// their first use; with `None`, each stream is a channel.
    #[must_use]
    pub const fn with_channels(mut self, channels: Option<u16>) -> Self {
        self.channels = channels;
        self
    }
}

/// The rule that orders levels of urgency; the first level in the order is the best.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub enum LevelOrder {
    /// A more urgent level is always better than a less urgent one.
    #[default]
    Static,
    /// Each level is the best while its window of time lasts; the windows follow each other over
    /// and over (E2 in `docs/policies/matching.md`). Levels beyond the windows share the last one.
    Windows(LevelWindows),
}

/// The time for which each level is best, the most urgent level first, in nanoseconds or in
/// microseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", default, deny_unknown_fields))]
pub struct LevelWindows {
    /// The length of the window of each level in nanoseconds, which are the ticks of a replay;
    /// empty where `windows_us` is given.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub windows_ns: Vec<u64>,
    /// The length of the window of each level in microseconds; empty where `windows_ns` is given.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub windows_us: Vec<u64>,
}

impl LevelWindows {
    /// Returns windows for the levels, the most urgent first, with these lengths in microseconds.
    #[must_use]
    pub const fn us(windows_us: Vec<u64>) -> Self {
        Self { windows_ns: Vec::new(), windows_us }
    }

    /// Returns the length of the window of each level in ticks.
    ///
    /// # Errors
    /// [`Inconsistent`](crate::ErrorKind::Inconsistent) where both ns and us are given.
    #[doc(hidden)]
    pub fn ticks(&self) -> Result<Vec<u64>, Error> {
        let Self { windows_ns, windows_us } = self;
        if !windows_ns.is_empty() && !windows_us.is_empty() {
            return Err(Error(Reason::TwoUnits { keys: ["windows-ns", "windows-us"] }));
        }
        let us = windows_us.iter().map(|us| us.saturating_mul(TICKS_PER_US));
        Ok(windows_ns.iter().copied().chain(us).collect())
    }
}

/// The settings for the time that a decision of the dispatcher takes: as many clock cycles as the
/// chosen search needs by the circuit model of `raddle-bitmap`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub struct DecisionTime {
    /// The way in which the steps of the search are spread over clock cycles.
    pub timing: SearchTiming,
    /// The clock rate of the dispatcher, in MHz; with `None`, `raddle` takes that of the device.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub clock_mhz: Option<u32>,
}

/// The way in which the steps of a search are spread over clock cycles (E4 to E7 in
/// `docs/policies/matching.md`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum SearchTiming {
    /// All steps of the search are made in one clock cycle.
    OneClock,
    /// Each step of the search takes one clock cycle and has its own hardware.
    ThreeClocks,
    /// Each step of the search takes one clock cycle, and all steps use the same hardware; only the
    /// grouped search has this timing.
    Reused,
}

/// The choice among the free runs of granules that are long enough. The granules are taken from the
/// start of the chosen run; of equal runs the lowest is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Fit {
    /// Takes the lowest free run of granules that is long enough.
    #[default]
    First,
    /// Takes the shortest free run of granules that is long enough.
    Best,
    /// Takes the longest free run of granules, if it is long enough.
    Worst,
    /// Takes the lowest start at or after the end of the run that was taken last from the same
    /// granule map. Where there is none, it begins again at the first granule. Only taking a run
    /// moves that end: freeing, restoring or refusing one does not.
    Next,
}

impl Fit {
    #[cfg(feature = "serde")]
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "what serde calls")]
    const fn is_first(&self) -> bool {
        matches!(self, Self::First)
    }
}

/// The rule that chooses one of several channels that are equally good.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub enum Choice {
    /// Takes the channel with the lowest number.
    #[default]
    Lowest,
    /// Takes a channel by pseudo-random numbers.
    Seeded {
        /// The seed of the pseudo-random numbers; equal seeds give equal choices.
        seed: u64,
    },
}

/// The rule that gives the waves of a workgroup to SIMDs, equally many to each. Where they do not
/// divide equally, a pointer of the compute unit names the SIMD that gets the first surplus wave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Balance {
    /// The pointer names the SIMD that got the last surplus wave; the next surplus wave goes to the
    /// SIMD behind it.
    #[default]
    Tail,
    /// The surplus waves always begin at SIMD 0.
    Fixed,
}

/// The rule that decides when a workgroup that may be cut is cut into its waves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", default, deny_unknown_fields))]
pub struct SplitRule {
    /// The number of decisions (rounds) in a row in which no workgroup fits and none is cut; the
    /// next such decision cuts a workgroup. Patent 000 calls the number G.
    pub(crate) threshold: u64,
    /// Nanoseconds between two decisions (rounds) while no workgroup fits and one could be cut.
    /// `None` where `retry_us` is given; 10 where both are `None`.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub(crate) retry_ns: Option<u64>,
    /// Microseconds between two decisions (rounds) while no workgroup fits and one could be cut;
    /// `None` where `retry_ns` counts instead.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub(crate) retry_us: Option<u64>,
}

impl SplitRule {
    /// Returns the number of decisions (rounds) in a row in which no workgroup fits and none is
    /// cut, behind which a workgroup is cut.
    #[must_use]
    pub const fn threshold(&self) -> u64 {
        self.threshold
    }

    /// Returns the nanoseconds between two decisions (rounds) while no workgroup fits and one could
    /// be cut; `None` where they are not given in nanoseconds.
    #[must_use]
    pub const fn retry_ns(&self) -> Option<u64> {
        self.retry_ns
    }

    /// Sets the number of decisions (rounds) in a row in which no workgroup fits and none is cut;
    /// the next such decision cuts a workgroup. Patent 000 calls the number G.
    #[must_use]
    pub const fn with_threshold(mut self, threshold: u64) -> Self {
        self.threshold = threshold;
        self
    }

    /// Sets the nanoseconds between two decisions (rounds) while no workgroup fits and one could be
    /// cut. `None` where `retry_us` is given; 10 where both are `None`.
    #[must_use]
    pub const fn with_retry_ns(mut self, retry_ns: Option<u64>) -> Self {
        self.retry_ns = retry_ns;
        self
    }

    /// Sets the microseconds between two decisions (rounds) while no workgroup fits and one could
    /// be cut; `None` where `retry_ns` counts instead.
    #[must_use]
    pub const fn with_retry_us(mut self, retry_us: Option<u64>) -> Self {
        self.retry_us = retry_us;
        self
    }
}

impl Default for SplitRule {
    fn default() -> Self {
        Self { threshold: crate::split::THRESHOLD, retry_ns: None, retry_us: None }
    }
}

impl SplitRule {
    /// The number of ticks between two decisions (rounds) while no workgroup fits, where the
    /// settings give no time.
    pub(crate) const RETRY: u64 = 10;

    /// Returns the ticks between two decisions (rounds) while no workgroup fits and one could be
    /// cut.
    ///
    /// # Errors
    /// [`Inconsistent`](crate::ErrorKind::Inconsistent) where both ns and us are given,
    /// [`OutOfRange`](crate::ErrorKind::OutOfRange) for 0.
    #[doc(hidden)]
    pub const fn retry(&self) -> Result<u64, Error> {
        match (self.retry_ns, self.retry_us) {
            (Some(_), Some(_)) => Err(Error(Reason::TwoUnits { keys: ["retry-ns", "retry-us"] })),
            (Some(0), _) | (_, Some(0)) => Err(Error(Reason::NoRetry)),
            (Some(ns), None) => Ok(ns),
            (None, Some(us)) => Ok(us.saturating_mul(TICKS_PER_US)),
            (None, None) => Ok(Self::RETRY),
        }
    }
}
