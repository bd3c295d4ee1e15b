//! Are the miss rates those of the seed, of counting all maps, and of a simulation by plain loops?
#![allow(clippy::unwrap_used, reason = "all of this is test code")]

use raddle_bitmap::{FreeMap, Full, Grouped, Polarity, Sampled, Search};
use raddle_golden::ModelError;
use raddle_golden::bitmap::miss::{Chance, Churn, missed, refused};

fn every_map(blocks: u32) -> impl Iterator<Item = FreeMap> {
    (0..1_u64 << blocks)
        .map(move |code| FreeMap::from_words(&[code], blocks, Polarity::FreeIsOne).unwrap())
}

/// Returns the chance that a map of `blocks` blocks has a property, by counting all maps; every
/// block is free with chance a/b.
fn by_counting(blocks: u32, (a, b): (u64, u64), is: impl Fn(&FreeMap) -> bool) -> f64 {
    let free = a as f64 / b as f64;
    let weight = |map: &raddle_bitmap::FreeMap| {
        let (free_blocks, all) = (map.free_blocks() as i32, blocks as i32);
        free.powi(free_blocks) * (1.0 - free).powi(all - free_blocks)
    };
    every_map(blocks).filter(is).map(|map| weight(&map)).sum()
}

fn value(chance: Chance) -> f64 {
    format!("{chance:.9}").parse().unwrap()
}

#[test]
fn the_recurrence_counts_all_maps() {
    let blocks = 12;
    let searches: [&dyn Search; 5] = [
        &Full,
        &Grouped::new(blocks, 3).unwrap(),
        &Grouped::new(blocks, 6).unwrap(),
        &Sampled::steps(blocks).unwrap(),
        &Sampled::new(blocks, &[0, 4]).unwrap(),
    ];
    for search in searches {
        for share in [(1, 2), (9, 10), (1, 7), (0, 1), (1, 1)] {
            let free = Chance::new(share.0, share.1).unwrap();
            for want in 0..=blocks + 1 {
                let fits = |map: &raddle_bitmap::FreeMap| search.fits(map.view(), want).unwrap();
                let none = by_counting(blocks, share, |map| !fits(map));
                let found = value(refused(search, blocks, want, free));
                assert!((found - none).abs() < 1e-8, "{want} at {share:?}: {found}, {none}");
                let lost =
                    by_counting(blocks, share, |map| !fits(map) && map.first_fit(want).is_some());
                let found = value(missed(search, blocks, want, free));
                assert!((found - lost).abs() < 1e-8, "{want} at {share:?}: {found}, {lost}");
            }
        }
    }
}

#[test]
fn chances_are_shown_with_three_digits() {
    let show = |n, d| Chance::new(n, d).unwrap().to_string();
    let shown = [(0, 7), (7, 7), (1, 2), (1, 3), (2, 3), (1, 1000), (1, 10_001), (1, 20_000)];
    let shown = shown.map(|(n, d)| show(n, d));
    assert_eq!(shown, ["0", "1", "0.500", "0.333", "0.667", "0.00100", "0.000100", "5.00e-5"]);
    assert_eq!(show(99_951, 100_000), "1.00");
    assert_eq!(format!("{:.1}", Chance::new(96, 100).unwrap()), "1");
    assert_eq!(show(1, u64::MAX), "1.08e-19");
    let third = Chance::new(1, 3).unwrap();
    assert_eq!(format!("{third:.1} {third:.6} {third:.40}"), "0.3 0.333333 0.333333333");
    let small = Chance::new(1, 30_000).unwrap();
    assert_eq!(format!("{small:.1} {small:.4}"), "3e-5 3.333e-5");
}

#[test]
fn churn_counts_as_plain_loops_count() {
    let churn = Churn { requests: 2_000, ..Churn::typical(64) };
    let searches: [&dyn Search; 3] =
        [&Full, &Grouped::of_size(64, 4).unwrap(), &Sampled::steps(64).unwrap()];
    let count = churn.run(&searches).unwrap();
    assert_eq!(churn.run(&searches).as_ref(), Ok(&count), "the same seed gives the same counts");
    assert_eq!(count.missed[0], 0, "the exact search misses nothing");
    let (refused, fragmented) = (count.refused, count.fragmented);
    assert!(0 < fragmented && fragmented < refused && refused < 2_000, "{count:?}");
    assert!(count.missed[1] > 0 && count.missed[2] > 0, "{count:?}");
    let other = Churn { seed: 2, ..churn }.run(&searches).unwrap();
    assert_ne!(other, count);
    // Held empty, there is room for every single request, and no search misses one of 4 blocks.
    let empty = Churn { want: (4, 4), used_percent: (0, 0), ..churn };
    let count = empty.run(&searches).unwrap();
    assert_eq!((count.refused, count.missed), (0, vec![0; 3]));
}

#[test]
fn the_seeds_probabilities() {
    let half = Chance::new(1, 2).unwrap();
    let unit = refused(&Grouped::of_size(128, 4).unwrap(), 128, 4, half);
    let module = unit.any_of(4);
    let shown = [unit, module, module.all_of(16)].map(|chance| format!("{chance:.6}"));
    assert_eq!(shown, ["0.126789", "0.418597", "8.88667e-7"]);
    // The seed goes on with 0.127, and cuts to three digits before the last power.
    let seed = Chance::new(127, 1000).unwrap().any_of(4);
    assert_eq!(format!("{seed:.6}"), "0.419159");
    let cut = Chance::new(418, 1000).unwrap().all_of(16);
    assert_eq!(format!("{cut:.3}"), "8.69e-7");
    let full = refused(&Full, 128, 4, half);
    assert_eq!([full, full.any_of(4)].map(|it| format!("{it:.5}")), ["0.0097122", "0.038286"]);
}

#[test]
fn the_vectors_of_e5() {
    let all = raddle_testkit::vectors("vectors000.json");
    let case = &all["E5_probability"];
    let half = Chance::new(1, 2).unwrap();
    let grouped = refused(&Grouped::of_size(128, 4).unwrap(), 128, 4, half);
    let full = refused(&Full, 128, 4, half);
    for (name, chance) in [
        ("unit_all_groups_fail", grouped),
        ("module_fail_4_units", grouped.any_of(4)),
        ("all_16_modules_fail", grouped.any_of(4).all_of(16)),
        ("with_rounded_0_127", Chance::new(127, 1000).unwrap().any_of(4)),
        ("text_0_418_pow_16", Chance::new(418, 1000).unwrap().all_of(16)),
        ("ungrouped_unit_fail", full),
        ("ungrouped_module_fail", full.any_of(4)),
    ] {
        let expected = case[name].as_f64().unwrap();
        let shown: f64 = format!("{chance:.9}").parse().unwrap();
        assert!((shown / expected - 1.0).abs() < 1e-8, "{name}: {shown}, {expected}");
    }
}

#[test]
fn chances_and_simulations() {
    let share = |numerator, denominator| Err(ModelError::Share { numerator, denominator });
    assert_eq!(Chance::new(1, 0), share(1, 0));
    assert_eq!(Chance::new(3, 2), share(3, 2));
    assert_eq!(Chance::new(u64::MAX, u64::MAX), Ok(Chance::ALWAYS));
    let churn = Churn::typical(64);
    let run = |churn: Churn| churn.run(&[&Full]).map(|count| count.missed);
    let refused = |answer: Result<_, ModelError>| answer.map_err(|error| error.to_string());
    assert_eq!(
        refused(run(Churn { blocks: 0, ..churn })),
        Err("there is no block: give at least 1".to_owned())
    );
    for bad in [
        Churn { want: (0, 4), ..churn },
        Churn { want: (5, 4), ..churn },
        Churn { want: (4, 65), ..churn },
        Churn { used_percent: (60, 50), ..churn },
        Churn { used_percent: (60, 101), ..churn },
    ] {
        assert_eq!(run(bad), Err(ModelError::Churn));
    }
    let other = Churn::typical(64).run(&[&Grouped::of_size(128, 4).unwrap()]);
    assert_eq!(
        other.map_err(|error| error.to_string()),
        Err("the search is for 128 blocks, the map has 64: make one for its size".to_owned())
    );
    assert_eq!(run(Churn { requests: 10, ..Churn::typical(1) }), Ok(vec![0]));
}
