//! Which work and which launch calls do the events of a trace hold?

use std::collections::BTreeMap;

use raddle_types::{Barrier, Dim3, Footprint, Idempotence};
use serde_json::value::RawValue;

use super::device;
use super::event::{
    Category, Glance, RawArgs, RawEvent, glance, is_graph_launch, is_launch, stream_label,
};
use super::shape::{Shape, ShapeError, shape};
use super::walk::Sink;
use crate::assemble::{DraftOp, Interner, OP_LIMIT};
use crate::decimal::{Micros, micros, natural, unquote};
use crate::options::BarrierRule;
use crate::profile::{OpKind, SourceDevice, StreamLabel};
use crate::provenance::{Field, Origin, Provenance};
use crate::report::{ImportReport, Quirk};

/// Distinct categories that are remembered for an error message.
const CATEGORY_LIMIT: usize = 64;

/// An op of some device, before its arrival is known.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) draft: DraftOp,
    pub(super) device: Option<u64>,
    pub(super) correlation: Option<u64>,
}

/// A call that launched work.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) correlation: u64,
    pub(super) start: i64,
    pub(super) graph: bool,
}

/// Everything of interest in the events so far.
#[derive(Debug)]
pub(super) struct Collector {
    pub(super) ops: Vec<Found>,
    pub(super) calls: Vec<Call>,
    pub(super) names: Interner<String>,
    pub(super) streams: Interner<StreamLabel>,
    pub(super) devices: Vec<(Option<u64>, SourceDevice)>,
    pub(super) report: ImportReport,
    /// Categories seen, for the message when no kernel is among them.
    pub(super) categories: BTreeMap<String, u64>,
    /// Kernels kept, by device.
    pub(super) kernels_of: BTreeMap<Option<u64>, u64>,
    /// Kernel events, also those left out.
    pub(super) kernels_seen: u64,
    /// Whether any time shows parts of a microsecond.
    pub(super) fine: bool,
    barriers: BarrierRule,
    registers_seen: bool,
    hip_calls: bool,
    dispatches: bool,
}

impl Collector {
    pub(super) fn new(barriers: BarrierRule) -> Self {
        Self {
            ops: Vec::new(),
            calls: Vec::new(),
            names: Interner::new(),
            streams: Interner::new(),
            devices: Vec::new(),
            report: ImportReport::default(),
            categories: BTreeMap::new(),
            kernels_of: BTreeMap::new(),
            kernels_seen: 0,
            fine: false,
            barriers,
            registers_seen: false,
            hip_calls: false,
            dispatches: false,
        }
    }

    /// Whether the kernels are those of an AMD GPU, which come without registers.
    pub(super) fn is_amd(&self) -> bool {
        self.kernels_seen > 0 && !self.registers_seen && (self.dispatches || self.hip_calls)
    }

    /// Whether there is more than can be taken.
    pub(super) fn overflowed(&self) -> bool {
        self.ops.len().max(self.calls.len()) > OP_LIMIT
    }

    fn saw(&mut self, category: &str) {
        if let Some(n) = self.categories.get_mut(category) {
            *n += 1;
        } else if self.categories.len() < CATEGORY_LIMIT {
            self.categories.insert(category.chars().take(40).collect(), 1);
        }
    }

    fn take(&mut self, event: &RawEvent<'_>) {
        let category = Category::of(event.cat.as_bytes());
        if event.ph != "X" {
            return;
        }
        match category {
            Category::Call => self.call(event),
            Category::Kernel => self.work(event, OpKind::Kernel),
            Category::Copy => self.work(event, OpKind::Copy),
            Category::Set => self.work(event, OpKind::Set),
            Category::Annotation => self.report.note(Quirk::GpuAnnotation),
            Category::Other => {}
        }
    }

    fn call(&mut self, event: &RawEvent<'_>) {
        self.hip_calls |= event.name.starts_with("hip");
        if !is_launch(&event.name) {
            return;
        }
        let correlation = event.args.as_ref().and_then(correlation);
        match (correlation, event.ts.map(|raw| micros(raw.get()))) {
            (Some(correlation), Some(Ok(ts))) => {
                self.fine |= ts.fine;
                let graph = is_graph_launch(&event.name);
                self.calls.push(Call { correlation, start: ts.nanos, graph });
            }
            (None, _) => {}
            _ => self.report.note(Quirk::Malformed),
        }
    }

    fn work(&mut self, event: &RawEvent<'_>, kind: OpKind) {
        let none = RawArgs::default();
        let args = event.args.as_ref().unwrap_or(&none);
        if kind == OpKind::Kernel {
            self.kernels_seen += 1;
            self.registers_seen |= args.registers.is_some();
            self.dispatches |=
                args.kind.is_some_and(|kind| unquote(kind.get()).starts_with("Dispatch"));
        }
        let Some((start, duration)) = times(event) else {
            self.report.note(Quirk::Malformed);
            return;
        };
        let Some((shape, footprint, provenance)) = self.kernel_shape(args, kind) else {
            return;
        };
        self.fine |= start.fine || duration.fine;
        let device = number(args.device);
        if kind == OpKind::Kernel {
            *self.kernels_of.entry(device).or_default() += 1;
        }
        let label = StreamLabel {
            label: stream_label(event, args).to_owned(),
            context: number(args.context),
        };
        let draft = DraftOp {
            kernel: self.names.number(&*event.name),
            stream: self.streams.number(&label),
            kind,
            grid: shape.grid,
            workgroups: shape.workgroups,
            footprint,
            start: start.nanos,
            duration: duration.nanos.unsigned_abs(),
            arrival: None,
            priority: args.priority.and_then(|raw| unquote(raw.get()).parse().ok()),
            idempotent: Idempotence::Unknown,
            provenance,
        };
        self.ops.push(Found { draft, device, correlation: correlation(args) });
    }

    /// What a kernel's workgroups are and ask; copies and fills have none. `None` where the kernel
    /// has to be left out.
    fn kernel_shape(
        &mut self,
        args: &RawArgs<'_>,
        kind: OpKind,
    ) -> Option<(Shape, Footprint, Provenance)> {
        if kind != OpKind::Kernel {
            let shape = Shape { grid: Dim3::default(), workgroups: 0, threads: 0 };
            let footprint = Footprint { barrier: Barrier::No, ..Footprint::default() };
            return Some((shape, footprint, Provenance::MEASURED));
        }
        let shape = match shape(args.grid, args.block) {
            Ok(shape) => shape,
            Err(error) => {
                self.report.note(match error {
                    ShapeError::Missing => Quirk::NoShape,
                    ShapeError::Overflow => Quirk::ShapeOverflow,
                });
                return None;
            }
        };
        self.report.add(Quirk::EmptyShape, u64::from(shape.workgroups == 0));
        let mut provenance = Provenance::MEASURED.with(Field::Barrier, Origin::Assumed);
        let registers = small(args.registers).filter(|&n| n > 0);
        if registers.is_none() {
            self.report.note(Quirk::NoRegisters);
            provenance = provenance.with(Field::Registers, Origin::Assumed);
        }
        let lds = small(args.shared_memory);
        if lds.is_none() {
            self.report.note(Quirk::NoSharedMemory);
            provenance = provenance.with(Field::SharedMemory, Origin::Assumed);
        }
        let footprint = Footprint {
            threads: shape.threads,
            vgprs_per_thread: registers.unwrap_or(0),
            sgprs_per_wave: 0,
            lds_bytes: lds.unwrap_or(0),
            barrier: self.barriers.barrier(lds),
        };
        Some((shape, footprint, provenance))
    }
}

impl Sink for Collector {
    fn event(&mut self, text: &[u8]) -> bool {
        self.report.events += 1;
        match glance(text) {
            Glance::None => return true,
            Glance::Sure(category) => {
                self.saw(&String::from_utf8_lossy(category));
                if Category::of(category) == Category::Other {
                    return true;
                }
            }
            Glance::Unsure => {}
        }
        let lossy;
        let text = match std::str::from_utf8(text) {
            Ok(text) => text,
            Err(_) => {
                self.report.note(Quirk::NotUtf8);
                lossy = String::from_utf8_lossy(text).into_owned();
                &lossy
            }
        };
        match serde_json::from_str::<RawEvent<'_>>(text) {
            Ok(event) => {
                if glance(text.as_bytes()) == Glance::Unsure {
                    self.saw(&event.cat);
                }
                self.take(&event);
                true
            }
            Err(_) => {
                self.report.note(Quirk::Malformed);
                false
            }
        }
    }

    fn devices(&mut self, text: &[u8]) {
        self.devices = device::parse(text);
    }

    fn full(&self) -> bool {
        self.overflowed()
    }
}

/// Start and duration; `None` where one lacks, is no exact number or runs backwards.
fn times(event: &RawEvent<'_>) -> Option<(Micros, Micros)> {
    let start = micros(event.ts?.get()).ok()?;
    let duration = micros(event.dur?.get()).ok()?;
    (duration.nanos >= 0).then_some((start, duration))
}

/// The number that ties an op to its launch call; 0 ties nothing.
fn correlation(args: &RawArgs<'_>) -> Option<u64> {
    number(args.correlation).filter(|&n| n > 0)
}

fn number(raw: Option<&RawValue>) -> Option<u64> {
    natural(raw?.get())
}

fn small(raw: Option<&RawValue>) -> Option<u32> {
    u32::try_from(number(raw)?).ok()
}
