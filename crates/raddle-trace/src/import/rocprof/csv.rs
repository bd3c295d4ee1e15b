//! What does a kernel table of rocprof (v1, v2 or v3) hold?
//!
//! The header tells the dialect, the columns are found by name. No such table says the device:
//! whoever imports it names one. Only rocprof v1 says when a packet was issued; elsewhere arrivals
//! are unknown, as the calls are in another table. [`ImportOptions::device`] is the number in the
//! column of the agent: 4 for `4`, `Agent 4` and `GPU 4`.

mod row;
mod rows;
mod table;

use std::io;

use crate::assemble::{Draft, OP_LIMIT};
use crate::error::TraceError;
use crate::import::devices::Devices;
use crate::import::launch_table::rows::{Part, ROW_LIMIT, Rows as Parts};
use crate::import::source::Source;
use crate::input::is_damage;
use crate::options::ImportOptions;
use crate::report::Quirk;
use row::Fault;
use rows::Rows;
use table::Table;

/// Whether text beginning so is such a file, or another table of rocprof.
pub(in crate::import) fn looks_like(text: &[u8]) -> bool {
    let line = text.split(|&b| b == b'\n').next().unwrap_or(text);
    Table::of(String::from_utf8_lossy(line).split(',')).is_some()
}

/// Imports such a file.
pub(in crate::import) fn import(
    source: Source<'_>,
    options: &ImportOptions,
) -> Result<Draft, TraceError> {
    let Source { file, reader, lines, .. } = source;
    let mut parts = Parts::new(reader, lines);
    let header = match parts.next() {
        Ok(Some(Part::Cells(_, cells, _))) => Table::of(cells.iter()),
        Ok(_) => None,
        Err(cause) => return Err(io_error(file, cause)),
    };
    let columns = match header {
        Some(Table::Kernels(columns)) => columns,
        Some(Table::Foreign(table, advice)) => {
            return Err(TraceError::OtherRocprof { file, table, advice });
        }
        None => {
            let looks_like = "a table whose header is cut off".to_owned();
            return Err(TraceError::NotAProfile { file, looks_like });
        }
    };
    let mut rows = Rows::new(columns, options.barriers);
    loop {
        match parts.next() {
            Ok(Some(part)) => take(&file, part, &mut rows)?,
            Ok(None) => break,
            Err(cause) if is_damage(&cause) => {
                rows.report.note(Quirk::Truncated);
                rows.report.note(Quirk::LostEvents);
                break;
            }
            Err(cause) => return Err(io_error(file, cause)),
        }
        if rows.found.len() > OP_LIMIT {
            return Err(TraceError::TooLarge { file, limit: OP_LIMIT as u64, what: "launches" });
        }
    }
    if rows.found.is_empty() {
        return Err(nothing(file, &rows));
    }
    let mut devices = Devices::new();
    for row in &rows.found {
        devices.kernel(&row.device, row.device);
    }
    let device = devices.choose(&file, options.device)?;
    Ok(rows.draft(device))
}

/// Takes one row.
fn take(file: &str, part: Part, rows: &mut Rows) -> Result<(), TraceError> {
    let (line, cells, ended) = match part {
        Part::Comment(..) => return Ok(()),
        Part::NotUtf8(_) => {
            rows.report.events += 1;
            rows.report.note(Quirk::Malformed);
            return Ok(());
        }
        Part::Cells(line, cells, ended) => (line, cells, ended),
    };
    rows.report.events += 1;
    let (found, wanted) = (cells.len(), rows.columns.width());
    if found < wanted && !ended {
        // The file stops within its last row.
        rows.report.note(Quirk::Truncated);
        rows.report.note(Quirk::LostEvents);
        return Ok(());
    }
    if found != wanted {
        rows.report.note(Quirk::Malformed);
        return Ok(());
    }
    match rows.take(&cells) {
        Ok(()) => Ok(()),
        Err(Fault::Quirk(quirk)) => {
            rows.report.note(quirk);
            Ok(())
        }
        Err(Fault::Rounded(column, text)) => {
            let (file, column) = (file.to_owned(), rows.columns.name(column).to_owned());
            Err(TraceError::RoundedTimes { file, line, column, text })
        }
    }
}

fn nothing(file: String, rows: &Rows) -> TraceError {
    let report = &rows.report;
    let kernels = report.events;
    if kernels == 0 {
        let categories = "only a header".to_owned();
        return TraceError::NoDispatches { file, saw: categories };
    }
    let reasons: Vec<_> =
        report.quirks().map(|(quirk, n)| format!("{n} {}", quirk.name())).collect();
    TraceError::NothingUsable { file, kernels, reasons: reasons.join(", ") }
}

fn io_error(file: String, cause: io::Error) -> TraceError {
    match cause.kind() {
        io::ErrorKind::FileTooLarge => {
            TraceError::TooLarge { file, limit: ROW_LIMIT, what: "bytes in one row" }
        }
        _ if is_damage(&cause) => TraceError::TruncatedGzip { file },
        _ => TraceError::Unreadable { file, cause },
    }
}
