//! Does a new dispatcher, given the events of a decision log, answer as the log says?

use std::io::{BufRead, Write};
use std::sync::{Arc, Mutex};

use raddle_policy::{Actions, Piece, Tick};
use raddle_read::without_content;

use super::header::LogHeader;
use super::lines::LogLines;
use crate::answer::runs::PieceRun;
use crate::line::{LogLine, LoggedEvent};
use crate::{Composed, DispatchError, Dispatcher, Registry};

/// The result of a replay, in which a new dispatcher got the events of a log and its answers were
/// compared with the decision log's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replayed {
    pub(crate) events: u64,
    pub(crate) answers: u64,
    pub(crate) difference: Option<(usize, String, String)>,
}

impl Replayed {
    /// Returns the number of events of the log that the dispatcher got.
    #[must_use]
    pub const fn events(&self) -> u64 {
        self.events
    }

    /// Returns the number of answer lines of the log that were compared.
    #[must_use]
    pub const fn answers(&self) -> u64 {
        self.answers
    }

    /// Returns the first line on which log and replay differ: (number of the line, from 1, its text
    /// in the decision log, the text of the new answer); `None` where none differs.
    #[must_use]
    pub const fn difference(&self) -> Option<&(usize, String, String)> {
        self.difference.as_ref()
    }
}

/// Gives the events of a log to a new dispatcher with the recipe of the decision log, and compares
/// its answers with those in the log.
///
/// # Errors
/// When the log cannot be read, its events contradict each other, or it has a policy that is not of
/// this workspace.
pub fn replay(log: impl BufRead) -> Result<Replayed, DispatchError> {
    replay_with(&Registry::bundled(), log)
}

/// Replays a log as [`replay`] does, with the policies of a registry.
///
/// # Errors
/// When the log cannot be read, its events contradict each other, or the registry lacks a policy of
/// the log.
pub fn replay_with(registry: &Registry, log: impl BufRead) -> Result<Replayed, DispatchError> {
    let mut lines = LogLines::new(log);
    let mut replay = LogReplay::new(&lines.header(registry)?)?;
    while let Some(line) = lines.next()? {
        replay.take(lines.number, line)?;
        if replay.found.difference.is_some() {
            return Ok(replay.found);
        }
    }
    replay.decide()?;
    if replay.found.difference.is_none() {
        lines.check_counts(replay.found.events, replay.found.answers)?;
    }
    Ok(replay.found)
}

/// A replay of a decision log in progress: a new dispatcher gets the events of the log, and its
/// answers are compared with the log's.
struct LogReplay {
    dispatcher: Composed,
    cus: u16,
    echo: Echo,
    /// The decision that is being read, as (tick, number of the decision); `None` before the first.
    open: Option<(Tick, u64)>,
    /// The lines that the log has for the decision that is being read: (number of the line, text).
    expected: Vec<(usize, String)>,
    pieces: Vec<Piece>,
    found: Replayed,
}

impl LogReplay {
    fn new(header: &LogHeader) -> Result<Self, DispatchError> {
        let (sink, echo) = Echo::new();
        let builder = header.recipe.builder(header.shape, header.cus);
        let builder = builder.map_err(|error| DispatchError::bad_log(1, error.to_string()))?;
        let builder = builder.abilities(header.abilities);
        let dispatcher = builder.log(header.writer(Box::new(sink))).build()?;
        // The header that the dispatcher has just written is not compared.
        echo.take();
        Ok(Self {
            dispatcher,
            cus: header.cus,
            echo,
            open: None,
            expected: Vec::new(),
            pieces: Vec::new(),
            found: Replayed { events: 0, answers: 0, difference: None },
        })
    }

    /// Takes the next line of the decision log. If the line belongs to a new decision, the new
    /// dispatcher first makes the decision before that one, and the answers are compared.
    fn take(&mut self, number: usize, line: String) -> Result<(), DispatchError> {
        if !line.contains("\"event\":") {
            self.expected.push((number, line));
            return Ok(());
        }
        let read: LogLine<LoggedEvent<Vec<PieceRun>>> = serde_json::from_str(&line)
            .map_err(|error| DispatchError::bad_log(number, without_content(&error.to_string())))?;
        if let Some((t, step)) = self.open.filter(|&(_, step)| step != read.step) {
            self.decide()?;
            if self.found.difference.is_some() {
                return Ok(());
            }
            if read.step < step || read.t < t {
                return Err(DispatchError::bad_log(number, "steps and times must not go back"));
            }
        }
        self.open = Some((read.t, read.step));
        self.pieces.clear();
        let event = read.said.event(self.cus, &mut self.pieces);
        let event = event.map_err(|what| DispatchError::bad_log(number, what))?;
        let heard = self.dispatcher.event(&event, read.t);
        heard.map_err(|error| DispatchError::bad_log(number, error.to_string()))?;
        self.found.events += 1;
        self.expected.push((number, line));
        Ok(())
    }

    /// Asks the new dispatcher for the decision whose lines were read, and compares each line that
    /// it writes with the decision log's, byte for byte.
    fn decide(&mut self) -> Result<(), DispatchError> {
        let Some((now, _)) = self.open else { return Ok(()) };
        self.dispatcher.decide(now, &mut Actions::default())?;
        let answered = self.echo.take();
        let mut answered = answered.lines();
        let mut last = 0;
        for (number, line) in self.expected.drain(..) {
            last = number;
            let now_line = answered.next().unwrap_or("(nothing)");
            if line != now_line && self.found.difference.is_none() {
                self.found.difference = Some((number, line, now_line.to_owned()));
            } else if line.contains("\"answer\":") {
                self.found.answers += 1;
            }
        }
        if let (Some(more), None) = (answered.next(), &self.found.difference) {
            self.found.difference = Some((last + 1, "(nothing)".into(), more.to_owned()));
        }
        Ok(())
    }
}

/// A writer that keeps the text of a log in memory until the text is taken.
#[derive(Clone, Default)]
struct Echo(Arc<Mutex<Vec<u8>>>);

impl Echo {
    fn new() -> (Self, Self) {
        let echo = Self::default();
        (echo.clone(), echo)
    }

    fn take(&self) -> String {
        let mut bytes = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        String::from_utf8_lossy(&std::mem::take(&mut *bytes)).into_owned()
    }
}

impl Write for Echo {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
