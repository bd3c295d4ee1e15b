//! Is a workgroup cut into its waves, as nothing fits for too long (seed 000, E3)?
//!
//! Units: rounds; ticks.

use raddle_read::FaultKind;
use raddle_workgroup::split::Step;
use raddle_workgroup::{Error, SplitRule};
use serde::Serialize;

use super::model::{MatchHead, Wants};
use crate::explanation::{Story, counted};
use crate::fault::{Fault, check, fault};

/// The counter of failures, and the workgroups that may be cut.
#[derive(Debug)]
pub(super) struct MatchCutting {
    threshold: u64,
    retry: u64,
    /// Failures in a row before this round.
    failures: u64,
    /// The heads that may be cut, by channel.
    whole: Vec<Option<MayCut>>,
    /// Position of the lowest level.
    lowest: usize,
}

/// A head that may be cut.
#[derive(Debug)]
pub(super) struct MayCut {
    /// Tick since which it is the head.
    pub(super) since: u64,
    /// Demand of its first wave.
    pub(super) piece: Wants<String>,
}

/// The end of a round: the counter as it was judged, and what follows.
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct MatchRound {
    g: u64,
    /// Step that follows; a round without a head does not count, so it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<Step>,
    /// Channel of the head that is cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) channel: Option<usize>,
    /// Tick of the round that cuts if nothing happens until then.
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_at: Option<u64>,
}

impl MatchCutting {
    /// Checks the rule of a question, and the failures before it.
    pub(super) fn new(
        rule: SplitRule,
        failures: u64,
        whole: Vec<Option<MayCut>>,
        lowest: usize,
    ) -> Result<Self, Fault> {
        let retry = rule.retry().map_err(|error| match error {
            Error::NoRetry if rule.retry_ns.is_some() => {
                fault(FaultKind::OutOfRange, "/split/retry-ns")(error)
            }
            Error::NoRetry => fault(FaultKind::OutOfRange, "/split/retry-us")(error),
            other => fault(FaultKind::Inconsistent, "/split")(other),
        })?;
        // A failure more than the threshold cuts, and the counter begins again.
        check(failures, &(0..=rule.threshold), "/failures")?;
        Ok(Self { threshold: rule.threshold, retry, failures, whole, lowest })
    }

    /// Judges the round that begins at a tick (c2, c3). The workgroup that is cut has been the head of
    /// its channel for longest; of several, that of the lowest channel.
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

    /// Returns the first wave of the head of a channel, as a head of the lowest level.
    pub(super) fn first_wave(&self, channel: usize) -> Option<MatchHead<String>> {
        let wants = self.whole.get(channel)?.as_ref()?.piece.clone();
        Some(MatchHead { level: self.lowest, wants })
    }

    /// Returns the end of a round whose head was cut, but of which no piece fits either.
    pub(super) fn in_vain(&self, round: MatchRound, tick: u64) -> MatchRound {
        MatchRound { retry_at: self.retry_at(0, round.channel, tick), ..round }
    }

    /// Returns the tick of the round that will cut, if there is something to cut but in one channel.
    fn retry_at(&self, g: u64, but: Option<usize>, tick: u64) -> Option<u64> {
        let mut whole = (0..).zip(&self.whole);
        let any = whole.any(|(channel, it)| it.is_some() && Some(channel) != but);
        let left = (self.threshold - g).saturating_add(1);
        any.then(|| tick.saturating_add(self.retry.saturating_mul(left)))
    }

    /// Explains the end of a round.
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
