//! What would the readings answer that the spec rejects? Each is wrong as often as it says there.

use raddle_bitmap::circuit::{FullTrace, Setup};
use raddle_bitmap::{FreeMap, Polarity};

use crate::naive::Naive;
use crate::{every_map, naive};

/// Returns the longest run by a misreading of the seed's full search (E4, ambiguity 1): only S_0
/// and S_i are combined, not all between them.
pub(crate) fn pairs(map: &FreeMap) -> u32 {
    let trace = FullTrace::new(map.view(), Setup::default()).unwrap();
    let first = &trace.s()[0];
    let met = |by: &usize| first.iter().zip(trace.s()[*by].iter()).any(|(a, b)| a && b);
    (0..map.blocks() as usize).filter(met).max().map_or(0, |by| by as u32 + 1)
}

/// Returns the longest run by a misreading of the seed's full search (E4, ambiguity 5): digits that
/// leave on one side come back on the other.
pub(crate) fn rotated(map: &FreeMap) -> u32 {
    let blocks = map.blocks();
    let run = |start: u32| (0..blocks).take_while(|by| map.is_free((start + by) % blocks)).count();
    (0..blocks).map(run).max().unwrap_or(0) as u32
}

/// Returns the longest run by a misreading of the seed's full search (E4, ambiguity 3): each digit
/// is inverted before the AND, not the AND itself.
fn inverted_first(map: &FreeMap) -> u32 {
    let setup = Setup { polarity: Polarity::FreeIsZero, ..Setup::default() };
    let trace = FullTrace::new(map.view(), setup).unwrap();
    let last = trace.sa().iter().rposition(|sequence| sequence.iter().all(|digit| !digit));
    last.map_or(0, |i| i as u32 + 1)
}

/// Returns the reported length by a misreading of the seed's sampled search (E6, ambiguity 1): only
/// the sampled shifts are combined.
pub(crate) fn sampled_only(map: &FreeMap, k: &[u32]) -> u32 {
    let met = |upto: &usize| {
        (0..map.blocks()).any(|start| k[..=*upto].iter().all(|by| map.is_free(start + by)))
    };
    (0..k.len()).filter(met).max().map_or(0, |last| k[last] + 1)
}

#[test]
fn each_is_wrong_as_often_as_the_spec_says() {
    let wrong = |reading: fn(&FreeMap) -> u32| {
        every_map(8).filter(|map| reading(map) != map.longest()).count()
    };
    assert_eq!((wrong(pairs), wrong(rotated), wrong(inverted_first)), (219, 53, 255));
    let k = [0, 1, 3, 5, 9];
    let wrong = every_map(10)
        .filter(|map| sampled_only(map, &k) != Naive::sampled(&naive(map), &k) as u32)
        .count();
    assert_eq!(wrong, 383);
}
