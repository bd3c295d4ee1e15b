//! Do workgroups with addresses that start and end in rows lie as they do one by one?

use std::collections::BTreeMap;

use crate::book::Book;
use proptest::collection::vec;
use proptest::prelude::*;
use raddle_policy::{CuId, CuShape, Demand, Launch, LaunchId, Piece, Place, ProcessId, WaveSpan};

const SHAPE: CuShape = CuShape {
    simds: 4,
    waves_per_simd: 40,
    vgpr_per_simd: 400,
    sgpr: u16::MAX,
    lds: 1000,
    workgroups: 32,
    barriers: 32,
};

/// Returns these workgroups, in their order, as pieces (equal workgroups on one compute unit): one
/// piece for each compute unit and row of consecutive numbers.
fn pieces(groups: impl Iterator<Item = (u64, CuId)>) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    for (group, cu) in groups {
        match pieces.last_mut() {
            Some(last) if last.cu == cu && last.first + u64::from(last.count) == group => {
                last.count += 1;
            }
            _ => pieces.push(Piece::one(group, cu)),
        }
    }
    pieces
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn rows_are_kept_as_workgroups_one_by_one(
        waves in 1u16..6,
        counts in vec(0u32..4, 1..8),
        uneven in any::<u32>(),
        ends in vec((0u64..24, 1u64..12), 0..8),
    ) {
        let demand = Demand { waves, vgpr: 3, sgpr: 0, lds: 5, barriers: 1 };
        let launch = Launch::new(LaunchId(7), ProcessId(0), 100, demand);
        let units = counts.iter().zip(0..).flat_map(|(&n, cu)| (0..n).map(move |_| CuId(cu)));
        let mut there: BTreeMap<u64, CuId> = (0..).zip(units).collect();
        let all = pieces(there.iter().map(|(&group, &cu)| (group, cu)));
        // Some workgroups have all of their waves on one SIMD.
        let places = |group: u64| {
            let alone = uneven >> (group % 32) & uneven >> (group % 7) & 1 == 1;
            let simd = move |wave: u16| if alone { 2 } else { (wave % 4) as u8 };
            (0..waves).map(move |wave| Place { simd: simd(wave), ..Place::default() })
        };
        let (mut rows, mut single) = (Book::new(SHAPE, 8), Book::new(SHAPE, 8));
        let empty = rows.cus().clone();
        if all.is_empty() {
            return Ok(());
        }
        let each: Vec<Place> = there.keys().flat_map(|&group| places(group)).collect();
        rows.start(&launch, WaveSpan::All, &all, &each).expect("there is room");
        for (&group, &cu) in &there {
            let places: Vec<Place> = places(group).collect();
            let one = [Piece::one(group, cu)];
            single.start(&launch, WaveSpan::All, &one, &places).expect("there is room");
            let again = rows.clone().start(&launch, WaveSpan::All, &one, &places);
            prop_assert!(again.is_err(), "{} has started already", group);
        }
        prop_assert_eq!(rows.cus(), single.cus());
        // The last step ends all workgroups that are left.
        for (from, count) in ends.into_iter().chain([(0, 100)]) {
            let gone: BTreeMap<u64, CuId> =
                there.range(from..from + count).map(|(&group, &cu)| (group, cu)).collect();
            if gone.is_empty() {
                continue;
            }
            let ended = pieces(gone.iter().map(|(&group, &cu)| (group, cu)));
            let before = rows.clone();
            // If a workgroup that is not on the device is named too, none of them ends.
            let mut wrong = ended.clone();
            wrong.push(Piece::one(99, CuId(0)));
            prop_assert!(rows.end(launch.id, WaveSpan::All, &wrong).is_err());
            prop_assert_eq!(rows.cus(), before.cus());
            prop_assert_eq!(rows.end(launch.id, WaveSpan::All, &ended), Ok(gone.len() as u64));
            for (&group, &cu) in &gone {
                single.end(launch.id, WaveSpan::All, &[Piece::one(group, cu)]).expect("it lies there");
                there.remove(&group);
            }
            prop_assert_eq!(rows.cus(), single.cus());
            prop_assert_eq!(rows.resident_waves(launch.id), single.resident_waves(launch.id));
        }
        prop_assert_eq!(rows.cus(), &empty);
    }
}
