//! How must hardware that works as the patents say answer a question? The verb `golden`.
//!
//! JSON Lines: one question a line in, one answer a line out, in the same order. A refused line is
//! answered with an error, the next one is answered too, and the exit code at the end is 1.

use std::io::{self, Write};

use raddle_golden::{TOPICS, Topic};
use raddle_study::meant;

use crate::Console;
use crate::error::CliError;
use crate::units::{counted, escaped_json, plain};

pub(crate) fn verb(name: &str, console: &mut Console) -> Result<(), CliError> {
    let topic = find(name)?;
    let mut lines = EscapedLines { to: &mut console.stdout, line: Vec::new() };
    let refused = raddle_golden::answer_all(topic, &mut console.stdin, &mut lines);
    match refused.map_err(CliError::printing)? {
        0 => Ok(()),
        refused => Err(CliError::Refused(format!(
            "{} could not be answered: the answers with an `error` say where in the line and why",
            counted(refused, "line", "lines")
        ))),
    }
}

/// Writer of JSON lines that replaces characters which control a terminal by escapes, since an
/// answer may repeat such characters from a question.
struct EscapedLines<'c> {
    to: &'c mut Box<dyn Write>,
    line: Vec<u8>,
}

impl Write for EscapedLines<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.line.extend_from_slice(bytes);
        while let Some(end) = self.line.iter().position(|&byte| byte == b'\n') {
            let line: Vec<u8> = self.line.drain(..=end).collect();
            let text = String::from_utf8_lossy(&line).into_owned();
            self.to.write_all(escaped_json(text).as_bytes())?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// Finds the topic of golden models (the reference models of the patents) with this name, in which
/// words are joined by `-` or `_`.
pub(crate) fn find(name: &str) -> Result<&'static Topic, CliError> {
    let kebab = name.replace('_', "-");
    raddle_golden::topic(&kebab).ok_or_else(|| {
        let known = || TOPICS.iter().map(|topic| topic.name);
        let near = meant(raddle_read::nearest(&kebab, known()));
        let (name, known) = (plain(name, 40), known().collect::<Vec<_>>().join(", "));
        CliError::Usage(format!("there is no topic `{name}`.{near} These are the topics: {known}"))
    })
}
