//! How is a policy made of other policies: one for each process, one whose answers are passed on,
//! one that is replaced when it breaks a law?
//!
//! Not every such wrapper exists for every trait. A turn is chosen among processes, so
//! [`PerProcess`] has no turn; launch paths for each process have had no use; and a dispatcher
//! cannot detect a broken law of [`Preempt`] or [`LaunchPath`], so [`Fallback`] has neither.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use crate::{
    Allocate, Answer, CacheLoad, Configured, CuId, Cus, Fact, FreeRun, Launch, LaunchPath, Preempt,
    Preemption, ProcessId, ProcessState, ReadyLaunch, ReadyView, Round, SettingError, StreamId,
    StreamState, Submission, Tick, Turn, VictimView, WaitTally,
};

/// Policies for single processes, and one policy for all other processes together.
///
/// Each [`Allocate`] policy sees only the launches of its own processes, and is told only of these.
/// So it must read the free resources from the view ([`Allocate::reads_the_view`]). Policies are
/// asked in the order in which they were added, the one for the other processes last. Workgroups
/// start wave by wave if all policies allow it.
///
/// ```
/// use raddle_policy::{PerProcess, Preemption, ProcessId, preempt_fn};
///
/// // The work of process 1 may be killed, that of all others ends.
/// let by = |way| preempt_fn(move |_, _| Some(way));
/// let policy = PerProcess::new(by(Preemption::Drain)).with(ProcessId(1), by(Preemption::Reset));
/// # fn is_a_policy(_: impl raddle_policy::Preempt) {}
/// # is_a_policy(policy);
/// ```
///
/// To combine policies of different types, use `Box<dyn Allocate + Send>`.
#[derive(Clone, Debug)]
pub struct PerProcess<P> {
    named: Vec<(ProcessId, P)>,
    others: P,
    /// The launches about which a policy is being asked: those of its processes. They are kept so
    /// that the next call needs no new memory.
    launches: Vec<ReadyLaunch>,
    /// The index of the policy that answered last, in the order in which the policies were added;
    /// the policy for all other processes has the last index.
    answered: usize,
}

impl<P> PerProcess<P> {
    /// Returns a policy that answers for all processes by `others`, until [`PerProcess::with`] adds
    /// one for some process.
    pub const fn new(others: P) -> Self {
        Self { named: Vec::new(), others, launches: Vec::new(), answered: 0 }
    }

    /// Returns this policy with `policy` for `process`, which no longer counts among the other
    /// processes.
    #[must_use]
    pub fn with(mut self, process: ProcessId, policy: P) -> Self {
        self.named.retain(|(id, _)| *id != process);
        self.named.push((process, policy));
        self
    }

    fn all(&self) -> impl Iterator<Item = &P> {
        self.named.iter().map(|(_, policy)| policy).chain([&self.others])
    }

    fn at(&mut self, position: usize) -> &mut P {
        self.named.get_mut(position).map_or(&mut self.others, |(_, policy)| policy)
    }

    /// Returns the index of the policy that answers for a process, in the order in which the
    /// policies were added; the policy for all other processes has the last index.
    fn position(&self, process: ProcessId) -> usize {
        self.named.iter().position(|(id, _)| *id == process).unwrap_or(self.named.len())
    }
}

impl<P: Allocate> PerProcess<P> {
    /// Asks the policies in order by calling `ask`, each about the launches of its own processes,
    /// until one answers other than to wait. Returns that answer. If all wait, returns the answer
    /// to wait until the earliest tick that one of them names.
    fn ask(
        &mut self,
        ready: &ReadyView<'_>,
        round: &mut Round,
        mut ask: impl FnMut(&mut P, &ReadyView<'_>, &mut Round) -> Answer,
    ) -> Answer {
        let mut soonest: Option<Tick> = None;
        for position in 0..=self.named.len() {
            let mut launches = core::mem::take(&mut self.launches);
            launches.clear();
            let its = |entry: &&ReadyLaunch| self.position(entry.launch.process) == position;
            launches.extend(ready.launches.iter().filter(its));
            let view = ReadyView::new(&launches, ready.cus);
            // A policy whose processes have no launch is asked too, so that it sees that the
            // launches that it refused are gone.
            let answer = ask(self.at(position), &view, round);
            self.launches = launches;
            let Answer::Wait { retry_at } = answer else {
                // The refusals of the policies before this one are reported only when all policies
                // wait.
                round.refusals.clear();
                self.answered = position;
                return answer;
            };
            soonest = soonest.into_iter().chain(retry_at).min();
        }
        Answer::Wait { retry_at: soonest }
    }
}

impl<P: Allocate> Allocate for PerProcess<P> {
    fn allocate(&mut self, ready: &ReadyView<'_>, now: Tick, round: &mut Round) -> Answer {
        self.ask(ready, round, |policy, view, round| policy.allocate(view, now, round))
    }

    fn allocate_round(&mut self, ready: &ReadyView<'_>, now: Tick, round: &mut Round) -> Answer {
        self.ask(ready, round, |policy, view, round| policy.allocate_round(view, now, round))
    }

    fn reads_the_view(&self) -> bool {
        self.all().all(Allocate::reads_the_view)
    }

    fn cuts(&self) -> bool {
        self.all().all(Allocate::cuts)
    }

    fn may_stop(&self) -> Option<&'static str> {
        self.all().find_map(Allocate::may_stop)
    }

    fn most_units(&self, process: ProcessId, all: u16) -> Option<u16> {
        let own = self.named.get(self.position(process)).map_or(&self.others, |(_, own)| own);
        own.most_units(process, all)
    }

    fn broke_law(&mut self, law: &str) -> bool {
        let position = self.answered;
        self.at(position).broke_law(law)
    }

    fn minds_refills(&self) -> bool {
        self.all().any(Allocate::minds_refills)
    }

    fn observe(&mut self, fact: &Fact<'_>, now: Tick) {
        match fact.process() {
            Some(process) => {
                let position = self.position(process);
                self.at(position).observe(fact, now);
            }
            // The end of a launch does not name its process: a policy that does not know the launch
            // ignores it.
            None => {
                (0..=self.named.len()).for_each(|position| self.at(position).observe(fact, now))
            }
        }
    }
}

impl<P: Preempt> Preempt for PerProcess<P> {
    fn preempt(&mut self, victim: &VictimView<'_>, now: Tick) -> Option<Preemption> {
        let position = self.position(victim.process.id);
        self.at(position).preempt(victim, now)
    }

    fn minds_refills(&self) -> bool {
        self.all().any(Preempt::minds_refills)
    }

    fn observe(&mut self, fact: &Fact<'_>, now: Tick) {
        (0..=self.named.len()).for_each(|position| self.at(position).observe(fact, now));
    }
}

/// A question to a policy with its answer, as [`Traced`] passes them to a function. It prints as
/// one line.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the variant says what its fields are")]
pub enum Asked<'a> {
    /// The question which processes may issue launches. The answer is: those in `may_issue`, until
    /// the tick `until`; `None` where the policy names no tick.
    Turn { processes: &'a [ProcessState], may_issue: &'a [ProcessId], until: Option<Tick> },
    /// The question which workgroups start on which compute units, with the answer and its lists.
    Allocate { ready: &'a ReadyView<'a>, answer: Answer, round: &'a Round },
    /// The question how the work of a process that lost the turn leaves the device. The answer is
    /// the method `how`; `None` where the work stays.
    Preempt { victim: &'a VictimView<'a>, how: Option<Preemption> },
    /// The question what it costs to give a launch to the device, with the answer `via`.
    LaunchPath { launch: &'a Launch, via: Submission },
}

impl fmt::Display for Asked<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Turn { processes, may_issue, until } => {
                write!(f, "turn: of {} processes", processes.len())?;
                may_issue.iter().try_for_each(|process| write!(f, " {process}"))?;
                until.map_or(Ok(()), |until| write!(f, " until {until}"))
            }
            Self::Allocate { ready, answer, round } => {
                write!(f, "allocate: of {} launches ", ready.launches.len())?;
                match answer {
                    Answer::Start { launch, .. } => {
                        let groups: u64 = round.pieces.iter().map(|it| u64::from(it.count)).sum();
                        write!(f, "{groups} workgroups start, {launch} last")
                    }
                    Answer::Assign { launch, workgroup, cu } => {
                        write!(f, "workgroup {workgroup} of {launch} goes to {cu}")
                    }
                    Answer::Wait { .. } => match round.refusals.first() {
                        Some(refusal) => write!(f, "all wait: {refusal}"),
                        None => write!(f, "all wait"),
                    },
                    Answer::Never { refusal } => write!(f, "one never starts: {refusal}"),
                }
            }
            Self::Preempt { victim, how } => {
                write!(f, "preempt: {} ", victim.process.id)?;
                f.write_str(how.map_or("stays", Preemption::name))
            }
            Self::LaunchPath { launch, via } => {
                let Submission { packets, bytes, cost, .. } = via;
                write!(
                    f,
                    "launch path: {} in {packets} packets, {bytes} bytes, {cost} ticks",
                    launch.id
                )
            }
        }
    }
}

/// A policy that passes each of its answers to a function.
///
/// ```
/// use raddle_policy::{Asked, Tick, Traced, preempt_fn};
///
/// let policy = Traced::new(preempt_fn(|_, _| None), |now: Tick, asked: &Asked<'_>| {
///     println!("{now}: {asked}");
/// });
/// # fn is_a_policy(_: impl raddle_policy::Preempt) {}
/// # is_a_policy(policy);
/// ```
#[derive(Clone, Debug)]
pub struct Traced<P, F> {
    policy: P,
    shown: F,
    /// The tick of the last event that was observed. It is passed on with the answers of a launch
    /// path, which is asked without a tick.
    now: Tick,
}

impl<P, F: FnMut(Tick, &Asked<'_>)> Traced<P, F> {
    /// Returns a policy that answers as `policy` does and passes each answer to `shown`.
    pub const fn new(policy: P, shown: F) -> Self {
        Self { policy, shown, now: Tick::ZERO }
    }
}

impl<P: Turn, F: FnMut(Tick, &Asked<'_>)> Turn for Traced<P, F> {
    fn turn(
        &mut self,
        processes: &[ProcessState],
        now: Tick,
        may_issue: &mut Vec<ProcessId>,
    ) -> Option<Tick> {
        let until = self.policy.turn(processes, now, may_issue);
        (self.shown)(now, &Asked::Turn { processes, may_issue, until });
        until
    }
    fn by_stream(&self) -> bool {
        self.policy.by_stream()
    }
    fn streams(
        &mut self,
        process: &ProcessState,
        streams: &[StreamState],
        now: Tick,
        may_issue: &mut Vec<StreamId>,
    ) -> Option<Tick> {
        self.policy.streams(process, streams, now, may_issue)
    }
    fn load(&self) -> Option<&CacheLoad> {
        self.policy.load()
    }
    fn broke_law(&mut self, law: &str) -> bool {
        self.policy.broke_law(law)
    }
    fn observe(&mut self, fact: &Fact<'_>, now: Tick) {
        self.policy.observe(fact, now);
    }
}

impl<P: Allocate, F: FnMut(Tick, &Asked<'_>)> Allocate for Traced<P, F> {
    fn allocate(&mut self, ready: &ReadyView<'_>, now: Tick, round: &mut Round) -> Answer {
        let answer = self.policy.allocate(ready, now, round);
        (self.shown)(now, &Asked::Allocate { ready, answer, round });
        answer
    }
    fn allocate_round(&mut self, ready: &ReadyView<'_>, now: Tick, round: &mut Round) -> Answer {
        let answer = self.policy.allocate_round(ready, now, round);
        (self.shown)(now, &Asked::Allocate { ready, answer, round });
        answer
    }
    fn reads_the_view(&self) -> bool {
        self.policy.reads_the_view()
    }
    fn cuts(&self) -> bool {
        self.policy.cuts()
    }
    fn may_stop(&self) -> Option<&'static str> {
        self.policy.may_stop()
    }
    fn most_units(&self, process: ProcessId, all: u16) -> Option<u16> {
        self.policy.most_units(process, all)
    }
    fn broke_law(&mut self, law: &str) -> bool {
        self.policy.broke_law(law)
    }
    fn free_runs(&self, cu: CuId) -> Option<[FreeRun; 3]> {
        self.policy.free_runs(cu)
    }
    fn waits(&self) -> &[WaitTally] {
        self.policy.waits()
    }
    fn observe(&mut self, fact: &Fact<'_>, now: Tick) {
        self.policy.observe(fact, now);
    }
}

impl<P: Preempt, F: FnMut(Tick, &Asked<'_>)> Preempt for Traced<P, F> {
    fn preempt(&mut self, victim: &VictimView<'_>, now: Tick) -> Option<Preemption> {
        let how = self.policy.preempt(victim, now);
        (self.shown)(now, &Asked::Preempt { victim, how });
        how
    }
    fn observe(&mut self, fact: &Fact<'_>, now: Tick) {
        self.policy.observe(fact, now);
    }
}

impl<P: LaunchPath, F: FnMut(Tick, &Asked<'_>)> LaunchPath for Traced<P, F> {
    fn submit(&mut self, launch: &Launch) -> Submission {
        let via = self.policy.submit(launch);
        (self.shown)(self.now, &Asked::LaunchPath { launch, via });
        via
    }
    fn overlaps(&self) -> bool {
        self.policy.overlaps()
    }
    fn observe(&mut self, fact: &Fact<'_>, now: Tick) {
        self.now = now;
        self.policy.observe(fact, now);
    }
}

/// A policy with a second one, which replaces the first for good when the first breaks a law of its
/// trait.
///
/// The dispatcher detects the broken law, drops the answer, records the law ([`Fallback::broken`],
/// and a line in the decision log) and asks the second policy, which has observed everything from
/// the beginning. Without a `Fallback` a broken law ends the run. The name and the settings are
/// those of the first policy.
#[derive(Clone, Debug)]
pub struct Fallback<P, Q> {
    first: P,
    second: Q,
    broken: Option<String>,
}

impl<P, Q> Fallback<P, Q> {
    /// Returns a policy that asks `first` as long as it breaks no law of its trait, and `second`
    /// from then on.
    pub const fn new(first: P, second: Q) -> Self {
        Self { first, second, broken: None }
    }

    /// Returns the text of the law of its trait that the first policy broke; `None` while it has
    /// broken none.
    #[must_use]
    pub fn broken(&self) -> Option<&str> {
        self.broken.as_deref()
    }

    /// Records the text of the law that the first policy broke. Returns whether the second policy
    /// takes over now; false if it has taken over before.
    fn replace(&mut self, law: &str) -> bool {
        let first = self.broken.is_none();
        self.broken.get_or_insert_with(|| law.to_string());
        first
    }
}

impl<P: Turn, Q: Turn> Turn for Fallback<P, Q> {
    fn turn(
        &mut self,
        processes: &[ProcessState],
        now: Tick,
        may_issue: &mut Vec<ProcessId>,
    ) -> Option<Tick> {
        match self.broken {
            None => self.first.turn(processes, now, may_issue),
            Some(_) => self.second.turn(processes, now, may_issue),
        }
    }
    fn by_stream(&self) -> bool {
        self.first.by_stream() || self.second.by_stream()
    }
    fn streams(
        &mut self,
        process: &ProcessState,
        streams: &[StreamState],
        now: Tick,
        may_issue: &mut Vec<StreamId>,
    ) -> Option<Tick> {
        match self.broken {
            None => self.first.streams(process, streams, now, may_issue),
            Some(_) => self.second.streams(process, streams, now, may_issue),
        }
    }
    fn load(&self) -> Option<&CacheLoad> {
        if self.broken.is_none() { self.first.load() } else { self.second.load() }
    }
    fn broke_law(&mut self, law: &str) -> bool {
        self.replace(law) || self.second.broke_law(law)
    }
    fn minds_refills(&self) -> bool {
        self.first.minds_refills() || self.second.minds_refills()
    }
    fn observe(&mut self, fact: &Fact<'_>, now: Tick) {
        self.first.observe(fact, now);
        self.second.observe(fact, now);
    }
}

impl<P: Allocate, Q: Allocate> Allocate for Fallback<P, Q> {
    fn allocate(&mut self, ready: &ReadyView<'_>, now: Tick, round: &mut Round) -> Answer {
        match self.broken {
            None => self.first.allocate(ready, now, round),
            Some(_) => self.second.allocate(ready, now, round),
        }
    }
    fn allocate_round(&mut self, ready: &ReadyView<'_>, now: Tick, round: &mut Round) -> Answer {
        match self.broken {
            None => self.first.allocate_round(ready, now, round),
            Some(_) => self.second.allocate_round(ready, now, round),
        }
    }
    /// Returns whether both policies know free resources from the view alone, as the second may
    /// take over at any time.
    fn reads_the_view(&self) -> bool {
        self.first.reads_the_view() && self.second.reads_the_view()
    }
    /// Returns whether both policies start workgroups wave by wave. If one does not, launches whose
    /// whole workgroups never fit are refused.
    fn cuts(&self) -> bool {
        self.first.cuts() && self.second.cuts()
    }
    fn may_stop(&self) -> Option<&'static str> {
        if self.broken.is_none() { self.first.may_stop() } else { self.second.may_stop() }
    }
    fn most_units(&self, process: ProcessId, all: u16) -> Option<u16> {
        match self.broken {
            None => self.first.most_units(process, all),
            Some(_) => self.second.most_units(process, all),
        }
    }
    fn broke_law(&mut self, law: &str) -> bool {
        self.replace(law) || self.second.broke_law(law)
    }
    fn free_runs(&self, cu: CuId) -> Option<[FreeRun; 3]> {
        if self.broken.is_none() { self.first.free_runs(cu) } else { self.second.free_runs(cu) }
    }
    fn waits(&self) -> &[WaitTally] {
        if self.broken.is_none() { self.first.waits() } else { self.second.waits() }
    }
    fn minds_refills(&self) -> bool {
        self.first.minds_refills() || self.second.minds_refills()
    }
    fn observe(&mut self, fact: &Fact<'_>, now: Tick) {
        self.first.observe(fact, now);
        self.second.observe(fact, now);
    }
}

impl<P: Configured, Q: Default> Configured for Fallback<P, Q> {
    const NAME: &'static str = P::NAME;
    const EXAMPLES: &'static [&'static str] = P::EXAMPLES;
    type Config = P::Config;

    fn make(config: &P::Config, device: &Cus) -> Result<Self, SettingError> {
        P::make(config, device).map(|first| Self::new(first, Q::default()))
    }
}
