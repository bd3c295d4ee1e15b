//! Which processes have the turn, and by which method does the work of a process leave the device
//! when the process has lost the turn?
//!
//! The arbiter asks the turn and preempt policies. It returns [`Wish`]es (requests to preempt,
//! pause or resume a process), and is informed of the processes that have become runnable or idle
//! and of the preemptions that are complete; it knows no launch and no runtime.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use raddle_policy::{
    Preempt, Preemption, ProcessId, ProcessState, Tick, Turn, VictimLaunch, VictimView,
};

use crate::driver::Wish;
use crate::error::PreemptError;
use crate::error::Reason;

/// State of one process with respect to the turn, which is the right to submit launches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The process has the turn (the right to submit launches).
    HasTurn,
    /// The process has the turn (the right to submit launches) again, while its work still leaves
    /// the device by this method. It may submit launches when its work has left.
    Returning(Preemption),
    /// The process has no turn and may not submit launches; its submitted launches stay, as no
    /// preemption removes them.
    Paused,
    /// The process does not have the turn (the right to submit launches), and its work is leaving
    /// the device by this method.
    Leaving(Preemption),
    /// The process does not have the turn (the right to submit launches), and none of its work is
    /// on the device any more.
    Away,
}

impl Standing {
    /// Returns whether the process has the turn (the right to submit launches), by the last answer
    /// of the turn policy.
    #[must_use]
    pub const fn has_turn(self) -> bool {
        matches!(self, Self::HasTurn | Self::Returning(_))
    }
}

/// Result of one decision of an [`Arbiter`]: the answers of the turn policy and the preempt policy,
/// and what the drivers have to do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decided {
    /// Requests to the drivers, each to preempt, pause or resume one process, in the order of the
    /// processes' ids; each [`Wish::Resume`] comes after all other requests.
    pub(crate) wishes: Vec<Wish>,
    /// Processes that lost the turn (the right to submit launches) with submitted work, each as
    /// (process, method by which its work leaves the device); the method is `None` where the work
    /// stays. The preempt policy chooses the method. If work of an earlier preemption is still
    /// away, the method of that preemption is kept.
    pub(crate) ways: Vec<(ProcessId, Option<Preemption>)>,
    /// Ids of the processes that have the turn (the right to submit launches) from now on.
    pub(crate) may_issue: Vec<ProcessId>,
    /// Tick at which the turn (the right to submit launches) ends; `None` where the turn policy set
    /// no end.
    pub(crate) until: Option<Tick>,
    /// Law of [`Turn`] that the turn policy broke. Another policy has then answered in its place
    /// ([`Turn::broke_law`]). `None` where no law was broken.
    pub(crate) broken: Option<&'static str>,
}

impl Decided {
    /// Returns the requests to the drivers, each to preempt, pause or resume one process, in the
    /// order of the processes' ids; each [`Wish::Resume`] comes after all other requests.
    #[must_use]
    pub fn wishes(&self) -> &[Wish] {
        &self.wishes
    }

    /// Returns the processes that lost the turn (the right to submit launches) with submitted work,
    /// each as (process, method by which its work leaves the device); the method is `None` where
    /// the work stays. The preempt policy chooses the method. If work of an earlier preemption is
    /// still away, the method of that preemption is kept.
    #[must_use]
    pub fn ways(&self) -> &[(ProcessId, Option<Preemption>)] {
        &self.ways
    }

    /// Returns the ids of the processes that have the turn (the right to submit launches) from now
    /// on.
    #[must_use]
    pub fn may_issue(&self) -> &[ProcessId] {
        &self.may_issue
    }

    /// Returns the tick at which the turn (the right to submit launches) ends; `None` where the
    /// turn policy set no end.
    #[must_use]
    pub const fn until(&self) -> Option<Tick> {
        self.until
    }

    /// Returns the law of [`Turn`] that the turn policy broke. Another policy has then answered in
    /// its place ([`Turn::broke_law`]). `None` where no law was broken.
    #[must_use]
    pub const fn broken(&self) -> Option<&'static str> {
        self.broken
    }
}

/// Keeps, for one device, the processes that have the turn (the right to submit launches), the tick
/// until which they have it, and the state of every other process; asks the policies for new
/// decisions.
#[derive(Clone, Debug, Default)]
pub struct Arbiter {
    standings: BTreeMap<ProcessId, Standing>,
    until: Option<Tick>,
    /// True where a change in the processes makes it necessary to ask the turn policy (which says
    /// who may submit launches) again.
    is_stale: bool,
    /// Processes that have the turn (the right to submit launches) since the last decision, in the
    /// order of their ids.
    named: Vec<ProcessId>,
    by: Vec<ProcessState>,
    victims: Vec<VictimLaunch>,
}

impl Arbiter {
    /// Adds a process that does not have the turn (the right to submit launches): its driver starts
    /// [paused](Wish::Pause).
    pub fn joined(&mut self, process: ProcessId) {
        self.standings.insert(process, Standing::Paused);
    }

    /// Removes a process that has left permanently; if the process had the turn (the right to
    /// submit launches), a new decision is due.
    pub fn left(&mut self, process: ProcessId) {
        self.is_stale |= self.standings.remove(&process).is_some_and(Standing::has_turn);
    }

    /// Notes that a process has more or less work to run than before, or more or less urgent work,
    /// or that the policies were replaced: a new decision is due. The states of processes are kept.
    pub const fn ask_again(&mut self) {
        self.is_stale = true;
    }

    /// Notes that the preemption of a process is complete: none of its work is on the device.
    pub fn drained(&mut self, process: ProcessId) {
        match self.standings.get_mut(&process) {
            Some(standing @ Standing::Leaving(_)) => *standing = Standing::Away,
            Some(standing @ Standing::Returning(_)) => *standing = Standing::HasTurn,
            _ => {}
        }
    }

    /// Returns the state of a process; `None` where the arbiter does not know the process.
    #[must_use]
    pub fn standing(&self, process: ProcessId) -> Option<Standing> {
        self.standings.get(&process).copied()
    }

    /// Returns whether the turn policy has to be asked: a process has changed since the last
    /// decision, or the turn has ended by `now`.
    #[must_use]
    pub fn is_due(&self, now: Tick) -> bool {
        self.is_stale || self.until.is_some_and(|until| until <= now)
    }

    /// Asks the turn policy which processes have the turn (the right to submit launches). For each
    /// process that loses the turn with submitted work, asks the preempt policy how that work
    /// leaves the device. Writes both answers to `decided`.
    ///
    /// `states` are the runnable processes, by id. `victims` appends the unfinished submitted
    /// launches of a process to its second argument, in the order of submission. It returns the
    /// method of an earlier preemption if launches that left by it are still away, else `None`.
    /// With a method, the preempt policy is not asked: all launches leave by that method again, as
    /// work that is held back or saved can neither test a preemption flag nor be waited for.
    ///
    /// # Errors
    /// The turn policy breaks one of its laws, and no other policy takes its place.
    pub fn decide(
        &mut self,
        (turn, preempt): (&mut dyn Turn, &mut dyn Preempt),
        states: &[ProcessState],
        mut victims: impl FnMut(ProcessId, &mut Vec<VictimLaunch>) -> Option<Preemption>,
        now: Tick,
        decided: &mut Decided,
    ) -> Result<(), PreemptError> {
        decided.broken = None;
        while let Err(error) = self.ask(turn, states, now, decided) {
            let Some(what) = error.broken_law() else { return Err(error) };
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
                // The preemption under way goes on, and the process no longer resumes at its end
                // (A15).
                *standing = Standing::Leaving(way);
                wishes.push(Wish::Preempt { process, way });
                continue;
            }
            self.victims.clear();
            let away = victims(process, &mut self.victims);
            let state = find(states, process);
            let launches = &self.victims;
            let view = state.map(|process| VictimView::new(process, launches, by));
            let way = view.filter(|_| !launches.is_empty()).and_then(|view| {
                let way = away.or_else(|| preempt.preempt(&view, now));
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
    /// Asks the turn policy which processes have the turn (the right to submit launches) and until
    /// when, and stores its answer in `decided`. An answer that breaks a law of [`Turn`] is an
    /// error, which names the law.
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

fn find(states: &[ProcessState], process: ProcessId) -> Option<&ProcessState> {
    let at = states.binary_search_by_key(&process, |state| state.id);
    at.ok().map(|at| &states[at])
}

/// Checks an answer of the turn policy at the tick `now` against laws 1 to 3 of [`Turn`]: the
/// processes `named`, in the order of ids, have the turn (the right to submit launches) until the
/// tick `until` (`None` is without end). `states` are the runnable processes. The error names the
/// broken law.
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
    Err(PreemptError(Reason::BrokenTurn { what }))
}
