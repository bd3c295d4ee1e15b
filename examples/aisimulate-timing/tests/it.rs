//! Does a simulator get the step times that were swept, and a refusal for every other?

use std::process::Command;

use aisimulate_core::TimingModel;
use aisimulate_timing::{CoRunTable, StepTiming};
use serde_json::{Value, json};

const CO_RUN: &str = include_str!("../data/co-run.jsonl");

fn row(load: f64, median: u64) -> Value {
    json!({
        "case": format!("load={load}/s recipe=mps seed=0"), "load": load, "recipe": "mps", "serve.alone-ns": 5,
        "serve.p50-ns": median, "serve.p99-ns": 90, "serve.requests": 7, "serve.requests-ended": 7,
    })
}

fn table(rows: &[Value]) -> anyhow::Result<CoRunTable> {
    let lines: Vec<String> = rows.iter().map(Value::to_string).collect();
    CoRunTable::from_lines(&lines.join("\n"), "serve")
}

/// Returns the error for a table of one row in which the key `key` has the value `value`.
fn refusal(key: &str, value: Value) -> String {
    let mut changed = row(10.0, 8);
    changed[key] = value;
    format!("{:#}", table(&[changed]).unwrap_err())
}

#[test]
fn load_between_two_rows_takes_the_row_above() {
    // The rows of a sweep are sorted by case, thus not by load.
    let table = table(&[row(20.0, 11), row(100.0, 99), row(40.0, 22)]).unwrap();
    let median = |load| table.step("mps", load).unwrap().median_ns;
    assert_eq!([20.0, 20.5, 40.0, 41.0, 100.0].map(median), [11, 22, 22, 99, 99]);
}

#[test]
fn greatest_figure_of_the_seeds_counts() {
    let table = table(&[row(20.0, 11), row(20.0, 13), row(20.0, 12)]).unwrap();
    assert_eq!(table.step("mps", 20.0).unwrap().median_ns, 13);
}

#[test]
fn loads_and_ways_outside_of_the_table_are_refused() {
    let table = table(&[row(20.0, 11), row(40.0, 22)]).unwrap();
    for load in [19.9, 40.1, f64::NAN, f64::INFINITY] {
        let error = table.step("mps", load).unwrap_err().to_string();
        assert!(error.contains("the 20 to 40 that were swept under mps"), "{error}");
        assert!(error.contains(&format!("add {load}/s to --vary load")), "{error}");
    }
    let error = table.step("partition", 20.0).unwrap_err().to_string();
    assert!(error.contains("add --recipe partition to the sweep"), "{error}");
}

#[test]
fn rows_without_a_sure_figure_are_refused() {
    let error = refusal("error", json!("no such device"));
    assert!(error.contains("line 1: case load=10/s recipe=mps seed=0 has no answer"), "{error}");
    let error = refusal("serve.requests-ended", json!(6));
    assert!(error.contains("6 of 7 requests ended"), "{error}");
    let error = refusal("serve.p50-ns", Value::Null);
    assert!(error.contains("lacks serve.p50-ns"), "{error}");
    let error = refusal("case", json!("load=10/s device=b200 recipe=mps"));
    assert!(error.contains("varies device"), "{error}");
    assert!(CoRunTable::from_lines("{", "serve").is_err());
    assert!(CoRunTable::from_lines("", "serve").is_err());
}

#[test]
fn passes_that_were_not_swept_are_refused() {
    let timing = StepTiming::from_ns(2_500_000);
    assert_eq!(timing.predict_prefill_ms(1, 512, 0).unwrap(), 2.5);
    assert!(timing.predict_prefill_ms(2, 512, 0).is_err());
    assert!(timing.predict_decode_ms(1, 512, 512, 4096).is_err());
}

#[test]
fn simulated_requests_wait_longer_beside_training_than_alone() {
    let program = |load: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_aisimulate-timing"));
        command.args([concat!(env!("CARGO_MANIFEST_DIR"), "/data/co-run.jsonl"), load]);
        command.output().unwrap()
    };
    let printed = String::from_utf8(program("30").stdout).unwrap();
    let rows: Vec<Vec<&str>> =
        printed.lines().skip(2).map(|line| line.split_whitespace().collect()).collect();
    let figure = |way: usize, column: usize| rows[way][column].parse::<f64>().unwrap();
    let names: Vec<&str> = rows.iter().map(|row| row[0]).collect();
    assert_eq!(names, ["mps-priority", "partition", "time-slice", "alone"], "{printed}");
    for way in 0..3 {
        assert!(figure(way, 1) > figure(3, 1), "a longer step: {printed}");
        assert!(figure(way, 2) > figure(3, 2), "a greater p99: {printed}");
    }
    // Requests queue, so that some take longer than a step.
    assert!(figure(3, 2) > figure(3, 1), "{printed}");

    let refused = program("41");
    assert!(!refused.status.success());
    assert!(String::from_utf8(refused.stderr).unwrap().contains("add 41/s to --vary load"));
}

#[test]
fn committed_rows_hold_what_their_readme_says() {
    let table = CoRunTable::from_lines(CO_RUN, "decode").unwrap();
    let ways: Vec<&str> = table.ways().collect();
    assert_eq!(ways, ["mps-priority", "partition", "time-slice"]);
    for way in ways {
        assert!([10.0, 20.0, 40.0].iter().all(|load| table.step(way, *load).is_ok()), "{way}");
    }
}
