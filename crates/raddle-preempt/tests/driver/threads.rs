//! Does a live runtime, with threads for its submit calls, its card and its reports, each of which takes
//! any time it likes, get the same commands as one that does everything at once?

#![allow(clippy::disallowed_methods, reason = "a live runtime has threads, and one may hang")]

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use raddle_policy::{Idempotence, Level, Preemption, ProcessId, StreamId};
use raddle_preempt::{CapturedWork, Command, ControllerConfig, Driver, Report, Wish};

use crate::card::{Card, Link, Order};
use crate::random_numbers::Random;

/// The commands of each process as text: a submission has the launch's number, stream and payload.
type Commands = BTreeMap<ProcessId, Vec<String>>;

/// A driver whose commands and verdicts are written down. The slot of a launch is left out, because
/// it depends on which report comes first.
struct Ours {
    driver: Driver<u32, Link>,
    commands: Commands,
}

impl Ours {
    fn write(&mut self, process: ProcessId, text: String) {
        self.commands.entry(process).or_default().push(text);
    }

    /// Has the runtime carry out all commands that are due.
    fn run(&mut self) {
        while let Some(task) = self.driver.take() {
            let (process, text) = match task.command() {
                Command::Submit { handle, stream } => {
                    (handle.process(), format!("submit {} to {stream}", handle.sequence()))
                }
                Command::Raise { process } => (process, "raise".to_owned()),
                Command::Lower { process } => (process, "lower".to_owned()),
                Command::Reset { process } => (process, "reset".to_owned()),
                Command::Save { process } => (process, "save".to_owned()),
                Command::Restore { process } => (process, "restore".to_owned()),
                Command::Drained { process, resumed } => {
                    (process, format!("drained, resumed: {resumed}"))
                }
                other => panic!("{other:?} is not wished"),
            };
            self.write(process, text);
            let mut reports = Vec::new();
            let took = task.carry_out(self.driver.runtime_mut(), |report| {
                reports.push(report);
                Ok::<(), ()>(())
            });
            assert_eq!(took, Ok(true));
            reports.into_iter().for_each(|report| self.report(report));
        }
    }

    fn report(&mut self, report: Report) {
        let heard = self.driver.report(report).unwrap();
        if let Report::Raised(process) = report {
            let verdict = format!("{heard:?}");
            let text = verdict.split_once("slot").map_or(&*verdict, |it| it.0).to_owned();
            self.write(process, text);
        }
    }
}

fn driver(link: Link) -> Ours {
    let options = ControllerConfig::default().with_window(4);
    let mut driver = Driver::new(link, options).unwrap();
    for _ in 0..2 {
        let process = driver.host(|c| c.join(Level(0))).unwrap();
        for _ in 0..2 {
            driver.host(|c| c.open(process)).unwrap();
        }
    }
    Ours { driver, commands: Commands::new() }
}

/// A step of a test: the host captures or wishes, or the card ends launches; one step at a time.
#[derive(Clone, Copy, Debug)]
enum Step {
    Capture(ProcessId, StreamId, CapturedWork<u32>),
    Wish(Wish),
    End(ProcessId),
}

fn steps(seed: u64) -> Vec<Step> {
    let random = &mut Random(seed);
    let mut steps = Vec::new();
    let mut name = 1;
    for _ in 0..60 {
        let process = ProcessId(random.to(1) as u16);
        let reset = Preemption::Reset;
        let way = random.one(&[reset, reset, Preemption::Flag, Preemption::Switch]);
        steps.push(match random.to(9) {
            0..5 => {
                name += 1;
                let not = random.percent(8);
                let verdict = if not { Idempotence::Not } else { Idempotence::Idempotent };
                let kernel = CapturedWork::kernel(name, verdict);
                let opaque = random.percent(8);
                let work = if opaque { CapturedWork::opaque(name) } else { kernel };
                Step::Capture(process, StreamId(random.to(1) as u32), work)
            }
            5 => Step::Wish(Wish::Preempt { process, way }),
            6 => Step::Wish(Wish::Escalate { process, way }),
            7 => Step::Wish(Wish::Resume { process }),
            _ => Step::End(process),
        });
    }
    for process in [ProcessId(0), ProcessId(1)] {
        steps.push(Step::End(process));
        steps.push(Step::Wish(Wish::Resume { process }));
        steps.extend([Step::End(process); 60]);
    }
    steps
}

fn act(driver: &mut Ours, step: Step) {
    match step {
        Step::Capture(process, stream, work) => {
            let taken = driver.driver.host(|c| c.captured(process, stream, work)).unwrap();
            assert!(taken.order().is_some());
        }
        Step::Wish(wish) => {
            let _ = driver.driver.wish(wish).unwrap();
        }
        Step::End(_) => {}
    }
}

/// Returns the commands that a driver gave in a run, and checks that every launch has ended.
fn commands(driver: &Ours) -> Commands {
    for process in [ProcessId(0), ProcessId(1)] {
        let controller = driver.driver.controller();
        let left = (controller.buffered(process), controller.in_flight(process));
        assert_eq!(left, (Ok(0), Ok(0)), "{process}");
    }
    driver.commands.clone()
}

fn at_once(steps: &[Step]) -> Commands {
    let orders = Arc::new(Mutex::new(VecDeque::new()));
    let queue = Arc::clone(&orders);
    let mut driver = driver(Link(Box::new(move |order| queue.lock().unwrap().push_back(order))));
    let mut card = Card::default();
    for &step in steps {
        act(&mut driver, step);
        if let Step::End(process) = step {
            orders.lock().unwrap().push_back(Order::End(process));
        }
        driver.run();
        while let Some(order) = { orders.lock().unwrap().pop_front() } {
            if let Order::Take(handle, _) = order {
                driver.report(Report::Submitted(handle));
            }
            for report in card.obey(order) {
                driver.report(report);
            }
            driver.run();
        }
    }
    commands(&driver)
}

/// The number of messages that were sent to a thread and are not dealt with yet.
#[derive(Clone, Default)]
struct Pending(Arc<AtomicUsize>);

impl Pending {
    fn send<M>(&self, to: &Sender<M>, message: M) {
        self.0.fetch_add(1, Ordering::SeqCst);
        to.send(message).unwrap();
    }

    fn done(&self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }

    /// Waits until every message has been dealt with; fails after 60 seconds.
    fn none(&self) {
        let since = Instant::now();
        while self.0.load(Ordering::SeqCst) > 0 {
            assert!(since.elapsed() < Duration::from_secs(60), "it hangs");
            thread::yield_now();
        }
    }
}

/// Lets a thread take a random time: none, one yield, or a sleep of up to 60 microseconds.
fn dawdle(random: &mut Random) {
    match random.to(3) {
        0 => {}
        1 => thread::yield_now(),
        _ => thread::sleep(Duration::from_micros(random.to(60))),
    }
}

/// Starts a thread that passes each message to `takes`, each after a random time.
fn worker<M: Send + 'static>(
    seed: u64,
    from: Receiver<M>,
    pending: &Pending,
    mut takes: impl FnMut(M) + Send + 'static,
) -> thread::JoinHandle<()> {
    let pending = pending.clone();
    thread::spawn(move || {
        let mut random = Random(seed);
        for message in from {
            dawdle(&mut random);
            takes(message);
            pending.done();
        }
    })
}

fn by_threads(steps: &[Step], seed: u64) -> Commands {
    let pending = Pending::default();
    let (to_card, card_hears) = channel();
    let (to_submit, submit_hears) = channel();
    let (ring, pump_hears) = channel();
    let (link_pending, link_card) = (pending.clone(), to_card.clone());
    // A submit call takes its time on a thread of its own; everything else goes to the card.
    let link = Link(Box::new(move |order| match order {
        Order::Take(..) => link_pending.send(&to_submit, order),
        _ => link_pending.send(&link_card, order),
    }));
    let driver = Arc::new(Mutex::new(driver(link)));
    let report = |driver: &Arc<Mutex<Ours>>| {
        let (driver, ring, pending) = (Arc::clone(driver), ring.clone(), pending.clone());
        move |report: Report| {
            driver.lock().unwrap().report(report);
            pending.send(&ring, ());
        }
    };
    let reporters: Vec<Sender<Report>> = (0..3)
        .map(|n| {
            let (to, hears) = channel();
            worker(seed + n, hears, &pending, report(&driver));
            to
        })
        .collect();
    let (pump, pump_pending) = (Arc::clone(&driver), pending.clone());
    worker(seed + 3, pump_hears, &pump_pending, move |()| {
        pump.lock().unwrap().run();
    });
    let (calls, says, call_card) = (pending.clone(), report(&driver), to_card.clone());
    worker(seed + 4, submit_hears, &pending, move |order| {
        let Order::Take(handle, _) = order else { return };
        calls.send(&call_card, order);
        thread::yield_now();
        // The launch may have ended before the call returns.
        says(Report::Submitted(handle));
    });
    let (mut card, card_pending) = (Card::default(), pending.clone());
    worker(seed + 5, card_hears, &pending, move |order| {
        for report in card.obey(order) {
            let whose = match report {
                Report::Started(it) | Report::Finished(it) => it.sequence(),
                Report::Exited(it) | Report::Killed(it) => it.sequence(),
                _ => 0,
            };
            card_pending.send(&reporters[(whose % 3) as usize], report);
        }
    });
    for &step in steps {
        act(&mut driver.lock().unwrap(), step);
        pending.send(&ring, ());
        if let Step::End(process) = step {
            pending.send(&to_card, Order::End(process));
        }
        pending.none();
    }
    let driver = driver.lock().unwrap();
    commands(&driver)
}

#[test]
fn threads_get_the_same_commands_as_one_that_does_all_at_once() {
    let (mut resets, mut exits) = (0, 0);
    for seed in 0..30 {
        let steps = steps(seed);
        let once = at_once(&steps);
        let text = format!("{once:?}");
        resets += text.matches("\"reset\"").count();
        exits += text.matches("raise").count();
        for again in 0..2 {
            assert_eq!(by_threads(&steps, seed * 100 + again * 10), once, "seed {seed}");
        }
    }
    assert!(resets > 10 && exits > 50, "{resets} resets, {exits} flags");
}
