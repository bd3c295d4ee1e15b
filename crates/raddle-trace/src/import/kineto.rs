//! What do the traces of the PyTorch profiler (Kineto) say about the work of a GPU?
//!
//! All versions from 2020 to 2026 are read, of NVIDIA and AMD. Times are decimal microseconds and
//! are read exactly; the host issued an op when the call began that has the op's correlation
//! number. Of a trace only numbers and kernel names are kept: no paths, hosts, users or process
//! groups.

mod batch;
mod capture;
mod captured;
pub(super) mod collect;
mod device;
pub(super) mod event;
mod host_ops;
mod meaning;
mod memory;
pub(super) mod plain;
mod rocprof_v1;
pub(super) mod settle;
pub(super) mod shape;
mod tensors;
pub(super) mod waits;
mod work;

use crate::assemble::Draft;
use crate::config::ImportConfig;
use crate::error::{TraceError, shown};
use crate::format::ProfileFormat;
use crate::import::ImportSource;
use crate::import::device_side::{self, OtherWork};
use crate::import::document::{DocumentEnd, DocumentLayout, read_document};
use crate::import::known;
use crate::report::Quirk;
use collect::{KinetoCollector, TraceMaker, TraceSection};

/// Imports a trace of events in JSON: an object in which `traceEvents` may come anywhere, or the
/// bare array of events that the first versions of the profiler wrote. An error where no kernel in
/// it can be used.
pub(super) fn import(
    source: ImportSource<'_>,
    options: &ImportConfig,
) -> Result<(ProfileFormat, Draft), TraceError> {
    const EVENTS: DocumentLayout<TraceSection> = DocumentLayout::Records(TraceSection::Events);
    const TRACE: DocumentLayout<TraceSection> = DocumentLayout::Object(&[
        ("traceEvents", EVENTS),
        ("deviceProperties", DocumentLayout::Record(TraceSection::Devices)),
    ]);
    let file = source.file.clone();
    let mut found = KinetoCollector::default();
    found.wants_ranges = options.captures.is_some();
    found.wants_shapes = options.op_shapes;
    let layout = |first| if first == b'[' { EVENTS } else { TRACE };
    let end = read_document(source, layout, &mut found)?;
    if let Some((what, advice)) = found.foreign {
        return Err(TraceError::OtherFile { file, what: what.to_owned(), advice });
    }
    let draft = found.draft(&file, options)?;
    let format = match found.maker {
        TraceMaker::Kineto => ProfileFormat::Kineto,
        TraceMaker::Xla => ProfileFormat::XlaJson,
        TraceMaker::RocprofV1 => ProfileFormat::RocprofJson,
        TraceMaker::Rpd => ProfileFormat::Rpd,
    };
    let draft = draft.ok_or_else(|| unusable(file, &end, &found))?;
    Ok((format, draft))
}

/// Returns the error, with the reasons, for a trace of events none of whose kernels can be used.
fn unusable(file: String, end: &DocumentEnd, found: &KinetoCollector) -> TraceError {
    let kernels = found.kernels_seen;
    if kernels > 0 {
        let reasons = found.report.reasons(&[Quirk::Malformed]);
        return TraceError::NothingUsable { file, kernels, reasons };
    }
    if let Some(byte) = end.broken_at {
        return TraceError::NotJson { file, byte };
    }
    if end.truncated && !found.has_events {
        return TraceError::NotJson { file, byte: end.position };
    }
    if !found.has_events && !end.keys.iter().any(|key| key == "traceEvents") {
        if let Some(known) = known::by_keys(&end.keys) {
            return known.refuse(file);
        }
        let saw = match end.keys.len() {
            0 => "no keys".to_owned(),
            1 => "one key, and not `traceEvents`".to_owned(),
            more => format!("{more} keys, and not `traceEvents`"),
        };
        return TraceError::OtherJson { file, saw };
    }
    if found.categories.is_empty() && found.report.events == 0 && end.strange > 0 {
        let saw = format!("an array of {} values that are no events", end.strange);
        return TraceError::OtherJson { file, saw };
    }
    if end.truncated {
        return TraceError::BreaksOff { file, byte: end.position };
    }
    if let Some(device) = found.other_devices.first() {
        return known::other_device(file, device);
    }
    if found.launches > 0 {
        let by_torch = found.maker == TraceMaker::Kineto;
        let why =
            if found.hip_calls { device_side::amd(by_torch) } else { device_side::NVIDIA.into() };
        return device_side::not_recorded(file, found.launches, why);
    }
    let work = OtherWork {
        calls: found.calls_seen.max(found.syncs_seen),
        hip: found.hip_calls,
        ..OtherWork::of(found.ops.iter().map(|found| &found.op))
    };
    if let Some(error) = work.refuse(&file, &[]) {
        return error;
    }
    if let Some(error) = of_host(&file, found) {
        return error;
    }
    let categories = match found.categories.is_empty() {
        true if found.report.events == 0 => "it holds no events at all".to_owned(),
        true => format!("none of its {} events says that it is one", found.report.events),
        false => format!("only {}", listed(found.categories.iter().map(String::as_str))),
    };
    TraceError::NoKernels { file, categories }
}

/// Returns the error for a trace that describes a GPU but has only work of the host; `None` where
/// it describes no device.
fn of_host(file: &str, found: &KinetoCollector) -> Option<TraceError> {
    let (_, device) = found.devices.first()?;
    let work = listed(found.categories.iter().map(String::as_str));
    let found = format!("only {work} and the description of {}", shown(&device.name));
    let cure = "either CUDA activities were off (record with `torch.profiler.profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA])`), or the work ran on the CPU (move the model and its input to the GPU)";
    let (file, cure) = (file.to_owned(), cure.to_owned());
    Some(TraceError::NothingLaunched { file, found, cure })
}

fn listed<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let words: Vec<_> = words.map(|word| format!("`{}`", word.escape_debug())).collect();
    if words.is_empty() { "nothing".to_owned() } else { words.join(", ") }
}
