//! What do the rows of the report say?

use crate::assemble::{Draft, Interner};
use crate::decimal::{DecimalError, fixed, natural};
use crate::error::TraceError;
use crate::import::cells::cells;
use crate::import::devices::Devices;
use crate::import::nsys::work::{KernelNotes, LEFT_OUT, NsysKernel, SET, UNNAMED};
use crate::options::BarrierRule;
use crate::profile::{Op, OpKind, SourceDevice, StreamLabel};
use crate::report::{ImportReport, Quirk};

use super::header::{ColumnFault, ReportColumn, ReportHeader};
use super::size::shared_memory;

/// How the names of copies and fills begin, which have no grid.
const CUDA: &str = "[CUDA";

/// What became of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Taken {
    /// A row, used or counted.
    Row,
    /// It does not begin with a time, so it is no row.
    NoTime,
}

/// A device by its name and its number.
type ReportDevice = (String, Option<u64>);

/// An op of some device.
struct ReportOp {
    op: Op,
    /// A number in `known_devices`.
    device: u32,
    notes: KernelNotes,
}

/// What has been read so far.
pub(super) struct GpuTrace {
    header: ReportHeader,
    ops: Vec<ReportOp>,
    names: Interner<String>,
    streams: Interner<StreamLabel>,
    known_devices: Interner<ReportDevice>,
    devices: Devices<u32>,
    /// The finest step seen of starts and of durations, in nanoseconds.
    steps: [Option<u64>; 2],
    kernels_seen: u64,
    barriers: BarrierRule,
    pub(super) report: ImportReport,
}

/// The cells of one row.
struct ReportRow<'a> {
    cells: csv::StringRecord,
    header: &'a ReportHeader,
}

impl ReportRow<'_> {
    /// The cell's text; `None` where it is blank or the column is not there.
    fn text(&self, column: ReportColumn) -> Option<&str> {
        let text = self.cells.get(self.header.at(column)?)?.trim();
        (!text.is_empty()).then_some(text)
    }

    fn number(&self, column: ReportColumn) -> Option<i64> {
        natural(self.text(column)?).and_then(|n| i64::try_from(n).ok())
    }

    fn numbers(&self, columns: [ReportColumn; 3]) -> [Option<i64>; 3] {
        columns.map(|column| self.number(column))
    }

    /// The name, with the commas that were not quoted where it is the last column.
    fn name(&self) -> String {
        let last = self.header.width.saturating_sub(1);
        match self.header.at(ReportColumn::Name) {
            Some(at) if at == last => {
                let parts: Vec<_> = self.cells.iter().skip(last).collect();
                parts.join(",").trim().to_owned()
            }
            _ => self.text(ReportColumn::Name).unwrap_or_default().to_owned(),
        }
    }

    fn device(&self) -> ReportDevice {
        let text = self.text(ReportColumn::Device).unwrap_or_default();
        let parts = text.strip_suffix(')').and_then(|text| text.rsplit_once('('));
        let number = parts.and_then(|(name, number)| Some((name, number.parse().ok()?)));
        match number {
            Some((name, number)) => (name.trim().to_owned(), Some(number)),
            None => (text.to_owned(), None),
        }
    }

    fn stream(&self) -> StreamLabel {
        let stream = self.text(ReportColumn::Stream).unwrap_or("0");
        let label = match self.text(ReportColumn::Green) {
            None | Some("0") => stream.to_owned(),
            Some(green) => format!("{stream} (green context {green})"),
        };
        StreamLabel { label, context: self.text(ReportColumn::Context).and_then(natural) }
    }
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
            kernels_seen: 0,
            barriers,
            report: ImportReport::default(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.ops.len()
    }

    /// Counts a row that is none.
    pub(super) fn malformed(&mut self) {
        self.report.events += 1;
        self.report.note(Quirk::Malformed);
    }

    /// Takes a line, of which the end may be missing where it is not `whole`.
    ///
    /// # Errors
    /// When its times have lost their digits.
    pub(super) fn take(&mut self, line: &str, whole: bool) -> Result<Taken, ColumnFault> {
        if line.trim_ascii().is_empty() {
            return Ok(Taken::NoTime);
        }
        let cells = cells(line);
        let header = self.header.clone();
        let row = ReportRow { cells, header: &header };
        if row.cells.len() < header.width && !whole {
            self.report.cut_short();
            return Ok(Taken::Row);
        }
        let Some(start) = self.time(&row, ReportColumn::Start)? else {
            return Ok(Taken::NoTime);
        };
        let duration = self.time(&row, ReportColumn::Duration)?;
        let duration = duration.and_then(|duration| u64::try_from(duration).ok());
        match duration {
            Some(duration) if row.cells.len() >= header.width => {
                self.report.events += 1;
                self.op(&row, start, duration);
            }
            _ => self.malformed(),
        }
        Ok(Taken::Row)
    }

    /// A time in nanoseconds; `None` where there is none.
    fn time(
        &mut self,
        row: &ReportRow<'_>,
        column: ReportColumn,
    ) -> Result<Option<i64>, ColumnFault> {
        let at = usize::from(column == ReportColumn::Duration);
        let places = self.header.time_places[at];
        let Some(text) = row.text(column) else {
            return Ok(None);
        };
        let text = without_groups(text);
        match fixed(&text, places) {
            Ok(time) => {
                let below = u32::try_from(time.decimals).unwrap_or(u32::MAX);
                let step = 10_u64.saturating_pow(places.saturating_sub(below));
                self.steps[at] = Some(self.steps[at].map_or(step, |finest| finest.min(step)));
                Ok(Some(time.value))
            }
            Err(DecimalError::Exponent) if is_rounded(&text) => {
                let problem = format!(
                    "`{text}` has lost its digits, as happens when a spreadsheet saves the file: \
                     make the report again and leave it as it is"
                );
                Err((column.name().to_owned(), problem))
            }
            Err(_) => Ok(None),
        }
    }

    fn op(&mut self, row: &ReportRow<'_>, start: i64, duration: u64) {
        let name = row.name();
        let grid = row.numbers([ReportColumn::GridX, ReportColumn::GridY, ReportColumn::GridZ]);
        let block = row.numbers([ReportColumn::BlockX, ReportColumn::BlockY, ReportColumn::BlockZ]);
        let bare =
            [ReportColumn::GridX, ReportColumn::BlockX].iter().all(|&c| row.text(c).is_none());
        let kind = match bare && name.starts_with(CUDA) {
            false => OpKind::Kernel,
            true if name.contains("memset") => OpKind::Set,
            true => OpKind::Copy,
        };
        let mut op = Op::at(kind, start, duration);
        let device = row.device();
        let known = self.known_devices.number(&device);
        let mut notes = KernelNotes::default();
        if kind == OpKind::Kernel {
            self.kernels_seen += 1;
            let printed = [row.text(ReportColumn::Static), row.text(ReportColumn::Dynamic)];
            let lds = shared_memory(printed, self.header.size_places);
            let kernel =
                NsysKernel { grid, block, registers: row.number(ReportColumn::Registers), lds };
            match kernel.fill(&mut op, self.barriers) {
                Ok(noted) => notes = noted,
                Err(quirk) => {
                    self.report.note(quirk);
                    return;
                }
            }
            self.devices.kernel(&known, device.1);
        }
        let unnamed = kind == OpKind::Kernel && name.is_empty();
        self.report.add(Quirk::NoName, u64::from(unnamed));
        op.kernel = self.names.number(match kind {
            OpKind::Kernel if unnamed => UNNAMED,
            OpKind::Set => SET,
            _ => &*name,
        });
        op.stream = self.streams.number(&row.stream());
        self.ops.push(ReportOp { op, device: known, notes });
    }

    /// The work of one device.
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
            resolution_ns: self.steps.into_iter().flatten().max().unwrap_or(1).max(1),
            waits: Vec::new(),
            report: self.report,
        })
    }

    fn unusable(&self, file: &str) -> TraceError {
        let file = file.to_owned();
        if self.kernels_seen > 0 {
            let (kernels, reasons) = (self.kernels_seen, self.report.reasons(&LEFT_OUT));
            return TraceError::NothingUsable { file, kernels, reasons };
        }
        let malformed = self.report.count(Quirk::Malformed);
        let categories = match (self.ops.is_empty(), malformed) {
            (true, 0) => "only a header".to_owned(),
            (true, n) => format!("only {n} lines that are no rows"),
            (false, _) => format!("only {} copies and fills", self.ops.len()),
        };
        TraceError::NoKernels { file, categories }
    }
}

/// A number without the commas between groups of three digits.
fn without_groups(text: &str) -> String {
    let whole = text.split('.').next().unwrap_or(text);
    let mut groups = whole.split(',');
    let first = groups.next().is_some_and(|group| (1..=3).contains(&group.len()));
    if first && groups.all(|group| group.len() == 3) {
        return text.replace(',', "");
    }
    text.to_owned()
}

/// Whether a text is a number with an exponent.
fn is_rounded(text: &str) -> bool {
    let number = |text: &str| {
        text.bytes().any(|b| b.is_ascii_digit())
            && text.bytes().all(|b| b.is_ascii_digit() || b"+-.,".contains(&b))
    };
    text.split_once(['e', 'E']).is_some_and(|(mantissa, power)| number(mantissa) && number(power))
}
