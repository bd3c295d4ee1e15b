//! How many workgroups of how many work-items is a grid of work-items?

use raddle_policy::Dim3;

/// Grid and workgroup of a dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RocprofShape {
    /// The grid in workgroups.
    pub(super) grid: Dim3,
    /// Its volume, or 0 where a workgroup is empty.
    pub(super) workgroups: u64,
    /// Work-items of a workgroup.
    pub(super) threads: u32,
}

/// The shape of a grid of so many work-items, an incomplete workgroup counted whole; `None` where
/// it is more than can be counted.
pub(super) fn shape(grid: [u64; 3], workgroup: [u64; 3]) -> Option<RocprofShape> {
    let [x, y, z] = workgroup;
    let threads = x.checked_mul(y)?.checked_mul(z)?;
    let threads = u32::try_from(threads).ok()?;
    let groups = |axis: usize| u32::try_from(grid[axis].div_ceil(workgroup[axis].max(1))).ok();
    let grid = Dim3::new(groups(0)?, groups(1)?, groups(2)?);
    let volume = grid.volume()?;
    Some(RocprofShape { grid, workgroups: if threads == 0 { 0 } else { volume }, threads })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn workgroups_are_rounded_up_along_each_axis() {
        let wanted = RocprofShape { grid: Dim3::new(2, 3, 1), workgroups: 6, threads: 128 };
        assert_eq!(shape([65, 5, 1], [64, 2, 1]), Some(wanted));
        // A grid that is smaller than its workgroup still runs one.
        assert_eq!(shape([1, 1, 1], [256, 1, 1]).unwrap().workgroups, 1);
    }

    #[test]
    fn empty_and_too_large_shapes() {
        assert_eq!(shape([0, 1, 1], [64, 1, 1]).unwrap().workgroups, 0);
        assert_eq!(shape([5, 1, 1], [64, 0, 1]).unwrap().workgroups, 0);
        assert_eq!(shape([u64::MAX, 1, 1], [1, 1, 1]), None);
        assert_eq!(shape([1, 1, 1], [1 << 31, 2, 1]), None);
        assert_eq!(shape([1, 1, 1], [u64::MAX, u64::MAX, 1]), None);
        let huge = u64::from(u32::MAX);
        assert_eq!(shape([huge, huge, huge], [1, 1, 1]), None);
    }

    proptest! {
        #[test]
        fn every_work_item_has_its_workgroup(
            grid in prop::array::uniform3(0u64..5000), workgroup in prop::array::uniform3(1u64..65),
        ) {
            let shape = shape(grid, workgroup).unwrap();
            for (axis, groups) in [shape.grid.x, shape.grid.y, shape.grid.z].into_iter().enumerate() {
                let items = u64::from(groups) * workgroup[axis];
                prop_assert!(items >= grid[axis] && items < grid[axis] + workgroup[axis]);
            }
        }
    }
}
