//! Is the candidate the one with the best score, exactly (E9, E10, both)?

use proptest::prelude::*;
use raddle_workgroup::place::{
    Counter, History, LeastPower, Meter, Mix, MostFree, Weights, calibrate,
};

const FREE: [[u64; 4]; 3] = [[20, 10, 6, 8], [12, 12, 8, 9], [26, 6, 2, 12]];
const ISSUED: [[u64; 6]; 3] =
    [[300, 40, 20, 2, 60, 30], [100, 20, 10, 28, 40, 20], [500, 10, 5, 0, 10, 5]];

fn weights(each: &[u64]) -> Weights {
    Weights::new(each).unwrap()
}

fn most_free(each: &[u64]) -> MostFree {
    MostFree::new(weights(each))
}

fn least_power(each: &[u64]) -> LeastPower {
    LeastPower::new(weights(each))
}

struct Measured<'m>(&'m [u64]);

impl Meter for Measured<'_> {
    fn measure(&mut self, kind: usize) -> Option<u64> {
        self.0.get(kind).copied()
    }
}

#[test]
fn e9_t1_weighted_not_plain_sums() {
    let rule = most_free(&[2, 6, 1, 3]);
    assert_eq!(FREE.map(|row| rule.score(&row).unwrap()), [130, 131, 126]);
    assert_eq!(rule.pick(FREE), Ok(Some(1)));
    let plain = most_free(&[1; 4]);
    assert_eq!(FREE.map(|row| plain.score(&row).unwrap()), [44, 41, 46]);
    assert_eq!(plain.pick(FREE), Ok(Some(2)));
}

#[test]
fn e9_t2_the_largest_run_chooses_otherwise() {
    let rule = most_free(&[2, 6, 1, 3]);
    let mut free = FREE;
    free[1][1] = 5;
    assert_eq!(free.map(|row| rule.score(&row).unwrap()), [130, 89, 126]);
    assert_eq!(rule.pick(free), Ok(Some(0)));
}

#[test]
fn e9_t4_counters() {
    let mut counter = Counter::new(16);
    counter.take(5).unwrap();
    assert_eq!(counter.free(), 11);
    counter.take(3).unwrap();
    assert_eq!(counter.free(), 8);
    counter.give(5).unwrap();
    assert_eq!(counter.free(), 13);
    assert_eq!(
        counter.give(4).map_err(|error| error.to_string()),
        Err("4 given back, 3 taken: give back each once".to_owned())
    );
    assert_eq!(
        counter.take(14).map_err(|error| error.to_string()),
        Err("14 wanted, 13 free: wait for more, or take less".to_owned())
    );
    assert_eq!(counter.free(), 13);
    counter.take(13).unwrap();
    counter.give(16).unwrap();
    assert_eq!(counter, Counter::new(16));
}

#[test]
fn e9_t5_ties_and_empty_lists() {
    let rule = most_free(&[1]);
    assert_eq!(rule.pick([[7], [9], [9]]), Ok(Some(1)));
    assert_eq!(rule.pick(Vec::<Vec<u64>>::new()), Ok(None));
    let rule = least_power(&[1]);
    assert_eq!(rule.pick([[9], [7], [7]]), Ok(Some(1)));
    assert_eq!(rule.pick(Vec::<Vec<u64>>::new()), Ok(None));
    let mix = Mix::new(1, 1).unwrap();
    assert_eq!(mix.pick(&[5, 5], &[3, 3]), Ok(Some(0)));
    assert_eq!(mix.pick(&[], &[]), Ok(None));
}

#[test]
fn e9_t6_and_e10_t7_only_candidates_are_taken() {
    // The third one does not fit: it is no candidate, so the index is one of the list.
    assert_eq!(most_free(&[1; 4]).pick(&FREE[..2]), Ok(Some(0)));
    let rule = least_power(&[4, 12, 10, 64, 2, 3]);
    let idle = [0; 6];
    assert_eq!(rule.pick([ISSUED[0], ISSUED[1], idle]), Ok(Some(2)));
    assert_eq!(rule.pick(&ISSUED[..2]), Ok(Some(0)));
}

#[test]
fn e9_t7_a_dispatch_lowers_the_score_by_the_weighted_demand() {
    let rule = most_free(&[2, 6]);
    let mut counters = [Counter::new(20), Counter::new(9)];
    let score = |counters: &[Counter; 2]| rule.score(&counters.map(|c| c.free())).unwrap();
    let full = score(&counters);
    counters[0].take(5).unwrap();
    counters[1].take(2).unwrap();
    assert_eq!(full - score(&counters), 5 * 2 + 2 * 6);
    counters[0].give(5).unwrap();
    counters[1].give(2).unwrap();
    assert_eq!(score(&counters), full);
}

#[test]
fn e9_t8_weights_of_measured_power() {
    let measure = |power: &[u64]| calibrate(&mut Measured(power), power.len());
    assert_eq!(measure(&[30, 90, 15, 45]).unwrap().as_slice(), [2, 6, 1, 3]);
    let kinds = measure(&[8, 24, 20, 128, 4, 6]).unwrap();
    assert_eq!(kinds.as_slice(), [4, 12, 10, 64, 2, 3]);
    assert_eq!(measure(&[0, 7, 0]).unwrap().as_slice(), [0, 1, 0]);
    assert_eq!(measure(&[u64::MAX, u64::MAX]).unwrap().as_slice(), [1, 1]);
    assert_eq!(
        measure(&[0, 0]).map_err(|error| error.to_string()),
        Err("no weight is above 0: give at least one".to_owned())
    );
    assert_eq!(
        measure(&[]).map_err(|error| error.to_string()),
        Err("no weight is above 0: give at least one".to_owned())
    );
    let missing = calibrate(&mut Measured(&[3, 4]), 4);
    assert_eq!(
        missing.map_err(|error| error.to_string()),
        Err("the power of kind 2 could not be measured: measure again".to_owned())
    );
}

#[test]
fn e10_t1_weighted_not_plain_sums() {
    let rule = least_power(&[4, 12, 10, 64, 2, 3]);
    assert_eq!(ISSUED.map(|row| rule.score(&row).unwrap()), [2218, 2672, 2205]);
    assert_eq!(rule.pick(ISSUED), Ok(Some(2)));
    let plain = least_power(&[1; 6]);
    assert_eq!(ISSUED.map(|row| plain.score(&row).unwrap()), [452, 218, 530]);
    assert_eq!(plain.pick(ISSUED), Ok(Some(1)));
}

#[test]
fn e10_t6_an_idle_candidate_beats_every_busy_one() {
    let weights = weights(&[3, 8]);
    let mut histories = [0, 1, 2].map(|_| History::new(8, 2).unwrap());
    for cycle in 0..20 {
        histories[0].issue(cycle, &[1, 0]).unwrap();
        histories[2].issue(cycle, &[0, 1]).unwrap();
    }
    let scores = histories.each_mut().map(|history| history.power(20, &weights).unwrap());
    assert_eq!(scores, [24, 0, 64]);
    assert_eq!(least_power(&[1]).pick(scores.map(|score| [score])), Ok(Some(1)));
}

#[test]
fn both_together_take_the_one_that_neither_takes_alone() {
    let (free, power) = ([130, 131, 126], [2218, 2672, 2205]);
    assert_eq!(Mix::new(1, 1).unwrap().pick(&free, &power), Ok(Some(0)));
    assert_eq!(Mix::new(1, 0).unwrap().pick(&free, &power), Ok(Some(1)));
    assert_eq!(Mix::new(0, 1).unwrap().pick(&free, &power), Ok(Some(2)));
}

#[test]
fn the_mix_is_exact_where_products_need_192_bits() {
    let max = u64::MAX;
    let mix = Mix::new(max, max).unwrap();
    // Equal to the last bit, then one more of either.
    assert_eq!(mix.pick(&[max, max], &[max, max]), Ok(Some(0)));
    assert_eq!(mix.pick(&[max - 1, max], &[max, max]), Ok(Some(1)));
    assert_eq!(mix.pick(&[max, max], &[max, max - 1]), Ok(Some(1)));
    // One step of each, in the same proportion: a tie.
    assert_eq!(mix.pick(&[max, max - 1], &[max, max - 1]), Ok(Some(0)));
    assert_eq!(mix.pick(&[max - 1, max], &[max - 1, max]), Ok(Some(0)));
    // 2^64 - 1 is 3 times 0x5555..: a difference of 3 to 1 against shares of 1 to 3.
    let mix = Mix::new(1, 3).unwrap();
    assert_eq!(mix.pick(&[max - 3, max], &[max - 1, max]), Ok(Some(0)));
    assert_eq!(mix.pick(&[max - 4, max], &[max - 1, max]), Ok(Some(1)));
    assert_eq!(mix.pick(&[0, max], &[0, max]), Ok(Some(0)));
}

#[test]
fn maxima_of_0_count_as_1() {
    let mix = Mix::new(2, 3).unwrap();
    assert_eq!(mix.pick(&[1, 2], &[0, 0]), Ok(Some(1)));
    assert_eq!(mix.pick(&[0, 0], &[2, 1]), Ok(Some(1)));
    assert_eq!(mix.pick(&[0, 0], &[0, 0]), Ok(Some(0)));
}

#[test]
fn refusals() {
    for each in [&[][..], &[0, 0]] {
        assert_eq!(
            Weights::new(each).map_err(|error| error.to_string()),
            Err("no weight is above 0: give at least one".to_owned())
        );
    }
    let rule = most_free(&[1, 2]);
    let rows = [vec![1, 2], vec![1]];
    assert_eq!(
        rule.pick(rows).map_err(|error| error.to_string()),
        Err("row 1 has 1 amounts, 2 are wanted: one a weight".to_owned())
    );
    assert_eq!(rule.pick([[u64::MAX, 0]]), Ok(Some(0)));
    assert_eq!(
        rule.pick([[0, 0], [u64::MAX, 1]]).map_err(|error| error.to_string()),
        Err("the score of row 1 is beyond 64 bits: give smaller weights".to_owned())
    );
    assert_eq!(least_power(&[0, 1]).score(&[u64::MAX, u64::MAX]), Ok(u64::MAX));
    assert_eq!(
        least_power(&[u64::MAX, 1]).score(&[2, 0]).map_err(|error| error.to_string()),
        Err("the score of row 0 is beyond 64 bits: give smaller weights".to_owned())
    );
    assert_eq!(
        Mix::new(0, 0).map_err(|error| error.to_string()),
        Err("both shares of a mix are 0: give at least one".to_owned())
    );
    let count =
        "1 rows of free amounts and 2 of instruction counts: one each a candidate".to_owned();
    assert_eq!(
        Mix::new(1, 1).unwrap().pick(&[1], &[1, 2]).map_err(|error| error.to_string()),
        Err(count.clone())
    );
}

/// Chooses a compute unit by the formula of the mix itself, in 128 bits, for numbers of at most 40
/// bits.
fn naive_mix(a: u64, b: u64, free: &[u64], power: &[u64]) -> Option<usize> {
    let max = |scores: &[u64]| i128::from(scores.iter().copied().max().unwrap_or(0).max(1));
    let value = |row: &usize| {
        i128::from(a) * i128::from(free[*row]) * max(power)
            - i128::from(b) * i128::from(power[*row]) * max(free)
    };
    (0..free.len()).rev().max_by_key(value)
}

proptest! {
    #[test]
    fn e9_t3_and_e10_t5_scaling_all_weights_changes_no_choice(
        each in prop::collection::vec(0_u64..9, 3),
        rows in prop::collection::vec(prop::collection::vec(0_u64..9, 3), 0..6),
        by in 1_u64..1_000,
    ) {
        prop_assume!(each.iter().any(|&weight| weight > 0));
        let scaled: Vec<u64> = each.iter().map(|weight| weight * by).collect();
        let (most, least) = (most_free(&each), least_power(&each));
        prop_assert_eq!(most.pick(&rows), most_free(&scaled).pick(&rows));
        prop_assert_eq!(least.pick(&rows), least_power(&scaled).pick(&rows));
        // The one taken is the first of the best.
        let scores: Vec<u64> = rows.iter().map(|row| most.score(row).unwrap()).collect();
        let first = |best: Option<&u64>| scores.iter().position(|score| Some(score) == best);
        prop_assert_eq!(most.pick(&rows), Ok(first(scores.iter().max())));
        prop_assert_eq!(least.pick(&rows), Ok(first(scores.iter().min())));
    }

    #[test]
    fn the_mix_is_its_formula(
        a in 0_u64..1 << 40, b in 0_u64..1 << 40,
        rows in prop::collection::vec((0_u64..1 << 40, 0_u64..1 << 40), 0..6),
        small in prop::collection::vec((0_u64..4, 0_u64..4), 0..6),
    ) {
        for (a, b, rows) in [(a, b, rows), (a % 4, b % 4, small)] {
            prop_assume!(a > 0 || b > 0);
            let (free, power): (Vec<u64>, Vec<u64>) = rows.into_iter().unzip();
            let pick = Mix::new(a, b).unwrap().pick(&free, &power);
            prop_assert_eq!(pick, Ok(naive_mix(a, b, &free, &power)));
        }
    }

    #[test]
    fn the_mix_of_any_numbers_scaled_down_by_shares_alone_is_the_same(
        rows in prop::collection::vec((any::<u64>(), any::<u64>()), 1..6), by in 1_u64..=u64::MAX / 9,
    ) {
        let (free, power): (Vec<u64>, Vec<u64>) = rows.into_iter().unzip();
        let pick = |a, b| Mix::new(a, b).unwrap().pick(&free, &power).unwrap();
        prop_assert_eq!(pick(2, 9), pick(2 * by, 9 * by));
        prop_assert_eq!(pick(5, 0), most_free(&[1]).pick(free.iter().map(|&score| [score])).unwrap());
        prop_assert_eq!(pick(0, 5), least_power(&[1]).pick(power.iter().map(|&score| [score])).unwrap());
    }

    #[test]
    fn calibrated_weights_keep_the_proportion(power in prop::collection::vec(0_u64..=1 << 40, 1..7)) {
        prop_assume!(power.iter().any(|&power| power > 0));
        let weights = calibrate(&mut Measured(&power), power.len()).unwrap();
        let each = weights.as_slice();
        for i in 0..power.len() {
            for j in 0..power.len() {
                let product = |weight: u64, power: u64| u128::from(weight) * u128::from(power);
                prop_assert_eq!(product(each[i], power[j]), product(each[j], power[i]));
            }
        }
        let least = each.iter().copied().filter(|&weight| weight > 0).min().unwrap();
        for divisor in 2..=least.min(100) {
            prop_assert!(each.iter().any(|weight| weight % divisor != 0), "{} divides all", divisor);
        }
    }
}
