//! Does the golden model of time slices give the answers of the contract, refuse the rest at its
//! place, and explain itself?

mod common;

use common::Place;
use serde_json::{Value, json};

/// Questions with their answers: that of the contract, and the ends of each range.
const ANSWERED: [(&str, &str); 12] = [
    (
        r#"{"t0":40,"capacity":3,"rule":"claim","tasks":[{"name":"a","level":3,"created":0,"ran":180000},{"name":"b","level":3,"created":0,"ran":600000},{"name":"c","level":5,"created":0,"ran":1}],"now":3600000}"#,
        r#"{"candidates":["a","b"],"loaded":["a","b"],"weights":["20/1","6/1"],"slices":["52/1","520/3"],"ticks":[52,173]}"#,
    ),
    (
        r#"{"t0":40,"capacity":1,"rule":"min_one","tasks":[{"name":"b","level":1,"created":0,"ran":600000},{"name":"a","level":1,"created":0,"ran":180000},{"name":"A","level":1,"created":0,"ran":180000}],"now":3600000}"#,
        r#"{"candidates":["b","a","A"],"loaded":["a"],"weights":["20/1"],"slices":["40/1"],"ticks":[40]}"#,
    ),
    (
        r#"{"t0":1000000,"capacity":2,"rule":"inverse","tasks":[{"name":"a","level":16,"created":0,"ran":3000000},{"name":"b","level":16,"created":0,"ran":10000000}],"now":60000000}"#,
        r#"{"candidates":["a","b"],"loaded":["a","b"],"weights":["20/1","6/1"],"slices":["13000000/3","1300000/1"],"ticks":[4333333,1300000]}"#,
    ),
    (
        r#"{"t0":1000000,"capacity":2,"rule":"mean","longest":1500000,"tasks":[{"name":"a","level":2,"created":0,"ran":3000000},{"name":"b","level":2,"created":0,"ran":10000000}],"now":60000000}"#,
        r#"{"candidates":["a","b"],"loaded":["a","b"],"weights":["20/1","6/1"],"slices":["1500000/1","6000000/13"],"ticks":[1500000,461538]}"#,
    ),
    (
        r#"{"t0":7,"capacity":9,"rule":"equal","tasks":[{"name":"","level":2,"created":5,"ran":0,"share":3}],"now":5}"#,
        r#"{"candidates":[""],"loaded":[""],"weights":["3/1"],"slices":["7/1"],"ticks":[7]}"#,
    ),
    // Half a tick rounds up: 1 x 3 / 2; a third of one is still a tick.
    (
        r#"{"t0":1,"capacity":9,"rule":"claim","tasks":[{"name":"a","level":2,"created":0,"ran":8},{"name":"b","level":2,"created":0,"ran":4}],"now":8}"#,
        r#"{"candidates":["a","b"],"loaded":["a","b"],"weights":["1/1","2/1"],"slices":["3/1","3/2"],"ticks":[3,2]}"#,
    ),
    (
        r#"{"t0":1,"capacity":9,"rule":"mean","tasks":[{"name":"a","level":2,"created":0,"ran":8},{"name":"b","level":2,"created":0,"ran":1}],"now":8}"#,
        r#"{"candidates":["a","b"],"loaded":["a","b"],"weights":["1/1","8/1"],"slices":["2/9","16/9"],"ticks":[1,2]}"#,
    ),
    (
        r#"{"id":[1],"t0":40,"capacity":1,"rule":"equal","tasks":[{"name":"b","level":1,"created":0,"ran":0},{"name":"a_b","level":2,"created":0,"ran":0},{"name":"a-b","level":2,"created":0,"ran":0}],"now":100,"run":{"until":200,"work":{"b":50,"a_b":50,"a-b":null}}}"#,
        r#"{"id":[1],"candidates":["b"],"loaded":["b"],"weights":["5/2"],"slices":["40/1"],"ticks":[40],"ran":{"b":50,"a_b":50,"a-b":100},"rounds":7,"completed":[["b",150],["a_b",200]]}"#,
    ),
    (
        r#"{"t0":40,"capacity":1,"rule":"equal","tasks":[{"name":"b","level":1,"created":0,"ran":0}],"now":100,"run":{"until":0}}"#,
        r#"{"candidates":["b"],"loaded":["b"],"weights":["5/2"],"slices":["40/1"],"ticks":[40],"ran":{"b":0},"rounds":0,"completed":[]}"#,
    ),
    (
        r#"{"t0":40,"capacity":1,"rule":"claim","tasks":[{"name":"b","level":1,"created":0,"ran":0}],"now":100,"run":{"until":500,"work":{"b":0}}}"#,
        r#"{"candidates":["b"],"loaded":["b"],"weights":["5/2"],"slices":["40/1"],"ticks":[40],"ran":{"b":0},"rounds":0,"completed":[]}"#,
    ),
    (
        r#"{"t0":18446744073709551615,"capacity":18446744073709551615,"rule":"claim","tasks":[{"name":"x","level":1,"created":0,"ran":0},{"name":"y","level":1,"created":0,"ran":0}],"now":18446744073709551615}"#,
        r#"{"candidates":["x","y"],"loaded":["x","y"],"weights":["1/1","1/1"],"slices":["36893488147419103230/1","36893488147419103230/1"],"ticks":[36893488147419103230,36893488147419103230]}"#,
    ),
    (
        r#"{"t0":40,"capacity":4,"rule":"claim","tasks":[{"name":"a","level":1,"created":0,"ran":300000},{"name":"b","level":1,"created":0,"ran":150000},{"name":"c","level":1,"created":0,"ran":60000},{"name":"d","level":1,"created":0,"ran":3000}],"now":600000,"run":{"until":3600000,"work":{}}}"#,
        r#"{"candidates":["a","b","c","d"],"loaded":["a","b","c","d"],"weights":["2/1","4/1","10/1","200/1"],"slices":["4320/1","2160/1","864/1","216/5"],"ticks":[4320,2160,864,43],"ran":{"a":2406870,"b":1201840,"c":480478,"d":23812},"rounds":485,"completed":[]}"#,
    ),
];

#[test]
fn the_contracts_answers() {
    let (questions, answers): (Vec<&str>, Vec<&str>) = ANSWERED.into_iter().unzip();
    let ran = Place::new().ask(&["golden", "slices"], questions.join("\n"));
    for (found, wanted) in ran.out.lines().zip(&answers) {
        assert_eq!(found, *wanted);
    }
    assert_eq!((ran.code, ran.err.as_str(), ran.out.lines().count()), (0, "", answers.len()));
}

/// The comparison at the end of the contract's section, every rule.
#[test]
fn the_contracts_comparison() {
    for (rule, ran, rounds) in [
        ("claim", [2_406_870, 1_201_840, 480_478, 23_812], 485),
        ("inverse", [1_057_699, 1_025_290, 1_015_850, 1_014_161], 5433),
        ("mean", [1_058_408, 1_022_831, 1_016_286, 1_015_475], 22_511),
        ("min-one", [1_057_720, 1_024_917, 1_016_150, 1_014_213], 18_943),
        ("equal", [1_200_000, 1_050_000, 960_000, 903_000], 22_500),
    ] {
        let question = ANSWERED[11].0.replace("claim", rule);
        let out = Place::new().ask(&["golden", "slices"], question).out;
        let answer: Value = serde_json::from_str(&out).unwrap();
        let [a, b, c, d] = ran;
        assert_eq!(answer["ran"], json!({"a": a, "b": b, "c": c, "d": d}), "{rule}");
        assert_eq!(answer["rounds"], rounds, "{rule}");
    }
}

/// Weights of unlike denominators: their sum has more digits than any integer of the machine.
#[test]
fn fractions_of_any_size() {
    let primes = [999_983, 999_979, 999_961, 999_959, 999_953, 999_931, 999_917, 999_907, 999_883];
    let tasks: Vec<Value> = (0..)
        .zip(primes)
        .map(|(n, ran)| json!({"name": format!("t{n}"), "level": 4, "created": 0, "ran": ran}))
        .collect();
    let question = |rule: &str| {
        json!({"t0": 1, "capacity": 99, "rule": rule, "tasks": tasks, "now": 1_000_003}).to_string()
    };
    for rule in ["claim", "mean", "inverse", "min-one"] {
        let out = Place::new().ask(&["golden", "slices"], question(rule)).out;
        let answer: Value = serde_json::from_str(&out).unwrap();
        let first = answer["slices"][0].as_str().unwrap();
        let (over, under) = first.split_once('/').unwrap();
        let digits = |n: &str| n.chars().take(15).collect::<String>().parse::<f64>().unwrap();
        let scale = 10_f64.powi(over.len() as i32 - under.len() as i32);
        let value = digits(over) / digits(under)
            * if over.len().min(under.len()) > 15 { scale } else { 1.0 };
        let wanted = if matches!(rule, "claim" | "inverse") { 9.0 } else { 1.0 };
        assert!((value - wanted).abs() < 0.01, "{rule}: {first}");
        if matches!(rule, "claim" | "mean") {
            assert!(over.len().max(under.len()) > 45, "{rule}: {first}");
        }
    }
}

const TASK: &str = r#"{"name":"a","level":3,"created":10,"ran":5}"#;

fn asked(rest: &str) -> String {
    format!(r#"{{"t0":40,"capacity":3,"rule":"claim","tasks":[{TASK}],"now":60{rest}}}"#)
}

#[test]
fn refusals() {
    let whole = asked("");
    let put = |from: &str, to: &str| {
        assert!(whole.contains(from), "{from}");
        whole.replacen(from, to, 1)
    };
    let max = u64::MAX;
    let wide = format!(
        r#"{{"t0":1,"capacity":3,"rule":"claim","tasks":[{TASK},{{"name":"b","level":3,"created":0,"ran":1,"share":{max}}}],"now":{max}}}"#
    );
    let cases = [
        (put(r#""t0":40,"#, ""), "missing_field", ""),
        (put(r#""capacity":3,"#, ""), "missing_field", ""),
        (put(r#""rule":"claim","#, ""), "missing_field", ""),
        (put(r#","now":60"#, ""), "missing_field", ""),
        (put(r#","ran":5"#, ""), "missing_field", "/tasks/0"),
        (put(r#""t0":40"#, r#""t0":0"#), "out_of_range", "/t0"),
        (put(r#""capacity":3"#, r#""capacity":0"#), "out_of_range", "/capacity"),
        (put("claim", "literal"), "out_of_range", "/rule"),
        (put(r#""level":3"#, r#""level":0"#), "out_of_range", "/tasks/0/level"),
        (put(r#""level":3"#, r#""level":17"#), "out_of_range", "/tasks/0/level"),
        (put(TASK, ""), "out_of_range", "/tasks"),
        (put(TASK, &format!("{TASK},{TASK}")), "inconsistent", "/tasks/1/name"),
        (put(r#""created":10"#, r#""created":61"#), "out_of_range", "/tasks/0/created"),
        (put(r#""ran":5"#, r#""ran":51"#), "out_of_range", "/tasks/0/ran"),
        (put(r#""ran":5"#, r#""ran":5,"share":0"#), "out_of_range", "/tasks/0/share"),
        (put(r#""ran":5"#, r#""ran":5,"weight":2"#), "unknown_field", "/tasks/0/weight"),
        (put(r#""name":"a""#, r#""name":7"#), "wrong_type", "/tasks/0/name"),
        (put(r#""tasks":["#, r#""tasks":[7,"#), "wrong_type", "/tasks/0"),
        (asked(r#","longest":39"#), "out_of_range", "/longest"),
        (asked(r#","order":"fifo""#), "unknown_field", "/order"),
        (asked(r#","run":{}"#), "missing_field", "/run"),
        (asked(r#","run":7"#), "wrong_type", "/run"),
        (asked(r#","run":{"until":-1,"work":{}}"#), "out_of_range", "/run/until"),
        (asked(r#","run":{"until":1,"work":{"b":1}}"#), "inconsistent", "/run/work/b"),
        (asked(r#","run":{"until":1,"work":{"a":"x"}}"#), "wrong_type", "/run/work/a"),
        (asked(r#","run":{"until":1,"work":[1]}"#), "wrong_type", "/run/work"),
        (asked(r#","run":{"until":1,"speed":2}"#), "unknown_field", "/run/speed"),
        (asked(&format!(r#","run":{{"until":{max}}}"#)), "overflow", "/run/until"),
        (asked(r#","run":{"until":9000000000000}"#), "out_of_range", "/run/until"),
        (wide, "overflow", "/tasks/1"),
        ("7".to_owned(), "wrong_type", ""),
    ];
    let lines: Vec<&str> = cases.iter().flat_map(|(line, ..)| [line.as_str(), &whole]).collect();
    let ran = Place::new().ask(&["golden", "slices"], lines.join("\n"));
    assert_eq!(ran.code, 1);
    let answers: Vec<Value> =
        ran.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(answers.len(), lines.len());
    for ((line, kind, at), answer) in cases.iter().zip(answers.chunks(2)) {
        let error = &answer[0]["error"];
        let found = (error["kind"].as_str(), error["at"].as_str());
        assert_eq!(found, (Some(*kind), Some(*at)), "{line}: {error}");
        assert!(answer[1].get("error").is_none(), "the next line is taken: {line}");
    }
}

#[test]
fn every_answer_can_be_explained() {
    let place = Place::new();
    for (question, answer) in ANSWERED {
        let ran = place.raddle(&["explain", "slices", question, "--format", "json"]);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{question}");
        let value: Value = serde_json::from_str(&ran.out).unwrap();
        let mut answer: Value = serde_json::from_str(answer).unwrap();
        answer.as_object_mut().unwrap().remove("id");
        assert_eq!(value["answer"], answer, "{question}");
    }
}

#[test]
fn the_worked_example_and_a_run() {
    let place = Place::new();
    let mut told = place.raddle(&["explain", "slices"]).out;
    for at in [1, 3, 7] {
        told += "\n";
        told += &place.raddle(&["explain", "slices", ANSWERED[at].0]).out;
    }
    insta::assert_snapshot!("explain-slices", told);
}

#[test]
fn long_questions_are_explained_in_short() {
    let long = "n".repeat(500);
    let tasks: Vec<String> = (0..300)
        .map(|n| format!(r#"{{"name":"{long}{n}","level":2,"created":0,"ran":{}}}"#, 1000 + n * n))
        .collect();
    let question = format!(
        r#"{{"t0":7,"capacity":400,"rule":"claim","tasks":[{}],"now":9999999,"run":{{"until":100000}}}}"#,
        tasks.join(",")
    );
    let ran = Place::new().ask(&["explain", "slices"], question);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let (told, _) = ran.out.split_once("\nAnswer: ").unwrap();
    let lines = told.lines().skip(1);
    assert!(lines.clone().count() <= 140);
    assert!(lines.clone().all(|line| line.chars().count() <= 200));
}
