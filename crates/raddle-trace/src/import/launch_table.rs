//! What does a launch table, our own format, hold? (docs/launch-table.md)
//!
//! A launch table is written by people and by scripts, so unlike a profiler's trace it is not
//! mended: any fault in it is an error with its line and column.

use raddle_policy::{Activity, Barrier, Dim3, Idempotence};
use serde::Deserialize;

use super::ImportSource;
use crate::assemble::waits::{Awaited, DraftWait, Waiter};
use crate::assemble::{Draft, Interner, push};
use crate::config::{BarrierRule, ImportConfig};
use crate::csv_table::{CellFault, CsvTable};
use crate::error::TraceError;
use crate::import::device_side::OtherWork;
use crate::profile::{Op, OpKind, SourceDevice, StreamLabel};
use crate::provenance::{Field, Origin};
use crate::report::{ImportReport, Quirk};

mod columns;

use crate::work::DraftWorks;
pub use columns::LAUNCH_TABLE_COLUMNS;
use columns::{check_header, is_column};

/// Returns whether a file that begins with this text may be a launch table: the text has the first
/// line of launch tables, a comment with one of their settings, or a header with a known column.
pub(super) fn looks_like(text: &[u8]) -> bool {
    let text = String::from_utf8_lossy(text);
    let mut lines = text.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty());
    let says = |line: &str| {
        let key = line.split_once('=').map(|(key, _)| key.trim_matches(['#', ' ', '\t']));
        version(line).is_some() || matches!(key, Some("device" | "resolution_ns"))
    };
    lines.find(|line| !line.starts_with('#') || says(line)).is_some_and(|line| {
        // Tables with other separators are recognised too, so that the importer can name the fault.
        let mut names = line.split([',', ';', '\t']).map(|name| name.trim().trim_matches('"'));
        line.starts_with('#') || names.any(is_column)
    })
}

/// Returns the version that a comment names, if the comment is the first line of a launch table;
/// otherwise `None`.
fn version(comment: &str) -> Option<&str> {
    comment.strip_prefix("# raddle launch table ")
}

/// Imports a launch table (raddle's own CSV); the error names the line and the column that cannot
/// be read.
pub(super) fn import(
    source: ImportSource<'_>,
    options: &ImportConfig,
) -> Result<Draft, TraceError> {
    let ImportSource { file, reader, lines, .. } = source;
    let mut table = CsvTable::new(file.clone(), reader, lines);
    let header = match table.next() {
        Ok(row) => row.map(|row| (row.line, row.cells.clone())),
        Err(cause) => return Err(table.error(cause)),
    };
    let wrong = |line, problem| TraceError::Header { file: file.clone(), line, problem };
    let mut launches = LaunchTable::new(options.barriers);
    for (line, comment) in table.take_comments() {
        launches.comment(&comment).map_err(|problem| wrong(line, problem))?;
    }
    if let Some((line, names)) = header {
        check_header(&names).map_err(|problem| wrong(line, problem))?;
        table.set_header(names, false);
    }
    let end = table.rows(|row| {
        if row.lossy {
            let problem = "the line is not UTF-8 text: save the table as UTF-8";
            return Err(wrong(row.line, problem.to_owned()));
        }
        launches.draft.report.events += 1;
        let launch = row.read().and_then(|launch| launches.row(&launch));
        launch.map(|()| true).map_err(|fault| row.error(fault))
    })?;
    let LaunchTable { mut draft, names, streams, .. } = launches;
    draft.report.ends(end);
    if !draft.ops.iter().any(|op| op.kind == OpKind::Kernel) {
        let found = OtherWork::of(draft.ops.iter()).told();
        let found = found.unwrap_or_else(|| "only a header without rows".to_owned());
        let cure = "write a row of kind `kernel` for each launch (docs/launch-table.md)".to_owned();
        return Err(TraceError::NothingLaunched { file, found, cure });
    }
    draft.report.add(Quirk::NoDevice, u64::from(draft.device.is_none()));
    Ok(Draft { kernels: names.into_items(), streams: streams.into_items(), ..draft })
}

/// Cells of one row of a launch table, by column; `None` where the cell is blank or the table lacks
/// the column.
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
    arrival_ns: Option<u64>,
    start_ns: Option<u64>,
    duration_ns: Option<u64>,
    end_ns: Option<u64>,
    priority: Option<i32>,
    idempotent: Option<&'r str>,
    move_rate: Option<u32>,
    load_rate: Option<u32>,
    store_rate: Option<u32>,
    matrix_rate: Option<u32>,
    compare_rate: Option<u32>,
    jump_rate: Option<u32>,
}

impl LaunchRow<'_> {
    /// Returns (start, duration) of the op in this row, in nanoseconds; an error with the column
    /// where one is missing or wrong.
    fn span(&self) -> Result<(i64, u64), CellFault> {
        let start = wanted("start_ns", self.start_ns)?;
        let duration = match (self.duration_ns, self.end_ns) {
            (Some(duration), _) => duration,
            (None, Some(end)) => end.checked_sub(start).ok_or_else(|| {
                let problem = format!("the end, {end}, is before the start, {start}");
                CellFault::new("end_ns", problem)
            })?,
            (None, None) => wanted("duration_ns", None)?,
        };
        time("duration_ns", duration)?;
        Ok((time("start_ns", start)?, duration))
    }

    fn grid(&self) -> Result<Dim3, CellFault> {
        let [x, y] = [wanted("grid_x", self.grid_x)?, wanted("grid_y", self.grid_y)?];
        Ok(Dim3::new(x, y, wanted("grid_z", self.grid_z)?))
    }

    fn block(&self) -> Result<[u64; 3], CellFault> {
        let [x, y] = [wanted("block_x", self.block_x)?, wanted("block_y", self.block_y)?];
        Ok([x, y, wanted("block_z", self.block_z)?].map(u64::from))
    }

    /// Returns whether the row has neither grid nor workgroup, so that its kernel is opaque (of
    /// unknown shape).
    fn is_opaque(&self) -> bool {
        [self.grid_x, self.grid_y, self.grid_z, self.block_x, self.block_y, self.block_z]
            == [None; 6]
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

fn wanted<T>(column: &str, cell: Option<T>) -> Result<T, CellFault> {
    cell.ok_or_else(|| CellFault::new(column, "a whole number is wanted here"))
}

/// Returns the value that the word in the cell of `column` stands for, according to the list
/// `words`; `None` for a blank cell, an error for a word that is not in the list.
fn word<T: Copy>(
    column: &str,
    cell: Option<&str>,
    words: &[(&str, T)],
) -> Result<Option<T>, CellFault> {
    let Some(text) = cell else {
        return Ok(None);
    };
    let found = words.iter().find(|(word, _)| *word == text).map(|&(_, value)| value);
    found.map(Some).ok_or_else(|| {
        let known: Vec<_> = words.iter().map(|&(word, _)| word).collect();
        CellFault::new(column, format!("`{text}` is none of {}", known.join(", ")))
    })
}

/// Converts a time in nanoseconds to the signed number that an import uses. A time too large for it
/// is an error, which names the column `column`.
fn time(column: &str, ns: u64) -> Result<i64, CellFault> {
    i64::try_from(ns).map_err(|_| CellFault::new(column, format!("`{ns}` does not fit 63 bits")))
}

/// Reader of a launch table (raddle's own CSV), with the rows that it has read so far.
struct LaunchTable {
    draft: Draft,
    names: Interner<String>,
    streams: Interner<StreamLabel>,
    barriers: BarrierRule,
}

impl LaunchTable {
    fn new(barriers: BarrierRule) -> Self {
        let draft = Draft {
            ops: Vec::new(),
            kernels: Vec::new(),
            streams: Vec::new(),
            device: None,
            between_ns: None,
            memory_bytes: None,
            resolution_ns: 1,
            waits: Vec::new(),
            works: DraftWorks::default(),
            report: ImportReport::default(),
        };
        Self { draft, names: Interner::default(), streams: Interner::default(), barriers }
    }

    /// Reads a comment above the header: the version of the table, or one of its settings. The
    /// error says what is wrong with the comment.
    fn comment(&mut self, line: &str) -> Result<(), String> {
        if let Some(version) = version(line)
            && version.trim() != "1"
        {
            return Err(format!("version {version} of the launch table is not known, only 1"));
        }
        let (key, value) = line.trim_start_matches('#').split_once('=').unwrap_or_default();
        match (key.trim(), value.trim()) {
            ("device", name) => {
                let name = name.to_owned();
                self.draft.device = Some(SourceDevice { name, ..SourceDevice::default() });
            }
            ("resolution_ns", value) => {
                let wrong = || format!("resolution_ns is `{value}`, not a number from 1");
                self.draft.resolution_ns =
                    value.parse().ok().filter(|&n| n > 0).ok_or_else(wrong)?;
            }
            ("between_ns", value) => {
                let wrong = || format!("between_ns is `{value}`, not a number of nanoseconds");
                self.draft.between_ns = Some(value.parse().ok().ok_or_else(wrong)?);
            }
            _ => {}
        }
        Ok(())
    }

    fn row(&mut self, row: &LaunchRow<'_>) -> Result<(), CellFault> {
        let kinds = [OpKind::Kernel, OpKind::Copy, OpKind::Set];
        let kinds = kinds.map(|kind| (kind.name(), Some(kind)));
        let kind = word("kind", row.kind, &[&kinds[..], &[("wait", None)]].concat())?;
        match kind.unwrap_or(Some(OpKind::Kernel)) {
            Some(kind) => self.op(kind, row),
            None => self.wait(row),
        }
    }

    /// Adds a call in which the host waited, as a row describes it: for one stream, or for all
    /// streams where the row names none. The error names the faulty column.
    fn wait(&mut self, row: &LaunchRow<'_>) -> Result<(), CellFault> {
        let (begin, duration) = row.span()?;
        let end = time("duration_ns", begin.unsigned_abs().saturating_add(duration))?;
        let stream = |label: &str| StreamLabel { label: label.to_owned(), context: None };
        let awaits = row.stream.map_or(Awaited::Device, |label| {
            Awaited::Stream(self.streams.number(&stream(label)), begin)
        });
        self.draft.waits.push(DraftWait { begin, end, waiter: Waiter::Host, awaits });
        Ok(())
    }

    fn op(&mut self, kind: OpKind, row: &LaunchRow<'_>) -> Result<(), CellFault> {
        let verdicts = [("yes", Idempotence::Idempotent), ("no", Idempotence::Not)];
        let (start, duration) = row.span()?;
        let mut op = Op::at(kind, start, duration);
        let label = row.stream.unwrap_or("0").to_owned();
        op.kernel = self.names.number(row.name.unwrap_or_default());
        op.stream = self.streams.number(&StreamLabel { label, context: None });
        if let Some(arrival) = row.arrival_ns {
            op.set_arrival(time("arrival_ns", arrival)?, Origin::Measured);
        }
        op.priority = row.priority;
        op.idempotent = word("idempotent", row.idempotent, &verdicts)?.unwrap_or_default();
        if kind == OpKind::Kernel && !row.is_opaque() {
            self.kernel(&mut op, row)?;
        }
        push(&mut self.draft.ops, op);
        Ok(())
    }

    /// Sets those fields of an op that only kernels have, from a row of the launch table; the error
    /// names the faulty column.
    fn kernel(&mut self, op: &mut Op, row: &LaunchRow<'_>) -> Result<(), CellFault> {
        let grid = row.grid()?;
        op.set_shape(grid, row.block()?).ok_or_else(|| {
            let column = if grid.volume().is_none() { "grid_x" } else { "block_x" };
            CellFault::new(column, "the product of the three extents is too large")
        })?;
        op.set_registers(row.vgprs_per_thread);
        op.footprint.sgprs_per_wave = row.sgprs_per_wave.unwrap_or(0);
        self.draft.report.add(Quirk::NoSharedMemory, u64::from(row.lds_bytes.is_none()));
        op.set_shared_memory(row.lds_bytes, self.barriers);
        let words = [("yes", Some(Barrier::Yes)), ("no", Some(Barrier::No)), ("assumed", None)];
        match word("barrier", row.barrier, &words)? {
            Some(Some(barrier)) => {
                op.footprint.barrier = barrier;
                op.provenance = op.provenance.with(Field::Barrier, Origin::Measured);
            }
            Some(None) => op.footprint.barrier = self.barriers.barrier(None),
            None => {}
        }
        op.activity = row.activity();
        Ok(())
    }
}
