//! Does `raddle compare` refuse what is no result, and print no harmful name of one?

use std::fs;

use crate::common::Place;
use crate::compare::place;

#[test]
fn what_is_no_result_is_refused() {
    let place = place();
    place.file("text.json", "dear diary");
    place.file("other.json", r#"{"traceEvents":[]}"#);
    let good = fs::read_to_string(place.path().join("a/summary.json")).unwrap();
    place.file("cut.json", &good[..good.len() / 2]);
    place.file("bent.json", good.replace("\"makespan-ns\": ", "\"makespan-ns\": -"));
    // A figure of a recipe, of a process and of a level, each made one that cannot be.
    for (file, key, bad) in [
        ("minus.json", "\"packets\": ", "-1"),
        ("part.json", "\"last-end-ns\": ", "0.5"),
        ("text-in.json", "\"latency-p99-ns\": ", "\"7\""),
        ("share.json", "\"utilisation\": ", "-0.5"),
    ] {
        let (before, rest) = good.split_once(key).unwrap();
        let after = &rest[rest.find([',', '\n']).unwrap()..];
        place.file(file, format!("{before}{key}{bad}{after}"));
    }
    fs::create_dir(place.path().join("empty")).unwrap();
    for (file, words) in [
        (
            "minus.json",
            &["is no summary.json of raddle", "`launching.packets` is -1, which is no whole"][..],
        ),
        ("part.json", &["`last-end-ns` is 0.5, which is no whole number from 0 on"]),
        ("text-in.json", &["latency-p99-ns` is \"7\", which is no whole number from 0 on"]),
        ("share.json", &["`utilisation` is -0.5, which is no number from 0 on"]),
        ("gone.json", &["gone.json cannot be read", "check the path"]),
        ("empty", &["empty/summary.json cannot be read"]),
        ("text.json", &["text.json is no summary.json of raddle", "not JSON", "raddle replay"]),
        ("other.json", &["other.json is no summary.json of raddle", "raddle"]),
        ("cut.json", &["cut.json is no summary.json", "not JSON"]),
        ("bent.json", &["bent.json is no summary.json", "-"]),
    ] {
        for args in [["compare", "a", file], ["compare", file, "a"]] {
            let ran = place.raddle(&args);
            assert_eq!((ran.code, ran.out.as_str()), (1, ""), "{args:?}");
            for word in words {
                assert!(ran.err.contains(word), "`{word}` is missing in: {}", ran.err);
            }
            assert_eq!(ran.err.trim_end().lines().count(), 1, "{}", ran.err);
        }
    }
}

#[test]
fn one_result_is_wrong_usage() {
    let place = Place::new();
    for args in [&["compare"][..], &["compare", "a"]] {
        let ran = place.raddle(args);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.err.contains("RESULT"), "{}", ran.err);
    }
}

#[test]
fn names_in_a_result_cannot_paint_on_the_terminal() {
    let place = place();
    let good = fs::read_to_string(place.path().join("a/summary.json")).unwrap();
    place.file("bad.json", good.replace("\"infer\"", "\"in\\u001b[31mfer\\u202e\""));
    let ran = place.raddle(&["compare", "a", "bad.json"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("in?[31mfer?"), "{}", ran.out);
    assert!(!ran.out.contains(['\u{1b}', '\u{202e}']));
}
