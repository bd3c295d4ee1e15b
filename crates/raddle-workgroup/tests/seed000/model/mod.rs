//! Does the matching do what E1 says, step by step?

mod checks;
mod errors;
mod laws;

use std::collections::BTreeMap;

use raddle_bitmap::{FreeMap, Polarity};
use raddle_golden::matching::model::{Cu, Head, Stock, Wants};
use raddle_workgroup::balance::{Kind, Pointer, Table};

/// Amounts by resource.
pub(super) type Amounts = BTreeMap<&'static str, u64>;

pub(super) fn run(free: &str) -> Stock {
    Stock::Run(FreeMap::from_digits(free, Polarity::FreeIsOne).unwrap())
}

pub(super) fn amounts(of: &[(&'static str, u64)]) -> Amounts {
    of.iter().copied().collect()
}

/// A compute unit of an `lds` map and SIMDs of a `vgpr` map and `waves` each.
pub(super) fn cu(lds: &str, simds: &[(&str, u64)]) -> Cu<&'static str> {
    let simd = |&(vgpr, waves): &(&str, u64)| {
        BTreeMap::from([("vgpr", run(vgpr)), ("waves", Stock::Count(waves))])
    };
    let pointer = Table::new(simds.len() as u32, 16).and_then(|it| Pointer::new(it, Kind::Tail, 0));
    Cu {
        shared: BTreeMap::from([("lds", run(lds))]),
        simds: simds.iter().map(simd).collect(),
        pointer: pointer.ok(),
    }
}

/// A head that wants so much LDS, and registers and waves of each SIMD.
pub(super) fn head(level: usize, lds: u64, groups: &[(u64, u64)]) -> Option<Head<&'static str>> {
    let group = |&(vgpr, waves): &(u64, u64)| amounts(&[("vgpr", vgpr), ("waves", waves)]);
    let (shared, groups) = (amounts(&[("lds", lds)]), groups.iter().map(group).collect());
    Some(Head { level, wants: Wants::Groups { shared, groups } })
}

/// A head of so many waves of so many registers.
pub(super) fn waves(level: usize, lds: u64, waves: u64, vgpr: u64) -> Option<Head<&'static str>> {
    let (shared, each) = (amounts(&[("lds", lds)]), amounts(&[("vgpr", vgpr), ("waves", 1)]));
    Some(Head { level, wants: Wants::Waves { shared, waves, each } })
}

/// The free digits of a stock, or its count.
pub(super) fn left(stock: &Stock) -> String {
    match stock {
        Stock::Run(map) => map.digits(Polarity::FreeIsOne).to_string(),
        Stock::Count(free) => free.to_string(),
    }
}
