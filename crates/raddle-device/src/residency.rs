//! How many workgroups of one footprint does an empty compute unit hold, and what limits them?
//!
//! Equal to NVIDIA's occupancy calculation (`cuda_occupancy.h` of the CUDA runtime, with the
//! larger shared memory that a kernel opts into), generalised to scalar registers.

use raddle_policy::{Footprint, Resource};

use crate::Device;
use crate::rounded::Rounded;

/// Number of workgroups of one footprint (needs of a workgroup) for which an empty compute unit has
/// room at the same time, with the resource that limits it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Residency {
    pub(crate) workgroups: u32,
    pub(crate) limiter: Resource,
    pub(crate) limits: Limits,
}

impl Residency {
    /// Returns the number of workgroups that an empty compute unit holds, which is the least of the
    /// numbers that its resources allow; 0 where not even one workgroup fits.
    #[must_use]
    pub const fn workgroups(&self) -> u32 {
        self.workgroups
    }

    /// Returns the resource that allows the fewest workgroups. Among equal ones, the first in this
    /// order: workgroups, waves, VGPR, SGPR, LDS, barriers. [`Residency::reached`] names all of
    /// them.
    #[must_use]
    pub const fn limiter(&self) -> Resource {
        self.limiter
    }

    /// Returns the number of workgroups that an empty compute unit would hold if only `resource`
    /// limited it; `u32::MAX` where it never limits. For wave slots the number is 0 also where the
    /// workgroup has no threads or too many, for vector registers also where a thread or a
    /// workgroup wants too many.
    #[must_use]
    pub fn limit(&self, resource: Resource) -> u32 {
        let limits = self.limits.in_order();
        let limit = limits.into_iter().find_map(|(of, limit)| (of == resource).then_some(limit));
        limit.unwrap_or(u32::MAX)
    }

    /// Returns all resources of which an empty compute unit has enough for exactly `workgroups`
    /// workgroups, in the order workgroup slots, waves, VGPR, SGPR, LDS, barriers.
    pub fn reached(&self, workgroups: u32) -> impl Iterator<Item = Resource> {
        let limits = self.limits.in_order().into_iter();
        limits.filter(move |&(_, limit)| limit == workgroups).map(|(resource, _)| resource)
    }
}

/// Number of workgroups that an empty compute unit would hold if only one resource limited it, for
/// each resource; `u32::MAX` where the resource never limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Limits {
    pub(crate) workgroups: u32,
    /// Number of workgroups for which an empty compute unit has enough wave slots; 0 also where the
    /// workgroup has no threads or too many.
    pub(crate) waves: u32,
    /// Number of workgroups for which an empty compute unit has enough vector registers; 0 also
    /// where a thread or a workgroup wants too many.
    pub(crate) vgpr: u32,
    pub(crate) sgpr: u32,
    pub(crate) lds: u32,
    pub(crate) barriers: u32,
}

impl Limits {
    pub(crate) fn of(device: &Device, footprint: &Footprint, rounded: &Rounded) -> Self {
        let shape = &device.shape;
        let waves = rounded.waves.max(1);
        let threads_allowed =
            footprint.threads > 0 && footprint.threads <= device.max_threads_per_workgroup;
        let registers_allowed = footprint.vgprs_per_thread <= device.max_vgprs_per_thread
            && u64::from(footprint.vgprs_per_thread) <= device.vgprs_by_workgroup(waves);
        let sgpr = if shape.sgpr == u16::MAX { 0 } else { rounded.sgpr };
        Self {
            workgroups: u32::from(shape.workgroups),
            waves: if threads_allowed { fitting(u64::from(shape.waves()), waves) } else { 0 },
            vgpr: match rounded.vgpr {
                0 => u32::MAX,
                _ if !registers_allowed => 0,
                vgpr => fitting(device.waves_by_vgpr(vgpr), waves),
            },
            sgpr: fitting(u64::from(shape.sgpr), sgpr * waves),
            lds: fitting(u64::from(shape.lds), rounded.lds),
            barriers: fitting(u64::from(shape.barriers), rounded.barriers),
        }
    }

    /// Returns (resource, number of workgroups for which an empty compute unit has enough of it)
    /// for each resource. Of resources that allow equally few workgroups, the first in this order
    /// is named.
    #[must_use]
    pub(crate) const fn in_order(&self) -> [(Resource, u32); 6] {
        [
            (Resource::Workgroups, self.workgroups),
            (Resource::Waves, self.waves),
            (Resource::Vgpr, self.vgpr),
            (Resource::Sgpr, self.sgpr),
            (Resource::Lds, self.lds),
            (Resource::Barriers, self.barriers),
        ]
    }
}

impl Device {
    /// Returns how many workgroups of one footprint an empty compute unit holds, and which resource
    /// limits them.
    ///
    /// Registers are split: a wave takes all of its own from one SIMD, so the registers that are
    /// left over in each SIMD are lost.
    ///
    /// ```
    /// use raddle_policy::{Footprint, Resource};
    /// let v100 = raddle_device::find("v100").expect("in the table");
    /// let footprint = Footprint { threads: 256, vgprs_per_thread: 50, ..Default::default() };
    /// let residency = v100.residency(&footprint);
    /// // 7 granules a warp: 9 warps a SIMD, 36 an SM, 4 workgroups of 8.
    /// assert_eq!((residency.workgroups(), residency.limiter()), (4, Resource::Vgpr));
    /// ```
    #[must_use]
    pub fn residency(&self, footprint: &Footprint) -> Residency {
        let limits = Limits::of(self, footprint, &self.round(footprint));
        let mut least = (Resource::Workgroups, limits.workgroups);
        for (resource, limit) in limits.in_order() {
            // Strictly less: the first in order wins a tie.
            if limit < least.1 {
                least = (resource, limit);
            }
        }
        Residency { workgroups: least.1, limiter: least.0, limits }
    }

    /// Returns the number of waves with `granules` vector-register granules each that the register
    /// files of an empty compute unit hold. 0 granules count as 1; callers handle kernels without
    /// registers themselves.
    pub(crate) fn waves_by_vgpr(&self, granules: u64) -> u64 {
        u64::from(self.shape.vgpr_per_simd) / granules.max(1) * u64::from(self.shape.simds)
    }
}

/// Returns how many workgroups that take `each` of a resource fit into `capacity`; `u32::MAX` where
/// `each` is 0, as a resource of which nothing is taken never limits.
fn fitting(capacity: u64, each: u64) -> u32 {
    match capacity.checked_div(each) {
        Some(times) => u32::try_from(times).unwrap_or(u32::MAX),
        None => u32::MAX,
    }
}
