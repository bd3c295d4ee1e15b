//! Which length of the longest free run of granules does the simulated hardware report of each
//! resource (seed 000, E4 to E7)?
//!
//! The reported length decides whether a workgroup fits; its granules are then taken by the map of
//! free granules itself.

use alloc::vec;
use alloc::vec::Vec;

use raddle_bitmap::{Grouped, Kind, Layout, Sampled, Search as Method, Shared, View};
use raddle_policy::{CuShape, Resource};

use crate::Error;
use crate::error::{Reason, SearchFault};
use crate::matching::search::{Excluded, SearchRule};

/// The search by which the simulated hardware finds the longest free run of granules of one
/// resource; some searches report a shorter length.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[doc(hidden)]
pub enum ResourceSearch {
    /// The search that reports the longest free run with its true length.
    Exact,
    /// The search that reports whole groups of granules only (E5 in `docs/policies/matching.md`):
    /// the longest run of groups that are free throughout.
    Grouped(Grouped),
    /// The search that reports one of a few chosen lengths only (E6 in
    /// `docs/policies/matching.md`).
    Sampled(Sampled),
}

impl ResourceSearch {
    /// Returns the length in granules of the free run that the search reports for this granule map.
    #[must_use]
    pub fn longest(&self, map: View<'_>) -> u32 {
        let found = match self {
            Self::Exact => return map.longest(),
            Self::Grouped(search) => search.longest(map),
            Self::Sampled(search) => search.longest(map),
        };
        // Each search was made for maps of this size, so it refuses none.
        found.unwrap_or(0)
    }

    /// Returns the length of the free run that this search reports for a granule map whose `blocks`
    /// granules are all free.
    #[must_use]
    pub(crate) fn of_empty(&self, blocks: u32) -> u32 {
        match self {
            Self::Exact | Self::Grouped(_) => blocks,
            Self::Sampled(search) => search.round_down(blocks),
        }
    }
}

impl SearchRule {
    /// Returns the search for free runs of a resource that has `granules` granules.
    ///
    /// # Errors
    /// [`OutOfRange`](crate::ErrorKind::OutOfRange) where the rule cannot be used for this number
    /// of granules. [`Inconsistent`](crate::ErrorKind::Inconsistent) where the rule has two values
    /// for the resource that exclude each other, such as a number and a size of groups; also for a
    /// grouped search with neither.
    #[doc(hidden)]
    pub fn of(&self, resource: Resource, granules: u32) -> Result<ResourceSearch, Error> {
        let fault = |cause: SearchFault| Error::search(resource, cause);
        let twice = |keys| Error(Reason::SearchKeys { resource, keys });
        if granules == 0 {
            // A resource without granules needs no finder.
            return Ok(ResourceSearch::Exact);
        }
        match self {
            Self::Full | Self::Shared { .. } => Ok(ResourceSearch::Exact),
            Self::Grouped { groups: None, size: None } => Err(Error(Reason::NoGroups)),
            Self::Grouped { groups, size } => {
                let groups = groups.as_ref().and_then(|it| it.of(resource));
                let size = size.as_ref().and_then(|it| it.of(resource));
                let search = match (groups, size) {
                    (Some(_), Some(_)) => return Err(twice(["groups", "size"])),
                    (Some(&groups), None) => Grouped::new(granules, groups),
                    (None, Some(&size)) => Grouped::of_size(granules, size),
                    (None, None) => return Ok(ResourceSearch::Exact),
                };
                search.map(ResourceSearch::Grouped).map_err(|cause| fault(cause.into()))
            }
            Self::Sampled { amounts, excluding } => {
                let by_default = amounts.is_none() && excluding.is_none();
                let amounts = amounts.as_ref().and_then(|it| it.of(resource));
                let excluding = excluding.as_ref().and_then(|it| it.of(resource));
                let search = match (amounts, excluding) {
                    (Some(_), Some(_)) => return Err(twice(["amounts", "excluding"])),
                    (Some(amounts), None) if !amounts.is_empty() => sampled(granules, amounts),
                    (Some(_), None) => Sampled::steps(granules).map_err(Into::into),
                    (None, Some(Excluded::Amounts(excluded))) => {
                        Sampled::excluding(granules, |amount| excluded.contains(&amount))
                            .map_err(Into::into)
                    }
                    (None, Some(Excluded::Primes(_))) => {
                        Sampled::without_primes(granules).map_err(Into::into)
                    }
                    (None, None) if by_default => Sampled::steps(granules).map_err(Into::into),
                    (None, None) => return Ok(ResourceSearch::Exact),
                };
                search.map(ResourceSearch::Sampled).map_err(fault)
            }
        }
    }
}

fn sampled(granules: u32, amounts: &[u32]) -> Result<Sampled, SearchFault> {
    // The order is checked for all amounts, also for those larger than the resource.
    if let Some(at) = amounts.windows(2).position(|two| two[0] >= two[1]) {
        return Err(SearchFault::SampleOrder { at: at + 1 });
    }
    // An amount of 0 wraps to an index out of range, which `Sampled::new` refuses.
    let k = amounts.iter().map(|&amount| amount.wrapping_sub(1));
    let k: Vec<u32> = k.filter(|&k| k < granules || k == u32::MAX).collect();
    Ok(Sampled::new(granules, &k)?)
}

/// Returns a finder (a circuit that finds the longest free run of granules) that serves all
/// resources in turn. It is `width` granules wide, and searches as many granule maps at a time as
/// fit side by side. It reports exact lengths. `None` where no resource has granules.
///
/// # Errors
/// [`OutOfRange`](crate::ErrorKind::OutOfRange) where a finder of this width cannot serve the
/// resources.
pub(crate) fn shared_finder(width: u32, shape: &CuShape) -> Result<Option<Shared>, Error> {
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
                alone.map_err(|cause| Error::search(resource, cause))?;
                left = width;
                periods.push(vec![kind]);
            }
        }
        left -= blocks;
    }
    if periods.is_empty() {
        return Ok(None);
    }
    let resource = Resource::Vgpr;
    let finder = Shared::new(width, width, &periods, &Layout::Packed);
    finder.map(Some).map_err(|cause| Error::search(resource, cause))
}
