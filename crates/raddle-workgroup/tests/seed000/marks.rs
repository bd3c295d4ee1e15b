//! Does every tied channel get its turn (E1: a41, a42)?

use std::collections::BTreeSet;

use proptest::prelude::*;
use raddle_workgroup::order::{Lowest, Marks, Pick, Seeded};

fn marks(levels: usize) -> Marks {
    Marks::new(levels, 8).unwrap()
}

fn marked(marks: &Marks, level: usize) -> Vec<usize> {
    marks.of_level(level).collect()
}

#[test]
fn t5_a_constant_tie_is_fair() {
    for n in [2, 3, 5] {
        let tied: Vec<usize> = (0..n).collect();
        let (mut marks, mut pick) = (marks(1), Seeded::new(n as u64));
        let mut picks = vec![0_u32; n];
        for round in 1..=20 * n {
            picks[marks.choose(0, &tied, &mut pick).unwrap().unwrap()] += 1;
            let spread = picks.iter().max().unwrap() - picks.iter().min().unwrap();
            assert!(spread <= 1, "{picks:?}");
            assert_eq!(spread == 0, round % n == 0, "{picks:?}");
        }
    }
}

#[test]
fn t6_the_lowest_of_three() {
    let mut marks = marks(1);
    for (chosen, after) in [
        (0, vec![0]),
        (1, vec![0, 1]),
        (2, vec![0, 1, 2]),
        (0, vec![0]),
        (1, vec![0, 1]),
        (2, vec![0, 1, 2]),
        (0, vec![0]),
    ] {
        assert_eq!(marks.choose(0, &[0, 1, 2], &mut Lowest), Ok(Some(chosen)));
        assert_eq!(marked(&marks, 0), after);
    }
}

#[test]
fn t7_marks_belong_to_a_level() {
    let mut marks = marks(3);
    marks.set(1, 4, true).unwrap();
    assert_eq!(marks.choose(0, &[4, 5], &mut Lowest), Ok(Some(4)));
    assert_eq!([0, 1, 2].map(|level| marked(&marks, level)), [vec![4], vec![4], vec![]]);
    assert_eq!(marks.choose(1, &[4, 5], &mut Lowest), Ok(Some(5)));
    assert_eq!(marked(&marks, 0), [4]);
}

#[test]
fn a_single_best_sets_no_mark_and_asks_nobody() {
    let mut marks = marks(1);
    let mut nobody = |_: usize| panic!("there is nothing to choose");
    assert_eq!(marks.choose(0, &[3], &mut nobody), Ok(Some(3)));
    assert_eq!(marks.choose(0, &[], &mut nobody), Ok(None));
    assert!(marked(&marks, 0).is_empty());
    // Nor where all but one of the tied are marked.
    marks.set(0, 1, true).unwrap();
    assert_eq!(marks.choose(0, &[1, 2], &mut nobody), Ok(Some(2)));
}

#[test]
fn the_choice_is_injected() {
    let mut marks = marks(1);
    let mut last = |choices: usize| choices - 1;
    assert_eq!(marks.choose(0, &[0, 1, 2], &mut last), Ok(Some(2)));
    assert_eq!(marks.choose(0, &[0, 1, 2], &mut last), Ok(Some(1)));
    // Beyond the choices it counts modulo their number.
    let mut beyond = |choices: usize| choices + 1;
    assert_eq!(marks.choose(0, &[3, 4, 5], &mut beyond), Ok(Some(4)));
}

#[test]
fn many_channels() {
    let mut marks = Marks::new(2, 200).unwrap();
    let tied: Vec<usize> = (0..200).collect();
    for channel in 0..200 {
        assert_eq!(marks.choose(1, &tied, &mut Lowest), Ok(Some(channel)));
    }
    assert_eq!(marks.of_level(1).count(), 200);
    assert_eq!(marks.of_level(0).count(), 0);
    assert_eq!(marks.choose(1, &[63, 64, 128], &mut Lowest), Ok(Some(63)));
    assert!(!marks.marked(1, 64) && !marks.marked(1, 128) && marks.marked(1, 65));
}

#[test]
fn refusals_change_nothing() {
    let mut marks = marks(2);
    marks.set(0, 1, true).unwrap();
    let before = marks.clone();
    for (level, tied, error) in [
        (2, &[0, 1][..], "level 2 is not there, 2 are: fold it to the last"),
        (2, &[], "level 2 is not there, 2 are: fold it to the last"),
        (0, &[1, 8], "channel 8 is not there, 8 are: fold it, or make more"),
        (0, &[1, 1], "tied channel 1 of the list is not above the one before it: sort them"),
        (0, &[1, 3, 2], "tied channel 2 of the list is not above the one before it: sort them"),
    ] {
        let refused = marks.choose(level, tied, &mut Lowest).unwrap_err();
        assert_eq!(refused.to_string(), error);
        assert_eq!(marks, before);
    }
    assert_eq!(
        Marks::new(0, 1).map_err(|error| error.to_string()),
        Err("an order of no levels: give at least 1".to_owned())
    );
    let all = usize::MAX;
    let beyond = format!("no memory for marks of {all} channels at {all} levels: fold them");
    assert_eq!(Marks::new(all, all).unwrap_err().to_string(), beyond);
    assert!(!marks.marked(9, 9));
    assert!(marks.set(0, 8, true).is_err());
}

#[test]
fn seeded_picks_reach_every_index() {
    let mut pick = Seeded::new(0);
    let mut seen = [0_u32; 7];
    (0..7_000).for_each(|_| seen[pick.pick(7)] += 1);
    assert!(seen.iter().all(|&times| (800..1_200).contains(&times)), "{seen:?}");
}

/// Chooses a channel and updates its marks by the sentences of step a42 of patent 000, on
/// a plain set of marked channels.
fn naive(marks: &mut BTreeSet<usize>, tied: &[usize]) -> Option<usize> {
    if tied.len() < 2 {
        return tied.first().copied();
    }
    if let Some(&channel) = tied.iter().find(|channel| !marks.contains(channel)) {
        marks.insert(channel);
        return Some(channel);
    }
    tied[1..].iter().for_each(|channel| {
        marks.remove(channel);
    });
    Some(tied[0])
}

proptest! {
    #[test]
    fn choices_are_those_of_the_sentences(
        ties in prop::collection::vec((0_usize..2, prop::collection::btree_set(0_usize..130, 0..5)), 0..60),
    ) {
        let mut marks = Marks::new(2, 130).unwrap();
        let mut sets = [BTreeSet::new(), BTreeSet::new()];
        for (level, tied) in ties {
            let tied: Vec<usize> = tied.into_iter().collect();
            let expected = naive(&mut sets[level], &tied);
            prop_assert_eq!(marks.choose(level, &tied, &mut Lowest), Ok(expected));
            for (level, set) in sets.iter().enumerate() {
                prop_assert!(marks.of_level(level).eq(set.iter().copied()));
            }
        }
    }
}
