//! Who has the turn, and how does the work of those who lose it leave?
//!
//! Turn and preempt policies over states of processes. It says [`Wish`]es and hears who has become
//! runnable or idle and whose preemption is complete; it knows no launch and no runtime.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use raddle_policy::{
    Preempt, Preemption, ProcessId, ProcessState, Tick, Turn, VictimLaunch, VictimView,
};

use crate::driver::Wish;
use crate::error::PreemptError;

/// How a process stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It may submit.
    HasTurn,
    /// It has the turn again, and may submit when its work has left by this way.
    Returning(Preemption),
    /// It may not, and what was submitted stays or has ended.
    Paused,
    /// Its work leaves by this way.
    Leaving(Preemption),
    /// Its work has left.
    Away,
}

impl Standing {
    /// Whether the last answer of the turn policy named it.
    #[must_use]
    pub const fn has_turn(self) -> bool {
        matches!(self, Self::HasTurn | Self::Returning(_))
    }
}

/// Answers of both policies of one decision.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decided {
    /// What is wished, in the order of the processes; those who go on last.
    pub wishes: Vec<Wish>,
    /// Of each process that lost the turn with work submitted, and of which no preemption is under way:
    /// how that leaves, if it does.
    pub ways: Vec<(ProcessId, Option<Preemption>)>,
    /// Who has the turn.
    pub may_issue: Vec<ProcessId>,
    /// Until when.
    pub until: Option<Tick>,
    /// A law that the turn policy broke, so that another one answered in its place
    /// ([`Turn::broke_law`]).
    pub broken: Option<&'static str>,
}

/// Who has the turn, until when, and what became of those who have not.
#[derive(Clone, Debug, Default)]
pub struct Arbiter {
    standings: BTreeMap<ProcessId, Standing>,
    until: Option<Tick>,
    /// Something has changed that a turn policy looks at.
    is_stale: bool,
    /// Who has the turn, by id.
    named: Vec<ProcessId>,
    by: Vec<ProcessState>,
    victims: Vec<VictimLaunch>,
}

impl Arbiter {
    /// A process joins, without the turn: its driver starts [paused](Wish::Pause).
    pub fn joined(&mut self, process: ProcessId) {
        self.standings.insert(process, Standing::Paused);
    }

    /// A process has left.
    pub fn left(&mut self, process: ProcessId) {
        self.is_stale |= self.standings.remove(&process).is_some_and(Standing::has_turn);
    }

    /// A process has something to run, or something more urgent than before.
    pub const fn runnable(&mut self, process: ProcessId) {
        let _ = process;
        self.is_stale = true;
    }

    /// A process has nothing to run, or nothing as urgent as before.
    pub const fn idle(&mut self, process: ProcessId) {
        let _ = process;
        self.is_stale = true;
    }

    /// The preemption of a process is complete.
    pub fn drained(&mut self, process: ProcessId) {
        match self.standings.get_mut(&process) {
            Some(standing @ Standing::Leaving(_)) => *standing = Standing::Away,
            Some(standing @ Standing::Returning(_)) => *standing = Standing::HasTurn,
            _ => {}
        }
    }

    /// How a process stands; `None` if it is not there.
    #[must_use]
    pub fn standing(&self, process: ProcessId) -> Option<Standing> {
        self.standings.get(&process).copied()
    }

    /// Whether the turn policy has to be asked.
    #[must_use]
    pub fn is_due(&self, now: Tick) -> bool {
        self.is_stale || self.until.is_some_and(|until| until <= now)
    }

    /// Asks whose turn it is and, of each process that loses it with work submitted, how that leaves.
    /// `states` are the runnable processes, by id; `victims` gives what a process has submitted and not
    /// ended, in the order of submission.
    ///
    /// # Errors
    /// The turn policy breaks one of its laws, and nothing takes its place.
    pub fn decide(
        &mut self,
        (turn, preempt): (&mut dyn Turn, &mut dyn Preempt),
        states: &[ProcessState],
        mut victims: impl FnMut(ProcessId, &mut Vec<VictimLaunch>),
        now: Tick,
        decided: &mut Decided,
    ) -> Result<(), PreemptError> {
        decided.broken = None;
        while let Err(error) = self.ask(turn, states, now, decided) {
            let PreemptError::BrokenTurn { what } = error else { return Err(error) };
            if !turn.broke_law(what) {
                return Err(error);
            }
            decided.broken = Some(what);
        }
        self.is_stale = false;
        let Decided { wishes, ways, .. } = decided;
        wishes.clear();
        ways.clear();
        let (named, by) = (&self.named, &mut self.by);
        by.clear();
        by.extend(named.iter().filter_map(|&process| find(states, process)));
        let may_issue = |process: ProcessId| named.binary_search(&process).is_ok();
        for (&process, standing) in &mut self.standings {
            if !standing.has_turn() || may_issue(process) {
                continue;
            }
            if let Standing::Returning(way) = *standing {
                // That goes on, and the process no longer resumes at its end (A15).
                *standing = Standing::Leaving(way);
                wishes.push(Wish::Preempt { process, way });
                continue;
            }
            self.victims.clear();
            victims(process, &mut self.victims);
            let state = find(states, process);
            let launches = &self.victims;
            let view = state.map(|process| VictimView { process, launches, by });
            let way = view.filter(|_| !launches.is_empty()).and_then(|view| {
                let way = preempt.preempt(&view, now);
                ways.push((process, way));
                way
            });
            *standing = way.map_or(Standing::Paused, Standing::Leaving);
            wishes.push(way.map_or(Wish::Pause { process }, |way| Wish::Preempt { process, way }));
        }
        for (&process, standing) in &mut self.standings {
            if !standing.has_turn() && may_issue(process) {
                *standing = match *standing {
                    Standing::Leaving(way) => Standing::Returning(way),
                    _ => Standing::HasTurn,
                };
                wishes.push(Wish::Resume { process });
            }
        }
        Ok(())
    }
}

impl Arbiter {
    /// Asks whose turn it is.
    fn ask(
        &mut self,
        turn: &mut dyn Turn,
        states: &[ProcessState],
        now: Tick,
        decided: &mut Decided,
    ) -> Result<(), PreemptError> {
        decided.may_issue.clear();
        decided.until = turn.turn(states, now, &mut decided.may_issue);
        self.until = decided.until;
        self.named.clear();
        self.named.extend_from_slice(&decided.may_issue);
        self.named.sort_unstable();
        check(states, &self.named, decided.until, now)
    }
}

/// The state of a process, of states that are in the order of their processes.
fn find(states: &[ProcessState], process: ProcessId) -> Option<&ProcessState> {
    let at = states.binary_search_by_key(&process, |state| state.id);
    at.ok().map(|at| &states[at])
}

/// Laws 1 to 3 of [`Turn`]; those named by id.
fn check(
    states: &[ProcessState],
    named: &[ProcessId],
    until: Option<Tick>,
    now: Tick,
) -> Result<(), PreemptError> {
    let runnable = |id: &ProcessId| find(states, *id).is_some();
    let twice = named.windows(2).any(|two| two[0] == two[1]);
    let what = if twice || !named.iter().all(runnable) {
        "law 1: it names a process that is not runnable, or one twice"
    } else if named.is_empty() && !states.is_empty() {
        "law 2: processes are runnable and none may issue"
    } else if until.is_some_and(|until| until <= now) {
        "law 3: the turn ends before it begins"
    } else {
        return Ok(());
    };
    Err(PreemptError::BrokenTurn { what })
}
