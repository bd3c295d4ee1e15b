//! Does `golden match` answer what the policy does and its twin finds right, over all keys of a recipe?
//!
//! A policy runs on a small device with its log. The twin checks the log. Beside it the state of the
//! device is kept in plain lists by what the log says, and each answer of the log is asked for as one
//! question: its marks, pointers, failures and activity come from the answers before.

use raddle_dispatch::log::Detail;
use raddle_golden::{answer_all, topic};
use raddle_policy::CuShape;
use serde_json::Value;

use crate::kit::{Draws, agrees, log, shape};
use crate::state::State;

/// Most answers of a log that are asked of the golden model. All 60 logs in full have 117,000.
const MOST: u64 = 120;

/// Answers one question by the golden model of the matching.
pub(crate) fn golden(question: &Value) -> Value {
    let (line, mut answer) = (format!("{question}\n"), Vec::new());
    let topic = topic("match").expect("a topic");
    answer_all(topic, &mut line.as_bytes(), &mut answer).expect("a list takes everything");
    let answer: Value = serde_json::from_slice(&answer).expect("an answer is JSON");
    assert!(answer.get("error").is_none(), "{answer} for {question}");
    answer
}

/// Draws one of these texts.
fn one<'t>(draws: &mut Draws, of: &[&'t str]) -> &'t str {
    of[draws.below(of.len() as u64) as usize]
}

/// Draws settings of `matching` with random values for all keys, and a device that they suit.
fn settings(draws: &mut Draws) -> (String, (CuShape, u16)) {
    let with_sgpr = CuShape { sgpr: 40, ..shape(2, 65) };
    let devices = [(shape(2, 63), 3), (shape(4, 64), 2), (shape(1, 128), 4), (with_sgpr, 3)];
    let device = devices[draws.below(4) as usize];
    let (even, scalar) = (device.0.vgpr_per_simd % 4 == 0, device.0.sgpr != u16::MAX);
    let mut keys = Vec::new();
    let search = match draws.below(8) {
        0 if even => "{ grouped = { size = 4 } }",
        1 => "{ grouped = { size = { lds = 4 } } }",
        2 => "{ grouped = { groups = { lds = 6 } } }",
        3 => one(draws, &["{ sampled = {} }", "{ sampled = { excluding = [3, 4] } }"]),
        4 => "{ sampled = { amounts = { lds = [1, 2, 5, 8, 11, 16, 24] } } }",
        5 => "{ sampled = { excluding = \"primes\" } }",
        6 | 7 => one(draws, &["{ shared = { width = 128 } }", "{ shared = { width = 200 } }"]),
        _ => "\"full\"",
    };
    keys.push(format!("search = {search}"));
    let fit = one(draws, &["first", "best", "worst", "next"]);
    let balance = one(draws, &["tail", "tail", "fixed"]);
    keys.push(format!("fit = \"{fit}\"\nbalance = \"{balance}\""));
    let order = ["\"static\"", "{ windows = { windows-ns = [500, 300, 100] } }"];
    keys.push(format!("order = {}", one(draws, &order)));
    let pick = ["\"lowest\"", "{ seeded = { seed = 7 } }"];
    keys.push(format!("pick = {}", one(draws, &pick)));
    let power = "{ weights = [1, 2, 4, 4, 8, 1], history-log2 = 9, ahead = true }";
    let recent = "{ weights = [1, 1, 4, 4, 8, 1], history-ticks = 700 }";
    let free = "{ waves = 1, vgpr = 3, lds = 2, amounts = \"longest-run\" }";
    let place = match draws.below(8) {
        0 => "\"round-robin\"".to_owned(),
        1 => "\"most-waves\"".to_owned(),
        2 => "{ most-free = { waves = 1, vgpr = 3, lds = 2 } }".to_owned(),
        3 => format!("{{ most-free = {free} }}"),
        4 => format!("{{ least-power = {power} }}"),
        5 => format!("{{ least-power = {recent} }}"),
        6 => format!("{{ mix = {{ free = {free}, power = {recent}, shares = [2, 1] }} }}"),
        _ => "\"lowest-index\"".to_owned(),
    };
    keys.push(format!("place = {place}"));
    if draws.below(3) == 0 {
        keys.push(format!("channels = {}", 1 + draws.below(3)));
    }
    if draws.below(3) == 0 {
        let retry = one(draws, &["retry-ns = 90", "retry-ns = 10", "retry-us = 1"]);
        keys.push(format!("split = {{ threshold = {}, {retry} }}", draws.below(4)));
    }
    let reused = search.contains("size = 4 }") && even && !scalar;
    match draws.below(4) {
        0 => keys.push("decision = { timing = \"one-clock\", clock-mhz = 90 }".to_owned()),
        1 if reused => keys.push("decision = { timing = \"reused\", clock-mhz = 300 }".to_owned()),
        1 => keys.push("decision = { timing = \"three-clocks\", clock-mhz = 1700 }".to_owned()),
        _ => {}
    }
    (keys.join("\n"), device)
}

#[test]
fn every_answer_of_a_log_is_that_of_one_question() {
    let (mut starts, mut waits, mut cuts, mut rounds) = (0, 0, 0, 0);
    for seed in 0..60 {
        let mut draws = Draws(900 + seed);
        let (settings, device) = settings(&mut draws);
        let recipe = format!(
            "[allocate]\npolicy = \"matching\"\n{settings}\n[turn]\npolicy = \"everyone\"\n\
             [preempt]\npolicy = \"never\"\n[launch-path]\npolicy = \"ordinary\"\npacket-ns = 0\n"
        );
        let of = format!("seed {seed} {device:?}\n{settings}");
        let log = log(&recipe, device, seed, Detail::Full);
        agrees(&log, &of);
        let state = State::follow(&log, &of, MOST);
        starts += state.starts;
        waits += state.waits;
        cuts += state.cuts;
        rounds += state.rounds;
    }
    let asked = (starts, waits, cuts, rounds);
    assert!(starts > 3_000 && waits > 300 && cuts > 10 && rounds > 100, "{asked:?}");
}
