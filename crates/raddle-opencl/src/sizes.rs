//! How many work-items does a launch have, and how many each of its workgroups?

use opencl_sys::cl_uint;

/// Numbers of work-items of a launch, in all and of one workgroup, in each dimension.
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
    /// Reads the sizes of a launch; `None` where they look wrong, so that the call is passed on and
    /// the runtime judges them.
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

    /// Returns whether the launch has work-items, no index of a work-item overflows, and workgroups
    /// divide the whole evenly.
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
