//! Does the index of free resources stay right where classes are dropped, numbers of workgroups are
//! large, granule maps are wide, and saved workgroups come back?
//!
//! Each test is the only one that fails when a certain line of the code is taken away.

use alloc::vec::Vec;

use raddle_policy::{CuId, CuShape, Demand, Launch, LaunchId, Piece, ProcessId, Resource};

use super::*;
use crate::matching::config::Balance;
use crate::matching::search::SearchRule;

const SHAPE: CuShape = CuShape {
    simds: 2,
    waves_per_simd: 4,
    vgpr_per_simd: 16,
    sgpr: u16::MAX,
    lds: 100,
    workgroups: 8,
    barriers: 8,
};
const CU: CuId = CuId(0);

fn matcher(shape: CuShape, cus: u16) -> Matcher {
    Matcher::new(shape, cus, &SearchRule::Full, Balance::Tail).expect("a shape")
}

/// Returns a demand of two waves, one on each of two SIMDs, with `vgpr` granules of vector
/// registers for each wave.
fn two(vgpr: u16) -> Demand {
    Demand { waves: 2, vgpr, ..Demand::default() }
}

fn one(vgpr: u16) -> Demand {
    Demand { waves: 1, vgpr, ..Demand::default() }
}

fn lack(resource: Resource, wanted: u64, available: u64) -> Option<Lack> {
    Some(Lack::new(resource, wanted, available))
}

fn launch(id: u32, demand: Demand) -> Launch {
    Launch::new(LaunchId(id), ProcessId(0), 0, demand)
}

fn name(id: u32, workgroup: u64) -> Name {
    Name { launch: LaunchId(id), workgroup, wave: WHOLE }
}

fn class(matcher: &mut Matcher, demand: Demand) -> usize {
    matcher.begin();
    matcher.class(&demand, 0)
}

/// Places a workgroup on the lowest compute unit on which it fits. Returns whether it was placed.
fn place(matcher: &mut Matcher, id: u32, workgroup: u64, demand: Demand) -> bool {
    let class = class(matcher, demand);
    let found = matcher.first(class, 0);
    found.map(|cu| matcher.commit(class, cu, name(id, workgroup), &mut Vec::new())).is_some()
}

fn end(matcher: &mut Matcher, id: u32, workgroup: u64, demand: Demand) -> bool {
    matcher.release(CU, &launch(id, demand), name(id, workgroup)).is_ok()
}

/// Asks, in one question for each, whether each of `count` different demands fits.
fn ask_others(matcher: &mut Matcher, count: u32) {
    for lds in 1..=count {
        class(matcher, Demand { lds, ..one(0) });
    }
}

#[test]
fn where_it_fits_is_forgotten_with_its_class() {
    let mut matcher = matcher(SHAPE, 1);
    let six = class(&mut matcher, two(6));
    assert!(place(&mut matcher, 7, 0, two(10)) && matcher.fits(six));
    ask_others(&mut matcher, 62);
    let nine = class(&mut matcher, two(9));
    assert_eq!(six, nine, "the oldest is forgotten");
    assert!(!matcher.fits(nine));
}

#[test]
fn what_was_closed_is_forgotten_with_its_class() {
    let mut matcher = matcher(SHAPE, 1);
    let nine = class(&mut matcher, two(9));
    assert!(place(&mut matcher, 7, 0, two(10)) && !matcher.fits(nine));
    ask_others(&mut matcher, 62);
    let never = class(&mut matcher, Demand { waves: 0, ..two(0) });
    assert_eq!(nine, never, "the oldest is forgotten");
    assert!(end(&mut matcher, 7, 0, two(10)) && !matcher.fits(never));
}

#[test]
fn a_class_with_workgroups_on_the_device_is_not_forgotten() {
    let mut matcher = matcher(SHAPE, 1);
    assert!(place(&mut matcher, 7, 0, two(10)));
    ask_others(&mut matcher, 200);
    assert_eq!(matcher.class(&two(10), 0), 0);
    assert!(end(&mut matcher, 7, 0, two(10)));
    ask_others(&mut matcher, 200);
    assert_ne!(matcher.class(&two(10), 0), 0, "it has been forgotten");
}

#[test]
fn what_leaves_gives_back_what_it_took_whatever_is_said() {
    let mut matcher = matcher(SHAPE, 1);
    assert!(place(&mut matcher, 7, 0, two(10)) && place(&mut matcher, 7, 1, two(2)));
    assert!(end(&mut matcher, 7, 0, Demand { lds: 90, barriers: 7, ..two(16) }));
    assert_eq!(matcher.free(0, false), [6, 28, 0, 100]);
    assert_eq!(matcher.free(0, true), [6, 20, 0, 100], "10 in a row on each");
    assert!(end(&mut matcher, 7, 1, one(60)) && place(&mut matcher, 8, 0, two(16)));
    matcher.kill(&launch(8, one(1)), |_, _| ());
    assert!(place(&mut matcher, 9, 0, two(16)));
}

#[test]
fn more_demands_than_are_remembered_in_one_question() {
    let mut matcher = matcher(SHAPE, 1);
    matcher.begin();
    let demand = |lds| Demand { lds, ..two(9) };
    let all: Vec<_> = (0..70).map(|lds| matcher.class(&demand(lds), 0)).collect();
    assert_eq!(all, (0..70).collect::<Vec<_>>());
    assert_eq!(matcher.first(69, 0), Some(CU));
    matcher.commit(69, CU, name(3, 0), &mut Vec::new());
    assert!(all.iter().all(|&it| !matcher.fits(it)));
    assert!(end(&mut matcher, 3, 0, demand(69)) && all.iter().all(|&it| matcher.fits(it)));
}

#[test]
fn numbers_that_agree_in_their_low_half_are_told_apart() {
    let (mut matcher, high) = (matcher(SHAPE, 1), 1 << 32 | 5);
    assert!(place(&mut matcher, 1, 4, one(1)) && place(&mut matcher, 1, high, one(1)));
    assert!(!end(&mut matcher, 1, 5, one(1)), "the high half is another");
    assert!(end(&mut matcher, 1, high, one(1)) && !end(&mut matcher, 1, high, one(1)));
    assert!(end(&mut matcher, 1, 4, one(1)));
    assert!(place(&mut matcher, 1, high, one(1)));
    matcher.save(&launch(1, one(1)), |_, _| ());
    assert_eq!(matcher.restore(&launch(1, one(1)), |_, _| ()), 0);
    assert!(end(&mut matcher, 1, high, one(1)));
}

#[test]
fn a_place_that_was_taken_meanwhile_closes_the_compute_unit() {
    let mut matcher = matcher(SHAPE, 1);
    let saved = launch(1, two(10));
    assert!(place(&mut matcher, 1, 0, two(10)));
    matcher.save(&saved, |_, _| ());
    assert!(place(&mut matcher, 2, 0, two(10)));
    let (nine, six) = (matcher.class(&two(9), 0), matcher.class(&two(6), 0));
    assert_eq!(matcher.lacks(CU, nine), lack(Resource::Vgpr, 9, 6));
    assert_eq!(matcher.restore(&saved, |_, _| ()), 1);
    assert_eq!(matcher.lacks(CU, nine), lack(Resource::Workgroups, 1, 0));
    assert!(!matcher.fits(six));
    matcher.kill(&saved, |_, _| ());
    assert!(matcher.fits(six));
}

#[test]
fn a_launch_that_is_killed_while_it_is_saved_does_not_come_back() {
    let mut matcher = matcher(SHAPE, 1);
    let saved = launch(7, two(10));
    assert!(place(&mut matcher, 7, 0, two(10)));
    matcher.save(&saved, |_, _| ());
    matcher.kill(&saved, |_, _| ());
    assert_eq!(matcher.restore(&saved, |_, _| panic!("nothing is saved")), 0);
    assert!(place(&mut matcher, 8, 0, two(16)));
}

#[test]
fn what_fits_is_told_again_after_another_comes_back() {
    let mut matcher = matcher(SHAPE, 1);
    let saved = launch(7, two(10));
    assert!(place(&mut matcher, 7, 0, two(10)));
    matcher.save(&saved, |_, _| ());
    let nine = matcher.class(&two(9), 0);
    assert!(matcher.fits(nine), "the other is away");
    assert_eq!(matcher.restore(&saved, |_, _| ()), 0, "its place is free");
    assert!(!matcher.fits(nine), "10 of 16 are taken again");
    matcher.kill(&saved, |_, _| ());
    assert!(matcher.fits(nine));
}

#[test]
fn what_does_not_fit_may_fit_when_the_pointer_has_turned() {
    let mut matcher = matcher(SHAPE, 1);
    assert!(place(&mut matcher, 1, 0, one(10)) && place(&mut matcher, 2, 0, one(1)));
    let three = matcher.class(&Demand { waves: 3, vgpr: 5, ..Demand::default() }, 0);
    assert!(!matcher.fits(three), "SIMD 1 has 6 and would have to give 10");
    assert!(place(&mut matcher, 2, 1, one(1)) && matcher.fits(three), "now it has to give 5");
}

#[test]
fn a_class_that_nobody_asks_for_is_dropped_and_built_anew() {
    let mut matcher = matcher(SHAPE, 200);
    let six = class(&mut matcher, two(6));
    assert!(matcher.fits(six));
    // More changes than there are compute units, twice, on the first one.
    for workgroup in 0..500 {
        assert!(
            place(&mut matcher, 7, workgroup, two(16)) && end(&mut matcher, 7, workgroup, two(16))
        );
    }
    assert!(matcher.kept & 1 << six == 0 && place(&mut matcher, 7, 500, two(11)));
    assert_eq!(matcher.open(six).first_from(0), Some(1));
    assert!((1..200).all(|cu| matcher.open(six).first_from(cu) == Some(cu)));
}

#[test]
fn registers_of_several_words_are_given_back_where_they_lie() {
    for simds in [2, 4] {
        let mut matcher = matcher(CuShape { simds, vgpr_per_simd: 300, ..SHAPE }, 1);
        let each = |vgpr| Demand { waves: simds.into(), vgpr, ..Demand::default() };
        assert!((0..3).all(|at| place(&mut matcher, 1, at, each([280, 5, 5][at as usize]))));
        assert!(end(&mut matcher, 1, 2, each(5)));
        assert_eq!(matcher.free(0, true)[1], 15 * u64::from(simds));
        assert!(place(&mut matcher, 1, 3, each(15)));
        assert_eq!(matcher.free(0, false)[1], 0);
    }
}

#[test]
fn amounts_too_large_to_be_told_apart_are_compared_each_time() {
    let mut matcher = matcher(CuShape { lds: 10_000, ..SHAPE }, 2);
    let lds = |lds| Demand { lds, ..one(0) };
    assert!(place(&mut matcher, 1, 0, lds(5_000)));
    let most = class(&mut matcher, lds(5_001));
    let half = class(&mut matcher, lds(5_000));
    assert_eq!((matcher.first(most, 0), matcher.first(half, 0)), (Some(CuId(1)), Some(CU)));
    assert!(place(&mut matcher, 1, 1, lds(5_000)));
    assert_eq!((matcher.first(half, 0), matcher.first(most, 0)), (Some(CuId(1)), Some(CuId(1))));
}

#[test]
fn a_row_is_placed_as_one_by_one() {
    let shape = CuShape { sgpr: 60, barriers: 7, ..SHAPE };
    let wants = [
        (6, Demand { waves: 2, vgpr: 3, sgpr: 1, ..Demand::default() }),
        (1, Demand { waves: 2, sgpr: 2, lds: 40, ..Demand::default() }),
        (9, Demand { waves: 4, vgpr: 2, lds: 7, ..Demand::default() }),
        (9, Demand { waves: 2, vgpr: 1, sgpr: 9, lds: 20, barriers: 2 }),
        (9, Demand { waves: 2, ..Demand::default() }),
        // Fewer runs of LDS than the free granules of it say.
        (9, Demand { waves: 2, vgpr: 1, sgpr: 2, lds: 13, barriers: 1 }),
    ];
    // Before the row comes, two workgroups of `first` lie on the unit, with a gap before, between
    // or behind them.
    for (ended, (most, demand)) in wants.iter().enumerate().flat_map(|at| [(0, at.1), (1, at.1)]) {
        for first in [Demand { lds: 25, ..two(5) }, Demand { sgpr: 7, lds: 12, ..two(2) }] {
            let mut row = matcher(shape, 1);
            assert!((0..4).all(|at| place(&mut row, 1, at, first)) || row.units[0].resident < 4);
            for workgroup in [ended, ended + 2] {
                end(&mut row, 1, workgroup, first);
            }
            let (mut one_by_one, mut places) = (row.clone(), [Vec::new(), Vec::new()]);
            let class_of = class(&mut row, *demand);
            class(&mut one_by_one, *demand);
            let mut next = 0;
            while next < *most && row.fits(class_of) {
                let name = name(2, next);
                let (count, _) = row.commit_row(class_of, CU, name, most - next, &mut places[0]);
                next += u64::from(count);
            }
            for workgroup in 0..next {
                assert!(one_by_one.fits(class_of), "{demand:?}");
                one_by_one.commit(class_of, CU, name(2, workgroup), &mut places[1]);
            }
            assert_eq!(places[0], places[1]);
            assert_eq!(row.fits(class_of), one_by_one.fits(class_of), "{demand:?}");
            assert!(next == *most || !row.fits(class_of));
            for longest in [true, false] {
                assert_eq!(row.free(0, longest), one_by_one.free(0, longest), "{demand:?}");
            }
            let placed = |matcher: &Matcher| {
                let class = &matcher.classes[class_of];
                (matcher.units[0].resident, matcher.units[0].barriers, class.resident)
            };
            assert_eq!(placed(&row), placed(&one_by_one));
        }
    }
}

#[test]
fn compute_units_that_are_filled_alike_are_filled_as_one_by_one() {
    for vgpr_per_simd in [16, 63, 64, 65, 128, 512] {
        filled_alike(CuShape { sgpr: 60, barriers: 7, vgpr_per_simd, ..SHAPE });
    }
}

#[expect(clippy::too_many_lines, reason = "one case after the other, by one set-up")]
fn filled_alike(shape: CuShape) {
    let wants = [
        Demand { waves: 2, vgpr: shape.vgpr_per_simd / 5, sgpr: 1, ..Demand::default() },
        Demand { waves: 2, sgpr: 2, lds: 40, ..Demand::default() },
        Demand { waves: 4, vgpr: 2, lds: 7, ..Demand::default() },
        Demand { waves: 2, vgpr: 1, sgpr: 9, lds: 20, barriers: 2 },
        Demand { waves: 3, vgpr: 2, ..Demand::default() },
    ];
    let mut together = 0;
    for (most, demand) in [3, 7, 18, 40].into_iter().flat_map(|it| wants.map(|want| (it, want))) {
        let mut row = matcher(shape, 5);
        let single = class(&mut row, one(1));
        // On the last unit but one another SIMD gets the first wave, and on the first a wave lies.
        row.commit(single, CuId(3), name(9, 0), &mut Vec::new());
        row.release(CuId(3), &launch(9, one(1)), name(9, 0)).expect("it lies there");
        row.commit(single, CU, name(9, 1), &mut Vec::new());
        let (mut one_by_one, mut places) = (row.clone(), [Vec::new(), Vec::new()]);
        let others = [two(4), Demand { lds: 30, ..one(2) }, demand];
        let of = |matcher: &mut Matcher| {
            matcher.begin();
            others.map(|other| matcher.class(&other, 0))
        };
        let (classes, same) = (of(&mut row), of(&mut one_by_one));
        assert_eq!(classes, same);
        // There are two passes, as the second one uses the filled unit that the first remembered.
        for id in [2, 3] {
            let (mut next, mut lies) = (0, Vec::new());
            while next < most
                && let Some(cu) = row.first(classes[2], 0)
            {
                let name = name(id, next);
                let placed = row.commit_row(classes[2], cu, name, most - next, &mut places[0]);
                next += u64::from(placed.0) * u64::from(placed.1);
                together = together.max(placed.1);
            }
            for workgroup in 0..next {
                let cu = one_by_one.first(classes[2], 0).expect("the other has placed it");
                one_by_one.commit(classes[2], cu, name(id, workgroup), &mut places[1]);
                lies.push(cu);
            }
            assert_eq!(places[0], places[1], "{demand:?}");
            let mut alike = |what: &str| {
                for (cu, longest) in (0..5).flat_map(|cu| [(cu, false), (cu, true)]) {
                    assert_eq!(
                        row.free(cu, longest),
                        one_by_one.free(cu, longest),
                        "{what} {demand:?}"
                    );
                }
                for class in classes {
                    let open = |matcher: &mut Matcher| {
                        let open = matcher.open(class);
                        [0, 1, 2, 3, 4].map(|cu| open.first_from(cu) == Some(cu))
                    };
                    assert_eq!(open(&mut row), open(&mut one_by_one), "{what} {demand:?}");
                }
            };
            alike("filled");
            for (workgroup, cu) in (0..).zip(lies) {
                for matcher in [&mut row, &mut one_by_one] {
                    let ended = matcher.release(cu, &launch(id, demand), name(id, workgroup));
                    ended.expect("it lies there");
                }
            }
        }
    }
    assert_eq!(together, 2, "two have another one before them, and one behind");
}

#[test]
fn a_compute_unit_that_waits_for_saved_work_is_not_filled_alike() {
    let mut matcher = matcher(SHAPE, 4);
    let (saved, all) = (launch(1, two(10)), two(16));
    // A workgroup is saved on the third unit, and finds its place taken when it comes back.
    let full = class(&mut matcher, all);
    let ten = matcher.class(&two(10), 0);
    matcher.commit(ten, CuId(2), name(1, 0), &mut Vec::new());
    matcher.save(&saved, |_, _| ());
    for cu in 1..4 {
        matcher.commit(full, CuId(cu), name(2, cu.into()), &mut Vec::new());
    }
    assert_eq!(matcher.restore(&saved, |_, _| ()), 1);
    let four = class(&mut matcher, two(4));
    assert!(matcher.fits(four), "on the first unit");
    // All three are emptied in one step.
    let pieces = [1, 2, 3].map(|cu| Piece::one(cu.into(), CuId(cu)));
    assert_eq!(matcher.release_all(&pieces, LaunchId(2)), 3);
    assert_eq!((matcher.units[2].resident, matcher.units[2].displaced), (0, 1));
    // There are two passes: the first one remembers how a unit is filled.
    for id in [3, 4] {
        let four = class(&mut matcher, two(4));
        let (mut next, mut on) = (0, Vec::new());
        while let Some(cu) = matcher.first(four, 0) {
            let name = name(id, next);
            let (count, units) = matcher.commit_row(four, cu, name, 100, &mut Vec::new());
            on.extend((cu.0..cu.0 + units).map(|cu| (cu, count)));
            next += u64::from(count) * u64::from(units);
        }
        assert_eq!(on, [(0, 4), (1, 4), (3, 4)], "launch {id}");
        matcher.kill(&launch(id, two(4)), |_, _| ());
    }
}

#[test]
fn all_that_lies_on_a_compute_unit_leaves_at_once_and_nothing_less() {
    let mut matcher = matcher(SHAPE, 1);
    let empty = matcher.free(0, true);
    let all = |first, count| Piece { first, stride: 1, count, cu: CU };
    let demand = Demand { lds: 20, barriers: 1, ..two(3) };
    assert!((0..4).all(|at| place(&mut matcher, 1, at, demand)));
    let (id, other) = (LaunchId(1), LaunchId(2));
    let mut all_of = |piece: Piece, id: LaunchId| matcher.release_all(&[piece], id);
    assert_eq!(all_of(all(0, 3), id), 0, "one more lies there");
    assert_eq!((all_of(all(1, 4), id), all_of(all(0, 4), other)), (0, 0));
    assert_eq!(all_of(Piece { cu: CuId(1), ..all(0, 4) }, id), 0);
    let index = class(&mut matcher, demand);
    assert!(!matcher.fits(index) && matcher.release_all(&[all(0, 4)], id) == 1);
    assert!(matcher.fits(index) && matcher.free(0, true) == empty);
    assert_eq!((matcher.classes[index].resident, matcher.units[0].barriers), (0, 8));
    assert!(matcher.release_all(&[all(0, 4)], id) == 0 && !end(&mut matcher, 1, 0, demand));
}

#[test]
fn the_numbers_of_steps_begin_again_where_nobody_has_one() {
    let mut matcher = matcher(SHAPE, 2);
    let mut last = u32::MAX - 1;
    matcher.units[0].alike = row::next_step(&mut last, &mut matcher.units);
    matcher.units[1].alike = 1;
    assert_eq!(row::next_step(&mut last, &mut matcher.units), 1);
    assert_eq!([matcher.units[0].alike, matcher.units[1].alike], [0, 0]);
}

#[test]
fn next_fit_goes_on_behind_the_last_run_that_a_search_gave() {
    let mut matcher = matcher(SHAPE, 1).with_fit(Fit::Next);
    let of = |lds| Demand { lds, ..two(0) };
    let starts = |matcher: &mut Matcher, id: u32, lds: u32| {
        let (class, mut places) = (class(matcher, of(lds)), Vec::new());
        matcher.commit(class, CU, name(id, 0), &mut places);
        places[0].lds
    };
    assert_eq!([1, 2].map(|id| starts(&mut matcher, id, 30)), [0, 30]);
    let saved = launch(1, of(30));
    matcher.save(&saved, |_, _| ());
    assert_eq!(matcher.restore(&saved, |_, _| ()), 0);
    assert!(end(&mut matcher, 2, 0, of(30)));
    assert!(!place(&mut matcher, 3, 0, of(71)), "refused");
    assert_eq!([4, 5, 6].map(|id| starts(&mut matcher, id, 20)), [60, 80, 30]);
}
