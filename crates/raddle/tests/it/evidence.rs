//! Are percentiles right within the interval that is printed beside them, by the default command?

use serde_json::Value;

use crate::common::{Place, table};

/// Queues with one server and a service time of one millisecond: (requests a second, 99th
/// percentile of the time of a request in nanoseconds by Erlang's formula for M/D/1).
const QUEUES: [(u32, u64); 3] = [(500, 4_328_000), (700, 7_480_000), (900, 22_200_000)];

/// Makes a profile of one kernel of a millisecond that fills every compute unit.
fn one() -> String {
    table(&["work 7 80 1024 32 65536 0 0 1000000"])
}

fn replayed(place: &Place, args: &[&str]) -> Value {
    let base = ["replay", "one.csv", "--no-files", "--format", "json", "--recipe", "leftover"];
    let ran = place.raddle(&[&base[..], args].concat());
    assert!([0, 5].contains(&ran.code), "{}", ran.err);
    serde_json::from_str(&ran.out).expect("the command prints JSON")
}

/// Returns (number of requests, p99, lower bound, upper bound or `None`) of the first process,
/// times in ns.
fn found(value: &Value) -> (u64, u64, u64, Option<u64>) {
    let own = &value["answer"]["rows"][0]["processes"][0];
    let of = |value: &Value| value.as_u64();
    let sampled = &own["sampled"];
    let least = of(&sampled["least-ns"]).expect("a lower bound");
    let figure = of(&own["decisive-ns"]).expect("requests ended");
    (of(&own["requests"]).expect("requests ended"), figure, least, of(&sampled["most-ns"]))
}

/// Checks that the known percentiles of queues lie within the printed intervals. A test run draws
/// one seed of two queues; `RADDLE_QUEUE_SEEDS` asks for more seeds of all three, of which one in
/// twenty may miss.
#[test]
fn a_queue_of_known_percentiles_lies_within_its_intervals() {
    let place = Place::new();
    place.file("one.csv", one());
    let asked: Option<u64> =
        std::env::var("RADDLE_QUEUE_SEEDS").ok().and_then(|it| it.parse().ok());
    let seeds = asked.unwrap_or(1);
    // The busiest queue takes longest.
    let queues = if asked.is_some() { &QUEUES[..] } else { &QUEUES[..2] };
    for &(rate, truth) in queues {
        let mut inside = 0;
        for seed in 0..seeds {
            let (load, seed) = (format!("one={rate}/s"), seed.to_string());
            let value = replayed(&place, &["--requests", &load, "--seed", &seed]);
            let (requests, figure, least, most) = found(&value);
            println!("{rate}/s, seed {seed}: {requests} requests, {figure} in {least} to {most:?}");
            let narrow = most.is_some_and(|most| (most - least) * 10 <= figure);
            assert!(requests >= 300 && (narrow || requests > 150_000), "{value}");
            inside += u64::from(least <= truth && most.is_none_or(|most| truth <= most));
        }
        assert!(inside * 20 >= seeds * 19, "{rate}/s: {inside} of {seeds}");
    }
}

#[test]
fn the_load_that_holds_a_goal_is_that_of_the_queue() {
    let place = Place::new();
    place.file("one.csv", one());
    // Five services are the 99th percentile at 561 requests a second.
    let value = replayed(&place, &["--requests", "one=400/s", "--goal", "one p99 5ms"]);
    let limit = &value["load-limit"];
    let rate = |key: &str| limit[key].as_u64().expect("a bound") * 4;
    let (met, missed) = (rate("met-percent"), rate("missed-percent"));
    assert!(533 <= met && met < missed && missed <= 589, "{limit}");
}

/// Checks that the load which "what if" names is that which a sweep of the same loads finds, and
/// that both are as sure of it.
#[test]
fn the_load_that_holds_a_goal_is_that_of_a_sweep() {
    let place = Place::new();
    place.file("infer.csv", crate::common::infer());
    place.file("train.csv", crate::common::train());
    let mut seen = std::collections::BTreeSet::new();
    for (recipe, goal) in [
        ("partition", "infer p99 400us"),
        ("mps", "infer p99 900us"),
        ("time-slice", "infer p99 20ms"),
    ] {
        let (recipe, goal) = (format!("--recipe={recipe}"), format!("--goal={goal}"));
        let files = ["infer.csv", "train.csv", "--requests=infer=700/s", "--until=60ms"];
        let asked = [&files[..], &[&recipe, &goal]].concat();
        let ran = place.raddle(&[&["replay", "--no-files", "--format=json"], &asked[..]].concat());
        let value: Value = serde_json::from_str(&ran.out).expect("the command prints JSON");
        let limit = &value["load-limit"];
        let rate = |key: &str| Some(format!("{}/s", limit[key].as_u64()? * 7));
        let sure = limit["met-surely"].as_bool().expect("it is told");
        let (Some(met), missed) = (rate("met-percent"), rate("missed-percent")) else {
            panic!("{limit}")
        };
        // A load far below stands in front, as one load has no table.
        let loads = ["70/s".to_owned(), met.clone()].into_iter().chain(missed);
        let loads: Vec<String> = loads.collect();
        let vary = format!("--vary=load={}", loads.join(","));
        let _ = std::fs::remove_file(place.path().join("s.jsonl"));
        let swept = place.raddle(&[&["sweep", &vary, "--out=s.jsonl"], &asked[..]].concat());
        let name = recipe.trim_start_matches("--recipe=");
        let line = swept.out.lines().rfind(|line| line.starts_with(name)).expect(&swept.out);
        let highest = if loads.len() == 2 { format!("{met}, the highest") } else { met };
        let cells: Vec<&str> =
            line.split("  ").map(str::trim).filter(|it| !it.is_empty()).collect();
        let [_, surely, met_at, surely_not] = cells[..] else { panic!("{line}") };
        assert_eq!(met_at, highest, "{limit}: {line}");
        assert_eq!(sure, Some(surely) == loads.get(1).map(String::as_str), "{limit}: {line}");
        let missed = limit["missed-surely"].as_bool().expect("it is told");
        assert_eq!(missed, surely_not != "at none tried", "{limit}: {line}");
        seen.insert(sure);
    }
    assert_eq!(seen.len(), 2, "one is sure, one is not");
}

/// Checks that the number of requests depends on the recipe and the load, and on nothing else.
#[test]
fn every_verb_draws_as_many_requests() {
    let place = Place::new();
    place.file("one.csv", one());
    let load = "--requests=one=150/s";
    let alone = replayed(&place, &[load, "--recipe", "streams"]);
    let streams = &alone["recipes"][1]["summary"]["processes"][0]["requests"];
    let base = ["replay", "one.csv", "--no-files", "--format", "json", load];
    let ran = place.raddle(&base);
    let all: Value = serde_json::from_str(&ran.out).expect("the command prints JSON");
    let recipes = all["recipes"].as_array().expect("a list");
    let own = recipes.iter().find(|it| it["name"] == "streams").expect("today's way");
    assert_eq!(&own["summary"]["processes"][0]["requests"], streams);
    let ran = place.raddle(&["sweep", "one.csv", load, "--recipe=streams", "--out=s.jsonl"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let rows = std::fs::read_to_string(place.path().join("s.jsonl")).expect("it was written");
    for (key, of) in [("requests", "arrived"), ("p99-ns", "latency-p99-ns")] {
        assert!(rows.contains(&format!("one.{key}\":{},", streams[of])), "{key}: {streams} {rows}");
    }
}

/// Checks that a load without an end is drawn and logged for every recipe, although it is not known
/// beforehand which of its simulations is the last.
#[test]
fn a_load_without_end_is_drawn_and_logged() {
    let place = Place::new();
    place.file("one.csv", one());
    let args = [
        "replay",
        "one.csv",
        "--requests=one=100/s",
        "--timeline=all",
        "--log=answers",
        "--out=out",
    ];
    let ran = place.raddle(&args);
    assert_eq!(ran.code, 0, "{}", ran.err);
    for recipe in ["streams", "spatial", "leftover-drain", "weighted-slices"] {
        let names = place.names(&format!("out/{recipe}"));
        assert!(names.iter().any(|name| name == "timeline.perfetto-trace"), "{recipe}: {names:?}");
        let log = names.iter().find(|name| name.starts_with("decisions")).expect("a log");
        let log = format!("out/{recipe}/{log}");
        assert_eq!(place.raddle(&["log", &log, "--replay"]).code, 0, "{recipe}");
    }
}

/// Checks that a load that no policy can serve is told, and that one that is served, or that comes
/// all at once, is not.
#[test]
fn a_load_that_cannot_be_served_is_told() {
    let place = Place::new();
    place.file("one.csv", one());
    let told = |load: &[&str]| -> bool {
        let lines = replayed(&place, load)["overturning"].clone();
        lines.to_string().contains("leftover cannot serve the load: its p99 grows with --until")
    };
    let too_many = ["--requests=one=1300/s", "--until=200ms"];
    assert!(told(&too_many));
    assert!(!told(&["--requests=one=500/s", "--until=200ms"]));
    assert!(!told(&["--requests=one=burst:30"]));
    // No request ends before the last one comes, which yet is no burst.
    let far_too_many = ["--requests=one=1000000/s", "--until=300us"];
    assert!(told(&far_too_many));
    // Nothing is set up by the answer where no way of sharing serves the load.
    place.file("two.csv", one());
    let share = ["share", "one.csv", "two.csv", "--device=v100", "--timeline=none", "--out=out"];
    for load in [too_many, far_too_many] {
        let ran = place.raddle(&[&share[..], &load].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
        let begin = "-> More requests arrive than these policies serve; of these, ";
        assert!(ran.out.starts_with(begin) && !ran.out.contains("Set it"), "{}", ran.out);
    }
}
