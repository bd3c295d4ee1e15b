//! How do the results of rocprofv3, in JSON or in a database, become the work of one device?

mod agent;
mod collect;
mod draft;
mod records;

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::assemble::Draft;
use crate::error::TraceError;
use agent::ProfiledAgent;
use collect::RecordedPlace;
use collect::ResultProcess;
pub(super) use collect::{ResultCollector, ResultSection};
#[cfg(feature = "sqlite")]
pub(super) use records::{Correlation, RawAgent, RawHandle, RawInfo, RawRecord, RawSymbol};

/// Builds the profile's records from the ops of one device: the one that `wanted` names, or for
/// `None` the one with the most kernels.
///
/// # Errors
/// When the wanted device ran no kernel.
pub(super) fn work(
    file: &str,
    found: ResultCollector,
    wanted: Option<u32>,
) -> Result<Draft, TraceError> {
    let mut kernels: BTreeMap<u64, u64> = BTreeMap::new();
    for process in &found.processes {
        let places = process.places.items();
        for found in &process.ops {
            if let RecordedPlace::Dispatch { agent, .. } = places[found.op.stream as usize] {
                *kernels.entry(*agent).or_default() += 1;
            }
        }
    }
    let device = choose_device(file, &found.processes, &kernels, wanted)?;
    Ok(draft::draft(found, device))
}

/// Returns the handle (number in the file) of the device whose work is kept: the one that `wanted`
/// names by its handle or its number among the GPUs, or for `None` the one with the most kernels.
/// An error where the wanted device ran none.
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

/// Returns the handles of the GPUs in the file, in the order of the file.
fn gpus(processes: &[ResultProcess]) -> Vec<u64> {
    let mut handles: Vec<u64> = Vec::new();
    for ProfiledAgent { handle, gpu } in processes.iter().flat_map(|process| &process.agents) {
        if gpu.is_some() && !handles.contains(handle) {
            handles.push(*handle);
        }
    }
    handles
}
