//! Does the golden model of seed 003 give the answers of the contract, refuse the rest at its
//! place, and explain itself?

mod common;

use common::Place;
use serde_json::{Value, json};

fn answers(lines: &[Value]) -> (Vec<Value>, i32) {
    let text: Vec<String> = lines.iter().map(Value::to_string).collect();
    let ran = Place::new().ask(&["golden", "sm"], text.join("\n"));
    let answers = ran.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    (answers, ran.code)
}

fn answer(line: &Value) -> Value {
    answers(std::slice::from_ref(line)).0.remove(0)
}

/// One kernel; `shape` is blocks, warps, ticks of each.
fn kernel(
    name: &str,
    (arrive, priority): (u64, u64),
    (blocks, warps, ticks): (u64, u64, u64),
    (registers, shared): (u64, u64),
) -> Value {
    json!({
        "name": name, "arrive": arrive, "priority": priority, "blocks": blocks,
        "warps_per_block": warps, "registers_per_warp": registers, "shared_per_block": shared,
        "barrier": false, "warp_ticks": vec![vec![ticks; warps as usize]; blocks as usize],
    })
}

fn ask(sms: u64, kernels: &[Value], options: Value) -> Value {
    let sm = json!({"registers": 64, "warps": 8, "shared": 16});
    json!({"sms": sms, "sm": sm, "options": options, "kernels": kernels})
}

fn worked() -> Value {
    let mut a = kernel("A", (0, 1), (3, 4, 10), (4, 2));
    a["warp_ticks"] = json!([[10, 11, 12, 13], [14, 15, 16, 17], [10, 11, 12, 13]]);
    let kernels =
        [a, kernel("B", (2, 2), (2, 6, 20), (4, 2)), kernel("C", (4, 3), (1, 2, 5), (4, 2))];
    ask(2, &kernels, json!({}))
}

#[test]
fn the_worked_run() {
    let answer = answer(&worked());
    assert_eq!(answer["ends"], json!({"A": 17, "B": 36, "C": 16}));
    assert_eq!((&answer["refused"], &answer["stuck"]), (&json!([]), &json!([])));
    let log = answer["log"].as_array().unwrap();
    assert_eq!(log[0], json!({"t":0,"route":"whole","kernel":"A","sm":0,"blocks":[0,1]}));
    assert_eq!(log[1], json!({"t":0,"start":"A0.w0","sm":0}));
    let of = |key: &str| log.iter().filter(|it| it.get(key).is_some()).count();
    assert_eq!((log.len(), of("route"), of("start"), of("end")), (57, 5, 26, 26));
    let routes: Vec<_> = log.iter().filter(|it| it.get("route").is_some()).collect();
    assert_eq!(*routes[1], json!({"t":0,"route":"whole","kernel":"A","sm":1,"blocks":[2]}));
    assert_eq!(*routes[2], json!({"t":2,"route":"first","kernel":"B","sm":1,"blocks":[0]}));
    assert_eq!(*routes[3], json!({"t":2,"route":"second","kernel":"B","sm":0,"blocks":[1]}));
    assert_eq!(*routes[4], json!({"t":4,"route":"second","kernel":"C","sm":0,"blocks":[0]}));
    // Check 8: ends first, then the controllers, the highest block of each SM.
    let at_10: Vec<_> = log.iter().filter(|it| it["t"] == 10).cloned().collect();
    let wanted = json!([
        {"t":10,"end":"A0.w0","sm":0}, {"t":10,"end":"A2.w0","sm":1},
        {"t":10,"start":"C0.w0","sm":0}, {"t":10,"start":"B0.w4","sm":1}
    ]);
    assert_eq!(Value::from(at_10), wanted);
    assert_eq!(log[56], json!({"t":36,"end":"B1.w5","sm":0}));
}

#[test]
fn options_are_those_of_the_contract_in_both_spellings() {
    let with = |barrier: bool, shared: [u64; 2], h: u64, options: Value| {
        let mut kernels = [
            kernel("F", (0, 1), (1, 4, 5), (4, 0)),
            kernel("L", (0, 1), (1, 8, 10), (4, shared[0])),
            kernel("H", (2, 9), (1, h, 10), (4, shared[1])),
        ];
        kernels[1]["barrier"] = json!(barrier);
        kernels[2]["barrier"] = json!(barrier);
        let answer = answer(&ask(1, &kernels, options));
        (answer["ends"].clone(), answer["stuck"].clone())
    };
    // C11 and C10 of the digest.
    let c11 = |options| with(true, [0, 0], 8, options);
    assert_eq!(c11(json!({})), (json!({"F":5,"H":15,"L":25}), json!([])));
    for off in ["whole_blocks_for_barriers", "whole-blocks-for-barriers"] {
        assert_eq!(c11(json!({off: false})), (json!({"F":5}), json!(["L", "H"])));
    }
    let c10 = |options| with(false, [12, 8], 2, options);
    assert_eq!(c10(json!({"backfill": true})), (json!({"F":5,"L":15,"H":25}), json!([])));
    assert_eq!(c10(json!({"backfill": false})), (json!({"F":5}), json!(["L", "H"])));
    // C8 of the digest.
    let kernels = [
        kernel("A", (0, 5), (1, 4, 40), (4, 12)),
        kernel("H", (1, 5), (1, 2, 10), (4, 8)),
        kernel("Lo", (1, 1), (1, 2, 10), (4, 0)),
    ];
    for (key, on, lo) in [("fall_through", false, 50), ("fall-through", true, 11)] {
        let answer = answer(&ask(1, &kernels, json!({ key: on })));
        assert_eq!(answer["ends"], json!({"A": 40, "H": 50, "Lo": lo}));
    }
    // C1 of the digest: shared memory that leaves exactly one block's worth.
    for (strict, end) in [(true, 100), (false, 70)] {
        let kernels = [kernel("A", (0, 1), (20, 5, 10), (4, 8))];
        assert_eq!(answer(&ask(2, &kernels, json!({"strict": strict})))["ends"]["A"], end);
    }
    // C6: B goes where most of it fits, ties to the lowest.
    let kernels = [kernel("A", (0, 1), (1, 1, 9), (4, 0)), kernel("B", (1, 1), (1, 1, 9), (4, 0))];
    for (choose, sm) in [("lowest", 0), ("most-free", 1), ("most_free", 1)] {
        let answer = answer(&ask(3, &kernels, json!({"choose": choose})));
        let log = answer["log"].as_array().unwrap();
        let to: Vec<_> = log.iter().filter(|it| it.get("route").is_some()).collect();
        assert_eq!((&to[0]["sm"], &to[1]["sm"]), (&json!(0), &json!(sm)), "{choose}");
    }
}

#[test]
fn what_never_fits_is_refused_with_the_first_resource_that_lacks() {
    let mut big = kernel("Z", (0, 9), (1, 9, 1), (9, 17));
    let kernels =
        |big: &Value| ask(1, &[big.clone(), kernel("A", (0, 1), (1, 1, 3), (1, 1))], json!({}));
    let refused = |big: &Value| {
        let answer = answer(&kernels(big));
        assert_eq!(answer["ends"], json!({"A": 3}), "the others go on");
        assert_eq!(answer["stuck"], json!([]));
        answer["refused"].clone()
    };
    let row = |resource: &str, wanted: u64, has: u64| json!([{"kernel": "Z", "resource": resource, "wanted": wanted, "has": has}]);
    assert_eq!(refused(&big), row("warps", 9, 8));
    // Beyond 64 bits, but the warps lack first.
    big["registers_per_warp"] = json!(u64::MAX);
    assert_eq!(refused(&big), row("warps", 9, 8));
    big = kernel("Z", (0, 9), (1, 8, 1), (9, 17));
    assert_eq!(refused(&big), row("registers", 72, 64));
    big = kernel("Z", (0, 9), (1, 8, 1), (8, 17));
    assert_eq!(refused(&big), row("shared", 17, 16));
}

/// How a line is spoiled, the kind of fault, its place.
type Spoilt = (fn(&mut Value), &'static str, &'static str);

#[test]
fn every_fault_has_its_kind_and_place() {
    let spoilt: &[Spoilt] = &[
        (|q| q["sms"] = json!(0), "out_of_range", "/sms"),
        (|q| q["sms"] = json!(1.5), "wrong_type", "/sms"),
        (|q| q["sm"] = json!(7), "wrong_type", "/sm"),
        (|q| q["sm"]["lds"] = json!(7), "unknown_field", "/sm/lds"),
        (|q| drop(q["sm"].as_object_mut().unwrap().remove("warps")), "missing_field", "/sm"),
        (|q| q["extra"] = json!(7), "unknown_field", "/extra"),
        (|q| drop(q.as_object_mut().unwrap().remove("kernels")), "missing_field", ""),
        (|q| q["options"] = json!(null), "wrong_type", "/options"),
        (|q| q["options"]["strict"] = json!(1), "wrong_type", "/options/strict"),
        (|q| q["options"]["choose"] = json!("best"), "out_of_range", "/options/choose"),
        (|q| q["options"]["aging"] = json!(true), "unknown_field", "/options/aging"),
        (|q| q["kernels"] = json!({}), "wrong_type", "/kernels"),
        (|q| q["kernels"][1] = json!("B"), "wrong_type", "/kernels/1"),
        (|q| q["kernels"][1]["name"] = json!("A"), "inconsistent", "/kernels/1/name"),
        (|q| q["kernels"][0]["name"] = json!(1), "wrong_type", "/kernels/0/name"),
        (|q| q["kernels"][0]["blocks"] = json!(0), "out_of_range", "/kernels/0/blocks"),
        (|q| q["kernels"][0]["blocks"] = json!(2), "inconsistent", "/kernels/0/warp_ticks"),
        (
            |q| q["kernels"][0]["warps_per_block"] = json!(3),
            "inconsistent",
            "/kernels/0/warp_ticks/0",
        ),
        (
            |q| q["kernels"][0]["warps_per_block"] = json!(0),
            "out_of_range",
            "/kernels/0/warps_per_block",
        ),
        (
            |q| q["kernels"][0]["warp_ticks"][2][3] = json!(0),
            "out_of_range",
            "/kernels/0/warp_ticks/2/3",
        ),
        (|q| q["kernels"][0]["barrier"] = json!("yes"), "wrong_type", "/kernels/0/barrier"),
        (|q| q["kernels"][0]["priority"] = json!(-1), "out_of_range", "/kernels/0/priority"),
        (|q| q["kernels"][2]["registers_per_warp"] = json!(u64::MAX), "overflow", "/kernels/2"),
        (|q| q["kernels"][2]["arrive"] = json!(u64::MAX), "overflow", "/kernels/2"),
    ];
    for (spoil, kind, at) in spoilt {
        let mut question = worked();
        question["id"] = json!("q");
        spoil(&mut question);
        let (answers, code) = answers(&[question, worked()]);
        assert_eq!(code, 1, "{kind} {at}");
        assert_eq!(answers[0]["id"], "q");
        let error = &answers[0]["error"];
        assert_eq!((&error["kind"], &error["at"]), (&json!(kind), &json!(at)), "{error}");
        assert_eq!(answers[1]["ends"]["B"], 36, "the next line is answered all the same");
    }
}

#[test]
fn the_ends_of_each_range() {
    let empty = json!({"sms": 1, "sm": {"registers": 0, "warps": 1, "shared": 0}, "kernels": []});
    assert_eq!(answer(&empty), json!({"log":[],"ends":{},"refused":[],"stuck":[]}));
    let mut question = empty;
    question["kernels"] = json!([kernel("0", (u64::MAX - 1, u64::MAX), (1, 1, 1), (0, 0))]);
    let wanted = json!({
        "log": [
            {"t": u64::MAX - 1, "route": "whole", "kernel": "0", "sm": 0, "blocks": [0]},
            {"t": u64::MAX - 1, "start": "00.w0", "sm": 0}, {"t": u64::MAX, "end": "00.w0", "sm": 0}
        ],
        "ends": {"0": u64::MAX}, "refused": [], "stuck": []
    });
    assert_eq!(answer(&question), wanted);
    question["sms"] = json!("0xffff");
    question["sm"]["warps"] = json!("0xffffffffffffffff");
    assert_eq!(answer(&question), wanted);
}

#[test]
fn explain_tells_the_worked_run_table_by_table() {
    let ran = Place::new().raddle(&["explain", "sm"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    insta::assert_snapshot!("explain-sm", ran.out);
    let golden = answer(&worked());
    let json = Place::new().raddle(&["explain", "sm", "--format", "json"]).out;
    let told: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(told["answer"], golden);
}

#[test]
fn explain_names_refusals_and_deadlocks() {
    let mut kernels = [
        kernel("F", (0, 1), (1, 4, 5), (4, 0)),
        kernel("L", (0, 1), (1, 8, 10), (4, 12)),
        kernel("H", (2, 9), (1, 2, 10), (4, 8)),
        kernel("Z", (3, 9), (1, 9, 1), (4, 0)),
    ];
    let question = ask(1, &kernels, json!({"backfill": false})).to_string();
    let text = Place::new().raddle(&["explain", "sm", &question]).out;
    assert!(text.contains("one block wants 9 warps, an SM has 8: 1 too many"), "{text}");
    assert!(text.contains("H never: it waits, and nothing is left that could happen"), "{text}");
    // A run too long to be shown is cut off, and says so.
    kernels[0] = kernel("F", (0, 1), (200, 8, 5), (4, 0));
    let question = ask(1, &kernels, json!({})).to_string();
    let text = Place::new().raddle(&["explain", "sm", &question]).out;
    assert!(text.contains("more steps"), "{text}");
}
