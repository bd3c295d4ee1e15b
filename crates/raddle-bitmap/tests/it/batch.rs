//! Does every kernel answer what plain loops answer?
//!
//! The same suite for each kernel and each number of words. A kernel that the processor lacks is
//! named as not run.

use proptest::prelude::*;
use raddle_bitmap::batch::{Measurer, longest, longest_bytes};
use raddle_bitmap::{Error, FreeMap, Polarity};

/// The kernels of this processor; says which are not there.
fn kernels() -> impl Iterator<Item = Measurer> {
    Measurer::ALL.iter().copied().filter(|kernel| {
        if !kernel.is_here() {
            println!("not run: {}", kernel.name());
        }
        kernel.is_here()
    })
}

fn exact<const W: usize>(map: &[u64; W]) -> u16 {
    let map = FreeMap::from_words(map, 64 * W as u32, Polarity::FreeIsOne).unwrap();
    crate::naive(&map).longest() as u16
}

/// Compares all kernels on these maps.
fn same<const W: usize>(maps: &[[u64; W]]) {
    let expected: Vec<u16> = maps.iter().map(exact).collect();
    for kernel in kernels() {
        let mut answers = vec![u16::MAX; maps.len()];
        longest(kernel, maps, &mut answers).unwrap();
        let wrong = (0..maps.len()).find(|&at| answers[at] != expected[at]);
        assert_eq!(wrong.map(|at| (maps[at], answers[at], expected[at])), None, "{kernel:?}");
        let mut bytes = vec![7; maps.len()];
        longest_bytes(kernel, maps, &mut bytes).unwrap();
        let as_bytes = expected.iter().map(|&run| run.min(255) as u8);
        assert!(bytes.iter().copied().eq(as_bytes), "{kernel:?}, {W} words, bytes");
    }
}

/// One run of every start and length, a few of them side by side, and the same turned round.
fn every_run<const W: usize>(step: usize) {
    let blocks = 64 * W;
    let mut maps = Vec::new();
    for start in (0..blocks).step_by(step) {
        for len in (0..=blocks - start).step_by(step) {
            let mut map = [0_u64; W];
            (start..start + len).for_each(|at| map[at / 64] |= 1 << (at % 64));
            maps.push(map);
            maps.push(map.map(|word| !word));
        }
    }
    same(&maps);
}

#[test]
fn every_twelve_blocks_across_two_words() {
    // Six on either side of the border, beside free blocks and beside taken ones.
    let across = |code: u64| [code << 58, code >> 6];
    let free = [u64::MAX >> 6, u64::MAX << 6];
    let maps = (0..1 << 12).map(across);
    let maps = maps.flat_map(|[low, high]| [[low, high], [low | free[0], high | free[1]]]);
    same(&maps.collect::<Vec<[u64; 2]>>());
}

#[test]
fn every_run_of_one_two_and_three_words() {
    every_run::<1>(1);
    every_run::<2>(3);
    every_run::<3>(7);
}

#[test]
fn runs_at_the_limit_of_a_byte() {
    every_run::<4>(5);
    every_run::<5>(9);
    let around = [253_usize, 254, 255, 256, 257];
    let maps: Vec<[u64; 32]> = around
        .iter()
        .flat_map(|&len| (0..70).map(move |start| (start, len)))
        .map(|(start, len)| {
            let mut map = [0_u64; 32];
            (start..start + len).for_each(|at| map[at / 64] |= 1 << (at % 64));
            map[31] = u64::MAX;
            map
        })
        .collect();
    same(&maps);
}

#[test]
fn all_maps_of_sixteen_blocks_at_every_place_in_a_word() {
    for shift in [0, 1, 7, 31, 48] {
        let maps: Vec<[u64; 1]> = (0..1_u64 << 16).step_by(3).map(|map| [map << shift]).collect();
        // Whatever a map's neighbours are, and however many there are.
        same(&maps[..maps.len() - shift as usize]);
    }
}

#[test]
fn not_one_place_a_map_is_refused() {
    let wrong = Error::AnswerCount { maps: 1, answers: 2 };
    for &kernel in Measurer::ALL {
        assert_eq!(longest(kernel, &[[0]], &mut [9, 9]), Err(wrong));
        assert_eq!(longest_bytes(kernel, &[[0]], &mut [9, 9]), Err(wrong));
        // One that is not here gives way.
        let mut one = [9];
        assert_eq!(longest(kernel, &[[0b110]], &mut one), Ok(()));
        assert_eq!(one, [2]);
    }
    assert!(Measurer::best().is_here() && Measurer::Portable.is_here());
}

/// Words that runs cross, and words of noise.
fn words<const W: usize>() -> impl Strategy<Value = Vec<[u64; W]>> {
    let word = prop_oneof![
        3 => any::<u64>(),
        2 => Just(u64::MAX),
        1 => Just(0),
        2 => (0_u32..64).prop_map(|by| u64::MAX << by),
        2 => (0_u32..64).prop_map(|by| u64::MAX >> by),
        1 => (any::<u64>(), any::<u64>()).prop_map(|(one, other)| one | other),
    ];
    let map = prop::collection::vec(word, W).prop_map(|words| words.try_into().unwrap());
    prop::collection::vec(map, 0..140)
}

proptest! {
    #![proptest_config(crate::cases(24))]

    #[test]
    fn maps_of_any_words(
        one in words::<1>(), two in words::<2>(), three in words::<3>(), four in words::<4>(),
    ) {
        same(&one);
        same(&two);
        same(&three);
        same(&four);
    }

    #[test]
    fn large_maps_of_any_words(seven in words::<7>(), many in words::<32>()) {
        same(&seven);
        same(&many);
    }
}
