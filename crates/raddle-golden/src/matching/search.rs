//! How long is the free run that a search reports of each resource, and where does it lie (seed
//! 000, E4 to E7)?

use std::error::Error as _;

use raddle_bitmap::{FreeMap, View};
use raddle_policy::Resource;
use raddle_read::{FaultKind, shown};
use raddle_workgroup::{Error, ResourceSearch, SearchRule};

use super::model::{Cu, Stock};
use crate::fault::Fault;

/// Returns the length in blocks of the free run that a search reports in `map`, the map of the
/// resource `name`. `rule` sets the search for this resource. A resource that is not in the device
/// table uses the search that the rule sets for all resources. Returns an error where the search
/// does not suit the map.
pub(super) fn reported(rule: &SearchRule, name: &str, map: View<'_>) -> Result<u32, Error> {
    searched(rule, name, map.blocks()).map(|search| search.longest(map))
}

pub(super) fn searched(
    rule: &SearchRule,
    name: &str,
    blocks: u32,
) -> Result<ResourceSearch, Error> {
    let resource = match name {
        "vgpr" => Resource::Vgpr,
        "sgpr" => Resource::Sgpr,
        "lds" => Resource::Lds,
        _ => Resource::Cus,
    };
    rule.of(resource, blocks)
}

/// Returns a fault if the search that the rule sets does not suit a map of one of the compute
/// units.
pub(super) fn check_search(rule: &SearchRule, cus: &[Cu<String>]) -> Result<(), Fault> {
    for cu in cus {
        let stocks = cu.simds.iter().chain([&cu.shared]).flatten();
        for (name, stock) in stocks {
            let Stock::Run { map, .. } = stock else { continue };
            let blocks = map.view().blocks();
            if let SearchRule::Shared { width } = *rule
                && width < blocks
            {
                let message = format!("`{}` has {blocks} blocks: give that or more", shown(name));
                return Err(Fault::new(FaultKind::OutOfRange, "/search/shared/width", message));
            }
            if let Err(error) = searched(rule, name, blocks) {
                let cause = error.source().map_or_else(|| error.to_string(), ToString::to_string);
                let message = format!("`{}`, {blocks} blocks: {cause}", shown(name));
                return Err(Fault::new(FaultKind::OutOfRange, "/search", message));
            }
        }
    }
    Ok(())
}

/// Describes the free run that a search finds in a map: the step of the patent (seed 000) that
/// finds it, its length, and its start. Returns an error where the search does not suit the map.
pub(super) fn found(rule: &SearchRule, name: &str, map: &FreeMap) -> Result<String, Error> {
    let search = searched(rule, name, map.blocks())?;
    let longest = search.longest(map.view());
    let (step, start) = match &search {
        ResourceSearch::Grouped(groups) => {
            let mut starts = (0..groups.groups()).map(|group| group * groups.size());
            (
                format!("E5, groups of {}", groups.size()),
                starts.find(|&at| map.view().all_free(at, longest)),
            )
        }
        search => {
            let start = map.first_fit(longest).map(|plan| plan.start());
            let step = match (search, rule) {
                (ResourceSearch::Sampled(_), _) => format!("E6, of a run of {}", map.longest()),
                (_, SearchRule::Shared { .. }) => "E7".to_owned(),
                _ => "E4".to_owned(),
            };
            (step, start)
        }
    };
    Ok(match start {
        Some(start) if longest > 0 => format!("{longest} from {start} ({step})"),
        _ => format!("none ({step})"),
    })
}
