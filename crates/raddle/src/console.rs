//! Where does the tool read and write, and may it use colour or show progress there?
//!
//! Colour is used only on a terminal, and never if `NO_COLOR` is set or `TERM` is `dumb`. No
//! progress is shown if `RADDLE_PROGRESS` is `off`.

use std::io::{self, BufRead, BufReader, IsTerminal, Write};

pub(crate) use raddle_report::{alarm, heading};

use crate::error::CliError;
use crate::progress::is_silenced;
use crate::units::harmless;

/// Input, output and error streams of a run of the tool, and what may be shown on them.
pub struct Console {
    /// Stream from which the tool reads input: profiles, or questions to a golden model (reference
    /// model of a patent).
    pub stdin: Box<dyn BufRead>,
    /// Stream to which the tool writes results.
    pub stdout: Box<dyn Write>,
    /// Stream to which errors, warnings and notes are written.
    pub stderr: Box<dyn Write>,
    /// True if the input stream is a terminal, so that a person would have to type what is read.
    pub stdin_is_terminal: bool,
    /// True if results may be printed with colours.
    pub stdout_colour: bool,
    /// True if errors may be printed with colours.
    pub stderr_colour: bool,
    /// True if progress may be shown on the error stream of the process: drawn on a terminal, a
    /// line every ten seconds elsewhere.
    pub progress: bool,
    /// Number of characters in a line of results; `None` if they go to no terminal.
    pub columns: Option<usize>,
}

/// Escape sequences of a terminal: the one that begins a heading, the one that begins an alarm, and
/// the one that ends both.
const COLOURS: [&str; 3] = ["\x1b[1m", "\x1b[1;31m", "\x1b[0m"];

/// Splits a text at the escape sequences in [`COLOURS`], each of which becomes a part of its own.
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
    /// Prints a result for people, or JSON. Characters by which the names of files, kernels and
    /// processes could control the terminal are escaped; only the tool's own colours remain.
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

    /// Prints a line on the error stream, with characters escaped that could control a terminal.
    pub(crate) fn note(&mut self, text: &str) {
        // If the error stream cannot be written, there is nobody to tell.
        let _ = writeln!(self.stderr, "{}", harmless(text));
    }

    /// Prints a line on the error stream, with the word "warning:" before it.
    pub(crate) fn warn(&mut self, text: &str) {
        let label = alarm("warning:", self.stderr_colour);
        // If the error stream cannot be written, there is nobody to tell.
        let _ = writeln!(self.stderr, "{label} {}", harmless(text));
    }

    /// Returns a console with the standard streams of this process.
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
            progress: !is_silenced(),
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
