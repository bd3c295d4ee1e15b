//! How does a count of cycles become an order of levels (seed 000, E2)?
//!
//! The steps have the names of the seed, b1 to b4.

use serde_json::value::RawValue;

use super::{Step, Told, few, step};
use crate::golden::fault::Fault;
use crate::golden::read::Fields;
use crate::golden::windows::{Question, answer_of, order, question};
use crate::units::counted;

/// The worked example of the spec.
pub(super) const EXAMPLE: &str = r#"{"windows":[8,4,3,1],"count":12}"#;

/// Explains one question.
pub(super) fn explain(fields: &Fields<'_>) -> Result<Told, Fault> {
    let question = question(fields)?;
    let steps = vec![windows(&question), counter(&question), resulting(&question)];
    // An object of integers: always JSON.
    let answer = RawValue::from_string(answer_of(&question)).unwrap_or_default();
    Ok(Told { steps, answer })
}

/// The windows of a turn: level from 1, first cycle, last cycle, length.
fn all(question: &Question) -> impl Iterator<Item = (usize, u128, u128)> {
    (0..).map_while(|level| {
        let window = question.windows.window(level)?;
        Some((level + 1, window.start, window.end))
    })
}

fn windows(question: &Question) -> Step {
    let lines = all(question).map(|(level, start, end)| {
        format!("P{level}: {} long, cycles {start} to {}", end - start, end - 1)
    });
    let levels = counted(all(question).count() as u64, "level", "levels");
    let turn = all(question).last().map_or(0, |(_, _, end)| end);
    let title = format!("b1, b2: {levels}, one window each, {turn} cycles in a turn");
    step(title, few(lines.collect()))
}

fn counter(question: &Question) -> Step {
    let counter = question.windows.counter(question.count);
    let top = question.windows.top(question.count) + 1;
    let lines = vec![
        format!("at {} the counter is {counter}: it begins again with each turn", question.count),
        format!("{counter} lies in the window of P{top}, so P{top} is the best"),
    ];
    step("b3: the window that the counter is in", lines)
}

fn resulting(question: &Question) -> Step {
    let levels: Vec<String> = order(question).take(24).map(|level| format!("P{level}")).collect();
    let more = if order(question).nth(24).is_some() { " .." } else { "" };
    let lines = vec![
        format!("{}{more}: the others stay as they were", levels.join(" ")),
        "the order is read when the target is chosen: the first level that has a candidate goes"
            .to_owned(),
    ];
    step("b44: the order", lines)
}
