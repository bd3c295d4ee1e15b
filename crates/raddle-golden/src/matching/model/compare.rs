//! Which heads fit where, and what do the others lack (seed 000, E1: a3, a32)?

use std::collections::BTreeMap;

use super::{Cu, Head, Left, Record, Split, split};
use raddle_workgroup::Error;

/// A head that fits somewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its channel.
    pub channel: usize,
    /// Where it fits, ascending; at least one.
    pub cus: Vec<usize>,
}

/// One resource of one compute unit that lacks for one head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal<R> {
    /// The head's channel.
    pub channel: usize,
    /// The compute unit.
    pub cu: usize,
    /// The SIMD; `None` for a resource of the whole compute unit.
    pub simd: Option<usize>,
    /// What lacks.
    pub resource: R,
    /// How much is wanted.
    pub wanted: u64,
    /// How much one demand can have.
    pub left: Left,
}

/// Every resource that lacks, the shared ones first, then SIMD by SIMD (a32). Equality fits.
pub fn lacks<R: Ord + Clone>(split: &Split<R>, record: &Record<R>) -> Vec<(Option<usize>, R)> {
    let lacking = |wants: &BTreeMap<R, u64>, left: &BTreeMap<R, Left>| {
        let short = |(resource, wanted): &(&R, &u64)| {
            let left = left.get(*resource).map_or(0, |left| left.amount());
            **wanted > left
        };
        let short = wants.iter().filter(short);
        short.map(|(resource, _)| resource.clone()).collect::<Vec<R>>()
    };
    let mut all: Vec<(Option<usize>, R)> = Vec::new();
    all.extend(lacking(&split.shared, &record.shared).into_iter().map(|resource| (None, resource)));
    for (simd, (group, left)) in split.groups.iter().zip(&record.simds).enumerate() {
        all.extend(lacking(group, left).into_iter().map(|resource| (Some(simd), resource)));
    }
    all
}

/// Compares every head with every compute unit (a3): who fits where, ascending, and what lacks
/// elsewhere, by channel, compute unit, shared before SIMDs, SIMD, resource.
///
/// # Errors
/// As [`split`]; [`Error::RecordCount`] for another number of records than of compute units.
pub fn compare<R: Ord + Clone>(
    heads: &[Option<Head<R>>],
    cus: &[Cu<R>],
    records: &[Record<R>],
) -> Result<(Vec<Candidate>, Vec<Refusal<R>>), Error> {
    if records.len() != cus.len() {
        return Err(Error::RecordCount { records: records.len(), cus: cus.len() });
    }
    let (mut candidates, mut refusals) = (Vec::new(), Vec::new());
    for (channel, head) in heads.iter().enumerate() {
        let Some(head) = head else { continue };
        let mut fits = Vec::new();
        for (index, (cu, record)) in cus.iter().zip(records).enumerate() {
            let wanted = split((channel, &head.wants), (index, cu))?;
            let lacking = lacks(&wanted, record);
            if lacking.is_empty() {
                fits.push(index);
            }
            let refusal =
                |(simd, resource)| refusal((channel, index, simd), resource, &wanted, record);
            refusals.extend(lacking.into_iter().map(refusal));
        }
        if !fits.is_empty() {
            candidates.push(Candidate { channel, cus: fits });
        }
    }
    Ok((candidates, refusals))
}

fn refusal<R: Ord + Clone>(
    (channel, cu, simd): (usize, usize, Option<usize>),
    resource: R,
    split: &Split<R>,
    record: &Record<R>,
) -> Refusal<R> {
    let (wants, left) = match simd {
        None => (&split.shared, &record.shared),
        Some(simd) => (&split.groups[simd], &record.simds[simd]),
    };
    let wanted = wants.get(&resource).copied().unwrap_or_default();
    let left = left.get(&resource).copied().unwrap_or(Left::Free(0));
    Refusal { channel, cu, simd, resource, wanted, left }
}
