//! What does a workgroup want of a compute unit, SIMD by SIMD (seed 000, E1: a1, a31)?
//!
//! Units: blocks, as the compute units count them; waves.

use std::collections::BTreeMap;

use super::Cu;
use raddle_workgroup::Error;
use raddle_workgroup::balance;

/// The workgroup at the head of a channel (a1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head<R> {
    /// Its level, counted from 0.
    pub level: usize,
    /// What it wants.
    pub wants: Wants<R>,
}

/// What a workgroup wants. An amount of 0 wants nothing, just as a resource that is not named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wants<R> {
    /// So much for each wave group: group t goes to SIMD t, and is one run a resource.
    Groups {
        /// For all waves together.
        shared: BTreeMap<R, u64>,
        /// For each wave group, one a SIMD.
        groups: Vec<BTreeMap<R, u64>>,
    },
    /// So much for each wave; the pointer of a compute unit says how many go to which SIMD (E8).
    Waves {
        /// For all waves together.
        shared: BTreeMap<R, u64>,
        /// How many waves.
        waves: u64,
        /// For each of them.
        each: BTreeMap<R, u64>,
    },
}

/// What a workgroup wants of one compute unit (a31).
#[derive(Debug)]
pub struct Split<R> {
    /// For all waves together.
    pub shared: BTreeMap<R, u64>,
    /// For the wave group of each SIMD.
    pub groups: Vec<BTreeMap<R, u64>>,
    /// How the waves lie, where the workgroup came as a number of waves.
    pub target: Option<balance::Target>,
}

/// Splits the demand of a channel's head over the SIMDs of a compute unit (a31); the indices are
/// for errors.
///
/// # Errors
/// [`Error::GroupCount`] where there is not one wave group a SIMD; [`Error::NoResource`] for a
/// resource that is not there; [`Error::NoPointer`], [`Error::OtherTarget`] where waves cannot be
/// balanced, for want of a pointer over all SIMDs; [`Error::WaveCount`] for none, or more than
/// there is room for; [`Error::Wanted`] for more than can be counted.
pub fn split<R: Ord + Clone>(
    (channel, wants): (usize, &Wants<R>),
    (index, cu): (usize, &Cu<R>),
) -> Result<Split<R>, Error> {
    let simds = cu.simds.len();
    let split = match wants {
        Wants::Groups { shared, groups } => {
            if groups.len() != simds {
                return Err(Error::GroupCount { channel, groups: groups.len(), cu: index, simds });
            }
            Split { shared: shared.clone(), groups: groups.clone(), target: None }
        }
        Wants::Waves { shared, waves, each } => {
            let pointer = cu.pointer.as_ref().ok_or(Error::NoPointer { cu: index })?;
            let target = pointer.target(*waves)?;
            if target.entries().len() != simds {
                return Err(Error::OtherTarget);
            }
            let group = |entry: u64| times(each, entry).ok_or(Error::Wanted { channel });
            let groups = target.entries().map(group).collect::<Result<_, _>>()?;
            Split { shared: shared.clone(), groups, target: Some(target) }
        }
    };
    let unknown = |simd| Error::NoResource { channel, cu: index, simd };
    if split.shared.keys().any(|resource| !cu.shared.contains_key(resource)) {
        return Err(unknown(None));
    }
    for (simd, (group, stocks)) in split.groups.iter().zip(&cu.simds).enumerate() {
        if group.keys().any(|resource| !stocks.contains_key(resource)) {
            return Err(unknown(Some(simd)));
        }
    }
    Ok(split)
}

/// So much for each of a number of waves.
fn times<R: Ord + Clone>(each: &BTreeMap<R, u64>, waves: u64) -> Option<BTreeMap<R, u64>> {
    let all = |(resource, amount): (&R, &u64)| Some((resource.clone(), amount.checked_mul(waves)?));
    each.iter().map(all).collect()
}
