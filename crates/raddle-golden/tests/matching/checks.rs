//! The check list of E1, by its numbers.

use std::collections::VecDeque;

use raddle_bitmap::{Full, Grouped, Kind, Layout, Sampled, Search, Shared, View};
use raddle_golden::matching::model::{
    Candidate, Cu, Left, MatchDecision, MatchHead, MatchModel, Stock, TakenPiece, by, compare,
    lowest, record,
};
use raddle_workgroup::Fit;
use raddle_workgroup::order::{Fixed, Lowest, Marks, Windows};
use raddle_workgroup::place::{MostFree, Weights};

use crate::{commit, cu, head, left, matching, release, waves};

type Heads = Vec<Option<MatchHead<&'static str>>>;

/// Returns the worked example of the matching, with maps that have the free runs which it names.
fn example() -> (MatchModel<&'static str>, Heads) {
    let cus = vec![
        cu(&"1".repeat(40), &[("11111111", 2), ("00001111", 2)]),
        cu(&"1".repeat(16), &[("01111110", 1), ("11111101", 3)]),
    ];
    let heads = vec![
        head(0, 8, &[(12, 2), (6, 1)]),
        head(1, 16, &[(6, 1), (6, 1)]),
        head(1, 32, &[(8, 2), (4, 2)]),
        head(2, 0, &[(1, 1), (1, 1)]),
    ];
    (matching(cus, 3, 4), heads)
}

fn decide(model: &MatchModel<&'static str>, heads: &Heads) -> MatchDecision<&'static str> {
    let order = Fixed::new(3).unwrap();
    model.decide(heads, by(Full), (&order, 0), &mut Lowest, lowest).unwrap()
}

#[test]
fn t1_equality_fits_and_one_more_does_not() {
    let fits = |lds, vgpr, slots| {
        let cus = vec![cu("0111", &[("11011", 2)])];
        let model = matching(cus, 3, 1);
        decide(&model, &vec![head(0, lds, &[(vgpr, slots)])]).target.is_some()
    };
    assert!(fits(3, 2, 2), "what remains is what is wanted");
    assert!(!fits(4, 2, 2) && !fits(3, 3, 2) && !fits(3, 2, 3), "one more in one resource");
}

#[test]
fn t2_candidates_of_the_worked_example() {
    let (model, heads) = example();
    let decision = decide(&model, &heads);
    let candidate = |channel, cus| Candidate { channel, cus };
    assert_eq!(
        decision.candidates,
        [candidate(1, vec![1]), candidate(2, vec![0]), candidate(3, vec![0, 1])]
    );
    let target = decision.target.expect("three fit");
    assert_eq!((target.channel, target.cu), (1, 1), "the lowest of {{1, 2}}");
    assert_eq!(decision.marks.of_level(1).collect::<Vec<_>>(), [1]);
}

#[test]
fn t3_what_fits_nowhere_stays_and_blocks_nobody() {
    let (mut model, heads) = example();
    let mut queues: Vec<VecDeque<_>> =
        heads.into_iter().map(|head| head.into_iter().collect()).collect();
    let mut dispatched = Vec::new();
    for _ in 0..5 {
        let heads: Heads = queues.iter().map(|queue| queue.front().cloned()).collect();
        let decision = decide(&model, &heads);
        if let Some(held) = commit(&mut model, decision) {
            queues[held.channel].pop_front();
            dispatched.push((held.channel, held.cu));
        }
    }
    assert_eq!(dispatched, [(1, 1), (2, 0)], "then neither has a wave slot on both SIMDs for 3");
    assert_eq!(queues.iter().map(VecDeque::len).collect::<Vec<_>>(), [1, 0, 0, 1]);
}

#[test]
fn t4_the_order_within_a_channel_stays() {
    // Numbers are told by their demand: workgroup n wants n blocks of LDS.
    let model = matching(vec![cu(&"1".repeat(64), &[("1", 9)])], 3, 2);
    let (mut model, mut seen) = (model, [Vec::new(), Vec::new()]);
    let mut queues: [VecDeque<u64>; 2] = [(1..6).collect(), (1..4).rev().collect()];
    while queues.iter().any(|queue| !queue.is_empty()) {
        let heads = queues.iter().map(|queue| head(0, *queue.front()?, &[(0, 1)])).collect();
        let held = {
            let decision = decide(&model, &heads);
            commit(&mut model, decision)
        }
        .expect("it fits");
        let TakenPiece::Run { len, .. } = held.shared["lds"] else { panic!("a run") };
        queues[held.channel].pop_front();
        seen[held.channel].push(len);
        release(&mut model, &held);
    }
    assert_eq!(seen, [vec![1, 2, 3, 4, 5], vec![3, 2, 1]]);
}

#[test]
fn t5_t6_a_constant_tie_takes_turns() {
    let mut model = matching(vec![cu("1", &[("1", 9)])], 3, 3);
    let heads: Heads = (0..3).map(|_| head(0, 0, &[(0, 1)])).collect();
    let mut round = || {
        let held = {
            let decision = decide(&model, &heads);
            commit(&mut model, decision)
        }
        .expect("it fits");
        (held.channel, model.marks.of_level(0).collect::<Vec<_>>())
    };
    for (channel, marks) in
        [(0, vec![0]), (1, vec![0, 1]), (2, vec![0, 1, 2]), (0, vec![0]), (1, vec![0, 1])]
    {
        assert_eq!(round(), (channel, marks));
    }
}

#[test]
fn t7_marks_of_other_levels_stay() {
    let mut marks = Marks::new(3, 2).unwrap();
    marks.set(1, 0, true).unwrap();
    let model = MatchModel { cus: vec![cu("1", &[("1", 9)])], marks, fit: Fit::First };
    let decision = decide(&model, &vec![head(0, 0, &[(0, 1)]), head(0, 0, &[(0, 1)])]);
    let after: Vec<Vec<usize>> =
        (0..3).map(|level| decision.marks.of_level(level).collect()).collect();
    assert_eq!(after, [vec![0], vec![0], vec![]]);
}

#[test]
fn t8_what_is_handed_out_was_free_and_is_exactly_the_demand() {
    let mut model = matching(vec![cu("0110111", &[("1011101", 3), ("1100011", 1)])], 3, 1);
    let decision = decide(&model, &vec![head(0, 3, &[(2, 2), (2, 0)])]);
    let held = commit(&mut model, decision).expect("it fits");
    let stocks = |model: &MatchModel<&'static str>| {
        let cu = &model.cus[0];
        let all = std::iter::once(&cu.shared).chain(&cu.simds).flat_map(|it| it.values());
        all.map(left).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(stocks(&model), "0110000 1000101 1 0000011 1");
    assert_eq!(held.shared["lds"], TakenPiece::Run { start: 4, len: 3 });
    assert_eq!(held.simds[0]["vgpr"], TakenPiece::Run { start: 2, len: 2 });
    assert_eq!(held.simds[0]["waves"], TakenPiece::Count(2));
    assert_eq!(held.simds[1].keys().collect::<Vec<_>>(), [&"vgpr"], "0 waves take nothing");
    release(&mut model, &held);
    assert_eq!(stocks(&model), "0110111 1011101 3 1100011 1");
}

#[test]
fn t9_enough_but_in_pieces_is_no_match() {
    let model = matching(vec![cu("1", &[("1110111", 1)])], 3, 1);
    let decision = decide(&model, &vec![head(0, 0, &[(4, 1)])]);
    assert!(decision.target.is_none() && decision.candidates.is_empty());
    let refusal = &decision.refusals[0];
    assert_eq!((refusal.resource, refusal.wanted, refusal.left), ("vgpr", 4, Left::Longest(3)));
    assert_eq!((refusal.simd, decision.refusals.len()), (Some(0), 1));
}

#[test]
fn the_order_is_read_when_the_target_is_chosen() {
    // E2, T5 of its list: levels 0, 1 and 3 of windows 8, 4, 3, 1.
    let model = matching(vec![cu("1", &[("1", 1)])], 4, 3);
    let heads: Heads = [0, 1, 3].map(|level| head(level, 0, &[(0, 1)])).into();
    let order = Windows::new(&[8, 4, 3, 1]).unwrap();
    let channel = |now| {
        let decision = model.decide(&heads, by(Full), (&order, now), &mut Lowest, lowest);
        decision.unwrap().target.map(|target| target.channel)
    };
    assert_eq!([0, 9, 13, 15].map(channel), [Some(0), Some(1), Some(0), Some(2)]);
}

#[test]
fn any_rule_places_among_those_that_fit() {
    let model = matching(
        vec![cu("1", &[("1111", 1)]), cu("1", &[("111111", 1)]), cu("1", &[("11111", 0)])],
        3,
        1,
    );
    let order = Fixed::new(3).unwrap();
    let rule = MostFree::new(Weights::new(&[1]).unwrap());
    let most_free = |fit: &[usize], cus: &[Cu<&'static str>]| {
        let free = |&cu: &usize| match &cus[cu].simds[0]["vgpr"] {
            Stock::Run { map, .. } => [u64::from(map.free_blocks())],
            Stock::Count(free) => [*free],
        };
        rule.pick(fit.iter().map(free).collect::<Vec<_>>())
    };
    let heads = vec![head(0, 0, &[(2, 1)])];
    let decision = model.decide(&heads, by(Full), (&order, 0), &mut Lowest, most_free).unwrap();
    assert_eq!(decision.target.expect("two fit").cu, 1);
    for nowhere in [None, Some(2), Some(usize::MAX)] {
        let place = |_: &[usize], _: &[Cu<&'static str>]| Ok(nowhere);
        let decision = model.decide(&heads, by(Full), (&order, 0), &mut Lowest, place).unwrap();
        assert!(decision.target.is_none(), "{nowhere:?} is none of the two");
        assert_eq!(decision.marks, model.marks);
    }
}

#[test]
fn waves_are_balanced_and_only_the_chosen_pointer_moves() {
    let simds = [("11111111", 8), ("11111111", 8), ("11111111", 8), ("11111111", 8)];
    let mut model = matching(vec![cu("1", &simds), cu("1", &simds)], 3, 1);
    let at = |model: &MatchModel<_>| {
        let pointers = model.cus.iter().map(|cu: &Cu<&str>| cu.pointer.as_ref().unwrap().at());
        pointers.collect::<Vec<_>>()
    };
    let mut starts = Vec::new();
    for (count, after) in [(5, [1, 0]), (3, [0, 0]), (4, [0, 0])] {
        let held = {
            let decision = decide(&model, &vec![waves(0, 0, count, 2)]);
            commit(&mut model, decision)
        };
        assert_eq!(at(&model), after);
        starts.push(
            held.expect("it fits")
                .simds
                .iter()
                .map(|simd| simd.get("vgpr").copied())
                .collect::<Vec<_>>(),
        );
    }
    let run = |start, len| Some(TakenPiece::Run { start, len });
    assert_eq!(starts[0], [run(0, 2), run(0, 4), run(0, 2), run(0, 2)], "1 2 1 1 waves");
    assert_eq!(starts[1], [run(2, 2), None, run(2, 2), run(2, 2)], "1 0 1 1 waves");
    assert_eq!(starts[2], [run(4, 2), run(4, 2), run(4, 2), run(4, 2)]);
    let decision = decide(&model, &vec![waves(0, 0, 64, 0)]);
    assert!(decision.target.is_none(), "not so many wave slots");
    assert_eq!(at(&model), [0, 0]);
}

#[test]
fn a_search_that_reports_less_refuses_and_addresses_come_from_the_map() {
    let cus = vec![cu("1", &[("0111111101111111", 1)])];
    let model = matching(cus, 3, 1);
    let order = Fixed::new(3).unwrap();
    let start = |search: &dyn Search, vgpr| {
        let decision = model
            .decide(
                &[head(0, 0, &[(vgpr, 1)])],
                |resource: &&str, map: View<'_>| {
                    if *resource == "vgpr" { search.longest(map) } else { Full.longest(map) }
                },
                (&order, 0),
                &mut Lowest,
                lowest,
            )
            .unwrap();
        decision.target.map(|target| target.simds[0]["vgpr"])
    };
    let run = |start, len| Some(TakenPiece::Run { start, len });
    assert_eq!(start(&Full, 7), run(1, 7));
    let grouped = Grouped::new(16, 4).unwrap();
    assert_eq!((start(&grouped, 7), start(&grouped, 4)), (None, run(1, 4)), "one free group of 4");
    let sampled = Sampled::new(16, &[1, 4]).unwrap();
    assert_eq!((start(&sampled, 6), start(&sampled, 5)), (None, run(1, 5)), "amounts 2 and 5");
}

#[test]
fn records_may_come_from_a_shared_finder() {
    // One finder a SIMD, for its registers in one period and the LDS beside them in another.
    let unit = cu("1101", &[("01110111", 1), ("11111000", 1)]);
    let kinds = [Kind { id: 0, blocks: 8 }, Kind { id: 1, blocks: 8 }, Kind { id: 2, blocks: 4 }];
    let finder = Shared::new(12, 12, &[&kinds[..1], &kinds[1..]], &Layout::Packed).unwrap();
    let map = |stock: &Stock| match stock {
        Stock::Run { map, .. } => map.clone(),
        Stock::Count(_) => panic!("a map"),
    };
    let maps = [map(&unit.simds[0]["vgpr"]), map(&unit.simds[1]["vgpr"]), map(&unit.shared["lds"])];
    let found = finder.round(|kind| maps[kind.id as usize].view()).unwrap();
    let mut shared = record(&unit, |_, _| Ok(0)).unwrap();
    for found in found {
        let left = Left::Longest(found.longest().into());
        match found.kind() {
            2 => shared.shared.insert("lds", left),
            simd => shared.simds[simd as usize].insert("vgpr", left),
        };
    }
    assert_eq!(shared, record(&unit, by(Full)).unwrap(), "exact, border or not");
    let heads = [head(0, 2, &[(3, 1), (5, 1)]), head(0, 0, &[(0, 0), (6, 0)])];
    let (candidates, refusals) = compare(&heads, &[unit], &[shared]).unwrap();
    assert_eq!(candidates, [Candidate { channel: 0, cus: vec![0] }]);
    assert_eq!((refusals.len(), refusals[0].left), (1, Left::Longest(5)));
}
