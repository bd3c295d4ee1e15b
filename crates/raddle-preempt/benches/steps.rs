//! What does one step of the controller cost?
//!
//! A program of 1 or 8 streams keeps a window of 8 full: capture, submit, acknowledge, start, finish
//! in turn, many thousand times, timed together and divided by the calls. Then preemptions, each of
//! which takes 8 launches off and puts them back. Then each kind of call by itself: many controllers
//! go through the same steps side by side, so that one reading of the clock serves all of them. Each
//! kind is a function of its own. Nanoseconds a call, the median of 21 runs; by kind, what the fastest
//! tenth takes and the median.
//!
//! With `counts 8` it goes through the kinds alone, in 8 streams, and times nothing: for callgrind,
//! which tells the functions apart by name once each `#[inline]` here is made `#[inline(never)]`. How
//! is told in `docs/benchmarks.md`.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark reads the clock and prints"
)]

use std::collections::{BTreeMap, VecDeque};
use std::hint::black_box;
use std::time::Instant;

use raddle_policy::{Idempotence, Level, Preemption, ProcessId, StreamId};
use raddle_preempt::{
    Abilities, Command, Controller, Declared, Error, Handle, Options, Order, Scope, Verdict, Work,
};

const LAUNCHES: u64 = 100_000;
const RUNS: usize = 21;

struct Program {
    controller: Controller<u64>,
    process: ProcessId,
    streams: u32,
    flying: VecDeque<Handle>,
    next: u64,
    calls: u64,
    /// When the newest launch was captured.
    last: Order,
    /// A process that comes and goes.
    guest: ProcessId,
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
        let (last, guest) = (Order(0), ProcessId(1));
        let mut program =
            Self { controller, process, streams, flying, next: 0, calls: 0, last, guest };
        (0..waiting + 8).try_for_each(|_| program.capture())?;
        program.submit()?;
        Ok(program)
    }

    /// The oldest submission has ended.
    fn forget(&mut self) {
        self.flying.pop_front();
    }

    fn forget_newest(&mut self) {
        self.flying.pop_back();
    }

    fn capture(&mut self) -> Result<(), Error> {
        let stream = StreamId((self.next % u64::from(self.streams)) as u32);
        let work = Work::kernel(self.next, Idempotence::Idempotent);
        self.last = black_box(self.controller.captured(self.process, stream, work)?);
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
        let _ = self.controller.preempt(self.process, Preemption::Reset, None)?;
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

/// Controllers that go in step: few enough to stay in a cache.
const SIDE_BY_SIDE: usize = 16;

/// Times one kind of call on each of them.
fn each(
    all: &mut [Program],
    kind: &'static str,
    times: &mut BTreeMap<&'static str, Vec<f64>>,
    mut call: impl FnMut(&mut Program) -> Result<(), Error>,
) -> Result<(), Error> {
    let start = Instant::now();
    all.iter_mut().try_for_each(&mut call)?;
    let each = start.elapsed().as_nanos() as f64 / all.len() as f64;
    times.entry(kind).or_default().push(each);
    Ok(())
}

/// One call of each kind.
impl Program {
    /// Whether it was told what it is timed for: which also keeps these functions apart, as a compiler
    /// makes one of those that are the same.
    #[inline(always)]
    const fn right(&self, right: bool) -> Result<(), Error> {
        let what = "anything else";
        if right { Ok(()) } else { Err(Error::NotTold { process: self.process, what }) }
    }

    #[inline]
    fn captured(&mut self) -> Result<(), Error> {
        self.capture()
    }

    #[inline]
    fn next_nothing(&mut self) -> Result<(), Error> {
        let told = self.controller.next(self.process)?;
        self.right(told.is_none())
    }

    #[inline]
    fn next_submit(&mut self) -> Result<(), Error> {
        if let Some(Command::Submit { handle, .. }) = self.controller.next(self.process)? {
            self.flying.push_back(handle);
        }
        Ok(())
    }

    #[inline]
    fn next_raise(&mut self) -> Result<(), Error> {
        let told = self.controller.next(self.process)?;
        self.right(matches!(told, Some(Command::Raise { .. })))
    }

    #[inline]
    fn next_reset(&mut self) -> Result<(), Error> {
        let told = self.controller.next(self.process)?;
        self.right(matches!(told, Some(Command::Reset { .. })))
    }

    #[inline]
    fn next_drained(&mut self) -> Result<(), Error> {
        let told = self.controller.next(self.process)?;
        self.right(matches!(told, Some(Command::Drained { .. })))
    }

    #[inline]
    fn next_lower(&mut self) -> Result<(), Error> {
        let told = self.controller.next(self.process)?;
        self.right(matches!(told, Some(Command::Lower { .. })))
    }

    #[inline]
    fn submitted(&mut self) -> Result<(), Error> {
        self.controller.submitted(self.flying[7])
    }

    #[inline]
    fn not_submitted(&mut self) -> Result<(), Error> {
        self.controller.not_submitted(self.flying[7])
    }

    #[inline]
    fn started(&mut self) -> Result<(), Error> {
        self.controller.started(self.flying[0])
    }

    #[inline]
    fn finished(&mut self) -> Result<(), Error> {
        self.controller.finished(self.flying[0]).map(drop)
    }

    /// What a synchronising call asks each time something has finished.
    #[inline]
    fn reached(&mut self) -> Result<(), Error> {
        black_box(self.controller.reached(self.process, self.last)?);
        Ok(())
    }

    #[inline]
    fn preempted(&mut self) -> Result<(), Error> {
        self.controller.preempt(self.process, Preemption::Reset, None).map(drop)
    }

    #[inline]
    fn raised(&mut self) -> Result<(), Error> {
        self.controller.raised(self.process).map(drop)
    }

    #[inline]
    fn killed(&mut self) -> Result<(), Error> {
        self.controller.killed(self.flying[0])
    }

    #[inline]
    fn drained(&mut self) -> Result<(), Error> {
        self.controller.drained(self.process)
    }

    #[inline]
    fn exited(&mut self) -> Result<(), Error> {
        self.controller.exited(self.flying[0]).map(drop)
    }

    #[inline]
    fn resumed(&mut self) -> Result<(), Error> {
        self.controller.resume(self.process).map(drop)
    }

    #[inline]
    fn join(&mut self) -> Result<(), Error> {
        self.guest = self.controller.join(Level(1))?;
        Ok(())
    }

    #[inline]
    fn open(&mut self) -> Result<(), Error> {
        self.controller.open(self.guest).map(drop)
    }

    /// With one launch that waits.
    #[inline]
    fn leave(&mut self) -> Result<(), Error> {
        self.controller.leave(self.guest)
    }
}

type Times = BTreeMap<&'static str, Vec<f64>>;

/// Off and on again, by kind.
fn preemption(all: &mut [Program], t: &mut Times) -> Result<(), Error> {
    each(all, "preempt", t, Program::preempted)?;
    each(all, "next: raise, the cut of 8", t, Program::next_raise)?;
    each(all, "raised, the check of 8", t, Program::raised)?;
    each(all, "next: reset", t, Program::next_reset)?;
    each(all, "killed", t, Program::killed)?;
    each(all, "drained", t, Program::drained)?;
    all.iter_mut().for_each(Program::forget);
    while all.iter().any(|it| !it.flying.is_empty()) {
        each(all, "exited", t, Program::exited)?;
        all.iter_mut().for_each(Program::forget);
    }
    each(all, "next: drained", t, Program::next_drained)?;
    each(all, "resume", t, Program::resumed)?;
    each(all, "next: lower", t, Program::next_lower)?;
    all.iter_mut().try_for_each(Program::submit)
}

/// A second process comes, opens its first stream, and goes before its one launch was submitted.
fn guest(all: &mut [Program], t: &mut Times) -> Result<(), Error> {
    each(all, "join", t, Program::join)?;
    each(all, "open, the first stream", t, Program::open)?;
    for it in all.iter_mut() {
        let work = Work::kernel(0, Idempotence::Idempotent);
        it.controller.captured(it.guest, StreamId(0), work)?;
    }
    each(all, "leave, one launch waits", t, Program::leave)
}

/// A launch that comes, goes to the runtime, runs and ends, then a preemption and a resume, by kind.
fn kinds(streams: u32) -> Result<Times, Error> {
    let mut all: Vec<Program> =
        (0..SIDE_BY_SIDE).map(|_| Program::new(streams, 100)).collect::<Result<_, _>>()?;
    let mut times = BTreeMap::new();
    for round in 0..2000_u32 {
        let (all, t) = (&mut all[..], &mut times);
        each(all, "captured", t, Program::captured)?;
        each(all, "next: nothing", t, Program::next_nothing)?;
        each(all, "started", t, Program::started)?;
        each(all, "finished", t, Program::finished)?;
        all.iter_mut().for_each(Program::forget);
        each(all, "next: submit", t, Program::next_submit)?;
        each(all, "not_submitted", t, Program::not_submitted)?;
        all.iter_mut().for_each(Program::forget_newest);
        each(all, "next: submit", t, Program::next_submit)?;
        each(all, "submitted", t, Program::submitted)?;
        each(all, "reached, of 8 in flight", t, Program::reached)?;
        if round % 4 == 0 {
            preemption(all, t)?;
            guest(all, t)?;
        }
    }
    Ok(times)
}

fn main() -> Result<(), Error> {
    let mut arguments = std::env::args().skip_while(|argument| argument != "counts").skip(1);
    if let Some(streams) = arguments.next().and_then(|streams| streams.parse().ok()) {
        return kinds(streams).map(drop);
    }
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
    println!("each kind of call, {SIDE_BY_SIDE} controllers side by side, 1 and 8 streams");
    let (one, eight) = (kinds(1)?, kinds(8)?);
    println!("{:<26} {:>15} {:>15}", "", "tenth, median", "tenth, median");
    let some = |times: &[f64]| {
        let mut times = times.to_vec();
        times.sort_by(f64::total_cmp);
        let at = |share: usize| times.get(times.len() / share).copied().unwrap_or_default();
        format!("{:>6.1}, {:>6.1}", at(10), at(2))
    };
    for ((kind, one), eight) in one.iter().zip(eight.values()) {
        println!("{kind:<26} {:>15} {:>15}", some(one), some(eight));
    }
    Ok(())
}
