//! Is every input that cannot be replayed refused with what, where and what to do, leaving nothing?

use std::fs;

use crate::common::{Place, Ran, bare_table, infer, kernel, table, trace, train};

/// Line that lists the topics of `golden` and `explain`.
const TOPICS: &str =
    "topics: bitmap, windows, split, balance, place, match, placement, sm, slices, preempt, packet";

/// Replays into the folder `out`, and checks that this is refused with these words and leaves no
/// files.
fn refused(place: &Place, args: &[&str], words: &[&str]) -> Ran {
    refused_with(1, place, args, words)
}

/// Checks a refusal as [`refused`] does, with this exit code.
fn refused_with(code: i32, place: &Place, args: &[&str], words: &[&str]) -> Ran {
    let ran = place.raddle(&[&["replay", "--out", "results/out"], args].concat());
    assert_eq!(ran.code, code, "{ran:?}");
    assert!(ran.err.starts_with("error: "), "{}", ran.err);
    assert_eq!(ran.err.trim_end().lines().count(), 1, "one paragraph: {}", ran.err);
    for word in words {
        assert!(ran.err.contains(word), "`{word}` is missing in: {}", ran.err);
    }
    assert_eq!(ran.out, "");
    assert!(place.names("results").is_empty() && !place.path().join("results").exists());
    ran
}

/// Checks that a file with this text is refused with these words.
fn refused_text(name: &str, text: impl AsRef<[u8]>, words: &[&str]) {
    let place = Place::new();
    place.file(name, text);
    refused(&place, &[name], &[&[name], words].concat());
}

#[test]
fn text_that_is_no_profile() {
    refused_text("notes.txt", "dear diary\n", &["looks like text of another kind", "launch table"]);
    refused_text("bad.json", "{]", &["not valid JSON", "byte", "export the trace again"]);
}

#[test]
fn json_of_something_else() {
    let text = r#"{"measurements":[{"metadata":{}}]}"#;
    refused_text("other.json", text, &["JSON but no profile", "traceEvents"]);
    let text = r#"{"rocprofiler-sdk-tool":[{"metadata":{}}]}"#;
    refused_text("empty.json", text, &["without kernel dispatches", "record again"]);
}

#[test]
fn a_trace_without_kernels() {
    let event = r#"{"ph":"X","cat":"cpu_op","name":"aten::add","pid":9,"tid":9,"ts":10,"dur":3}"#;
    refused_text("cpu.json", trace("", &[event]), &["no GPU kernels", "cpu_op", "record"]);
}

#[test]
fn a_profile_of_no_device() {
    let text = bare_table(&["k 1 80 128 32 0 0 0 1000"]);
    refused_text(
        "bare.csv",
        text,
        &["no device data in bare.csv and no --device", "raddle devices"],
    );
}

#[test]
fn a_profile_of_a_device_that_nobody_knows() {
    let text = bare_table(&["k 1 80 128 32 0 0 0 1000"]);
    let text = format!("# raddle launch table 1\n# device = v101\n{text}");
    refused_text(
        "new.csv",
        text,
        &["`v101`, is not in the table", "Did you mean `v100`?", "--device"],
    );
}

#[test]
fn a_device_that_is_not_in_the_table() {
    let place = Place::new();
    place.file("train.csv", train());
    let words = ["no device a1000", "Did you mean `a100`?", "raddle devices"];
    refused_with(2, &place, &["train.csv", "--device", "a1000"], &words);
}

#[test]
fn ends_before_starts() {
    let text = trace("", &[&kernel("k", 20, -5), &kernel("k", 30, -1)]);
    refused_text("back.json", text, &["malformed", "record again"]);
    let text = table(&[]).replace("duration_ns", "end_ns") + "k,1,80,1,1,128,1,1,32,0,0,500,400\n";
    refused_text("back.csv", text, &["line 4", "`end_ns`"]);
}

#[test]
fn a_folder() {
    let place = Place::new();
    fs::create_dir(place.path().join("runs")).unwrap();
    refused(&place, &["runs"], &["runs is a folder", "name the profile file"]);
}

#[test]
fn a_file_that_is_not_there_or_may_not_be_read() {
    let place = Place::new();
    refused(&place, &["gone.json"], &["gone.json cannot be read", "check the path"]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let path = place.path().join(place.file("secret.json", "{}"));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o0)).unwrap();
        if fs::read(&path).is_ok() {
            println!("skipped: this user may read everything");
            return;
        }
        refused(&place, &["secret.json"], &["secret.json cannot be read", "permissions"]);
    }
}

#[test]
fn an_empty_file() {
    refused_text("empty.json", "", &["is empty", "record again"]);
}

#[test]
fn recipes_that_cannot_be_used() {
    let place = Place::new();
    place.file("train.csv", train());
    let recipe = |text: &str, words: &[&str]| {
        place.file("mine.toml", text);
        refused(&place, &["train.csv", "--recipe", "mine.toml"], words);
    };
    recipe(
        "raddle = 1\n[trun]\npolicy = \"everyone\"",
        &["recipe mine.toml, line 2, `trun`", "did you mean `turn`", "Example: `turn = {"],
    );
    recipe("raddle = 1\n[turn]\npolicy = \"everyon\"", &["line 3", "did you mean `everyone`"]);
    recipe("raddle = 2", &["version 2", "reads version 1"]);
    recipe("raddle = ", &["recipe mine.toml, line 1: this is not valid TOML"]);
    let slices = "raddle = 1\n[turn]\npolicy = \"weighted-slices\"\nrule = \"mean\"\n";
    recipe(
        &format!("{slices}t0-us = \"5 ms\""),
        &[
            "mine.toml, line 5, `turn.t0-us`: ",
            "a whole number from 0 to",
            "found the text \"5 ms\"",
        ],
    );
    // A setting that only its policy can judge is refused by its key too, before anything runs.
    recipe(
        &format!("{slices}t0-us = 200\nlongest-us = 100"),
        &["mine.toml, line 6, `turn.longest-us`: 100 microseconds", "`t0-us = 200`"],
    );
    recipe(
        "raddle = 1\n[allocate]\npolicy = \"matching\"\nsearch = { grouped = { groups = 7 } }",
        &["mine.toml, line 4, `allocate.search`: ", "7 groups do not divide", "search = \"full\""],
    );
    let words = ["no recipe leftover-drian", "Did you mean `leftover-drain`?", "raddle recipes"];
    refused_with(2, &place, &["train.csv", "--recipe", "leftover-drian"], &words);
}

/// Checks that the refusal of a workgroup that a search does not place names the search.
#[test]
fn a_refusal_that_a_search_caused_says_so() {
    let place = Place::new();
    let rows = ["small 1 80 128 32 1024 0 0 1000", "half 1 80 128 32 49152 0 2000 1000"];
    place.file("two.csv", table(&rows));
    for (search, name, reported) in [
        ("{ sampled = { amounts = [1, 2, 4, 128] } }", "sampled", "32,768"),
        ("{ sampled = { amounts = [1, 2, 4, 192] } }", "", ""),
        ("\"full\"", "", ""),
    ] {
        let text = format!("raddle = 1\n[allocate]\npolicy = \"matching\"\nsearch = {search}");
        place.file("mine.toml", text);
        let args = ["replay", "two.csv", "--recipe", "mine.toml", "--no-files", "-v"];
        let ran = place.raddle(&args);
        assert_eq!(ran.code, if name.is_empty() { 0 } else { 3 }, "{}", ran.err);
        let document = place.raddle(&[&args[..], &["--format", "json"]].concat()).out;
        let document: serde_json::Value = serde_json::from_str(&document).unwrap();
        let refusals = &document["recipes"][0]["refusals"];
        if name.is_empty() {
            assert_eq!(refusals, &serde_json::json!([]), "{search}");
            continue;
        }
        let words = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
        let said = format!(
            "lds: a workgroup wants 49,152 bytes of shared memory; an empty compute unit has 98,304 in one run, but the search `{name}` of the recipe reports only {reported} of it: with `search = \"full\"` it would run"
        );
        assert!(words.contains(&said), "{said}\n{}", ran.out);
        assert_eq!(
            refusals[0]["unreported"],
            serde_json::json!({"search": name, "there-is": 98304})
        );
    }
    // A workgroup that is larger than any compute unit is no matter of the search.
    place.file("huge.csv", table(&["huge 1 80 128 32 98305 0 0 1000", rows[0]]));
    let text = "raddle = 1\n[allocate]\npolicy = \"matching\"\nsearch = { sampled = {} }";
    place.file("mine.toml", text);
    let args = ["replay", "huge.csv", "-v", "--recipe", "mine.toml", "--no-files", "--partial"];
    let ran = place.raddle(&args);
    let words = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("98,560 bytes of shared memory, at most 98,304 can be had"), "{words}");
    assert!(!ran.out.contains("the search"), "{}", ran.out);
}

#[test]
fn a_profile_of_which_nothing_can_run() {
    let rows = ["huge 1 80 128 32 98305 0 0 1000", "none 1 0 128 32 0 0 2000 1000"];
    let place = Place::new();
    place.file("huge.csv", table(&rows));
    let words = ["none of the 2 launches can run", "98.5 KB of shared memory", "--device"];
    refused(&place, &["huge.csv"], &words);
}

/// Checks that a grid with more rounds than nanoseconds is refused as a fault of the file, as no
/// device can have run it.
#[test]
fn a_grid_that_cannot_have_run_in_its_duration() {
    let place = Place::new();
    place.file("huge.csv", table(&["k 1 2000000000 256 32 0 0 0 1000000"]));
    let why = "its grid has 2000000000 workgroups, and at most 640000000 can have run in its duration, a nanosecond a round: the grid or the duration is wrong in the file";
    refused(&place, &["huge.csv"], &[why]);
}

#[test]
fn one_bad_profile_refuses_all() {
    let place = Place::new();
    place.file("train.csv", train());
    place.file("infer.csv", "");
    refused(&place, &["train.csv", "infer.csv"], &["infer.csv is empty"]);
}

#[test]
fn an_output_folder_of_somebody_else_stays_as_it_is() {
    let place = Place::new();
    place.file("train.csv", train());
    fs::create_dir(place.path().join("mine")).unwrap();
    place.file("mine/diary.txt", "dear diary");
    let ran = place.raddle(&["replay", "train.csv", "--out", "mine"]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.err.contains(
            "mine is there already and stays as it is (it holds files, but no .raddle.json"
        ),
        "{}",
        ran.err
    );
    assert_eq!(place.names("mine"), ["diary.txt"]);
    assert_eq!(place.names("."), ["mine", "train.csv"]);
}

#[test]
fn wrong_usage() {
    let place = Place::new();
    place.file("train.csv", train());
    place.file("infer.csv", infer());
    for (args, words) in [
        (&["repaly", "train.csv"][..], &["repaly", "replay"][..]),
        (&["replay", "train.csv", "--divice", "v100"], &["--divice", "--device"]),
        (&["replay"], &["PROFILE"]),
        (&["--format", "xml"], &["xml", "text", "json"]),
        (&["replay", "train.csv", "--jobs", "0"], &["--jobs", "0"]),
        (&["replay", "train.csv", "--priority", "train"], &["--priority", "no `=LEVEL`"]),
        (&["replay", "train.csv", "--start", "train.csv=soon"], &["--start", "ns, us, ms or s"]),
        (
            &["replay", "train.csv", "--start", "tarin.csv=1ms"],
            &["--start tarin.csv", "they are train"],
        ),
        (&["replay", "train.csv", "--share", "train.csv=0"], &["--share", "whole number from 1"]),
        (&["replay", "train.csv", "--out", "a", "--no-files"], &["--out", "--no-files"]),
        (&["replay", "train.csv", "--events", "x"], &["--events"]),
        (&["--out", "a", "replay", "train.csv"], &["behind the verb"]),
        (&["recipes", "--save", "mine.toml"], &["--show"]),
        (&["golden", "placment"], &["no topic `placment`", "Did you mean `placement`?", TOPICS]),
    ] {
        let ran = place.raddle(args);
        assert_eq!(ran.code, 2, "{args:?}: {ran:?}");
        for word in words {
            assert!(ran.err.contains(word), "`{word}` is missing in: {}", ran.err);
        }
        assert_eq!(ran.out, "", "{args:?}");
    }
    assert_eq!(place.names("."), ["infer.csv", "train.csv"], "nothing was written");
}

#[test]
fn a_profile_where_a_verb_should_stand() {
    let place = Place::new();
    place.file("train.csv", train());
    let ran = place.raddle(&["train.csv"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("did you mean `raddle replay train.csv`?"), "{}", ran.err);
    assert!(!place.raddle(&["trian.csv"]).err.contains("did you mean"));
}

#[test]
fn the_current_folder_is_never_replaced() {
    let place = Place::new();
    place.file("train.csv", train());
    for folder in [".", ".."] {
        let ran = place.raddle(&["replay", "train.csv", "--out", folder]);
        assert_eq!(ran.code, 1, "{}", ran.err);
        assert!(ran.err.contains("current folder"), "{}", ran.err);
    }
    assert_eq!(place.names("."), ["train.csv"]);
}

#[test]
fn one_profile_that_cannot_run_does_not_stop_the_others_where_the_rest_will_do() {
    let place = Place::new();
    place.file("huge.csv", table(&["huge 1 80 128 32 98305 0 0 1000"]));
    place.file("train.csv", train());
    let args = ["replay", "huge.csv", "train.csv", "-v", "--recipe", "leftover"];
    let ran = place.raddle(&args);
    assert_eq!(ran.code, 1, "{}", ran.out);
    assert!(ran.err.contains("100.0% of the kernel time of huge.csv can never run"), "{}", ran.err);
    let ran = place.raddle(&[&args[..], &["--partial"]].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
    let words = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("1 launch of `huge` in huge: lds"), "{words}");
}

#[test]
fn a_grid_that_no_device_can_have_run_is_refused() {
    let place = Place::new();
    let rows = ["vast 1 4294967295 128 32 0 0 0 1000", "fine 1 80 128 32 0 0 2000 1000"];
    place.file("vast.csv", table(&rows));
    let ran = place.raddle(&["replay", "vast.csv", "-v", "--partial", "--recipe", "leftover"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let words = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("at most 1,280,000 can have run"), "{words}");
}

#[cfg(not(feature = "live"))]
#[test]
fn what_was_built_without_live_programs_says_what_to_build() {
    let place = Place::new();
    place.file("log", "{\"raddle-log\":1,\"live\":\"daemon\"}\n");
    for args in [&["live", "status"][..], &["log", "log", "--replay"]] {
        let ran = place.raddle(args);
        assert_eq!((ran.code, ran.out.as_str()), (1, ""));
        let what = if cfg!(target_os = "linux") { "--features live" } else { "Linux alone" };
        assert!(ran.err.contains(what), "{}", ran.err);
    }
}
