//! What is there on a compute unit, and what is left of it (seed 000, E1, a2)?
//!
//! Units: blocks of a resource, whatever they stand for.

use std::collections::BTreeMap;

use raddle_bitmap::{FreeMap, Search, View};
use raddle_workgroup::balance::Pointer;
use serde::Serialize;

/// One resource of one SIMD, or of a whole compute unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stock {
    /// A resource that is handed out in one run a demand: registers, LDS.
    Run {
        /// The blocks.
        map: FreeMap,
        /// The end of the run that was handed out last, from which `Fit::Next` goes on; 0 at first.
        after: u32,
    },
    /// A resource that is handed out in any pieces, by its free amount: wave slots.
    Count(u64),
}

impl Stock {
    /// Makes a map of which nothing was handed out yet.
    #[must_use]
    pub const fn run(map: FreeMap) -> Self {
        Self::Run { map, after: 0 }
    }
}

/// One compute unit: what its SIMDs share, and what each of them has, by resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cu<R> {
    /// Resources of the whole compute unit.
    pub shared: BTreeMap<R, Stock>,
    /// Resources of each SIMD.
    pub simds: Vec<BTreeMap<R, Stock>>,
    /// The pointer that places the surplus of waves, over all SIMDs; for workgroups that come as a
    /// number of waves.
    pub pointer: Option<Pointer>,
}

/// The amount of a resource that one demand can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Left {
    /// The longest free run, as a search reports it.
    Longest(u64),
    /// The free amount.
    Free(u64),
}

impl Left {
    /// Returns the amount, of either kind.
    #[must_use]
    pub const fn amount(self) -> u64 {
        match self {
            Self::Longest(amount) | Self::Free(amount) => amount,
        }
    }
}

/// The resources left of a compute unit: read once, compared with every head (a2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CuRecord<R> {
    /// Resources of the whole compute unit.
    pub shared: BTreeMap<R, Left>,
    /// Resources of each SIMD.
    pub simds: Vec<BTreeMap<R, Left>>,
}

/// Makes the function that [`record`] wants, from a [`Search`] of maps that are all of one size, or
/// that takes any size.
pub fn by<R>(search: impl Search) -> impl FnMut(&R, View<'_>) -> Result<u32, raddle_bitmap::Error> {
    move |_, map| search.longest(map)
}

/// Reads what is left of a compute unit (a2).
///
/// `longest` returns how long a free run is reported for a resource: [`by`] any search, or one
/// search a resource.
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
