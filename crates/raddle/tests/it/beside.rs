//! Does the table of a sweep say how long two programs take beside each other, as replays do?

use serde_json::Value;

use crate::common::{Place, infer, train};

/// Checks the document for programs that want the times of two programs beside each other: for each
/// load and way of sharing it has the times that a replay prints, with their intervals.
#[test]
fn a_table_of_two_side_by_side_says_what_replays_say() {
    let place = Place::new();
    place.file("train.csv", train());
    place.file("infer.csv", infer());
    let pair = ["infer.csv", "train.csv", "--until=20ms", "--seeds=3", "--format=json"];
    let ways = ["--recipe=time-slice", "--recipe=mps"];
    let vary = ["--vary=load=500/s,1000/s", "--requests=infer=500/s", "--out=table.jsonl"];
    let json = |args: &[&str]| -> Value {
        let ran = place.raddle(args);
        assert_eq!(ran.code, 0, "{}", ran.err);
        serde_json::from_str(&ran.out).expect("it is JSON")
    };
    let table = json(&[&["sweep"], &pair[..], &ways, &vary].concat());
    assert_eq!(table["axes"], serde_json::json!(["load", "recipe"]));
    assert_eq!(table["judged"][0], serde_json::json!({"process": "infer", "figure": "p99"}));
    assert_eq!(table["judged"][1]["figure"], "step");
    let groups = table["groups"].as_array().expect("a list");
    assert_eq!(groups.len(), 4);
    for load in ["500/s", "1000/s"] {
        let requests = format!("--requests=infer={load}");
        let replay = json(&[&["replay", "--no-files", &requests], &pair[..], &ways].concat());
        for row in replay["answer"]["rows"].as_array().expect("a list") {
            let values = serde_json::json!([load, row["recipe"]]);
            let group = groups.iter().find(|group| group["values"] == values).expect("a group");
            for at in 0..2 {
                let (own, judged) = (&row["processes"][at], &replay["answer"]["processes"][at]);
                let near = |found: &Value, key: &str, wanted: &Value| {
                    let [found, wanted] = [&found[key], wanted].map(Value::as_f64);
                    let apart = found.zip(wanted).map(|(a, b)| (a - b).abs());
                    assert!(
                        apart.is_some_and(|apart| apart <= 1.0),
                        "{values}: {found:?} {wanted:?}"
                    );
                };
                let drawn = &own["drawn"];
                near(&group["figures"][at], "mean", &own["decisive-ns"]);
                near(&group["figures"][at], "within", &drawn["decisive-within-ns"]);
                near(&group["alone"][at], "mean", &judged["alone-ns"]);
                if at == 0 {
                    near(&group["medians"][at], "mean", &own["p50-ns"]);
                } else {
                    assert_eq!(group["medians"][at], Value::Null, "it has no requests");
                }
            }
        }
    }
}
