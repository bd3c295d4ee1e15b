//! How does a random plan run when a driver carries it out on the simulated GPU?

use std::collections::VecDeque;

use raddle_policy::{Level, Preemption, ProcessId, StreamId};
use raddle_preempt::{
    Capture, CaptureOrder, CapturedWork, Counts, Driver, Heard, ProcessPhase, Report, Wish,
    WishAnswer, WorkKind,
};

use crate::gpu::Gpu;
use crate::plan::{Act, Job, Kind, Plan};
use crate::random_numbers::Random;
use crate::truth::{Fate, Faults, Known};

/// Counts of the situations that plans led to, by which a test sees that every situation occurs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reached {
    counts: Counts,
    full: u64,
    claimed: u64,
    escalated: u64,
    refused_again: u64,
    lost: u64,
    reopened: u64,
    held: u64,
    syncs: u64,
    waited_resets: u64,
}

impl Reached {
    pub(crate) fn add(&mut self, other: &Self) {
        self.counts += &other.counts;
        for (a, b) in [
            (&mut self.full, other.full),
            (&mut self.claimed, other.claimed),
            (&mut self.escalated, other.escalated),
            (&mut self.refused_again, other.refused_again),
            (&mut self.lost, other.lost),
            (&mut self.reopened, other.reopened),
            (&mut self.held, other.held),
            (&mut self.syncs, other.syncs),
            (&mut self.waited_resets, other.waited_resets),
        ] {
            *a += b;
        }
    }

    pub(crate) fn list(&self) -> Vec<(String, u64)> {
        let c = &self.counts;
        let named = [
            ("submitted", c.submitted()),
            ("finished", c.finished()),
            ("failed", c.failed()),
            ("exited", c.exited()),
            ("killed", c.killed()),
            ("drained", c.drained()),
            ("resets", c.resets()),
            ("full", self.full),
            ("claimed", self.claimed),
            ("escalated", self.escalated),
            ("refused again", self.refused_again),
            ("payloads of lost processes", self.lost),
            ("streams closed", self.reopened),
            ("streams held", self.held),
            ("synchronised", self.syncs),
            ("lost in a reset", self.waited_resets),
        ];
        let begun = Preemption::ALL.iter().enumerate();
        let begun = begun.map(|(at, &way)| (format!("begun {at}"), c.begun(way)));
        let refused = c.refused().into_iter().enumerate();
        let refused = refused.map(|(at, n)| (format!("refused {at}"), n));
        let named = named.map(|(name, count)| (name.to_owned(), count));
        named.into_iter().chain(begun).chain(refused).collect()
    }
}

/// A program, which is one process until that dies, and then the next one.
#[derive(Debug)]
struct Program {
    process: ProcessId,
    nth: u64,
    /// The streams of the process as (id, number of streams that were opened before it in the run).
    streams: Vec<(StreamId, u64)>,
    /// The holds of streams as (index of the stream, its id, order of capture from which it is
    /// held, number of streams opened before it in the run).
    holds: Vec<(usize, StreamId, CaptureOrder, u64)>,
    record: Option<(WorkKind, usize)>,
    /// The jobs that could not be captured yet because the queues are full, as (index of the
    /// stream, job).
    blocked: VecDeque<(usize, Job)>,
    /// The captured jobs as (order of capture, index of the job, stream).
    orders: Vec<(CaptureOrder, usize, StreamId)>,
    paused: bool,
}

struct Play<'p> {
    plan: &'p Plan,
    driver: Driver<usize, Gpu>,
    programs: Vec<Program>,
    opened: u64,
    reached: Reached,
    random: Random,
}

/// The tick after which a plan that has not ended counts as hanging.
const ENDLESS: u64 = 6000;

/// Plays a plan to its end, then resumes and releases all programs and plays on until all work has
/// ended. Returns the broken promises and the situations reached.
pub(crate) fn play(plan: &Plan) -> (Faults, Reached) {
    let gpu = Gpu::new(plan.declared, plan.late, plan.claims, plan.seed);
    let driver = Driver::new(gpu, plan.options).unwrap();
    let (programs, reached) = (Vec::new(), Reached::default());
    let random = Random(plan.seed ^ 0x919);
    let mut play = Play { plan, driver, programs, opened: 0, reached, random };
    for program in 0..plan.streams.len() {
        let it = play.join(program, 0);
        play.programs.push(it);
    }
    play.run();
    let hang = play.driver.runtime().truth.jobs.iter().filter(|it| it.fate == Fate::Open).count();
    play.faults().hang += hang as u64;
    play.reached.claimed = play.driver.runtime().claimed;
    play.reached.counts = play.driver.counts();
    (play.driver.runtime().truth.faults, play.reached)
}

impl Play<'_> {
    fn faults(&mut self) -> &mut Faults {
        &mut self.driver.runtime_mut().truth.faults
    }

    fn join(&mut self, program: usize, nth: u64) -> Program {
        let process = self.driver.host(|c| c.join(Level(0))).unwrap();
        self.driver.host(|c| c.place(process, self.plan.parts[program])).unwrap();
        let mut streams = Vec::new();
        for _ in 0..self.plan.streams[program] {
            streams.push((self.driver.host(|c| c.open(process)).unwrap(), self.opened));
            self.opened += 1;
        }
        let (holds, orders, blocked) = (Vec::new(), Vec::new(), VecDeque::new());
        Program { process, nth, streams, holds, record: None, blocked, orders, paused: false }
    }

    fn run(&mut self) {
        let mut acts = self.plan.acts.iter().peekable();
        let (mut idle, mut over) = (0, false);
        while idle < 60 {
            let now = self.driver.runtime().now;
            self.driver.runtime_mut().tick();
            while let Some(report) = self.driver.runtime_mut().due() {
                self.hear(report);
            }
            (0..self.programs.len()).for_each(|program| self.unblock(program));
            while let Some((_, program, act)) = acts.next_if(|(at, ..)| *at <= now) {
                self.act(*program, *act);
            }
            if acts.peek().is_none() && !over {
                over = true;
                (0..self.programs.len()).for_each(|program| self.let_go(program));
            }
            let due = self.driver.controller().is_any_due();
            let all = self.driver.run().unwrap();
            let left = all && self.driver.controller().is_any_due();
            self.faults().due += u64::from(left);
            self.check();
            let busy = due || !all || !over || self.driver.runtime().is_busy();
            idle = if busy { 0 } else { idle + 1 };
            if now > ENDLESS {
                self.faults().hang += 1;
                return;
            }
        }
    }

    fn hear(&mut self, report: Report) {
        let before = match report {
            Report::Finished(handle) | Report::Failed(handle) => {
                self.driver.controller().payload(handle).copied()
            }
            _ => None,
        };
        match self.driver.report(report) {
            Ok(Heard::Ended(job)) => {
                assert_eq!(Some(job), before);
                let done = matches!(report, Report::Finished(_));
                let fate = if done { Fate::Done } else { Fate::Failed };
                self.driver.runtime_mut().truth.ended(job, fate);
            }
            Ok(_) => {}
            // The claim of a launch that was taken to have begun is refused.
            Err(error)
                if matches!(report, Report::Claimed(_))
                    && error.to_string().starts_with("nobody was told") =>
            {
                self.faults().lost += 1;
            }
            Err(error) => panic!("{report:?}: {error}"),
        }
    }

    fn act(&mut self, program: usize, act: Act) {
        let process = self.programs[program].process;
        match act {
            Act::Capture { stream, job } => {
                self.programs[program].blocked.push_back((stream, job));
                self.unblock(program);
            }
            Act::Reopen { stream } => {
                let id = self.programs[program].streams[stream].0;
                self.driver.host(|c| c.close(process, id)).unwrap();
                let fresh = self.driver.host(|c| c.open(process)).unwrap();
                self.programs[program].streams[stream] = (fresh, self.opened);
                // The process that had this stream id before is gone, and its holds with it.
                self.programs[program].holds.retain(|hold| hold.1 != fresh);
                self.opened += 1;
                self.reached.reopened += 1;
            }
            Act::Hold { stream } => {
                let it = &self.programs[program];
                let last = it.orders.last().map_or(0, |(order, ..)| order.0 + 1);
                let from = CaptureOrder(if self.random.percent(50) { 0 } else { last });
                let (id, opened) = self.programs[program].streams[stream];
                let mut holds = self.programs[program].holds.iter();
                if holds.any(|hold| hold.3 == opened && hold.2 == from) {
                    return;
                }
                self.driver.host(|c| c.hold(process, id, from)).unwrap();
                self.programs[program].holds.push((stream, id, from, opened));
                self.reached.held += 1;
            }
            Act::Release { stream } => {
                let holds = &mut self.programs[program].holds;
                if let Some(at) = holds.iter().position(|hold| hold.0 == stream) {
                    let (_, id, from, _) = holds.remove(at);
                    self.release(process, id, from);
                }
            }
            Act::Preempt(way) => {
                let _ = self.driver.wish(Wish::Preempt { process, way }).unwrap();
            }
            Act::Escalate(way) => {
                let answer = self.driver.wish(Wish::Escalate { process, way }).unwrap();
                match answer {
                    WishAnswer::Begun => self.reached.escalated += 1,
                    WishAnswer::NoReset(_) => self.reached.refused_again += 1,
                    _ => {}
                }
            }
            Act::Pause => {
                let _ = self.driver.wish(Wish::Pause { process }).unwrap();
                let phase = self.driver.controller().phase(process).unwrap();
                self.programs[program].paused = phase == ProcessPhase::Running;
            }
            Act::Resume => self.resume(program),
            Act::Lose => self.lose(program),
        }
    }

    /// Releases a stream from one hold; a stream that was closed and is empty has lost its holds
    /// before.
    fn release(&mut self, process: ProcessId, stream: StreamId, from: CaptureOrder) {
        match self.driver.host(|c| c.release(process, stream, from)) {
            Ok(()) => {}
            Err(error) if error.to_string().contains("is not held from there") => {}
            Err(error) => panic!("{error}"),
        }
    }

    fn resume(&mut self, program: usize) {
        let process = self.programs[program].process;
        let answer = self.driver.wish(Wish::Resume { process }).unwrap();
        if answer == WishAnswer::Begun {
            self.driver.runtime_mut().resumed(process);
        }
        self.programs[program].paused = false;
    }

    fn let_go(&mut self, program: usize) {
        self.resume(program);
        let process = self.programs[program].process;
        for (_, stream, from, _) in std::mem::take(&mut self.programs[program].holds) {
            self.release(process, stream, from);
        }
    }

    fn lose(&mut self, program: usize) {
        let Program { process, nth, .. } = self.programs[program];
        let resets = self.driver.counts().resets();
        let back = self.driver.host(|c| c.lost(process)).unwrap();
        let truth = &mut self.driver.runtime_mut().truth;
        let mine = |it: &Known| it.process == (program, nth) && it.fate == Fate::Open;
        let open: Vec<usize> = (0..truth.jobs.len()).filter(|&at| mine(&truth.jobs[at])).collect();
        truth.faults.lost += u64::from(open != back);
        open.iter().for_each(|&at| truth.jobs[at].fate = Fate::Lost);
        self.driver.runtime_mut().forget(process);
        let next = self.join(program, nth + 1);
        self.reached.lost += open.len() as u64;
        self.reached.waited_resets += u64::from(resets > 0 && next.process != process);
        self.programs[program] = next;
    }

    /// Captures the jobs that wait for room, until the controller's queues are full again.
    fn unblock(&mut self, program: usize) {
        while let Some((lane, job)) = self.programs[program].blocked.pop_front() {
            let it = &self.programs[program];
            let ((stream, opened), process) = (it.streams[lane], it.process);
            let at = self.driver.runtime().truth.jobs.len();
            let record = it.record.filter(|_| job.kind == Kind::Wait);
            let kind = match job.kind {
                Kind::Wait => record.map_or(WorkKind::Copy, |(wait, _)| wait),
                Kind::Kernel => WorkKind::Kernel,
                Kind::Copy => WorkKind::Copy,
                Kind::Record => WorkKind::Record,
                Kind::Graph => WorkKind::Graph,
                Kind::Collective => WorkKind::Collective,
            };
            let idempotent = if job.late_verdict { Default::default() } else { job.idempotent };
            let tests_flag = job.tests_flag();
            let work = CapturedWork::new(at, kind).judged(idempotent, tests_flag);
            let captured = self.driver.host(|c| c.captured(process, stream, work)).unwrap();
            let Capture::Taken(order) = captured else {
                self.reached.full += 1;
                self.programs[program].blocked.push_front((lane, job));
                return;
            };
            let it = &mut self.programs[program];
            it.orders.push((order, at, stream));
            if job.kind == Kind::Record {
                it.record = Some((WorkKind::Wait { stream, order }, at));
            }
            let (process, after) = ((program, it.nth), record.map(|(_, job)| job));
            let fate = Fate::Open;
            let known = Known { job, process, stream: opened, after, fate, ran: 0, died: false };
            self.driver.runtime_mut().truth.jobs.push(known);
        }
    }

    fn check(&mut self) {
        let mut faults = Faults::default();
        let window = self.plan.options.window();
        let submits = std::mem::take(&mut self.driver.runtime_mut().submits);
        let controller = self.driver.controller();
        let jobs = &self.driver.runtime().truth.jobs;
        for it in &self.programs {
            let mut slots: Vec<u32> =
                controller.flying(it.process).unwrap().map(|(handle, _)| handle.slot()).collect();
            slots.sort_unstable();
            let twice = slots.windows(2).any(|pair| pair[0] == pair[1]);
            let large = slots.last().is_some_and(|slot| *slot >= window);
            faults.window += u64::from(twice || large || slots.len() > window as usize);
            for (.., job) in submits.iter().filter(|submit| submit.0.process() == it.process) {
                let order = it.orders.iter().find(|(_, other, _)| other == job);
                let held = |hold: &(usize, StreamId, CaptureOrder, u64)| {
                    let from = order.is_some_and(|order| order.0 >= hold.2);
                    hold.3 == jobs[*job].stream && from
                };
                faults.submitted += u64::from(it.paused || it.holds.iter().any(held));
            }
            if it.orders.is_empty() {
                continue;
            }
            let at = self.random.to(it.orders.len() as u64 - 1) as usize;
            let (order, _, stream) = it.orders[at];
            let before = &it.orders[..=at];
            let open =
                |(_, job, _): &(CaptureOrder, usize, StreamId)| jobs[*job].fate == Fate::Open;
            let all = controller.reached(it.process, order).unwrap();
            let own = controller.stream_reached(it.process, stream, order).unwrap();
            let mut lane = before.iter().filter(|other| other.2 == stream);
            faults.sync += u64::from(all == before.iter().any(open));
            faults.sync += u64::from(own == lane.any(open));
            self.reached.syncs += u64::from(all);
        }
        let all = self.faults();
        (all.window, all.submitted) =
            (all.window + faults.window, all.submitted + faults.submitted);
        all.sync += faults.sync;
    }
}
