//! How are the steps to a golden model's answer recorded and shown?

use serde::Serialize;
use serde_json::value::RawValue;

/// Most lines of one list, or items of one line, that an explanation shows; it then says how many
/// more there are.
pub(crate) const MOST_LINES: usize = 20;
/// Most steps of an explanation that are shown.
const MOST_STEPS: usize = 40;

/// The steps by which a golden model comes to its answer, and the answer.
#[derive(Debug, Serialize)]
pub struct Explanation {
    /// Steps of the explanation, in order.
    pub steps: Vec<ExplainedStep>,
    /// Answer of the golden model, as JSON.
    pub answer: Box<RawValue>,
}

/// One step of an explanation, with its heading and its lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExplainedStep {
    /// Heading of the step.
    pub title: String,
    /// Lines of text below the heading of the step; of a list, at most the first 20 items.
    pub lines: Vec<String>,
}

/// Recorder of the steps by which a golden model answers, from which an explanation is made. If
/// only the answer is wanted, it keeps no step; code that formats much checks [`Story::shows`]
/// before.
#[derive(Debug, Default)]
pub(crate) struct Story {
    wanted: bool,
    steps: Vec<ExplainedStep>,
    /// Number of lines of the explanation's current list, shown or not.
    listed: usize,
    /// Number of steps of the explanation beyond those that are shown.
    hidden: usize,
}

impl Story {
    /// Makes a recorder that stores the steps of an explanation; `Story::default()` makes one that
    /// stores none.
    pub(crate) fn told() -> Self {
        Self { wanted: true, ..Self::default() }
    }

    /// Returns whether an explanation is wanted.
    pub(crate) const fn is_told(&self) -> bool {
        self.wanted
    }

    /// Returns whether a line that is added to the explanation now will be shown.
    pub(crate) const fn shows(&self) -> bool {
        self.wanted && self.hidden == 0
    }

    /// Begins a step of the explanation with this heading; steps beyond the first 40 are only
    /// counted.
    pub(crate) fn step(&mut self, title: impl Into<String>) {
        self.end_list();
        if !self.wanted {
            return;
        }
        if self.steps.len() < MOST_STEPS {
            self.steps.push(ExplainedStep { title: title.into(), lines: Vec::new() });
        } else {
            self.hidden += 1;
        }
    }

    /// Begins the last step of the explanation, which is shown also where there are more than 40.
    pub(crate) fn end(&mut self, title: impl Into<String>) {
        self.end_steps();
        if self.wanted {
            self.steps.push(ExplainedStep { title: title.into(), lines: Vec::new() });
        }
    }

    /// Replaces the heading of the current step of the explanation.
    pub(crate) fn retitle(&mut self, title: String) {
        if self.shows()
            && let Some(step) = self.steps.last_mut()
        {
            step.title = title;
        }
    }

    /// Adds a line to the current list of the explanation, of which only the first 20 lines are
    /// shown.
    pub(crate) fn line(&mut self, text: impl Into<String>) {
        if self.listed < MOST_LINES {
            self.push(text);
        }
        self.listed += 1;
    }

    /// Ends the current list of lines, and adds a line that is shown however long the explanation
    /// is.
    pub(crate) fn note(&mut self, text: impl Into<String>) {
        self.end_list();
        self.push(text);
    }

    /// Ends the recording of the explanation, and returns its steps.
    pub(crate) fn into_steps(mut self) -> Vec<ExplainedStep> {
        self.end_steps();
        self.steps
    }

    fn push(&mut self, text: impl Into<String>) {
        if self.shows()
            && let Some(step) = self.steps.last_mut()
        {
            step.lines.extend(text.into().split('\n').map(str::to_owned));
        }
    }

    /// Adds a step to the explanation that says how many steps are not shown, if there are any.
    fn end_steps(&mut self) {
        self.end_list();
        let more = std::mem::take(&mut self.hidden) as u64;
        if more > 0 {
            let title = format!("and {}", counted(more, "more step", "more steps"));
            self.steps.push(ExplainedStep { title, lines: Vec::new() });
        }
    }

    /// Ends the current list of lines, and adds a line that says how many of its lines are not
    /// shown.
    pub(crate) fn end_list(&mut self) {
        let more = std::mem::take(&mut self.listed).saturating_sub(MOST_LINES);
        if more > 0 {
            self.push(format!("... and {more} more"));
        }
    }
}

/// Joins at most the first [`MOST_LINES`] texts with commas, and writes behind them how many more
/// there are.
pub(crate) fn few(mut parts: Vec<String>) -> String {
    let more = parts.len().saturating_sub(MOST_LINES);
    if more > 0 {
        parts.truncate(MOST_LINES);
        parts.push(format!("... and {more} more"));
    }
    parts.join(", ")
}

/// Writes the first 16 values in one line with the text `between` between them, and `..` behind
/// them if there are more.
pub(crate) fn listed<T: ToString>(values: impl IntoIterator<Item = T>, between: &str) -> String {
    let mut values = values.into_iter();
    let mut shown: Vec<String> = values.by_ref().take(16).map(|it| it.to_string()).collect();
    if values.next().is_some() {
        shown.push("..".to_owned());
    }
    shown.join(between)
}

/// Formats a number with its noun: `1 launch` with the noun `one`, `2 launches` with the noun
/// `many`.
pub(crate) fn counted(n: impl Into<u128>, one: &str, many: &str) -> String {
    let n = n.into();
    format!("{n} {}", if n == 1 { one } else { many })
}
