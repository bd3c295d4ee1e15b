//! Does a decision log give its answers again, byte for byte?

use raddle_dispatch::log::{self, Detail, LogHeader};
use raddle_dispatch::{Builder, Recipe};
use raddle_policy::CuShape;
use raddle_sim::{Outcome, SimConfig, Task, Workload, run};
use raddle_testkit::Sink;

use crate::kit::{SHAPE, at_level, in_order, kernel, options, workload};

/// Returns a run under a recipe, and its log in this detail; `around` changes the builder of the
/// dispatcher.
pub(crate) fn logged(
    workload: &Workload,
    (shape, cus): (CuShape, u16),
    recipe: &str,
    detail: Detail,
    around: impl FnOnce(Builder) -> Builder,
) -> (Outcome, String) {
    let recipe = Recipe::parse("test", recipe).expect("a recipe");
    let header = LogHeader::new(recipe, "test", shape, cus).with_detail(detail);
    let sink = Sink::default();
    let log = header.writer(Box::new(sink.clone()));
    let builder = header.recipe().builder(shape, cus).expect("it builds").log(log);
    let options = SimConfig { shape, ..options(cus) };
    let outcome =
        run(workload, &mut around(builder).build().expect("it builds"), &options, &mut |_| ());
    (outcome.expect("the two books agree"), sink.text())
}

/// Checks that the events of a log give its answers again.
pub(crate) fn check_replay(log: &str) {
    let found = log::replay(log.as_bytes()).expect("it can be read");
    assert_eq!(found.difference(), None);
    assert_eq!(found.answers() as usize, log.matches("\"answer\":").count());
    assert_eq!(found.events() as usize, log.matches("\"event\":").count());
}

fn drained(recipe: &str, detail: Detail) -> String {
    let low = at_level(5, in_order(vec![kernel(0, 40, 1, 1000), kernel(10, 7, 3, 500)]));
    let other = Task { stream: raddle_policy::StreamId(1), ..kernel(100, 5, 2, 300) };
    let high = at_level(0, vec![kernel(1500, 8, 1, 100), other]);
    logged(&workload(vec![low, high]), (SHAPE, 2), recipe, detail, |builder| builder).1
}

const DRAIN: &str = "raddle = 1\n[turn]\npolicy = \"highest-level\"\n[preempt]\npolicy = \"drain\"";

#[test]
fn equal_input_gives_equal_bytes() {
    assert_eq!(drained(DRAIN, Detail::Answers), drained(DRAIN, Detail::Answers));
}

#[test]
fn the_events_give_the_same_answers_again() {
    for policy in ["leftover", "greedy", "round-robin", "spatial", "block-warp"] {
        let recipe = format!("{DRAIN}\n[allocate]\npolicy = \"{policy}\"");
        for detail in [Detail::Answers, Detail::Full] {
            check_replay(&drained(&recipe, detail));
        }
    }
}

#[test]
fn what_was_issued_ahead_is_in_the_log_and_gives_the_same_answers_again() {
    for window in [1, 2, 8] {
        let recipe = format!("window = {window}\n{DRAIN}");
        let log = drained(&recipe, Detail::Answers);
        assert_eq!(log.matches("\"launch-issued\"").count(), 1, "the second of the chain");
        check_replay(&log);
        // Another window would give other answers: the window of the log's header is used.
        let other = log.replacen(&format!("\"window\":{window}"), "\"window\":3", 1);
        assert_eq!(log::replay(other.as_bytes()).unwrap().difference().is_some(), window == 1);
    }
}

#[test]
fn launching_beside_what_runs_is_in_the_log_too() {
    let recipe = |overlap: &str| {
        format!(
            "window = 8\n{DRAIN}\n[launch-path]\npolicy = \"condensed\"\nenqueue-ns = 70\ncleanup-ns = 5\n{overlap}"
        )
    };
    let log = drained(&recipe("overlap = true"), Detail::Answers);
    check_replay(&log);
    // Without overlap launches would start later: the setting of the log's header is used.
    let other = log.replacen("\"overlap\":true", "\"overlap\":false", 1);
    assert!(log::replay(other.as_bytes()).unwrap().difference().is_some());
}

#[test]
fn a_changed_answer_is_found_with_its_line() {
    let log = drained(DRAIN, Detail::Answers);
    let changed = log.replacen("\"how\":\"drain\"", "\"how\":\"switch\"", 1);
    let number = 1 + changed.lines().position(|line| line.contains("switch")).unwrap();
    let found = log::replay(changed.as_bytes()).unwrap();
    assert_eq!(found.difference().map(|&(line, ..)| line), Some(number));
}

#[test]
fn a_log_is_read_or_refused_with_its_line() {
    let log = drained(DRAIN, Detail::Answers);
    let refused = |log: &str| log::replay(log.as_bytes()).unwrap_err().to_string();
    // For each entry, the first line with the first words gets the second words in their place.
    for (words, others, says) in [
        ("\"event\":\"waves-ended\"", "\"event\":\"waves-endet\"", "an unknown word"),
        (
            "\"launch\":0,\"how\":\"drain\",\"done\"",
            "\"launch\":0,\"how\":\"wait\",\"done\"",
            "taken off",
        ),
    ] {
        let line = 1 + log.lines().position(|line| line.contains(words)).expect("it is there");
        let error = refused(&log.replacen(words, others, 1));
        assert!(error.contains(&format!("line {line}")) && error.contains(says), "{error}");
    }
    let cut: String = log.lines().take(9).map(|line| format!("{line}\n")).collect();
    assert!(refused(&cut).contains("breaks off"));
    assert!(refused(&log[..log.len() - 90]).contains("not whole"));
    refused("");
    refused("{\"raddle-log\":2}");
}

#[test]
fn the_log_of_a_drain_reads_like_this() {
    insta::assert_snapshot!(drained(DRAIN, Detail::Answers));
}
