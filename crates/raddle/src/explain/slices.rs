//! How do weights become a load and slices (seed 004)?
//!
//! The steps have the names of the seed, S10 to S23.

use raddle_timeslice::{LevelRange, SliceRule};
use serde_json::value::RawValue;

use super::{MOST_LINES, Step, Told, few, step};
use crate::golden::fault::Fault;
use crate::golden::read::Fields;
use crate::golden::slices::{Asked, Decided, Question, Ran, answer_of, decide, question, run, sum};
use crate::units::{counted, plain};

/// The worked example of the spec: 60 minutes alive, of which 3 and 10 were run, in milliseconds.
pub(super) const EXAMPLE: &str = r#"{"t0":40,"capacity":3,"rule":"claim","tasks":[{"name":"a","level":3,"created":0,"ran":180000},{"name":"b","level":3,"created":0,"ran":600000},{"name":"c","level":5,"created":0,"ran":1}],"now":3600000}"#;

/// Explains one question.
pub(super) fn explain(fields: &Fields<'_>) -> Result<Told, Fault> {
    let question = question(fields)?;
    let decided = decide(&question)?;
    let ran = run(&question)?;
    // An object of strings and integers: always JSON.
    let answer = answer_of(&question, &decided, ran.as_ref());
    let answer = RawValue::from_string(answer).unwrap_or_default();
    let mut steps = vec![
        levels(&question),
        candidates(&question, &decided),
        selection(&question, &decided),
        slices(&question, &decided),
        order(&question, &decided),
    ];
    steps.extend(ran.map(|ran| running(&question, &ran)));
    Ok(Told { steps, answer })
}

fn name(question: &Question, index: usize) -> String {
    question.tasks.get(index).map_or_else(String::new, |task| plain(&task.name, 40))
}

/// Some names, and how many more there are.
fn names(question: &Question, indices: impl Iterator<Item = usize>) -> String {
    let mut names: Vec<String> = indices.map(|index| name(question, index)).collect();
    let more = names.len().saturating_sub(MOST_LINES);
    if more > 0 {
        names.truncate(MOST_LINES);
        names.push(format!("and {more} more"));
    }
    plain(&names.join(", "), 160)
}

fn levels(question: &Question) -> Step {
    let line = |task: &Asked| {
        // Levels were read within range.
        let code = LevelRange::default().code(task.level.into());
        let code = code.map_or_else(|_| String::new(), |code| format!(", code {code}"));
        format!("{}: level {}{code}", plain(&task.name, 40), task.level)
    };
    let tasks = counted(question.tasks.len() as u64, "task", "tasks");
    let lines = few(question.tasks.iter().map(line).collect());
    step(format!("S10, S11: the pool of {tasks}, level 1 is the best"), lines)
}

fn candidates(question: &Question, decided: &Decided) -> Step {
    let first = decided.candidates.first().map_or(0, |&index| question.tasks[index].level);
    let lines = vec![
        names(question, decided.candidates.iter().copied()),
        "while any of them is unfinished, no other level runs".to_owned(),
    ];
    step(format!("S12: all tasks of level {first}, the best present"), lines)
}

fn selection(question: &Question, decided: &Decided) -> Step {
    let (found, fit) = (decided.candidates.len(), question.capacity);
    let mut lines = vec![format!(
        "weight = share x alive / run time, both times at least t0 = {}",
        question.t0
    )];
    let of = |(loaded, weight): (&raddle_timeslice::LoadedProcess, &String)| {
        let task = &question.tasks[loaded.index];
        let (alive, share) = (question.now - task.created, task.share);
        let (alive, ran) = (alive.max(question.t0), task.ran.max(question.t0));
        let name = plain(&task.name, 40);
        format!("{name}: {share} x {alive} / {ran} = {}", short(weight))
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

/// A number, or its beginning.
fn short(number: &str) -> String {
    plain(number, 60)
}

fn slices(question: &Question, decided: &Decided) -> Step {
    let (t0, total) = (question.t0, short(&sum(&decided.loaded)));
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
    let line = |(loaded, (slice, ticks)): (&raddle_timeslice::LoadedProcess, (&String, &u128))| {
        format!("{}: {}, charged as {ticks}", name(question, loaded.index), short(slice))
    };
    lines.extend(few(each.map(line).collect()));
    step(format!("S21: the slices by rule {}", question.rule.name()), lines)
}

fn order(question: &Question, decided: &Decided) -> Step {
    let lines = vec![
        names(question, decided.loaded.iter().map(|loaded| loaded.index)),
        "each runs for exactly its slice, then the next one begins".to_owned(),
    ];
    step("S20, S22, S23: first in, first out", lines)
}

fn running(question: &Question, ran: &Ran) -> Step {
    let until = question.until.unwrap_or(question.now);
    let mut lines = few((0..)
        .zip(&ran.ran)
        .map(|(i, ran)| format!("{} ran {ran}", name(question, i)))
        .collect());
    let ended =
        |&(index, at): &(usize, u64)| format!("{} completed at {at}", name(question, index));
    lines.extend(few(ran.completed.iter().map(ended).collect()));
    let loads = counted(ran.rounds, "load", "loads");
    step(format!("S23, and again from S10: {loads} from {} to {until}", question.now), lines)
}
