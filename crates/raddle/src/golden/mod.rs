//! What would the hardware have to answer?
//!
//! JSON Lines: one question a line in, one answer a line out, in the same order. A refused line is
//! answered with an error, the next one is taken all the same, and the exit code at the end is 1.

pub(crate) mod bitmap;
pub(crate) mod fault;
mod frame;
pub(crate) mod placement;
pub(crate) mod read;

use crate::Console;
use crate::error::CliError;
use fault::Fault;
use read::Fields;

/// Answers one question: an object of JSON as text.
pub(crate) type Answer = fn(&Fields<'_>) -> Result<String, Fault>;

/// Topics that can be asked, and who answers.
const TOPICS: [(&str, Answer); 2] = [("bitmap", bitmap::answer), ("placement", placement::answer)];

/// Topics of the contract that nobody answers yet.
const LATER: [&str; 9] =
    ["windows", "split", "balance", "place", "match", "sm", "slices", "packet", "preempt"];

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

/// The entry of a topic, or what there is instead.
pub(crate) fn find<T: Copy>(topic: &str, topics: &[(&str, T)]) -> Result<T, CliError> {
    let name = topic.replace('_', "-");
    if let Some((_, found)) = topics.iter().find(|(known, _)| *known == name) {
        return Ok(*found);
    }
    let known: Vec<&str> = topics.iter().map(|(known, _)| *known).collect();
    let what = if LATER.contains(&&*name) {
        format!("topic `{name}` is not there yet")
    } else {
        format!("there is no topic `{}`", crate::units::plain(topic, 40))
    };
    Err(CliError::Usage(format!("{what}, topics: {}", known.join(", "))))
}
