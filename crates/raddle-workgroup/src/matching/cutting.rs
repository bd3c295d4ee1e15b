//! When is a head (the next workgroup of a channel) that never fits cut into its waves, and which
//! head (seed 000, E3)?
//!
//! A round is a question to the policy, after an event or after some time, while a head waits; a
//! question that is repeated at once is no new round. Units: ticks.

use alloc::vec::Vec;

use raddle_policy::{Barrier, Launch, LaunchId, Tick};

use super::config::SplitRule;
use crate::Error;
use crate::split::{Failures, Outcome, Step};

/// The state of the rule for cutting workgroups: it counts decisions in a row in which nothing
/// fitted, and knows which workgroups are cut.
#[derive(Clone, Debug)]
pub(super) struct Cutting {
    failures: Failures,
    retry: u64,
    /// The number of events and answers that the policy has been told so far. If it has not changed
    /// since the last question, the question belongs to the same decision.
    facts: u64,
    /// The last decision that was counted as a failure: (value of `facts` at that decision, its
    /// tick); `None` before the first.
    counted: Option<(u64, Tick)>,
    /// The tick from which on decisions are repeated at fixed intervals, without waiting for an
    /// event; `None` where the next decision waits for an event.
    waiting: Option<Tick>,
    /// The workgroups that are to be cut or are being cut: (launch, number of the workgroup in the
    /// launch).
    cut: Vec<(LaunchId, u64)>,
}

impl Cutting {
    /// Returns the state of the rule before any decision in which nothing fitted.
    ///
    /// # Errors
    /// For no time between two decisions (rounds), and for a time given in two units.
    pub(super) fn new(rule: SplitRule) -> Result<Self, Error> {
        let (facts, counted, waiting, cut) = (0, None, None, Vec::new());
        let (failures, retry) = (Failures::new(rule.threshold), rule.retry()?);
        Ok(Self { failures, retry, facts, counted, waiting, cut })
    }

    /// Counts an event or an answer, so that the next question to the policy counts as a new
    /// decision.
    pub(super) const fn heard(&mut self) {
        self.facts += 1;
    }

    /// Returns whether a workgroup with `started` started waves is placed one wave at a time.
    pub(super) fn is_cut(&self, launch: LaunchId, workgroup: u64, started: u16) -> bool {
        started > 0 || self.cut.contains(&(launch, workgroup))
    }

    /// Records that a workgroup found room: the count of decisions in which no workgroup did begins
    /// again at 0.
    pub(super) const fn fitted(&mut self) {
        self.failures.round(Outcome::Fit);
        self.waiting = None;
    }

    /// Records that no workgroup found room in the decision at tick `now`. Several questions in the
    /// same decision count once. Returns whether a workgroup is to be cut into its waves now
    /// (patent 000, step c3).
    pub(super) fn failed(&mut self, now: Tick) -> bool {
        let round = Some((self.facts, now));
        if self.counted == round {
            return false;
        }
        self.counted = round;
        // The rounds since the last question, in which nothing had changed, are counted now: each
        // was one failure more, and the one that cuts is always a question.
        let passed = self.waiting.take().filter(|since| *since < now);
        let passed = passed.map_or(0, |since| (now.0 - since.0 - 1) / self.retry);
        self.failures.borne(passed);
        matches!(self.failures.round(Outcome::Fail), (_, Step::Split))
    }

    /// Records that a workgroup is to be placed one wave at a time from now on.
    pub(super) fn cut(&mut self, launch: LaunchId, workgroup: u64) {
        self.cut.push((launch, workgroup));
    }

    /// Repeats decisions at fixed intervals from now on, without waiting for an event, if
    /// `could_cut` is true (a workgroup waits that may be cut). Returns the tick of the decision
    /// that will cut it if nothing fits until then; `None` where `could_cut` is false.
    pub(super) fn retry_at(&mut self, could_cut: bool, now: Tick) -> Option<Tick> {
        self.waiting = could_cut.then_some(now);
        let left = self.retry.saturating_mul(self.failures.left());
        could_cut.then(|| Tick(now.0.saturating_add(left)))
    }

    /// Removes a workgroup, whose last wave has started, from those placed one wave at a time.
    pub(super) fn done(&mut self, launch: LaunchId, workgroup: u64) {
        self.cut.retain(|&it| it != (launch, workgroup));
    }

    /// Removes the workgroups of a launch that has ended, or that begins again, from those that are
    /// placed one wave at a time.
    pub(super) fn forget(&mut self, launch: LaunchId) {
        self.cut.retain(|&(id, _)| id != launch);
    }
}

/// Returns whether the workgroups of a launch may be placed one wave at a time: they have several
/// waves, and these do not wait for each other.
pub(super) fn may_be_cut(launch: &Launch) -> bool {
    launch.barrier == Barrier::No && launch.demand.waves > 1
}
