//! Which resources has a compute unit, and how much of them is left (seed 000, E1, a2)?
//!
//! Units: blocks, the smallest amounts of a resource that are handed out.

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
        /// Block behind those that were handed out last, from which the rule `Fit::Next` searches
        /// on; 0 at first.
        after: u32,
    },
    /// Free amount of a resource that is only counted, such as wave slots, as its items are alike.
    Count(u64),
}

impl Stock {
    /// Makes a resource from the map of its free blocks, before any block is handed out; each
    /// demand gets neighbouring blocks of it.
    #[must_use]
    pub const fn run(map: FreeMap) -> Self {
        Self::Run { map, after: 0 }
    }
}

/// One compute unit: the resources that its SIMDs share, and those of each SIMD.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cu<R> {
    /// Resources of the whole compute unit, which its SIMDs share, by name.
    pub shared: BTreeMap<R, Stock>,
    /// For each SIMD its resources, by name.
    pub simds: Vec<BTreeMap<R, Stock>>,
    /// Pointer to the SIMD that gets the first of the surplus waves, which the SIMDs cannot share
    /// equally; `None` where no workgroup is given as a number of waves.
    pub pointer: Option<Pointer>,
}

/// Amount of one resource of a compute unit that one demand can get.
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
/// for each decision, and then compared with every head (first workgroup of a channel).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CuRecord<R> {
    /// Amounts left of the resources that the SIMDs of the compute unit share, by resource.
    pub shared: BTreeMap<R, Left>,
    /// Amounts left of the resources of each SIMD, by resource; the index is the number of the
    /// SIMD.
    pub simds: Vec<BTreeMap<R, Left>>,
}

/// Returns a function that applies one [`Search`] for free runs to the map of every resource, to be
/// given to [`record`] as `longest`.
pub fn by<R>(search: impl Search) -> impl FnMut(&R, View<'_>) -> Result<u32, raddle_bitmap::Error> {
    move |_, map| search.longest(map)
}

/// Reads how much is left of each resource of a compute unit (step a2 of patent 000).
///
/// `longest` returns the length of the free run that a search reports for a resource: [`by`] makes
/// it from one search for all resources, a closure may use one search for each.
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
