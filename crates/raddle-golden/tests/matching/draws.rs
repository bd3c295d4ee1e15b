//! Which settings of `matching` does a random test draw, and which can be used on a shape?

use proptest::prelude::*;
use raddle_bitmap::Sampled;
use raddle_policy::{CuShape, Launch};
use raddle_workgroup::{
    ByResource, Fit, LevelOrder, LevelWindows, MatchingConfig, PlaceRule, SearchRule, SplitRule,
};

/// Draws random settings of `matching`; the search may not suit every device.
pub(crate) fn config() -> impl Strategy<Value = MatchingConfig> {
    let order = prop_oneof![
        Just(LevelOrder::Static),
        prop::collection::vec(1u64..4, 1..5)
            .prop_map(|us| LevelOrder::Windows(LevelWindows::us(us))),
    ];
    let place = prop_oneof![
        Just(PlaceRule::LowestIndex),
        Just(PlaceRule::RoundRobin),
        Just(PlaceRule::MostWaves)
    ];
    let search = prop_oneof![
        Just(SearchRule::Full),
        Just(SearchRule::amounts(vec![])),
        (1u32..9).prop_map(SearchRule::groups),
        Just(SearchRule::Shared { width: 0 }),
    ];
    let fit = prop_oneof![Just(Fit::First), Just(Fit::Best), Just(Fit::Worst), Just(Fit::Next)];
    let channels = prop_oneof![Just(None), (1u16..4).prop_map(Some)];
    let rule = |(threshold, retry_us)| {
        Some(SplitRule::default().with_threshold(threshold).with_retry_us(Some(retry_us)))
    };
    let split = prop_oneof![Just(None), (0u64..4, 1u64..3).prop_map(rule)];
    (order, place, (search, fit), channels, split).prop_map(
        |(order, place, (search, fit), channels, split)| {
            MatchingConfig::default()
                .with_order(order)
                .with_place(place)
                .with_search(search)
                .with_fit(fit)
                .with_channels(channels)
                .with_split(split)
        },
    )
}

/// Returns a search of this kind that a device of this shape can use: the number of groups is
/// lowered until it divides every resource, and a shared search is as wide as the largest resource.
pub(crate) fn suited(search: SearchRule, shape: &CuShape) -> SearchRule {
    let sgpr = if shape.sgpr == u16::MAX { 0 } else { shape.sgpr.into() };
    let blocks = [shape.vgpr_per_simd.into(), sgpr, shape.lds];
    let divides = |groups: u32| {
        blocks.iter().all(|&blocks| blocks == 0 || groups < blocks && blocks % groups == 0)
    };
    match search {
        SearchRule::Grouped { groups: Some(ByResource::All(groups)), .. } => {
            let groups = (1..=groups).rev().find(|&groups| divides(groups));
            groups.map_or(SearchRule::Full, SearchRule::groups)
        }
        SearchRule::Shared { .. } => {
            SearchRule::Shared { width: blocks.into_iter().max().unwrap_or_default().max(1) }
        }
        other => other,
    }
}

/// Returns whether an empty compute unit has enough for the launch by the sampled search too, which
/// rounds free runs down.
pub(crate) fn even(shape: &CuShape, launch: &Launch) -> bool {
    let demand = launch.demand;
    let reported = |blocks: u32| Sampled::steps(blocks).map_or(0, |it| it.round_down(blocks));
    let most = u32::from(demand.waves).div_ceil(shape.simds.into());
    let scalar = u32::from(demand.sgpr) * u32::from(demand.waves);
    most * u32::from(demand.vgpr) <= reported(shape.vgpr_per_simd.into())
        && demand.lds <= reported(shape.lds)
        && (shape.sgpr == u16::MAX || scalar <= reported(shape.sgpr.into()))
}
