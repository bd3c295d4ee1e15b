//! How does a policy keep the addresses of what it placed?
//!
//! Its own memory beside the counted view: an allocator made at the first question, kept up to date
//! by the policy's own answers and by what it hears.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use raddle_policy::{
    CuId, Cus, Fact, Launch, Piece, Preemption, ReadyLaunch, Refusal, Resource, Round, WaveSpan,
};

use crate::allocator::{Allocator, SimdRule};

/// Which SIMD of a compute unit a wave goes to, where a policy keeps addresses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Rotation {
    /// The one with room for most further such waves, ties to the lowest; nothing is remembered.
    #[default]
    None,
    /// The next after the SIMD of the last wave on this compute unit, as the placement contract
    /// has it. Refusals move it too, so law 4 of `Allocate` does not hold. Implies addresses.
    Peer,
}

/// Addresses of everything that a policy placed.
#[derive(Clone, Debug)]
pub(crate) struct Addressed {
    rule: Rotation,
    allocator: Option<Allocator>,
    /// The SIMD with which the rotation of each compute unit goes on.
    rotations: Vec<u8>,
}

impl Addressed {
    /// `None` where neither addresses nor the peer's rotation are wanted.
    pub(crate) fn new(addresses: bool, rule: Rotation) -> Option<Self> {
        (addresses || rule == Rotation::Peer).then_some(Self {
            rule,
            allocator: None,
            rotations: Vec::new(),
        })
    }

    /// Places one workgroup of `entry`, with addresses, on the first compute unit of these
    /// ranges that it fits; which.
    pub(crate) fn place(
        &mut self,
        cus: &Cus,
        ranges: [Range<u16>; 2],
        (entry, workgroup): (&ReadyLaunch, u64),
        round: &mut Round,
    ) -> Option<CuId> {
        let allocator = self.allocator.get_or_insert_with(|| {
            self.rotations = vec![0; cus.len()];
            // Compute units are numbered by u16.
            Allocator::new(*cus.shape(), cus.len() as u16)
        });
        let launch = &entry.launch;
        let [first, second] = ranges.map(|range| allocator.not_full(range, &launch.demand));
        let plan = first.chain(second).find_map(|cu| {
            let rotation = self.rotations.get_mut(cu.index())?;
            let rule = match self.rule {
                Rotation::None => SimdRule::MostRoom,
                Rotation::Peer => SimdRule::From(*rotation),
            };
            let probed = allocator.probe(cu, &launch.demand, rule);
            *rotation = match &probed {
                Ok(plan) => plan.rotation(),
                Err(refused) => refused.rotation,
            };
            probed.ok()
        })?;
        let cu = plan.cu();
        // Refused only if the workgroup lies there already, which no dispatcher asks for.
        let places = allocator.commit(plan, launch.id, workgroup).ok()?;
        round.places.extend_from_slice(places);
        push(&mut round.pieces, workgroup, cu);
        Some(cu)
    }

    /// Why the next workgroup of `launch` does not go on `cu`: what lacks when counted, or else the
    /// longest run that is free.
    pub(crate) fn refusal(&self, cus: &Cus, cu: CuId, launch: &Launch) -> Refusal {
        let counted = cus.refusal(cu, launch);
        match &self.allocator {
            // Counted, it would fit.
            Some(allocator) if counted.resource == Resource::Cus => {
                allocator.fragmentation(launch.id, cu, &launch.demand)
            }
            _ => counted,
        }
    }

    pub(crate) fn observe(&mut self, fact: &Fact<'_>) {
        let Some(allocator) = &mut self.allocator else {
            return;
        };
        match fact {
            Fact::Ended { launch, waves: WaveSpan::All, pieces } => {
                for piece in *pieces {
                    for workgroup in piece.workgroups() {
                        // What does not lie there was not placed by this policy.
                        let _ = allocator.release(piece.cu, launch.id, workgroup);
                    }
                }
            }
            Fact::TakenOff { launch, how } => match how {
                Preemption::Reset => allocator.release_launch(launch.id),
                Preemption::Switch => allocator.save(launch.id),
                _ => {}
            },
            Fact::Returning { launch } | Fact::Restored { launch } => {
                allocator.restore(launch.id);
            }
            _ => {}
        }
    }
}

/// Adds the next workgroup, to the last piece if that is on the same compute unit.
fn push(pieces: &mut Vec<Piece>, workgroup: u64, cu: CuId) {
    match pieces.last_mut() {
        Some(last) if last.cu == cu => {
            last.count += 1;
        }
        _ => pieces.push(Piece::one(workgroup, cu)),
    }
}
