//! Checks 1 to 15 of the spec, one test each.

use raddle_golden::slices::{GpuStretch, TaskId};
use raddle_policy::{Level, Tick, Ticks};
use raddle_timeslice::{LevelRange, LoadedProcess, Reload, SliceConfig, SliceRule, Weight};

use crate::{gpu, jain_of, load, millionths, ran, task};

/// Makes a GPU with the four tasks that the digest of patent 004 (our summary with checks)
/// studies: run 300, 150, 60 and 3 s, age 600 s, t0 40 ms; a millisecond is `unit` ticks.
fn four(rule: SliceRule, unit: u64) -> raddle_golden::slices::Exclusive {
    let run = [300, 150, 60, 3].map(|seconds| (0, seconds * 1000 * unit));
    let mut gpu = gpu(&SliceConfig::new(Ticks(40 * unit), 4, rule), 600_000 * unit, &run);
    gpu.advance(Tick((600_000 + 3_600_000) * unit), &mut |_| {});
    gpu
}

#[test]
fn check_01_levels_and_codes() {
    let levels = LevelRange::default();
    for (level, code) in [(1, "0000"), (2, "0001"), (4, "0011"), (10, "1001"), (16, "1111")] {
        let found = levels.code(level).unwrap();
        assert_eq!((found.to_string().as_str(), u16::from(found.value())), (code, level - 1));
        assert_eq!(levels.level(found.value()), Ok(Level(found.value())));
    }
    assert!(levels.level(0).unwrap().outranks(levels.level(1).unwrap()), "smaller is better");
    assert!(levels.code(0).is_err() && levels.code(17).is_err() && levels.level(16).is_err());
    let bits = [1, 2, 3, 4, 5, 16, 17, 256].map(|count| LevelRange::new(count).unwrap().bits());
    assert_eq!(bits, [1, 1, 2, 2, 3, 4, 5, 8]);
}

#[test]
fn check_02_weights() {
    let weight = |ran| Weight::new(1, 60, ran, 1).fixed().unwrap();
    assert_eq!((weight(3), weight(10)), (20 << 32, 6 << 32));
}

#[test]
fn check_03_candidates() {
    let pool = |levels: &[(u8, usize)]| -> Vec<(u8, u64, u64)> {
        let each = levels.iter().flat_map(|&(level, count)| vec![level; count]);
        each.map(|level| (level - 1, 9, 3)).collect()
    };
    // The others stand before and behind: where they are does not matter.
    let mut eleven = pool(&[(5, 3), (3, 5), (5, 3)]);
    assert_eq!(load(16, &eleven), [3, 4, 5, 6, 7]);
    eleven.reverse();
    assert_eq!(load(16, &eleven), [3, 4, 5, 6, 7]);
    assert_eq!(load(16, &pool(&[(10, 1), (4, 4), (2, 2)])), [5, 6]);
    assert_eq!(load(16, &pool(&[(6, 3)])), [0, 1, 2]);
}

#[test]
fn check_04_selection() {
    let pool = [(2, 20, 1), (2, 6, 1), (2, 3, 2), (2, 6, 1), (2, 9, 1), (4, 500, 1)];
    for (capacity, expected) in [
        (1, &[0][..]),
        (2, &[0, 4]),
        (3, &[0, 4, 1]),
        (4, &[0, 4, 1, 3]),
        (5, &[0, 1, 2, 3, 4]),
        (6, &[0, 1, 2, 3, 4]),
        (8, &[0, 1, 2, 3, 4]),
    ] {
        assert_eq!(load(capacity, &pool), expected, "{capacity}");
    }
}

// Check 5 is a law over random pools: `laws::check_05_what_is_loaded`.

#[test]
fn check_06_the_claims_slices() {
    let mut weights = vec![(3, 1); 10];
    (weights[0], weights[8], weights[9]) = ((5, 1), (2, 1), (2, 1));
    let slices = millionths(SliceRule::Claim, &weights);
    let mut expected = vec![10_000_000; 10];
    (expected[0], expected[8], expected[9]) = (6_000_000, 15_000_000, 15_000_000);
    assert_eq!(slices, expected);
    // At t0 = 40 ms the first is 240 ms.
    assert_eq!(slices[0] * 40 / 1_000_000, 240);
}

#[test]
fn check_07_weights_20_and_6() {
    let two = [(20, 1), (6, 1)];
    assert_eq!(millionths(SliceRule::Claim, &two), [1_300_000, 4_333_333]);
    for rule in SliceRule::ALL {
        assert_eq!(millionths(rule, &[(7, 3)]), [1_000_000], "{}: alone", rule.name());
    }
    for n in [2, 4, 10, 16] {
        let slices = millionths(SliceRule::Claim, &vec![(7, 1); n]);
        assert!(slices.iter().all(|&slice| slice == n as u128 * 1_000_000));
    }
}

// Check 8 is a law over random weights: `laws::check_08_how_slices_follow_from_weights`.

#[test]
fn check_09_no_division_by_zero() {
    let zero = Weight::new(1, 0, 0, 40);
    assert_eq!(zero.fixed(), Some(1 << 32), "alive and run time count as one slice each");
    assert_eq!(Weight::new(1, 0, 0, 0).fixed(), Some(1 << 32));
    for rule in SliceRule::ALL {
        let loads = [(100, 0), (0, 0), (100, 50)]
            .map(|(alive, ran)| LoadedProcess::new(0, Weight::new(1, alive, ran, 40), 1));
        let mut slices = Vec::new();
        let stage = raddle_timeslice::StageTwo::new(Ticks(40), rule, None).unwrap();
        stage.slices(&loads, &mut slices).unwrap();
        assert!(slices.iter().all(|slice| (1..1000).contains(slice)), "{slices:?}");
        // And where everything begins at once.
        let mut gpu = gpu(&SliceConfig::new(Ticks(40), 4, rule), 0, &[(0, 0); 3]);
        gpu.advance(Tick(12_000), &mut |_| {});
        assert_eq!(ran(&gpu).iter().sum::<u64>(), 12_000);
    }
}

/// Returns (the largest difference between a task's fraction of the run time at the beginning and
/// at the end of the last whole round; the number of rounds begun).
fn drift(unit: u64) -> (f64, u64) {
    let begin = [300, 150, 60, 3].map(|seconds| seconds * 1000 * unit);
    let old = begin.map(|ran| (0, ran));
    let mut gpu =
        gpu(&SliceConfig::new(Ticks(40 * unit), 4, SliceRule::Claim), 600_000 * unit, &old);
    let (mut run, mut whole) = (begin, begin);
    let mut see = |stretch: GpuStretch| {
        run[stretch.id.0 as usize] += stretch.to.since(stretch.from).0;
        if stretch.id.0 == 3 {
            whole = run;
        }
    };
    gpu.advance(Tick((600_000 + 3_600_000) * unit), &mut see);
    let total: u64 = whole.iter().sum();
    let off = whole.iter().zip(begin).map(|(&now, before)| {
        (now as f64 / total as f64 - before as f64 / (513_000 * unit) as f64).abs()
    });
    assert!((jain_of(&whole) - 0.566_642).abs() < 1e-4);
    (off.fold(0.0, f64::max), gpu.loads())
}

#[test]
fn check_10_the_claim_freezes_shares() {
    let (off, rounds) = drift(1_000_000);
    assert!(off < 1e-6, "in units of 1 ns: {off}");
    assert_eq!(rounds, 488);
    let (off, rounds) = drift(1);
    assert!(off < 1e-4, "in units of 1 ms: {off}");
    assert_eq!(rounds, 485);
}

#[test]
fn check_10_the_other_rules_correct() {
    for rule in [SliceRule::Mean, SliceRule::Inverse, SliceRule::MinOne] {
        let jain = jain_of(&ran(&four(rule, 1000)));
        assert!(jain >= 0.9997, "{}: {jain}", rule.name());
    }
    let jain = jain_of(&ran(&four(SliceRule::Equal, 1)));
    assert!((jain - 0.9882).abs() < 5e-5, "{jain}");
}

#[test]
fn the_contracts_comparison() {
    for (rule, run, rounds) in [
        (SliceRule::Claim, [2_406_870, 1_201_840, 480_478, 23_812], 485),
        (SliceRule::Inverse, [1_057_699, 1_025_290, 1_015_850, 1_014_161], 5433),
        (SliceRule::Mean, [1_058_408, 1_022_831, 1_016_286, 1_015_475], 22_511),
        (SliceRule::MinOne, [1_057_720, 1_024_917, 1_016_150, 1_014_213], 18_943),
        (SliceRule::Equal, [1_200_000, 1_050_000, 960_000, 903_000], 22_500),
    ] {
        let gpu = four(rule, 1);
        assert_eq!((ran(&gpu), gpu.loads()), (run.to_vec(), rounds), "{}", rule.name());
    }
}

#[test]
fn check_11_selection_corrects_where_not_all_fit() {
    for rule in SliceRule::ALL {
        let tasks: Vec<(u64, u64)> = (0..16).map(|n| (0, 60_000 + 20_000 * (n * 7 % 16))).collect();
        let before = jain_of(&tasks.iter().map(|&(_, ran)| ran).collect::<Vec<_>>());
        assert!(before < 0.85, "{before}");
        let mut gpu = gpu(&SliceConfig::new(Ticks(40), 8, rule), 600_000, &tasks);
        gpu.advance(Tick(7_800_000), &mut |_| {});
        let jain = jain_of(&ran(&gpu));
        assert!(jain > 0.9999, "{}: {jain}", rule.name());
    }
}

#[test]
fn check_11_but_the_claim_freezes_who_begins_far_behind() {
    // Run times of 1 to 181 s instead of 60 to 360 s: what is loaded stays in its ratio.
    let jain = |rule| {
        let tasks: Vec<(u64, u64)> = (0..16).map(|n| (0, 1000 + 12_000 * (n * 7 % 16))).collect();
        let mut gpu = gpu(&SliceConfig::new(Ticks(40), 8, rule), 600_000, &tasks);
        gpu.advance(Tick(7_800_000), &mut |_| {});
        jain_of(&ran(&gpu))
    };
    assert!((jain(SliceRule::Claim) - 0.952).abs() < 0.001);
    for rule in [SliceRule::Equal, SliceRule::Mean, SliceRule::Inverse, SliceRule::MinOne] {
        assert!(jain(rule) > 0.9999, "{}", rule.name());
    }
}

#[test]
fn check_12_levels_are_strict() {
    for rule in SliceRule::ALL {
        let mut gpu = gpu(&SliceConfig::new(Ticks(40), 8, rule), 0, &[]);
        for (id, level, work) in [(0, 4, 500), (1, 2, 700), (2, 4, 100), (3, 2, 90)] {
            gpu.add(task(id, level, 0, 0), Some(Ticks(work)), Tick(0));
        }
        let mut order = Vec::new();
        gpu.advance(Tick(5000), &mut |stretch: GpuStretch| order.push(stretch.id.0));
        let urgent = order.iter().rposition(|id| [1, 3].contains(id)).unwrap();
        assert!(order[..urgent].iter().all(|id| [1, 3].contains(id)), "{order:?}");
        assert!([0, 2].contains(&order[urgent + 1]), "the next load takes the other level");
        assert_eq!(gpu.busy(), Ticks(1390));
    }
}

#[test]
fn check_13_when_the_cache_is_loaded_again() {
    for (reload, ends) in [
        (Reload::Completion, [(0, 28), (1, 29), (2, 30), (3, 49), (4, 50)]),
        (Reload::OnePass, [(0, 46), (1, 47), (2, 48), (3, 49), (4, 50)]),
    ] {
        let settings = SliceConfig::new(Ticks(40), 3, SliceRule::Equal).with_reload(reload);
        let mut gpu = gpu(&settings, 0, &[]);
        for id in 0..5 {
            gpu.add(task(id, 0, 0, 0), Some(Ticks(400)), Tick(0));
        }
        let mut completed = Vec::new();
        let mut see = |stretch: GpuStretch| {
            if stretch.completed {
                completed.push((stretch.id.0, stretch.to.0 / 40));
            }
        };
        gpu.advance(Tick(10_000), &mut see);
        assert_eq!(completed, ends, "{reload:?}");
    }
}

#[test]
fn check_14_slices_are_exact_and_follow_each_other() {
    // Weights 20 and 6 at t0 = 40: 52 and 173, FIFO; b ends within its slice.
    let mut gpu = gpu(&SliceConfig::new(Ticks(40), 2, SliceRule::Claim), 3_600_000, &[]);
    gpu.add(task(0, 0, 0, 180_000), None, Tick(3_600_000));
    gpu.add(task(1, 0, 0, 600_000), Some(Ticks(100)), Tick(3_600_000));
    let mut seen = Vec::new();
    let mut see = |stretch: GpuStretch| {
        let GpuStretch { id: TaskId(id), from, to, completed } = stretch;
        seen.push((id, from.0 - 3_600_000, to.0 - 3_600_000, completed));
    };
    gpu.advance(Tick(3_600_200), &mut see);
    let expected =
        [(0, 0, 52, false), (1, 52, 152, true), (0, 152, 192, false), (0, 192, 200, false)];
    assert_eq!(seen, expected, "alone, a has slices of t0; the last is cut by the end");
}

#[test]
fn check_15_run_time_is_busy_time() {
    for rule in SliceRule::ALL {
        let mut gpu = gpu(&SliceConfig::new(Ticks(7), 3, rule), 100, &[(0, 9), (50, 3), (90, 0)]);
        gpu.add(task(3, 0, 10, 20), Some(Ticks(123)), Tick(100));
        let mut completed = 0;
        let mut see = |stretch: GpuStretch| completed += u64::from(stretch.completed);
        gpu.advance(Tick(12_345), &mut see);
        assert_eq!(completed, 1);
        let charged: u64 = ran(&gpu).iter().sum::<u64>() - 12 + 123;
        assert_eq!((charged, gpu.busy().0), (12_245, 12_245), "{}", rule.name());
    }
}
