//! Does the golden model of packets give the answers of the contract, refuse the rest at its place,
//! and explain itself?

mod common;

use common::Place;
use serde_json::{Value, json};

const TABLE_6: &str = "06020480addeefbeedfead0b064034127856eddecefa";

fn packet(digits: &str) -> String {
    format!("{digits:0<128}")
}

fn ask(question: &Value) -> Value {
    let ran = Place::new().ask(&["golden", "packet"], question.to_string());
    serde_json::from_str(&ran.out).expect("an answer is JSON")
}

fn diffs() -> Value {
    json!([
        {"ref_num": 4, "diff": {"completion_signal": "0x0badfeedbeefdead"}},
        {"ref_num": 6, "diff": {"kernarg_address": "0xfacedeed56781234"}},
    ])
}

#[test]
fn table_6_there_and_back() {
    let answer = ask(&json!({"condensed": diffs()}));
    assert_eq!(answer, json!({"packets": [packet(TABLE_6)]}));
    let table = json!({"4": {"setup": 3, "kernel_object": 1}, "0x6": {"completion_signal": 9}});
    let answer = ask(&json!({"decode": [packet(TABLE_6)], "table": table}));
    let launches = answer["launches"].as_array().unwrap();
    assert_eq!(launches.len(), 2);
    assert_eq!(launches[0]["completion_signal"], "0x0badfeedbeefdead");
    assert_eq!(
        (&launches[0]["setup"], &launches[0]["kernel_object"]),
        (&json!(3), &json!("0x0000000000000001"))
    );
    assert_eq!(launches[1]["kernarg_address"], "0xfacedeed56781234");
    assert_eq!(launches[1]["completion_signal"], "0x0000000000000009");
    assert_eq!(launches[0].as_object().unwrap().len(), 13);
    assert_eq!(answer["table"].as_object().unwrap().keys().collect::<Vec<_>>(), ["4", "6"]);
    assert_eq!(answer["table"]["4"]["completion_signal"], "0x0000000000000000");
}

#[test]
fn every_order_and_both_private_sizes() {
    for (half_words, header_bits, wanted) in [
        ("low-first", "low_first", TABLE_6),
        ("low-first", "high-first", "06020090addeefbeedfead0b00c834127856eddecefa"),
        ("high-first", "low-first", "06020480ad0bedfeefbeadde0640cefaedde78563412"),
        ("high_first", "high-first", "06020090ad0bedfeefbeadde00c8cefaedde78563412"),
    ] {
        let format = json!({"half_words": half_words, "header-bits": header_bits});
        let answer = ask(&json!({"condensed": diffs(), "format": format}));
        assert_eq!(answer, json!({"packets": [packet(wanted)]}), "{half_words} {header_bits}");
    }
    // A private size takes one half-word of 16 bits, and must fit.
    let asked = |bits: u64, value: u64| {
        ask(
            &json!({"format": {"private_bits": bits}, "condensed": [{"ref_num": 0, "diff": {"private_segment_size": value}}]}),
        )
    };
    assert_eq!(asked(16, 0xffff), json!({"packets": [packet("06010008ffff")]}));
    assert_eq!(asked(32, 0xffff), json!({"packets": [packet("06010008ffff0000")]}));
    assert_eq!(asked(16, 0x10000)["error"]["kind"], "out_of_range");
    let wide = ask(&json!({"dispatch": {"fields": {"private_segment_size": 65536}}}));
    let again =
        |bits: u64| ask(&json!({"format": {"private_bits": bits}, "decode": wide["packets"]}));
    assert_eq!(again(32)["launches"][0]["private_segment_size"], 65536);
    assert_eq!(again(16)["error"]["at"], "/decode/0");
}

#[test]
fn packets_are_as_full_as_they_get() {
    let kernel = json!({"ref_num": 1, "diff": {"kernel_object": 7}});
    let answer = ask(&json!({"condensed": vec![kernel; 13]}));
    let packets = answer["packets"].as_array().unwrap();
    let counts: Vec<&str> = packets.iter().map(|it| &it.as_str().unwrap()[..4]).collect();
    assert_eq!(counts, ["0606", "0606", "0601"]);
    let none = json!({"ref_num": 1, "diff": {}});
    let answer = ask(&json!({"condensed": vec![none; 32]}));
    assert_eq!(
        answer["packets"],
        json!([packet(&("061f".to_owned() + &"0100".repeat(31))), packet("06010100")])
    );
    assert_eq!(ask(&json!({"condensed": []})), json!({"packets": []}));
}

#[test]
fn reference_packets_store_and_all_launch() {
    let fields = json!({"kernel_object": "0xff", "grid_size_x": 64});
    let reference = ask(&json!({"reference": {"ref_num": 2, "fields": fields}}));
    let ordinary = ask(&json!({"dispatch": {"fields": fields}}));
    let (reference, ordinary) = (&reference["packets"][0], &ordinary["packets"][0]);
    assert_eq!(&reference.as_str().unwrap()[..24], "070000000000000000000200");
    let answer = ask(&json!({"decode": [reference, ordinary, packet("06010200")]}));
    let launches = answer["launches"].as_array().unwrap();
    assert!(launches.len() == 3 && launches[0] == launches[1] && launches[1] == launches[2]);
    assert_eq!(answer["table"], json!({"2": launches[0]}));
    // With one type for both, ordinary packets store as well, entry 0 here.
    let types = json!({"types": {"reference": 2}});
    let answer = ask(&json!({"decode": [ordinary], "format": types}));
    assert_eq!(answer["table"]["0"], launches[0]);
}

#[test]
fn refusals_say_what_and_where() {
    let kernel = |diff: Value| json!({"condensed": [{"ref_num": 0, "diff": {}}, {"ref_num": 0, "diff": diff}]});
    let decode =
        |digits: &str| json!({"decode": [packet("02"), packet(digits)], "table": {"0": {}}});
    let cases = [
        (json!({}), "missing_field", ""),
        (json!({"decode": [], "condensed": []}), "inconsistent", ""),
        (json!({"encode": []}), "unknown_field", "/encode"),
        (json!({"condensed": [], "table": {}}), "unknown_field", "/table"),
        (json!({"dispatch": {}}), "missing_field", "/dispatch"),
        (json!({"dispatch": {"fields": {}, "ref_num": 1}}), "unknown_field", "/dispatch/ref_num"),
        (
            json!({"dispatch": {"fields": {"reserved2": 1}}}),
            "unknown_field",
            "/dispatch/fields/reserved2",
        ),
        (json!({"reference": {"fields": {}}}), "missing_field", "/reference"),
        (json!({"reference": {"ref_num": 8, "fields": {}}}), "out_of_range", "/reference/ref_num"),
        (kernel(json!({"synch_scopes": 256})), "out_of_range", "/condensed/1/diff/synch_scopes"),
        (
            kernel(json!({"grid_size_z": "0x100000000"})),
            "out_of_range",
            "/condensed/1/diff/grid_size_z",
        ),
        (kernel(json!({"setup": "1"})), "wrong_type", "/condensed/1/diff/setup"),
        (kernel(json!({"header": 1})), "unknown_field", "/condensed/1/diff/header"),
        (json!({"condensed": [{"ref_num": 0}]}), "missing_field", "/condensed/0"),
        (json!({"decode": [1]}), "wrong_type", "/decode/0"),
        (json!({"decode": ["06"]}), "out_of_range", "/decode/0"),
        (json!({"decode": ["x".repeat(128)]}), "out_of_range", "/decode/0"),
        (decode("03"), "out_of_range", "/decode/1"),
        (decode("0600"), "out_of_range", "/decode/1"),
        (decode("060101"), "inconsistent", "/decode/1"),
        (decode("062000"), "out_of_range", "/decode/1"),
        (decode("060108000001"), "out_of_range", "/decode/1"),
        (decode("07000000000000000000080000"), "out_of_range", "/decode/1"),
        (json!({"decode": [], "table": {"8": {}}}), "out_of_range", "/table/8"),
        (json!({"decode": [], "table": {"x": {}}}), "wrong_type", "/table/x"),
        (json!({"decode": [], "table": {"1": {}, "01": {}}}), "inconsistent", "/table/1"),
        (json!({"decode": [], "format": {"entries": 9}}), "out_of_range", "/format/entries"),
        (json!({"decode": [], "format": {"entries": 0}}), "out_of_range", "/format/entries"),
        (
            json!({"decode": [], "format": {"private_bits": 24}}),
            "out_of_range",
            "/format/private_bits",
        ),
        (
            json!({"decode": [], "format": {"types": {"condensed": 7}}}),
            "inconsistent",
            "/format/types",
        ),
        (
            json!({"decode": [], "format": {"types": {"dispatch": 256}}}),
            "out_of_range",
            "/format/types/dispatch",
        ),
        (
            json!({"decode": [], "format": {"half_words": "lsw"}}),
            "out_of_range",
            "/format/half_words",
        ),
        (
            json!({"decode": [], "format": {"entries": 4}, "table": {"4": {}}}),
            "out_of_range",
            "/table/4",
        ),
    ];
    let questions: Vec<String> = cases.iter().map(|(question, ..)| question.to_string()).collect();
    let ran = Place::new().ask(&["golden", "packet"], questions.join("\n"));
    assert_eq!((ran.code, ran.out.lines().count()), (1, cases.len()));
    for ((question, kind, at), line) in cases.iter().zip(ran.out.lines()) {
        let answer: Value = serde_json::from_str(line).unwrap();
        assert_eq!(
            (&answer["error"]["kind"], &answer["error"]["at"]),
            (&json!(kind), &json!(at)),
            "{question}: {line}"
        );
    }
}

/// The contract knows no barriers; the answer says which packets it knows.
#[test]
fn a_barrier_packet_is_told_what_the_format_has() {
    let barrier = packet("03");
    for (format, has) in [
        (json!({}), "dispatch 2, reference 7, condensed 6, no barriers"),
        (json!({"types": {"reference": 2}}), "dispatch and reference 2, condensed 6, no barriers"),
    ] {
        let answer = ask(&json!({"decode": [barrier], "format": format}));
        assert_eq!(
            (&answer["error"]["kind"], &answer["error"]["at"]),
            (&json!("out_of_range"), &json!("/decode/0"))
        );
        let wanted = format!("packet type 3 is none of this format, which has {has}: ");
        let told = answer["error"]["message"].as_str().unwrap_or_default();
        assert!(told.starts_with(&wanted), "{told}");
    }
}

#[test]
fn the_worked_example_is_explained() {
    let ran = Place::new().ask(&["explain", "packet"], String::new());
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    // Lines that are too long go on behind an indent.
    let told = ran.out.replace("\n        ", " ");
    for part in [
        "2    [ 0] 8004                 kernel 0: entry 4, vector 0x1000",
        "dead beef feed 0bad  completion_signal = 0xbadfeedbeefdead",
        "entry 6 with kernarg_address = 0xfacedeed56781234; the cleanup of the last one",
        "the table stays as it was",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let question = json!({"condensed": diffs()}).to_string();
    let ran = Place::new().ask(&["explain", "packet"], question);
    assert!(ran.out.contains("kernel 1: entry 6, header 0x4006, 5 half-words"), "{}", ran.out);
}
