//! How are the lines of a log read one by one, and is the log complete?

use std::io::{BufRead, Lines, Read};

use serde::Deserialize;

use super::header::{LogHeader, is_header};
use super::short::Memory;
use crate::error::DispatchReason;
use crate::{DispatchError, Registry};

/// The first characters of the last line of a complete log.
const LAST: &str = "{\"raddle-log-end\":";

/// The last line of a log, which has the numbers of its events and answers.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct LastLine {
    raddle_log_end: u32,
    events: u64,
    answers: u64,
}

/// A reader that reads a decision log line by line.
pub(super) struct LogLines<R> {
    lines: Lines<R>,
    /// The number of the line that was read last, from 1.
    pub(super) number: usize,
    /// The text of the first line of the decision log; empty before that line has been read.
    pub(super) first: String,
    last: String,
    memory: Memory,
}

/// The most bytes that are read as the first line of a log; in a file that is not a log, the first
/// line may be the whole file.
const HEADER: u64 = 1 << 20;

/// Returns every line of a log in full: parts that a short log leaves out are filled in. For a file
/// that is not a log, returns one error and no line.
///
/// # Errors
/// When the log does not begin with a header, or when a line cannot be read or leaves out a part
/// that does not follow from earlier lines. No line is returned after an error.
pub fn spelled_out(log: impl BufRead) -> impl Iterator<Item = Result<String, DispatchError>> {
    let (mut memory, mut number, mut log) = (Memory::default(), 0, Some(log));
    core::iter::from_fn(move || {
        let mut from = log.take()?;
        number += 1;
        let line = match number {
            1 => header_line(&mut from).map(Some),
            _ => next_line(&mut from),
        };
        let line = line.transpose()?.and_then(|line| spell_out(&mut memory, number, line));
        log = line.is_ok().then_some(from);
        Some(line)
    })
}

/// Reads the first line of a log, which must be a header.
fn header_line(log: &mut impl BufRead) -> Result<String, DispatchError> {
    let mut line = Vec::new();
    log.take(HEADER)
        .read_until(b'\n', &mut line)
        .map_err(|error| DispatchError(DispatchReason::ReadLog(error)))?;
    let text = String::from_utf8(line).ok().filter(|line| is_header(line));
    text.map(|text| text.trim_end().to_owned()).ok_or_else(|| {
        let what = "it is no header of a log, so this is no log that `raddle replay --log` or `raddle live` wrote";
        DispatchError::bad_log(1, what)
    })
}

fn next_line(log: &mut impl BufRead) -> Result<Option<String>, DispatchError> {
    let mut line = String::new();
    let read =
        log.read_line(&mut line).map_err(|error| DispatchError(DispatchReason::ReadLog(error)))?;
    let end = line
        .strip_suffix('\n')
        .map_or(line.len(), |line| line.strip_suffix('\r').unwrap_or(line).len());
    line.truncate(end);
    Ok((read > 0).then_some(line))
}

/// Returns a line of a log in full: parts that a short log leaves out are filled in. The first and
/// the last line have no time, and are returned unchanged.
fn spell_out(memory: &mut Memory, number: usize, line: String) -> Result<String, DispatchError> {
    if number == 1 || line.starts_with(LAST) {
        return Ok(line);
    }
    memory.spell_out(&line).ok_or_else(|| {
        let what =
            "it is no line of a log, or leaves out what does not follow from those before it";
        DispatchError::bad_log(number, what)
    })
}

impl<R: BufRead> LogLines<R> {
    pub(super) fn new(log: R) -> Self {
        Self {
            lines: log.lines(),
            number: 0,
            first: String::new(),
            last: String::new(),
            memory: Memory::default(),
        }
    }

    /// Reads the first line of the decision log, which must be a header, and looks its policies up
    /// in the registry.
    pub(super) fn header(&mut self, registry: &Registry) -> Result<LogHeader, DispatchError> {
        self.number = 1;
        let first = self
            .lines
            .next()
            .transpose()
            .map_err(|error| DispatchError(DispatchReason::ReadLog(error)))?;
        self.first = first.unwrap_or_default();
        LogHeader::read(&self.first, registry)
    }

    /// Reads the next line of the decision log, and fills in the parts that a short log leaves out.
    /// Returns `None` at the last line, which has the numbers of events and answers.
    ///
    /// # Errors
    /// When the line cannot be read or is not complete, or when the log ends without a last line.
    pub(super) fn next(&mut self) -> Result<Option<String>, DispatchError> {
        let Some(line) = self
            .lines
            .next()
            .transpose()
            .map_err(|error| DispatchError(DispatchReason::ReadLog(error)))?
        else {
            let what = "the log breaks off after it; its last line must give the counts";
            return Err(DispatchError::bad_log(self.number, what));
        };
        self.number += 1;
        if !line.starts_with('{') || !line.ends_with('}') {
            let what = "it is not whole; copy or write the log again";
            return Err(DispatchError::bad_log(self.number, what));
        }
        if line.starts_with(LAST) {
            self.last = line;
            return Ok(None);
        }
        spell_out(&mut self.memory, self.number, line).map(Some)
    }

    /// Checks that no line of the decision log is missing: the last line must have the numbers of
    /// events and answers that were read.
    pub(super) fn check_counts(&self, events: u64, answers: u64) -> Result<(), DispatchError> {
        match serde_json::from_str(&self.last) {
            Ok(LastLine { raddle_log_end: 1, events: said, answers: also })
                if (said, also) == (events, answers) =>
            {
                Ok(())
            }
            _ => {
                let what = "its counts are not those of the lines before";
                Err(DispatchError::bad_log(self.number, what))
            }
        }
    }
}
