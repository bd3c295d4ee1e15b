//! What do the records of a result say, process by process?

use std::collections::{BTreeMap, BTreeSet};

use super::agent::Agent;
use super::records::{
    Correlation, RawAgent, RawCall, RawCopy, RawDispatch, RawKind, RawSymbol, read,
};
use super::walk::{Section, Sink};
use crate::assemble::OP_LIMIT;
use crate::import::rocprof::kernel_name;
use crate::import::rocprof::lanes::Place;
use crate::import::rocprof::registers::Registers;
use crate::import::rocprof::shape::{Shape, shape};
use crate::report::{ImportReport, Quirk};

/// When a record's work ran, and which call caused it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub(super) start: i64,
    pub(super) duration: u64,
    pub(super) correlation: Correlation,
}

/// A dispatch, before its kernel, arrival and lane are known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dispatch {
    pub(super) span: Span,
    pub(super) agent: u64,
    pub(super) place: Place,
    pub(super) kernel: u64,
    pub(super) shape: Shape,
    pub(super) lds: Option<u32>,
}

/// A copy, before its arrival and lane are known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Copy {
    pub(super) span: Span,
    pub(super) source: u64,
    pub(super) target: u64,
    pub(super) stream: Option<u64>,
}

/// A call of the HIP runtime.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    pub(super) correlation: u64,
    pub(super) start: i64,
    /// Its kind and its operation.
    pub(super) name: (u32, u32),
}

/// A kernel.
#[derive(Debug)]
pub(super) struct Symbol {
    pub(super) name: String,
    pub(super) registers: Registers,
    pub(super) sgprs: u32,
}

/// Everything of interest of one process.
#[derive(Debug, Default)]
pub(super) struct Process {
    pub(super) agents: Vec<Agent>,
    pub(super) symbols: BTreeMap<u64, Symbol>,
    pub(super) dispatches: Vec<Dispatch>,
    pub(super) copies: Vec<Copy>,
    pub(super) calls: Vec<Call>,
    /// Kinds and operations of calls that launch a graph.
    pub(super) graph_calls: BTreeSet<(u32, u32)>,
    /// Whether counters were read, which the tool does kernel by kernel.
    pub(super) counted: bool,
    kinds: u32,
}

/// Everything of interest in the records so far.
#[derive(Debug, Default)]
pub(super) struct Collector {
    pub(super) processes: Vec<Process>,
    pub(super) report: ImportReport,
    /// Records of dispatches, also those left out.
    pub(super) dispatches_seen: u64,
    kept: usize,
}

impl Collector {
    /// Whether there is more than can be taken.
    pub(super) fn overflowed(&self) -> bool {
        self.kept > OP_LIMIT
    }

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
        self.current().dispatches.push(Dispatch {
            span,
            agent: info.agent_id.handle,
            place: Place { process, queue: info.queue_id.handle, stream },
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
        self.current().copies.push(Copy { span, source, target, stream });
    }

    fn call(&mut self, raw: &RawCall) {
        self.report.events += 1;
        let correlation = raw.correlation_id.internal;
        match i64::try_from(raw.start_timestamp) {
            Ok(start) if start > 0 && correlation > 0 => {
                self.kept += 1;
                let name = (raw.kind, raw.operation);
                self.current().calls.push(Call { correlation, start, name });
            }
            _ => self.report.note(Quirk::Malformed),
        }
    }

    fn symbol(&mut self, raw: &RawSymbol<'_>) {
        // The tool writes 0 as the name of what it has no name for.
        let formatted = Some(&*raw.formatted_kernel_name).filter(|name| !matches!(*name, "" | "0"));
        let name = formatted.unwrap_or_else(|| kernel_name(&raw.kernel_name)).to_owned();
        let registers = Registers { arch: raw.arch_vgpr_count, accum: raw.accum_vgpr_count };
        let symbol = Symbol { name, registers, sgprs: raw.sgpr_count };
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
    fn current(&mut self) -> &mut Process {
        if self.processes.is_empty() {
            self.processes.push(Process::default());
        }
        self.processes.last_mut().expect("one was put in where there was none")
    }

    fn take(&mut self, section: Section, text: &[u8]) -> Option<usize> {
        Some(match section {
            Section::Dispatches => {
                let (raw, len) = read::<RawDispatch>(text)?;
                self.dispatch(&raw);
                len
            }
            Section::Copies => {
                let (raw, len) = read::<RawCopy>(text)?;
                self.copy(&raw);
                len
            }
            Section::Calls => {
                let (raw, len) = read::<RawCall>(text)?;
                self.call(&raw);
                len
            }
            Section::Symbols => {
                let (raw, len) = read::<RawSymbol<'_>>(text)?;
                self.symbol(&raw);
                len
            }
            Section::Kinds => {
                let (raw, len) = read::<RawKind<'_>>(text)?;
                self.kind(&raw);
                len
            }
            Section::Agents => {
                let (raw, len) = read::<RawAgent<'_>>(text)?;
                self.current().agents.push(Agent::of(&raw));
                len
            }
            Section::Counters => {
                let (_, len) = read::<serde::de::IgnoredAny>(text)?;
                self.current().counted = true;
                len
            }
        })
    }
}

impl Sink for Collector {
    fn process(&mut self) {
        self.processes.push(Process::default());
    }

    fn record(&mut self, section: Section, text: &[u8]) -> Option<usize> {
        self.take(section, text)
    }

    fn odd_record(&mut self, section: Section, text: &[u8]) {
        if std::str::from_utf8(text).is_err() {
            self.report.note(Quirk::NotUtf8);
            let lossy = String::from_utf8_lossy(text);
            if self.take(section, lossy.as_bytes()).is_some() {
                return;
            }
        }
        self.dispatches_seen += u64::from(section == Section::Dispatches);
        self.report.events += 1;
        self.report.note(Quirk::Malformed);
    }

    fn full(&self) -> bool {
        self.overflowed()
    }
}

/// Start and duration; `None` where the tool had no times (it writes 0) or they run backwards.
fn span(start: u64, end: u64, correlation: Correlation) -> Option<Span> {
    let duration = end.checked_sub(start)?;
    i64::try_from(end).ok()?;
    let start = i64::try_from(start).ok().filter(|&start| start > 0)?;
    Some(Span { start, duration, correlation })
}
