//! What would the hardware have to answer?
//!
//! JSON Lines: one question a line in, one answer a line out, in the same order. A refused line is
//! answered with an error, the next one is taken all the same, and the exit code at the end is 1.

pub(crate) mod balance;
pub(crate) mod bitmap;
pub(crate) mod fault;
mod frame;
pub(crate) mod matching;
pub(crate) mod packet;
pub(crate) mod place;
pub(crate) mod placement;
pub(crate) mod preempt;
pub(crate) mod read;
pub(crate) mod slices;
pub(crate) mod sm;
pub(crate) mod split;
pub(crate) mod windows;

use crate::Console;
use crate::error::CliError;
use fault::Fault;
use read::Fields;

/// Answers one question: an object of JSON as text.
pub(crate) type Answer = fn(&Fields<'_>) -> Result<String, Fault>;

/// Topics that can be asked, and who answers.
const TOPICS: [(&str, Answer); 11] = [
    ("bitmap", bitmap::answer),
    ("windows", windows::answer),
    ("split", split::answer),
    ("balance", balance::answer),
    ("place", place::answer),
    ("match", matching::answer),
    ("placement", placement::answer),
    ("sm", sm::answer),
    ("slices", slices::answer),
    ("preempt", preempt::answer),
    ("packet", packet::answer),
];

/// More figures than this are in no answer: it would be larger than its question by far.
const MOST_FIGURES: u64 = 10_000_000;

/// The verb `golden`.
pub(crate) fn verb(topic: &str, console: &mut Console) -> Result<(), CliError> {
    let topic = find(topic, &TOPICS)?;
    match frame::answer_all(topic, &mut console.stdin, &mut console.stdout)? {
        0 => Ok(()),
        refused => Err(CliError::Refused(format!(
            "{} could not be answered: see the answers with an `error`, which say where in the line and why",
            crate::units::counted(refused, "line", "lines")
        ))),
    }
}

/// An answer of strings and integers as JSON: this cannot fail.
fn json(answer: &impl serde::Serialize) -> String {
    serde_json::to_string(answer).unwrap_or_default()
}

/// The entry of a topic, or what there is instead.
pub(crate) fn find<T: Copy>(topic: &str, topics: &[(&str, T)]) -> Result<T, CliError> {
    let name = topic.replace('_', "-");
    if let Some((_, found)) = topics.iter().find(|(known, _)| *known == name) {
        return Ok(*found);
    }
    let known: Vec<&str> = topics.iter().map(|(known, _)| *known).collect();
    let meant = crate::units::nearest(&name, known.iter().copied()).unwrap_or_default();
    let what = format!("there is no topic `{}`", crate::units::plain(topic, 40));
    let topics = known.join(", ");
    Err(CliError::Usage(format!("{what}, the nearest is `{meant}`, topics: {topics}")))
}
