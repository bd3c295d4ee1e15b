//! Are all questions of the contract answered as it says, and the rest refused at its place?

use serde_json::{Value, json};

use super::*;

fn ask(question: &Value) -> Result<String, (Kind, String)> {
    let answer = Fields::of(question, "").and_then(|fields| answer(&fields));
    answer.map_err(|fault| (fault.kind, fault.at))
}

#[track_caller]
fn answered(question: Value, answer: &str) {
    assert_eq!(ask(&question).as_deref(), Ok(answer), "{question}");
}

#[track_caller]
fn refused_at(question: Value, kind: Kind, at: &str) {
    assert_eq!(ask(&question), Err((kind, at.to_owned())), "{question}");
}

#[test]
fn the_longest_run() {
    let full = r#"{"longest":3,"sequence":"11100000","starts":[4]}"#;
    answered(json!({"bits": "01101110", "free": 1, "shift": "left", "method": "full"}), full);
    answered(json!({"bits": "01101110", "method": "full"}), full);
    answered(json!({"bits": "10010001", "free": 0, "shift": "right", "method": "full"}), full);
    let none = r#"{"longest":0,"sequence":"000","starts":[]}"#;
    answered(json!({"bits": "000", "method": "full"}), none);
    let many = r#"{"longest":1,"sequence":"10000","starts":[0,2,4]}"#;
    answered(json!({"bits": "10101", "method": "full"}), many);
}

#[test]
fn lower_bounds() {
    let bits = "0111111011110000";
    let groups = |groups: u32| json!({"bits": bits, "method": {"grouped": {"groups": groups}}});
    answered(groups(4), r#"{"longest":4,"sequence":"1000"}"#);
    answered(groups(8), r#"{"longest":4,"sequence":"11000000"}"#);
    answered(groups(1), r#"{"longest":0,"sequence":"0"}"#);
    let k = |k: &[u32]| json!({"bits": bits, "method": {"sampled": {"k": k}}});
    answered(k(&[0, 1, 3]), r#"{"longest":4,"sequence":"111"}"#);
    answered(k(&[2, 5, 8]), r#"{"longest":6,"sequence":"110"}"#);
    answered(k(&[15]), r#"{"longest":0,"sequence":"0"}"#);
}

#[test]
fn places() {
    let bits = "0111011011110";
    let fit = |fit: &str| json!({"bits": bits, "want": 2, "fit": fit});
    answered(fit("first"), r#"{"start":1}"#);
    answered(fit("best"), r#"{"start":5}"#);
    answered(fit("worst"), r#"{"start":8}"#);
    answered(json!({"bits": bits, "want": 2}), r#"{"start":1}"#);
    answered(json!({"bits": "01101110", "want": 4}), r#"{"start":null,"longest":3}"#);
    answered(json!({"bits": "01101110", "want": u64::MAX}), r#"{"start":null,"longest":3}"#);
    for fit in ["first", "best", "worst"] {
        answered(json!({"bits": "0001", "want": 0, "fit": fit}), r#"{"start":0}"#);
    }
    // The other polarity counts, a shift and a method change nothing.
    let other =
        json!({"bits": "10010001", "free": 0, "want": 3, "shift": "right", "method": "full"});
    answered(other, r#"{"start":4}"#);
    let method = json!({"bits": "0110", "want": 2, "method": {"grouped": {"groups": 2}}});
    answered(method, r#"{"start":1}"#);
}

#[test]
fn rounds() {
    let round = |layout: Value| {
        let types = json!([[{"type": "s", "bits": "01110"}, {"type": "l", "bits": "0111"}]]);
        json!({"shared": {"width": 12, "periods": types, "layout": layout}})
    };
    let answer = r#"{"periods":[{"period":1,"longest":{"s":3,"l":3}}]}"#;
    for layout in [json!({"slots": [[5, 7]]}), json!("packed"), json!("halves")] {
        answered(round(layout), answer);
    }
    let two = json!({"shared": {"width": 4, "free": 0, "shift": "right", "periods": [
        [{"type": "v", "bits": "0010"}],
        [{"type": "s", "bits": "00"}, {"type": "l", "bits": "10"}],
    ]}});
    let answer =
        r#"{"periods":[{"period":1,"longest":{"v":2}},{"period":2,"longest":{"s":2,"l":1}}]}"#;
    answered(two, answer);
    // A period of one type takes the whole width in either named layout.
    let whole = json!({"shared": {"width": 3, "layout": "halves", "periods": [
        [{"type": "v", "bits": "111"}],
    ]}});
    answered(whole, r#"{"periods":[{"period":1,"longest":{"v":3}}]}"#);
}

#[test]
fn refusals_of_states_and_methods() {
    use Kind::{Inconsistent, MissingField, OutOfRange, UnknownField, WrongType};
    let with = |key: &str, value: Value| {
        let mut question = json!({"bits": "01101110", "method": "full"});
        question[key] = value;
        question
    };
    let grouped = |groups: Value| with("method", json!({"grouped": {"groups": groups}}));
    let sampled = |k: Value| with("method", json!({"sampled": {"k": k}}));
    for (question, kind, at) in [
        (with("bits", json!("")), OutOfRange, "/bits"),
        (with("bits", json!("01x")), OutOfRange, "/bits"),
        (with("bits", json!(101)), WrongType, "/bits"),
        (json!({"method": "full"}), MissingField, ""),
        (json!({"bits": "01"}), MissingField, ""),
        (with("free", json!(2)), OutOfRange, "/free"),
        (with("free", json!("free")), WrongType, "/free"),
        (with("shift", json!("up")), OutOfRange, "/shift"),
        (with("colour", json!(1)), UnknownField, "/colour"),
        (with("fit", json!("best")), MissingField, ""),
        (with("want", json!(-1)), OutOfRange, "/want"),
        (with("want", json!("four")), WrongType, "/want"),
        (with("method", json!("grouped")), OutOfRange, "/method"),
        (with("method", json!(null)), WrongType, "/method"),
        (with("method", json!({})), MissingField, "/method"),
        (with("method", json!({"full": {}})), UnknownField, "/method/full"),
        (with("method", json!({"grouped": {}, "sampled": {}})), Inconsistent, "/method"),
        (with("method", json!({"grouped": {}})), MissingField, "/method/grouped"),
        (with("method", json!({"grouped": 4})), WrongType, "/method/grouped"),
        (grouped(json!(0)), OutOfRange, "/method/grouped/groups"),
        (grouped(json!(8)), OutOfRange, "/method/grouped/groups"),
        (grouped(json!(3)), Inconsistent, "/method/grouped/groups"),
        (sampled(json!([])), OutOfRange, "/method/sampled/k"),
        (sampled(json!([0, 3, 3])), Inconsistent, "/method/sampled/k/2"),
        (sampled(json!([3, 1])), Inconsistent, "/method/sampled/k/1"),
        (sampled(json!([0, 8])), OutOfRange, "/method/sampled/k/1"),
        (sampled(json!([0, "x"])), WrongType, "/method/sampled/k/1"),
        (sampled(json!(3)), WrongType, "/method/sampled/k"),
    ] {
        refused_at(question, kind, at);
    }
    let one = json!({"bits": "1", "method": {"grouped": {"groups": 1}}});
    refused_at(one, OutOfRange, "/method/grouped/groups");
}

#[test]
fn refusals_of_rounds() {
    use Kind::{Inconsistent, MissingField, OutOfRange, UnknownField, WrongType};
    let state = |name: &str, bits: &str| json!({"type": name, "bits": bits});
    let round = |periods: Value, layout: Value| json!({"shared": {"width": 8, "periods": periods, "layout": layout}});
    let packed = |periods: Value| round(periods, json!("packed"));
    let pair = json!([[state("a", "111"), state("b", "1111")]]);
    let slots = |slots: Value| round(pair.clone(), json!({"slots": slots}));
    for (question, kind, at) in [
        (json!({"shared": {"periods": pair}}), MissingField, "/shared"),
        (json!({"shared": {"width": 8}}), MissingField, "/shared"),
        (json!({"shared": {"width": 0, "periods": pair}}), OutOfRange, "/shared/width"),
        (json!({"shared": [], "id": 1}), WrongType, "/shared"),
        (json!({"shared": {}, "bits": "1"}), UnknownField, "/bits"),
        (packed(json!([])), OutOfRange, "/shared/periods"),
        (packed(json!([[]])), OutOfRange, "/shared/periods/0"),
        (packed(json!([pair[0], []])), OutOfRange, "/shared/periods/1"),
        (packed(json!([[state("a", "")]])), OutOfRange, "/shared/periods/0/0/bits"),
        (
            packed(json!([[state("a", "11"), state("a", "1")]])),
            Inconsistent,
            "/shared/periods/0/1/type",
        ),
        (
            packed(json!([[state("a", "11")], [state("a", "1")]])),
            Inconsistent,
            "/shared/periods/1/0/type",
        ),
        (packed(json!([[{"type": 7, "bits": "1"}]])), WrongType, "/shared/periods/0/0/type"),
        (packed(json!([[{"type": "a"}]])), MissingField, "/shared/periods/0/0"),
        (packed(json!([[state("a", "111111111")]])), Inconsistent, "/shared/periods/0"),
        (
            packed(json!([[state("a", "11111"), state("b", "1111")]])),
            Inconsistent,
            "/shared/periods/0",
        ),
        (
            round(json!([[state("a", "11111"), state("b", "1")]]), json!("halves")),
            Inconsistent,
            "/shared/periods/0/0/bits",
        ),
        (
            round(json!([[state("a", "1"), state("b", "1"), state("c", "1")]]), json!("halves")),
            Inconsistent,
            "/shared/periods/0",
        ),
        (round(pair.clone(), json!("thirds")), OutOfRange, "/shared/layout"),
        (round(pair.clone(), json!(3)), WrongType, "/shared/layout"),
        (round(pair.clone(), json!({})), MissingField, "/shared/layout"),
        (slots(json!([[3, 9]])), OutOfRange, "/shared/layout/slots/0/1"),
        (slots(json!([[0, 4]])), OutOfRange, "/shared/layout/slots/0/0"),
        (slots(json!([[4, 5]])), Inconsistent, "/shared/layout/slots/0/1"),
        (slots(json!([[3, 3]])), Inconsistent, "/shared/periods/0/1/bits"),
        (slots(json!([[3]])), Inconsistent, "/shared/layout/slots/0"),
        (slots(json!([[3, 4], [8]])), Inconsistent, "/shared/layout/slots"),
        (slots(json!([])), Inconsistent, "/shared/layout/slots"),
    ] {
        refused_at(question, kind, at);
    }
    // Widths up to the end of their type add up without wrapping.
    let wide = json!({"shared": {"width": u32::MAX, "periods": pair,
        "layout": {"slots": [[u32::MAX, u32::MAX]]}}});
    refused_at(wide, Inconsistent, "/shared/layout/slots/0/1");
}
