//! Does a client keep its promises however its threads interleave? Two launches, one preempt, one resume,
//! callbacks that come late; the host waits for both launches.
//!
//! The client's own files, with the locks and threads of loom, which tries every order in which a thread
//! may be interrupted so often (`LOOM_MAX_PREEMPTIONS`, 1; 2 in the soak).
#![allow(
    dead_code,
    unreachable_pub,
    unused_imports,
    unfulfilled_lint_expectations,
    reason = "the client is compiled in whole"
)]
#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "test code with threads")]

#[path = "../../src/client/mod.rs"]
mod client;
#[path = "../../src/error.rs"]
mod error;
mod sync {
    pub(crate) use std::sync::{PoisonError, TryLockError};

    pub(crate) use loom::sync::{Arc, Condvar, Mutex, MutexGuard};
    pub(crate) use loom::thread;
}

use client::{Client, ClientConfig, PROCESS, Reporter, Until};
use error::LiveError;
use raddle_policy::{Idempotence, Preemption, ProcessId, StreamId};
use raddle_preempt::{
    Abilities, CapturedWork, Declared, FlagCut, LaunchHandle, Report, ResetScope, Runtime,
    SubmitCall,
};
use sync::{Arc, Condvar, Mutex, thread};

/// Device of the test: the launches that it has to run, in their order, and its preemption flag.
#[derive(Default)]
struct Card {
    queue: Vec<LaunchHandle>,
    raised: bool,
    cut: FlagCut,
    ran: Vec<u64>,
    over: bool,
}

/// Runtime of the test, whose card (device) runs on a thread of its own.
struct Slow(Arc<(Mutex<Card>, Condvar)>);

fn declared() -> Declared {
    let abilities = Abilities::NONE.with(Preemption::Flag, true);
    Declared { abilities, latched: true, withdraws: false, scope: ResetScope::Queue }
}

impl Slow {
    fn change(&self, change: impl FnOnce(&mut Card)) {
        change(&mut self.0.0.lock().unwrap());
        self.0.1.notify_one();
    }
}

impl Runtime<u64> for Slow {
    fn declared(&self) -> Declared {
        declared()
    }

    fn submit(&mut self, handle: LaunchHandle, _: StreamId, _: u64) -> SubmitCall {
        self.change(|card| card.queue.push(handle));
        SubmitCall::Returned
    }

    fn raise(&mut self, _: ProcessId, cuts: &[(StreamId, FlagCut)]) {
        let cut = cuts.first().map_or_else(FlagCut::default, |(_, cut)| *cut);
        self.change(|card| (card.cut, card.raised) = (cut, true));
    }

    fn lower(&mut self, _: ProcessId) {
        self.change(|card| card.cut = FlagCut::default());
    }
}

/// Runs the card (device) of the test: it does one thing after the other, and reports each late.
fn run(card: &(Mutex<Card>, Condvar), reporter: &Reporter<u64>) {
    loop {
        let mut it = card.0.lock().unwrap();
        while it.queue.is_empty() && !it.raised && !it.over {
            it = card.1.wait(it).unwrap();
        }
        let report = if std::mem::take(&mut it.raised) {
            Report::Raised(PROCESS)
        } else if it.queue.is_empty() {
            return;
        } else {
            let handle = it.queue.remove(0);
            if it.cut.holds(handle.sequence()) {
                Report::Exited(handle)
            } else {
                it.ran.push(handle.sequence());
                Report::Finished(handle)
            }
        };
        drop(it);
        reporter.report(report).unwrap();
    }
}

fn schedule(way: Preemption) {
    let card = Arc::new((Mutex::new(Card::default()), Condvar::new()));
    let on = Slow(Arc::clone(&card));
    let client = Client::start(declared(), ClientConfig::default(), |_| on).unwrap();
    let (reporter, runs) = (client.reporter(), Arc::clone(&card));
    let card_thread = thread::spawn(move || run(&runs, &reporter));
    let scheduler = client.clone();
    let scheduler = thread::spawn(move || {
        scheduler.preempt(way);
        scheduler.resume();
    });
    let stream = client.open().unwrap();
    let mut last = None;
    for number in 0..2 {
        let work = CapturedWork::kernel(number, Idempotence::Not);
        last = client.capture(stream, work).unwrap().order();
    }
    // Would block for ever if a wake-up were lost: loom says so.
    client.wait(Until::Stream(stream, last.unwrap()));
    scheduler.join().unwrap();
    let counts = client.counts();
    assert_eq!((counts.driver.finished(), counts.unasked, counts.waiting), (2, 0, 0));
    Slow(Arc::clone(&card)).change(|card| card.over = true);
    card_thread.join().unwrap();
    let card = card.0.lock().unwrap();
    assert!(card.ran.len() == 2 && card.ran.is_sorted(), "{:?}", card.ran);
    drop(card);
    drop(client);
}

fn every(way: Preemption) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = model.preemption_bound.or(Some(1));
    model.check(move || schedule(way));
}

#[test]
fn two_launches_a_preemption_by_the_flag_and_late_callbacks() {
    every(Preemption::Flag);
}

#[test]
fn two_launches_a_preemption_by_waiting_and_late_callbacks() {
    every(Preemption::Wait);
}
