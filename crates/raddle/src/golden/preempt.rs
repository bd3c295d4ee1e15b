//! When does each launch run, leave and run again, when a GPU is preempted (seed 001)?
//!
//! `{"launches":[{"at":0,"ticks":10,"idempotent":true},..],"commands":[{"at":25,"do":"preempt"},..]}`
//! is answered with the log of the run, the latency of each preemption, and what became of the
//! launches. Times are ticks.

use std::collections::BTreeMap;

use raddle_golden::preempt::model::{Launch, ModelError, Outcome, Setup, Step, Wish, run};
use raddle_policy::{Idempotence, Tick};
use raddle_preempt::{Controller, Preempted, Resumed};
use serde::Serialize;

use super::fault::{Fault, Kind};
use super::read::{Fields, list, wrong_type};
use super::{MOST_FIGURES, json};

/// One question, read.
#[derive(Debug)]
pub(crate) struct Question {
    pub(crate) setup: Setup,
    pub(crate) launches: Vec<Launch>,
    pub(crate) wishes: Vec<(Tick, Wish)>,
    /// Where the launches and the reset are in the line.
    at: [String; 2],
}

#[derive(Serialize)]
struct Answer<'o> {
    log: Vec<Entry>,
    latencies: &'o [u64],
    done: &'o [usize],
    partial_runs: BTreeMap<usize, u64>,
    held: &'o [usize],
    end: u64,
}

#[derive(Serialize)]
struct Entry {
    t: u64,
    #[serde(flatten)]
    what: What,
}

/// One word of the log; launches by number.
#[derive(Serialize)]
#[serde(untagged)]
enum What {
    Submit { submit: usize },
    Start { start: usize },
    Done { done: usize },
    Exit { exit: usize },
    Preempt { preempt: bool },
    Reset { reset: bool, killed: Option<usize> },
    Drained { drained: bool },
    Resume { resume: bool },
}

/// Answers one question.
pub(crate) fn answer(fields: &Fields<'_>) -> Result<String, Fault> {
    answer_of(&question(fields)?)
}

/// The answer as JSON.
pub(crate) fn answer_of(question: &Question) -> Result<String, Fault> {
    let mut log = Vec::new();
    let outcome = play(question, &mut |Tick(t), step, _| {
        log.extend(word(step).map(|what| Entry { t, what }));
    })?;
    let partial = (0..).zip(&outcome.partial_runs).filter(|(_, runs)| **runs > 0);
    let end = log.last().map_or(0, |entry| entry.t);
    Ok(json(&Answer {
        log,
        latencies: &outcome.latencies,
        done: &outcome.done,
        partial_runs: partial.map(|(launch, &runs)| (launch, runs)).collect(),
        held: &outcome.held,
        end,
    }))
}

/// The word of the log for a step, if it has one.
fn word(step: &Step) -> Option<What> {
    Some(match *step {
        Step::Submitted(submit) => What::Submit { submit },
        Step::Started(start) => What::Start { start },
        Step::Done(done) => What::Done { done },
        Step::Exited(exit) => What::Exit { exit },
        Step::Preempt(Preempted::Begun) => What::Preempt { preempt: true },
        Step::Reset(killed) => What::Reset { reset: true, killed },
        Step::Drained => What::Drained { drained: true },
        Step::Resume(Resumed::Now) | Step::Resumes => What::Resume { resume: true },
        _ => return None,
    })
}

/// Runs the question; `watch` sees every step and the controller after it.
pub(crate) fn play(
    question: &Question,
    watch: &mut dyn FnMut(Tick, &Step, &Controller<usize>),
) -> Result<Outcome, Fault> {
    let Question { setup, launches, wishes, at } = question;
    let [launches_at, reset_at] = at;
    run(*setup, launches, wishes, watch).map_err(|error| match error {
        ModelError::LaunchTime { launch } => {
            let at = format!("{launches_at}/{launch}");
            Fault::new(Kind::Overflow, &at, "it ends at a tick beyond 64 bits")
        }
        ModelError::ResetTime => {
            Fault::new(Kind::Overflow, reset_at, "a reset ends at a tick beyond 64 bits")
        }
        ModelError::Steps { .. } => Fault::new(Kind::OutOfRange, launches_at, error.to_string()),
        other => Fault::new(Kind::Inconsistent, "", other.to_string()),
    })
}

/// What a question asks for.
pub(crate) fn question(fields: &Fields<'_>) -> Result<Question, Fault> {
    fields.only(&["window", "exit", "reset", "launches", "commands", "can-reset"])?;
    let or = |key, low, default| match fields.get(key) {
        Ok(_) => fields.integer(key, low..=u64::MAX),
        Err(_) => Ok(default),
    };
    let setup = Setup::default();
    let setup = Setup {
        // There are never more launches than this to be submitted.
        window: u32::try_from(or("window", 1, setup.window.into())?).unwrap_or(u32::MAX),
        exit: or("exit", 1, setup.exit)?,
        reset: or("reset", 0, setup.reset)?,
        can_reset: match fields.get("can-reset") {
            Ok(_) => truth(fields, "can-reset")?,
            Err(_) => setup.can_reset,
        },
        most_steps: MOST_FIGURES,
    };
    let (launches, wishes) = (timed(fields, "launches", launch)?, timed(fields, "commands", wish)?);
    let launches_at = fields.get("launches").map(|(_, at)| at)?;
    let reset_at = fields.get("reset").map_or_else(|_| String::new(), |(_, at)| at);
    let launches = launches.into_iter().map(|(at, launch)| Launch { at, ..launch }).collect();
    Ok(Question { setup, launches, wishes, at: [launches_at, reset_at] })
}

/// A list of things that each have a time, which never falls.
fn timed<T>(
    fields: &Fields<'_>,
    key: &str,
    read: fn(&Fields<'_>) -> Result<T, Fault>,
) -> Result<Vec<(Tick, T)>, Fault> {
    let (value, at) = fields.get(key)?;
    let mut all: Vec<(Tick, T)> = Vec::new();
    for (value, at) in list(value, &at)? {
        let fields = Fields::of(value, &at)?;
        let it = read(&fields)?;
        let now = Tick(fields.integer("at", 0..=u64::MAX)?);
        if all.last().is_some_and(|(last, _)| *last > now) {
            let message = format!("`at` of {key} never falls: {now} stands behind a later tick");
            return Err(Fault::new(Kind::Inconsistent, &fields.pointer("at"), message));
        }
        all.push((now, it));
    }
    Ok(all)
}

fn launch(fields: &Fields<'_>) -> Result<Launch, Fault> {
    fields.only(&["at", "ticks", "idempotent"])?;
    let ticks = fields.integer("ticks", 1..=u64::MAX)?;
    let idempotent = truth(fields, "idempotent")?;
    let idempotent = if idempotent { Idempotence::Idempotent } else { Idempotence::Not };
    Ok(Launch { at: Tick::ZERO, ticks, idempotent })
}

fn wish(fields: &Fields<'_>) -> Result<Wish, Fault> {
    fields.only(&["at", "do"])?;
    fields.word("do", &[("preempt", Wish::Preempt), ("resume", Wish::Resume)])
}

fn truth(fields: &Fields<'_>, key: &str) -> Result<bool, Fault> {
    let (value, at) = fields.get(key)?;
    value.as_bool().ok_or_else(|| wrong_type(&at, "true or false", value))
}
