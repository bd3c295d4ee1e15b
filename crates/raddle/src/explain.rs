//! How does a golden model (reference model of a patent) come to its answer, step by step?
//!
//! The question is one of `raddle golden`, on the command line or on standard input; without one,
//! a worked example.

use raddle_golden::{Explanation, bitmap};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::Console;
use crate::args::{ExplainArgs, Format};
use crate::error::CliError;
use crate::golden::find;
use crate::schema::versioned;
use crate::units::plain;

/// A question to a golden model (reference model of a patent), with the explanation of its answer.
#[derive(Serialize)]
struct ExplainedQuestion {
    question: Box<RawValue>,
    #[serde(flatten)]
    explanation: Explanation,
}

pub(crate) fn verb(
    args: &ExplainArgs,
    format: Format,
    console: &mut Console,
) -> Result<(), CliError> {
    let mut topic = find(&args.topic)?;
    if args.cost {
        if topic.name != bitmap::COST.name {
            let text = format!("`--cost` is for bitmap: `{}` has none", plain(&args.topic, 40));
            return Err(CliError::Usage(text));
        }
        topic = &bitmap::COST;
    }
    let asked = match &args.question {
        Some(question) => Some(question.clone()),
        None if console.stdin_is_terminal => None,
        None => read_question(&mut console.stdin)?,
    };
    let example = asked.is_none();
    let text = asked.unwrap_or_else(|| topic.example.to_owned());
    let refused = |why: String| {
        // The standard input may be any file, so that nothing of it is quoted.
        let question = match &args.question {
            Some(question) => plain(question.trim(), 100),
            None => "of the standard input".to_owned(),
        };
        let stop = if why.ends_with('?') { "" } else { "." };
        let cost = if args.cost { " --cost" } else { "" };
        CliError::Refused(format!(
            "the question {question} cannot be answered: {why}{stop} `raddle explain {}{cost}` shows an example",
            args.topic
        ))
    };
    let explanation = raddle_golden::explain(topic, &text).map_err(|fault| {
        let at = if fault.at.is_empty() { String::new() } else { format!(" at {}", fault.at) };
        refused(format!("{}{at}: {}", fault.kind, fault.message))
    })?;
    let question: Box<RawValue> =
        serde_json::from_str(&text).map_err(|error| refused(error.to_string()))?;
    let explained = ExplainedQuestion { question, explanation };
    let text = match format {
        Format::Json => versioned("explain", &explained),
        Format::Text => explained.text(example, !args.cost, console.stdout_colour),
    };
    console.print(&text)
}

/// Reads the first line that is not blank, which is the question; `None` if there is none. A second
/// such line is an error.
fn read_question(stdin: &mut dyn std::io::BufRead) -> Result<Option<String>, CliError> {
    let mut all = String::new();
    stdin
        .read_to_string(&mut all)
        .map_err(|cause| CliError::Unreadable { file: "the standard input".to_owned(), cause })?;
    let mut lines = all.lines().filter(|line| !line.trim().is_empty());
    let first = lines.next().map(str::to_owned);
    if lines.next().is_some() {
        let text = "explain takes one question at a time: give one line, or ask `raddle golden`";
        return Err(CliError::Refused(text.to_owned()));
    }
    Ok(first)
}

impl ExplainedQuestion {
    fn text(&self, example: bool, answer: bool, colour: bool) -> String {
        let asked = if example { "Worked example" } else { "Question" };
        let mut out = format!("{asked}: {}\n", self.question);
        for (number, step) in (1..).zip(&self.explanation.steps) {
            let title = format!("{number}. {}", step.title);
            out += &format!("\n{}\n", crate::console::heading(&title, colour));
            for line in &step.lines {
                out += format!("   {line}").trim_end();
                out.push('\n');
            }
        }
        if answer {
            out += &format!("\nAnswer: {}\n", self.explanation.answer);
        }
        out
    }
}
