//! How much does a workgroup want of a compute unit, SIMD by SIMD (seed 000, E1, a1 and a31)?
//!
//! Units: blocks, the smallest amounts of a resource that are handed out; waves.

use std::collections::BTreeMap;

use raddle_workgroup::balance;

use super::Cu;
use crate::ModelError;

/// The head of a channel: the first workgroup that waits in the channel, and is the next to start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchHead<R> {
    /// Level of urgency of the workgroup, counted from 0; the order given to the decision says
    /// which level is the most urgent.
    pub level: usize,
    /// Demand of the workgroup: the amounts of resources that it needs.
    pub wants: Wants<R>,
}

/// Demand of a workgroup by resource. A resource that is not named, or named with the amount 0, is
/// not needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wants<R> {
    /// Demand that gives amounts for each SIMD: those that all waves on the SIMD need together, as
    /// neighbouring blocks of each resource.
    Groups {
        /// Amounts in blocks that all waves of the workgroup need together, by resource.
        shared: BTreeMap<R, u64>,
        /// Amounts in blocks that the waves on each SIMD need, by resource; the index is the number
        /// of the SIMD.
        groups: Vec<BTreeMap<R, u64>>,
    },
    /// Demand that gives amounts for each wave. The pointer of a compute unit (to the SIMD that
    /// gets the next surplus wave) decides how many waves go to each SIMD.
    Waves {
        /// Amounts in blocks that all waves of the workgroup need together, by resource.
        shared: BTreeMap<R, u64>,
        /// Number of waves of the workgroup.
        waves: u64,
        /// Amounts in blocks that each wave of the workgroup needs, by resource.
        each: BTreeMap<R, u64>,
    },
}

/// Demand of a workgroup on one compute unit, divided among its SIMDs (step a31 of patent 000).
#[derive(Debug)]
pub struct SplitDemand<R> {
    /// Amounts in blocks that all waves of the workgroup need together, by resource.
    pub shared: BTreeMap<R, u64>,
    /// Amounts in blocks that the waves on each SIMD need, by resource; the index is the number of
    /// the SIMD.
    pub groups: Vec<BTreeMap<R, u64>>,
    /// Number of waves for each SIMD; `None` unless the workgroup was given as a number of waves.
    pub target: Option<balance::Target>,
}

/// Splits the demand of a workgroup, the first one of the channel `channel`, over the SIMDs of the
/// compute unit `cu` (step a31 of patent 000). The numbers of the channel and of the unit (`index`)
/// are only used in errors.
///
/// # Errors
/// [`ModelError::GroupCount`] where amounts are given for more or fewer SIMDs than the compute unit
/// has; [`ModelError::NoPointer`] and those of [`balance::Pointer::target`] where waves cannot be
/// balanced; [`ModelError::Wanted`] where an amount is beyond 64 bits.
pub fn split<R: Ord + Clone>(
    (channel, wants): (usize, &Wants<R>),
    (index, cu): (usize, &Cu<R>),
) -> Result<SplitDemand<R>, ModelError> {
    match wants {
        Wants::Groups { shared, groups } => {
            let (given, simds) = (groups.len(), cu.simds.len());
            if given != simds {
                return Err(ModelError::GroupCount { channel, groups: given, cu: index, simds });
            }
            Ok(SplitDemand { shared: shared.clone(), groups: groups.clone(), target: None })
        }
        Wants::Waves { shared, waves, each } => {
            let pointer = cu.pointer.as_ref().ok_or(ModelError::NoPointer { cu: index })?;
            let target = pointer.target(*waves)?;
            let group = |waves: u64| {
                let all = |(resource, amount): (&R, &u64)| {
                    let amount = amount.checked_mul(waves)?;
                    Some((resource.clone(), amount))
                };
                each.iter().map(all).collect::<Option<_>>().ok_or(ModelError::Wanted { channel })
            };
            let groups = target.entries().map(group).collect::<Result<_, _>>()?;
            Ok(SplitDemand { shared: shared.clone(), groups, target: Some(target) })
        }
    }
}
