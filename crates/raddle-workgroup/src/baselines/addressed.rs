//! How does a policy keep the addresses of the workgroups that it placed?
//!
//! The view that a policy gets shows free amounts only. So the policy has an allocator of its own,
//! made at the first question and kept up to date by the policy's answers and by the facts that it
//! is told.

use alloc::vec::Vec;
use core::ops::Range;

use raddle_policy::{
    Answer, CuId, Cus, Fact, FreeRun, Launch, Piece, ReadyLaunch, ReadyView, Refusal, Resource,
    Round, WaveSpan,
};

use crate::allocator::{Allocator, SimdRule};

/// The settings of the policies [`RoundRobin`](crate::RoundRobin) and [`Greedy`](crate::Greedy).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", default, deny_unknown_fields))]
pub struct BaselineConfig {
    /// True if the policy gives each wave an address (SIMD, and first granules of registers and
    /// LDS). Then a workgroup waits where enough granules are free but too few of them are
    /// neighbours.
    pub(crate) addresses: bool,
}

impl BaselineConfig {
    /// Sets whether the policy gives each wave an address (SIMD, and first granules of registers
    /// and LDS). Then a workgroup waits where enough granules are free but too few of them are
    /// neighbours.
    #[must_use]
    pub const fn with_addresses(mut self, addresses: bool) -> Self {
        self.addresses = addresses;
        self
    }
}

/// The addresses (SIMD, and first granules of registers and LDS of each wave) of all workgroups
/// that a policy has placed and that have not ended. A policy that avoids fragmentation keeps such
/// a list, because the view that it gets shows only free amounts, and not which runs of granules
/// are free.
///
/// ```
/// use raddle_policy::{Allocate, Answer, CuId, Fact, FreeRun, ReadyView, Round, Tick};
/// use raddle_workgroup::PlacedAddresses;
///
/// /// Starts each workgroup on the compute unit whose free LDS is least in one piece.
/// #[derive(Clone, Debug, Default)]
/// struct Pieces(PlacedAddresses);
///
/// impl Allocate for Pieces {
///     fn allocate(&mut self, ready: &ReadyView<'_>, _: Tick, round: &mut Round) -> Answer {
///         for entry in ready.launches().iter().filter(|entry| entry.undistributed() > 0) {
///             let demand = &entry.launch().demand;
///             let mut cus: Vec<CuId> =
///                 ready.cus().ids().filter(|&cu| ready.cus().room(cu, demand) > 0).collect();
///             cus.sort_by_cached_key(|&cu| self.0.free_runs(cu).map(|[.., lds]| lds.longest));
///             let start = cus.into_iter().find_map(|cu| self.0.start(ready, cu, entry, round));
///             if let Some(start) = start {
///                 return start;
///             }
///             round.refuse(self.0.refusal(ready.cus(), CuId(0), entry.launch()));
///         }
///         Answer::WAIT
///     }
///
///     fn observe(&mut self, fact: &Fact<'_>, _: Tick) {
///         self.0.observe(fact);
///     }
/// }
/// # let shape = raddle_policy::CuShape { simds: 1, waves_per_simd: 4, vgpr_per_simd: 8, sgpr: 8,
/// #     lds: 8, workgroups: 4, barriers: 4 };
/// # let cus = raddle_policy::Cus::new(shape, 1);
/// # let demand = raddle_policy::Demand { waves: 1, vgpr: 1, lds: 3, ..Default::default() };
/// # let mut launch = raddle_policy::Launch::default();
/// # (launch.workgroups, launch.demand) = (2, demand);
/// # let entry = raddle_policy::ReadyLaunch::new(launch, Tick::ZERO);
/// # let (mut policy, mut round) = (Pieces::default(), Round::default());
/// # let launches = [entry];
/// # let view = ReadyView::new(&launches, &cus);
/// # assert!(matches!(policy.allocate(&view, Tick::ZERO, &mut round), Answer::Start { .. }));
/// # assert_eq!(policy.0.free_runs(CuId(0)).map(|[.., lds]| (lds.free, lds.longest)), Some((5, 5)));
/// ```
#[derive(Clone, Debug, Default)]
pub struct PlacedAddresses {
    /// The allocator of addresses. `None` until the first question to the policy, as only then the
    /// number of compute units is known.
    allocator: Option<Allocator>,
}

impl PlacedAddresses {
    /// Places the next workgroup of `entry` on a compute unit, adds the workgroup and its addresses
    /// to `round`, and returns the answer that starts it; `None` where it does not fit there.
    pub fn start(
        &mut self,
        ready: &ReadyView<'_>,
        cu: CuId,
        entry: &ReadyLaunch,
        round: &mut Round,
    ) -> Option<Answer> {
        let ranges = [cu.0..cu.0.saturating_add(1), 0..0];
        self.place(ready.cus(), ranges, (entry, entry.next()), round)?;
        Some(Answer::Start { launch: entry.launch().id, waves: WaveSpan::All })
    }

    /// Places one workgroup of `entry`, with addresses, on the first compute unit of `ranges` on
    /// which it fits. Returns that compute unit; `None` where it fits on none.
    pub(crate) fn place(
        &mut self,
        cus: &Cus,
        ranges: [Range<u16>; 2],
        (entry, workgroup): (&ReadyLaunch, u64),
        round: &mut Round,
    ) -> Option<CuId> {
        let allocator = self.allocator.get_or_insert_with(|| {
            // Compute units are numbered by u16.
            Allocator::new(*cus.shape(), cus.len() as u16)
        });
        let launch = &entry.launch();
        let [first, second] = ranges.map(|range| allocator.not_full(range, &launch.demand));
        let plan = first
            .chain(second)
            .find_map(|cu| allocator.probe(cu, &launch.demand, SimdRule::MostRoom).ok())?;
        let cu = plan.cu();
        // Refused only if the workgroup lies there already, which no dispatcher asks for.
        let places = allocator.commit(plan, launch.id, workgroup).ok()?;
        round.places.extend_from_slice(places);
        push(&mut round.pieces, workgroup, cu);
        Some(cu)
    }

    /// Returns the refusal of the next workgroup of `launch` on `cu`: the resource of which too few
    /// granules are free, or else too few in one free run.
    #[must_use]
    pub fn refusal(&self, cus: &Cus, cu: CuId, launch: &Launch) -> Refusal {
        let counted = cus.refusal(cu, launch);
        match &self.allocator {
            // By counting alone the workgroup would fit, so its resources lie in pieces.
            Some(allocator) if counted.resource == Resource::Cus => {
                allocator.fragmentation(launch.id, cu, &launch.demand)
            }
            _ => counted,
        }
    }

    /// Returns the free granules and the longest free runs of a compute unit, each summed over its
    /// SIMDs: of vector registers, scalar registers and LDS. `None` before the first workgroup is
    /// placed.
    #[must_use]
    pub fn free_runs(&self, cu: CuId) -> Option<[FreeRun; 3]> {
        self.allocator.as_ref()?.free_runs(cu)
    }

    /// Updates the addresses by a fact that the policy has been told: workgroups ended, left the
    /// device or came back.
    pub fn observe(&mut self, fact: &Fact<'_>) {
        let Some(allocator) = &mut self.allocator else {
            return;
        };
        match fact {
            Fact::Ended { launch, waves: WaveSpan::All, pieces } => {
                for piece in *pieces {
                    for workgroup in piece.workgroups() {
                        // A workgroup that does not lie there was not placed by this policy.
                        let _ = allocator.release(piece.cu, launch.id, workgroup);
                    }
                }
            }
            Fact::TakenOff { launch, how } if how.saves() => allocator.save(launch.id),
            Fact::TakenOff { launch, how } if how.frees_places() => {
                allocator.release_launch(launch.id);
            }
            Fact::Returning { launch } | Fact::Restored { launch } => {
                allocator.restore(launch.id);
            }
            _ => {}
        }
    }
}

/// Adds a workgroup to the pieces (equal workgroups on one compute unit) of an answer: to the last
/// piece if that piece is on the compute unit `cu`, else as a new piece.
fn push(pieces: &mut Vec<Piece>, workgroup: u64, cu: CuId) {
    match pieces.last_mut() {
        Some(last) if last.cu == cu => {
            last.count += 1;
        }
        _ => pieces.push(Piece::one(workgroup, cu)),
    }
}
