//! Does the matching do what E1 says, step by step?
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "all of this is test code")]

mod checks;
mod draws;
mod errors;
mod laws;
mod policy;
mod sweep;
mod vectors;

use std::collections::BTreeMap;

use raddle_bitmap::{FreeMap, Polarity};
use raddle_golden::matching::model::{
    Cu, MatchDecision, MatchHead, MatchModel, MatchTarget, Stock, TakenPiece, Wants,
};
use raddle_workgroup::Fit;
use raddle_workgroup::balance::{Kind, Pointer, Table};
use raddle_workgroup::order::Marks;

/// Amounts of resources, by name.
pub(crate) type Amounts = BTreeMap<&'static str, u64>;

pub(crate) fn run(free: &str) -> Stock {
    Stock::run(FreeMap::from_digits(free, Polarity::FreeIsOne).unwrap())
}

pub(crate) fn amounts(of: &[(&'static str, u64)]) -> Amounts {
    of.iter().copied().collect()
}

/// Makes a compute unit from the map of its `lds`, and of each SIMD the map of `vgpr` and the
/// number of `waves`.
pub(crate) fn cu(lds: &str, simds: &[(&str, u64)]) -> Cu<&'static str> {
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

/// Makes a head (first workgroup of a channel) that wants this much LDS, and registers and waves of
/// each SIMD.
pub(crate) fn head(
    level: usize,
    lds: u64,
    groups: &[(u64, u64)],
) -> Option<MatchHead<&'static str>> {
    let group = |&(vgpr, waves): &(u64, u64)| amounts(&[("vgpr", vgpr), ("waves", waves)]);
    let (shared, groups) = (amounts(&[("lds", lds)]), groups.iter().map(group).collect());
    Some(MatchHead { level, wants: Wants::Groups { shared, groups } })
}

/// Makes a head (first workgroup of a channel) of this many waves with this many registers each.
pub(crate) fn waves(
    level: usize,
    lds: u64,
    waves: u64,
    vgpr: u64,
) -> Option<MatchHead<&'static str>> {
    let (shared, each) = (amounts(&[("lds", lds)]), amounts(&[("vgpr", vgpr), ("waves", 1)]));
    Some(MatchHead { level, wants: Wants::Waves { shared, waves, each } })
}

/// Writes what is left of a resource: a digit for each block, 1 = free, or its count.
pub(crate) fn left(stock: &Stock) -> String {
    match stock {
        Stock::Run { map, .. } => map.digits(Polarity::FreeIsOne).to_string(),
        Stock::Count(free) => free.to_string(),
    }
}

/// Makes the model from compute units, for this many levels and channels; no channel was chosen
/// lately.
pub(crate) fn matching<R>(cus: Vec<Cu<R>>, levels: usize, channels: usize) -> MatchModel<R> {
    MatchModel { cus, marks: Marks::new(levels, channels).unwrap(), fit: Fit::First }
}

type Stocks<'m, R> = (&'m mut BTreeMap<R, Stock>, &'m BTreeMap<R, TakenPiece>);

/// Pairs the resources of the target's compute unit with the blocks and amounts that the target
/// takes there.
fn changed<'m, R>(
    model: &'m mut MatchModel<R>,
    target: &'m MatchTarget<R>,
) -> impl Iterator<Item = Stocks<'m, R>> {
    let cu = &mut model.cus[target.cu];
    std::iter::once((&mut cu.shared, &target.shared)).chain(cu.simds.iter_mut().zip(&target.simds))
}

/// Carries a decision out (steps a44 and a45 of the patent): takes the resources of the
/// target, remembers which channel was chosen, and moves the pointer of the compute unit to the
/// SIMD that gets the next surplus wave; returns the dispatched target.
pub(crate) fn commit<R: Ord>(
    model: &mut MatchModel<R>,
    decision: MatchDecision<R>,
) -> Option<MatchTarget<R>> {
    let mut target = decision.target?;
    model.marks = decision.marks;
    for (stocks, pieces) in changed(model, &target) {
        for (name, piece) in pieces {
            match (stocks.get_mut(name).unwrap(), *piece) {
                (Stock::Run { map, after }, TakenPiece::Run { start, len }) => {
                    map.take(start, len).unwrap();
                    *after = start + len;
                }
                (Stock::Count(free), TakenPiece::Count(count)) => *free -= count,
                other => panic!("not of one kind: {other:?}"),
            }
        }
    }
    if let Some(balanced) = target.balanced.take() {
        model.cus[target.cu].pointer.as_mut().unwrap().dispatch(balanced).unwrap();
    }
    Some(target)
}

/// Gives back the resources of a dispatched workgroup.
pub(crate) fn release<R: Ord>(model: &mut MatchModel<R>, held: &MatchTarget<R>) {
    for (stocks, pieces) in changed(model, held) {
        for (name, piece) in pieces {
            match (stocks.get_mut(name).unwrap(), *piece) {
                (Stock::Run { map, .. }, TakenPiece::Run { start, len }) => {
                    map.release(start, len).unwrap();
                }
                (Stock::Count(free), TakenPiece::Count(count)) => *free += count,
                other => panic!("not of one kind: {other:?}"),
            }
        }
    }
}
