//! Which choices are tried?

use proptest::prelude::*;
use raddle_policy::{CuShape, IN_RUNS};
use raddle_workgroup::{
    Amounts, Balance, ByResource, Choice, EachResource, Excluded, Fit, FreeWeights, LevelOrder,
    LevelWindows, Matching, MatchingConfig, PlaceRule, PowerWeights, Primes, SearchRule, SplitRule,
};

pub(crate) fn matching(config: &MatchingConfig, shape: CuShape, cus: u16) -> Matching {
    Matching::new(config.clone(), shape, cus).expect("nothing is wrong")
}

/// Draws any configuration of the policy, with every search that suits the device. Half of them
/// fill one compute unit after the other, so that an answer in bulk is more than a list of single
/// placements.
pub(crate) fn wide_config(shape: CuShape) -> impl Strategy<Value = MatchingConfig> {
    let any = (config(), prop::sample::select(searches(shape)))
        .prop_map(|(config, search)| config.with_search(search));
    let fills = config().prop_map(|config| {
        config.with_search(SearchRule::Full).with_fit(Fit::First).with_place(PlaceRule::LowestIndex)
    });
    prop_oneof![any, fills]
}

/// Returns the searches for free granules that suit a device with compute units of this shape.
fn searches(shape: CuShape) -> Vec<SearchRule> {
    let sgpr = if shape.sgpr == u16::MAX { 0 } else { shape.sgpr.into() };
    let granules = [shape.vgpr_per_simd.into(), sgpr, shape.lds];
    let excluding = |excluded| SearchRule::Sampled {
        amounts: None,
        excluding: Some(ByResource::All(excluded)),
    };
    let mut all = vec![
        SearchRule::Shared { width: granules.into_iter().fold(1, u32::max) },
        SearchRule::Sampled { amounts: None, excluding: None },
        SearchRule::amounts(vec![1, 2, 5, 60, 64, 65, 100, 500]),
        excluding(Excluded::Amounts(vec![3, 5, 64])),
        excluding(Excluded::Primes(Primes::Primes)),
    ];
    for parts in [2, 4, 5, 8] {
        let each = EachResource { vgpr: Some(parts), sgpr: None, lds: Some(parts) };
        let size = Some(ByResource::Each(each));
        all.extend([SearchRule::groups(parts), SearchRule::size(parts)]);
        all.push(SearchRule::Grouped { groups: None, size });
    }
    let suits = |rule: &SearchRule| {
        let of = |(resource, granules)| rule.of(resource, granules).is_ok();
        IN_RUNS.into_iter().zip(granules).all(of)
    };
    all.retain(suits);
    all
}

/// Draws any configuration of the policy whose search suits every shape of compute unit.
pub(crate) fn config() -> impl Strategy<Value = MatchingConfig> {
    let order = prop_oneof![
        Just(LevelOrder::Static),
        prop::collection::vec(1u64..4, 1..5)
            .prop_map(|us| LevelOrder::Windows(LevelWindows::us(us))),
    ];
    let pick =
        prop_oneof![Just(Choice::Lowest), any::<u64>().prop_map(|seed| Choice::Seeded { seed })];
    let balance = prop_oneof![Just(Balance::Tail), Just(Balance::Fixed)];
    let channels = prop_oneof![Just(None), (1u16..4).prop_map(Some)];
    let search = prop_oneof![
        3 => Just(SearchRule::Full),
        1 => Just(SearchRule::amounts(vec![])),
        1 => Just(SearchRule::Sampled {
            amounts: None,
            excluding: Some(ByResource::All(Excluded::Amounts(vec![3, 5]))),
        }),
        1 => Just(SearchRule::Shared { width: 64 }),
    ];
    let split = prop_oneof![
        Just(None),
        (0u64..4, 1u64..3).prop_map(|(threshold, retry_us)| Some(
            SplitRule::default().with_threshold(threshold).with_retry_us(Some(retry_us))
        )),
    ];
    let fit = prop_oneof![2 => Just(Fit::First), 1 => Just(Fit::Best), 1 => Just(Fit::Worst), 2 => Just(Fit::Next)];
    ((search, fit), order, pick, balance, place(), split, channels).prop_map(
        |((search, fit), order, pick, balance, place, split, channels)| {
            MatchingConfig::default()
                .with_search(search)
                .with_fit(fit)
                .with_order(order)
                .with_pick(pick)
                .with_balance(balance)
                .with_place(place)
                .with_split(split)
                .with_channels(channels)
                .with_decision(None)
        },
    )
}

fn place() -> impl Strategy<Value = PlaceRule> {
    let weights = (1u64..5, 0u64..5, 0u64..5, 0u64..5, any::<bool>()).prop_map(
        |(waves, vgpr, sgpr, lds, longest)| FreeWeights {
            waves,
            vgpr,
            sgpr,
            lds,
            amounts: if longest { Amounts::LongestRun } else { Amounts::Free },
        },
    );
    let power = (1u64..9, 1u64..9, 1u64..4000).prop_map(|(a, b, ticks)| {
        PowerWeights::new([a, 0, b, 2, 3, 1]).with_history_ticks(Some(ticks))
    });
    let mix = (weights.clone(), power.clone(), 0u64..4, 1u64..4)
        .prop_map(|(free, power, a, b)| PlaceRule::Mix { free, power, shares: [a, b] });
    prop_oneof![
        2 => Just(PlaceRule::LowestIndex),
        2 => Just(PlaceRule::RoundRobin),
        1 => Just(PlaceRule::MostWaves),
        1 => weights.prop_map(PlaceRule::MostFree),
        1 => power.prop_map(PlaceRule::LeastPower),
        1 => mix,
    ]
}
