//! What has happened to each job on the device, and was that right?

use crate::plan::{Job, Kind};

/// Counts of broken promises: each is 0 unless something is wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Faults {
    /// Number of jobs that began before a job in front of them in their stream, or one that they
    /// wait for, had ended.
    pub(crate) order: u64,
    /// Number of jobs that ran to their end twice, or after they had failed.
    pub(crate) twice: u64,
    /// Number of jobs that count as done and never ran to their end, or of which no trace is left.
    pub(crate) lost: u64,
    /// Number of times that more jobs of a process were in the runtime than its window holds, or
    /// two in one slot.
    pub(crate) window: u64,
    /// Number of jobs that were killed or left part-way although they may not be run again.
    pub(crate) stopped: u64,
    /// Number of jobs that began while their process was preempted, or after it had died.
    pub(crate) preempted: u64,
    /// Number of jobs that were submitted while their process was paused or preempted, or their
    /// stream held.
    pub(crate) submitted: u64,
    /// Number of synchronising calls that returned too early, or never.
    pub(crate) sync: u64,
    /// Number of resets that had no launch to kill.
    pub(crate) idle: u64,
    /// Number of times that the driver gave no command although one was due, or was not woken for
    /// it.
    pub(crate) due: u64,
    /// Number of jobs that still waited when all processes had been resumed and the device was
    /// idle.
    pub(crate) hang: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Open,
    Done,
    Failed,
    /// The process of the job died, and the job's payload came back to the driver.
    Lost,
}

/// A job that was captured, with its fate on the simulated device.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    pub(crate) job: Job,
    /// The process of the job: (index of its program, number of the process among those of the
    /// program). The next field is the number of its stream, counted over the whole run.
    pub(crate) process: (usize, u64),
    pub(crate) stream: u64,
    /// Index of the job that this one waits for; `None` if it waits for none.
    pub(crate) after: Option<usize>,
    pub(crate) fate: Fate,
    pub(crate) ran: u64,
    pub(crate) died: bool,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Truth {
    pub(crate) jobs: Vec<Known>,
    pub(crate) faults: Faults,
}

impl Truth {
    /// Notes that a job begins to run.
    pub(crate) fn begins(&mut self, at: usize, preempted: bool) {
        let it = &self.jobs[at];
        let open = |other: &Known| other.fate == Fate::Open && other.ran == 0 && !other.died;
        let mut front = self.jobs[..at]
            .iter()
            .filter(|other| other.process == it.process && other.stream == it.stream);
        let waits = it.after.is_some_and(|after| open(&self.jobs[after]));
        self.faults.order += u64::from(waits || front.any(open));
        self.faults.twice += u64::from(it.fate == Fate::Failed || it.ran > 0);
        self.faults.preempted += u64::from(preempted || it.fate == Fate::Lost);
    }

    /// Notes that a job has run to its end.
    pub(crate) fn ran(&mut self, at: usize) {
        self.jobs[at].ran += 1;
        self.faults.twice += u64::from(self.jobs[at].ran > 1);
    }

    /// Notes that a job was killed, or stopped with a part of it run.
    pub(crate) fn stopped(&mut self, at: usize) {
        self.faults.stopped += u64::from(!self.jobs[at].job.may_be_killed());
    }

    /// Notes that a job left without having begun.
    pub(crate) fn left(&mut self, at: usize) {
        self.faults.stopped += u64::from(self.jobs[at].job.kind == Kind::Collective);
    }

    /// Notes that the payload of a job was given back to the driver.
    pub(crate) fn ended(&mut self, at: usize, fate: Fate) {
        let it = &mut self.jobs[at];
        self.faults.lost += u64::from(fate == Fate::Done && it.ran == 0);
        self.faults.twice += u64::from(it.fate != Fate::Open);
        it.fate = fate;
    }
}
