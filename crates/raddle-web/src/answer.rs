//! How is a question (a study and its profiles), which a web page asks, answered?

use std::collections::BTreeMap;

use raddle_report::json;
use raddle_report::replay::{Closing, document};
use raddle_study::{Registry, Study, StudyError, Surroundings, devices};
use raddle_trace::TraceError;
use serde::Deserialize;

use crate::given::GivenFiles;
use crate::line::{AnswerLine, ProfileFound};
use crate::tell::Teller;

/// First line, as JSON, of a question: the request of a web page to carry out a study. The contents
/// of the files follow the line, in the order of `files`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Question {
    files: Vec<QuestionFile>,
    study: Study,
    /// True if the page wants only facts about the profiles, and no replay.
    #[serde(default)]
    read_only: bool,
}

#[derive(Debug, Deserialize)]
struct QuestionFile {
    name: String,
    bytes: usize,
}

/// Carries out the study in a web page's question; its recipes may name the policies of `registry`.
/// The function `line` gets each line of progress, and last the result. It returns false when the
/// page wants no more lines.
///
/// A question is a line of JSON, `{"files": [{"name": ..., "bytes": ...}], "study": ...}` with a
/// [`Study`], followed by the bytes of the files. The last line of the answer has one key: `report`
/// with the texts `summary` (`summary.json`) and `page` (`report.html`), `profiles` where the
/// question says `"read-only": true`, or `error` with a sentence.
pub fn answer(question: &[u8], registry: &Registry, line: &(dyn Fn(&str) -> bool + Sync)) {
    let teller = Teller::new(line);
    let told = match asked(question) {
        Ok((question, files)) => answered(&question, files, registry, &teller),
        Err(error) => Err(error),
    };
    if let Err(error) = told {
        teller.tell(&AnswerLine::Error(&error));
    }
}

/// Splits the bytes of a question (a web page's request for a study) into (its first line, contents
/// of its files by name). The error is a message for the user.
fn asked(bytes: &[u8]) -> Result<(Question, BTreeMap<String, &[u8]>), String> {
    let end = bytes.iter().position(|&byte| byte == b'\n').unwrap_or(bytes.len());
    let (head, rest) = bytes.split_at(end);
    let question: Question = serde_json::from_slice(head)
        .map_err(|error| format!("the question is not understood: {error}"))?;
    let mut rest = rest.get(1..).unwrap_or_default();
    let mut files = BTreeMap::new();
    for file in &question.files {
        let (bytes, behind) = rest
            .split_at_checked(file.bytes)
            .ok_or_else(|| format!("the question ends within {}: ask again", file.name))?;
        files.insert(file.name.clone(), bytes);
        rest = behind;
    }
    Ok((question, files))
}

fn answered(
    question: &Question,
    files: BTreeMap<String, &[u8]>,
    registry: &Registry,
    teller: &Teller<'_>,
) -> Result<(), String> {
    let files = GivenFiles { files, teller };
    let study = &question.study;
    let profiles = study.profiles(&files).map_err(|error| said(&error))?;
    if question.read_only {
        let found = profiles.iter().map(|loaded| ProfileFound {
            name: loaded.name.clone(),
            device: devices::own(&loaded.profile).ok().map(|own| own.device.product),
            launches: loaded.profile.report.kernels,
            span_ns: loaded.profile.span_ns,
        });
        teller.tell(&AnswerLine::Profiles(found.collect()));
        return Ok(());
    }
    teller.begins("fitting the model to the profiles", 0);
    let around = Surroundings { registry, files: &files, watcher: teller, jobs: None };
    let studied = study.prepare(profiles, &around).and_then(|ready| ready.run(&around, None));
    let studied = studied.map_err(|error| said(&error))?;
    let closing = Closing { folder: None, next: Vec::new(), columns: None, verbose: false };
    let page = document(&studied, closing).html();
    let summary = json(&studied.result);
    teller.tell(&AnswerLine::Report { summary: &summary, page: &page });
    Ok(())
}

/// Returns the text of a study's error for a user of the page, who has no command line.
fn said(error: &StudyError) -> String {
    match error {
        StudyError::Trace(TraceError::SqliteSwitchedOff { file }) => format!(
            "{file} is an SQLite database, which this page cannot read. Of Nsight Systems `nsys stats -r cuda_gpu_trace -f csv {file}` writes the same as text, of rocprofv3 `--output-format csv` or `json`: drop that here. `raddle replay {file}` and `raddle serve` read the database itself"
        ),
        error => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    const TABLE: &str = "name,grid_x,grid_y,grid_z,block_x,block_y,block_z,start_ns,duration_ns\n\
        k,80,1,1,256,1,1,0,1000\nk,80,1,1,256,1,1,1500,1000\n";

    fn question(name: &str, file: &str, more: &str) -> String {
        let files = format!(r#"[{{"name":"{name}","bytes":{}}}]"#, file.len());
        format!("{{\"files\":{files},\"study\":{{\"profiles\":[\"{name}\"]{more}}}}}\n{file}")
    }

    fn lines(question: &str) -> Vec<serde_json::Value> {
        let lines = Mutex::new(Vec::new());
        answer(question.as_bytes(), &Registry::bundled(), &|line| {
            lines.lock().unwrap().push(serde_json::from_str(line).unwrap());
            true
        });
        lines.into_inner().unwrap()
    }

    #[test]
    fn a_question_is_answered_as_a_study_is_run() {
        let question = question("a.csv", TABLE, r#","device":"v100""#);
        let lines = lines(&question);
        let files = raddle_study::MemoryFiles([("a.csv".to_owned(), TABLE.into())].into());
        let study = r#"{"profiles":["a.csv"],"device":"v100"}"#;
        let study: Study = serde_json::from_str(study).unwrap();
        let registry = Registry::bundled();
        let around =
            Surroundings { registry: &registry, files: &files, watcher: &(), jobs: Some(1) };
        let studied = study.run(&around).unwrap();
        let (last, before) = lines.split_last().unwrap();
        assert_eq!(last["report"]["summary"], json(&studied.result));
        assert!(last["report"]["page"].as_str().unwrap().starts_with("<!DOCTYPE html>"));
        let what: Vec<_> = before.iter().map(|line| line["progress"]["what"].clone()).collect();
        assert_eq!(what[0], "reading a.csv");
        // The order of the recipes depends on threads, where there are several.
        for number in 1..=4 {
            let said = format!("recipe {number} of 4: ");
            let says = |what: &serde_json::Value| what.as_str().unwrap().starts_with(&said);
            assert!(what.iter().any(says), "{what:?}");
        }
    }

    #[test]
    fn profiles_are_told_before_they_are_replayed() {
        let text = question("a.csv", TABLE, "").replacen('{', "{\"read-only\":true,", 1);
        let last = lines(&text).pop().unwrap();
        let found = r#"{"profiles":[{"name":"a","device":null,"launches":2,"span-ns":2500}]}"#;
        assert_eq!(
            last.to_string(),
            serde_json::from_str::<serde_json::Value>(found).unwrap().to_string()
        );
    }

    #[test]
    fn what_cannot_be_answered_is_said_in_a_sentence() {
        let error = |text: &str| lines(text).pop().unwrap()["error"].as_str().unwrap().to_owned();
        assert!(error("").starts_with("the question is not understood"));
        let whole = question("a.csv", TABLE, "");
        assert!(error(&whole[..whole.len() - 1]).starts_with("the question ends within a.csv"));
        assert!(error(&whole).contains("no device data in a.csv"), "{}", error(&whole));
        let unknown = question("a.csv", TABLE, r#","devise":"v100""#);
        assert!(error(&unknown).contains("devise"), "{}", error(&unknown));
    }

    #[test]
    fn a_database_is_refused_with_what_to_do() {
        let text = question("run.sqlite", "SQLite format 3\0", "");
        let error = lines(&text).pop().unwrap()["error"].as_str().unwrap().to_owned();
        // In a build beside the command line there is a reader of databases, which finds the file
        // damaged.
        assert!(error.contains("-f csv") || error.contains("--type sqlite"), "{error}");
    }

    #[test]
    fn whoever_has_gone_ends_the_study() {
        let told = Mutex::new(0);
        let question = question("a.csv", TABLE, r#","device":"v100""#);
        answer(question.as_bytes(), &Registry::bundled(), &|_| {
            *told.lock().unwrap() += 1;
            false
        });
        // The two lines are the first one, and the reason why there is no answer.
        assert_eq!(*told.lock().unwrap(), 2);
    }
}
