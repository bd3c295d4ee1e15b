//! The controller written again, slowly: one list of launches a process, every question answered by
//! looking through it. And the wrong readings of the seed, each of which it can be told to follow.

use raddle_preempt::{Scope, Way};

use crate::control::{Control, Order, killable};
use crate::schedule::{Job, Program, Setup};

/// A wrong reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mutant {
    None,
    /// What left goes to the tail of the buffer queue (A1 c).
    TailRequeue,
    /// Only what runs, as far as the host knows, decides the reset (A2).
    RunningOnly,
    /// A killed launch counts as executed (A4).
    KilledIsDone,
    /// What left by the flag counts as done (A5).
    ExitedIsDone,
    /// A resume takes effect at once (A7).
    ResumeWithoutDrain,
    /// A launch that left is waited for (A5, the other way round).
    ExitsForgotten,
    /// The reset comes before the flag is visible.
    ResetAtOnce,
    /// A reset of the device looks at one process only (A11).
    OwnLaunchesOnly,
    /// A completed launch is run again: what came before the killed one is replayed too (A13).
    ReplayOneMore,
    /// Launches that may not be run again are flagged where each workgroup looks.
    FlagRunning,
    /// Copies are flagged over.
    FlagBehindCopies,
    /// The window is one too large.
    WindowPlusOne,
    /// The first submission of whoever gets an id again has number 0.
    NumbersAgain,
    /// An idle runtime is reset (A3).
    IdleReset,
    /// A submit call that has not returned is neither waited for nor seen (A8).
    CallsUnseen,
    /// What is captured in a preemption goes in front of what left (A14).
    CapturedInFront,
    /// What is captured in a preemption is not kept (A14).
    CapturedNowhere,
    /// A preempt does not cancel the resume that waits (A15).
    ResumeNotCancelled,
    /// A resume without a preemption ends the next one (A15).
    ResumeRemembered,
    /// A preempt in a preemption begins another one (A15).
    PreemptsAgain,
    /// A synchronising call looks at the runtime alone (A15).
    SyncRuntimeOnly,
    /// A process leaves while something of it is in the runtime.
    LeavesFlying,
    /// A killed launch counts as executed, if only its process leaves before the end.
    KilledIsDoneIfLeaving,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Buffer,
    Runtime { sequence: u64, acknowledged: bool, started: bool },
    Done,
}

#[derive(Clone, Copy, Debug)]
struct Launch {
    job: usize,
    stream: usize,
    rank: u64,
    may: bool,
    tests_flag: bool,
    kills: u32,
    place: Place,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    Running,
    Begun,
    Told,
    ResetDue,
    Resetting,
    /// The reset is over, and not everything has left.
    Reset,
    Removing,
    Removed,
    Waiting,
    Preempted,
}

#[derive(Clone, Debug)]
struct Process {
    level: u8,
    id: usize,
    launches: Vec<Launch>,
    /// The numbers of its first submission and of the next.
    first: u64,
    next: u64,
    rank: u64,
    at: At,
    way: Way,
    resume: bool,
    undo: Option<Way>,
    cut: Option<(u64, u64)>,
}

pub(crate) struct Naive {
    setup: Setup,
    mutant: Mutant,
    /// By program.
    all: Vec<Process>,
    /// By id: who has it, and the number of the next submission.
    ids: Vec<(Option<usize>, u64)>,
}

impl Naive {
    pub(crate) fn new(setup: &Setup, mutant: Mutant) -> Self {
        let process = |program: &Program| Process {
            level: program.level,
            id: usize::MAX,
            launches: Vec::new(),
            first: 0,
            next: 0,
            rank: 0,
            at: At::Running,
            way: Way::Wait,
            resume: false,
            undo: None,
            cut: None,
        };
        let all = setup.processes.iter().map(process).collect();
        Self { setup: setup.clone(), mutant, all, ids: Vec::new() }
    }

    fn find(&mut self, process: usize, wanted: u64) -> Option<&mut Launch> {
        let here =
            |it: &Launch| matches!(it.place, Place::Runtime { sequence, .. } if sequence == wanted);
        self.all[process].launches.iter_mut().find(|it| here(it))
    }

    fn runtime(&self, process: usize) -> Vec<(u64, Launch)> {
        let mut found: Vec<(u64, Launch)> = Vec::new();
        for it in &self.all[process].launches {
            if let Place::Runtime { sequence, .. } = it.place {
                found.push((sequence, *it));
            }
        }
        found.sort_by_key(|(sequence, _)| *sequence);
        found
    }

    /// What a preemption sees of it.
    fn seen(&self, process: usize) -> Vec<(u64, Launch)> {
        let mut there = self.runtime(process);
        if self.mutant == Mutant::CallsUnseen {
            let returned =
                |it: &Launch| matches!(it.place, Place::Runtime { acknowledged: true, .. });
            there.retain(|(_, it)| returned(it));
        }
        there
    }

    /// Whether a launch was killed less often than the options say.
    fn seldom(&self, it: &Launch) -> bool {
        self.setup.options.most_kills.is_none_or(|most| it.kills < most)
    }

    fn cut(&self, process: usize) -> (u64, u64) {
        let there = self.seen(process);
        let mut to = self.all[process].next;
        if self.mutant == Mutant::CallsUnseen {
            to = there.last().map_or(to, |(sequence, _)| sequence + 1);
        }
        let mut from = there.first().map_or(to, |(sequence, _)| *sequence);
        for (sequence, it) in there {
            let latched = self.setup.declared.latched || self.mutant == Mutant::FlagRunning;
            let tests = it.tests_flag || self.mutant == Mutant::FlagBehindCopies;
            if !tests || !(latched || it.may && self.seldom(&it)) {
                from = sequence + 1;
            }
        }
        (from, to)
    }

    /// Whether everything of a process may be killed: it is on its way out behind a visible flag.
    fn may_reset(&self, process: usize) -> bool {
        let it = &self.all[process];
        let out = matches!(it.at, At::ResetDue | At::Resetting | At::Reset | At::Waiting);
        let Some((from, to)) = it.cut.filter(|_| out) else { return false };
        self.seen(process).into_iter().all(|(sequence, it)| {
            let started = matches!(it.place, Place::Runtime { started: true, .. });
            if self.mutant == Mutant::RunningOnly && !started {
                return true;
            }
            let flagged = (from..to).contains(&sequence) && it.tests_flag;
            (flagged || self.mutant == Mutant::FlagBehindCopies) && it.may && self.seldom(&it)
        })
    }

    /// S3.3.
    fn check(&mut self, process: usize) {
        self.all[process].at = At::Waiting;
        if self.all[process].way != Way::Reset {
            return;
        }
        let whole = self.setup.declared.scope == Scope::Device;
        let others = whole && self.mutant != Mutant::OwnLaunchesOnly;
        let idle = self.seen(process).is_empty() && self.mutant != Mutant::IdleReset;
        let hit = (0..self.all.len()).filter(|&id| id == process || others);
        let mut hit = hit.filter(|&id| id == process || !self.runtime(id).is_empty());
        if !idle && hit.all(|id| self.may_reset(id)) {
            self.all[process].at = At::ResetDue;
        }
    }

    fn whole_reset(&self) -> bool {
        let due = |it: &Process| matches!(it.at, At::ResetDue | At::Resetting);
        self.setup.declared.scope == Scope::Device && self.all.iter().any(due)
    }

    /// The oldest in the buffer.
    fn submit(&mut self, process: usize) -> Option<Order> {
        let extra = u32::from(self.mutant == Mutant::WindowPlusOne);
        if self.runtime(process).len() >= (self.setup.options.window + extra) as usize
            || self.whole_reset()
        {
            return None;
        }
        let it = &mut self.all[process];
        let sequence = it.next;
        let waiting = it.launches.iter_mut().filter(|launch| launch.place == Place::Buffer);
        let launch = waiting.min_by_key(|launch| launch.rank)?;
        launch.place = Place::Runtime { sequence, acknowledged: false, started: false };
        it.next += 1;
        Some(Order::Submit { sequence, stream: launch.stream, job: launch.job })
    }

    fn back(&mut self, process: usize, sequence: u64, killed: bool) {
        let mutant = self.mutant;
        let rank = self.all[process].rank;
        let leaves = self.setup.processes[process].leaves;
        let Some(launch) = self.find(process, sequence) else { return };
        let leaves = leaves && mutant == Mutant::KilledIsDoneIfLeaving;
        let killed_is_done = leaves || mutant == Mutant::KilledIsDone;
        let done = killed_is_done && killed || mutant == Mutant::ExitedIsDone && !killed;
        launch.place = if done { Place::Done } else { Place::Buffer };
        if mutant == Mutant::TailRequeue {
            launch.rank = rank;
            self.all[process].rank += 1;
        }
        if mutant == Mutant::ReplayOneMore && killed {
            let job = self.all[process].launches.iter().rfind(|it| it.place == Place::Done);
            if let Some(job) = job.map(|it| it.job) {
                let mut all = self.all[process].launches.iter_mut();
                if let Some(it) = all.find(|it| it.job == job) {
                    it.place = Place::Buffer;
                }
            }
        }
    }

    fn complete(&mut self, process: usize) -> Order {
        let it = &mut self.all[process];
        it.at = At::Preempted;
        let resumed = std::mem::take(&mut it.resume);
        if resumed {
            (it.at, it.undo) = (At::Running, Some(it.way));
        }
        Order::Drained { resumed }
    }
}

impl Control for Naive {
    fn join(&mut self, process: usize) -> usize {
        let free = self.ids.iter().position(|(who, _)| who.is_none());
        let id = free.unwrap_or(self.ids.len());
        if id == self.ids.len() {
            self.ids.push((None, 0));
        }
        let next = if self.mutant == Mutant::NumbersAgain { 0 } else { self.ids[id].1 };
        self.ids[id].0 = Some(process);
        let it = &mut self.all[process];
        (it.id, it.first, it.next) = (id, next, next);
        id
    }

    fn leave(&mut self, process: usize) -> Option<usize> {
        let flies = !self.runtime(process).is_empty() && self.mutant != Mutant::LeavesFlying;
        let it = &mut self.all[process];
        if flies || it.at != At::Running || it.undo.is_some() {
            return None;
        }
        let buffered = it.launches.iter().filter(|it| it.place == Place::Buffer).count();
        it.launches.clear();
        self.ids[it.id] = (None, it.next);
        Some(buffered)
    }

    fn stale(&mut self, process: usize) -> u64 {
        let id = self.all[process].id;
        let others = self.all.iter().enumerate().filter(|(at, it)| *at != process && it.id == id);
        let former: Vec<_> = others.map(|(_, it)| it.first..it.next).collect();
        let taken = |sequence: &u64| former.iter().any(|range| range.contains(sequence));
        self.runtime(process).iter().filter(|(sequence, _)| taken(sequence)).count() as u64
    }

    fn capture(&mut self, process: usize, job: usize, it: &Job) {
        let (stream, may, tests_flag) = (it.stream, killable(it), it.tests_flag);
        let meanwhile = self.all[process].at != At::Running;
        if meanwhile && self.mutant == Mutant::CapturedNowhere {
            return;
        }
        let mut rank = self.all[process].rank;
        self.all[process].rank += 1;
        if meanwhile && self.mutant == Mutant::CapturedInFront {
            self.all[process].launches.iter_mut().for_each(|it| it.rank += 1);
            rank = 0;
        }
        let place = Place::Buffer;
        let launch = Launch { job, stream, rank, may, tests_flag, kills: 0, place };
        self.all[process].launches.push(launch);
    }

    fn next(&mut self, process: usize) -> Option<Order> {
        if let Some(way) = self.all[process].undo.take() {
            match way {
                Way::Wait => {}
                Way::Flag | Way::Reset => {
                    self.all[process].cut = None;
                    return Some(Order::Lower);
                }
                Way::Drain => return Some(Order::Release),
                Way::Switch => return Some(Order::Restore),
            }
        }
        let there = self.seen(process);
        let empty = there.is_empty();
        let calling = there
            .iter()
            .any(|(_, it)| matches!(it.place, Place::Runtime { acknowledged: false, .. }));
        match (self.all[process].at, self.all[process].way) {
            (At::Running, _) => self.submit(process),
            (At::Begun, _) if calling => None,
            (At::Begun, Way::Wait) => {
                self.all[process].at = At::Waiting;
                empty.then(|| self.complete(process))
            }
            (At::Begun, Way::Flag | Way::Reset) => {
                let (from, to) = self.cut(process);
                self.all[process].cut = Some((from, to));
                self.all[process].at = At::Told;
                if self.mutant == Mutant::ResetAtOnce {
                    self.check(process);
                }
                Some(Order::Raise { from, to })
            }
            (At::Begun, way) => {
                self.all[process].at = At::Removing;
                Some(if way == Way::Drain { Order::Hold } else { Order::Save })
            }
            // It has ended since the check.
            (At::ResetDue, _) if empty && self.mutant != Mutant::IdleReset => {
                Some(self.complete(process))
            }
            (At::ResetDue, _) => {
                self.all[process].at = At::Resetting;
                Some(Order::Reset)
            }
            (At::Reset | At::Waiting, _) => empty.then(|| self.complete(process)),
            (At::Removed, _) => Some(self.complete(process)),
            (At::Told | At::Resetting | At::Removing | At::Preempted, _) => None,
        }
    }

    fn submitted(&mut self, process: usize, wanted: u64) {
        if let Some(launch) = self.find(process, wanted)
            && let Place::Runtime { acknowledged, .. } = &mut launch.place
        {
            *acknowledged = true;
        }
    }

    fn not_submitted(&mut self, process: usize, wanted: u64) {
        if let Some(launch) = self.find(process, wanted) {
            launch.place = Place::Buffer;
        }
    }

    fn started(&mut self, process: usize, wanted: u64) {
        if let Some(launch) = self.find(process, wanted)
            && let Place::Runtime { acknowledged, started, .. } = &mut launch.place
        {
            (*acknowledged, *started) = (true, true);
        }
    }

    fn finished(&mut self, process: usize, sequence: u64) {
        if let Some(launch) = self.find(process, sequence) {
            launch.place = Place::Done;
        }
    }

    fn exited(&mut self, process: usize, sequence: u64) -> bool {
        let latched = self.setup.declared.latched;
        if let Some(launch) = self.find(process, sequence)
            && matches!(launch.place, Place::Runtime { started: true, .. })
            && !latched
        {
            launch.kills += 1;
        }
        if self.mutant != Mutant::ExitsForgotten {
            self.back(process, sequence, false);
        }
        self.all[process].cut.is_some_and(|(from, to)| (from..to).contains(&sequence))
    }

    fn killed(&mut self, process: usize, sequence: u64) {
        if let Some(launch) = self.find(process, sequence) {
            launch.kills += 1;
        }
        self.back(process, sequence, true);
    }

    fn believes(&self, launches: &[(usize, u64)]) -> Vec<bool> {
        let believes = |&(process, sequence): &(usize, u64)| {
            let it = &self.all[process];
            let there = self.runtime(process).iter().any(|(other, _)| *other == sequence);
            let leaves = it.cut.is_some_and(|(from, to)| (from..to).contains(&sequence));
            let whole = self.setup.declared.scope == Scope::Device;
            let hit = whole && self.all.iter().any(|other| other.at == At::Resetting);
            there && (matches!(it.at, At::Resetting | At::Reset) || hit && leaves)
        };
        launches.iter().map(believes).collect()
    }

    fn raised(&mut self, process: usize) {
        if self.all[process].at == At::Told {
            self.check(process);
        }
    }

    fn drained(&mut self, process: usize) {
        let it = &mut self.all[process];
        it.at = match it.at {
            At::Resetting => At::Reset,
            At::Removing => At::Removed,
            other => other,
        };
    }

    fn left(&self, process: usize) -> usize {
        let all = self.all[process].launches.iter();
        all.filter(|launch| launch.place != Place::Done).count()
    }

    fn reached(&self, process: usize, job: usize) -> bool {
        let mut before = self.all[process].launches.iter().filter(|launch| launch.job <= job);
        let alone = self.mutant == Mutant::SyncRuntimeOnly;
        before.all(|it| it.place == Place::Done || alone && it.place == Place::Buffer)
    }

    fn preempt(&mut self, process: usize, way: Way, by: Option<usize>) -> String {
        if by.is_some_and(|by| self.all[by].level >= self.all[process].level) {
            return "NotOutranked".to_owned();
        }
        let can = self.setup.declared.abilities;
        let has = match way {
            Way::Wait => true,
            Way::Flag => can.can_flag,
            Way::Drain => can.can_drain,
            Way::Reset => can.can_reset,
            Way::Switch => can.can_switch,
        };
        if !has {
            return format!("missing {}", way.name());
        }
        let it = &mut self.all[process];
        if it.at == At::Running || self.mutant == Mutant::PreemptsAgain {
            (it.at, it.way) = (At::Begun, way);
            return "Begun".to_owned();
        }
        if self.mutant == Mutant::ResumeNotCancelled && it.resume {
            return "ResumeCancelled".to_owned();
        }
        if std::mem::take(&mut it.resume) { "ResumeCancelled" } else { "Already" }.to_owned()
    }

    fn resume(&mut self, process: usize) -> String {
        let mutant = self.mutant;
        let it = &mut self.all[process];
        match it.at {
            At::Running => {
                it.resume = mutant == Mutant::ResumeRemembered;
                "Running"
            }
            At::Preempted => {
                (it.at, it.undo) = (At::Running, Some(it.way));
                "Now"
            }
            _ if mutant == Mutant::ResumeWithoutDrain => {
                (it.at, it.undo) = (At::Running, Some(it.way));
                for launch in &mut it.launches {
                    if launch.place != Place::Done {
                        launch.place = Place::Buffer;
                    }
                }
                "Now"
            }
            _ => {
                it.resume = true;
                "Waits"
            }
        }
        .to_owned()
    }
}
