//! How do the records in the tables become the work of one device?

use std::collections::BTreeMap;

use crate::assemble::{Draft, Interner, sort_in_place};
use crate::error::TraceError;
use crate::import::calls::sort_calls;
use crate::import::nsys::work::{SET, UNNAMED};
use crate::import::sqlite::database::Database;
use crate::profile::{OpKind, StreamLabel};
use crate::provenance::Origin;
use crate::report::Quirk;

use super::collect::NsysCollector;
use super::memory;
use super::ops::{CudaCall, NsysLane, NsysName, NsysOp, NsysProcess, pid};
use crate::work::DraftWorks;

const STRINGS: &str = "StringIds";
const STREAMS: &str = "TARGET_INFO_CUDA_STREAM";

/// Newest version of the export's schema that this reader knows, as (major, minor).
const NEWEST: (u32, u32) = (3, 25);

/// Directions of copies, as the reports of Nsight Systems name them, by the number that the
/// export's tables use for each.
const COPY_KINDS: [&str; 14] = [
    "Unknown",
    "Host-to-Device",
    "Device-to-Host",
    "Host-to-Array",
    "Array-to-Host",
    "Array-to-Array",
    "Array-to-Device",
    "Device-to-Array",
    "Device-to-Device",
    "Host-to-Host",
    "Peer-to-Peer",
    "Unified Host-to-Device",
    "Unified Device-to-Host",
    "Unified Device-to-Device",
];

/// Returns the version of the export's tables (its schema) as (major, minor); `None` where the file
/// gives none. Nothing else is read from these tables, since they may name users and machines.
pub(super) fn schema(database: &Database) -> Option<(u32, u32)> {
    let mut version = None;
    for table in ["META_DATA_EXPORT", "EXPORT_META_DATA"] {
        database.scan(table, &["name", "value"], |row| {
            let ours = row.text(0).is_some_and(|name| name == "EXPORT_SCHEMA_VERSION");
            if ours && let Some(text) = row.text(1) {
                let mut parts = text.split('.').map(|part| part.trim().parse().ok());
                version = parts.next().flatten().zip(parts.next().flatten());
            }
            version.is_none()
        });
    }
    version
}

/// Builds the profile's records from the ops of the device with the number `wanted`, or for `None`
/// of the one with the most kernels, with the name, arrival and priority of each op.
///
/// # Errors
/// When the wanted device ran no kernel.
pub(super) fn draft(
    file: &str,
    database: &Database,
    found: NsysCollector,
    wanted: Option<u32>,
) -> Result<Draft, TraceError> {
    let gpu = found.devices.choose(file, wanted)?;
    let NsysCollector {
        mut ops,
        mut calls,
        waits,
        names,
        lanes,
        uses,
        devices,
        gpus,
        mut report,
        ..
    } = found;
    let uses = uses.into_items();
    report.add(Quirk::NewerSchema, u64::from(schema(database).is_some_and(|seen| seen > NEWEST)));
    let memory_bytes = memory::peak(database, &gpus, gpu);
    let device = gpus.source(gpu, devices.numbers(&gpu), &mut report);
    let all = ops.len();
    ops.retain(|op| op.used(&uses).gpu == gpu);
    report.add(Quirk::OtherDevice, (all - ops.len()) as u64);
    // Tables are no sequence: in which order kernels and copies come is nothing to report.
    sort_in_place(&mut ops, |found| found.op.start_ns);
    let lanes = lanes.into_items();
    let processes = processes(&ops, &lanes);
    let others = processes.len().saturating_sub(1);
    report.add(Quirk::SeveralProcesses, others as u64);
    // Several processes may wait for each other in ways that the file does not show, so only the
    // waits of a lone process are taken.
    let waits = if others == 0 { waits.draft(database, &ops, &lanes) } else { Vec::new() };
    let priorities = priorities(database, &lanes);
    let (kernels, new_names) = resolve(database, &names.into_items());
    if processes.is_empty() {
        // If the work names no process, calls are found by their correlation alone.
        calls.iter_mut().for_each(|call| call.process = 0);
    }
    sort_calls(&mut calls, |call| (call.process, call.correlation), &mut report);
    // Collecting from `into_iter` reuses the memory of the list that was read.
    let ops = ops.into_iter().map(|found| {
        let used = found.used(&uses);
        report.add(Quirk::GraphLaunch, u64::from(used.node));
        used.notes.count(&mut report);
        let mut op = found.untied();
        if let Some(call) = call_of(&found, &lanes, &calls) {
            op.set_arrival(call.start, Origin::Joined);
        }
        op.priority = priorities[op.stream as usize];
        op.kernel = new_names[op.kernel as usize];
        let unnamed = op.kind == OpKind::Kernel && kernels[op.kernel as usize] == UNNAMED;
        report.add(Quirk::NoName, u64::from(unnamed));
        op
    });
    let ops = ops.collect();
    Ok(Draft {
        ops,
        kernels,
        streams: lanes.iter().map(|lane| label(lane, &processes)).collect(),
        device,
        between_ns: None,
        memory_bytes,
        resolution_ns: 1,
        waits,
        works: DraftWorks::default(),
        report,
    })
}

/// Finds the call that launched the op `found`: the one of the op's process with its correlation
/// number, which an op and its launch call share. `None` where there is none. `lanes` tells the
/// process of the op.
fn call_of<'c>(found: &NsysOp, lanes: &[NsysLane], calls: &'c [CudaCall]) -> Option<&'c CudaCall> {
    if found.correlation() == 0 {
        return None;
    }
    let key = (lanes[found.op.stream as usize].process, found.correlation());
    let at = calls.binary_search_by_key(&key, |call| (call.process, call.correlation)).ok()?;
    calls.get(at)
}

/// Numbers the known processes of the ops from 1, in order of first use.
fn processes(ops: &[NsysOp], lanes: &[NsysLane]) -> BTreeMap<NsysProcess, usize> {
    let mut numbers = BTreeMap::new();
    let of_ops = ops.iter().map(|found| lanes[found.op.stream as usize].process);
    for process in of_ops.filter(|&process| process != 0) {
        let next = numbers.len() + 1;
        numbers.entry(process).or_insert(next);
    }
    numbers
}

fn label(lane: &NsysLane, processes: &BTreeMap<NsysProcess, usize>) -> StreamLabel {
    let green = match lane.green {
        0 => String::new(),
        green => format!(" (green context {green})"),
    };
    let process = match processes.get(&lane.process) {
        Some(number) if processes.len() > 1 => format!(" (process {number})"),
        _ => String::new(),
    };
    let label = format!("{}{green}{process}", lane.stream);
    StreamLabel { label, context: lane.context }
}

/// Returns the priority of each of `lanes` (streams of processes). It is 0, the default, where the
/// export's table of streams lacks the stream, and `None` where there is no such table.
fn priorities(database: &Database, lanes: &[NsysLane]) -> Vec<Option<i32>> {
    if !database.has(STREAMS) {
        return vec![None; lanes.len()];
    }
    let mut seen = BTreeMap::new();
    let columns = ["processId", "contextId", "streamId", "priority"];
    database.scan(STREAMS, &columns, |row| {
        let priority = row.number(3).and_then(priority).unwrap_or(0);
        seen.entry([row.number(0), row.number(1), row.number(2)]).or_insert(priority);
        true
    });
    let of = |lane: &NsysLane| {
        let context = lane.context.and_then(|n| i64::try_from(n).ok());
        let process = i64::try_from(pid(lane.process)).ok();
        Some(seen.get(&[process, context, Some(lane.stream)]).copied().unwrap_or(0))
    };
    lanes.iter().map(of).collect()
}

/// Reads a stream's priority, which the file writes as an unsigned 32-bit number: 4294967291 is -5.
/// `None` for a number that is outside the range of both signed and unsigned 32-bit numbers.
fn priority(number: i64) -> Option<i32> {
    i32::try_from(number).ok().or_else(|| u32::try_from(number).ok().map(u32::cast_signed))
}

/// Looks up the names of ops in the export's table of strings; returns (the distinct names, the
/// index of the name for each of `names`).
fn resolve(database: &Database, names: &[NsysName]) -> (Vec<String>, Vec<u32>) {
    let mut strings: BTreeMap<i64, Option<String>> = BTreeMap::new();
    for name in names {
        if let NsysName::Kernel(ids) = name {
            strings.extend(ids.iter().flatten().map(|&id| (id, None)));
        }
    }
    database.scan(STRINGS, &["id", "value"], |row| {
        if let Some(slot @ None) = row.number(0).and_then(|id| strings.get_mut(&id)) {
            *slot = row.text(1).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
        }
        true
    });
    let string = |id: &Option<i64>| strings.get(id.as_ref()?)?.as_deref();
    let mut texts = Interner::default();
    let new = names.iter().map(|name| match name {
        NsysName::Kernel(ids) => texts.number(ids.iter().find_map(string).unwrap_or(UNNAMED)),
        NsysName::Copy(kind) => {
            let kind = kind.and_then(|kind| COPY_KINDS.get(usize::try_from(kind).ok()?));
            texts.number(&*format!("[CUDA memcpy {}]", kind.unwrap_or(&COPY_KINDS[0])))
        }
        NsysName::Set => texts.number(SET),
        NsysName::Graph(number) => texts.number(&*format!("graph {number}")),
    });
    let new = new.collect();
    (texts.into_items(), new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn priorities_get_their_sign_back() {
        assert_eq!(priority(4_294_967_291), Some(-5));
        assert_eq!(priority(-5), Some(-5));
        assert_eq!(priority(0), Some(0));
        assert_eq!(priority(2_147_483_647), Some(i32::MAX));
        assert_eq!(priority(4_294_967_296), None);
    }
}
