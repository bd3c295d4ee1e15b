//! What does a kernel table of rocprof (v1, v2 or v3) hold?
//!
//! The header tells the dialect, the columns are found by name. No such table says the device:
//! the caller names one. Only rocprof v1 says when a packet was issued; elsewhere arrivals
//! are unknown, as the calls are in another table. [`ImportOptions::device`] is the number in the
//! column of the agent: 4 for `4`, `Agent 4` and `GPU 4`.

mod row;
mod rows;
mod table;

use crate::assemble::{Draft, OP_LIMIT};
use crate::error::TraceError;
use crate::import::devices::Devices;
use crate::import::launch_table::rows::{TablePart, TableParts};
use crate::import::source::ImportSource;
use crate::input::is_damage;
use crate::options::ImportOptions;
use crate::report::Quirk;
use row::RowFault;
use rows::RocprofRows;
use table::RocprofTable;

/// Whether text beginning so is such a file, or another table of rocprof.
pub(in crate::import) fn looks_like(text: &[u8]) -> bool {
    let line = text.split(|&b| b == b'\n').next().unwrap_or(text);
    RocprofTable::of(String::from_utf8_lossy(line).split(',')).is_some()
}

/// Imports such a file.
pub(in crate::import) fn import(
    source: ImportSource<'_>,
    options: &ImportOptions,
) -> Result<Draft, TraceError> {
    let ImportSource { file, reader, lines, .. } = source;
    let mut parts = TableParts::new(reader, lines);
    let header = match parts.next() {
        Ok(Some(TablePart::Cells(_, cells, _))) => RocprofTable::of(cells.iter()),
        Ok(_) => None,
        Err(cause) => return Err(TableParts::error(file, cause)),
    };
    let columns = match header {
        Some(RocprofTable::Kernels(columns)) => columns,
        Some(RocprofTable::Foreign(table, advice)) => {
            return Err(TraceError::OtherRocprof { file, table, advice });
        }
        None => {
            let looks_like = "a table whose header is cut off".to_owned();
            return Err(TraceError::NotAProfile { file, looks_like });
        }
    };
    let mut rows = RocprofRows::new(columns, options.barriers);
    loop {
        match parts.next() {
            Ok(Some(part)) => take(&file, part, &mut rows)?,
            Ok(None) => break,
            Err(cause) if is_damage(&cause) => {
                rows.report.cut_short();
                break;
            }
            Err(cause) => return Err(TableParts::error(file, cause)),
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
fn take(file: &str, part: TablePart, rows: &mut RocprofRows) -> Result<(), TraceError> {
    let (line, cells, ended) = match part {
        TablePart::Comment(..) => return Ok(()),
        TablePart::NotUtf8(_) => {
            rows.report.events += 1;
            rows.report.note(Quirk::Malformed);
            return Ok(());
        }
        TablePart::Cells(line, cells, ended) => (line, cells, ended),
    };
    rows.report.events += 1;
    let (found, wanted) = (cells.len(), rows.columns.width());
    if found < wanted && !ended {
        // The file stops within its last row.
        rows.report.cut_short();
        return Ok(());
    }
    if found != wanted {
        rows.report.note(Quirk::Malformed);
        return Ok(());
    }
    match rows.take(&cells) {
        Ok(()) => Ok(()),
        Err(RowFault::Quirk(quirk)) => {
            rows.report.note(quirk);
            Ok(())
        }
        Err(RowFault::Rounded(column, text)) => {
            let (file, column) = (file.to_owned(), rows.columns.name(column).to_owned());
            Err(TraceError::RoundedTimes { file, line, column, text })
        }
    }
}

fn nothing(file: String, rows: &RocprofRows) -> TraceError {
    let report = &rows.report;
    let kernels = report.events;
    if kernels == 0 {
        let categories = "only a header".to_owned();
        return TraceError::NoDispatches { file, saw: categories };
    }
    TraceError::NothingUsable { file, kernels, reasons: report.reasons(Quirk::ALL) }
}
