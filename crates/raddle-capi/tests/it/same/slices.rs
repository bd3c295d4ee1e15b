//! Do slices have the lengths and the order of those of `raddle-timeslice`?

use proptest::prelude::*;
use raddle_capi::*;
use raddle_policy::{Level, Ticks};
use raddle_timeslice::{
    LoadOrder, PoolEntry, Reload, Runnable, Shares, SliceConfig, SliceRule, TakeOver, TwoStage,
};

use crate::call::{Owned, told};

struct Pool(Vec<(u64, PoolEntry)>);

impl Runnable for Pool {
    type Id = u64;

    fn most_urgent(&self) -> Option<Level> {
        self.0.iter().map(|(_, it)| it.level).min_by_key(|level| level.rank())
    }

    fn level(&self, id: u64) -> Option<Level> {
        self.0.iter().find(|(other, _)| *other == id).map(|(_, it)| it.level)
    }

    fn entries(&self) -> impl Iterator<Item = PoolEntry> {
        self.0.iter().map(|(_, it)| *it)
    }

    fn at(&self, index: usize) -> Option<u64> {
        self.0.get(index).map(|(id, _)| *id)
    }
}

proptest! {
    #[test]
    fn slices(
        rule in 0..5_u32, bits in 0..8_u32, take_over in 0..3_u32, seed in any::<u64>(), longest in 0..3_u64,
        capacity in 1..5_usize,
        pools in prop::collection::vec(prop::collection::vec((0..3_u8, 1..4_u64, 0..90_u64, 0..90_u64), 0..6), 1..30),
    ) {
        let [shares_as_time, until_completion, random] = [0, 1, 2].map(|bit| bits >> bit & 1);
        let (t0, longest) = (40, longest * 70);
        let config = RaddleSliceConfig {
            t0, longest, capacity, rule, shares_as_time, until_completion, take_over, random, seed,
        };
        let settings = SliceConfig::new(Ticks(t0), capacity, [
                SliceRule::Claim, SliceRule::Equal, SliceRule::Mean, SliceRule::Inverse, SliceRule::MinOne,
            ][rule as usize]).with_shares(if shares_as_time == 1 { Shares::Time } else { Shares::Weight }).with_longest((longest > 0).then_some(Ticks(longest))).with_order(if random == 1 { LoadOrder::Random { seed } } else { LoadOrder::Fifo }).with_reload(if until_completion == 1 { Reload::Completion } else { Reload::OnePass }).with_take_over([TakeOver::SliceEnd, TakeOver::AtOnce, TakeOver::BatchEnd][take_over as usize]);
        let mut model = TwoStage::new(&settings).unwrap();
        // SAFETY: values and places of ours.
        let ours = Owned::new(|it| unsafe { raddle_slices_new(&raw const config, it) });
        for pool in pools {
            let given: Vec<RaddlePoolEntry> = (0..).zip(&pool).map(|(at, &(level, share, alive, ran))| {
                RaddlePoolEntry { id: 100 + at, share, alive, ran, level }
            }).collect();
            let pool = Pool((0..).zip(&pool).map(|(at, &(level, share, alive, ran))| {
                let (level, alive, ran) = (Level(level), Ticks(alive), Ticks(ran));
                (100 + at, PoolEntry { level, share, alive, ran })
            }).collect());
            // SAFETY: values and places of ours.
            unsafe {
                let (_, cuts) = told(|it| raddle_slices_cuts(ours.0, 1, given.as_ptr(), given.len(), it));
                prop_assert_eq!(cuts == 1, model.cuts(Level(1), &pool));
                let (status, slice) = told(|it| raddle_slices_next(ours.0, given.as_ptr(), given.len(), it));
                let expected = model.next(&pool).map(|it| RaddleSlice { id: it.id(), length: it.length().0 });
                prop_assert_eq!((status == RaddleStatus::Ok).then_some(slice), expected);
            }
        }
    }
}
