//! Do the waves of all SIMDs stay within 1 of each other, whatever comes (E8)?

use std::collections::BTreeSet;

use proptest::prelude::*;
use raddle_workgroup::balance::{Kind, Pointer, Table};

const KINDS: [Kind; 2] = [Kind::Tail, Kind::Head];

fn pointer(units: u32, limit: u64, kind: Kind) -> Pointer {
    Pointer::new(Table::new(units, limit).unwrap(), kind, 0).unwrap()
}

fn entries(pointer: &Pointer, waves: u64) -> Vec<u64> {
    pointer.target(waves).unwrap().entries().collect()
}

/// Dispatches one workgroup of `waves` waves, and returns the number of waves that each SIMD gets.
fn dispatch(pointer: &mut Pointer, waves: u64) -> Vec<u64> {
    let target = pointer.target(waves).unwrap();
    let entries = target.entries().collect();
    pointer.dispatch(target).unwrap();
    entries
}

fn spread(totals: &[u64]) -> u64 {
    totals.iter().max().unwrap() - totals.iter().min().unwrap()
}

fn digits(row: impl Iterator<Item = u64>) -> String {
    row.map(|entry| entry.to_string()).collect()
}

#[test]
fn t1_the_table_of_4_by_4() {
    let table = Table::new(4, 4).unwrap();
    let rows = "1000 1100 1110 1111 2111 2211 2221 2222 3222 3322 3332 3333 4333 4433 4443 4444";
    for (waves, row) in (1..).zip(rows.split(' ')) {
        assert_eq!(digits(table.row(waves).unwrap()), row);
    }
    assert_eq!(table.most(), 16);
    assert!(table.row(17).is_err());
}

#[test]
fn t2_every_row_is_even() {
    for (units, limit) in [(1, 3), (2, 5), (3, 2), (4, 4), (5, 7)] {
        let table = Table::new(units, limit).unwrap();
        for waves in 1..=table.most() {
            let row: Vec<u64> = table.row(waves).unwrap().collect();
            assert_eq!(row.len(), units as usize);
            assert_eq!(row.iter().sum::<u64>(), waves);
            assert!(spread(&row) <= 1 && row[0] <= limit);
            assert!(row.is_sorted_by(|a, b| a >= b), "{row:?}");
        }
    }
}

#[test]
fn t3_turned_rows() {
    let table = Table::new(4, 4).unwrap();
    for (by, row) in (0..).zip(["2211", "1221", "1122", "2112", "2211", "1221"]) {
        assert_eq!(digits(table.turned(6, by).unwrap()), row);
    }
}

/// Dispatches workgroups with these numbers of waves. Returns, for each, (the turn of the table's
/// row, the waves of each SIMD as digits, the pointer after it), and last the total of each SIMD.
fn run(kind: Kind, counts: &[u64]) -> (Vec<u32>, Vec<String>, Vec<u32>, Vec<u64>) {
    let mut pointer = pointer(4, 4, kind);
    let (mut turns, mut targets, mut pointers) = (vec![], vec![], vec![]);
    let mut totals = vec![0; 4];
    for &waves in counts {
        turns.push(pointer.turn());
        let target = dispatch(&mut pointer, waves);
        totals.iter_mut().zip(&target).for_each(|(total, entry)| *total += entry);
        assert!(spread(&totals) <= 1, "{totals:?}");
        targets.push(digits(target.into_iter()));
        pointers.push(pointer.at());
    }
    (turns, targets, pointers, totals)
}

const COUNTS: [u64; 8] = [1, 2, 3, 4, 5, 6, 7, 3];

#[test]
fn t4_tail() {
    let (turns, targets, pointers, totals) = run(Kind::Tail, &COUNTS);
    assert_eq!(turns, [1, 2, 0, 3, 3, 0, 2, 1]);
    let expected = ["0100", "0011", "1110", "1111", "1112", "2211", "2122", "0111"];
    assert_eq!(targets, expected);
    assert_eq!(pointers, [1, 3, 2, 2, 3, 1, 0, 3]);
    assert_eq!(totals, [7, 8, 8, 8]);
}

#[test]
fn t5_head() {
    let (turns, targets, pointers, totals) = run(Kind::Head, &COUNTS);
    assert_eq!(turns, [0, 1, 3, 2, 2, 3, 1, 0]);
    let expected = ["1000", "0110", "1101", "1111", "1121", "2112", "1222", "1110"];
    assert_eq!(targets, expected);
    assert_eq!(pointers, [1, 3, 2, 2, 3, 1, 0, 3]);
    assert_eq!(totals, [8, 8, 8, 7]);
}

/// Returns the total of each SIMD if the recurrences were computed as patent 000 prints
/// them, which must not be done: totals then drift apart.
fn word_for_word(kind: Kind, counts: &[u64]) -> [u64; 4] {
    let table = Table::new(4, 4).unwrap();
    let (mut old, mut totals) = (0, [0; 4]);
    for &waves in counts {
        let sum = old + waves + u64::from(kind == Kind::Head);
        let new = if sum % 4 == 0 { old } else { sum % 4 };
        let turn = if kind == Kind::Tail { new + 1 } else { new };
        let row = table.turned(waves, turn as u32).unwrap();
        totals.iter_mut().zip(row).for_each(|(total, entry)| *total += entry);
        old = new;
    }
    totals
}

#[test]
fn t6_word_for_word_drifts_and_is_not_done() {
    assert_eq!(word_for_word(Kind::Tail, &COUNTS), [9, 6, 8, 8]);
    assert_eq!(word_for_word(Kind::Head, &COUNTS), [4, 9, 11, 7]);
    for kind in KINDS {
        assert!(spread(&word_for_word(kind, &COUNTS)) > 1);
        assert!(spread(&run(kind, &COUNTS).3) <= 1);
    }
}

#[test]
fn t7_a_multiple_of_the_units_moves_no_pointer() {
    for kind in KINDS {
        let mut pointer = Pointer::new(Table::new(4, 4).unwrap(), kind, 2).unwrap();
        for waves in [4, 8, 12, 16] {
            dispatch(&mut pointer, waves);
            assert_eq!(pointer.at(), 2);
        }
    }
}

#[test]
fn t8_only_the_chosen_compute_unit_moves() {
    let mut units = [pointer(4, 4, Kind::Tail), pointer(4, 4, Kind::Tail)];
    for (waves, targets, chosen, after) in [
        (3, ["0111", "0111"], Some(0), [3, 0]),
        (2, ["1100", "0110"], Some(1), [3, 2]),
        (2, ["1100", "1001"], Some(0), [1, 2]),
        (5, ["1121", "1112"], None, [1, 2]),
        (5, ["1121", "1112"], Some(1), [1, 3]),
    ] {
        for (unit, target) in units.iter().zip(targets) {
            assert_eq!(digits(entries(unit, waves).into_iter()), target);
        }
        if let Some(chosen) = chosen {
            dispatch(&mut units[chosen], waves);
        }
        assert_eq!([units[0].at(), units[1].at()], after);
    }
}

/// Checks every state that any sequence of workgroups can reach, so for all sequences, that the
/// totals of SIMDs never differ by more than 1 (T9).
#[test]
fn t9_the_spread_is_at_most_1_for_every_sequence() {
    for kind in KINDS {
        for units in 2..=5 {
            for start in 0..units {
                let table = Table::new(units, 3).unwrap();
                let first = Pointer::new(table, kind, start).unwrap();
                // Totals only count by how far they are above the least.
                let mut seen = BTreeSet::from([(start, vec![0; units as usize])]);
                let mut open = vec![(first, vec![0; units as usize])];
                while let Some((pointer, above)) = open.pop() {
                    for waves in 1..=table.most() {
                        let mut pointer = pointer.clone();
                        let target = dispatch(&mut pointer, waves);
                        let sums = above.iter().zip(&target).map(|(a, b)| a + b);
                        let mut above: Vec<u64> = sums.collect();
                        let least = *above.iter().min().unwrap();
                        above.iter_mut().for_each(|total| *total -= least);
                        assert!(spread(&above) <= 1, "{kind:?} {units} {start}: {above:?}");
                        if seen.insert((pointer.at(), above.clone())) {
                            open.push((pointer, above));
                        }
                    }
                }
                // Per pointer one state: where it stands says how much everybody has.
                assert!(seen.len() <= units as usize, "{seen:?}");
            }
        }
    }
}

#[test]
fn refusals() {
    assert_eq!(
        Table::new(0, 1).map_err(|error| error.to_string()),
        Err("a balance over no SIMDs: give at least 1".to_owned())
    );
    assert_eq!(
        Table::new(1, 0).map_err(|error| error.to_string()),
        Err("a SIMD that takes 0 waves: give a limit of 1 or more".to_owned())
    );
    let table = Table::new(4, 2).unwrap();
    assert_eq!(
        table.row(0).unwrap_err().to_string(),
        "0 waves are not in the split table: give 1 to 8"
    );
    assert_eq!(
        table.row(9).unwrap_err().to_string(),
        "9 waves are not in the split table: give 1 to 8"
    );
    let outside = "SIMD 4 is not there, 4 are: begin at a lower one".to_owned();
    assert_eq!(
        Pointer::new(table, Kind::Head, 4).map_err(|error| error.to_string()),
        Err(outside.clone())
    );
    let mut pointer = Pointer::new(table, Kind::Head, 3).unwrap();
    assert!(pointer.target(9).is_err());
    let (late, target) = (pointer.target(3).unwrap(), pointer.target(3).unwrap());
    pointer.dispatch(target).unwrap();
    assert_eq!(
        pointer.dispatch(late).map_err(|error| error.to_string()),
        Err("the target is not of this pointer as it stands: ask the pointer for another"
            .to_owned())
    );
    assert_eq!(pointer.at(), 2, "the late one has moved nothing");
}

#[test]
fn the_ends_of_the_range() {
    let table = Table::new(u32::MAX, u64::MAX).unwrap();
    assert_eq!(table.most(), u64::MAX);
    for kind in KINDS {
        let mut pointer = Pointer::new(table, kind, u32::MAX - 1).unwrap();
        let target = pointer.target(u64::MAX).unwrap();
        assert_eq!(target.entries().take(3).sum::<u64>(), 3 * (u64::MAX / u64::from(u32::MAX)));
        pointer.dispatch(target).unwrap();
        // u32::MAX divides u64::MAX.
        assert_eq!(pointer.at(), u32::MAX - 1);
    }
}

proptest! {
    #[test]
    fn the_spread_is_at_most_1(
        units in 1_u32..9, start in 0_u32..9, head: bool,
        counts in prop::collection::vec(1_u64..41, 0..60),
    ) {
        let kind = if head { Kind::Head } else { Kind::Tail };
        let mut pointer =
            Pointer::new(Table::new(units, 40).unwrap(), kind, start % units).unwrap();
        let mut totals = vec![0; units as usize];
        for waves in counts {
            let before = totals.clone();
            let target = dispatch(&mut pointer, waves);
            totals.iter_mut().zip(&target).for_each(|(total, entry)| *total += entry);
            prop_assert_eq!(target.iter().sum::<u64>(), waves);
            prop_assert!(spread(&totals) <= 1, "{:?}", totals);
            // The tail names who got the last surplus wave, the head who is next.
            let at = pointer.at() as usize;
            if kind == Kind::Tail && waves % u64::from(units) != 0 {
                prop_assert_eq!(target[at], waves.div_ceil(units.into()), "{:?}", before);
            }
            if kind == Kind::Head {
                prop_assert_eq!(Some(&totals[at]), totals.iter().min());
            }
        }
    }
}
