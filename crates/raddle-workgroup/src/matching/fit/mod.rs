//! On which compute unit does the next workgroup fit, at which addresses (seed 000, E1)?
//!
//! The index of the `matching` policy has the free resources of every compute unit and, for each
//! demand that is asked for, one bit a compute unit, set where the demand fits. The bits of compute
//! units that have changed are decided anew before the next question, so no placement is tried in
//! vain. The golden model `match` states the same rule more simply; the tests of raddle-golden
//! compare the two.
//!
//! A workgroup's waves are dealt to the SIMDs by the split table (E8): SIMD t gets one run of
//! registers for all of its waves together (the safe reading of E1.5). Scalar registers and LDS
//! belong to the compute unit, one run each for the whole workgroup. A workgroup is placed whole or
//! not at all.
//!
//! Units: granules; indices from 0.

mod class;
mod classes;
mod commit;
mod finder;
mod lack;
mod maps;
mod open;
mod park;
mod resident;
mod row;
mod thresholds;

#[cfg(test)]
mod tests;

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use raddle_policy::{CuId, CuSet, CuShape, FreeRun, LaunchId, Resource, WaitReason};

use crate::Error;
use crate::matching::config::{Balance, Fit};
use crate::matching::search::SearchRule;
use class::{CLASSES, Class};
pub(crate) use class::{Lack, bit};
pub use finder::ResourceSearch;
pub(crate) use finder::shared_finder;
use maps::RunMaps;
pub(crate) use open::OpenCus;
use open::OpenSets;
pub(crate) use resident::{Name, WHOLE};
use resident::{Parked, Residents};
use thresholds::Thresholds;

/// The counts of free resources of one compute unit, and the SIMD that gets the next surplus wave
/// (one beyond an equal number for all SIMDs).
#[derive(Clone, Copy, Debug)]
struct CuState {
    /// The number of free barriers of the compute unit.
    barriers: u16,
    /// The number of workgroups on the compute unit.
    resident: u16,
    /// The number of workgroups that came back after a preemption and found a slot or granule
    /// taken: while there are any, the compute unit takes no new workgroup.
    displaced: u16,
    /// The number of the SIMD that gets the first wave of the next workgroup (called su in patent
    /// 000). The rows of the split table (numbers of waves for each SIMD) are shifted by this
    /// number.
    turn: u8,
    /// The number of the step that gave this compute unit and others equal states; 0 if the unit
    /// has changed by itself since. Such a step fills or frees several units at once.
    alike: u32,
}

/// The compute units of a device, with every granule that is taken and the workgroup that holds it,
/// and for each demand class (workgroups of equal demand) the units on which it fits.
#[derive(Clone, Debug)]
pub(crate) struct Matcher {
    shape: CuShape,
    simds: usize,
    turns: bool,
    /// True if the search reports the longest free run of every granule map.
    exact: bool,
    fit: Fit,
    units: Vec<CuState>,
    /// The number of free wave slots of each SIMD of the device. In this list, as in `vgpr`, the
    /// SIMDs of compute unit c begin at index `c * simds`.
    slots: Vec<u32>,
    vgpr: RunMaps,
    sgpr: RunMaps,
    lds: RunMaps,
    groups: Residents,
    classes: Vec<Class>,
    thresholds: Thresholds,
    /// The demand classes (workgroups of equal demand), one bit for each, that the lists in
    /// `thresholds` cover. Other classes want more of a resource than the lists reach. The field
    /// `kept` has the classes whose set of fitting compute units is up to date.
    apart: u64,
    kept: u64,
    /// The sets of compute units on which the demand classes (workgroups of equal demand) fit; one
    /// entry has the sets of eight classes.
    open: Vec<OpenSets>,
    questions: u64,
    /// The number of the question to the policy at which demand classes (workgroups of equal
    /// demand) were last dropped; `changes` counts the compute units that have changed since.
    dropped: u64,
    changes: usize,
    /// The compute units that have changed since it was last decided which demand classes
    /// (workgroups of equal demand) fit on them.
    stale: CuSet,
    /// The number of the last step that filled or freed several compute units at once.
    alike: u32,
    /// The workgroups that were saved by a preemption, by launch, with the granules to which they
    /// will come back.
    parked: BTreeMap<LaunchId, Vec<Parked>>,
    /// The workgroups that came back after a preemption and found a granule taken: they hold no
    /// granules until they end.
    displaced: Vec<Parked>,
}

impl Matcher {
    /// Returns the free resources of `cus` empty compute units of this shape, arranged so that a
    /// unit with room is found quickly. A shape that fails [`CuShape::check`] has room for nothing.
    ///
    /// # Errors
    /// Where a resource of the shape cannot be searched by the rule `search`, or no memory could
    /// hold the granule maps.
    pub(crate) fn new(
        shape: CuShape,
        cus: u16,
        search: &SearchRule,
        balance: Balance,
    ) -> Result<Self, Error> {
        let usable = shape.check().is_ok();
        let shape = if usable { shape } else { CuShape { simds: 0, ..shape } };
        let (simds, count) = (usize::from(shape.simds), usize::from(cus));
        if let SearchRule::Shared { width } = *search {
            shared_finder(width, &shape)?;
        }
        let exact = matches!(search, SearchRule::Full | SearchRule::Shared { .. });
        let maps = |resource, maps, granules: u32| {
            RunMaps::new(search.of(resource, granules)?, resource, maps, granules, exact)
        };
        let sgpr = if shape.sgpr == u16::MAX { 0 } else { u32::from(shape.sgpr) };
        // Every workgroup has a wave, so a unit holds no more workgroups than waves.
        let most = u32::from(shape.workgroups).min(shape.waves()) as usize;
        let turn = u8::from(balance == Balance::Tail && simds > 1);
        let unit = CuState { barriers: shape.barriers, resident: 0, displaced: 0, turn, alike: 0 };
        Ok(Self {
            simds,
            turns: balance != Balance::Fixed,
            exact,
            fit: Fit::First,
            units: vec![unit; count],
            slots: vec![shape.waves_per_simd.into(); count * simds],
            vgpr: maps(Resource::Vgpr, count * simds, shape.vgpr_per_simd.into())?,
            sgpr: maps(Resource::Sgpr, count, sgpr)?,
            lds: maps(Resource::Lds, count, shape.lds)?,
            groups: Residents::new(count, most, &shape),
            classes: Vec::with_capacity(CLASSES),
            thresholds: Thresholds::new(&shape),
            apart: 0,
            kept: 0,
            open: Vec::new(),
            questions: 0,
            dropped: 0,
            changes: 0,
            stale: CuSet::empty(count),
            alike: 0,
            parked: BTreeMap::new(),
            displaced: Vec::new(),
            shape,
        })
    }

    /// Returns this matcher with `fit` as the rule by which it takes runs of granules.
    pub(crate) fn with_fit(mut self, fit: Fit) -> Self {
        self.fit = fit;
        if fit == Fit::Next {
            for maps in [&mut self.vgpr, &mut self.sgpr, &mut self.lds] {
                maps.remember_ends();
            }
        }
        self
    }

    pub(crate) const fn len(&self) -> usize {
        self.units.len()
    }

    /// Returns the resource that even an empty compute unit lacks for a workgroup of a demand class
    /// (workgroups of equal demand); `None` where the workgroup fits on an empty unit.
    pub(crate) fn never(&self, class: usize) -> Option<Lack> {
        self.classes[class].never
    }

    /// Returns the most waves that a compute unit can have.
    pub(crate) fn waves(&self) -> u32 {
        self.shape.waves()
    }

    /// Returns the lowest compute unit at or above `from` on which a workgroup of a demand class
    /// (workgroups of equal demand) fits; `None` where there is none.
    #[inline(always)]
    pub(crate) fn first(&mut self, class: usize, from: usize) -> Option<CuId> {
        let cu = self.open(class).first_from(from);
        // Compute units are numbered by u16.
        cu.map(|cu| CuId(cu as u16))
    }

    /// Returns whether placing a workgroup of a demand class (workgroups of equal demand) changes
    /// which SIMD of the compute unit gets the next surplus wave. After such a change, other demand
    /// classes may fit on the unit.
    pub(crate) fn turns(&self, class: usize) -> bool {
        self.turns && self.classes[class].uneven
    }

    /// Returns whether a workgroup of a demand class (equal demand) fits on any compute unit.
    #[inline(always)]
    pub(crate) fn fits(&mut self, class: usize) -> bool {
        !self.open(class).is_empty()
    }

    /// Returns the free granules and the longest free runs of a compute unit, each summed over its
    /// SIMDs: of vector registers, scalar registers and LDS. These are the true runs, also where
    /// the search reports shorter ones. `None` where there is no such unit.
    pub(crate) fn free_runs(&self, cu: usize) -> Option<[FreeRun; 3]> {
        let maps = cu * self.simds..(cu + 1) * self.simds;
        (cu < self.units.len())
            .then(|| [self.vgpr.all(maps), self.sgpr.all(cu..cu + 1), self.lds.all(cu..cu + 1)])
    }

    /// Returns why a workgroup waits for a resource of the compute unit: too few granules are free,
    /// no free run is long enough, or a free run is long enough but the search does not report it.
    pub(crate) fn reason(&self, cu: CuId, lack: Lack) -> WaitReason {
        let (cu, wanted) = (cu.index(), lack.wanted);
        let maps = match lack.resource {
            Resource::Vgpr => (&self.vgpr, cu * self.simds..(cu + 1) * self.simds),
            Resource::Sgpr => (&self.sgpr, cu..cu + 1),
            Resource::Lds => (&self.lds, cu..cu + 1),
            _ => return WaitReason::NotEnough,
        };
        // A lack names the first SIMD that reports less than is wanted.
        let lacking = |map: &usize| u64::from(maps.0.runs(self.exact)[*map]) == lack.available;
        let Some(map) = maps.1.clone().find(lacking) else { return WaitReason::NotEnough };
        let all = maps.0.all(map..map + 1);
        if all.longest >= wanted {
            WaitReason::NotSeen
        } else if all.free >= wanted {
            WaitReason::InPieces
        } else {
            WaitReason::NotEnough
        }
    }

    /// Returns the free resources of a compute unit: [wave slots, vector registers, scalar
    /// registers, LDS], summed over its SIMDs, in slots and granules. Where `longest` is true,
    /// registers and LDS count only with the longest run that the search reports.
    pub(crate) fn free(&self, cu: usize, longest: bool) -> [u64; 4] {
        let maps = cu * self.simds..(cu + 1) * self.simds;
        let waves = self.slots[maps.clone()].iter().map(|&slots| u64::from(slots)).sum();
        let vgpr = maps.map(|map| self.vgpr.free(map, longest)).sum();
        [waves, vgpr, self.sgpr.free(cu, longest), self.lds.free(cu, longest)]
    }
}
