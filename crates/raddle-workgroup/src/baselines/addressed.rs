//! How does a policy keep the addresses of the workgroups that it placed?
//!
//! Its own memory beside the counted view: an allocator made at the first question, kept up to date
//! by the policy's own answers and by what it hears.

use alloc::vec::Vec;
use core::ops::Range;

use raddle_policy::{
    CuId, Cus, Fact, FreeRun, Launch, Piece, ReadyLaunch, Refusal, Resource, Round, WaveSpan,
};

use crate::allocator::{Allocator, SimdRule};

/// The settings of the policies [`RoundRobin`](crate::RoundRobin) and [`Greedy`](crate::Greedy).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", default, deny_unknown_fields))]
pub struct BaselineConfig {
    /// True if answers carry the address of each wave (SIMD, and first granules of registers and
    /// LDS), so that a workgroup waits where enough granules are free but too few of them are
    /// neighbours.
    pub addresses: bool,
}

/// The addresses (SIMD, and first granules of registers and LDS of each wave) of all workgroups
/// that a policy has placed and that have not ended.
#[derive(Clone, Debug, Default)]
pub(crate) struct Addressed {
    /// The allocator of addresses; `None` before the first question to the policy, which shows how
    /// many compute units the device has.
    allocator: Option<Allocator>,
}

impl Addressed {
    /// Places one workgroup of `entry`, with addresses, on the first compute unit of these ranges
    /// on which it fits. Returns that compute unit; `None` where it fits on none.
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
        let launch = &entry.launch;
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
    pub(crate) fn refusal(&self, cus: &Cus, cu: CuId, launch: &Launch) -> Refusal {
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
    /// SIMDs: of vector registers, scalar registers and LDS. `None` before the first question to
    /// the policy.
    pub(crate) fn free_runs(&self, cu: CuId) -> Option<[FreeRun; 3]> {
        self.allocator.as_ref()?.free_runs(cu)
    }

    pub(crate) fn observe(&mut self, fact: &Fact<'_>) {
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
/// piece if that is on the compute unit `cu`, else as a new piece.
fn push(pieces: &mut Vec<Piece>, workgroup: u64, cu: CuId) {
    match pieces.last_mut() {
        Some(last) if last.cu == cu => {
            last.count += 1;
        }
        _ => pieces.push(Piece::one(workgroup, cu)),
    }
}
