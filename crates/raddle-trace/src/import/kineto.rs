//! What do the traces of the PyTorch profiler (Kineto) say about the work of an NVIDIA GPU?
//!
//! All versions from 2020 to 2026. Times are decimal microseconds and are read exactly; an op's
//! arrival is the start of the launch call with the same correlation number. Nothing but figures
//! and kernel names leaves a trace: no paths, hosts, users or process groups.

mod collect;
mod device;
mod event;
mod shape;
mod walk;

use crate::assemble::{Draft, DraftOp, OP_LIMIT};
use crate::error::TraceError;
use crate::import::Source;
use crate::input::{Window, is_damage};
use crate::options::ImportOptions;
use crate::profile::{OpKind, SourceDevice};
use crate::provenance::{Field, Origin};
use crate::report::{ImportReport, Quirk};
use collect::{Call, Collector, Found};
use walk::Walk;

/// Imports a trace.
pub(super) fn import(source: Source<'_>, options: &ImportOptions) -> Result<Draft, TraceError> {
    let Source { file, reader, gzip, .. } = source;
    let mut window = Window::new(reader);
    let mut collector = Collector::new(options.barriers);
    let walk = walk::walk(&mut window, &mut collector);
    let at = window.position();
    if gzip {
        window.drain();
    }
    let failure = window.failure();
    if collector.overflowed() {
        return Err(TraceError::TooLarge { file, limit: OP_LIMIT as u64, what: "launches" });
    }
    if let Some(cause) = failure {
        if !is_damage(&cause) {
            return Err(TraceError::Unreadable { file, cause });
        }
        if collector.kernels_seen == 0 && gzip {
            return Err(TraceError::TruncatedGzip { file });
        }
        if !walk.truncated {
            collector.report.note(Quirk::Damaged);
        }
    }
    note_walk(&walk, &mut collector.report);
    if let Some(error) = unusable(&file, &walk, &collector, at) {
        return Err(error);
    }
    let device = choose_device(&file, &collector, options.device)?;
    Ok(draft(collector, device))
}

fn note_walk(walk: &Walk, report: &mut ImportReport) {
    report.add(Quirk::Truncated, u64::from(walk.truncated));
    report.add(Quirk::Damaged, u64::from(walk.broken_at.is_some()));
    report.add(Quirk::LostEvents, walk.lost);
    report.add(Quirk::Malformed, walk.strange);
}

/// Why nothing can come of this file, if so.
fn unusable(file: &str, walk: &Walk, found: &Collector, at: u64) -> Option<TraceError> {
    let file = file.to_owned();
    if found.is_amd() {
        let (kernels, shapeless) = (found.kernels_seen, found.report.count(Quirk::NoShape));
        return Some(TraceError::AmdKineto { file, kernels, shapeless });
    }
    if found.kernels_seen > 0 {
        let kept = found.ops.iter().any(|op| op.draft.kind == OpKind::Kernel);
        let reasons = [Quirk::Malformed, Quirk::NoShape, Quirk::ShapeOverflow].into_iter();
        let reasons: Vec<_> = reasons
            .map(|quirk| (found.report.count(quirk), quirk.name()))
            .filter(|&(n, _)| n > 0)
            .map(|(n, name)| format!("{n} {name}"))
            .collect();
        let (kernels, reasons) = (found.kernels_seen, reasons.join(", "));
        return (!kept).then_some(TraceError::NothingUsable { file, kernels, reasons });
    }
    if let Some(byte) = walk.broken_at {
        return Some(TraceError::NotJson { file, byte });
    }
    if walk.truncated && !walk.has_events {
        return Some(TraceError::NotJson { file, byte: at });
    }
    if !walk.has_events && !walk.keys.iter().any(|key| key == "traceEvents") {
        let saw = format!("the keys {}", listed(walk.keys.iter().map(String::as_str)));
        return Some(TraceError::OtherJson { file, saw });
    }
    if found.categories.is_empty() && found.report.events == 0 && walk.strange > 0 {
        let saw = format!("an array of {} values that are no events", walk.strange);
        return Some(TraceError::OtherJson { file, saw });
    }
    if walk.truncated {
        return Some(TraceError::BreaksOff { file, byte: at });
    }
    let categories = match found.categories.is_empty() {
        true => "it holds no events at all".to_owned(),
        false => format!("only {}", listed(found.categories.keys().map(String::as_str))),
    };
    Some(TraceError::NoKernels { file, categories })
}

fn listed<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let words: Vec<_> = words.map(|word| format!("`{}`", word.escape_debug())).collect();
    if words.is_empty() { "nothing".to_owned() } else { words.join(", ") }
}

/// The device whose work is kept: the one asked for, or the one with the most kernels.
fn choose_device(
    file: &str,
    found: &Collector,
    wanted: Option<u32>,
) -> Result<Option<u64>, TraceError> {
    let most = found.kernels_of.iter().max_by_key(|&(&id, &n)| (n, std::cmp::Reverse(id)));
    let Some(wanted) = wanted else {
        return Ok(most.and_then(|(&id, _)| id));
    };
    let id = Some(u64::from(wanted));
    if found.kernels_of.contains_key(&id) {
        return Ok(id);
    }
    let seen: Vec<_> = found
        .kernels_of
        .keys()
        .map(|id| id.map_or("an unnamed device".to_owned(), |id| format!("device {id}")))
        .collect();
    let (file, seen) = (file.to_owned(), seen.join(", "));
    Err(TraceError::NoSuchDevice { file, wanted, seen })
}

/// The work of one device, with arrivals joined.
fn draft(found: Collector, device: Option<u64>) -> Draft {
    let Collector { ops, mut calls, names, streams, devices, mut report, fine, .. } = found;
    sort_calls(&mut calls, &mut report);
    let source = source_device(devices, device, &mut report);
    let all = ops.len();
    let ops: Vec<DraftOp> = ops
        .into_iter()
        .filter(|op| op.device == device)
        .map(|op| join(op, &calls, &mut report))
        .collect();
    report.add(Quirk::OtherDevice, (all - ops.len()) as u64);
    Draft {
        ops,
        kernels: names.into_items(),
        streams: streams.into_items(),
        device: source,
        resolution_ns: if fine { 1 } else { 1000 },
        report,
    }
}

/// Orders launch calls by correlation, the earliest of equal ones alone.
fn sort_calls(calls: &mut Vec<Call>, report: &mut ImportReport) {
    let all = calls.len();
    calls.sort_unstable_by_key(|call| (call.correlation, call.start, call.graph));
    calls.dedup_by_key(|call| call.correlation);
    report.add(Quirk::RepeatedCorrelation, (all - calls.len()) as u64);
}

fn join(op: Found, calls: &[Call], report: &mut ImportReport) -> DraftOp {
    let mut draft = op.draft;
    let Some(correlation) = op.correlation else {
        return draft;
    };
    if let Ok(at) = calls.binary_search_by_key(&correlation, |call| call.correlation) {
        draft.arrival = Some(calls[at].start);
        draft.provenance = draft.provenance.with(Field::Arrival, Origin::Joined);
        report.add(Quirk::GraphLaunch, u64::from(calls[at].graph));
    }
    draft
}

fn source_device(
    devices: Vec<(Option<u64>, SourceDevice)>,
    id: Option<u64>,
    report: &mut ImportReport,
) -> Option<SourceDevice> {
    if devices.is_empty() {
        report.note(Quirk::NoDevice);
        return None;
    }
    let at = devices.iter().position(|(number, _)| number.is_some() && *number == id);
    if at.is_none() {
        report.note(Quirk::DeviceNotListed);
    }
    devices.into_iter().nth(at.unwrap_or(0)).map(|(_, device)| device)
}
