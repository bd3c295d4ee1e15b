//! What do the records of a rocprofv3 result say, process by process?

use std::collections::{BTreeMap, BTreeSet};

use raddle_policy::Activity;
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::agent::ProfiledAgent;
use super::records::{Correlation, RawAgent, RawKind, RawRecord, RawSymbol};
use crate::assemble::{Interner, push};
use crate::config::BarrierRule;
use crate::error::TraceError;
use crate::import::blocking::Blocking;
use crate::import::device_side::{amd, is_launch, not_recorded};
use crate::import::document::RecordSink;
use crate::import::kineto::waits::KinetoWaits;
use crate::import::rocprof::kernel_name;
use crate::import::rocprof::lanes::QueuePlace;
use crate::import::rocprof::launch::{set_launch, timed};
use crate::import::rocprof::registers::Registers;
use crate::profile::{Op, OpKind};
use crate::report::{ImportReport, Quirk};

/// An op (kernel or copy) before its name, its stream and the time of its issue are known. Its
/// `stream` is an index in [`ResultProcess::places`], the name of a kernel an index in
/// [`ResultProcess::kernels`].
///
/// As there may be millions of ops, two fields of `Op` that are not needed yet hold the numbers of
/// the calls that caused the op: `arrival_ns` and `activity`.
#[derive(Clone, Copy, Debug)]
pub(super) struct RecordedOp {
    pub(super) op: Op,
}

impl RecordedOp {
    fn new(op: Op, tie: Correlation) -> Self {
        let [high, low] = [(tie.ancestor >> 32) as u32, tie.ancestor as u32];
        let activity = Activity([high, low, 0, 0, 0, 0]);
        Self { op: Op { arrival_ns: tie.internal, activity, ..op } }
    }

    /// Returns two correlation numbers: of the call that caused the op, and of the call within
    /// which that call was made.
    pub(super) fn correlation(&self) -> Correlation {
        let [high, low, ..] = self.op.activity.0.map(u64::from);
        Correlation { internal: self.op.arrival_ns, ancestor: high << 32 | low }
    }

    /// Returns the op without the correlation numbers that were kept in unused fields of it.
    pub(super) fn untied(&self) -> Op {
        Op { arrival_ns: 0, activity: Activity::UNKNOWN, ..self.op }
    }
}

/// Kind of an op, and the GPUs and the queue that it used, by the numbers of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum RecordedPlace {
    /// A launch of a kernel on the GPU with the number `agent`, in a queue.
    Dispatch { agent: u64, place: QueuePlace },
    /// A copy between GPUs or host processors; `stream` is `None` where the file gives none.
    Copy { source: u64, target: u64, stream: Option<u64> },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct HipCall {
    pub(super) correlation: u64,
    pub(super) start: i64,
    /// End of the call, in nanoseconds; a time before its start if the end is unknown.
    end: i64,
    /// Name of the call, as (number of its kind, number of its operation).
    pub(super) name: (u32, u32),
}

/// A kernel, as the file describes it: its name, code object and registers.
#[derive(Debug)]
pub(super) struct KernelSymbol {
    pub(super) name: String,
    pub(super) code_object: u64,
    pub(super) registers: Registers,
    pub(super) sgprs: u32,
}

/// Parts of a rocprofv3 result that are read, each an array of the JSON document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::import::rocprof) enum ResultSection {
    /// Processes of the result, under `rocprofiler-sdk-tool`.
    Processes,
    /// Processors and GPUs of a process, under `agents`.
    Agents,
    /// Descriptions of kernels, under `kernel_symbols`.
    Symbols,
    /// Names of the calls' kinds and operations, under `strings.buffer_records`.
    Kinds,
    /// Launches of kernels, under `buffer_records.kernel_dispatch`.
    Dispatches,
    /// Copies of memory, under `buffer_records.memory_copy`.
    Copies,
    /// Calls of the HIP runtime, under `buffer_records.hip_api`.
    Calls,
    /// Values of hardware counters, under `callback_records.counter_collection`.
    Counters,
}

/// Records of one process of a rocprofv3 result.
#[derive(Debug, Default)]
pub(in crate::import::rocprof) struct ResultProcess {
    pub(super) agents: Vec<ProfiledAgent>,
    pub(super) symbols: BTreeMap<u64, KernelSymbol>,
    pub(super) ops: Vec<RecordedOp>,
    pub(super) places: Interner<RecordedPlace>,
    /// Numbers that the file gives to kernels, in order of first use; ops refer to kernels by index
    /// in this list.
    pub(super) kernels: Interner<u64>,
    pub(super) calls: Vec<HipCall>,
    pub(super) waits: KinetoWaits,
    /// Names of calls that launch a graph, as (number of the kind, number of the operation).
    pub(in crate::import::rocprof) graph_calls: BTreeSet<(u32, u32)>,
    /// Names of calls that launch a kernel or a graph, as (number of the kind, number of the
    /// operation).
    launch_calls: BTreeSet<(u32, u32)>,
    /// Names of calls that may wait, as (number of the kind, number of the operation), with the
    /// work that each waits for.
    pub(in crate::import::rocprof) blocking_calls: BTreeMap<(u32, u32), Blocking>,
    /// True if hardware counters were read; the profiler then runs kernels one at a time.
    pub(in crate::import::rocprof) counted: bool,
    kinds: u32,
}

impl ResultProcess {
    /// Stores whether calls of the name `name` launch work or may wait. Records give the name as
    /// the pair `call`, (number of its kind, number of its operation).
    pub(in crate::import::rocprof) fn name_call(&mut self, name: &str, call: (u32, u32)) {
        if name.starts_with("hip") {
            self.graph_calls.extend(name.contains("GraphLaunch").then_some(call));
            self.blocking_calls.extend(Blocking::of(name).map(|blocking| (call, blocking)));
            self.launch_calls.extend(is_launch(name).then_some(call));
        }
    }

    /// Adds the calls of the process that may have waited to the process's list of waits. The file
    /// may give the names of calls after the calls, so this runs once all records are read.
    pub(super) fn wait(&mut self) {
        for call in self.calls.iter().filter(|call| call.start <= call.end) {
            if let Some(&blocking) = self.blocking_calls.get(&call.name) {
                self.waits.add(blocking, (call.start, call.end), Some(call.correlation));
            }
        }
    }
}

/// Reader of a rocprofv3 result, with the records that it has found so far.
#[derive(Debug, Default)]
pub(in crate::import::rocprof) struct ResultCollector {
    pub(in crate::import::rocprof) processes: Vec<ResultProcess>,
    pub(in crate::import::rocprof) report: ImportReport,
    /// Number of records of dispatches (launches of kernels), including those that were left out.
    pub(in crate::import::rocprof) dispatches_seen: u64,
    pub(in crate::import::rocprof) barriers: BarrierRule,
    pub(in crate::import::rocprof) kept: usize,
}

impl ResultCollector {
    pub(in crate::import::rocprof) fn has_kernels(&self) -> bool {
        let mut ops = self.processes.iter().flat_map(|process| &process.ops);
        ops.any(|found| found.op.kind == OpKind::Kernel)
    }

    /// Returns the error that says why a completely read result has no kernel that can be used.
    pub(in crate::import::rocprof) fn unusable(&self, file: String) -> TraceError {
        if self.dispatches_seen > 0 {
            let reasons = self.report.reasons(&[Quirk::Malformed]);
            return TraceError::NothingUsable { file, kernels: self.dispatches_seen, reasons };
        }
        let all = |count: fn(&ResultProcess) -> usize| -> usize {
            self.processes.iter().map(count).sum()
        };
        let launches = all(|process| {
            let launches = |call: &&HipCall| process.launch_calls.contains(&call.name);
            process.calls.iter().filter(launches).count()
        });
        if launches > 0 {
            return not_recorded(file, launches as u64, amd(false));
        }
        let calls = all(|process| process.calls.len());
        let named = self.processes.iter().any(|process| process.kinds > 0);
        let names = if calls > 0 && !named { ", which the file does not name" } else { "" };
        let copies = all(|process| process.ops.len());
        let saw = format!("{calls} calls of HIP{names}, {copies} copies");
        TraceError::NoDispatches { file, saw }
    }

    /// Adds a dispatch (launch of a kernel) or a copy to the process whose records are read.
    ///
    /// # Errors
    /// The quirk (fault) for which the record is left out.
    fn op(&mut self, raw: &RawRecord, kind: OpKind) -> Result<(), Quirk> {
        let op = timed(kind, raw.start_timestamp, raw.end_timestamp);
        let mut op = op.ok_or(Quirk::Malformed)?;
        let stream = raw.stream_id.map(|id| id.handle);
        let place = if kind == OpKind::Copy {
            let (source, target) = (raw.src_agent_id.handle, raw.dst_agent_id.handle);
            RecordedPlace::Copy { source, target, stream }
        } else {
            let info = raw.dispatch_info.as_ref().ok_or(Quirk::Malformed)?;
            let shape = [info.grid_size.into(), info.workgroup_size.into()];
            set_launch(&mut op, shape, info.group_segment_size, self.barriers);
            let (process, queue) = (self.number(), info.queue_id.handle);
            let place = QueuePlace { process, queue, stream };
            op.kernel = self.current().kernels.number(&info.kernel_id);
            RecordedPlace::Dispatch { agent: info.agent_id.handle, place }
        };
        let process = self.current();
        op.stream = process.places.number(&place);
        push(&mut process.ops, RecordedOp::new(op, raw.correlation_id));
        Ok(())
    }

    fn call(&mut self, raw: &RawRecord) -> Result<(), Quirk> {
        let correlation = raw.correlation_id.internal;
        let start = i64::try_from(raw.start_timestamp).ok();
        let start = start.filter(|&start| start > 0 && correlation > 0).ok_or(Quirk::Malformed)?;
        let end = i64::try_from(raw.end_timestamp).unwrap_or(0);
        let name = (raw.kind, raw.operation);
        push(&mut self.current().calls, HipCall { correlation, start, end, name });
        Ok(())
    }

    /// Reads a record of a call, a copy or a dispatch; the import report counts unusable ones.
    pub(in crate::import::rocprof) fn buffered(&mut self, raw: &RawRecord, section: ResultSection) {
        self.report.events += 1;
        let taken = match section {
            ResultSection::Calls => self.call(raw),
            ResultSection::Copies => self.op(raw, OpKind::Copy),
            _ => {
                self.dispatches_seen += 1;
                self.op(raw, OpKind::Kernel)
            }
        };
        match taken {
            Ok(()) => self.kept += 1,
            Err(_) if section == ResultSection::Dispatches => self.report.leave_out(),
            Err(quirk) => self.report.note(quirk),
        }
    }

    /// Adds the description of a kernel to the process whose records are read.
    pub(in crate::import::rocprof) fn symbol(&mut self, raw: &RawSymbol<'_>) {
        // The tool writes 0 for a name that it does not know.
        let formatted = Some(&*raw.formatted_kernel_name).filter(|name| !matches!(*name, "" | "0"));
        let name = formatted.unwrap_or_else(|| kernel_name(&raw.kernel_name)).to_owned();
        let registers = Registers { arch: raw.arch_vgpr_count, accum: raw.accum_vgpr_count };
        let (code_object, sgprs) = (raw.code_object_id, raw.sgpr_count);
        let symbol = KernelSymbol { name, code_object, registers, sgprs };
        match raw.kernel_id {
            Some(kernel) => drop(self.current().symbols.insert(kernel, symbol)),
            None => self.malformed(ResultSection::Symbols),
        }
    }

    /// Adds the description of a processor or GPU to the process whose records are read.
    pub(in crate::import::rocprof) fn agent(&mut self, raw: &RawAgent<'_>) {
        self.current().agents.push(ProfiledAgent::of(raw));
    }

    fn kind(&mut self, raw: &RawKind<'_>) {
        let process = self.current();
        let kind = process.kinds;
        process.kinds = kind.saturating_add(1);
        for (name, operation) in raw.operations.iter().zip(0u32..) {
            process.name_call(name, (kind, operation));
        }
    }

    fn number(&self) -> u32 {
        u32::try_from(self.processes.len().saturating_sub(1)).unwrap_or(u32::MAX)
    }

    /// Returns the process whose records are being read.
    pub(in crate::import::rocprof) fn current(&mut self) -> &mut ResultProcess {
        if self.processes.is_empty() {
            self.processes.push(ResultProcess::default());
        }
        self.processes.last_mut().expect("one was put in where there was none")
    }
}

impl RecordSink for ResultCollector {
    type Section = ResultSection;

    const RECORDS: &'static str = "records";

    fn begin(&mut self, section: ResultSection) {
        if section == ResultSection::Processes {
            self.processes.push(ResultProcess::default());
        }
    }

    fn record(&mut self, section: ResultSection, text: &[u8]) -> serde_json::Result<usize> {
        match section {
            ResultSection::Processes => read(text, |IgnoredAny| ()),
            ResultSection::Dispatches | ResultSection::Copies | ResultSection::Calls => {
                read(text, |raw: RawRecord| self.buffered(&raw, section))
            }
            ResultSection::Symbols => read(text, |raw: RawSymbol<'_>| self.symbol(&raw)),
            ResultSection::Kinds => read(text, |raw: RawKind<'_>| self.kind(&raw)),
            ResultSection::Agents => read(text, |raw: RawAgent<'_>| self.agent(&raw)),
            ResultSection::Counters => read(text, |IgnoredAny| self.current().counted = true),
        }
    }

    fn malformed(&mut self, section: ResultSection) {
        self.report.events += 1;
        if section == ResultSection::Dispatches {
            self.dispatches_seen += 1;
            self.report.leave_out();
        } else {
            self.report.note(Quirk::Malformed);
        }
    }

    fn first_key(_section: ResultSection) -> Option<&'static [u8]> {
        None
    }

    fn kept(&self) -> usize {
        self.kept
    }

    fn kernels_seen(&self) -> u64 {
        self.dispatches_seen
    }

    fn report(&mut self) -> &mut ImportReport {
        &mut self.report
    }
}

/// Parses the JSON record at the start of `text`, passes it to `take`, and returns the record's
/// length in bytes; the error means that there is no whole record.
fn read<'t, T: Deserialize<'t>>(text: &'t [u8], take: impl FnOnce(T)) -> serde_json::Result<usize> {
    let mut json = serde_json::Deserializer::from_slice(text);
    take(T::deserialize(&mut json)?);
    Ok(json.into_iter::<IgnoredAny>().byte_offset())
}
