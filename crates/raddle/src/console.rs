//! Where does the tool read and write, and may it use colour there?
//!
//! Colour and progress only on a terminal, and never where `NO_COLOR` is set or `TERM` is `dumb`.

use std::io::{self, BufRead, BufReader, IsTerminal, Write};

pub(crate) use raddle_report::{alarm, heading};

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
