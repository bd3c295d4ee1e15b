//! How large are the grid and the workgroup that an event of a trace gives?

use raddle_policy::Dim3;

use crate::captures::KernelShape;
use crate::decimal::{figure, unquote};
use crate::report::Quirk;

/// Unit in which an event or a launch call gives the extents of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::import) enum GridUnit {
    /// The record gives the grid in whole workgroups.
    Workgroups,
    /// The record gives the grid in work-items; the last workgroup of an axis may be incomplete.
    WorkItems,
}

/// Grid and workgroup in x, y and z, as an event writes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::import) struct KernelExtents {
    pub(in crate::import) grid: [u32; 3],
    pub(in crate::import) block: [u32; 3],
}

impl KernelExtents {
    /// Reads grid and workgroup, each an array of up to three numbers, also as a string; `None`
    /// where one is missing or has no whole numbers.
    pub(super) fn read(grid: Option<&str>, block: Option<&str>) -> Option<Self> {
        Some(Self { grid: extents(grid)?, block: extents(block)? })
    }

    /// Returns the grid and workgroup of a launch of HIP, which allows at most 2^32 - 1 work-items
    /// along an axis; `None` for larger extents.
    pub(super) fn shape_of_hip(self, unit: GridUnit) -> Option<KernelShape> {
        let mut axes = self.grid.iter().zip(self.block);
        let counted = |(&groups, size): (&u32, u32)| groups.checked_mul(size.max(1)).is_some();
        let fits = unit == GridUnit::WorkItems || axes.all(counted);
        self.shape(unit).filter(|_| fits)
    }

    /// Returns the quirk (fault of the file) to report for extents that give no valid launch: an
    /// impossible grid, or an impossible workgroup.
    pub(super) fn fault(self) -> Quirk {
        let threads = self.block.iter().try_fold(1, |all: u32, &own| all.checked_mul(own));
        let possible = threads.is_some() && !self.block.contains(&u32::MAX);
        if possible { Quirk::ImpossibleGrid } else { Quirk::ImpossibleThreads }
    }

    /// Returns the grid and workgroup of the kernel, where the grid is counted in `unit`; `None`
    /// where an extent is negative or a product is too large.
    pub(super) fn shape(self, unit: GridUnit) -> Option<KernelShape> {
        let Self { mut grid, block } = self;
        if grid.iter().chain(&block).any(|&extent| extent == u32::MAX) {
            return None;
        }
        let mut uneven = false;
        if unit == GridUnit::WorkItems {
            for (items, size) in grid.iter_mut().zip(block) {
                uneven |= size > 0 && !items.is_multiple_of(size);
                *items = if size > 0 { items.div_ceil(size) } else { 0 };
            }
        }
        let volume = |[x, y, z]: [u32; 3]| Dim3::new(x, y, z).volume();
        let workgroups = volume(grid)?;
        let threads = u32::try_from(volume(block)?).ok()?;
        let workgroups = if threads == 0 { 0 } else { workgroups };
        let [x, y, z] = grid;
        Some(KernelShape { grid: Dim3::new(x, y, z), workgroups, threads, uneven })
    }
}

fn extents(value: Option<&str>) -> Option<[u32; 3]> {
    let text = unquote(value?);
    let inner = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')).unwrap_or(text);
    let mut extents = [1; 3];
    for (at, part) in inner.split(',').enumerate() {
        *extents.get_mut(at)? = figure(part)?;
    }
    Some(extents)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_in(unit: GridUnit, grid: &str, block: &str) -> Option<KernelShape> {
        KernelExtents::read(Some(grid), Some(block))?.shape(unit)
    }

    fn read(grid: &str, block: &str) -> Option<KernelShape> {
        read_in(GridUnit::Workgroups, grid, block)
    }

    #[test]
    fn arrays_and_strings() {
        let grid = Dim3::new(4, 2, 1);
        let wanted = KernelShape { grid, workgroups: 8, threads: 49, uneven: false };
        assert_eq!(read("[4, 2, 1]", "[7,7,1]"), Some(wanted));
        assert_eq!(read("\"[4,2,1]\"", "[7,7]"), Some(wanted));
    }

    #[test]
    fn work_items_are_rounded_up_to_workgroups_on_each_axis() {
        let read = |grid, block| read_in(GridUnit::WorkItems, grid, block).unwrap();
        let even =
            KernelShape { grid: Dim3::new(2, 1, 3), workgroups: 6, threads: 256, uneven: false };
        assert_eq!(read("[512,1,3]", "[256,1,1]"), even);
        assert_eq!(read("[511,1,3]", "[256,1,1]"), KernelShape { uneven: true, ..even });
        assert_eq!(read("[257,1,3]", "[256,1,1]"), KernelShape { uneven: true, ..even });
        assert_eq!(read("[512,4,3]", "[64,4,1]").grid, Dim3::new(8, 1, 3));
        assert_eq!(read("[0,1,1]", "[64,1,1]").workgroups, 0);
        let empty = read("[64,1,1]", "[64,0,1]");
        assert_eq!((empty.workgroups, empty.threads, empty.uneven), (0, 0, false));
    }

    #[test]
    fn an_empty_shape_is_one_and_what_is_missing_or_beyond_all_bounds_is_none() {
        assert_eq!(read("[0,1,1]", "[32,1,1]").unwrap().workgroups, 0);
        assert_eq!(read("[5,1,1]", "[32,0,1]").unwrap().workgroups, 0);
        for text in ["[]", "\"inf\"", "null", "[1,2,3,4]", "[-1,1,1]", "[1.5,1,1]", "\u{e9}"] {
            assert_eq!(read(text, "[1,1,1]"), None, "{text}");
        }
        assert_eq!(KernelExtents::read(None, None), None);
        let huge = "[4294967295,4294967295,4294967295]";
        assert_eq!(read(huge, "[1,1,1]"), None);
        assert_eq!(read("[1,1,1]", huge), None);
        assert_eq!(read("[99999999999999999999999,1,1]", "[1,1,1]"), None);
        let fault = |grid, block| KernelExtents::read(Some(grid), Some(block)).unwrap().fault();
        assert_eq!(fault("[-1,1,1]", "[1,1,1]"), Quirk::ImpossibleGrid);
        assert_eq!(fault("[1,1,1]", "[-1,1,1]"), Quirk::ImpossibleThreads);
        assert_eq!(fault("[1,1,1]", "[65536,65536,1]"), Quirk::ImpossibleThreads);
        let wide = KernelExtents { grid: [1 << 26, 1, 1], block: [64, 1, 1] };
        assert!(wide.shape(GridUnit::Workgroups).is_some());
        assert_eq!(wide.shape_of_hip(GridUnit::Workgroups), None);
        assert!(wide.shape_of_hip(GridUnit::WorkItems).is_some());
    }
}
