//! Where does the tool read and write, and may it use colour there?
//!
//! Colour and progress only on a terminal, and never where `NO_COLOR` is set or `TERM` is `dumb`.

use std::io::{self, BufRead, BufReader, IsTerminal, Write};

pub(crate) use raddle_report::{alarm, heading};

use crate::error::CliError;
use crate::units::harmless;

/// The streams of a run of the tool.
pub struct Console {
    /// Questions.
    pub stdin: Box<dyn BufRead>,
    /// Results.
    pub stdout: Box<dyn Write>,
    /// Errors.
    pub stderr: Box<dyn Write>,
    /// Whether a person would have to type what is read.
    pub stdin_is_terminal: bool,
    /// Whether results may be coloured.
    pub stdout_colour: bool,
    /// Whether errors may be coloured.
    pub stderr_colour: bool,
    /// Whether progress may be shown on the error stream of the process.
    pub progress: bool,
    /// How wide results may be; `None` where they go to no terminal.
    pub columns: Option<usize>,
}

/// How headings and alarms begin and end.
const COLOURS: [&str; 3] = ["\x1b[1m", "\x1b[1;31m", "\x1b[0m"];

/// The text in parts, each colour a part of its own.
fn split_at_colours(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((at, colour)) =
        COLOURS.iter().filter_map(|colour| Some((rest.find(colour)?, *colour))).min()
    {
        parts.extend([&rest[..at], &rest[at..at + colour.len()]]);
        rest = &rest[at + colour.len()..];
    }
    parts.push(rest);
    parts
}

impl std::fmt::Debug for Console {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Console")
            .field("stdin_is_terminal", &self.stdin_is_terminal)
            .field("stdout_colour", &self.stdout_colour)
            .field("progress", &self.progress)
            .finish_non_exhaustive()
    }
}

impl Console {
    /// Prints a result for people, or JSON. Nothing in it controls a terminal but the colours of the tool, whatever
    /// names of files, kernels and processes hold.
    pub(crate) fn print(&mut self, text: &str) -> Result<(), CliError> {
        let mut parts = vec![text];
        if self.stdout_colour {
            parts = split_at_colours(text);
        }
        for part in parts {
            let part = if COLOURS.contains(&part) { part.into() } else { harmless(part) };
            self.stdout.write_all(part.as_bytes()).map_err(CliError::printing)?;
        }
        Ok(())
    }

    /// Tells something on the error stream.
    pub(crate) fn note(&mut self, text: &str) {
        // Where even this cannot be written, there is nobody to tell.
        let _ = writeln!(self.stderr, "{}", harmless(text));
    }

    /// Those of this process.
    #[must_use]
    pub fn of_process() -> Self {
        let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let plain = set("NO_COLOR") || std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        // The streams are not locked for good: progress is drawn from other threads.
        Self {
            stdin: Box::new(BufReader::new(io::stdin())),
            stdout: Box::new(io::stdout()),
            stderr: Box::new(io::stderr()),
            stdin_is_terminal: io::stdin().is_terminal(),
            stdout_colour: !plain && io::stdout().is_terminal(),
            stderr_colour: !plain && io::stderr().is_terminal(),
            progress: io::stderr().is_terminal(),
            columns: ::console::Term::stdout().size_checked().map(|(_, columns)| columns.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_colours_of_the_tool_are_printed() {
        let text = format!("{}\x1b[31m\x1b]0;t\x07 {}\n", heading("a", true), alarm("b", true));
        let parts = split_at_colours(&text);
        assert_eq!(parts.concat(), text);
        let colours = parts.iter().filter(|part| COLOURS.contains(part)).count();
        assert_eq!(colours, 4);
        assert!(parts.iter().all(|part| COLOURS.contains(part) || !part.contains("\x1b[1")));
    }
}
