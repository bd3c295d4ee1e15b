//! What does a JSON result of rocprofv3 hold?
//!
//! Dispatches with their packets, kernels with their registers, devices with their limits, copies,
//! and the calls that caused them where those were recorded: an op arrives when its call began.
//! [`ImportOptions::device`] is the handle of a GPU's agent, or else the GPU's number among the
//! GPUs of the file, from 0. Nothing but figures, kernel names and the device's product name leaves
//! a result: no hosts, users, paths or command lines.

mod agent;
mod collect;
mod draft;
mod records;

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::assemble::Draft;
use crate::error::TraceError;
use crate::import::ImportSource;
use crate::import::document::{DocumentEnd, DocumentLayout, read_document};
use crate::options::ImportOptions;
use crate::report::Quirk;
use agent::ProfiledAgent;
use collect::{RecordedWork, ResultCollector, ResultProcess, ResultSection};

/// The key of the outermost object under which the processes are.
const TOOL: &str = "rocprofiler-sdk-tool";

/// Where a result has its records.
const RESULT: DocumentLayout<ResultSection> = {
    use DocumentLayout::{Object, Objects, Records};
    Object(&[(
        TOOL,
        Objects(
            ResultSection::Processes,
            &[
                ("agents", Records(ResultSection::Agents)),
                ("kernel_symbols", Records(ResultSection::Symbols)),
                ("strings", Object(&[("buffer_records", Records(ResultSection::Kinds))])),
                (
                    "callback_records",
                    Object(&[("counter_collection", Records(ResultSection::Counters))]),
                ),
                (
                    "buffer_records",
                    Object(&[
                        ("kernel_dispatch", Records(ResultSection::Dispatches)),
                        ("memory_copy", Records(ResultSection::Copies)),
                        ("hip_api", Records(ResultSection::Calls)),
                    ]),
                ),
            ],
        ),
    )])
};

/// Whether text beginning so is such a file: an object whose first key is the tool's.
pub(in crate::import) fn looks_like(text: &[u8]) -> bool {
    let inner = text.strip_prefix(b"{").map(<[u8]>::trim_ascii_start);
    let key = inner.and_then(|text| text.strip_prefix(b"\"")?.strip_prefix(TOOL.as_bytes()));
    key.is_some_and(|rest| rest.starts_with(b"\""))
}

/// Imports such a file.
pub(in crate::import) fn import(
    source: ImportSource<'_>,
    options: &ImportOptions,
) -> Result<Draft, TraceError> {
    let file = source.file.clone();
    let mut found = ResultCollector { barriers: options.barriers, ..ResultCollector::default() };
    let end = read_document(source, |_| RESULT, &mut found)?;
    let mut kernels: BTreeMap<u64, u64> = BTreeMap::new();
    for found in found.processes.iter().flat_map(|process| &process.ops) {
        if let RecordedWork::Dispatch { agent, .. } = found.work {
            *kernels.entry(agent).or_default() += 1;
        }
    }
    if kernels.is_empty() {
        return Err(unusable(file, &end, &found));
    }
    let device = choose_device(&file, &found.processes, &kernels, options.device)?;
    Ok(draft::draft(found, device))
}

/// Why nothing can come of this file.
fn unusable(file: String, end: &DocumentEnd, found: &ResultCollector) -> TraceError {
    if found.dispatches_seen > 0 {
        let reasons = found.report.reasons(&[Quirk::Malformed, Quirk::ShapeOverflow]);
        return TraceError::NothingUsable { file, kernels: found.dispatches_seen, reasons };
    }
    if let Some(byte) = end.broken_at {
        return TraceError::NotJson { file, byte };
    }
    if end.truncated {
        return TraceError::BreaksOff { file, byte: end.position };
    }
    let all = |count: fn(&ResultProcess) -> usize| found.processes.iter().map(count).sum::<usize>();
    let saw = format!(
        "{} calls of HIP, {} copies",
        all(|process| process.calls.len()),
        all(|process| process.ops.len())
    );
    TraceError::NoDispatches { file, saw }
}

/// The handle of the device whose work is kept: the one asked for, or the one with most kernels.
fn choose_device(
    file: &str,
    processes: &[ResultProcess],
    kernels: &BTreeMap<u64, u64>,
    wanted: Option<u32>,
) -> Result<u64, TraceError> {
    let gpus = gpus(processes);
    let Some(wanted) = wanted else {
        let most = kernels.iter().max_by_key(|&(&handle, &n)| (n, Reverse(handle)));
        return Ok(most.map_or(0, |(&handle, _)| handle));
    };
    let by_number = || usize::try_from(wanted).ok().and_then(|number| gpus.get(number).copied());
    let asked = [Some(u64::from(wanted)), by_number()];
    if let Some(handle) = asked.into_iter().flatten().find(|handle| kernels.contains_key(handle)) {
        return Ok(handle);
    }
    let name = |handle: &u64| match gpus.iter().position(|gpu| gpu == handle) {
        Some(number) => format!("device {number} (handle {handle})"),
        None => format!("the device with handle {handle}"),
    };
    let seen: Vec<_> = kernels.keys().map(name).collect();
    Err(TraceError::NoSuchDevice { file: file.to_owned(), wanted, seen: seen.join(", ") })
}

/// The handles of the GPUs of the file, in its order.
fn gpus(processes: &[ResultProcess]) -> Vec<u64> {
    let mut handles: Vec<u64> = Vec::new();
    for ProfiledAgent { handle, gpu } in processes.iter().flat_map(|process| &process.agents) {
        if gpu.is_some() && !handles.contains(handle) {
            handles.push(*handle);
        }
    }
    handles
}
