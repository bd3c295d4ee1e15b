//! What becomes of small runs of the model, at a glance, and which does it refuse?

use std::fmt::Write as _;

use raddle_golden::preempt::model::{Launch, ModelError, PreemptStep, Setup, Wish};
use raddle_policy::{Idempotence, Tick};
use raddle_preempt::PreemptError;

use crate::checks::play;

const YES: Idempotence = Idempotence::Idempotent;
const NO: Idempotence = Idempotence::Not;

/// One line for every tick at which a small run is preempted: what was killed, what left, latency,
/// end. Changes where any comparison is off by one.
#[test]
fn small_runs_at_a_glance() {
    let mut table = String::from("three launches of 3 ticks, resumed 1 tick after; exit 1\n");
    for (name, not) in [("all idempotent", 9), ("k0 not", 0), ("k1 not", 1), ("k2 not", 2)] {
        for (window, reset) in [(1, 0), (2, 2), (3, 2), (8, 9)] {
            writeln!(table, "\n{name}, window {window}, reset {reset}").unwrap();
            for preempt in 0..=10 {
                let launch = |n| Launch {
                    at: Tick(0),
                    ticks: 3,
                    idempotent: if n == not { NO } else { YES },
                };
                let launches: Vec<_> = (0..3).map(launch).collect();
                let setup = Setup { window, reset, can_reset: true, ..Setup::default() };
                let wishes = [(preempt, Wish::Preempt), (preempt + 1, Wish::Resume)];
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

#[test]
fn a_malformed_run_is_refused() {
    let ok = Launch { at: Tick(5), ticks: 1, idempotent: YES };
    let run = |setup, launches: &[Launch], wishes: &[(Tick, Wish)]| {
        raddle_golden::preempt::model::run(setup, launches, wishes, &mut |_, _, _| {}).map(drop)
    };
    let usual = Setup::default();
    let bad = [ok, Launch { at: Tick(4), ..ok }];
    assert_eq!(run(usual, &bad, &[]), Err(ModelError::LaunchOrder { launch: 1 }));
    let wishes = [(Tick(2), Wish::Resume), (Tick(1), Wish::Preempt)];
    assert_eq!(run(usual, &[ok], &wishes), Err(ModelError::CommandOrder { command: 1 }));
    assert_eq!(
        run(usual, &[Launch { ticks: 0, ..ok }], &[]),
        Err(ModelError::NoTicks { launch: 0 })
    );
    assert_eq!(run(Setup { exit: 0, ..usual }, &[ok], &[]), Err(ModelError::NoExit));
    assert_eq!(run(Setup { window: 0, ..usual }, &[ok], &[]), Err(PreemptError::NoWindow.into()));
    let long = [ok, Launch { ticks: u64::MAX, ..ok }];
    assert_eq!(run(usual, &long, &[]), Err(ModelError::LaunchTime { launch: 1 }));
    // Killed in time, the launch ends nowhere: only what happens is looked at.
    let reset = Setup { can_reset: true, reset: u64::MAX, ..usual };
    let preempt = [(Tick(9), Wish::Preempt)];
    assert_eq!(run(Setup { reset: 1, ..reset }, &long, &preempt), Ok(()));
    assert_eq!(run(reset, &long, &preempt), Err(ModelError::ResetTime));
    let few = Setup { most_steps: 3, ..usual };
    assert_eq!(run(few, &[ok], &[]), Err(ModelError::Steps { most: 3 }));
    assert_eq!(run(Setup { most_steps: 4, ..usual }, &[ok], &[]), Ok(()));
}
