//! When is a workgroup that fits nowhere cut into waves (seed 000, E3), and when is a decision made
//! that takes time (E4 to E7)?
//!
//! Units: ticks; picoseconds within a round (decision).

use raddle_policy::{CuShape, Fact, LaunchId};
use serde_json::Value;

use super::shared::{Turns, periods};

/// Head (first workgroup) of a channel, as (channel, launch, workgroup, tick since which the
/// workgroup is the head).
type Since = (usize, LaunchId, u64, u64);

/// State of the rule that cuts workgroups into waves: the number of decisions in a row in which no
/// head (first workgroup of a channel) fitted, and the workgroups that were cut.
#[derive(Clone, Debug)]
pub(super) struct Split {
    threshold: u64,
    retry: u64,
    failures: u64,
    /// Number of changes until now. A change is an event or an answer in the decision log, or a
    /// head (first workgroup of a channel) that fitted.
    facts: u64,
    /// Latest counted decision, as (number of changes before it, its tick); `None` before the
    /// first. A decision equal to it is not counted again.
    round: Option<(u64, u64)>,
    /// Tick since which decisions are repeated although nothing changes; `None` where the next
    /// decision waits for an event.
    waiting: Option<u64>,
    heads: Vec<Since>,
    cut: Vec<(LaunchId, u64)>,
}

impl Split {
    pub(super) fn of(settings: &Value) -> Option<Self> {
        let settings = settings.as_object()?;
        let number = |key: &str| settings.get(key).and_then(Value::as_u64);
        let us = number("retry-us").map(|us| us.saturating_mul(1000));
        Some(Self {
            threshold: number("threshold").unwrap_or(256),
            retry: number("retry-ns").or(us).unwrap_or(10).max(1),
            failures: 0,
            facts: 0,
            round: None,
            waiting: None,
            heads: Vec::new(),
            cut: Vec::new(),
        })
    }

    pub(super) fn is_cut(&self, launch: LaunchId, workgroup: u64) -> bool {
        self.cut.contains(&(launch, workgroup))
    }

    /// Records the heads (first workgroups of channels) at tick `now`, each given as (channel,
    /// launch, workgroup).
    pub(super) fn seen(&mut self, heads: impl Iterator<Item = (usize, LaunchId, u64)>, now: u64) {
        for (channel, launch, workgroup) in heads {
            let known = self.heads.iter().position(|it| it.0 == channel);
            let same =
                known.is_some_and(|at| (self.heads[at].1, self.heads[at].2) == (launch, workgroup));
            if !same {
                if let Some(at) = known {
                    self.heads.remove(at);
                }
                self.heads.push((channel, launch, workgroup, now));
            }
        }
    }

    /// Counts a decision in which no head (first workgroup of a channel) fits. After too many of
    /// them in a row, cuts one of the heads `whole`, those that may be cut, into waves; returns
    /// whether one was cut.
    ///
    /// A decision is counted once, even if this is called twice for it. Decisions repeated since
    /// the last call, while nothing changed, are counted too.
    pub(super) fn failed(
        &mut self,
        whole: impl Iterator<Item = (usize, LaunchId, u64)>,
        now: u64,
    ) -> bool {
        if self.round == Some((self.facts, now)) {
            return false;
        }
        self.round = Some((self.facts, now));
        if let Some(since) = self.waiting.take().filter(|&since| since < now) {
            self.failures = self.failures.saturating_add((now - since - 1) / self.retry);
        }
        self.failures = self.failures.saturating_add(1);
        if self.failures <= self.threshold {
            return false;
        }
        self.failures = 0;
        // The head that has been that of its channel for longest is cut, of several the one of the
        // lowest channel.
        let since = |channel: usize| self.heads.iter().find(|it| it.0 == channel).map(|it| it.3);
        let longest = whole.min_by_key(|it| (since(it.0), it.0));
        self.cut.extend(longest.map(|(_, launch, workgroup)| (launch, workgroup)));
        longest.is_some()
    }

    /// Returns the tick of the decision that will cut a head (first workgroup of a channel) into
    /// waves, if nothing changes until then; `None` where `any` is false: no head may be cut.
    pub(super) fn retry_at(&mut self, any: bool, now: u64) -> Option<u64> {
        self.waiting = any.then_some(now);
        let left = self.threshold.saturating_add(1).saturating_sub(self.failures);
        any.then(|| now.saturating_add(self.retry.saturating_mul(left)))
    }

    /// Records that a channel's first workgroup, `workgroup`, or one of its waves, has started.
    /// `over` is true if all waves of the workgroup have started now.
    pub(super) fn fitted(&mut self, launch: LaunchId, workgroup: u64, over: bool) {
        (self.failures, self.waiting) = (0, None);
        self.facts += 1;
        if over {
            self.cut.retain(|&it| it != (launch, workgroup));
        }
    }

    pub(super) fn heard(&mut self, fact: &Fact<'_>) {
        self.facts += 1;
        match fact {
            Fact::LaunchEnded { launch } => self.cut.retain(|it| it.0 != *launch),
            Fact::TakenOff { launch, how } if how.begins_again() => {
                self.cut.retain(|it| it.0 != launch.id);
            }
            _ => {}
        }
    }
}

/// Timing of decisions that take time. A decision places at most one workgroup; as long as it
/// places one, the next decision begins when it ends. Times are in picoseconds.
#[derive(Clone, Debug)]
pub(super) struct Pace {
    round: u64,
    over: Option<u64>,
}

impl Pace {
    /// Returns the timing of decisions by the settings of a recipe; `None` where decisions take no
    /// time. A search circuit that is used several times in a decision needs its clocks each time.
    /// The error says why the timing cannot be modelled.
    pub(super) fn of(
        decision: &Value,
        search: &Value,
        shape: &CuShape,
    ) -> Result<Option<Self>, String> {
        if decision.is_null() {
            return Ok(None);
        }
        let clocks = match decision["timing"].as_str() {
            Some("one-clock") => 1,
            Some("three-clocks" | "reused") => 3,
            _ => return Err(format!("`decision = {decision}` has no twin")),
        };
        let width = search["shared"]["width"].as_u64();
        let clocks = clocks * width.map_or(1, |width| periods(width, shape));
        let mhz = decision["clock-mhz"].as_u64().filter(|&mhz| mhz > 0);
        let mhz = mhz.ok_or("`decision` has no clock in this log")?;
        let round = (clocks * 1_000_000u64).div_ceil(mhz).max(1);
        Ok(Some(Self { round, over: None }))
    }

    /// Returns the search circuit that searches the resources in turn; `None` where each resource
    /// has its own.
    pub(super) fn turns(&self, search: &Value) -> Option<Turns> {
        search.get("shared").map(|_| Turns::new(self.round))
    }

    /// Returns the end, in picoseconds, of the decision (round) that is under way at tick `now`, or
    /// begins then.
    fn over(&self, now: u64) -> u64 {
        let now = now.saturating_mul(1000);
        // After a pause a workgroup waits for a whole round.
        let goes_on = self.over.filter(|over| over.saturating_add(1000) > now);
        goes_on.unwrap_or_else(|| now.saturating_add(self.round))
    }

    /// Returns the tick at which a decision can be made; `None` if it can be made now.
    pub(super) fn not_before(&self, now: u64) -> Option<u64> {
        let at = self.over(now).div_ceil(1000);
        (at > now).then_some(at)
    }

    pub(super) fn placed(&mut self, now: u64) {
        self.over = Some(self.over(now).saturating_add(self.round));
    }

    /// Records an answer that started nothing and asks to be called again at tick `until` (`None`:
    /// at the next event). If a decision that is under way ends at that tick, it goes on; otherwise
    /// nothing fits, and no further decision begins.
    pub(super) fn waits(&mut self, until: Option<u64>, now: u64) {
        let goes_on = self.not_before(now).is_some() && self.not_before(now) == until;
        self.over = goes_on.then(|| self.over(now));
    }
}
