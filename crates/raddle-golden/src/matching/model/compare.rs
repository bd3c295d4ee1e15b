//! Which heads (first workgroups) of channels fit which compute units, and which resources do the
//! others lack (seed 000, E1, a3 and a32)?

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Cu, CuRecord, Left, MatchHead, SplitDemand, split};
use crate::ModelError;

/// A head (first workgroup of a channel) that fits at least one compute unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Candidate {
    /// Index of the channel whose head (first workgroup) fits.
    pub channel: usize,
    /// Indices of the compute units that the head (first workgroup of the channel) fits, ascending;
    /// at least one.
    pub cus: Vec<usize>,
}

/// One resource of which a compute unit has too little for the head (first workgroup) of a channel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LackingResource<R> {
    /// Index of the channel whose head (first workgroup) lacks the resource.
    pub channel: usize,
    /// Index of the compute unit that lacks the resource.
    pub cu: usize,
    /// SIMD that lacks the resource; `None` for a resource of the whole compute unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub simd: Option<usize>,
    /// Resource of which the compute unit or SIMD has too little left.
    pub resource: R,
    /// Amount of the resource that the head (first workgroup of the channel) wants, in blocks.
    pub wanted: u64,
    /// Amount of the resource that is left for the workgroup on the compute unit: the free amount
    /// or, where it needs neighbouring blocks, the length of the longest free run.
    #[serde(flatten)]
    pub left: Left,
}

/// Compares the head (first workgroup) of every channel with the free resources of every compute
/// unit (step a3 of patent 000). A head fits a unit if it wants no more of any resource than is
/// left; a resource that the unit does not have counts as 0.
///
/// Returns (the heads that fit, each with its compute units, ascending; the resources of which too
/// little is left). The latter are sorted by channel, then by compute unit; on a unit, the shared
/// resources come before those of each SIMD.
///
/// # Errors
/// The errors of [`split`].
pub fn compare<R: Ord + Clone>(
    heads: &[Option<MatchHead<R>>],
    cus: &[Cu<R>],
    records: &[CuRecord<R>],
) -> Result<(Vec<Candidate>, Vec<LackingResource<R>>), ModelError> {
    let (mut candidates, mut refusals) = (Vec::new(), Vec::new());
    for (channel, head) in heads.iter().enumerate() {
        let Some(head) = head else { continue };
        let mut fits = Vec::new();
        for (index, (cu, record)) in cus.iter().zip(records).enumerate() {
            let wanted = split((channel, &head.wants), (index, cu))?;
            let before = refusals.len();
            lacking(&wanted, record, |simd, resource, wanted, left| {
                refusals.push(LackingResource { channel, cu: index, simd, resource, wanted, left });
            });
            if refusals.len() == before {
                fits.push(index);
            }
        }
        if !fits.is_empty() {
            candidates.push(Candidate { channel, cus: fits });
        }
    }
    Ok((candidates, refusals))
}

/// Calls `each` for every resource of a compute unit of which a demand wants more than is left,
/// with (SIMD; resource; amount wanted; amount left). The SIMD is `None` for resources that the
/// SIMDs share, which come first.
fn lacking<R: Ord + Clone>(
    split: &SplitDemand<R>,
    record: &CuRecord<R>,
    mut each: impl FnMut(Option<usize>, R, u64, Left),
) {
    let mut compare = |simd, wants: &BTreeMap<R, u64>, left: &BTreeMap<R, Left>| {
        for (resource, &wanted) in wants {
            let left = left.get(resource).copied().unwrap_or(Left::Free(0));
            if wanted > left.amount() {
                each(simd, resource.clone(), wanted, left);
            }
        }
    };
    compare(None, &split.shared, &record.shared);
    for (simd, (group, left)) in split.groups.iter().zip(&record.simds).enumerate() {
        compare(Some(simd), group, left);
    }
}
