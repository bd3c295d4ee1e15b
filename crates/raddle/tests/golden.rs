//! Do the verbs `golden` and `explain` pass questions on, one by one, and report refusals?

mod common;

use common::Place;
use serde_json::Value;

const QUESTION: &str = r#"{"windows":[8,4,3,1],"count":12}"#;

#[test]
fn refused_lines_are_counted_and_the_next_line_is_answered() {
    let ran = Place::new().ask(&["golden", "windows"], format!("what?\n\n{QUESTION}\n"));
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("1 line could not be answered"), "{}", ran.err);
    let answers: Vec<&str> = ran.out.lines().collect();
    assert!(answers[0].starts_with("{\"id\":null,\"error\":{\"kind\":\"not_json\""));
    assert_eq!(answers[1..], ["{\"order\":[3,1,2,4]}"]);
}

#[test]
fn topics_have_two_spellings_and_others_are_refused_with_the_nearest() {
    let place = Place::new();
    assert_eq!(place.ask(&["golden", "windows"], QUESTION).code, 0);
    for verb in ["golden", "explain"] {
        let ran = place.raddle(&[verb, "windoes"]);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""));
        assert!(ran.err.contains("`windows`"), "{}", ran.err);
    }
}

#[test]
fn a_partner_on_a_pipe_gets_each_answer_at_once() {
    use std::io::{BufRead, BufReader, Write};
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_raddle"))
        .args(["golden", "windows"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut questions = child.stdin.take().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap()).lines();
    for _ in 0..3 {
        // The next question is sent only after the answer: a verb that kept answers back would wait
        // for ever.
        writeln!(questions, "{QUESTION}").unwrap();
        assert!(answers.next().unwrap().unwrap().starts_with("{\"order\":"));
    }
    drop(questions);
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_question_is_explained_from_the_command_line_or_a_pipe() {
    let place = Place::new();
    let ran = place.raddle(&["explain", "windows", QUESTION]);
    assert!(ran.out.starts_with("Question: {\"windows\""), "{}", ran.out);
    assert!(ran.out.contains("\n1. b1, b2: 4 levels"), "{}", ran.out);
    assert_eq!(place.ask(&["explain", "windows"], format!("\n{QUESTION}\n")).out, ran.out);
    let asked = place.ask(&["golden", "windows"], QUESTION);
    assert!(ran.out.ends_with(&format!("Answer: {}", asked.out)), "{} {}", ran.out, asked.out);
    let json = place.raddle(&["explain", "windows", QUESTION, "--format", "json"]);
    let value: Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(value["answer"], serde_json::from_str::<Value>(&asked.out).unwrap());
    assert!(place.raddle(&["explain", "windows"]).out.starts_with("Worked example: "));
}

#[test]
fn a_question_that_cannot_be_explained_is_refused() {
    let place = Place::new();
    let two = format!("{QUESTION}\n{QUESTION}");
    let mut said = place.ask(&["explain", "windows"], two).err;
    for line in ["nonsense", "{}", r#"{"windws":[1]}"#] {
        let ran = place.raddle(&["explain", "windows", line]);
        assert_eq!((ran.code, ran.out.as_str()), (1, ""));
        said += &ran.err;
    }
    insta::assert_snapshot!("explain-refused", said);
}

#[test]
fn only_the_bitmap_has_a_cost() {
    let place = Place::new();
    let ran = place.raddle(&["explain", "placement", "--cost"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("`--cost` is for bitmap"), "{}", ran.err);
    let ran = place.raddle(&["explain", "bitmap", "--cost"]);
    assert_eq!((ran.code, ran.out.contains("Answer")), (0, false), "{}", ran.err);
}
