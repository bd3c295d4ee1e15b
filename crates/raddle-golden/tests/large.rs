//! Are large questions answered, or refused in time, and explained in few lines?
#![allow(clippy::unwrap_used, reason = "all of this is test code")]

use raddle_golden::{ExplainedStep, Fault, answer_all, bitmap, explain, topic};
use serde_json::{Value, json};

fn answer(name: &str, question: &Value) -> Value {
    let mut answers = Vec::new();
    let line = question.to_string();
    answer_all(topic(name).unwrap(), &mut line.as_bytes(), &mut answers).unwrap();
    serde_json::from_slice(&answers).unwrap()
}

fn steps(name: &str, question: &Value) -> Result<Vec<ExplainedStep>, Fault> {
    explain(topic(name).unwrap(), &question.to_string()).map(|explained| explained.steps)
}

fn is_short(name: &str, question: &Value) {
    let steps = steps(name, question).unwrap();
    let lines: Vec<&String> =
        steps.iter().flat_map(|step| step.lines.iter().chain([&step.title])).collect();
    assert!(lines.len() <= 140, "{name}: {}", lines.len());
    let longest = lines.iter().max_by_key(|line| line.chars().count()).unwrap();
    assert!(longest.chars().count() <= 1000, "{name}: {longest}");
}

#[test]
fn long_questions_are_explained_in_few_lines() {
    let long = "n".repeat(500);
    let tasks = (0..300_u64)
        .map(|n| json!({"name": format!("{long}{n}"), "level": 2, "created": 0, "ran": 1000 + n * n}))
        .collect::<Vec<_>>();
    let slices = json!({"t0": 7, "capacity": 400, "rule": "claim", "tasks": tasks,
        "now": 9_999_999, "run": {"until": 100_000}});
    is_short("slices", &slices);
    is_short("split", &json!({"threshold": 3, "rounds": vec!["fail"; 3000]}));
    let waves: Vec<String> = (0..500).map(|n| format!("{long}{n}")).collect();
    let workgroup = json!({"level": 1, "independent": true, "waves": waves, "shared": {&long: 3}});
    is_short("split", &json!({"workgroup": workgroup, "lowest": 4}));
    let balance = json!({"units": 300, "limit": 9, "pointer": "tail", "counts": vec![301; 300]});
    is_short("balance", &balance);
    is_short("windows", &json!({"windows": vec![3; 900], "count": 70}));
}

#[test]
fn a_map_of_many_blocks_is_answered_and_not_traced() {
    let bits = format!("{}0{}", "1".repeat(70_000), "1".repeat(30_000));
    let question = json!({"bits": bits, "method": "full"});
    let answer = answer("bitmap", &question);
    assert_eq!(answer["longest"], 70_000);
    assert_eq!(answer["sequence"].as_str().map(str::len), Some(100_001));
    let fault = steps("bitmap", &question).unwrap_err();
    assert!(fault.message.contains("give at most 4096"), "{}", fault.message);
    // Wide, but not too wide to be traced: the sequences are counted instead of shown.
    let steps = steps("bitmap", &json!({"bits": "10".repeat(500), "method": "full"})).unwrap();
    let line = "1000 sequences of 1000 digits; up to 128 are shown";
    assert!(steps.iter().any(|step| step.lines.iter().any(|it| it == line)), "{steps:?}");
}

#[test]
fn a_matching_of_too_much_is_refused() {
    let channel = json!({"level": 1, "demand": {"shared": {}, "simds": [{"a": 1}]}});
    let cu = json!({"shared": {}, "simds": [{"a": 0}]});
    let question = json!({"cus": vec![cu; 4000], "channels": vec![channel; 4000]});
    let error = &answer("match", &question)["error"];
    assert_eq!((&error["kind"], &error["at"]), (&json!("out_of_range"), &json!("")));
}

/// Checks weights of unlike denominators, whose sum has more digits than any integer of the
/// machine.
#[test]
fn fractions_of_any_size() {
    let primes = [999_983, 999_979, 999_961, 999_959, 999_953, 999_931, 999_917, 999_907, 999_883];
    let task = |(n, ran)| json!({"name": format!("t{n}"), "level": 4, "created": 0, "ran": ran});
    let tasks: Vec<Value> = (0..).zip(primes).map(task).collect();
    for rule in ["claim", "mean", "inverse", "min-one"] {
        let question =
            json!({"t0": 1, "capacity": 99, "rule": rule, "tasks": tasks, "now": 1_000_003});
        let answer = answer("slices", &question);
        let first = answer["slices"][0].as_str().unwrap();
        let (over, under) = first.split_once('/').unwrap();
        let digits = |n: &str| n.chars().take(15).collect::<String>().parse::<f64>().unwrap();
        let scale = 10_f64.powi(over.len() as i32 - under.len() as i32);
        let value = digits(over) / digits(under)
            * if over.len().min(under.len()) > 15 { scale } else { 1.0 };
        let wanted = if matches!(rule, "claim" | "inverse") { 9.0 } else { 1.0 };
        assert!((value - wanted).abs() < 0.01, "{rule}: {first}");
        if matches!(rule, "claim" | "mean") {
            assert!(over.len().max(under.len()) > 45, "{rule}: {first}");
        }
    }
}

#[test]
fn cost_beside_miss_rate() {
    let explained = explain(&bitmap::COST, bitmap::COST.example).unwrap();
    let text: Vec<String> = explained.steps.into_iter().flat_map(|step| step.lines).collect();
    let text = text.join("\n");
    for seed in ["0.127", "0.419", "8.89e-7", "0.00971", "0.0383"] {
        assert!(text.contains(seed), "{seed}: {text}");
    }
    insta::assert_snapshot!("explain-bitmap-cost", text);
    let explained = explain(&bitmap::COST, r#"{"blocks":100,"want":7}"#).unwrap();
    let answer: Value = serde_json::from_str(explained.answer.get()).unwrap();
    let rows = answer["rows"].as_array().unwrap();
    assert_eq!(rows[0]["drawn"]["and-gates"], 9_900);
    assert!(rows.iter().all(|row| row["churn-missed"].is_u64() && row["missed"].is_string()));
    assert_eq!(answer["churn"]["asked"], 10_000);
    for (question, kind, at) in [
        (r#"{"blocks":0,"want":1}"#, "out_of_range", "/blocks"),
        (r#"{"blocks":1,"want":1}"#, "out_of_range", "/blocks"),
        (r#"{"blocks":4097,"want":1}"#, "out_of_range", "/blocks"),
        (r#"{"blocks":8,"want":0}"#, "out_of_range", "/want"),
        (r#"{"blocks":8,"want":9}"#, "out_of_range", "/want"),
        (r#"{"blocks":8}"#, "missing_field", ""),
        (r#"{"bits":"1"}"#, "unknown_field", "/bits"),
    ] {
        let fault = explain(&bitmap::COST, question).unwrap_err();
        assert_eq!((&*fault.kind.to_string(), &*fault.at), (kind, at), "{question}");
    }
}

/// Checks that search variants which do not suit a number of blocks are left out, such as groups of
/// a prime.
#[test]
fn costs_of_any_number_of_blocks_are_told() {
    for (blocks, variants) in [(2, 5), (3, 6), (5, 6), (7, 6), (9, 6), (12, 8), (63, 6)] {
        let question = json!({"blocks": blocks, "want": blocks}).to_string();
        let explained = explain(&bitmap::COST, &question).unwrap();
        let answer: Value = serde_json::from_str(explained.answer.get()).unwrap();
        let names = answer["rows"].as_array().unwrap().iter();
        let names = names.map(|row| row["variant"].as_str().unwrap().replace(", one set", ""));
        let names: std::collections::BTreeSet<String> = names.collect();
        assert_eq!(names.len(), variants, "{blocks}: {names:?}");
    }
}

/// Checks every map of a few blocks, in every form of the circuit: the model answers what the
/// sequences of the circuit say.
#[test]
fn answers_and_traces_agree() {
    use raddle_bitmap::circuit::{FullTrace, GroupedTrace, SampledTrace, Setup};
    use raddle_bitmap::{FreeMap, Grouped, Polarity, Sampled};
    let (grouped, sampled) = (Grouped::new(6, 3).unwrap(), Sampled::new(6, &[0, 2, 5]).unwrap());
    for code in 0..64_u64 {
        let map = FreeMap::from_words(&[code], 6, Polarity::FreeIsOne).unwrap();
        let bits = map.digits(Polarity::FreeIsOne).to_string();
        let setup = Setup::default();
        let full = FullTrace::new(map.view(), setup).unwrap();
        let groups = GroupedTrace::new(map.view(), &grouped, setup).unwrap();
        let samples = SampledTrace::new(map.view(), &sampled, setup).unwrap();
        for (method, longest, sequence) in [
            (json!("full"), full.answer(), full.sar()),
            (json!({"grouped": {"groups": 3}}), groups.answer(), groups.far()),
            (json!({"sampled": {"k": [0, 2, 5]}}), samples.answer(), samples.sar()),
        ] {
            let answer = answer("bitmap", &json!({"bits": bits, "method": method}));
            assert_eq!(answer["longest"], longest);
            assert_eq!(answer["sequence"], sequence.to_string());
        }
    }
}
