//! How does a golden model come to its answer, step by step?
//!
//! The question is one of `raddle golden`, on the command line or on standard input; without one,
//! a worked example.

mod balance;
mod bitmap;
mod matching;
mod packet;
mod place;
mod placement;
mod preempt;
mod slices;
mod sm;
mod split;
mod windows;

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::Console;
use crate::args::{ExplainArgs, Format};
use crate::error::CliError;
use crate::golden::fault::Fault;
use crate::golden::find;
use crate::golden::read::Fields;
use crate::units::plain;
use raddle_report::json;

/// A question of a topic, explained: a heading and lines for each step, then the answer.
#[derive(Debug, Serialize)]
struct Explanation {
    question: Box<RawValue>,
    #[serde(flatten)]
    told: Told,
}

/// What a topic tells.
#[derive(Debug, Serialize)]
pub(crate) struct Told {
    steps: Vec<Step>,
    answer: Box<RawValue>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Step {
    title: String,
    lines: Vec<String>,
}

/// Explains a question of a topic.
#[derive(Clone, Copy)]
struct Topic {
    example: &'static str,
    explain: fn(&Fields<'_>) -> Result<Told, Fault>,
}

const TOPICS: [(&str, Topic); 11] = [
    ("bitmap", Topic { example: bitmap::EXAMPLE, explain: bitmap::explain }),
    ("windows", Topic { example: windows::EXAMPLE, explain: windows::explain }),
    ("split", Topic { example: split::EXAMPLE, explain: split::explain }),
    ("balance", Topic { example: balance::EXAMPLE, explain: balance::explain }),
    ("place", Topic { example: place::EXAMPLE, explain: place::explain }),
    ("match", Topic { example: matching::EXAMPLE, explain: matching::explain }),
    ("placement", Topic { example: placement::EXAMPLE, explain: placement::explain }),
    ("sm", Topic { example: sm::EXAMPLE, explain: sm::explain }),
    ("slices", Topic { example: slices::EXAMPLE, explain: slices::explain }),
    ("preempt", Topic { example: preempt::EXAMPLE, explain: preempt::explain }),
    ("packet", Topic { example: packet::EXAMPLE, explain: packet::explain }),
];

/// Topics that also have a cost (`--cost`); the answer is in the tables, and in JSON.
const COSTS: [(&str, Topic); 1] =
    [("bitmap", Topic { example: bitmap::COST_EXAMPLE, explain: bitmap::cost })];

/// The verb `explain`.
pub(crate) fn verb(
    args: &ExplainArgs,
    format: Format,
    console: &mut Console,
) -> Result<(), CliError> {
    let mut topic = find(&args.topic, &TOPICS)?;
    if args.cost {
        topic = find(&args.topic, &COSTS).map_err(|_| {
            CliError::Usage(format!(
                "`--cost` is for bitmap: `{}` has none",
                plain(&args.topic, 40)
            ))
        })?;
    }
    let asked = match &args.question {
        Some(question) => Some(question.clone()),
        None if console.stdin_is_terminal => None,
        None => read_question(&mut console.stdin)?,
    };
    let example = asked.is_none();
    let text = asked.unwrap_or_else(|| topic.example.to_owned());
    let refused = |why: String| {
        let question = plain(text.trim(), 100);
        let stop = if why.ends_with('?') { "" } else { "." };
        CliError::Refused(format!(
            "the question {question} cannot be answered: {why}{stop} `raddle explain {}{}` shows an example",
            args.topic,
            if args.cost { " --cost" } else { "" }
        ))
    };
    let value: Value = serde_json::from_str(&text)
        .map_err(|error| refused(format!("it is not JSON ({error})")))?;
    let explained = Fields::of(&value, "").and_then(|fields| (topic.explain)(&fields));
    let told = explained.map_err(|fault| {
        let at = match &*fault.at {
            "" => String::new(),
            at => format!(" at {at}"),
        };
        refused(format!("{}{at}: {}", fault.kind.name(), fault.message))
    })?;
    let question: Box<RawValue> =
        serde_json::from_str(&text).map_err(|error| refused(error.to_string()))?;
    let explanation = Explanation { question, told };
    let text = match format {
        Format::Json => json(&explanation),
        Format::Text => explanation.text(example, !args.cost, console.stdout_colour),
    };
    console.stdout.write_all(text.as_bytes()).map_err(CliError::printing)
}

/// A heading and its lines.
fn step(title: impl Into<String>, lines: Vec<String>) -> Step {
    Step { title: title.into(), lines }
}

/// So many lines, or steps, of one sort are shown.
const MOST_LINES: usize = 20;

/// The first lines, and how many more there are.
fn few(mut lines: Vec<String>) -> Vec<String> {
    let more = lines.len().saturating_sub(MOST_LINES);
    if more > 0 {
        lines.truncate(MOST_LINES);
        lines.push(format!("... and {} more", crate::units::count(more as u64)));
    }
    lines
}

/// The first line that is not blank, if there is one.
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

impl Explanation {
    fn text(&self, example: bool, answer: bool, colour: bool) -> String {
        let mut out = String::new();
        let asked = if example { "Worked example" } else { "Question" };
        out += &format!("{asked}: {}\n", self.question);
        for (number, step) in (1..).zip(&self.told.steps) {
            let title = format!("{number}. {}", step.title);
            out += &format!("\n{}\n", crate::console::heading(&title, colour));
            for line in &step.lines {
                out += format!("   {line}").trim_end();
                out.push('\n');
            }
        }
        if answer {
            out += &format!("\nAnswer: {}\n", self.told.answer);
        }
        out
    }
}
