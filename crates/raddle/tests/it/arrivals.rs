//! Does a replay by requests say what became of them, the same everywhere?

use std::fs;

use crate::common::{Place, infer, sample, table, train};
use serde_json::Value;

/// Makes a folder with training, which has no requests, and a load file for the inference beside
/// it.
fn place() -> Place {
    let place = Place::new();
    place.file("train.csv", train());
    place.file("infer.csv", infer());
    place.file("load.json", LOAD);
    place
}

const LOAD: &str = r#"{"time": 0.002, "tasks": [
    {"id": "burst", "load": {"type": "trace", "priority": 3, "trace": [0, 0.1, 0.1, 0.5, 2]}, "client": {}},
    {"id": "even", "load": {"type": "periodic", "priority": 0, "frequency": 2000}, "client": {}},
    {"id": "random", "load": {"type": "poisson", "frequency": 5000}, "client": {}},
    {"id": "train", "load": {"type": "continuous"}, "client": {}},
    {"id": "next", "load": {"type": "dependent", "prev_task_ids": ["burst"]}, "client": {}},
    {"id": "ring", "load": {"type": "dependent", "prev_task_ids": ["ring"]}, "client": {}}
]}"#;

const BOTH: [&str; 7] =
    ["replay", "train.csv", "infer.csv", "--arrivals", "infer=load.json:burst", "--out", "out"];

fn summary(place: &Place, args: &[&str]) -> Value {
    let ran = place.raddle(&[args, &["--format", "json"]].concat());
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{args:?}");
    serde_json::from_str(&ran.out).expect("it is JSON")
}

/// Returns the result of the process with the index `at` under the first recipe of a summary.
fn process(summary: &Value, at: usize) -> &Value {
    &summary["recipes"][0]["summary"]["processes"][at]
}

fn refusal(place: &Place, args: &[&str]) -> (i32, String) {
    let ran = place.raddle(&[&["replay"], args, &["--no-files"]].concat());
    assert_eq!(ran.out, "", "{args:?}");
    assert!(!place.path().join("raddle-out").exists());
    (ran.code, ran.err)
}

#[test]
fn the_comparison_by_requests() {
    let ran = place()
        .raddle(&[&BOTH[..], &["--recipe", "leftover", "--recipe", "spatial", "-v"]].concat());
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    insta::assert_snapshot!("requests", ran.out);
    assert!(ran.out.lines().all(|line| line.chars().count() <= 120));
}

#[test]
fn equal_runs_give_equal_bytes_however_many_go_at_a_time() {
    let place = place();
    let mut seen = Vec::new();
    for jobs in [None, Some("1"), Some("4")] {
        let mut args = BOTH.to_vec();
        args.extend(jobs.iter().flat_map(|jobs| ["--jobs", jobs]));
        args.extend(["--jitter", "0.05ms"]);
        let ran = place.raddle(&args);
        assert_eq!(ran.code, 0, "{}", ran.err);
        seen.push((ran.out, place.tree("out")));
    }
    assert!(seen.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn every_log_gives_its_answers_again() {
    let place = place();
    assert_eq!(place.raddle(&[&BOTH[..], &["--all", "--log", "answers"]].concat()).code, 0);
    let logs = place.tree("out");
    let logs: Vec<&String> = logs.keys().filter(|name| name.ends_with(".jsonl.zst")).collect();
    assert_eq!(logs.len(), 12);
    for log in logs {
        let ran = place.raddle(&["replay", "--events", &format!("out/{log}")]);
        assert_eq!(ran.code, 0, "{log}: {}", ran.err);
        assert!(ran.out.contains("agree byte for byte"), "{}", ran.out);
    }
}

#[test]
fn requests_are_cut_at_the_end_of_the_longest_other_profile() {
    let place = place();
    let base = [&BOTH[..], &["--recipe", "greedy", "--launch-latency", "none"]].concat();
    let value = summary(&place, &base);
    let told = &value["profiles"][1]["requests"];
    assert_eq!((&told["task"], &told["process"]), (&"burst".into(), &"trace".into()));
    assert_eq!((&told["replayed"], &told["of"]), (&4.into(), &5.into()));
    // The training's last recorded end.
    assert_eq!(told["until-ns"], 901_000);
    assert!(value["profiles"][0].get("requests").is_none());
    let found = process(&value, 1);
    assert_eq!((&found["iterations"], &found["requests"]["ended"]), (&4.into(), &4.into()));
    assert_eq!(found["levels"][0]["level"], 3);
    // The request alone ends with its last launch, 320 us after it arrived.
    assert_eq!(found["requests"]["alone-ns"], 320_000);
    assert!(found["requests"]["latency-p50-ns"].as_u64() >= Some(320_000));
    assert!(process(&value, 0).get("requests").is_none());
    // Another end takes in the last request, and the training is repeated until it has ended.
    let value = summary(&place, &[&base[..], &["--until", "2.1ms"]].concat());
    let told = &value["profiles"][1]["requests"];
    assert_eq!((&told["replayed"], &told["until-ns"]), (&5.into(), &2_100_000.into()));
    assert_eq!(process(&value, 0)["iterations"], 3);
    assert!(value["recipes"][0]["summary"]["makespan-ns"].as_u64() >= Some(2_320_000));
    // A late start moves the requests.
    let value = summary(&place, &[&base[..], &["--start", "infer=0.5ms"]].concat());
    assert_eq!(value["profiles"][1]["requests"]["replayed"], 3);
}

#[test]
fn rules_for_priorities_win_over_those_of_the_load() {
    let place = place();
    let level = |more: &[&str]| {
        let value = summary(&place, &[&BOTH[..], &["--recipe", "greedy"], more].concat());
        let level = |at| process(&value, at)["levels"][0]["level"].as_u64().unwrap();
        (level(0), level(1))
    };
    assert_eq!(level(&[]), (0, 3));
    assert_eq!(level(&["--priority", "infer=7"]), (0, 7));
    // Beside tasks with a priority, one without it is best effort.
    assert_eq!(level(&["--arrivals", "train=load.json:train"]), (255, 3));
}

#[test]
fn without_a_task_each_profile_takes_the_one_of_its_name() {
    let place = place();
    let value = summary(
        &place,
        &[
            "replay",
            "train.csv",
            "infer.csv",
            "--arrivals",
            "load.json",
            "--recipe",
            "greedy",
            "--no-files",
            "--until",
            "3ms",
        ],
    );
    assert_eq!(value["profiles"][0]["requests"]["process"], "continuous");
    assert!(value["profiles"][1].get("requests").is_none());
    // A closed loop: the next begins when the last has ended, after 900 us; the last one at 2.7 ms.
    let train = &process(&value, 0)["requests"];
    assert_eq!((&train["arrived"], &train["ended"]), (&4.into(), &4.into()));
    // The only profile needs no name, the only task neither.
    place.file("one.json", r#"{"rt": [{"name": "x", "frequency": 3000}], "time": 1}"#);
    let value = summary(
        &place,
        &[
            "replay",
            "infer.csv",
            "--arrivals",
            "one.json",
            "--no-files",
            "--until",
            "1ms",
            "--recipe",
            "greedy",
        ],
    );
    let told = &value["profiles"][0]["requests"];
    assert_eq!((&told["task"], &told["replayed"]), (&"rt/x".into(), &3.into()));
    assert_eq!(process(&value, 0)["iterations"], 3);
}

#[test]
fn where_all_profiles_have_requests_the_file_sets_the_end() {
    let place = place();
    let alone = |task: &str, more: &[&str]| {
        let arrivals = format!("load.json:{task}");
        let base =
            ["replay", "infer.csv", "--arrivals", &arrivals, "--no-files", "--recipe", "greedy"];
        summary(&place, &[&base[..], more].concat())
    };
    // 2 ms of 2000 a second; `time` counts seconds, since its trace ends within twice that.
    let value = alone("even", &[]);
    let told = &value["profiles"][0]["requests"];
    assert_eq!(
        (&told["replayed"], &told["of"], &told["until-ns"]),
        (&4.into(), &4.into(), &Value::Null)
    );
    assert!(told["time-unit"].as_str().unwrap().starts_with("seconds, because"));
    let value = alone("even", &["--time-unit", "minutes", "--until", "100ms"]);
    assert_eq!(value["profiles"][0]["requests"]["replayed"], 200);
    let value = alone("train", &[]);
    let told = &value["profiles"][0]["requests"];
    assert_eq!((&told["replayed"], &told["until-ns"]), (&Value::Null, &2_000_000.into()));
    assert_eq!(process(&value, 0)["requests"]["arrived"], 7);
}

#[test]
fn random_arrivals_follow_their_seed() {
    let place = place();
    let with = |more: &[&str]| {
        let base = ["replay", "infer.csv", "-v", "--arrivals", "load.json:random", "--no-files"];
        let ran = place.raddle(&[&base[..], more].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
        ran.out
    };
    assert_eq!(with(&[]), with(&["--seed", "0"]));
    assert_ne!(with(&[]), with(&["--seed", "1"]));
    assert!(with(&["--seed", "1"]).contains("seed 1"), "it is said");
}

#[test]
fn a_dependent_task_follows_the_profile_of_its_task() {
    let place = place();
    place.file("post.csv", table(&["post 1 8 64 16 0 0 0 1000"]));
    let base = [
        "replay",
        "infer.csv",
        "post.csv",
        "--arrivals",
        "infer=load.json:burst",
        "--arrivals",
        "post=load.json:next",
        "--recipe",
        "greedy",
        "--no-files",
    ];
    let value = summary(&place, &base);
    assert_eq!(process(&value, 0)["requests"]["ended"], 5);
    let post = &process(&value, 1)["requests"];
    assert_eq!((&post["ended"], &post["latency-max-ns"]), (&5.into(), &1000.into()));
    let last = |at: usize| process(&value, at)["last-end-ns"].as_u64().unwrap();
    assert_eq!(last(1), last(0) + 1000);
    let (code, error) = refusal(&place, &["post.csv", "--arrivals", "load.json:next"]);
    assert_eq!(code, 1);
    assert!(error.contains("follows `burst`, which drives no profile: add --arrivals"), "{error}");
    let (code, error) = refusal(&place, &["post.csv", "--arrivals", "load.json:ring"]);
    assert_eq!(code, 1);
    assert!(error.contains("`ring` of load.json follows itself"), "{error}");
}

#[test]
fn what_cannot_be_bound_is_refused_with_what_there_is() {
    let place = place();
    place.file("result.json", r#"{"results": []}"#);
    place.file("no-time.json", r#"{"rt": [{"name": "x", "frequency": 30}]}"#);
    place.file("a=b.json", LOAD);
    let two = ["train.csv", "infer.csv"];
    let one = ["infer.csv"];
    let cases: [(&[&str], &[&str], i32, &str); 14] = [
        (
            &two,
            &["--arrivals", "load.json:burst"],
            2,
            "which profile? Put its name and `=` in front; they are train, infer",
        ),
        (
            &two,
            &["--arrivals", "infr=load.json"],
            2,
            "--arrivals infr=...: none of the profiles is called so",
        ),
        (
            &two,
            &["--arrivals", "infer=load.json:brust"],
            2,
            "no task is called `brust`; name one behind a colon, such as `load.json:burst`",
        ),
        (&one, &["--arrivals", "load.json"], 2, "no task is called `infer`"),
        (
            &two,
            &["--arrivals", "infer=load.json:even", "--arrivals", "infer=load.json:burst"],
            2,
            "infer has its requests from an earlier --arrivals",
        ),
        (&one, &["--arrivals", "gone.json:x"], 1, "gone.json cannot be read"),
        (
            &one,
            &["--arrivals", "result.json"],
            1,
            "result.json says nothing of arrivals: it is a result",
        ),
        (
            &one,
            &["--arrivals", "train.csv"],
            1,
            "train.csv says nothing of arrivals: line 1 is neither JSON nor the header",
        ),
        (&one, &["--arrivals", "no-time.json"], 1, "does not say how long its load lasts"),
        (
            &one,
            &["--arrivals", "load.json:even", "--until", "2100000ms"],
            1,
            "the requests make 16,800,000 launches",
        ),
        (
            &two,
            &["--arrivals", "infer=load.json:burst", "--start", "infer=1ms"],
            1,
            "arrives before 901 us, the end of the longest profile without requests; the first arrives at 1.00 ms",
        ),
        (&one, &["--until", "5ms"], 2, "--arrivals"),
        (&one, &["--arrivals", "load.json:even", "--until", "0"], 2, "no time above 0"),
        (&one, &["--arrivals", "a=b.json:brust"], 2, "a=b.json: no task is called `brust`"),
    ];
    for (profiles, more, expected, words) in cases {
        let (code, error) = refusal(&place, &[profiles, more].concat());
        assert!(error.contains(words), "{more:?}: {error}");
        assert_eq!(code, expected, "{error}");
    }
    let logs = refusal(&place, &["--events", "x", "--arrivals", "load.json"]);
    assert!(logs.0 == 2 && logs.1.contains("cannot be used with"), "{}", logs.1);
}

#[test]
fn communication_is_kept_fixed_or_left_out() {
    let place = Place::new();
    place.file(
        "ranks.csv",
        table(&[
            "gemm         1 80 128 32 0 0    0      1000",
            "ncclAllReduce 1 8 512 32 0 100  1000   9000",
            "gemm         1 80 128 32 0 200  10000  1000",
            "ncclAllReduce 1 8 512 32 0 300  11000  500",
            "gemm         1 80 128 32 0 400  11500  1000",
        ]),
    );
    let with = |rule: &str| {
        let args =
            ["replay", "ranks.csv", "-v", "--recipe", "greedy", "--no-files", "--comm", rule];
        // By hand: what is recorded, and nothing fitted to it.
        let args = [&args[..], &["--launch-latency", "none"]].concat();
        let text = place.raddle(&args).out.split_whitespace().collect::<Vec<_>>().join(" ");
        (summary(&place, &args), text)
    };
    let makespan = |value: &Value| value["recipes"][0]["summary"]["makespan-ns"].as_u64().unwrap();
    let (keep, text) = with("keep");
    assert_eq!(
        (makespan(&keep), &keep["profiles"][0]["communication"]["launches"]),
        (12_500, &2.into())
    );
    assert_eq!(keep["profiles"][0]["communication"]["recorded"], 0.76);
    assert!(
        text.contains("lasts as recorded: 76.0% of kernel time (`--comm` changes it)"),
        "{text}"
    );
    let (fixed, text) = with("fixed");
    assert_eq!((makespan(&fixed), &fixed["profiles"][0]["kernel-ns"]), (4000, &4000.into()));
    assert!(text.contains("without the wait for peers: 8.0% instead of 76.0% of kernel"), "{text}");
    let (drop, text) = with("drop");
    assert_eq!((makespan(&drop), &drop["profiles"][0]["kernels"]), (3000, &3.into()));
    assert!(text.contains("waits for what it waited for: 2 launches, 76.0% of kernel"), "{text}");
    place.file("plain.csv", train());
    let ran = place.raddle(&["replay", "plain.csv", "-v", "--comm", "drop", "--no-files"]);
    let text = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("no kernel is communication by its name"), "{text}");
    place.file("only.csv", table(&["ncclAllReduce 1 8 512 32 0 0 0 9000"]));
    let (code, error) = refusal(&place, &["only.csv", "--comm", "drop"]);
    assert_eq!(code, 1);
    assert!(error.contains("every kernel of only.csv is communication"), "{error}");
}

#[test]
fn a_minute_of_a_real_service() {
    let Some(path) = sample("llm_requests/azure2023_conv.csv.gz") else { return };
    let place = Place::new();
    place.file("infer.csv", infer());
    let path = path.display().to_string();
    let args = [
        "replay",
        "infer.csv",
        "--arrivals",
        &path,
        "--recipe",
        "greedy",
        "--no-files",
        "--until",
        "60000ms",
        "--launch-latency",
        "none",
    ];
    let value = summary(&place, &args);
    let told = &value["profiles"][0]["requests"];
    assert_eq!((&told["replayed"], &told["of"]), (&A_MINUTE.into(), &19_366.into()));
    let found = &process(&value, 0)["requests"];
    assert_eq!((&found["ended"], &found["latency-p50-ns"]), (&A_MINUTE.into(), &320_000.into()));
    assert!(!value.to_string().contains("azure2023"), "no path is told");
}

/// Number of rows of the sample trace within a minute of the first, counted by a script.
const A_MINUTE: u64 = 191;

#[test]
fn the_real_workload_of_disb() {
    let Some(path) = sample("disb/workload_REAL.json") else { return };
    let place = Place::new();
    for name in ["vgg19_rt.csv", "densenet201_rt.csv", "resnet152_be.csv"] {
        fs::write(place.path().join(name), infer()).unwrap();
    }
    let path = path.display().to_string();
    let args = [
        "replay",
        "vgg19_rt.csv",
        "densenet201_rt.csv",
        "resnet152_be.csv",
        "--arrivals",
        &path,
        "--recipe",
        "leftover",
        "--no-files",
        "--until",
        "400ms",
    ];
    let value = summary(&place, &args);
    let told = |at: usize| value["profiles"][at]["requests"]["replayed"].clone();
    assert_eq!((told(0), told(1), told(2)), (VGG.into(), DENSENET.into(), Value::Null));
    let closed = &process(&value, 2)["requests"];
    assert!(closed["ended"].as_u64() > Some(1200), "{closed}");
}

/// Number of arrivals before 400 ms in the sample load, counted by a script.
const VGG: u64 = 12;
const DENSENET: u64 = 2;

/// Checks that help and messages tell of `--until` in one way: requests arrive for that long.
#[test]
fn until_is_told_in_one_way() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut told = 0;
    for folder in ["raddle/src", "raddle-study/src", "raddle-report/src"] {
        let mut folders = vec![root.join(folder)];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let text = std::fs::read_to_string(&path).unwrap_or_default();
                for line in text.lines().filter(|line| line.contains("--until TIME")) {
                    assert!(line.contains("requests arrive"), "{}: {line}", path.display());
                    told += 1;
                }
            }
        }
    }
    assert!(told > 5, "{told}");
    let help = Place::new().raddle(&["replay", "--help"]).out;
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    let words = "Requests arrive for this long, such as 300ms, and the last of them are served";
    assert!(help.contains(words), "{help}");
}
