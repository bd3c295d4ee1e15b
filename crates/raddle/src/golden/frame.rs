//! How do questions come in and answers go out, line by line?

use std::collections::BTreeMap;
use std::io::{BufRead, Write};

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::Answer;
use super::fault::{Fault, Kind};
use super::read::Fields;
use crate::error::CliError;

/// Answers every line; how many were refused. Each answer goes out at once.
pub(super) fn answer_all(
    topic: Answer,
    questions: &mut dyn BufRead,
    answers: &mut dyn Write,
) -> Result<u64, CliError> {
    let mut refused = 0;
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = questions.read_until(b'\n', &mut line);
        let n = read.map_err(|cause| CliError::Unreadable {
            file: "the standard input".to_owned(),
            cause,
        })?;
        if n == 0 {
            return Ok(refused);
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let (answer, fine) = answer_line(topic, &line);
        refused += u64::from(!fine);
        answers
            .write_all(answer.as_bytes())
            .and_then(|()| answers.flush())
            .map_err(CliError::printing)?;
    }
}

#[derive(Serialize)]
struct Refused<'f> {
    error: &'f Fault,
}

/// The answer to one line, ended, and whether it is one.
fn answer_line(topic: Answer, line: &[u8]) -> (String, bool) {
    let (id, answer) = match std::str::from_utf8(line) {
        Ok(text) => (id(text), answer(topic, text)),
        Err(_) => (Some("null".to_owned()), Err(not_json("it is not UTF-8"))),
    };
    let (body, fine) = match answer {
        Ok(body) => (body, true),
        // Two strings and a word: this cannot fail.
        Err(fault) => {
            let refused = serde_json::to_string(&Refused { error: &fault });
            (refused.unwrap_or_default(), false)
        }
    };
    let text = match id {
        Some(id) => format!("{{\"id\":{id},{}\n", body.strip_prefix('{').unwrap_or(&body)),
        None => body + "\n",
    };
    (text, fine)
}

/// The id of a line as it stands there: `null` where the line is not JSON, `None` where it has none.
fn id(text: &str) -> Option<String> {
    if serde_json::from_str::<&RawValue>(text).is_err() {
        return Some("null".to_owned());
    }
    let fields: BTreeMap<String, &RawValue> = serde_json::from_str(text).ok()?;
    fields.get("id").map(|id| id.get().to_owned())
}

fn answer(topic: Answer, text: &str) -> Result<String, Fault> {
    let value: Value = serde_json::from_str(text).map_err(|error| {
        if serde_json::from_str::<&RawValue>(text).is_ok() {
            // Well formed, but with a number or a depth beyond what can be held.
            return Fault::new(Kind::OutOfRange, "", error.to_string());
        }
        not_json(&error.to_string())
    })?;
    topic(&Fields::of(&value, "")?)
}

fn not_json(why: &str) -> Fault {
    Fault::new(Kind::NotJson, "", format!("the line is not JSON: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Answers with the sum of two numbers.
    fn sum(fields: &Fields<'_>) -> Result<String, Fault> {
        fields.only(&["a", "b"])?;
        let (a, b) = (fields.integer("a", 0..=9)?, fields.integer("b", 0..=9)?);
        Ok(format!("{{\"sum\":{}}}", a + b))
    }

    fn answers(questions: &str) -> (String, u64) {
        let mut out = Vec::new();
        let refused = answer_all(sum, &mut questions.as_bytes(), &mut out).unwrap();
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
            answers("nonsense\n\n  \r\n{\"a\":1,\"b\":2}\r\n[1]\n{\"a\":12,\"b\":0,\"id\":5}\n");
        assert_eq!(refused, 3);
        let lines: Vec<&str> = out.lines().collect();
        assert_eq!(lines.len(), 4);
        assert!(lines[0].starts_with("{\"id\":null,\"error\":{\"kind\":\"not_json\",\"message\":"));
        assert!(lines[0].ends_with("\"at\":\"\"}}"));
        assert_eq!(lines[1], "{\"sum\":3}");
        assert!(lines[2].starts_with("{\"error\":{\"kind\":\"wrong_type\""));
        assert!(lines[3].starts_with("{\"id\":5,\"error\":{\"kind\":\"out_of_range\""));
        assert!(lines[3].ends_with("\"at\":\"/a\"}}"));
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
        assert_eq!(answer_all(sum, &mut &*questions, &mut out).unwrap(), 3);
        let out = String::from_utf8(out).unwrap();
        let kinds: Vec<&str> =
            out.lines().map(|line| line.split('"').nth(7).unwrap_or(line)).collect();
        assert_eq!(kinds, ["not_json", "out_of_range", "out_of_range"], "{out}");
    }
}
