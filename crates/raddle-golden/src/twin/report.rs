//! Which answers were checked, which differ from what the seeds ask for, and what was not checked, and why?

use std::fmt;

use serde::Serialize;

/// The most differences of one slot that are reported one by one; the others are counted.
const TOLD: usize = 100;

/// A place in a log.
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
    /// Tick of the answer.
    pub tick: u64,
    /// The policy that answered.
    pub policy: String,
    /// The seed and the label of its step, or the document that has the rule.
    pub rule: String,
    /// The answer that the rule asks for.
    pub expected: String,
    /// The answer that the log has.
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
    /// The policy in the slot.
    pub policy: String,
    /// The rules of the check: the seed and its steps, or the document that has the rules.
    pub by: String,
    /// The word for answers: "placements", "turns".
    pub answers: &'static str,
    /// Answers checked.
    pub checked: u64,
    /// Answers that differ.
    pub different: u64,
    /// The first answers that differ.
    pub findings: Vec<Finding>,
    /// The reason why answers are not checked, or no longer.
    pub unchecked: Option<String>,
}

/// The findings of the twins of a log's policies.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The slots of the recipe.
    pub slots: Vec<CheckedSlot>,
}

impl Report {
    /// Counts the answers that differ, over all slots.
    #[must_use]
    pub fn different(&self) -> u64 {
        self.slots.iter().map(|slot| slot.different).sum()
    }

    /// Counts the checked answers, over all slots.
    #[must_use]
    pub fn checked(&self) -> u64 {
        self.slots.iter().map(|slot| slot.checked).sum()
    }

    /// Returns the difference that stands first in the log.
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

    /// Records an answer that differs; `what` gives the expected and the found one.
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
