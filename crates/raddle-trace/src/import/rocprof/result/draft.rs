//! How do the records of a result become ops: which kernel, which lane, when issued?

use super::agent::ProfiledAgent;
use super::collect::{RecordedWork, ResultCollector, ResultProcess};
use super::records::Correlation;
use crate::assemble::{Draft, Interner};
use crate::import::calls::sort_calls;
use crate::import::rocprof::CLOCK_NS;
use crate::import::rocprof::lanes::{RocprofLanes, jitter};
use crate::import::rocprof::registers::{are_halved, is_unified};
use crate::profile::{Op, OpKind, SourceDevice};
use crate::provenance::{Field, Origin};
use crate::report::{ImportReport, Quirk};

/// The work of one device.
pub(super) fn draft(found: ResultCollector, device: u64) -> Draft {
    let ResultCollector { mut processes, mut report, .. } = found;
    let source = source_device(&processes, device, &mut report);
    for process in &mut processes {
        keep(process, device, &mut report);
    }
    let places = processes.iter().flat_map(|process| &process.ops);
    let places = places.filter_map(|found| match found.work {
        RecordedWork::Dispatch { place, .. } => Some(place),
        RecordedWork::Copy { .. } => None,
    });
    let lanes = RocprofLanes::decide(places, &mut report);
    let mut maker = OpMaker { lanes, names: Interner::default(), report, ops: Vec::new() };
    let arch = source.as_ref().map_or("", |source| &source.arch);
    for (process, number) in processes.iter_mut().zip(0u32..) {
        maker.process(process, number, arch);
    }
    let OpMaker { lanes, names, mut report, ops } = maker;
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
    let all = process.ops.len();
    process.ops.retain(|found| match found.work {
        RecordedWork::Dispatch { agent, .. } => agent == device,
        RecordedWork::Copy { source, target, .. } => {
            [source, target] == [0, 0] || [source, target].contains(&device)
        }
    });
    report.add(Quirk::OtherDevice, (all - process.ops.len()) as u64);
}

/// Makes ops of records, process by process.
struct OpMaker {
    lanes: RocprofLanes,
    names: Interner<String>,
    report: ImportReport,
    ops: Vec<Op>,
}

impl OpMaker {
    fn process(&mut self, process: &mut ResultProcess, number: u32, arch: &str) {
        sort_calls(&mut process.calls, |call| call.correlation, &mut self.report);
        process.ops.sort_by_key(|found| found.op.kind != OpKind::Kernel);
        let halved = is_halved(process, arch);
        for found in &process.ops {
            let mut op = found.op;
            match found.work {
                RecordedWork::Dispatch { place, kernel, .. } => {
                    op.stream = self.lanes.of(place);
                    self.dispatch(&mut op, process, kernel, halved);
                }
                RecordedWork::Copy { source, target, stream } => {
                    let name = copy_name(&process.agents, source, target);
                    op.kernel = self.names.number(name);
                    op.stream = self.lanes.of_copy(number, stream, name);
                }
            }
            self.join(&mut op, process, found.correlation);
            self.ops.push(op);
        }
    }

    /// Adds what the kernel's symbol says.
    fn dispatch(&mut self, op: &mut Op, process: &ResultProcess, kernel: u64, halved: bool) {
        let symbol = process.symbols.get(&kernel);
        self.report.add(Quirk::UnknownKernel, u64::from(symbol.is_none()));
        self.report.add(Quirk::Serialised, u64::from(process.counted));
        let no_lds = op.provenance.of(Field::SharedMemory) == Origin::Assumed;
        self.report.add(Quirk::NoSharedMemory, u64::from(no_lds));
        let unknown = || format!("kernel {kernel}");
        op.kernel = self.names.number(&symbol.map_or_else(unknown, |symbol| symbol.name.clone()));
        op.footprint.sgprs_per_wave = symbol.map_or(0, |symbol| symbol.sgprs);
        let registers = symbol.and_then(|symbol| symbol.registers.budget(halved));
        op.provenance = op.provenance.with(Field::Registers, Origin::Joined);
        op.set_registers(registers);
        self.report.add(Quirk::HalvedRegisters, u64::from(halved && registers.is_some()));
    }

    /// Lets the op arrive when the call began that caused it, or the call around that one.
    fn join(&mut self, op: &mut Op, process: &ResultProcess, correlation: Correlation) {
        let find = |wanted: u64| {
            let at = process.calls.binary_search_by_key(&wanted, |call| call.correlation);
            at.ok().map(|at| process.calls[at])
        };
        if let Some(call) = find(correlation.internal).or_else(|| find(correlation.ancestor)) {
            op.set_arrival(call.start, Origin::Joined);
            let graph = process.graph_calls.contains(&call.name);
            self.report.add(Quirk::GraphLaunch, u64::from(graph));
        }
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
    let used = process.ops.iter().filter_map(|found| match found.work {
        RecordedWork::Dispatch { kernel, .. } => process.symbols.get(&kernel),
        RecordedWork::Copy { .. } => None,
    });
    are_halved(used.map(|symbol| symbol.registers))
}

fn copy_name(agents: &[ProfiledAgent], source: u64, target: u64) -> &'static str {
    let is_gpu = |handle: u64| {
        agents.iter().find(|agent| agent.handle == handle).map(|agent| agent.gpu.is_some())
    };
    match (is_gpu(source), is_gpu(target)) {
        (Some(false), Some(true)) => "MEMORY_COPY_HOST_TO_DEVICE",
        (Some(true), Some(false)) => "MEMORY_COPY_DEVICE_TO_HOST",
        (Some(true), Some(true)) => "MEMORY_COPY_DEVICE_TO_DEVICE",
        (Some(false), Some(false)) => "MEMORY_COPY_HOST_TO_HOST",
        _ => "MEMORY_COPY",
    }
}
