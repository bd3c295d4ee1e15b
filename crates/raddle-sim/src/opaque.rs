//! How much of the device does an opaque kernel hold, whose grid and workgroup are unknown?
//!
//! An opaque kernel takes the wave slots of the whole device for its recorded duration, divided by
//! the most kernels that ran at once during that. So a kernel that ran alone fills the device: a
//! replay that left room beside it would promise what no recording shows. Two that ran beside each
//! other fill half each, as both had room. The kernel is simulated as workgroups of an eighth of a
//! compute unit, which hold others up no longer than ordinary ones, and which have a barrier, so
//! that none is split.

use raddle_device::Device;
use raddle_policy::{Barrier, CuShape, Demand, Ticks};
use raddle_trace::{Op, OpKind, Profile};

use crate::workload::Work;

/// The number of workgroups of an opaque kernel (one of unknown grid and workgroup) that fill a
/// compute unit in the simulation.
const A_UNIT: u16 = 8;

/// Returns for each op the number of workgroups with which an opaque kernel (one of unknown grid
/// and workgroup) is simulated on a device; 0 for other ops, and an empty list where no op is
/// opaque.
pub(crate) fn workgroups(profile: &Profile, target: &Device) -> Vec<u64> {
    if !profile.ops.iter().any(Op::is_opaque) {
        return Vec::new();
    }
    let waves = target.shape.waves() / u32::from(waves(&target.shape));
    let all = u64::from(target.cus).saturating_mul(u64::from(waves));
    // Ends within a step of the clock are no overlap.
    let end = |op: &Op| {
        op.end_ns().saturating_sub(profile.resolution_ns).max(op.start_ns.saturating_add(1))
    };
    let kernels = (0..profile.ops.len()).filter(|&at| profile.ops[at].kind == OpKind::Kernel);
    let kernels: Vec<usize> = kernels.collect();
    let spans = kernels.iter().map(|&at| (profile.ops[at].start_ns, end(&profile.ops[at])));
    let at_once = most_at_once(&spans.collect::<Vec<_>>());
    let mut held = vec![0; profile.ops.len()];
    for (at, most) in kernels.into_iter().zip(at_once) {
        if profile.ops[at].is_opaque() {
            held[at] = (all / most.max(1)).max(1);
        }
    }
    held
}

/// Returns for each span (start, end) the most spans that overlap at any time during it; `spans` is
/// sorted by start.
fn most_at_once(spans: &[(u64, u64)]) -> Vec<u64> {
    let mut ends: Vec<u64> = spans.iter().map(|&(_, end)| end).collect();
    ends.sort_unstable();
    // How many run when a span has just started; it only grows at starts.
    let running = |at: usize| (at + 1 - ends.partition_point(|&end| end <= spans[at].0)) as u64;
    // From the last to the first: starts behind which more run than behind all starts before them
    // and from here on, the next one last.
    let mut peaks: Vec<(usize, u64)> = Vec::new();
    let mut most = vec![0; spans.len()];
    for at in (0..spans.len()).rev() {
        let here = running(at);
        while peaks.last().is_some_and(|&(_, count)| count <= here) {
            peaks.pop();
        }
        peaks.push((at, here));
        let behind = spans.partition_point(|&(start, _)| start < spans[at].1);
        let first = peaks.partition_point(|&(peak, _)| peak >= behind);
        most[at] = peaks.get(first).map_or(here, |&(_, count)| count);
    }
    most
}

/// Returns the number of waves with which one workgroup of an opaque kernel (one of unknown grid
/// and workgroup) is simulated.
fn waves(shape: &CuShape) -> u16 {
    let workgroups = A_UNIT.min(shape.workgroups).max(1);
    u16::try_from(shape.waves() / u32::from(workgroups)).unwrap_or(u16::MAX).max(1)
}

/// Returns the simulated work of an opaque kernel (one of unknown grid and workgroup): `workgroups`
/// workgroups that last `lasts_ns` nanoseconds each.
pub(crate) fn work(lasts_ns: u64, workgroups: u64, target: &Device) -> Work {
    let shape = &target.shape;
    // A unit without wave slots is full, whatever else is free. To be saved, it is taken to use all
    // registers and LDS.
    let demand = Demand { waves: waves(shape), ..Demand::default() };
    let vgpr = shape.vgpr_per_simd / shape.waves_per_simd.max(1);
    let full = Demand { vgpr, lds: shape.lds / u32::from(A_UNIT), ..demand };
    Work::Kernel {
        workgroups,
        workgroup: Ticks(lasts_ns.max(1)),
        demand,
        barrier: Barrier::Yes,
        context_bytes: target.context_bytes(&full),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_most_that_run_at_once_during_each() {
        let of = most_at_once;
        assert!(of(&[]).is_empty());
        assert_eq!(of(&[(0, 5), (5, 9)]), [1, 1], "touching is no overlap");
        assert_eq!(of(&[(0, 10), (2, 4), (5, 7)]), [2, 2, 2]);
        assert_eq!(of(&[(0, 10), (2, 6), (5, 7), (20, 30)]), [3, 3, 3, 1]);
        assert_eq!(of(&[(3, 4), (3, 4)]), [2, 2]);
    }

    proptest! {
        #[test]
        fn as_counted_instant_by_instant(spans in prop::collection::vec((0_u64..40, 1_u64..12), 0..24)) {
            let mut spans: Vec<(u64, u64)> = spans.iter().map(|&(s, d)| (s, s + d)).collect();
            spans.sort_by_key(|&(start, _)| start);
            let run = |at: u64| spans.iter().filter(|&&(s, e)| s <= at && at < e).count() as u64;
            let slow: Vec<u64> = spans.iter().map(|&(s, e)| (s..e).map(run).max().unwrap()).collect();
            prop_assert_eq!(most_at_once(&spans), slow);
        }
    }
}
