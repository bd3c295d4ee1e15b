//! What does the `cuda_gpu_trace` report of Nsight Systems hold?
//! (`nsys stats -r cuda_gpu_trace -f csv`)
//!
//! Units stand in the header and vary. Lines of the tool's own may come first, and other reports
//! behind. There are no arrivals, no priorities and no limits of the device; shared memory is
//! rounded unless it is in bytes (see [`size`]). Who can should take the SQLite export.

mod header;
mod rows;
mod size;

use crate::assemble::Draft;
use crate::config::ImportConfig;
use crate::csv_table::CsvTable;
use crate::error::TraceError;
use crate::import::ImportSource;
use header::{NsysReport, ReportHeader, report_of};
use rows::GpuTrace;

/// Returns whether a file that begins with this text is a report of Nsight Systems.
pub(in crate::import) fn looks_like(text: &[u8]) -> bool {
    text.split(|&b| b == b'\n').any(|line| report_of(&String::from_utf8_lossy(line)).is_some())
}

/// Imports a `cuda_gpu_trace` report.
pub(in crate::import) fn import(
    source: ImportSource<'_>,
    options: &ImportConfig,
) -> Result<Draft, TraceError> {
    let ImportSource { file, reader, lines, .. } = source;
    let mut table = CsvTable::new(file.clone(), reader, lines);
    let header = find_header(&mut table)?;
    table.set_header(header.names.clone(), header.names.iter().next_back() == Some("Name"));
    let mut trace = GpuTrace::new(header, options.barriers);
    let end = table.rows(|row| trace.take(row).map_err(|fault| row.error(fault)))?;
    trace.report.ends(end);
    trace.draft(&file, options.device)
}

/// Finds the header, which may stand below lines of the tool's own.
fn find_header(table: &mut CsvTable<'_>) -> Result<ReportHeader, TraceError> {
    let file = table.file.clone();
    loop {
        let row = match table.next() {
            Ok(Some(row)) => row,
            Ok(None) => {
                let categories = "it has no header of a report".to_owned();
                return Err(TraceError::NoKernels { file, categories });
            }
            Err(cause) => return Err(table.error(cause)),
        };
        let cells: Vec<&str> = row.cells.iter().collect();
        match report_of(&cells.join(",")) {
            Some(NsysReport::Trace) => {
                return ReportHeader::new(row.cells).map_err(|fault| row.error(fault));
            }
            Some(NsysReport::Other(report)) => {
                return Err(TraceError::OtherReport { file, report });
            }
            None => {}
        }
    }
}
