//! Do published latencies of software preemption come out (XSched, figure 9 of its paper, on a GV100)?
//!
//! The benchmark, from its public source. A client launches 64 kernels of T and waits for them, again and
//! again. A worker takes launches out of the buffer; 8 are in the runtime at a time, of which it hears by
//! every fourth. Where the buffer is empty it waits for that fourth one, then for all that it launched,
//! and hears of no launch meanwhile. Every 0 to 800 us a third thread suspends the queue and takes the time
//! until nothing of it runs; 800 to 1600 us later it goes on. Level 1 waits for what was submitted, level 2
//! keeps what has not begun from running, level 3 kills what runs.
//!
//! So what is in the runtime depends on the client: it is slower to launch than the worker to take, and
//! after each 64 the worker finds a launch or two, and waits for those alone. A preemption that comes then
//! waits for one kernel instead of eight, which is why the mean of level 1 lies so far below its median.
//!
//! What cannot be known without the card and its host is put in: a kernel that counts T by the nominal
//! clock lasts 1.325 T (the slope of the 99th percentile of level 1 over eight); a thread that is woken
//! goes on after 120 us, and launches come 100 us apart from the client (with 105 to 130 us for the one,
//! and 40 to 200 for the other, every line stays within 5 %); the worker launches in 3 us; an exit takes
//! 2.4 us, by where level 2 starts, and a reset what is left of the mean of level 3. Times are
//! microseconds.
//!
//! The 99th percentile of level 3 does not come out: how resets differ from each other is not known.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "all of this is test code")]

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write as _;

use raddle_policy::{Idempotence, Level, Preemption, ProcessId, StreamId};
use raddle_preempt::{
    Abilities, CapturedWork, Command, Controller, ControllerConfig, Declared, LaunchHandle, Report,
    ResetScope,
};

const STREAM: StreamId = StreamId(0);
const PREEMPTIONS: usize = 1200;

/// Time that a kernel takes on the card, as a multiple of its nominal time T.
const SLOWER: f64 = 1.325;
/// Microseconds until a thread that was woken goes on; the next constant: from the end of a sleep
/// on.
const WAKE: f64 = 120.0;
const SLACK: f64 = 55.0;
/// Microseconds between two launches of the client; the next constant: of the worker.
const CLIENT: f64 = 100.0;
const WORKER: f64 = 3.0;
/// Number of launches in a batch: the worker hears of their ends together.
const BATCH: usize = 4;
const EXIT: f64 = 2.4;
const RESET: f64 = 14.0;

/// An event of the simulated benchmark that is due at a later time.
#[derive(Clone, Copy, Debug)]
enum Due {
    /// The client launches a kernel; the value is the number of launches that follow before it
    /// waits.
    Client(u32),
    /// The worker thread goes on, unless it was stopped since; the value is the number of stops so
    /// far.
    Worker(u64),
    Suspend,
    Resume,
}

/// A launch on the card: (handle, begin, end), both times in microseconds.
type OnCard = (LaunchHandle, f64, f64);

struct Bench {
    controller: Controller<()>,
    process: ProcessId,
    /// Microseconds that a kernel takes on the card.
    takes: f64,
    now: f64,
    /// The events to come, by (nanoseconds, number in the order in which they were set).
    due: BTreeMap<(u64, u64), Due>,
    set: u64,
    /// The launches that the worker submitted and of whose end it has not heard.
    card: VecDeque<OnCard>,
    /// The number of launches that the worker waits for; the next field counts how often it was
    /// stopped.
    waits: usize,
    stops: u64,
    /// True if the worker has nothing to launch: it goes on when there is a launch. The next field:
    /// true if it was stopped, and goes on when the queue does.
    idle: bool,
    stopped: bool,
    suspended: bool,
    /// True if the client waits for all of its launches.
    client_waits: bool,
    latencies: Vec<f64>,
    draw: u64,
}

impl Bench {
    fn new(takes: f64) -> Self {
        let (abilities, scope) = (Abilities::ALL, ResetScope::Process);
        let declared = Declared { abilities, latched: true, withdraws: false, scope };
        let mut controller = Controller::new(declared, ControllerConfig::default()).unwrap();
        let process = controller.join(Level(0)).unwrap();
        assert_eq!(controller.open(process), Ok(STREAM));
        let mut bench = Self {
            controller,
            process,
            takes,
            now: 0.0,
            due: BTreeMap::new(),
            set: 0,
            card: VecDeque::new(),
            waits: 0,
            stops: 0,
            idle: true,
            stopped: false,
            suspended: false,
            client_waits: false,
            latencies: Vec::new(),
            draw: 1,
        };
        bench.at(0.0, Due::Client(63));
        bench.at(100_000.0, Due::Suspend);
        bench
    }

    fn at(&mut self, at: f64, due: Due) {
        self.set += 1;
        self.due.insert(((at * 1000.0) as u64, self.set), due);
    }

    /// Draws a time from 0 to 800 microseconds.
    fn some(&mut self) -> f64 {
        self.draw = self.draw.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695);
        (self.draw >> 33) as f64 % 800.0
    }

    fn run(mut self, way: Preemption) -> Vec<f64> {
        while self.latencies.len() < PREEMPTIONS {
            let ((at, _), due) = self.due.pop_first().expect("it goes on for ever");
            self.now = at as f64 / 1000.0;
            match due {
                Due::Client(behind) => self.client(behind),
                Due::Worker(stops) if stops == self.stops => self.work(),
                Due::Worker(_) => {}
                Due::Suspend => self.suspend(way),
                Due::Resume => self.resume(),
            }
        }
        self.latencies
    }

    fn client(&mut self, behind: u32) {
        let work = CapturedWork::kernel((), Idempotence::Idempotent);
        let _ = self.controller.captured(self.process, STREAM, work).unwrap();
        match behind.checked_sub(1) {
            Some(behind) => self.at(self.now + CLIENT, Due::Client(behind)),
            None => self.client_waits = true,
        }
        if std::mem::take(&mut self.idle) {
            self.wake();
        }
    }

    /// Lets the worker go on after the time that a woken thread takes.
    fn wake(&mut self) {
        self.at(self.now + WAKE, Due::Worker(self.stops));
    }

    /// Lets the worker hear of the launches that it waited for, and submit one launch or wait.
    fn work(&mut self) {
        if self.suspended {
            return self.stop();
        }
        for _ in 0..std::mem::take(&mut self.waits) {
            self.hear_first();
        }
        let p = self.process;
        while let Some(command) = self.controller.next(p).unwrap() {
            let Command::Submit { handle, .. } = command else { continue };
            self.controller.report(Report::Submitted(handle)).unwrap();
            let begins = self.card.back().map_or(self.now, |last| self.now.max(last.2));
            self.card.push_back((handle, begins, begins + self.takes));
            return self.at(self.now + WORKER, Due::Worker(self.stops));
        }
        // The window is full, or no launch waits in the buffer.
        self.waits = if self.card.len() >= BATCH { BATCH } else { self.card.len() };
        if let Some((.., ends)) = self.waits.checked_sub(1).and_then(|last| self.card.get(last)) {
            return self.at(self.now.max(*ends), Due::Worker(self.stops));
        }
        self.idle = true;
        if std::mem::take(&mut self.client_waits) {
            self.at(self.now + WAKE, Due::Client(63));
        }
    }

    fn hear_first(&mut self) {
        if let Some((handle, ..)) = self.card.pop_front() {
            self.controller.report(Report::Finished(handle)).unwrap();
        }
    }

    /// Stops the worker: whatever it waits for, it does not go on before the queue is resumed.
    fn stop(&mut self) {
        (self.waits, self.stopped) = (0, true);
        self.stops += 1;
    }

    fn suspend(&mut self, way: Preemption) {
        self.suspended = true;
        if !self.idle {
            self.stop();
        }
        let (p, at) = (self.process, self.now);
        // Launches that have ended are no longer on the card, even if the worker has not heard of
        // it.
        while self.card.front().is_some_and(|first| first.2 <= at) {
            self.hear_first();
        }
        let _ = self.controller.preempt(p, way, None).unwrap();
        let mut over = at;
        loop {
            match self.controller.next(p).unwrap() {
                Some(Command::Raise { process }) => {
                    let _ = self.controller.report(Report::Raised(process));
                }
                Some(Command::Reset { process }) => {
                    let (killed, ..) = self.card.pop_front().unwrap();
                    self.controller.report(Report::Killed(killed)).unwrap();
                    over += RESET;
                    self.controller.report(Report::Drained(process)).unwrap();
                }
                Some(Command::Drained { .. }) => break,
                Some(_) => {}
                None => {
                    let (handle, begins, ends) = self.card.pop_front().unwrap();
                    if begins > at && self.controller.leaves(handle) {
                        over += EXIT;
                        self.controller.report(Report::Exited(handle)).unwrap();
                    } else {
                        over = over.max(ends);
                        self.controller.report(Report::Finished(handle)).unwrap();
                    }
                }
            }
        }
        self.latencies.push(over - at);
        let again = over + 800.0 + self.some() + SLACK;
        self.at(again, Due::Resume);
    }

    fn resume(&mut self) {
        self.suspended = false;
        let _ = self.controller.resume(self.process).unwrap();
        if std::mem::take(&mut self.stopped) {
            self.wake();
        }
        let next = self.now + self.some() + SLACK;
        self.at(next, Due::Suspend);
    }
}

/// Returns (mean, 99th percentile) of the latencies of preemption by one method, in microseconds,
/// for kernels of the nominal time `kernel`.
fn latencies(way: Preemption, kernel: f64) -> (f64, f64) {
    let mut all = Bench::new(kernel * SLOWER).run(way);
    all.sort_by(f64::total_cmp);
    (all.iter().sum::<f64>() / all.len() as f64, all[all.len() * 99 / 100])
}

/// Returns the line through the points by least squares: (slope, value at 0).
fn line(points: &[(f64, f64)]) -> (f64, f64) {
    let n = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / n;
    let (x, y) = (mean(|it| it.0), mean(|it| it.1));
    let slope = points.iter().map(|it| (it.0 - x) * (it.1 - y)).sum::<f64>()
        / points.iter().map(|it| (it.0 - x).powi(2)).sum::<f64>();
    (slope, y - slope * x)
}

/// Returns the lines, as (slope, value at 0), of the mean and of the 99th percentile of the latency
/// over kernel times of T = 100 to 2,000 microseconds.
fn lines(way: Preemption) -> [(f64, f64); 2] {
    let kernels = (1..=20).map(|step| f64::from(step) * 100.0);
    let all: Vec<(f64, (f64, f64))> =
        kernels.map(|kernel| (kernel, latencies(way, kernel))).collect();
    let of = |pick: fn(&(f64, f64)) -> f64| -> Vec<(f64, f64)> {
        all.iter().map(|(kernel, found)| (*kernel, pick(found))).collect()
    };
    [line(&of(|it| it.0)), line(&of(|it| it.1))]
}

#[test]
fn published_latencies_come_out() {
    let mut table = String::new();
    let rows = [
        (Preemption::Wait, [(8.16, -196.0), (10.59, -10.0)]),
        (Preemption::Flag, [(1.14, -185.0), (1.28, 13.0)]),
        (Preemption::Reset, [(0.0, 26.0), (0.0, 38.0)]),
    ];
    for (way, published) in rows {
        for ((name, (slope, start)), (slope_there, start_there)) in
            ["mean", "p99"].into_iter().zip(lines(way)).zip(published)
        {
            let name = format!("{} {name}", way.name());
            let at = |slope: f64, start: f64| slope * 1000.0 + start;
            let off = at(slope, start) / at(slope_there, start_there) - 1.0;
            assert!(name == "reset p99" || off.abs() < 0.05, "{name}: {off}");
            writeln!(
                table,
                "{name:<12} {slope:6.2} T {start:+5.0} us, published {slope_there:6.2} T {start_there:+5.0} us"
            )
            .unwrap();
        }
    }
    insta::assert_snapshot!("xsched", table);
}

/// Returns the mean and the percentiles 50, 90 and 99 of the latency, in microseconds, as the
/// published data has them.
fn figures(way: Preemption, kernel: f64) -> [f64; 4] {
    let mut all = Bench::new(kernel * SLOWER).run(way);
    all.sort_by(f64::total_cmp);
    let at = |percent: usize| all[all.len() * percent / 100];
    [all.iter().sum::<f64>() / all.len() as f64, at(50), at(90), at(99)]
}

/// Checks each published figure by itself: within 5 % or 20 us. docs/judged.md has the table.
#[test]
fn each_published_figure() {
    let Some(folder) = raddle_testkit::beside("peers/measured/xsched") else { return };
    let names = ["mean", "p50", "p90", "p99"];
    let (mut kept, mut all) = (0, 0);
    for (level, way) in [Preemption::Wait, Preemption::Flag, Preemption::Reset].iter().enumerate() {
        let file = folder.join(format!("level{}.dat", level + 1));
        let text = std::fs::read_to_string(file).unwrap();
        let rows: Vec<Vec<f64>> = text
            .lines()
            .skip(1)
            .map(|line| line.split_whitespace().map(|cell| cell.parse().unwrap()).collect())
            .collect();
        let ours: Vec<[f64; 4]> = rows.iter().map(|row| figures(*way, row[0])).collect();
        for (at, name) in names.iter().enumerate() {
            let published: Vec<(f64, f64)> = rows.iter().map(|row| (row[0], row[at + 1])).collect();
            let near = |of: &dyn Fn(usize) -> f64| {
                let shares = published.iter().enumerate().map(|(row, (_, there))| {
                    let off = (of(row) - there).abs();
                    (off / there <= 0.05 || off <= 20.0, off / there)
                });
                shares.fold((0, 0.0_f64), |all, it| (all.0 + u32::from(it.0), all.1.max(it.1)))
            };
            let (within, worst) = near(&|row| ours[row][at]);
            // Published figures that lie off the line through them follow no law of T.
            let (slope, start) = line(&published);
            let (own, _) = near(&|row| slope * published[row].0 + start);
            println!(
                "level {} {name:<4} {within:>2} of {}, worst {:.1} %; their own line {own}",
                level + 1,
                rows.len(),
                worst * 100.0
            );
            kept += within;
            all += rows.len();
        }
    }
    println!("within 5 % or 20 us: {kept} of {all}");
    assert!(kept >= KEPT, "{kept} of {all}");
}

/// The least number of figures that must come out; the goal is all of them (level 3 has one row
/// more).
const KEPT: u32 = 218;
