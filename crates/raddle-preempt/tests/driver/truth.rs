//! What has happened to each job on the device, and was that right?

use crate::plan::{Job, Kind};

/// Broken promises, counted: all 0, or something is wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Faults {
    /// A job began before one in front of it in its stream, or one that it waits for, had ended.
    pub(crate) order: u64,
    /// A job ran to its end twice, or after it had failed.
    pub(crate) twice: u64,
    /// A job counts as done and never ran to its end, or is gone.
    pub(crate) lost: u64,
    /// More jobs of a process in the runtime than its window holds, or two in one slot.
    pub(crate) window: u64,
    /// A job was killed or left part-way that may not be.
    pub(crate) stopped: u64,
    /// A job began while its process was preempted, or after that had died.
    pub(crate) preempted: u64,
    /// A job was submitted while its process was paused or preempted, or its stream held.
    pub(crate) submitted: u64,
    /// A synchronising call came back too early, or never.
    pub(crate) sync: u64,
    /// A reset hit nothing that could run.
    pub(crate) idle: u64,
    /// The driver does not know what is to be done, or did not wake.
    pub(crate) due: u64,
    /// Everything was resumed and released, the device had nothing to do, and something waited.
    pub(crate) hang: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Open,
    Done,
    Failed,
    /// The process of the job died; the job's payload came back.
    Lost,
}

/// A job that was captured.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    pub(crate) job: Job,
    /// The process of the job: its program, and which process of that it is; the next field is the
    /// stream of that process, closed streams counted too.
    pub(crate) process: (usize, u64),
    pub(crate) stream: u64,
    /// The job that this one waits for.
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
