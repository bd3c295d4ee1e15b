//! How does a web page learn the progress of a study, and how does the page end the study early?

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use raddle_study::Watcher;

use crate::line::AnswerLine;

/// Approximate number of progress reports that the page gets for one part of a study, such as the
/// reading of a profile.
const TIMES: u64 = 200;

/// Sender of an answer's lines to a web page; it records when the page no longer reads them.
pub(crate) struct Teller<'t> {
    line: &'t (dyn Fn(&str) -> bool + Sync),
    gone: AtomicBool,
    state: Mutex<TellerState>,
}

#[derive(Default)]
struct TellerState {
    what: String,
    done: u64,
    of: u64,
    /// Number of bytes or launches that were done at the last report to the page.
    told: u64,
    /// Warnings of the study, which progress reports show behind the name of each later part.
    warned: Vec<String>,
}

impl<'t> Teller<'t> {
    pub(crate) fn new(line: &'t (dyn Fn(&str) -> bool + Sync)) -> Self {
        Self { line, gone: AtomicBool::new(false), state: Mutex::default() }
    }

    pub(crate) fn tell(&self, line: &AnswerLine<'_>) {
        let text = serde_json::to_string(line).expect("its keys are text and nothing in it fails");
        if !(self.line)(&text) {
            self.gone.store(true, Ordering::Relaxed);
        }
    }

    /// Returns whether the page has stopped reading lines, so that the study should end.
    pub(crate) fn is_over(&self) -> bool {
        self.gone.load(Ordering::Relaxed)
    }

    /// Begins a part of the study that has `of` bytes or launches, and reports that none of them is
    /// done; `what` names the part.
    pub(crate) fn begins(&self, what: &str, of: u64) {
        let mut state = self.state();
        let warned = std::mem::take(&mut state.warned);
        *state = TellerState { what: what.to_owned(), of, warned, ..TellerState::default() };
        self.progress(&state);
    }

    /// Counts `parts` more bytes or launches as done, and reports the progress if more than a 200th
    /// of the whole was done since the last report.
    pub(crate) fn more(&self, parts: u64) {
        let mut state = self.state();
        state.done = state.done.saturating_add(parts);
        if state.done - state.told > state.of / TIMES {
            state.told = state.done;
            self.progress(&state);
        }
    }

    fn state(&self) -> MutexGuard<'_, TellerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn progress(&self, state: &TellerState) {
        let TellerState { what, done, of, warned, .. } = state;
        let what = [what].into_iter().chain(warned).map(String::as_str).collect::<Vec<_>>();
        self.tell(&AnswerLine::Progress { what: &what.join(". "), done: *done, of: *of });
    }
}

impl Watcher for Teller<'_> {
    fn begin(&self, launches: u64) {
        self.begins("replaying", launches);
    }

    fn say(&self, what: &str) {
        let mut state = self.state();
        what.clone_into(&mut state.what);
        self.progress(&state);
    }

    fn warn(&self, what: &str) {
        let mut state = self.state();
        state.warned.push(what.to_owned());
        self.progress(&state);
    }

    fn add(&self, launches: u64) {
        self.more(launches);
    }

    fn is_cancelled(&self) -> bool {
        self.is_over()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_stands_beside_the_progress_of_all_later_parts() {
        let lines = Mutex::new(Vec::new());
        let line = |text: &str| {
            let value: serde_json::Value = serde_json::from_str(text).expect("it is JSON");
            let mut lines = lines.lock().expect("no test panics with it");
            lines.push(value["progress"]["what"].as_str().unwrap_or_default().to_owned());
            true
        };
        let teller = Teller::new(&line);
        teller.begins("reading", 10);
        teller.warn("no way of sharing serves them in time");
        teller.begins("replaying", 10);
        let told = lines.lock().expect("no test panics with it");
        let warned = "replaying. no way of sharing serves them in time";
        assert_eq!(told[0], "reading");
        assert_eq!(told.last().map(String::as_str), Some(warned));
    }
}
