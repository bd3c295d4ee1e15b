//! Do programs get on with each other, with a daemon that comes and goes?

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use raddle_dispatch::Registry;
use raddle_live::{
    Daemon, DaemonConfig, Inquiry, Link, LinkConfig, LiveStatus, OffReason, ProgramStanding, Storm,
    Until,
};
use raddle_policy::{Level, ProcessId, ProcessState, StreamId, Tick, Turn};

use crate::fake::Faults;
use crate::rig::{Rig, Shared, host, within};

/// Daemon that serves a socket of its own, on a thread of its own.
pub(crate) struct Served {
    folder: tempfile::TempDir,
    stop: Arc<AtomicBool>,
    thread: Option<thread::JoinHandle<()>>,
    pub(crate) log: Shared,
    pub(crate) said: Arc<Mutex<Vec<String>>>,
}

impl Served {
    pub(crate) fn new(options: DaemonConfig) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut served = Self {
            folder,
            stop: Arc::default(),
            thread: None,
            log: Shared::default(),
            said: Arc::default(),
        };
        served.start(options);
        served
    }

    pub(crate) fn start(&mut self, options: DaemonConfig) {
        self.stop = Arc::default();
        self.log = Shared::default();
        let (path, stop) = (self.socket(), Arc::clone(&self.stop));
        let (log, said) = (self.log.clone(), Arc::clone(&self.said));
        let (ready, is_ready) = std::sync::mpsc::channel();
        self.thread = Some(thread::spawn(move || {
            let say = move |line: &str| said.lock().unwrap().push(line.to_owned());
            let mut daemon = Daemon::bind(&path, options, Some(Box::new(log)), say).unwrap();
            ready.send(()).unwrap();
            daemon.run(&stop).unwrap();
        }));
        is_ready.recv().unwrap();
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.folder.path().join("socket")
    }

    pub(crate) fn stop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }

    pub(crate) fn status(&self) -> LiveStatus {
        Inquiry::connect(&self.socket()).unwrap().status().unwrap()
    }

    pub(crate) fn link(&self, rig: &Rig, token: Option<String>) -> Link {
        link(&self.socket(), rig, token)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

fn link(socket: &Path, rig: &Rig, token: Option<String>) -> Link {
    on("a device", socket, rig, token)
}

fn on(device: &str, socket: &Path, rig: &Rig, token: Option<String>) -> Link {
    let (socket, device) = (socket.to_owned(), device.to_owned());
    Link::start(&rig.client, LinkConfig { socket, token, device }).unwrap()
}

/// Waits until `holds` returns true, and returns the time that this took; fails with the text
/// `what` after 20 s.
pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) -> Duration {
    let since = Instant::now();
    while !holds() {
        assert!(since.elapsed() < Duration::from_secs(20), "{what}");
        thread::sleep(Duration::from_micros(200));
    }
    since.elapsed()
}

fn replayed(log: &Shared) -> raddle_live::LiveReplayed {
    let found = raddle_live::replay(log.bytes().as_slice()).unwrap();
    assert_eq!(found.difference, None);
    found
}

#[test]
fn the_urgent_program_has_the_turn_and_both_logs_replay() {
    const BATCH: u32 = 20_000;
    let mut served = Served::new(DaemonConfig::default());
    let (mut batch_log, urgent_log) = (Shared::default(), Shared::default());
    let batch = Rig::logged(1, Some(Box::new(batch_log.clone())));
    let urgent = Rig::logged(2, Some(Box::new(urgent_log)));
    let _batch_link = served.link(&batch, None);
    let mut run = Inquiry::connect(&served.socket()).unwrap();
    let (token, level) = run.grant(Level(3)).unwrap();
    assert_eq!(level, Level(3));
    let _urgent_link = served.link(&urgent, Some(token));
    until("both join", || served.status().programs.len() == 2);
    let streams = [&batch, &urgent].map(|rig| rig.client.open().unwrap());
    let standing = |level: Level| {
        let status = served.status();
        status.programs.iter().find(|it| it.level == level).map(|it| it.standing)
    };
    let why = |level: Level| {
        let status = served.status();
        let of = status.programs.into_iter().find(|it| it.level == level);
        of.map(|it| (it.because, it.by)).expect("it has joined")
    };
    assert_eq!(why(Level(128)), (Some(OffReason::NoWork), Vec::new()));
    let others = (Some(OffReason::Others), vec![std::process::id().cast_signed()]);
    thread::scope(|scope| {
        let busy = scope.spawn(|| host(&batch.client, streams[0], BATCH));
        until("the batch runs", || standing(Level(128)) == Some(ProgramStanding::Turn));
        assert_eq!(why(Level(128)), (None, Vec::new()), "it has the turn");
        let mut is_told = false;
        for request in 0..20 {
            thread::scope(|scope| {
                scope.spawn(|| host_from(&urgent, streams[1], request * 20, 20));
                is_told = is_told || (0..50).any(|_| why(Level(128)) == others);
            });
            thread::sleep(Duration::from_millis(12));
        }
        busy.join().unwrap();
        assert!(is_told, "the urgent program has had the turn, and nobody said so");
    });
    let status = served.status();
    let of = |level| status.programs.iter().find(|it| it.level == level).unwrap().clone();
    assert!(of(Level(128)).ordered > 0, "{status:?}");
    assert_eq!(of(Level(3)).ordered, 0);
    drop(run);
    for (rig, count) in [(batch, u64::from(BATCH)), (urgent, 400)] {
        let card = rig.stop();
        assert_eq!((card.faults, card.count), (Faults::default(), count));
    }
    served.stop();
    let found = replayed(&served.log);
    assert!(found.is_whole && found.answers > 20, "{found:?}");
    let found = replayed(&batch_log);
    assert!(found.is_whole && found.answers > u64::from(BATCH), "{found:?}");
    // A changed answer is found.
    let text = String::from_utf8(served.log.bytes()).unwrap();
    let wrong = text.replacen(
        "\"answer\":\"resume\",\"process\":0",
        "\"answer\":\"pause\",\"process\":0",
        1,
    );
    assert_ne!(text, wrong);
    assert!(raddle_live::replay(wrong.as_bytes()).unwrap().difference.is_some());
    let text = String::from_utf8(batch_log.take()).unwrap();
    let head: Vec<&str> = text.lines().take(20_000).collect();
    keeps_and_breaks_rules(&head.join("\n"));
    let wrong = text.replacen(
        "\"answer\":\"submit\",\"launch\":7",
        "\"answer\":\"submit\",\"launch\":8",
        1,
    );
    assert!(raddle_live::replay(wrong.as_bytes()).unwrap().difference.is_some());
}

/// Checks that programs take turns where they use the same device, and only there.
#[test]
fn two_devices_are_two_turns() {
    let mut served = Served::new(DaemonConfig::default());
    let mut run = Inquiry::connect(&served.socket()).unwrap();
    let (token, _) = run.grant(Level(3)).unwrap();
    let rigs = [Rig::new(1), Rig::new(2), Rig::new(3)];
    let devices = ["one", "two", "one"];
    let tokens = [None, None, Some(token)];
    let links: Vec<Link> =
        (0..3).map(|at| on(devices[at], &served.socket(), &rigs[at], tokens[at].clone())).collect();
    until("all join", || served.status().programs.len() == 3);
    let of = |level: u8, device: &str| {
        let status = served.status();
        let mut all = status.programs.into_iter();
        all.find(|it| it.level == Level(level) && it.device == device).expect("it has joined")
    };
    thread::scope(|scope| {
        for rig in &rigs[..2] {
            scope.spawn(|| host(&rig.client, rig.client.open().unwrap(), 20_000));
        }
        until("both run", || {
            ["one", "two"].iter().all(|it| of(128, it).standing == ProgramStanding::Turn)
        });
        let (urgent, stream) = (&rigs[2], rigs[2].client.open().unwrap());
        scope.spawn(move || host_from(urgent, stream, 0, 2_000));
        // The urgent program takes its device from the one beside it, and nobody else's.
        until("one is away", || of(128, "one").because == Some(OffReason::Others));
        assert_eq!(of(128, "two").standing, ProgramStanding::Turn);
        until("it goes on", || of(128, "one").standing == ProgramStanding::Turn);
    });
    assert_eq!(of(128, "two").ordered, 0);
    drop(links);
    for rig in rigs {
        assert_eq!(rig.stop().faults, Faults::default());
    }
    served.stop();
    assert!(served.log.bytes().windows(10).any(|it| it == b"\"device\":1"));
    let found = raddle_live::replay(served.log.bytes().as_slice()).unwrap();
    assert!(found.difference.is_none() && found.answers > 4, "{found:?}");
}

/// Turn policy of the test: the process with the highest id, which joined last, has the turn.
struct Last;

impl Turn for Last {
    fn turn(&mut self, all: &[ProcessState], _: Tick, may: &mut Vec<ProcessId>) -> Option<Tick> {
        may.extend(all.last().map(|process| process.id));
        None
    }
}

#[test]
fn a_policy_from_outside_schedules_and_its_log_replays_with_it_alone() {
    let registry = Registry::bundled().turn_named("last", |_, _| Ok(Box::new(Last)));
    let text = "raddle = 1\n[turn]\npolicy = \"last\"\n[preempt]\npolicy = \"flag\"\n";
    let recipe = registry.recipe("outside", text).unwrap();
    let mut served = Served::new(DaemonConfig::new(recipe));
    let rigs = [Rig::new(3), Rig::new(4)];
    let links = rigs.each_ref().map(|rig| served.link(rig, None));
    until("both join", || served.status().programs.len() == 2);
    thread::scope(|scope| {
        for rig in &rigs {
            scope.spawn(|| host(&rig.client, rig.client.open().unwrap(), 2_000));
        }
    });
    drop(links);
    for rig in rigs {
        assert_eq!(rig.stop().faults, Faults::default());
    }
    served.stop();
    let log = served.log.bytes();
    let found = raddle_live::replay_with(&registry, log.as_slice()).unwrap();
    assert!(found.difference.is_none() && found.answers > 4, "{found:?}");
    let told = raddle_live::replay(log.as_slice()).unwrap_err().to_string();
    assert!(told.contains("`last`") && told.contains("a registry that has its policies"), "{told}");
}

/// Checks that the log of a program keeps the numbered rules of the controller, and that a log in
/// which something is changed breaks the rule that forbids this.
fn keeps_and_breaks_rules(log: &str) {
    let broken = |log: &str| {
        let found = raddle_live::check(log.as_bytes()).unwrap();
        found.broken().keys().map(|rule| rule.name()).collect::<Vec<_>>()
    };
    assert_eq!(broken(log), [""; 0]);
    let breaks = |rule, from: &str, to: &str| {
        let changed = log.replace(from, to);
        assert_ne!(changed, log, "{from}");
        assert!(broken(&changed).contains(&rule), "{from}: {:?}", broken(&changed));
    };
    breaks("window", "\"window\":8", "\"window\":7");
    breaks("turn", "\"event\":\"resume\"", "\"event\":\"pause\"");
    breaks("once", "\"order\":9}", "\"order\":8}");
    breaks("order", "\"order\":8}", "\"order\":19}");
    breaks("flag", "\"answer\":\"lower\"", "\"event\":\"gave-up\"");
    breaks("pause", "\"answer\":\"drained\",\"resumed\":false", "\"event\":\"gave-up\"");
    // A reset hits no launch that may not be killed.
    let none = log.replace("\"idempotent\":\"idempotent\"", "\"idempotent\":\"not\"");
    assert!(!log.contains("\"answer\":\"reset\"") || broken(&none).contains(&"stopped"));
}

fn host_from(rig: &Rig, stream: StreamId, from: u32, jobs: u32) {
    crate::rig::host_from(&rig.client, stream, from, jobs);
}

#[test]
fn without_a_daemon_programs_run_also_one_that_is_preempted_and_join_again() {
    let mut served = Served::new(DaemonConfig::default());
    let rig = Rig::new(5);
    let link = served.link(&rig, None);
    until("it joins", || served.status().programs.len() == 1);
    let stream = rig.client.open().unwrap();
    host_from(&rig, stream, 0, 50);
    let mut by_hand = Inquiry::connect(&served.socket()).unwrap();
    let pid = std::process::id().cast_signed();
    assert_eq!(by_hand.preempt(pid).unwrap(), 1);
    // The program is held once the order is sent; it has heard the order when its work has left.
    until("it is held", || served.status().programs[0].standing == ProgramStanding::Held);
    let held = served.status().programs.remove(0);
    assert_eq!((held.because, held.by), (Some(OffReason::Order), vec![pid]));
    until("its work has left", || rig.client.counts().driver.drained() == 1);
    let job = |number| crate::rig::capture(&rig.client, stream, number);
    let order = job(50);
    let reached = Until::Stream(stream, order);
    assert!(!rig.client.wait_for(reached, Duration::from_millis(100)), "it is off the device");
    until("it is held for 100 ms", || served.status().programs[0].since_ms >= 100);
    assert_eq!(by_hand.resume(pid).unwrap(), 1);
    assert!(rig.client.wait_for(reached, Duration::from_secs(10)), "it goes on");
    // The daemon dies while it is preempted.
    assert_eq!(by_hand.preempt(pid).unwrap(), 1);
    until("it is held", || served.status().programs[0].standing == ProgramStanding::Held);
    until("its work has left", || rig.client.counts().driver.drained() == 2);
    let order = job(51);
    thread::sleep(Duration::from_millis(20));
    assert!(!rig.client.reached(Until::Stream(stream, order)));
    served.stop();
    let since = Instant::now();
    assert!(rig.client.wait_for(Until::Stream(stream, order), Duration::from_secs(10)));
    within(since.elapsed(), Duration::from_millis(100));
    served.start(DaemonConfig::default());
    until("it joins again", || served.status().programs.len() == 1);
    host_from(&rig, stream, 52, 50);
    drop(link);
    until("it has left", || served.status().programs.is_empty());
    host_from(&rig, stream, 102, 50);
    assert_eq!(rig.stop().faults, Faults::default());
}

#[test]
fn a_storm_loses_nothing_and_a_program_that_does_not_leave_is_counted() {
    let ms = Duration::from_millis;
    let give_up = Duration::from_millis(30);
    let storm = Some(Storm::new(ms(1), ms(4), 7));
    let served = Served::new(DaemonConfig { storm, give_up, ..DaemonConfig::default() });
    let rig = Rig::new(6);
    let link = served.link(&rig, None);
    until("it joins", || served.status().programs.len() == 1);
    let stream = rig.client.open().unwrap();
    let since = Instant::now();
    let mut from = 0;
    while since.elapsed() < ms(400) {
        host_from(&rig, stream, from, 100);
        from += 100;
    }
    let status = served.status();
    assert!(status.programs[0].ordered > 20, "{status:?}");
    // No launch of the program ends any more, so neither does a preemption.
    let card = Arc::clone(&rig.card);
    let held = card.lock().unwrap();
    thread::scope(|scope| {
        scope.spawn(|| crate::rig::capture(&rig.client, stream, from));
        until("it is overdue", || served.status().programs[0].overdue > 0);
        drop(held);
    });
    drop(link);
    let card = rig.stop();
    assert_eq!((card.faults, card.count >= u64::from(from)), (Faults::default(), true));
    assert!(served.said.lock().unwrap().iter().any(|line| line.contains("does not leave")));
}
