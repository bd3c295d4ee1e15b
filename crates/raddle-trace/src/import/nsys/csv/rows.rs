//! What do the rows of a `cuda_gpu_trace` report or an nvprof trace say?

use serde::Deserialize;

use crate::assemble::{Draft, Interner, push};
use crate::config::BarrierRule;
use crate::csv_table::{CellFault, CsvRow};
use crate::decimal::{fixed, is_rounded, natural};
use crate::error::TraceError;
use crate::import::device_side::OtherWork;
use crate::import::devices::Devices;
use crate::import::nsys::work::{KernelNotes, NsysKernel, SET, UNNAMED};
use crate::profile::{Op, OpKind, SourceDevice, StreamLabel};
use crate::report::{ImportReport, Quirk};

use super::header::ReportHeader;
use super::size::{shared_memory, shared_memory_of_nvprof};
use crate::work::DraftWorks;

/// Prefixes of the names of copies, fills and transfers of unified memory, which have no grid.
const NO_KERNELS: [&str; 2] = ["[CUDA", "[Unified Memory"];

/// Cells of one row of a `cuda_gpu_trace` report, by column; `None` where the cell is blank or the
/// report lacks the column.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct GpuTraceRow<'r> {
    start: Option<&'r str>,
    duration: Option<&'r str>,
    grd_x: Option<&'r str>,
    grd_y: Option<&'r str>,
    grd_z: Option<&'r str>,
    blk_x: Option<&'r str>,
    blk_y: Option<&'r str>,
    blk_z: Option<&'r str>,
    #[serde(rename = "Reg/Trd")]
    registers: Option<&'r str>,
    stc_s_mem: Option<&'r str>,
    dym_s_mem: Option<&'r str>,
    device: Option<&'r str>,
    ctx: Option<&'r str>,
    green_ctx: Option<&'r str>,
    strm: Option<&'r str>,
    name: Option<&'r str>,
}

impl GpuTraceRow<'_> {
    fn kind(&self) -> OpKind {
        let name = self.name.unwrap_or_default();
        let no_kernel = NO_KERNELS.iter().any(|start| name.starts_with(start));
        match self.grd_x.is_none() && self.blk_x.is_none() && no_kernel {
            false => OpKind::Kernel,
            true if name.contains("memset") => OpKind::Set,
            true => OpKind::Copy,
        }
    }

    /// Returns whether the row is an event of unified memory that moves no memory, such as a page
    /// fault.
    fn is_no_work(&self) -> bool {
        let name = self.name.unwrap_or_default();
        name.starts_with(NO_KERNELS[1]) && !name.to_ascii_lowercase().contains("memcpy")
    }

    fn device(&self) -> ReportDevice {
        let text = self.device.unwrap_or_default();
        let parts = text.strip_suffix(')').and_then(|text| text.rsplit_once('('));
        let number = parts.and_then(|(name, number)| Some((name, number.parse().ok()?)));
        match number {
            Some((name, number)) => (name.trim().to_owned(), Some(number)),
            None => (text.to_owned(), None),
        }
    }

    fn stream(&self) -> StreamLabel {
        let stream = self.strm.unwrap_or("0");
        let label = match self.green_ctx {
            None | Some("0") => stream.to_owned(),
            Some(green) => format!("{stream} (green context {green})"),
        };
        StreamLabel { label, context: self.ctx.and_then(natural) }
    }
}

/// A device that a report names, as (name, number; `None` where the report gives no number).
type ReportDevice = (String, Option<u64>);

/// An op of some device, as a row of the report describes it.
struct ReportOp {
    op: Op,
    /// Device of the op, as an index in `known_devices`.
    device: u32,
    notes: KernelNotes,
}

/// Reader of the rows of a `cuda_gpu_trace` report or an nvprof trace, with the ops that it has
/// read so far.
pub(super) struct GpuTrace {
    header: ReportHeader,
    ops: Vec<ReportOp>,
    names: Interner<String>,
    streams: Interner<StreamLabel>,
    known_devices: Interner<ReportDevice>,
    devices: Devices<u32>,
    /// Finest step between printed times so far, in nanoseconds, of (the starts, the durations);
    /// `None` before the first time.
    steps: [Option<u64>; 2],
    barriers: BarrierRule,
    pub(super) report: ImportReport,
}

impl GpuTrace {
    pub(super) fn new(header: ReportHeader, barriers: BarrierRule) -> Self {
        Self {
            header,
            ops: Vec::new(),
            names: Interner::default(),
            streams: Interner::default(),
            known_devices: Interner::default(),
            devices: Devices::new(),
            steps: [None; 2],
            barriers,
            report: ImportReport::default(),
        }
    }

    /// Reads a row of the report; returns `false` where the row comes after the end of the report.
    ///
    /// # Errors
    /// When a time of the row was rounded, as a spreadsheet does.
    pub(super) fn take(&mut self, row: &CsvRow<'_>) -> Result<bool, CellFault> {
        self.report.add(Quirk::NotUtf8, u64::from(row.lossy));
        let cells = row.read::<GpuTraceRow<'_>>().ok();
        let start = self.time(0, cells.as_ref().and_then(|cells| cells.start))?;
        let (Some(cells), Some(start)) = (cells, start) else {
            // A row without a start behind a blank line belongs to another report, or to the tool's
            // own lines about it.
            if !row.after_blank {
                self.malformed();
            }
            return Ok(!row.after_blank);
        };
        match self.time(1, cells.duration)?.map(u64::try_from) {
            Some(Ok(duration)) => {
                self.report.events += 1;
                self.op(&cells, start, duration);
            }
            _ => self.malformed(),
        }
        Ok(true)
    }

    /// Counts in the import report a row of the table that cannot be read.
    fn malformed(&mut self) {
        self.report.events += 1;
        self.report.leave_out();
    }

    /// Reads a time in nanoseconds from a cell of column `at` (0 is the start, 1 the duration);
    /// `None` where the cell is blank or no number. The error says that a spreadsheet rounded the
    /// time.
    fn time(&mut self, at: usize, cell: Option<&str>) -> Result<Option<i64>, CellFault> {
        let places = self.header.time_places[at];
        let text = without_groups(cell.unwrap_or_default());
        if is_rounded(&text) {
            let problem = format!(
                "`{text}` has lost its digits, as happens when a spreadsheet saves the file: \
                 make the report again and leave it as it is"
            );
            return Err(CellFault::new(["Start", "Duration"][at], problem));
        }
        Ok(fixed(&text, places).ok().map(|time| {
            let below = u32::try_from(time.decimals).unwrap_or(u32::MAX);
            let step = 10_u64.saturating_pow(places.saturating_sub(below));
            self.steps[at] = Some(self.steps[at].map_or(step, |finest| finest.min(step)));
            time.value
        }))
    }

    fn op(&mut self, row: &GpuTraceRow<'_>, start: i64, duration: u64) {
        if row.is_no_work() {
            return;
        }
        let kind = row.kind();
        let mut op = Op::at(kind, start, duration);
        let device = row.device();
        let known = self.known_devices.number(&device);
        let mut notes = KernelNotes::default();
        if kind == OpKind::Kernel {
            let printed = [row.stc_s_mem, row.dym_s_mem];
            let number = |cell: Option<&str>| {
                let cell = cell?;
                let below = cell.strip_prefix('-').and_then(natural);
                let found = below.map(|n| i64::try_from(n).map(|n| -n));
                found.or_else(|| natural(cell).map(i64::try_from))?.ok()
            };
            let kernel = NsysKernel {
                grid: [row.grd_x, row.grd_y, row.grd_z].map(number),
                block: [row.blk_x, row.blk_y, row.blk_z].map(number),
                registers: number(row.registers),
                lds: match self.header.nvprof {
                    true => shared_memory_of_nvprof(printed, self.header.size_places),
                    false => shared_memory(printed, self.header.size_places),
                },
            };
            notes = kernel.fill(&mut op, self.barriers);
            self.devices.kernel(&known, device.1);
            self.report.add(Quirk::NoName, u64::from(row.name.is_none()));
        }
        op.kernel = self.names.number(match kind {
            OpKind::Kernel if self.header.nvprof => {
                without_correlation(row.name.unwrap_or(UNNAMED))
            }
            OpKind::Kernel => row.name.unwrap_or(UNNAMED),
            OpKind::Set => SET,
            OpKind::Copy => row.name.unwrap_or_default(),
        });
        op.stream = self.streams.number(&row.stream());
        push(&mut self.ops, ReportOp { op, device: known, notes });
    }

    /// Builds the profile's records from the ops of one device: the one with the number `wanted`,
    /// or for `None` the one with the most kernels.
    ///
    /// # Errors
    /// When there are no kernels, or none that can be used, or none of the device that is wanted.
    pub(super) fn draft(mut self, file: &str, wanted: Option<u32>) -> Result<Draft, TraceError> {
        if self.devices.is_empty() {
            return Err(self.unusable(file));
        }
        let chosen = self.devices.choose(file, wanted)?;
        let all = self.ops.len();
        self.ops.retain(|op| op.device == chosen);
        self.ops.iter().for_each(|op| op.notes.count(&mut self.report));
        self.report.add(Quirk::OtherDevice, (all - self.ops.len()) as u64);
        let known = self.known_devices.into_items().into_iter();
        let name = known.map(|(name, _)| name).nth(chosen as usize).unwrap_or_default();
        self.report.add(Quirk::NoDevice, u64::from(name.is_empty()));
        Ok(Draft {
            ops: self.ops.into_iter().map(|found| found.op).collect(),
            kernels: self.names.into_items(),
            streams: self.streams.into_items(),
            device: (!name.is_empty()).then(|| SourceDevice { name, ..SourceDevice::default() }),
            between_ns: None,
            memory_bytes: None,
            resolution_ns: self.steps.into_iter().flatten().max().unwrap_or(1).max(1),
            waits: Vec::new(),
            works: DraftWorks::default(),
            report: self.report,
        })
    }

    fn unusable(&self, file: &str) -> TraceError {
        let work = OtherWork::of(self.ops.iter().map(|found| &found.op));
        work.refuse(file, &[]).unwrap_or_else(|| {
            let categories = match self.report.count(Quirk::Malformed) {
                0 => "only a header".to_owned(),
                n => format!("only {n} lines that are no rows"),
            };
            TraceError::NoKernels { file: file.to_owned(), categories }
        })
    }
}

/// Returns the name of a kernel without the call number that nvprof appends: `k(int)` for `k(int)
/// [109]`.
fn without_correlation(name: &str) -> &str {
    let parts = name.strip_suffix(']').and_then(|name| name.rsplit_once(" ["));
    match parts {
        Some((name, number)) if natural(number).is_some() => name,
        _ => name,
    }
}

/// Returns a number, as text, without the commas between groups of three digits.
fn without_groups(text: &str) -> String {
    let whole = text.split('.').next().unwrap_or(text);
    let mut groups = whole.split(',');
    let first = groups.next().is_some_and(|group| (1..=3).contains(&group.len()));
    if first && groups.all(|group| group.len() == 3) {
        return text.replace(',', "");
    }
    text.to_owned()
}
