//! When is a head that never fits cut into its waves, and which one (seed 000, E3)?
//!
//! A round is one question with a head that waits, after something has happened or time has passed;
//! a question asked
//! again at once is no round. Units: ticks.

use alloc::vec::Vec;

use raddle_policy::{Barrier, Launch, LaunchId, Tick};

use super::config::SplitRule;
use crate::Error;
use crate::split::{Failures, Outcome, Step};

/// Counts failures in a row and knows which workgroups are cut.
#[derive(Clone, Debug)]
pub(super) struct Cutting {
    failures: Failures,
    retry: u64,
    /// The number of facts heard so far.
    facts: u64,
    /// The last round that was counted: the number of facts heard by then, and its tick.
    counted: Option<(u64, Tick)>,
    /// The tick since which rounds follow each other although nothing happens.
    waiting: Option<Tick>,
    /// Workgroups that are to be cut, or are being.
    cut: Vec<(LaunchId, u64)>,
}

impl Cutting {
    /// # Errors
    /// For no time between two rounds, and for a time given in two units.
    pub(super) fn new(rule: SplitRule) -> Result<Self, Error> {
        let (facts, counted, waiting, cut) = (0, None, None, Vec::new());
        let (failures, retry) = (Failures::new(rule.threshold), rule.retry()?);
        Ok(Self { failures, retry, facts, counted, waiting, cut })
    }

    /// Notes that something has happened, so the next question is a new round.
    pub(super) const fn heard(&mut self) {
        self.facts += 1;
    }

    /// Returns whether a workgroup, of which `started` waves have started, goes in pieces of one
    /// wave.
    pub(super) fn is_cut(&self, launch: LaunchId, workgroup: u64, started: u16) -> bool {
        started > 0 || self.cut.contains(&(launch, workgroup))
    }

    /// Notes that a workgroup fitted: failures count from 0 again.
    pub(super) const fn fitted(&mut self) {
        self.failures.round(Outcome::Fit);
        self.waiting = None;
    }

    /// Notes that nothing fitted, once a round. Returns whether a workgroup is to be cut now (c3).
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

    /// Notes that a workgroup is cut.
    pub(super) fn cut(&mut self, launch: LaunchId, workgroup: u64) {
        self.cut.push((launch, workgroup));
    }

    /// Lets rounds follow each other although nothing happens, where a head could be cut, and
    /// otherwise not. Returns the tick of the round that will cut.
    pub(super) fn retry_at(&mut self, could_cut: bool, now: Tick) -> Option<Tick> {
        self.waiting = could_cut.then_some(now);
        let left = self.retry.saturating_mul(self.failures.left());
        could_cut.then(|| Tick(now.0.saturating_add(left)))
    }

    /// Forgets a workgroup that was cut, as its last wave has started.
    pub(super) fn done(&mut self, launch: LaunchId, workgroup: u64) {
        self.cut.retain(|&it| it != (launch, workgroup));
    }

    /// Forgets the cut workgroups of a launch that has ended, or begins again.
    pub(super) fn forget(&mut self, launch: LaunchId) {
        self.cut.retain(|&(id, _)| id != launch);
    }
}

/// Returns whether workgroups of a launch could go in pieces: if they have several waves, which are
/// independent.
pub(super) fn may_be_cut(launch: &Launch) -> bool {
    launch.barrier == Barrier::No && launch.demand.waves > 1
}
