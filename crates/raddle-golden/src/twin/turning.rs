//! Does each turn of a log equal the one that the turn policy's twin (naive model) gives?

use raddle_policy::ProcessId;

use super::line::Load;
use super::processes::Runnable;
use super::report::{Place, Slot};

/// An answer of a turn policy: the processes that may issue launches, and until which tick (`None`
/// for ever).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Turn {
    pub(super) may_issue: Vec<ProcessId>,
    pub(super) until: Option<u64>,
    /// Processes that were chosen anew to run; `None` if the policy did not choose in this answer.
    pub(super) load: Option<Load>,
}

/// A naive model (twin) of a turn policy.
pub(super) trait TurnTwin {
    /// Returns the turn that the rules give the runnable processes. Where the patent decides at
    /// random, the decision log's answer `found` is taken if the rules allow it.
    fn ask(&mut self, pool: &[Runnable], now: u64, found: &Turn) -> Turn;
    /// Sets the state of the twin (naive model) to that after the decision log's answer, where the
    /// twin's own answer differs.
    fn follow(&mut self, found: &Turn);
    /// Removes a process that has left from the state of the model.
    fn left(&mut self, _: ProcessId) {}
    /// Returns the label of the rule that decides which processes have the turn.
    fn rule(&self) -> &'static str;
}

/// Twin (naive model of the rules) of a turn policy, with the state that the check of its answers
/// needs.
pub(super) struct Turning {
    twin: Box<dyn TurnTwin>,
    /// Processes that have the turn, so that they may issue launches.
    pub(super) named: Vec<ProcessId>,
    /// Tick until which the processes have the turn; `None` for ever.
    until: Option<u64>,
    /// True if the policy has to be asked in the current step of the decision log.
    due: bool,
}

impl Turning {
    pub(super) fn new(twin: Box<dyn TurnTwin>) -> Self {
        Self { twin, named: Vec::new(), until: None, due: false }
    }

    /// Ends the events of a step of the decision log. The policy has to be asked in the step if
    /// `changed` is true, or if the turn is over by tick `now`.
    pub(super) fn heard(&mut self, changed: bool, now: u64) {
        self.due = changed || self.until.is_some_and(|until| until <= now);
    }

    pub(super) fn turn(&mut self, found: &Turn, pool: &[Runnable], slot: &mut Slot, at: Place) {
        self.due = false;
        let wanted = self.twin.ask(pool, at.tick, found);
        slot.checked += 1;
        if wanted != *found {
            slot.differs(at, self.twin.rule(), || (wanted.to_string(), found.to_string()));
            self.twin.follow(found);
        }
        (self.named, self.until) = (found.may_issue.clone(), found.until);
    }

    pub(super) fn step_ends(&mut self, slot: &mut Slot, at: Place) {
        if std::mem::take(&mut self.due) {
            let what = || ("a turn in this step".to_owned(), "none".to_owned());
            slot.differs(at, self.twin.rule(), what);
        }
    }

    pub(super) fn left(&mut self, process: ProcessId) {
        self.twin.left(process);
    }
}

impl std::fmt::Display for Turn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let named: Vec<String> = self.may_issue.iter().map(ToString::to_string).collect();
        write!(f, "the turn of [{}]", named.join(", "))?;
        if let Some(until) = self.until {
            write!(f, " until tick {until}")?;
        }
        let Some(load) = &self.load else { return Ok(()) };
        let list = |(process, weight, slice): &(ProcessId, String, u64)| {
            format!("{process} weight {weight} slice {slice}")
        };
        let candidates: Vec<String> = load.candidates.iter().map(ToString::to_string).collect();
        let loaded: Vec<String> = load.loaded.iter().map(list).collect();
        write!(f, ", loaded of [{}]: [{}]", candidates.join(", "), loaded.join(", "))
    }
}
