//! Which resources are free on each compute unit, and how many more workgroups fit?
//!
//! Amounts are counted in granules, without addresses. Within a compute unit a wave goes to the
//! SIMD with room for most further waves like it, of equal ones to the lowest.

mod levels;
mod unit;

use alloc::vec::Vec;
use core::ops::Range;

use crate::{CuId, CuSet, CuShape, Demand, Launch, MAX_SIMDS, PerCu, Piece, Refusal, Resource};

pub use levels::take_highest;
pub(crate) use unit::CuFree;
use unit::sum;

/// The number of waves on each SIMD of one compute unit.
#[doc(hidden)]
pub type Split = [u16; MAX_SIMDS];

/// Adjacent compute units on which equally many workgroups took resources: (range of units,
/// workgroups on each unit, their waves on each SIMD of a unit).
#[doc(hidden)]
pub type TakenUnits = (Range<usize>, u32, Split);

/// The free resources of one compute unit, summed over its SIMDs, in granules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub struct Free {
    /// Number of wave slots that are free on the compute unit.
    pub waves: u64,
    /// Number of vector-register granules that are free on the compute unit.
    pub vgpr: u64,
    /// Number of scalar-register granules that are free on the compute unit.
    pub sgpr: u64,
    /// Number of free granules of LDS (the shared memory of a workgroup).
    pub lds: u64,
    /// Number of workgroup slots that are free on the compute unit.
    pub workgroups: u64,
    /// Number of hardware barriers that are free on the compute unit.
    pub barriers: u64,
}

/// The free resources of every compute unit. A dispatcher keeps them up to date and shows them to
/// policies. Two values are equal if the same amounts are free on every unit.
#[derive(Debug)]
pub struct Cus {
    shape: CuShape,
    cus: PerCu<CuFree>,
    /// The compute units on which resources were freed since the last [`Cus::watch`]; `None` where
    /// these are not recorded, so it may be any units.
    freed: Option<CuSet>,
}

impl Clone for Cus {
    fn clone(&self) -> Self {
        Self { shape: self.shape, cus: self.cus.clone(), freed: self.freed.clone() }
    }

    /// Makes these free resources a copy of those in `source`, and reuses the memory that they have
    /// if it is large enough.
    fn clone_from(&mut self, source: &Self) {
        self.shape = source.shape;
        self.cus.clone_from(&source.cus);
        self.freed.clone_from(&source.freed);
    }
}

impl PartialEq for Cus {
    fn eq(&self, other: &Self) -> bool {
        (&self.shape, &self.cus) == (&other.shape, &other.cus)
    }
}

impl Eq for Cus {}

impl Cus {
    /// Returns `count` empty compute units that all have the shape `shape`.
    ///
    /// A shape that fails [`CuShape::check`] has room for nothing.
    #[must_use]
    pub fn new(shape: CuShape, count: u16) -> Self {
        let usable = CuShape { simds: shape.simds.min(MAX_SIMDS as u8), ..shape };
        let cus = PerCu::new(usize::from(count), CuFree::empty(&usable));
        Self { shape: usable, cus, freed: None }
    }

    /// Starts to record the compute units on which resources are freed, and drops earlier records.
    /// A dispatcher calls this when an allocate policy has answered that it waits.
    #[doc(hidden)]
    pub fn watch(&mut self) {
        match &mut self.freed {
            Some(freed) => freed.clear(),
            none => *none = Some(CuSet::empty(self.cus.len())),
        }
    }

    /// Records every compute unit as one on which resources were freed, until the next
    /// [`Cus::watch`]. This is needed when a policy has seen a unit as full that is not.
    #[doc(hidden)]
    pub fn forget_freed(&mut self) {
        if let Some(freed) = &mut self.freed {
            freed.insert_all(0..self.cus.len());
        }
    }

    /// Returns the compute units on which resources were freed since an allocate policy last
    /// answered that it waits; `None` if these are not recorded, so it may be any units.
    #[must_use]
    #[doc(hidden)]
    pub const fn freed(&self) -> Option<&CuSet> {
        self.freed.as_ref()
    }

    /// Returns the resources of an empty compute unit.
    #[must_use]
    pub const fn shape(&self) -> &CuShape {
        &self.shape
    }

    /// Returns the number of compute units.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.cus.len()
    }

    /// Returns whether the device has no compute unit.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.cus.is_empty()
    }

    /// Returns the ids of all compute units, ascending.
    pub fn ids(&self) -> impl Iterator<Item = CuId> + use<> {
        // `new` takes a u16 count, so every position is a CuId.
        (0..self.cus.len() as u16).map(CuId)
    }

    #[inline]
    fn get(&self, cu: CuId) -> Option<&CuFree> {
        self.cus.get(cu.index())
    }

    /// Returns (free wave slots, free vector-register granules) of one SIMD; (0, 0) where there is
    /// no such SIMD.
    #[must_use]
    pub fn simd(&self, cu: CuId, simd: u8) -> (u16, u16) {
        let of = |cu: &CuFree| {
            Some((*cu.waves.get(usize::from(simd))?, *cu.vgpr.get(usize::from(simd))?))
        };
        self.get(cu).and_then(of).unwrap_or_default()
    }

    /// Returns the free resources of one compute unit, summed over its SIMDs; 0 of each if there is
    /// no such unit.
    #[must_use]
    #[inline]
    pub fn free(&self, cu: CuId) -> Free {
        self.get(cu).map_or_else(Free::default, CuFree::sum)
    }

    /// Returns the demand unchanged, or without scalar registers if the device has so many that
    /// they never limit.
    #[inline]
    fn counted(&self, demand: &Demand) -> Demand {
        let sgpr = if self.shape.sgpr == u16::MAX { 0 } else { demand.sgpr };
        Demand { sgpr, ..*demand }
    }

    /// Returns how many compute units from `cu` on have the same free resources as `cu`; at least
    /// 1. The count may be too small, never too large.
    #[must_use]
    #[inline]
    #[doc(hidden)]
    pub fn alike(&self, cu: CuId) -> u16 {
        let run = self.cus.runs(cu.index()..self.cus.len()).next();
        // The number of units fits in a u16.
        run.map_or(1, |(units, _)| units.len() as u16)
    }

    /// Returns how many further waves of a workgroup with this demand fit on the SIMDs of `cu`,
    /// whatever else the workgroup takes; 0 where there is no such unit.
    #[must_use]
    #[doc(hidden)]
    pub fn wave_room(&self, cu: CuId, demand: &Demand) -> u32 {
        self.get(cu).map_or(0, |cu| cu.waves_room(self.shape.simds, demand))
    }

    /// Returns how many further whole workgroups fit on `cu` now; 0 for a demand without waves.
    #[must_use]
    pub fn room(&self, id: CuId, demand: &Demand) -> u32 {
        self.get(id).map_or(0, |cu| cu.room(self.shape.simds, &self.counted(demand)))
    }

    /// Returns the compute units in `ranges` on which a whole workgroup fits, as (units, number of
    /// workgroups that fit on each of them).
    #[inline]
    pub fn rooms(
        &self,
        ranges: impl Iterator<Item = Range<u16>>,
        demand: &Demand,
    ) -> impl Iterator<Item = (Range<u16>, u32)> {
        let demand = self.counted(demand);
        let mut last: Option<(&CuFree, u32)> = None;
        let ranges = ranges.map(|units| usize::from(units.start)..usize::from(units.end));
        ranges.flat_map(|units| self.cus.runs(units)).filter_map(move |(units, unit)| {
            let alike = last.filter(|(before, _)| *before == unit);
            let room = alike.map_or_else(|| unit.room(self.shape.simds, &demand), |(_, room)| room);
            last = Some((unit, room));
            // Compute units are numbered by u16.
            (room > 0).then_some((units.start as u16..units.end as u16, room))
        })
    }

    /// Returns the first resource that keeps one more workgroup off the compute unit `id`:
    /// (resource, amount wanted, amount free), both amounts in granules or slots. `None` if the
    /// workgroup fits.
    ///
    /// Resources are tested in the order workgroups, waves, VGPR, SGPR, LDS, barriers.
    #[must_use]
    #[doc(hidden)]
    pub fn lacking(&self, id: CuId, demand: &Demand) -> Option<(Resource, u64, u64)> {
        self.get(id).map_or(Some((Resource::Cus, 1, 0)), |cu| self.lacking_on(cu, demand))
    }

    /// Returns the first resource that keeps one more workgroup off a compute unit with these free
    /// resources: (resource, amount wanted, amount free); `None` if the workgroup fits.
    fn lacking_on(&self, cu: &CuFree, demand: &Demand) -> Option<(Resource, u64, u64)> {
        let free = cu.sum();
        let waves = u64::from(demand.waves);
        let sgpr = u64::from(self.counted(demand).sgpr) * waves;
        let vgpr_wanted = u64::from(demand.vgpr) * waves;
        // Registers belong to SIMDs: free pieces that are too small for a wave do not count.
        let vgpr_usable: u64 = (0..usize::from(self.shape.simds))
            .map(|simd| {
                let whole = cu.vgpr[simd].checked_div(demand.vgpr).unwrap_or(0);
                u64::from(whole.min(cu.waves[simd])) * u64::from(demand.vgpr)
            })
            .sum();
        [
            (Resource::Workgroups, 1, free.workgroups),
            // A workgroup without waves is not valid, and fits nowhere.
            (Resource::Waves, waves.max(1), if waves == 0 { 0 } else { free.waves }),
            (Resource::Vgpr, vgpr_wanted, vgpr_usable),
            (Resource::Sgpr, sgpr, free.sgpr),
            (Resource::Lds, u64::from(demand.lds), free.lds),
            (Resource::Barriers, u64::from(demand.barriers), free.barriers),
        ]
        .into_iter()
        .find(|&(_, wanted, available)| wanted > available)
    }

    /// Returns the reason why the next workgroup of `launch` does not start on `cu`.
    ///
    /// If the workgroup would fit, the refusal names [`Resource::Cus`]: the policy does not allow
    /// it there.
    #[must_use]
    pub fn refusal(&self, cu: CuId, launch: &Launch) -> Refusal {
        let (resource, wanted, available) =
            self.lacking(cu, &launch.demand).unwrap_or((Resource::Cus, 1, 0));
        Refusal { launch: launch.id, cu: Some(cu), resource, wanted, available }
    }

    /// Returns the refusal of a launch that can never run on this device: its grid is empty, or one
    /// of its workgroups is too large for an empty compute unit. `None` if it can run.
    #[must_use]
    pub fn never(&self, launch: &Launch) -> Option<Refusal> {
        let (resource, wanted, available) = if launch.workgroups == 0 {
            (Resource::Grid, 1, 0)
        } else if self.is_empty() {
            (Resource::Cus, 1, 0)
        } else {
            self.lacking_on(&CuFree::empty(&self.shape), &launch.demand)?
        };
        Some(Refusal { launch: launch.id, cu: None, resource, wanted, available })
    }

    /// Takes the resources of `count` whole workgroups on `cu`, and returns the number of their
    /// waves on each SIMD. Returns `None`, and takes nothing, if the workgroups do not fit.
    #[doc(hidden)]
    pub fn take(&mut self, cu: CuId, demand: &Demand, count: u32) -> Option<Split> {
        let mut taken = None;
        let at = cu.index()..cu.index() + 1;
        let entered = self.take_each(at, demand, count, |_, split| taken = Some(split));
        entered.ok().and(taken)
    }

    /// Takes the resources of `count` whole workgroups on each of these compute units. `taken` is
    /// called with (adjacent units, number of waves on each SIMD of each of them). The error is the
    /// index of the first unit without room; units that were passed to `taken` keep what they took.
    fn take_each(
        &mut self,
        units: Range<usize>,
        demand: &Demand,
        count: u32,
        mut taken: impl FnMut(Range<usize>, Split),
    ) -> Result<(), usize> {
        let (demand, simds) = (self.counted(demand), self.shape.simds);
        let waves = count.checked_mul(u32::from(demand.waves)).filter(|&waves| waves > 0);
        let mut refused = (units.end > self.cus.len()).then_some(self.cus.len().max(units.start));
        self.cus.change(units, |units, unit| {
            let split = waves.filter(|&waves| unit.has(&demand, count, waves));
            match split.and_then(|waves| unit.fill(simds, &demand, waves)) {
                Some(split) => {
                    unit.take(&demand, &split, count);
                    taken(units, split);
                }
                None => refused = Some(refused.map_or(units.start, |cu| cu.min(units.start))),
            }
        });
        refused.map_or(Ok(()), Err)
    }

    /// Takes the resources of the workgroups of all pieces, or of none if some do not fit. `taken`
    /// gets the number of their waves on each SIMD, in the order of the pieces.
    ///
    /// # Errors
    /// The first unit that has no room for its piece.
    #[doc(hidden)]
    pub fn take_pieces(
        &mut self,
        demand: &Demand,
        pieces: &[Piece],
        taken: &mut Vec<TakenUnits>,
    ) -> Result<(), CuId> {
        taken.clear();
        for (units, count) in Piece::by_units(pieces) {
            let note = |units, split| taken.push((units, count, split));
            let Err(refused) = self.take_each(units, demand, count, note) else { continue };
            for (units, count, split) in taken.iter() {
                self.give_each(units.clone(), demand, split, *count);
            }
            // The refused unit is the compute unit of a piece, whose id is a u16.
            return Err(CuId(refused as u16));
        }
        Ok(())
    }

    /// Returns the number of waves that each SIMD of `cu` would get of `waves` more waves with this
    /// demand. Each wave goes to the SIMD with the most room, or the lowest of these. `None` if the
    /// SIMDs have no room for all of them.
    #[must_use]
    #[doc(hidden)]
    pub fn fill(&self, cu: CuId, demand: &Demand, waves: u32) -> Option<Split> {
        self.get(cu)?.fill(self.shape.simds, demand, waves)
    }

    /// Returns the free resources of one compute unit; nothing is free if there is no such unit.
    pub(crate) fn unit(&self, cu: CuId) -> CuFree {
        self.get(cu).copied().unwrap_or_default()
    }

    /// Returns the free resources that a compute unit would have after one more workgroup; `None`
    /// if the workgroup does not fit.
    pub(crate) fn with_one_more(&self, unit: &CuFree, demand: &Demand) -> Option<CuFree> {
        let demand = self.counted(demand);
        let waves = u32::from(demand.waves);
        let split = unit.fill(self.shape.simds, &demand, waves)?;
        let mut after = *unit;
        unit.has(&demand, 1, waves).then(|| after.take(&demand, &split, 1))?;
        Some(after)
    }

    /// Takes the resources of waves (`split` is their number on each SIMD), and the slots, barriers
    /// and LDS of `groups` workgroups. Returns false, and takes nothing, if one of them is not
    /// free.
    #[doc(hidden)]
    pub fn take_split(&mut self, cu: CuId, demand: &Demand, split: &Split, groups: u32) -> bool {
        self.take_split_each(cu.index()..cu.index() + 1, demand, split, groups).is_ok()
    }

    /// Takes, on each of these compute units, the resources of waves (`split` is their number on
    /// each SIMD), and the slots, barriers and LDS of `groups` workgroups. Takes nothing if they
    /// are not free on all units.
    ///
    /// # Errors
    /// The first unit on which the resources are not free.
    #[doc(hidden)]
    pub fn take_split_each(
        &mut self,
        units: Range<usize>,
        demand: &Demand,
        split: &Split,
        groups: u32,
    ) -> Result<(), CuId> {
        let counted = self.counted(demand);
        let mut refused = None;
        let start = units.start;
        let behind = (units.end > self.cus.len()).then_some(self.cus.len().max(start));
        self.cus.change(units, |units, unit| {
            let fits = demand.waves > 0
                && (0..MAX_SIMDS).all(|simd| split[simd] <= unit.wave_room(simd, demand.vgpr))
                && unit.has(&counted, groups, sum(split));
            if refused.is_none() && fits {
                unit.take(&counted, split, groups);
            } else if refused.is_none() {
                refused = Some(units.start);
            }
        });
        let Some(cu) = refused.or(behind) else { return Ok(()) };
        if cu > start {
            self.give_each(start..cu, demand, split, groups);
        }
        // No compute unit has a number beyond u16.
        Err(CuId(cu as u16))
    }

    /// Marks `cu` as full, and forgets what was free on it. A caller does this to a copy, to keep a
    /// policy off the unit.
    #[doc(hidden)]
    pub fn close(&mut self, cu: CuId) {
        self.cus.change(cu.index()..cu.index() + 1, |_, unit| *unit = CuFree::default());
    }

    /// Frees, on one compute unit, the resources of waves (`split` is their number on each SIMD)
    /// and of `groups` workgroups, which [`Cus::take`] or [`Cus::take_split`] took.
    #[inline]
    #[doc(hidden)]
    pub fn give_split(&mut self, cu: CuId, demand: &Demand, split: &Split, groups: u32) {
        self.give_each(cu.index()..cu.index() + 1, demand, split, groups);
    }

    /// Frees, on each of these compute units, the resources of waves (`split` is their number on
    /// each SIMD) and of `groups` workgroups. Units that do not exist are left out.
    #[inline]
    #[doc(hidden)]
    pub fn give_each(&mut self, units: Range<usize>, demand: &Demand, split: &Split, groups: u32) {
        let demand = self.counted(demand);
        let there = units.start..units.end.min(self.cus.len());
        self.cus.change(there.clone(), |_, unit| unit.give(&demand, split, groups));
        if let Some(freed) = &mut self.freed {
            freed.insert_all(there);
        }
    }
}
