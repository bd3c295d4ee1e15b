//! Whole runs keep the other promises of the issue and the digest: shares, newcomers, waits,
//! take-over.

use raddle_golden::slices::{Exclusive, GpuStretch, GpuTask};
use raddle_policy::{Tick, Ticks};
use raddle_timeslice::{LoadOrder, Shares, SliceConfig, SliceRule, TakeOver};

use crate::{gpu, ran, task};

/// Returns the percentage of the run time that a task of share 3 gets beside one of share 1, at
/// several times.
fn three_to_one(rule: SliceRule, capacity: usize, shares: Shares) -> Vec<f64> {
    let settings = SliceConfig::new(Ticks(40), capacity, rule).with_shares(shares);
    let mut gpu = Exclusive::new(&settings).unwrap();
    for (id, share) in [(0, 3), (1, 1)] {
        gpu.add(GpuTask { share, ..task(id, 0, 0, 0) }, None, Tick(0));
    }
    let percent = |until| {
        gpu.advance(Tick(until), &mut |_| {});
        ran(&gpu)[0] as f64 * 100.0 / until as f64
    };
    [100_000, 1_000_000, 3_600_000].map(percent).to_vec()
}

#[test]
fn shares_3_and_1_give_three_quarters() {
    let near = |percents: Vec<f64>, wanted: f64| {
        assert!(percents.iter().all(|p| (p - wanted).abs() <= 1.5), "{percents:?}");
    };
    for rule in [SliceRule::MinOne, SliceRule::Mean, SliceRule::Inverse] {
        near(three_to_one(rule, 8, Shares::Time), 75.0);
        // Only the weight: the square root of 3 to 1.
        near(three_to_one(rule, 8, Shares::Weight), 63.4);
        // Where not both fit, selection gives the shares by itself.
        near(three_to_one(rule, 1, Shares::Weight), 75.0);
        near(three_to_one(rule, 1, Shares::Time), 75.0);
    }
    near(three_to_one(SliceRule::Equal, 8, Shares::Weight), 50.0);
}

/// Returns the part of the run time that a newcomer (age 10 s, run time 0) gets beside three tasks
/// that ran 600 of 3600 s, in the last fifth of 600 s.
fn newcomers_share(rule: SliceRule) -> f64 {
    let (now, end) = (3_600_000, 4_200_000);
    let old = (0, 600_000);
    let mut gpu =
        gpu(&SliceConfig::new(Ticks(40), 4, rule), now, &[old, old, old, (now - 10_000, 0)]);
    gpu.advance(Tick(end - 120_000), &mut |_| {});
    let before = ran(&gpu);
    gpu.advance(Tick(end), &mut |_| {});
    (ran(&gpu)[3] - before[3]) as f64 / 120_000.0
}

#[test]
fn a_newcomers_share() {
    // The digest's figures; runs there are of exact fractions.
    for (rule, share) in [
        (SliceRule::Claim, 0.0833),
        (SliceRule::Inverse, 0.2178),
        (SliceRule::Mean, 0.2181),
        (SliceRule::MinOne, 0.2181),
        (SliceRule::Equal, 0.25),
    ] {
        let found = newcomers_share(rule);
        assert!((found - share).abs() < 0.003, "{}: {found}", rule.name());
    }
}

#[test]
fn with_room_for_all_nobody_waits_longer_than_n_minus_1_slices() {
    let mut tight = 0;
    for rule in SliceRule::ALL {
        for n in [2, 5, 9] {
            let settings = SliceConfig::new(Ticks(40), n, rule).with_longest(Some(Ticks(200)));
            let old: Vec<(u64, u64)> = (1..n as u64).map(|i| (0, 1000 * i * i)).collect();
            let mut gpu = gpu(&settings, 500_000, &old);
            // The slice that runs when the newcomer comes counts whole.
            let mut whole = 0;
            gpu.advance(Tick(501_234), &mut |stretch| whole = stretch.to.since(stretch.from).0);

            let newcomer = task(n as u32, 0, 501_234, 0);
            gpu.add(newcomer, None, Tick(501_234));
            let mut ends = vec![501_234; n + 1];
            let (mut worst, mut longest) = (0, 0);
            let mut see = |stretch: GpuStretch| {
                let id = stretch.id.0 as usize;
                if id != n {
                    worst = worst.max(stretch.from.0 - ends[id]);
                }
                ends[id] = stretch.to.0;
                longest = longest.max(stretch.to.since(stretch.from).0 + whole);
                whole = 0;
            };
            gpu.advance(Tick(800_000), &mut see);
            let bound = (n as u64 - 1) * longest;
            assert!(worst <= bound, "{} {n}: {worst} of {bound}", rule.name());
            tight += u32::from(worst == bound);
        }
    }
    assert!(tight >= 3, "equal slices leave no room: {tight}");
}

/// Returns the tick at which a task of level 0 that comes at tick 50 begins, beside three of level
/// 2 with slices of 120 ticks, and the ids of the tasks in the order in which they ran.
fn begins(take_over: TakeOver) -> (u64, Vec<u32>) {
    let settings = SliceConfig::new(Ticks(40), 8, SliceRule::Claim).with_take_over(take_over);
    let mut gpu = gpu(&settings, 0, &[]);
    for id in 0..3 {
        gpu.add(task(id, 2, 0, 0), None, Tick(0));
    }
    let mut seen = Vec::new();
    gpu.advance(Tick(50), &mut |stretch| seen.push((stretch.id.0, stretch.from.0)));
    gpu.add(task(9, 0, 50, 0), Some(Ticks(70)), Tick(50));
    gpu.advance(Tick(480), &mut |stretch| seen.push((stretch.id.0, stretch.from.0)));
    let at = seen.iter().position(|&(id, _)| id == 9).unwrap();
    (seen[at].1, seen.iter().map(|&(id, _)| id).collect())
}

#[test]
fn a_more_urgent_level_takes_over() {
    // D6: at the slice end, and those not yet run go back to the pool; the new load begins with
    // whoever is owed most then.
    assert_eq!(begins(TakeOver::AtOnce), (50, vec![0, 9, 9, 0, 1, 2]));
    assert_eq!(begins(TakeOver::SliceEnd).0, 120);
    assert_eq!(begins(TakeOver::BatchEnd), (360, vec![0, 0, 1, 2, 9, 9, 0]));
}

#[test]
fn random_order_is_seeded_and_fair() {
    let run = |seed| {
        let order = LoadOrder::Random { seed };
        let settings = SliceConfig::new(Ticks(40), 4, SliceRule::Equal).with_order(order);
        let mut gpu = gpu(&settings, 0, &[(0, 0); 4]);
        let (mut seen, mut firsts) = (Vec::new(), [0; 4]);
        gpu.advance(Tick(160_000), &mut |stretch| seen.push(stretch.id.0));
        for first in seen.chunks(4) {
            firsts[first[0] as usize] += 1;
            let mut each = first.to_vec();
            each.sort_unstable();
            assert_eq!(each, [0, 1, 2, 3], "each once a load");
        }
        assert!(firsts.iter().all(|&first| (200..300).contains(&first)), "{firsts:?}");
        seen
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}

#[test]
fn a_longest_slice_caps_and_what_cannot_be_counted_is_the_longest() {
    let settings = SliceConfig::new(Ticks(40), 2, SliceRule::Claim).with_longest(Some(Ticks(45)));
    let mut gpu = Exclusive::new(&settings).unwrap();
    gpu.advance(Tick(1 << 60), &mut |_| {});
    for id in 0..2 {
        let task = GpuTask { share: u64::MAX, ..task(id, 0, 0, 0) };
        gpu.add(task, None, Tick(1 << 60));
    }
    let mut lengths = Vec::new();
    let until = Tick((1 << 60) + 90);
    gpu.advance(until, &mut |stretch| lengths.push(stretch.to.since(stretch.from).0));
    assert_eq!(lengths, [45, 45]);
}
