//! What does a simulated device need of a controller, be it ours or the naive one?

use std::collections::BTreeMap;

use raddle_preempt::{Command, Controller, Handle, Preempted, Way, Work};
use raddle_types::{Idempotence, Level, ProcessId, StreamId};

use crate::schedule::{Job, Setup};

/// A command, with launches named by their submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Submit { sequence: u64, stream: usize, job: usize },
    Raise { from: u64, to: u64 },
    Lower,
    Reset,
    Hold,
    Release,
    Save,
    Restore,
    Drained { resumed: bool },
}

/// A controller, seen from the driver. Every report must be accepted: an error is a fault.
pub(crate) trait Control {
    fn capture(&mut self, process: usize, job: usize, it: &Job);
    fn next(&mut self, process: usize) -> Option<Order>;
    fn submitted(&mut self, process: usize, sequence: u64);
    fn not_submitted(&mut self, process: usize, sequence: u64);
    fn started(&mut self, process: usize, sequence: u64);
    fn finished(&mut self, process: usize, sequence: u64);
    /// Whether it had been asked to leave.
    fn exited(&mut self, process: usize, sequence: u64) -> bool;
    fn killed(&mut self, process: usize, sequence: u64);
    fn raised(&mut self, process: usize);
    fn drained(&mut self, process: usize);
    /// Launches that have not finished, as far as it knows.
    fn left(&self, process: usize) -> usize;
    fn preempt(&mut self, process: usize, way: Way, by: Option<usize>) -> String;
    fn resume(&mut self, process: usize) -> String;
}

/// Ours.
pub(crate) struct Ours {
    controller: Controller<usize>,
    handles: BTreeMap<(usize, u64), Handle>,
}

fn id(process: usize) -> ProcessId {
    ProcessId(process as u16)
}

impl Ours {
    pub(crate) fn new(setup: &Setup) -> Self {
        let mut controller = Controller::new(setup.declared, setup.options).unwrap();
        for &(level, streams) in &setup.processes {
            let process = controller.join(Level(level)).unwrap();
            for _ in 0..streams {
                controller.open(process).unwrap();
            }
        }
        Self { controller, handles: BTreeMap::new() }
    }

    fn handle(&self, process: usize, sequence: u64) -> Handle {
        self.handles[&(process, sequence)]
    }
}

impl Control for Ours {
    fn capture(&mut self, process: usize, job: usize, it: &Job) {
        let Job { idempotent, tests_flag, .. } = *it;
        let work = Work { payload: job, idempotent, tests_flag };
        self.controller.captured(id(process), StreamId(it.stream as u32), work).unwrap();
    }

    fn next(&mut self, process: usize) -> Option<Order> {
        Some(match self.controller.next(id(process)).unwrap()? {
            Command::Submit { handle, stream } => {
                let (sequence, stream) = (handle.sequence, stream.index());
                self.handles.insert((process, sequence), handle);
                let job = *self.controller.payload(handle).unwrap();
                Order::Submit { sequence, stream, job }
            }
            Command::Raise { cut, .. } => Order::Raise { from: cut.from, to: cut.to },
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
        exit == raddle_preempt::Exit::Flagged
    }

    fn killed(&mut self, process: usize, sequence: u64) {
        self.controller.killed(self.handle(process, sequence)).unwrap();
    }

    fn raised(&mut self, process: usize) {
        let _ = self.controller.raised(id(process)).unwrap();
    }

    fn drained(&mut self, process: usize) {
        self.controller.drained(id(process)).unwrap();
    }

    fn left(&self, process: usize) -> usize {
        let (buffered, flying) =
            (self.controller.buffered(id(process)), self.controller.in_flight(id(process)));
        buffered.unwrap() + flying.unwrap()
    }

    fn preempt(&mut self, process: usize, way: Way, by: Option<usize>) -> String {
        match self.controller.preempt(id(process), way, by.map(id)).unwrap() {
            Preempted::Missing(way) => format!("missing {}", way.name()),
            other => format!("{other:?}"),
        }
    }

    fn resume(&mut self, process: usize) -> String {
        format!("{:?}", self.controller.resume(id(process)).unwrap())
    }
}

/// Whether a launch may be killed by its verdict.
pub(crate) fn killable(it: &Job) -> bool {
    it.idempotent == Idempotence::Idempotent
}
