//! Does `summary.json` hold what docs/summary.md says, and nothing else?

use std::collections::BTreeSet;

use serde_json::Value;

use crate::common::{Place, infer, table, train};

const DOCS: &str = include_str!("../../../../docs/summary.md");

/// Every path to a value, `[]` for entries of lists.
fn paths(value: &Value, path: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(map) => {
            let dot = if path.is_empty() { "" } else { "." };
            map.iter().for_each(|(key, value)| paths(value, &format!("{path}{dot}{key}"), found));
        }
        Value::Array(list) => {
            list.iter().for_each(|value| paths(value, &format!("{path}[]"), found))
        }
        _ => {
            found.insert(path.to_owned());
        }
    }
}

/// The paths that the table lists: `.x` in a row is beside the path before it.
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

/// Returns whether a path is the one that is documented; `*` stands for one name and all below it,
/// or for the beginning of a name.
fn is_one(path: &str, wanted: &str) -> bool {
    match wanted.split_once('*') {
        None => {
            path == wanted || path.strip_prefix(wanted).is_some_and(|rest| rest.starts_with("[]"))
        }
        Some((start, end)) => path.starts_with(start) && path.ends_with(end),
    }
}

#[test]
fn every_key_is_documented_and_every_documented_key_is_there() {
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
    let mut found = BTreeSet::new();
    paths(&value, "", &mut found);
    let wanted = documented();
    let new: Vec<&String> =
        found.iter().filter(|path| !wanted.iter().any(|wanted| is_one(path, wanted))).collect();
    assert!(new.is_empty(), "not in docs/summary.md: {new:#?}");
    // Only where the profile says so, contention is charged, a policy keeps addresses, a run is too
    // long for a load limit or breaks off, streams have priorities, or something is stuck.
    let rare = [
        "known-waits",
        "between-ns",
        ".sampled",
        ".urgent",
        ".addresses",
        "stuck",
        ".log",
        "refus",
        "setup",
        "-between",
        "left-out",
        "failures",
    ];
    let gone: Vec<&String> = wanted
        .iter()
        .filter(|wanted| !rare.iter().any(|rare| wanted.contains(rare)))
        .filter(|wanted| !found.iter().any(|path| is_one(path, wanted)))
        .collect();
    assert!(gone.is_empty(), "no longer written, which makes a new schema: {gone:#?}");
}
