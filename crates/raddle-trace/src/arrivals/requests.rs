//! What does a trace of requests by Azure, BurstGPT (CSV), Mooncake or Bailian (JSON Lines) hold?
//!
//! Each line is one request; times are counted from the earliest request of the file.

use jiff::civil::DateTime;
use jiff::fmt::temporal::Pieces;
use jiff::tz::Offset;
use serde_json::value::RawValue;

use super::disb::Keys;
use super::{
    ArrivalConfig, ArrivalFile, ArrivalFormat, ArrivalProcess, ArrivalTask, BREAKS_OFF,
    REQUEST_LIMIT, TimeUnit, TimesCount, failure, fault, sort,
};
use crate::csv_table::CsvTable;
use crate::decimal::unquote;
use crate::error::{TraceError, shown};
use crate::input::FileInput;
use crate::report::TableEnd;

/// One request in JSON Lines; only its time is read.
#[derive(serde::Deserialize)]
pub(super) struct RequestLine {
    timestamp: Box<RawValue>,
}

/// One request in a CSV table. Only its time is read, from the column `Timestamp` or `TIMESTAMP`.
#[derive(serde::Deserialize)]
struct RequestRow<'r> {
    #[serde(alias = "TIMESTAMP", rename = "Timestamp")]
    time: &'r str,
}

/// Builds the arrivals of the only task of a trace of requests from their times in nanoseconds, the
/// earliest of which becomes time 0. An error where the trace has no request, or spans more than
/// 584 years.
fn trace(
    file: &str,
    format: ArrivalFormat,
    counts: TimesCount,
    times: &[i128],
) -> Result<ArrivalFile, TraceError> {
    let Some(first) = times.iter().min() else {
        let reason = "it has a header and no request".to_owned();
        return Err(TraceError::NoArrivals { file: file.to_owned(), reason });
    };
    let since = times.iter().map(|time| u64::try_from(time - first));
    let times = since.collect::<Result<Vec<_>, _>>();
    let mut times =
        times.map_err(|_| fault(file, "its times", "they lie more than 584 years apart".into()))?;
    let unsorted = sort(&mut times);
    let process = ArrivalProcess::Trace(times);
    let task = ArrivalTask { name: "requests".to_owned(), priority: None, process, number: 0 };
    Ok(ArrivalFile { format: format.name(), tasks: vec![task], counts, time: None, unsorted })
}

/// Recognises a trace of requests in CSV by the names of its columns; `None` where the table is no
/// such trace.
fn format_of<'n>(names: impl Iterator<Item = &'n str> + Clone) -> Option<ArrivalFormat> {
    let has = |wanted: [&str; 3]| wanted.iter().all(|name| names.clone().any(|n| n == *name));
    if has(["TIMESTAMP", "ContextTokens", "GeneratedTokens"]) {
        return Some(ArrivalFormat::Azure);
    }
    has(["Timestamp", "Request tokens", "Response tokens"]).then_some(ArrivalFormat::BurstGpt)
}

/// Returns a description of the trace of requests with the CSV header `line`, such as "a request
/// trace of Azure"; `None` where the line is no such header.
pub(crate) fn format_of_header(line: &str) -> Option<&'static str> {
    Some(match format_of(line.split(',').map(unquote))? {
        ArrivalFormat::BurstGpt => "a request trace of BurstGPT",
        _ => "a request trace of Azure",
    })
}

/// Reads a trace of requests in CSV; an error where a row has no valid time. `file` is its name for
/// messages.
pub(super) fn csv(
    file: &str,
    mut input: FileInput<'_>,
    options: &ArrivalConfig,
) -> Result<ArrivalFile, TraceError> {
    let head = input.head().map_err(|cause| failure(file, "line 1", cause))?;
    let line = String::from_utf8_lossy(head.split(|&b| b == b'\n').next().unwrap_or(head));
    let line = line.trim_end();
    let Some(format) = format_of(line.split(',').map(unquote)) else {
        let reason = "line 1 is neither JSON nor the header of such a table".to_owned();
        return Err(TraceError::NoArrivals { file: file.to_owned(), reason });
    };
    let mut table = CsvTable::new(file.to_owned(), input.reader, input.lines);
    table.read_header()?;
    let mut line = 1;
    let mut times = Vec::new();
    let mut dates = false;
    let asked = options.time_unit;
    let end = table.rows(|row| {
        line = row.line;
        let time = row.read::<RequestRow<'_>>().map_err(|fault| fault.problem);
        let time = time.and_then(|row| match format {
            ArrivalFormat::BurstGpt => {
                asked.unwrap_or(TimeUnit::Seconds).ns(row.time).map(i128::from)
            }
            _ => {
                let date = date_ns(row.time);
                dates |= date.is_some();
                date.map_or_else(|| number_of(asked, row.time), Ok)
            }
        });
        times.push(time.map_err(|problem| fault(file, &format!("line {line}"), problem))?);
        Ok(true)
    })?;
    if end == TableEnd::Cut {
        return Err(fault(file, &format!("line {}", line + 1), BREAKS_OFF.to_owned()));
    }
    let counts = match dates {
        true => TimesCount::Dates,
        false => TimesCount::of(asked, TimeUnit::Seconds),
    };
    trace(file, format, counts, &times)
}

/// Reads a time that is a number and no date, in the unit `asked` by the caller, and returns it in
/// nanoseconds; an error where `asked` is `None`, since the unit is then unknown.
fn number_of(asked: Option<TimeUnit>, text: &str) -> Result<i128, String> {
    let Some(unit) = asked else {
        let wanted = "no time such as `2023-11-16 18:15:46.6805900`";
        return Err(format!("{} is {wanted}; what a number counts --time-unit says", shown(text)));
    };
    unit.ns(text).map(i128::from)
}

/// Returns the nanoseconds from 1970 to a date with a time; a date without a zone counts as UTC.
/// `None` where the text is no date with a time.
fn date_ns(text: &str) -> Option<i128> {
    let date = Pieces::parse(text).ok()?;
    let time = DateTime::from_parts(date.date(), date.time()?);
    let zone = date.to_numeric_offset().unwrap_or(Offset::UTC);
    Some(zone.to_timestamp(time).ok()?.as_nanosecond())
}

/// Reads a trace of requests in JSON Lines; an error where a request has no valid time. `lines`
/// lines of the file come before the first request, whose members are `first`; `rest` has the other
/// requests. `file` is the file's name for messages.
pub(super) fn json_lines(
    (file, lines): (&str, u64),
    first: &Keys,
    rest: impl Iterator<Item = Result<RequestLine, TraceError>>,
    options: &ArrivalConfig,
) -> Result<ArrivalFile, TraceError> {
    let bailian = ["chat_id", "parent_chat_id"].iter().any(|key| first.contains_key(*key));
    let (format, unit) = match bailian {
        true => (ArrivalFormat::Bailian, TimeUnit::Seconds),
        false => (ArrivalFormat::Mooncake, TimeUnit::Milliseconds),
    };
    let counts = TimesCount::of(options.time_unit, unit);
    let unit = counts.unit().unwrap_or(unit);
    let head = first.get("timestamp").map(|timestamp| Ok(timestamp.clone()));
    let rest = rest.map(|line| line.map(|line| line.timestamp));
    let times = head.into_iter().chain(rest).take(REQUEST_LIMIT + 1).zip(lines + 1..);
    let times = times.map(|(timestamp, line)| {
        let ns = unit.ns(timestamp?.get()).map(i128::from);
        ns.map_err(|problem| fault(file, &format!("line {line}"), problem))
    });
    let times = times.collect::<Result<Vec<_>, TraceError>>()?;
    if times.len() > REQUEST_LIMIT {
        let (file, limit) = (file.to_owned(), REQUEST_LIMIT as u64);
        return Err(TraceError::TooLarge { file, limit, what: "requests" });
    }
    trace(file, format, counts, &times)
}

/// Error message for JSON Lines whose first line has no arrival time.
pub(super) const NO_TIME: &str = "these are JSON Lines, and this one has no `timestamp`: each request \
                                  wants the time of its arrival; leave other lines out";

#[cfg(test)]
mod tests {
    use super::*;

    fn apart(a: &str, b: &str) -> i128 {
        date_ns(b).expect(b) - date_ns(a).expect(a)
    }

    #[test]
    fn differences_of_dates_are_exact() {
        assert_eq!(
            apart("2023-11-16 18:15:46.6805900", "2023-11-16 18:15:50.9951690"),
            4_314_579_000
        );
        assert_eq!(apart("2023-12-31 23:59:59.9999999", "2024-01-01 00:00:00"), 100);
        let day = 86_400_000_000_000;
        assert_eq!(apart("2024-02-28T00:00:00Z", "2024-03-01T00:00:00Z"), 2 * day);
        assert_eq!(apart("2023-02-28 00:00:00", "2023-03-01 00:00:00"), day);
        assert_eq!(
            apart("2024-05-10 02:00:00+02:00", "2024-05-10 00:00:00.009930+00:00"),
            9_930_000
        );
        assert_eq!(apart("2024-05-10 00:00:00-0130", "2024-05-10 01:30:00Z"), 0);
    }

    #[test]
    fn what_is_no_date_with_a_time_is_none() {
        for text in [
            "",
            "2023",
            "2023-11-16",
            "16.11.2023 18:15:46",
            "2023-13-01 00:00:00",
            "2023-02-29 00:00:00",
            "2023-00-01 00:00:00",
            "2023-01-00 00:00:00",
            "2023-01-01 24:00:00",
            "2023-01-01 00:60:00",
            "2023-01-01 00:00:00.",
            "2023-01-01 00:00:00.x",
            "2023-01-01 00:00:00+1",
            "2023-01-01 00:00:00+26:00",
            "23-1-1 0:0:0",
            "2023-01-01 00:00:00.123456789\u{e9}",
            "2023-01-01-01 00:00:00",
        ] {
            assert_eq!(date_ns(text), None, "{text}");
        }
    }
}
