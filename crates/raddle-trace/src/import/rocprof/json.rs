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
mod walk;

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::assemble::{Draft, OP_LIMIT};
use crate::error::TraceError;
use crate::import::Source;
use crate::input::{Window, is_damage};
use crate::options::ImportOptions;
use crate::report::{ImportReport, Quirk};
use agent::Agent;
use collect::{Collector, Process};
use walk::{TOOL, Walk};

/// Whether text beginning so is such a file: an object whose first key is the tool's.
pub(in crate::import) fn looks_like(text: &[u8]) -> bool {
    let inner = text.strip_prefix(b"{").map(<[u8]>::trim_ascii_start);
    let key = inner.and_then(|text| text.strip_prefix(b"\"")?.strip_prefix(TOOL));
    key.is_some_and(|rest| rest.starts_with(b"\""))
}

/// Imports such a file.
pub(in crate::import) fn import(
    source: Source<'_>,
    options: &ImportOptions,
) -> Result<Draft, TraceError> {
    let Source { file, reader, gzip, .. } = source;
    let mut window = Window::new(reader);
    let mut found = Collector::default();
    let walk = walk::walk(&mut window, &mut found);
    let at = window.position();
    if gzip {
        window.drain();
    }
    if found.overflowed() {
        return Err(TraceError::TooLarge { file, limit: OP_LIMIT as u64, what: "records" });
    }
    if let Some(cause) = window.failure() {
        if !is_damage(&cause) {
            return Err(TraceError::Unreadable { file, cause });
        }
        if found.dispatches_seen == 0 && gzip {
            return Err(TraceError::TruncatedGzip { file });
        }
        found.report.add(Quirk::Damaged, u64::from(!walk.truncated));
    }
    note_walk(&walk, &mut found.report);
    if let Some(error) = unusable(&file, &walk, &found, at) {
        return Err(error);
    }
    let device = choose_device(&file, &found.processes, options.device)?;
    Ok(draft::draft(found, device, options.barriers))
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
    if found.processes.iter().any(|process| !process.dispatches.is_empty()) {
        return None;
    }
    if found.dispatches_seen > 0 {
        let reasons = [Quirk::Malformed, Quirk::ShapeOverflow].into_iter();
        let reasons: Vec<_> = reasons
            .map(|quirk| (found.report.count(quirk), quirk.name()))
            .filter(|&(n, _)| n > 0)
            .map(|(n, name)| format!("{n} {name}"))
            .collect();
        let (kernels, reasons) = (found.dispatches_seen, reasons.join(", "));
        return Some(TraceError::NothingUsable { file, kernels, reasons });
    }
    if let Some(byte) = walk.broken_at {
        return Some(TraceError::NotJson { file, byte });
    }
    if walk.truncated {
        return Some(TraceError::BreaksOff { file, byte: at });
    }
    let all = |count: fn(&Process) -> usize| found.processes.iter().map(count).sum::<usize>();
    let saw = format!(
        "{} calls of HIP, {} copies",
        all(|process| process.calls.len()),
        all(|process| process.copies.len())
    );
    Some(TraceError::NoDispatches { file, saw })
}

/// The handle of the device whose work is kept: the one asked for, or the one with most kernels.
fn choose_device(
    file: &str,
    processes: &[Process],
    wanted: Option<u32>,
) -> Result<u64, TraceError> {
    let mut kernels: BTreeMap<u64, u64> = BTreeMap::new();
    for dispatch in processes.iter().flat_map(|process| &process.dispatches) {
        *kernels.entry(dispatch.agent).or_default() += 1;
    }
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
fn gpus(processes: &[Process]) -> Vec<u64> {
    let mut handles: Vec<u64> = Vec::new();
    for Agent { handle, gpu } in processes.iter().flat_map(|process| &process.agents) {
        if gpu.is_some() && !handles.contains(handle) {
            handles.push(*handle);
        }
    }
    handles
}
