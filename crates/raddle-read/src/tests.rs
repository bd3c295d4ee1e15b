//! Do errors of documents have the kind, place and message that the crate documents?
#![allow(clippy::too_many_lines, reason = "a table of cases is one test")]

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::json;

use super::*;

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Rule {
    Mean,
    MinOne,
    Sampled { amounts: Vec<u32> },
    Pair([u8; 2]),
}

#[derive(Debug, PartialEq, Deserialize)]
struct Settings {
    rule: Rule,
    t0_us: u64,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    strict: bool,
    #[serde(default)]
    by_name: BTreeMap<String, u16>,
}

fn settings(value: Value) -> Result<Settings, (FaultKind, String, String)> {
    read(&value).map_err(|error: ReadError| (error.kind, error.at.clone(), error.to_string()))
}

#[test]
fn both_spellings_and_hexadecimal_strings_are_read() {
    let value = json!({"rule": "min_one", "t0-us": "0xFFFFFFFFFFFFFFFF", "by_name": {"a_b": 7}});
    let read = settings(value).unwrap();
    assert_eq!((read.rule, read.t0_us), (Rule::MinOne, u64::MAX));
    assert_eq!(read.by_name.keys().collect::<Vec<_>>(), ["a_b"]);
    let read = settings(json!({"rule": {"sampled": {"amounts": [1, "0x2"]}}, "t0_us": 0}));
    assert_eq!(read.unwrap().rule, Rule::Sampled { amounts: vec![1, 2] });
}

#[test]
fn an_error_says_what_is_wrong_and_where() {
    use FaultKind::{Inconsistent, MissingField, OutOfRange, UnknownField, WrongType};
    let of = |key: &str, value: Value| {
        let mut whole = json!({"rule": "mean", "t0_us": 1});
        whole[key] = value;
        settings(whole).unwrap_err()
    };
    for (key, value, kind, at, message) in [
        ("t0us", json!(1), UnknownField, "/t0us", "unknown key `t0us`; did you mean `t0-us`?"),
        ("a/~", json!(1), UnknownField, "/a~1~0", "unknown key `a/~`; the keys are `rule`, "),
        ("t0-us", json!(1), Inconsistent, "/t0_us", "duplicate key `t0_us` (also spelled `t0-us`)"),
        (
            "t0_us",
            json!(-1),
            OutOfRange,
            "/t0_us",
            "a whole number from 0 to 18446744073709551615, found -1",
        ),
        ("t0_us", json!(1e20), OutOfRange, "/t0_us", "found 1e+20"),
        ("t0_us", json!("0x10000000000000000"), OutOfRange, "/t0_us", "found the text \"0x1"),
        ("t0_us", json!(1.0), WrongType, "/t0_us", "found 1.0"),
        ("t0_us", json!("0x+1"), WrongType, "/t0_us", "found the text \"0x+1\""),
        ("t0_us", json!("12"), WrongType, "/t0_us", "found the text \"12\""),
        ("t0_us", json!(null), WrongType, "/t0_us", "found null"),
        ("name", json!(5), WrongType, "/name", "expected text, found 5"),
        (
            "strict",
            json!("yes"),
            WrongType,
            "/strict",
            "expected `true` or `false`, found the text",
        ),
        ("by_name", json!({"x": 65_536}), OutOfRange, "/by_name/x", "from 0 to 65535, found 65536"),
        ("by_name", json!([]), WrongType, "/by_name", "expected an object, found a list"),
        (
            "rule",
            json!("maen"),
            OutOfRange,
            "/rule",
            "or `pair`, found `maen`; did you mean `mean`?",
        ),
        ("rule", json!("sideways"), OutOfRange, "/rule", "or `pair`, found `sideways`"),
        ("rule", json!(1), WrongType, "/rule", "or `pair`, found 1"),
        ("rule", json!("sampled"), OutOfRange, "/rule", "`sampled` needs settings"),
        ("rule", json!({"mean": 1}), WrongType, "/rule", "`mean` has no settings"),
        ("rule", json!({"means": 1}), WrongType, "/rule", "found means; did you mean `mean`?"),
        ("rule", json!({}), WrongType, "/rule", "or `pair`, found an object"),
        ("rule", json!({"mean": 1, "pair": 2}), WrongType, "/rule", "found an object"),
        ("rule", json!({"sampled": {}}), MissingField, "/rule/sampled", "`amounts` is missing"),
        (
            "rule",
            json!({"sampled": {"amounts": [1, true]}}),
            WrongType,
            "/rule/sampled/amounts/1",
            "found true",
        ),
        (
            "rule",
            json!({"pair": [1, 2, 3]}),
            OutOfRange,
            "/rule/pair",
            "expected a list of 2, found 3 entries",
        ),
    ] {
        let error = of(key, value.clone());
        assert_eq!((error.0, &*error.1), (kind, at), "{key}: {value}");
        assert!(error.2.contains(message), "{}, not {message}", error.2);
    }
    assert_eq!(settings(json!({"rule": "mean"})).unwrap_err().1, "");
    assert_eq!(settings(json!([1])).unwrap_err().0, WrongType);
}

#[test]
fn unknown_keys_come_first_then_fields_in_order() {
    let at = |value| settings(value).unwrap_err().1;
    assert_eq!(at(json!({"by_name": 1, "rule": 1, "t0_us": "x", "zero": 1})), "/zero");
    assert_eq!(at(json!({"by_name": 1, "rule": 1, "t0_us": "x"})), "/rule");
}

#[test]
fn near_names_are_suggested_and_far_ones_are_not() {
    assert_eq!(nearest("trun", ["turn", "window"]), Some("turn"));
    assert_eq!(nearest("queue", ["turn", "window"]), None);
    assert_eq!(nearest("x", []), None);
    let long = "turn".repeat(20);
    assert_eq!(nearest(&long, [long.as_str()]), None);
}

#[test]
fn text_in_messages_is_short_and_harmless() {
    assert_eq!(shown("a\nb\u{202e}"), "a?b?");
    assert_eq!(shown(&"a".repeat(50)), "a".repeat(40) + "…");
}
