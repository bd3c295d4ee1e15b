//! Does the grouped search keep the laws of seed 000, E5?

use raddle_bitmap::circuit::{GroupedTrace, Setup};
use raddle_bitmap::{Grouped, Need, Search};

use crate::{every_map, map, naive};

/// Worked examples of the grouped search, as (digits of the map, number of groups, F0, FAR,
/// reported length, longest run).
const TABLE: [(&str, u32, &str, &str, u32, u32); 8] = [
    ("1111111111111111", 4, "1111", "1111", 16, 16),
    ("0111111011110000", 4, "0010", "1000", 4, 6),
    ("0111111011110000", 8, "01101100", "11000000", 4, 6),
    ("1110111111110111", 4, "0110", "1100", 8, 8),
    ("0001111111000000", 4, "0100", "1000", 4, 7),
    ("0111011101110111", 4, "0000", "0000", 0, 3),
    ("1111000011111111", 4, "1011", "1100", 8, 8),
    ("0000000000000000", 4, "0000", "0000", 0, 0),
];

/// Returns a grouped search for every number of groups that a map of this many blocks can have.
fn divisors(blocks: u32) -> Vec<Grouped> {
    (1..blocks).filter_map(|groups| Grouped::new(blocks, groups).ok()).collect()
}

#[test]
fn t1_the_table() {
    for (free, groups, f0, far, answer, exact) in TABLE {
        let (map, search) = (map(free), Grouped::new(16, groups).unwrap());
        assert_eq!((search.longest(map.view()), map.longest()), (Ok(answer), exact), "{free}");
        for setup in Setup::ALL {
            let trace = GroupedTrace::new(map.view(), &search, setup).unwrap();
            let own = if setup.polarity.digit(true) { f0.to_owned() } else { inverted(f0) };
            assert_eq!(trace.f()[0].to_string(), own, "{free} {setup:?}");
            assert_eq!((trace.far().to_string().as_str(), trace.answer()), (far, answer));
        }
    }
}

fn inverted(digits: &str) -> String {
    digits.chars().map(|digit| if digit == '0' { '1' } else { '0' }).collect()
}

#[test]
fn t2_a_multiple_and_never_too_much() {
    for blocks in 2..=14 {
        for search in divisors(blocks) {
            for map in every_map(blocks) {
                let answer = search.longest(map.view()).unwrap();
                assert!(answer.is_multiple_of(search.size()) && answer <= map.longest());
            }
        }
    }
}

#[test]
fn t3_the_worst_loss() {
    // Blocks, groups, the largest loss: 2 (g - 1), reached.
    for (blocks, groups, worst) in [(12, 6, 2), (12, 4, 4), (12, 3, 6), (14, 7, 2)] {
        let search = Grouped::new(blocks, groups).unwrap();
        let loss = every_map(blocks).map(|map| map.longest() - search.longest(map.view()).unwrap());
        assert_eq!(loss.max(), Some(worst), "{search:?}");
        assert_eq!(worst, 2 * (search.size() - 1));
    }
}

#[test]
fn t4_the_lower_bound() {
    for blocks in [12, 14] {
        for search in divisors(blocks) {
            let size = search.size();
            for map in every_map(blocks) {
                let least = size * ((map.longest() + 1) / size).saturating_sub(1);
                assert!(search.longest(map.view()).unwrap() >= least, "{map:?} {search:?}");
            }
        }
    }
}

#[test]
fn t5_every_set_up_agrees() {
    for search in [Grouped::new(8, 4), Grouped::new(8, 2), Grouped::new(9, 3)].map(Result::unwrap) {
        for map in every_map(search.blocks()) {
            for setup in Setup::ALL {
                let trace = GroupedTrace::new(map.view(), &search, setup).unwrap();
                assert_eq!(Ok(trace.answer()), search.longest(map.view()), "{map:?} {setup:?}");
                assert!(!trace.far().to_string().contains("01"));
            }
        }
    }
}

#[test]
fn t6_groups_of_one_block_would_be_the_full_search_and_are_refused() {
    for map in every_map(9) {
        assert_eq!(naive(&map).grouped(9), map.longest() as usize);
    }
    assert_eq!(
        Grouped::new(9, 9).map_err(|error| error.to_string()),
        Err("9 groups of 9 blocks: give 1 to one less than the blocks".to_owned())
    );
}

#[test]
fn t7_a_wish_is_rounded_up_to_groups() {
    let search = Grouped::new(12, 4).unwrap();
    for want in 0..=13_u32 {
        let rounded = want.div_ceil(3) * 3;
        let need = (want <= 12).then_some(Need { cell: 3, run: rounded / 3 });
        assert_eq!(search.need(want), need, "{want}");
        for map in every_map(12) {
            let answer = search.longest(map.view()).unwrap();
            assert_eq!(answer >= want, answer >= rounded, "{want} in {map:?}");
        }
    }
}

#[test]
fn groups_of_any_size_in_maps_of_any_size() {
    for (blocks, groups) in [(128, 32), (128, 4), (128, 2), (1824, 57), (1824, 19), (2048, 512)] {
        let search = Grouped::new(blocks, groups).unwrap();
        for gap in [1, 5, 63, 64, 100] {
            let free: String =
                (0..blocks).map(|n| if n % (gap + 37) < gap { '0' } else { '1' }).collect();
            let map = map(&free);
            let expected = naive(&map).grouped(groups as usize) as u32;
            assert_eq!(search.longest(map.view()), Ok(expected), "{blocks}/{groups}, {gap}");
        }
    }
}
