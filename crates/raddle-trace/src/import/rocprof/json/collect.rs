//! What do the records of a result say, process by process?

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::agent::ProfiledAgent;
use super::records::{Correlation, RawAgent, RawCall, RawCopy, RawDispatch, RawKind, RawSymbol};
use crate::import::document::RecordSink;
use crate::import::rocprof::kernel_name;
use crate::import::rocprof::lanes::QueuePlace;
use crate::import::rocprof::registers::Registers;
use crate::import::rocprof::shape::{RocprofShape, shape};
use crate::report::{ImportReport, Quirk};

/// When a record's work ran, and which call caused it.
#[derive(Clone, Copy, Debug)]
pub(super) struct RecordSpan {
    pub(super) start: i64,
    pub(super) duration: u64,
    pub(super) correlation: Correlation,
}

/// A dispatch, before its kernel, arrival and lane are known.
#[derive(Clone, Copy, Debug)]
pub(super) struct RecordedDispatch {
    pub(super) span: RecordSpan,
    pub(super) agent: u64,
    pub(super) place: QueuePlace,
    pub(super) kernel: u64,
    pub(super) shape: RocprofShape,
    pub(super) lds: Option<u32>,
}

/// A copy, before its arrival and lane are known.
#[derive(Clone, Copy, Debug)]
pub(super) struct MemoryCopy {
    pub(super) span: RecordSpan,
    pub(super) source: u64,
    pub(super) target: u64,
    pub(super) stream: Option<u64>,
}

/// A call of the HIP runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct HipCall {
    pub(super) correlation: u64,
    pub(super) start: i64,
    /// Its kind and its operation.
    pub(super) name: (u32, u32),
}

/// A kernel.
#[derive(Debug)]
pub(super) struct KernelSymbol {
    pub(super) name: String,
    pub(super) registers: Registers,
    pub(super) sgprs: u32,
}

/// The arrays of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ResultSection {
    /// `rocprofiler-sdk-tool`
    Processes,
    /// `agents`
    Agents,
    /// `kernel_symbols`
    Symbols,
    /// `strings.buffer_records`
    Kinds,
    /// `buffer_records.kernel_dispatch`
    Dispatches,
    /// `buffer_records.memory_copy`
    Copies,
    /// `buffer_records.hip_api`
    Calls,
    /// `callback_records.counter_collection`
    Counters,
}

/// Everything of interest of one process.
#[derive(Debug, Default)]
pub(super) struct ResultProcess {
    pub(super) agents: Vec<ProfiledAgent>,
    pub(super) symbols: BTreeMap<u64, KernelSymbol>,
    pub(super) dispatches: Vec<RecordedDispatch>,
    pub(super) copies: Vec<MemoryCopy>,
    pub(super) calls: Vec<HipCall>,
    /// Kinds and operations of calls that launch a graph.
    pub(super) graph_calls: BTreeSet<(u32, u32)>,
    /// Whether counters were read, which the tool does kernel by kernel.
    pub(super) counted: bool,
    kinds: u32,
}

/// Everything of interest in the records so far.
#[derive(Debug, Default)]
pub(super) struct ResultCollector {
    pub(super) processes: Vec<ResultProcess>,
    pub(super) report: ImportReport,
    /// Records of dispatches, also those left out.
    pub(super) dispatches_seen: u64,
    kept: usize,
}

impl ResultCollector {
    fn dispatch(&mut self, raw: &RawDispatch) {
        self.report.events += 1;
        self.dispatches_seen += 1;
        let Some(span) = span(raw.start_timestamp, raw.end_timestamp, raw.correlation_id) else {
            self.report.note(Quirk::Malformed);
            return;
        };
        let info = &raw.dispatch_info;
        let Some(shape) = shape(info.grid_size.into(), info.workgroup_size.into()) else {
            self.report.note(Quirk::ShapeOverflow);
            return;
        };
        let (process, stream) = (self.number(), raw.stream_id.map(|id| id.handle));
        self.kept += 1;
        self.current().dispatches.push(RecordedDispatch {
            span,
            agent: info.agent_id.handle,
            place: QueuePlace { process, queue: info.queue_id.handle, stream },
            kernel: info.kernel_id,
            shape,
            lds: info.group_segment_size,
        });
    }

    fn copy(&mut self, raw: &RawCopy) {
        self.report.events += 1;
        let Some(span) = span(raw.start_timestamp, raw.end_timestamp, raw.correlation_id) else {
            self.report.note(Quirk::Malformed);
            return;
        };
        let (source, target) = (raw.src_agent_id.handle, raw.dst_agent_id.handle);
        let stream = raw.stream_id.map(|id| id.handle);
        self.kept += 1;
        self.current().copies.push(MemoryCopy { span, source, target, stream });
    }

    fn call(&mut self, raw: &RawCall) {
        self.report.events += 1;
        let correlation = raw.correlation_id.internal;
        match i64::try_from(raw.start_timestamp) {
            Ok(start) if start > 0 && correlation > 0 => {
                self.kept += 1;
                let name = (raw.kind, raw.operation);
                self.current().calls.push(HipCall { correlation, start, name });
            }
            _ => self.report.note(Quirk::Malformed),
        }
    }

    fn symbol(&mut self, raw: &RawSymbol<'_>) {
        // The tool writes 0 as the name of what it has no name for.
        let formatted = Some(&*raw.formatted_kernel_name).filter(|name| !matches!(*name, "" | "0"));
        let name = formatted.unwrap_or_else(|| kernel_name(&raw.kernel_name)).to_owned();
        let registers = Registers { arch: raw.arch_vgpr_count, accum: raw.accum_vgpr_count };
        let symbol = KernelSymbol { name, registers, sgprs: raw.sgpr_count };
        self.current().symbols.insert(raw.kernel_id, symbol);
    }

    fn kind(&mut self, raw: &RawKind<'_>) {
        let process = self.current();
        let kind = process.kinds;
        process.kinds = kind.saturating_add(1);
        let graphs = raw
            .operations
            .iter()
            .zip(0u32..)
            .filter(|(name, _)| name.starts_with("hip") && name.contains("GraphLaunch"));
        process.graph_calls.extend(graphs.map(|(_, operation)| (kind, operation)));
    }

    fn number(&self) -> u32 {
        u32::try_from(self.processes.len().saturating_sub(1)).unwrap_or(u32::MAX)
    }

    /// The process whose records come now.
    fn current(&mut self) -> &mut ResultProcess {
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
            ResultSection::Dispatches => read(text, |raw: RawDispatch| self.dispatch(&raw)),
            ResultSection::Copies => read(text, |raw: RawCopy| self.copy(&raw)),
            ResultSection::Calls => read(text, |raw: RawCall| self.call(&raw)),
            ResultSection::Symbols => read(text, |raw: RawSymbol<'_>| self.symbol(&raw)),
            ResultSection::Kinds => read(text, |raw: RawKind<'_>| self.kind(&raw)),
            ResultSection::Agents => {
                read(text, |raw: RawAgent<'_>| self.current().agents.push(ProfiledAgent::of(&raw)))
            }
            ResultSection::Counters => read(text, |IgnoredAny| self.current().counted = true),
        }
    }

    fn malformed(&mut self, section: ResultSection) {
        self.dispatches_seen += u64::from(section == ResultSection::Dispatches);
        self.report.events += 1;
        self.report.note(Quirk::Malformed);
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

/// Hands the record at the start of `text` to `take` and tells its length.
fn read<'t, T: Deserialize<'t>>(text: &'t [u8], take: impl FnOnce(T)) -> serde_json::Result<usize> {
    let mut json = serde_json::Deserializer::from_slice(text);
    take(T::deserialize(&mut json)?);
    Ok(json.into_iter::<IgnoredAny>().byte_offset())
}

/// Start and duration; `None` where the tool had no times (it writes 0) or they run backwards.
fn span(start: u64, end: u64, correlation: Correlation) -> Option<RecordSpan> {
    let duration = end.checked_sub(start)?;
    i64::try_from(end).ok()?;
    let start = i64::try_from(start).ok().filter(|&start| start > 0)?;
    Some(RecordSpan { start, duration, correlation })
}
