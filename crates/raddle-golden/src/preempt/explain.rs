//! How does a preemption go, tick by tick (seed 001)?
//!
//! A time line: one step a preemption, a drain or a resume, with the labels of the seed, S1.1 to S4.3.

use crate::Explained;
use std::collections::BTreeSet;

use raddle_policy::{Idempotence, ProcessId, Tick};
use raddle_preempt::{Controller, FlagCut, NoReset, Preempted, ResetVerdict, Resumed};
use serde_json::Value;

use super::model::PreemptStep;
use super::{PreemptRun, answer_of, question};
use crate::explanation::{ExplainedStep, counted, few, step};
use crate::fault::Fault;

/// The most steps that are shown.
const MOST_STEPS: usize = 40;

pub(super) fn explain(value: &Value) -> Result<Explained, Fault> {
    let question = question(value)?;
    let mut timeline = PreemptStory::new(&question);
    let outcome = question.play(&mut |Tick(now), event, controller| {
        timeline.add(now, event, controller);
    })?;
    timeline.close();
    let PreemptStory { mut steps, more, .. } = timeline;
    if more > 0 {
        steps.push(step(format!("and {more} more steps"), Vec::new()));
    }
    let mut lines = vec![format!("done, in this order: {}", or_none(&names(&outcome.done)))];
    let runs = (0..).zip(&outcome.partial_runs).filter(|(_, runs)| **runs > 0);
    lines.extend(few(runs
        .map(|(launch, runs)| {
            format!(
                "k{launch} was killed {} and ran again from its start",
                counted(*runs, "time", "times")
            )
        })
        .collect()));
    if !outcome.held.is_empty() {
        let held = names(&outcome.held);
        lines.push(format!("{held}: not done, as nobody resumed"));
    }
    let latencies: Vec<String> = outcome.latencies.iter().map(u64::to_string).collect();
    lines.push(format!("latencies: {}", or_none(&few(latencies).join(", "))));
    steps.push(step("the end", lines));
    Ok((steps, answer_of(&question)?))
}

fn or_none(text: &str) -> &str {
    if text.is_empty() { "none" } else { text }
}

/// Launches by name, neighbours as a range.
fn names(launches: &[usize]) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut at = 0;
    while let Some(&first) = launches.get(at) {
        let run = launches[at..].iter().zip(first..).take_while(|(it, next)| *it == next).count();
        let last = first + run - 1;
        parts.push(match run {
            1 => format!("k{first}"),
            2 => format!("k{first}, k{last}"),
            _ => format!("k{first} to k{last}"),
        });
        at += run;
    }
    few(parts).join(", ")
}

/// Events of one sort that follow each other share a line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EventSort {
    Captured,
    Submitted,
    Again,
    Started,
    Done,
    Exited,
}

impl EventSort {
    const fn text(self) -> &'static str {
        match self {
            Self::Captured => "S2.2: captured into the buffer queue:",
            Self::Submitted => "S2.3: submitted:",
            Self::Again => "S2.3: submitted again:",
            Self::Started => "starts:",
            Self::Done => "done:",
            Self::Exited => "S1.2: saw the flag, left without doing anything:",
        }
    }
}

struct PreemptStory<'q> {
    question: &'q PreemptRun,
    steps: Vec<ExplainedStep>,
    more: u64,
    title: String,
    lines: Vec<String>,
    /// Events without a line yet: sort, first and last tick, launches.
    open: Vec<(EventSort, u64, u64, Vec<usize>)>,
    begun: u64,
    /// Launches that left or were killed and are not submitted again yet.
    back: BTreeSet<usize>,
}

impl<'q> PreemptStory<'q> {
    fn new(question: &'q PreemptRun) -> Self {
        let not: Vec<usize> = (0..)
            .zip(&question.launches)
            .filter(|(_, launch)| launch.idempotent != Idempotence::Idempotent)
            .map(|(number, _)| number)
            .collect();
        let verdict = match not.len() {
            0 => "every launch is idempotent: it may be killed and run again".to_owned(),
            _ => format!("not idempotent, so never to be killed: {}", names(&not)),
        };
        let setup = &question.setup;
        let reset = match (setup.can_reset, setup.reset) {
            (true, ticks) => format!("a reset takes {}", counted(ticks, "tick", "ticks")),
            (false, _) => "this runtime has no reset".to_owned(),
        };
        let exit = counted(setup.exit, "tick", "ticks");
        let lines = vec![
            format!("S1.1: {verdict}"),
            format!(
                "S1.2: each tests the flag before its first instruction; leaving takes {exit}; {reset}"
            ),
        ];
        let offline = step("offline: S1", lines);
        let title = format!(
            "from t=0: S2.1: the flag is down; at most {} unfinished in the runtime",
            counted(setup.window, "launch", "launches")
        );
        Self {
            question,
            steps: vec![offline],
            more: 0,
            title,
            lines: Vec::new(),
            open: Vec::new(),
            begun: 0,
            back: BTreeSet::new(),
        }
    }

    /// Whether no more steps are shown.
    const fn full(&self) -> bool {
        self.steps.len() >= MOST_STEPS
    }

    /// What waits to be submitted again.
    fn back(&self) -> String {
        names(&self.back.iter().copied().collect::<Vec<_>>())
    }

    fn begin(&mut self, title: String) {
        self.close();
        self.title = title;
    }

    /// The step is over.
    fn close(&mut self) {
        self.flush();
        let lines = few(std::mem::take(&mut self.lines));
        if self.full() {
            self.more += 1;
        } else {
            self.steps.push(step(std::mem::take(&mut self.title), lines));
        }
    }

    /// Writes the lines of the events gathered.
    fn flush(&mut self) {
        for (sort, first, last, launches) in std::mem::take(&mut self.open) {
            let when =
                if first == last { format!("t={first}") } else { format!("t={first} to {last}") };
            self.lines.push(format!("{when}: {} {}", sort.text(), names(&launches)));
        }
    }

    fn line(&mut self, text: String) {
        self.flush();
        self.lines.push(text);
    }

    /// One more event of a sort. Events of several sorts may alternate.
    fn gather(&mut self, now: u64, sort: EventSort, launch: usize) {
        if self.full() {
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

    fn add(&mut self, now: u64, event: &PreemptStep, controller: &Controller<usize>) {
        match *event {
            PreemptStep::Captured(launch) => self.gather(now, EventSort::Captured, launch),
            PreemptStep::Submitted(launch) => {
                let again = self.back.remove(&launch);
                self.gather(
                    now,
                    if again { EventSort::Again } else { EventSort::Submitted },
                    launch,
                );
            }
            PreemptStep::Started(launch) => self.gather(now, EventSort::Started, launch),
            PreemptStep::Done(launch) => self.gather(now, EventSort::Done, launch),
            PreemptStep::Exited(launch) => {
                self.back.insert(launch);
                self.gather(now, EventSort::Exited, launch);
            }
            PreemptStep::Preempt(became) => self.preempt(now, became),
            PreemptStep::Raised(cut) => self.raised(cut, controller),
            PreemptStep::Checked(verdict) => self.checked(verdict, controller),
            PreemptStep::Reset(killed) => self.reset(now, killed),
            PreemptStep::Drained => {
                self.begin(format!("t={now}: preemption complete, latency {}", now - self.begun));
                let buffered = controller.buffered(ProcessId(0)).unwrap_or_default();
                let back = or_none(&self.back()).to_owned();
                self.line(format!("back at the head of the buffer queue: {back}"));
                let buffered = counted(buffered as u64, "launch waits", "launches wait");
                self.line(format!("the runtime is empty; {buffered} in the buffer queue"));
            }
            PreemptStep::Resume(became) => self.resume(now, became),
            PreemptStep::Resumes => self.resumes(now),
            PreemptStep::Lowered => {
                self.line("S4.1: the flag goes down, before anything is submitted".into());
                if !self.back.is_empty() {
                    self.line(format!("S4.2: to be submitted again: {}", self.back()));
                }
                self.line("S4.3: the background thread goes on with S2.3".into());
            }
            PreemptStep::Leaving(_) => {}
        }
    }

    fn preempt(&mut self, now: u64, became: Preempted) {
        match became {
            Preempted::Begun => {
                self.begun = now;
                self.begin(format!("t={now}: preempt"));
                self.line("S3.1: nothing is submitted from here on".into());
            }
            Preempted::ResumeCancelled => {
                self.line(format!("t={now}: preempt: the resume that waits is cancelled"));
            }
            _ => self.line(format!("t={now}: preempt: it is preempted already, nothing changes")),
        }
    }

    /// The launches in the runtime, in their order.
    fn flying(controller: &Controller<usize>, wanted: impl Fn(u64) -> bool) -> Vec<usize> {
        let all = controller.flying(ProcessId(0)).into_iter().flatten();
        let all = all.filter(|(handle, _)| wanted(handle.sequence));
        let mut all: Vec<usize> =
            all.filter_map(|(handle, _)| controller.payload(handle).copied()).collect();
        all.sort_unstable();
        all
    }

    fn raised(&mut self, cut: FlagCut, controller: &Controller<usize>) {
        let inside = Self::flying(controller, |sequence| cut.holds(sequence));
        let text = match inside.is_empty() {
            true => "S3.2: the flag goes up; nothing is in the runtime".to_owned(),
            false => format!(
                "S3.2: the flag goes up for {}: whichever of them starts from here on leaves",
                names(&inside)
            ),
        };
        self.line(text);
    }

    fn checked(&mut self, verdict: ResetVerdict, controller: &Controller<usize>) {
        let text = match verdict {
            ResetVerdict::NotAsked => {
                "S3.3: this runtime has no reset, what runs is waited for".to_owned()
            }
            ResetVerdict::Reset => "S3.3: all of them are idempotent: reset".to_owned(),
            ResetVerdict::NoReset(NoReset::Empty) => {
                "S3.3: nothing is in the runtime: no reset of an idle GPU (A3)".to_owned()
            }
            ResetVerdict::NoReset(NoReset::NotIdempotent(handle)) => {
                let launch = controller.payload(handle).copied().unwrap_or_default();
                format!("S3.3: k{launch} is not idempotent: no reset, what runs is waited for")
            }
            ResetVerdict::NoReset(_) => "S3.3: no reset, what runs is waited for".to_owned(),
        };
        self.line(text);
    }

    fn reset(&mut self, now: u64, killed: Option<usize>) {
        let until = now.saturating_add(self.question.setup.reset);
        let text = match killed {
            Some(launch) => {
                self.back.insert(launch);
                format!("the reset kills k{launch}, which was running")
            }
            None => "the reset kills nothing: nothing runs in this instant".to_owned(),
        };
        self.line(format!("t={now}: {text}; it is over at t={until}"));
    }

    fn resume(&mut self, now: u64, became: Resumed) {
        match became {
            Resumed::Now => self.resumes(now),
            Resumed::Waits => {
                self.line(format!(
                    "t={now}: resume: it waits until the preemption is complete (A7)"
                ));
            }
            Resumed::Running => {
                self.line(format!("t={now}: resume: it is not preempted, nothing changes"));
            }
        }
    }

    fn resumes(&mut self, now: u64) {
        self.begin(format!("t={now}: resume"));
    }
}
