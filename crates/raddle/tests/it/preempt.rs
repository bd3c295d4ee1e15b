//! Do the ways off of a recipe, the window and the verdicts reach a replay, and its log?

use std::fs;

use serde_json::Value;

use crate::common::{Place, infer, table, train};

/// Makes a folder with twelve launches in one stream, all issued at 0, and a request that comes
/// again and again.
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
        let log = "out/mine/decisions.jsonl.zst";
        let text = place.log(log);
        let (header, rest) = text.split_once('\n').expect("more than a header");
        assert!(header.contains("\"window\":8"), "{header}");
        // The costs of the V100 are in the log, which is replayed without the device.
        let told = header.contains("\"exit-ns\":2400,\"reset-ns\":15200,\"bytes-per-us\":900000");
        assert_eq!(told, way == cheapest, "{header}");
        assert!(rest.matches("\"launch-issued\"").count() >= 11);
        let ran = place.raddle(&["replay", "--events", log]);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{}", ran.out);
    }
    let [wait, flag, drain, reset, switch, cheapest] = latencies[..] else { panic!("six ways") };
    assert!(wait > 4 * flag && flag > reset && flag >= drain, "{latencies:?}");
    // A revocation in the middle of a restore waits for it, so a switch may take twice its 23 us.
    assert!(reset == 32_000 && switch < 2 * 23_400, "{latencies:?}");
    // Launches that start in two parts last longer than the one before: the bound is missed by
    // that.
    assert!(cheapest < flag, "{latencies:?}");
}

#[test]
fn verdicts_come_from_the_user_and_are_said_to() {
    let place = two();
    let without = replay(&place, "leftover-reset", &[]);
    assert_eq!(figure(&without, "killed"), 0, "nobody knows, so nothing is killed");
    assert!(!without["assumptions"].to_string().contains("idempotent"));
    let warned = without["warnings"].to_string();
    assert!(warned.contains("reset: 0 of ") && warned.contains("--idempotent-from"), "{warned}");
    let with = replay(&place, "leftover-reset", &["--idempotent", "ste*=yes"]);
    assert!(figure(&with, "killed") > 0 && p99(&with) < p99(&without));
    let said = with["assumptions"].to_string();
    assert!(said.contains("`ste*=yes`, which is a claim: 12 launches"), "{said}");
    let rules = ["--idempotent", "*=yes", "--idempotent", "step=no"];
    let taken_back = replay(&place, "leftover-reset", &rules);
    assert_eq!((figure(&taken_back, "killed"), p99(&taken_back)), (0, p99(&without)));
    let none = place.raddle(&["replay", "low.csv", "--idempotent", "stepp=yes", "--no-files"]);
    let told = "--idempotent stepp=yes: it fits no kernel of low, so it would change nothing. Did you mean `step`?";
    assert!(none.code == 2 && none.err.contains(told), "{none:?}");
    let bad = place.raddle(&["replay", "low.csv", "--idempotent", "step=maybe"]);
    assert_eq!(bad.code, 2);
    assert!(bad.err.contains("none of yes, no and unknown"), "{}", bad.err);
}

#[test]
fn what_does_nothing_is_said_to() {
    let place = two();
    let everyone = "raddle = 1\n[preempt]\npolicy = \"flag\"";
    place.file("mine.toml", everyone);
    let warned = replay(&place, "mine.toml", &[])["warnings"].to_string();
    assert!(warned.contains("mine: preempt `flag` was never asked"), "{warned}");
    let slices = "raddle = 1\n[turn]\npolicy = \"weighted-slices\"\nrule = \"min-one\"\nlevels = 4";
    place.file("slices.toml", slices);
    let warned = replay(&place, "slices.toml", &["--priority", "infer*=3"])["warnings"].to_string();
    assert!(warned.contains("slices: levels 3, 5 count as one"), "{warned}");
    let warned = replay(&place, "slices.toml", &[])["warnings"].to_string();
    assert!(!warned.contains("slices: "), "{warned}");
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
    let log = "out/mine/decisions.jsonl.zst";
    place.file("plain.jsonl", place.log(log));
    for log in [log, "plain.jsonl"] {
        let ran = place.raddle(&["log", log, "--check"]);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""));
        assert!(ran.out.contains(" keep the 11 rules\n"), "{}", ran.out);
        let told = " placements of `leftover` as docs/policies/baselines.md asks\n";
        assert!(ran.out.contains(told), "{}", ran.out);
        assert_eq!(place.raddle(&["log", log, "--replay"]).code, 0);
    }
    let again = place.raddle(&["log", log, "--replay"]);
    assert_eq!(again.out, place.raddle(&["replay", "--events", log]).out);
    let lines = place.raddle(&["log", log, "--print"]).out;
    let text = place.log(log);
    assert_eq!(lines.lines().count(), text.lines().count());
    assert!(lines.contains(" ms > submit ") && lines.contains(", launch 0, "), "{lines}");
    // A launch that is submitted a second time.
    let submitted = |line: &&str| line.contains("\"answer\":\"submit\"");
    let line = text.lines().find(submitted).expect("one is submitted");
    let twice = text.replacen(line, &format!("{line}\n{line}"), 1);
    let number = text.lines().position(|other| other == line).expect("it is there") + 2;
    place.file("twice.jsonl", twice);
    let ran = place.raddle(&["log", "twice.jsonl", "--check"]);
    assert_eq!(ran.code, 1);
    let told = format!("twice.jsonl, line {number}: rule 5 (once) is broken: k");
    assert!(ran.err.contains(&told), "{}", ran.err);
    // A workgroup that starts on another compute unit than its policy takes.
    let plain = place.raddle(&["log", log]).out;
    let line = plain.lines().find(|line| line.contains("\"answer\":\"start\"")).expect("one");
    let mut start: Value = serde_json::from_str(line).expect("it is JSON");
    start["pieces"][0][3] = (start["pieces"][0][3].as_u64().expect("a unit") + 1).into();
    let (t, step, pieces) = (&start["t"], &start["step"], &start["pieces"]);
    let launch = &start["launch"];
    let other = format!(
        "{{\"t\":{t},\"step\":{step},\"answer\":\"start\",\"launch\":{launch},\"pieces\":{pieces}}}"
    );
    let number = plain.lines().position(|other| other == line).expect("it is there") + 1;
    place.file("moved.jsonl", plain.replacen(line, &other, 1));
    let ran = place.raddle(&["log", "moved.jsonl", "--check", "--format", "json"]);
    assert_eq!(ran.code, 1);
    let found: Value = serde_json::from_str(&ran.out).expect("it is JSON");
    let slots = found["policies"].as_array().expect("a list");
    let allocate = slots.iter().find(|slot| slot["slot"] == "allocate").expect("it is there");
    assert_eq!(allocate["findings"][0]["line"], number, "{}", ran.out);
}

/// Checks every bundled recipe that preempts, on two recorded inferences side by side, the first of
/// them less urgent: each decision log keeps the rules of figure 1 of seed 001.
#[test]
fn every_bundled_recipe_that_preempts_keeps_the_rules_on_real_profiles() {
    let low = raddle_testkit::sample("kineto_amd/tracelens_mi210_gpu_only.json.gz");
    let high = raddle_testkit::sample("kineto_amd/tracelens_mi_sglang_qwen3-8b_decode.json.gz");
    let Some((low, high)) = low.zip(high) else { return };
    let place = Place::new();
    let [low, high] = [low, high].map(|path| path.display().to_string());
    let listed = place.raddle(&["recipes", "--format", "json"]);
    let listed: Value = serde_json::from_str(&listed.out).expect("it is JSON");
    let name = |recipe: &Value| recipe["name"].as_str().map(str::to_owned);
    let rows = listed.as_array().expect("a list").iter();
    let mut names: Vec<String> =
        rows.filter(|recipe| recipe["preempt"] != "never").filter_map(name).collect();
    assert!(names.len() >= 3, "{names:?}");
    let mut args = vec!["replay", &low, &high, "--priority", "tracelens_mi210*=5", "--out", "out"];
    args.push("--partial");
    args.extend(["--idempotent", "*=yes", "--timeline", "none", "--log", "answers"]);
    // Slices of 10 ms are longer than what these profiles run at a time; shorter ones end in the
    // midst.
    let slices = place.raddle(&["recipes", "--show", "weighted-slices"]).out;
    let slices = slices.replace("t0-us = 10000", "t0-us = 50");
    place.file("short.toml", slices.replace("longest-us = 100000", "longest-us = 200"));
    names.retain(|name| name != "weighted-slices");
    let recipes = names.iter().map(String::as_str).chain(["weighted-slices", "short.toml"]);
    args.extend(recipes.flat_map(|name| ["--recipe", name]));
    let ran = place.raddle(&args);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    names.extend(["weighted-slices", "short"].map(str::to_owned));
    let text = fs::read_to_string(place.path().join("out/summary.json")).expect("it is there");
    let summary: Value = serde_json::from_str(&text).expect("it is JSON");
    for (name, recipe) in names.iter().zip(summary["recipes"].as_array().expect("a list")) {
        let ways = &recipe["summary"]["preemption"]["ways"];
        assert!(name == "weighted-slices" || ways[0]["count"].as_u64() > Some(0), "{name}: {ways}");
        let log = format!("out/{name}/decisions.jsonl.zst");
        for check in ["--check", "--replay"] {
            let ran = place.raddle(&["log", &log, check]);
            assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{name}: {}", ran.out);
        }
    }
}

/// Checks that a process that has something to run and gets nothing of the device for a second is
/// reported, and that one that waits for less is not.
#[test]
fn who_starves_for_a_second_is_reported() {
    let place = Place::new();
    recipe(&place, "mine.toml", "\"wait\"");
    place.file("low.csv", table(&["step 7 8 64 32 0 1000 1000 5000"]));
    let warned = |ns: u64| {
        place.file("hog.csv", table(&[&format!("hog 1 640 256 32 0 0 0 {ns}")]));
        let args = ["replay", "hog.csv", "low.csv", "--priority", "low*=5", "--priority", "hog*=0"];
        let more = ["--recipe", "mine.toml", "--once", "--no-files", "--format", "json"];
        let ran = place.raddle(&[&args[..], &more].concat());
        assert_eq!(ran.code, 0, "{ran:?}");
        let told: Value = serde_json::from_str(&ran.out).expect("it is JSON");
        let warnings = told["warnings"].as_array().expect("a list").clone();
        let starved = |said: &&Value| said.as_str().is_some_and(|it| it.contains("starved"));
        warnings.iter().find(starved).map(ToString::to_string)
    };
    let said = warned(1_200_000_000).expect("a warning");
    assert!(said.contains("nothing on the device at a stretch: low for 1.20 s"), "{said}");
    assert!(!said.contains("hog"), "{said}");
    assert_eq!(warned(900_000_000), None);
}
