//! Does `raddle check` hold a prediction against recordings, and refuse what is no whole
//! repetition?

use crate::common::{Place, table};
use serde_json::Value;

/// Returns a profile of `lasts` ns with two equal launches, repeated `times` times at a distance of
/// `each` ns.
fn recorded(times: u64, each: u64, lasts: u64) -> String {
    let rows = (0..times).flat_map(|at| {
        let begin = at * each;
        let second = begin + lasts / 2;
        [
            format!("reduce 1 20 256 32 0 {begin} {begin} {}", lasts / 2),
            format!("reduce 1 20 256 32 0 {second} {second} {}", lasts / 2),
        ]
    });
    let rows: Vec<String> = rows.collect();
    table(&rows.iter().map(String::as_str).collect::<Vec<_>>())
}

fn predicted(place: &Place) {
    place.file("one.csv", recorded(1, 0, 4000));
    place.file("two.csv", recorded(1, 0, 8000));
    let args = ["replay", "one.csv", "two.csv", "--recipe", "mps", "--once", "--device", "v100"];
    let more = ["--launch-latency", "none", "--contention", "learnt", "--out", "here"];
    let ran = place.raddle(&[&args[..], &more].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
}

#[test]
fn predicted_and_measured_of_each_tenant() {
    let place = Place::new();
    predicted(&place);
    // One took 5 us instead of 4, the other as long as predicted.
    place.file("one-measured.csv", recorded(1, 0, 5000));
    place.file("two-measured.csv", recorded(1, 0, 8000));
    let given = ["one=one-measured.csv", "two=two-measured.csv"];
    let args = ["check", "here", given[0], given[1], "--recipe", "mps", "--format", "json"];
    let ran = place.raddle(&args);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let found: Value = serde_json::from_str(&ran.out).expect("it is JSON");
    let [one, two] = [&found["tenants"][0], &found["tenants"][1]];
    assert_eq!(
        (one["predicted-ns"].as_u64(), one["measured-ns"].as_u64()),
        (Some(4000), Some(5000))
    );
    assert_eq!((one["error"].as_f64(), two["error"].as_f64()), (Some(-0.2), Some(0.0)));
    // Nobody knows what they cost each other: up to twice as long, so 5 us are no surprise.
    assert_eq!((one["within"].as_bool(), two["within"].as_bool()), (Some(true), Some(true)));
    let names = place.names("here");
    assert!(["check.html", "check.json"].iter().all(|name| names.contains(&(*name).to_owned())));
    let text = place.raddle(&["check", "here", given[0], "--recipe", "mps", "--no-files"]);
    assert!(text.out.contains("one end is 20.0 % too low"), "{}", text.out);
    assert!(text.out.contains("no recording of two"), "{}", text.out);
    let misspelt = place.raddle(&["check", "here", "oen=one-measured.csv", "--no-files"]);
    let why = "none of its tenants is called oen; they are one, two: give TENANT=FILE";
    assert_eq!(misspelt.code, 1, "{}", misspelt.err);
    assert!(misspelt.err.contains(why), "{}", misspelt.err);
}

/// Checks that a user who did not say which of two equally advised recipes was set up is told of the
/// other one, and that a check can fail by the predicted interval.
#[test]
fn the_other_of_two_advised_recipes_is_told() {
    let place = Place::new();
    predicted(&place);
    place.file("one-measured.csv", recorded(1, 0, 5000));
    place.file("two-measured.csv", recorded(1, 0, 80_000));
    let path = place.path().join("here/summary.json");
    let mut summary: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    summary["answer"]["verdict"]["recipe"] = "mps".into();
    summary["answer"]["verdict"]["or"] = "time-slice".into();
    place.file("either.json", summary.to_string());
    let given = ["check", "either.json", "one=one-measured.csv", "two=two-measured.csv"];
    let check = |more: &[&str]| {
        let ran = place.raddle(&[&given[..], more].concat());
        (ran.code, ran.out.split_whitespace().collect::<Vec<_>>().join(" "))
    };
    let (code, told) = check(&[]);
    let other = "If time-slice was set up, which was advised as well: `--recipe time-slice`.";
    assert!(code == 0 && told.contains(other), "{told}");
    assert!(told.contains("two end is 90.0 % too low, of one 20.0 % too low."), "{told}");
    let (code, told) = check(&["--recipe=mps"]);
    assert!(code == 0 && !told.contains("was advised as well"), "{told}");
    let (code, told) = check(&["--fail-if=one interval"]);
    assert!(code == 0 && told.contains("The limit holds"), "{told}");
    let (code, told) = check(&["--fail-if=interval"]);
    let outside =
        "two end under mps: -90.0%, 80.0 us measured outside of 8.0 to 12.0 us, limit `interval`";
    assert!(code == 4 && told.contains(outside), "{told}");
}

/// Checks that a check fails where a prediction is off by more than a limit allows, too low or too
/// high, and that its result is written all the same.
#[test]
fn a_prediction_that_is_too_far_off_fails() {
    let place = Place::new();
    predicted(&place);
    // Predicted are 4 us and 8 us.
    place.file("one-measured.csv", recorded(1, 0, 5000));
    place.file("two-measured.csv", recorded(1, 0, 7920));
    let given = ["check", "here", "one=one-measured.csv", "two=two-measured.csv", "--recipe=mps"];
    let check = |limits: &[&str]| place.raddle(&[&given[..], limits].concat());
    for limits in [&["--fail-if=20%"][..], &["--fail-if=two 2%"], &["--fail-if=one end 25%"]] {
        let ran = check(limits);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{limits:?}");
        assert!(ran.out.starts_with("-> The limit holds: "), "{}", ran.out);
    }
    let ran = check(&["--fail-if=15%", "--fail-if=two end 1%", "--format=json"]);
    assert_eq!(ran.code, 4, "{}", ran.err);
    let one = "one end under mps: -20.0% (within its interval), limit `15%`";
    let two = "two end under mps: +1.01%";
    assert!(ran.err.contains(one) && ran.err.contains(two), "{}", ran.err);
    let found: Value = serde_json::from_str(&ran.out).expect("it is JSON");
    assert_eq!(found["limits"][0]["broken"][0], one);
    let file = std::fs::read_to_string(place.path().join("here/check.json")).expect("it is there");
    let file: Value = serde_json::from_str(&file).expect("it is JSON");
    assert_eq!(file["limits"], found["limits"], "it is written all the same");
    for (limit, told) in [
        ("--fail-if=15", "Did you mean `15%`?"),
        ("--fail-if=on 15%", "Did you mean `one`?"),
        ("--fail-if=one p99 15%", "measured are one end, two end"),
    ] {
        let ran = check(&[limit]);
        assert_eq!(ran.code, 2, "{limit}: {}", ran.err);
        assert!(ran.err.contains(told), "{limit}: {}", ran.err);
    }
}

/// Checks that each repetition in a recording counts as a request, with latencies of 10 repetitions
/// computed by hand.
#[test]
fn requests_are_repetitions() {
    let place = Place::new();
    place.file("one.csv", recorded(1, 0, 4000));
    place.file("two.csv", recorded(1, 0, 900_000));
    let args = ["replay", "one.csv", "two.csv", "--requests", "one=burst:1", "--device", "v100"];
    let more = ["--recipe", "leftover", "--launch-latency", "none", "--out", "here"];
    assert_eq!(place.raddle(&[&args[..], &more].concat()).code, 0);
    let mut ten: Vec<String> = recorded(9, 10_000, 4000).lines().map(str::to_owned).collect();
    ten.push("reduce,1,20,1,1,256,1,1,32,0,200000,201000,2000".to_owned());
    ten.push("reduce,1,20,1,1,256,1,1,32,0,200000,203000,4000".to_owned());
    place.file("ten.csv", ten.join("\n"));
    let args = ["check", "here", "one=ten.csv", "--recipe", "leftover", "--format", "json"];
    let ran = place.raddle(&args);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let found: Value = serde_json::from_str(&ran.out).expect("it is JSON");
    let tenant = &found["tenants"][0];
    assert_eq!(tenant["judged"], "requests");
    // A recording does not tell when requests arrived.
    assert_eq!(tenant["from-issue"], true);
    let text = place.raddle(&["check", "here", "one=ten.csv", "--recipe=leftover"]).out;
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(tenant["with-queue"], false);
    let issue = "Requests of one count from the issue of their first launch, predicted and measured: recordings tell nothing of a queue before that.";
    assert!(words.contains(issue), "{text}");
    assert_eq!(
        (tenant["measured-ns"].as_u64(), tenant["repetitions"].as_u64()),
        (Some(7000), Some(10))
    );
}

/// Checks that requests are predicted as a recording measures them, from the issue of their first
/// launch. A prediction that does not tell this time, such as a mean over seeds, is said to count a
/// queue before it.
#[test]
fn requests_are_predicted_from_their_issue() {
    let place = Place::new();
    place.file("one.csv", recorded(1, 0, 4000));
    place.file("two.csv", recorded(1, 0, 4000));
    place.file("measured.csv", recorded(9, 10_000, 4000));
    let replay = |seeds: &str, requests: &str| {
        let args = ["replay", "one.csv", "two.csv", "--requests", requests, "--device", "v100"];
        let more = ["--recipe=leftover", "--launch-latency=none", "--out=here", seeds];
        assert_eq!(place.raddle(&[&args[..], &more].concat()).code, 0);
        let args = ["check", "here", "one=measured.csv", "--recipe=leftover", "--format=json"];
        let ran = place.raddle(&args);
        assert_eq!(ran.code, 0, "{}", ran.err);
        let found: Value = serde_json::from_str(&ran.out).expect("it is JSON");
        let summary = std::fs::read(place.path().join("here/summary.json")).expect("it is there");
        let summary: Value = serde_json::from_slice(&summary).expect("it is JSON");
        let figures = &summary["answer"]["rows"][0]["processes"][0];
        (found["tenants"][0].clone(), figures["decisive-ns"].as_u64().expect("requests ended"))
    };
    let (tenant, with_queue) = replay("--seed=0", "one=burst:12");
    assert_eq!((&tenant["from-issue"], &tenant["with-queue"]), (&true.into(), &false.into()));
    // A host that waits for nothing issues each request as it arrives.
    assert_eq!(tenant["predicted-ns"].as_u64(), Some(with_queue));
    let (tenant, with_queue) = replay("--seeds=3", "one=20000/s");
    assert_eq!((&tenant["from-issue"], &tenant["with-queue"]), (&true.into(), &true.into()));
    assert_eq!(tenant["predicted-ns"].as_u64(), Some(with_queue));
}

/// Checks one recording of both tenants, as Nsight Systems makes of several processes: each tenant
/// gets its own process.
#[test]
fn processes_of_one_recording_are_told_apart() {
    let place = Place::new();
    predicted(&place);
    let two: Vec<String> = [("process 1", 5000), ("process 2", 8000)]
        .into_iter()
        .map(|(process, lasts)| {
            let rows = recorded(1, 0, lasts);
            let stream = format!(",1 ({process}),20,");
            rows.lines().map(|row| row.replace(",1,20,", &stream)).collect::<Vec<_>>().join("\n")
        })
        .collect();
    let second = two[1].lines().filter(|line| line.starts_with("reduce,"));
    let both: Vec<&str> = two[0].lines().chain(second).collect();
    place.file("both.csv", both.join("\n"));
    let check = |args: &[&str]| {
        place.raddle(&[&["check", "here", "--recipe", "mps", "--format", "json"], args].concat())
    };
    let ran = check(&["one=both.csv@1", "two=both.csv@2"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let found: Value = serde_json::from_str(&ran.out).expect("it is JSON");
    let measured = [0, 1].map(|at| found["tenants"][at]["measured-ns"].as_u64());
    assert_eq!(measured, [Some(5000), Some(8000)]);
    let repetitions = [0, 1].map(|at| found["tenants"][at]["repetitions"].as_u64());
    assert_eq!(repetitions, [Some(1), Some(1)]);
    for (args, told) in [
        (&["one=both.csv"][..], "holds processes 1, 2: say which is its own, one=FILE@N"),
        (&["one=both.csv@3"], "has no process 3; it has 1, 2"),
        (&["one=one.csv@1"], "tells of no processes: leave out @1"),
    ] {
        let ran = check(args);
        assert_eq!(ran.code, 1, "{}", ran.out);
        assert!(ran.err.contains(told), "{}", ran.err);
    }
}

/// Checks that a check by the profiles of the prediction itself, which are no measurement, says so.
#[test]
fn the_profile_of_the_prediction_is_no_measurement_of_it() {
    let place = Place::new();
    predicted(&place);
    let told = |recording: &str| {
        let ran = place.raddle(&["check", "here", recording, "--recipe", "mps", "--no-files"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        let text = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
        text.contains("one: this is the profile of the prediction; record it beside the others")
    };
    assert!(told("one=one.csv"));
    let other = std::fs::read_to_string(place.path().join("one.csv")).expect("it is there");
    let last = other.trim_end().rfind(',').expect("rows have commas");
    let (before, length) = other.trim_end().split_at(last + 1);
    let longer = length.parse::<u64>().expect("a duration") + 1;
    place.file("other.csv", format!("{before}{longer}\n"));
    assert!(!told("one=other.csv"));
}

#[test]
fn what_cannot_be_checked_is_refused_with_what_lacks() {
    let place = Place::new();
    predicted(&place);
    place.file("odd.csv", recorded(2, 9000, 4000).lines().take(6).collect::<Vec<_>>().join("\n"));
    for (args, code, told) in [
        (&["check", "here", "one=odd.csv"][..], 1, "1 are no whole repetition"),
        (&["check", "here", "odd.csv"], 1, "they are one, two"),
        (&["check", "here", "one=one.csv", "--recipe", "mig"], 2, "it has mps"),
        (&["check", "one.csv", "one=one.csv"], 1, "is no summary.json of raddle"),
    ] {
        let ran = place.raddle(args);
        assert_eq!(ran.code, code, "{}", ran.out);
        assert!(ran.err.contains(told), "{}", ran.err);
    }
}
