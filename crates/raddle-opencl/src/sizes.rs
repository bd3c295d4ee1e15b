//! How many work-items does a launch have, and how many each of its workgroups?

use opencl_sys::cl_uint;
use raddle_kernel::launch::LaunchSizes;

/// Numbers of work-items of a launch in each dimension: of the whole launch (`global`) and of one
/// workgroup (`local`).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    pub(crate) dimensions: usize,
    /// True for a launch of one work-item that the program enqueued by `clEnqueueTask`.
    pub(crate) is_task: bool,
    pub(crate) offset: Option<[usize; 3]>,
    pub(crate) global: [usize; 3],
    pub(crate) local: Option<[usize; 3]>,
}

impl Sizes {
    /// Reads the sizes of a launch; `None` where they look wrong. The caller then passes the call
    /// on, and the runtime reports the error.
    ///
    /// # Safety
    /// Each place is null or has a number for each dimension.
    pub(crate) unsafe fn new(
        dimensions: cl_uint,
        offset: *const usize,
        global: *const usize,
        local: *const usize,
    ) -> Option<Self> {
        let dimensions = usize::try_from(dimensions).ok().filter(|it| (1..=3).contains(it))?;
        let read = |place: *const usize, rest: usize| {
            let mut all = [rest; 3];
            if place.is_null() {
                return None;
            }
            for (at, one) in all.iter_mut().take(dimensions).enumerate() {
                // SAFETY: the caller says that it has a number for each dimension.
                *one = unsafe { place.add(at).read() };
            }
            Some(all)
        };
        let sizes = Self {
            dimensions,
            is_task: false,
            offset: read(offset, 0),
            global: read(global, 1)?,
            local: read(local, 1),
        };
        sizes.is_plain().then_some(sizes)
    }

    /// Returns whether the sizes are valid: every dimension has work-items, workgroups divide it
    /// evenly, and no index of a work-item overflows.
    fn is_plain(&self) -> bool {
        let local = self.local.unwrap_or([1; 3]);
        let offset = self.offset.unwrap_or([0; 3]);
        let each = self.global.iter().zip(local).zip(offset);
        each.into_iter().all(|((&global, local), offset)| {
            global > 0
                && local > 0
                && global.is_multiple_of(local)
                && offset.checked_add(global).is_some()
        })
    }
}

/// Part of a launch: a range of its workgroups along one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// Dimension along which the launch is cut; 3 for a whole launch.
    pub(crate) axis: u32,
    /// Number of the first workgroup of this part of a launch, along the dimension in which the
    /// launch is cut.
    pub(crate) first: u32,
    /// Number of workgroups of the whole launch along the dimension of the cut.
    pub(crate) groups: u32,
    pub(crate) is_last: bool,
}

impl Part {
    /// Part that stands for a whole launch, which is not cut.
    pub(crate) const WHOLE: Self = Self { axis: 3, first: 0, groups: 0, is_last: true };

    pub(crate) const fn is_first(&self) -> bool {
        self.first == 0
    }
}

impl Sizes {
    /// Returns the number of workgroups of the launch; `None` where the runtime chooses the size of
    /// the workgroups.
    pub(crate) fn workgroups(&self) -> Option<u64> {
        let each = self.global.iter().zip(self.local?).map(|(all, one)| (all / one) as u64);
        Some(each.product())
    }

    /// Returns the sizes of the whole launch of which this is the range `part`: its kernel sees
    /// those.
    pub(crate) fn whole(&self, part: &Part) -> LaunchSizes {
        let (mut global, mut offset) = (self.global, self.offset.unwrap_or([0; 3]));
        let axis = part.axis as usize;
        if let (Some(local), Some(all), Some(first)) =
            (self.local, global.get_mut(axis), offset.get_mut(axis))
        {
            *all = (part.groups as usize).saturating_mul(local[axis]);
            *first = first.saturating_sub((part.first as usize).saturating_mul(local[axis]));
        }
        let wide = |of: [usize; 3]| of.map(|one| one as u64);
        LaunchSizes { offset: wide(offset), global: wide(global), local: self.local.map(wide) }
    }

    /// Cuts the launch into ranges of about `wanted` workgroups, along the dimension that has the
    /// most workgroups. Returns only the whole launch where it is not larger than one range.
    pub(crate) fn cut(&self, wanted: u64) -> Vec<(Self, Part)> {
        let whole = || vec![(*self, Part::WHOLE)];
        let (Some(local), Some(all)) = (self.local, self.workgroups()) else { return whole() };
        let groups: [usize; 3] = std::array::from_fn(|at| self.global[at] / local[at]);
        let Some(axis) = (0..self.dimensions).max_by_key(|&at| groups[at]) else { return whole() };
        let count = groups[axis];
        // Workgroups of one step along the dimension.
        let step = (all / (count as u64).max(1)).max(1);
        let each = usize::try_from((wanted / step).max(1)).unwrap_or(usize::MAX);
        let Ok(groups) = u32::try_from(count) else { return whole() };
        if self.is_task || each >= count {
            return whole();
        }
        let begins = (0..count).step_by(each);
        begins
            .map(|first| {
                let (mut range, mut offset) = (*self, self.offset.unwrap_or([0; 3]));
                let length = each.min(count - first);
                range.global[axis] = length * local[axis];
                offset[axis] += first * local[axis];
                range.offset = Some(offset);
                let is_last = first + length == count;
                let (axis, first) = (axis as u32, u32::try_from(first).unwrap_or(u32::MAX));
                (range, Part { axis, first, groups, is_last })
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_make_up_the_launch() {
        let sizes = Sizes {
            dimensions: 2,
            is_task: false,
            offset: Some([8, 100, 0]),
            global: [64, 130, 1],
            local: Some([16, 10, 1]),
        };
        assert_eq!(sizes.workgroups(), Some(52));
        let ranges = sizes.cut(20);
        // Along the second dimension, where there are 13: 5 rows of 4 each.
        let told: Vec<_> = ranges
            .iter()
            .map(|(sizes, part)| {
                (sizes.offset.unwrap()[1], sizes.global[1], part.first, part.is_last)
            })
            .collect();
        assert_eq!(told, [(100, 50, 0, false), (150, 50, 5, false), (200, 30, 10, true)]);
        assert!(ranges.iter().all(|(sizes, part)| {
            (sizes.global[0], sizes.offset.unwrap()[0], part.axis, part.groups) == (64, 8, 1, 13)
        }));
        let whole = sizes.whole(&Part::WHOLE);
        assert_eq!((whole.offset, whole.global), ([8, 100, 0], [64, 130, 1]));
        assert!(ranges.iter().all(|(sizes, part)| sizes.whole(part) == whole));
        assert_eq!(sizes.cut(52).len(), 1);
        assert_eq!(sizes.cut(1).len(), 13);
        assert_eq!(Sizes { local: None, ..sizes }.cut(1)[0].1, Part::WHOLE);
    }
}
