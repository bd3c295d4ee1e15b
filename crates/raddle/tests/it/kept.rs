//! Is the fit of a profile kept for the next run, and does it change nothing but the time?

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::common::{Place, infer};

/// Replays a profile of the bundled pair with `cache` as the folder of kept fits.
fn replay(place: &Place, cache: &str, more: &[&str]) -> Output {
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/demo/decode.csv");
    Command::new(env!("CARGO_BIN_EXE_raddle"))
        .args(["replay", "--format", "json", "--no-files"])
        .arg(demo)
        .args(more)
        .env("RADDLE_CACHE", cache)
        .env("RADDLE_PROGRESS", "off")
        .current_dir(place.path())
        .output()
        .expect("the tool runs")
}

fn files(place: &Place) -> Vec<std::path::PathBuf> {
    let Ok(folder) = fs::read_dir(place.path().join("cache")) else { return Vec::new() };
    folder.map(|entry| entry.expect("an entry of a folder").path()).collect()
}

#[test]
fn a_kept_fit_gives_the_same_answer() {
    let place = Place::new();
    let first = replay(&place, "cache", &[]);
    assert!(first.status.success());
    let kept = files(&place);
    assert_eq!(kept.len(), 1, "one profile, one fit");
    let again = replay(&place, "cache", &[]);
    assert_eq!(again, first, "byte for byte, with the fit of the run before");

    // A fit is taken indeed: one that is changed changes the answer.
    let text = fs::read_to_string(&kept[0]).unwrap();
    let (before, behind) = text.split_once("\"launch-ns\":").unwrap();
    let behind = behind.split_once(',').unwrap().1;
    fs::write(&kept[0], format!("{before}\"launch-ns\":9000000,{behind}")).unwrap();
    assert_ne!(replay(&place, "cache", &[]).stdout, first.stdout);
    assert_eq!(replay(&place, "cache", &["--no-cache"]), first, "nothing kept is taken");

    // Another option of the fit is another key, and a file that was cut is none.
    replay(&place, "cache", &["--launch-latency", "none"]);
    assert_eq!(files(&place).len(), 2);
    fs::write(&kept[0], "{").unwrap();
    assert_eq!(replay(&place, "cache", &[]), first);
}

/// Checks that a fit belongs to the content of a profile: a file of another name finds it, and one
/// with another time does not.
#[test]
fn a_kept_fit_is_found_by_the_content_of_the_profile() {
    let place = Place::new();
    let fits = |file: &str, rows: String| {
        place.file(file, rows);
        let ran = Command::new(env!("CARGO_BIN_EXE_raddle"))
            .args(["replay", file, "--recipe=leftover", "--no-files"])
            .env("RADDLE_CACHE", "cache")
            .current_dir(place.path())
            .output()
            .expect("the tool runs");
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
        files(&place).len()
    };
    assert_eq!(fits("infer.csv", infer()), 1);
    assert_eq!(fits("renamed.csv", infer()), 1);
    let slower = infer().replace("150500,5000", "150500,5001");
    assert_ne!(slower, infer());
    assert_eq!(fits("infer.csv", slower), 2);
    let later = infer().replace("150000,150500", "150100,150500");
    assert_ne!(later, infer());
    assert_eq!(fits("infer.csv", later), 3);
}

#[test]
fn a_folder_that_cannot_be_written_costs_no_answer() {
    let place = Place::new();
    place.file("cache", "a file, and no folder");
    let kept = replay(&place, "cache", &[]);
    let off = replay(&place, "off", &[]);
    assert!(kept.status.success());
    assert_eq!(kept, off);
    assert!(!place.path().join("off").exists());
}
