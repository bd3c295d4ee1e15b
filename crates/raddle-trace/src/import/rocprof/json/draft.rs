//! How do the records of a result become ops: which kernel, which lane, when issued?

use raddle_policy::{Activity, Barrier, Dim3, Footprint, Idempotence};

use super::agent::Agent;
use super::collect::{Call, Collector, Copy, Dispatch, Process, Span, Symbol};
use super::records::Correlation;
use crate::assemble::{Draft, DraftOp, Interner};
use crate::import::rocprof::CLOCK_NS;
use crate::import::rocprof::lanes::{Lanes, jitter};
use crate::import::rocprof::registers::{are_halved, is_unified};
use crate::options::BarrierRule;
use crate::profile::{OpKind, SourceDevice};
use crate::provenance::{Field, Origin, Provenance};
use crate::report::{ImportReport, Quirk};

/// The work of one device.
pub(super) fn draft(found: Collector, device: u64, barriers: BarrierRule) -> Draft {
    let Collector { mut processes, mut report, .. } = found;
    let source = source_device(&processes, device, &mut report);
    for process in &mut processes {
        keep(process, device, &mut report);
    }
    let dispatches = || processes.iter().flat_map(|process| &process.dispatches);
    let lanes = Lanes::decide(dispatches().map(|dispatch| dispatch.place), &mut report);
    let mut maker =
        Maker { barriers, lanes, names: Interner::new(), report, ops: Vec::new(), halved: false };
    let arch = source.as_ref().map_or("", |source| &source.arch);
    for (process, number) in processes.iter_mut().zip(0u32..) {
        maker.process(process, number, arch);
    }
    let Maker { lanes, names, mut report, ops, .. } = maker;
    report.add(Quirk::ClockJitter, jitter(&ops));
    Draft {
        ops,
        kernels: names.into_items(),
        streams: lanes.into_labels(),
        device: source,
        resolution_ns: CLOCK_NS,
        report,
    }
}

fn source_device(
    processes: &[Process],
    device: u64,
    report: &mut ImportReport,
) -> Option<SourceDevice> {
    let mut agents = processes.iter().flat_map(|process| &process.agents);
    let agent = agents.find(|agent| agent.handle == device && agent.gpu.is_some());
    report.add(Quirk::NoDevice, u64::from(agent.is_none()));
    agent.and_then(|agent| agent.gpu.clone())
}

/// Drops what other devices did. A copy belongs to both of its ends.
fn keep(process: &mut Process, device: u64, report: &mut ImportReport) {
    let all = process.dispatches.len() + process.copies.len();
    process.dispatches.retain(|dispatch| dispatch.agent == device);
    process.copies.retain(|copy| {
        let said = copy.source != 0 || copy.target != 0;
        !said || copy.source == device || copy.target == device
    });
    let kept = process.dispatches.len() + process.copies.len();
    report.add(Quirk::OtherDevice, (all - kept) as u64);
}

/// Orders calls by correlation, the earliest of equal ones alone.
fn sort_calls(calls: &mut Vec<Call>, report: &mut ImportReport) {
    let all = calls.len();
    calls.sort_unstable_by_key(|call| (call.correlation, call.start, call.name));
    calls.dedup_by_key(|call| call.correlation);
    report.add(Quirk::RepeatedCorrelation, (all - calls.len()) as u64);
}

/// Makes ops of records, process by process.
struct Maker {
    barriers: BarrierRule,
    lanes: Lanes,
    names: Interner<String>,
    report: ImportReport,
    ops: Vec<DraftOp>,
    /// Whether the registers of the process at hand were counted by half.
    halved: bool,
}

impl Maker {
    fn process(&mut self, process: &mut Process, number: u32, arch: &str) {
        sort_calls(&mut process.calls, &mut self.report);
        let process = &*process;
        self.halved = is_halved(process, arch);
        if process.counted {
            self.report.add(Quirk::Serialised, process.dispatches.len() as u64);
        }
        for dispatch in &process.dispatches {
            let op = self.dispatch(process, dispatch);
            self.ops.push(op);
        }
        for copy in &process.copies {
            let op = self.copy(process, copy, number);
            self.ops.push(op);
        }
    }

    fn dispatch(&mut self, process: &Process, dispatch: &Dispatch) -> DraftOp {
        let symbol = process.symbols.get(&dispatch.kernel);
        let kernel = match symbol {
            Some(symbol) => self.names.number(&*symbol.name),
            None => {
                self.report.note(Quirk::UnknownKernel);
                self.names.number(&*format!("kernel {}", dispatch.kernel))
            }
        };
        self.report.add(Quirk::EmptyShape, u64::from(dispatch.shape.workgroups == 0));
        let (footprint, provenance) = self.footprint(dispatch, symbol);
        let blank = DraftOp {
            kernel,
            stream: self.lanes.of(dispatch.place),
            kind: OpKind::Kernel,
            grid: dispatch.shape.grid,
            workgroups: dispatch.shape.workgroups,
            footprint,
            start: dispatch.span.start,
            duration: dispatch.span.duration,
            arrival: None,
            priority: None,
            idempotent: Idempotence::Unknown,
            activity: Activity::UNKNOWN,
            provenance,
        };
        self.join(process, dispatch.span, blank)
    }

    fn footprint(
        &mut self,
        dispatch: &Dispatch,
        symbol: Option<&Symbol>,
    ) -> (Footprint, Provenance) {
        let mut provenance = Provenance::MEASURED.with(Field::Barrier, Origin::Assumed);
        let registers = symbol.and_then(|symbol| symbol.registers.budget(self.halved));
        let origin = if registers.is_some() { Origin::Joined } else { Origin::Assumed };
        provenance = provenance.with(Field::Registers, origin);
        match registers {
            Some(_) => self.report.add(Quirk::HalvedRegisters, u64::from(self.halved)),
            None => self.report.note(Quirk::NoRegisters),
        }
        if dispatch.lds.is_none() {
            self.report.note(Quirk::NoSharedMemory);
            provenance = provenance.with(Field::SharedMemory, Origin::Assumed);
        }
        let footprint = Footprint {
            threads: dispatch.shape.threads,
            vgprs_per_thread: registers.unwrap_or(0),
            sgprs_per_wave: symbol.map_or(0, |symbol| symbol.sgprs),
            lds_bytes: dispatch.lds.unwrap_or(0),
            barrier: self.barriers.barrier(dispatch.lds),
        };
        (footprint, provenance)
    }

    fn copy(&mut self, process: &Process, copy: &Copy, number: u32) -> DraftOp {
        let name = copy_name(&process.agents, copy);
        let blank = DraftOp {
            kernel: self.names.number(name),
            stream: self.lanes.of_copy(number, copy.stream, name),
            kind: OpKind::Copy,
            grid: Dim3::default(),
            workgroups: 0,
            footprint: Footprint { barrier: Barrier::No, ..Footprint::default() },
            start: copy.span.start,
            duration: copy.span.duration,
            arrival: None,
            priority: None,
            idempotent: Idempotence::Unknown,
            activity: Activity::UNKNOWN,
            provenance: Provenance::MEASURED,
        };
        self.join(process, copy.span, blank)
    }

    /// Lets the op arrive when the call began that caused it, or the call around that one.
    fn join(&mut self, process: &Process, span: Span, mut op: DraftOp) -> DraftOp {
        let Correlation { internal, ancestor } = span.correlation;
        let find = |wanted: u64| {
            let at = process.calls.binary_search_by_key(&wanted, |call| call.correlation);
            at.ok().map(|at| process.calls[at])
        };
        if let Some(call) = find(internal).or_else(|| find(ancestor)) {
            op.arrival = Some(call.start);
            op.provenance = op.provenance.with(Field::Arrival, Origin::Joined);
            let graph = process.graph_calls.contains(&call.name);
            self.report.add(Quirk::GraphLaunch, u64::from(graph));
        }
        op
    }
}

/// Whether the tool did not know how to count the registers of this instruction set. Kernels that
/// did not run bear witness too, if they are for the same kind of device.
fn is_halved(process: &Process, arch: &str) -> bool {
    if !is_unified(arch) {
        return false;
    }
    let mut gpus = process.agents.iter().filter_map(|agent| agent.gpu.as_ref());
    if gpus.all(|gpu| is_unified(&gpu.arch)) {
        return are_halved(process.symbols.values().map(|symbol| symbol.registers));
    }
    let used = process.dispatches.iter().filter_map(|d| process.symbols.get(&d.kernel));
    are_halved(used.map(|symbol| symbol.registers))
}

fn copy_name(agents: &[Agent], copy: &Copy) -> &'static str {
    let is_gpu = |handle: u64| {
        agents.iter().find(|agent| agent.handle == handle).map(|agent| agent.gpu.is_some())
    };
    match (is_gpu(copy.source), is_gpu(copy.target)) {
        (Some(false), Some(true)) => "MEMORY_COPY_HOST_TO_DEVICE",
        (Some(true), Some(false)) => "MEMORY_COPY_DEVICE_TO_HOST",
        (Some(true), Some(true)) => "MEMORY_COPY_DEVICE_TO_DEVICE",
        (Some(false), Some(false)) => "MEMORY_COPY_HOST_TO_HOST",
        _ => "MEMORY_COPY",
    }
}
