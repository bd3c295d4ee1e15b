//! When does each launch run, leave and run again, when a GPU is preempted (seed 001)?
//!
//! `{"launches":[{"at":0,"ticks":10,"idempotent":true},..],"commands":[{"at":25,"do":"preempt"},..]}`
//! is answered with the log of the run, the latency of each preemption, and what became of the
//! launches. Times are ticks.

mod explain;
pub mod model;

use std::collections::BTreeMap;

use raddle_policy::Tick;
use raddle_preempt::WishAnswer;
use raddle_read::FaultKind;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::explain::PreemptTeller;
use self::model::{PreemptStep, StreamLaunch, StreamSetup, StreamWish};
use crate::explanation::Story;
use crate::fault::{Fault, has, positive, read_at};
use crate::{MOST_FIGURES, ModelError, Topic, json};

pub(crate) const TOPIC: Topic = Topic {
    name: "preempt",
    // Worked A of the digest: every launch may be run again.
    example: r#"{"window":8,"exit":1,"reset":2,"launches":[{"at":0,"ticks":10,"idempotent":true},{"at":0,"ticks":10,"idempotent":true},{"at":0,"ticks":10,"idempotent":true},{"at":0,"ticks":10,"idempotent":true},{"at":0,"ticks":10,"idempotent":true},{"at":0,"ticks":10,"idempotent":true},{"at":0,"ticks":10,"idempotent":true},{"at":0,"ticks":10,"idempotent":true},{"at":0,"ticks":10,"idempotent":true},{"at":0,"ticks":10,"idempotent":true},{"at":0,"ticks":10,"idempotent":true},{"at":0,"ticks":10,"idempotent":true},{"at":40,"ticks":10,"idempotent":true}],"commands":[{"at":25,"do":"preempt"},{"at":84,"do":"resume"}],"can_reset":true}"#,
    solve,
};

#[derive(Deserialize)]
struct PreemptQuestion {
    #[serde(default = "eight", deserialize_with = "positive")]
    window: u64,
    #[serde(default = "one", deserialize_with = "positive")]
    exit: u64,
    #[serde(default = "two")]
    reset: u64,
    launches: Vec<StreamLaunch>,
    commands: Vec<AskedCommand>,
    #[serde(default)]
    can_reset: bool,
}

const fn eight() -> u64 {
    8
}

const fn one() -> u64 {
    1
}

const fn two() -> u64 {
    2
}

#[derive(Deserialize)]
struct AskedCommand {
    at: u64,
    #[serde(rename = "do")]
    wish: StreamWish,
}

/// A run of a preempted GPU that a question asks for: launches, and requests to preempt or resume
/// with their ticks.
struct PreemptRun {
    setup: StreamSetup,
    launches: Vec<StreamLaunch>,
    wishes: Vec<(Tick, StreamWish)>,
}

#[derive(Serialize)]
struct PreemptAnswer<'o> {
    log: Vec<PreemptEntry>,
    latencies: &'o [u64],
    done: &'o [usize],
    partial_runs: BTreeMap<usize, u64>,
    held: &'o [usize],
    end: u64,
}

#[derive(Serialize)]
struct PreemptEntry {
    t: u64,
    #[serde(flatten)]
    what: PreemptWord,
}

/// Event in the log of a preempted run, with the number of the launch that it is about.
#[derive(Serialize)]
#[serde(untagged)]
enum PreemptWord {
    Submit { submit: usize },
    Start { start: usize },
    Done { done: usize },
    Exit { exit: usize },
    Preempt { preempt: bool },
    Reset { reset: bool, killed: Option<usize> },
    Drained { drained: bool },
    Resume { resume: bool },
}

fn question(value: &Value) -> Result<PreemptRun, Fault> {
    let asked: PreemptQuestion = read_at(value, "")?;
    ascending("launches", asked.launches.iter().map(|launch| launch.at.0))?;
    ascending("commands", asked.commands.iter().map(|command| command.at))?;
    let setup = StreamSetup {
        // A window of u32::MAX is larger than the number of launches, so the cut changes nothing.
        window: u32::try_from(asked.window).unwrap_or(u32::MAX),
        exit: asked.exit,
        reset: asked.reset,
        can_reset: asked.can_reset,
        most_steps: MOST_FIGURES,
    };
    let wishes = asked.commands.iter().map(|it| (Tick(it.at), it.wish)).collect();
    Ok(PreemptRun { setup, launches: asked.launches, wishes })
}

/// Checks that the times in the question's list `key` are in ascending order; returns a fault where
/// they are not.
fn ascending(key: &str, times: impl Iterator<Item = u64>) -> Result<(), Fault> {
    let mut last = 0;
    for (n, at) in times.enumerate() {
        if at < last {
            let message = format!("`at` must not fall in `{key}`: {at} comes after {last}");
            return Err(Fault::new(FaultKind::Inconsistent, &format!("/{key}/{n}/at"), message));
        }
        last = at;
    }
    Ok(())
}

fn solve(value: &Value, story: &mut Story) -> Result<String, Fault> {
    let question = question(value)?;
    let PreemptRun { setup, launches, wishes } = &question;
    let (mut log, mut teller) = (Vec::new(), PreemptTeller::new(&question, story));
    let outcome = model::run(*setup, launches, wishes, &mut |Tick(t), step, controller| {
        log.extend(word(step).map(|what| PreemptEntry { t, what }));
        teller.add(t, step, controller);
    });
    let outcome = outcome.map_err(|error| {
        let overflow = |at: &str, what: &str| Fault::new(FaultKind::Overflow, at, what);
        match error {
            ModelError::LaunchTime { launch } => {
                overflow(&format!("/launches/{launch}"), "it ends at a tick beyond 64 bits")
            }
            ModelError::ResetTime => {
                let at = if has(value, "reset") { "/reset" } else { "" };
                overflow(at, "a reset ends at a tick beyond 64 bits")
            }
            ModelError::Steps { .. } => {
                Fault::new(FaultKind::OutOfRange, "/launches", error.to_string())
            }
            other => Fault::new(FaultKind::Inconsistent, "", other.to_string()),
        }
    })?;
    teller.end(&outcome);
    let partial = (0..).zip(&outcome.partial_runs).filter(|(_, runs)| **runs > 0);
    let end = log.last().map_or(0, |entry| entry.t);
    Ok(json(&PreemptAnswer {
        log,
        latencies: &outcome.latencies,
        done: &outcome.done,
        partial_runs: partial.map(|(launch, &runs)| (launch, runs)).collect(),
        held: &outcome.held,
        end,
    }))
}

/// Returns the event of the answer's log for a step of the preempted run; `None` for a step that
/// the log does not show.
fn word(step: &PreemptStep) -> Option<PreemptWord> {
    Some(match *step {
        PreemptStep::Submitted(submit) => PreemptWord::Submit { submit },
        PreemptStep::Started(start) => PreemptWord::Start { start },
        PreemptStep::Done(done) => PreemptWord::Done { done },
        PreemptStep::Exited(exit) => PreemptWord::Exit { exit },
        PreemptStep::Preempt(WishAnswer::Begun) => PreemptWord::Preempt { preempt: true },
        PreemptStep::Reset(killed) => PreemptWord::Reset { reset: true, killed },
        PreemptStep::Drained => PreemptWord::Drained { drained: true },
        PreemptStep::Resume(WishAnswer::Begun) | PreemptStep::Resumes => {
            PreemptWord::Resume { resume: true }
        }
        _ => return None,
    })
}
