//! Which answers of a log were checked, which differ from the rules, and which were not checked,
//! and why?

use std::fmt;

use serde::Serialize;

/// Most differing answers of one policy that are reported one by one; further ones are only
/// counted.
const TOLD: usize = 100;

/// A place in a log: the number of the line, from 1, and the line's tick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) line: usize,
    pub(super) tick: u64,
}

/// An answer of a log that differs from the one that the rules ask for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Number of the line of the log that has the answer, from 1.
    pub line: usize,
    /// Tick of the answer in the decision log.
    pub tick: u64,
    /// Name of the policy that answered.
    pub policy: String,
    /// Rule that is broken: the patent and the label of its step, or another document that
    /// has the rule.
    pub rule: String,
    /// Answer that the rule asks for, in words.
    pub expected: String,
    /// Answer that the decision log has, in words.
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

/// Result of the check of one policy's answers. Each policy fills one slot of a recipe, the file
/// that chooses the policies of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CheckedSlot {
    /// Name of the slot (place for one policy of the run): `launch-path`, `turn`, `allocate` or
    /// `preempt`.
    pub slot: &'static str,
    /// Name of the policy that was checked.
    pub policy: String,
    /// Source of the rules by which answers are checked: the patent and its steps, or
    /// another document.
    pub by: String,
    /// Plural word for the policy's answers, such as "placements" or "turns".
    pub answers: &'static str,
    /// Number of the policy's answers that were checked.
    pub checked: u64,
    /// Number of the policy's answers that differ from the rules.
    pub different: u64,
    /// The first answers that differ, at most 100.
    pub findings: Vec<Finding>,
    /// Reason why the policy's answers were not checked, or not to the end of the decision log;
    /// `None` where all were.
    pub unchecked: Option<String>,
}

/// Result of the check of a decision log, policy by policy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Results of the check, one for each slot of the decision log's recipe (place for one policy
    /// of the run).
    pub slots: Vec<CheckedSlot>,
}

impl Report {
    /// Returns the number of answers in the log that differ from the rules, of all policies
    /// together.
    #[must_use]
    pub fn different(&self) -> u64 {
        self.slots.iter().map(|slot| slot.different).sum()
    }

    /// Returns the number of answers in the log that were checked, of all policies together.
    #[must_use]
    pub fn checked(&self) -> u64 {
        self.slots.iter().map(|slot| slot.checked).sum()
    }

    /// Returns the difference that comes first in the decision log; `None` where there is none.
    #[must_use]
    pub fn first(&self) -> Option<&Finding> {
        let first = self.slots.iter().filter_map(|slot| slot.findings.first());
        first.min_by_key(|finding| finding.line)
    }
}

/// Report on one policy while the check goes on; a slot is the policy's place in the recipe.
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

    /// Records a difference: the answer at the line and tick `at` of the decision log is not the
    /// one that the rule `rule` asks for. `what` returns (expected answer, found answer).
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
