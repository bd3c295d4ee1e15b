//! How does a preemption go, tick by tick (seed 001)?
//!
//! A time line: one step a preemption, a drain or a resume, with the labels of the seed, S1.1 to S4.3.

use std::collections::BTreeSet;

use raddle_golden::preempt::model::Step as Deed;
use raddle_policy::{Idempotence, ProcessId, Tick};
use raddle_preempt::{Controller, FlagCut, NoReset, Preempted, ResetVerdict, Resumed};
use serde_json::value::RawValue;

use super::{Step, Told, few, step};
use crate::golden::fault::Fault;
use crate::golden::preempt::{Question, answer_of, play, question};
use crate::golden::read::Fields;
use crate::units::{count, counted};

/// Worked A of the digest: every launch may be run again.
pub(super) const EXAMPLE: &str = r#"{"window":8,"exit":1,"reset":2,"launches":[{"at":0,"ticks":10,"idempotent":true},{"at":0,"ticks":10,"idempotent":true},{"at":0,"ticks":10,"idempotent":true},{"at":0,"ticks":10,"idempotent":true},{"at":0,"ticks":10,"idempotent":true},{"at":0,"ticks":10,"idempotent":true},{"at":0,"ticks":10,"idempotent":true},{"at":0,"ticks":10,"idempotent":true},{"at":0,"ticks":10,"idempotent":true},{"at":0,"ticks":10,"idempotent":true},{"at":0,"ticks":10,"idempotent":true},{"at":0,"ticks":10,"idempotent":true},{"at":40,"ticks":10,"idempotent":true}],"commands":[{"at":25,"do":"preempt"},{"at":84,"do":"resume"}],"can_reset":true}"#;

/// So many steps are shown.
const MOST_STEPS: usize = 40;

/// Explains one question.
pub(super) fn explain(fields: &Fields<'_>) -> Result<Told, Fault> {
    let question = question(fields)?;
    let mut story = Story::new(&question);
    let outcome = play(&question, &mut |Tick(now), deed, controller| {
        story.hear(now, deed, controller);
    })?;
    story.close();
    let Story { mut steps, more, .. } = story;
    if more > 0 {
        steps.push(step(format!("and {} more steps", count(more)), Vec::new()));
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
    // An object of strings and integers: always JSON.
    let answer = RawValue::from_string(answer_of(&question)?).unwrap_or_default();
    Ok(Told { steps, answer })
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

/// Deeds of one sort that follow each other, told in one line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Captured,
    Submitted,
    Again,
    Started,
    Done,
    Exited,
}

impl Sort {
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

struct Story<'q> {
    question: &'q Question,
    steps: Vec<Step>,
    more: u64,
    title: String,
    lines: Vec<String>,
    /// Deeds not yet told: sort, first and last tick, launches.
    open: Vec<(Sort, u64, u64, Vec<usize>)>,
    begun: u64,
    /// Launches that left or were killed and are not submitted again yet.
    back: BTreeSet<usize>,
}

impl<'q> Story<'q> {
    fn new(question: &'q Question) -> Self {
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
            counted(setup.window.into(), "launch", "launches")
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

    /// Whether as many steps are told as are shown.
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

    /// Tells what was gathered.
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

    /// One more deed of a sort; deeds of several sorts that go on side by side are told together.
    fn gather(&mut self, now: u64, sort: Sort, launch: usize) {
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

    fn hear(&mut self, now: u64, deed: &Deed, controller: &Controller<usize>) {
        match *deed {
            Deed::Captured(launch) => self.gather(now, Sort::Captured, launch),
            Deed::Submitted(launch) => {
                let again = self.back.remove(&launch);
                self.gather(now, if again { Sort::Again } else { Sort::Submitted }, launch);
            }
            Deed::Started(launch) => self.gather(now, Sort::Started, launch),
            Deed::Done(launch) => self.gather(now, Sort::Done, launch),
            Deed::Exited(launch) => {
                self.back.insert(launch);
                self.gather(now, Sort::Exited, launch);
            }
            Deed::Preempt(became) => self.preempt(now, became),
            Deed::Raised(cut) => self.raised(cut, controller),
            Deed::Checked(verdict) => self.checked(verdict, controller),
            Deed::Reset(killed) => self.reset(now, killed),
            Deed::Drained => {
                self.begin(format!("t={now}: preemption complete, latency {}", now - self.begun));
                let buffered = controller.buffered(ProcessId(0)).unwrap_or_default();
                let back = or_none(&self.back()).to_owned();
                self.line(format!("back at the head of the buffer queue: {back}"));
                let buffered = counted(buffered as u64, "launch waits", "launches wait");
                self.line(format!("the runtime is empty; {buffered} in the buffer queue"));
            }
            Deed::Resume(became) => self.resume(now, became),
            Deed::Resumes => self.resumes(now),
            Deed::Lowered => {
                self.line("S4.1: the flag goes down, before anything is submitted".into());
                if !self.back.is_empty() {
                    self.line(format!("S4.2: to be submitted again: {}", self.back()));
                }
                self.line("S4.3: the background thread goes on with S2.3".into());
            }
            Deed::Leaving(_) => {}
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
