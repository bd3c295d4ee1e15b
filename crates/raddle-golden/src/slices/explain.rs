//! How do weights become a load and slices (seed 004)?
//!
//! The steps have the names of the seed, S10 to S23.

use crate::Explained;
use raddle_dispatch::read::shown;
use raddle_timeslice::{LevelRange, LoadedProcess, SliceRule};
use serde_json::Value;

use super::{
    DecidedSlices, SlicesQuestion, SlicesRun, SlicesTask, answer_of, decide, question, run, sum,
};
use crate::explanation::{ExplainedStep, counted, few, listed, step};
use crate::fault::Fault;

pub(super) fn explain(value: &Value) -> Result<Explained, Fault> {
    let question = question(value)?;
    let decided = decide(&question)?;
    let ran = run(&question)?;
    let answer = answer_of(&question, &decided, ran.as_ref());
    let mut steps = vec![
        levels(&question),
        candidates(&question, &decided),
        selection(&question, &decided),
        slices(&question, &decided),
        order(&question, &decided),
    ];
    steps.extend(ran.map(|ran| running(&question, &ran)));
    Ok((steps, answer))
}

fn name(question: &SlicesQuestion, index: usize) -> String {
    question.tasks.get(index).map_or_else(String::new, |task| shown(&task.name))
}

/// The first names.
fn names(question: &SlicesQuestion, indices: impl Iterator<Item = usize>) -> String {
    listed(indices.map(|index| name(question, index)), ", ")
}

fn levels(question: &SlicesQuestion) -> ExplainedStep {
    let line = |task: &SlicesTask| {
        // LevelRange were read within range.
        let code = LevelRange::default().code(task.level.into());
        let code = code.map_or_else(|_| String::new(), |code| format!(", code {code}"));
        format!("{}: level {}{code}", shown(&task.name), task.level)
    };
    let tasks = counted(question.tasks.len() as u64, "task", "tasks");
    let lines = few(question.tasks.iter().map(line).collect());
    step(format!("S10, S11: the pool of {tasks}, level 1 is the best"), lines)
}

fn candidates(question: &SlicesQuestion, decided: &DecidedSlices) -> ExplainedStep {
    let first = decided.candidates.first().map_or(0, |&index| question.tasks[index].level);
    let lines = vec![
        names(question, decided.candidates.iter().copied()),
        "while any of them is unfinished, no other level runs".to_owned(),
    ];
    step(format!("S12: all tasks of level {first}, the best present"), lines)
}

fn selection(question: &SlicesQuestion, decided: &DecidedSlices) -> ExplainedStep {
    let (found, fit) = (decided.candidates.len(), question.capacity());
    let mut lines = vec![format!(
        "weight = share x alive / run time, both times at least t0 = {}",
        question.t0
    )];
    let of = |(loaded, weight): (&LoadedProcess, &String)| {
        let task = &question.tasks[loaded.index];
        let (alive, share) = (question.now - task.created, task.share);
        let (alive, ran) = (alive.max(question.t0), task.ran.max(question.t0));
        let name = shown(&task.name);
        format!("{name}: {share} x {alive} / {ran} = {}", shown(weight))
    };
    lines.extend(few(decided.loaded.iter().zip(&decided.weights).map(of).collect()));
    let title = if found <= fit {
        format!(
            "S13: {}, {fit} fit: all are loaded",
            counted(found as u64, "candidate", "candidates")
        )
    } else {
        lines.push("by weight, large to small; equal weights in pool order".to_owned());
        format!("S14: {found} candidates, {fit} fit: S141 sorts, S142 takes the first {fit}")
    };
    step(title, lines)
}

fn slices(question: &SlicesQuestion, decided: &DecidedSlices) -> ExplainedStep {
    let (t0, total) = (question.t0, shown(&sum(&decided.loaded)));
    let formula = match question.rule {
        SliceRule::Claim => {
            format!("slice = t0 x W / w, t0 = {t0}, W = {total}: who ran more gets more")
        }
        SliceRule::Equal => format!("slice = t0 = {t0}"),
        SliceRule::Mean => {
            let n = decided.loaded.len();
            format!("slice = t0 x n x w / W, t0 = {t0}, n = {n}, W = {total}")
        }
        SliceRule::Inverse => format!("slice = t0 x w x (sum of 1 / w), t0 = {t0}"),
        SliceRule::MinOne => format!("slice = t0 x w / (the least w), t0 = {t0}"),
    };
    let mut lines = vec![formula];
    if let Some(longest) = question.longest {
        lines.push(format!("none is longer than {longest}"));
    }
    let each = decided.loaded.iter().zip(decided.slices.iter().zip(&decided.ticks));
    let line = |(loaded, (slice, ticks)): (&LoadedProcess, (&String, &u128))| {
        format!("{}: {}, charged as {ticks}", name(question, loaded.index), shown(slice))
    };
    lines.extend(few(each.map(line).collect()));
    step(format!("S21: the slices by rule {}", question.rule.name()), lines)
}

fn order(question: &SlicesQuestion, decided: &DecidedSlices) -> ExplainedStep {
    let lines = vec![
        names(question, decided.loaded.iter().map(|loaded| loaded.index)),
        "each runs for exactly its slice, then the next one begins".to_owned(),
    ];
    step("S20, S22, S23: first in, first out", lines)
}

fn running(question: &SlicesQuestion, ran: &SlicesRun) -> ExplainedStep {
    let mut lines = few((0..)
        .zip(&ran.ran)
        .map(|(i, ran)| format!("{} ran {ran}", name(question, i)))
        .collect());
    let ended =
        |&(index, at): &(usize, u64)| format!("{} completed at {at}", name(question, index));
    lines.extend(few(ran.completed.iter().map(ended).collect()));
    let loads = counted(ran.rounds, "load", "loads");
    step(format!("S23, and again from S10: {loads} from {} to {}", question.now, ran.until), lines)
}
