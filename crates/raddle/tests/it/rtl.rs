//! Do `circuit` and `check-placement` do what docs/rtl.md says, and refuse the rest?
#![allow(clippy::unwrap_used, reason = "all of this is test code")]

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::Place;

fn page() -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/rtl.md")).unwrap()
}

fn table() -> String {
    let page = page();
    let (_, rest) = page.split_once("```csv\n").unwrap();
    rest.split_once("```").unwrap().0.to_owned()
}

#[test]
fn the_page_shows_what_the_check_prints() {
    let place = Place::new();
    place.file("placements.csv", table());
    let ran = place.raddle(&["check-placement", "placements.csv", "--fit", "first"]);
    assert_eq!(ran.code, 4, "{}", ran.err);
    let shown = format!(
        "```console\n$ raddle check-placement placements.csv --fit first\n{}```\n",
        ran.out
    );
    raddle_testkit::page_holds("docs/rtl.md", "findings", &shown);
    assert!(
        ran.out.contains("overlap 1") && ran.err.contains("2 findings"),
        "{} {}",
        ran.out,
        ran.err
    );
    let good = table().replace(",6,6,,0", ",0,6,,0");
    let ran = place.ask(&["check-placement", "-", "--fit", "vgpr=first"], good);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    assert!(ran.out.ends_with("starts: 3 of 3 as predicted\nno finding\n"), "{}", ran.out);
    let ran = place.raddle(&["check-placement", "placements.csv", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((ran.code, &report["findings"][0]["rule"]), (4, &"overlap".into()));
}

#[test]
fn tables_and_rules_that_say_nothing_are_refused() {
    let place = Place::new();
    let late = table().replace("\n13,free", "\n3,free");
    for (args, input, code, said) in [
        (&["-"][..], late, 1, "line 20: clock 3 is before clock 13"),
        (
            &["-"],
            table().replace("5,request,,1,1", "5,end,0,9,1"),
            1,
            "line 11: workgroup 9 was never placed",
        ),
        (&["-"], "clock\n".to_owned(), 1, "line 1: this is no placement table"),
        (&["-", "--fit", "lowest"], table(), 2, "give first, best, worst, next or ring"),
        (&["-", "--fit", "sgpr=first"], table(), 1, "`sgpr`, which the table does not declare"),
        (&["-", "--ring", "--fit", "first"], table(), 2, "two rules"),
        (&["-", "--lag", "5"], table(), 2, "give the rule that predicts them (`fit`)"),
        (&["absent.csv"], String::new(), 1, "absent.csv cannot be read"),
    ] {
        let ran = place.ask(&[&["check-placement"], args].concat(), input);
        assert!(ran.code == code && ran.err.contains(said), "{args:?}: {} {}", ran.code, ran.err);
    }
}

#[test]
fn a_circuit_is_three_files_and_replaces_an_earlier_one_alone() {
    let place = Place::new();
    let args = ["circuit", "full", "--blocks", "16", "--doublings", "--out", "full"];
    let ran = place.raddle(&args);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    assert!(ran.out.contains("120 AND, 120 OR with two inputs, 7 deep"), "{}", ran.out);
    let name = "raddle_full_16_doublings";
    let files = [
        ".raddle.json".to_owned(),
        format!("{name}.hex"),
        format!("{name}.v"),
        format!("{name}_bench.v"),
    ];
    assert_eq!(place.names("full"), files);
    let first = place.tree("full");
    assert_eq!(place.raddle(&args).code, 0);
    assert_eq!(place.tree("full"), first, "equal every time");
    place.file("full/mine.v", "mine");
    let ran = place.raddle(&args);
    assert!(ran.code == 1 && ran.err.contains("mine.v"), "{}", ran.err);
    let ran = place.raddle(&[
        "circuit",
        "shared",
        "--blocks",
        "128",
        "--clients",
        "128/64+48",
        "--layout",
        "halves",
        "--out",
        "shared",
        "--format",
        "json",
    ]);
    let written: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(written["and-gates"], 8129, "one gate at the border");
    for kind in ["choice", "headers"] {
        assert_eq!(place.raddle(&["circuit", kind, "--out", kind]).code, 0);
    }
}

/// Returns whether Verilator, which simulates Verilog, is installed; it must be under
/// `RADDLE_REQUIRE_RTL=1`.
fn has_verilator() -> bool {
    let found = Command::new("verilator").arg("-V").output().is_ok();
    assert!(found || std::env::var("RADDLE_REQUIRE_RTL").is_err(), "verilator is not installed");
    found
}

#[test]
fn the_printed_command_builds_and_runs_the_bench() {
    if !has_verilator() {
        return;
    }
    let place = Place::new();
    let args = "circuit sampled --blocks 17 --samples 2,5,11,17 --free 0 --shift right --out out";
    let ran = place.raddle(&args.split(' ').collect::<Vec<_>>());
    let command = ran.out.lines().last().unwrap();
    let folder = place.path().join("out");
    let bench = Command::new("sh").args(["-c", command]).current_dir(folder).output().unwrap();
    let said = [bench.stdout, bench.stderr].map(|it| String::from_utf8_lossy(&it).into_owned());
    assert!(
        bench.status.success() && said[0].contains(": 1000 lines equal"),
        "{command}: {said:?}"
    );
}

#[test]
fn parameters_that_make_no_circuit_are_refused_and_leave_nothing() {
    let place = Place::new();
    for (args, code, said) in [
        ("full", 2, "give `--blocks N`"),
        ("full --blocks 0", 2, "give at least 1"),
        ("full --blocks 5000", 2, "give at most 4096"),
        ("grouped --blocks 0", 2, "give at least 1"),
        ("grouped --blocks 16 --groups 0", 2, "one less than the blocks"),
        ("sampled --blocks 0", 2, "give at least 1"),
        ("sampled --blocks 0 --samples 1", 2, "give at least 1"),
        ("shared --blocks 0 --clients 1", 2, "give at least 1"),
        ("shared --blocks 8 --clients 0+4", 2, "give at least 1"),
        ("shared --blocks 8 --clients 4/", 2, "`` in `--clients`"),
        ("shared --blocks 8 --clients 2+2+2 --layout halves", 2, "halves are two"),
        ("sampled --blocks 4294967295 --samples 4294967295,4294967295", 2, "above the one before"),
        ("full --blocks 4294967296", 2, "--blocks"),
        ("grouped --blocks 16 --groups 5", 2, "a divisor of 16"),
        ("grouped --blocks 16 --groups 16", 2, "one less than the blocks"),
        ("grouped --blocks 18", 2, "groups of 4 do not divide"),
        ("sampled --blocks 4 --samples 1,2,3,4,5", 2, "amount 5 of 5"),
        ("sampled --blocks 4 --samples 2,2", 2, "each above the one before"),
        ("sampled --blocks 4 --samples 0", 2, "amounts from 1 to 4"),
        ("sampled --blocks 4 --doublings", 2, "made by jumps"),
        ("shared --blocks 8", 2, "give their blocks"),
        ("shared --blocks 8 --clients 4+x", 2, "`x` in `--clients`"),
        ("shared --blocks 8 --clients 4+5", 2, "the bound is 8"),
        ("full --blocks 8 --groups 2", 2, "`--groups` is for grouped"),
        ("choice --channels 1", 2, "1 channels make no circuit"),
        ("choice --levels 0", 2, "0 levels make no circuit"),
        ("choice --read-out", 2, "`--read-out` is for a search"),
    ] {
        let args: Vec<&str> =
            ["circuit"].into_iter().chain(args.split(' ')).chain(["--out", "out"]).collect();
        let ran = place.raddle(&args);
        assert!(ran.code == code && ran.err.contains(said), "{args:?}: {} {}", ran.code, ran.err);
        assert!(place.names(".").is_empty(), "{args:?}");
    }
}
