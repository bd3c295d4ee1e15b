//! How do the records of a rocprofv3 result become ops with kernel, stream and time of issue?

use super::agent::ProfiledAgent;
use super::collect::{RecordedOp, RecordedPlace, ResultCollector, ResultProcess};
use super::records::Correlation;
use crate::assemble::waits::DraftWait;
use crate::assemble::{Draft, Interner, sort_in_place};
use crate::import::calls::sort_calls;
use crate::import::rocprof::CLOCK_NS;
use crate::import::rocprof::lanes::{RocprofLanes, jitter};
use crate::import::rocprof::registers::{are_halved, is_unified};
use crate::profile::{Op, OpKind, SourceDevice};
use crate::provenance::{Field, Origin};
use crate::report::{ImportReport, Quirk};
use crate::work::DraftWorks;

/// Builds the profile's records from the ops of the device with the handle `device`.
pub(super) fn draft(found: ResultCollector, device: u64) -> Draft {
    let ResultCollector { mut processes, mut report, .. } = found;
    let source = source_device(&processes, device, &mut report);
    for process in &mut processes {
        keep(process, device, &mut report);
    }
    let places = processes.iter().map(|process| (process, process.places.items()));
    let places = places.flat_map(|(process, places)| {
        let dispatches = process.ops.iter().filter(|found| found.op.kind == OpKind::Kernel);
        dispatches.filter_map(move |found| match places[found.op.stream as usize] {
            RecordedPlace::Dispatch { place, .. } => Some(*place),
            RecordedPlace::Copy { .. } => None,
        })
    });
    let lanes = RocprofLanes::decide(places, &mut report);
    let names = Interner::default();
    let mut maker = OpMaker { lanes, names, report, ops: Vec::new(), waits: Vec::new() };
    let arch = source.as_ref().map_or("", |source| &source.arch);
    let working = processes.iter().filter(|process| !process.ops.is_empty()).count();
    for (process, number) in processes.into_iter().zip(0u32..) {
        maker.process(process, number, arch, working == 1);
    }
    let OpMaker { lanes, names, mut report, ops, waits } = maker;
    report.add(Quirk::ClockJitter, jitter(&ops));
    Draft {
        ops,
        kernels: names.into_items().into_iter().map(|(name, _)| name).collect(),
        streams: lanes.into_labels(),
        device: source,
        between_ns: None,
        memory_bytes: None,
        resolution_ns: CLOCK_NS,
        waits,
        works: DraftWorks::default(),
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

/// Removes from a process the ops of devices other than the one with the handle `device`. A copy is
/// kept if it reads from or writes to that device.
fn keep(process: &mut ResultProcess, device: u64, report: &mut ImportReport) {
    let all = process.ops.len();
    let places = process.places.items();
    process.ops.retain(|found| match *places[found.op.stream as usize] {
        RecordedPlace::Dispatch { agent, .. } => agent == device,
        RecordedPlace::Copy { source, target, .. } => {
            [source, target] == [0, 0] || [source, target].contains(&device)
        }
    });
    report.add(Quirk::OtherDevice, (all - process.ops.len()) as u64);
}

/// The builder of a profile's ops from a rocprofv3 result, process by process.
struct OpMaker {
    lanes: RocprofLanes,
    /// Names of kernels, each as (name, number of its code object): kernels of one name may differ.
    names: Interner<(String, u64)>,
    report: ImportReport,
    ops: Vec<Op>,
    waits: Vec<DraftWait>,
}

impl OpMaker {
    /// Adds the ops of the process with the index `number`, whose GPU has the instruction set
    /// `arch`. Its waits are added only if `alone` is true: no other process has work. With several
    /// processes the file does not show for whose work a call waits.
    fn process(&mut self, mut process: ResultProcess, number: u32, arch: &str, alone: bool) {
        process.wait();
        sort_calls(&mut process.calls, |call| call.correlation, &mut self.report);
        let mut ops = core::mem::take(&mut process.ops);
        sort_in_place(&mut ops, |found| u64::from(found.op.kind != OpKind::Kernel));
        let kernels = core::mem::take(&mut process.kernels).into_items();
        let halved = is_halved(&process, &ops, &kernels, arch);
        let places = core::mem::take(&mut process.places).into_items();
        for RecordedOp { op } in &mut ops {
            match places[op.stream as usize] {
                RecordedPlace::Dispatch { place, .. } => {
                    op.stream = self.lanes.of(place);
                    let kernel = kernels[op.kernel as usize];
                    self.dispatch(op, &process, kernel, halved);
                }
                RecordedPlace::Copy { source, target, stream } => {
                    let name = copy_name(&process.agents, source, target);
                    op.kernel = self.names.number(&(name.to_owned(), 0));
                    op.stream = self.lanes.of_copy(number, stream, name);
                }
            }
        }
        if alone {
            let ties = ops
                .iter()
                .map(|found| (Some(found.correlation().internal).filter(|&tie| tie > 0), found.op));
            let waits = core::mem::take(&mut process.waits);
            self.waits = waits.draft(std::iter::empty(), ties);
        }
        // Collecting from `into_iter` reuses the memory of the list that was read.
        let ops = ops.into_iter().map(|found| {
            let mut op = found.untied();
            self.join(&mut op, &process, found.correlation());
            op
        });
        let ops: Vec<Op> = ops.collect();
        match self.ops.is_empty() {
            true => self.ops = ops,
            false => self.ops.extend(ops),
        }
    }

    /// Sets the name and the registers of a dispatch (launch of a kernel) from the description of
    /// its kernel, whose number is `kernel`. `halved` is true where the profiler counted half of
    /// the registers.
    fn dispatch(&mut self, op: &mut Op, process: &ResultProcess, kernel: u64, halved: bool) {
        let symbol = process.symbols.get(&kernel);
        self.report.add(Quirk::UnknownKernel, u64::from(symbol.is_none()));
        self.report.add(Quirk::Serialised, u64::from(process.counted));
        let no_lds = op.provenance.of(Field::SharedMemory) == Origin::Assumed;
        self.report.add(Quirk::NoSharedMemory, u64::from(no_lds));
        let unknown = || (format!("kernel {kernel}"), 0);
        let known = symbol.map(|symbol| (symbol.name.clone(), symbol.code_object));
        op.kernel = self.names.number(&known.unwrap_or_else(unknown));
        op.footprint.sgprs_per_wave = symbol.map_or(0, |symbol| symbol.sgprs);
        let registers = symbol.and_then(|symbol| symbol.registers.budget(halved));
        op.provenance = op.provenance.with(Field::Registers, Origin::Joined);
        op.set_registers(registers);
        self.report.add(Quirk::HalvedRegisters, u64::from(halved && registers.is_some()));
    }

    /// Sets the time at which the host issued an op to the begin of the call that caused it. Where
    /// the file lacks that call, the begin of the call within which it was made is taken.
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

/// Returns whether the profiler counted only half of the registers, as it does where it does not
/// know the instruction set `arch`. Looks at the kernels that ran, or at all kernels if every GPU
/// of the process has one register file for both kinds of registers.
fn is_halved(process: &ResultProcess, ops: &[RecordedOp], kernels: &[u64], arch: &str) -> bool {
    if !is_unified(arch) {
        return false;
    }
    let mut gpus = process.agents.iter().filter_map(|agent| agent.gpu.as_ref());
    if gpus.all(|gpu| is_unified(&gpu.arch)) {
        return are_halved(process.symbols.values().map(|symbol| symbol.registers));
    }
    let used = ops.iter().filter(|found| found.op.kind == OpKind::Kernel);
    let used = used.filter_map(|found| process.symbols.get(&kernels[found.op.kernel as usize]));
    are_halved(used.map(|symbol| symbol.registers))
}

fn copy_name(agents: &[ProfiledAgent], source: u64, target: u64) -> &'static str {
    let is_gpu = |handle: u64| {
        agents.iter().find(|agent| agent.handle == handle).map(|agent| agent.gpu.is_some())
    };
    match (is_gpu(source), is_gpu(target)) {
        (Some(false), Some(true)) => "MEMORY_COPY_HOST_TO_DEVICE",
        (Some(true), Some(false)) => "MEMORY_COPY_DEVICE_TO_HOST",
        // The tool has no name of its own for a copy to a peer.
        (Some(true), Some(true)) if source != target => "MEMORY_COPY_PEER_TO_PEER",
        (Some(true), Some(true)) => "MEMORY_COPY_DEVICE_TO_DEVICE",
        (Some(false), Some(false)) => "MEMORY_COPY_HOST_TO_HOST",
        _ => "MEMORY_COPY",
    }
}
