//! Are the worked examples of the spec reproduced, each value of them?
//!
//! They lie in `fixtures/vectors` of raddle-testkit. Levels,
//! channels and candidates count from 1 there where they have numbers of their own.

use raddle_workgroup::balance::{Kind, Pointer, Table};
use raddle_workgroup::order::{Lowest, Marks, Order, Windows};
use raddle_workgroup::place::{
    Counter, History, LeastPower, Meter, Mix, MostFree, Weights, calibrate,
};
use raddle_workgroup::split::{Failures, Outcome, Step, Workgroup, split};
use serde_json::Value;

fn vectors() -> Value {
    raddle_testkit::vectors("vectors000.json")
}

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

/// Returns the number in the name of a channel (`ch`) or compute unit (`AP`) of a worked example.
fn index(name: &str) -> usize {
    name.trim_start_matches(char::is_alphabetic).parse().expect("a number")
}

fn channels(value: &Value) -> Vec<usize> {
    list(value).iter().map(|name| index(text(name))).collect()
}

#[test]
fn e1_a42() {
    let all = vectors();
    let mut marks = Marks::new(1, 3).unwrap();
    for round in list(&all["E1_a42_constant_tie_lowest_channel_first"]["rounds"]) {
        let chosen = marks.choose(0, &[0, 1, 2], &mut Lowest).unwrap();
        assert_eq!(chosen, Some(index(text(&round["chosen"]))));
        assert!(marks.of_level(0).eq(channels(&round["marks_after"])));
    }
    let mut marks = Marks::new(1, 3).unwrap();
    for round in list(&all["E1_a42_changing_tie"]["rounds"]) {
        let chosen = marks.choose(0, &channels(&round["tied"]), &mut Lowest).unwrap();
        assert_eq!(chosen, Some(index(text(&round["chosen"]))));
        assert!(marks.of_level(0).eq(channels(&round["marks_after"])));
    }
    let case = &all["E1_a42_clear_scope_diverges"];
    let mut marks = Marks::new(1, 3).unwrap();
    (0..3).for_each(|channel| marks.set(0, channel, true).unwrap());
    let chosen = list(&case["ties"]).iter();
    let chosen = chosen.map(|tied| marks.choose(0, &channels(tied), &mut Lowest).unwrap().unwrap());
    assert!(chosen.eq(channels(&case["chosen_by_scope"]["tied_set_only"])));
}

#[test]
fn e2() {
    let all = vectors();
    let case = &all["E2_windows"];
    let windows = Windows::new(&numbers(&case["windows"])).unwrap();
    let total = number(&case["total"]);
    for (counter, order) in case["order_at_counter"].as_object().unwrap() {
        let now = windows.order(counter.parse().unwrap()).map(|level| level as u64 + 1);
        assert!(now.eq(numbers(order)), "{counter}");
    }
    for (level, length) in case["cycles_on_top_per_revolution"].as_object().unwrap() {
        let on_top = (0..total).filter(|&now| windows.top(now) + 1 == index(level)).count();
        assert_eq!(on_top as u64, number(length));
    }
    let case = &all["E2_pick"];
    let windows = Windows::new(&numbers(&case["windows"])).unwrap();
    let heads = case["candidates"].as_object().unwrap().iter();
    let heads: Vec<(usize, usize)> =
        heads.map(|(channel, level)| (index(channel), number(level) as usize - 1)).collect();
    for (counter, channel) in case["chosen"].as_object().unwrap() {
        let mut tied = Vec::new();
        windows.best(heads.iter().copied(), counter.parse().unwrap(), &mut tied).unwrap();
        assert_eq!(tied, [index(text(channel))]);
    }
}

#[test]
fn e3() {
    let all = vectors();
    let case = &all["E3_counter"];
    for rounds in ["threshold_3_all_fail", "mixed_FFSFF_threshold_3_reset_on_success"] {
        let mut failures = Failures::new(3);
        for round in list(&case[rounds]) {
            let outcome = if round[0] == "F" { Outcome::Fail } else { Outcome::Fit };
            let (count, step) = failures.round(outcome);
            let step = match step {
                Step::Retry => "retry",
                Step::Split => "split",
                Step::Dispatch => "dispatch",
            };
            assert_eq!((count, step), (number(&round[1]), text(&round[2])));
        }
    }
    let mut failures = Failures::new(256);
    let first = (1..).find(|_| failures.round(Outcome::Fail).1 == Step::Split);
    assert_eq!(first, Some(number(&case["threshold_256_first_split_at_failure"])));

    let (before, after) = (&all["E3_split"]["before"], list(&all["E3_split"]["after"]));
    let workgroup = Workgroup {
        level: number(&before["priority"]) as usize - 1,
        independent: before["independent"] == 1,
        waves: list(&before["waves"]),
        shared: &(),
    };
    let parts = split(workgroup, 3).unwrap().unwrap();
    assert_eq!(parts.len(), after.len());
    for (part, after) in parts.zip(after) {
        assert_eq!(part.level as u64 + 1, number(&after["priority"]));
        assert_eq!(std::slice::from_ref(part.wave), list(&after["waves"]));
    }
}

#[test]
fn e8_tables() {
    let all = vectors();
    for (name, units, limit) in [("E8_table_q4_L4", 4, 4), ("E8_table_q3_L2", 3, 2)] {
        let table = Table::new(units, limit).unwrap();
        let rows = all[name].as_object().unwrap();
        assert_eq!(rows.len() as u64, table.most());
        for (waves, row) in rows {
            assert!(table.row(waves.parse().unwrap()).unwrap().eq(numbers(row)));
        }
    }
    let case = &all["E8_rotate_example"];
    let table = Table::new(4, 4).unwrap();
    let waves = numbers(&case["initial"]).iter().sum();
    for (by, row) in case["rotated"].as_object().unwrap() {
        let by = by.parse().unwrap();
        assert!(table.turned(waves, by).unwrap().eq(numbers(row)));
    }
}

#[test]
fn e8_pointers() {
    let all = vectors();
    let table = Table::new(4, 4).unwrap();
    for (name, kind) in
        [("E8_tail_recommended_q4", Kind::Tail), ("E8_head_recommended_q4", Kind::Head)]
    {
        let mut pointer = Pointer::new(table, kind, 0).unwrap();
        let mut totals = vec![0; 4];
        for round in list(&all[name]["rounds"]) {
            assert_eq!(u64::from(pointer.at()), number(&round["pointer_before"]));
            assert_eq!(u64::from(pointer.turn()), number(&round["su"]));
            let target = pointer.target(number(&round["task_count"])).unwrap();
            assert!(target.entries().eq(numbers(&round["target"])));
            totals.iter_mut().zip(target.entries()).for_each(|(total, entry)| *total += entry);
            pointer.dispatch(target).unwrap();
            assert_eq!(u64::from(pointer.at()), number(&round["pointer_after"]));
            assert_eq!(totals, numbers(&round["cumulative"]));
        }
    }
    // With the surplus on the last ones the targets are the same as ours.
    let mut pointer = Pointer::new(table, Kind::Tail, 0).unwrap();
    for round in list(&all["E8_surplus_on_last_ids_q4"]["rounds"]) {
        let target = pointer.target(number(&round["task_count"])).unwrap();
        assert!(target.entries().eq(numbers(&round["target"])));
        pointer.dispatch(target).unwrap();
    }
    let mut pointers = [0, 1].map(|_| Pointer::new(table, Kind::Tail, 0).unwrap());
    for round in list(&all["E8_h5_only_selected_module_moves_q4_tail"]) {
        let waves = number(&round["task_count"]);
        for (unit, target) in round["tested_targets"].as_object().unwrap() {
            let entries = pointers[index(unit)].target(waves).unwrap().entries();
            assert!(entries.eq(numbers(target)));
        }
        if let Some(selected) = round["selected"].as_str() {
            let pointer = &mut pointers[index(selected)];
            let target = pointer.target(waves).unwrap();
            pointer.dispatch(target).unwrap();
        }
        for (unit, after) in round["pointers_after"].as_object().unwrap() {
            assert_eq!(u64::from(pointers[index(unit)].at()), number(after));
        }
    }
}

struct Measured(Vec<u64>);

impl Meter for Measured {
    fn measure(&mut self, kind: usize) -> Option<u64> {
        self.0.get(kind).copied()
    }
}

fn rows(value: &Value) -> Vec<Vec<u64>> {
    list(value).iter().map(numbers).collect()
}

/// Returns the index of the compute unit that a worked example, which counts from 1, expects to be
/// chosen; never `None` or an error, so that it compares with answers.
fn chosen(case: &Value) -> Result<Option<usize>, raddle_workgroup::Error> {
    Ok(Some(number(&case["chosen_f_1based"]) as usize - 1))
}

#[test]
fn e9() {
    let all = vectors();
    let case = &all["E9"];
    let mut power = Measured(numbers(&case["power_AX"]));
    let weights = calibrate(&mut power, 4).unwrap();
    assert_eq!(weights.as_slice(), numbers(&case["weights_A"]));
    let rule = MostFree::new(weights);
    let scores = |rows: &[Vec<u64>]| -> Vec<u64> {
        rows.iter().map(|row| rule.score(row).unwrap()).collect()
    };
    let free = rows(&case["remaining_R_per_candidate"]);
    assert_eq!(scores(&free), numbers(&case["TA"]));
    assert_eq!(rule.pick(&free), chosen(case));
    let case = &all["E9_counter_vs_contiguous"];
    let free = rows(&case["remaining_with_vgpr_contiguous"]);
    assert_eq!(scores(&free), numbers(&case["TA"]));
    assert_eq!(rule.pick(&free), chosen(case));
    let (case, plain) = (&all["E9_tie"], MostFree::new(Weights::new(&[1]).unwrap()));
    assert_eq!(plain.pick(numbers(&case["TA"]).iter().map(|&score| [score])), chosen(case));
    let case = &all["E9_counter_life"];
    let mut counter = Counter::new(number(&case["total"]));
    let mut values = vec![counter.free()];
    for event in list(&case["events"]) {
        let (what, amount) = text(event).split_once(' ').unwrap();
        let amount = amount.parse().unwrap();
        if what == "alloc" { counter.take(amount) } else { counter.give(amount) }.unwrap();
        values.push(counter.free());
    }
    assert_eq!(values, numbers(&case["values"]));
}

#[test]
fn e10() {
    let all = vectors();
    let case = &all["E10"];
    let mut power = Measured(numbers(&case["power_BX"]));
    let weights = calibrate(&mut power, 6).unwrap();
    assert_eq!(weights.as_slice(), numbers(&case["weights_B"]));
    let rule = LeastPower::new(weights);
    let issued = rows(&case["counts_C_in_NX"]);
    let scores: Vec<u64> = issued.iter().map(|row| rule.score(row).unwrap()).collect();
    assert_eq!(scores, numbers(&case["TB"]));
    assert_eq!(rule.pick(&issued), chosen(case));

    let mix = &all["E9_plus_E10_combined_INFERRED"];
    let pick = Mix::new(1, 1).unwrap().pick(&numbers(&all["E9"]["TA"]), &scores);
    assert_eq!(pick, chosen(mix));

    let weights = Weights::new(&[2, 5]).unwrap();
    let mut history = History::new(4, 2).unwrap();
    for (cycle, round) in (0..).zip(list(&all["E10_window_NX4_weights_2_5"])) {
        history.issue(cycle, &numbers(&round["issued"])).unwrap();
        let counts = history.counts(cycle + 1).unwrap();
        assert!(counts.iter().copied().eq(numbers(&round["C"]).into_iter().map(u128::from)));
        assert_eq!(history.power(cycle + 1, &weights), Ok(number(&round["TB"])));
    }
}
