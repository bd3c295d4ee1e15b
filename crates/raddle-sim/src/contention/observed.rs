//! Which kernels of a recording ran beside a neighbour, and how long did their workgroups last?

use raddle_device::Device;
use raddle_trace::{Op, OpKind, Profile};

use super::NeighbourClass;
use crate::plan::whole_ns;

/// A launch of a kernel in a recording that ran alone, or beside neighbours of mostly one class.
#[derive(Clone, Copy, Debug)]
pub(super) struct Observed {
    /// The index in the profile of the op (recorded work of the device) that is this launch.
    pub(super) op: u32,
    /// The class (by needed resource) of the neighbours that ran beside the kernel for at least
    /// half of its time; `None` where the kernel ran alone.
    pub(super) beside: Option<NeighbourClass>,
    /// The time of one workgroup in ns, corrected for the part of the device that neighbours used.
    pub(super) workgroup_ns: u64,
}

/// The features that identify a kernel in a profile: (number of its name, grid in x, y and z,
/// work-items, LDS bytes, registers of a work-item).
pub(super) type Shape = (u32, [u32; 3], u32, u32, u32);

pub(super) fn shape(op: &Op) -> Shape {
    let footprint = &op.footprint;
    let grid = [op.grid.x, op.grid.y, op.grid.z];
    (op.kernel, grid, footprint.threads, footprint.lds_bytes, footprint.vgprs_per_thread)
}

/// Returns the kernels of a profile that ran alone, or beside neighbours for at least half of their
/// time, in the order of the profile. Communication kernels count as neighbours only: other devices
/// decide how long they last. `workgroups` has the calibrated time of one workgroup of each op in
/// ns, if known.
pub(super) fn observed(
    profile: &Profile,
    own: &Device,
    workgroups: Option<&[u64]>,
) -> Vec<Observed> {
    let classes: Vec<NeighbourClass> =
        profile.kernels.iter().map(|name| NeighbourClass::of(name)).collect();
    let class = |op: &Op| classes.get(op.kernel as usize).copied().unwrap_or_default();
    let overlaps = overlaps(&profile.ops, class);
    let mut found = Vec::new();
    for ((at, op), overlap) in (0u32..).zip(&profile.ops).zip(overlaps) {
        let whole = whole_ns(profile, at as usize, own);
        if whole == 0 || class(op) == NeighbourClass::Communication {
            continue;
        }
        let calibrated = workgroups.and_then(|all| all.get(at as usize)).copied();
        let workgroup_ns = calibrated.unwrap_or(whole);
        let (most, ns) = (0..overlap.len())
            .map(|at| (NeighbourClass::ALL[at], overlap[at]))
            .max_by_key(|&(_, ns)| ns)
            .unwrap_or_default();
        if ns == 0 {
            found.push(Observed { op: at, beside: None, workgroup_ns });
        } else if ns.saturating_mul(2) >= op.duration_ns {
            found.push(Observed { op: at, beside: Some(most), workgroup_ns });
        }
    }
    found
}

/// Returns for each op (kernel, copy or fill) the time in ns for which kernels of other streams ran
/// beside it, summed for each of the four classes of these kernels, which `class` returns.
fn overlaps(ops: &[Op], class: impl Fn(&Op) -> NeighbourClass) -> Vec<[u64; 4]> {
    let mut overlaps = vec![[0u64; 4]; ops.len()];
    let mut running: Vec<usize> = Vec::new();
    for (at, op) in ops.iter().enumerate().filter(|(_, op)| op.kind == OpKind::Kernel) {
        running.retain(|&other| ops[other].end_ns() > op.start_ns);
        for &other in running.iter().filter(|&&other| ops[other].stream != op.stream) {
            let ns = op.end_ns().min(ops[other].end_ns()).saturating_sub(op.start_ns);
            for (one, beside) in [(at, &ops[other]), (other, op)] {
                let own = &mut overlaps[one][class(beside) as usize];
                *own = own.saturating_add(ns);
            }
        }
        running.push(at);
    }
    overlaps
}
