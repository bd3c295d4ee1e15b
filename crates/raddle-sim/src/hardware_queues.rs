//! Which work waits for work of another stream, as both lie in one hardware queue?
//!
//! A process has fewer hardware queues than it may have streams. Streams take the queues in turn,
//! in the order in which they are first used. A queue is worked off from its head:
//! - On NVIDIA a queue puts starts in order: the head leaves it when it starts, so work waits for
//!   what the work before it in the queue waited for, and not for that work. Kernels that wait for
//!   nothing run side by side in one queue; one that waits for its stream holds up those behind it
//!   (the false dependency of NVIDIA's sample simpleHyperQ). There are `CUDA_DEVICE_MAX_CONNECTIONS`
//!   queues, 8 if it is not set (CUDA C++ Programming Guide, environment variables).
//! - On AMD a queue puts whole work in order: each packet has its barrier bit set, so work waits for
//!   the end of the work before it.
//!   HIP uses 4 queues (`GPU_MAX_HW_QUEUES`; ROCm/rocm-systems 8916, ROCm/hip 3769).
//!
//! Queues of other vendors are taken to be as many as streams.

use std::collections::BTreeMap;

use raddle_device::{Device, Vendor};
use raddle_trace::Profile;

use crate::workload::TaskWait;

/// Returns the number of hardware queues that a process has on a device by default; `None` where
/// each stream has a queue of its own.
const fn hardware_queues(device: &Device) -> Option<u16> {
    match device.vendor {
        Vendor::Nvidia => Some(8),
        Vendor::Amd => Some(4),
        _ => None,
    }
}

/// The state of one hardware queue while the ops (kernels, copies, fills) of a profile are put into
/// queues in the order of issue.
#[derive(Clone, Debug, Default)]
struct QueueState {
    /// The op (kernel, copy or fill) that was put into the queue last: (index of the op, its
    /// stream); `None` for an empty queue.
    last: Option<(u32, u32)>,
    /// The ops (kernels, copies, fills) for which ops in this queue wait: by stream of the awaited
    /// op, the index of the latest one.
    awaited: BTreeMap<u32, u32>,
}

/// Adds to `waits` (sorted by the waiting op: a kernel, copy or fill) the waits that arise because
/// streams share a hardware queue. The number of queues of a process is `wanted`, or else that of
/// the device.
///
/// Recordings do not say which queue a stream had, so it is assumed. A recording contradicts such a
/// wait if the waiting op started before the other op ended: the two were in different queues. That
/// wait is added only where `wanted` is given.
pub(crate) fn share(
    profile: &Profile,
    device: &Device,
    wanted: Option<u16>,
    waits: &mut Vec<TaskWait>,
) {
    let Some(queues) = wanted.or(hardware_queues(device)) else { return };
    let mut added = shared(profile, device, queues, waits);
    added.retain(|wait| wanted.is_some() || held(profile, wait));
    waits.extend(added);
    waits.sort_unstable();
    waits.dedup();
}

/// Returns whether a recording can come from a process with `queues` hardware queues: no op
/// (kernel, copy or fill) started before the end of an op for which its queue would have made it
/// wait. `waits` has the other waits between streams, sorted by the waiting op.
pub(crate) fn agree(profile: &Profile, own: &Device, queues: u16, waits: &[TaskWait]) -> bool {
    shared(profile, own, queues, waits).iter().all(|wait| held(profile, wait))
}

/// Returns whether a wait was kept in the recording: the op (kernel, copy or fill) that is waited
/// for had ended when the waiting op started.
fn held(profile: &Profile, wait: &TaskWait) -> bool {
    profile.ops[wait.source as usize].end_ns() <= profile.ops[wait.task as usize].start_ns
}

/// Returns, in no order, the waits of ops (kernels, copies, fills) for ops of other streams that
/// share their hardware queue, for a process with `queues` queues. `waits` has the other waits
/// between streams, sorted by the waiting op.
fn shared(profile: &Profile, device: &Device, queues: u16, waits: &[TaskWait]) -> Vec<TaskWait> {
    if queues == 0 || profile.streams.len() <= usize::from(queues) {
        return Vec::new();
    }
    let ops = &profile.ops;
    let mut order: Vec<u32> = (0u32..).take(ops.len()).collect();
    order.sort_by_key(|&at| ops[at as usize].arrival_ns);
    let mut queue_of: Vec<Option<usize>> = vec![None; profile.streams.len()];
    let mut used = 0;
    let mut all = vec![QueueState::default(); usize::from(queues)];
    let mut added = Vec::new();
    for task in order {
        let op = &ops[task as usize];
        let at = *queue_of[op.stream as usize].get_or_insert_with(|| {
            used += 1;
            (used - 1) % usize::from(queues)
        });
        let queue = &mut all[at];
        let own = waits.partition_point(|wait| wait.task < task);
        let own = waits[own..].iter().take_while(|wait| wait.task == task);
        let own = op.after.into_iter().chain(own.map(|wait| wait.source));
        match device.vendor {
            Vendor::Amd => {
                let before = queue.last.filter(|&(_, stream)| stream != op.stream);
                added.extend(before.map(|(source, _)| TaskWait { task, source }));
            }
            _ => {
                let others = queue.awaited.iter().filter(|&(&stream, _)| stream != op.stream);
                added.extend(others.map(|(_, &source)| TaskWait { task, source }));
                for source in own {
                    let latest = queue.awaited.entry(ops[source as usize].stream).or_default();
                    *latest = source.max(*latest);
                }
            }
        }
        queue.last = Some((task, op.stream));
    }
    // A task waits for earlier ones alone: of two ops issued in the other order neither waits here.
    added.retain(|wait| wait.source < wait.task);
    added
}
