//! Where does a workgroup lie on its compute unit, and how is that taken (seed 000, E1: a43 to a45)?
//!
//! Units: blocks; starts are counted from 0.

use std::collections::BTreeMap;

use super::{Cu, Split, Stock};
use raddle_workgroup::Error;
use raddle_workgroup::place::Counter;

/// What is handed out of one resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Blocks `start .. start + len`.
    Run {
        /// The first of them.
        start: u32,
        /// How many, at least 1.
        len: u32,
    },
    /// So many, whichever, at least 1.
    Count(u64),
}

/// Everything that a workgroup has of its compute unit, by resource. Where nothing is wanted,
/// nothing stands here.
///
/// Neither `Copy` nor `Clone`, so that nothing is taken or given back twice.
#[derive(Debug, PartialEq, Eq)]
pub struct Pieces<R> {
    /// Of what the SIMDs share.
    pub shared: BTreeMap<R, Piece>,
    /// Of each SIMD.
    pub simds: Vec<BTreeMap<R, Piece>>,
}

/// Finds the lowest start that fits for every run (a43). Takes nothing.
///
/// # Errors
/// [`Error::Map`], [`Error::TakeBeyond`] where something is not there: the record said more than
/// there is.
pub fn starts<R: Ord + Clone>(split: &Split<R>, cu: &Cu<R>) -> Result<Pieces<R>, Error> {
    let simds = split.groups.iter().zip(&cu.simds);
    Ok(Pieces {
        shared: find(&split.shared, &cu.shared)?,
        simds: simds.map(|(group, stocks)| find(group, stocks)).collect::<Result<_, _>>()?,
    })
}

fn find<R: Ord + Clone>(
    wants: &BTreeMap<R, u64>,
    stocks: &BTreeMap<R, Stock>,
) -> Result<BTreeMap<R, Piece>, Error> {
    let mut found = BTreeMap::new();
    for (resource, &wanted) in wants.iter().filter(|(_, wanted)| **wanted > 0) {
        let piece = match stocks.get(resource) {
            Some(Stock::Run(map)) => {
                let free = u64::from(map.longest());
                let plan = u32::try_from(wanted).ok().and_then(|wanted| map.first_fit(wanted));
                let plan = plan.ok_or(Error::TakeBeyond { wanted, free })?;
                Piece::Run { start: plan.start(), len: plan.len() }
            }
            Some(Stock::Count(free)) if *free >= wanted => Piece::Count(wanted),
            Some(Stock::Count(free)) => return Err(Error::TakeBeyond { wanted, free: *free }),
            None => return Err(Error::TakeBeyond { wanted, free: 0 }),
        };
        found.insert(resource.clone(), piece);
    }
    Ok(found)
}

/// Takes all pieces, or none (a44, a45).
///
/// # Errors
/// [`Error::Map`], [`Error::TakeBeyond`] where one is not free; nothing has changed then.
pub fn take<R: Ord + Clone>(cu: &mut Cu<R>, pieces: &Pieces<R>) -> Result<(), Error> {
    change(cu, pieces, |stock, piece| match (stock, piece) {
        (Stock::Run(map), Piece::Run { start, len }) => map.take(start, len).map_err(Error::Map),
        (Stock::Count(free), Piece::Count(wanted)) => {
            let mut counter = Counter::new(*free);
            counter.take(wanted)?;
            *free = counter.free();
            Ok(())
        }
        _ => Err(Error::TakeBeyond { wanted: 1, free: 0 }),
    })
}

/// Gives all pieces back, or none. Of a counted resource nobody knows here how much there was.
///
/// # Errors
/// [`Error::Map`] where a run is not taken; [`Error::GiveBeyond`] for more than can be counted, or
/// a resource that is not there; nothing has changed then.
pub fn give<R: Ord + Clone>(cu: &mut Cu<R>, pieces: &Pieces<R>) -> Result<(), Error> {
    change(cu, pieces, |stock, piece| match (stock, piece) {
        (Stock::Run(map), Piece::Run { start, len }) => map.release(start, len).map_err(Error::Map),
        (Stock::Count(free), Piece::Count(given)) => {
            let beyond = Error::GiveBeyond { given, taken: u64::MAX - *free };
            *free = free.checked_add(given).ok_or(beyond)?;
            Ok(())
        }
        _ => Err(Error::GiveBeyond { given: 1, taken: 0 }),
    })
}

/// Changes a copy, stock by stock, and keeps it if nothing failed.
fn change<R: Ord + Clone>(
    cu: &mut Cu<R>,
    pieces: &Pieces<R>,
    mut each: impl FnMut(&mut Stock, Piece) -> Result<(), Error>,
) -> Result<(), Error> {
    let gone = Error::TakeBeyond { wanted: 1, free: 0 };
    if pieces.simds.len() != cu.simds.len() {
        return Err(gone);
    }
    let mut copy = cu.clone();
    let simds = copy.simds.iter_mut().zip(&pieces.simds);
    for (stocks, pieces) in std::iter::once((&mut copy.shared, &pieces.shared)).chain(simds) {
        for (resource, &piece) in pieces {
            each(stocks.get_mut(resource).ok_or(gone)?, piece)?;
        }
    }
    *cu = copy;
    Ok(())
}
