//! How much does a workgroup want of a compute unit, SIMD by SIMD (seed 000, E1, a1 and a31)?
//!
//! Units: blocks, as the compute units count them; waves.

use std::collections::BTreeMap;

use raddle_workgroup::balance;

use super::Cu;
use crate::ModelError;

/// The head of a channel: its first workgroup, which goes next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchHead<R> {
    /// Level of urgency of the workgroup, counted from 0; the order given to the decision says
    /// which level is the most urgent.
    pub level: usize,
    /// Demand of the workgroup: the amounts of resources that it needs.
    pub wants: Wants<R>,
}

/// Demand of a workgroup. An amount of 0 wants nothing, just as a resource that is not named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wants<R> {
    /// Amounts for the waves on each SIMD: entry t is for SIMD t, and takes neighbouring blocks of
    /// each resource.
    Groups {
        /// Amounts in blocks that all waves of the workgroup need together, by resource.
        shared: BTreeMap<R, u64>,
        /// Amounts that the waves on each SIMD need, one map of amounts by resource for each SIMD.
        groups: Vec<BTreeMap<R, u64>>,
    },
    /// Amounts for each wave; the pointer of a compute unit (the SIMD that gets the next surplus
    /// wave) decides how many waves go to which SIMD.
    Waves {
        /// Amounts in blocks that all waves of the workgroup need together, by resource.
        shared: BTreeMap<R, u64>,
        /// Number of waves of the workgroup.
        waves: u64,
        /// Amounts in blocks that each wave of the workgroup needs, by resource.
        each: BTreeMap<R, u64>,
    },
}

/// Demand of a workgroup on one compute unit, divided among its SIMDs (step a31 of the seed).
#[derive(Debug)]
pub struct SplitDemand<R> {
    /// Amounts in blocks that all waves of the workgroup need together, by resource.
    pub shared: BTreeMap<R, u64>,
    /// Amounts that the waves on each SIMD need, one map of amounts by resource for each SIMD.
    pub groups: Vec<BTreeMap<R, u64>>,
    /// Number of waves for each SIMD; `None` unless the workgroup was given as a number of waves.
    pub target: Option<balance::Target>,
}

/// Splits the demand of a channel's head (first workgroup) over the SIMDs of a compute unit (step
/// a31 of the seed). `channel` and `index` (of the compute unit `cu`) are for errors.
///
/// # Errors
/// [`ModelError::GroupCount`] where there is not one wave group a SIMD; [`ModelError::NoPointer`] and
/// those of [`balance::Pointer::target`] where waves cannot be balanced; [`ModelError::Wanted`] for
/// more than can be counted.
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
