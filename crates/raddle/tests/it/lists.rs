//! Are the lists complete, and what `--show` prints fit to start from?

use crate::common::{Place, train};
use serde_json::Value;

#[test]
fn the_list_of_recipes() {
    let ran = Place::new().raddle(&["recipes"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    assert!(ran.out.lines().all(|line| line.chars().count() <= 120), "{}", ran.out);
    insta::assert_snapshot!("recipes", ran.out);
}

#[test]
fn a_recipe_that_is_shown_can_be_used_as_a_file() {
    let place = Place::new();
    place.file("train.csv", train());
    let list = place.raddle(&["recipes", "--format", "json"]);
    let list: Value = serde_json::from_str(&list.out).unwrap();
    for entry in list.as_array().unwrap() {
        let name = entry["name"].as_str().unwrap();
        for (format, file) in [("text", "mine.toml"), ("json", "mine.json")] {
            let shown = place.raddle(&["recipes", "--show", name, "--format", format]);
            assert_eq!(shown.code, 0, "{}", shown.err);
            place.file(file, &shown.out);
            let both = ["replay", "train.csv", "--recipe", name, "--recipe", file];
            // Of an H100 no turns were measured, so that time slices have those of the text.
            let more = ["--device=h100", "--format=json", "--no-files"];
            let ran = place.raddle(&[&both[..], &more].concat());
            let value: Value = serde_json::from_str(&ran.out).unwrap();
            assert_eq!(value["recipes"][1]["name"], "mine");
            assert_eq!(value["recipes"][0]["recipe"], value["recipes"][1]["recipe"]);
            assert_eq!(value["recipes"][0]["summary"], value["recipes"][1]["summary"]);
        }
    }
}

/// Checks that who names a policy where a recipe is asked for is told how a recipe names it.
#[test]
fn a_policy_is_no_recipe_and_says_where_it_stands() {
    let place = Place::new();
    place.file("one.csv", crate::common::train());
    for args in [
        &["recipes", "--show", "highest-level"][..],
        &["replay", "one.csv", "--no-files", "--recipe", "highest-level"],
    ] {
        let ran = place.raddle(args);
        assert_eq!(ran.code, 2, "{}", ran.err);
        let told = "`highest-level` is a policy for the slot turn: ";
        let shown = "`raddle recipes --show leftover-drain --save mine.toml` writes a recipe that names it as `turn.policy`";
        assert!(ran.err.contains(told) && ran.err.contains(shown), "{}", ran.err);
    }
    let set = ["--recipe=leftover-drain", "--set=turn.policy=highest-level"];
    let ran = place.raddle(&[&["replay", "one.csv", "--no-files"], &set[..]].concat());
    assert_eq!(ran.code, 0, "what is said can be done: {}", ran.err);
}

#[test]
fn devices_are_listed_and_shown() {
    let place = Place::new();
    let text = place.raddle(&["devices"]);
    assert!(text.out.lines().all(|line| line.chars().count() <= 140), "{}", text.out);
    let list: Value =
        serde_json::from_str(&place.raddle(&["devices", "--format", "json"]).out).unwrap();
    for device in list.as_array().unwrap() {
        let id = device["id"].as_str().unwrap();
        assert!(text.out.lines().any(|line| line.starts_with(&format!("{id} "))), "{id}");
        let shown = place.raddle(&["devices", "--show", id]);
        let shown: Value = toml::from_str(&shown.out).unwrap();
        assert_eq!(shown, *device);
    }
}

#[test]
fn a_device_from_a_file_is_replayed_on() {
    let place = Place::new();
    place.file("train.csv", train());
    let replay = |device: &str, scale: &str| {
        let args = ["replay", "train.csv", "--recipe", "leftover", "--device", device];
        let ran = place.raddle(&[&args[..], &["--scale", scale, "--no-files"]].concat());
        let told = ran.out + &ran.err;
        (ran.code, told.split_whitespace().collect::<Vec<_>>().join(" "))
    };
    let summary = |device: &str, scale: &str| -> Value {
        let args = ["replay", "train.csv", "--recipe", "leftover", "--device", device];
        let ran = place
            .raddle(&[&args[..], &["--scale", scale, "--no-files", "--format", "json"]].concat());
        serde_json::from_str(&ran.out).unwrap()
    };
    assert_eq!(place.raddle(&["devices", "--show", "v100", "--save", "mine.toml"]).code, 0);
    let text = std::fs::read_to_string(place.path().join("mine.toml")).unwrap();
    assert_eq!(summary("mine.toml", "none")["recipes"], summary("v100", "none")["recipes"]);
    place.file("mine.json", place.raddle(&["devices", "--show", "v100", "--format", "json"]).out);
    assert_eq!(summary("mine.json", "none")["recipes"], summary("v100", "none")["recipes"]);
    // Half the units, at half the clock.
    let half = text.replace("cus = 80", "cus = 40\nclock-mhz = 500");
    assert_ne!(half, text);
    place.file("half.toml", &half);
    let (code, told) = replay("half.toml", "none");
    assert!(code == 0 && told.contains("(v100, from a file, 40 SMs)"), "{told}");
    assert!(told.contains("is not scaled"), "{told}");
    let (code, told) = replay("half.toml", "clock");
    assert!(code == 1 && told.contains("the clock of v100 is not in the table"), "{told}");
    let (code, told) = replay("half.toml", "bandwidth");
    assert!(code == 0 && told.contains("is scaled by bandwidth, times 0.500"), "{told}");
    let end = |device: &str, scale: &str| {
        summary(device, scale)["recipes"][0]["summary"]["makespan-ns"].as_u64().unwrap()
    };
    assert!(end("half.toml", "none") > end("half.toml", "bandwidth"));
    for (broken, why) in [
        (text.replace("cus = 80", "cus = 0"), "cus"),
        (text.replace("cus = 80", "sms = 80"), ": an unknown key, expected one of `id`"),
        ("cus".to_owned(), "expected"),
    ] {
        place.file("broken.toml", broken);
        let (code, told) = replay("broken.toml", "none");
        assert!(code == 1 && told.contains("broken.toml holds no device"), "{told}");
        assert!(told.contains(why), "{why}: {told}");
    }
    let (code, told) = replay("h100.toml", "none");
    assert!(code == 1 && told.contains("h100.toml cannot be read"), "{told}");
}

#[test]
fn names_that_are_not_there_are_refused_with_the_nearest() {
    let place = Place::new();
    for (verb, name, near) in [("recipes", "gredy", "`greedy`"), ("devices", "v10", "`v100`")] {
        let ran = place.raddle(&[verb, "--show", name]);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""));
        assert!(ran.err.contains(name) && ran.err.contains(near), "{}", ran.err);
    }
}

#[test]
fn what_is_there_is_never_overwritten() {
    let place = Place::new();
    let save = ["recipes", "--show", "leftover-drain", "--save", "mine.toml"];
    let ran = place.raddle(&save);
    let told = (ran.code, ran.out.as_str(), ran.err.as_str());
    assert_eq!(told, (0, "leftover-drain is in mine.toml\n", ""));
    let saved = || std::fs::read_to_string(place.path().join("mine.toml")).unwrap();
    assert_eq!(saved(), place.raddle(&save[..3]).out);
    place.file("mine.toml", "my own");
    let ran = place.raddle(&save);
    assert_eq!((ran.code, ran.out.as_str()), (1, ""));
    assert_eq!(
        ran.err,
        "error: mine.toml is there already and stays as it is (it is never replaced): give another name\n"
    );
    assert_eq!(saved(), "my own");
    let ran = place.raddle(&["devices", "--show", "v100", "--save", "no/v100.toml"]);
    assert!(ran.code == 0 && place.path().join("no/v100.toml").exists(), "{ran:?}");
    // And no hint of ours writes over anything.
    for args in [["recipes"], ["--help"]] {
        let out = place.raddle(&args).out;
        assert!(out.contains("--save mine.toml") && !out.contains("> mine"), "{out}");
    }
}

#[test]
fn help_versions_completions_and_manual_pages() {
    let place = Place::new();
    let said = |args: &[&str]| {
        let ran = place.raddle(args);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{args:?}");
        ran.out
    };
    assert_eq!(said(&["--version"]), format!("raddle {}\n", env!("CARGO_PKG_VERSION")));
    assert!(said(&["--help"]).contains("Replay profiles"));
    assert!(said(&["replay", "--help"]).contains("--barriers"));
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = said(&["completions", shell]);
        assert!(script.contains("replay"), "{shell}");
        // The names of devices, recipes and ways of sharing; these two shells know no values.
        for name in ["mi300x", "weighted-slices", "mps-priority"] {
            assert!(
                ["elvish", "powershell"].contains(&shell) || script.contains(name),
                "{shell}: {name}"
            );
        }
    }
    assert!(said(&["man"]).starts_with(".ie"), "{}", said(&["man"]));
    assert!(said(&["man", "replay"]).contains("raddle\\-replay"));
    assert_eq!(place.raddle(&["man", "nothing"]).code, 2);
}
