//! What becomes of small runs of the model, at a glance, and which does it refuse?

use std::fmt::Write as _;

use raddle_golden::ModelError;
use raddle_golden::preempt::model::{PreemptStep, StreamLaunch, StreamSetup, StreamWish};
use raddle_policy::{Idempotence, Tick};

use crate::checks::play;

const YES: Idempotence = Idempotence::Idempotent;
const NO: Idempotence = Idempotence::Not;

/// Writes one line for every tick at which a small run is preempted: killed launch, launches that
/// left, latency, end. The table changes where any comparison in the model is off by one.
#[test]
fn small_runs_at_a_glance() {
    let mut table = String::from("three launches of 3 ticks, resumed 1 tick after; exit 1\n");
    for (name, not) in [("all idempotent", 9), ("k0 not", 0), ("k1 not", 1), ("k2 not", 2)] {
        for (window, reset) in [(1, 0), (2, 2), (3, 2), (8, 9)] {
            writeln!(table, "\n{name}, window {window}, reset {reset}").unwrap();
            for preempt in 0..=10 {
                let launch = |n| StreamLaunch {
                    at: Tick(0),
                    ticks: 3,
                    idempotent: if n == not { NO } else { YES },
                };
                let launches: Vec<_> = (0..3).map(launch).collect();
                let setup =
                    StreamSetup { window, reset, can_reset: true, ..StreamSetup::default() };
                let wishes = [(preempt, StreamWish::Preempt), (preempt + 1, StreamWish::Resume)];
                let (log, outcome) = play(setup, &launches, &wishes);
                let mut line = String::new();
                for (at, step) in &log {
                    match step {
                        PreemptStep::Reset(killed) => {
                            let killed = killed.map_or("-".to_owned(), |k| format!("k{k}"));
                            write!(line, " kill {killed}").unwrap();
                        }
                        PreemptStep::Exited(k) => write!(line, " exit k{k}@{at}").unwrap(),
                        _ => {}
                    }
                }
                let (latency, end) = (outcome.latencies[0], log.last().unwrap().0);
                assert_eq!(outcome.done, [0, 1, 2]);
                writeln!(table, "at {preempt:>2}: latency {latency}, end {end:>2}{line}").unwrap();
            }
        }
    }
    insta::assert_snapshot!("small-runs", table);
}

/// Checks that a launch or a wish with an earlier time than the one before it happens together with
/// that one.
#[test]
fn times_that_fall_are_those_in_front() {
    let launch = |at| StreamLaunch { at: Tick(at), ticks: 1, idempotent: YES };
    let wishes = |first, second| [(first, StreamWish::Preempt), (second, StreamWish::Resume)];
    let fallen = play(StreamSetup::default(), &[launch(5), launch(4)], &wishes(7, 2));
    let ordered = play(StreamSetup::default(), &[launch(5), launch(5)], &wishes(7, 7));
    assert_eq!(fallen, ordered);
}

#[test]
fn a_run_beyond_time_or_steps_is_refused() {
    let ok = StreamLaunch { at: Tick(5), ticks: 1, idempotent: YES };
    let run = |setup, launches: &[StreamLaunch], wishes: &[(Tick, StreamWish)]| {
        raddle_golden::preempt::model::run(setup, launches, wishes, &mut |_, _, _| {}).map(drop)
    };
    let usual = StreamSetup::default();
    assert_eq!(
        run(StreamSetup { window: 0, ..usual }, &[ok], &[]).map_err(|error| error.to_string()),
        Err("a window of 0 lets nothing run: give at least 1".to_owned())
    );
    let long = [ok, StreamLaunch { ticks: u64::MAX, ..ok }];
    assert_eq!(run(usual, &long, &[]), Err(ModelError::LaunchTime { launch: 1 }));
    // Killed in time, the launch ends nowhere: only what happens is looked at.
    let reset = StreamSetup { can_reset: true, reset: u64::MAX, ..usual };
    let preempt = [(Tick(9), StreamWish::Preempt)];
    assert_eq!(run(StreamSetup { reset: 1, ..reset }, &long, &preempt), Ok(()));
    assert_eq!(run(reset, &long, &preempt), Err(ModelError::ResetTime));
    let few = StreamSetup { most_steps: 3, ..usual };
    assert_eq!(run(few, &[ok], &[]), Err(ModelError::Steps { most: 3 }));
    assert_eq!(run(StreamSetup { most_steps: 4, ..usual }, &[ok], &[]), Ok(()));
}
