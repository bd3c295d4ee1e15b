//! Which work and which launch calls do the events of a trace in JSON hold?

use std::collections::{BTreeMap, BTreeSet};

use super::batch::BatchRanges;
use super::device;
use super::event::{Api, Category, KinetoEvent, tie, times};
use super::host_ops::HostOps;
use super::memory::AllocatorPeaks;
use super::shape::KernelExtents;
use super::waits::KinetoWaits;
#[cfg(any(feature = "sqlite", feature = "xplane"))]
use crate::assemble::OP_LIMIT;
use crate::assemble::{Interner, push};
use crate::decimal::{figure, micros, natural, unquote};
use crate::import::device_side::is_launch;
use crate::import::document::{RecordSink, string};
use crate::profile::{Op, OpKind, SourceDevice, StreamLabel};
use crate::provenance::Field;
use crate::report::{ImportReport, Quirk};

/// Largest number of distinct categories of events that are remembered, for the message about a
/// trace without kernels.
const CATEGORY_LIMIT: usize = 64;

/// Kinds of devices whose work is not read, as (beginning of the names of their event categories,
/// description of a file with such events, advice).
const FOREIGN: [(&str, &str, &str); 3] = [
    ("xpu_", "a PyTorch trace of an Intel GPU (XPU), whose kernels have no grids", LAUNCH_TABLE),
    ("mtia_", "a PyTorch trace of Meta's MTIA, which is no GPU", LAUNCH_TABLE),
    ("hpu_", "a PyTorch trace of Intel's Gaudi (HPU), which is no GPU", LAUNCH_TABLE),
];
pub(super) const LAUNCH_TABLE: &str = "no setting of its profiler helps; record the program on a GPU of NVIDIA or \
                            AMD, or describe its launches in a launch table (docs/launch-table.md)";

/// Names of the arguments that are read from the event of a kernel, copy or fill.
const WORK_ARGS: [&str; 12] = [
    "stream",
    "context",
    "device",
    // AMD's entries have this since 2026: then `stream` is the stream, before it is this queue.
    "hsa_queue",
    "correlation",
    "priority",
    "est. achieved occupancy %",
    // AMD's kernels alone are of a kind `Dispatch ...`.
    "kind",
    "grid",
    "block",
    "registers per thread",
    "shared memory",
];

/// An op (kernel, copy or fill) of some device, before the time of its issue and, of a kernel, the
/// grid and workgroup are known. Its `stream` is an index in [`KinetoCollector::lanes`].
///
/// As there may be millions of ops, two fields of `Op` that are not needed yet hold other values:
/// `arrival_ns` the correlation number, `after` the index of the grid and workgroup.
#[derive(Clone, Copy, Debug)]
pub(in crate::import) struct KinetoOp {
    pub(in crate::import) op: Op,
}

impl KinetoOp {
    pub(in crate::import) fn new(op: Op, correlation: Option<u64>, extents: Option<u32>) -> Self {
        let mut found = Self { op: Op { after: extents, ..op } };
        found.tie(correlation);
        found
    }

    /// Stores the op's correlation: the number that it shares with the call that launched it;
    /// `None` where there is none.
    pub(in crate::import) fn tie(&mut self, correlation: Option<u64>) {
        self.op.arrival_ns = correlation.unwrap_or(0);
    }

    /// Returns the number that the op shares with the call that launched it; `None` where it has
    /// none.
    pub(in crate::import) fn correlation(&self) -> Option<u64> {
        Some(self.op.arrival_ns).filter(|&n| n > 0)
    }

    /// Returns a kernel's grid and workgroup as its event writes them, as an index in
    /// [`KinetoCollector::extents`]; `None` where the event has none.
    pub(in crate::import) fn extents(&self) -> Option<u32> {
        self.op.after
    }
}

/// The place where an op ran: its stream, its device, and whether the stream's label names a
/// hardware queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::import) struct KinetoLane {
    /// Stream of the op, as an index in [`KinetoCollector::streams`].
    pub(in crate::import) stream: u32,
    pub(in crate::import) device: Option<u64>,
    /// True if the event of the op has no separate number of its hardware queue: on an AMD GPU the
    /// label of the stream is then really that of a queue.
    pub(in crate::import) on_queue: bool,
}

/// A call of the host that launched work on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::import) struct KinetoCall {
    pub(in crate::import) correlation: u64,
    pub(in crate::import) start: i64,
    /// Index in [`KinetoCollector::asked`] of the work that the call launched.
    pub(in crate::import) asked: u32,
    /// Index in [`KinetoCollector::threads`] of the thread that made the call.
    pub(in crate::import) thread: u32,
}

/// Work that a launch call asked for, as far as the record of the call describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::import) struct AskedLaunch {
    pub(in crate::import) api: Api,
    /// Grid and workgroup of the kernel, which only records of HIP calls have; else `None`.
    pub(in crate::import) extents: Option<KernelExtents>,
    /// Dynamic shared memory that the call asks for, in bytes, which only records of HIP calls
    /// have; else `None`.
    pub(in crate::import) lds_bytes: Option<u32>,
}

/// Tool that wrote the events of a trace, which decides what the events contain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::import) enum TraceMaker {
    /// The profiler of PyTorch: the events describe kernels on NVIDIA GPUs completely, on AMD GPUs
    /// only in part.
    #[default]
    Kineto,
    /// The profiler of XLA and TensorFlow: events of kernels give the workgroup, and the grid in
    /// workgroups, on every GPU.
    Xla,
    /// The profiler rocprof v1: events of kernels have only the volumes of grid and workgroup, or
    /// neither.
    RocprofV1,
    /// The tool rocmProfileData: the launch call gives the grid and workgroup of a kernel, if they
    /// are recorded.
    Rpd,
}

/// Sections (keys) of a PyTorch trace that the importer reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::import) enum TraceSection {
    /// The array `traceEvents` of a trace, or the whole document where that is the array.
    Events,
    /// The descriptions of devices, the value of `deviceProperties`.
    Devices,
}

/// Reader of the events of a trace, with what it has found so far.
#[derive(Debug, Default)]
pub(in crate::import) struct KinetoCollector {
    pub(in crate::import) maker: TraceMaker,
    pub(in crate::import) ops: Vec<KinetoOp>,
    pub(in crate::import) calls: Vec<KinetoCall>,
    pub(in crate::import) waits: KinetoWaits,
    /// Named ranges of the host's time that contain a batch size; empty unless `wants_ranges` is
    /// set.
    pub(super) ranges: BatchRanges,
    pub(super) wants_ranges: bool,
    /// Ops of the host, with the work that the shapes of their tensors imply; empty unless
    /// `wants_shapes` is set.
    pub(super) host_ops: HostOps,
    pub(super) wants_shapes: bool,
    pub(super) memory: AllocatorPeaks,
    pub(in crate::import) names: Interner<String>,
    pub(in crate::import) streams: Interner<StreamLabel>,
    pub(in crate::import) lanes: Interner<KinetoLane>,
    pub(in crate::import) extents: Interner<KernelExtents>,
    pub(in crate::import) asked: Interner<AskedLaunch>,
    /// Numbers of the host threads that made launch calls; 0 where the file gives none.
    pub(in crate::import) threads: Interner<u64>,
    pub(in crate::import) devices: Vec<(Option<u64>, SourceDevice)>,
    pub(in crate::import) report: ImportReport,
    /// True if the trace has an array of events, which may be empty.
    pub(super) has_events: bool,
    /// Categories of the events before the first kernel, for the message about a trace without
    /// kernels.
    pub(super) categories: BTreeSet<String>,
    /// Number of events of kernels, including those that were left out.
    pub(in crate::import) kernels_seen: u64,
    /// Number of calls of the CUDA or HIP runtime or driver in the trace; some traces have none and
    /// only records of synchronisation.
    pub(super) calls_seen: u64,
    pub(super) syncs_seen: u64,
    /// Number of calls of the host that launch a kernel or a graph.
    pub(super) launches: u64,
    /// True if any time in the trace is written with digits below a microsecond: the clock is finer
    /// than that.
    pub(in crate::import) fine: bool,
    /// (description of the file, advice) where the trace is of a device that is no GPU of NVIDIA or
    /// AMD; else `None`.
    pub(super) foreign: Option<(&'static str, &'static str)>,
    /// Number of each GPU in a trace whose events have no categories. The key is the number of the
    /// process that such a trace uses to stand for the GPU.
    pub(super) gpus: BTreeMap<u64, u64>,
    /// Names of devices that are no GPUs, in a trace without categories.
    pub(super) other_devices: BTreeSet<String>,
    registers_seen: bool,
    pub(super) hip_calls: bool,
    dispatches: bool,
}

impl KinetoCollector {
    /// Builds the reader for the records of `maker`, a tool other than PyTorch's profiler; its
    /// times are in nanoseconds.
    #[cfg(any(feature = "sqlite", feature = "xplane"))]
    pub(in crate::import) fn of(maker: TraceMaker) -> Self {
        Self { maker, fine: true, ..Self::default() }
    }

    pub(super) fn is_amd(&self) -> bool {
        self.kernels_seen > 0
            && match self.maker {
                TraceMaker::Kineto => self.dispatches || self.hip_calls && !self.registers_seen,
                TraceMaker::Xla | TraceMaker::RocprofV1 => false,
                TraceMaker::Rpd => true,
            }
    }

    fn see_category(&mut self, cat: &str) {
        let plain = self.kernels_seen > 0 || self.categories.len() >= CATEGORY_LIMIT;
        if plain
            && !FOREIGN
                .iter()
                .any(|(start, ..)| cat.get(1..).is_some_and(|name| name.starts_with(start)))
        {
            return;
        }
        let category = string(cat).unwrap_or_default();
        if let Some(&(_, what, advice)) = FOREIGN.iter().find(|f| category.starts_with(f.0)) {
            self.foreign = Some((what, advice));
        }
        if !self.categories.contains(&*category) {
            self.categories.insert(category.chars().take(40).collect());
        }
    }

    fn event(&mut self, event: &KinetoEvent<'_>) {
        self.report.events += 1;
        if let Some(cat) = event.cat {
            self.see_category(cat);
        }
        let phase = event.ph.and_then(string);
        let timed = phase.as_ref().is_some_and(|ph| ph == "X");
        if event.category == Category::Other
            && phase.is_some_and(|ph| ph == "i")
            && self.memory.take(event)
        {
            return;
        }
        let taken = match event.category {
            Category::Other if event.cat.is_none() => self.plain(event),
            Category::Other => return,
            _ if !timed => return,
            Category::HostOp => {
                if self.wants_shapes {
                    self.host_ops.take(event);
                }
                return;
            }
            Category::Annotation => {
                self.report.note(Quirk::GpuAnnotation);
                return;
            }
            Category::Range => {
                if self.wants_ranges {
                    self.ranges.take(event);
                }
                return;
            }
            Category::Call => self.call(event),
            Category::Sync => {
                self.syncs_seen += 1;
                self.waits.sync(event, &mut self.streams)
            }
            Category::Kernel => self.work(event, OpKind::Kernel),
            Category::Copy => self.work(event, OpKind::Copy),
            Category::Set => self.work(event, OpKind::Set),
        };
        match taken {
            Some(()) => {}
            None if event.category == Category::Kernel => self.report.leave_out(),
            None => self.report.note(Quirk::Malformed),
        }
    }

    /// Reads an event that is a call of the host; `None` where it has no name or no time.
    fn call(&mut self, event: &KinetoEvent<'_>) -> Option<()> {
        let name = event.name.and_then(string)?;
        self.calls_seen += 1;
        self.launches += u64::from(is_launch(&name));
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
        let extents = api.unit().and_then(|_| KernelExtents::read(grid, block));
        let lds_bytes = api.unit().and_then(|_| small(lds));
        let asked = self.asked.number(&AskedLaunch { api, extents, lds_bytes });
        let thread = self.threads.number(&event.thread());
        push(&mut self.calls, KinetoCall { correlation, start: ts.nanos, asked, thread });
        Some(())
    }

    /// Adds a launch call of which only the correlation number, the start in nanoseconds and the
    /// kind of work are known.
    pub(in crate::import) fn launch(&mut self, correlation: u64, start: i64, api: Api) {
        let asked = self.asked.number(&AskedLaunch { api, extents: None, lds_bytes: None });
        let thread = self.threads.number(&0);
        push(&mut self.calls, KinetoCall { correlation, start, asked, thread });
    }

    /// Returns whether the import may keep another record without passing its limit of ops.
    #[cfg(any(feature = "sqlite", feature = "xplane"))]
    pub(in crate::import) fn has_room(&self) -> bool {
        self.kept() <= OP_LIMIT
    }

    /// Returns the index in `lanes` of the lane with the stream `label` on the GPU `device` (`None`
    /// if unknown); a missing lane is added. `on_queue` is true where the label names a hardware
    /// queue.
    pub(in crate::import) fn lane(
        &mut self,
        label: &StreamLabel,
        device: Option<u64>,
        on_queue: bool,
    ) -> u32 {
        let stream = self.streams.number(label);
        self.lanes.number(&KinetoLane { stream, device, on_queue })
    }

    /// Reads an event that is an op of the device; `None` where it has no name or no time.
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
        let extents = KernelExtents::read(grid, block);
        let extents = extents.map(|extents| self.extents.number(&extents));
        self.fine |= start.fine || duration.fine;
        let label = event.stream_label(stream).to_owned();
        let label = StreamLabel { label, context: context.and_then(natural) };
        let mut op = Op::at(kind, start.nanos, duration.nanos.unsigned_abs());
        op.kernel = self.names.number(&*name);
        op.stream = self.lane(&label, device.and_then(natural), queue.is_none());
        op.priority = priority.and_then(|value| unquote(value).parse().ok());
        op.claimed_percent = small(percent).and_then(|percent| u8::try_from(percent).ok());
        if kind == OpKind::Kernel {
            set_footprint(&mut op, small(registers), small(lds));
        }
        push(&mut self.ops, KinetoOp::new(op, tie(correlation), extents));
        Some(())
    }
}

/// Sets two properties of an op: the registers of a work-item, and the shared memory of a workgroup
/// in bytes. Each is marked as assumed where it is `None`, and the barrier always is.
pub(super) fn set_footprint(op: &mut Op, registers: Option<u32>, lds: Option<u32>) {
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
        let records = self.ops.len().max(self.calls.len());
        records.max(self.waits.len()).max(self.ranges.len()).max(self.host_ops.len())
    }

    fn kernels_seen(&self) -> u64 {
        self.kernels_seen
    }

    fn report(&mut self) -> &mut ImportReport {
        &mut self.report
    }
}

fn small(value: Option<&str>) -> Option<u32> {
    figure(value?)
}
