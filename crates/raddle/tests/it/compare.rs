//! Does `raddle compare` say what differs between results?

use std::fs;

use crate::common::{Place, infer, table, train};
use serde_json::Value;

/// Makes a folder with two results of two processes: on a V100 in `a`, on an A100 in `b`.
pub(crate) fn place() -> Place {
    let place = Place::new();
    place.file("train.csv", train());
    place.file("infer.csv", infer());
    for (out, device) in [("a", "v100"), ("b", "a100")] {
        let ran = place.raddle(&[
            "replay",
            "train.csv",
            "infer.csv",
            "--priority",
            "train*=5",
            "--recipe",
            "leftover",
            "--recipe",
            "leftover-drain",
            "--device",
            device,
            "--energy",
            "--out",
            out,
        ]);
        assert_eq!(ran.code, 0, "{}", ran.err);
    }
    place
}

pub(crate) fn json(place: &Place, args: &[&str]) -> Value {
    let ran = place.raddle(&[&["compare", "--format", "json"], args].concat());
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    serde_json::from_str(&ran.out).expect("it is JSON")
}

#[test]
fn two_results_side_by_side() {
    let place = place();
    let ran = place.raddle(&["compare", "a/summary.json", "b"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    // The version changes with every release.
    insta::assert_snapshot!(ran.out.replace(env!("CARGO_PKG_VERSION"), "VERSION"));
}

#[test]
fn what_is_stuck_is_told_and_has_no_makespan() {
    let place = turns();
    let path = place.path().join("b/summary.json");
    let text = fs::read_to_string(&path).unwrap();
    let mut value: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["recipes"][0]["summary"]["stuck"], 0);
    value["recipes"][0]["summary"]["stuck"] = 3.into();
    fs::write(&path, value.to_string()).unwrap();
    let rows = json(&place, &["a", "b"])["rows"].clone();
    let of = |recipe: &str, metric: &str| {
        let rows = rows.as_array().unwrap();
        rows.iter().find(|row| row["recipe"] == recipe && row["metric"] == metric).cloned()
    };
    let stuck = of("rounds", "stuck").expect("a row");
    assert_eq!(stuck["values"], serde_json::json!([0.0, 3.0]));
    assert_eq!(stuck["changes"][0]["verdict"], "worse");
    let makespan = of("rounds", "makespan").expect("one has it");
    assert_eq!(
        (makespan["values"][1].clone(), &makespan["changes"][0]["verdict"]),
        (Value::Null, &"missing".into())
    );
    assert_eq!(of("weighted", "stuck"), None);
}

/// Makes a folder with two results of two processes that take turns, in equal slices and by weight:
/// of 500 us in `a`, of 2 ms in `b`.
fn turns() -> Place {
    let place = Place::new();
    place.file("a.csv", table(&["k 1 640 256 64 0 0 0 5000000"; 4]));
    place.file("b.csv", table(&["k 1 640 256 64 0 0 0 5000000"; 3]));
    for (out, slice_us) in [("a", 500), ("b", 2000)] {
        let rest = "[preempt]\npolicy = \"switch\"\n";
        let turn = format!("policy = \"round-robin\"\nslice-us = {slice_us}");
        place.file("rounds.toml", format!("raddle = 1\n[turn]\n{turn}\n{rest}"));
        let turn = format!("policy = \"weighted-slices\"\nrule = \"min-one\"\nt0-us = {slice_us}");
        place.file("weighted.toml", format!("raddle = 1\n[turn]\n{turn}\n{rest}"));
        let mut args = vec!["replay", "a.csv", "b.csv", "--once", "--start", "b=1ms"];
        for recipe in ["rounds.toml", "weighted.toml", "leftover"] {
            args.extend(["--recipe", recipe]);
        }
        let ran = place.raddle(&[&args[..], &["--out", out]].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
    }
    place
}

#[test]
fn how_time_was_divided_is_compared_where_processes_take_turns() {
    let place = turns();
    let ran = place.raddle(&["compare", "a", "b"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    insta::assert_snapshot!(ran.out.replace(env!("CARGO_PKG_VERSION"), "VERSION"));
    // The comparison as JSON has the rows of every recipe, in the unit that each row names, as the
    // results have them.
    let value = json(&place, &["a", "b"]);
    let mut lines = String::new();
    for row in value["rows"].as_array().unwrap().iter().filter(|row| row["process"].is_null()) {
        let [recipe, metric, unit] =
            ["recipe", "metric", "unit"].map(|key| row[key].as_str().unwrap());
        let verdict = row["changes"][0]["verdict"].as_str().unwrap();
        lines += &format!("{recipe} | {metric} | {unit} | {} | {verdict}\n", row["values"]);
    }
    insta::assert_snapshot!("turns_as_json", lines);
    let text = fs::read_to_string(place.path().join("a/summary.json")).unwrap();
    let summary: Value = serde_json::from_str(&text).unwrap();
    let fairness = &summary["recipes"][1]["summary"]["fairness"];
    let row = value["rows"]
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["recipe"] == "weighted" && row["metric"] == "longest wait");
    assert_eq!(row.unwrap()["values"][0].as_f64(), fairness["longest-wait-ns"].as_f64());
}

/// Checks the comparison of two recipes of one result: their figures are those of their own rows.
#[test]
fn any_two_recipes_stand_side_by_side() {
    let place = place();
    let value = json(&place, &["a#leftover", "a/summary.json#leftover-drain", "--equal"]);
    let recipes: Vec<_> =
        value["results"].as_array().unwrap().iter().map(|of| &of["recipe"]).collect();
    assert_eq!(recipes, ["leftover", "leftover-drain"]);
    assert_eq!(value["inputs-that-differ"], Value::Array(Vec::new()));
    let text = fs::read_to_string(place.path().join("a/summary.json")).unwrap();
    let summary: Value = serde_json::from_str(&text).unwrap();
    let own = |at: usize| summary["recipes"][at]["summary"]["makespan-ns"].as_f64();
    let rows = value["rows"].as_array().unwrap();
    let row = rows.iter().find(|row| row["metric"] == "makespan").expect("a row");
    assert_eq!((row["values"][0].as_f64(), row["values"][1].as_f64()), (own(0), own(1)));
    assert_ne!(own(0), own(1), "else nothing is compared");
    assert!(rows.iter().all(|row| row["recipe"] == "leftover | leftover-drain"));
    // A result that names none is of the recipe that another names.
    let across = json(&place, &["a#leftover", "b", "--equal"]);
    assert_eq!(across["results"][1]["recipe"], "leftover");
    let refused = place.raddle(&["compare", "a#leftover", "b#spatial"]);
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("leftover-drain"), "it says what there is: {}", refused.err);
}

#[test]
fn a_result_is_like_itself() {
    let place = place();
    let value = json(&place, &["a", "a/summary.json", "a"]);
    assert_eq!(value["differences"], Value::Array(Vec::new()));
    assert_eq!(value["results"].as_array().map(Vec::len), Some(3));
    let verdicts = &value["verdicts"];
    assert_eq!(
        (&verdicts["better"], &verdicts["worse"], &verdicts["other"], &verdicts["missing"]),
        (&0.into(), &0.into(), &0.into(), &0.into())
    );
    // Two recipes of three figures and six of energy, and two processes with two and four, one with
    // a step: twice each.
    assert_eq!(verdicts["equal"], 2 * 2 * (3 + 6 + 2 * 6 + 1));
    let ran = place.raddle(&["compare", "a", "a"]);
    assert!(
        ran.out.contains("Same version, device, profiles, assumptions and recipes."),
        "{}",
        ran.out
    );
}

#[test]
fn figures_and_their_changes_are_those_of_the_results() {
    let place = place();
    let value = json(&place, &["a", "b"]);
    let summary = |folder: &str| -> Value {
        let text = fs::read_to_string(place.path().join(folder).join("summary.json")).unwrap();
        serde_json::from_str(&text).unwrap()
    };
    let p99 = |summary: &Value| {
        summary["recipes"][0]["summary"]["processes"][1]["levels"][0]["latency-p99-ns"]
            .as_f64()
            .unwrap()
    };
    let (a, b) = (p99(&summary("a")), p99(&summary("b")));
    let row = value["rows"].as_array().unwrap().iter().find(|row| {
        row["recipe"] == "leftover" && row["process"] == "infer" && row["metric"] == "wait p99"
    });
    let row = row.expect("it is compared");
    assert_eq!((row["values"][0].as_f64(), row["values"][1].as_f64()), (Some(a), Some(b)));
    assert!(b < a, "the larger device has more room: {a} {b}");
    assert_eq!(row["changes"][0]["verdict"], "unjudged", "another device");
    let relative = row["changes"][0]["relative"].as_f64().unwrap();
    assert!((relative - (b - a) / a).abs() < 0.0001);
}

#[test]
fn what_only_one_result_has_is_told() {
    let place = place();
    let args = ["replay", "train.csv", "--recipe", "leftover", "--recipe", "greedy", "--out", "c"];
    assert_eq!(place.raddle(&args).code, 0);
    let value = json(&place, &["a", "c"]);
    let said: Vec<&str> =
        value["differences"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    for start in [
        "profiles: A train: 3 kernels",
        "recipe leftover-drain is in A only",
        "recipe greedy is in B only",
        "assumed in A only: the shorter profiles repeat",
    ] {
        assert!(said.iter().any(|line| line.starts_with(start)), "{start}: {said:?}");
    }
    let missing = value["rows"].as_array().unwrap().iter().filter(|row| {
        row["changes"][0]["verdict"] == "missing"
            && row["process"] == "infer"
            && row["recipe"] == "leftover"
    });
    // The end and the step of `infer` are missing too.
    assert_eq!(missing.count(), 7);
}

/// Checks that of many changed figures those are shown by which people judge, and all on demand.
#[test]
fn many_changes_are_told_by_the_figures_that_decide() {
    fn twice(value: &mut Value) {
        match value {
            Value::Object(all) => all.values_mut().for_each(twice),
            Value::Array(all) => all.iter_mut().for_each(twice),
            Value::Number(number) => {
                // A launch of each process, so that no figure is zero.
                if let Some(whole) = number.as_u64() {
                    *value = (whole * 2 + 1).into();
                } else if let Some(part) = number.as_f64() {
                    *value = (part / 2.0 + 0.001).into();
                }
            }
            _ => {}
        }
    }
    let place = place();
    let path = place.path().join("a/summary.json");
    let mut value: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    // Copies of the recipes make more figures change than are shown at once.
    let recipes = value["recipes"].as_array_mut().unwrap();
    let more = recipes.clone().into_iter().enumerate().map(|(at, mut recipe)| {
        recipe["name"] = format!("more-{at}").into();
        recipe
    });
    recipes.extend(more.collect::<Vec<_>>());
    place.file("many.json", value.to_string());
    for recipe in value["recipes"].as_array_mut().unwrap() {
        for process in recipe["summary"]["processes"].as_array_mut().unwrap() {
            // The level of urgency is no figure.
            let levels = process["levels"].clone();
            twice(process);
            process["levels"] = levels;
        }
        for (key, figure) in recipe["summary"].as_object_mut().unwrap() {
            // A launch that is stuck has no makespan.
            if key != "processes" && key != "stuck" {
                twice(figure);
            }
        }
    }
    place.file("other.json", value.to_string());
    let told = |more: &[&str]| {
        let ran = place.raddle(&[&["compare", "many.json", "other.json"], more].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
        ran.out.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let (brief, whole) = (told(&[]), told(&["--equal"]));
    assert!(whole.contains(" makespan ") && whole.contains(" step "), "{whole}");
    assert!(
        !brief.contains(" makespan ") && brief.contains(" step ") && brief.contains(" train end "),
        "{brief}"
    );
    assert!(brief.contains("changed ones are not shown; --equal shows all."), "{brief}");
    assert!(told(&["--markdown"]).contains("more changed; `--equal` shows all"));
}

/// Checks that a limit judges the ways of sharing that drivers offer, and that other parameters of a
/// way, as a search may choose them, are no figure that is missing.
#[test]
fn a_way_with_other_parameters_is_told_and_breaks_no_limit() {
    let place = place();
    let share = |ways: &[&str], out: &str| {
        let args = ["share", "train.csv", "infer.csv", "--requests", "infer=1000/s"];
        let more = ["--until=20ms", "--device=a100", "--timeline=none", "-q", "--out", out];
        let ways = ways.iter().flat_map(|way| ["--recipe", way]);
        let args: Vec<&str> = args.into_iter().chain(more).chain(ways).collect();
        let ran = place.raddle(&args);
        assert_eq!(ran.code, 0, "{}", ran.err);
    };
    share(&["mps", "partition-10-90", "weighted-slices"], "old");
    share(&["mps", "partition-90-10", "matching"], "new");
    let ran = place.raddle(&["compare", "old", "new", "--fail-if", "train step +5%"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let told = "recipe partition-10-90 is in A only; B has it with other parameters";
    assert!(ran.out.contains(told), "{}", ran.out);
    // The other way round, training gets a ninth of its units.
    let back = place.raddle(&["compare", "new", "old", "--fail-if", "train step +5%"]);
    assert_eq!(back.code, 4, "{}{}", back.out, back.err);
    let told = "train step under partition-90-10, then partition-10-90: +";
    assert!(back.err.contains(told) && !back.err.contains("missing"), "{}", back.err);
    // A user who names the recipe wants to know that it is gone.
    for recipe in ["weighted-slices", "partition-10-90"] {
        let limit = format!("{recipe}:infer p99 +5%");
        let ran = place.raddle(&["compare", "old", "new", "--fail-if", &limit]);
        assert!(ran.code == 4 && ran.err.contains("missing"), "{}{}", ran.out, ran.err);
    }
    // Figures of ways that one result lacks are nothing to compare, and stand below `--equal` alone.
    let ran = place.raddle(&["compare", "old", "new"]);
    assert!(!ran.out.contains("only in one"), "{}", ran.out);
    assert!(
        ran.out.contains("of recipes that only one result has; --equal shows them."),
        "{}",
        ran.out
    );
    let ran = place.raddle(&["compare", "old", "new", "--equal"]);
    assert!(ran.out.contains("only in one"), "{}", ran.out);
    // A way is judged once, by the parameters that each result recommends, or by its least figure.
    share(&["mps", "partition-10-90", "partition-90-10"], "both");
    let advise = |result: &str, recipe: &str| {
        let path = place.path().join(result).join("summary.json");
        let mut value: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        value["answer"]["verdict"]["recipe"] = recipe.into();
        value["answer"]["verdict"]["kind"] = "use".into();
        value["answer"]["verdict"]["or"] = Value::Null;
        let file = format!("{result}-{recipe}.json");
        place.file(&file, value.to_string());
        file
    };
    for (recommended, is_broken) in [("partition-90-10", true), ("partition-10-90", false)] {
        let both = advise("both", recommended);
        let old = advise("old", "partition-10-90");
        let ran = place.raddle(&["compare", &both, &old, "--fail-if", "train step +5%"]);
        assert_eq!(
            ran.out.contains("under partition-90-10, then partition-10-90: +"),
            is_broken,
            "{}",
            ran.out
        );
        assert_eq!(ran.code == 4, is_broken, "{}{}", ran.out, ran.err);
        let told = place.raddle(&["compare", &both, &old]).out;
        let is_told =
            told.starts_with("-> A recommends partition-90-10, B partition-10-90: train step ");
        assert_eq!(is_told, is_broken, "{told}");
    }
    // A figure that all parameters of the way lack in the later result is missing.
    let path = place.path().join("new/summary.json");
    let mut lost: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    for recipe in lost["recipes"].as_array_mut().unwrap() {
        recipe["summary"]["processes"][0]["name"] = "renamed".into();
    }
    place.file("lost.json", lost.to_string());
    let ran = place.raddle(&["compare", "old", "lost.json", "--fail-if", "train step +5%"]);
    let told = "train step under partition-10-90: missing";
    assert!(ran.code == 4 && ran.err.contains(told), "{}{}", ran.out, ran.err);
    // No recipe in common is said, and three results compare what the first and any later one has.
    share(&["mps"], "one");
    share(&["partition-90-10"], "less");
    let ran = place.raddle(&["compare", "one", "less"]);
    assert!(ran.out.contains("No recipe is in both, so no figure is compared"), "{}", ran.out);
    let ran = place.raddle(&["compare", "old", "less", "new"]);
    assert!(!ran.out.contains("None of "), "{}", ran.out);
    let ran = place.raddle(&["compare", "old", "new", "--markdown", "--equal"]);
    assert!(ran.out.starts_with("**None of ") || ran.out.starts_with("**0 of"), "{}", ran.out);
    // A way that is gone altogether may hide a worse figure.
    let ran = place.raddle(&["compare", "old", "less", "--fail-if", "infer p99 +5%"]);
    assert!(ran.code == 4 && ran.out.contains("under mps: missing"), "{}{}", ran.out, ran.err);
}

#[test]
fn a_recipe_of_the_same_name_and_other_settings_is_told() {
    let place = place();
    place.file("leftover.toml", "raddle = 1\n[allocate]\npolicy = \"greedy\"\n");
    let args = ["replay", "train.csv", "infer.csv", "--recipe", "leftover.toml", "--out", "c"];
    assert_eq!(place.raddle(&args).code, 0);
    let ran = place.raddle(&["compare", "a", "c"]);
    assert!(ran.out.contains("recipe leftover has other settings"), "{}", ran.out);
}

#[test]
fn requests_are_compared_too() {
    let place = place();
    place.file(
        "load.json",
        r#"{"time": 0.002, "tasks": [{"id": "burst", "load": {"type": "trace", "trace": [0, 0.1, 0.5]}, "client": {}}]}"#,
    );
    for (out, recipe) in [("c", "greedy"), ("d", "spatial")] {
        place.file("mine.toml", place.raddle(&["recipes", "--show", recipe]).out);
        let args = ["--arrivals", "infer=load.json:burst", "--recipe", "mine.toml", "--out", out];
        let ran = place.raddle(&[&["replay", "train.csv", "infer.csv"], &args[..]].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
    }
    let value = json(&place, &["--equal", "c", "d"]);
    let row = |metric: &str| {
        let rows = value["rows"].as_array().unwrap();
        rows.iter().find(|row| row["metric"] == metric).expect("it is compared").clone()
    };
    assert_eq!(row("requests")["values"], serde_json::json!([3.0, 3.0]));
    assert_eq!(row("requests")["process"], "infer");
    let p99 = row("request p99");
    assert!(p99["values"][1].as_f64() < p99["values"][0].as_f64(), "spatial keeps a part free");
    assert_eq!(p99["changes"][0]["verdict"], "better");
}

#[test]
fn other_inputs_are_not_judged() {
    let place = place();
    place.file(
        "load.json",
        r#"{"time": 0.002, "tasks": [{"id": "burst", "load": {"type": "trace", "trace": [0, 0.1]}, "client": {}}]}"#,
    );
    let run = |out: &str, more: &[&str]| {
        let args = ["--priority", "train*=5", "--recipe", "leftover", "--device", "v100"];
        let args = [&["replay", "train.csv"], more, &args, &["--out", out]].concat();
        assert_eq!(place.raddle(&args).code, 0);
    };
    run("same", &["infer.csv"]);
    run("alone", &[]);
    run("later", &["infer.csv", "--start", "infer=0.05ms"]);
    run("asked", &["infer.csv", "--arrivals", "infer=load.json:burst"]);
    run("at-once", &["infer.csv", "--launch-latency", "none"]);
    for (other, inputs) in [
        ("at-once", &["launch-latency"][..]),
        ("same", &[]),
        ("b", &["device"]),
        ("alone", &["profiles", "arrivals", "launch-latency"]),
        ("later", &["arrivals"]),
        ("asked", &["arrivals"]),
    ] {
        let value = json(&place, &["a", other]);
        let told = value["inputs-that-differ"].as_array().unwrap();
        let wanted: std::collections::BTreeSet<&str> = inputs.iter().copied().collect();
        let told: std::collections::BTreeSet<&str> =
            told.iter().filter_map(Value::as_str).collect();
        assert_eq!(told, wanted, "{other}");
        let verdicts = &value["verdicts"];
        assert_eq!((&verdicts["better"], &verdicts["worse"]), (&0.into(), &0.into()), "{other}");
        assert_eq!(verdicts["unjudged"] == 0, inputs.is_empty(), "{other}: {verdicts}");
        let ran = place.raddle(&["compare", "a", other]);
        let told = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(told.contains("; the inputs differ"), !inputs.is_empty(), "{told}");
    }
    // Of three results, only the one with other inputs is not judged.
    let value = json(&place, &["a", "same", "b"]);
    let judged = |at: usize| {
        let rows = value["rows"].as_array().unwrap().iter();
        rows.filter(|row| row["changes"][at]["verdict"] == "unjudged").count()
    };
    assert_eq!(judged(0), 0);
    assert!(judged(1) > 5);
}

#[test]
fn a_gate_fails_where_a_figure_has_grown() {
    let place = place();
    let path = place.path().join("a/summary.json");
    let mut value: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let figure = value.pointer_mut("/recipes/0/summary/makespan-ns").unwrap();
    let before = figure.as_u64().unwrap();
    *figure = (before + before / 10).into();
    place.file("worse.json", value.to_string());
    let gate = |limit: &str| place.raddle(&["compare", "a", "worse.json", "--fail-if", limit]);
    let ran = gate("makespan > +5%");
    assert_eq!(ran.code, 4, "{}", ran.err);
    assert!(
        ran.err.contains("makespan under leftover: +10.0%, limit `makespan > +5%`"),
        "{}",
        ran.err
    );
    let broken = "-> The limit is broken: makespan under leftover: +10.0%, limit `makespan > +5%`.";
    assert!(ran.out.starts_with(broken), "{}", ran.out);
    for allowed in ["makespan > +10.1%", "leftover-drain:makespan > +0%", "infer.step > +5%"] {
        assert_eq!(gate(allowed).code, 0, "{allowed}");
    }
    // A limit of nothing would never fail.
    for (limit, words) in [("train.request-p99 > +5%", "there are"), ("makespan", "is no limit")] {
        let ran = gate(limit);
        assert_eq!(ran.code, 2, "{limit}");
        assert!(ran.err.contains(words), "{}", ran.err);
    }
    assert_eq!(
        place.raddle(&["compare", "worse.json", "a", "--fail-if", "makespan > +0%"]).code,
        0
    );
    let ran =
        place.raddle(&["compare", "a", "worse.json", "--markdown", "--fail-if", "makespan > 5%"]);
    assert_eq!(ran.code, 4);
    assert!(ran.out.starts_with("**1 of 44 figures changed**\n"), "{}", ran.out);
    assert!(ran.out.contains("\n| leftover | makespan | "), "{}", ran.out);
    assert!(ran.out.contains("| +10.0% worse |"), "{}", ran.out);
    let ran = place.raddle(&["compare", "a", "a"]);
    assert!(ran.out.starts_with("-> None of 44 figures changed.\n"), "{}", ran.out);
}
