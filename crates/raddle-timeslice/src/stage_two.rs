//! Stage two: how long is the slice of each process that was chosen to run (seed 004, S21)?
//!
//! Exact fractions would grow without bound (reading D8), so a slice is a whole number of ticks, at
//! least one, rounded half up once from weights with 32 bits behind the point. w is a weight, W the
//! sum of all weights, V the sum of 1/w, n the number of processes:
//!
//! | rule | slice | larger weight |
//! |---|---|---|
//! | `claim` | t0 x W / w, as claim 7 says | shorter slice |
//! | `equal` | t0 | equal slice |
//! | `mean` | t0 x n x w / W | longer slice |
//! | `inverse` | t0 x w x V: the formula of `claim` with 1/w in place of w | longer slice |
//! | `min-one` | t0 x w / the least w | longer slice, and none below t0 |

use alloc::vec::Vec;

use raddle_policy::Ticks;

use crate::error::Reason;
use crate::error::SliceError;
use crate::stage_one::LoadedProcess;

/// Rule by which the length of a slice follows from the weights of processes. There is no default
/// rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum SliceRule {
    /// The length is in inverse proportion to the weight, as claim 7 of the patent (seed 004) says.
    /// A process that ran more than others then gets a longer slice, although the patent wants the
    /// opposite.
    Claim,
    /// Every slice has the smallest length, t0.
    Equal,
    /// The length is in proportion to the weight, with the smallest slice t0 as the average of all
    /// slices.
    Mean,
    /// The length is in proportion to the weight, and the sum of all slices is that which `Claim`
    /// would give.
    Inverse,
    /// The length is in proportion to the weight, with the smallest slice t0 as the shortest of all
    /// slices.
    MinOne,
}

impl SliceRule {
    /// All rules for the length of slices, in the order of their declaration.
    pub const ALL: [Self; 5] = [Self::Claim, Self::Equal, Self::Mean, Self::Inverse, Self::MinOne];

    /// Returns the name of the rule in kebab-case, such as `min-one`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Claim => "claim",
            Self::Equal => "equal",
            Self::Mean => "mean",
            Self::Inverse => "inverse",
            Self::MinOne => "min-one",
        }
    }
}

/// Stage two of time slicing, which computes by a rule how long the slice of each process is that
/// stage one has chosen.
///
/// ```
/// use raddle_timeslice::{LoadedProcess, SliceRule, StageTwo, Weight};
/// use raddle_policy::Ticks;
/// let weights = [Weight::new(1, 60, 3, 1), Weight::new(1, 60, 10, 1)]; // 20 and 6
/// let loaded = weights.map(|weight| LoadedProcess::new(0, weight, 1));
/// let mut slices = Vec::new();
/// StageTwo::new(Ticks(40), SliceRule::Claim, None)?.slices(&loaded, &mut slices)?;
/// assert_eq!(slices, [52, 173], "1.3 and 4.333 times 40: who ran more gets more");
/// StageTwo::new(Ticks(40), SliceRule::MinOne, None)?.slices(&loaded, &mut slices)?;
/// assert_eq!(slices, [133, 40]);
/// # Ok::<(), raddle_timeslice::SliceError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StageTwo {
    t0: u64,
    rule: SliceRule,
    longest: u128,
}

/// Sums over all chosen processes from which the lengths of slices are computed: the sum of the
/// weights, the sum of 1 / weight, the least weight, and the number of processes. A sum is `None`
/// where it is too large for 128 bits.
#[derive(Clone, Copy, Debug, Default)]
struct Whole {
    sum: Option<u128>,
    inverses: Option<u128>,
    least: u128,
    count: u128,
}

impl StageTwo {
    /// Returns a stage two with the smallest slice `t0` and the rule `rule`; no slice is longer
    /// than `longest`, where `None` sets no limit.
    ///
    /// # Errors
    /// [`OutOfRange`](crate::ErrorKind::OutOfRange) where `t0` is 0,
    /// [`Inconsistent`](crate::ErrorKind::Inconsistent) where `longest` is below `t0`.
    pub fn new(t0: Ticks, rule: SliceRule, longest: Option<Ticks>) -> Result<Self, SliceError> {
        if t0 == Ticks::ZERO {
            return Err(SliceError(Reason::ZeroSlice));
        }
        match longest {
            Some(longest) if longest < t0 => Err(SliceError(Reason::LongestBelow { longest, t0 })),
            _ => Ok(Self {
                t0: t0.0,
                rule,
                longest: longest.map_or(u128::MAX, |longest| longest.0.into()),
            }),
        }
    }

    /// Computes the length in ticks of the slice of each process in `loaded`, the processes that
    /// were chosen to run. Replaces the content of `slices` by the lengths, in the order of
    /// `loaded`.
    ///
    /// # Errors
    /// [`Overflow`](crate::ErrorKind::Overflow) where a weight, or a product of the rule, is beyond 128 bits; `slices`
    /// is empty then.
    pub fn slices(
        &self,
        loaded: &[LoadedProcess],
        slices: &mut Vec<u128>,
    ) -> Result<(), SliceError> {
        self.fill(loaded, slices, |at| Err(SliceError(Reason::Overflow { at })))
            .inspect_err(|_| slices.clear())
    }

    /// Computes the length in ticks of the slice of each process in `loaded` (those that were
    /// chosen to run), and writes the lengths into `slices` in the order of `loaded`. A weight or
    /// slice that is too large for 128 bits becomes the largest number of 128 bits.
    pub(crate) fn slices_or_longest(&self, loaded: &[LoadedProcess], slices: &mut Vec<u128>) {
        // The result is always `Ok`: each figure beyond 128 bits is replaced.
        let _ = self.fill(loaded, slices, |_| Ok(u128::MAX));
    }

    /// Fills `slices` with the length in ticks of the slice of each process in `loaded`. Where the
    /// weight or slice of a process is too large for 128 bits, `instead` gets the index of the
    /// process, and returns the number to use in its place, or an error.
    #[inline]
    fn fill(
        &self,
        loaded: &[LoadedProcess],
        slices: &mut Vec<u128>,
        instead: impl Fn(usize) -> Result<u128, SliceError>,
    ) -> Result<(), SliceError> {
        slices.clear();
        let whole = self.whole(loaded, slices, &instead)?;
        for (at, slice) in slices.iter_mut().enumerate() {
            let found = self.slice(*slice, &whole);
            let length = found.map_or_else(|| instead(at), Ok)?;
            *slice = length.min(self.longest).max(1);
        }
        Ok(())
    }

    /// Fills `weights` with the weights of the processes in `loaded`, and returns the sums over
    /// them. Where a weight is too large for 128 bits, `instead` gets the index of the process, and
    /// returns the number to use in its place, or an error.
    #[inline]
    fn whole(
        &self,
        loaded: &[LoadedProcess],
        weights: &mut Vec<u128>,
        instead: &impl Fn(usize) -> Result<u128, SliceError>,
    ) -> Result<Whole, SliceError> {
        let mut whole = Whole {
            sum: Some(0),
            inverses: Some(0),
            least: u128::MAX,
            count: loaded.len() as u128,
        };
        for (at, loaded) in loaded.iter().enumerate() {
            let weight = loaded.weight.fixed().map_or_else(|| instead(at), Ok)?;
            whole.sum = whole.sum.and_then(|sum| sum.checked_add(weight));
            whole.least = whole.least.min(weight);
            if self.rule == SliceRule::Inverse {
                let inverse = loaded.weight.inverse();
                whole.inverses = whole.inverses.and_then(|sum| sum.checked_add(inverse));
            }
            weights.push(weight);
        }
        Ok(whole)
    }

    /// Returns the length in ticks of the slice of a process with the weight `weight`; `None` where
    /// it is too large for 128 bits.
    #[inline]
    fn slice(&self, weight: u128, whole: &Whole) -> Option<u128> {
        let t0 = u128::from(self.t0);
        match self.rule {
            SliceRule::Claim => Some(rounded(t0.checked_mul(whole.sum?)?, weight)),
            SliceRule::Equal => Some(t0),
            SliceRule::Mean => {
                let over = t0.checked_mul(whole.count)?.checked_mul(weight)?;
                Some(rounded(over, whole.sum?))
            }
            SliceRule::Inverse => {
                let slices = weight.checked_mul(whole.inverses?)? >> 32;
                let ticks = slices.checked_mul(t0)?;
                // Half of the last place rounds up.
                Some((ticks >> 64) + (ticks >> 63 & 1))
            }
            SliceRule::MinOne => Some(rounded(t0.checked_mul(weight)?, whole.least)),
        }
    }
}

/// Returns the quotient `over` / `under`, rounded half up; `under` is not 0.
#[inline]
fn rounded(over: u128, under: u128) -> u128 {
    // Most operands fit 64 bits, whose division is several times as fast.
    let (whole, rest) = match (u64::try_from(over), u64::try_from(under)) {
        (Ok(over), Ok(under)) => (u128::from(over / under), u128::from(over % under)),
        _ => (over / under, over % under),
    };
    whole + u128::from(rest >= under - rest)
}
