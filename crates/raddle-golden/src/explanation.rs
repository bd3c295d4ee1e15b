//! In which form is an explanation given?

use serde::Serialize;
use serde_json::value::RawValue;

/// The most lines of one list, or parts of a line, that are shown.
pub(crate) const MOST_LINES: usize = 20;
/// The most steps that are shown.
const MOST_STEPS: usize = 40;

/// The way in which a model comes to its answer.
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
    /// The lines below the heading.
    pub lines: Vec<String>,
}

/// Takes the steps of a model as they happen, and makes an explanation of them. If only the answer
/// is wanted, no step is kept; code that formats much checks [`Story::shows`] before.
#[derive(Debug, Default)]
pub(crate) struct Story {
    wanted: bool,
    steps: Vec<ExplainedStep>,
    /// Lines of the current list, shown or not.
    listed: usize,
    /// Steps beyond those that are shown.
    hidden: usize,
}

impl Story {
    /// Makes a story that keeps its steps.
    pub(crate) fn told() -> Self {
        Self { wanted: true, ..Self::default() }
    }

    /// Returns whether an explanation is wanted.
    pub(crate) const fn is_told(&self) -> bool {
        self.wanted
    }

    /// Returns whether a line that is added now is shown.
    pub(crate) const fn shows(&self) -> bool {
        self.wanted && self.hidden == 0
    }

    /// Begins a step; only the first ones are shown.
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

    /// Begins the last step of the story, which is always shown.
    pub(crate) fn end(&mut self, title: impl Into<String>) {
        self.end_steps();
        if self.wanted {
            self.steps.push(ExplainedStep { title: title.into(), lines: Vec::new() });
        }
    }

    /// Gives the open step another heading.
    pub(crate) fn retitle(&mut self, title: String) {
        if self.shows()
            && let Some(step) = self.steps.last_mut()
        {
            step.title = title;
        }
    }

    /// Adds a line of a list, of which only the first ones are shown.
    pub(crate) fn line(&mut self, text: impl Into<String>) {
        if self.listed < MOST_LINES {
            self.push(text);
        }
        self.listed += 1;
    }

    /// Adds a line that is always shown; ends the list before it.
    pub(crate) fn note(&mut self, text: impl Into<String>) {
        self.end_list();
        self.push(text);
    }

    /// Returns the steps.
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

    /// Adds the number of steps that are not shown, if there are any.
    fn end_steps(&mut self) {
        self.end_list();
        let more = std::mem::take(&mut self.hidden) as u64;
        if more > 0 {
            let title = format!("and {}", counted(more, "more step", "more steps"));
            self.steps.push(ExplainedStep { title, lines: Vec::new() });
        }
    }

    /// Ends a list, and adds the number of its lines that are not shown.
    pub(crate) fn end_list(&mut self) {
        let more = std::mem::take(&mut self.listed).saturating_sub(MOST_LINES);
        if more > 0 {
            self.push(format!("... and {more} more"));
        }
    }
}

/// Joins the first parts, and adds how many more there are.
pub(crate) fn few(mut parts: Vec<String>) -> String {
    let more = parts.len().saturating_sub(MOST_LINES);
    if more > 0 {
        parts.truncate(MOST_LINES);
        parts.push(format!("... and {more} more"));
    }
    parts.join(", ")
}

/// Joins the first values on one line.
pub(crate) fn listed<T: ToString>(values: impl IntoIterator<Item = T>, between: &str) -> String {
    let mut values = values.into_iter();
    let mut shown: Vec<String> = values.by_ref().take(16).map(|it| it.to_string()).collect();
    if values.next().is_some() {
        shown.push("..".to_owned());
    }
    shown.join(between)
}

/// Formats a count of things: `1 launch`, `2 launches`.
pub(crate) fn counted(n: impl Into<u128>, one: &str, many: &str) -> String {
    let n = n.into();
    format!("{n} {}", if n == 1 { one } else { many })
}
