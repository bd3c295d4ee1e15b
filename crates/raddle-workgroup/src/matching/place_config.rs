//! Which settings say on which compute unit a workgroup starts?
//!
//! Units: as the names say; a tick is a nanosecond of a replay, a cycle of a golden model.

use crate::Error;
use crate::error::Reason;

/// The choice among the compute units on which a workgroup fits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub enum PlaceRule {
    /// Takes the compute unit with the lowest number.
    #[default]
    LowestIndex,
    /// Takes the next compute unit on which the workgroup fits, behind the unit that took the
    /// previous workgroup.
    RoundRobin,
    /// Takes the compute unit with most free wave slots, ties to the lowest.
    MostWaves,
    /// Takes the compute unit with the largest sum of free resources, each times its weight (E9 in
    /// `docs/policies/matching.md`), ties to the lowest.
    MostFree(FreeWeights),
    /// Takes the compute unit with the smallest power score (weighted instructions of its waves in
    /// the latest ticks, E10), ties to the lowest.
    LeastPower(PowerWeights),
    /// Takes the compute unit with the largest a * F - b * P. F is the score of its free resources
    /// and P that of its recent power, each divided by the largest such score among the units on
    /// which the workgroup fits.
    Mix {
        /// The weights of the free resources in the score for free resources.
        free: FreeWeights,
        /// The weights of the kinds of instructions in the score of recent power.
        power: PowerWeights,
        /// The factors (a, b) of the score: a for free resources, b for recent power.
        shares: [u64; 2],
    },
}

/// The weight of one free slot or granule of each resource (called i10 in patent 000).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", default, deny_unknown_fields))]
pub struct FreeWeights {
    /// The weight of one free wave slot.
    pub waves: u64,
    /// The weight of one free granule of vector registers.
    pub vgpr: u64,
    /// The weight of one free granule of scalar registers.
    pub sgpr: u64,
    /// The weight of one free granule of LDS.
    pub lds: u64,
    /// The rule that says which free granules of registers and LDS count: all, or only the longest
    /// run of neighbours, since a workgroup takes one run.
    pub amounts: Amounts,
}

/// The rule that says which free granules count in the score, for a resource of which a workgroup
/// takes one run of neighbours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Amounts {
    /// Counts all free granules of the resource.
    #[default]
    Free,
    /// Counts the longest free run that the search reports, summed over the SIMDs.
    LongestRun,
}

/// The weight of one instruction of each kind (called j10 in patent 000), and the time for
/// which past instructions count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub struct PowerWeights {
    /// The weight of one instruction of each kind, in the order of
    /// [`raddle_policy::InstructionKind::ALL`].
    pub(crate) weights: [u64; 6],
    /// The time for which past instructions count, in ticks (called NX in patent 000).
    /// `None` where `history_log2` is given; 1,024, which the patent prefers, where both
    /// are `None`.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    #[cfg_attr(feature = "serde", serde(default))]
    pub(crate) history_ticks: Option<u64>,
    /// The time for which past instructions count, as the exponent of a power of two ticks, at most
    /// 63 (claim 5 of patent 000); `None` where `history_ticks` counts instead.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    #[cfg_attr(feature = "serde", serde(default))]
    pub(crate) history_log2: Option<u8>,
    /// True if the score also looks ahead: over as many ticks after the present one as before it,
    /// as if no workgroup ended. Then a workgroup counts as soon as it is placed, and not only from
    /// the next tick on.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "core::ops::Not::not"))]
    #[cfg_attr(feature = "serde", serde(default))]
    pub(crate) ahead: bool,
}

impl PowerWeights {
    /// Returns the weight of one instruction of each kind, in the order of
    /// [`raddle_policy::InstructionKind::ALL`].
    #[must_use]
    pub const fn weights(&self) -> [u64; 6] {
        self.weights
    }

    /// Returns the time for which past instructions count, as the exponent of a power of two ticks;
    /// `None` where it is given in ticks.
    #[must_use]
    pub const fn history_log2(&self) -> Option<u8> {
        self.history_log2
    }

    /// Returns whether the score also looks ahead.
    #[must_use]
    pub const fn ahead(&self) -> bool {
        self.ahead
    }

    /// Sets the time for which past instructions count, in ticks (called NX in patent 000). `None`
    /// where `history_log2` is given; 1,024, which the patent prefers, where both are `None`.
    #[must_use]
    pub const fn with_history_ticks(mut self, history_ticks: Option<u64>) -> Self {
        self.history_ticks = history_ticks;
        self
    }

    /// Sets the time for which past instructions count, as the exponent of a power of two ticks, at
    /// most 63 (claim 5 of patent 000); `None` where `history_ticks` counts instead.
    #[must_use]
    pub const fn with_history_log2(mut self, history_log2: Option<u8>) -> Self {
        self.history_log2 = history_log2;
        self
    }

    /// Sets whether the score also looks ahead: over as many ticks after the present one as before
    /// it, as if no workgroup ended. Then a workgroup counts as soon as it is placed, and not only
    /// from the next tick on.
    #[must_use]
    pub const fn with_ahead(mut self, ahead: bool) -> Self {
        self.ahead = ahead;
        self
    }
}

impl PowerWeights {
    /// Returns weights for instructions of the latest 1,024 ticks, the time that patent 000
    /// prefers.
    #[must_use]
    pub const fn new(weights: [u64; 6]) -> Self {
        Self { weights, history_ticks: None, history_log2: None, ahead: false }
    }

    /// Returns the time for which past instructions count, in ticks.
    ///
    /// # Errors
    /// [`Inconsistent`](crate::ErrorKind::Inconsistent) where both keys are given,
    /// [`OutOfRange`](crate::ErrorKind::OutOfRange) for 0 ticks or for more than 2 to the 63.
    #[doc(hidden)]
    pub const fn history(&self) -> Result<u64, Error> {
        match (self.history_ticks, self.history_log2) {
            (Some(_), Some(_)) => {
                Err(Error(Reason::TwoUnits { keys: ["history-ticks", "history-log2"] }))
            }
            (Some(0), None) => Err(Error(Reason::NoCycles)),
            (Some(ticks), None) => Ok(ticks),
            (None, Some(power @ 0..64)) => Ok(1 << power),
            (None, Some(power)) => Err(Error(Reason::History { power })),
            (None, None) => Ok(1024),
        }
    }
}
