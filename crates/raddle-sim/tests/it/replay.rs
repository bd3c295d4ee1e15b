//! Does a log give the same answers again, byte for byte?

use std::io::Write;
use std::sync::{Arc, Mutex};

use raddle_dispatch::Recipe;
use raddle_dispatch::log::{Detail, LogHeader, reader};
use raddle_sim::{Task, run};

use crate::kit::{SHAPE, at_level, in_order, kernel, options, workload};

/// Keeps what is written, for whoever has a copy.
#[derive(Clone, Default)]
pub(crate) struct Sink(Arc<Mutex<Vec<u8>>>);

impl Sink {
    /// All of it, which is text.
    pub(crate) fn text(&self) -> String {
        let bytes = self.0.lock().expect("no panic before").clone();
        String::from_utf8(bytes).expect("a log is text")
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("no panic before").extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn logged(recipe: &str, detail: Detail) -> String {
    let recipe = Recipe::parse("test", recipe).expect("a recipe");
    let header =
        LogHeader { raddle_log: 1, detail, device: "test".into(), cus: 2, shape: SHAPE, recipe };
    let sink = Sink::default();
    let log = header.writer(Box::new(sink.clone()));
    let mut dispatcher = header.recipe.builder(SHAPE, 2).expect("it builds").log(log).build();
    let low = at_level(5, in_order(vec![kernel(0, 40, 1, 1000), kernel(10, 7, 3, 500)]));
    let other = Task { stream: raddle_policy::StreamId(1), ..kernel(100, 5, 2, 300) };
    let high = at_level(0, vec![kernel(1500, 8, 1, 100), other]);
    run(&workload(vec![low, high]), &mut dispatcher, &options(2), &mut |_| ()).expect("lawful");
    sink.text()
}

const DRAIN: &str = "raddle = 1\n[turn]\npolicy = \"highest-level\"\n[preempt]\npolicy = \"drain\"";

#[test]
fn equal_input_gives_equal_bytes() {
    assert_eq!(logged(DRAIN, Detail::Answers), logged(DRAIN, Detail::Answers));
}

#[test]
fn the_events_give_the_same_answers_again() {
    for policy in ["leftover", "greedy", "round-robin", "spatial", "block-warp"] {
        let recipe = format!("{DRAIN}\n[allocate]\npolicy = \"{policy}\"");
        for detail in [Detail::Answers, Detail::Full] {
            let log = logged(&recipe, detail);
            let found = reader::replay(log.as_bytes()).unwrap();
            assert_eq!(found.difference, None);
            assert_eq!(found.answers as usize, log.matches("\"answer\":").count());
            assert_eq!(found.events as usize, log.matches("\"event\":").count());
        }
    }
}

#[test]
fn what_was_issued_ahead_is_in_the_log_and_gives_the_same_answers_again() {
    for window in [1, 2, 8] {
        let recipe = format!("window = {window}\n{DRAIN}");
        let log = logged(&recipe, Detail::Answers);
        assert_eq!(log.matches("\"launch-issued\"").count(), 1, "the second of the chain");
        let found = reader::replay(log.as_bytes()).unwrap();
        assert_eq!(found.difference, None);
        assert_eq!(found.events as usize, log.matches("\"event\":").count());
        // Another window answers otherwise: the header's is used.
        let other = log.replacen(&format!("\"window\":{window}"), "\"window\":3", 1);
        assert_eq!(reader::replay(other.as_bytes()).unwrap().difference.is_some(), window == 1);
    }
}

#[test]
fn launching_beside_what_runs_is_in_the_log_too() {
    let recipe = |overlap: &str| {
        format!(
            "window = 8\n{DRAIN}\n[launch-path]\npolicy = \"condensed\"\nenqueue-ns = 70\ncleanup-ns = 5\n{overlap}"
        )
    };
    let log = logged(&recipe("overlap = true"), Detail::Answers);
    assert_eq!(reader::replay(log.as_bytes()).unwrap().difference, None);
    // Without it they are launched later: the header's is used.
    let other = log.replacen("\"overlap\":true", "\"overlap\":false", 1);
    assert!(reader::replay(other.as_bytes()).unwrap().difference.is_some());
}

#[test]
fn a_changed_answer_is_found_with_its_line() {
    let log = logged(DRAIN, Detail::Answers);
    let changed = log.replacen("\"how\":\"drain\"", "\"how\":\"switch\"", 1);
    let number = 1 + changed.lines().position(|line| line.contains("switch")).unwrap();
    let found = reader::replay(changed.as_bytes()).unwrap();
    assert_eq!(found.difference.map(|(line, ..)| line), Some(number));
}

#[test]
fn a_log_is_read_or_refused_with_its_line() {
    let log = logged(DRAIN, Detail::Answers);
    let broken = log.replacen("\"event\":\"waves-ended\"", "\"event\":\"waves-endet\"", 1);
    let error = reader::replay(broken.as_bytes()).unwrap_err().to_string();
    assert!(error.contains("waves-endet"), "{error}");
    let cut: String = log.lines().take(9).map(|line| format!("{line}\n")).collect();
    let error = reader::replay(cut.as_bytes()).unwrap_err().to_string();
    assert!(error.contains("breaks off"), "{error}");
    let error = reader::replay(&log.as_bytes()[..log.len() - 90]).unwrap_err().to_string();
    assert!(error.contains("not whole"), "{error}");
    assert!(reader::replay("".as_bytes()).is_err());
    assert!(reader::replay("{\"raddle-log\":2}".as_bytes()).is_err());
}

#[test]
fn the_log_of_a_drain_reads_like_this() {
    insta::assert_snapshot!(logged(DRAIN, Detail::Answers));
}
