//! Is a replay in which launches never end told from one in which all do, wherever it is looked at?

use std::fs;

use crate::common::{Place, infer, table};
use serde_json::Value;

/// Makes a folder with two workgroups that wait for each other for ever without the setting
/// `backfill`: the urgent one for all LDS of a unit, the other, which holds a part of it, for slots
/// behind the urgent one.
fn place() -> Place {
    let place = Place::new();
    place.file("bw.toml", "raddle = 1\n[allocate]\npolicy = \"block-warp\"\nbackfill = false\n");
    let urgent = ["all 0 80 64 32 98304 1500 1500 1000", "none 1 80 64 32 0 650 650 1000"];
    place.file("urgent.csv", table(&urgent));
    place.file("low.csv", table(&["part 1 160 768 32 24576 0 0 1000"]));
    place.file("infer.csv", infer());
    place
}

const REPLAY: [&str; 12] = [
    "replay",
    "urgent.csv",
    "low.csv",
    "--once",
    "--barriers",
    "no",
    "--priority",
    "low=6",
    "--priority",
    "urgent=3",
    "--recipe",
    "bw.toml",
];

#[test]
fn the_row_the_list_the_warning_and_the_exit_code_say_it() {
    let place = place();
    let ran =
        place.raddle(&[&REPLAY[..], &["--recipe", "leftover", "--out", "out", "-v"]].concat());
    assert_eq!(ran.code, 3, "{ran:?}");
    assert_eq!(
        ran.err,
        "error: 2 launches under bw never ended: with `backfill = false` work under `block-warp` may wait for work \
         that waits for it. Nothing more could happen, so the figures are of the rest; the list `Stuck` says \
         which launches\n"
    );
    let rows: Vec<Vec<&str>> = ran
        .out
        .lines()
        .skip_while(|line| !line.starts_with("recipe "))
        .take(6)
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(rows[0].last(), Some(&"stuck"));
    // One of each process; under the other recipe none.
    for (row, recipe, stuck) in [(2, "bw", "1"), (3, "bw", "1"), (4, "leftover", "0")] {
        assert_eq!((rows[row][0], rows[row].last()), (recipe, Some(&stuck)), "{}", ran.out);
        assert_eq!(rows[row].contains(&"STUCK"), stuck == "1", "{}", ran.out);
    }
    assert_ne!(rows[2][1], rows[3][1]);
    let words = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    for said in [
        "stuck = launches that never ended",
        "Stuck: bw: 1 launch of `all` in urgent never ended, and nothing more could happen",
        "warning: 2 launches under bw never ended",
    ] {
        assert!(words.contains(said), "{said}\n{}", ran.out);
    }

    // The results are there all the same, and say it too.
    let file = |name: &str| fs::read_to_string(place.path().join("out").join(name)).unwrap();
    let summary: Value = serde_json::from_str(&file("summary.json")).unwrap();
    assert_eq!(summary["stuck"], serde_json::json!(["bw"]));
    assert_eq!(summary["recipes"][0]["summary"]["stuck"], 2);
    assert_eq!(summary["recipes"][1]["summary"]["stuck"], 0);
    assert!(file("report.html").contains(">STUCK<"));
}

#[test]
fn so_does_the_document() {
    let ran = place().raddle(&[&REPLAY[..], &["--no-files", "--format", "json"]].concat());
    assert_eq!(ran.code, 3);
    let document: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(document["stuck"], serde_json::json!(["bw"]));
    let warning = "2 launches under bw never ended: with `backfill = false`";
    let warnings = document["warnings"].as_array().unwrap();
    assert!(warnings.iter().any(|it| it.as_str().unwrap().starts_with(warning)), "{warnings:?}");
    let why = &document["recipes"][0]["never-ended"];
    assert_eq!(why["fault"], false, "{why}");
}

#[test]
fn where_all_launches_end_nothing_is_said_of_it() {
    let place = place();
    let ran = place.raddle(&["replay", "infer.csv", "-v", "--recipe", "bw.toml", "--no-files"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    assert!(!ran.out.to_lowercase().contains("stuck"), "{}", ran.out);
    let args = ["replay", "infer.csv", "--recipe", "bw.toml", "--no-files", "--format", "json"];
    let document: Value = serde_json::from_str(&place.raddle(&args).out).unwrap();
    assert_eq!(document["stuck"], serde_json::json!([]));
}

#[test]
fn exit_codes_are_in_the_help_and_in_the_readme() {
    let place = Place::new();
    let help = place.raddle(&["--help"]).out;
    assert!(
        help.contains("Exit status: 0 done; 1 the input is refused; 2 wrong usage; 3 launches")
    );
    let readme = include_str!("../../README.md").split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(readme.contains("2: wrong usage; 3: a replay ended with launches that never ended"));
}
