//! What did a client hear, and what did its controller answer?
//!
//! In the form of a decision log (`raddle_dispatch::log`): its events, given to a new controller,
//! give the same answers. A launch is named by the number of its submission. Times are nanoseconds
//! since the client started; a step is the group of events before an answer.

use std::io::Write;

use raddle_dispatch::log::LogWriter;
use raddle_policy::{Idempotence, Preemption, StreamId, Tick};
use raddle_preempt::{
    CaptureOrder, CapturedWork, Command, Controller, ControllerConfig, Declared, Driver, Heard,
    LaunchHandle, Report, Task, Wish, WorkKind,
};
use serde::{Deserialize, Serialize};

use super::PROCESS;
use crate::LiveError;

/// First line of a client's log: all settings that a replay needs to rebuild the client's
/// controller, which decides what to submit and preempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct ClientHeader {
    /// Version of the format of the client's log: 1.
    pub(crate) raddle_log: u32,
    pub(crate) live: ClientMark,
    pub(crate) declared: Declared,
    pub(crate) options: ControllerConfig,
}

/// Word in the first line of a log that marks it as the log of a client (not of the daemon).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ClientMark {
    Client,
}

/// Kind of a command that the client captured from the program, as written in the log: a kernel, a
/// copy, a record of an event, a wait for another stream, a graph or a collective operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum LoggedKind {
    Kernel,
    Copy,
    Record,
    Wait { stream: StreamId, order: u64 },
    Graph,
    Collective,
}

/// Event of a client, as it is written in the log: a call of the program, an order of the daemon,
/// or a report of the runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum ClientEvent {
    Opened {},
    Closed {
        stream: StreamId,
    },
    Captured {
        stream: StreamId,
        kind: LoggedKind,
        idempotent: Idempotence,
        flag: bool,
    },
    Held {
        stream: StreamId,
        from: u64,
    },
    LetGo {
        stream: StreamId,
        from: u64,
    },
    Preempt {
        how: Preemption,
    },
    Escalate {
        how: Preemption,
    },
    Pause {},
    Resume {},
    Judged {
        launch: u64,
        idempotent: Idempotence,
    },
    Submitted {
        launch: u64,
    },
    NotSubmitted {
        launch: u64,
    },
    Started {
        launch: u64,
    },
    Finished {
        launch: u64,
    },
    Failed {
        launch: u64,
    },
    Exited {
        launch: u64,
    },
    Killed {
        launch: u64,
    },
    Claimed {
        launch: u64,
    },
    Raised {},
    Drained {},
    /// A preemption took longer than its limit and was counted as given up. This event changes
    /// nothing else.
    GaveUp {},
}

/// Answer of the client's controller (which decides what to submit and preempt), as written in the
/// log: a command to the GPU runtime.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "kebab-case")]
pub(crate) enum ClientAnswer {
    /// Command to submit the launch that the program issued as number `order`, counted from 0 over
    /// all its streams.
    Submit {
        launch: u64,
        stream: StreamId,
        order: u64,
    },
    Raise {
        cuts: Vec<(StreamId, u64, u64)>,
    },
    Lower {},
    Reset {
        hit: Vec<u64>,
    },
    Hold {},
    Release {},
    Save {},
    Restore {},
    Drained {
        resumed: bool,
    },
}

impl ClientEvent {
    pub(super) fn captured<T>(stream: StreamId, work: &CapturedWork<T>) -> Self {
        let kind = match work.kind() {
            WorkKind::Kernel => LoggedKind::Kernel,
            WorkKind::Copy => LoggedKind::Copy,
            WorkKind::Record => LoggedKind::Record,
            WorkKind::Wait { stream, order } => LoggedKind::Wait { stream, order: order.0 },
            WorkKind::Graph => LoggedKind::Graph,
            WorkKind::Collective => LoggedKind::Collective,
        };
        Self::Captured { stream, kind, idempotent: work.idempotent(), flag: work.tests_flag() }
    }
}

impl From<Report> for ClientEvent {
    fn from(report: Report) -> Self {
        match report {
            Report::Judged(it, idempotent) => Self::Judged { launch: it.sequence(), idempotent },
            Report::Submitted(it) => Self::Submitted { launch: it.sequence() },
            Report::NotSubmitted(it) => Self::NotSubmitted { launch: it.sequence() },
            Report::Started(it) => Self::Started { launch: it.sequence() },
            Report::Finished(it) => Self::Finished { launch: it.sequence() },
            Report::Failed(it) => Self::Failed { launch: it.sequence() },
            Report::Exited(it) => Self::Exited { launch: it.sequence() },
            Report::Killed(it) => Self::Killed { launch: it.sequence() },
            Report::Claimed(it) => Self::Claimed { launch: it.sequence() },
            Report::Raised(_) => Self::Raised {},
            Report::Drained(_) => Self::Drained {},
        }
    }
}

impl From<Wish> for ClientEvent {
    fn from(wish: Wish) -> Self {
        match wish {
            Wish::Preempt { way, .. } => Self::Preempt { how: way },
            Wish::Escalate { way, .. } => Self::Escalate { how: way },
            Wish::Pause { .. } => Self::Pause {},
            Wish::Resume { .. } => Self::Resume {},
        }
    }
}

impl ClientAnswer {
    fn new<T>(task: &Task<T>, controller: &Controller<T>) -> Self {
        let submit = |handle: LaunchHandle, stream| {
            let order = controller.order(handle).map_or(u64::MAX, |order| order.0);
            Self::Submit { launch: handle.sequence(), stream, order }
        };
        match task.command() {
            Command::Submit { handle, stream } => submit(handle, stream),
            Command::Raise { .. } => {
                let cuts = task.cuts().iter();
                let mut cuts: Vec<_> = cuts.map(|(of, it)| (*of, it.from, it.to)).collect();
                cuts.sort_unstable();
                Self::Raise { cuts }
            }
            Command::Reset { .. } => {
                let mut hit: Vec<u64> = task.hit().iter().map(|handle| handle.sequence()).collect();
                hit.sort_unstable();
                Self::Reset { hit }
            }
            Command::Lower { .. } => Self::Lower {},
            Command::Hold { .. } => Self::Hold {},
            Command::Release { .. } => Self::Release {},
            Command::Save { .. } => Self::Save {},
            Command::Restore { .. } => Self::Restore {},
            Command::Drained { resumed, .. } => Self::Drained { resumed },
        }
    }
}

/// Writer of a client's log, which records the client's events and its controller's answers.
pub(super) struct ClientJournal {
    log: LogWriter,
    step: u64,
}

impl ClientJournal {
    pub(super) fn new(
        to: Box<dyn Write + Send>,
        declared: Declared,
        options: ControllerConfig,
    ) -> Self {
        let header = ClientHeader { raddle_log: 1, live: ClientMark::Client, declared, options };
        Self { log: LogWriter::with_header(to, &header), step: 0 }
    }

    pub(super) fn heard(&mut self, now: u64, event: ClientEvent) {
        self.log.heard(Tick(now), self.step, event);
    }

    pub(super) fn said<T>(&mut self, now: u64, task: &Task<T>, controller: &Controller<T>) {
        self.log.said(Tick(now), self.step, ClientAnswer::new(task, controller));
        self.step += 1;
    }

    /// Writes the buffered lines of the client's log to its file. Returns whether all lines could
    /// be written so far.
    pub(super) fn flush(&mut self) -> bool {
        self.log.flush();
        !self.log.is_lost()
    }

    /// Writes the last line of the client's log, which marks the log as complete.
    pub(super) fn finish(&mut self) {
        // The writer itself says what it cannot write.
        let _ = self.log.finish();
    }
}

/// Controller of a client, rebuilt from the first line of the client's log. A replay passes it the
/// events of the log, and compares its answers with those in the log.
pub(crate) struct ClientReplay {
    driver: Driver<(), ()>,
    flying: Vec<LaunchHandle>,
}

impl ClientReplay {
    pub(crate) fn new(header: &ClientHeader) -> Result<Self, LiveError> {
        let mut driver = Driver::apart(header.declared, header.options)?;
        driver.host(|it| it.join_as(PROCESS, raddle_policy::Level(0)))?;
        Ok(Self { driver, flying: Vec::new() })
    }

    /// Returns the next answer of the controller, in the form in which answers are logged; `None`
    /// where it gives none now.
    pub(crate) fn answer(&mut self) -> Option<impl Serialize + use<>> {
        let task = self.driver.take()?;
        if let Command::Submit { handle, .. } = task.command() {
            self.flying.push(handle);
        }
        Some(ClientAnswer::new(&task, self.driver.controller()))
    }

    pub(crate) fn hear(&mut self, event: ClientEvent) -> Result<(), LiveError> {
        let process = PROCESS;
        match event {
            ClientEvent::Opened {} => drop(self.driver.host(|it| it.open(process))?),
            ClientEvent::Closed { stream } => self.driver.host(|it| it.close(process, stream))?,
            ClientEvent::Captured { stream, kind, idempotent, flag } => {
                let work = captured(kind, idempotent, flag);
                let _ = self.driver.host(|it| it.captured(process, stream, work))?;
            }
            ClientEvent::Held { stream, from } => {
                self.driver.host(|it| it.hold(process, stream, CaptureOrder(from)))?;
            }
            ClientEvent::LetGo { stream, from } => {
                self.driver.host(|it| it.release(process, stream, CaptureOrder(from)))?;
            }
            ClientEvent::Preempt { how: way } => self.wish(Wish::Preempt { process, way })?,
            ClientEvent::Escalate { how: way } => self.wish(Wish::Escalate { process, way })?,
            ClientEvent::Pause {} => self.wish(Wish::Pause { process })?,
            ClientEvent::Resume {} => self.wish(Wish::Resume { process })?,
            ClientEvent::Raised {} => self.report(Report::Raised(process))?,
            ClientEvent::Drained {} => self.report(Report::Drained(process))?,
            ClientEvent::GaveUp {} => {}
            of_launch => self.of_launch(of_launch)?,
        }
        Ok(())
    }

    fn wish(&mut self, wish: Wish) -> Result<(), LiveError> {
        self.driver.wish(wish).map(|_| ()).map_err(LiveError::from)
    }

    fn report(&mut self, report: Report) -> Result<(), LiveError> {
        match self.driver.report(report)? {
            Heard::Noted
            | Heard::Ended(())
            | Heard::Left
            | Heard::Unasked
            | Heard::Reset
            | Heard::NoReset(_) => Ok(()),
        }
    }

    fn of_launch(&mut self, event: ClientEvent) -> Result<(), LiveError> {
        let (launch, report): (u64, fn(LaunchHandle) -> Report) = match event {
            ClientEvent::Judged { launch, idempotent } => {
                let handle = self.handle(launch)?;
                return self.report(Report::Judged(handle, idempotent));
            }
            ClientEvent::Submitted { launch } => (launch, Report::Submitted),
            ClientEvent::NotSubmitted { launch } => (launch, Report::NotSubmitted),
            ClientEvent::Started { launch } => (launch, Report::Started),
            ClientEvent::Finished { launch } => (launch, Report::Finished),
            ClientEvent::Failed { launch } => (launch, Report::Failed),
            ClientEvent::Exited { launch } => (launch, Report::Exited),
            ClientEvent::Killed { launch } => (launch, Report::Killed),
            ClientEvent::Claimed { launch } => (launch, Report::Claimed),
            _ => return Ok(()),
        };
        let handle = self.handle(launch)?;
        self.report(report(handle))?;
        let controller = self.driver.controller();
        // A launch may be reported as submitted after its end: handles are kept for a while.
        if self.flying.len() > 4096 {
            self.flying.retain(|handle| controller.payload(*handle).is_some());
        }
        Ok(())
    }

    fn handle(&self, launch: u64) -> Result<LaunchHandle, LiveError> {
        let found = self.flying.iter().rev().find(|handle| handle.sequence() == launch);
        found.copied().ok_or(LiveError::NoLaunch { launch })
    }
}

fn captured(kind: LoggedKind, idempotent: Idempotence, flag: bool) -> CapturedWork<()> {
    let kind = match kind {
        LoggedKind::Kernel => WorkKind::Kernel,
        LoggedKind::Copy => WorkKind::Copy,
        LoggedKind::Record => WorkKind::Record,
        LoggedKind::Wait { stream, order } => WorkKind::Wait { stream, order: CaptureOrder(order) },
        LoggedKind::Graph => WorkKind::Graph,
        LoggedKind::Collective => WorkKind::Collective,
    };
    CapturedWork::new((), kind).judged(idempotent, flag)
}
