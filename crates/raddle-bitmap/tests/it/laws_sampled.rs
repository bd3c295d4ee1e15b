//! Does the sampled search keep the laws of seed 000, E6?

use raddle_bitmap::circuit::{FullTrace, Jump, SampledTrace, Setup};
use raddle_bitmap::{FreeMap, Sampled, Search};

use crate::{every_map, map};

const K16: [u32; 7] = [0, 1, 3, 5, 7, 11, 15];

/// Worked examples of the sampled search, as (digits of the map, SAR for the lengths of K16,
/// reported length, longest run).
const TABLE: [(&str, &str, u32, u32); 8] = [
    ("1111111111111111", "1111111", 16, 16),
    ("0111110111000000", "1110000", 4, 5),
    ("0111111111110000", "1111100", 8, 11),
    ("1101101101101101", "1100000", 2, 2),
    ("1010101010101010", "1000000", 1, 1),
    ("1111101111101111", "1110000", 4, 5),
    ("1101100000000000", "1100000", 2, 2),
    ("0000000000000000", "0000000", 0, 0),
];

/// Returns sampled searches whose tested lengths differ by gaps of every kind: each amount, gaps
/// that need doublings, a late beginning.
fn lists(blocks: u32) -> Vec<Sampled> {
    let all: Vec<u32> = (0..blocks).collect();
    let some: [&[u32]; 4] = [&all, &[0, 7], &[2, 4, 8], &[0, 1, 3, 5, 9]];
    some.into_iter().filter_map(|k| Sampled::new(blocks, k).ok()).collect()
}

#[test]
fn t1_the_table() {
    let search = Sampled::new(16, &K16).unwrap();
    for (free, sar, answer, exact) in TABLE {
        let map = map(free);
        assert_eq!((search.longest(map.view()), map.longest()), (Ok(answer), exact), "{free}");
        for setup in Setup::ALL {
            let trace = SampledTrace::new(map.view(), &search, setup).unwrap();
            assert_eq!((trace.sar().to_string().as_str(), trace.answer()), (sar, answer));
        }
    }
}

#[test]
fn t2_t4_the_largest_sample_that_fits() {
    for search in lists(10) {
        for map in every_map(10) {
            let amounts = search.amounts().iter().filter(|&&amount| amount <= map.longest());
            let expected = amounts.max().copied().unwrap_or(0);
            assert_eq!(search.longest(map.view()), Ok(expected), "T2: {map:?} {search:?}");
            for setup in Setup::ALL {
                let trace = SampledTrace::new(map.view(), &search, setup).unwrap();
                assert_eq!(trace.answer(), expected, "T2: {map:?} {search:?} {setup:?}");
                assert!(!trace.sar().to_string().contains("01"), "T4: {map:?}");
            }
        }
    }
}

#[test]
fn t3_every_k_is_the_full_search() {
    let all: Vec<u32> = (0..12).collect();
    let search = Sampled::new(12, &all).unwrap();
    for map in every_map(12) {
        assert_eq!(search.longest(map.view()), Ok(map.longest()));
    }
}

#[test]
fn t5_the_steps_of_128_blocks() {
    let search = Sampled::steps(128).unwrap();
    let k = [0, 1, 2, 3, 5, 7, 11, 15, 23, 31, 47, 63, 95, 127];
    assert!(search.k().eq(k));
    let gaps: Vec<u32> = k.windows(2).map(|two| two[1] - two[0]).collect();
    assert_eq!(gaps, [1, 1, 1, 2, 2, 4, 4, 8, 8, 16, 16, 32, 32]);
    let runs = [5, 9, 13, 47, 100, 127, 128].map(|len| {
        let mut map = FreeMap::new(128).unwrap();
        let rest = map.fit_at(len, 128 - len).unwrap();
        map.commit(rest).unwrap();
        search.longest(map.view()).unwrap()
    });
    assert_eq!(runs, [4, 8, 12, 32, 96, 96, 128]);
}

#[test]
fn steps_have_gaps_of_powers_of_two_that_never_fall() {
    for blocks in 1..=300 {
        let k: Vec<u32> = Sampled::steps(blocks).unwrap().k().collect();
        let gaps: Vec<u32> = k.windows(2).map(|two| two[1] - two[0]).collect();
        assert!(gaps.iter().all(|gap| gap.is_power_of_two()) && gaps.is_sorted(), "{k:?}");
        assert!(k[0] == 0 && 2 * k[k.len() - 1] + 2 > blocks / 2, "{k:?} of {blocks}");
    }
}

#[test]
fn t6_never_a_false_fit() {
    for search in lists(12) {
        for map in every_map(12) {
            for want in 1..=13 {
                let next = search.amounts().iter().find(|&&amount| amount >= want);
                let expected = next.is_some_and(|&amount| map.longest() >= amount);
                assert_eq!(search.fits(map.view(), want), Ok(expected), "{want} {map:?}");
                assert!(!expected || map.first_fit(want).is_some());
            }
        }
    }
}

#[test]
fn t7_jumps_make_what_the_chain_makes() {
    let lists = lists(10);
    for jump in lists.iter().flat_map(Jump::all) {
        assert!(jump.to - jump.from <= jump.from + 1, "{jump:?}");
    }
    let [first, .., last] = Setup::ALL;
    for (map, setup) in every_map(10).flat_map(|map| [(map.clone(), first), (map, last)]) {
        let chain = FullTrace::new(map.view(), setup).unwrap();
        for search in &lists {
            let trace = SampledTrace::new(map.view(), search, setup).unwrap();
            let samples = search.k().map(|k| &chain.sa()[k as usize]);
            assert!(trace.sa().iter().eq(samples), "{map:?} {search:?}");
            for (jump, made) in trace.jumps() {
                assert_eq!(made, &chain.sa()[jump.to as usize], "{jump:?}");
            }
            assert_eq!(trace.s(), chain.s());
        }
    }
}

#[test]
fn t8_the_primes_of_16_blocks() {
    let primes = [2, 3, 5, 7, 11, 13];
    // The seed taken by its letter: no k is prime.
    let literal: Vec<u32> = (0..16).filter(|k| !primes.contains(k)).collect();
    let literal = Sampled::new(16, &literal).unwrap();
    assert_eq!(literal.amounts(), [1, 2, 5, 7, 9, 10, 11, 13, 15, 16]);
    // The seed as raddle reads it: no amount is prime.
    let counted = Sampled::without_primes(16).unwrap();
    assert!(counted.k().eq([0, 3, 5, 7, 8, 9, 11, 13, 14, 15]));
    assert_eq!(counted.amounts(), [1, 4, 6, 8, 9, 10, 12, 14, 15, 16]);
    let given = Sampled::excluding(16, |amount| primes.contains(&amount)).unwrap();
    assert_eq!(given, counted);
}

#[test]
fn a_list_may_begin_late() {
    let search = Sampled::new(16, &[2, 4, 8]).unwrap();
    for (free, sar, answer) in [("0111110111000000", "110", 5), ("0110110110110110", "000", 0)] {
        let trace = SampledTrace::new(map(free).view(), &search, Setup::default()).unwrap();
        assert_eq!((trace.sar().to_string().as_str(), trace.answer()), (sar, answer));
        assert_eq!(search.longest(map(free).view()), Ok(answer));
    }
}
