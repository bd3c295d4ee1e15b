//! How much of each resource does a workgroup of one demand want, and on which compute units does
//! it fit?
//!
//! Workgroups of equal demand are one class.

use alloc::boxed::Box;
use alloc::vec::Vec;

use raddle_policy::{CuId, Demand, LaunchId, MAX_SIMDS, Place, Refusal, Resource};

use super::resident::RunStarts;
use super::row::FilledCu;

/// The number of demand classes (workgroups of equal demand) that are kept. Beyond it, the class
/// that was asked for longest ago makes room for a new one. Classes that the present question asks
/// for, or that have workgroups on the device, always stay.
pub(super) const CLASSES: usize = 64;

/// Returns the bit that stands for a demand class (workgroups of equal demand) in a set of classes;
/// 0 for a class beyond the first 64.
#[inline]
pub(crate) const fn bit(class: usize) -> u64 {
    if class < CLASSES { 1 << class } else { 0 }
}

/// The resource of which a compute unit has too little for a workgroup, with the wanted and the
/// available amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lack {
    pub(super) resource: Resource,
    pub(super) wanted: u64,
    pub(super) available: u64,
}

impl Lack {
    pub(super) fn new(
        resource: Resource,
        wanted: impl Into<u64>,
        available: impl Into<u64>,
    ) -> Self {
        Self { resource, wanted: wanted.into(), available: available.into() }
    }

    pub(crate) const fn resource(self) -> Resource {
        self.resource
    }

    /// Returns the refusal of a launch that says that the compute unit `cu` lacks this resource;
    /// where `cu` is `None`, that all units lack it.
    pub(crate) const fn refusal(self, launch: LaunchId, cu: Option<CuId>) -> Refusal {
        let Self { resource, wanted, available } = self;
        Refusal { launch, cu, resource, wanted, available }
    }
}

/// The amounts that a workgroup wants of a compute unit, or that a compute unit has free, in slots
/// and granules. Of registers and LDS, an amount is the length of one run of neighbouring granules.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CuAmounts {
    /// Amounts that the SIMDs share: (workgroup slots, run of scalar registers, run of LDS,
    /// barriers).
    pub(super) shared: [u32; 4],
    /// The number of wave slots that are wanted or free on each SIMD; the index is the number of
    /// the SIMD.
    pub(super) waves: [u32; MAX_SIMDS],
    /// The length in granules of the run of vector registers that is wanted or free on each SIMD;
    /// the index is the number of the SIMD.
    pub(super) vgpr: [u32; MAX_SIMDS],
}

impl CuAmounts {
    /// Returns the amounts that a workgroup wants of a compute unit, where its first wave goes to
    /// SIMD `turn` and the next waves to the SIMDs behind it, one each in turn. Scalar registers
    /// count as 0 where `sgpr_limits` is false.
    fn wanted(demand: &Demand, turn: usize, simds: usize, sgpr_limits: bool) -> Self {
        let Demand { waves, vgpr, sgpr, lds, barriers } = *demand;
        let sgpr = if sgpr_limits { u32::from(sgpr) * u32::from(waves) } else { 0 };
        let shared = [1, sgpr, lds, barriers.into()];
        let mut wanted = Self { shared, ..Self::default() };
        if simds == 0 {
            // A compute unit without SIMDs has no wave slots, so the waves are what lacks.
            wanted.waves[0] = waves.into();
        }
        for place in 0..simds {
            let simd = (turn + place) % simds;
            let (base, surplus) = (usize::from(waves) / simds, usize::from(waves) % simds);
            // A SIMD gets no more waves than the workgroup has, which is a u16.
            wanted.waves[simd] = (base + usize::from(place < surplus)) as u32;
            wanted.vgpr[simd] = wanted.waves[simd] * u32::from(vgpr);
        }
        wanted
    }

    /// Returns the first resource of which these amounts are larger than the amounts in `have`,
    /// with both amounts; `None` where no amount is larger.
    pub(super) fn lack(&self, have: &Self) -> Option<Lack> {
        const SHARED: [Resource; 4] =
            [Resource::Workgroups, Resource::Sgpr, Resource::Lds, Resource::Barriers];
        let of = |resource: Resource, wanted: &[u32], have: &[u32]| {
            let lacking = wanted.iter().zip(have).find(|(wanted, have)| wanted > have);
            lacking.map(|(&wanted, &have)| Lack::new(resource, wanted, have))
        };
        let shared = |at: usize| of(SHARED[at], &self.shared[at..=at], &have.shared[at..=at]);
        shared(0)
            .or_else(|| of(Resource::Waves, &self.waves, &have.waves))
            .or_else(|| of(Resource::Vgpr, &self.vgpr, &have.vgpr))
            .or_else(|| (1..4).find_map(shared))
    }
}

/// A demand class: all workgroups of one demand, with everything that is computed once for it.
#[derive(Clone, Debug)]
pub(super) struct Class {
    pub(super) demand: Demand,
    /// The amounts that a workgroup of the demand class (workgroups of equal demand) wants of a
    /// compute unit; the index is the SIMD that gets the workgroup's first wave.
    wanted: [CuAmounts; MAX_SIMDS],
    /// The number of SIMDs that get waves of one workgroup: the SIMD of the first wave, and the
    /// SIMDs behind it.
    used: usize,
    /// True if the waves of a workgroup do not divide equally among the SIMDs, so that some get one
    /// more than others.
    pub(super) uneven: bool,
    /// The resource that even an empty compute unit lacks for a workgroup; `None` where the demand
    /// class (workgroups of equal demand) fits on an empty unit.
    pub(super) never: Option<Lack>,
    /// The number of the last question to the policy that asked for the demand class (workgroups of
    /// equal demand).
    pub(super) asked: u64,
    /// The number of workgroups of the demand class (workgroups of equal demand) on the device; the
    /// class is not dropped while there are any.
    pub(super) resident: u32,
    /// For each SIMD that may get the first wave, the state of a compute unit that was empty and
    /// then filled with workgroups of this demand class alone; `None` where there is no such state
    /// yet. Other empty units are filled in one step by copying it.
    pub(super) filled: [Option<Box<FilledCu>>; MAX_SIMDS],
}

impl Class {
    pub(super) fn new(demand: &Demand, simds: usize, sgpr_limits: bool) -> Self {
        let mut wanted = [CuAmounts::default(); MAX_SIMDS];
        for (turn, wanted) in wanted.iter_mut().enumerate().take(simds.max(1)) {
            *wanted = CuAmounts::wanted(demand, turn, simds, sgpr_limits);
        }
        Self {
            demand: *demand,
            wanted,
            used: simds.min(usize::from(demand.waves)),
            uneven: !usize::from(demand.waves).is_multiple_of(simds.max(1)),
            never: None,
            asked: 0,
            resident: 0,
            filled: [const { None }; MAX_SIMDS],
        }
    }

    /// Returns the amounts that a workgroup takes where SIMD `turn` gets its first wave.
    #[inline(always)]
    pub(super) fn wanted(&self, turn: u8) -> &CuAmounts {
        &self.wanted[usize::from(turn) % MAX_SIMDS]
    }

    /// Returns the SIMDs that get waves of a workgroup, from the SIMD `turn` of the first wave on.
    #[inline(always)]
    pub(super) fn simds(&self, turn: u8, simds: usize) -> impl Iterator<Item = usize> + use<> {
        let turn = usize::from(turn);
        (turn..turn + self.used).map(move |at| {
            // The list goes around at most once.
            (if at < simds { at } else { at - simds }) % MAX_SIMDS
        })
    }

    /// Adds the address of each wave of a workgroup to `places`: wave w is on the SIMD with the
    /// number (turn + w) modulo the number of SIMDs, behind the earlier waves of that SIMD.
    #[inline(always)]
    pub(super) fn write_places(
        &self,
        simds: usize,
        turn: u8,
        runs: &RunStarts,
        places: &mut Vec<Place>,
    ) {
        let Demand { waves, vgpr, sgpr, .. } = self.demand;
        // Where scalar registers never limit they have no address.
        let sgpr = if self.wanted(turn).shared[1] == 0 { 0 } else { sgpr };
        let (turn, lds) = (usize::from(turn), runs.lds);
        let (mut simd, mut behind, mut scalar) = (turn, 0_u16, runs.sgpr);
        places.extend((0..waves).map(|_| {
            // A SIMD has no more granules than a u16 counts.
            let first = runs.vgpr[simd % MAX_SIMDS] as u16 + behind;
            // There are at most 8 SIMDs.
            let place = Place { simd: simd as u8, vgpr: first, sgpr: scalar, lds };
            scalar = scalar.wrapping_add(sgpr);
            simd = if simd + 1 < simds { simd + 1 } else { 0 };
            if simd == turn {
                behind = behind.wrapping_add(vgpr);
            }
            place
        }));
    }
}

/// Returns whether two demands are equal, by two comparisons instead of one for each field.
#[inline(always)]
pub(super) const fn same(a: &Demand, b: &Demand) -> bool {
    const fn counted(of: &Demand) -> u64 {
        let Demand { waves, vgpr, sgpr, barriers, .. } = *of;
        waves as u64 | (vgpr as u64) << 16 | (sgpr as u64) << 32 | (barriers as u64) << 48
    }
    counted(a) == counted(b) && a.lds == b.lds
}
