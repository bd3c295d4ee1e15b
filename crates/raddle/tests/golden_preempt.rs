//! Does the golden model of seed 001 give the answers of the contract, refuse the rest at its place,
//! and explain itself?

mod common;

use common::Place;
use serde_json::{Value, json};

fn answers(lines: &[Value]) -> (Vec<Value>, i32) {
    let text: Vec<String> = lines.iter().map(Value::to_string).collect();
    let ran = Place::new().ask(&["golden", "preempt"], text.join("\n"));
    let answers = ran.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    (answers, ran.code)
}

fn answer(line: &Value) -> Value {
    answers(std::slice::from_ref(line)).0.remove(0)
}

/// The 12 launches of worked A and the one at 40; these are not idempotent.
fn worked(not: &[usize], resume: u64) -> Value {
    let launch = |n: usize| {
        let at = if n < 12 { 0 } else { 40 };
        json!({"at": at, "ticks": 10, "idempotent": !not.contains(&n)})
    };
    json!({
        "window": 8, "exit": 1, "reset": 2, "can_reset": true,
        "launches": (0..13).map(launch).collect::<Vec<_>>(),
        "commands": [{"at": 25, "do": "preempt"}, {"at": resume, "do": "resume"}],
    })
}

fn log(answer: &Value) -> &[Value] {
    answer["log"].as_array().map_or(&[], Vec::as_slice)
}

/// The lines of the log in this tick.
fn tick(answer: &Value, t: u64) -> Vec<Value> {
    log(answer).iter().filter(|it| it["t"] == t).cloned().collect()
}

fn count(answer: &Value, key: &str) -> usize {
    log(answer).iter().filter(|it| it.get(key).is_some()).count()
}

#[test]
fn worked_a() {
    let answer = answer(&worked(&[], 84));
    assert_eq!(answer["latencies"], json!([9]));
    assert_eq!(answer["done"], json!((0..13).collect::<Vec<_>>()));
    assert_eq!((&answer["partial_runs"], &answer["held"]), (&json!({"2": 1}), &json!([])));
    assert_eq!(answer["end"], 194);
    let at_25 = json!([{"t":25,"preempt":true}, {"t":25,"reset":true,"killed":2}]);
    assert_eq!(Value::from(tick(&answer, 25)), at_25);
    assert_eq!(tick(&answer, 28), [json!({"t":28,"exit":3})]);
    assert_eq!(tick(&answer, 34), [json!({"t":34,"exit":9}), json!({"t":34,"drained":true})]);
    let at_84: Vec<Value> = std::iter::once(json!({"t":84,"resume":true}))
        .chain((2..10).map(|n| json!({"t":84,"submit":n})))
        .chain([json!({"t":84,"start":2})])
        .collect();
    assert_eq!(tick(&answer, 84), at_84);
    let at_94 = json!([{"t":94,"done":2}, {"t":94,"submit":10}, {"t":94,"start":3}]);
    assert_eq!(Value::from(tick(&answer, 94)), at_94);
    assert_eq!(["submit", "start", "done", "exit"].map(|key| count(&answer, key)), [21, 14, 13, 7]);
    let keys: Vec<&String> = answer.as_object().unwrap().keys().collect();
    assert_eq!(keys.len(), 6, "{keys:?}");
}

#[test]
fn worked_b_and_c() {
    for not in [5, 2] {
        let answer = answer(&worked(&[not], 87));
        assert_eq!((&answer["latencies"], &answer["end"]), (&json!([12]), &json!(187)));
        assert_eq!((count(&answer, "reset"), &answer["partial_runs"]), (0, &json!({})));
        assert_eq!(tick(&answer, 30), [json!({"t":30,"done":2})]);
        assert_eq!(tick(&answer, 31), [json!({"t":31,"exit":3})]);
        assert_eq!(tick(&answer, 87)[8], json!({"t":87,"submit":10}), "the eighth");
    }
    // The default has no reset: the same again, with every launch idempotent.
    let mut question = worked(&[], 87);
    let fields = question.as_object_mut().unwrap();
    ["window", "exit", "reset", "can_reset"].iter().for_each(|key| drop(fields.remove(*key)));
    assert_eq!(answer(&question), answer(&worked(&[5], 87)));
}

/// One launch of 10 ticks at 0 a number given, with these wishes.
fn small(launches: u64, commands: &[(u64, &str)]) -> Value {
    let launch = json!({"at": 0, "ticks": 10, "idempotent": true});
    let commands: Vec<Value> =
        commands.iter().map(|(at, what)| json!({"at": at, "do": what})).collect();
    json!({"launches": vec![launch; launches as usize], "commands": commands, "can-reset": true})
}

#[test]
fn the_edges_of_the_contract() {
    let nothing = json!({"log":[],"latencies":[],"done":[],"partial_runs":{},"held":[],"end":0});
    assert_eq!(answer(&small(0, &[])), nothing);
    assert_eq!(answer(&small(0, &[(5, "resume")])), nothing, "not logged");
    // With an empty runtime: 0, no reset, and a resume in the same tick follows the drain.
    let idle = answer(&small(0, &[(5, "preempt"), (5, "resume")]));
    let log = json!([{"t":5,"preempt":true}, {"t":5,"drained":true}, {"t":5,"resume":true}]);
    assert_eq!((&idle["log"], &idle["latencies"]), (&log, &json!([0])));
    // Launches of this tick are captured, but not submitted.
    let at_0 = answer(&small(2, &[(0, "preempt")]));
    assert_eq!(at_0["log"], json!([{"t":0,"preempt":true}, {"t":0,"drained":true}]));
    assert_eq!(at_0["held"], json!([0, 1]));
    // One runs and is killed; the reset's time counts. A reset of 0 ticks ends at once.
    let one = answer(&small(1, &[(3, "preempt"), (20, "preempt"), (30, "resume")]));
    assert_eq!((&one["latencies"], &one["end"]), (&json!([2]), &json!(40)));
    let mut at_once = small(1, &[(3, "preempt"), (3, "resume")]);
    at_once["reset"] = json!(0);
    let at_once = answer(&at_once);
    assert_eq!((&at_once["latencies"], &at_once["end"]), (&json!([0]), &json!(13)));
    // The GPU has just finished: nothing is killed, the reset is paid all the same.
    let between = answer(&small(2, &[(10, "preempt")]));
    let reset =
        json!([{"t":10,"done":0}, {"t":10,"preempt":true}, {"t":10,"reset":true,"killed":null}]);
    assert_eq!(Value::from(tick(&between, 10)), reset);
    assert_eq!((&between["latencies"], &between["held"]), (&json!([3]), &json!([1])));
    assert_eq!(between["partial_runs"], json!({}));
    // The latest wish wins, and only drains have latencies.
    let wishes = [(3, "preempt"), (4, "resume"), (4, "preempt"), (4, "resume"), (4, "preempt")];
    let cancelled = answer(&small(1, &wishes));
    assert_eq!((&cancelled["latencies"], &cancelled["end"]), (&json!([2]), &json!(5)));
    assert_eq!(cancelled["held"], json!([0]));
    // Resumed and preempted in one tick: a preemption of its own.
    let wishes = [(3, "preempt"), (8, "resume"), (8, "preempt"), (8, "resume")];
    let again = answer(&small(1, &wishes));
    let log = json!([
        {"t":8,"resume":true}, {"t":8,"preempt":true}, {"t":8,"drained":true},
        {"t":8,"resume":true}, {"t":8,"submit":0}, {"t":8,"start":0}
    ]);
    assert_eq!((Value::from(tick(&again, 8)), &again["latencies"]), (log, &json!([2, 0])));
    // A window of one.
    let mut narrow = small(3, &[(3, "preempt"), (9, "resume")]);
    narrow["window"] = json!(1);
    let narrow = answer(&narrow);
    assert_eq!((&narrow["latencies"], count(&narrow, "exit")), (&json!([2]), 0));
    assert_eq!((&narrow["done"], &narrow["end"]), (&json!([0, 1, 2]), &json!(39)));
}

/// How a line is spoiled, the kind of fault, its place.
type Spoilt = (fn(&mut Value), &'static str, &'static str);

#[test]
fn every_fault_has_its_kind_and_place() {
    let spoilt: &[Spoilt] = &[
        (|q| q["window"] = json!(0), "out_of_range", "/window"),
        (|q| q["exit"] = json!(0), "out_of_range", "/exit"),
        (|q| q["exit"] = json!(1.5), "wrong_type", "/exit"),
        (|q| q["reset"] = json!(-1), "out_of_range", "/reset"),
        (|q| q["can_reset"] = json!(1), "wrong_type", "/can_reset"),
        (|q| q["can-reset"] = json!(true), "inconsistent", "/can_reset"),
        (|q| q["scope"] = json!("device"), "unknown_field", "/scope"),
        (|q| drop(q.as_object_mut().unwrap().remove("launches")), "missing_field", ""),
        (|q| drop(q.as_object_mut().unwrap().remove("commands")), "missing_field", ""),
        (|q| q["launches"] = json!({}), "wrong_type", "/launches"),
        (|q| q["launches"][1] = json!(7), "wrong_type", "/launches/1"),
        (|q| q["launches"][1]["ticks"] = json!(0), "out_of_range", "/launches/1/ticks"),
        (|q| q["launches"][1]["idempotent"] = json!("yes"), "wrong_type", "/launches/1/idempotent"),
        (|q| q["launches"][1]["kernel"] = json!(1), "unknown_field", "/launches/1/kernel"),
        (|q| q["launches"][1] = json!({"at": 0, "ticks": 1}), "missing_field", "/launches/1"),
        (|q| q["launches"][1]["at"] = json!(41), "inconsistent", "/launches/2/at"),
        (|q| q["commands"][0]["at"] = json!(85), "inconsistent", "/commands/1/at"),
        (|q| q["commands"][0]["do"] = json!("stop"), "out_of_range", "/commands/0/do"),
        (|q| q["commands"][0]["do"] = json!(1), "wrong_type", "/commands/0/do"),
        (|q| q["commands"][0] = json!({"at": 25}), "missing_field", "/commands/0"),
        (|q| q["commands"][0]["by"] = json!(1), "unknown_field", "/commands/0/by"),
        (|q| q["launches"][12]["ticks"] = json!(u64::MAX), "overflow", "/launches/12"),
        (|q| q["reset"] = json!(u64::MAX), "overflow", "/reset"),
    ];
    for (spoil, kind, at) in spoilt {
        let mut question = worked(&[], 84);
        question["id"] = json!("q");
        spoil(&mut question);
        let (answers, code) = answers(&[question, worked(&[], 84)]);
        assert_eq!(code, 1, "{kind} {at}");
        assert_eq!(answers[0]["id"], "q");
        let error = &answers[0]["error"];
        assert_eq!((&error["kind"], &error["at"]), (&json!(kind), &json!(at)), "{error}");
        assert_eq!(answers[1]["end"], 194, "the next line is answered all the same");
    }
}

#[test]
fn the_ends_of_each_range() {
    let top = u64::MAX;
    let mut question = json!({
        "window": "0xffffffffffffffff", "exit": top, "reset": 0, "can_reset": true,
        "launches": [{"at": top - 9, "ticks": 9, "idempotent": true}],
        "commands": [{"at": top, "do": "preempt"}],
    });
    let wanted = json!({
        "log": [
            {"t": top - 9, "submit": 0}, {"t": top - 9, "start": 0}, {"t": top, "done": 0},
            {"t": top, "preempt": true}, {"t": top, "drained": true}
        ],
        "latencies": [0], "done": [0], "partial_runs": {}, "held": [], "end": top
    });
    assert_eq!(answer(&question), wanted);
    // A launch that would never end is killed in time, and held.
    question["launches"][0]["ticks"] = json!(top);
    let killed = answer(&question);
    assert_eq!((&killed["held"], &killed["partial_runs"]), (&json!([0]), &json!({"0": 1})));
}

#[test]
fn explain_tells_the_worked_run_as_a_time_line() {
    let ran = Place::new().raddle(&["explain", "preempt"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    insta::assert_snapshot!("explain-preempt", ran.out);
    let json = Place::new().raddle(&["explain", "preempt", "--format", "json"]).out;
    let told: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(told["answer"], answer(&worked(&[], 84)));
}

#[test]
fn explain_tells_what_is_not_reset_what_waits_and_what_is_held() {
    let tell = |question: Value| {
        let ran = Place::new().raddle(&["explain", "preempt", &question.to_string()]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        let told = ran.out.lines().skip(1).take_while(|line| !line.starts_with("Answer"));
        told.collect::<Vec<_>>().join("\n")
    };
    let wishes =
        [(12, "resume"), (13, "preempt"), (14, "resume"), (15, "preempt"), (30, "preempt")];
    let mut question = small(3, &wishes);
    question["launches"][2]["idempotent"] = json!(false);
    let forms = [
        tell(question),
        tell(small(1, &[(30, "preempt"), (30, "resume")])),
        tell(small(2, &[(10, "preempt")])),
        tell(small(0, &[])),
    ];
    insta::assert_snapshot!("explain-preempt-forms", forms.join("\n\n----\n"));
    // A run too long to be shown is cut off, and says so.
    let wishes: Vec<(u64, &str)> =
        (0..60).map(|n| (n, if n % 2 == 0 { "preempt" } else { "resume" })).collect();
    let text = tell(small(1, &wishes));
    assert!(text.contains("more steps"), "{text}");
}
