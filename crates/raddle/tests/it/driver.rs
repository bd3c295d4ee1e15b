//! Does the command recommend only what the driver of the device offers, and fail where nothing of
//! that meets the goals?

use serde_json::Value;

use crate::common::{Place, bare_table, table};

/// Makes a folder with a program of one long launch and one of a short urgent launch: under MPS the
/// urgent one waits for all of the long one, with drain for one round of its workgroups.
fn place() -> Place {
    let place = Place::new();
    place.file("long.csv", table(&["a 1 640000 1024 32 0 0 0 40000000"]));
    place.file("urgent.csv", table(&["b 1 80 1024 32 0 1000 1000 10000"]));
    place
}

/// Returns the result of a replay of two equal programs of one small launch each on a device, under
/// these recipes: side by side they end in half the time that they take in turns.
fn result(place: &Place, device: &str, recipes: &[&str]) -> Value {
    for file in ["one.csv", "two.csv"] {
        place.file(file, bare_table(&["a 1 2 64 16 0 0 0 40000000"]));
    }
    let recipes = recipes.iter().flat_map(|recipe| ["--recipe", recipe]);
    let words = ["replay", "one.csv", "two.csv", "--device", device, "--no-files"];
    let rest = ["--once", "--contention=none", "--format=json"];
    let words: Vec<&str> = words.into_iter().chain(rest).chain(recipes).collect();
    let ran = place.raddle(&words);
    assert_eq!(ran.code, 0, "{}", ran.err);
    serde_json::from_str(&ran.out).expect("it is JSON")
}

/// Checks MPS, which is NVIDIA's, on devices of both vendors, and on the device of a patent, which
/// has no driver.
#[test]
fn what_the_vendor_lacks_is_not_recommended() {
    let place = Place::new();
    let elsewhere = "mps is best, but this device's driver does not offer it: ";
    for (device, kind, begin, offered, nearest) in [
        ("v100", "use", "Use mps: ", [true, true], None),
        ("mi100", "no-driver", elsewhere, [true, false], Some("streams")),
        ("seed-000", "no-driver", elsewhere, [false, false], None),
    ] {
        let found = result(&place, device, &["time-slice", "mps"]);
        let told = &found["answer"]["verdict"];
        assert_eq!(told["kind"], kind, "{device}: {told}");
        assert!(told["text"].as_str().unwrap().starts_with(begin), "{device}: {told}");
        let rows = found["answer"]["rows"].as_array().unwrap();
        let row: Vec<&Value> = rows.iter().map(|row| &row["offered"]).collect();
        assert_eq!(row, offered, "{device}");
        assert_eq!(found["no-driver"]["nearest"].as_str(), nearest, "{device}");
    }
}

/// Checks recipes of the user: a copy of what a driver offers is offered whatever its name, and one
/// with slices that no driver has is not.
#[test]
fn a_recipe_of_the_user_is_offered_where_it_is_what_a_driver_does() {
    let place = Place::new();
    let ran = place.raddle(&["recipes", "--show", "time-slice"]);
    for (us, is_offered) in [("2400", true), ("300", false)] {
        let text = ran.out.replace("slice-us = 2270", &format!("slice-us = {us}"));
        place.file("mine.toml", text.replace("switch-ns = 151500", "switch-ns = 114000"));
        let found = result(&place, "v100", &["mps", "mine.toml"]);
        let row = &found["answer"]["rows"][1];
        assert_eq!((&row["recipe"], &row["offered"]), (&"mine".into(), &is_offered.into()), "{us}");
    }
}

/// Checks the exit code where a goal is met by a recipe alone that no driver offers: that of a goal
/// that is missed, unless policies are studied that no driver has.
#[test]
fn a_goal_that_only_what_no_driver_offers_meets_is_missed() {
    let place = place();
    let both = ["--recipe=mps", "--recipe=leftover-drain"];
    let varied = ["--vary=recipe=mps,leftover-drain"];
    let drain = ["--recipe=leftover-drain"];
    let windows = ["--recipe=leftover-drain", "--vary=window=8,16"];
    let today = ["--recipe=leftover-drain", "--goal=long end +50%"];
    for (verb, recipes, limit, code) in [
        ("replay", &both[..], "1ms", 5),
        ("replay", &both, "1s", 0),
        ("replay", &drain, "1ms", 0),
        ("replay", &drain, "1us", 5),
        // Today's way, which a driver offers, is replayed for the other goal alone.
        ("replay", &today, "1ms", 0),
        ("tune", &varied, "1ms", 5),
        ("tune", &varied, "1s", 0),
        ("tune", &windows, "1ms", 0),
        ("tune", &windows, "1us", 5),
    ] {
        let words =
            [verb, "long.csv", "urgent.csv", "--device=v100", "--priority=long=5", "--once"];
        let goal = format!("--goal=urgent end {limit}");
        let files = if verb == "tune" { "--save=tuned.toml" } else { "--no-files" };
        let rest = [goal.as_str(), "--contention=none", files, "--quiet"];
        let ran = place.raddle(&[&words[..], recipes, &rest].concat());
        assert_eq!(ran.code, code, "{verb} {recipes:?} {limit}: {}{}", ran.out, ran.err);
        let told =
            ran.err.contains("leftover-drain meets the goal, but no driver offers it; of those");
        assert_eq!(told, code == 5 && limit == "1ms", "{verb} {recipes:?}: {}", ran.err);
    }
}
