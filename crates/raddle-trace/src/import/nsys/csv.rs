//! What does the `cuda_gpu_trace` report of Nsight Systems hold?
//! (`nsys stats -r cuda_gpu_trace -f csv`)
//!
//! Units stand in the header and vary. ReportLines of the tool's own may come first, and other reports
//! behind. There are no arrivals, no priorities and no limits of the device; shared memory is
//! rounded unless it is in bytes (see [`size`]). Who can should take the SQLite export.

mod header;
mod rows;
mod size;

use std::borrow::Cow;
use std::io::{self, BufRead, Read};

use crate::assemble::{Draft, OP_LIMIT};
use crate::error::TraceError;
use crate::import::source::ImportSource;
use crate::input::is_damage;
use crate::options::ImportOptions;
use crate::report::Quirk;
use header::{NsysReport, ReportHeader, report_of};
use rows::{GpuTrace, Taken};

/// The most bytes of a line.
const LINE_LIMIT: u64 = 1 << 20;

/// Whether text beginning so may be such a file.
pub(in crate::import) fn looks_like(text: &[u8]) -> bool {
    text.split(|&b| b == b'\n').any(|line| report_of(&String::from_utf8_lossy(line)).is_some())
}

/// Imports such a file.
pub(in crate::import) fn import(
    source: ImportSource<'_>,
    options: &ImportOptions,
) -> Result<Draft, TraceError> {
    let ImportSource { file, reader, lines, .. } = source;
    let mut lines = ReportLines { reader, line: lines, text: Vec::new(), lossy: false };
    let header = find_header(&file, &mut lines)?;
    let mut table = GpuTrace::new(header, options.barriers);
    let mut after_blank = false;
    loop {
        let text = match lines.next() {
            Ok(Some(text)) => text,
            Ok(None) => break,
            Err(cause) if is_damage(&cause) => {
                table.report.cut_short();
                break;
            }
            Err(cause) => return Err(io_error(file, cause)),
        };
        if text.trim().is_empty() {
            after_blank = true;
            continue;
        }
        let line = lines.line;
        table.report.add(Quirk::NotUtf8, u64::from(lines.lossy));
        match table.take(&text, lines.whole()) {
            Ok(Taken::Row) => after_blank = false,
            // Another report, or the tool's own lines about it.
            Ok(Taken::NoTime) if after_blank => break,
            Ok(Taken::NoTime) => table.malformed(),
            Err((column, problem)) => {
                return Err(TraceError::Row { file, line, column, problem });
            }
        }
        if table.len() > OP_LIMIT {
            return Err(TraceError::TooLarge { file, limit: OP_LIMIT as u64, what: "launches" });
        }
    }
    table.draft(&file, options.device)
}

fn find_header(file: &str, lines: &mut ReportLines<'_>) -> Result<ReportHeader, TraceError> {
    let file = || file.to_owned();
    loop {
        let text = match lines.next() {
            Ok(Some(text)) => text,
            Ok(None) => {
                let categories = "it has no header of a report".to_owned();
                return Err(TraceError::NoKernels { file: file(), categories });
            }
            Err(cause) => return Err(io_error(file(), cause)),
        };
        match report_of(&text) {
            Some(NsysReport::Trace) => {
                let line = lines.line;
                return ReportHeader::new(&text).map_err(|(column, problem)| TraceError::Row {
                    file: file(),
                    line,
                    column,
                    problem,
                });
            }
            Some(NsysReport::Other(report)) => {
                return Err(TraceError::OtherReport { file: file(), report });
            }
            None => {}
        }
    }
}

fn io_error(file: String, cause: io::Error) -> TraceError {
    match cause.kind() {
        io::ErrorKind::FileTooLarge => {
            TraceError::TooLarge { file, limit: LINE_LIMIT, what: "bytes in one line" }
        }
        _ if is_damage(&cause) => TraceError::TruncatedGzip { file },
        _ => TraceError::Unreadable { file, cause },
    }
}

/// The lines of a file, counted from 1.
struct ReportLines<'a> {
    reader: Box<dyn BufRead + 'a>,
    line: u64,
    text: Vec<u8>,
    /// Whether the last line was no UTF-8.
    lossy: bool,
}

impl ReportLines<'_> {
    /// The next line without its end; `None` behind the last.
    ///
    /// # Errors
    /// Those of the reader, and `FileTooLarge` for a line of more than [`LINE_LIMIT`] bytes.
    fn next(&mut self) -> io::Result<Option<String>> {
        self.text.clear();
        let read = self.reader.by_ref().take(LINE_LIMIT).read_until(b'\n', &mut self.text)?;
        self.line += 1;
        if read as u64 >= LINE_LIMIT {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let line = String::from_utf8_lossy(&self.text);
        self.lossy = matches!(line, Cow::Owned(_));
        Ok((read > 0).then(|| line.trim_end_matches(['\r', '\n']).to_owned()))
    }

    /// Whether the last line has its end.
    fn whole(&self) -> bool {
        self.text.ends_with(b"\n")
    }
}
