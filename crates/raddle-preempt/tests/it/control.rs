//! Which calls does a simulated device make to a controller, ours or the naive one?

use std::collections::BTreeMap;

use raddle_policy::{Idempotence, Level, Preemption, ProcessId, StreamId};
use raddle_preempt::{CapturedWork, Command, Controller, LaunchHandle, WishAnswer, WorkKind};

use crate::reports::Reports as _;
use crate::schedule::{Job, Program, Setup};

/// A command of a controller, with launches named by the number of their submission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Submit {
        sequence: u64,
        stream: usize,
        job: usize,
    },
    /// Raises the flags of a process: (stream, first submission that leaves, first that does not)
    /// for each stream from which launches leave.
    Raise {
        cuts: Vec<(usize, u64, u64)>,
    },
    Lower,
    Reset,
    Hold,
    Release,
    Save,
    Restore,
    Drained {
        resumed: bool,
    },
}

/// A controller, as the simulated driver calls it. Every report must be accepted: an error is a
/// fault.
pub(crate) trait Control {
    /// Lets a program join. Returns the id of its process.
    fn join(&mut self, process: usize) -> usize;
    /// Lets a process leave. Returns the number of waiting launches that were dropped; `None` if
    /// the process is busy.
    fn leave(&mut self, process: usize) -> Option<usize>;
    /// Repeats, for every launch of the programs that had the id of this one before it, every
    /// report that could be made of a launch. Returns how often a report was not refused or not
    /// harmless.
    fn stale(&mut self, process: usize) -> u64;
    fn capture(&mut self, process: usize, job: usize, it: &Job);
    fn next(&mut self, process: usize) -> Option<Order>;
    fn submitted(&mut self, process: usize, sequence: u64);
    fn not_submitted(&mut self, process: usize, sequence: u64);
    fn started(&mut self, process: usize, sequence: u64);
    fn finished(&mut self, process: usize, sequence: u64);
    /// Reports that a launch left by the flag. Returns whether the flag was raised for it.
    fn exited(&mut self, process: usize, sequence: u64) -> bool;
    fn killed(&mut self, process: usize, sequence: u64);
    /// Returns for each of these launches, as (process, submission), whether the controller would
    /// accept a report that it was killed now.
    fn believes(&self, launches: &[(usize, u64)]) -> Vec<bool>;
    fn raised(&mut self, process: usize);
    fn drained(&mut self, process: usize);
    /// Returns the number of launches of a process that have not finished, as far as the controller
    /// knows.
    fn left(&self, process: usize) -> usize;
    /// Returns whether a synchronising call that waits for this job, and all captured before it,
    /// returns now.
    fn reached(&self, process: usize, job: usize) -> bool;
    fn preempt(&mut self, process: usize, way: Preemption, by: Option<usize>) -> String;
    fn resume(&mut self, process: usize) -> String;
}

/// The controller of this crate, under the calls that the naive one has too.
pub(crate) struct Ours {
    controller: Controller<usize>,
    /// The programs of the schedule; a program keeps its process's id after the process has left.
    programs: Vec<Program>,
    ids: Vec<Option<ProcessId>>,
    /// The handle of each launch, by (program, submission).
    handles: BTreeMap<(usize, u64), LaunchHandle>,
    /// The order of capture of each job, by the index of the job.
    orders: BTreeMap<usize, raddle_preempt::CaptureOrder>,
}

impl Ours {
    pub(crate) fn new(setup: &Setup) -> Self {
        let controller = Controller::new(setup.declared, setup.options).unwrap();
        let programs = setup.processes.clone();
        let (ids, handles, orders) = (vec![None; programs.len()], BTreeMap::new(), BTreeMap::new());
        Self { controller, programs, ids, handles, orders }
    }

    fn id(&self, process: usize) -> ProcessId {
        self.ids[process].unwrap()
    }

    /// Makes every report and query about one submission that has ended. Returns how many had an
    /// effect or gave a wrong answer.
    fn say(&mut self, handle: LaunchHandle) -> u64 {
        let c = &mut self.controller;
        let said = [
            c.submitted(handle).is_err(),
            c.started(handle).is_ok(),
            c.not_submitted(handle).is_ok(),
            c.killed(handle).is_ok(),
            c.exited(handle).is_ok(),
            c.finished(handle).is_ok(),
            c.payload(handle).is_some(),
        ];
        said.into_iter().map(u64::from).sum()
    }

    fn handle(&self, process: usize, sequence: u64) -> LaunchHandle {
        self.handles[&(process, sequence)]
    }
}

impl Control for Ours {
    fn join(&mut self, process: usize) -> usize {
        let Program { level, streams, .. } = self.programs[process];
        let id = self.controller.join(Level(level)).unwrap();
        for stream in 0..streams {
            assert_eq!(self.controller.open(id).unwrap().index(), stream);
        }
        self.ids[process] = Some(id);
        id.index()
    }

    fn leave(&mut self, process: usize) -> Option<usize> {
        let left = self.left(process);
        match self.controller.leave(self.id(process)) {
            Ok(()) => Some(left),
            Err(why) => {
                assert!(why.to_string().contains("has launches in the runtime"), "{why}");
                None
            }
        }
    }

    fn stale(&mut self, process: usize) -> u64 {
        let id = self.id(process);
        let former = |(whose, _): &(usize, u64)| *whose != process && self.ids[*whose] == Some(id);
        let handles = self.handles.iter().filter(|(key, _)| former(key));
        let handles: Vec<LaunchHandle> = handles.map(|(_, handle)| *handle).collect();
        handles.into_iter().map(|handle| self.say(handle)).sum()
    }

    fn capture(&mut self, process: usize, job: usize, it: &Job) {
        let Job { idempotent, tests_flag, .. } = *it;
        let kind = if tests_flag { WorkKind::Kernel } else { WorkKind::Copy };
        let work = CapturedWork::new(job, kind).judged(idempotent, tests_flag);
        let stream = StreamId(it.stream as u32);
        let order = self.controller.captured(self.id(process), stream, work).unwrap();
        self.orders.insert(job, order.order().unwrap());
    }

    fn next(&mut self, process: usize) -> Option<Order> {
        Some(match self.controller.next(self.id(process)).unwrap()? {
            Command::Submit { handle, stream } => {
                let (sequence, stream) = (handle.sequence(), stream.index());
                self.handles.insert((process, sequence), handle);
                let job = *self.controller.payload(handle).unwrap();
                Order::Submit { sequence, stream, job }
            }
            Command::Raise { process } => {
                let cuts = self.controller.cuts(process).unwrap();
                let cuts = cuts.map(|(stream, cut)| (stream.index(), cut.from, cut.to));
                let mut cuts: Vec<_> = cuts.collect();
                cuts.sort_unstable();
                Order::Raise { cuts }
            }
            Command::Lower { .. } => Order::Lower,
            Command::Reset { .. } => Order::Reset,
            Command::Hold { .. } => Order::Hold,
            Command::Release { .. } => Order::Release,
            Command::Save { .. } => Order::Save,
            Command::Restore { .. } => Order::Restore,
            Command::Drained { resumed, .. } => Order::Drained { resumed },
        })
    }

    fn submitted(&mut self, process: usize, sequence: u64) {
        self.controller.submitted(self.handle(process, sequence)).unwrap();
    }

    fn not_submitted(&mut self, process: usize, sequence: u64) {
        self.controller.not_submitted(self.handle(process, sequence)).unwrap();
    }

    fn started(&mut self, process: usize, sequence: u64) {
        self.controller.started(self.handle(process, sequence)).unwrap();
    }

    fn finished(&mut self, process: usize, sequence: u64) {
        self.controller.finished(self.handle(process, sequence)).unwrap();
    }

    fn exited(&mut self, process: usize, sequence: u64) -> bool {
        let exit = self.controller.exited(self.handle(process, sequence)).unwrap();
        exit == raddle_preempt::Heard::Left
    }

    fn killed(&mut self, process: usize, sequence: u64) {
        self.controller.killed(self.handle(process, sequence)).unwrap();
    }

    fn believes(&self, launches: &[(usize, u64)]) -> Vec<bool> {
        // A report that a launch was killed changes nothing for other launches, so one clone of the
        // controller serves for all reports.
        let mut c = self.controller.clone();
        let handles = launches.iter().map(|&(process, sequence)| self.handle(process, sequence));
        handles.map(|handle| c.killed(handle).is_ok()).collect()
    }

    fn raised(&mut self, process: usize) {
        let _ = self.controller.raised(self.id(process)).unwrap();
    }

    fn drained(&mut self, process: usize) {
        self.controller.drained(self.id(process)).unwrap();
    }

    fn left(&self, process: usize) -> usize {
        let (buffered, flying) = (
            self.controller.buffered(self.id(process)),
            self.controller.in_flight(self.id(process)),
        );
        buffered.unwrap() + flying.unwrap()
    }

    fn reached(&self, process: usize, job: usize) -> bool {
        self.controller.reached(self.id(process), self.orders[&job]).unwrap()
    }

    fn preempt(&mut self, process: usize, way: Preemption, by: Option<usize>) -> String {
        match self.controller.preempt(self.id(process), way, by.map(|by| self.id(by))).unwrap() {
            WishAnswer::Missing(way) => format!("missing {}", way.name()),
            other => format!("{other:?}"),
        }
    }

    fn resume(&mut self, process: usize) -> String {
        match self.controller.resume(self.id(process)).unwrap() {
            WishAnswer::Begun => "Now".to_owned(),
            WishAnswer::NotPreempted => "Running".to_owned(),
            other => format!("{other:?}"),
        }
    }
}

/// Returns whether the verdict of a job allows that it is killed.
pub(crate) fn killable(it: &Job) -> bool {
    it.idempotent == Idempotence::Idempotent
}
