//! Are the worked examples of the spec reproduced, each value of them?
//!
//! The vectors lie in `fixtures/vectors` of raddle-testkit. The tables
//! of `laws_*` hold the same cases; here nothing of the file is left out.

use raddle_bitmap::circuit::{
    FullTrace, GroupedTrace, Masks, PeriodTrace, SampledTrace, Setup, Shift,
};
use raddle_bitmap::{FreeMap, Grouped, Kind, Layout, Polarity, Sampled, Search, Shared};
use serde_json::Value;

use crate::{laws_shared, map, misreadings};

fn vectors() -> Value {
    raddle_testkit::vectors("vectors000.json")
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a string")
}

fn number(value: &Value) -> u32 {
    value.as_u64().expect("a number") as u32
}

fn numbers(value: &Value) -> Vec<u32> {
    value.as_array().expect("a list").iter().map(number).collect()
}

fn texts(value: &Value) -> Vec<&str> {
    value.as_array().expect("a list").iter().map(text).collect()
}

fn list(value: &Value) -> &[Value] {
    let list = value.as_array().expect("a list");
    assert!(!list.is_empty());
    list
}

/// Form of the search circuit that the file of test vectors names first: 1 is a free block, and
/// sequences shift to the left. `right_1` is the file's other form.
const LEFT_0: Setup = Setup::ALL[0];

fn right_1() -> Setup {
    Setup { polarity: Polarity::FreeIsZero, shift: Shift::Right }
}

#[test]
fn e4() {
    let all = vectors();
    for case in list(&all["E4"]) {
        let map = map(text(&case["free_map"]));
        let longest = number(&case["answer"]);
        assert_eq!(map.longest(), longest);
        let runs = map.runs().filter(|&(_, len)| len == longest);
        let starts: Vec<u32> = runs.map(|(start, _)| start).collect();
        assert_eq!(starts, numbers(&case["run_starts_0based"]));
        let left = FullTrace::new(map.view(), LEFT_0).unwrap();
        assert_eq!((left.sar().to_string().as_str(), left.answer()), (text(&case["sar"]), longest));
        let other = &case["same_with_occupied_1_right"];
        let input = FreeMap::from_digits(text(&other["input"]), Polarity::FreeIsZero).unwrap();
        assert_eq!(input, map);
        let right = FullTrace::new(map.view(), right_1()).unwrap();
        assert_eq!(right.sar().to_string(), text(&other["sar"]));
        assert_eq!(right.answer(), number(&other["answer"]));
        assert_eq!(misreadings::pairs(&map), number(&case["pairwise_misreading_answer"]));
        assert_eq!(misreadings::rotated(&map), number(&case["rotate_misreading_answer"]));
    }
    for (name, setup) in [
        ("E4_full_trace_01101110_left_occupied0", LEFT_0),
        ("E4_full_trace_same_map_right_occupied1", right_1()),
    ] {
        let (case, trace) = (&all[name], FullTrace::new(map("01101110").view(), setup).unwrap());
        assert!(trace.s().iter().map(ToString::to_string).eq(texts(&case["S"])));
        assert!(trace.sa().iter().map(ToString::to_string).eq(texts(&case["SA"])));
        assert_eq!(trace.sar().to_string(), text(&case["sar"]));
        assert_eq!(trace.answer(), number(&case["answer"]));
    }
    let traces = crate::every_map(4).map(|map| FullTrace::new(map.view(), LEFT_0).unwrap());
    let met = traces.map(|trace| (trace.sar().to_string(), trace.answer()));
    let met: std::collections::BTreeMap<String, u32> = met.collect();
    let case = all["E4_table_N4"].as_object().unwrap();
    assert!(case.iter().map(|(key, answer)| (key.clone(), number(answer))).eq(met));
    let case = &all["E4_and_example_of_text"];
    let digits = text(&case["a"]).chars().zip(text(&case["b"]).chars());
    let both: String = digits.map(|(a, b)| if a == '1' && b == '1' { '1' } else { '0' }).collect();
    assert_eq!(both, text(&case["a_and_b"]));
}

#[test]
fn e5() {
    let all = vectors();
    for case in list(&all["E5"]) {
        let map = map(text(&case["free_map"]));
        let search = Grouped::new(number(&case["N"]), number(&case["Z"])).unwrap();
        assert_eq!(search.longest(map.view()), Ok(number(&case["answer"])));
        assert_eq!(map.longest(), number(&case["exact"]));
        let left = GroupedTrace::new(map.view(), &search, LEFT_0).unwrap();
        assert_eq!(left.f()[0].to_string(), text(&case["F0"]));
        assert_eq!(left.far().to_string(), text(&case["far"]));
        assert_eq!(left.answer(), number(&case["answer"]));
        assert_eq!(left.answer() / search.size(), number(&case["j_prime"]));
        let right = GroupedTrace::new(map.view(), &search, right_1()).unwrap();
        assert_eq!(right.answer(), number(&case["occupied_1_answer"]));
    }
}

#[test]
fn e6() {
    let all = vectors();
    for case in list(&all["E6"]) {
        let map = map(text(&case["free_map"]));
        let k = numbers(&case["K"]);
        let search = Sampled::new(map.blocks(), &k).unwrap();
        let answer = number(&case["answer"]);
        assert_eq!(
            (search.longest(map.view()), map.longest()),
            (Ok(answer), number(&case["exact"]))
        );
        let left = SampledTrace::new(map.view(), &search, LEFT_0).unwrap();
        assert_eq!((left.sar().to_string().as_str(), left.answer()), (text(&case["sark"]), answer));
        let right = SampledTrace::new(map.view(), &search, right_1()).unwrap();
        assert_eq!(right.answer(), number(&case["occupied_1_answer"]));
        let misread = misreadings::sampled_only(&map, &k);
        assert_eq!(misread, number(&case["only_sampled_misreading_answer"]));
    }
    let case = &all["E6_sample_N128"];
    let steps = Sampled::steps(128).unwrap();
    assert!(steps.k().eq(numbers(&case["K"])));
    assert_eq!(steps.amounts(), numbers(&case["answers"]));
    assert_eq!(steps.amounts().len() as u32, number(&case["W"]));
    for (run, answer) in case["by_run_length"].as_object().unwrap() {
        assert_eq!(steps.round_down(run.parse().unwrap()), number(answer));
    }
    assert_eq!(steps.round_down(128), number(&case["run_128"]));
    let case = &all["E6_primes_N16"];
    let primes = numbers(&case["primes"]);
    let literal = Sampled::new(16, &numbers(&case["literal_k_not_prime"])).unwrap();
    assert_eq!(literal.amounts(), numbers(&case["literal_answers"]));
    let counted = Sampled::excluding(16, |amount| primes.contains(&amount)).unwrap();
    assert!(counted.k().eq(numbers(&case["count_reading_k_plus_1_not_prime"])));
    assert_eq!(counted.amounts(), numbers(&case["count_reading_answers"]));
    assert_eq!(Sampled::without_primes(16), Ok(counted));
    let case = &all["E6_k0_not_zero"];
    let search = Sampled::new(16, &numbers(&case["K"])).unwrap();
    for case in [case, &case["below_first_sample"]] {
        let map = map(text(&case["sequence"]));
        let trace = SampledTrace::new(map.view(), &search, LEFT_0).unwrap();
        assert_eq!(trace.sar().to_string(), text(&case["sark"]));
        assert_eq!(trace.answer(), number(&case["answer"]));
    }
}

#[test]
fn e7_small() {
    let all = vectors();
    for case in list(&all["E7_small"]) {
        let maps: Vec<FreeMap> = texts(&case["groups"]).into_iter().map(map).collect();
        let maps = [&maps[0], &maps[1]];
        let widths = numbers(&case["slot_widths"]);
        let slots = [widths[0], widths[1]];
        let search = laws_shared::finder(maps, slots);
        assert_eq!(search.width(), number(&case["E"]));
        let answers = numbers(&case["answers"]);
        let views = maps.map(FreeMap::view);
        assert_eq!(search.find(0, &views), Ok(answers.clone()));
        let left = PeriodTrace::new(&search, 0, &views, LEFT_0, Masks::All).unwrap();
        assert_eq!(left.d()[0].to_string(), text(&case["D0"]));
        assert!(left.dqr().iter().map(ToString::to_string).eq(texts(&case["dqr"])));
        assert_eq!(left.answers(), answers);
        let right = PeriodTrace::new(&search, 0, &views, right_1(), Masks::All).unwrap();
        assert_eq!(right.answers(), numbers(&case["occupied_1_answers"]));
        let without = laws_shared::unmasked(text(&case["D0"]), slots);
        assert_eq!(without.to_vec(), numbers(&case["answers_without_masks_WRONG"]));
    }
    let case = &all["E7_padding_g3433"];
    let width = number(&case["E"]);
    let narrow = map("0110");
    assert_eq!(
        FullTrace::new(narrow.view(), right_1()).unwrap().sar().to_string(),
        text(&case["dqr"])
    );
    let kinds = [[Kind { id: 0, blocks: narrow.blocks() }]];
    let search = Shared::new(width, width, &kinds, &Layout::Packed).unwrap();
    let trace = PeriodTrace::new(&search, 0, &[narrow.view()], right_1(), Masks::All).unwrap();
    assert_eq!(trace.dqr()[0].to_string(), text(&case["pad_with_0"]));
    assert_eq!(trace.answers(), [number(&case["answer_pad_0"])]);
}

/// Checks the seed's example with type 1 in one period and types 2 and 3 in the next: the low half
/// holds type 2, and the leftmost digit is the highest bit, so type 3 stands first.
#[test]
fn e7_example() {
    let all = vectors();
    let case = &all["E7_example_128_64_48"];
    let state = |name: &str| map(text(&case["states"][name]));
    let maps = ["R1", "R2", "R3"].map(state);
    let kind = |n: usize| Kind { id: n as u32, blocks: maps[n - 1].blocks() };
    let width = number(&case["E"]);
    let answers = ["R1", "R2", "R3"].map(|name| number(&case["answers"][name]));
    for periods in
        [[vec![kind(1)], vec![kind(2), kind(3)]], [vec![kind(1)], vec![kind(3), kind(2)]]]
    {
        let bound = number(&case["A"]);
        let search = Shared::new(width, bound, &periods, &Layout::Halves).unwrap();
        assert_eq!(search.periods(), list(&case["schedule"]).len());
        for found in search.round(|kind| maps[kind.id as usize - 1].view()).unwrap() {
            assert_eq!(found.longest(), answers[found.kind() as usize - 1]);
        }
        let blocks: u32 = search.slots(1).iter().map(|slot| slot.kind().blocks).sum();
        assert_eq!(blocks, number(&case["period2_blocks"]));
        for (period, traced) in list(&case["trace"]).iter().enumerate() {
            assert_eq!(number(&traced["period"]), period as u32 + 1);
            let widths: Vec<u32> = search.slots(period).iter().map(|slot| slot.width()).collect();
            assert_eq!(widths, numbers(&traced["slots"]));
        }
    }
    let exact = &all["E7_example_bit_exact_right_shift"];
    let setup = Setup { shift: Shift::Right, ..Setup::default() };
    let periods = [vec![kind(1)], vec![kind(3), kind(2)]];
    let search = Shared::new(width, width, &periods, &Layout::Halves).unwrap();
    let one = PeriodTrace::new(&search, 0, &[maps[0].view()], setup, Masks::All).unwrap();
    assert_eq!(one.reduced(0, 64).to_string(), text(&exact["period1"]["S_H"]));
    assert_eq!(one.reduced(64, 128).to_string(), text(&exact["period1"]["S_L"]));
    assert_eq!(one.answers(), [number(&exact["period1"]["answer"])]);
    let views = [maps[2].view(), maps[1].view()];
    let two = PeriodTrace::new(&search, 1, &views, setup, Masks::All).unwrap();
    assert_eq!(two.dqr()[0].to_string(), text(&exact["period2"]["S_H"]));
    assert_eq!(two.dqr()[1].to_string(), text(&exact["period2"]["S_L"]));
    let found = ["answer_R3", "answer_R2"].map(|name| number(&exact["period2"][name]));
    assert_eq!(two.answers(), found);
}

/// Checks the masks that the seed gives for the borders between maps, as words of 128 bits; bit 0
/// is the lowest and so the rightmost digit.
#[test]
fn e7_masks() {
    let all = vectors();
    let case = &all["E7_masks_128"];
    let word = |name: &str| u128::from_str_radix(text(&case[name]), 16).unwrap();
    assert_eq!(word("m_0"), !1);
    assert_eq!(word("m_0_1"), !3);
    let kind = |id| Kind { id, blocks: 64 };
    let search = Shared::new(128, 128, &[[kind(3), kind(2)]], &Layout::Halves).unwrap();
    let full = FreeMap::new(64).unwrap();
    let setup = Setup { shift: Shift::Right, ..Setup::default() };
    let views = [full.view(), full.view()];
    let trace = PeriodTrace::new(&search, 0, &views, setup, Masks::All).unwrap();
    for (by, name) in [
        (1, "right_shift_by_1_low_half"),
        (2, "right_shift_by_2_low_half"),
        (64, "right_shift_by_64_or_more_low_half"),
        (100, "right_shift_by_64_or_more_low_half"),
    ] {
        let made = trace.d()[by].iter().fold(0_u128, |word, digit| word << 1 | u128::from(digit));
        // Places that the shift itself vacates need no mask.
        let vacated = u128::MAX << (128 - by);
        assert_eq!(made | vacated, word(name) | vacated, "{name}");
    }
}
