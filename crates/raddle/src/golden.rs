//! What would the hardware have to answer?
//!
//! JSON Lines: one question a line in, one answer a line out, in the same order. A refused line is
//! answered with an error, the next one is answered too, and the exit code at the end is 1.

use raddle_golden::{TOPICS, Topic};
use raddle_study::meant;

use crate::Console;
use crate::error::CliError;
use crate::units::{counted, plain};

/// The verb `golden`.
pub(crate) fn verb(name: &str, console: &mut Console) -> Result<(), CliError> {
    let topic = find(name)?;
    let refused = raddle_golden::answer_all(topic, &mut console.stdin, &mut console.stdout);
    match refused.map_err(CliError::printing)? {
        0 => Ok(()),
        refused => Err(CliError::Refused(format!(
            "{} could not be answered: the answers with an `error` say where in the line and why",
            counted(refused, "line", "lines")
        ))),
    }
}

/// The topic of a name in either spelling.
pub(crate) fn find(name: &str) -> Result<&'static Topic, CliError> {
    let kebab = name.replace('_', "-");
    raddle_golden::topic(&kebab).ok_or_else(|| {
        let known = || TOPICS.iter().map(|topic| topic.name);
        let near = meant(raddle_dispatch::read::nearest(&kebab, known()));
        let (name, known) = (plain(name, 40), known().collect::<Vec<_>>().join(", "));
        CliError::Usage(format!("there is no topic `{name}`.{near} These are the topics: {known}"))
    })
}
