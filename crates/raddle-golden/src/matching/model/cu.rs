//! Which resources has a compute unit, and how much of them is left (seed 000, E1, a2)?
//!
//! Units: blocks of a resource, whatever they stand for.

use std::collections::BTreeMap;

use raddle_bitmap::{FreeMap, Search, View};
use raddle_workgroup::balance::Pointer;
use serde::Serialize;

/// One resource of one SIMD, or of a whole compute unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stock {
    /// A resource of which each demand gets neighbouring blocks: registers, LDS.
    Run {
        /// Map of the resource's blocks: which of them are free.
        map: FreeMap,
        /// Block behind those that were handed out last, from which `Fit::Next` goes on; 0 at
        /// first.
        after: u32,
    },
    /// A resource whose places do not matter, by its free amount: wave slots.
    Count(u64),
}

impl Stock {
    /// Makes a resource with these free blocks, of which nothing was handed out yet; each demand
    /// gets neighbouring blocks of it.
    #[must_use]
    pub const fn run(map: FreeMap) -> Self {
        Self::Run { map, after: 0 }
    }
}

/// One compute unit: the resources that its SIMDs share, and those of each SIMD.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cu<R> {
    /// Resources of the whole compute unit, by name.
    pub shared: BTreeMap<R, Stock>,
    /// For each SIMD its resources, by name.
    pub simds: Vec<BTreeMap<R, Stock>>,
    /// Pointer that says on which SIMD the surplus of waves begins that the SIMDs cannot share
    /// equally; `None` where no workgroup is given as a number of waves.
    pub pointer: Option<Pointer>,
}

/// Amount of a resource that one demand can get of a compute unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Left {
    /// Length in blocks of the longest free run, as a search reports it.
    Longest(u64),
    /// Free amount of a counted resource, such as wave slots.
    Free(u64),
}

impl Left {
    /// Returns the amount in blocks, or in items of a counted resource.
    #[must_use]
    pub const fn amount(self) -> u64 {
        match self {
            Self::Longest(amount) | Self::Free(amount) => amount,
        }
    }
}

/// Amounts of a compute unit's resources that are free or that a search reports. They are read once
/// a decision and then compared with every head (first workgroup of a channel).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CuRecord<R> {
    /// Amounts left of the resources of the whole compute unit.
    pub shared: BTreeMap<R, Left>,
    /// Amounts left of the resources of each SIMD.
    pub simds: Vec<BTreeMap<R, Left>>,
}

/// Makes a [`Search`], for maps of one size or of any size, into the function that [`record`]
/// wants.
pub fn by<R>(search: impl Search) -> impl FnMut(&R, View<'_>) -> Result<u32, raddle_bitmap::Error> {
    move |_, map| search.longest(map)
}

/// Reads how much is left of a compute unit's resources (step a2 of the seed).
///
/// `longest` returns the length of the free run that is reported for a resource: [`by`] one search
/// for all, or by one search for each resource.
///
/// # Errors
/// Where a search was made for maps of another size.
pub fn record<R: Ord + Clone>(
    cu: &Cu<R>,
    mut longest: impl FnMut(&R, View<'_>) -> Result<u32, raddle_bitmap::Error>,
) -> Result<CuRecord<R>, raddle_bitmap::Error> {
    let mut read = |stocks: &BTreeMap<R, Stock>| {
        let left = |(resource, stock): (&R, &Stock)| {
            let left = match stock {
                Stock::Run { map, .. } => Left::Longest(longest(resource, map.view())?.into()),
                Stock::Count(free) => Left::Free(*free),
            };
            Ok((resource.clone(), left))
        };
        stocks.iter().map(left).collect::<Result<_, _>>()
    };
    let shared = read(&cu.shared)?;
    Ok(CuRecord { shared, simds: cu.simds.iter().map(read).collect::<Result<_, _>>()? })
}
