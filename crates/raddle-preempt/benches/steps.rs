//! What does one step of the controller cost?
//!
//! A program keeps a window of 8 launches full. Goal: 40 ns a step.

use std::collections::VecDeque;
use std::hint::black_box;

use divan::Bencher;
use divan::counter::ItemsCount;
use raddle_policy::{Idempotence, Level, Preemption, ProcessId, StreamId};
use raddle_preempt::{
    Abilities, CapturedWork, Command, Controller, ControllerConfig, Declared, LaunchHandle,
    PreemptError, ResetScope, ResetVerdict,
};

/// Launches of a sample.
const LAUNCHES: usize = 1000;
/// Calls for one launch that comes, is submitted, runs and ends.
const CALLS: usize = 6;
/// Streams of the program.
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
    /// Returns a program with 1,000 launches that wait beside the window.
    fn new(streams: u32) -> Result<Self, PreemptError> {
        let abilities = Abilities { can_flag: true, can_reset: true, ..Abilities::NONE };
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
            self.controller.submitted(handle)?;
            self.flying.push_back(handle);
        }
        Ok(())
    }

    /// Ends a launch, captures one and submits one.
    fn turn(&mut self) -> Result<(), PreemptError> {
        if let Some(handle) = self.flying.pop_front() {
            self.controller.started(handle)?;
            black_box(self.controller.finished(handle)?);
        }
        self.capture()?;
        self.submit()
    }

    /// Off and on again: one killed, seven left, eight put back and submitted.
    fn preempt(&mut self) -> Result<(), PreemptError> {
        let _ = self.controller.preempt(self.process, Preemption::Reset, None)?;
        black_box(self.controller.next(self.process)?);
        let reset = self.controller.raised(self.process)? == ResetVerdict::Reset;
        assert!(reset, "all are idempotent");
        black_box(self.controller.next(self.process)?);
        if let Some(first) = self.flying.pop_front() {
            self.controller.killed(first)?;
        }
        self.controller.drained(self.process)?;
        while let Some(handle) = self.flying.pop_front() {
            let _ = black_box(self.controller.exited(handle)?);
        }
        black_box(self.controller.next(self.process)?);
        black_box(self.controller.resume(self.process)?);
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
