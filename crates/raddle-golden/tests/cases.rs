//! Does every topic answer its cases as the contract says, and explain what it answers?
//!
//! A case is a line of `cases/TOPIC.jsonl`: a question (or a line that is no JSON) with its answer,
//! byte for byte, or with the kind and the place of its refusal.
#![allow(clippy::unwrap_used, reason = "all of this is test code")]

use std::fmt::Write;
use std::path::Path;

use raddle_golden::{Explanation, TOPICS, Topic, answer_all, explain};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    question: Option<Box<RawValue>>,
    line: Option<String>,
    answer: Option<Box<RawValue>>,
    refused: Option<Refused>,
    /// True if the snapshot of the case has the explanation too.
    #[serde(default)]
    explained: bool,
}

#[derive(Deserialize)]
struct Refused {
    kind: String,
    at: String,
}

impl Case {
    fn line(&self) -> &str {
        let question = self.question.as_ref().map(|question| question.get());
        question.or(self.line.as_deref()).unwrap()
    }
}

fn cases(topic: &Topic) -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let text = std::fs::read_to_string(folder.join(format!("{}.jsonl", topic.name))).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn ask(topic: &Topic, questions: &str) -> (String, u64) {
    let mut answers = Vec::new();
    let refused = answer_all(topic, &mut questions.as_bytes(), &mut answers).unwrap();
    (String::from_utf8(answers).unwrap(), refused)
}

#[test]
fn every_case_has_its_answer() {
    for topic in &TOPICS {
        let cases = cases(topic);
        let lines: Vec<&str> = cases.iter().map(Case::line).collect();
        // All in one stream: a refused line does not end it.
        let (answers, refused) = ask(topic, &lines.join("\n"));
        assert_eq!(answers.lines().count(), cases.len(), "{}", topic.name);
        let expected = cases.iter().filter(|case| case.refused.is_some()).count();
        assert_eq!(refused, expected as u64, "{}", topic.name);
        for (case, answer) in cases.iter().zip(answers.lines()) {
            let context = format!("{}: {}: {}", topic.name, case.name, case.line());
            if let Some(wanted) = &case.answer {
                assert_eq!(answer, wanted.get(), "{context}");
                continue;
            }
            let (wanted, answer) =
                (case.refused.as_ref().unwrap(), serde_json::from_str::<Value>(answer).unwrap());
            let error = &answer["error"];
            let found = (error["kind"].as_str().unwrap(), error["at"].as_str().unwrap());
            assert_eq!(found, (&*wanted.kind, &*wanted.at), "{context}");
            assert!(error["message"].as_str().is_some_and(|text| !text.is_empty()), "{context}");
        }
    }
}

#[test]
fn every_answer_can_be_explained() {
    for topic in &TOPICS {
        for case in cases(topic) {
            let context = format!("{}: {}", topic.name, case.name);
            let explained = explain(topic, case.line());
            let Some(answer) = case.answer else {
                let fault = explained.unwrap_err();
                let refused = case.refused.unwrap();
                assert_eq!((fault.kind.to_string(), fault.at), (refused.kind, refused.at));
                continue;
            };
            let mut answer: Value = serde_json::from_str(answer.get()).unwrap();
            answer.as_object_mut().unwrap().remove("id");
            let explained = explained.unwrap();
            assert_eq!(serde_json::from_str::<Value>(explained.answer.get()).unwrap(), answer);
            assert!(!explained.steps.is_empty(), "{context}");
        }
    }
}

/// Writes the steps of an explanation as text.
fn text(explanation: &Explanation) -> String {
    let mut text = String::new();
    for (number, step) in (1..).zip(&explanation.steps) {
        writeln!(text, "\n{number}. {}", step.title).unwrap();
        step.lines.iter().for_each(|line| writeln!(text, "   {line}").unwrap());
    }
    text
}

#[test]
fn the_worked_examples_and_other_forms_are_explained() {
    for topic in &TOPICS {
        let mut all = text(&explain(topic, topic.example).unwrap());
        for case in cases(topic).iter().filter(|case| case.explained) {
            let explained = explain(topic, case.line()).unwrap();
            write!(all, "\n---- {}\n{}", case.name, text(&explained)).unwrap();
        }
        insta::assert_snapshot!(topic.name, all);
    }
}

/// Checks that every topic has a question on the page docs/golden.md, and every question there the
/// answer below it.
#[test]
fn the_page_shows_what_is_answered() {
    let page = include_str!("../../../docs/golden.md");
    let sections: Vec<&str> = page.split("\n## ").collect();
    let (intro, sections) = sections.split_first().unwrap();
    let names: Vec<&str> = sections.iter().filter_map(|section| section.lines().next()).collect();
    assert_eq!(names, TOPICS.map(|topic| topic.name));
    let errors = (raddle_golden::topic("slices").unwrap(), *intro, true);
    let answered = TOPICS.iter().zip(sections).map(|(topic, section)| (topic, *section, false));
    for (topic, section, refused) in answered.chain([errors]) {
        let blocks = section.split("```json\n").skip(1).filter_map(|rest| rest.split("```").next());
        let lines: Vec<&str> = blocks.flat_map(str::lines).collect();
        assert!(!lines.is_empty() && lines.len().is_multiple_of(2), "{}", topic.name);
        let every_second = |from: usize| {
            lines.iter().skip(from).step_by(2).map(|line| format!("{line}\n")).collect::<String>()
        };
        let (answers, count) = ask(topic, &every_second(0));
        assert_eq!((count > 0, answers), (refused, every_second(1)), "{}", topic.name);
    }
}
