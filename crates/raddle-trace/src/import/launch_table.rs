//! What does a launch table say? (docs/launch-table.md)
//!
//! It is written by people and by scripts, so unlike a profiler's trace it is not mended: whatever
//! is wrong in it is an error with its line and column.

use std::io;

use raddle_policy::{Barrier, Dim3, Footprint, Idempotence};

use super::source::Source;
use crate::assemble::{Draft, Interner, OP_LIMIT};
use crate::error::TraceError;
use crate::input::is_damage;
use crate::options::{BarrierRule, ImportOptions};
use crate::profile::{Op, OpKind, SourceDevice, StreamLabel};
use crate::provenance::{Field, Origin, Provenance};
use crate::report::{ImportReport, Quirk};
use crate::table::{Column, FIRST_LINE};

mod columns;
pub(super) mod rows;

use columns::Columns;
use rows::{Part, ROW_LIMIT, Rows};

/// Whether text beginning so may be a launch table: by its own first line, a comment that says
/// something of it, or below all comments a header with a known column.
pub(super) fn looks_like(text: &[u8]) -> bool {
    if text.starts_with(FIRST_LINE.trim_end_matches('1').as_bytes()) {
        return true;
    }
    let mut header = String::new();
    for line in text.split(|&b| b == b'\n' || b == b'\r').map(<[u8]>::trim_ascii) {
        let line = String::from_utf8_lossy(line);
        let Some(comment) = line.strip_prefix('#') else {
            header = line.into_owned();
            if header.is_empty() {
                continue;
            }
            break;
        };
        let key = comment.split_once('=').map(|(key, _)| key.trim());
        if let Some("device" | "resolution_ns") = key {
            return true;
        }
    }
    let known = |name: &str| Column::ALL.iter().any(|column| column.name() == name);
    // Other separators are for its importer to complain of.
    header.split([',', ';', '\t']).any(|name| known(name.trim().trim_matches('"')))
}

/// Imports a launch table.
pub(super) fn import(source: Source<'_>, options: &ImportOptions) -> Result<Draft, TraceError> {
    let Source { file, reader, lines, .. } = source;
    let mut rows = Rows::new(reader, lines);
    let mut table = Table::new(options.barriers);
    loop {
        match rows.next() {
            Ok(Some(part)) => table.part(&file, part)?,
            Ok(None) => break,
            Err(cause) if is_damage(&cause) && table.columns.is_some() => {
                table.report.note(Quirk::Truncated);
                table.report.note(Quirk::LostEvents);
                break;
            }
            Err(cause) => return Err(io_error(file, cause)),
        }
        if table.ops.len() > OP_LIMIT {
            return Err(TraceError::TooLarge { file, limit: OP_LIMIT as u64, what: "launches" });
        }
    }
    if !table.ops.iter().any(|op| op.kind == OpKind::Kernel) {
        let categories =
            if table.ops.is_empty() { "only a header" } else { "only copies and fills" };
        return Err(TraceError::NoKernels { file, categories: categories.to_owned() });
    }
    Ok(table.draft())
}

fn header_error(file: &str, line: u64, problem: String) -> TraceError {
    TraceError::Header { file: file.to_owned(), line, problem }
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

/// What the comments above the header say.
#[derive(Debug)]
struct Above {
    device: Option<SourceDevice>,
    resolution_ns: u64,
}

impl Above {
    fn take(&mut self, line: &str) -> Result<(), String> {
        let stem = FIRST_LINE.trim_end_matches('1');
        if let Some(version) = line.strip_prefix(stem)
            && version.trim() != "1"
        {
            return Err(format!("version {version} of the launch table is not known, only 1"));
        }
        let Some((key, value)) = line.trim_start_matches('#').split_once('=') else {
            return Ok(());
        };
        match (key.trim(), value.trim()) {
            ("device", name) => {
                self.device = Some(SourceDevice { name: name.to_owned(), ..Default::default() });
            }
            ("resolution_ns", value) => {
                let wrong = || format!("resolution_ns is `{value}`, not a number from 1");
                self.resolution_ns = value.parse().ok().filter(|&n| n > 0).ok_or_else(wrong)?;
            }
            _ => {}
        }
        Ok(())
    }
}

/// What has been read so far.
struct Table {
    above: Above,
    columns: Option<Columns>,
    ops: Vec<Op>,
    names: Interner<String>,
    streams: Interner<StreamLabel>,
    barriers: BarrierRule,
    report: ImportReport,
}

/// One row, by column.
struct Row<'a> {
    cells: &'a csv::StringRecord,
    columns: &'a Columns,
}

type Wrong = (Column, String);

impl<'a> Row<'a> {
    /// The cell's text; `None` where it is blank or the column is absent.
    fn text(&self, column: Column) -> Option<&'a str> {
        let text = self.cells.get(self.columns.at(column)?)?.trim();
        (!text.is_empty()).then_some(text)
    }

    /// An error unless there are as many cells as columns.
    fn check_width(&self) -> Result<(), Wrong> {
        let (found, wanted) = (self.cells.len(), self.columns.width());
        if found == wanted {
            return Ok(());
        }
        let advice = if found > wanted {
            "names with commas need double quotes around them"
        } else {
            "leave a cell blank where nothing is known, but keep its comma"
        };
        let problem = format!("the row has {found} cells but the header {wanted}: {advice}");
        Err((Column::Name, problem))
    }

    fn number<T: std::str::FromStr>(&self, column: Column) -> Result<Option<T>, Wrong> {
        let Some(text) = self.text(column) else {
            return Ok(None);
        };
        let wrong = |_| (column, format!("`{text}` is not a whole number in range"));
        text.parse().map(Some).map_err(wrong)
    }

    fn wanted<T: std::str::FromStr>(&self, column: Column) -> Result<T, Wrong> {
        self.number(column)?.ok_or_else(|| (column, "a whole number is wanted here".to_owned()))
    }

    fn word<T: Copy>(&self, column: Column, words: &[(&str, T)]) -> Result<Option<T>, Wrong> {
        let Some(text) = self.text(column) else {
            return Ok(None);
        };
        let found = words.iter().find(|(word, _)| *word == text).map(|&(_, value)| value);
        let known: Vec<_> = words.iter().map(|&(word, _)| word).collect();
        let wrong = || (column, format!("`{text}` is none of {}", known.join(", ")));
        found.map(Some).ok_or_else(wrong)
    }

    /// A time in nanoseconds that fits the signed clock of an import.
    fn time(&self, column: Column) -> Result<Option<i64>, Wrong> {
        match self.number::<i64>(column)? {
            Some(time) if time < 0 => Err((column, format!("{time} is before time 0"))),
            time => Ok(time),
        }
    }

    fn extents(&self, columns: [Column; 3]) -> Result<Dim3, Wrong> {
        let [x, y, z] = columns;
        Ok(Dim3::new(self.wanted(x)?, self.wanted(y)?, self.wanted(z)?))
    }

    fn duration(&self, start: i64) -> Result<u64, Wrong> {
        if let Some(duration) = self.number::<u64>(Column::Duration)? {
            let fits = i64::try_from(duration).is_ok();
            let problem = || (Column::Duration, format!("`{duration}` does not fit 63 bits"));
            return fits.then_some(duration).ok_or_else(problem);
        }
        let Some(end) = self.time(Column::End)? else {
            let column =
                if self.columns.at(Column::End).is_some() { Column::End } else { Column::Duration };
            return Err((column, "a whole number is wanted here".to_owned()));
        };
        u64::try_from(end - start)
            .map_err(|_| (Column::End, format!("the end, {end}, is before the start, {start}")))
    }
}

impl Table {
    fn new(barriers: BarrierRule) -> Self {
        Self {
            above: Above { device: None, resolution_ns: 1 },
            columns: None,
            ops: Vec::new(),
            names: Interner::new(),
            streams: Interner::new(),
            barriers,
            report: ImportReport::default(),
        }
    }

    fn part(&mut self, file: &str, part: Part) -> Result<(), TraceError> {
        match (part, self.columns.take()) {
            (Part::Comment(line, text), None) => {
                self.above.take(&text).map_err(|problem| header_error(file, line, problem))
            }
            (Part::Comment(..), columns) => {
                self.columns = columns;
                Ok(())
            }
            (Part::NotUtf8(line), _) => {
                let problem = "the line is not UTF-8 text: save the table as UTF-8".to_owned();
                Err(header_error(file, line, problem))
            }
            (Part::Cells(line, header, _), None) => {
                let columns = Columns::new(&header);
                self.columns = Some(columns.map_err(|problem| header_error(file, line, problem))?);
                Ok(())
            }
            (Part::Cells(_, cells, false), Some(columns)) if cells.len() < columns.width() => {
                // The file stops within its last row: the whole rows before it are kept.
                self.columns = Some(columns);
                self.report.note(Quirk::Truncated);
                self.report.note(Quirk::LostEvents);
                Ok(())
            }
            (Part::Cells(line, cells, _), Some(columns)) => {
                let taken = self.take(&Row { cells: &cells, columns: &columns });
                self.columns = Some(columns);
                taken.map_err(|(column, problem)| {
                    let (file, column) = (file.to_owned(), column.name().to_owned());
                    TraceError::Row { file, line, column, problem }
                })
            }
        }
    }

    fn take(&mut self, row: &Row<'_>) -> Result<(), Wrong> {
        self.report.events += 1;
        row.check_width()?;
        let kinds = [OpKind::Kernel, OpKind::Copy, OpKind::Set].map(|kind| (kind.name(), kind));
        let kind = row.word(Column::Kind, &kinds)?.unwrap_or(OpKind::Kernel);
        let label = row.text(Column::Stream).unwrap_or("0").to_owned();
        let start = row.time(Column::Start)?;
        let start = start.ok_or_else(|| (Column::Start, "a time is wanted here".to_owned()))?;
        let verdicts = [("yes", Idempotence::Idempotent), ("no", Idempotence::Not)];
        let mut op = Op::at(kind, start, row.duration(start)?);
        op.kernel = self.names.number(row.text(Column::Name).unwrap_or_default());
        op.stream = self.streams.number(&StreamLabel { label, context: None });
        if let Some(arrival) = row.time(Column::Arrival)? {
            op.set_arrival(arrival, Origin::Measured);
        }
        op.priority = row.number(Column::Priority)?;
        op.idempotent = row.word(Column::Idempotent, &verdicts)?.unwrap_or_default();
        if kind == OpKind::Kernel {
            self.kernel(&mut op, row)?;
        }
        self.ops.push(op);
        Ok(())
    }

    /// Fills in what only kernels have.
    fn kernel(&mut self, op: &mut Op, row: &Row<'_>) -> Result<(), Wrong> {
        op.grid = row.extents([Column::GridX, Column::GridY, Column::GridZ])?;
        let block = row.extents([Column::BlockX, Column::BlockY, Column::BlockZ])?;
        let many = |column| (column, "the product of the three extents is too large".to_owned());
        let volume = op.grid.volume().ok_or_else(|| many(Column::GridX))?;
        let threads = block.volume().and_then(|n| u32::try_from(n).ok());
        let threads = threads.ok_or_else(|| many(Column::BlockX))?;
        op.workgroups = if threads == 0 { 0 } else { volume };
        self.report.add(Quirk::EmptyShape, u64::from(op.workgroups == 0));
        op.footprint = self.footprint(&mut op.provenance, threads, row)?;
        for (rate, column) in op.activity.0.iter_mut().zip(Column::RATES) {
            *rate = row.number(column)?.unwrap_or_default();
        }
        Ok(())
    }

    fn footprint(
        &mut self,
        provenance: &mut Provenance,
        threads: u32,
        row: &Row<'_>,
    ) -> Result<Footprint, Wrong> {
        let registers = row.number(Column::Vgprs)?.filter(|&n: &u32| n > 0);
        if registers.is_none() {
            self.report.note(Quirk::NoRegisters);
            *provenance = provenance.with(Field::Registers, Origin::Assumed);
        }
        let lds: Option<u32> = row.number(Column::Lds)?;
        if lds.is_none() {
            self.report.note(Quirk::NoSharedMemory);
            *provenance = provenance.with(Field::SharedMemory, Origin::Assumed);
        }
        let words = [("yes", Some(Barrier::Yes)), ("no", Some(Barrier::No)), ("assumed", None)];
        let (barrier, origin) = match row.word(Column::Barrier, &words)? {
            Some(Some(barrier)) => (barrier, Origin::Measured),
            Some(None) => (self.barriers.barrier(None), Origin::Assumed),
            None => (self.barriers.barrier(lds), Origin::Assumed),
        };
        *provenance = provenance.with(Field::Barrier, origin);
        Ok(Footprint {
            threads,
            vgprs_per_thread: registers.unwrap_or(0),
            sgprs_per_wave: row.number(Column::Sgprs)?.unwrap_or(0),
            lds_bytes: lds.unwrap_or(0),
            barrier,
        })
    }

    fn draft(mut self) -> Draft {
        self.report.add(Quirk::NoDevice, u64::from(self.above.device.is_none()));
        Draft {
            ops: self.ops,
            kernels: self.names.into_items(),
            streams: self.streams.into_items(),
            device: self.above.device,
            resolution_ns: self.above.resolution_ns,
            report: self.report,
        }
    }
}
