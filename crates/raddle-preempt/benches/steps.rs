//! What does one step of the controller cost?
//!
//! A program of 1 or 8 streams keeps a window of 8 full: capture, submit, acknowledge, start, finish
//! in turn, many thousand times, timed together and divided by the calls. Then preemptions, each of
//! which takes 8 launches off and puts them back. Nanoseconds a call, the median of 21 runs.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark reads the clock and prints"
)]

use std::collections::VecDeque;
use std::hint::black_box;
use std::time::Instant;

use raddle_preempt::{
    Abilities, Cheapest, Choose, Command, Controller, Costs, Declared, Error, Handle, Options,
    Scope, Verdict, Victim, Way, Work,
};
use raddle_types::{Idempotence, Level, ProcessId, StreamId, Ticks};

const LAUNCHES: u64 = 100_000;
const RUNS: usize = 21;

struct Program {
    controller: Controller<u64>,
    process: ProcessId,
    streams: u32,
    flying: VecDeque<Handle>,
    next: u64,
    calls: u64,
}

impl Program {
    /// With so many launches that wait beside the window.
    fn new(streams: u32, waiting: u64) -> Result<Self, Error> {
        let abilities = Abilities { can_flag: true, can_reset: true, ..Abilities::NONE };
        let declared = Declared { abilities, latched: true, scope: Scope::Process };
        let mut controller = Controller::new(declared, Options::default())?;
        let process = controller.join(Level(0))?;
        for _ in 0..streams {
            controller.open(process)?;
        }
        let flying = VecDeque::with_capacity(64);
        let mut program = Self { controller, process, streams, flying, next: 0, calls: 0 };
        (0..waiting + 8).try_for_each(|_| program.capture())?;
        program.submit()?;
        Ok(program)
    }

    fn capture(&mut self) -> Result<(), Error> {
        let stream = StreamId((self.next % u64::from(self.streams)) as u32);
        let work = Work::kernel(self.next, Idempotence::Idempotent);
        black_box(self.controller.captured(self.process, stream, work)?);
        self.next += 1;
        self.calls += 1;
        Ok(())
    }

    fn submit(&mut self) -> Result<(), Error> {
        loop {
            self.calls += 1;
            let Some(Command::Submit { handle, .. }) = self.controller.next(self.process)? else {
                return Ok(());
            };
            self.calls += 1;
            self.controller.submitted(handle)?;
            self.flying.push_back(handle);
        }
    }

    /// One launch ends, one comes, one is submitted: seven calls.
    fn turn(&mut self) -> Result<(), Error> {
        if let Some(handle) = self.flying.pop_front() {
            self.controller.started(handle)?;
            black_box(self.controller.finished(handle)?);
            self.calls += 2;
        }
        self.capture()?;
        self.submit()
    }

    /// Off and on again: one killed, seven left, eight put back and submitted.
    fn preempt(&mut self) -> Result<(), Error> {
        let _ = self.controller.preempt(self.process, Way::Reset, None)?;
        black_box(self.controller.next(self.process)?);
        let reset = self.controller.raised(self.process)? == Verdict::Reset;
        assert!(reset, "all are idempotent");
        black_box(self.controller.next(self.process)?);
        if let Some(first) = self.flying.pop_front() {
            self.controller.killed(first)?;
        }
        self.controller.drained(self.process)?;
        self.calls += 6;
        while let Some(handle) = self.flying.pop_front() {
            let _ = black_box(self.controller.exited(handle)?);
            self.calls += 1;
        }
        black_box(self.controller.next(self.process)?);
        black_box(self.controller.resume(self.process)?);
        black_box(self.controller.next(self.process)?);
        self.calls += 3;
        self.submit()
    }
}

/// The median over runs, in tenths of nanoseconds a call, and the calls of one run.
fn median(mut run: impl FnMut() -> Result<u64, Error>) -> Result<(f64, u64), Error> {
    let mut times = Vec::new();
    let mut calls = 0;
    run()?;
    for _ in 0..RUNS {
        let start = Instant::now();
        calls = run()?;
        times.push(start.elapsed().as_nanos() as f64 / calls as f64);
    }
    times.sort_by(f64::total_cmp);
    Ok((times[RUNS / 2], calls))
}

fn main() -> Result<(), Error> {
    println!("one step, ns a call (median of {RUNS} runs of {LAUNCHES} launches)");
    for (streams, waiting) in [(1, 0), (1, 1000), (8, 0), (8, 1000), (64, 1000)] {
        let mut program = Program::new(streams, waiting)?;
        let turns = median(|| {
            program.calls = 0;
            (0..LAUNCHES).try_for_each(|_| program.turn())?;
            Ok(program.calls)
        })?;
        let mut program = Program::new(streams, waiting)?;
        let preempts = median(|| {
            program.calls = 0;
            (0..LAUNCHES / 10).try_for_each(|_| program.preempt())?;
            Ok(program.calls)
        })?;
        let whole = preempts.0 * preempts.1 as f64 / (LAUNCHES / 10) as f64;
        println!(
            "{streams:>3} streams, {waiting:>4} waiting: {:>5.1} running, {:>5.1} preempting ({whole:.0} ns a preempt and resume of 8 launches)",
            turns.0, preempts.0
        );
    }
    let costs = Costs { reset: Ticks(2), exit: Ticks(1), bandwidth: 900, ..Costs::default() };
    let mut rule = Cheapest::within(Ticks(40));
    let mut n = 0;
    let choice = median(|| {
        for _ in 0..LAUNCHES {
            n += 1;
            let span = |bits: u64| Some(Ticks(n >> bits & 63));
            let victim = Victim {
                running: span(0),
                waiting: span(3),
                workgroup: span(1),
                launches: n & 7,
                done: Ticks(n & 31),
                bytes: n & 0xffff,
                killable: n & 64 == 0,
            };
            black_box(rule.choose(black_box(&victim), Abilities::ALL, &costs));
        }
        Ok(LAUNCHES)
    })?;
    println!("a choice of the cheapest way: {:.1}", choice.0);
    Ok(())
}
