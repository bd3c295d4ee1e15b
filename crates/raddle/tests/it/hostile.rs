//! Does a name from outside stay a name: on a terminal, in Markdown, in a script, in a line to
//! paste?

use std::fs;
use std::process::Command;

use crate::common::{Place, Ran, infer, kernel, table, trace, train};

/// Hostile names, which would paint a terminal, set its title, clear it, turn the text direction,
/// mention, link, or run a command.
const EVIL: [&str; 6] = [
    "\u{1b}[31mEVIL\u{1b}]0;title\u{7}\u{1b}[2J",
    "a\u{9b}2J\u{202e}b\u{7f}",
    "<img src=x onerror=alert(1)>@everyone [x](http:evil) **b** `c` #1",
    "x';touch PWN;'",
    "tr;touch PWN;#",
    "$(touch PWN)`touch PWN`|touch PWN",
];

/// Checks that no character of a text can control a terminal.
fn is_plain(text: &str) {
    let controls = |c: char| {
        c.is_control() && !matches!(c, '\n' | '\t')
            || matches!(c, '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    assert!(!text.contains(controls), "{}", text.escape_debug());
}

fn plain(ran: &Ran) {
    is_plain(&ran.out);
    is_plain(&ran.err);
}

#[test]
fn values_of_files_in_messages_are_plain() {
    let place = Place::new();
    let evil = EVIL[0];
    let header = "name,grid_x,grid_y,grid_z,block_x,block_y,block_z,start_ns,duration_ns";
    let row = "k,80,1,1,128,1,1,0,1000";
    let mut tables = vec![
        format!("{header},idempotent\n{row},{evil}\n"),
        format!("{header},priority\n{row},{evil}\n"),
        format!("{header},kind\n{row},{evil}\n"),
        format!("{header},{evil}\n{row},1\n"),
        format!("# device = {evil}\n{header}\n{row}\n"),
        format!("{evil}\n"),
        format!("{{\"{evil}\":1}}"),
    ];
    for at in 1..9 {
        let mut cells: Vec<&str> = row.split(',').collect();
        cells[at] = evil;
        tables.push(format!("{header}\n{}\n", cells.join(",")));
    }
    for text in &tables {
        place.file("t.csv", text);
        for args in [
            &["replay", "t.csv", "--no-files"][..],
            &["inspect", "t.csv"],
            &["packet", "stats", "t.csv"],
            &["log", "t.csv"],
            &["compare", "t.csv", "t.csv"],
        ] {
            plain(&place.raddle(args));
        }
    }
    place.file("good.csv", train());
    place.file("p.csv", format!("kernel,move,ns,mw\nk,1,{evil},2\n"));
    plain(&place.raddle(&["calibrate", "energy", "p.csv"]));
    let device = place.raddle(&["devices", "--show=v100"]).out;
    for text in [
        device.replacen("cus = ", &format!("\"{evil}\" = 1\ncus = "), 1),
        format!("id = \"{evil}\n{device}"),
        device.replace("v100", evil),
    ] {
        place.file("d.toml", text);
        plain(&place.raddle(&["replay", "good.csv", "--device=d.toml", "--no-files"]));
    }
    for text in [
        format!("raddle = 1\n[{evil}]\n"),
        format!("raddle = 1\n[turn]\npolicy = \"{evil}\"\n"),
        format!("raddle = 1\ndescription = \"{evil}\"\n{evil}"),
    ] {
        place.file("r.toml", text);
        plain(&place.raddle(&["replay", "good.csv", "--recipe=r.toml", "--no-files"]));
    }
    for option in [
        "--goal",
        "--set",
        "--requests",
        "--share",
        "--device",
        "--recipe",
        "--priority",
        "--hint",
        "--start",
        "--until",
        "--nothing",
    ] {
        plain(&place.raddle(&["replay", "good.csv", "--no-files", &format!("{option}={evil}")]));
    }
    plain(&place.raddle(&[evil]));
    plain(&place.ask(&["golden", evil], ""));
    plain(&place.ask(&["golden", "bitmap"], format!("{{\"{}\":1}}\n", EVIL[1])));
}

/// Writes a text as a JSON string.
fn json_string(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"");
    let escaped = |c: char| match c.is_control() {
        true => format!("\\u{:04x}", u32::from(c)),
        false => c.to_string(),
    };
    text.chars().map(escaped).collect()
}

#[test]
fn names_of_files_and_kernels_are_plain_in_every_output() {
    let place = Place::new();
    let names = [EVIL[..3].concat(), EVIL[3..].concat()].map(|name| format!("{name}.csv"));
    let [one, two] = names.each_ref().map(String::as_str);
    place.file(one, train());
    place.file(two, infer());
    let kernels = EVIL.iter().zip((0..).step_by(100));
    let kernels: Vec<String> =
        kernels.map(|(name, at)| kernel(&json_string(name), at, 50)).collect();
    let events: Vec<&str> = kernels.iter().map(String::as_str).collect();
    place.file("k.json", trace("", &events));
    for format in ["--format=text", "--format=json"] {
        plain(&place.raddle(&["replay", one, two, "--out=r", "-v", format]));
        plain(&place.raddle(&["inspect", one, "k.json", format]));
        plain(&place.raddle(&["sweep", one, "--recipe=greedy", "--out=s.jsonl", format]));
        plain(&place.raddle(&["packet", "stats", two, "k.json", format]));
        plain(&place.raddle(&["replay", "k.json", "--no-files", "-v", format]));
    }
    plain(&place.raddle(&["replay", one, "--out=q", "-q", "--recipe=greedy"]));
    for format in ["--markdown", "--equal", "--format=json"] {
        plain(&place.raddle(&["compare", "r#leftover", "r#spatial", format]));
    }
    plain(&place.raddle(&["compare", "r", "q", "--markdown"]));
    let page = fs::read_to_string(place.path().join("r/report.html")).unwrap();
    assert!(!page.contains("<img"));
}

#[test]
fn markdown_holds_no_tag_link_or_mention_of_a_name() {
    let place = Place::new();
    let evil = EVIL[2];
    place.file("a.csv", train());
    place.file(&format!("{evil}.csv").replace('/', "_"), infer());
    let name = format!("{evil}.csv");
    for recipe in ["leftover", "spatial"] {
        let out = format!("--out={recipe}");
        let ran = place.raddle(&["replay", "a.csv", &name, "--recipe", recipe, &out, "-q"]);
        assert_eq!(ran.code, 0, "{ran:?}");
    }
    let ran = place.raddle(&["compare", "leftover#leftover", "spatial#spatial", "--markdown"]);
    assert!(ran.out.contains("everyone"), "{}", ran.out);
    for line in ran.out.lines() {
        // The text outside of code is checked.
        let fence = "``";
        let outside: String = line.split(fence).step_by(2).collect();
        assert!(!outside.contains("<img") && !outside.contains('@'), "{line}");
    }
}

/// Runs lines in a shell. Returns whether a hostile name in the lines ran as a command.
fn runs(place: &Place, script: &str) -> bool {
    let stub = "raddle() { :; }; cat() { :; }; sbatch() { :; }; nvidia-cuda-mps-control() { :; }; COMMAND() { :; }\n";
    let _ = Command::new("bash")
        .arg("-c")
        .arg(format!("{stub}{script}"))
        .current_dir(place.path())
        .output()
        .expect("bash runs");
    place.names(".").iter().any(|name| name.starts_with("PWN"))
}

#[test]
#[cfg(unix)]
fn no_name_runs_in_a_script() {
    for evil in [
        "x\ntouch PWN #",
        "x';touch PWN;'",
        "tr;touch PWN;#",
        "$(touch PWN)`touch PWN`",
        "-x>PWN",
        "a\u{1b}\rtouch PWN",
        "a*'b",
    ] {
        let place = Place::new();
        let file = format!("./{evil}.csv");
        place.file(&file, train());
        place.file("infer.csv", infer());
        let out = format!("--out=./{evil}");
        let slurm = place.raddle(&[
            "sweep",
            &file,
            "infer.csv",
            "--recipe=greedy",
            "--engine=slurm",
            "--dry-run",
            &out,
        ]);
        assert_eq!(slurm.code, 0, "{slurm:?}");
        plain(&slurm);
        assert!(!runs(&place, &slurm.out), "{}", slurm.out);
        let uncommented = slurm.out.replace("\n#   ", "\n");
        assert!(!runs(&place, &uncommented), "{uncommented}");
    }
}

#[test]
#[cfg(unix)]
fn no_name_runs_in_a_line_to_paste() {
    for evil in ["tr;touch PWN;#\ntouch PWN2 #", "x';touch PWN;'$(touch PWN)"] {
        let place = Place::new();
        let file = format!("./{evil}.csv");
        place.file(&file, train());
        place.file("infer.csv", infer());
        for args in [
            &["replay", &*file, "infer.csv", "--recipe=leftover", "--out=r", "-v"][..],
            &["replay", &file, "--recipe=leftover", "--out=r", "--log=answers", "-v"],
            &["share", &file, "infer.csv", "--out=s", "--recipe=mps", "-v"],
            &["tune", &file, "infer.csv", "--vary=window=4,8"],
        ] {
            let ran = place.raddle(args);
            plain(&ran);
            // A line to paste begins such a block, or is indented below one.
            let mut pasted = false;
            let lines = ran.out.lines().filter(|line| {
                let begins = line.starts_with("Set it:") || line.starts_with("Next:");
                pasted = begins || (pasted && line.starts_with("       "));
                pasted
            });
            let lines: Vec<&str> = lines.collect();
            assert!(!lines.is_empty(), "{args:?}: {ran:?}");
            for line in lines {
                let line = line.trim_start_matches("Set it:").trim_start_matches("Next:");
                assert!(!runs(&place, line), "{line}");
            }
        }
    }
}

#[test]
fn what_cannot_be_is_told() {
    let place = Place::new();
    let met = |rows: &[&str]| {
        place.file("t.csv", table(rows));
        let ran = place.raddle(&["inspect", "t.csv"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        ran.out
    };
    let good = "k 1 80 128 32 0 0 0 50000";
    let text = met(&[good, "k 1 80 128 32 0 0 60000 50000"]);
    for quirk in ["impossible-shape", "empty-shape", "repeated-op", "time-outlier"] {
        assert!(!text.contains(quirk), "{text}");
    }
    assert!(met(&[good, "k 1 0 128 32 0 0 60000 50000"]).contains("empty-shape"));
    assert!(met(&[good, "k 1 1000000000 128 32 0 0 60000 50000"]).contains("impossible-shape"));
    assert!(met(&[good, good]).contains("repeated-op"));
    let day = "k 1 80 128 32 0 0 60000 86400000000000";
    assert!(met(&[good, day]).contains("time-outlier"));
    let event = kernel("k", 0, 50);
    let zero = event.replace("[80,1,1]", "[0,1,1]").replace("\"ts\":0", "\"ts\":90");
    place.file("k.json", trace("", &[&event, &event, &zero]));
    let ran = place.raddle(&["inspect", "k.json"]);
    assert!(ran.out.contains("repeated-op") && ran.out.contains("empty-shape"), "{}", ran.out);
    // A refusal names the figures that cannot be, and no cure for files that lack them.
    let wide = event.replace("\"block\":[128,1,1]", "\"block\":[4096,1,1]");
    assert_ne!(wide, event);
    let wide = wide.replace("\"ts\":0", "\"ts\":90");
    place.file("w.json", trace("", &[&event, &wide]));
    let ran = place.raddle(&["replay", "w.json", "--device=v100"]);
    let told = "1 of 2 kernels are opaque, 1 of them for blocks of more threads than any device takes (1,024)";
    assert!(ran.code == 1 && ran.err.contains(told), "{}", ran.err);
    assert!(!ran.err.contains("--shapes-from"), "{}", ran.err);
}

#[test]
fn a_kernel_of_eleven_days_under_slices_is_refused_in_seconds() {
    let place = Place::new();
    place.file(
        "t.csv",
        table(&["k 1 80 128 32 0 0 0 1000000000000000", "j 2 80 128 32 0 0 0 1000"]),
    );
    let ran = place.raddle(&[
        "replay",
        "t.csv",
        "--recipe=weighted-slices",
        "--set=turn.t0-us=1ms",
        "--no-files",
        "--launch-latency=none",
    ]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.err.contains("a kernel lasts too long for such slices"), "{}", ran.err);
}

#[test]
fn a_run_that_breaks_off_fails_its_policy_alone() {
    let place = Place::new();
    place.file(
        "t.csv",
        table(&["k 1 80 128 32 0 0 0 1000000000000000", "j 2 80 128 32 0 0 0 1000"]),
    );
    place.file(
        "slices.toml",
        "raddle = 1\n[turn]\npolicy = \"weighted-slices\"\nrule = \"mean\"\nt0-us = 1000\n",
    );
    let both = ["replay", "t.csv", "--recipe=leftover", "--recipe=slices.toml"];
    let both = [&both[..], &["--recipe=spatial", "--out=out"]].concat();
    let ran = place.raddle(&both);
    assert_eq!(ran.code, 4, "{ran:?}");
    assert!(
        ran.err.contains("1 of 3 policies failed: slices: all processes together, at"),
        "{ran:?}"
    );
    assert!(ran.err.contains("a kernel lasts too long for such slices"), "{}", ran.err);
    assert!(ran.out.starts_with("-> Of those that ran, "), "{}", ran.out);
    let line = "\nwarning: slices broke off, so nothing is said of it\n";
    assert!(ran.out.contains(line), "{}", ran.out);
    let summary = std::fs::read_to_string(place.path().join("out/summary.json")).unwrap();
    let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
    let names: Vec<&serde_json::Value> =
        summary["recipes"].as_array().unwrap().iter().map(|of| &of["name"]).collect();
    assert_eq!(names, ["leftover", "spatial"]);
    assert_eq!(summary["failures"][0]["case"], "slices");
    let alone = place.raddle(&["replay", "t.csv", "--recipe=slices.toml", "--no-files"]);
    assert_eq!(alone.code, 1, "{alone:?}");
}
