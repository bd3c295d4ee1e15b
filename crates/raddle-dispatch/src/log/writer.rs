//! Where does the log go, and in how much detail?

use std::io::{self, Write};

use raddle_policy::{Event, Launch, Piece, Place, Tick, WaveSpan};
use serde::{Deserialize, Serialize};

use super::line::Line;
use crate::Recipe;

/// How much a start line tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Detail {
    /// One line an answer.
    #[default]
    Answers,
    /// One line a workgroup, with its addresses if the policy gives any.
    Full,
}

/// The first line of a log: enough to build the dispatcher again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Header {
    /// Version of the log format: 1.
    pub raddle_log: u32,
    /// How much a start line tells.
    pub detail: Detail,
    /// The device's name.
    pub device: String,
    /// Its compute units.
    pub cus: u16,
    /// What one of them holds.
    pub shape: raddle_policy::CuShape,
    /// The four policies.
    pub recipe: Recipe,
}

/// Writes the log, or nothing.
///
/// An error stays until [`LogWriter::finish`] reports it, so that no decision depends on it.
pub struct LogWriter {
    to: Option<Box<dyn Write + Send>>,
    detail: Detail,
    text: String,
    /// Lines written, of events and of answers.
    lines: (u64, u64),
    error: Option<io::Error>,
}

impl std::fmt::Debug for LogWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LogWriter").field("on", &self.to.is_some()).finish_non_exhaustive()
    }
}

impl LogWriter {
    /// Writes nothing.
    #[must_use]
    pub fn off() -> Self {
        Self { to: None, detail: Detail::Answers, text: String::new(), lines: (0, 0), error: None }
    }

    /// Writes to `to`, beginning with the header. Give it a buffer: every line is one write.
    #[must_use]
    pub fn new(to: Box<dyn Write + Send>, header: &Header) -> Self {
        let mut log = Self {
            to: Some(to),
            detail: header.detail,
            text: String::new(),
            lines: (0, 0),
            error: None,
        };
        match serde_json::to_string(header) {
            Ok(json) => {
                log.text.push_str(&json);
                log.text.push('\n');
                log.flush_line();
            }
            Err(error) => log.error = Some(error.into()),
        }
        log
    }

    fn flush_line(&mut self) {
        if let (Some(to), None) = (&mut self.to, &self.error) {
            self.error = to.write_all(self.text.as_bytes()).err();
        }
    }

    fn write(&mut self, now: Tick, step: u64, spell: impl FnOnce(&mut Line<'_>)) {
        if self.to.is_none() {
            return;
        }
        let mut line = Line(&mut self.text);
        line.begin(now, step);
        spell(&mut line);
        line.end();
        self.flush_line();
    }

    /// Writes an event.
    pub(crate) fn event(&mut self, now: Tick, step: u64, event: &Event<'_>) {
        self.lines.0 += 1;
        self.write(now, step, |line| line.event(event));
    }

    /// Writes an answer.
    pub(crate) fn answer(&mut self, now: Tick, step: u64, spell: impl FnOnce(&mut Line<'_>)) {
        self.lines.1 += 1;
        self.write(now, step, spell);
    }

    /// Writes a start: one line, or one a workgroup.
    pub(crate) fn start(
        &mut self,
        now: Tick,
        step: u64,
        launch: &Launch,
        waves: WaveSpan,
        pieces: &[Piece],
        places: &[Place],
    ) {
        if self.detail == Detail::Answers {
            return self.answer(now, step, |line| line.start(launch.id, waves, pieces, places));
        }
        let mut places = places.chunks(usize::from(launch.demand.waves).max(1));
        for piece in pieces {
            for workgroup in piece.workgroups() {
                let one = [Piece::one(workgroup, piece.cu)];
                let at = places.next().unwrap_or(&[]);
                self.answer(now, step, |line| line.start(launch.id, waves, &one, at));
            }
        }
    }

    /// Writes the last line, with which a log is whole, and what is buffered; nothing follows it.
    ///
    /// # Errors
    /// The first error met since the beginning.
    pub fn finish(&mut self) -> io::Result<()> {
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        let Some(mut to) = self.to.take() else { return Ok(()) };
        let (events, answers) = self.lines;
        writeln!(to, "{{\"raddle-log-end\":1,\"events\":{events},\"answers\":{answers}}}")?;
        to.flush()
    }
}
