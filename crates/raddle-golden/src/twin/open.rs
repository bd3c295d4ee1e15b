//! What does each line of a log tell the twins (naive models) of its policies?

use raddle_policy::{CuId, Demand, Fact, Launch, LaunchId, Piece, Preemption, ProcessId, WaveSpan};
use serde_json::Value;

use super::desk::Desk;
use super::leaving::Leaving;
use super::line::{Answered, FirstAndCount, Header, Heard, Moment, Run, Start, span};
use super::path::Path;
use super::placing::{self, Placing};
use super::report::{Place, Report, Slot};
use super::slots;
use super::turning::{Turn, Turning};
use super::unit::Part;
use super::unit::Unit;

/// Most workgroups of one answer that a check looks at; no real device holds more at a time.
const MOST_WORKGROUPS: u64 = 1 << 22;

/// State of the check of a log after its header was read. For each slot of the recipe (place for
/// one policy of the run) it has a report, and a naive model of the policy if there is one.
pub(super) struct OpenLog {
    at: Place,
    step: Option<u64>,
    /// True if the events of the decision log's present step are over, and answers follow.
    deciding: bool,
    desk: Desk,
    path: (Slot, Option<Path>),
    turn: (Slot, Option<Turning>),
    allocate: Slot,
    placing: Option<Placing>,
    preempt: (Slot, Option<Leaving>),
    /// Processes that have the turn, by the latest answer of the turn policy in the decision log.
    named: Vec<ProcessId>,
    /// Scope of a reset (the launches that it kills), as the recipe names it, such as `launch`,
    /// `queue` or `process`.
    scope: String,
    /// Most workgroups that the device can hold at the same time, but at most 2^22.
    most: u64,
    /// True if the decision log has a line for each workgroup that starts.
    full: bool,
    /// Starts of one launch, as (place in the decision log, start), that were read and are not
    /// checked yet.
    starts: Vec<(Place, Start)>,
}

impl OpenLog {
    pub(super) fn new(header: &Header) -> Self {
        let recipe = &header.recipe;
        let path = &recipe["launch-path"];
        let ahead = recipe["window"].is_u64();
        let cuts = recipe["allocate"].get("split").is_some_and(Value::is_object);
        let empty = Unit::empty(&header.shape);
        let desk = Desk::new(empty, (ahead, cuts, path["overlap"] == true));
        let (mut allocate, twin) = slots::allocate(&recipe["allocate"], &header.shape, header.cus);
        let most = u64::from(header.cus) * u64::from(header.shape.workgroups);
        let most = most.min(MOST_WORKGROUPS);
        let mut placing = twin.map(|twin| Placing::new(twin, header.cus, most));
        // If the launch path comes from outside, it is not known when the device sees a launch.
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
            preempt: slots::preempt(&recipe["preempt"], header.abilities),
            named: Vec::new(),
            scope: recipe["preempt"]["scope"].as_str().unwrap_or("process").to_owned(),
            most,
            full: header.detail == "full",
            starts: Vec::new(),
        }
    }

    /// Returns the number of the decision log's line that was read last, from 1.
    pub(super) const fn line(&self) -> usize {
        self.at.line
    }

    pub(super) fn report(mut self) -> Report {
        self.step_ends();
        Report { slots: [self.path.0, self.turn.0, self.allocate, self.preempt.0].into() }
    }

    /// Begins the line `number` of the decision log, which may be the first one of a step; `event`
    /// is true for an event, false for an answer of a policy.
    pub(super) fn begin(&mut self, number: usize, at: Moment, event: bool) {
        if self.step.is_some_and(|step| step != at.step) {
            self.step_ends();
        }
        (self.step, self.at) = (Some(at.step), Place { line: number, tick: at.t });
        self.desk.now = at.t;
        if !event {
            self.decides();
        }
    }

    /// Ends the events of the present step of the decision log; the answers of the step follow.
    fn decides(&mut self) {
        if !std::mem::replace(&mut self.deciding, true) {
            let changed = std::mem::take(&mut self.desk.processes.changed);
            if let (_, Some(turning)) = &mut self.turn {
                turning.heard(changed, self.desk.now);
            }
        }
    }

    /// Ends a step of the decision log, and records a difference for each answer that the rules ask
    /// for in the step and that is missing in the log.
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

    /// Makes launches that have reached the device visible to the allocate policy.
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

    pub(super) fn hear(&mut self, event: Heard) {
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
                let copy = Launch::new(id, process, 0, Demand::default());
                let mut copy = copy.with_stream(stream).with_level(level);
                copy.estimate = Some(raddle_policy::Ticks(lasts));
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
            Heard::Restored { launch } => self.restored(launch),
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

    fn restored(&mut self, id: LaunchId) {
        self.desk.restored(id);
        if let Some(launch) = self.launch(id) {
            self.tell(&Fact::Restored { launch: &launch });
        }
        self.stale();
    }

    /// Returns the launch with this number; `None` where it is unknown or a copy.
    fn launch(&self, id: LaunchId) -> Option<Launch> {
        self.desk.jobs.get(&id).map(|job| job.launch).filter(|launch| !launch.is_copy())
    }

    fn ended(&mut self, id: LaunchId, (waves, cut): (FirstAndCount, FirstAndCount), runs: &[Run]) {
        let Some(launch) = self.launch(id) else { return };
        let total = runs.iter().fold(0u64, |sum, run| sum.saturating_add(run.count()));
        let span = span(waves, cut);
        let (_, each) = span.bounds(launch.demand.waves);
        if let Some(placing) = self.placing.as_mut().filter(|it| it.can_be(total)) {
            let pieces: Vec<Piece> = runs.iter().flat_map(|run| run.pieces()).collect();
            placing.end(&launch, span, &pieces, self.desk.now);
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

    /// Removes a launch, which has ended or was refused, from the state of the decision log.
    fn forget(&mut self, id: LaunchId) {
        if self.launch(id).is_some() {
            self.desk.forget(id);
            self.tell(&Fact::LaunchEnded { launch: id });
        } else {
            self.desk.forget(id);
        }
    }

    pub(super) fn answered(&mut self, answer: Answered) {
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
                if matches!(&*how, "switch" | "drain") {
                    self.desk.removes(process);
                }
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
            Answered::Assign { launch, workgroup, cu } => self.assign((launch, workgroup, cu)),
            Answered::Wait { refusals, retry_at } => {
                self.arrive();
                if let Some(placing) = &mut self.placing {
                    placing.reasons(&refusals, &self.desk, &mut self.allocate, at);
                    placing.wait(retry_at, &self.desk, &mut self.allocate, at);
                }
            }
            Answered::Refuse(refusal) => self.refuse(refusal.launch),
            Answered::TakeOff { launch, how } => self.take_off(launch, how.how()),
            Answered::Restore { launch } => {
                self.desk.returns(launch);
                if let Some(launch) = self.launch(launch) {
                    self.tell(&Fact::Returning { launch: &launch });
                }
            }
            Answered::Reset { process } => self.reset(process),
            Answered::Drained { process } => self.drained(process),
            Answered::Broke { slot } => self.broke(&slot),
            Answered::StartCopy {} | Answered::Streams {} | Answered::Other => {}
        }
    }

    fn assign(&mut self, found: (LaunchId, u64, u16)) {
        self.arrive();
        let (launch, workgroup, cu) = found;
        match &mut self.placing {
            Some(placing) => {
                placing.assign(found, &mut self.desk, &mut self.allocate, self.at);
            }
            None => self.desk.assigned(launch, workgroup, cu),
        }
    }

    fn refuse(&mut self, launch: LaunchId) {
        let known = self.launch(launch).is_some();
        if known {
            self.arrive();
        }
        if let Some(placing) = self.placing.as_mut().filter(|_| known) {
            placing.refuse(launch, &self.desk, &mut self.allocate, self.at);
        }
        self.forget(launch);
        // A process with nothing left to run gives the turn away in the same step.
        self.deciding &= !known;
    }

    fn reset(&mut self, process: ProcessId) {
        let scope = self.scope.as_str();
        if let Some(placing) = self.placing.as_mut().filter(|_| scope != "launch") {
            placing.reset(process, !matches!(scope, "queue" | "process"));
        }
    }

    fn drained(&mut self, process: ProcessId) {
        self.desk.removing.remove(&process);
        if let Some(placing) = &mut self.placing {
            placing.reopen(process);
        }
        if let (_, Some(leaving)) = &mut self.preempt {
            leaving.drained(process);
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

    /// Returns whether a log entry starts whole workgroups, none of which was assigned to a compute
    /// unit before.
    fn is_new(&self, start: &Start) -> bool {
        let bound = self.desk.jobs.get(&start.launch).map(|job| &job.bound);
        let is_bound = |it: &(u64, u16)| bound.is_some_and(|bound| bound.contains_key(&it.0));
        let few = start.workgroups() <= self.most;
        few && start.span() == WaveSpan::All && !start.named().iter().any(is_bound)
    }

    /// Checks the starts of one launch that follow each other in the decision log. A log in full
    /// detail has a line for each workgroup, ordered by compute unit.
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
            && how.begins_again()
            && single
        {
            placing.killed(&launch);
        }
        let shown = self.desk.view.iter().any(|entry| entry.launch.id == id);
        self.desk.leaves(id, how);
        if shown {
            // A launch behind this one may start in this step.
            self.stale();
        }
        if let Some(launch) = known {
            self.tell(&Fact::Leaving { launch: &launch, how });
        }
    }

    /// Stops the check of the policy in the slot `slot`. This policy broke a rule that every policy
    /// of its kind must keep, and another policy answers in its place from now on.
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
