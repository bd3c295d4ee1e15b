//! How does a row of failures lead to a split, and a workgroup to its pieces (seed 000, E3)?
//!
//! The steps have the names of the seed, c0 to c4.

use raddle_workgroup::split::Outcome;
use serde_json::value::RawValue;

use super::{Step, Told, few, step};
use crate::golden::fault::Fault;
use crate::golden::read::Fields;
use crate::golden::split::{Cut, Question, answer_of, judged, question};
use crate::units::{counted, plain};

/// The worked example of the spec.
pub(super) const EXAMPLE: &str =
    r#"{"threshold":3,"rounds":["fail","fail","fit","fail","fail","fail","fail","fail"]}"#;

/// Explains one question.
pub(super) fn explain(fields: &Fields<'_>) -> Result<Told, Fault> {
    let question = question(fields)?;
    let steps = match &question {
        Question::Rounds { threshold, rounds } => counted_out(*threshold, rounds),
        Question::Cut(cut) => pieces(cut),
    };
    // An object of strings and integers: always JSON.
    let answer = RawValue::from_string(answer_of(&question)?).unwrap_or_default();
    Ok(Told { steps, answer })
}

fn counted_out(threshold: u64, rounds: &[Outcome]) -> Vec<Step> {
    let mut before = 0;
    let lines = (1..).zip(judged(threshold, rounds)).map(|(round, (g, action))| {
        let (from, why) = (before, "every head fails");
        before = if action == "split" { 0 } else { g };
        match action {
            "split" => format!(
                "{round}. {why}: g = {from} + 1 = {g} exceeds {threshold}, so c3: split; g = 0 again"
            ),
            "retry" => {
                format!("{round}. {why}: g = {from} + 1 = {g} does not exceed {threshold}, so c1: retry")
            }
            _ => format!("{round}. something fits: g = 0, c4: dispatch"),
        }
    });
    let lines = few(lines.collect());
    vec![
        step(
            "c0: the counter",
            vec![format!("g = 0; more than {threshold} failures in a row split")],
        ),
        step(format!("c1, c2: {}", counted(rounds.len() as u64, "round", "rounds")), lines),
    ]
}

fn pieces(cut: &Cut) -> Vec<Step> {
    let waves = counted(cut.waves.len() as u64, "wave", "waves");
    let flag = if cut.independent { "independent" } else { "related" };
    let lines = vec![format!("{waves} of level {}, {flag}", cut.level)];
    let mut steps = vec![step("c3: the flag", lines)];
    if !cut.independent || cut.waves.len() < 2 {
        let why =
            if cut.independent { "one wave cannot be cut" } else { "related waves stay together" };
        steps.push(step("c3: no pieces", vec![format!("{why}; g is 0 all the same")]));
        return steps;
    }
    let shared: Vec<String> = cut
        .shared
        .iter()
        .take(16)
        .map(|(name, amount)| format!("{} {amount}", plain(name, 40)))
        .collect();
    let lowest = cut.lowest;
    let lines = cut.waves.iter().map(|wave| format!("{} at level {lowest}", plain(wave, 40)));
    let mut lines = few(lines.collect());
    if !shared.is_empty() {
        lines.push(format!("each needs all that the waves shared: {}", shared.join(", ")));
    }
    lines.push("in their channel they go before the next workgroup, in this order".to_owned());
    steps.push(step("c3: one piece a wave, at the lowest level", lines));
    steps
}
