//! Do `summary.json`, its schema and docs/summary.md have the same keys?

use std::collections::BTreeSet;

use serde_json::Value;

use crate::common::schema::{misfits, schema};
use crate::common::{Place, infer, table, train};

const DOCS: &str = include_str!("../../../../docs/summary.md");

/// Adds the path of every value of a schema to `found`, with `[]` for entries of lists; objects and
/// lists that may be null go to `whole`.
fn paths(
    schema: &Value,
    path: &str,
    (found, whole): (&mut BTreeSet<String>, &mut BTreeSet<String>),
) {
    let mut inner = Vec::new();
    if let Some(properties) = schema["properties"].as_object() {
        let dot = if path.is_empty() { "" } else { "." };
        inner.extend(properties.iter().map(|(key, own)| (own, format!("{path}{dot}{key}"))));
    }
    let rest = [("items", "[]"), ("additionalProperties", ".any")];
    let rest = rest.into_iter().filter(|(key, _)| schema[key].is_object());
    inner.extend(rest.map(|(key, end)| (&schema[key], format!("{path}{end}"))));
    if inner.is_empty() {
        found.insert(path.to_owned());
    } else if schema["type"].as_array().is_some_and(|types| types.contains(&"null".into())) {
        whole.insert(path.to_owned());
    }
    for (own, path) in inner {
        paths(own, &path, (found, whole));
    }
}

/// Returns the paths that the table of the page lists: `.x` in a row is beside the path before it.
fn documented() -> Vec<String> {
    let mut all = Vec::new();
    for row in DOCS.lines().filter(|line| line.starts_with("| `")) {
        let cell = row.split('|').nth(1).expect("a cell");
        let mut parent = String::new();
        for name in cell.split('`').skip(1).step_by(2) {
            let path =
                name.strip_prefix('.').map_or(name.to_owned(), |rest| format!("{parent}.{rest}"));
            if !name.starts_with('.') {
                parent =
                    name.rsplit_once('.').map_or(String::new(), |(parent, _)| parent.to_owned());
            }
            all.push(path);
        }
    }
    all
}

/// Returns whether a path is the documented path `wanted`, in which `*` stands for one name and all
/// below it, or for the beginning of a name.
fn is_one(path: &str, wanted: &str) -> bool {
    match wanted.split_once('*') {
        None => {
            path == wanted || path.strip_prefix(wanted).is_some_and(|rest| rest.starts_with("[]"))
        }
        Some((start, end)) => path.starts_with(start) && path.ends_with(end),
    }
}

#[test]
fn the_summary_of_a_run_has_the_keys_of_its_schema() {
    let place = Place::new();
    place.file("train.csv", train());
    place.file("serve.csv", infer());
    // No compute unit has so many registers for one workgroup; the other two ran side by side.
    let rows = ["huge 1 80 1024 255 0 0 0 1000", "fits 1 80 64 8 0 0 0 30000"];
    place.file("large.csv", table(&[&rows[..], &["near 2 80 64 8 0 0 0 30000"]].concat()));
    let args = ["replay", "train.csv", "serve.csv", "large.csv", "--requests", "serve=2000/s"];
    let more = [
        "--goal",
        "serve p99 20ms",
        "--device",
        "a100",
        "--seeds",
        "2",
        "--energy",
        "--out",
        "out",
    ];
    let ran = place.raddle(&[&args[..], &more].concat());
    // A launch that can never run.
    assert_eq!(ran.code, 3, "{}", ran.err);
    let text = std::fs::read_to_string(place.path().join("out/summary.json")).unwrap();
    let value: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["schema"], 1);
    assert_eq!(
        value["command"],
        serde_json::json!([
            "raddle",
            "replay",
            "train.csv",
            "serve.csv",
            "large.csv",
            "--device=a100",
            "--barriers=assume",
            "--comm=peers",
            "--goal=serve p99 20ms",
            "--requests=serve=2000/s",
            "--seeds=2",
            "--energy"
        ])
    );
    assert_eq!(misfits(&value, "replay"), [""; 0]);
}

#[test]
fn every_key_of_the_schema_is_documented_and_every_documented_key_is_in_it() {
    let (mut found, mut whole) = (BTreeSet::new(), BTreeSet::new());
    paths(&schema("share"), "", (&mut found, &mut whole));
    let wanted = documented();
    let new: Vec<&String> =
        found.iter().filter(|path| !wanted.iter().any(|wanted| is_one(path, wanted))).collect();
    assert!(new.is_empty(), "not in docs/summary.md: {new:#?}");
    let gone: Vec<&String> = wanted
        .iter()
        .filter(|wanted| !found.union(&whole).any(|path| is_one(path, wanted)))
        .collect();
    assert!(gone.is_empty(), "not in the schema: {gone:#?}");
}

/// Checks that a document that differs from its schema is found: without this, a check that finds
/// nothing would pass.
#[test]
fn a_document_that_differs_from_its_schema_is_found_out() {
    let place = Place::new();
    place.file("train.csv", train());
    let ran = place.raddle(&["replay", "train.csv", "--no-files", "--format=json"]);
    let good: Value = serde_json::from_str(&ran.out).unwrap();
    let bad = |change: fn(&mut Value)| {
        let mut value = good.clone();
        change(&mut value);
        misfits(&value, "replay")
    };
    assert_eq!(bad(|_| ()), [""; 0]);
    let new = bad(|value| value["answer"]["verdict"]["mood"] = "good".into());
    assert_eq!(new, [".answer.verdict.mood is not in the schema"]);
    let gone = bad(|value| {
        value["answer"]["verdict"].as_object_mut().unwrap().remove("next-command");
    });
    assert_eq!(gone, [".answer.verdict: no \"next-command\""]);
    let other = bad(|value| value["device"]["cus"] = 0.5.into());
    assert_eq!(other, [".device.cus: 0.5 is no \"integer\""]);
    assert_eq!(bad(|value| value["schema"] = 2.into()), ["it says 2, not raddle/replay/1"]);
}

/// Checks the keys of documents that no other test prints.
#[test]
fn rare_documents_have_the_keys_of_their_schema() {
    let place = Place::new();
    let names = place.raddle(&["schema"]).out;
    assert!(names.contains("inspect\n") && names.contains("packet-stats\n"), "{names}");
    for name in names.lines() {
        let id = schema(name)["$id"].clone();
        assert_eq!(id, format!("raddle/{name}/1"));
    }
    let unknown = place.raddle(&["schema", "inspct"]);
    assert_eq!(unknown.code, 2);
    assert!(unknown.err.contains("Did you mean `inspect`?"), "{}", unknown.err);
    place.file("power.csv", include_str!("../../../../fixtures/energy/v100.csv"));
    for args in [
        &["calibrate", "energy", "power.csv", "--format=json"][..],
        &["explain", "bitmap", "--format=json"],
        &["explain", "packet", "--format=json"],
        &["devices", "--show=mi300x", "--format=json"],
        &["recipes", "--show=matching", "--format=json"],
    ] {
        let ran = place.raddle(args);
        assert_eq!(ran.code, 0, "{ran:?}");
    }
    let answers =
        place.ask(&["golden", "windows"], "what?\n{\"windows\":[8,4],\"count\":12,\"id\":7}\n");
    assert_eq!(answers.out.lines().count(), 2, "{answers:?}");
    for line in answers.out.lines() {
        assert_eq!(misfits(&serde_json::from_str(line).unwrap(), "golden"), [""; 0]);
    }
}
