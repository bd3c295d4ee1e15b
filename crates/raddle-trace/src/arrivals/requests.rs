//! What does a recorded trace of requests say: Azure, BurstGPT (CSV) or Mooncake (JSON Lines)?
//!
//! One request a line; times are counted from the earliest request of the file. Such tables have
//! no cells with commas, so a row is split at each.

use std::io::{BufRead, Read};

use serde::Deserialize;
use serde_json::value::RawValue;

use super::amount::{scaled, shown};
use super::{
    ArrivalFile, ArrivalFormat, ArrivalProcess, ArrivalTask, REQUEST_LIMIT, calendar, failure, sort,
};
use crate::decimal::unquote;
use crate::error::TraceError;

/// The name of the only task of such a file.
const NAME: &str = "requests";
/// The most bytes of one line.
const LINE_LIMIT: u64 = 1 << 20;

/// The lines of a file that say something, with their numbers.
struct RequestLines<'f, R> {
    file: &'f str,
    reader: R,
    number: u64,
    text: Vec<u8>,
}

impl<R: BufRead> RequestLines<'_, R> {
    fn next(&mut self) -> Result<Option<(u64, String)>, TraceError> {
        loop {
            self.text.clear();
            self.number += 1;
            let mut limited = Read::take(&mut self.reader, LINE_LIMIT + 1);
            let read = limited.read_until(b'\n', &mut self.text);
            let at = || format!("line {}", self.number);
            if read.map_err(|cause| failure(self.file, &at(), cause))? == 0 {
                return Ok(None);
            }
            if self.text.len() as u64 > LINE_LIMIT {
                let (file, what) = (self.file.to_owned(), "bytes in one line");
                return Err(TraceError::TooLarge { file, limit: LINE_LIMIT, what });
            }
            let text = String::from_utf8_lossy(&self.text);
            if !text.trim().is_empty() {
                return Ok(Some((self.number, text.trim().to_owned())));
            }
        }
    }
}

/// Times as they are read.
struct RequestTimes<'f> {
    file: &'f str,
    times: Vec<i128>,
}

impl RequestTimes<'_> {
    fn add(&mut self, line: u64, time: Result<i128, String>) -> Result<(), TraceError> {
        let file = || self.file.to_owned();
        if self.times.len() >= REQUEST_LIMIT {
            let limit = REQUEST_LIMIT as u64;
            return Err(TraceError::TooLarge { file: file(), limit, what: "requests" });
        }
        let at = format!("line {line}");
        let fault = |problem| TraceError::Arrivals { file: file(), at, problem };
        self.times.push(time.map_err(fault)?);
        Ok(())
    }

    fn finish(self, format: ArrivalFormat) -> Result<ArrivalFile, TraceError> {
        let file = self.file.to_owned();
        let Some(first) = self.times.iter().min() else {
            let reason = "it has a header and no request".to_owned();
            return Err(TraceError::NoArrivals { file, reason });
        };
        let since = self.times.iter().map(|time| u64::try_from(time - first));
        let mut times = since.collect::<Result<Vec<_>, _>>().map_err(|_| {
            let problem = "they lie more than 584 years apart".to_owned();
            TraceError::Arrivals { file, at: "its times".to_owned(), problem }
        })?;
        let unsorted = sort(&mut times);
        let process = ArrivalProcess::Trace(times);
        let task = ArrivalTask { name: NAME.to_owned(), priority: None, process, number: 0 };
        Ok(ArrivalFile { format, tasks: vec![task], time: None, unsorted })
    }
}

/// The columns by which a table is known, its format, and the column of its times.
static TABLES: [(&[&str], ArrivalFormat, &str); 2] = [
    (&["TIMESTAMP", "ContextTokens", "GeneratedTokens"], ArrivalFormat::Azure, "TIMESTAMP"),
    (&["Timestamp", "Request tokens", "Response tokens"], ArrivalFormat::BurstGpt, "Timestamp"),
];

/// What a table is whose first line is this, where it is one of [`TABLES`].
pub(crate) fn format_of_header(line: &str) -> Option<&'static str> {
    table_of(&line.split(',').map(unquote).collect::<Vec<_>>()).map(|(_, format, _)| match format {
        ArrivalFormat::BurstGpt => "a request trace of BurstGPT",
        _ => "a request trace of Azure",
    })
}

fn table_of(
    names: &[&str],
) -> Option<&'static (&'static [&'static str], ArrivalFormat, &'static str)> {
    TABLES.iter().find(|(columns, ..)| columns.iter().all(|name| names.contains(name)))
}

/// Reads a table.
pub(super) fn csv(file: &str, reader: impl BufRead) -> Result<ArrivalFile, TraceError> {
    let mut lines = RequestLines { file, reader, number: 0, text: Vec::new() };
    let header = match lines.next() {
        Ok(line) => line.map(|(_, text)| text).unwrap_or_default(),
        // Not a file of lines at all.
        Err(TraceError::TooLarge { .. }) => String::from_utf8_lossy(&lines.text).into_owned(),
        Err(error) => return Err(error),
    };
    let names: Vec<&str> = header.split(',').map(unquote).collect();
    let Some((_, format, time)) = table_of(&names) else {
        let reason = format!("it begins with {}", shown(&header));
        return Err(TraceError::NoArrivals { file: file.to_owned(), reason });
    };
    let column = names.iter().position(|name| name == time).unwrap_or(0);
    let mut requests = RequestTimes { file, times: Vec::new() };
    while let Some((number, text)) = lines.next()? {
        let cells: Vec<&str> = text.split(',').map(unquote).collect();
        let time = if cells.len() == names.len() {
            time_of(*format, cells[column])
        } else {
            Err(format!("the row has {} cells but the header {}", cells.len(), names.len()))
        };
        requests.add(number, time)?;
    }
    requests.finish(*format)
}

fn time_of(format: ArrivalFormat, text: &str) -> Result<i128, String> {
    if format == ArrivalFormat::BurstGpt {
        return scaled(text, 9).map(i128::from);
    }
    calendar::nanoseconds(text)
        .ok_or_else(|| format!("{} is no time such as `2023-11-16 18:15:46.6805900`", shown(text)))
}

/// One line of Mooncake's trace.
#[derive(Deserialize)]
struct MooncakeLine<'t> {
    /// In milliseconds.
    #[serde(borrow)]
    timestamp: &'t RawValue,
}

/// Whether a line is a whole request by itself.
pub(super) fn is_json_line(text: &[u8]) -> bool {
    serde_json::from_slice::<MooncakeLine<'_>>(text).is_ok()
}

/// Reads requests one a line; `first` is line `number`.
pub(super) fn json_lines(
    file: &str,
    first: &[u8],
    number: u64,
    reader: impl BufRead,
) -> Result<ArrivalFile, TraceError> {
    let mut requests = RequestTimes { file, times: Vec::new() };
    let mut lines = RequestLines { file, reader, number, text: Vec::new() };
    let mut line = Some((number, String::from_utf8_lossy(first).into_owned()));
    while let Some((number, text)) = line {
        let parsed = serde_json::from_str::<MooncakeLine<'_>>(&text);
        let parsed = parsed.map_err(|_| "it is no request with a `timestamp`, in JSON".to_owned());
        let time = parsed.and_then(|line| scaled(line.timestamp.get(), 6));
        requests.add(number, time.map(i128::from))?;
        line = lines.next()?;
    }
    requests.finish(ArrivalFormat::Mooncake)
}
