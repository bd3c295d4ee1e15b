//! Is a workgroup cut into its waves, because no workgroup has fitted for too long (seed 000, E3)?
//!
//! Units: rounds (decisions, one after the other); ticks.

use raddle_read::FaultKind;
use raddle_workgroup::split::Step;
use raddle_workgroup::{ErrorKind, SplitRule};
use serde::Serialize;

use super::model::{MatchHead, Wants};
use crate::explanation::{Story, counted};
use crate::fault::{Fault, check, fault};

/// State of the rule that cuts waiting workgroups into waves: the number of decisions in a row in
/// which no head (first workgroup of a channel) fitted, and the heads that may be cut. A channel is
/// a queue of workgroups.
#[derive(Debug)]
pub(super) struct MatchCutting {
    threshold: u64,
    retry: u64,
    /// Number of decisions (rounds) in a row, before this one, in which no head (first workgroup of
    /// a channel) fitted on any compute unit.
    failures: u64,
    /// For each channel its head (first workgroup) if the head may be cut into waves, else `None`.
    whole: Vec<Option<MayCut>>,
    /// Index of the least urgent level in the list of levels. The waves of a cut workgroup get this
    /// level.
    lowest: usize,
}

/// A head (first workgroup of a channel) that may be cut into waves that start separately.
#[derive(Debug)]
pub(super) struct MayCut {
    /// Tick since which the workgroup has been the first one of its channel. Of the workgroups that
    /// may be cut, the one that has been first for longest is cut.
    pub(super) since: u64,
    /// Demand of the first wave of the workgroup, if the workgroup is cut into waves.
    pub(super) piece: Wants<String>,
}

/// Result of one decision (a round): the number of decisions in a row in which nothing fitted, and
/// the step that follows.
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct MatchRound {
    g: u64,
    /// Step that follows the decision: dispatch a workgroup, retry, or cut a workgroup; `None`
    /// where no workgroup waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<Step>,
    /// Channel whose head (first workgroup) is cut into waves; `None` where none is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) channel: Option<usize>,
    /// Tick of the decision that will cut a head (the first workgroup of a channel) into waves, if
    /// nothing happens until then; `None` where no decision will cut one.
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_at: Option<u64>,
}

impl MatchCutting {
    /// Makes the state of `rule`, which cuts workgroups into waves. `failures` is the number of
    /// decisions in a row, until now, in which nothing fitted. `whole` has, for each channel, its
    /// head (first workgroup) if that may be cut; `lowest` is the index of the least urgent level.
    /// Returns a fault where the rule contradicts itself, or a number is out of range.
    pub(super) fn new(
        rule: SplitRule,
        failures: u64,
        whole: Vec<Option<MayCut>>,
        lowest: usize,
    ) -> Result<Self, Fault> {
        let retry = rule.retry().map_err(|error| match error.kind() {
            ErrorKind::OutOfRange if rule.retry_ns().is_some() => {
                fault(FaultKind::OutOfRange, "/split/retry-ns")(error)
            }
            ErrorKind::OutOfRange => fault(FaultKind::OutOfRange, "/split/retry-us")(error),
            _ => fault(FaultKind::Inconsistent, "/split")(error),
        })?;
        // A failure more than the threshold cuts, and the counter begins again.
        check(failures, &(0..=rule.threshold()), "/failures")?;
        Ok(Self { threshold: rule.threshold(), retry, failures, whole, lowest })
    }

    /// Returns the result of a decision (round) that begins at `tick`, by steps c2 and c3 of the
    /// patent (seed 000). `heads` is true if any channel has a head (first workgroup), `fits` if
    /// any head fits on a compute unit.
    ///
    /// If a head has to be cut, it is the one that has been first in its channel for longest; of
    /// equal ones, that of the lowest channel.
    pub(super) fn judge(&self, heads: bool, fits: bool, tick: u64) -> MatchRound {
        if !heads {
            return MatchRound { g: self.failures, ..MatchRound::default() };
        }
        if fits {
            return MatchRound { action: Some(Step::Dispatch), ..MatchRound::default() };
        }
        let g = self.failures.saturating_add(1);
        if g <= self.threshold {
            let retry_at = self.retry_at(g, None, tick);
            return MatchRound { g, action: Some(Step::Retry), channel: None, retry_at };
        }
        let whole = self.whole.iter().enumerate();
        let whole = whole.filter_map(|(channel, it)| Some((it.as_ref()?.since, channel)));
        let channel = whole.min().map(|(_, channel)| channel);
        // Where nothing is cut the counter begins again, and no round is of any use.
        MatchRound { g, action: Some(Step::Split), channel, retry_at: None }
    }

    /// Returns the first wave of a channel's head (first workgroup), at the least urgent level; in
    /// the next match it takes the place of the whole workgroup. `None` where the head may not be
    /// cut into waves.
    pub(super) fn first_wave(&self, channel: usize) -> Option<MatchHead<String>> {
        let wants = self.whole.get(channel)?.as_ref()?.piece.clone();
        Some(MatchHead { level: self.lowest, wants })
    }

    /// Returns the result of the decision `round` for the case that a head (first workgroup of a
    /// channel) was cut into waves, but its first wave fits no compute unit either.
    pub(super) fn in_vain(&self, round: MatchRound, tick: u64) -> MatchRound {
        MatchRound { retry_at: self.retry_at(0, round.channel, tick), ..round }
    }

    /// Returns the tick of the decision that will cut a head (first workgroup of a channel) into
    /// waves, if nothing happens until then; `None` where no head may be cut. Nothing has fitted in
    /// the last `g` decisions. The head of the channel `but` does not count.
    fn retry_at(&self, g: u64, but: Option<usize>, tick: u64) -> Option<u64> {
        let mut whole = (0..).zip(&self.whole);
        let any = whole.any(|(channel, it)| it.is_some() && Some(channel) != but);
        let left = (self.threshold - g).saturating_add(1);
        any.then(|| tick.saturating_add(self.retry.saturating_mul(left)))
    }

    /// Adds to the explanation how a decision (round) ends: the number of decisions in a row in
    /// which nothing fitted, and the step that follows.
    pub(super) fn tell(&self, round: MatchRound, story: &mut Story) {
        let (g, before, most) = (round.g, self.failures, self.threshold);
        story.step("c2: the counter");
        story.note(match round.action {
            None => format!("there is no head: g stays {g}"),
            Some(Step::Dispatch) => "a head fits: g = 0".to_owned(),
            Some(Step::Retry) => {
                format!("every head fails: g = {before} + 1 = {g} does not exceed {most}: retry")
            }
            Some(Step::Split) => {
                format!("every head fails: g = {before} + 1 = {g} exceeds {most}: split")
            }
        });
        match round.channel {
            Some(channel) => story.note(format!(
                "c3: the head of channel {channel} is cut into its waves, and the first is the head now"
            )),
            None if round.action == Some(Step::Split) => {
                story.note("c3: no head may be cut, so g is 0 again");
            }
            None => {}
        }
        if let Some(at) = round.retry_at {
            let left = counted(most.saturating_sub(g).saturating_add(1), "round", "rounds");
            story.note(format!("in {left}, at tick {at}, a head is cut if nothing happens"));
        }
    }
}
