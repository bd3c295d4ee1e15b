//! The controller written again, slowly: one list of launches a process, every question answered by
//! looking through it. And the wrong readings of the seed, each of which it can be told to follow.

use raddle_policy::Preemption;
mod answers;

use raddle_preempt::ResetScope;

use crate::control::Order;
use crate::schedule::{Program, Setup};

/// A wrong reading of seed 001 that the naive controller follows; `None` is the right reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mutant {
    None,
    /// The controller puts launches that left at the tail of the buffer queue, not at its head (A1
    /// c).
    TailRequeue,
    /// The controller examines only launches that the host knows to run before a reset (seed 001,
    /// A2).
    RunningOnly,
    /// The controller counts a killed launch as executed, and does not run it again (seed 001, A4).
    KilledIsDone,
    /// The controller counts a launch that left by the flag as done, and does not run it again
    /// (seed 001, A5).
    ExitedIsDone,
    /// The controller lets a resume take effect before the preemption is complete (seed 001, A7).
    ResumeWithoutDrain,
    /// The controller keeps waiting for a launch that has left by the flag (seed 001, A5).
    ExitsForgotten,
    /// The controller resets before the raised flag is visible to launches.
    ResetAtOnce,
    /// The controller examines only the launches of one process before a reset of the whole device
    /// (seed 001, A11).
    OwnLaunchesOnly,
    /// The controller also runs a completed launch again, the one before the killed one (seed 001,
    /// A13).
    ReplayOneMore,
    /// The controller flags launches that may not be run again, though each workgroup tests the
    /// flag.
    FlagRunning,
    /// The controller lets launches behind a copy leave, which then runs before launches in front
    /// of it.
    FlagBehindCopies,
    /// The controller allows one launch more in the runtime than the window.
    WindowPlusOne,
    /// The controller numbers the submissions of each new process of an id from 0 again.
    NumbersAgain,
    /// The controller resets a process that has no launch in the runtime (seed 001, A3).
    IdleReset,
    /// The controller ignores launches whose submit call has not returned (seed 001, A8).
    CallsUnseen,
    /// The controller puts launches captured during a preemption in front of those that left (seed
    /// 001, A14).
    CapturedInFront,
    /// The controller drops launches captured during a preemption (seed 001, A14).
    CapturedNowhere,
    /// The controller keeps a waiting resume when the process is preempted once more (seed 001,
    /// A15).
    ResumeNotCancelled,
    /// The controller remembers a resume without a preemption, and ends the next preemption by it
    /// (seed 001, A15).
    ResumeRemembered,
    /// The controller begins another preemption when one is under way (seed 001, A15).
    PreemptsAgain,
    /// The controller lets a synchronising call wait only for launches in the runtime (seed 001,
    /// A15).
    SyncRuntimeOnly,
    /// The controller lets a process leave while launches of it are in the runtime.
    LeavesFlying,
    /// The controller counts a killed launch as executed if its process leaves before the
    /// preemption ends.
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
    /// The reset is over, and launches of the process are still to leave.
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
    /// The number of the first submission of the process; the next field is that of its next
    /// submission.
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
    /// The processes, one for each program, in the order of programs.
    all: Vec<Process>,
    /// For each process id: (program that has it, number of the next submission).
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

    /// Returns the launches of a process that a preemption takes to be in the runtime, as
    /// (submission, launch).
    fn seen(&self, process: usize) -> Vec<(u64, Launch)> {
        let mut there = self.runtime(process);
        if self.mutant == Mutant::CallsUnseen {
            let returned =
                |it: &Launch| matches!(it.place, Place::Runtime { acknowledged: true, .. });
            there.retain(|(_, it)| returned(it));
        }
        there
    }

    /// Returns whether a launch was killed less often than the settings allow.
    fn seldom(&self, it: &Launch) -> bool {
        self.setup.options.most_kills().is_none_or(|most| it.kills < most)
    }

    /// Returns (stream, first submission that leaves, first that does not) for each stream from
    /// which a launch leaves.
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

    /// Returns whether the raised flag holds a launch, so that it leaves at its start.
    fn leaves(&self, process: usize, sequence: u64, it: &Launch) -> bool {
        let holds = |&(stream, from, to): &(usize, u64, u64)| {
            stream == it.stream && (from..to).contains(&sequence)
        };
        self.all[process].cut.as_ref().is_some_and(|cuts| cuts.iter().any(holds))
    }

    /// Returns whether every launch of a process in the runtime may be killed: the process is being
    /// preempted behind a visible flag, and each launch leaves and may be run again.
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

    /// Decides whether the process is reset, now that its raised flag is visible (seed 001, S3.3).
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

    /// Returns whether a reset of the whole device is under way, or wanted and not refused.
    fn whole_reset(&self) -> bool {
        let due = |it: &Process| match it.at {
            At::Begun | At::Told => it.way == Preemption::Reset,
            at => matches!(at, At::ResetDue | At::Resetting),
        };
        self.setup.declared.scope == ResetScope::Device && self.all.iter().any(due)
    }

    /// Submits the launch of a process that was captured first; `None` if none may be submitted.
    fn submit(&mut self, process: usize) -> Option<Order> {
        let extra = u32::from(self.mutant == Mutant::WindowPlusOne);
        if self.runtime(process).len() >= (self.setup.options.window() + extra) as usize
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

/// Returns the method whose measure is to be undone; `None` for a wait, which took no measure.
fn undone(way: Preemption) -> Option<Preemption> {
    Some(way).filter(|way| *way != Preemption::Wait)
}
