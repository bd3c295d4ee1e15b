//! Does the golden model of the bitmap searches give the answers of the contract, and explain them?

mod common;

use common::Place;
use serde_json::Value;

/// Every question of the contract with its answer, and one of each further form.
const ANSWERED: [(&str, &str); 14] = [
    (
        r#"{"bits":"01101110","free":1,"shift":"left","method":"full"}"#,
        r#"{"longest":3,"sequence":"11100000","starts":[4]}"#,
    ),
    (
        r#"{"bits":"10010001","free":0,"shift":"right","method":"full"}"#,
        r#"{"longest":3,"sequence":"11100000","starts":[4]}"#,
    ),
    (r#"{"bits":"0000","method":"full"}"#, r#"{"longest":0,"sequence":"0000","starts":[]}"#),
    (
        r#"{"bits":"0111111011110000","method":{"grouped":{"groups":4}}}"#,
        r#"{"longest":4,"sequence":"1000"}"#,
    ),
    (
        r#"{"bits":"0111110111000000","method":{"sampled":{"k":[0,1,3,5,7,11,15]}}}"#,
        r#"{"longest":4,"sequence":"1110000"}"#,
    ),
    (
        r#"{"bits":"0111110111000000","method":{"sampled":{"k":["0x4"]}}}"#,
        r#"{"longest":5,"sequence":"1"}"#,
    ),
    (r#"{"bits":"0111011011110","want":2,"fit":"first"}"#, r#"{"start":1}"#),
    (r#"{"bits":"0111011011110","want":2,"fit":"best"}"#, r#"{"start":5}"#),
    (r#"{"bits":"0111011011110","want":2,"fit":"worst"}"#, r#"{"start":8}"#),
    (r#"{"bits":"01101110","want":4}"#, r#"{"start":null,"longest":3}"#),
    (r#"{"bits":"01101110","want":0}"#, r#"{"start":0}"#),
    (
        r#"{"shared":{"width":12,"periods":[[{"type":"s","bits":"01110"},{"type":"l","bits":"0111"}]],"layout":{"slots":[[5,7]]}}}"#,
        r#"{"periods":[{"period":1,"longest":{"s":3,"l":3}}]}"#,
    ),
    (
        r#"{"id":{"z":1,"a":2},"shared":{"width":9,"periods":[[{"type":"z","bits":"11111"},{"type":"a","bits":"1111"}]]}}"#,
        r#"{"id":{"z":1,"a":2},"periods":[{"period":1,"longest":{"z":5,"a":4}}]}"#,
    ),
    (
        r#"{"shared":{"width":8,"periods":[[{"type":"x","bits":"1100"}]],"free":0,"layout":"halves"}}"#,
        r#"{"periods":[{"period":1,"longest":{"x":2}}]}"#,
    ),
];

#[test]
fn the_contracts_answers() {
    let (questions, answers): (Vec<&str>, Vec<&str>) = ANSWERED.into_iter().unzip();
    let ran = Place::new().ask(&["golden", "bitmap"], questions.join("\n"));
    assert_eq!((ran.code, ran.out, ran.err), (0, answers.join("\n") + "\n", String::new()));
}

#[test]
fn every_answer_can_be_explained() {
    let place = Place::new();
    for (question, answer) in ANSWERED {
        let ran = place.raddle(&["explain", "bitmap", question]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        let answer = answer.replacen(r#""id":{"z":1,"a":2},"#, "", 1);
        assert!(ran.out.ends_with(&format!("\nAnswer: {answer}\n")), "{}", ran.out);
        assert!(ran.out.lines().all(|line| line == line.trim_end()), "{}", ran.out);
    }
}

#[test]
fn a_map_of_many_blocks_is_answered_and_not_traced() {
    let bits = format!("{}0{}", "1".repeat(70_000), "1".repeat(30_000));
    let question = format!(r#"{{"bits":"{bits}","method":"full"}}"#);
    let place = Place::new();
    let ran = place.ask(&["golden", "bitmap"], &question);
    let answer: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(answer["longest"], 70_000);
    assert_eq!(answer["sequence"].as_str().map(str::len), Some(100_001));
    let ran = place.ask(&["explain", "bitmap"], &question);
    assert_eq!((ran.code, ran.out.as_str()), (1, ""));
    assert!(ran.err.contains("give at most 4096"), "{}", ran.err);
    // Wide, but not too much so: said instead of shown.
    let ran = place.ask(&["explain", "bitmap"], question.replace(&"1".repeat(69_000), ""));
    assert_eq!(ran.code, 1, "{}", ran.out);
    let shorter = format!(r#"{{"bits":"{}","method":"full"}}"#, "10".repeat(500));
    let ran = place.ask(&["explain", "bitmap"], shorter);
    assert!(
        ran.out.contains("1,000 sequences of 1,000 digits; up to 128 are shown"),
        "{}",
        ran.out
    );
}

#[test]
fn the_worked_example() {
    let ran = Place::new().raddle(&["explain", "bitmap"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    insta::assert_snapshot!("explain-bitmap", ran.out);
}

/// One question of each other form, one behind the other.
#[test]
fn the_other_forms() {
    let place = Place::new();
    let told: Vec<String> = [
        r#"{"bits":"0111111011110000","free":1,"method":{"grouped":{"groups":4}}}"#,
        r#"{"bits":"1000000100001111","free":0,"shift":"right","method":{"sampled":{"k":[0,3,9]}}}"#,
        r#"{"bits":"0111011011110","want":5,"fit":"worst"}"#,
        r#"{"shared":{"width":6,"periods":[[{"type":"v","bits":"011111"}],[{"type":"s","bits":"111"},{"type":"l","bits":"110"}]]}}"#,
    ]
    .map(|question| place.raddle(&["explain", "bitmap", question]).out)
    .into();
    insta::assert_snapshot!("explain-bitmap-forms", told.join("\n"));
}

#[test]
fn cost_beside_miss_rate() {
    let place = Place::new();
    let ran = place.raddle(&["explain", "bitmap", "--cost"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    for seed in ["0.127", "0.419", "8.89e-7", "0.00971", "0.0383"] {
        assert!(ran.out.contains(seed), "{seed}: {}", ran.out);
    }
    assert!(ran.out.lines().all(|line| line.chars().count() <= 160), "{}", ran.out);
    insta::assert_snapshot!("explain-bitmap-cost", ran.out);
    let question = r#"{"blocks":100,"want":7}"#;
    let ran = place.raddle(&["explain", "bitmap", "--cost", question, "--format", "json"]);
    let value: Value = serde_json::from_str(&ran.out).unwrap();
    let rows = value["answer"]["rows"].as_array().unwrap();
    assert_eq!(rows[0]["drawn"]["and-gates"], 9_900);
    assert!(rows.iter().all(|row| row["churn-missed"].is_u64() && row["missed"].is_string()));
    assert_eq!(value["answer"]["churn"]["asked"], 10_000);
}

#[test]
fn costs_that_there_are_not() {
    let place = Place::new();
    let ran = place.raddle(&["explain", "placement", "--cost"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("`--cost` is for bitmap"), "{}", ran.err);
    for (question, word) in [
        (r#"{"blocks":1,"want":1}"#, "from 2 to 4096"),
        (r#"{"blocks":8,"want":9}"#, "from 1 to 8"),
        (r#"{"blocks":8}"#, "`want` is missing"),
        (r#"{"bits":"1"}"#, "`bits` is not a key here"),
    ] {
        let ran = place.raddle(&["explain", "bitmap", "--cost", question]);
        assert_eq!((ran.code, ran.out.as_str()), (1, ""), "{question}");
        assert!(ran.err.contains(word) && ran.err.contains("explain bitmap --cost"), "{}", ran.err);
    }
}

/// Every map of a few blocks, in every form: the model answers what the traces say.
#[test]
fn answers_and_traces_agree() {
    use raddle_bitmap::circuit::{FullTrace, GroupedTrace, SampledTrace, Setup};
    use raddle_bitmap::{FreeMap, Grouped, Polarity, Sampled};
    let (grouped, sampled) = (Grouped::new(6, 3).unwrap(), Sampled::new(6, &[0, 2, 5]).unwrap());
    let (mut questions, mut expected) = (String::new(), Vec::new());
    for code in 0..64_u64 {
        let map = FreeMap::from_words(&[code], 6, Polarity::FreeIsOne).unwrap();
        let bits = map.digits(Polarity::FreeIsOne);
        let setup = Setup::default();
        let full = FullTrace::new(map.view(), setup).unwrap();
        let groups = GroupedTrace::new(map.view(), &grouped, setup).unwrap();
        let samples = SampledTrace::new(map.view(), &sampled, setup).unwrap();
        for (method, longest, sequence) in [
            (r#""full""#, full.answer(), full.sar()),
            (r#"{"grouped":{"groups":3}}"#, groups.answer(), groups.far()),
            (r#"{"sampled":{"k":[0,2,5]}}"#, samples.answer(), samples.sar()),
        ] {
            questions += &format!("{{\"bits\":\"{bits}\",\"method\":{method}}}\n");
            expected.push((u64::from(longest), sequence.to_string()));
        }
    }
    let ran = Place::new().ask(&["golden", "bitmap"], questions);
    let answers = ran.out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let answers = answers.map(|answer| {
        let sequence = answer["sequence"].as_str().unwrap().to_owned();
        (answer["longest"].as_u64().unwrap(), sequence)
    });
    assert!(answers.eq(expected));
}
