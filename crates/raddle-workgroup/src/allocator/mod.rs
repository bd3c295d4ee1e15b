//! At which addresses (SIMD, and first granules of registers and LDS) does a workgroup lie on a
//! compute unit?
//!
//! Units: granules. Runs may start at any granule, and the runs of two waves need not touch. Vector
//! registers are counted within a SIMD, scalar registers and LDS within the compute unit. The
//! stages of a search and their order are those of the placement contract (raddle-golden), section
//! 3.

mod plan;
mod probe;
mod unit;

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use raddle_bitmap::Bank;
use raddle_policy::{CuId, CuShape, Demand, FreeRun, LaunchId, Place, Refusal, Resource};

pub use plan::{GroupPlan, ProbeRefusal, SimdRule};

use crate::Error;
use crate::error::Reason;
use plan::PlacedGroup;
use unit::CuGranules;

/// The compute units of a device, with every granule that is taken and the workgroup that holds it.
#[derive(Clone, Debug)]
pub struct Allocator {
    units: Vec<CuGranules>,
    /// For each compute unit, a bound: a wave fits only if it wants fewer granules of vector
    /// registers than this. The bound is one more than the longest free run on a SIMD with a free
    /// wave slot; 0 where no slot is free. One comparison with it skips most full units.
    widest: Vec<u32>,
    /// The workgroups of each launch that a preemption has saved: (number of the workgroup, its
    /// demand and the addresses of its waves). When it comes back, a workgroup gets these addresses
    /// again.
    saved: BTreeMap<LaunchId, Vec<(u64, PlacedGroup)>>,
}

impl Allocator {
    /// Returns an allocator of `count` empty compute units of this shape, which keeps one bit for
    /// each granule: free or taken.
    ///
    /// A shape that fails [`CuShape::check`] has room for nothing.
    #[must_use]
    pub fn new(shape: CuShape, count: u16) -> Self {
        let unit = CuGranules::new(&shape);
        let count = usize::from(count);
        Self {
            widest: vec![unit.widest(); count],
            units: vec![unit; count],
            saved: BTreeMap::new(),
        }
    }

    /// Returns the number of compute units of the device.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.units.len()
    }

    /// Returns whether the device has no compute units.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.units.is_empty()
    }

    /// Returns the number of workgroups that are resident on the device.
    #[must_use]
    pub fn groups(&self) -> usize {
        self.units.iter().map(|unit| unit.groups.len()).sum()
    }

    /// Returns the compute units of a range on which the first wave of a workgroup with this demand
    /// finds a SIMD, ascending.
    ///
    /// The method costs one comparison for each unit, so it suits scans of a full device. A unit
    /// that it leaves out has no room: [`probe`](Self::probe) would refuse the workgroup. The
    /// refused probe would not move the SIMD at which the next search begins, so it need not be
    /// made.
    #[doc(hidden)]
    pub fn not_full(&self, cus: Range<u16>, demand: &Demand) -> impl Iterator<Item = CuId> {
        /// The number of compute units whose bounds are compared with the demand together, so that
        /// the compiler may use vector instructions.
        const ABREAST: usize = 16;
        let all = usize::from(cus.start)..usize::from(cus.end).min(self.widest.len());
        let (first, vgpr) = (all.start, u32::from(demand.vgpr));
        let chunks = self.widest.get(all).unwrap_or_default().chunks(ABREAST);
        let open = move |chunk: &[u32]| chunk.iter().fold(false, |any, &it| any | (it > vgpr));
        let chunks = chunks.enumerate().filter(move |&(_, chunk)| open(chunk));
        chunks.flat_map(move |(index, chunk)| {
            let units = (first + index * ABREAST..).zip(chunk);
            // Compute units are numbered by u16.
            let open = units.filter(move |&(_, &widest)| widest > vgpr);
            open.map(|(cu, _)| CuId(cu as u16))
        })
    }

    /// Finds the SIMDs and granules that one more workgroup would take on `cu`, without taking
    /// them.
    ///
    /// # Errors
    /// When the workgroup does not fit. The error has the resource that is lacking and, for the
    /// rule [`SimdRule::From`], the SIMD at which the next search begins.
    pub fn probe(
        &self,
        cu: CuId,
        demand: &Demand,
        rule: SimdRule,
    ) -> Result<GroupPlan, ProbeRefusal> {
        let rotation = match rule {
            SimdRule::MostRoom => 0,
            SimdRule::From(simd) => simd,
        };
        let Some(unit) = self.units.get(cu.index()) else {
            let resource = Resource::Cus;
            return Err(ProbeRefusal { resource, rotation });
        };
        if let Some(resource) = unit.surely_lacks(demand) {
            return Err(ProbeRefusal { resource, rotation });
        }
        probe::stages(unit, cu, demand, rule)
    }

    /// Takes the granules of a plan for a workgroup, and returns the address of each wave (SIMD,
    /// and first granules of registers and LDS).
    ///
    /// # Errors
    /// When a granule of the plan has been taken in the meantime, or the workgroup is on this
    /// compute unit already; nothing has changed.
    pub fn commit(
        &mut self,
        plan: GroupPlan,
        launch: LaunchId,
        workgroup: u64,
    ) -> Result<&[Place], Error> {
        let stale = Error(Reason::Stale { launch, workgroup });
        let group = plan.group;
        let at = group.cu.index();
        let unit = self.units.get_mut(at).ok_or(stale)?;
        if unit.position(launch, workgroup).is_some() {
            return Err(Error(Reason::Held { launch, workgroup }));
        }
        if !unit.take(&group.demand, &group.places) {
            return Err(stale);
        }
        self.widest[at] = unit.widest();
        unit.groups.push((launch, workgroup, group));
        Ok(unit.groups.last().map_or(&[], |(_, _, group)| &group.places))
    }

    /// Frees all slots and granules that a workgroup on `cu` holds.
    ///
    /// # Errors
    ///
    /// When the workgroup is not resident on `cu`; nothing has changed.
    pub fn release(&mut self, cu: CuId, launch: LaunchId, workgroup: u64) -> Result<(), Error> {
        let absent = Error(Reason::NotHeld { launch, workgroup });
        let unit = self.units.get_mut(cu.index()).ok_or(absent)?;
        let position = unit.position(launch, workgroup).ok_or(absent)?;
        unit.remove(position);
        self.widest[cu.index()] = unit.widest();
        Ok(())
    }

    /// Frees all granules that the workgroups of a launch hold, and removes its saved workgroups,
    /// as the launch has ended or begins again.
    pub(crate) fn release_launch(&mut self, launch: LaunchId) {
        self.saved.remove(&launch);
        self.lift(launch);
    }

    /// Frees all granules that the workgroups of a launch hold, as the launch is preempted, and
    /// remembers the addresses of their waves, to which they can come back.
    pub fn save(&mut self, launch: LaunchId) {
        let mut saved = self.lift(launch);
        self.saved.entry(launch).or_default().append(&mut saved);
    }

    /// Takes again exactly the granules that the launch's workgroups had when it was saved. Returns
    /// the number of workgroups that cannot come back, because one of their granules has been taken
    /// meanwhile.
    ///
    /// Such workgroups have no granules, and their compute units take no new workgroup until they
    /// have been released: so no unit is ever over-committed.
    pub fn restore(&mut self, launch: LaunchId) -> usize {
        let mut displaced = 0;
        for (workgroup, mut group) in self.saved.remove(&launch).unwrap_or_default() {
            if let Some(unit) = self.units.get_mut(group.cu.index()) {
                if !unit.take(&group.demand, &group.places) {
                    group.places.clear();
                    unit.block();
                    displaced += 1;
                }
                self.widest[group.cu.index()] = unit.widest();
                unit.groups.push((launch, workgroup, group));
            }
        }
        displaced
    }

    /// Returns the reason why one more workgroup of `launch` does not fit on `cu` although enough
    /// granules are free: no free run of neighbouring granules is long enough.
    ///
    /// In the refusal, `wanted` is the length in granules of the run that is needed: by one wave,
    /// or of LDS by the whole workgroup. `available` is the longest run that the earlier waves of
    /// the workgroup leave. Where the workgroup would fit, the refusal names [`Resource::Cus`].
    #[must_use]
    #[doc(hidden)]
    pub fn fragmentation(&self, launch: LaunchId, cu: CuId, demand: &Demand) -> Refusal {
        let unit = self.units.get(cu.index());
        let lacking = unit.and_then(|unit| probe::lacking_run(unit, demand));
        let (resource, wanted, available) = lacking.unwrap_or((Resource::Cus, 1, 0));
        Refusal {
            launch,
            cu: Some(cu),
            resource,
            wanted: u64::from(wanted),
            available: u64::from(available),
        }
    }

    /// Returns the free granules and the longest free runs of a compute unit, each summed over its
    /// SIMDs: of vector registers, scalar registers and LDS. `None` where there is no such unit.
    #[must_use]
    pub(crate) fn free_runs(&self, cu: CuId) -> Option<[FreeRun; 3]> {
        let unit = self.units.get(cu.index())?;
        let all = |bank: &Bank| {
            (0..bank.len()).fold(FreeRun::default(), |sum, map| FreeRun {
                free: sum.free + u64::from(bank.free_blocks(map)),
                longest: sum.longest + u64::from(bank.longest(map)),
            })
        };
        Some([all(&unit.vgpr), unit.sgpr.as_ref().map(all).unwrap_or_default(), all(&unit.lds)])
    }

    /// Removes all workgroups of a launch from the device, and frees their granules. Returns
    /// (number of the workgroup, addresses of its waves) for each workgroup.
    fn lift(&mut self, launch: LaunchId) -> Vec<(u64, PlacedGroup)> {
        let mut lifted = Vec::new();
        for (unit, widest) in self.units.iter_mut().zip(&mut self.widest) {
            while let Some(position) = unit.position_of(|it, _| it == launch) {
                lifted.push(unit.remove(position));
            }
            *widest = unit.widest();
        }
        lifted
    }
}
