//! When is a workgroup that never fits cut into its waves, and what becomes of the waves (seed 000,
//! E3)?
//!
//! [`Failures`] counts the rounds in a row in which no workgroup fitted, and decides when to cut;
//! [`split`] cuts. The caller chooses the workgroup that is cut.
//!
//! Units: rounds (decisions while a workgroup waits); levels counted from 0, the best one first.

use crate::Error;
use crate::error::Reason;

/// The default for the number of decisions (rounds) in a row that find no workgroup that fits,
/// before the next such decision cuts a workgroup into waves.
pub const THRESHOLD: u64 = 256;

/// The outcome of a decision (round) of the dispatcher: whether any waiting workgroup fits.
/// Decisions while no workgroup waits do not count and are not reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Outcome {
    /// No waiting workgroup fits on any compute unit: the decision is a failure.
    Fail,
    /// At least one waiting workgroup fits: the decision is a success.
    Fit,
}

/// The step that the dispatcher takes after a decision (round).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Step {
    /// Makes the decision again later (patent 000, step c1), as too few decisions in a row
    /// have failed yet.
    Retry,
    /// Cuts a workgroup whose waves are independent into its waves, if such a workgroup waits
    /// (patent 000, step c3).
    Split,
    /// Starts a workgroup that fits and was chosen (patent 000, step c4).
    Dispatch,
}

/// A counter of failures in a row, where a failure is a decision (round) in which no waiting
/// workgroup fits (patent 000, steps c0 to c2).
///
/// Laws:
/// 1. A success sets the count to 0 and is followed by a dispatch.
/// 2. A failure adds 1 to the count; a split (cutting a workgroup into waves) follows exactly where
///    the count then exceeds the threshold.
/// 3. A split sets the count to 0, also where no workgroup could be cut.
/// 4. So a split comes after threshold + 1 failures without a success or a split between them.
///
/// ```
/// use raddle_workgroup::split::{Failures, Outcome, Step};
///
/// let mut failures = Failures::new(1);
/// let mut fail = || failures.round(Outcome::Fail);
/// assert_eq!(fail(), (1, Step::Retry));
/// assert_eq!(fail(), (2, Step::Split));
/// assert_eq!(fail(), (1, Step::Retry));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failures {
    threshold: u64,
    count: u64,
}

impl Default for Failures {
    fn default() -> Self {
        Self::new(THRESHOLD)
    }
}

impl Failures {
    /// Returns a counter of failed decisions (rounds) that begins at 0. The failure that brings the
    /// count above `threshold` cuts a workgroup; with [`u64::MAX`] none is ever cut.
    #[must_use]
    pub const fn new(threshold: u64) -> Self {
        Self { threshold, count: 0 }
    }

    /// Returns the number of failures in a row so far: decisions in which no waiting workgroup
    /// fitted.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Returns the number of further failed decisions in a row that it takes until a workgroup is
    /// cut, including the decision that cuts it.
    #[must_use]
    pub(crate) const fn left(&self) -> u64 {
        (self.threshold - self.count).saturating_add(1)
    }

    /// Adds `failures` failed decisions to the count, but stops at the threshold, so that none of
    /// them cuts a workgroup.
    pub(crate) const fn borne(&mut self, failures: u64) {
        let most = self.threshold - self.count;
        self.count += if failures < most { failures } else { most };
    }

    /// Counts a decision (round) with its outcome. Returns (number of failures in a row that was
    /// compared with the threshold, step that follows).
    pub const fn round(&mut self, outcome: Outcome) -> (u64, Step) {
        let judged = match outcome {
            Outcome::Fit => 0,
            Outcome::Fail => self.count.saturating_add(1),
        };
        let step = match outcome {
            Outcome::Fit => Step::Dispatch,
            Outcome::Fail if judged > self.threshold => Step::Split,
            Outcome::Fail => Step::Retry,
        };
        self.count = if matches!(step, Step::Split) { 0 } else { judged };
        (judged, step)
    }
}

/// A workgroup that might be cut, with its waves (of any type `W`) and the resources that they
/// share (of any type `S`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Workgroup<'w, W, S> {
    /// The level of urgency of the workgroup, where 0 is the best.
    pub level: usize,
    /// True if the waves of the workgroup do not wait for each other, so that they may run on
    /// different compute units.
    pub independent: bool,
    /// The waves of the workgroup, in order.
    pub waves: &'w [W],
    /// The resources that the waves of the workgroup share, such as LDS.
    pub shared: &'w S,
}

/// A *split part*: one wave of a workgroup that was cut, to be matched as a workgroup of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SplitPart<'w, W, S> {
    /// The level of urgency of the split part (one wave of a cut workgroup): the least urgent
    /// level, which is an argument of [`split`].
    pub level: usize,
    /// The wave of which the split part consists.
    pub wave: &'w W,
    /// The resources that the waves of the whole workgroup share: each part needs all of them.
    pub shared: &'w S,
}

/// Cuts a workgroup into parts of one wave each (patent 000, step c3); `None` where the
/// workgroup must stay whole, as its waves wait for each other, or there is only one.
///
/// The parts come in the order of the waves. In their channel they go before the next workgroup.
///
/// Laws:
/// 1. Every wave is in exactly one part, in order.
/// 2. Every part has the level `lowest` and the whole shared demand.
/// 3. Waves that wait for each other are never parted.
///
/// # Errors
/// [`OutOfRange`](crate::ErrorKind::OutOfRange) for a workgroup without waves, or for a level below
/// the lowest.
///
/// ```
/// use raddle_workgroup::split::{Workgroup, split};
///
/// let workgroup = Workgroup { level: 0, independent: true, waves: &["w0", "w1"], shared: &64 };
/// let parts: Vec<_> = split(workgroup, 3)?.into_iter().flatten().collect();
/// assert_eq!((parts.len(), parts[1].level, *parts[1].wave, *parts[1].shared), (2, 3, "w1", 64));
/// # Ok::<(), raddle_workgroup::Error>(())
/// ```
pub fn split<'w, W, S>(
    workgroup: Workgroup<'w, W, S>,
    lowest: usize,
) -> Result<Option<impl ExactSizeIterator<Item = SplitPart<'w, W, S>>>, Error> {
    let Workgroup { level, independent, waves, shared } = workgroup;
    if waves.is_empty() {
        return Err(Error(Reason::NoWaves));
    }
    if level > lowest {
        return Err(Error(Reason::LevelOutside { level, levels: lowest.saturating_add(1) }));
    }
    let part = move |wave| SplitPart { level: lowest, wave, shared };
    Ok((independent && waves.len() > 1).then(|| waves.iter().map(part)))
}
