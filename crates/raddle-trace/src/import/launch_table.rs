//! What does a launch table say? (docs/launch-table.md)
//!
//! It is written by people and by scripts, so unlike a profiler's trace it is not mended: whatever
//! is wrong in it is an error with its line and column.

use raddle_policy::{Activity, Barrier, Dim3, Footprint, Idempotence};
use serde::Deserialize;

use super::source::ImportSource;
use crate::assemble::{Draft, Interner, OP_LIMIT};
use crate::error::TraceError;
use crate::input::is_damage;
use crate::options::{BarrierRule, ImportOptions};
use crate::profile::{Op, OpKind, SourceDevice, StreamLabel};
use crate::provenance::{Field, Origin};
use crate::report::{ImportReport, Quirk};
use crate::table::FIRST_LINE;

mod columns;
pub(super) mod rows;

use columns::{check_header, known_columns};
use rows::{TablePart, TableParts};

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
    let known = |name: &str| known_columns().any(|column| column == name);
    // Other separators are for its importer to complain of.
    header.split([',', ';', '\t']).any(|name| known(name.trim().trim_matches('"')))
}

/// Imports a launch table.
pub(super) fn import(
    source: ImportSource<'_>,
    options: &ImportOptions,
) -> Result<Draft, TraceError> {
    let ImportSource { file, reader, lines, .. } = source;
    let mut rows = TableParts::new(reader, lines);
    let mut header = None;
    let mut table = LaunchTable::new(options.barriers);
    loop {
        match rows.next() {
            Ok(Some(part)) => table.part(&file, part, &mut header)?,
            Ok(None) => break,
            Err(cause) if is_damage(&cause) && header.is_some() => {
                table.report.cut_short();
                break;
            }
            Err(cause) => return Err(TableParts::error(file, cause)),
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

/// The cells of one row; `None` is blank or not in the table.
#[derive(Deserialize)]
struct LaunchRow<'r> {
    name: Option<&'r str>,
    kind: Option<&'r str>,
    stream: Option<&'r str>,
    grid_x: Option<u32>,
    grid_y: Option<u32>,
    grid_z: Option<u32>,
    block_x: Option<u32>,
    block_y: Option<u32>,
    block_z: Option<u32>,
    vgprs_per_thread: Option<u32>,
    sgprs_per_wave: Option<u32>,
    lds_bytes: Option<u32>,
    barrier: Option<&'r str>,
    arrival_ns: Option<i64>,
    start_ns: Option<i64>,
    duration_ns: Option<u64>,
    end_ns: Option<i64>,
    priority: Option<i32>,
    idempotent: Option<&'r str>,
    move_rate: Option<u32>,
    load_rate: Option<u32>,
    store_rate: Option<u32>,
    matrix_rate: Option<u32>,
    compare_rate: Option<u32>,
    jump_rate: Option<u32>,
}

/// A column, and what is wrong with its cell.
type CellError = (String, String);

fn fault<T>(column: &str, problem: impl Into<String>) -> Result<T, CellError> {
    Err((column.to_owned(), problem.into()))
}

impl<'r> LaunchRow<'r> {
    fn read(
        header: &'r csv::StringRecord,
        cells: &'r csv::StringRecord,
    ) -> Result<Self, CellError> {
        let (found, wanted) = (cells.len(), header.len());
        if found != wanted {
            let advice = match found > wanted {
                true => "names with commas need double quotes around them",
                false => "leave a cell blank where nothing is known, but keep its comma",
            };
            let problem = format!("the row has {found} cells but the header {wanted}: {advice}");
            return fault("name", problem);
        }
        cells.deserialize(Some(header)).or_else(|error| {
            let at = match error.kind() {
                csv::ErrorKind::Deserialize { err, .. } => err.field(),
                _ => None,
            };
            let at = at.and_then(|at| usize::try_from(at).ok()).unwrap_or(0);
            let text = cells.get(at).unwrap_or_default();
            let column = header.get(at).unwrap_or_default();
            fault(column, format!("`{text}` is not a whole number in range"))
        })
    }

    fn start(&self) -> Result<i64, CellError> {
        match time("start_ns", self.start_ns)? {
            Some(start) => Ok(start),
            None => fault("start_ns", "a time is wanted here"),
        }
    }

    fn duration(&self, start: i64) -> Result<u64, CellError> {
        match (self.duration_ns, time("end_ns", self.end_ns)?) {
            (Some(duration), _) if i64::try_from(duration).is_err() => {
                fault("duration_ns", format!("`{duration}` does not fit 63 bits"))
            }
            (Some(duration), _) => Ok(duration),
            (None, Some(end)) => u64::try_from(end - start).or_else(|_| {
                fault("end_ns", format!("the end, {end}, is before the start, {start}"))
            }),
            (None, None) => fault("duration_ns", "a whole number is wanted here"),
        }
    }

    fn grid(&self) -> Result<Dim3, CellError> {
        Ok(Dim3::new(
            wanted("grid_x", self.grid_x)?,
            wanted("grid_y", self.grid_y)?,
            wanted("grid_z", self.grid_z)?,
        ))
    }

    fn block(&self) -> Result<Dim3, CellError> {
        Ok(Dim3::new(
            wanted("block_x", self.block_x)?,
            wanted("block_y", self.block_y)?,
            wanted("block_z", self.block_z)?,
        ))
    }

    fn activity(&self) -> Activity {
        let rates = [
            self.move_rate,
            self.load_rate,
            self.store_rate,
            self.matrix_rate,
            self.compare_rate,
            self.jump_rate,
        ];
        Activity(rates.map(Option::unwrap_or_default))
    }
}

fn wanted(column: &str, cell: Option<u32>) -> Result<u32, CellError> {
    cell.map_or_else(|| fault(column, "a whole number is wanted here"), Ok)
}

/// A time in nanoseconds that fits the signed clock of an import.
fn time(column: &str, cell: Option<i64>) -> Result<Option<i64>, CellError> {
    match cell {
        Some(time) if time < 0 => fault(column, format!("{time} is before time 0")),
        time => Ok(time),
    }
}

/// What a word of a cell stands for.
fn word<T: Copy>(
    column: &str,
    cell: Option<&str>,
    words: &[(&str, T)],
) -> Result<Option<T>, CellError> {
    let Some(text) = cell else {
        return Ok(None);
    };
    match words.iter().find(|(word, _)| *word == text) {
        Some(&(_, value)) => Ok(Some(value)),
        None => {
            let known: Vec<_> = words.iter().map(|&(word, _)| word).collect();
            fault(column, format!("`{text}` is none of {}", known.join(", ")))
        }
    }
}

/// What has been read so far.
struct LaunchTable {
    above: Above,
    ops: Vec<Op>,
    names: Interner<String>,
    streams: Interner<StreamLabel>,
    barriers: BarrierRule,
    report: ImportReport,
}

impl LaunchTable {
    fn new(barriers: BarrierRule) -> Self {
        Self {
            above: Above { device: None, resolution_ns: 1 },
            ops: Vec::new(),
            names: Interner::default(),
            streams: Interner::default(),
            barriers,
            report: ImportReport::default(),
        }
    }

    fn part(
        &mut self,
        file: &str,
        part: TablePart,
        header: &mut Option<csv::StringRecord>,
    ) -> Result<(), TraceError> {
        let header_error =
            |line, problem| TraceError::Header { file: file.to_owned(), line, problem };
        match (part, &*header) {
            (TablePart::Comment(line, text), None) => {
                self.above.take(&text).map_err(|problem| header_error(line, problem))
            }
            (TablePart::Comment(..), Some(_)) => Ok(()),
            (TablePart::NotUtf8(line), _) => {
                let problem = "the line is not UTF-8 text: save the table as UTF-8".to_owned();
                Err(header_error(line, problem))
            }
            (TablePart::Cells(line, cells, _), None) => {
                check_header(&cells).map_err(|problem| header_error(line, problem))?;
                *header = Some(cells);
                Ok(())
            }
            (TablePart::Cells(_, cells, false), Some(header)) if cells.len() < header.len() => {
                // The file stops within its last row: the whole rows before it are kept.
                self.report.cut_short();
                Ok(())
            }
            (TablePart::Cells(line, cells, _), Some(header)) => {
                self.report.events += 1;
                let row = LaunchRow::read(header, &cells);
                row.and_then(|row| self.row(&row)).map_err(|(column, problem)| TraceError::Row {
                    file: file.to_owned(),
                    line,
                    column,
                    problem,
                })
            }
        }
    }

    fn row(&mut self, row: &LaunchRow<'_>) -> Result<(), CellError> {
        let kinds = [OpKind::Kernel, OpKind::Copy, OpKind::Set].map(|kind| (kind.name(), kind));
        let verdicts = [("yes", Idempotence::Idempotent), ("no", Idempotence::Not)];
        let kind = word("kind", row.kind, &kinds)?.unwrap_or(OpKind::Kernel);
        let start = row.start()?;
        let mut op = Op::at(kind, start, row.duration(start)?);
        let label = row.stream.unwrap_or("0").to_owned();
        op.kernel = self.names.number(row.name.unwrap_or_default());
        op.stream = self.streams.number(&StreamLabel { label, context: None });
        if let Some(arrival) = time("arrival_ns", row.arrival_ns)? {
            op.set_arrival(arrival, Origin::Measured);
        }
        op.priority = row.priority;
        op.idempotent = word("idempotent", row.idempotent, &verdicts)?.unwrap_or_default();
        if kind == OpKind::Kernel {
            self.kernel(&mut op, row)?;
        }
        self.ops.push(op);
        Ok(())
    }

    /// Fills in what only kernels have.
    fn kernel(&mut self, op: &mut Op, row: &LaunchRow<'_>) -> Result<(), CellError> {
        const TOO_LARGE: &str = "the product of the three extents is too large";
        op.grid = row.grid()?;
        let threads = row.block()?.volume().and_then(|n| u32::try_from(n).ok());
        let Some(volume) = op.grid.volume() else {
            return fault("grid_x", TOO_LARGE);
        };
        let Some(threads) = threads else {
            return fault("block_x", TOO_LARGE);
        };
        op.workgroups = if threads == 0 { 0 } else { volume };
        self.report.add(Quirk::EmptyShape, u64::from(op.workgroups == 0));
        let registers = row.vgprs_per_thread.filter(|&n| n > 0);
        if registers.is_none() {
            self.report.note(Quirk::NoRegisters);
            op.assume(Field::Registers);
        }
        if row.lds_bytes.is_none() {
            self.report.note(Quirk::NoSharedMemory);
            op.assume(Field::SharedMemory);
        }
        let words = [("yes", Some(Barrier::Yes)), ("no", Some(Barrier::No)), ("assumed", None)];
        let barrier = match word("barrier", row.barrier, &words)? {
            Some(Some(barrier)) => barrier,
            said => {
                op.assume(Field::Barrier);
                self.barriers.barrier(row.lds_bytes.filter(|_| said.is_none()))
            }
        };
        op.footprint = Footprint {
            threads,
            vgprs_per_thread: registers.unwrap_or(0),
            sgprs_per_wave: row.sgprs_per_wave.unwrap_or(0),
            lds_bytes: row.lds_bytes.unwrap_or(0),
            barrier,
        };
        op.activity = row.activity();
        Ok(())
    }

    fn draft(mut self) -> Draft {
        self.report.add(Quirk::NoDevice, u64::from(self.above.device.is_none()));
        Draft {
            ops: self.ops,
            kernels: self.names.into_items(),
            streams: self.streams.into_items(),
            device: self.above.device,
            resolution_ns: self.above.resolution_ns,
            waits: Vec::new(),
            report: self.report,
        }
    }
}
