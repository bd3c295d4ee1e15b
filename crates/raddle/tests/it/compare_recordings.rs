//! Does `raddle compare` say what differs between two recordings of one program?

use crate::common::{Place, kernel, table, trace};
use crate::compare::json;

#[test]
fn two_recordings_of_one_program_stand_side_by_side() {
    let place = Place::new();
    // The host of the second issues late, and its copy takes longer.
    place.file(
        "before.csv",
        table(&["gemm<4> 1 640 256 64 0 0 5000 90000", "add_1 1 80 128 32 0 10 96000 4000"]),
    );
    place.file(
        "after.csv",
        table(&["gemm<8> 1 640 256 64 0 0 5000 80000", "add_2 1 80 128 32 0 150000 155000 5000"]),
    );
    let ran = place.raddle(&["compare", "before.csv", "after.csv"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    insta::assert_snapshot!("profiles", ran.out);
    assert!(ran.out.lines().all(|line| line.chars().count() <= 100), "{}", ran.out);
    let told = json(&place, &["before.csv", "after.csv"]);
    assert_eq!(told[0]["profiles"], serde_json::json!(["before", "after"]));
    assert_eq!(told[0]["families"][0]["family"], "gemm");
    assert_eq!(told[0]["families"][0]["launches"][1]["total-ns"], 80_000);
    // Gates and results beside profiles are refused.
    let ran = place.raddle(&["compare", "before.csv", "after.csv", "--fail-if", "makespan > +5%"]);
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert!(ran.err.contains("these are profiles"), "{}", ran.err);
    place.file("hostile.csv", table(&["a\u{1b}[31m<b> 1 640 256 64 0 0 5000 90000"]));
    let ran = place.raddle(&["compare", "before.csv", "hostile.csv"]);
    assert!(ran.code == 0 && !ran.out.contains('\u{1b}'), "{}", ran.out);
}

/// Checks that a comparison of recordings names the kernels that grew most where all kernels took
/// longer, although another that shrank changed more; and that kernels of one recording alone are
/// told together, as they may do the same work.
#[test]
fn what_got_slower_is_named_beside_what_vanished() {
    let place = Place::new();
    let old = [kernel("gemm", 0, 200), kernel("old", 300, 100)];
    let new = [kernel("gemm", 0, 200), kernel("one", 300, 80), kernel("two", 400, 75)];
    let of = |events: &[String]| trace("", &events.iter().map(String::as_str).collect::<Vec<_>>());
    place.file("before.json", of(&old));
    place.file("after.json", of(&new));
    let told = |args: &[&str]| {
        let ran = place.raddle(&[&["compare"], args].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
        ran.out.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let old = [kernel("gemm", 0, 200), kernel("add", 300, 100), kernel("mul", 500, 100)];
    let new = [kernel("gemm", 0, 90), kernel("add", 300, 180), kernel("mul", 500, 175)];
    place.file("old.json", of(&old));
    place.file("new.json", of(&new));
    let slower = told(&["old.json", "new.json"]);
    let wanted = "Of the kernels `gemm` changed most (-110 us), `add` grew most (+80.0 us).";
    assert!(slower.contains(wanted), "{slower}");
    let faster = told(&["new.json", "old.json"]);
    let wanted = "Of the kernels `gemm` changed most (+110 us), `add` shrank most (-80.0 us).";
    assert!(faster.contains(wanted), "{faster}");
    let slower = told(&["before.json", "after.json"]);
    let wanted = "Kernels of A alone took 100 us (the longest `old`), those of B alone 155 us (`one`), \
                  perhaps for the same work.";
    assert!(slower.contains(wanted), "{slower}");
    let faster = told(&["after.json", "before.json"]);
    let wanted = "Kernels of A alone took 155 us (the longest `one`), those of B alone 100 us (`old`), \
                  perhaps for the same work.";
    assert!(faster.contains(wanted), "{faster}");
}
