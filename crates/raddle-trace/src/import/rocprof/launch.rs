//! How does a dispatch (launch of a kernel) in any file of a ROCm profiler become an op?

use raddle_policy::Dim3;

use crate::config::BarrierRule;
use crate::profile::{Op, OpKind};

/// Builds an op, without its lane (stream), that ran from `start` to `end`, in nanoseconds; `None`
/// where a time is 0, which the profiler writes for an unknown time, or where the end is before the
/// start.
pub(super) fn timed(kind: OpKind, start: u64, end: u64) -> Option<Op> {
    let duration = end.checked_sub(start)?;
    i64::try_from(end).ok()?;
    let start = i64::try_from(start).ok().filter(|&start| start > 0)?;
    Some(Op::at(kind, start, duration))
}

/// Sets the grid and workgroup of an op from their extents along x, y and z in work-items (an
/// incomplete workgroup counts as a whole one), and the shared memory of a workgroup in bytes,
/// `None` if unknown. A grid that is too large to count leaves the op opaque.
pub(super) fn set_launch(
    op: &mut Op,
    [grid, workgroup]: [[u64; 3]; 2],
    lds: Option<u32>,
    barriers: BarrierRule,
) {
    let groups = |axis: usize| u32::try_from(grid[axis].div_ceil(workgroup[axis].max(1))).ok();
    let (Some(x), Some(y), Some(z)) = (groups(0), groups(1), groups(2)) else {
        return;
    };
    if op.set_shape(Dim3::new(x, y, z), workgroup).is_some() {
        op.set_shared_memory(lds, barriers);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shape(grid: [u64; 3], workgroup: [u64; 3]) -> Option<(Dim3, u64, u32)> {
        let mut op = Op::at(OpKind::Kernel, 0, 1);
        set_launch(&mut op, [grid, workgroup], None, BarrierRule::Assume);
        (!op.is_opaque()).then_some((op.grid, op.workgroups, op.footprint.threads))
    }

    #[test]
    fn workgroups_are_rounded_up_along_each_axis() {
        assert_eq!(shape([65, 5, 1], [64, 2, 1]), Some((Dim3::new(2, 3, 1), 6, 128)));
        // A grid that is smaller than its workgroup still runs one.
        assert_eq!(shape([1, 1, 1], [256, 1, 1]).unwrap().1, 1);
    }

    #[test]
    fn empty_and_too_large_shapes() {
        assert_eq!(shape([0, 1, 1], [64, 1, 1]).unwrap().1, 0);
        assert_eq!(shape([5, 1, 1], [64, 0, 1]).unwrap().1, 0);
        assert_eq!(shape([u64::MAX, 1, 1], [1, 1, 1]), None);
        assert_eq!(shape([1, 1, 1], [1 << 31, 2, 1]), None);
        assert_eq!(shape([1, 1, 1], [u64::MAX, u64::MAX, 1]), None);
        let huge = u64::from(u32::MAX);
        assert_eq!(shape([huge, huge, huge], [1, 1, 1]), None);
    }

    #[test]
    fn an_op_needs_times_that_do_not_run_backwards() {
        let span = |start, end| timed(OpKind::Copy, start, end).map(|op| op.duration_ns);
        assert_eq!((span(1, 5), span(0, 5), span(5, 1)), (Some(4), None, None));
        assert_eq!((span(7, 7), span(1, u64::MAX)), (Some(0), None));
    }

    proptest! {
        #[test]
        fn every_work_item_has_its_workgroup(
            grid in prop::array::uniform3(0u64..5000), workgroup in prop::array::uniform3(1u64..65),
        ) {
            let (groups, ..) = shape(grid, workgroup).unwrap();
            for (axis, groups) in [groups.x, groups.y, groups.z].into_iter().enumerate() {
                let items = u64::from(groups) * workgroup[axis];
                prop_assert!(items >= grid[axis] && items < grid[axis] + workgroup[axis]);
            }
        }
    }
}
