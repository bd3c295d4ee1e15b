//! Does the full search keep the laws of seed 000, E4?

use raddle_bitmap::circuit::{Bits, FullTrace, Setup, Shift};
use raddle_bitmap::{FreeMap, Full, Polarity, Search};

use crate::{digits, every_map, map};

fn trace(map: &FreeMap, setup: Setup) -> FullTrace {
    FullTrace::new(map.view(), setup).unwrap()
}

fn texts(sequences: &[Bits]) -> Vec<String> {
    sequences.iter().map(ToString::to_string).collect()
}

/// Worked examples of the full search, as (digits of the map, sequence SAR, longest run, starts of
/// runs of that length).
pub(crate) const TABLE: [(&str, &str, u32, &[u32]); 8] = [
    ("00000000", "00000000", 0, &[]),
    ("11111111", "11111111", 8, &[0]),
    ("10110111", "11100000", 3, &[5]),
    ("01101110", "11100000", 3, &[4]),
    ("10101010", "10000000", 1, &[0, 2, 4, 6]),
    ("11100111", "11100000", 3, &[0, 5]),
    ("00010000", "10000000", 1, &[3]),
    ("1111011101111110", "1111110000000000", 6, &[9]),
];

#[test]
fn t1_the_table() {
    for (free, sar, answer, starts) in TABLE {
        let map = map(free);
        assert_eq!(Full.longest(map.view()), Ok(answer));
        let runs = map.runs().filter(|&(_, len)| len == answer);
        assert!(runs.map(|(start, _)| start).eq(starts.iter().copied()), "{free}");
        for setup in Setup::ALL {
            let trace = trace(&map, setup);
            assert_eq!((trace.sar().to_string().as_str(), trace.answer()), (sar, answer));
        }
    }
}

#[test]
fn t2_to_the_left_with_occupied_0() {
    let trace = trace(&map("01101110"), Setup::default());
    let s = [
        "01101110", "11011100", "10111000", "01110000", "11100000", "11000000", "10000000",
        "00000000",
    ];
    assert_eq!(texts(trace.s()), s);
    let mut sa = ["00000000"; 8];
    sa[..3].copy_from_slice(&["01101110", "01001100", "00001000"]);
    assert_eq!(texts(trace.sa()), sa);
}

#[test]
fn t3_to_the_right_with_occupied_1() {
    let setup = Setup { polarity: Polarity::FreeIsZero, shift: Shift::Right };
    let trace = trace(&map("01101110"), setup);
    let s = [
        "10010001", "11001000", "11100100", "11110010", "11111001", "11111100", "11111110",
        "11111111",
    ];
    assert_eq!(texts(trace.s()), s);
    let mut sa = ["11111111"; 8];
    sa[..3].copy_from_slice(&["10010001", "11011001", "11111101"]);
    assert_eq!(texts(trace.sa()), sa);
    assert_eq!((trace.sar().to_string().as_str(), trace.answer()), ("11100000", 3));
}

/// Checks four laws for every map up to 10 blocks, in every form of the circuit: the sequence under
/// test is 1s, then 0s (T4), as many 1s as the longest run has blocks (T5), equal in all forms
/// (T6); the shift by i has i occupied digits or more (T9).
#[test]
fn t4_t5_t6_t9_on_every_map_up_to_10_blocks() {
    for blocks in 1..=10 {
        for map in every_map(blocks) {
            let longest = map.longest();
            let plain = trace(&map, Setup::default());
            for setup in Setup::ALL {
                let trace = trace(&map, setup);
                let text = trace.sar().to_string();
                assert!(!text.contains("01"), "T4: {text}");
                assert_eq!(trace.answer(), longest, "T5: {map:?} {setup:?}");
                assert_eq!(trace.sar(), plain.sar(), "T6: {map:?} {setup:?}");
                let occupied = setup.polarity.digit(false);
                for (by, sequence) in trace.s().iter().enumerate() {
                    let count = sequence.iter().filter(|&digit| digit == occupied).count();
                    assert!(count >= by, "T9: S_{by} of {map:?}");
                }
            }
        }
    }
}

#[test]
fn t7_mirrored_maps_and_single_changes() {
    for map in every_map(12) {
        let longest = map.longest();
        let mirrored: String = digits(&map).chars().rev().collect();
        assert_eq!(crate::map(&mirrored).longest(), longest, "{map:?}");
        for block in 0..12 {
            let mut changed = map.clone();
            if changed.release(block, 1).is_ok() {
                assert!(changed.longest() >= longest, "{block} freed in {map:?}");
            } else {
                let plan = changed.fit_at(block, 1).unwrap();
                changed.commit(plan).unwrap();
                assert!(changed.longest() <= longest, "{block} taken in {map:?}");
            }
        }
    }
}

#[test]
fn t8_the_table_of_four_blocks() {
    for (free, sar, longest) in [
        ("0000", "0000", 0),
        ("0100", "1000", 1),
        ("0110", "1100", 2),
        ("0111", "1110", 3),
        ("1111", "1111", 4),
    ] {
        let trace = trace(&map(free), Setup::default());
        assert_eq!((trace.sar().to_string().as_str(), trace.answer()), (sar, longest));
    }
}

#[test]
fn the_and_of_the_text() {
    let both = |i: usize| map("001001").is_free(i as u32) && map("101101").is_free(i as u32);
    let text: String = (0..6).map(|i| if both(i) { '1' } else { '0' }).collect();
    assert_eq!(text, "001001");
}
