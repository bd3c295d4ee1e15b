//! Does every client end as natively, undisturbed and in storms of preemptions?

use raddle_policy::Preemption;

use crate::run::{natively, with_library};
use crate::storm::Served;

/// Returns in how many storms (daemons that preempt at random) each client is tried.
fn storms() -> u64 {
    let given = std::env::var("RADDLE_TEST_STORMS").ok();
    given.and_then(|given| given.parse().ok()).unwrap_or(2)
}

/// Environment variable with the number of rounds of a client: enough for a few preemptions.
const ROUNDS: (&str, &str) = ("CLIENT_ROUNDS", "300");
/// Environment variable with the time, in ms, after which launches pass unscheduled where none
/// ends.
const GIVE_UP: (&str, &str) = (raddle_live::env::GIVE_UP_MS, "200");

/// Compares what a client prints with the library, without preemptions and in storms of them, with
/// what it prints without the library. Checks that each log keeps the rules of the controller.
/// Returns the number of preemptions.
fn compare(name: &str) -> usize {
    let mut preemptions = 0;
    let native = natively(name, &[ROUNDS]);
    assert_eq!(native.how, "exit status: 0", "{native:?}");
    let told = with_library(name, &[ROUNDS]);
    assert_eq!((&told.said, &told.how), (&native.said, &native.how), "{name}: {}", told.complaints);
    for seed in 0..storms() {
        let storm = Served::storm(Preemption::Wait, 300, 3000, seed);
        let (socket, place) = storm.environment();
        let log = storm.folder().join("log");
        let log_path = log.to_str().expect("its path is text");
        let told = with_library(
            name,
            &[ROUNDS, GIVE_UP, (socket, &place), (raddle_live::env::LOG, log_path)],
        );
        let how = format!("{name}, storm {seed}: {}", told.complaints);
        assert_eq!((&told.said, &told.how), (&native.said, &native.how), "{how}");
        // A program without a launch on its own has no log.
        if let Ok(log) = std::fs::read_to_string(&log) {
            let checked = raddle_live::check(log.as_bytes()).expect("the log can be read");
            preemptions += log.matches("\"event\":\"preempt\"").count();
            assert!(checked.broken().is_empty(), "{how}: {:?}", checked.broken());
        }
    }
    println!("{name}: {preemptions} preemptions in {} storms", storms());
    preemptions
}

/// Compares chains of launches in streams of several threads with and without the library; they
/// last long enough for preemptions.
#[test]
fn chains() {
    assert!(compare("chains") > 0, "the storm preempts");
}

macro_rules! hazards {
    ($($test:ident: $name:literal;)*) => {
        $(#[test]
        fn $test() {
            compare($name);
        })*
    };
}

hazards! {
    events: "events";
    graphs: "graphs";
    per_thread: "per thread";
    apart: "apart";
    reused: "reused";
    default_stream: "default stream";
    exit_running: "exit running";
    exit_launching: "exit launching";
    forks: "forks";
    fork_first: "fork first";
    contexts: "contexts";
    resets: "resets";
    streams: "streams";
    ways: "ways";
    failing: "failing";
    host_calls: "host calls";
    closes: "closes";
}

/// Checks that a kernel which waits for a later launch of the host gets it, although more launches
/// than the window holds come before that.
#[test]
fn a_kernel_that_waits_for_the_host_gets_what_it_waits_for() {
    let native = natively("host waits", &[]);
    let soon = (raddle_live::env::GIVE_UP_MS, "50");
    let storm = Served::storm(Preemption::Wait, 300, 3000, 7);
    let (socket, place) = storm.environment();
    for environment in [&[soon][..], &[soon, (socket, &place)]] {
        let told = with_library("host waits", environment);
        assert_eq!((&told.said, &told.how), (&native.said, &native.how), "{told:?}");
    }
}

/// Checks that the library waits for no launch when a context is given up that another part of the
/// program still holds.
#[test]
fn a_context_that_is_held_is_not_waited_for() {
    let told = with_library("held", &[(raddle_live::env::GIVE_UP_MS, "600000")]);
    assert_eq!((told.said.as_str(), told.how.as_str()), ("1\n", "exit status: 0"), "{told:?}");
}
