//! Which answers were checked, which differ from what the seeds ask for, and what was not checked, and why?

use std::fmt;

use serde::Serialize;

/// Differences of one slot that are told one by one; the others are counted.
const TOLD: usize = 100;

/// Where in a log something stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) line: usize,
    pub(super) tick: u64,
}

/// An answer that is not the one that the rules ask for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The line of the log, from 1.
    pub line: usize,
    /// When it was said, in ticks.
    pub tick: u64,
    /// The policy that answered.
    pub policy: String,
    /// The seed and the label of its step, or the document that has the rule.
    pub rule: String,
    /// What the rule asks for.
    pub expected: String,
    /// What the log says.
    pub found: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, tick, policy, rule, expected, found } = self;
        write!(
            f,
            "line {line}, tick {tick}: `{policy}` ({rule}): expected {expected}; found {found}"
        )
    }
}

/// One slot of a recipe beside its twin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CheckedSlot {
    /// `launch-path`, `turn`, `allocate` or `preempt`.
    pub slot: &'static str,
    /// The policy in it.
    pub policy: String,
    /// What was checked of it: the seed and its steps, or the document that has the rules.
    pub by: String,
    /// What an answer is called: "placements", "turns".
    pub answers: &'static str,
    /// Answers checked.
    pub checked: u64,
    /// Answers that differ.
    pub different: u64,
    /// The first of those.
    pub findings: Vec<Finding>,
    /// Why its answers are not checked, or no longer.
    pub unchecked: Option<String>,
}

/// What the twins of a log's policies found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Slot by slot.
    pub slots: Vec<CheckedSlot>,
}

impl Report {
    /// Answers that differ, over all slots.
    #[must_use]
    pub fn different(&self) -> u64 {
        self.slots.iter().map(|slot| slot.different).sum()
    }

    /// Answers checked, over all slots.
    #[must_use]
    pub fn checked(&self) -> u64 {
        self.slots.iter().map(|slot| slot.checked).sum()
    }

    /// The difference that stands first in the log.
    #[must_use]
    pub fn first(&self) -> Option<&Finding> {
        let first = self.slots.iter().filter_map(|slot| slot.findings.first());
        first.min_by_key(|finding| finding.line)
    }
}

/// A slot while a log is read.
pub(super) type Slot = CheckedSlot;

impl CheckedSlot {
    pub(super) fn new(slot: &'static str, policy: &str, by: String, answers: &'static str) -> Self {
        Self {
            slot,
            policy: policy.to_owned(),
            by,
            answers,
            checked: 0,
            different: 0,
            findings: Vec::new(),
            unchecked: None,
        }
    }

    /// An answer differs; expected and found.
    pub(super) fn differs(
        &mut self,
        at: Place,
        rule: &str,
        what: impl FnOnce() -> (String, String),
    ) {
        self.different += 1;
        if self.findings.len() < TOLD {
            let (expected, found) = what();
            let (line, tick) = (at.line, at.tick);
            let (policy, rule) = (self.policy.clone(), rule.to_owned());
            self.findings.push(Finding { line, tick, policy, rule, expected, found });
        }
    }
}
