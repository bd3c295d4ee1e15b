//! Does the golden model give the answers of the contract, and refuse what it cannot answer?

mod common;

use common::Place;

fn question(algorithm: &str, groups: u64, [threads, vgpr, sgpr, lds]: [u32; 4]) -> String {
    format!(
        r#"{{"algorithm":"{algorithm}","cus":64,"groups":{groups},"kernel":{{"threads":{threads},"vgpr":{vgpr},"sgpr":{sgpr},"lds":{lds}}}}}"#
    )
}

const K: [[u32; 4]; 4] =
    [[256, 32, 16, 4096], [64, 24, 32, 0], [512, 64, 48, 16384], [128, 128, 96, 8192]];

#[test]
fn every_hash_of_the_peer() {
    // From the real dispatcher of MGPUSim: kernel, algorithm, hash, cycles.
    let expected = [
        (0, "round-robin", "88996d7740c5689f", 8708),
        (1, "round-robin", "744fec5b8b5846e3", 2692),
        (2, "round-robin", "a2234475886b9e1a", 32117),
        (3, "round-robin", "695f021b9db9015c", 16512),
        (0, "greedy", "dddd7578521fb6a0", 8708),
        (1, "greedy", "b4c72794c6e8e134", 2692),
        (2, "greedy", "6f93253aec3bb380", 32117),
        (3, "greedy", "1ed337557c4c56f1", 16512),
    ];
    let (mut questions, mut answers) = (String::new(), String::new());
    for (kernel, algorithm, fnv1a, cycles) in expected {
        questions += &(question(algorithm, 4000, K[kernel]) + "\n");
        answers += &format!("{{\"fnv1a\":\"{fnv1a}\",\"cycles\":{cycles}}}\n");
    }
    let ran = Place::new().ask(&["golden", "placement"], questions);
    assert_eq!((ran.code, ran.out, ran.err), (0, answers, String::new()));
}

#[test]
fn names_and_numbers_may_be_spelled_in_other_ways() {
    let line = question("round_robin", 4000, K[0]).replace("4096", "\"0x1000\"");
    let ran = Place::new().ask(&["golden", "placement"], line);
    assert_eq!(ran.out, "{\"fnv1a\":\"88996d7740c5689f\",\"cycles\":8708}\n");
}

#[test]
fn refusals_say_what_and_where_and_the_next_line_is_taken() {
    let good = question("greedy", 1, K[1]);
    let with = |from: &str, to: &str| good.replace(from, to);
    let cases = [
        ("what?".to_owned(), "not_json", ""),
        ("[]".to_owned(), "wrong_type", ""),
        (with("\"cus\"", "\"cu\""), "unknown_field", "/cu"),
        (with("\"lds\"", "\"ldz\""), "unknown_field", "/kernel/ldz"),
        (with("\"cus\":64,", ""), "missing_field", ""),
        (with(",\"lds\":0", ""), "missing_field", "/kernel"),
        (with("64,\"groups\"", "64.5,\"groups\""), "wrong_type", "/cus"),
        (with("\"greedy\"", "7"), "wrong_type", "/algorithm"),
        (with("greedy", "partition"), "out_of_range", "/algorithm"),
        (with(":64,\"groups\"", ":0,\"groups\""), "out_of_range", "/cus"),
        (with(":64,\"groups\"", ":65536,\"groups\""), "out_of_range", "/cus"),
        (with("\"groups\":1", "\"groups\":18446744073709551615"), "out_of_range", "/groups"),
        (with("\"groups\":1", "\"groups\":-1"), "out_of_range", "/groups"),
        (with("\"threads\":64", "\"threads\":0"), "out_of_range", "/kernel/threads"),
        (with("\"vgpr\":24", "\"vgpr\":4294967296"), "out_of_range", "/kernel/vgpr"),
        (with("\"vgpr\":24", "\"vgpr\":257"), "inconsistent", "/kernel"),
        (with("\"threads\":64", "\"threads\":4294967295"), "inconsistent", "/kernel"),
        (with("\"lds\":0", "\"lds\":65537"), "inconsistent", "/kernel"),
        (with("\"kernel\":{", "\"kernel\":[{").replace("}}", "}]}"), "wrong_type", "/kernel"),
    ];
    let lines: Vec<&str> =
        cases.iter().flat_map(|(line, _, _)| [line.as_str(), "", good.as_str()]).collect();
    let ran = Place::new().ask(&["golden", "placement"], lines.join("\n"));
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("19 lines could not be answered"), "{}", ran.err);
    let answers: Vec<&str> = ran.out.lines().collect();
    assert_eq!(answers.len(), 2 * cases.len());
    for ((line, kind, at), answer) in cases.iter().zip(answers.chunks(2)) {
        let value: serde_json::Value = serde_json::from_str(answer[0]).unwrap();
        let error = &value["error"];
        assert_eq!(
            (error["kind"].as_str(), error["at"].as_str()),
            (Some(*kind), Some(*at)),
            "{line}"
        );
        assert!(error["message"].as_str().is_some_and(|text| !text.is_empty()));
        assert!(answer[1].starts_with("{\"fnv1a\":"), "{}", answer[1]);
    }
}

#[test]
fn ids_come_back() {
    let good = question("greedy", 0, K[1]);
    let lines = [
        good.replacen('{', "{\"id\":[1,\"a\"],", 1),
        good.replacen('{', "{\"id\":\"x\",\"y\":1,", 1),
        "nonsense".to_owned(),
    ];
    let ran = Place::new().ask(&["golden", "placement"], lines.join("\n"));
    let answers: Vec<&str> = ran.out.lines().collect();
    assert_eq!(answers[0], "{\"id\":[1,\"a\"],\"fnv1a\":\"cbf29ce484222325\",\"cycles\":1}");
    assert!(answers[1].starts_with("{\"id\":\"x\",\"error\":{\"kind\":\"unknown_field\""));
    assert!(answers[2].starts_with("{\"id\":null,\"error\":{\"kind\":\"not_json\""));
}

#[test]
fn a_partner_on_a_pipe_gets_each_answer_at_once() {
    use std::io::{BufRead, BufReader, Write};
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_raddle"))
        .args(["golden", "placement"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut questions = child.stdin.take().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap()).lines();
    for _ in 0..3 {
        // Nothing else is sent before the answer has come: it would wait for ever if kept back.
        writeln!(questions, "{}", question("greedy", 9, K[0])).unwrap();
        assert!(answers.next().unwrap().unwrap().starts_with("{\"fnv1a\":"));
    }
    drop(questions);
    assert!(child.wait().unwrap().success());
}

#[test]
fn the_worked_example_is_explained() {
    let ran = Place::new().raddle(&["explain", "placement"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("Row: 600,CU52,2:512:2304:24576,3:512:2688:24576\n"), "{}", ran.out);
    insta::assert_snapshot!("explain-placement", ran.out);
}

#[test]
fn a_question_is_explained_from_the_command_line_or_a_pipe() {
    let place = Place::new();
    let line = question("greedy", 12, K[0]);
    let ran = place.raddle(&["explain", "placement", &line]);
    assert!(
        ran.out.contains(
            "Workgroup 8 goes to CU1\n   Greedy asks from CU0, which refuses; the next one accepts"
        ),
        "{}",
        ran.out
    );
    assert_eq!(place.ask(&["explain", "placement"], format!("\n{line}\n")).out, ran.out);
    let asked = place.ask(&["golden", "placement"], &line);
    assert!(ran.out.ends_with(&format!("Answer: {}", asked.out)), "{} {}", ran.out, asked.out);
    let json = place.raddle(&["explain", "placement", &line, "--format", "json"]);
    let value: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(value["answer"], serde_json::from_str::<serde_json::Value>(&asked.out).unwrap());
}

#[test]
fn a_question_that_cannot_be_explained_is_refused() {
    let place = Place::new();
    for (line, word) in [("nonsense", "not JSON"), ("{}", "missing_field: `algorithm` is missing")]
    {
        let ran = place.raddle(&["explain", "placement", line]);
        assert_eq!((ran.code, ran.out.as_str()), (1, ""));
        assert!(ran.err.contains(word), "{}", ran.err);
    }
    let two = format!("{0}\n{0}", question("greedy", 1, K[0]));
    assert!(place.ask(&["explain", "placement"], two).err.contains("one question at a time"));
}

/// Every topic has a question on the page, and every question there has the answer below it.
#[test]
fn the_page_shows_what_is_answered() {
    let place = Place::new();
    let page = include_str!("../../../docs/golden.md");
    let refused = place.raddle(&["golden", "nothing"]).err;
    let topics = refused.trim_end().split("topics: ").nth(1).expect("they are listed");
    let sections: Vec<&str> = page.split("\n## ").collect();
    let (intro, sections) = sections.split_first().expect("a page");
    let names: Vec<&str> = sections.iter().filter_map(|section| section.lines().next()).collect();
    assert_eq!(names.join(", "), topics);
    let errors = ("slices", *intro, 1);
    let answered = names.iter().zip(sections).map(|(topic, section)| (*topic, *section, 0));
    for (topic, section, code) in answered.chain([errors]) {
        let block = section.split("```json\n").nth(1).and_then(|rest| rest.split("```").next());
        let lines: Vec<&str> = block.expect(topic).lines().collect();
        assert!(!lines.is_empty() && lines.len().is_multiple_of(2), "{topic}");
        let every_second = |from: usize| {
            lines.iter().skip(from).step_by(2).map(|line| format!("{line}\n")).collect::<String>()
        };
        let ran = place.ask(&["golden", topic], every_second(0));
        assert_eq!((ran.code, ran.out), (code, every_second(1)), "{topic}: mend docs/golden.md");
        // What can be asked can be explained.
        for question in lines.iter().step_by(2).filter(|_| code == 0) {
            let told = place.raddle(&["explain", topic, question]);
            assert!(told.code == 0 && told.out.lines().count() > 2, "{topic}: {told:?}");
        }
    }
}
