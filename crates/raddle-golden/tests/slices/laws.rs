//! What holds for any pool and any weights?

use proptest::collection::vec;
use proptest::prelude::*;
use raddle_policy::{Level, Tick, Ticks};
use raddle_timeslice::{
    LoadedProcess, PoolEntry, SliceConfig, SliceRule, StageOne, StageTwo, Weight,
};

use crate::oracle::{self, Process};
use crate::{gpu, jain, task};

/// Draws times in ticks of every size, and small ones, so that ties are common.
fn time() -> impl Strategy<Value = u64> {
    prop_oneof![0..4_u64, 0..100_u64, (0..64_u32).prop_map(|n| 1 << n), any::<u64>()]
}

fn share() -> impl Strategy<Value = u64> {
    prop_oneof![Just(1), 1..5_u64, (0..64_u32).prop_map(|n| 1 << n), 1..=u64::MAX]
}

fn process() -> impl Strategy<Value = Process> {
    (0..3_u8, share(), time(), time())
}

fn entry((level, share, alive, ran): Process) -> PoolEntry {
    PoolEntry { level: Level(level), share, alive: Ticks(alive), ran: Ticks(ran) }
}

fn load(pool: &[Process], t0: u64, capacity: usize) -> Vec<LoadedProcess> {
    let mut loaded = vec![];
    let stage = StageOne::new(Ticks(t0), capacity).unwrap();
    // Asked twice: nothing of the first load is left.
    stage.load(pool.iter().rev().copied().map(entry), &mut loaded);
    stage.load(pool.iter().copied().map(entry), &mut loaded);
    loaded
}

proptest! {
    #[test]
    fn stage_one_is_the_oracle(
        pool in vec(process(), 0..40), t0 in 1..200_u64, capacity in 1..12_usize,
    ) {
        let found: Vec<usize> = load(&pool, t0, capacity).iter().map(|l| l.index()).collect();
        prop_assert_eq!(found, oracle::load(&pool, t0, capacity));
    }

    #[test]
    fn check_05_what_is_loaded(
        pool in vec(process(), 1..40), t0 in 1..200_u64, capacity in 1..12_usize,
    ) {
        let loaded = load(&pool, t0, capacity);
        let best = pool.iter().map(|process| process.0).min().unwrap();
        let candidates = pool.iter().filter(|process| process.0 == best).count();
        prop_assert_eq!(loaded.len(), candidates.min(capacity));
        prop_assert!(loaded.iter().all(|loaded| pool[loaded.index()].0 == best));
        for (i, &left_out) in pool.iter().enumerate() {
            if left_out.0 == best && loaded.iter().all(|loaded| loaded.index() != i) {
                let better = |loaded: &LoadedProcess| oracle::more(left_out, pool[loaded.index()], t0);
                prop_assert!(!loaded.iter().any(better));
            }
        }
    }

    #[test]
    fn weights_are_ordered_as_fractions(one in process(), two in process(), t0 in 1..200_u64) {
        let weight = |p: Process| Weight::new(p.1, p.2, p.3, t0);
        prop_assert_eq!(weight(one) > weight(two), oracle::more(one, two, t0));
        prop_assert_eq!(weight(one) < weight(two), oracle::more(two, one, t0));
    }

    #[test]
    fn check_08_how_slices_follow_from_weights(
        weights in vec((1..1_000_000_u64, 1..1000_u64), 1..12),
    ) {
        let t0 = 1_000_000_000_u64;
        let loaded: Vec<LoadedProcess> = weights.iter().map(|&(alive, ran)| {
            LoadedProcess::new(0, Weight::new(1, alive, ran, 1), 1)
        }).collect();
        let slices = |rule| {
            let mut slices = vec![];
            StageTwo::new(Ticks(t0), rule, None).unwrap().slices(&loaded, &mut slices).unwrap();
            slices
        };
        let (claim, n) = (slices(SliceRule::Claim), weights.len() as u128);
        prop_assert!(claim.iter().all(|&slice| slice >= t0.into()));
        // Rounding takes half a tick from each at most.
        prop_assert!(claim.iter().sum::<u128>() + n >= n * n * u128::from(t0));
        let round = |slices: &[u128]| slices.iter().sum::<u128>() as f64;
        let (one, two) = (round(&claim), round(&slices(SliceRule::Inverse)));
        prop_assert!((one / two - 1.0).abs() < 1e-6, "{} {}", one, two);
        for rule in [SliceRule::Mean, SliceRule::Inverse, SliceRule::MinOne] {
            let slices = slices(rule);
            for (i, a) in loaded.iter().enumerate() {
                for (j, b) in loaded.iter().enumerate().filter(|(_, b)| a.weight() > b.weight()) {
                    // Weights that differ by less than the fixed point shows have equal slices.
                    let wide = a.weight().fixed().unwrap() > b.weight().fixed().unwrap() + (1 << 20);
                    prop_assert!(claim[i] <= claim[j] && slices[i] >= slices[j]);
                    let strict = claim[i] < claim[j] && slices[i] > slices[j];
                    prop_assert!(strict || !wide || claim[i].max(claim[j]) < 4 * u128::from(t0)
                        || slices[i].abs_diff(slices[j]) <= 1 || claim[i].abs_diff(claim[j]) <= 1);
                }
            }
        }
    }

    #[test]
    fn runs_add_up_and_never_mix_levels(
        tasks in vec((0..4_u64, 0..50_u64, 0..3_u8, 1..700_u64), 1..8), capacity in 1..6_usize,
        t0 in 1..60_u64, until in 1..5000_u64,
    ) {
        for rule in SliceRule::ALL {
            let mut gpu = gpu(&SliceConfig::new(Ticks(t0), capacity, rule), 100, &[]);
            for (id, &(created, ran, level, work)) in (0..).zip(&tasks) {
                let task = task(id, level, created * 10, ran);
                gpu.add(task, Some(Ticks(work)), Tick(100));
            }
            let mut left: Vec<u64> = tasks.iter().map(|&(_, _, _, work)| work).collect();
            let (mut at, mut wrong) = (100, 0);
            gpu.advance(Tick(100 + until), &mut |stretch| {
                let id = stretch.id.0 as usize;
                let urgent = |i: usize| tasks[i].2 < tasks[id].2 && left[i] > 0;
                let ran = stretch.to.since(stretch.from).0;
                wrong += u64::from(stretch.from.0 != at || ran == 0 || (0..left.len()).any(urgent));
                left[id] -= ran;
                wrong += u64::from(stretch.completed != (left[id] == 0));
                at = stretch.to.0;
            });
            let work: u64 = tasks.iter().map(|&(_, _, _, work)| work).sum();
            prop_assert_eq!((wrong, at, gpu.busy().0), (0, 100 + until.min(work), until.min(work)));
            prop_assert_eq!(left.iter().sum::<u64>(), work - until.min(work));
            for task in gpu.tasks() {
                let id = task.id.0 as usize;
                prop_assert_eq!(task.ran.0, tasks[id].1 + tasks[id].3 - left[id]);
            }
        }
    }
}

proptest! {
    // Schoolbook digits are slow.
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn stage_two_is_the_oracle(
        pool in vec(process(), 1..8), t0 in prop_oneof![1..200_u64, 1..=u64::MAX],
    ) {
        for rule in SliceRule::ALL {
            let loaded: Vec<LoadedProcess> = pool.iter().map(|&(_, share, alive, ran)| {
                LoadedProcess::new(0, Weight::new(share, alive, ran, t0), share)
            }).collect();
            let mut slices = vec![];
            let found = StageTwo::new(Ticks(t0), rule, None).unwrap().slices(&loaded, &mut slices);
            let expected = oracle::slices(rule.name(), &pool, t0);
            prop_assert_eq!(found.ok().map(|()| slices), expected, "{}", rule.name());
        }
    }
}

#[test]
fn the_claim_worsens_what_mixed_ages_begin_with() {
    // The direction of the digest's study of twelve tasks; its ages are not given.
    let tasks: Vec<(u64, u64)> =
        (0..12).map(|n| (145_000 * n, 1000 + 36_000 * (n * 5 % 12))).collect();
    let now = 2_000_000;
    let rates = |rule| {
        let mut gpu = gpu(&SliceConfig::new(Ticks(40), 12, rule), now, &tasks);
        gpu.advance(Tick(now + 7_200_000), &mut |_| {});
        let end = gpu.now();
        let tasks = gpu.tasks().iter();
        jain(tasks.map(|task| task.ran.0 as f64 / end.since(task.created).0 as f64))
    };
    assert!(rates(SliceRule::Claim) < 0.9);
    for rule in [SliceRule::Mean, SliceRule::Inverse, SliceRule::MinOne] {
        assert!(rates(rule) > 0.995, "{}", rule.name());
    }
}
