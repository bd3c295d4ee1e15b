//! Are the answers of a decision log those that the seeds and the documented rules ask for?
//!
//! Beside each policy stands a *twin*: a naive model of its rules that was written from the text of its
//! seed and the pages of `docs/policies`, and shares no code with the policy. [`check`] reads a log line by
//! line, keeps what its events and answers say of the device, and asks the twin for each answer.
//!
//! | slot | twins |
//! |---|---|
//! | `allocate` | `matching`, `block-warp`, `round-robin`, `greedy`, `leftover`, `spatial` |
//! | `turn` | `weighted-slices`, `round-robin`, `unmap-all`, `vruntime`, `highest-level`, `everyone` |
//! | `preempt` | `never`, `wait`, `flag`, `drain`, `reset`, `switch`, `cheapest` |
//! | `launch-path` | `ordinary` |
//!
//! A policy or a setting without a twin is named in the report as not checked. After an answer that
//! differs, a twin goes on from what the log says, so that one fault is not told again and again.
//!
//! ```
//! let log = concat!(
//!     r#"{"raddle-log":2,"detail":"answers","device":"any","cus":2,"#,
//!     r#""shape":{"simds":1,"waves-per-simd":4,"vgpr-per-simd":8,"sgpr":65535,"lds":4,"workgroups":4,"barriers":4},"#,
//!     r#""recipe":{"raddle":1,"launch-path":{"policy":"ordinary","packet-ns":0},"turn":{"policy":"everyone"},"#,
//!     r#""allocate":{"policy":"greedy","addresses":false},"preempt":{"policy":"never"}}}"#, "\n",
//!     r#"{"t":0,"step":0,"event":"process-joined","process":0,"share":1}"#, "\n",
//!     r#"{"t":0,"step":0,"event":"launch-ready","launch":{"id":0,"process":0,"stream":0,"level":0,"workgroups":1,"#,
//!     r#""demand":{"waves":1,"vgpr":1,"sgpr":0,"lds":0,"barriers":0},"barrier":"no","idempotent":"unknown"}}"#, "\n",
//!     r#"{"t":0,"step":0,"answer":"turn","may-issue":[0]}"#, "\n",
//!     r#"{"t":0,"step":0,"answer":"submit","launch":0,"packets":1,"bytes":64,"cost":0}"#, "\n",
//!     r#"{"t":0,"step":0,"answer":"start","launch":0,"pieces":[[0,1,1,1,1]]}"#, "\n",
//! );
//! let report = raddle_golden::twin::check(log.as_bytes())?;
//! let first = report.first().expect("greedy takes the lowest compute unit");
//! assert_eq!((first.line, &*first.policy), (6, "greedy"));
//! assert_eq!(first.expected, "workgroup 0 of launch 0 on CU 0");
//! assert_eq!(first.found, "workgroup 0 of launch 0 on CU 1");
//! # Ok::<(), raddle_dispatch::DispatchError>(())
//! ```

mod baselines;
mod block_warp;
mod cheapest;
mod desk;
mod leaving;
mod line;
mod matching;
mod path;
mod placing;
mod processes;
mod report;
mod slices;
mod slots;
mod spatial;
mod turning;
mod turns;
mod unit;
mod vruntime;

use std::io::BufRead;

use raddle_dispatch::DispatchError;
use raddle_policy::{CuId, Fact, Launch, LaunchId, Piece, Preemption, ProcessId, WaveSpan};
use serde_json::Value;

pub use self::report::{CheckedSlot, Finding, Report};

use self::desk::{Desk, Part};
use self::leaving::Leaving;
use self::line::{Answered, FirstAndCount, Header, Heard, Moment, Run, Said, span};
use self::path::Ordinary;
use self::placing::Placing;
use self::report::{Place, Slot};
use self::turning::{Turn, Turning};
use self::unit::Unit;

/// Holds the answers of a decision log against the rules of its policies. The log is text; each of its
/// lines may be in full or leave out what follows from those before.
///
/// # Errors
/// When it is no log, or a line cannot be read. What an answer does against a rule is in the report.
pub fn check(log: impl BufRead) -> Result<Report, DispatchError> {
    let mut checker = Checker::default();
    for (at, line) in raddle_dispatch::log::spelled_out(log).enumerate() {
        checker.take(at + 1, &line?)?;
    }
    Ok(checker.report())
}

/// More workgroups than this are on no device at a time.
const MOST_WORKGROUPS: u64 = 1 << 22;

/// What was read so far of a log, line by line.
#[derive(Default)]
pub struct Checker {
    log: Option<OpenLog>,
}

impl std::fmt::Debug for Checker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let line = self.log.as_ref().map(|log| log.at.line);
        f.debug_struct("Checker").field("line", &line).finish_non_exhaustive()
    }
}

impl Checker {
    /// Takes the next line, spelled in full as [`raddle_dispatch::log::spelled_out`] gives it, and its
    /// number, from 1: first the header.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn take(&mut self, number: usize, text: &str) -> Result<(), DispatchError> {
        let bad = |error: serde_json::Error| bad_log(number, error.to_string());
        match &mut self.log {
            None => {
                let header: Header = serde_json::from_str(text).map_err(bad)?;
                let sound = (1..=raddle_dispatch::log::LOG_VERSION).contains(&header.raddle_log);
                if !sound || header.shape.check().is_err() {
                    let what = "it is no header of a decision log of this version";
                    return Err(bad_log(number, what.to_owned()));
                }
                self.log = Some(OpenLog::new(&header));
            }
            // The last line, with the counts.
            Some(_) if text.starts_with("{\"raddle-log-end\":") => {}
            Some(log) if text.contains("\"event\":") => {
                let line: Said<Heard> = serde_json::from_str(text).map_err(bad)?;
                log.begin(number, line.at, true);
                log.hear(line.said);
            }
            Some(log) => {
                let line: Said<Answered> = serde_json::from_str(text).map_err(bad)?;
                log.begin(number, line.at, false);
                log.answered(line.said);
            }
        }
        Ok(())
    }

    /// What was found.
    #[must_use]
    pub fn report(self) -> Report {
        let Some(mut log) = self.log else { return Report::default() };
        log.step_ends();
        Report { slots: [log.path.0, log.turn.0, log.allocate, log.preempt.0].into() }
    }
}

const fn bad_log(line: usize, what: String) -> DispatchError {
    DispatchError::BadLog { line, what }
}

/// A log of which the header was read: each slot of its recipe, with its twin if it has one.
struct OpenLog {
    at: Place,
    step: Option<u64>,
    /// Whether the events of the step are over.
    deciding: bool,
    desk: Desk,
    path: (Slot, Option<Ordinary>),
    turn: (Slot, Option<Turning>),
    allocate: Slot,
    placing: Option<Placing>,
    preempt: (Slot, Option<Leaving>),
    /// Who has had the turn since the last answer.
    named: Vec<ProcessId>,
    /// What a reset kills.
    scope: String,
    /// Most workgroups that the device holds.
    most: u64,
    /// Whether each workgroup has a line of its own.
    full: bool,
    /// Starts of one launch that were read last.
    starts: Vec<(Place, line::Start)>,
}

impl OpenLog {
    fn new(header: &Header) -> Self {
        let recipe = &header.recipe;
        let path = &recipe["launch-path"];
        let ahead = recipe["window"].is_u64();
        let cuts = recipe["allocate"].get("split").is_some_and(Value::is_object);
        let empty = Unit::empty(&header.shape);
        let desk = Desk::new(empty, (ahead, cuts, path["overlap"] == true));
        let (mut allocate, twin) = slots::allocate(&recipe["allocate"], &header.shape, header.cus);
        let most = u64::from(header.cus) * u64::from(header.shape.workgroups);
        let most = most.min(MOST_WORKGROUPS);
        let mut placing = twin.map(|twin| Placing::new(twin, most));
        // Of a launch path from outside nobody knows when the device sees what it launches.
        if !matches!(path["policy"].as_str(), Some("ordinary" | "condensed")) {
            let why = "the launch path has no twin, so when a launch is seen is not known";
            allocate.unchecked.get_or_insert_with(|| why.to_owned());
            placing = None;
        }
        Self {
            at: Place::default(),
            step: None,
            deciding: false,
            desk,
            path: slots::path(path),
            turn: slots::turn(&recipe["turn"]),
            allocate,
            placing,
            preempt: slots::preempt(&recipe["preempt"]),
            named: Vec::new(),
            scope: recipe["preempt"]["scope"].as_str().unwrap_or("process").to_owned(),
            most,
            full: header.detail == "full",
            starts: Vec::new(),
        }
    }

    /// A line begins, perhaps the first one of a step.
    fn begin(&mut self, number: usize, at: Moment, event: bool) {
        if self.step.is_some_and(|step| step != at.step) {
            self.step_ends();
        }
        (self.step, self.at) = (Some(at.step), Place { line: number, tick: at.t });
        self.desk.now = at.t;
        if !event {
            self.decides();
        }
    }

    /// All events of a step were heard.
    fn decides(&mut self) {
        if !std::mem::replace(&mut self.deciding, true) {
            let changed = std::mem::take(&mut self.desk.processes.changed);
            if let (_, Some(turning)) = &mut self.turn {
                turning.heard(changed, self.desk.now);
            }
        }
    }

    /// A step is over.
    fn step_ends(&mut self) {
        self.start();
        self.decides();
        self.deciding = false;
        self.arrive();
        if let (slot, Some(turning)) = &mut self.turn {
            turning.step_ends(slot, self.at);
        }
        if let (slot, Some(leaving)) = &mut self.preempt {
            leaving.step_ends(slot, self.at);
        }
        if let Some(placing) = &mut self.placing {
            placing.step_ends(&self.desk, &mut self.allocate, self.at);
        }
    }

    /// Launches that have reached the device are seen.
    fn arrive(&mut self) {
        let before = self.desk.view.len();
        self.desk.arrive();
        if self.desk.view.len() != before {
            self.stale();
        }
    }

    fn stale(&mut self) {
        if let Some(placing) = &mut self.placing {
            placing.stale = true;
        }
    }

    fn tell(&mut self, fact: &Fact<'_>) {
        if let Some(placing) = &mut self.placing {
            placing.hear(fact, self.desk.now);
        }
        if let (_, Some(leaving)) = &mut self.preempt {
            leaving.hear(fact, self.desk.now);
        }
    }

    fn hear(&mut self, event: Heard) {
        let now = self.desk.now;
        match event {
            Heard::ProcessJoined { process, share } => {
                self.desk.processes.joined(process, share, now);
                self.tell(&Fact::ProcessJoined { process, share });
            }
            Heard::ProcessLeft { process } => {
                self.desk.left(process);
                if let Some(placing) = &mut self.placing {
                    placing.reopen(process);
                }
                if let (_, Some(turning)) = &mut self.turn {
                    turning.left(process);
                }
                self.tell(&Fact::ProcessLeft { process });
            }
            Heard::LaunchIssued { launch } => self.desk.issued(launch),
            Heard::LaunchReady { launch } => {
                let before = self.desk.view.len();
                self.desk.ready(launch);
                if self.desk.view.len() != before {
                    self.stale();
                }
            }
            Heard::CopyIssued { copy: id, process, stream, level, lasts } => {
                let estimate = Some(raddle_policy::Ticks(lasts));
                let copy = Launch { id, process, stream, level, estimate, ..Launch::default() };
                self.desk.copy_issued(copy);
            }
            Heard::CopyReady { copy } => self.desk.is_ready(copy),
            Heard::CopyEnded { copy } => self.desk.forget(copy),
            Heard::WavesEnded { launch, waves, cut, pieces } => {
                self.ended(launch, (waves, cut), &pieces);
            }
            Heard::TakenOff { launch, how } => {
                let how = how.how();
                let known = self.launch(launch);
                self.desk.taken_off(launch, how);
                if let Some(launch) = known {
                    self.tell(&placing::off(&launch, how));
                }
                self.stale();
            }
            Heard::Restored { launch } => {
                self.desk.restored(launch);
                if let Some(launch) = self.launch(launch) {
                    self.tell(&Fact::Restored { launch: &launch });
                }
                self.stale();
            }
            Heard::Judged { launch, idempotent } => {
                if let Some(job) = self.desk.jobs.get_mut(&launch) {
                    job.launch.idempotent = idempotent;
                }
            }
            Heard::ResetOver { process } => {
                if let Some(placing) = self.placing.as_mut().filter(|_| self.scope == "queue") {
                    placing.reopen(process);
                }
            }
            Heard::Hint {} => self.desk.processes.changed = true,
            Heard::Woke {} => self.stale(),
            Heard::Other => {}
        }
    }

    /// A launch that is no copy.
    fn launch(&self, id: LaunchId) -> Option<Launch> {
        self.desk.jobs.get(&id).map(|job| job.launch).filter(|launch| !launch.is_copy())
    }

    fn ended(&mut self, id: LaunchId, (waves, cut): (FirstAndCount, FirstAndCount), runs: &[Run]) {
        let Some(launch) = self.launch(id) else { return };
        let total = runs.iter().fold(0u64, |sum, run| sum.saturating_add(run.count()));
        let span = span(waves, cut);
        let (_, each) = span.bounds(launch.demand.waves);
        if let Some(placing) = self.placing.as_mut().filter(|it| it.can_be(total)) {
            let named: Vec<_> = runs.iter().flat_map(|run| run.workgroups()).collect();
            placing.end(&launch, span, &named, self.desk.now);
        }
        if let (_, Some(leaving)) = &mut self.preempt {
            let groups = u32::try_from(total).unwrap_or(u32::MAX);
            let pieces = &[Piece { first: 0, stride: 1, count: groups, cu: CuId(0) }];
            leaving.hear(&Fact::Ended { launch: &launch, waves: span, pieces }, self.desk.now);
        }
        if self.desk.ended(id, total.saturating_mul(each.into())) {
            self.forget(id);
        }
    }

    /// A launch has ended or was refused.
    fn forget(&mut self, id: LaunchId) {
        if self.launch(id).is_some() {
            self.desk.forget(id);
            self.tell(&Fact::LaunchEnded { launch: id });
        } else {
            self.desk.forget(id);
        }
    }

    fn answered(&mut self, answer: Answered) {
        let at = self.at;
        let goes_on = match (&answer, self.starts.last()) {
            (Answered::Start(next), Some((_, last))) => {
                self.full && next.launch == last.launch && self.is_new(next) && self.is_new(last)
            }
            _ => false,
        };
        if !goes_on {
            self.start();
        }
        match answer {
            Answered::Turn { may_issue, until, load } => {
                self.turn(&Turn { may_issue, until, load });
            }
            Answered::Preempt { process, how } => {
                if let (slot, Some(leaving)) = &mut self.preempt {
                    leaving.preempt((process, &how), &self.desk, slot, at);
                }
            }
            Answered::Submit(answer) => {
                self.desk.submitted(&answer);
                let Some(job) = self.desk.jobs.get(&answer.launch) else { return };
                if let (slot, Some(path)) = &mut self.path {
                    path.submitted(&job.launch, &answer, slot, at);
                }
                if let Some(launch) = self.launch(answer.launch) {
                    self.tell(&Fact::Submitted { launch: &launch });
                }
            }
            Answered::Start(start) => self.starts.push((at, start)),
            Answered::Assign { launch, workgroup, cu } => {
                self.arrive();
                let found = (launch, workgroup, cu);
                match &mut self.placing {
                    Some(placing) => {
                        placing.assign(found, &mut self.desk, &mut self.allocate, at);
                    }
                    None => self.desk.assigned(launch, workgroup, cu),
                }
            }
            Answered::Wait { retry_at } => {
                self.arrive();
                if let Some(placing) = &mut self.placing {
                    placing.wait(retry_at, &self.desk, &mut self.allocate, at);
                }
            }
            Answered::Refuse(refusal) => {
                let known = self.launch(refusal.launch).is_some();
                if known {
                    self.arrive();
                }
                if let Some(placing) = self.placing.as_mut().filter(|_| known) {
                    placing.refuse(refusal.launch, &self.desk, &mut self.allocate, at);
                }
                self.forget(refusal.launch);
            }
            Answered::TakeOff { launch, how } => self.take_off(launch, how.how()),
            Answered::Restore { launch } => {
                self.desk.returns(launch);
                if let Some(launch) = self.launch(launch) {
                    self.tell(&Fact::Returning { launch: &launch });
                }
            }
            Answered::Reset { process } => {
                let scope = self.scope.as_str();
                if let Some(placing) = self.placing.as_mut().filter(|_| scope != "launch") {
                    placing.reset(process, !matches!(scope, "queue" | "process"));
                }
            }
            Answered::Drained { process } => {
                if let Some(placing) = &mut self.placing {
                    placing.reopen(process);
                }
                if let (_, Some(leaving)) = &mut self.preempt {
                    leaving.drained(process);
                }
            }
            Answered::Broke { slot } => self.broke(&slot),
            Answered::StartCopy {} | Answered::Streams {} | Answered::Other => {}
        }
    }

    fn turn(&mut self, found: &Turn) {
        let pool = self.desk.processes.runnable(self.desk.now);
        if let (slot, Some(turning)) = &mut self.turn {
            turning.turn(found, &pool, slot, self.at);
        }
        let had = std::mem::replace(&mut self.named, found.may_issue.clone());
        if let (_, Some(leaving)) = &mut self.preempt {
            let runnable = pool.iter().map(|it| it.id).collect();
            leaving.turn((&had, &found.may_issue), &runnable, &self.desk);
        }
    }

    /// Whether whole workgroups start that were not bound to a unit before.
    fn is_new(&self, start: &line::Start) -> bool {
        let bound = self.desk.jobs.get(&start.launch).map(|job| &job.bound);
        let is_bound = |it: &(u64, u16)| bound.is_some_and(|bound| bound.contains_key(&it.0));
        let few = start.workgroups() <= self.most;
        few && start.span() == WaveSpan::All && !start.named().iter().any(is_bound)
    }

    /// Starts of one launch that follow each other: a log in full detail has a line a workgroup, unit by unit.
    fn start(&mut self) {
        let lines = std::mem::take(&mut self.starts);
        let Some((_, first)) = lines.first() else { return };
        let Some(launch) = self.launch(first.launch) else { return };
        self.arrive();
        let waves = first.span();
        let total = lines.iter().fold(0u64, |sum, (_, it)| sum.saturating_add(it.workgroups()));
        if let Some(placing) = &mut self.placing {
            placing.start(&lines, &mut self.desk, &mut self.allocate);
        } else if total <= self.most {
            let mut named: Vec<_> = lines.iter().flat_map(|(_, it)| it.named()).collect();
            named.sort_unstable();
            for (workgroup, cu) in named {
                self.desk.started(launch.id, Part { workgroup, waves, cu });
            }
        }
        if let (_, Some(leaving)) = &mut self.preempt {
            let groups = u32::try_from(total).unwrap_or(u32::MAX);
            let pieces = &[Piece { first: 0, stride: 1, count: groups, cu: CuId(0) }];
            let fact = Fact::Started { launch: &launch, waves, pieces, places: &[] };
            leaving.hear(&fact, self.desk.now);
        }
    }

    fn take_off(&mut self, id: LaunchId, how: Preemption) {
        let known = self.launch(id);
        let single = matches!(self.scope.as_str(), "queue" | "process");
        if let (Some(launch), Some(placing)) = (known, &mut self.placing)
            && how == Preemption::Reset
            && single
        {
            placing.killed(&launch);
        }
        self.desk.leaves(id, how);
        if let Some(launch) = known {
            self.tell(&Fact::Leaving { launch: &launch, how });
        }
    }

    /// Another policy answers from here on.
    fn broke(&mut self, slot: &str) {
        let why = "it broke a law, and another policy answers in its place".to_owned();
        match slot {
            "turn" => (self.turn.0.unchecked, self.turn.1) = (Some(why), None),
            _ => {
                self.allocate.unchecked = Some(why);
                self.placing = None;
            }
        }
    }
}
