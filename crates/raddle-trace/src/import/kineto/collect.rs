//! Which work and which launch calls do the events of a trace hold?

use std::collections::BTreeSet;

use raddle_policy::{Activity, Barrier, Dim3, Footprint, Idempotence};

use super::device;
use super::event::{Api, Args, Category, Event, stream_label, text};
use super::fields::{Broken, said};
use super::shape::{Extents, ShapeError};
use super::walk::Sink;
use crate::assemble::{DraftOp, Interner, OP_LIMIT};
use crate::claims::OccupancyObject;
use crate::decimal::{Micros, micros, natural, unquote};
use crate::profile::{OpKind, SourceDevice, StreamLabel};
use crate::provenance::{Field, Origin, Provenance};
use crate::report::{ImportReport, Quirk};

/// Distinct categories that are remembered for an error message.
const CATEGORY_LIMIT: usize = 64;

/// An op of some device, before its arrival and, if it is a kernel, its shape are known.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) draft: DraftOp,
    pub(super) device: Option<u64>,
    pub(super) correlation: Option<u64>,
    /// A kernel's grid and workgroup as its event writes them, as a position in
    /// [`Collector::extents`].
    pub(super) extents: Option<u32>,
    /// Occupancy in percent, as the event claims.
    pub(super) percent: Option<u32>,
    /// What else it claims of occupancy, as a position in [`Collector::objects`].
    pub(super) object: Option<u32>,
    /// Whether its lane is a hardware queue if the GPU is AMD's: it names no other queue.
    pub(super) on_queue: bool,
    /// Whether it is complete; kernels are once they have a shape.
    pub(super) settled: bool,
}

/// A call that launched work.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) correlation: u64,
    pub(super) start: i64,
    pub(super) api: Api,
    /// Grid and workgroup (HIP), as a position in [`Collector::extents`].
    pub(super) extents: Option<u32>,
    /// Bytes of shared memory that it asks for dynamically (HIP).
    pub(super) lds_bytes: Option<u32>,
}

/// Everything of interest in the events so far.
#[derive(Debug)]
pub(super) struct Collector {
    pub(super) ops: Vec<Found>,
    pub(super) calls: Vec<Call>,
    pub(super) names: Interner<String>,
    pub(super) streams: Interner<StreamLabel>,
    pub(super) extents: Interner<Extents>,
    pub(super) objects: Interner<OccupancyObject>,
    pub(super) devices: Vec<(Option<u64>, SourceDevice)>,
    pub(super) report: ImportReport,
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

impl Collector {
    pub(super) fn new() -> Self {
        Self {
            ops: Vec::new(),
            calls: Vec::new(),
            names: Interner::new(),
            streams: Interner::new(),
            extents: Interner::new(),
            objects: Interner::new(),
            devices: Vec::new(),
            report: ImportReport::default(),
            categories: BTreeSet::new(),
            kernels_seen: 0,
            fine: false,
            registers_seen: false,
            hip_calls: false,
            dispatches: false,
        }
    }

    /// Whether the kernels are those of an AMD GPU.
    pub(super) fn is_amd(&self) -> bool {
        self.kernels_seen > 0 && (self.dispatches || self.hip_calls && !self.registers_seen)
    }

    /// Whether there is more than can be taken.
    pub(super) fn overflowed(&self) -> bool {
        self.ops.len().max(self.calls.len()) > OP_LIMIT
    }

    fn saw(&mut self, cat: &[u8]) {
        if self.kernels_seen > 0 || self.categories.len() >= CATEGORY_LIMIT {
            return;
        }
        let category = String::from_utf8_lossy(&said(cat).unwrap_or_default()).into_owned();
        if !self.categories.contains(&category) {
            self.categories.insert(category.chars().take(40).collect());
        }
    }

    fn take(&mut self, bytes: &[u8]) -> Result<(), Broken> {
        let event = Event::read(bytes)?;
        if let Some(cat) = event.cat {
            self.saw(cat);
        }
        let timed = event.ph.and_then(said).is_some_and(|ph| *ph == *b"X");
        match event.category {
            Category::Other => Ok(()),
            _ if !timed => Ok(()),
            Category::Annotation => {
                self.report.note(Quirk::GpuAnnotation);
                Ok(())
            }
            Category::Call => self.call(&event),
            Category::Kernel => self.work(&event, OpKind::Kernel),
            Category::Copy => self.work(&event, OpKind::Copy),
            Category::Set => self.work(&event, OpKind::Set),
        }
    }

    fn call(&mut self, event: &Event<'_>) -> Result<(), Broken> {
        let name = event.name.and_then(said).ok_or(Broken)?;
        self.hip_calls |= name.starts_with(b"hip");
        let Some(api) = event.api else {
            return Ok(());
        };
        let args = event.args()?;
        let Some(correlation) = correlation(&args) else {
            return Ok(());
        };
        let Some(Ok(ts)) = event.ts.map(|ts| micros(text(ts))) else {
            self.report.note(Quirk::Malformed);
            return Ok(());
        };
        self.fine |= ts.fine;
        let extents = api.unit().and_then(|_| Extents::read(args.grid, args.block).ok());
        let extents = extents.map(|extents| self.extents.number(&extents));
        let lds_bytes = api.unit().and_then(|_| small(args.shared_memory));
        self.calls.push(Call { correlation, start: ts.nanos, api, extents, lds_bytes });
        Ok(())
    }

    fn work(&mut self, event: &Event<'_>, kind: OpKind) -> Result<(), Broken> {
        let name = event.name.and_then(said).ok_or(Broken)?;
        let args = event.args()?;
        if kind == OpKind::Kernel {
            self.kernels_seen += 1;
            self.registers_seen |= args.registers.is_some();
            self.dispatches |= args.kind.is_some_and(|kind| kind.starts_with(b"\"Dispatch"));
        }
        let Some((start, duration)) = times(event) else {
            self.report.note(Quirk::Malformed);
            return Ok(());
        };
        let extents = match Extents::read(args.grid, args.block) {
            Ok(extents) => Some(self.extents.number(&extents)),
            Err(ShapeError::Overflow) if kind == OpKind::Kernel => {
                self.report.note(Quirk::ShapeOverflow);
                return Ok(());
            }
            Err(_) => None,
        };
        self.fine |= start.fine || duration.fine;
        let label = StreamLabel {
            label: stream_label(event, &args).to_owned(),
            context: number(args.context),
        };
        let (footprint, provenance) = asked(&args, kind);
        let draft = DraftOp {
            kernel: self.name(&name),
            stream: self.streams.number(&label),
            kind,
            grid: Dim3::default(),
            workgroups: 0,
            footprint,
            start: start.nanos,
            duration: duration.nanos.unsigned_abs(),
            arrival: None,
            priority: args.priority.and_then(|value| unquote(text(value)).parse().ok()),
            idempotent: Idempotence::Unknown,
            activity: Activity::UNKNOWN,
            provenance,
        };
        let object = args.occupancy.and_then(OccupancyObject::read);
        self.ops.push(Found {
            draft,
            device: number(args.device),
            correlation: correlation(&args),
            extents,
            percent: small(args.percent),
            object: object.map(|object| self.objects.number(&object)),
            on_queue: args.hsa_queue.is_none(),
            settled: kind != OpKind::Kernel,
        });
        Ok(())
    }

    /// The number of a name, which need not be UTF-8.
    fn name(&mut self, name: &[u8]) -> u32 {
        match std::str::from_utf8(name) {
            Ok(name) => self.names.number(name),
            Err(_) => {
                self.report.note(Quirk::NotUtf8);
                self.names.number(&*String::from_utf8_lossy(name))
            }
        }
    }
}

/// What an event says that a workgroup asks, its work-items and barrier still open.
fn asked(args: &Args<'_>, kind: OpKind) -> (Footprint, Provenance) {
    let mut footprint = Footprint { barrier: Barrier::No, ..Footprint::default() };
    let mut provenance = Provenance::MEASURED;
    if kind != OpKind::Kernel {
        return (footprint, provenance);
    }
    provenance = provenance.with(Field::Barrier, Origin::Assumed);
    match small(args.registers).filter(|&n| n > 0) {
        Some(registers) => footprint.vgprs_per_thread = registers,
        None => provenance = provenance.with(Field::Registers, Origin::Assumed),
    }
    match small(args.shared_memory) {
        Some(lds) => footprint.lds_bytes = lds,
        None => provenance = provenance.with(Field::SharedMemory, Origin::Assumed),
    }
    (footprint, provenance)
}

impl Sink for Collector {
    fn event(&mut self, bytes: &[u8]) -> bool {
        self.report.events += 1;
        let taken = self.take(bytes);
        if taken.is_err() {
            self.report.note(Quirk::Malformed);
        }
        taken.is_ok()
    }

    fn devices(&mut self, text: &[u8]) {
        self.devices = device::parse(text);
    }

    fn full(&self) -> bool {
        self.overflowed()
    }
}

/// Start and duration; `None` where one lacks, is no exact number or runs backwards.
fn times(event: &Event<'_>) -> Option<(Micros, Micros)> {
    let start = micros(text(event.ts?)).ok()?;
    let duration = micros(text(event.dur?)).ok()?;
    (duration.nanos >= 0).then_some((start, duration))
}

/// The number that ties an op to its launch call; 0 ties nothing.
fn correlation(args: &Args<'_>) -> Option<u64> {
    number(args.correlation).filter(|&n| n > 0)
}

fn number(value: Option<&[u8]>) -> Option<u64> {
    natural(text(value?))
}

fn small(value: Option<&[u8]>) -> Option<u32> {
    u32::try_from(number(value)?).ok()
}
