//! Do the policies of the turn slot keep the laws of their trait?

use proptest::prelude::*;
use raddle_testkit::{check_turn, turn_scenario};
use raddle_timeslice::{
    LoadOrder, Reload, RoundRobinTurn, RoundRobinTurnConfig, Shares, SliceRule, TakeOver, UnmapAll,
    UnmapAllConfig, Vruntime, VruntimeConfig, WeightedSlices, WeightedSlicesConfig,
};

/// Draws every setting of the policy of weighted slices; the steps of the scenarios last up to
/// 5,000 ticks.
fn config() -> impl Strategy<Value = WeightedSlicesConfig> {
    let rule = prop::sample::select(SliceRule::ALL.to_vec());
    let order = prop_oneof![
        Just(LoadOrder::Fifo),
        any::<u64>().prop_map(|seed| LoadOrder::Random { seed })
    ];
    let reload = prop::sample::select(vec![Reload::OnePass, Reload::Completion]);
    let take_over =
        prop::sample::select(vec![TakeOver::SliceEnd, TakeOver::AtOnce, TakeOver::BatchEnd]);
    let shares = prop::sample::select(vec![Shares::Weight, Shares::Time]);
    let meanings = (shares, any::<bool>());
    let numbers = (1..3_u64, 1..4_u32, 1..5_u16, prop::option::of(3..9_u64));
    (rule, order, reload, take_over, meanings, numbers).prop_map(
        |(
            rule,
            order,
            reload,
            take_over,
            (shares, wall),
            (t0_us, capacity, levels, longest_us),
        )| {
            WeightedSlicesConfig::new(rule)
                .with_t0_us(t0_us)
                .with_capacity(capacity)
                .with_levels(levels)
                .with_longest_us(longest_us)
                .with_order(order)
                .with_reload(reload)
                .with_take_over(take_over)
                .with_shares(shares)
                .with_wall_time(wall)
        },
    )
}

proptest! {
    #[test]
    fn weighted_slices_keep_them(config in config(), scenario in turn_scenario()) {
        check_turn(|| WeightedSlices::new(config).unwrap(), &scenario);
    }

    #[test]
    fn the_baselines_keep_them(
        slice_us in prop_oneof![1..4_u64, Just(u64::MAX / 1000)], capacity in 1..4_u32,
        scenario in turn_scenario(),
    ) {
        check_turn(|| RoundRobinTurn::new(RoundRobinTurnConfig::default().with_slice_us(slice_us)).unwrap(), &scenario);
        check_turn(|| UnmapAll::new(UnmapAllConfig::default().with_slice_us(slice_us).with_capacity(capacity)).unwrap(), &scenario);
        check_turn(|| Vruntime::new(VruntimeConfig::default().with_slice_us(slice_us)).unwrap(), &scenario);
    }
}
