//! What happens in a preemption, tick by tick (seed 001)?
//!
//! The explanation is a time line: one step for each preemption, each drain and each resume, with
//! the labels of the seed, S1.1 to S4.3.

use std::collections::BTreeSet;

use raddle_policy::{Idempotence, ProcessId};
use raddle_preempt::{Controller, FlagCut, Heard, NoReset, WishAnswer};

use super::PreemptRun;
use super::model::{PreemptOutcome, PreemptStep};
use crate::explanation::{Story, counted, few};

/// Explains a run of launches and preemptions on a GPU while the run happens.
pub(super) struct PreemptTeller<'q> {
    question: &'q PreemptRun,
    story: &'q mut Story,
    /// Events that have no line in the explanation yet, grouped by their kind, as (word for the
    /// kind, first tick, last tick, launches).
    open: Vec<(&'static str, u64, u64, Vec<usize>)>,
    /// Tick at which the latest preemption began.
    begun: u64,
    /// Launches that left the GPU unfinished or were killed, and have not been submitted again yet.
    back: BTreeSet<usize>,
}

impl<'q> PreemptTeller<'q> {
    pub(super) fn new(question: &'q PreemptRun, story: &'q mut Story) -> Self {
        let launches = (0..).zip(&question.launches);
        let not = launches.filter(|(_, launch)| launch.idempotent != Idempotence::Idempotent);
        let not = names(&not.map(|(number, _)| number).collect::<Vec<_>>());
        story.step("offline: S1");
        story.note(match &*not {
            "none" => "S1.1: every launch is idempotent: it may be killed and run again".to_owned(),
            not => format!("S1.1: not idempotent, so never to be killed: {not}"),
        });
        let setup = &question.setup;
        let exit = counted(setup.exit, "tick", "ticks");
        let reset = match setup.can_reset {
            true => format!("a reset takes {}", counted(setup.reset, "tick", "ticks")),
            false => "this runtime has no reset".to_owned(),
        };
        story.note(format!(
            "S1.2: each tests the flag before its first instruction; leaving takes {exit}; {reset}"
        ));
        let window = counted(setup.window, "launch", "launches");
        story.step(format!(
            "from t=0: S2.1: the flag is down; at most {window} unfinished in the runtime"
        ));
        Self { question, story, open: Vec::new(), begun: 0, back: BTreeSet::new() }
    }

    /// Lists the names of the launches that wait to be submitted again.
    fn back(&self) -> String {
        names(&self.back.iter().copied().collect::<Vec<_>>())
    }

    fn step(&mut self, title: String) {
        self.flush();
        self.story.step(title);
    }

    fn line(&mut self, text: String) {
        self.flush();
        self.story.line(text);
    }

    /// Writes the events of the preempted run that were gathered to the explanation, and empties
    /// the list of gathered events.
    fn flush(&mut self) {
        for (sort, first, last, launches) in std::mem::take(&mut self.open) {
            let when =
                if first == last { format!("t={first}") } else { format!("t={first} to {last}") };
            self.story.line(format!("{when}: {sort} {}", names(&launches)));
        }
    }

    /// Adds an event of the launch `launch` at tick `now` to the gathered events of the kind
    /// `sort`. All gathered events of a kind become one line, also where events of several kinds
    /// alternate.
    fn gather(&mut self, now: u64, sort: &'static str, launch: usize) {
        if !self.story.shows() {
            return;
        }
        match self.open.iter_mut().find(|(open, ..)| *open == sort) {
            Some((_, _, last, launches)) => {
                *last = now;
                launches.push(launch);
            }
            None => self.open.push((sort, now, now, vec![launch])),
        }
    }

    pub(super) fn add(&mut self, now: u64, step: &PreemptStep, controller: &Controller<usize>) {
        if !self.story.is_told() {
            return;
        }
        match *step {
            PreemptStep::Captured(launch) => {
                self.gather(now, "S2.2: captured into the buffer queue:", launch);
            }
            PreemptStep::Submitted(launch) => {
                let again = self.back.remove(&launch);
                let sort = if again { "S2.3: submitted again:" } else { "S2.3: submitted:" };
                self.gather(now, sort, launch);
            }
            PreemptStep::Started(launch) => self.gather(now, "starts:", launch),
            PreemptStep::Done(launch) => self.gather(now, "done:", launch),
            PreemptStep::Exited(launch) => {
                self.back.insert(launch);
                self.gather(now, "S1.2: saw the flag, left without doing anything:", launch);
            }
            PreemptStep::Preempt(became) => self.preempt(now, became),
            PreemptStep::Raised(cut) => self.raised(cut, controller),
            PreemptStep::Checked(heard) => self.checked(heard, controller),
            PreemptStep::Reset(killed) => self.reset(now, killed),
            PreemptStep::Drained => {
                self.step(format!("t={now}: preemption complete, latency {}", now - self.begun));
                let back = self.back();
                self.line(format!("back at the head of the buffer queue: {back}"));
                let buffered = controller.buffered(ProcessId(0)).unwrap_or_default();
                let buffered = counted(buffered as u64, "launch waits", "launches wait");
                self.line(format!("the runtime is empty; {buffered} in the buffer queue"));
            }
            PreemptStep::Resume(WishAnswer::Begun) | PreemptStep::Resumes => {
                self.step(format!("t={now}: resume"));
            }
            PreemptStep::Resume(WishAnswer::Waits) => {
                self.line(format!(
                    "t={now}: resume: it waits until the preemption is complete (A7)"
                ));
            }
            PreemptStep::Resume(_) => {
                self.line(format!("t={now}: resume: it is not preempted, nothing changes"));
            }
            PreemptStep::Lowered => {
                self.line("S4.1: the flag goes down, before anything is submitted".to_owned());
                if !self.back.is_empty() {
                    self.line(format!("S4.2: to be submitted again: {}", self.back()));
                }
                self.line("S4.3: the background thread goes on with S2.3".to_owned());
            }
            PreemptStep::Leaving(_) => {}
        }
    }

    fn preempt(&mut self, now: u64, became: WishAnswer) {
        match became {
            WishAnswer::Begun => {
                self.begun = now;
                self.step(format!("t={now}: preempt"));
                self.line("S3.1: nothing is submitted from here on".to_owned());
            }
            WishAnswer::ResumeCancelled => {
                self.line(format!("t={now}: preempt: the resume that waits is cancelled"));
            }
            _ => self.line(format!("t={now}: preempt: it is preempted already, nothing changes")),
        }
    }

    fn raised(&mut self, cut: FlagCut, controller: &Controller<usize>) {
        let flying = controller.flying(ProcessId(0)).into_iter().flatten();
        let inside = flying.filter(|(handle, _)| cut.holds(handle.sequence()));
        let mut inside: Vec<usize> =
            inside.filter_map(|(handle, _)| controller.payload(handle).copied()).collect();
        inside.sort_unstable();
        self.line(match &*names(&inside) {
            "none" => "S3.2: the flag goes up; nothing is in the runtime".to_owned(),
            inside => format!(
                "S3.2: the flag goes up for {inside}: whichever of them starts from here on leaves"
            ),
        });
    }

    fn checked(&mut self, heard: Heard<usize>, controller: &Controller<usize>) {
        let why = match heard {
            Heard::Reset => "all of them are idempotent: reset",
            Heard::NoReset(NoReset::Empty) => {
                "nothing is in the runtime: no reset of an idle GPU (A3)"
            }
            Heard::NoReset(NoReset::NotIdempotent(handle)) => {
                let launch = controller.payload(handle).copied().unwrap_or_default();
                let text = "is not idempotent: no reset, what runs is waited for";
                return self.line(format!("S3.3: k{launch} {text}"));
            }
            Heard::NoReset(_) => "no reset, what runs is waited for",
            _ => "this runtime has no reset, what runs is waited for",
        };
        self.line(format!("S3.3: {why}"));
    }

    fn reset(&mut self, now: u64, killed: Option<usize>) {
        self.back.extend(killed);
        let until = now.saturating_add(self.question.setup.reset);
        let text = killed.map_or_else(
            || "nothing: nothing runs in this instant".to_owned(),
            |launch| format!("k{launch}, which was running"),
        );
        self.line(format!("t={now}: the reset kills {text}; it is over at t={until}"));
    }

    pub(super) fn end(mut self, outcome: &PreemptOutcome) {
        self.flush();
        let story = self.story;
        story.end("the end");
        story.note(format!("done, in this order: {}", names(&outcome.done)));
        let runs = (0..).zip(&outcome.partial_runs).filter(|(_, runs)| **runs > 0);
        for (launch, runs) in runs {
            let times = counted(*runs, "time", "times");
            story.line(format!("k{launch} was killed {times} and ran again from its start"));
        }
        if !outcome.held.is_empty() {
            story.note(format!("{}: not done, as nobody resumed", names(&outcome.held)));
        }
        let latencies = few(outcome.latencies.iter().map(u64::to_string).collect());
        let latencies = if latencies.is_empty() { "none" } else { &latencies };
        story.note(format!("latencies: {latencies}"));
    }
}

/// Formats the names of launches, with ranges for launches that follow each other; `none` for an
/// empty list.
fn names(launches: &[usize]) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut left = launches;
    while let Some(&first) = left.first() {
        let run = left.iter().zip(first..).take_while(|(it, next)| *it == next).count();
        let last = first + run - 1;
        parts.push(match run {
            1 => format!("k{first}"),
            2 => format!("k{first}, k{last}"),
            _ => format!("k{first} to k{last}"),
        });
        left = &left[run..];
    }
    if parts.is_empty() { "none".to_owned() } else { few(parts) }
}
