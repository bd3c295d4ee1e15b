//! How are questions to golden models read and answers written, line by line?

use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};

use raddle_read::FaultKind;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::explanation::Story;
use crate::{Fault, Topic, json};

/// Answers the questions of one topic, one question per line, and returns the number of lines that
/// were refused. Each answer is written before the next question is read.
///
/// # Errors
/// When the questions cannot be read or the answers cannot be written.
pub fn answer_all(
    topic: &Topic,
    questions: &mut dyn BufRead,
    answers: &mut dyn Write,
) -> io::Result<u64> {
    let mut refused = 0;
    let mut line = Vec::new();
    while questions.read_until(b'\n', &mut line)? > 0 {
        if !line.trim_ascii().is_empty() {
            let (answer, fine) = answer_line(topic, &line);
            refused += u64::from(!fine);
            answers.write_all(answer.as_bytes())?;
            answers.flush()?;
        }
        line.clear();
    }
    Ok(refused)
}

#[derive(Serialize)]
struct RefusedLine<'f> {
    error: &'f Fault,
}

/// Answers the question in one line; returns (the answer with its line end; true if the question
/// was answered, false if the answer tells of a fault).
fn answer_line(topic: &Topic, line: &[u8]) -> (String, bool) {
    let (id, answer) = match std::str::from_utf8(line) {
        Ok(text) => (id(text), solve(topic, text, &mut Story::default())),
        Err(_) => (Some("null".to_owned()), Err(not_json("it is not UTF-8"))),
    };
    let (body, fine) = match answer {
        Ok(body) => (body, true),
        Err(fault) => (json(&RefusedLine { error: &fault }), false),
    };
    let text = match id {
        Some(id) => format!("{{\"id\":{id},{}\n", body.strip_prefix('{').unwrap_or(&body)),
        None => body + "\n",
    };
    (text, fine)
}

/// Returns the member `id` of the question in a line: `null` where the line is not JSON, `None`
/// where the question has no id.
fn id(text: &str) -> Option<String> {
    if serde_json::from_str::<&RawValue>(text).is_err() {
        return Some("null".to_owned());
    }
    let fields: BTreeMap<String, &RawValue> = serde_json::from_str(text).ok()?;
    fields.get("id").map(|id| id.get().to_owned())
}

/// Answers the question in the text of a line. Returns the answer as JSON, without the question's
/// id, or a fault where the question cannot be answered; `story` records the steps to the answer.
pub(crate) fn solve(topic: &Topic, text: &str, story: &mut Story) -> Result<String, Fault> {
    let mut question: Value = serde_json::from_str(text).map_err(|error| {
        if serde_json::from_str::<&RawValue>(text).is_ok() {
            // The text is well formed, but with a number or a depth beyond what can be held.
            return Fault::new(FaultKind::OutOfRange, "", error.to_string());
        }
        not_json(&error.to_string())
    })?;
    let Some(object) = question.as_object_mut() else {
        return Err(Fault::new(FaultKind::WrongType, "", "a question is an object"));
    };
    object.remove("id");
    (topic.solve)(&question, story).map_err(|fault| fault.spelled_as_in(&question))
}

fn not_json(why: &str) -> Fault {
    Fault::new(FaultKind::NotJson, "", format!("the line is not JSON: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Deserialize)]
    struct Sum {
        a: u64,
        #[serde(deserialize_with = "crate::fault::within::<_, _, 0, 9>")]
        b: u64,
    }

    /// Topic for tests, whose answer is the sum of two numbers.
    const SUM: Topic = Topic {
        name: "sum",
        example: "",
        solve: |question, _| {
            let Sum { a, b } = crate::fault::read_at(question, "")?;
            Ok(format!("{{\"sum\":{}}}", a + b))
        },
    };

    fn answers(questions: &str) -> (String, u64) {
        let mut out = Vec::new();
        let refused = answer_all(&SUM, &mut questions.as_bytes(), &mut out).unwrap();
        (String::from_utf8(out).unwrap(), refused)
    }

    #[test]
    fn ids_come_back_as_they_were() {
        for id in ["7", "\"x\"", "null", "[1, {\"a\":2}]", "1.0", "123456789012345678901234567890"]
        {
            let (out, refused) = answers(&format!("{{\"a\":1,\"id\":{id},\"b\":2}}\n"));
            assert_eq!((out, refused), (format!("{{\"id\":{id},\"sum\":3}}\n"), 0));
        }
        assert_eq!(answers("{\"a\":1,\"b\":2}").0, "{\"sum\":3}\n");
    }

    #[test]
    fn a_refused_line_is_answered_and_the_next_one_is_taken() {
        let (out, refused) =
            answers("nonsense\n\n  \r\n{\"a\":1,\"b\":2}\r\n[1]\n{\"a\":0,\"b\":12,\"id\":5}\n");
        assert_eq!(refused, 3);
        let lines: Vec<&str> = out.lines().collect();
        assert_eq!(lines.len(), 4);
        assert!(lines[0].starts_with("{\"id\":null,\"error\":{\"kind\":\"not_json\",\"message\":"));
        assert!(lines[0].ends_with("\"at\":\"\"}}"));
        assert_eq!(lines[1], "{\"sum\":3}");
        assert!(lines[2].starts_with("{\"error\":{\"kind\":\"wrong_type\""));
        assert!(lines[3].starts_with("{\"id\":5,\"error\":{\"kind\":\"out_of_range\""));
        assert!(lines[3].ends_with("\"at\":\"/b\"}}"));
    }

    #[test]
    fn bytes_and_depths_beyond_json_are_refused_and_not_fatal() {
        let mut out = Vec::new();
        let deep = "[".repeat(100_000) + &"]".repeat(100_000);
        let questions = [
            b"\xff\xfe\n",
            format!("{{\"id\":1,\"a\":{deep}}}\n").as_bytes(),
            b"{\"id\":2,\"a\":1e999}\n",
        ]
        .concat();
        assert_eq!(answer_all(&SUM, &mut &*questions, &mut out).unwrap(), 3);
        let out = String::from_utf8(out).unwrap();
        let kinds: Vec<&str> =
            out.lines().map(|line| line.split('"').nth(7).unwrap_or(line)).collect();
        assert_eq!(kinds, ["not_json", "out_of_range", "out_of_range"], "{out}");
    }
}
