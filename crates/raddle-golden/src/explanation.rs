//! In which form is an explanation given?

use serde::Serialize;
use serde_json::value::RawValue;

/// The most lines, or parts of a line, of one sort that are shown.
pub(crate) const MOST_LINES: usize = 20;

/// How a model comes to its answer.
#[derive(Debug, Serialize)]
pub struct Explanation {
    /// The steps, in order.
    pub steps: Vec<ExplainedStep>,
    /// The answer of the golden model.
    pub answer: Box<RawValue>,
}

/// One step of an explanation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExplainedStep {
    /// The heading.
    pub title: String,
    /// What happens in it.
    pub lines: Vec<String>,
}

/// A heading and its lines; of many lines the first.
pub(crate) fn step(title: impl Into<String>, lines: Vec<String>) -> ExplainedStep {
    ExplainedStep { title: title.into(), lines }
}

/// The first lines, and how many more there are.
pub(crate) fn few(mut lines: Vec<String>) -> Vec<String> {
    let more = lines.len().saturating_sub(MOST_LINES);
    if more > 0 {
        lines.truncate(MOST_LINES);
        lines.push(format!("... and {more} more"));
    }
    lines
}

/// The first values on one line.
pub(crate) fn listed<T: ToString>(values: impl IntoIterator<Item = T>, between: &str) -> String {
    let mut values = values.into_iter();
    let mut shown: Vec<String> = values.by_ref().take(16).map(|it| it.to_string()).collect();
    if values.next().is_some() {
        shown.push("..".to_owned());
    }
    shown.join(between)
}

/// A count of things: `1 launch`, `2 launches`.
pub(crate) fn counted(n: impl Into<u128>, one: &str, many: &str) -> String {
    let n = n.into();
    format!("{n} {}", if n == 1 { one } else { many })
}
