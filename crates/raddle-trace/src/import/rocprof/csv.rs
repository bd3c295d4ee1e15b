//! What does a kernel table of rocprof (v1, v2 or v3) hold?
//!
//! The header tells which tool wrote the table; columns are found by name. No such table describes
//! the device: the caller names one. Only rocprof v1 tells when a packet was issued; in other
//! tables issue times are unknown, as the calls are in another file. [`ImportConfig::device`] is
//! the number in the column of the device: 4 for `4`, `Agent 4` and `GPU 4`.

mod row;
mod rows;
mod table;

use crate::assemble::Draft;
use crate::config::ImportConfig;
use crate::csv_table::{CellFault, CsvTable};
use crate::error::TraceError;
use crate::import::ImportSource;
use crate::import::device_side::{amd, launches_in, not_recorded};
use crate::report::Quirk;
use rows::RocprofRows;
use table::RocprofTable;

/// Returns whether a file that begins with this text is a CSV table of rocprof, with or without
/// kernels.
pub(in crate::import) fn looks_like(text: &[u8]) -> bool {
    let line = text.split(|&b| b == b'\n').next().unwrap_or(text);
    RocprofTable::of(String::from_utf8_lossy(line).split(',')).is_some()
}

/// Returns the error for a table of rocprof without kernels; `what` describes the table, and
/// `advice` says which file to give instead. For a table of API calls the error counts the calls
/// that launch.
fn without_kernels(
    table: &mut CsvTable<'_>,
    what: &'static str,
    advice: &'static str,
) -> TraceError {
    let file = table.file.clone();
    let names = table.header().position(|name| name.eq_ignore_ascii_case("function"));
    match names.map_or(Ok(0), |names| launches_in(table, names)) {
        Ok(0) => TraceError::OtherRocprof { file, table: what, advice },
        Ok(launches) => {
            let why = format!("this is {what}: {advice}; without that table, {}", amd(false));
            not_recorded(file, launches, why)
        }
        Err(error) => error,
    }
}

/// Imports a table of kernels of rocprof in CSV; an error where it is another table, or no kernel
/// in it can be used.
pub(in crate::import) fn import(
    source: ImportSource<'_>,
    options: &ImportConfig,
) -> Result<Draft, TraceError> {
    let ImportSource { file, reader, lines, .. } = source;
    let mut table = CsvTable::new(file.clone(), reader, lines);
    table.read_header()?;
    let columns = match RocprofTable::of(table.header()) {
        Some(RocprofTable::Kernels(columns)) => columns,
        Some(RocprofTable::Foreign(what, advice)) => {
            return Err(without_kernels(&mut table, what, advice));
        }
        None => {
            let looks_like = "a table whose header is cut off".to_owned();
            return Err(TraceError::NotAProfile { file, looks_like });
        }
    };
    table.set_header(columns.names.clone(), false);
    let mut rows = RocprofRows::new(columns, options.barriers);
    let end = table.rows(|row| match rows.take(row) {
        Ok(()) => Ok(true),
        Err(CellFault { column, problem: text }) => {
            Err(TraceError::RoundedTimes { file: file.clone(), line: row.line, column, text })
        }
    })?;
    rows.report.ends(end);
    if rows.found.is_empty() {
        let (kernels, reasons) = (rows.report.events, rows.report.reasons(Quirk::ALL));
        let saw = "only a header".to_owned();
        return Err(match kernels {
            0 => TraceError::NoDispatches { file, saw },
            _ => TraceError::NothingUsable { file, kernels, reasons },
        });
    }
    let device = rows.devices().choose(&file, options.device)?;
    Ok(rows.draft(device))
}
