//! Does the action for CI fail where a figure grew too much, and show it in Markdown that runs,
//! mentions and links nothing?

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::{Place, Ran, infer, table, train};

const ACTION: &str = include_str!("../../../../action.yml");

/// Returns the shell script of the GitHub action.
fn script() -> String {
    let (_, script) = ACTION.split_once("      run: |\n").expect("a script");
    let lines = script.lines().map(|line| line.strip_prefix("        ").unwrap_or(line));
    lines.collect::<Vec<_>>().join("\n")
}

/// Runs the action's script as the shell of a workflow does.
fn act(place: &Place, old: &str, new: &str, limits: &str) -> Ran {
    let output = Command::new("bash")
        .args(["--noprofile", "--norc", "-eo", "pipefail", "-c", &script()])
        .envs([("OLD", old), ("NEW", new), ("LIMITS", limits)])
        .env("RADDLE", Path::new(env!("CARGO_BIN_EXE_raddle")))
        .env("GITHUB_STEP_SUMMARY", "step.md")
        .env("RADDLE_PROGRESS", "off")
        .current_dir(place.path())
        .output()
        .expect("bash runs");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    Ran {
        code: output.status.code().expect("no signal"),
        out: text(output.stdout),
        err: text(output.stderr),
    }
}

/// Replays two profiles into a folder.
fn replay(place: &Place, files: [&str; 2], device: &str, out: &str) {
    let args = ["replay", "--recipe=leftover", "--timeline=none", "--requests=infer=1000/s", "-q"];
    let (device, out) = (format!("--device={device}"), format!("--out={out}"));
    let more = ["--until=20ms", &device, &out];
    let ran = place.raddle(&[&args[..], &files, &more].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
}

#[test]
fn the_action_fails_where_a_figure_grew() {
    let place = Place::new();
    place.file("train.csv", train());
    place.file("infer.csv", infer());
    replay(&place, ["train.csv", "infer.csv"], "a100", "-old one");
    replay(&place, ["train.csv", "infer.csv"], "v100", "new");
    let [same, grew] = ["infer p99 +5%\n", "\ninfer p99 +5%\nmakespan +1000%\n"];
    let ran = act(&place, "new", "new/summary.json", same);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    assert!(ran.out.starts_with("**None of "), "{}", ran.out);
    let ran = act(&place, "-old one", "new", grew);
    assert_eq!(ran.code, 4, "{ran:?}");
    assert_eq!(ran.out.matches(":x: ").count(), 1, "{}", ran.out);
    // One message says what broke, and what else may be its cause.
    let beside = "inputs differ (device), so the program need not be the cause";
    let told = ran.err.trim_end();
    assert!(told.starts_with("error: infer request p99 under leftover: +"), "{told}");
    assert!(told.ends_with(&format!("limit `infer p99 +5%`; {beside}")), "{told}");
    let step = fs::read_to_string(place.path().join("step.md")).unwrap();
    assert!(step.starts_with("**None of ") && step.ends_with(&ran.out), "{step}");
    let ran = act(&place, "-old one", "new", "makespan +1000%");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    assert!(ran.out.contains("- :white_check_mark: ``The limit holds: makespan under leftover: "));
    let told = "limit `makespan +1000%`; inputs differ (device).``";
    assert!(ran.out.contains(told), "{}", ran.out);
    // Profiles differ wherever the program changed: limits hold between those as well.
    place.file("infer.csv", infer().replace(",301000,20000", ",301000,90000"));
    replay(&place, ["train.csv", "infer.csv"], "v100", "slower");
    let ran = act(&place, "new", "slower", same);
    assert_eq!(ran.code, 4, "{ran:?}");
    assert!(!ran.err.contains("need not be"), "{}", ran.err);
    let shown = place.raddle(&["compare", "new", "slower", "--fail-if=makespan +1000%"]);
    assert_eq!((shown.code, shown.err.as_str()), (0, ""));
    let words = shown.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("so only the limits of --fail-if are judged."), "{}", shown.out);
    // A limit of nothing, no limit, and a limit that is a command.
    for limits in ["infer p98 +5%", "\n  \n", "$(touch PWN)\"; touch PWN; '"] {
        assert_eq!(act(&place, "new", "new", limits).code, 2, "{limits}");
    }
    assert!(!place.path().join("PWN").exists());
}

/// Checks that a misspelt process, figure or recipe of a limit is told with the name that was meant,
/// and a name like none of them with all that there are.
#[test]
fn a_misspelt_limit_is_told_as_it_was_meant() {
    let place = Place::new();
    place.file("train.csv", train());
    place.file("infer.csv", infer());
    replay(&place, ["train.csv", "infer.csv"], "v100", "here");
    for (limit, meant) in [
        ("infre p99 +5%", "`infer p99 +5%`"),
        ("infer p98 +0.5%", "`infer p99 +0.5%`"),
        ("leftovr:tran step +2%", "`leftover:train step +2%`"),
        ("makspan +5%", "`makespan +5%`"),
    ] {
        let ran = place.raddle(&["compare", "here", "here", "--fail-if", limit]);
        assert_eq!(ran.code, 2, "{limit}: {}", ran.err);
        let told = format!("`{limit}`: there is no such figure. Did you mean {meant}?");
        assert!(ran.err.contains(&told), "{limit}: {}", ran.err);
    }
    let ran = place.raddle(&["compare", "here", "here", "--fail-if=zzz p99 +5%"]);
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert!(ran.err.contains("there is no such figure; there are "), "{}", ran.err);
}

/// Checks that a limit which is broken by less than the intervals of both figures leave open is told
/// so, in text, Markdown and JSON, and fails all the same.
#[test]
fn a_limit_broken_within_the_intervals_is_not_told_as_sure() {
    let place = Place::new();
    place.file("train.csv", train());
    place.file("infer.csv", infer());
    let args = ["replay", "train.csv", "infer.csv", "--recipe=leftover", "--timeline=none", "-q"];
    let more = ["--requests=infer=1000/s", "--until=300ms", "--device=v100"];
    for (seed, out) in [("--seed=0", "one"), ("--seed=3", "two")] {
        let out = format!("--out={out}");
        let ran = place.raddle(&[&args[..], &more, &[seed, &out]].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
    }
    // Other requests of the same load: whichever p99 is the longer breaks a limit of nothing.
    let grew = |a: &'static str, b: &'static str| {
        let args = ["compare", a, b, "--fail-if=infer p99 +0%"];
        (place.raddle(&args).code == 4).then_some(args)
    };
    let args = grew("one", "two").or_else(|| grew("two", "one")).expect("they differ");
    let text = place.raddle(&args);
    let words = text.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.starts_with("-> The limit is broken, but not surely: infer request p99"),
        "{words}"
    );
    assert!(words.contains(" (not surely: ") && text.err.contains(" (not surely: "), "{words}");
    let ran = place.raddle(&[&args[..], &["--markdown"]].concat());
    assert_eq!(ran.code, 4, "the figure decides");
    assert!(ran.out.contains(" (not surely: "), "{}", ran.out);
    let ran = place.raddle(&[&args[..], &["--format=json"]].concat());
    let found: serde_json::Value = serde_json::from_str(&ran.out).expect("it is JSON");
    assert_eq!(found["limits"][0]["broken-surely"], false, "{found}");
}

/// Checks that figures are means over all seeds, as the answers that are compared print them.
#[test]
fn figures_of_several_seeds_are_compared_by_their_means() {
    let place = Place::new();
    place.file("train.csv", train());
    place.file("infer.csv", infer());
    let args = ["replay", "train.csv", "infer.csv", "--recipe=leftover", "--timeline=none", "-q"];
    let more = ["--requests=infer=1000/s", "--until=40ms", "--device=v100", "--seeds=3"];
    for (seed, out) in [("--seed=0", "one"), ("--seed=7", "two")] {
        let out = format!("--out={out}");
        let ran = place.raddle(&[&args[..], &more, &[seed, &out]].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
    }
    let json = |text: &str| serde_json::from_str::<serde_json::Value>(text).expect("it is JSON");
    let found = json(&place.raddle(&["compare", "one", "two", "--format=json"]).out);
    let rows = found["rows"].as_array().expect("it has rows");
    let answers = ["one", "two"].map(|out| {
        json(&fs::read_to_string(place.path().join(out).join("summary.json")).expect("a file"))
    });
    for (metric, key) in
        [("request p99", "decisive-ns"), ("request p50", "p50-ns"), ("request longest", "max-ns")]
    {
        let row = rows.iter().find(|row| row["process"] == "infer" && row["metric"] == metric);
        let row = row.expect("it is compared");
        let own = |answer: &serde_json::Value| {
            answer["answer"]["rows"][0]["processes"][1][key].as_f64().expect("a number")
        };
        let means = [own(&answers[0]), own(&answers[1])];
        let values = [0, 1].map(|at| row["values"][at].as_f64().expect("a number"));
        assert_eq!(values, means, "{metric}");
        let change = row["changes"][0]["relative"].as_f64().expect("a number");
        assert!((change - (means[1] / means[0] - 1.0)).abs() < 0.0001, "{row}");
    }
    let first = &answers[0]["recipes"][0]["summary"]["processes"][1]["requests"];
    let mean = &answers[0]["answer"]["rows"][0]["processes"][1]["decisive-ns"];
    assert_ne!(&first["latency-p99-ns"], mean, "else the test shows nothing");
}

/// Checks that nothing is said of how sure a broken limit is where no bounds are known: of a way of
/// sharing whose bounds were not simulated, and of a figure by which no process is judged.
#[test]
fn a_figure_without_bounds_breaks_no_limit_surely() {
    let place = Place::new();
    place.file("train.csv", train());
    place.file("infer.csv", infer());
    let args = ["share", "train.csv", "infer.csv", "--priority=train=5", "--device=v100", "-q"];
    let more = ["--requests=infer=500/s", "--until=50ms", "--goal=infer p99 370us"];
    for (seed, out) in [("--seed=0", "one"), ("--seed=3", "two")] {
        let out = format!("--out={out}");
        let ran = place.raddle(&[&args[..], &more, &[seed, &out]].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
    }
    for limit in ["mps:infer p99 +0%", "time-slice:infer p50 +0%"] {
        let limit = format!("--fail-if={limit}");
        let compared = |a: &str, b: &str| {
            let ran = place.raddle(&["compare", a, b, &limit, "--format=json"]);
            let found: serde_json::Value = serde_json::from_str(&ran.out).expect("it is JSON");
            (ran.code == 4).then(|| found["limits"][0].clone())
        };
        let found = compared("one", "two").or_else(|| compared("two", "one"));
        let found = found.expect("they differ");
        assert!(found.get("broken-surely").is_none(), "{found}");
    }
}

#[test]
fn inputs_of_the_action_are_no_part_of_its_script() {
    let script = script();
    assert!(!script.contains("${{"), "{script}");
    let (_, inputs) = ACTION.split_once("inputs:\n").expect("inputs");
    let (inputs, _) = inputs.split_once("runs:\n").expect("steps");
    let names = inputs.lines().filter_map(|line| line.strip_prefix("  ")?.strip_suffix(':'));
    let names: Vec<&str> = names.filter(|name| !name.starts_with(' ')).collect();
    assert_eq!(names, ["old", "new", "fail-if", "raddle"]);
    for name in names {
        assert!(ACTION.contains(&format!(": ${{{{ inputs.{name} }}}}\n")), "{name}");
    }
}

/// Returns a line of Markdown without its code, which stands between equal runs of backticks.
fn outside_of_code(line: &str) -> String {
    let mut outside = String::new();
    let mut rest = line;
    while let Some(at) = rest.find('`') {
        outside += &rest[..at];
        let run = rest[at..].len() - rest[at..].trim_start_matches('`').len();
        let behind = &rest[at + run..];
        let mut from = 0;
        let end = loop {
            let Some(found) = behind[from..].find('`').map(|found| from + found) else {
                break None;
            };
            let ticks = behind[found..].len() - behind[found..].trim_start_matches('`').len();
            if ticks == run {
                break Some(found + ticks);
            }
            from = found + ticks;
        };
        let Some(end) = end else { return outside + &rest[at..] };
        rest = &behind[end..];
    }
    outside + rest
}

/// Checks the Markdown that shows names of processes, recipes and devices, in the table and in a
/// broken limit: none becomes a mention or a link.
#[test]
fn markdown_runs_mentions_and_links_nothing() {
    for evil in [
        "<img src=x onerror=alert(1)>@everyone [x](http:evil) **b** `c` #1",
        "```a` @b ``<b>```",
        "\\` @b | <b> \\| x",
        "www.evil.example a--b ~~c~~ _d_ &lt;",
        "\u{1b}[31mEVIL\u{202e}\u{7}\n# b",
    ] {
        let place = Place::new();
        let name = evil.replace('/', "_");
        place.file("train.csv", train());
        place.file(&format!("{name}.csv"), infer());
        let slow = table(&["attend 1 80 128 40 0 0 1000 90000"]);
        fs::create_dir(place.path().join("slow")).unwrap();
        place.file(&format!("slow/{name}.csv"), slow);
        place.file(&format!("{name}.toml"), "raddle = 1\n[allocate]\npolicy = \"greedy\"\n");
        for (folder, out) in [("", "old"), ("slow/", "new")] {
            let (file, recipe) =
                (format!("./{folder}{name}.csv"), format!("--recipe=./{name}.toml"));
            let out = format!("--out={out}");
            let ran = place.raddle(&["replay", "train.csv", &file, &recipe, &out, "--once", "-q"]);
            assert_eq!(ran.code, 0, "{ran:?}");
        }
        let ran = act(&place, "old", "new", "makespan > -99%");
        assert_eq!(ran.code, 4, "{ran:?}");
        let plain = |c: char| c.is_control() && c != '\n' || matches!(c, '\u{202a}'..='\u{202e}');
        assert!(!ran.out.contains(plain), "{}", ran.out.escape_debug());
        assert!(ran.out.contains("\n| "), "{}", ran.out);
        let bars = |line: &str| line.replace("\\|", "").matches('|').count();
        let mut columns = BTreeSet::new();
        for line in ran.out.lines() {
            let outside = outside_of_code(line);
            let bad = ["<", "@", "](", "#", "&", "~~", "__", "www.", "//", "`", "\\"];
            for mark in bad {
                assert!(!outside.contains(mark), "{mark} in {line}");
            }
            if line.starts_with('|') {
                columns.insert(bars(line));
            }
        }
        assert_eq!(columns.len(), 1, "a name ends no cell: {}", ran.out);
    }
}
