//! Do the events of a live log, replayed, give the logged answers again?

use std::io::{BufRead, Lines};
use std::iter::Peekable;

use raddle_dispatch::Registry;
use raddle_dispatch::log::{LogLine, LogWriter};
use raddle_policy::Tick;
use serde::Deserialize;

use crate::LiveError;
use crate::client::journal::{ClientEvent, ClientHeader, ClientReplay};
use crate::daemon::desk::Desk;
use crate::daemon::said::{DaemonEvent, DaemonHeader, logged_recipe};

/// Text with which the last line of a log begins.
const LAST: &str = "{\"raddle-log-end\":";

/// Result of replaying the log of a client or a daemon.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LiveReplayed {
    /// Number of events of the log that the replay has processed.
    pub events: u64,
    /// Number of answers in the log that the replay has given again.
    pub answers: u64,
    /// True if the log ends with its last line, which marks it as complete. A program that was
    /// killed leaves a log without that line.
    pub is_whole: bool,
    /// First answer that differs, as (line number from 1, logged line, line in the replay); `None`
    /// where all answers agree.
    pub difference: Option<(usize, String, String)>,
}

/// Replays the log of a client or a daemon: passes the logged events to a new controller (of a
/// client) or decision maker (of a daemon), and compares its answers with those in the log.
///
/// # Errors
/// When the log cannot be read, or its events contradict each other.
pub fn replay(log: impl BufRead) -> Result<LiveReplayed, LiveError> {
    replay_with(&Registry::bundled(), log)
}

/// Replays a log as [`replay`] does; the policies that the log of a daemon names are looked up in
/// `registry`.
///
/// # Errors
/// When the log cannot be read, its events contradict each other, or the registry lacks a policy of
/// it.
pub fn replay_with(registry: &Registry, log: impl BufRead) -> Result<LiveReplayed, LiveError> {
    let mut lines = LiveLogLines::new(log)?;
    let bad = |error: serde_json::Error| LiveError::bad_log(1, &error);
    let mut fed = if lines.header.contains("\"live\":\"daemon\"") {
        Fed::daemon(&DaemonHeader::read(&lines.header, registry)?, registry)?
    } else {
        let header: ClientHeader = serde_json::from_str(&lines.header).map_err(bad)?;
        Fed::Client(Box::new(ClientReplay::new(&header)?))
    };
    let mut found = LiveReplayed::default();
    while let Some((number, line)) = lines.next()? {
        match line {
            Spelled::Event(line) => {
                found.events += 1;
                fed.hear(&line, number)?;
            }
            Spelled::Answer(line) => {
                let answered = fed.answer(&line, number)?;
                if answered != line {
                    found.difference = Some((number, line, answered));
                    break;
                }
                found.answers += 1;
            }
        }
    }
    found.is_whole = lines.is_whole;
    Ok(found)
}

/// Line of a live log whose JSON is not parsed yet: an event or an answer.
pub(crate) enum Spelled {
    Event(String),
    Answer(String),
}

pub(crate) struct LiveLogLines<R: BufRead> {
    pub(crate) header: String,
    lines: Peekable<Lines<R>>,
    number: usize,
    /// True if the last line, which marks a complete log, was found.
    is_whole: bool,
}

impl<R: BufRead> LiveLogLines<R> {
    pub(crate) fn new(log: R) -> Result<Self, LiveError> {
        let mut lines = log.lines();
        let header = lines.next().transpose().map_err(LiveError::ReadLog)?.unwrap_or_default();
        Ok(Self { header, lines: lines.peekable(), number: 1, is_whole: false })
    }

    /// Returns (number of the line, from 2; the line) for the next line of the log; `None` at the
    /// end, an error where the log cannot be read.
    pub(crate) fn next(&mut self) -> Result<Option<(usize, Spelled)>, LiveError> {
        let Some(line) = self.lines.next().transpose().map_err(LiveError::ReadLog)? else {
            return Ok(None);
        };
        self.number += 1;
        self.is_whole = line.starts_with(LAST);
        // A process that was killed while it wrote leaves a broken line at the end.
        if self.is_whole || self.lines.peek().is_none() && !line.ends_with('}') {
            return Ok(None);
        }
        let is_event = line.contains("\"event\":");
        Ok(Some((self.number, if is_event { Spelled::Event(line) } else { Spelled::Answer(line) })))
    }
}

/// Receiver of the logged events in a replay: the controller of a client, or the decision maker of
/// a daemon.
enum Fed {
    Client(Box<ClientReplay>),
    Daemon(Box<FedDesk>),
}

/// Decision maker of a daemon in a replay, with its answers that have not been compared with the
/// log yet.
struct FedDesk {
    desk: Desk,
    registry: Registry,
    echo: LiveEcho,
    expected: std::collections::VecDeque<String>,
    now: u64,
}

/// Time in nanoseconds (`t`) and step number (`step`) of a line of a log. An event and the answers
/// to it have the same step number.
#[derive(Deserialize)]
struct When {
    t: Tick,
    step: u64,
}

impl Fed {
    fn daemon(header: &DaemonHeader, registry: &Registry) -> Result<Self, LiveError> {
        let echo = LiveEcho::default();
        let log = LogWriter::with_header(Box::new(echo.clone()), header);
        let desk = Desk::new(header, registry, log)?;
        echo.take();
        let (expected, registry) = (std::collections::VecDeque::new(), registry.clone());
        Ok(Self::Daemon(Box::new(FedDesk { desk, registry, echo, expected, now: 0 })))
    }

    fn hear(&mut self, line: &str, number: usize) -> Result<(), LiveError> {
        let bad = |error: serde_json::Error| LiveError::bad_log(number, &error);
        match self {
            Self::Client(client) => {
                let read: LogLine<ClientEvent> = serde_json::from_str(line).map_err(bad)?;
                client.hear(read.said).map_err(|error| LiveError::bad_log(number, &error))
            }
            Self::Daemon(fed) => {
                let read: LogLine<DaemonEvent> = serde_json::from_str(line).map_err(bad)?;
                if let DaemonEvent::Set { recipe } = &read.said {
                    logged_recipe(recipe, &fed.registry, number)?;
                }
                fed.now = read.t.0;
                fed.desk.hear(read.said, read.t.0, &mut Vec::new());
                fed.collect();
                Ok(())
            }
        }
    }

    /// Returns the next answer of the replayed controller or decision maker as a line of a log;
    /// "(nothing)" where it has none. `line` is the logged answer, in the line `number` of the log;
    /// an error where it cannot be parsed, or the decision maker fails.
    fn answer(&mut self, line: &str, number: usize) -> Result<String, LiveError> {
        let bad = |error: serde_json::Error| LiveError::bad_log(number, &error);
        let When { t, step } = serde_json::from_str(line).map_err(bad)?;
        let nothing = || "(nothing)".to_owned();
        match self {
            Self::Client(client) => {
                let Some(said) = client.answer() else { return Ok(nothing()) };
                serde_json::to_string(&LogLine { t, step, said }).map_err(bad)
            }
            Self::Daemon(fed) => {
                if fed.expected.is_empty() {
                    fed.desk.decide(t.0, &mut Vec::new())?;
                    fed.collect();
                }
                Ok(fed.expected.pop_front().unwrap_or_else(nothing))
            }
        }
    }
}

impl FedDesk {
    /// Collects the answers that the decision maker has given since the last call, to compare them
    /// with the log.
    fn collect(&mut self) {
        let written = self.echo.take();
        let answers = written.lines().filter(|line| line.contains("\"answer\":"));
        self.expected.extend(answers.map(str::to_owned));
    }
}

/// Writer that keeps the log of a replay in memory. Its answers are compared with the original log.
#[derive(Clone, Debug, Default)]
struct LiveEcho(std::sync::Arc<std::sync::Mutex<Vec<u8>>>);

impl LiveEcho {
    fn bytes(&self) -> std::sync::MutexGuard<'_, Vec<u8>> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn take(&self) -> String {
        String::from_utf8_lossy(&std::mem::take(&mut *self.bytes())).into_owned()
    }
}

impl std::io::Write for LiveEcho {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.bytes().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
