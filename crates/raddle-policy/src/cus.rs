//! How much is free on each compute unit, and how many more workgroups fit?
//!
//! Counted in granules, without addresses. Within a compute unit a wave goes to the SIMD that has
//! room for most further waves of its kind, ties to the lowest SIMD.

mod levels;
mod unit;

use alloc::vec;
use alloc::vec::Vec;

use crate::{CuId, CuSet, CuShape, Demand, Launch, MAX_SIMDS, Piece, Refusal, Resource};

pub use levels::take_highest;
pub(crate) use unit::CuFree;
use unit::sum;

/// How many waves are on each SIMD of one compute unit.
pub type Split = [u16; MAX_SIMDS];

/// The free resources of one compute unit, summed over its SIMDs, in granules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub struct Free {
    /// Wave slots.
    pub waves: u64,
    /// Vector-register granules.
    pub vgpr: u64,
    /// Scalar-register granules.
    pub sgpr: u64,
    /// LDS granules.
    pub lds: u64,
    /// Workgroup slots.
    pub workgroups: u64,
    /// Barriers.
    pub barriers: u64,
}

/// The free resources of every compute unit: a policy sees them, and a dispatcher keeps account of
/// them. Two values are equal if the same amounts are free.
#[derive(Clone, Debug)]
pub struct Cus {
    shape: CuShape,
    cus: Vec<CuFree>,
    /// The units on which something was freed since [`Cus::watch`]; `None` if that is not known.
    freed: Option<CuSet>,
}

impl PartialEq for Cus {
    fn eq(&self, other: &Self) -> bool {
        (&self.shape, &self.cus) == (&other.shape, &other.cus)
    }
}

impl Eq for Cus {}

impl Cus {
    /// `count` empty compute units of one shape.
    ///
    /// A shape that fails [`CuShape::check`] has room for nothing.
    #[must_use]
    pub fn new(shape: CuShape, count: u16) -> Self {
        let usable = CuShape { simds: shape.simds.min(MAX_SIMDS as u8), ..shape };
        let cus = vec![CuFree::empty(&usable); usize::from(count)];
        Self { shape: usable, cus, freed: None }
    }

    /// From now on, records the units on which something is freed. The owner calls this when a
    /// policy that was shown this account has answered that it waits.
    pub fn watch(&mut self) {
        match &mut self.freed {
            Some(freed) => freed.clear(),
            none => *none = Some(CuSet::empty(self.cus.len())),
        }
    }

    /// Records that something may have been freed on any unit, for example because a unit was shown
    /// as full before.
    pub fn forget_freed(&mut self) {
        if let Some(freed) = &mut self.freed {
            (0..self.cus.len()).for_each(|cu| freed.insert(cu));
        }
    }

    /// The compute units on which more may be free than when the policy last answered that it
    /// waits; `None` if that may be any unit.
    #[must_use]
    pub const fn freed(&self) -> Option<&CuSet> {
        self.freed.as_ref()
    }

    /// What an empty compute unit holds.
    #[must_use]
    pub const fn shape(&self) -> &CuShape {
        &self.shape
    }

    /// How many compute units there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.cus.len()
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.cus.is_empty()
    }

    /// All ids, ascending.
    pub fn ids(&self) -> impl Iterator<Item = CuId> + use<> {
        // `new` takes a u16 count, so every position is a CuId.
        (0..self.cus.len() as u16).map(CuId)
    }

    #[inline]
    fn get(&self, cu: CuId) -> Option<&CuFree> {
        self.cus.get(cu.index())
    }

    /// Free wave slots and vector-register granules of one SIMD; none where there is no such SIMD.
    #[must_use]
    pub fn simd(&self, cu: CuId, simd: u8) -> (u16, u16) {
        let of = |cu: &CuFree| {
            Some((*cu.waves.get(usize::from(simd))?, *cu.vgpr.get(usize::from(simd))?))
        };
        self.get(cu).and_then(of).unwrap_or_default()
    }

    /// The free resources of one compute unit, summed; nothing if there is no such unit.
    #[must_use]
    #[inline]
    pub fn free(&self, cu: CuId) -> Free {
        self.get(cu).map_or_else(Free::default, CuFree::sum)
    }

    /// The demand as this device counts it: without scalar registers if they never limit.
    #[inline]
    fn counted(&self, demand: &Demand) -> Demand {
        let sgpr = if self.shape.sgpr == u16::MAX { 0 } else { demand.sgpr };
        Demand { sgpr, ..*demand }
    }

    /// How many further waves of such a workgroup fit on the SIMDs of `cu`, regardless of its other
    /// resources.
    #[must_use]
    pub fn wave_room(&self, cu: CuId, demand: &Demand) -> u32 {
        let Some(cu) = self.get(cu) else { return 0 };
        (0..usize::from(self.shape.simds))
            .map(|simd| u32::from(cu.wave_room(simd, demand.vgpr)))
            .sum()
    }

    /// How many further whole workgroups fit on `cu` now; 0 for a demand without waves.
    #[must_use]
    pub fn room(&self, id: CuId, demand: &Demand) -> u32 {
        let Some(cu) = self.get(id) else { return 0 };
        let (waves, demand) = (u32::from(demand.waves), self.counted(demand));
        if waves == 0 || sum(&cu.waves) < waves || !cu.has(&demand, 1, waves) {
            return 0;
        }
        let by = |free: u32, each: u32| free.checked_div(each).unwrap_or(u32::MAX);
        let room = u32::from(cu.workgroups)
            .min(by(cu.lds, demand.lds))
            .min(by(cu.barriers.into(), demand.barriers.into()))
            .min(by(cu.sgpr.into(), u32::from(demand.sgpr) * waves));
        room.min(self.wave_room(id, &demand) / waves)
    }

    /// How many further whole workgroups fit on each of these units, without the units on which
    /// none fits. Adjacent units with equal free resources are computed once.
    #[inline]
    pub fn rooms(
        &self,
        units: impl Iterator<Item = CuId>,
        demand: &Demand,
    ) -> impl Iterator<Item = (CuId, u32)> {
        let mut last: Option<(&CuFree, u32)> = None;
        units.filter_map(move |cu| {
            let unit = self.get(cu)?;
            let alike = last.filter(|(before, _)| *before == unit);
            let room = alike.map_or_else(|| self.room(cu, demand), |(_, room)| room);
            last = Some((unit, room));
            (room > 0).then_some((cu, room))
        })
    }

    /// The first resource that keeps one more workgroup off `cu`: resource, wanted, available.
    ///
    /// `None` if it fits. Resources are tested in the order workgroups, waves, VGPR, SGPR, LDS,
    /// barriers.
    #[must_use]
    pub fn lacking(&self, id: CuId, demand: &Demand) -> Option<(Resource, u64, u64)> {
        let Some(cu) = self.get(id) else {
            return Some((Resource::Cus, 1, 0));
        };
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

    /// Why the next workgroup of `launch` does not start on `cu`.
    ///
    /// If it would fit, the refusal names [`Resource::Cus`]: the policy does not allow it there.
    #[must_use]
    pub fn refusal(&self, cu: CuId, launch: &Launch) -> Refusal {
        let (resource, wanted, available) =
            self.lacking(cu, &launch.demand).unwrap_or((Resource::Cus, 1, 0));
        Refusal { launch: launch.id, cu: Some(cu), resource, wanted, available }
    }

    /// Why `launch` can never run here: an empty grid, or a workgroup too large for an empty unit.
    #[must_use]
    pub fn never(&self, launch: &Launch) -> Option<Refusal> {
        let (resource, wanted, available) = if launch.workgroups == 0 {
            (Resource::Grid, 1, 0)
        } else {
            Self::new(self.shape, self.cus.len().min(1) as u16).lacking(CuId(0), &launch.demand)?
        };
        Some(Refusal { launch: launch.id, cu: None, resource, wanted, available })
    }

    /// Takes the resources of `count` whole workgroups on `cu`, and returns on which SIMDs their
    /// waves are. Returns `None`, and takes nothing, if they do not fit.
    pub fn take(&mut self, cu: CuId, demand: &Demand, count: u32) -> Option<Split> {
        let waves = count.checked_mul(u32::from(demand.waves)).filter(|&waves| waves > 0)?;
        let demand = self.counted(demand);
        if !self.get(cu)?.has(&demand, count, waves) {
            return None;
        }
        let split = self.fill(cu, &demand, waves)?;
        self.cus.get_mut(cu.index())?.take(&demand, &split, count);
        Some(split)
    }

    /// Takes the resources of the whole workgroups of all pieces, or of none; `splits` gets the
    /// SIMDs of the waves of each piece. Adjacent units with equal free resources are computed
    /// once.
    ///
    /// # Errors
    /// The first unit that has no room for its piece.
    pub fn take_pieces(
        &mut self,
        demand: &Demand,
        pieces: &[Piece],
        splits: &mut Vec<Split>,
    ) -> Result<(), CuId> {
        splits.clear();
        // The last unit that was computed: its state before, the number of workgroups, its state
        // after, and the SIMDs of their waves.
        let mut last: Option<(CuFree, u32, CuFree, Split)> = None;
        for piece in pieces {
            let (cu, count) = (piece.cu, piece.count);
            let Some(unit) = self.cus.get_mut(cu.index()) else { break };
            if let Some((before, n, after, split)) = &last
                && (n, before) == (&count, &*unit)
            {
                *unit = *after;
                splits.push(*split);
                continue;
            }
            let before = *unit;
            let Some(split) = self.take(cu, demand, count) else { break };
            last = Some((before, count, self.cus[cu.index()], split));
            splits.push(split);
        }
        let Some(refused) = pieces.get(splits.len()) else { return Ok(()) };
        for (piece, split) in pieces.iter().zip(splits) {
            self.give_split(piece.cu, demand, split, piece.count);
        }
        Err(refused.cu)
    }

    /// The SIMDs to which `waves` further waves would go: each to the SIMD with the most room, ties
    /// to the lowest. `None` if the SIMDs have no room for them.
    #[must_use]
    pub fn fill(&self, cu: CuId, demand: &Demand, waves: u32) -> Option<Split> {
        self.get(cu)?.fill(self.shape.simds, demand, waves)
    }

    /// The present state of a compute unit; nothing is free if there is no such unit.
    pub(crate) fn unit(&self, cu: CuId) -> CuFree {
        self.get(cu).copied().unwrap_or_default()
    }

    /// A compute unit in this state with one more workgroup on it; `None` if that does not fit.
    pub(crate) fn with_one_more(&self, unit: &CuFree, demand: &Demand) -> Option<CuFree> {
        let demand = self.counted(demand);
        let waves = u32::from(demand.waves);
        let split = unit.fill(self.shape.simds, &demand, waves)?;
        let mut after = *unit;
        unit.has(&demand, 1, waves).then(|| after.take(&demand, &split, 1))?;
        Some(after)
    }

    /// Takes the resources of these waves on their SIMDs, and the slots, barriers and LDS of
    /// `groups` workgroups. Returns `false`, and takes nothing, if they are not free.
    pub fn take_split(&mut self, cu: CuId, demand: &Demand, split: &Split, groups: u32) -> bool {
        let demand = self.counted(demand);
        let Some(unit) = self.cus.get_mut(cu.index()) else { return false };
        let fits = demand.waves > 0
            && (0..MAX_SIMDS).all(|simd| split[simd] <= unit.wave_room(simd, demand.vgpr))
            && unit.has(&demand, groups, sum(split));
        if fits {
            unit.take(&demand, split, groups);
        }
        fits
    }

    /// Marks `cu` as full from now on. Use it on a copy for a view, since the account of what is on
    /// the unit is lost.
    pub fn close(&mut self, cu: CuId) {
        if let Some(unit) = self.cus.get_mut(cu.index()) {
            *unit = CuFree::default();
        }
    }

    /// Frees what [`Cus::take`] or [`Cus::take_split`] took, or a part of it.
    #[inline]
    pub fn give_split(&mut self, cu: CuId, demand: &Demand, split: &Split, groups: u32) {
        let demand = self.counted(demand);
        if let Some(unit) = self.cus.get_mut(cu.index()) {
            unit.give(&demand, split, groups);
            if let Some(freed) = &mut self.freed {
                freed.insert(cu.index());
            }
        }
    }
}
