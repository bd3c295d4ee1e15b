//! Which work and which launch calls do the events of a trace hold?

use std::collections::BTreeSet;

use super::device;
use super::event::{Api, Category, KinetoEvent, tie, times};
use super::shape::{ExtentsError, KernelExtents};
use super::waits::KinetoWaits;
use crate::assemble::Interner;
use crate::decimal::{micros, natural, unquote};
use crate::import::document::{RecordSink, string};
use crate::profile::{Op, OpKind, SourceDevice, StreamLabel};
use crate::provenance::Field;
use crate::report::{ImportReport, Quirk};

/// Distinct categories that are remembered for an error message.
const CATEGORY_LIMIT: usize = 64;

/// What matters among the arguments of an op.
const WORK_ARGS: [&str; 12] = [
    "stream",
    "context",
    "device",
    // AMD since 2026: then `stream` is the stream, before it is this queue.
    "hsa_queue",
    "correlation",
    "priority",
    "est. achieved occupancy %",
    // Only AMD's kernels are of a kind `Dispatch ...`.
    "kind",
    "grid",
    "block",
    "registers per thread",
    "shared memory",
];

/// An op of some device, before its arrival and, if it is a kernel, its shape are known.
#[derive(Debug)]
pub(super) struct KinetoOp {
    pub(super) op: Op,
    pub(super) device: Option<u64>,
    pub(super) correlation: Option<u64>,
    /// A kernel's grid and workgroup as its event writes them, as a position in
    /// [`KinetoCollector::extents`].
    pub(super) extents: Option<u32>,
    /// Whether its lane is a hardware queue if the GPU is AMD's: it names no other queue.
    pub(super) on_queue: bool,
    /// Whether it is complete; kernels are once they have a shape.
    pub(super) settled: bool,
}

/// A call that launched work.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct KinetoCall {
    pub(super) correlation: u64,
    pub(super) start: i64,
    pub(super) api: Api,
    /// Grid and workgroup (HIP), as a position in [`KinetoCollector::extents`].
    pub(super) extents: Option<u32>,
    /// Bytes of shared memory that it asks for dynamically (HIP).
    pub(super) lds_bytes: Option<u32>,
}

/// What is read of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TraceSection {
    /// The array `traceEvents`, or the whole document.
    Events,
    /// The value of `deviceProperties`.
    Devices,
}

/// Everything of interest in the events so far.
#[derive(Debug, Default)]
pub(super) struct KinetoCollector {
    pub(super) ops: Vec<KinetoOp>,
    pub(super) calls: Vec<KinetoCall>,
    pub(super) waits: KinetoWaits,
    pub(super) names: Interner<String>,
    pub(super) streams: Interner<StreamLabel>,
    pub(super) extents: Interner<KernelExtents>,
    pub(super) devices: Vec<(Option<u64>, SourceDevice)>,
    pub(super) report: ImportReport,
    /// Whether there was an array of events.
    pub(super) has_events: bool,
    /// Categories seen before the first kernel, for the message when there is none.
    pub(super) categories: BTreeSet<String>,
    /// Kernel events, also those left out.
    pub(super) kernels_seen: u64,
    /// Whether any time shows parts of a microsecond.
    pub(super) fine: bool,
    registers_seen: bool,
    hip_calls: bool,
    dispatches: bool,
}

impl KinetoCollector {
    /// Whether the kernels are those of an AMD GPU.
    pub(super) fn is_amd(&self) -> bool {
        self.kernels_seen > 0 && (self.dispatches || self.hip_calls && !self.registers_seen)
    }

    fn see_category(&mut self, cat: &str) {
        if self.kernels_seen > 0 || self.categories.len() >= CATEGORY_LIMIT {
            return;
        }
        let category = string(cat).unwrap_or_default();
        if !self.categories.contains(&*category) {
            self.categories.insert(category.chars().take(40).collect());
        }
    }

    fn event(&mut self, event: &KinetoEvent<'_>) {
        self.report.events += 1;
        if let Some(cat) = event.cat {
            self.see_category(cat);
        }
        let timed = event.ph.and_then(string).is_some_and(|ph| ph == "X");
        let taken = match event.category {
            Category::Other => return,
            _ if !timed => return,
            Category::Annotation => {
                self.report.note(Quirk::GpuAnnotation);
                return;
            }
            Category::Call => self.call(event),
            Category::Sync => self.waits.sync(event, &mut self.streams),
            Category::Kernel => self.work(event, OpKind::Kernel),
            Category::Copy => self.work(event, OpKind::Copy),
            Category::Set => self.work(event, OpKind::Set),
        };
        if taken.is_none() {
            self.report.note(Quirk::Malformed);
        }
    }

    /// Takes a call; `None` where it has no name or no time.
    fn call(&mut self, event: &KinetoEvent<'_>) -> Option<()> {
        let name = event.name.and_then(string)?;
        self.hip_calls |= name.starts_with("hip");
        self.waits.call(event, &name);
        let Some(api) = Api::of(&name) else {
            return Some(());
        };
        let [correlation, grid, block, lds] =
            event.args(&["correlation", "grid", "block", "shared memory"]);
        let Some(correlation) = tie(correlation) else {
            return Some(());
        };
        let ts = micros(event.ts?).ok()?;
        self.fine |= ts.fine;
        let extents = api.unit().and_then(|_| KernelExtents::read(grid, block).ok());
        let extents = extents.map(|extents| self.extents.number(&extents));
        let lds_bytes = api.unit().and_then(|_| small(lds));
        self.calls.push(KinetoCall { correlation, start: ts.nanos, api, extents, lds_bytes });
        Some(())
    }

    /// Takes an op; `None` where it has no name or no time.
    fn work(&mut self, event: &KinetoEvent<'_>, kind: OpKind) -> Option<()> {
        let name = event.name.and_then(string)?;
        let [
            stream,
            context,
            device,
            queue,
            correlation,
            priority,
            percent,
            dispatch,
            grid,
            block,
            registers,
            lds,
        ] = event.args(&WORK_ARGS);
        if kind == OpKind::Kernel {
            self.kernels_seen += 1;
            self.registers_seen |= registers.is_some();
            self.dispatches |= dispatch.is_some_and(|kind| kind.starts_with("\"Dispatch"));
        }
        let (start, duration) = times(event)?;
        let extents = match KernelExtents::read(grid, block) {
            Ok(extents) => Some(self.extents.number(&extents)),
            Err(ExtentsError::Overflow) if kind == OpKind::Kernel => {
                self.report.note(Quirk::ShapeOverflow);
                return Some(());
            }
            Err(_) => None,
        };
        self.fine |= start.fine || duration.fine;
        let label = event.stream_label(stream).to_owned();
        let label = StreamLabel { label, context: context.and_then(natural) };
        let mut op = Op::at(kind, start.nanos, duration.nanos.unsigned_abs());
        op.kernel = self.names.number(&*name);
        op.stream = self.streams.number(&label);
        op.priority = priority.and_then(|value| unquote(value).parse().ok());
        op.claimed_percent = small(percent).and_then(|percent| u8::try_from(percent).ok());
        if kind == OpKind::Kernel {
            set_footprint(&mut op, small(registers), small(lds));
        }
        self.ops.push(KinetoOp {
            op,
            device: device.and_then(natural),
            correlation: tie(correlation),
            extents,
            on_queue: queue.is_none(),
            settled: kind != OpKind::Kernel,
        });
        Some(())
    }
}

/// Sets what a workgroup takes, its work-items and barrier still open.
fn set_footprint(op: &mut Op, registers: Option<u32>, lds: Option<u32>) {
    op.assume(Field::Barrier);
    match registers.filter(|&n| n > 0) {
        Some(registers) => op.footprint.vgprs_per_thread = registers,
        None => op.assume(Field::Registers),
    }
    match lds {
        Some(lds) => op.footprint.lds_bytes = lds,
        None => op.assume(Field::SharedMemory),
    }
}

impl RecordSink for KinetoCollector {
    type Section = TraceSection;

    const RECORDS: &'static str = "launches";

    fn begin(&mut self, section: TraceSection) {
        self.has_events |= section == TraceSection::Events;
    }

    fn record(&mut self, section: TraceSection, text: &[u8]) -> serde_json::Result<usize> {
        match section {
            TraceSection::Events => {
                let (event, len) = KinetoEvent::read(text)?;
                self.event(&event);
                Ok(len)
            }
            TraceSection::Devices => {
                let (devices, len) = device::read(text)?;
                self.devices = devices;
                Ok(len)
            }
        }
    }

    fn malformed(&mut self, section: TraceSection) {
        self.report.events += u64::from(section == TraceSection::Events);
        self.report.note(Quirk::Malformed);
    }

    fn first_key(section: TraceSection) -> Option<&'static [u8]> {
        (section == TraceSection::Events).then_some(b"ph")
    }

    fn kept(&self) -> usize {
        self.ops.len().max(self.calls.len()).max(self.waits.len())
    }

    fn kernels_seen(&self) -> u64 {
        self.kernels_seen
    }

    fn report(&mut self) -> &mut ImportReport {
        &mut self.report
    }
}

fn small(value: Option<&str>) -> Option<u32> {
    u32::try_from(value.and_then(natural)?).ok()
}
