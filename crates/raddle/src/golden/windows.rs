//! In which order do levels stand at a count of cycles (seed 000, E2)?
//!
//! `{"windows":[8,4,3,1],"count":12}` is answered with `{"order":[3,1,2,4]}`: levels count from 1,
//! the best one first. Lengths and counts are cycles.

use raddle_workgroup::order::Windows;
use serde::Serialize;

use super::fault::{Fault, Kind};
use super::json;
use super::read::Fields;

/// One question, read.
#[derive(Debug)]
pub(crate) struct Question {
    pub(crate) windows: Windows,
    pub(crate) count: u64,
}

#[derive(Serialize)]
struct Answer {
    order: Vec<usize>,
}

/// Answers one question.
pub(crate) fn answer(fields: &Fields<'_>) -> Result<String, Fault> {
    question(fields).map(|question| answer_of(&question))
}

/// The answer as JSON.
pub(crate) fn answer_of(question: &Question) -> String {
    json(&Answer { order: order(question).collect() })
}

/// The levels, best first, counted from 1.
pub(crate) fn order(question: &Question) -> impl Iterator<Item = usize> {
    question.windows.order(question.count).map(|level| level + 1)
}

/// What a question asks for.
pub(crate) fn question(fields: &Fields<'_>) -> Result<Question, Fault> {
    fields.only(&["windows", "count"])?;
    let lengths = fields.integers("windows", 1..=u64::MAX)?;
    let at = fields.pointer("windows");
    let windows = Windows::new(&lengths);
    let windows = windows.map_err(|error| Fault::new(Kind::OutOfRange, &at, error.to_string()))?;
    Ok(Question { windows, count: fields.integer("count", 0..=u64::MAX)? })
}
