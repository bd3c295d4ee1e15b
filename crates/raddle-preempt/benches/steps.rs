//! What does one step of the controller cost?
//!
//! A program keeps a window of 8 launches full. Goal: 40 ns a step.

use std::collections::VecDeque;
use std::hint::black_box;

use divan::Bencher;
use divan::counter::ItemsCount;
use raddle_policy::{Idempotence, Level, Preemption, ProcessId, StreamId};
use raddle_preempt::{
    Abilities, CapturedWork, Command, Controller, ControllerConfig, Declared, Heard, LaunchHandle,
    PreemptError, Report, ResetScope,
};

/// Number of launches that one measured sample captures, submits and ends.
const LAUNCHES: usize = 1000;
/// Number of controller calls for one launch: it is reported as captured, submitted, started and
/// finished, and the next command is asked for twice.
const CALLS: usize = 6;
/// Numbers of streams of the program for which the step is measured.
const STREAMS: [u32; 3] = [1, 8, 64];

fn main() {
    divan::main();
}

struct Program {
    controller: Controller<u64>,
    process: ProcessId,
    streams: u32,
    flying: VecDeque<LaunchHandle>,
    next: u64,
}

impl Program {
    /// Returns a program of 1,008 captured launches: 8 fill the window, 1,000 wait in the buffer
    /// queues.
    fn new(streams: u32) -> Result<Self, PreemptError> {
        let abilities = Abilities::NONE.with(Preemption::Flag, true).with(Preemption::Reset, true);
        let scope = ResetScope::Process;
        let declared = Declared { abilities, latched: true, withdraws: false, scope };
        let mut controller = Controller::new(declared, ControllerConfig::default())?;
        let process = controller.join(Level(0))?;
        for _ in 0..streams {
            controller.open(process)?;
        }
        let mut program =
            Self { controller, process, streams, flying: VecDeque::with_capacity(64), next: 0 };
        (0..1008).try_for_each(|_| program.capture())?;
        program.submit()?;
        Ok(program)
    }

    fn capture(&mut self) -> Result<(), PreemptError> {
        let stream = StreamId((self.next % u64::from(self.streams)) as u32);
        let work = CapturedWork::kernel(self.next, Idempotence::Idempotent);
        let _ = black_box(self.controller.captured(self.process, stream, work)?);
        self.next += 1;
        Ok(())
    }

    fn submit(&mut self) -> Result<(), PreemptError> {
        while let Some(Command::Submit { handle, .. }) = self.controller.next(self.process)? {
            self.controller.report(Report::Submitted(handle))?;
            self.flying.push_back(handle);
        }
        Ok(())
    }

    /// Reports that the oldest launch has run to its end, then captures a launch and submits one.
    fn turn(&mut self) -> Result<(), PreemptError> {
        if let Some(handle) = self.flying.pop_front() {
            self.controller.report(Report::Started(handle))?;
            black_box(self.controller.report(Report::Finished(handle))?);
        }
        self.capture()?;
        self.submit()
    }

    /// Preempts the process by a reset and resumes it: one launch is killed, seven leave by the
    /// flag, and all eight are put back and submitted again.
    fn preempt(&mut self) -> Result<(), PreemptError> {
        let _ = self.controller.preempt(self.process, Preemption::Reset, None)?;
        black_box(self.controller.next(self.process)?);
        let verdict = self.controller.report(Report::Raised(self.process))?;
        let reset = verdict == Heard::Reset;
        assert!(reset, "all are idempotent");
        black_box(self.controller.next(self.process)?);
        if let Some(first) = self.flying.pop_front() {
            self.controller.report(Report::Killed(first))?;
        }
        self.controller.report(Report::Drained(self.process))?;
        while let Some(handle) = self.flying.pop_front() {
            black_box(self.controller.report(Report::Exited(handle))?);
        }
        black_box(self.controller.next(self.process)?);
        let _ = black_box(self.controller.resume(self.process)?);
        black_box(self.controller.next(self.process)?);
        self.submit()
    }
}

#[divan::bench(args = STREAMS)]
fn step(bencher: Bencher<'_, '_>, streams: u32) {
    let mut program = Program::new(streams).expect("the options are lawful");
    bencher.counter(ItemsCount::new(LAUNCHES * CALLS)).bench_local(|| {
        (0..LAUNCHES).try_for_each(|_| program.turn()).expect("every event is lawful");
    });
}

#[divan::bench(args = STREAMS)]
fn preempt_and_resume_eight(bencher: Bencher<'_, '_>, streams: u32) {
    let mut program = Program::new(streams).expect("the options are lawful");
    bencher.bench_local(|| program.preempt().expect("every event is lawful"));
}
