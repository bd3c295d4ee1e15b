//! Does a client's log keep the rules of the controller?
//!
//! The log says little of a launch: that it was captured, submitted, has left or ended. So it is
//! rewritten as the log of a simulation, for the checker of such logs: a launch is one workgroup on
//! a compute unit of its own, which begins when it ends. The checker does not see when launches
//! begin (of which rules 5 and 7 speak), nor whether hosts were told the truth (rule 11).

use std::collections::{BTreeMap, BTreeSet};
use std::io::BufRead;

use raddle_dispatch::log::LogLine;
use raddle_dispatch::log::check::{CheckedLog, Checker};
use raddle_policy::{Demand, Launch, LaunchId};
use serde_json::{Value, json};

use crate::LiveError;
use crate::client::PROCESS;
use crate::client::journal::{ClientAnswer, ClientEvent, ClientHeader};
use crate::replay::{LiveLogLines, Spelled};

/// Checks the log of a client against the numbered rules of its controller (which decides what to
/// submit and preempt). Rule 6, that every launch ends, is left out: a log may end before its
/// launches do.
///
/// # Errors
/// When the log cannot be read, names launches that nobody has submitted, or has work that is held
/// or saved on the device, which is not checked.
pub fn check(log: impl BufRead) -> Result<CheckedLog, LiveError> {
    let mut lines = LiveLogLines::new(log)?;
    let header: ClientHeader =
        serde_json::from_str(&lines.header).map_err(|error| LiveError::bad_log(1, &error))?;
    let mut retold = Retold::new(&header);
    let (mut events, mut answers) = (0, 0);
    retold.event(json!({"event": "process-joined", "process": PROCESS, "share": 1}))?;
    retold.turn(true)?;
    while let Some((number, line)) = lines.next()? {
        retold.number = number;
        let bad = |error: serde_json::Error| LiveError::bad_log(number, &error);
        match line {
            Spelled::Event(text) => {
                let line: LogLine<ClientEvent> = serde_json::from_str(&text).map_err(bad)?;
                events += 1;
                retold.heard(line.said)?;
            }
            Spelled::Answer(text) => {
                let line: LogLine<ClientAnswer> = serde_json::from_str(&text).map_err(bad)?;
                answers += 1;
                retold.answered(line.said)?;
            }
        }
    }
    Ok(retold.checker.found().clone().counted(events, answers))
}

/// Stage of a preemption, as far as the log shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RuleStage {
    Running,
    UnderWay,
    Preempted,
}

struct Retold {
    checker: Checker,
    number: usize,
    captured: u64,
    /// Launches in the GPU runtime, by the number of their submission; the value is the launch's
    /// number in the order of capture.
    flying: BTreeMap<u64, u64>,
    /// Launches in the GPU runtime that will leave without having begun, by their number in the
    /// order of capture.
    claimed: BTreeSet<u64>,
    /// Launches in the GPU runtime that a reset of the device kills if they run, by their number in
    /// the order of capture.
    hit: BTreeSet<u64>,
    stage: RuleStage,
    /// True if the preemption flag was raised, but nothing in the log so far shows that launches
    /// see it.
    is_unseen: bool,
}

impl Retold {
    fn new(header: &ClientHeader) -> Self {
        let options = header.options;
        let scope = header.declared.scope;
        Self {
            checker: Checker::live(Some(options.window()), options.most_kills(), scope),
            number: 1,
            captured: 0,
            flying: BTreeMap::new(),
            claimed: BTreeSet::new(),
            hit: BTreeSet::new(),
            stage: RuleStage::Running,
            is_unseen: false,
        }
    }

    /// Passes an event to the checker of simulator logs (`raddle log FILE --check`), in the form of
    /// such logs. The checker's findings name the current line of the client's log; an error where
    /// the event cannot be read.
    fn event(&mut self, mut line: Value) -> Result<(), LiveError> {
        (line["t"], line["step"]) = (0.into(), 0.into());
        let taken = self.checker.take(self.number, &line.to_string());
        taken.map_err(|error| LiveError::bad_log(self.number, &error))
    }

    fn turn(&mut self, has: bool) -> Result<(), LiveError> {
        let may_issue: &[_] = if has { &[PROCESS] } else { &[] };
        self.event(json!({"answer": "turn", "may-issue": may_issue}))
    }

    /// Reports to the log checker that a launch is asked to leave the device by the method `how`.
    fn take_off(&mut self, order: u64, how: &str) -> Result<(), LiveError> {
        self.event(json!({"answer": "take-off", "launch": order, "how": how}))
    }

    /// Reports to the log checker that a launch will never run again. The checker expects a refusal
    /// with a resource and amounts, so placeholders are passed for these.
    fn refuse(&mut self, order: u64) -> Result<(), LiveError> {
        self.event(json!({"answer": "refuse", "launch": order, "resource": "waves", "wanted": 0, "available": 0}))
    }

    fn bad(&self, what: &str) -> LiveError {
        LiveError::bad_log(self.number, &what)
    }

    fn heard(&mut self, event: ClientEvent) -> Result<(), LiveError> {
        match event {
            ClientEvent::Captured { stream, idempotent, .. } => {
                let id = u32::try_from(self.captured).map_err(|_| self.bad("too many"))?;
                let demand = Demand { waves: 1, ..Demand::default() };
                let launch = Launch::new(LaunchId(id), PROCESS, 1, demand)
                    .with_stream(stream)
                    .with_idempotent(idempotent);
                self.captured += 1;
                self.event(json!({"event": "launch-ready", "launch": launch}))
            }
            ClientEvent::Preempt { how } => {
                if self.stage == RuleStage::Running {
                    self.stage = RuleStage::UnderWay;
                    let process = PROCESS;
                    self.event(
                        json!({"answer": "preempt", "process": process, "how": how.name()}),
                    )?;
                }
                self.turn(false)
            }
            ClientEvent::Pause {} if self.stage == RuleStage::Running => self.turn(false),
            ClientEvent::Resume {} => {
                if self.stage == RuleStage::Preempted {
                    self.stage = RuleStage::Running;
                }
                self.turn(true)
            }
            ClientEvent::Raised {} => {
                self.seen()?;
                for order in std::mem::take(&mut self.claimed) {
                    self.take_off(order, "flag")?;
                }
                Ok(())
            }
            ClientEvent::Drained {} => {
                self.event(json!({"event": "reset-over", "process": PROCESS}))
            }
            ClientEvent::Opened {}
            | ClientEvent::Closed { .. }
            | ClientEvent::Held { .. }
            | ClientEvent::LetGo { .. }
            | ClientEvent::Escalate { .. }
            | ClientEvent::Pause {}
            | ClientEvent::Started { .. }
            | ClientEvent::GaveUp {} => Ok(()),
            of_launch => self.of_launch(of_launch),
        }
    }

    /// Reports to the log checker that launches see the raised preemption flag. The runtime has
    /// reported that, or a launch has left.
    fn seen(&mut self) -> Result<(), LiveError> {
        if std::mem::take(&mut self.is_unseen) {
            self.event(json!({"event": "raised", "process": PROCESS}))?;
        }
        Ok(())
    }

    fn of_launch(&mut self, event: ClientEvent) -> Result<(), LiveError> {
        match event {
            ClientEvent::Judged { launch, idempotent } => {
                let launch = self.order(launch)?;
                self.event(json!({"event": "judged", "launch": launch, "idempotent": idempotent}))
            }
            ClientEvent::Submitted { launch } => match self.flying.get(&launch).copied() {
                Some(order) => self.event(json!({"event": "submitted", "launch": order})),
                // The launch has ended before the call returned.
                None => Ok(()),
            },
            ClientEvent::Claimed { launch } => {
                let order = self.order(launch)?;
                self.claimed.insert(order);
                Ok(())
            }
            ClientEvent::NotSubmitted { launch } => {
                let order = self.gone(launch)?;
                self.event(json!({"event": "not-submitted", "launch": order}))
            }
            ClientEvent::Finished { launch } => {
                let order = self.gone(launch)?;
                if self.hit.remove(&order) {
                    // The reset came too late for the launch.
                    return self.refuse(order);
                }
                let pieces = json!([[0, 1, 1, order % 65_536, 1]]);
                self.event(json!({"answer": "start", "launch": order, "pieces": pieces.clone()}))?;
                self.event(json!({"event": "waves-ended", "launch": order, "pieces": pieces}))
            }
            ClientEvent::Failed { launch } => {
                let order = self.gone(launch)?;
                self.hit.remove(&order);
                self.refuse(order)
            }
            ClientEvent::Exited { launch } => {
                let order = self.gone(launch)?;
                self.hit.remove(&order);
                self.seen()?;
                self.take_off(order, "flag")?;
                self.event(json!({"event": "taken-off", "launch": order, "how": "flag", "done": 0}))
            }
            ClientEvent::Killed { launch } => {
                let order = self.gone(launch)?;
                if !self.hit.remove(&order) {
                    self.take_off(order, "kill")?;
                }
                self.event(json!({"event": "taken-off", "launch": order, "how": "kill", "done": 0}))
            }
            _ => Ok(()),
        }
    }

    fn order(&self, launch: u64) -> Result<u64, LiveError> {
        self.flying.get(&launch).copied().ok_or(LiveError::NoLaunch { launch })
    }

    /// Removes the launch with the submission number `launch`, which has left the GPU runtime, and
    /// returns its number in the order of capture; an error for a launch that is not in the
    /// runtime.
    fn gone(&mut self, launch: u64) -> Result<u64, LiveError> {
        let order = self.flying.remove(&launch).ok_or(LiveError::NoLaunch { launch })?;
        self.claimed.remove(&order);
        Ok(order)
    }

    fn answered(&mut self, answer: ClientAnswer) -> Result<(), LiveError> {
        match answer {
            ClientAnswer::Submit { launch, order, .. } => {
                self.flying.insert(launch, order);
                self.event(json!({"answer": "submit", "launch": order, "call": true}))
            }
            ClientAnswer::Raise { .. } => {
                self.is_unseen = true;
                self.event(json!({"answer": "raise", "process": PROCESS}))
            }
            ClientAnswer::Lower {} => {
                self.is_unseen = false;
                self.event(json!({"answer": "lower", "process": PROCESS}))
            }
            ClientAnswer::Reset { hit } => {
                self.event(json!({"answer": "reset", "process": PROCESS}))?;
                for launch in hit {
                    let order = self.order(launch)?;
                    self.hit.insert(order);
                    self.take_off(order, "kill")?;
                }
                Ok(())
            }
            ClientAnswer::Drained { resumed } => {
                self.stage = if resumed { RuleStage::Running } else { RuleStage::Preempted };
                self.event(json!({"answer": "drained", "process": PROCESS}))
            }
            ClientAnswer::Hold {}
            | ClientAnswer::Release {}
            | ClientAnswer::Save {}
            | ClientAnswer::Restore {} => {
                Err(self.bad("work that is held on a device, or saved, is not looked at"))
            }
        }
    }
}
