//! What do the `cuda_gpu_trace` report of Nsight Systems (`nsys stats -r cuda_gpu_trace -f csv`) and
//! the trace of nvprof (`nvprof --print-gpu-trace --csv`) hold?
//!
//! The header gives the units, which vary. Messages of the tool may come before the report, and
//! other reports after it. Neither report has issue times, priorities or limits of the device;
//! shared memory is rounded unless it is in bytes (see [`size`]). The SQLite export is the better
//! choice.

mod header;
mod rows;
mod size;

use csv::StringRecord;

use crate::assemble::Draft;
use crate::config::ImportConfig;
use crate::csv_table::{CellFault, CsvTable};
use crate::error::TraceError;
use crate::format::ProfileFormat;
use crate::import::ImportSource;
use crate::import::device_side::{NVIDIA, launches_in, not_recorded};
use header::{NsysReport, ReportHeader, report_of};
use rows::GpuTrace;

/// Returns whether a file that begins with this text is a report of Nsight Systems or nvprof.
pub(in crate::import) fn looks_like(text: &[u8]) -> bool {
    text.split(|&b| b == b'\n').any(|line| report_of(&String::from_utf8_lossy(line)).is_some())
}

/// Imports a `cuda_gpu_trace` report, or a trace of nvprof; an error where it is neither, or no
/// kernel in it can be used.
pub(in crate::import) fn import(
    source: ImportSource<'_>,
    options: &ImportConfig,
) -> Result<(ProfileFormat, Draft), TraceError> {
    let ImportSource { file, reader, lines, .. } = source;
    let mut table = CsvTable::new(file.clone(), reader, lines);
    let header = find_header(&mut table)?;
    table.set_header(header.names.clone(), header.names.iter().next_back() == Some("Name"));
    let format = if header.nvprof { ProfileFormat::NvprofCsv } else { ProfileFormat::NsysCsv };
    let mut trace = GpuTrace::new(header, options.barriers);
    let end = table.rows(|row| trace.take(row).map_err(|fault| row.error(fault)))?;
    trace.report.ends(end);
    Ok((format, trace.draft(&file, options.device)?))
}

const GPU_TRACE: &str = "this is a trace of calls: make the report of the same recording with `nsys stats -r cuda_gpu_trace -f csv`, or better `nsys export --type sqlite`";

const NVPROF: &str =
    "make the trace with `nvprof --print-gpu-trace --csv --log-file run.csv APPLICATION`";

/// Reads the row of units below the header of an nvprof trace, and returns the header with these
/// units. `names` are the names of the columns, `line` is the line of the header; an error where a
/// needed column or unit is missing.
fn header_of_nvprof(
    table: &mut CsvTable<'_>,
    names: &StringRecord,
    line: u64,
) -> Result<ReportHeader, TraceError> {
    let file = table.file.clone();
    let units = match table.next() {
        Ok(row) => row.map(|row| row.cells.clone()).unwrap_or_default(),
        Err(cause) => return Err(table.error(cause)),
    };
    ReportHeader::of_nvprof(names, &units).map_err(|fault| {
        let CellFault { column, problem } = fault;
        TraceError::Row { file, line, column, problem }
    })
}

/// Returns the error for a report of Nsight Systems without grids. For a trace of API calls, the
/// error says how many of them are launches; `names` is the position of the column with the names
/// of the calls.
fn only_calls(table: &mut CsvTable<'_>, names: usize) -> TraceError {
    let file = table.file.clone();
    match launches_in(table, names) {
        Ok(0) => TraceError::OtherReport { file, report: header::CALLS },
        Ok(launches) => not_recorded(
            file,
            launches,
            format!("{GPU_TRACE}; where that report is empty, {NVIDIA}"),
        ),
        Err(error) => error,
    }
}

/// Finds the header of the `cuda_gpu_trace` report, which may come after other output of Nsight
/// Systems; an error where there is none.
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
            Some(NsysReport::Nvprof) => {
                let names = row.cells.clone();
                let wrong = row.line;
                return header_of_nvprof(table, &names, wrong);
            }
            Some(NsysReport::Calls(names)) => return Err(only_calls(table, names)),
            Some(NsysReport::Other(report)) => {
                return Err(TraceError::OtherReport { file, report });
            }
            Some(NsysReport::OtherNvprof(what)) => {
                let (what, advice) = (what.to_owned(), NVPROF);
                return Err(TraceError::OtherFile { file, what, advice });
            }
            None => {}
        }
    }
}
