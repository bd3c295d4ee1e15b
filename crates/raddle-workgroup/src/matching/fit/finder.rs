//! How long a run does the hardware report of each resource (seed 000, E4 to E7)?
//!
//! Addresses always come from the map itself; the report decides whether a workgroup fits.

use alloc::vec;
use alloc::vec::Vec;

use raddle_bitmap::{Grouped, Kind, Layout, Sampled, Search as Method, Shared, View};
use raddle_policy::{CuShape, Resource};

use crate::Error;
use crate::matching::config::SearchRule;

/// A finder of longest runs for one resource.
#[derive(Clone, Debug)]
pub(super) enum Finder {
    /// Whatever is there is found.
    Exact,
    Grouped(Grouped),
    Sampled(Sampled),
}

impl Finder {
    /// What is reported of this map.
    pub(super) fn longest(&self, map: View<'_>) -> u32 {
        let found = match self {
            Self::Exact => return map.longest(),
            Self::Grouped(search) => search.longest(map),
            Self::Sampled(search) => search.longest(map),
        };
        // Each was made for maps of this size.
        found.unwrap_or(0)
    }

    /// The longest run that is reported of a map with all `blocks` free.
    pub(super) fn of_empty(&self, blocks: u32) -> u32 {
        match self {
            Self::Exact | Self::Grouped(_) => blocks,
            Self::Sampled(search) => search.round_down(blocks),
        }
    }
}

/// The finder of one resource.
///
/// # Errors
/// [`Error::SearchRule`] where so many granules cannot be searched so.
pub(super) fn finder(
    search: &SearchRule,
    resource: Resource,
    blocks: u32,
) -> Result<Finder, Error> {
    let fault = |cause| Error::SearchRule { resource, cause };
    // A resource without granules needs no finder.
    match search {
        _ if blocks == 0 => Ok(Finder::Exact),
        SearchRule::Full | SearchRule::Shared { .. } => Ok(Finder::Exact),
        SearchRule::Grouped { groups } => {
            Grouped::new(blocks, *groups).map(Finder::Grouped).map_err(fault)
        }
        SearchRule::Sampled { amounts } if amounts.is_empty() => {
            Sampled::steps(blocks).map(Finder::Sampled).map_err(fault)
        }
        SearchRule::Sampled { amounts } => {
            // Some may be more than there is of this resource, and still are in order.
            if let Some(at) = amounts.windows(2).position(|two| two[0] >= two[1]) {
                return Err(fault(raddle_bitmap::Error::SampleOrder { at: at + 1 }));
            }
            // An amount of 0 wraps to an index out of range, which `Sampled::new` refuses.
            let k = amounts.iter().map(|&amount| amount.wrapping_sub(1));
            let k: Vec<u32> = k.filter(|&k| k < blocks || k == u32::MAX).collect();
            Sampled::new(blocks, &k).map(Finder::Sampled).map_err(fault)
        }
    }
}

/// Whether one finder of this width can serve all resources in turn: each map in a period, as many
/// to a period as fit. What it finds is exact, so the answers are those of the full search.
///
/// # Errors
/// [`Error::SearchRule`] where it cannot.
pub(super) fn check_shared(width: u32, shape: &CuShape) -> Result<(), Error> {
    let simds = u32::from(shape.simds);
    let registers = (0..simds).map(|id| (id, Resource::Vgpr, u32::from(shape.vgpr_per_simd)));
    let sgpr = if shape.sgpr == u16::MAX { 0 } else { u32::from(shape.sgpr) };
    let others = [(simds, Resource::Sgpr, sgpr), (simds + 1, Resource::Lds, shape.lds)];
    let mut periods: Vec<Vec<Kind>> = Vec::new();
    let mut left = 0;
    for (id, resource, blocks) in registers.chain(others).filter(|&(_, _, blocks)| blocks > 0) {
        let kind = Kind { id, blocks };
        match periods.last_mut() {
            Some(period) if blocks <= left => period.push(kind),
            _ => {
                let alone = Shared::new(width, width, &[[kind]], &Layout::Packed);
                alone.map_err(|cause| Error::SearchRule { resource, cause })?;
                left = width;
                periods.push(vec![kind]);
            }
        }
        left -= blocks;
    }
    if periods.is_empty() {
        return Ok(());
    }
    let resource = Resource::Vgpr;
    let finder = Shared::new(width, width, &periods, &Layout::Packed);
    finder.map(|_| ()).map_err(|cause| Error::SearchRule { resource, cause })
}
