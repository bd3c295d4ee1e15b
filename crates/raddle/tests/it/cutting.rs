//! Does a replay that cuts workgroups (seed 000, E3) come again, and is every wave in its log once?

use std::collections::BTreeMap;

use serde_json::Value;

use crate::common::{Place, sample, table};

const RECIPE: &str = "raddle = 1\n[turn]\npolicy = \"highest-level\"\n[preempt]\npolicy = \"switch\"\n\
                      [allocate]\npolicy = \"matching\"\nsplit = { threshold = 3, retry-us = 1 }\n";

/// Numbers of waves of a launch, as the lines of a decision log count them.
#[derive(Default)]
struct Waves {
    whole: u64,
    parts: u64,
    ended: u64,
    /// Number of waves of a workgroup; the next field is that of the whole launch.
    each: u64,
    all: u64,
    related: bool,
    saved: u64,
}

/// Adds up the waves of each launch from the lines of a decision log.
fn waves(log: &str) -> BTreeMap<u64, Waves> {
    let mut launches: BTreeMap<u64, Waves> = BTreeMap::new();
    for line in log.lines().skip(1) {
        let line: Value = serde_json::from_str(line).expect("JSON");
        let number = |value: &Value| value.as_u64().expect("a number");
        if line["event"] == "launch-ready" {
            let launch = &line["launch"];
            let each = number(&launch["demand"]["waves"]);
            let all = each * number(&launch["workgroups"]);
            let related = launch["barrier"] != "no";
            let waves = Waves { each, all, related, ..Waves::default() };
            assert!(launches.insert(number(&launch["id"]), waves).is_none(), "{line}");
            continue;
        }
        let Some(launch) = line["launch"].as_u64().and_then(|id| launches.get_mut(&id)) else {
            continue;
        };
        let run = |run: &Value| number(&run[2]) * number(&run[4]);
        let groups: u64 = line["pieces"].as_array().map_or(0, |runs| runs.iter().map(run).sum());
        let each = if line["cut"].is_null() { launch.each } else { number(&line["cut"][1]) };
        match (line["answer"].as_str(), line["event"].as_str()) {
            (Some("start"), _) if line["cut"].is_null() => launch.whole += groups * each,
            (Some("start"), _) => launch.parts += groups * each,
            (_, Some("waves-ended")) => launch.ended += groups * each,
            (_, Some("taken-off")) => {
                assert_eq!(line["how"], "save");
                launch.saved += u64::from(launch.whole + launch.parts > launch.ended);
            }
            _ => {}
        }
    }
    launches
}

/// Replays two profiles twice, checks that both decision logs are equal, and returns the waves of
/// each launch in the log.
fn replayed(place: &Place, low: &str, high: &str, more: &[&str]) -> BTreeMap<u64, Waves> {
    place.file("cut.toml", RECIPE);
    let run = |out: &str| {
        let args = [
            "replay",
            low,
            high,
            "--recipe",
            "cut.toml",
            "--once",
            "--log",
            "answers",
            "--out",
            out,
            "--partial",
        ];
        let ran = place.raddle(&[&args[..], more].concat());
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{}", ran.out);
        place.tree(out)
    };
    let tree = run("out");
    assert!(tree == run("again"), "equal runs give equal bytes");
    let ran = place.raddle(&["replay", "--events", "out/cut/decisions.jsonl.zst"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("agree byte for byte"), "{}", ran.out);
    let launches = waves(&place.log("out/cut/decisions.jsonl.zst"));
    for (id, it) in &launches {
        assert_eq!((it.whole + it.parts, it.ended), (it.all, it.all), "launch {id}");
        assert!(!it.related || it.parts == 0, "launch {id} stays whole");
    }
    launches
}

#[test]
fn a_replay_that_cuts_and_saves_comes_again() {
    let place = Place::new();
    place.file(
        "low.csv",
        table(&["fill 1 80 1024 64 65536 0 0 9000", "cut 2 100 640 32 16384 100 100 5000"]),
    );
    place.file(
        "urgent.csv",
        table(&["u 1 80 1024 32 0 0 0 3000", "u 1 80 1024 32 0 9000 9000 900"]),
    );
    let launches =
        replayed(&place, "low.csv", "urgent.csv", &["--barriers", "no", "--priority", "low*=5"]);
    let counted: Vec<_> = launches.values().map(|it| (it.whole, it.parts, it.saved > 0)).collect();
    assert_eq!(
        counted,
        [(2528, 32, true), (2000, 0, true), (2560, 0, false), (2432, 128, false)],
        "whole, in parts, saved: the urgent one too is cut, while the others are being saved"
    );
}

#[test]
fn two_real_profiles_of_amd_with_cutting_come_again() {
    let (Some(low), Some(high)) = (
        sample("kineto_amd/tracelens_mi210_gpu_only.json.gz"),
        sample("kineto_amd/tracelens_mi_sglang_qwen3-8b_decode.json.gz"),
    ) else {
        return;
    };
    let (low, high) = (low.display().to_string(), high.display().to_string());
    let place = Place::new();
    let more = ["--barriers", "no", "--priority", "*gpu_only=5"];
    let launches = replayed(&place, &low, &high, &more);
    let sum = |of: fn(&Waves) -> u64, launches: &BTreeMap<u64, Waves>| -> u64 {
        launches.values().map(of).sum()
    };
    assert_eq!((launches.len(), sum(|it| it.all, &launches)), (1_117, 2_604_014));
    assert!(sum(|it| it.parts, &launches) > 0 && sum(|it| it.saved, &launches) > 0);
    // By default all of these are taken to have barriers, and stay whole.
    let launches = replayed(&place, &low, &high, &more[2..]);
    assert!(launches.values().all(|it| it.related));
    assert_eq!((sum(|it| it.whole, &launches), sum(|it| it.parts, &launches)), (2_604_014, 0));
}
