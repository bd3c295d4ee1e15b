//! Do the events of a log give the same answers again?

use std::io::{BufRead, Write};
use std::sync::{Arc, Mutex};

use raddle_policy::{
    Actions, CuId, Event, Launch, LaunchId, Piece, ProcessId, TakeOff, Tick, WaveSpan,
};
use serde::Deserialize;

use super::{Header, LogWriter, Run, expand};
use crate::{DispatchError, Dispatcher};

/// What a replay of a log found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replayed {
    /// Events fed.
    pub events: u64,
    /// Answer lines compared.
    pub answers: u64,
    /// The first line that differs: its 1-based number, as logged, as answered now.
    pub difference: Option<(usize, String, String)>,
}

/// First workgroup, stride, count, first compute unit, compute units, and the step if it is not 1.
#[derive(Deserialize)]
#[serde(untagged)]
enum WrittenRun {
    Even(u64, u32, u32, u16, u16),
    Stepped(u64, u32, u32, u16, u16, u64),
}

/// One event line. Unknown keys are errors: a log is written by this very program.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct EventLine {
    t: Tick,
    step: u64,
    event: String,
    process: Option<ProcessId>,
    share: Option<u32>,
    launch: Option<LaunchField>,
    waves: Option<(u16, u16)>,
    pieces: Option<Vec<WrittenRun>>,
    how: Option<String>,
    done: Option<u64>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum LaunchField {
    Id(LaunchId),
    Whole(Launch),
}

impl EventLine {
    fn launch_id(&self) -> Option<LaunchId> {
        match self.launch {
            Some(LaunchField::Id(id)) => Some(id),
            _ => None,
        }
    }

    /// The event, its pieces put into `pieces`; `None` if a key is missing or a word unknown.
    fn event<'p>(&self, pieces: &'p mut Vec<Piece>) -> Option<Event<'p>> {
        Some(match self.event.as_str() {
            "process-joined" => Event::ProcessJoined { process: self.process?, share: self.share? },
            "process-left" => Event::ProcessLeft { process: self.process? },
            "launch-ready" => match self.launch {
                Some(LaunchField::Whole(launch)) => Event::LaunchReady { launch },
                _ => return None,
            },
            "waves-ended" => {
                for run in self.pieces.as_ref()? {
                    let (first, stride, count, cu, cus, step) = match *run {
                        WrittenRun::Even(first, stride, count, cu, cus) => {
                            (first, stride, count, cu, cus, 1)
                        }
                        WrittenRun::Stepped(first, stride, count, cu, cus, step) => {
                            (first, stride, count, cu, cus, step)
                        }
                    };
                    let piece = Piece { first, stride, count, cu: CuId(cu) };
                    pieces.extend(expand(Run { piece, cus, step }));
                }
                let waves = match self.waves {
                    Some((first, count)) => WaveSpan::Range { first, count },
                    None => WaveSpan::All,
                };
                Event::WavesEnded { launch: self.launch_id()?, waves, pieces }
            }
            "taken-off" => {
                let named = |how: &TakeOff| Some(how.name()) == self.how.as_deref();
                let all = [TakeOff::Flag, TakeOff::Drain, TakeOff::Kill, TakeOff::Save];
                let how = all.into_iter().find(named)?;
                Event::TakenOff { launch: self.launch_id()?, how, done: self.done? }
            }
            "restored" => Event::Restored { launch: self.launch_id()? },
            "woke" => Event::Woke,
            _ => return None,
        })
    }
}

/// Reads the header line of a log.
///
/// # Errors
/// When it is not one of version 1.
pub fn read_header(line: &str) -> Result<Header, DispatchError> {
    let bad = |what: String| DispatchError::BadLog { line: 1, what };
    let header: Header = serde_json::from_str(line).map_err(|error| {
        bad(format!("the first line must be a header as `raddle replay` writes it ({error})"))
    })?;
    if header.raddle_log != 1 {
        return Err(bad(format!("log version {}; this raddle reads 1", header.raddle_log)));
    }
    header.shape.check().map_err(|error| bad(error.to_string()))?;
    Ok(header)
}

/// Feeds the events of a log to a new dispatcher of the same recipe and compares the answers.
///
/// # Errors
/// When the log cannot be read, or its events contradict each other.
pub fn replay(log: impl BufRead) -> Result<Replayed, DispatchError> {
    let mut lines = log.lines();
    let first = lines.next().transpose().map_err(DispatchError::ReadLog)?.unwrap_or_default();
    let header = read_header(&first)?;
    let (sink, echo) = Echo::new();
    let bad_recipe =
        |error: crate::RecipeError| DispatchError::BadLog { line: 1, what: error.to_string() };
    let mut dispatcher = header
        .recipe
        .builder(header.shape, header.cus)
        .map_err(bad_recipe)?
        .log(LogWriter::new(Box::new(sink), &header))
        .build();
    let mut replay = Replay { echo, found: Replayed { events: 0, answers: 0, difference: None } };
    replay.echo.take();
    let mut open: Option<(Tick, u64)> = None;
    let mut expected: Vec<(usize, String)> = Vec::new();
    let mut pieces = Vec::new();
    for (position, line) in lines.enumerate() {
        let (number, line) = (position + 2, line.map_err(DispatchError::ReadLog)?);
        if !line.contains("\"event\":") {
            expected.push((number, line));
            continue;
        }
        let bad = |what: String| DispatchError::BadLog { line: number, what };
        let parsed: EventLine =
            serde_json::from_str(&line).map_err(|error| bad(error.to_string()))?;
        if let Some((t, step)) = open.filter(|&(_, step)| step != parsed.step) {
            replay.decide(&mut dispatcher, t, &mut expected)?;
            if replay.found.difference.is_some() {
                return Ok(replay.found);
            }
            if parsed.step < step || parsed.t < t {
                return Err(bad("steps and times must not go back".into()));
            }
        }
        open = Some((parsed.t, parsed.step));
        pieces.clear();
        let event = parsed.event(&mut pieces);
        let event =
            event.ok_or_else(|| bad(format!("event `{}` is not complete", parsed.event)))?;
        dispatcher.event(&event, parsed.t).map_err(|error| bad(error.to_string()))?;
        replay.found.events += 1;
        expected.push((number, line));
    }
    if let Some((t, _)) = open {
        replay.decide(&mut dispatcher, t, &mut expected)?;
    }
    Ok(replay.found)
}

struct Replay {
    echo: Echo,
    found: Replayed,
}

impl Replay {
    /// Lets the dispatcher decide and compares everything of the step, byte for byte.
    fn decide(
        &mut self,
        dispatcher: &mut impl Dispatcher,
        now: Tick,
        expected: &mut Vec<(usize, String)>,
    ) -> Result<(), DispatchError> {
        dispatcher.decide(now, &mut Actions::default())?;
        let answered = self.echo.take();
        let mut answered = answered.lines();
        let mut last = 0;
        for (number, line) in expected.drain(..) {
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

/// Keeps what a log writer writes until it is asked for.
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
