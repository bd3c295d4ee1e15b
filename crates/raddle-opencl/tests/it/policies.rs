//! Do other policies decide while programs run, and do they see what is said of the programs?

use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use raddle_dispatch::Registry;
use raddle_live::{DaemonConfig, Inquiry, LiveHint};
use raddle_policy::{Hint, Level, Ticks};
use xsched_policies::{
    ActiveWindowFirst, CompletelyFair, FeedbackQueues, FirstComeFirstServed, HighestPriority,
    KEarliestDeadlines, Laxity, ProcessPartition, StreamPartition, SystemPriority,
};

use crate::run::{client, device, told_under_layer, under_layer_for};
use crate::storm::Served;

/// The policies of raddle and the ten of XSched.
fn registry() -> Registry {
    Registry::bundled()
        .turn::<FirstComeFirstServed>()
        .turn::<HighestPriority>()
        .turn::<SystemPriority>()
        .turn::<StreamPartition>()
        .turn::<ProcessPartition>()
        .turn::<CompletelyFair>()
        .turn::<FeedbackQueues>()
        .turn::<KEarliestDeadlines>()
        .turn::<Laxity>()
        .turn::<ActiveWindowFirst>()
}

/// A log that the test reads while the daemon writes it.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Shared {
    fn text(&self) -> String {
        let bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// The programs that have the turn, of each answer behind the last recipe that was set.
    fn turns(&self) -> Vec<String> {
        let text = self.text();
        let behind = text.rsplit_once("\"event\":\"set\"").map_or(text.as_str(), |it| it.1);
        let named = |line: &str| {
            let (_, named) = line.split_once("\"answer\":\"turn\",\"may_issue\":[")?;
            Some(named.split_once(']')?.0.to_owned())
        };
        behind.lines().filter_map(named).collect()
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let found = (0..10_000).any(|_| {
        std::thread::sleep(Duration::from_millis(2));
        holds()
    });
    assert!(found, "{what}");
}

/// What each policy does with two busy programs, of which the second, 1, says that it is urgent: it has
/// the turn alone, each has it alone in turns, or one of them has it.
const TEN: [(&str, &str, Expected); 10] = [
    ("awf", "", Expected::Second),
    ("hpf", "", Expected::Second),
    ("hhpf", "", Expected::Second),
    ("kedf", "k = 1", Expected::Second),
    ("lax", "", Expected::Second),
    ("fifo", "", Expected::One),
    ("up", "slice-us = 4000", Expected::InTurns),
    ("pup", "slice-us = 4000", Expected::InTurns),
    ("cfs", "slice-us = 4000", Expected::InTurns),
    ("mlfq", "slice-us = 4000", Expected::InTurns),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Expected {
    Second,
    One,
    InTurns,
}

impl Expected {
    fn seen(self, turns: &[String]) -> bool {
        let alone = |id: &str| turns.iter().filter(|named| *named == id).count();
        match self {
            Self::Second => alone("1") > 0 && turns.last().is_some_and(|named| named == "1"),
            Self::One => alone("0") + alone("1") > 0,
            Self::InTurns => alone("0") >= 5 && alone("1") >= 5,
        }
    }
}

/// The ten policies of XSched, one after the other, over two programs that never notice.
#[test]
fn ten_policies_decide_one_after_the_other() {
    if !device() {
        return;
    }
    let log = Shared::default();
    let options = DaemonConfig { registry: registry(), ..DaemonConfig::default() };
    let served = Served::of(options, Some(Box::new(log.clone())));
    let (socket, place) = served.environment();
    let limit = Duration::from_secs(240);
    let rounds = ("RADDLE_TEST_ROUNDS", "400");
    let native = client("chains", &[rounds], limit).expect("it ends");
    let ask = || Inquiry::connect(Path::new(&place)).expect("it serves");
    let pids = || {
        let status = ask().status().expect("it serves");
        status.programs.iter().map(|it| it.pid).collect::<Vec<_>>()
    };
    std::thread::scope(|scope| {
        let run = || under_layer_for("chains", &[(socket, &place), rounds], limit);
        let first = scope.spawn(run);
        until("the first joins", || pids().len() == 1 || first.is_finished());
        let second = scope.spawn(run);
        until("the second joins", || pids().len() == 2 || second.is_finished());
        let set = |name: &str, setting: &str| {
            let text = format!(
                "raddle = 1\n[turn]\npolicy = \"xsched-{name}\"\n{setting}\n[preempt]\npolicy = \"reset\"\n"
            );
            let recipe = registry().recipe(name, &text).expect("a recipe");
            assert_eq!(ask().set(&recipe).expect("it can run live"), 2, "{name}");
        };
        // Before anything is said of them, both have the turn.
        set("awf", "");
        until("both", || log.turns().last().is_some_and(|named| named == "0,1"));
        for hint in [
            Hint::Priority(Level(1)),
            Hint::Deadline(Ticks(1_000_000)),
            Hint::Laxity(Ticks(1_000_000)),
            Hint::Custom(1),
        ] {
            let told = ask().hint(Some(pids()[1]), LiveHint::Policy(hint));
            assert_eq!(told.expect("it serves"), 1);
        }
        for (name, setting, expected) in TEN {
            set(name, setting);
            until(name, || expected.seen(&log.turns()));
            let status = ask().status().expect("it serves");
            assert_eq!((status.policies.0, status.fell_back), (format!("xsched-{name}"), None));
            assert_eq!(status.programs.len(), 2, "{name}: a program has ended before");
        }
        ask().set(&registry().recipe("all", "raddle = 1").expect("a recipe")).expect("it runs");
        for client in [first, second] {
            assert_eq!(client.join().expect("no panic"), Ok(native.clone()));
        }
    });
    drop(served);
    let found = raddle_live::replay_with(&registry(), log.text().as_bytes()).expect("it is read");
    assert!(found.is_whole && found.difference.is_none() && found.answers > 40, "{found:?}");
}

/// A program in C says something of itself through the layer, and nobody makes it more urgent than it is.
#[test]
fn a_program_says_that_its_work_is_due() {
    if !device() {
        return;
    }
    let log = Shared::default();
    let served = Served::of(DaemonConfig::default(), Some(Box::new(log.clone())));
    let (socket, place) = served.environment();
    let told = told_under_layer("says", &[(socket, &place)]).expect("it ends");
    assert_eq!(told.answer, "Some(1) 1 -1");
    drop(served);
    let text = log.text();
    assert!(text.contains("\"hint\":{\"deadline\":20000000}"), "{text}");
    assert!(text.contains("\"hint\":{\"level\":128}"), "{text}");
}
