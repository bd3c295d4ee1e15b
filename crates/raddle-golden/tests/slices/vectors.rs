//! Are the worked examples of the spec reproduced?
//!
//! The vectors lie in `fixtures/vectors` of raddle-testkit. Their rules
//! are called literal, inv, mean, min1 and equal; "pure" has slices below t0 and is not offered.

use raddle_policy::{Level, Tick, Ticks};
use raddle_timeslice::{LevelRange, Reload, SliceConfig, SliceRule};
use serde_json::Value;

use crate::{gpu, load, millionths, ran, task};

fn vectors() -> Value {
    raddle_testkit::vectors("vectors004.json")
}

const RULES: [(&str, SliceRule); 5] = [
    ("literal", SliceRule::Claim),
    ("inv", SliceRule::Inverse),
    ("mean", SliceRule::Mean),
    ("min1", SliceRule::MinOne),
    ("equal", SliceRule::Equal),
];

fn list(value: &Value) -> &[Value] {
    let list = value.as_array().expect("a list");
    assert!(!list.is_empty());
    list
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

/// Reads a weight with few decimals as a fraction.
fn fraction(value: &Value) -> (u64, u64) {
    let thousandths = (number(value) * 1000.0).round() as u64;
    (thousandths, 1000)
}

#[test]
fn codes() {
    let all = vectors();
    assert_eq!(list(&all["priority_codes"]).len(), 16);
    for entry in list(&all["priority_codes"]) {
        let level = u16::try_from(entry["level"].as_u64().unwrap()).unwrap();
        let code = LevelRange::default().code(level).unwrap();
        assert_eq!(code.to_string(), entry["code"].as_str().unwrap());
        assert_eq!(u64::from(code.value()), entry["value"].as_u64().unwrap());
        assert_eq!(LevelRange::default().level(code.value()), Ok(Level(code.value())));
    }
}

#[test]
fn selections() {
    let all = vectors();
    for example in list(&all["select"]) {
        let pool = list(&example["pool"]);
        let entries: Vec<(u8, u64, u64)> = pool
            .iter()
            .map(|entry| {
                let (over, under) = fraction(&entry[2]);
                (entry[1].as_u64().unwrap() as u8, over, under)
            })
            .collect();
        let found = load(example["L"].as_u64().unwrap() as usize, &entries);
        let names: Vec<&Value> = found.iter().map(|&index| &pool[index][0]).collect();
        assert_eq!(names, list(&example["cache"]).iter().collect::<Vec<_>>());
    }
}

#[test]
fn slices() {
    let all = vectors();
    for example in ["weights 20 and 6", "ten tasks, sum 30, one of 5"] {
        let example = &all[example];
        let weights: Vec<(u64, u64)> = list(&example["weights"]).iter().map(fraction).collect();
        for (name, rule) in RULES {
            let expected = list(&example[name]).iter();
            let expected: Vec<u128> =
                expected.map(|slices| (number(slices) * 1e6).round() as u128).collect();
            assert_eq!(millionths(rule, &weights), expected, "{name}");
        }
    }
    for (n, expected) in all["equal weights"].as_object().unwrap() {
        let n: usize = n.parse().unwrap();
        let slices = millionths(SliceRule::Claim, &vec![(3, 1); n]);
        assert_eq!(slices[0] as f64, number(&expected["slice"]) * 1e6);
        let round = number(&expected["round_in_slices"]) * 1e6;
        assert_eq!(slices.iter().sum::<u128>() as f64, round);
    }
}

/// Checks the runs in the digest of patent 004 (our summary with checks), which use exact
/// fractions of a tick, by runs of whole microseconds.
#[test]
fn runs_of_four_tasks() {
    let all = vectors();
    let unit = 1000;
    for (name, rule) in RULES {
        let expected = &all["simulations"][format!("4 tasks in cache / {name}")];
        let old = [300, 150, 60, 3].map(|seconds| (0, seconds * 1000 * unit));
        let mut gpu = gpu(&SliceConfig::new(Ticks(40 * unit), 4, rule), 600_000 * unit, &old);
        gpu.advance(Tick(4_200_000 * unit), &mut |_| {});
        for (ran, seconds) in ran(&gpu).iter().zip(list(&expected["run"])) {
            let seconds = number(seconds);
            // The digest lets the last round run over the end.
            assert!((*ran as f64 / 1e6 - seconds).abs() < 8.0, "{name}: {ran} {seconds}");
        }
        let rounds = number(&expected["rounds"]);
        assert!((gpu.loads() as f64 - rounds).abs() <= 1.0, "{name}: {}", gpu.loads());
    }
}

#[test]
fn reloads() {
    let all = vectors();
    for (name, reload) in [("until complete", Reload::Completion), ("one pass", Reload::OnePass)] {
        let settings = SliceConfig::new(Ticks(40), 3, SliceRule::Equal).with_reload(reload);
        let mut gpu = gpu(&settings, 0, &[]);
        for id in 0..5 {
            gpu.add(task(id, 0, 0, 0), Some(Ticks(400)), Tick(0));
        }
        let mut ends = Vec::new();
        gpu.advance(Tick(10_000), &mut |stretch| {
            if stretch.completed {
                let name = char::from(b'a' + stretch.id.0 as u8).to_string();
                ends.push(serde_json::json!([name, stretch.to.0 / 40]));
            }
        });
        let expected = &all["reload_readings"][name]["completion (task, slice)"];
        assert_eq!(&Value::from(ends), expected, "{name}");
    }
}
