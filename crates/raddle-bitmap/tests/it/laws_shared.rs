//! Does the shared finder keep the laws of seed 000, E7?

use raddle_bitmap::circuit::{Masks, PeriodTrace, Setup, Shift};
use raddle_bitmap::{FreeMap, Full, Grouped, Kind, Layout, Polarity, Sampled};
use raddle_bitmap::{Search, Shared, View};

use crate::{every_map, map};

/// Worked example of a shared finder (one circuit for several maps), as (maps, widths of their
/// slots, sequence D0, sequence DQR of each map, reported lengths, lengths that it would report
/// without masks).
type Row = ([&'static str; 2], [u32; 2], &'static str, [&'static str; 2], [u32; 2], [u32; 2]);

const TABLE: [Row; 6] = [
    (["11111", "1111"], [5, 4], "111111111000", ["11111", "1111"], [5, 4], [9, 4]),
    (["00111", "1101"], [5, 4], "001111101000", ["111", "11"], [3, 2], [5, 2]),
    (["10101", "0000"], [5, 4], "101010000000", ["1", ""], [1, 0], [1, 0]),
    (["11111", "1111"], [6, 6], "111110111100", ["11111", "1111"], [5, 4], [5, 4]),
    (["01110", "0111"], [5, 7], "011100111000", ["111", "111"], [3, 3], [3, 3]),
    (["11111", "11111"], [5, 5], "111111111100", ["11111", "11111"], [5, 5], [10, 5]),
];

/// Makes a shared finder (one circuit for several maps) 12 blocks wide, for two maps in ranges of
/// these widths.
pub(crate) fn finder(maps: [&FreeMap; 2], slots: [u32; 2]) -> Shared {
    let kinds: Vec<Kind> =
        (0..).zip(maps).map(|(id, map)| Kind { id, blocks: map.blocks() }).collect();
    let borders = vec![vec![0..slots[0], slots[0]..slots[0] + slots[1]]];
    Shared::new(12, 12, &[kinds], &Layout::Borders(borders)).unwrap()
}

fn trace(search: &Shared, maps: [&FreeMap; 2], setup: Setup, masks: Masks) -> PeriodTrace {
    PeriodTrace::new(search, 0, &maps.map(FreeMap::view), setup, masks).unwrap()
}

#[test]
fn t1_the_table() {
    for (groups, slots, d0, dqr, answers, without) in TABLE {
        let maps = groups.map(map);
        let maps = [&maps[0], &maps[1]];
        let search = finder(maps, slots);
        assert_eq!(search.find(0, &maps.map(FreeMap::view)), Ok(answers.to_vec()));
        for setup in Setup::ALL {
            for masks in [Masks::All, Masks::Newest] {
                let trace = trace(&search, maps, setup, masks);
                assert_eq!(trace.answers(), answers, "{groups:?} {setup:?}");
                let expected = dqr.map(|ones| format!("{ones:0<12}"));
                assert!(trace.dqr().iter().map(ToString::to_string).eq(expected));
                if setup.polarity == Polarity::FreeIsOne {
                    assert_eq!(trace.d()[0].to_string(), d0);
                }
            }
        }
        assert_eq!(unmasked(d0, slots), without, "{groups:?}");
    }
}

/// Returns the longest runs that a search without masks finds from within each slot, shifting to
/// the left.
pub(crate) fn unmasked(d0: &str, slots: [u32; 2]) -> [u32; 2] {
    let map = map(d0);
    let from = |start: u32, end: u32| {
        let runs = (start..end).map(|at| (at..12).take_while(|&block| map.is_free(block)).count());
        runs.max().unwrap_or(0) as u32
    };
    [from(0, slots[0]), from(slots[0], slots[0] + slots[1])]
}

/// Checks laws T2 and T3 (the answer for a map depends on that map alone) and T4 (both ways to mask
/// give equal sequences), for all pairs of maps of 5 and 4 blocks.
#[test]
fn t2_t3_t4_on_every_pair_of_5_and_4_blocks() {
    let mut wrong = 0;
    for first in every_map(5) {
        for second in every_map(4) {
            let maps = [&first, &second];
            let expected = [first.longest(), second.longest()];
            for slots in [[5, 4], [6, 5], [5, 7]] {
                let search = finder(maps, slots);
                // Every set-up where the slots touch, one where they leave room.
                let setups = if slots == [5, 4] { &Setup::ALL[..] } else { &Setup::ALL[3..4] };
                for &setup in setups {
                    let all = trace(&search, maps, setup, Masks::All);
                    // The map of a slot alone decides its answer, so the neighbour does not.
                    assert_eq!(all.answers(), expected, "T2, T3: {maps:?} {setup:?}");
                    let newest = trace(&search, maps, setup, Masks::Newest);
                    assert_eq!(all.da(), newest.da(), "T4: {maps:?} {setup:?}");
                }
            }
            let d0 = format!("{:0<12}", crate::digits(&first) + &crate::digits(&second));
            wrong += u32::from(unmasked(&d0, [5, 4]) != expected);
        }
    }
    assert_eq!(wrong, 114, "of 512 pairs need the masks");
}

const R1: &str = "1111111110111101011101111111111111111111010111111111111111110111\
    1010111111111111101111111101111011111111110111111111111111111011";
const R2: &str = "1101111111111111110110111001111111011111111111100100111111110101";
const R3: &str = "111111111111011010111111111011011111111101111001";

/// Returns a shared finder for the seed's three kinds of resource in two periods, with their maps.
fn seed(layout: &Layout) -> (Shared, [FreeMap; 3]) {
    let maps = [R1, R2, R3].map(map);
    let kind = |id: u32| Kind { id, blocks: maps[id as usize - 1].blocks() };
    let periods = vec![vec![kind(1)], vec![kind(2), kind(3)]];
    (Shared::new(128, 128, &periods, layout).unwrap(), maps)
}

/// Checks that a kind of resource whose map is searched alone may be searched by any method
/// (ambiguity 8 in our summary of the seed).
#[test]
fn a_kind_alone_in_its_period_may_be_searched_by_any_method() {
    let (search, maps) = seed(&Layout::Packed);
    let (grouped, sampled) = (Grouped::of_size(128, 4).unwrap(), Sampled::steps(128).unwrap());
    let map_of = |kind: Kind| maps[kind.id as usize - 1].view();
    for (alone, first) in [(&Full as &dyn Search, 19), (&grouped, 16), (&sampled, 16)] {
        let mut asked = Vec::new();
        let round = search.round_by(
            |kind| {
                asked.push(kind.id);
                alone
            },
            map_of,
        );
        let longest: Vec<u32> = round.unwrap().iter().map(|found| found.longest()).collect();
        assert_eq!(longest, [first, 15, 12]);
        assert_eq!(first, alone.longest(maps[0].view()).unwrap());
        assert_eq!(asked, [1], "kinds that share a period are searched fully");
    }
    let other = Grouped::of_size(64, 4).unwrap();
    let refused = search.round_by(|_| &other, map_of);
    assert_eq!(
        refused.map_err(|error| error.to_string()),
        Err("the search is for 64 blocks, the map has 128: make one for its size".to_owned())
    );
}

#[test]
fn t5_t6_the_seeds_three_kinds_in_one_round() {
    for layout in [Layout::Packed, Layout::Halves] {
        let (search, maps) = seed(&layout);
        let mut asked = Vec::new();
        let found = search.round(|kind| {
            asked.push(kind.id);
            maps[kind.id as usize - 1].view()
        });
        let found = found.unwrap().into_iter().map(|it| (it.period(), it.kind(), it.longest()));
        assert_eq!(found.collect::<Vec<_>>(), [(0, 1, 19), (1, 2, 15), (1, 3, 12)]);
        assert_eq!(asked, [1, 2, 3], "T6: every period once, every kind once");
        for setup in Setup::ALL {
            let views = maps.each_ref().map(FreeMap::view);
            let one = PeriodTrace::new(&search, 0, &views[..1], setup, Masks::All).unwrap();
            let two = PeriodTrace::new(&search, 1, &views[1..], setup, Masks::All).unwrap();
            assert_eq!((one.answers(), two.answers()), (vec![19], vec![15, 12]), "{setup:?}");
        }
    }
}

#[test]
fn t7_a_sum_above_the_bound_is_refused() {
    let kinds = |blocks: [u32; 2]| [[0, 1].map(|id| Kind { id, blocks: blocks[id as usize] })];
    let fits = Shared::new(128, 112, &kinds([64, 48]), &Layout::Packed);
    assert_eq!(fits.map(|search| search.width()), Ok(128));
    let above = Shared::new(128, 111, &kinds([64, 48]), &Layout::Packed);
    assert_eq!(above.map_err(|error| error.to_string()), Err("the kinds of period 0 have 112 blocks, the bound is 111: spread them over more periods".to_owned()));
    let huge = Shared::new(128, 128, &kinds([u32::MAX, u32::MAX]), &Layout::Packed);
    let sum = 2 * u64::from(u32::MAX);
    assert_eq!(
        huge.map_err(|error| error.to_string()),
        Err(format!(
            "the kinds of period 0 have {sum} blocks, the bound is 128: spread them over more periods"
        ))
    );
}

#[test]
fn t8_the_halves_together_are_the_whole() {
    let (search, maps) = seed(&Layout::Halves);
    for shift in [Shift::Left, Shift::Right] {
        let setup = Setup { shift, ..Setup::default() };
        let trace = PeriodTrace::new(&search, 0, &[maps[0].view()], setup, Masks::All).unwrap();
        let halves = [trace.reduced(0, 64), trace.reduced(64, 128)];
        let either = halves[0].iter().zip(halves[1].iter()).map(|(a, b)| a | b);
        assert!(either.eq(trace.dqr()[0].iter()), "{shift:?}");
    }
}

/// Checks that the halves of an odd width are equally wide, and leave its last block unused.
#[test]
fn halves_are_equally_wide_at_every_width() {
    for width in 1..=66 {
        let half = width / 2;
        let of = |first: u32, second: u32| {
            let kinds = [[(0, first), (1, second)].map(|(id, blocks)| Kind { id, blocks })];
            Shared::new(width, width, &kinds, &Layout::Halves)
        };
        if half > 0 {
            let search = of(half, half).unwrap();
            let slots: Vec<_> = search.slots(0).iter().map(|it| (it.start(), it.end())).collect();
            assert_eq!(slots, [(0, half), (half, 2 * half)], "{width}");
        }
        for (at, first, second) in [(0, half + 1, 1), (1, half.max(1), half + 1)] {
            let narrow = format!(
                "slot {at} of period 0 has {half} positions for {} blocks: widen it",
                half + 1
            );
            let sum = u64::from(first) + u64::from(second);
            let above = format!(
                "the kinds of period 0 have {sum} blocks, the bound is {width}: spread them over more periods"
            );
            let first_narrow = at == 1 && half == 0;
            if !first_narrow {
                let wanted = if sum > u64::from(width) { above } else { narrow };
                assert_eq!(
                    of(first, second).map_err(|error| error.to_string()),
                    Err(wanted),
                    "{width}"
                );
            }
        }
        let alone = Shared::new(width, width, &[[Kind { id: 0, blocks: 1 }]], &Layout::Halves);
        let slot = alone.unwrap().slots(0)[0];
        assert_eq!((slot.start(), slot.end()), (0, width), "a kind alone has all of it");
    }
}

#[test]
fn t9_places_beside_a_full_map_never_count() {
    let full = FreeMap::new(48).unwrap();
    let other = FreeMap::new(64).unwrap();
    let kinds = [[Kind { id: 2, blocks: 64 }, Kind { id: 3, blocks: 48 }]];
    let search = Shared::new(128, 128, &kinds, &Layout::Halves).unwrap();
    for setup in Setup::ALL {
        let maps = [other.view(), full.view()];
        let trace = PeriodTrace::new(&search, 0, &maps, setup, Masks::All).unwrap();
        assert_eq!(trace.dqr()[1].to_string(), format!("{:0<128}", "1".repeat(48)));
        assert_eq!(trace.answers(), [64, 48]);
    }
}

#[test]
fn t10_sequences_are_filled_up_with_0() {
    let kinds = [[Kind { id: 0, blocks: 4 }]];
    let search = Shared::new(8, 8, &kinds, &Layout::Packed).unwrap();
    for polarity in [Polarity::FreeIsOne, Polarity::FreeIsZero] {
        let setup = Setup { polarity, ..Setup::default() };
        let map = map("0110");
        let trace = PeriodTrace::new(&search, 0, &[map.view()], setup, Masks::All).unwrap();
        // With the digit for occupied blocks behind the map, the result would be 11001111 where
        // that digit is 1, which a scan reads as 8.
        assert_eq!(trace.dqr()[0].to_string(), "11000000");
        assert_eq!(trace.answers(), [2]);
    }
}

#[test]
fn a_map_alone_is_found_in_any_finder_wide_enough() {
    use raddle_bitmap::Search;
    let (search, maps) = seed(&Layout::Packed);
    assert_eq!(search.longest(maps[2].view()), Ok(maps[2].longest()));
    let wide = FreeMap::new(129).unwrap();
    assert_eq!(
        search.longest(wide.view()).map_err(|error| error.to_string()),
        Err("the search is for 128 blocks, the map has 129: make one for its size".to_owned())
    );
    let views: [View<'_>; 1] = [maps[1].view()];
    let other =
        Err("the search is for 128 blocks, the map has 64: make one for its size".to_owned());
    assert_eq!(search.find(0, &views).map_err(|error| error.to_string()), other);
}
