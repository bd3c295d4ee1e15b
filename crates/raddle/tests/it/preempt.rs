//! Do the ways off of a recipe, the window and the verdicts reach a replay, and its log?

use std::fs;

use serde_json::Value;

use crate::common::{Place, infer, table, train};

/// Twelve launches behind each other, all issued at 0, and a request that comes again and again.
fn two() -> Place {
    let place = Place::new();
    let rows: Vec<String> =
        (0..12).map(|i| format!("step 7 640 256 32 0 0 {} 100000", 1000 + i * 100_000)).collect();
    place.file("low.csv", table(&rows.iter().map(String::as_str).collect::<Vec<_>>()));
    place.file("infer.csv", infer());
    place
}

fn recipe(place: &Place, name: &str, preempt: &str) {
    let text = format!(
        "raddle = 1\nwindow = 8\n[turn]\npolicy = \"highest-level\"\n[preempt]\npolicy = {preempt}"
    );
    place.file(name, text);
}

fn replay(place: &Place, recipe: &str, more: &[&str]) -> Value {
    let mut args = vec!["replay", "low.csv", "infer.csv", "--priority", "low*=5", "--out", "out"];
    args.extend(["--recipe", recipe, "--log", "answers"]);
    args.extend(more);
    let ran = place.raddle(&args);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let text = fs::read_to_string(place.path().join("out/summary.json")).expect("it is there");
    serde_json::from_str(&text).expect("it is JSON")
}

fn figure(summary: &Value, name: &str) -> u64 {
    summary["recipes"][0]["summary"][name].as_u64().expect("a count")
}

fn p99(summary: &Value) -> u64 {
    let urgent = &summary["recipes"][0]["summary"]["processes"][1];
    urgent["levels"][0]["latency-p99-ns"].as_u64().unwrap_or_else(|| panic!("{urgent:#}"))
}

#[test]
fn each_way_off_replays_and_its_log_gives_the_same_answers_again() {
    let place = two();
    let cheapest = "\"cheapest\"\nbound-us = 20";
    let ways = ["\"wait\"", "\"flag\"", "\"drain\"", "\"reset\"", "\"switch\"", cheapest];
    let mut latencies = Vec::new();
    for way in ways {
        recipe(&place, "mine.toml", way);
        let summary = replay(&place, "mine.toml", &["--idempotent", "*=yes"]);
        latencies.push(p99(&summary));
        let log = "out/mine/decisions.jsonl";
        let text = fs::read_to_string(place.path().join(log)).expect("it is there");
        let (header, rest) = text.split_once('\n').expect("more than a header");
        assert!(header.contains("\"window\":8"), "{header}");
        // The costs of the V100 are in the log, which is replayed without the device.
        let told = header.contains("\"reset-ns\":32000,\"bytes-per-us\":900000");
        assert_eq!(told, way == cheapest, "{header}");
        assert!(rest.matches("\"launch-issued\"").count() >= 11);
        let ran = place.raddle(&["replay", "--events", log]);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{}", ran.out);
    }
    let [wait, flag, drain, reset, switch, cheapest] = latencies[..] else { panic!("six ways") };
    assert!(wait > 4 * flag && flag > reset && flag >= drain, "{latencies:?}");
    // A revocation in the middle of a restore waits for it, so a switch may take twice its 23 us.
    assert!(reset == 32_000 && switch < 2 * 23_400, "{latencies:?}");
    // Launches that start in two parts last longer than the one before: the bound is missed by that.
    assert!(cheapest < flag, "{latencies:?}");
}

#[test]
fn verdicts_come_from_the_user_and_are_said_to() {
    let place = two();
    let without = replay(&place, "leftover-reset", &[]);
    assert_eq!(figure(&without, "killed"), 0, "nobody knows, so nothing is killed");
    assert!(!without["assumptions"].to_string().contains("idempotent"));
    let with = replay(&place, "leftover-reset", &["--idempotent", "ste*=yes"]);
    assert!(figure(&with, "killed") > 0 && p99(&with) < p99(&without));
    let said = with["assumptions"].to_string();
    assert!(said.contains("`ste*=yes`, which is a claim: 12 launches"), "{said}");
    let rules = ["--idempotent", "*=yes", "--idempotent", "step=no", "--idempotent", "none=yes"];
    let taken_back = replay(&place, "leftover-reset", &rules);
    assert_eq!((figure(&taken_back, "killed"), p99(&taken_back)), (0, p99(&without)));
    let said = taken_back["assumptions"].to_string();
    assert!(said.contains("`none=yes`, which is a claim: 0 launches"), "{said}");
    let bad = place.raddle(&["replay", "low.csv", "--idempotent", "step=maybe"]);
    assert_eq!(bad.code, 2);
    assert!(bad.err.contains("none of yes, no and unknown"), "{}", bad.err);
}

#[test]
fn a_recipe_of_the_slot_is_refused_with_its_key() {
    let place = Place::new();
    place.file("train.csv", train());
    for (preempt, expected) in [
        ("\"cheapest\"", "mine.toml, line 5, `preempt.bound-us`: it is missing"),
        (
            "\"cheapest\"\nbound = 5",
            "line 7, `preempt.bound`: unknown key `bound`; did you mean `bound-us`?",
        ),
        ("\"flag\"\nbound-us = 5", "line 7, `preempt.bound-us`: unknown key"),
        ("\"rest\"", "did you mean `reset`?"),
    ] {
        recipe(&place, "mine.toml", preempt);
        let ran = place.raddle(&["replay", "train.csv", "--recipe", "mine.toml"]);
        assert_eq!((ran.code, ran.out.as_str()), (1, ""));
        assert!(ran.err.contains(expected), "{}", ran.err);
    }
}

#[test]
fn a_log_is_checked_and_printed_by_the_verb_log() {
    let place = two();
    recipe(&place, "mine.toml", "\"never\"");
    replay(&place, "mine.toml", &[]);
    let log = "out/mine/decisions.jsonl";
    for check in [&["log", log][..], &["log", log, "--check"]] {
        let ran = place.raddle(check);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""));
        assert!(ran.out.ends_with(" keep the 11 rules\n"), "{}", ran.out);
    }
    let again = place.raddle(&["log", log, "--replay"]);
    assert_eq!(again.out, place.raddle(&["replay", "--events", log]).out);
    let lines = place.raddle(&["log", log, "--print"]).out;
    let text = fs::read_to_string(place.path().join(log)).expect("it is there");
    assert_eq!(lines.lines().count(), text.lines().count());
    assert!(lines.contains(" ms > submit ") && lines.contains(", launch 0, "), "{lines}");
    // A launch that is submitted a second time.
    let submitted = |line: &&str| line.contains("\"answer\":\"submit\"");
    let line = text.lines().find(submitted).expect("one is submitted");
    let twice = text.replacen(line, &format!("{line}\n{line}"), 1);
    let number = text.lines().position(|other| other == line).expect("it is there") + 2;
    place.file("twice.jsonl", twice);
    let ran = place.raddle(&["log", "twice.jsonl"]);
    assert_eq!(ran.code, 1);
    let told = format!("twice.jsonl, line {number}: rule 5 (once) is broken: k");
    assert!(ran.err.contains(&told), "{}", ran.err);
}
