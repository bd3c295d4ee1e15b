//! Does the command line make pages that replay, and say what it lacks for them?
//!
//! That they replay in a browser: `cargo xtask web --check`.

use std::fs;

use crate::common::{Place, infer, train};
use serde_json::Value;

/// Returns the bytes of a file that passes for the engine: its first bytes and its mark.
fn engine() -> Vec<u8> {
    [b"\0asm", concat!("raddle-engine ", env!("CARGO_PKG_VERSION"), ";").as_bytes()].concat()
}

/// Returns the question (the study as JSON) that a page carries.
fn carried(page: &str) -> Value {
    let (_, rest) = page
        .split_once(r#"<script id="carried" type="application/json">"#)
        .expect("it carries something");
    let (json, _) = rest.split_once("</script>").expect("it ends");
    serde_json::from_str(json).expect("it is JSON")
}

#[test]
fn a_report_carries_the_question_and_its_files() {
    let place = Place::new();
    place.file("raddle.wasm", engine());
    fs::create_dir(place.path().join("secret")).unwrap();
    place.file("secret/train.csv", train());
    place.file("secret/infer.csv", infer());
    let recipe = place.raddle(&["recipes", "--show", "spatial"]).out;
    place.file("secret/mine.toml", recipe);
    let args =
        ["replay", "secret/train.csv", "secret/infer.csv*2", "--device", "h100", "--out", "out"];
    let more =
        ["--recipe", "leftover", "--recipe", "secret/mine.toml", "--start", "secret/train.csv=1ms"];
    let live = ["--live-report", "--wasm", "raddle.wasm"];
    let ran = place.raddle(&[&args[..], &more, &live].concat());
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let page = fs::read_to_string(place.path().join("out/report.html")).unwrap();
    assert!(!page.contains("secret"));
    let carried = carried(&page);
    let study = &carried["study"];
    assert_eq!(study["profiles"], serde_json::json!(["train.csv", "infer.csv*2"]));
    assert_eq!(study["recipes"], serde_json::json!(["leftover", "mine.toml"]));
    assert_eq!(study["starts"][0]["file"], "train.csv");
    let names = carried["files"].as_array().unwrap().iter().map(|file| file["name"].as_str());
    let names: Vec<_> = names.map(Option::unwrap).collect();
    assert_eq!(names, ["infer.csv", "mine.toml", "train.csv"]);
    // The summary of the same replay without a live report is equal.
    let summary = || fs::read(place.path().join("out/summary.json")).unwrap();
    let live = summary();
    let ran = place.raddle(&[&args[..], &more].concat());
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    assert!(live == summary());
}

#[test]
fn without_an_engine_it_says_how_to_get_one() {
    let place = Place::new();
    place.file("a.csv", train());
    place.file("no.wasm", "text");
    place.file("old.wasm", b"\0asm raddle-engine 0.0.0;");
    for (file, why) in [
        ("none.wasm", "cannot be read"),
        ("no.wasm", "is no engine"),
        ("old.wasm", "is not the engine of this version"),
    ] {
        let args = ["replay", "a.csv", "--device", "v100", "--out", "out", "--live-report"];
        let ran = place.raddle(&[&args[..], &["--wasm", file]].concat());
        assert_eq!(ran.code, 1);
        assert!(ran.err.contains(why) && ran.err.contains("cargo xtask web"), "{}", ran.err);
        assert!(!place.path().join("out").exists());
        let ran = place.raddle(&["serve", "--save", "app.html", "--wasm", file]);
        assert!(ran.code == 1 && ran.err.contains(why), "{}", ran.err);
        assert!(!place.path().join("app.html").exists());
    }
}

#[test]
fn the_application_is_one_file() {
    let place = Place::new();
    place.file("raddle.wasm", engine());
    let ran = place.raddle(&["serve", "--save", "app.html", "--wasm", "raddle.wasm"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let page = fs::read_to_string(place.path().join("app.html")).unwrap();
    assert!(page.contains("connect-src 'none'") && page.contains(r#"id="engine""#));
    assert!(!page.contains(r#"id="carried""#));
    for outside in ["http:", "https:", "src=\"", "href=\"/"] {
        assert!(!page.contains(outside), "{outside}");
    }
}
