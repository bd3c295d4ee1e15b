//! Does the matching give the digest's vectors of E1?

use std::collections::BTreeMap;

use raddle_bitmap::{FreeMap, Full};
use raddle_golden::matching::model::{Cu, MatchDecision, MatchHead, Stock, Wants, by, lowest};
use raddle_workgroup::order::{Fixed, Lowest};
use serde_json::Value;

use crate::{commit, matching};

fn list(value: &Value) -> &[Value] {
    let list = value.as_array().expect("a list");
    assert!(!list.is_empty());
    list
}

fn number(value: &Value) -> u64 {
    value.as_u64().expect("a number")
}

fn numbers(value: &Value) -> Vec<u64> {
    value.as_array().expect("a list").iter().map(number).collect()
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a string")
}

/// Returns the number behind the letters of a name, such as `ch3` or `AP0`.
fn index(name: &str) -> usize {
    name.trim_start_matches(char::is_alphabetic).parse().expect("a number")
}

fn channels(value: &Value) -> Vec<usize> {
    list(value).iter().map(|name| index(text(name))).collect()
}

fn vectors() -> Value {
    raddle_testkit::vectors("vectors000.json")
}

#[test]
fn e1_match() {
    let vectors = vectors();
    let case = &vectors["E1_match"];
    let amounts = |value: &Value| {
        let amounts = value.as_object().expect("an object").iter();
        amounts.map(|(name, n)| (name.clone(), number(n))).collect::<BTreeMap<String, u64>>()
    };
    // The longest runs are given, so a map is just as long.
    let stocks = |value: &Value| {
        let stock = |(name, n): (String, u64)| {
            let counted = name == "slots";
            let map = || FreeMap::new(u32::try_from(n).unwrap()).unwrap();
            (name, if counted { Stock::Count(n) } else { Stock::run(map()) })
        };
        amounts(value).into_iter().map(stock).collect::<BTreeMap<String, Stock>>()
    };
    let cus = list(&case["modules"]).iter().map(|module| Cu {
        shared: stocks(&module["shared"]),
        simds: list(&module["units"]).iter().map(stocks).collect(),
        pointer: None,
    });
    let heads = case["heads"].as_object().unwrap();
    let count = 1 + heads.keys().map(|name| index(name)).max().unwrap();
    let mut given = vec![None; count];
    for (name, head) in heads {
        let groups = list(&head["wave_groups"]).iter().map(amounts).collect();
        let wants = Wants::Groups { shared: amounts(&head["shared"]), groups };
        given[index(name)] =
            Some(MatchHead { level: number(&head["priority"]) as usize - 1, wants });
    }
    let model = matching(cus.collect(), 3, count);
    let order = Fixed::new(3).unwrap();
    let decision = model.decide(&given, by(Full), (&order, 0), &mut Lowest, lowest).unwrap();
    let candidates = decision.candidates.iter();
    let candidates: BTreeMap<usize, Vec<u64>> =
        candidates.map(|it| (it.channel, it.cus.iter().map(|&cu| cu as u64).collect())).collect();
    let expected = case["expected_candidates"].as_object().unwrap().iter();
    assert_eq!(candidates, expected.map(|(name, cus)| (index(name), numbers(cus))).collect());
    let tied = channels_of(&decision, &given, number(&case["expected_top_priority"]) as usize - 1);
    assert_eq!(tied, channels(&case["expected_tied_channels"]));
    assert_eq!(decision.target.map(|it| it.channel), tied.first().copied());
}

/// Returns the channels whose heads (first workgroups) have this level and fit some compute unit.
fn channels_of(
    decision: &MatchDecision<String>,
    heads: &[Option<MatchHead<String>>],
    level: usize,
) -> Vec<usize> {
    let of_level = |channel: &usize| heads[*channel].as_ref().unwrap().level == level;
    decision.candidates.iter().map(|it| it.channel).filter(of_level).collect()
}

#[test]
fn e1_ties_in_the_whole_matching() {
    let vectors = vectors();
    let case = &vectors["E1_a42_changing_tie"];
    let simd = BTreeMap::from([("waves", Stock::Count(100))]);
    let cu = Cu { shared: BTreeMap::new(), simds: vec![simd], pointer: None };
    let mut model = matching(vec![cu], 1, 3);
    let order = Fixed::new(1).unwrap();
    for round in list(&case["rounds"]) {
        let tied = channels(&round["tied"]);
        let heads = (0..3).map(|channel| {
            let groups = vec![BTreeMap::from([("waves", 1)])];
            let wants = Wants::Groups { shared: BTreeMap::new(), groups };
            tied.contains(&channel).then_some(MatchHead { level: 0, wants })
        });
        let heads: Vec<_> = heads.collect();
        let decision = model.decide(&heads, by(Full), (&order, 0), &mut Lowest, lowest).unwrap();
        let held = commit(&mut model, decision).expect("there is room");
        assert_eq!(held.channel, index(text(&round["chosen"])));
        let marks: Vec<usize> = model.marks.of_level(0).collect();
        assert_eq!(marks, channels(&round["marks_after"]));
    }
}
