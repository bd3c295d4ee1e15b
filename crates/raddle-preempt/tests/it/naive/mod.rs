//! The controller written again, slowly: one list of launches a process, every question answered by
//! looking through it. And the wrong readings of the seed, each of which it can be told to follow.

use raddle_policy::Preemption;
mod answers;

use raddle_preempt::ResetScope;

use crate::control::Order;
use crate::schedule::{Program, Setup};

/// A wrong reading of the seed; `None` is the right one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mutant {
    None,
    /// Launches that left go to the tail of the buffer queue (A1 c).
    TailRequeue,
    /// Only running launches, as far as the host knows, decide the reset (A2).
    RunningOnly,
    /// A killed launch counts as executed (A4).
    KilledIsDone,
    /// A launch that left by the flag counts as done (A5).
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
    /// Launches captured in a preemption go in front of those that left (A14).
    CapturedInFront,
    /// Launches captured in a preemption are not kept (A14).
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
    way: Preemption,
    resume: bool,
    undo: Option<Preemption>,
    cut: Option<Vec<(usize, u64, u64)>>,
}

pub(crate) struct Naive {
    setup: Setup,
    mutant: Mutant,
    /// The processes, by program.
    all: Vec<Process>,
    /// For each id: the program that has it, and the number of the next submission.
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
            way: Preemption::Wait,
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

    /// Returns the launches of a process that a preemption sees in the runtime.
    fn seen(&self, process: usize) -> Vec<(u64, Launch)> {
        let mut there = self.runtime(process);
        if self.mutant == Mutant::CallsUnseen {
            let returned =
                |it: &Launch| matches!(it.place, Place::Runtime { acknowledged: true, .. });
            there.retain(|(_, it)| returned(it));
        }
        there
    }

    /// Returns whether a launch was killed less often than the options say.
    fn seldom(&self, it: &Launch) -> bool {
        self.setup.options.most_kills.is_none_or(|most| it.kills < most)
    }

    /// Returns the range of submissions that leave, of each stream from which one does: stream,
    /// from where, to where.
    fn cuts(&self, process: usize) -> Vec<(usize, u64, u64)> {
        let there = self.seen(process);
        let mut to = self.all[process].next;
        if self.mutant == Mutant::CallsUnseen {
            to = there.last().map_or(to, |(sequence, _)| sequence + 1);
        }
        let latched = self.setup.declared.latched || self.mutant == Mutant::FlagRunning;
        let mut cuts = Vec::new();
        for stream in 0..self.setup.processes[process].streams {
            let mut from = None;
            for (sequence, it) in there.iter().filter(|(_, it)| it.stream == stream) {
                let started = matches!(it.place, Place::Runtime { started: true, .. });
                let taken_out = self.setup.declared.withdraws && from.is_some() && !started;
                let leaves = if it.tests_flag {
                    latched || it.may && self.seldom(it)
                } else {
                    taken_out || self.mutant == Mutant::FlagBehindCopies
                };
                from = if leaves { from.or(Some(*sequence)) } else { None };
            }
            cuts.extend(from.map(|from| (stream, from, to)));
        }
        cuts
    }

    /// Returns whether the raised flag holds a launch.
    fn leaves(&self, process: usize, sequence: u64, it: &Launch) -> bool {
        let holds = |&(stream, from, to): &(usize, u64, u64)| {
            stream == it.stream && (from..to).contains(&sequence)
        };
        self.all[process].cut.as_ref().is_some_and(|cuts| cuts.iter().any(holds))
    }

    /// Returns whether everything of a process may be killed: it is on its way out behind a visible
    /// flag.
    fn may_reset(&self, process: usize) -> bool {
        let out =
            matches!(self.all[process].at, At::ResetDue | At::Resetting | At::Reset | At::Waiting);
        if self.all[process].cut.is_none() || !out {
            return false;
        }
        self.seen(process).into_iter().all(|(sequence, it)| {
            let started = matches!(it.place, Place::Runtime { started: true, .. });
            if self.mutant == Mutant::RunningOnly && !started {
                return true;
            }
            let flagged = self.leaves(process, sequence, &it);
            (flagged || self.mutant == Mutant::FlagBehindCopies) && it.may && self.seldom(&it)
        })
    }

    /// Decides whether there is a reset (S3.3).
    fn check(&mut self, process: usize) {
        self.all[process].at = At::Waiting;
        if self.all[process].way != Preemption::Reset {
            return;
        }
        let whole = self.setup.declared.scope == ResetScope::Device;
        let others = whole && self.mutant != Mutant::OwnLaunchesOnly;
        let idle = self.seen(process).is_empty() && self.mutant != Mutant::IdleReset;
        let hit = (0..self.all.len()).filter(|&id| id == process || others);
        let mut hit = hit.filter(|&id| id == process || !self.runtime(id).is_empty());
        if !idle && hit.all(|id| self.may_reset(id)) {
            self.all[process].at = At::ResetDue;
        }
    }

    /// Returns whether the device is reset, or is to be unless that is refused.
    fn whole_reset(&self) -> bool {
        let due = |it: &Process| match it.at {
            At::Begun | At::Told => it.way == Preemption::Reset,
            at => matches!(at, At::ResetDue | At::Resetting),
        };
        self.setup.declared.scope == ResetScope::Device && self.all.iter().any(due)
    }

    /// Submits the oldest launch in the buffer.
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
            (it.at, it.undo) = (At::Running, undone(it.way));
        }
        Order::Drained { resumed }
    }
}

/// Returns the method of which the measure is to be undone: a wait took no measure.
fn undone(way: Preemption) -> Option<Preemption> {
    Some(way).filter(|way| *way != Preemption::Wait)
}
