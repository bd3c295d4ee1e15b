//! Is a missing answer told as one, a wish that cannot be met as another, and a yes as a yes?
//!
//! Cases that fail, loads that are not searched, goals that nobody meets or that no process can
//! have, and warnings that can overturn an answer.

use std::fs;

use crate::common::{Place, Ran, bare_table, infer, kernel, table, trace, train};
use serde_json::Value;

/// Makes a folder with a pair of profiles whose names a shell would split.
fn place() -> Place {
    let place = Place::new();
    place.file("my train.csv", train());
    place.file("infer.csv", infer());
    place
}

const PAIR: [&str; 6] = [
    "my train.csv",
    "infer.csv",
    "--device=v100",
    "--requests=infer=1000/s",
    "--until=20ms",
    "--priority=my train=5",
];

fn asked(place: &Place, verb: &str, more: &[&str]) -> Ran {
    place.raddle(&[&[verb], &PAIR[..], more].concat())
}

fn json(ran: &Ran) -> Value {
    serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{}{}", ran.out, ran.err))
}

/// Returns the words of a text joined by blanks, however its lines are broken.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the text behind a label, up to the end of its line.
fn behind<'t>(text: &'t str, label: &str) -> &'t str {
    let (_, rest) = text.split_once(label).unwrap_or_else(|| panic!("{label}: {text}"));
    rest.lines().next().expect("a line").trim()
}

const LATE: [&str; 5] = [
    "--vary=load=1000..2000/s:1000",
    "--vary=recipe=leftover,sub/late.toml",
    "--goal=infer p99 20ms",
    "--seeds=2",
    "--out=rows.jsonl",
];

/// Checks a sweep with a recipe that does not exist yet: 4 of 8 cases have no answer, which is no
/// missed goal, and are run again later.
#[test]
fn a_case_that_failed_is_no_goal_missed_and_is_run_again() {
    let place = place();
    fs::create_dir(place.path().join("sub")).unwrap();
    let ran = asked(&place, "sweep", &LATE);
    assert_eq!(ran.code, 4, "{}", ran.err);
    let (out, err) = (words(&ran.out), words(&ran.err));
    let error = "there is no recipe sub/late.toml";
    assert!(err.contains("4 of 8 cases failed: load=1000/s recipe=late.toml seed=0"), "{err}");
    assert!(err.contains(error) && err.contains("mend the cause"), "{err}");
    for part in [
        "late.toml at none tried no answer: 1000/s failed at none tried",
        "leftover 2000/s 2000/s, the highest at none tried",
        "-> leftover goes furthest of those with an answer: all goals hold at load surely up to 2000/s, the highest tried.",
        "load=1000/s recipe=late.toml seed=0 and 3 more cases: there is no recipe",
    ] {
        assert!(out.contains(part), "{part}: {out}");
    }
    assert!(!out.contains("Goals: "), "the answer says it: {out}");
    let page = fs::read_to_string(place.path().join("rows.html")).unwrap();
    for text in [&out, &page] {
        assert!(!text.contains("not even the lowest"), "{text}");
    }
    assert!(page.contains("no answer: 1000/s failed") && page.contains(error));

    // The answer as data has the same failures.
    let ran = asked(&place, "sweep", &[&LATE[..], &["--format=json"]].concat());
    let summary = json(&ran);
    assert_eq!((ran.code, &summary["failed"]), (4, &4.into()));
    assert_eq!(summary["failures"].as_array().unwrap().len(), 4);
    assert_eq!(summary["failures"][0]["case"], "load=1000/s recipe=late.toml seed=0");
    assert!(summary["failures"][0]["error"].as_str().unwrap().contains(error));
    let late = summary["reaches"].as_array().unwrap().iter();
    let late = late.clone().find(|reach| reach["values"][0] == "late.toml").unwrap();
    assert_eq!((&late["up-to"], &late["without-answer"]), (&Value::Null, &"1000/s failed".into()));

    // Once the cause is mended the same command runs these cases, and only these.
    let rows = || fs::read_to_string(place.path().join("rows.jsonl")).unwrap();
    let marked = rows().replace("\"makespan-ns\":", "\"makespan-ns\":9");
    place.file("rows.jsonl", &marked);
    let leftover = place.raddle(&["recipes", "--show=leftover"]).out;
    fs::write(place.path().join("sub/late.toml"), leftover).unwrap();
    let ran = asked(&place, "sweep", &LATE);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    assert!(
        words(&ran.out).contains("late.toml 2000/s 2000/s, the highest at none"),
        "{}",
        ran.out
    );
    let after = rows();
    assert_eq!(after.lines().count(), 8, "{after}");
    assert!(!after.contains("\"error\""), "{after}");
    let good = |text: &str| -> Vec<String> {
        let marked = text.lines().filter(|line| line.contains("\"makespan-ns\":9"));
        marked.map(str::to_owned).collect()
    };
    assert_eq!(good(&after), good(&marked), "cases with figures are not run again");
    assert_eq!(good(&after).len(), 4);
}

#[test]
fn shards_and_searches_that_failed_say_so_too() {
    let place = place();
    let vary = ["--vary=recipe=leftover,late.toml", "--quiet"];
    for (shard, code) in [("1/2", 0), ("2/2", 4)] {
        let out = format!("--out=part-{}", &shard[..1]);
        let ran = asked(&place, "sweep", &[&vary[..], &["--shard", shard, &out]].concat());
        assert_eq!((ran.code, ran.out.as_str()), (code, ""), "{shard}: {}", ran.err);
        assert_eq!(ran.err.contains("1 of 1 case failed: recipe=late.toml"), code == 4);
    }
    let searches = "--vary=allocate.search=full,{grouped={groups=8}},{grouped={groups=7}}";
    let args = [searches, "--vary=allocate.decision={timing=\"one-clock\",clock-mhz=1500}"];
    let ran = asked(&place, "search-study", &[&args[..], &["--out=s.jsonl"]].concat());
    assert_eq!(ran.code, 4, "{}", ran.err);
    assert!(ran.err.contains("1 of 3 cases failed") && ran.err.contains("7 groups"), "{}", ran.err);
    assert!(ran.out.contains("allocate.search={grouped={groups=7}}: "), "{}", ran.out);
    let open = ran.out.lines().filter(|line| line.ends_with('?')).count();
    assert_eq!(open, 2, "the search that failed might be better: {}", ran.out);
}

/// Checks that `tune` and `replay` print the same where no candidate meets the goal: the printed
/// command is that replay, with equal digits.
#[test]
fn a_search_says_what_a_replay_of_the_same_says() {
    let place = place();
    let rest = ["--vary=share.infer=2,1", "--seeds=2"];
    // Today's way alone meets the last, so the replay finds one that does, and the search none.
    for (goal, turns, codes, kind) in [
        ("--goal=infer p99 1us", "20..320:*2", [5, 5], "no-goal-met"),
        ("--goal=my train step 1s", "20..320:*2", [0, 0], "no-driver"),
        ("--goal=my train step +0%", "20..80:*2", [5, 0], "stay"),
    ] {
        let turns = format!("--vary=turn.t0-us={turns}");
        let all = [&["--recipe=weighted-slices", turns.as_str()], &rest[..], &[goal]].concat();
        let ran = asked(&place, "tune", &all);
        assert_eq!(ran.code, codes[0], "{}{}", ran.out, ran.err);
        let tuned = json(&asked(&place, "tune", &[&all[..], &["--format=json"]].concat()));
        let verdict = &tuned["answer"]["verdict"];
        assert_eq!(verdict["kind"], kind, "{verdict}");
        let sentence = verdict["text"].as_str().unwrap();
        assert!(words(&ran.out).starts_with(&format!("-> {sentence}")), "{}", ran.out);
        assert!(!sentence.contains("Use "), "no driver has these slices: {sentence}");
        assert_eq!(sentence.contains("no driver offers it"), kind == "no-driver", "{sentence}");
        let saved = fs::read_to_string(place.path().join("raddle-out/tuned.toml")).unwrap();
        assert!(saved.contains(&format!("# {sentence}\n")), "{saved}");
        assert!(ran.out.contains("Saved: turn.t0-us="), "{}", ran.out);
        let (out, not) = (words(&ran.out), "the best of these but not recommended");
        assert_eq!(out.contains("does not meet all goals"), codes[0] == 5, "{out}");
        assert_eq!(out.contains(not), kind == "stay", "{out}");
        assert_eq!(saved.contains("\n# Not recommended"), kind == "stay", "{saved}");

        let next = behind(&ran.out, "\nNext: ");
        let replay = place.pasted(&format!("{next} --no-files --format=json"));
        assert_eq!(replay.code, codes[1], "{next}\n{}", replay.err);
        let replay = json(&replay);
        assert_eq!(replay["answer"]["verdict"]["kind"], kind, "{next}");
        for (row, of) in [&tuned["base"], &tuned["best"][0]].into_iter().enumerate() {
            for process in 0..2 {
                let found = &replay["answer"]["rows"][row]["processes"][process]["decisive-ns"];
                assert_eq!(found, &of["figures"][process], "{next}");
            }
        }
    }
}

/// Checks that a candidate that equals the device's default way does not count as a second policy.
#[test]
fn a_candidate_that_is_today_counts_once() {
    let place = place();
    let told = |recipe: &str| {
        let args =
            ["tune", "infer.csv", "--device=v100", "--goal=infer end 10s", "--vary=share.infer=1"];
        let ran = place.raddle(&[&args[..], &["--once", &format!("--recipe={recipe}")]].concat());
        assert_eq!(ran.code, 0, "{ran:?}");
        words(&ran.out)
    };
    for today in ["today", "streams"] {
        let out = told(today);
        assert!(!out.contains("All 2") && !out.contains("will not help"), "{out}");
        assert!(out.starts_with("-> streams meets the goal."), "{out}");
    }
    assert!(told("leftover-drain").starts_with("-> All 2 policies meet the goal."));
}

#[test]
fn a_candidate_that_failed_is_named() {
    let place = place();
    let vary = ["--recipe=leftover", "--vary=turn.policy=everyone,nobody"];
    let ran = asked(&place, "tune", &vary);
    assert_eq!(ran.code, 4, "{}", ran.out);
    assert!(ran.err.contains("1 of 2 cases failed: turn.policy=nobody: "), "{}", ran.err);
    let out = words(&ran.out);
    assert!(out.contains("1 candidate failed, so nothing is said of it"), "{out}");
    assert!(out.starts_with("-> Of those that ran, "), "{out}");
    assert!(!out.contains(" goals ") && !out.contains(" met"), "no goal was given: {out}");
    let saved = fs::read_to_string(place.path().join("raddle-out/tuned.toml")).unwrap();
    assert!(saved.contains("\n# Of those that ran, "), "{saved}");
    let tuned = json(&asked(&place, "tune", &[&vary[..], &["--format=json"]].concat()));
    assert_eq!(tuned["failures"][0]["case"], "turn.policy=nobody");
    let goal = ["--goal=infer p99 1ns", "--quiet"];
    let ran = asked(&place, "tune", &[&vary[..], &goal].concat());
    assert!(ran.out.starts_with("Of those that ran, no policy meets "), "{ran:?}");
    assert_eq!(ran.code, 4, "{}", ran.err);
}

#[test]
fn goals_that_all_meet_are_said_to_be_met() {
    let place = place();
    let goal = "--goal=infer p99 1s";
    let ran = asked(&place, "replay", &[goal, "--out=out"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let yes = "All 4 policies meet the goal. ";
    assert!(ran.out.starts_with(&format!("-> {yes}")), "{}", ran.out);
    let header = ran.out.lines().find(|line| line.contains("policy")).unwrap();
    let table: Vec<&str> =
        ran.out.lines().filter(|line| line.trim_end().ends_with(" met")).collect();
    let header_of_table = ran.out.lines().any(|line| line.trim_end().ends_with(" goal"));
    assert!(header_of_table && table.len() >= 2, "{header}\n{}", ran.out);
    let page = fs::read_to_string(place.path().join("out/report.html")).unwrap();
    assert!(page.contains(yes.trim_end()));
    let summary = fs::read_to_string(place.path().join("out/summary.json")).unwrap();
    assert!(summary.contains(yes.trim_end()));
    let quiet = asked(&place, "replay", &[goal, "--goal=my train step +900%", "-q", "--no-files"]);
    assert!(
        quiet.out.starts_with("All 4 policies meet all goals (limit of `my train step +900%` "),
        "{}",
        quiet.out
    );
    let shared = asked(&place, "share", &[goal, "--no-files"]);
    assert_eq!(shared.code, 0, "{}", shared.err);
    let first = words(&shared.out);
    let all = " policies that a driver offers meet the goal. ";
    assert!(first.starts_with("-> All ") && first.contains(all), "{first}");
    assert!(shared.out.lines().any(|line| line.trim_end().ends_with(" goal")), "{}", shared.out);
    let one = asked(&place, "replay", &[goal, "-q", "--no-files", "--recipe=spatial"]);
    assert!(one.out.starts_with("spatial meets the goal. One policy alone"), "{}", one.out);
    // Where one misses it, or there is none, nothing of all is said.
    for args in [&["--goal=infer p99 60us", "--no-files"][..], &["--no-files"]] {
        let ran = asked(&place, "replay", args);
        assert!(!ran.out.contains("policies meet"), "{}", ran.out);
    }
}

/// Checks that the load limit is searched where a replay starts many workgroups, most of them in
/// periods that are skipped (100 requests of a million workgroups).
#[test]
fn a_load_is_searched_however_many_workgroups_are_skipped() {
    let place = Place::new();
    place.file("big one.csv", table(&["k 1 1000000 64 8 0 0 0 1000000"]));
    place.file("train.csv", train());
    let args = ["big one.csv", "train.csv", "--requests", "big one=1000/s", "--until=100ms"];
    let goal = ["--goal", "big one p99 1us", "--no-files", "--recipe=leftover"];
    let ran = place.raddle(&[&["replay"], &args[..], &goal].concat());
    assert_eq!(ran.code, 5, "{}", ran.err);
    let out = words(&ran.out);
    assert!(out.contains("What if: goals are surely missed even at 250 requests/s"), "{out}");
}

/// Checks that each warning that can make the answer wrong stands on the first screen in one line,
/// whatever else is there.
#[test]
fn what_can_overturn_the_answer_stands_on_the_first_screen() {
    let place = Place::new();
    let small = |rows: &[&str]| table(&[rows, &["k 1 80 64 8 0 0 0 95000"]].concat());
    place.file("huge.csv", small(&["huge 1 80 1024 255 0 0 0 5000"]));
    place.file("peers.csv", small(&["ncclAllReduce 1 8 512 32 0 0 100000 300000"]));
    place.file("guess.csv", bare_table(&["sm80_gemm 1 80 128 32 0 0 0 1000"]));
    place.file("none.csv", bare_table(&["k 1 80 128 32 0 0 0 1000"]));
    place.file("late.json", trace("", &[&kernel("k", 10, 10), &kernel("k", 40, 10)]));
    let copies = table(&["k 1 80 64 8 0 0 0 1000"]).replace("name,stream", "name,kind,stream");
    let copies = copies.replace("\nk,1,", "\nMemcpy,copy,1,,,,,,,,,0,1000,9000\nk,kernel,1,");
    place.file("copies.csv", copies);
    let whole = table(&["k 1 80 128 32 0 0 0 1000", "k 1 80 128 32 0 0 1500 100000"]);
    place.file("open.csv", whole.trim_end());
    place.file("cut.csv", &whole[..whole.len() - 16]);
    let lines = [
        ("huge.csv", "huge: 5.0% of kernel time never ran, figures lack it"),
        ("peers.csv", "peers: 75.9% of kernel time is communication (--comm)"),
        ("guess.csv", "guess: no device named; a100 for its sm80 kernels (--device)"),
        ("none.csv", "none: device unknown, taken as v100 (--device)"),
        ("late.json", "late: 100.0% without launch times, so recorded gaps are kept"),
        ("copies.csv", "copies: 90.0% of its time is copies of unknown direction"),
        ("cut.csv", "cut: the file is cut or damaged, so work may be missing"),
        ("open.csv", "open: the last line has no end, its last value may be cut"),
    ];
    place.file("train.csv", train());
    for (file, line) in lines.iter().copied().take(6) {
        // Each way of sharing is replayed, so that the figures of the line are those of the worst.
        let ran = place.raddle(&["share", "train.csv", file, "--no-files", "--partial"]);
        assert_eq!(ran.code, 0, "{file}: {}", ran.err);
        let screen = ran.out.split("\nSet it:").next().unwrap_or_default();
        assert!(screen.contains(&format!("\nwarning: {line}\n")), "{file}: {}", ran.out);
    }
    for (file, line) in lines {
        let files = ["replay", "train.csv", file, "--no-files", "--partial"];
        let ran = place.raddle(&files);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{file}");
        assert!(ran.out.contains(&format!("\nwarning: {line}\n")), "{file}: {}", ran.out);
        assert!(ran.out.lines().count() <= 20, "{}", ran.out);
        // Without the screen it is said all the same.
        let quiet = place.raddle(&[&files[..], &["-q"]].concat());
        assert_eq!(quiet.err, format!("warning: {line}\n"), "{file}");
        assert_eq!(quiet.out.lines().count(), 2, "{}", quiet.out);
        let found = json(&place.raddle(&[&files[..], &["--format=json"]].concat()));
        assert_eq!(found["overturning"], serde_json::json!([line]), "{file}");
        assert!(!found["warnings"].as_array().unwrap().is_empty(), "at length too");
    }
    let tune = ["tune", "train.csv", "peers.csv", "--recipe=leftover", "--vary=window=4,8"];
    let ran = place.raddle(&tune);
    assert!(ran.out.contains(&format!("\nwarning: {}\n", lines[1].1)), "{}", ran.out);
    // All of them on one screen, and none where there is no cause.
    let all: Vec<&str> = lines.map(|(file, _)| file).to_vec();
    let ran = place.raddle(&[&["replay", "train.csv", "--no-files"], &all[..]].concat());
    assert_eq!(ran.code, 3, "{}", ran.err);
    assert_eq!(ran.out.matches("\nwarning: ").count(), 8, "{}", ran.out);
    let mut warnings = ran.out.lines().filter(|line| line.starts_with("warning: "));
    assert!(warnings.all(|line| line.chars().count() <= 80), "{}", ran.out);
    let ran = place.raddle(&["replay", "train.csv", "none.csv", "--device=v100", "--no-files"]);
    assert!(!ran.out.contains("\nwarning: "), "who names the device knows: {}", ran.out);
    assert!(ran.out.contains("warnings: `-v` shows them"), "{}", ran.out);
}

/// Checks that an assumed device (several fit, or the table has only a similar one) is shown with
/// the reason.
#[test]
fn an_assumed_device_stands_on_the_first_screen_with_its_reason() {
    let place = Place::new();
    for (device, told) in [
        (
            "NVIDIA A100-SXM-64GB",
            "a100 assumed: the nearest in the table to `NVIDIA A100-SXM-64GB`",
        ),
        ("gfx1100", "rx-7900-xtx assumed: the only device of the table with that instruction set"),
    ] {
        let by_file = device.starts_with("NVIDIA");
        let name = if by_file { device } else { "v100" };
        place.file("t.csv", train().replace("device = v100", &format!("device = {name}")));
        let asked = format!("--device={device}");
        let asked = if by_file { &[][..] } else { &[&*asked] };
        let ran = place.raddle(&[&["replay", "t.csv", "--no-files"], asked].concat());
        assert!(words(&ran.out).contains(told), "{ran:?}");
    }
    // A heading too long for the screen goes on in the next line.
    let bare = r#"{"id":0,"computeMajor":9,"computeMinor":0,"numSms":132}"#;
    let events = crate::common::kernel("k", 5, 30);
    let unnamed = format!(r#"{{"deviceProperties":[{bare}],"traceEvents":[{events}]}}"#);
    place.file("unnamed.json", unnamed);
    place.file(
        "long.json",
        crate::common::trace("", &[&events])
            .replace("V100-SXM2-16GB", "V100-of-a-very-long-product-name")
            .replace("80}]", "72}]"),
    );
    let ran = place.raddle(&["replay", "unnamed.json", "--no-files"]);
    let told = "1 process on an unnamed device (described in the profile, 132 SMs), ";
    assert!(words(&ran.out).contains(told), "{ran:?}");
    let ran = place.raddle(&["replay", "long.json", "--no-files"]);
    let head = ran.out.lines().find(|line| line.starts_with("1 process on")).expect("a heading");
    assert!(!head.contains('…') && words(&ran.out).contains("72 SMs), "), "{ran:?}");
}

#[test]
fn a_time_far_from_all_others_stands_on_the_first_screen() {
    let place = Place::new();
    let hour = "k 1 80 128 32 0 0 3700000000000 1000";
    place.file("far.csv", table(&["k 1 80 128 32 0 0 0 1000", hour]));
    let line = "far: times lie far from all others, so the span says little";
    let ran = place.raddle(&["replay", "far.csv", "--once", "--no-files"]);
    assert!(ran.out.contains(&format!("\nwarning: {line}\n")), "{ran:?}");
    let ran = place.raddle(&["replay", "far.csv", "--once", "--no-files", "-v"]);
    assert!(words(&ran.out).contains("in the file of far: time-outlier 1: ops last"), "{ran:?}");
}

#[test]
fn ops_before_the_recording_began_stand_on_the_first_screen() {
    let place = Place::new();
    let trace = |early: i64| {
        let kernel = |at: i64| {
            let start = (at - 20) * 200 - if at < 20 { early } else { 0 };
            format!(
                r#"{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":1,"ts":{},"dur":2,"args":{{"correlation":{at}}}}},{{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":{start},"dur":100,"args":{{"stream":7,"device":0,"correlation":{at},"grid":[80,1,1],"block":[128,1,1],"registers per thread":32,"shared memory":0}}}}"#,
                start - 5
            )
        };
        let device = r#"{"id":0,"name":"Tesla V100-SXM2-16GB","numSms":80}"#;
        let kernels: Vec<String> = (0..60).map(kernel).collect();
        format!(r#"{{"deviceProperties":[{device}],"traceEvents":[{}]}}"#, kernels.join(","))
    };
    let host = "the host is too slow";
    let doubt = "Do not conclude how long t takes or how idle the GPU is";
    let told = "t: 20 ops start before 0, when the recording began: ";
    for (early, so, apart) in [
        (0, "their times may be wrong", false),
        (1_000_000, "they lie apart from the rest, so the span says little", true),
    ] {
        place.file("t.json", trace(early));
        let ran = place.raddle(&["replay", "t.json", "--no-files"]);
        let out = words(&ran.out);
        assert!(out.contains(&format!("{told}{so}")), "{ran:?}");
        assert_eq!((out.contains(host), out.contains(doubt)), (!apart, apart), "{ran:?}");
    }
}

/// Checks profiles of which nearly half of the kernel time can never run: they are refused, unless
/// the user accepts the rest.
#[test]
fn work_that_cannot_run_is_refused_unless_the_rest_will_do() {
    let place = Place::new();
    let rows = ["a 1 80 256 32 0 0 0 50000", "b 1 80 4096 32 0 0 50000 90000"];
    place.file("m.csv", table(&[&rows[..], &["c 1 80 256 32 0 0 140000 50000"]].concat()));
    place.file("train.csv", train());
    for args in [&["replay", "m.csv"][..], &["share", "m.csv", "train.csv", "--device=b200"]] {
        let ran = place.raddle(args);
        assert_eq!((ran.code, ran.out.as_str()), (1, ""));
        assert!(
            ran.err.contains("47.4% of the kernel time of m.csv can never run on"),
            "{}",
            ran.err
        );
        assert!(ran.err.contains("1 launch; the first: ") && ran.err.contains("--partial"));
    }
    let ran = place.raddle(&["replay", "m.csv", "--partial", "--no-files"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let line = "warning: m: 47.4% of kernel time never ran, figures lack it";
    assert!(ran.out.contains(line), "{}", ran.out);
    // A device on which it cannot run is a case without an answer.
    let ran = place.raddle(&["sweep", "m.csv", "--out=r.jsonl", "--recipe=leftover"]);
    assert!(ran.code == 4 && ran.err.contains("47.4%"), "{}", ran.err);
}

#[test]
fn a_priority_that_fits_nothing_is_wrong_usage() {
    let place = place();
    let asked = |verb: &str, rule: &str, more: &[&str]| {
        let rule = format!("--priority={rule}");
        let args = [&[verb], &PAIR[..5], &[rule.as_str()], more].concat();
        let ran = place.raddle(&args);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{}", ran.err);
        ran.err
    };
    let err = asked("replay", "ifner=5", &[]);
    assert!(err.contains("--priority ifner=5: it fits no stream of my train, infer"), "{err}");
    assert!(err.contains("Did you mean `infer`?"), "{err}");
    let err = asked("replay", "infer:stream 11=5", &[]);
    assert!(err.contains("Did you mean `infer:stream 1`?"), "{err}");
    for (verb, more) in [
        ("share", &[][..]),
        ("sweep", &["--out=x"]),
        ("tune", &["--vary=window=4,8"]),
        ("sweep", &["--out=x", "--vary=priority.tarin=1,2"]),
    ] {
        let rule = if more.len() > 1 { "infer=5" } else { "x=5" };
        assert!(asked(verb, rule, more).contains("it fits no stream"), "{verb}");
    }
    let ran = place.raddle(&[&["replay"], &PAIR[..], &["--share=ifner=2"]].concat());
    assert!(ran.code == 2 && ran.err.contains("Did you mean `infer`?"), "{}", ran.err);
}

#[test]
fn goals_have_one_exit_code_whichever_verb_asks() {
    let place = place();
    let verbs = [
        ("replay", &["--no-files"][..]),
        ("share", &["--no-files"]),
        ("sweep", &["--out=rows.jsonl", "--vary=share.infer=1,2"]),
        ("tune", &["--vary=window=4,8"]),
    ];
    for (verb, more) in verbs {
        let missed = asked(&place, verb, &[more, &["--goal=infer p99 1us"]].concat());
        assert_eq!(missed.code, 5, "{verb}: {}", missed.err);
        // Rows of one goal are of another question than those of the next.
        let _ = fs::remove_file(place.path().join("rows.jsonl"));
        let met = asked(&place, verb, &[more, &["--goal=infer p99 1s"]].concat());
        assert_eq!(met.code, 0, "{verb}: {}", met.err);
        for (goal, why) in [
            (
                "--goal=my train end 1us",
                "my train has no end: it repeats, so its goals are of a step",
            ),
            ("--goal=infer step +5%", "infer has no step: it is run by requests"),
            ("--goal=ifner p99 1us", "none of the profiles is called ifner"),
        ] {
            let wrong = asked(&place, verb, &[more, &[goal]].concat());
            assert_eq!((wrong.code, wrong.out.as_str()), (2, ""), "{verb} {goal}: {}", wrong.err);
            assert!(wrong.err.contains(why), "{verb}: {}", wrong.err);
        }
    }
    let alone = place.raddle(&["replay", "infer.csv", "--goal=infer p99 1ms"]);
    assert!(alone.code == 2 && alone.err.contains("it runs once"), "{}", alone.err);
    // By what a process is judged may differ from case to case.
    let more =
        ["--out=y", "--recipe=leftover", "--vary=once=false,true", "--goal=my train step 1s"];
    let ran = asked(&place, "sweep", &more);
    assert!(ran.code == 4 && ran.err.contains("once=true: "), "{}", ran.err);
}

#[test]
fn one_sentence_keeps_its_trust() {
    let place = place();
    let ran = asked(&place, "replay", &["-q", "--no-files"]);
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!((lines.len(), ran.err.as_str()), (2, ""), "{}", ran.out);
    assert!(lines[1].starts_with("Trust: Simulated. Replayed alone"), "{}", ran.out);
}
