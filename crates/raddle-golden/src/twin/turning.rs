//! Is each turn the one that the twin of the turn policy gives?

use raddle_policy::ProcessId;

use super::line::Load;
use super::processes::Runnable;
use super::report::{Place, Slot};

/// An answer of a turn policy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Turn {
    pub(super) may_issue: Vec<ProcessId>,
    pub(super) until: Option<u64>,
    /// What was loaded, where the policy loads and did so now.
    pub(super) load: Option<Load>,
}

/// A naive model of a turn policy.
pub(super) trait TurnTwin {
    /// Who may issue, of the processes that are runnable. Of an answer that is random in the seed, the log's
    /// is taken where it may be.
    fn ask(&mut self, pool: &[Runnable], now: u64, found: &Turn) -> Turn;
    /// The log says otherwise, and that goes on.
    fn follow(&mut self, found: &Turn);
    /// A process is gone.
    fn left(&mut self, _: ProcessId) {}
    /// The label of the rule.
    fn rule(&self) -> &'static str;
}

/// A turn policy beside its twin.
pub(super) struct Turning {
    twin: Box<dyn TurnTwin>,
    /// Whose turn it is, and until when.
    pub(super) named: Vec<ProcessId>,
    until: Option<u64>,
    /// Whether the policy has to be asked in this step.
    due: bool,
}

impl Turning {
    pub(super) fn new(twin: Box<dyn TurnTwin>) -> Self {
        Self { twin, named: Vec::new(), until: None, due: false }
    }

    /// All events of a step were heard.
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
