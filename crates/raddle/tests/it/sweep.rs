//! Does `raddle sweep` run each case once, whatever stops it, and write equal rows whatever the
//! order?

use std::fs;

use crate::common::{Place, Ran, infer, table, train};
use serde_json::Value;

fn place() -> Place {
    let place = Place::new();
    place.file("train.csv", train());
    place.file("infer.csv", infer());
    place
}

const PAIR: [&str; 8] = [
    "sweep",
    "train.csv",
    "infer.csv",
    "--device",
    "v100",
    "--requests",
    "infer=1000/s",
    "--until=20ms",
];

fn sweep(place: &Place, out: &str, more: &[&str]) -> Ran {
    let ran = place.raddle(&[&PAIR[..], &["--out", out], more].concat());
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{}", ran.out);
    ran
}

/// Returns the lines of a file of rows, sorted by case.
fn sorted(place: &Place, file: &str) -> Vec<String> {
    let text = fs::read_to_string(place.path().join(file)).expect("the sweep wrote it");
    assert!(text.is_empty() || text.ends_with('\n'));
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.sort_unstable();
    lines
}

fn rows(place: &Place, file: &str) -> Vec<Value> {
    sorted(place, file).iter().map(|line| serde_json::from_str(line).expect("it is JSON")).collect()
}

const VARY: [&str; 6] =
    ["--vary", "load=1000..4000/s:*2", "--vary", "recipe=leftover,spatial", "--seeds=2", "--quiet"];

#[test]
fn rows_are_equal_whatever_the_number_of_threads_and_the_shards() {
    let place = place();
    sweep(&place, "one.jsonl", &[&VARY[..], &["--jobs=1"]].concat());
    sweep(&place, "three.jsonl", &[&VARY[..], &["--jobs=3"]].concat());
    let one = sorted(&place, "one.jsonl");
    assert_eq!(one.len(), 3 * 2 * 2);
    assert_eq!(one, sorted(&place, "three.jsonl"));
    for shard in ["1/2", "2/2"] {
        let out = format!("part-{}", &shard[..1]);
        sweep(&place, &out, &[&VARY[..], &["--shard", shard]].concat());
        assert_eq!(sorted(&place, &out).len(), 6);
        assert!(!place.path().join(format!("{out}.html")).exists(), "a part has no page");
    }
    let both = ["part-1", "part-2"].map(|part| fs::read(place.path().join(part)).unwrap()).concat();
    place.file("both.jsonl", both);
    sweep(&place, "both.jsonl", &VARY);
    assert_eq!(sorted(&place, "both.jsonl"), one, "nothing lacked, and nothing was run again");
    // The seal at the end is of the whole page, and so of the name in it.
    let page = |name: &str| {
        let text = fs::read_to_string(place.path().join(name)).unwrap();
        text.split_once("<!-- raddle-seal: ").expect("a seal").0.to_owned()
    };
    let (one, both) = (page("one.html"), page("both.html"));
    assert_eq!(one.replace("one.jsonl", "both.jsonl"), both);
    for part in ["How far each goes", "infer p99 by load", "pays at", "leftover"] {
        assert!(one.contains(part), "{part}");
    }
}

#[test]
fn a_sweep_goes_on_where_it_was_stopped() {
    let place = place();
    sweep(&place, "whole.jsonl", &VARY);
    let whole = fs::read_to_string(place.path().join("whole.jsonl")).unwrap();
    // Stopped in the middle of the sixth row; a mark shows that the others are not run again.
    let rows: Vec<&str> = whole.lines().collect();
    let marked = rows[0].replace("\"makespan-ns\":", "\"makespan-ns\":9");
    let stopped = [&[&*marked], &rows[1..5]].concat().join("\n") + "\n" + &rows[5][..20];
    place.file("again.jsonl", stopped);
    sweep(&place, "again.jsonl", &VARY);
    let again = sorted(&place, "again.jsonl");
    let mut expected: Vec<String> = rows[1..].iter().map(|row| (*row).to_owned()).collect();
    expected.push(marked);
    expected.sort_unstable();
    assert_eq!(again, expected);
    // A value more is a case more.
    sweep(&place, "again.jsonl", &[&VARY[..], &["--vary", "load=500/s"]].concat());
    assert_eq!(sorted(&place, "again.jsonl").len(), 16);
}

#[test]
fn rows_of_another_question_are_never_mixed_in() {
    let place = place();
    sweep(&place, "rows.jsonl", &VARY);
    let before = sorted(&place, "rows.jsonl");
    let refused = |args: &[&str]| {
        let ran = place
            .raddle(&[&["sweep", "train.csv", "infer.csv", "--out=rows.jsonl"], args].concat());
        assert_eq!(ran.code, 1);
        assert!(ran.err.contains("of another question"), "{}", ran.err);
    };
    let other = ["--device=v100", "--requests=infer=1000/s", "--until=4ms"];
    refused(&[&other[..], &VARY].concat());
    place.file("infer.csv", train());
    refused(&[&PAIR[3..], &VARY].concat());
    assert_eq!(sorted(&place, "rows.jsonl"), before);
}

#[test]
fn a_case_that_fails_is_a_row_and_the_others_go_on() {
    let place = place();
    let vary =
        ["--vary", "device=v100,v1000", "--vary=turn.policy=everyone,nobody", "--recipe=greedy"];
    let ran = place.raddle(&[&PAIR[..], &vary, &["--out=rows.jsonl"]].concat());
    assert_eq!(ran.code, 4, "{}", ran.err);
    let rows = rows(&place, "rows.jsonl");
    let failed: Vec<&str> = rows.iter().filter_map(|row| row["error"].as_str()).collect();
    assert_eq!((rows.len(), failed.len()), (4, 3));
    assert!(failed.iter().any(|error| error.contains("no device v1000")), "{failed:?}");
    assert!(failed.iter().any(|error| error.contains("nobody")), "{failed:?}");
    assert!(ran.out.contains("4 of 4 cases, 3 failed"), "{}", ran.out);
    let good = rows.iter().find(|row| row["error"].is_null()).unwrap();
    assert_eq!(good["case"], "device=v100 turn.policy=everyone");
    // A replay gives the same figures.
    let args = [
        &["replay"],
        &PAIR[1..],
        &["--no-files", "--recipe=greedy", "--launch-latency=fitted", "--format=json"],
    ];
    let replay: Value = serde_json::from_str(&place.raddle(&args.concat()).out).unwrap();
    let summary = &replay["recipes"][0]["summary"];
    assert_eq!(good["makespan-ns"], summary["makespan-ns"]);
    let requests = &summary["processes"][1]["requests"];
    assert_eq!(good["infer.p99-ns"], requests["latency-p99-ns"]);
    assert_eq!(good["infer.alone-ns"], replay["answer"]["processes"][1]["alone-ns"]);
}

#[test]
fn what_cannot_go_is_told_before_anything_runs() {
    let place = place();
    let wrong = |args: &[&str], code: i32, what: &str| {
        let ran = place.raddle(&[&["sweep", "train.csv"], args].concat());
        assert_eq!(ran.code, code, "{}", ran.err);
        assert!(ran.err.contains(what), "{}", ran.err);
    };
    wrong(&["--out=x", "--vary=spede=1,2"], 2, "no such option");
    wrong(&["--out=x", "--vary=device"], 2, "no `=`");
    wrong(&["--out=x", "--vary=share.tarin=1,2"], 2, "none of the profiles");
    wrong(&["--out=y", "--seeds=3"], 2, "there are none");
    wrong(&["--out=y", "--engine=slurm"], 2, "--dry-run");
    wrong(&[], 2, "--out");
    let ran = place.raddle(&["sweep", "none.csv", "--out=z"]);
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("none.csv"), "{}", ran.err);
}

#[test]
fn a_job_of_slurm_names_the_same_cases() {
    let place = place();
    let ran = place.raddle(&[&PAIR[..], &VARY[..5], &["--dry-run"]].concat());
    let ids: Vec<&str> = ran.out.lines().collect();
    assert_eq!((ids.len(), ids[0]), (12, "load=1000/s recipe=leftover seed=0"));
    let job =
        [&PAIR[..], &VARY[..5], &["--dry-run", "--engine=slurm", "--tasks=4", "--out=a b.jsonl"]];
    let ran = place.raddle(&job.concat());
    assert!(ran.out.contains("#SBATCH --array=1-4"), "{}", ran.out);
    // A shell runs the tasks, and the last lines of the script.
    let raddle = env!("CARGO_BIN_EXE_raddle");
    let run = |script: &str, task: &str| {
        let script = script.replace("\nraddle ", &format!("\n{raddle} "));
        let child = std::process::Command::new("bash")
            .args(["-euc", &script])
            .env("SLURM_ARRAY_TASK_ID", task)
            .current_dir(place.path())
            .output()
            .unwrap();
        assert!(child.status.success(), "{}", String::from_utf8_lossy(&child.stderr));
    };
    for task in ["1", "2", "3", "4"] {
        run(&ran.out, task);
    }
    assert_eq!(sorted(&place, "a b.jsonl.part-2").len(), 3);
    let after: Vec<&str> = ran.out.lines().filter_map(|line| line.strip_prefix("#   ")).collect();
    run(&format!("\n{}\n", after.join("\n")), "");
    sweep(&place, "here.jsonl", &VARY);
    assert_eq!(sorted(&place, "a b.jsonl"), sorted(&place, "here.jsonl"));
}

/// Options for a study of three searches in both timings, on a device whose clock is known.
const SEARCHES: [&str; 5] = [
    "--device=a100",
    "--seeds=2",
    "--vary=allocate.search=full,{grouped={groups=8}},{sampled={amounts=[1,2]}}",
    "--out=rows.jsonl",
    // One of the searches does not see the room of a launch.
    "--partial",
];

fn search_study(place: &Place, more: &[&str]) -> Ran {
    let pair =
        ["search-study", "train.csv", "infer.csv", "--requests=infer=1000/s", "--until=20ms"];
    let ran = place.raddle(&[&pair[..], &SEARCHES, more].concat());
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{}", ran.out);
    ran
}

#[test]
fn a_study_of_searches_sets_gates_and_clocks_beside_what_a_replay_gives() {
    let place = place();
    let found: Value = serde_json::from_str(&search_study(&place, &["--format=json"]).out).unwrap();
    let searches = found["searches"].as_array().unwrap();
    assert_eq!((searches.len(), &found["failed"]), (3 * 2, &0.into()));
    let of = |search: usize, timing: usize| &searches[2 * search + timing];
    let timings = ["{timing=\"one-clock\"}", "{timing=\"three-clocks\"}"];
    assert_eq!([0, 1].map(|at| of(1, at)["values"][1].as_str().unwrap()), timings);
    assert_eq!([0, 1].map(|at| of(1, at)["clocks"].as_u64().unwrap()), [1, 3]);
    assert_eq!([0, 1].map(|at| of(1, at)["register-bits"] == 0), [true, false]);
    let gates = [0, 1, 2].map(|at| of(at, 0)["gates"].as_u64().unwrap());
    assert!(gates[0] > 100 * gates[1], "{gates:?}");
    // Replays give the same makespans, seed by seed.
    let makespan = |search: &str, seed: &str| {
        let set = [format!("--set=allocate.search={search}"), format!("--seed={seed}")];
        let args = [
            &["replay", "train.csv", "infer.csv", "--requests=infer=1000/s", "--until=20ms"][..],
            &["--device=a100", "--no-files", "--recipe=matching", "--format=json"],
            &["--set=allocate.decision={timing=\"three-clocks\"}", &set[0], &set[1]],
        ];
        let replay: Value = serde_json::from_str(&place.raddle(&args.concat()).out).unwrap();
        replay["recipes"][0]["summary"]["makespan-ns"].as_f64().unwrap()
    };
    let few = "{grouped={groups=8}}";
    let (full, grouped) =
        (["0", "1"].map(|seed| makespan("full", seed)), ["0", "1"].map(|seed| makespan(few, seed)));
    assert_eq!(of(1, 1)["makespan"]["mean"], (grouped[0] + grouped[1]) / 2.0);
    let longer = (grouped[0] / full[0] + grouped[1] / full[1]) / 2.0 - 1.0;
    assert!((of(1, 1)["longer"]["mean"].as_f64().unwrap() - longer).abs() < 1e-12);
    assert_eq!(of(0, 1)["longer"]["mean"], 0.0);
    // Samples of one and two granules hold hardly any launch.
    assert!(of(2, 0)["refused"]["mean"].as_f64() > of(0, 0)["refused"]["mean"].as_f64());
    let text = search_study(&place, &[]).out;
    for part in ["not enough", "in pieces", "not seen", "grouped groups=8", "± "] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let page = fs::read_to_string(place.path().join("rows.html")).unwrap();
    assert_eq!(page.matches("<svg class=\"chart\"").count(), 2, "one picture for each timing");
    assert!(page.contains("gates of one compute unit"));
}

#[test]
fn a_study_of_searches_refuses_goals_and_tells_of_an_unknown_clock() {
    let place = place();
    let few = ["search-study", "train.csv", "--out=x.jsonl", "--vary=allocate.search=full"];
    let ran = place.raddle(&[&few[..], &["--goal=train end 1s"]].concat());
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("judges no goals"), "{}", ran.err);
    let ran = place.raddle(&[&few[..], &["--device=v100"]].concat());
    assert!(ran.out.contains("Decisions take no time here"), "{}", ran.out);
    let rows = rows(&place, "x.jsonl");
    assert_eq!(rows[0]["search-clocks"], 1);
    assert!(rows[0]["refusals-not-seen"].is_u64());
}

/// Checks that hints and energy weights are varied like all other options, and that rows have
/// energy where it is asked for.
#[test]
fn weights_of_energy_and_hints_are_varied() {
    let place = place();
    for (file, factor) in [("one.toml", 1), ("two.toml", 2)] {
        let pj = [60, 400, 400, 2000, 50, 30].map(|pj| pj * factor);
        let text = format!("raddle-energy = 1\nsource = \"made up\"\n[energy]\npj = {pj:?}\n");
        place.file(file, text);
    }
    let vary = [
        "--recipe=leftover",
        "--vary=energy-weights=one.toml,two.toml",
        "--vary=hint.infer=priority:1,priority:2",
    ];
    sweep(&place, "rows.jsonl", &vary);
    let rows = rows(&place, "rows.jsonl");
    assert_eq!(rows[0]["case"], "energy-weights=one.toml hint.infer=priority:1");
    let uj = |at: usize| rows[at]["energy-uj"].as_u64().unwrap();
    assert!(uj(2).abs_diff(2 * uj(0)) <= 1, "rounded down");
    assert_eq!((uj(0), rows[0]["makespan-ns"] == rows[2]["makespan-ns"]), (uj(1), true));
    // Other weights under the name of the file are another question.
    place.file("one.toml", fs::read(place.path().join("two.toml")).unwrap());
    let ran = place.raddle(&[&PAIR[..], &vary, &["--out=rows.jsonl"]].concat());
    assert!(ran.err.contains("of another question"), "{}", ran.err);
    sweep(&place, "asked.jsonl", &["--recipe=leftover", "--vary=energy=true,false"]);
    let asked = self::rows(&place, "asked.jsonl");
    assert!(asked[0].get("energy-uj").is_none(), "{}", asked[0]);
    assert!(asked[1]["energy-uj"].as_u64().unwrap() > uj(0), "memory and idleness count, too");
}

/// Checks that a search finds the best values that a sweep shows, for two tenants whose slices
/// decide: short ones cost switches, long ones keep requests waiting.
#[test]
fn a_search_finds_what_a_sweep_of_the_same_values_shows() {
    let place = place();
    let common = ["--recipe=weighted-slices", "--seeds=4", "--vary=turn.t0-us=20..320:*2"];
    sweep(&place, "all.jsonl", &[&common[..], &["--quiet"]].concat());
    let tune = [&["tune"], &PAIR[1..], &common[..], &["--minimise=infer.p99", "--format=json"]];
    let ran = place.raddle(&tune.concat());
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let tuned: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((&tuned["candidates"], &tuned["failed"]), (&5.into(), &0.into()));
    assert_eq!((&tuned["seeds"], &tuned["runs"]), (&4.into(), &(5 + 3 + 2 * 2).into()));
    // Each figure of the search is the mean over the seeds of the sweep.
    let rows = rows(&place, "all.jsonl");
    let mean = |case: &str| {
        let own = rows.iter().filter(|row| {
            row["case"]
                .as_str()
                .is_some_and(|id| id.rsplit_once(" seed=").is_some_and(|it| it.0 == case))
        });
        let all: Vec<u64> = own.map(|row| row["infer.p99-ns"].as_u64().unwrap()).collect();
        assert_eq!(all.len(), 4);
        all.iter().sum::<u64>() as f64 / 4.0
    };
    let best = tuned["best"].as_array().unwrap();
    assert_eq!(best.len(), 2);
    for row in best {
        let found = row["objective"].as_f64().unwrap();
        assert!((found - mean(row["case"].as_str().unwrap())).abs() < 1.0);
    }
    assert!(best[0]["objective"].as_f64() <= best[1]["objective"].as_f64());
    // The file is a recipe, and replays to the same.
    let saved = fs::read_to_string(place.path().join("raddle-out/tuned.toml")).unwrap();
    let t0 = best[0]["case"].as_str().unwrap().rsplit_once('=').unwrap().1;
    assert!(saved.contains(&format!("t0-us = {t0}\n")), "{saved}");
    let replay = [
        &["replay"],
        &PAIR[1..],
        &[
            "--recipe=raddle-out/tuned.toml",
            "--launch-latency=fitted",
            "--seeds=4",
            "--no-files",
            "--format=json",
        ],
    ];
    let replay: Value = serde_json::from_str(&place.raddle(&replay.concat()).out).unwrap();
    let p99 = replay["answer"]["rows"][0]["processes"][1]["decisive-ns"].as_f64();
    assert_eq!(p99, best[0]["objective"].as_f64());
}

#[test]
fn a_search_keeps_what_is_not_its_own_and_says_what_cannot_be_had() {
    let place = place();
    place.file("mine.toml", "raddle = 1\n");
    let tune = |more: &[&str]| place.raddle(&[&["tune"], &PAIR[1..], more].concat());
    let vary = ["--recipe=leftover", "--vary=turn.policy=everyone,highest-level"];
    let ran = tune(&[&vary[..], &["--save=mine.toml"]].concat());
    assert!(ran.code == 1 && ran.err.contains("stays as it is"), "{}", ran.err);
    let ran = tune(&[&vary[..], &["--save=own.toml"]].concat());
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    assert!(ran.out.contains("One seed says nothing of chance"), "{}", ran.out);
    let ran = tune(&[&vary[..], &["--save=own.toml", "--goal=infer p99 1ns"]].concat());
    assert_eq!(ran.code, 5, "{}", ran.err);
    let ran = tune(&["--vary=window=4,8", "--minimise=train.p99"]);
    assert!(ran.code == 2 && ran.err.contains("there are train.step"), "{}", ran.err);
}

/// Checks that a value with which no case can run is reported before any case is run.
#[test]
fn a_value_that_no_case_takes_is_told_before_any_case_is_run() {
    let place = place();
    for (more, code, why) in [
        (&["--vary=allocate.polcy=greedy"][..], 2, "did you mean `policy`?"),
        (&["--recipe=missing.toml"], 1, "there is no recipe missing.toml"),
        (&["--vary=device=v1000", "--recipe=greedy"], 2, "there is no device v1000"),
        (&["--device=v1000", "--recipe=greedy"], 2, "there is no device v1000"),
        (&["--vary=energy-weights=no.toml"], 1, "no.toml holds no weights"),
        (&["--vary=idempotent-from=no.toml"], 1, "no.toml cannot be read"),
        (&["--recipe=greedy", "--set=turn.t0-us=5"], 2, "`turn.t0-us`"),
    ] {
        for verb in ["sweep --dry-run", "sweep", "tune --vary=window=4,8"] {
            let verb: Vec<&str> = verb.split(' ').collect();
            let out = if verb[0] == "tune" { "--save=x.toml" } else { "--out=x.jsonl" };
            let ran = place.raddle(&[&verb[..], &["train.csv", out], more].concat());
            assert_eq!((ran.code, ran.out.as_str()), (code, ""), "{verb:?} {more:?}: {ran:?}");
            assert!(ran.err.contains(why), "{verb:?} {more:?}: {}", ran.err);
        }
    }
    assert!(!place.path().join("x.jsonl").exists());
    // A value beside a good one may become good before its cases are run again: the list of cases
    // warns of it.
    let late = ["sweep", "train.csv", "--recipe=greedy", "--recipe=late.toml", "--out=y.jsonl"];
    let ran = place.raddle(&[&late[..], &["--dry-run"]].concat());
    assert_eq!((ran.code, &*ran.out), (0, "recipe=greedy\nrecipe=late.toml\n"), "{ran:?}");
    let line = "warning: recipe=late.toml fails in each case: there is no recipe late.toml";
    assert!(ran.err.starts_with(line) && ran.err.lines().count() == 1, "{}", ran.err);
    let ran = place.raddle(&late);
    assert!(ran.code == 4 && ran.err.contains("there is no recipe late.toml"), "{ran:?}");
}

/// Checks that a dry run refuses what the sweep itself would refuse, as jobs on a cluster would
/// fail late.
#[test]
fn a_dry_run_refuses_what_the_run_refuses() {
    let place = Place::new();
    place.file("train.csv", train());
    place.file("infer.csv", infer());
    place.file("notes.txt", "mine");
    for (wrong, why) in [
        (&["--vary=share.train=1", "--goal=infer end 2ms"][..], "has no end: it repeats"),
        (&["--goal=infr step 2ms"], "none of the profiles is called infr"),
        (&["--priority=nope=1"], "it fits no stream"),
        (&["--requests=nope=4/s"], "nope"),
        (&["--vary=share.trian=1,2"], "`train`"),
        (&["--memory=train=900GB"], "not fit into the memory"),
        (&["--out=notes.txt"], "stays as it is"),
        (&["--vary=recipe=gredy,hreedy"], "there is no recipe gredy"),
        (&["--vary=turn.policy=nobody"], "nobody"),
        (&["--kernel-class=foo*=memory"], "it fits no kernel"),
    ] {
        let sweep = ["sweep", "train.csv", "infer.csv", "--recipe=greedy", "--device=v100"];
        let out = if wrong[0].starts_with("--out") { &[][..] } else { &["--out=r.jsonl"] };
        let run = place.raddle(&[&sweep, wrong, out].concat());
        let dry = place.raddle(&[&sweep, wrong, out, &["--dry-run"]].concat());
        assert!(run.code != 0 && run.err.contains(why), "{run:?}");
        assert_eq!((dry.code, dry.err), (run.code, run.err), "{wrong:?}");
        assert_eq!(dry.out, "");
    }
}

/// Checks that a sweep prints the warnings on its profiles that a replay prints.
#[test]
fn what_can_overturn_a_sweep_is_told_as_of_a_replay() {
    let place = Place::new();
    let lost = table(&["huge 1 80 1024 255 0 0 0 5000", "k 1 80 64 8 0 0 0 95000"]);
    place.file("lost.csv", lost);
    place.file("peers.csv", table(&["ncclAllReduce 1 8 512 32 0 0 100000 300000"]));
    let sweep = |file: &str, more: &[&str]| {
        let out = format!("--out={file}{}.jsonl", more.concat());
        let args = ["sweep", file, &out, "--recipe=leftover", "--recipe=greedy"];
        place.raddle(&[&args[..], more].concat())
    };
    let peers = sweep("peers.csv", &[]);
    let line = "warning: peers: 100.0% of kernel time is communication (--comm)";
    assert!(peers.code == 0 && peers.out.contains(line), "{peers:?}");
    let ran = sweep("lost.csv", &[]);
    let line = "warning: lost: 1 launch, 5.0% of kernel time, never ran, figures lack it\n";
    assert!(ran.code == 3 && ran.out.contains(line), "{ran:?}");
    let page = fs::read_to_string(place.path().join("lost.csv.html")).expect("a page is written");
    assert!(
        page.contains("lost: 1 launch, 5.0% of kernel time, never ran"),
        "the page says so too"
    );
    assert_eq!(sweep("lost.csv", &["--partial"]).code, 0, "the user accepts it");
}
