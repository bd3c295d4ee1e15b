//! How do the records of a result become ops: which kernel, which lane, when issued?

use raddle_policy::Footprint;

use super::agent::ProfiledAgent;
use super::collect::{
    KernelSymbol, MemoryCopy, RecordSpan, RecordedDispatch, ResultCollector, ResultProcess,
};
use super::records::Correlation;
use crate::assemble::{Draft, Interner};
use crate::import::calls::sort_calls;
use crate::import::rocprof::CLOCK_NS;
use crate::import::rocprof::lanes::{RocprofLanes, jitter};
use crate::import::rocprof::registers::{are_halved, is_unified};
use crate::options::BarrierRule;
use crate::profile::{Op, OpKind, SourceDevice};
use crate::provenance::{Field, Origin};
use crate::report::{ImportReport, Quirk};

/// The work of one device.
pub(super) fn draft(found: ResultCollector, device: u64, barriers: BarrierRule) -> Draft {
    let ResultCollector { mut processes, mut report, .. } = found;
    let source = source_device(&processes, device, &mut report);
    for process in &mut processes {
        keep(process, device, &mut report);
    }
    let dispatches = || processes.iter().flat_map(|process| &process.dispatches);
    let lanes = RocprofLanes::decide(dispatches().map(|dispatch| dispatch.place), &mut report);
    let mut maker = OpMaker {
        barriers,
        lanes,
        names: Interner::default(),
        report,
        ops: Vec::new(),
        halved: false,
    };
    let arch = source.as_ref().map_or("", |source| &source.arch);
    for (process, number) in processes.iter_mut().zip(0u32..) {
        maker.process(process, number, arch);
    }
    let OpMaker { lanes, names, mut report, ops, .. } = maker;
    report.add(Quirk::ClockJitter, jitter(&ops));
    Draft {
        ops,
        kernels: names.into_items(),
        streams: lanes.into_labels(),
        device: source,
        resolution_ns: CLOCK_NS,
        waits: Vec::new(),
        report,
    }
}

fn source_device(
    processes: &[ResultProcess],
    device: u64,
    report: &mut ImportReport,
) -> Option<SourceDevice> {
    let mut agents = processes.iter().flat_map(|process| &process.agents);
    let agent = agents.find(|agent| agent.handle == device && agent.gpu.is_some());
    report.add(Quirk::NoDevice, u64::from(agent.is_none()));
    agent.and_then(|agent| agent.gpu.clone())
}

/// Drops what other devices did. A copy belongs to both of its ends.
fn keep(process: &mut ResultProcess, device: u64, report: &mut ImportReport) {
    let all = process.dispatches.len() + process.copies.len();
    process.dispatches.retain(|dispatch| dispatch.agent == device);
    process.copies.retain(|copy| {
        let said = copy.source != 0 || copy.target != 0;
        !said || copy.source == device || copy.target == device
    });
    let kept = process.dispatches.len() + process.copies.len();
    report.add(Quirk::OtherDevice, (all - kept) as u64);
}

/// Makes ops of records, process by process.
struct OpMaker {
    barriers: BarrierRule,
    lanes: RocprofLanes,
    names: Interner<String>,
    report: ImportReport,
    ops: Vec<Op>,
    /// Whether the registers of the process at hand were counted by half.
    halved: bool,
}

impl OpMaker {
    fn process(&mut self, process: &mut ResultProcess, number: u32, arch: &str) {
        sort_calls(&mut process.calls, |call| call.correlation, &mut self.report);
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

    fn dispatch(&mut self, process: &ResultProcess, dispatch: &RecordedDispatch) -> Op {
        let symbol = process.symbols.get(&dispatch.kernel);
        let kernel = match symbol {
            Some(symbol) => self.names.number(&*symbol.name),
            None => {
                self.report.note(Quirk::UnknownKernel);
                self.names.number(&*format!("kernel {}", dispatch.kernel))
            }
        };
        self.report.add(Quirk::EmptyShape, u64::from(dispatch.shape.workgroups == 0));
        let mut op = Op::at(OpKind::Kernel, dispatch.span.start, dispatch.span.duration);
        op.kernel = kernel;
        op.stream = self.lanes.of(dispatch.place);
        op.grid = dispatch.shape.grid;
        op.workgroups = dispatch.shape.workgroups;
        self.set_footprint(&mut op, dispatch, symbol);
        self.join(process, dispatch.span, op)
    }

    fn set_footprint(
        &mut self,
        op: &mut Op,
        dispatch: &RecordedDispatch,
        symbol: Option<&KernelSymbol>,
    ) {
        op.assume(Field::Barrier);
        let registers = symbol.and_then(|symbol| symbol.registers.budget(self.halved));
        match registers {
            Some(_) => {
                op.provenance = op.provenance.with(Field::Registers, Origin::Joined);
                self.report.add(Quirk::HalvedRegisters, u64::from(self.halved));
            }
            None => {
                op.assume(Field::Registers);
                self.report.note(Quirk::NoRegisters);
            }
        }
        if dispatch.lds.is_none() {
            op.assume(Field::SharedMemory);
            self.report.note(Quirk::NoSharedMemory);
        }
        op.footprint = Footprint {
            threads: dispatch.shape.threads,
            vgprs_per_thread: registers.unwrap_or(0),
            sgprs_per_wave: symbol.map_or(0, |symbol| symbol.sgprs),
            lds_bytes: dispatch.lds.unwrap_or(0),
            barrier: self.barriers.barrier(dispatch.lds),
        };
    }

    fn copy(&mut self, process: &ResultProcess, copy: &MemoryCopy, number: u32) -> Op {
        let name = copy_name(&process.agents, copy);
        let mut op = Op::at(OpKind::Copy, copy.span.start, copy.span.duration);
        op.kernel = self.names.number(name);
        op.stream = self.lanes.of_copy(number, copy.stream, name);
        self.join(process, copy.span, op)
    }

    /// Lets the op arrive when the call began that caused it, or the call around that one.
    fn join(&mut self, process: &ResultProcess, span: RecordSpan, mut op: Op) -> Op {
        let Correlation { internal, ancestor } = span.correlation;
        let find = |wanted: u64| {
            let at = process.calls.binary_search_by_key(&wanted, |call| call.correlation);
            at.ok().map(|at| process.calls[at])
        };
        if let Some(call) = find(internal).or_else(|| find(ancestor)) {
            op.set_arrival(call.start, Origin::Joined);
            let graph = process.graph_calls.contains(&call.name);
            self.report.add(Quirk::GraphLaunch, u64::from(graph));
        }
        op
    }
}

/// Whether the tool did not know how to count the registers of this instruction set. Kernels that
/// did not run bear witness too, if they are for the same kind of device.
fn is_halved(process: &ResultProcess, arch: &str) -> bool {
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

fn copy_name(agents: &[ProfiledAgent], copy: &MemoryCopy) -> &'static str {
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
