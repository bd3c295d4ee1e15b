//! Which state do the threads of a client share under one lock?
//!
//! The controller of one program, and the news that wait to be reported to the daemon or to
//! threads. Times are nanoseconds since the client started.

use std::collections::BTreeMap;
use std::io::Write;
use std::time::Instant;

use raddle_policy::{Level, Preemption, StreamId};
use raddle_preempt::{
    Abilities, Capture, CaptureOrder, CapturedWork, Command, Declared, Driver, Heard, ProcessPhase,
    Report, Task, Wish, WishAnswer,
};

use super::journal::{ClientEvent, ClientJournal};
use super::{ClientConfig, ClientCounts, PROCESS, Until};
use crate::LiveError;

/// State of the client's link to the daemon: what was reported, and what was ordered.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LinkState {
    /// True if the client has a connection to the daemon.
    pub(crate) is_up: bool,
    /// True if the last report to the daemon said that the program has work, false if it said that
    /// the program has none.
    pub(crate) told_work: bool,
    /// Number of the preemption of this program that the daemon ordered last; 0 before the first.
    pub(crate) ordered: u64,
    /// Number of the last preemption whose end was reported to the daemon.
    pub(crate) told_drained: u64,
    /// True if submissions are stopped, by the daemon or by the program itself (paused or
    /// preempted), and were not resumed since.
    pub(crate) keeps: bool,
    /// True if the thread that writes to the daemon waits for changes of the client's state.
    pub(crate) waits: bool,
}

/// Number of payloads (values that the program attached to its work) of ended launches at which the
/// worker thread drops them. Fewer payloads wait until a thread of the program drops them.
const MOST_ENDED: usize = 64;

/// Name of the counter of logs that stopped because their file could not be written.
pub(crate) const LOG_LOST: &str = "log-lost";

pub(crate) struct Core<T> {
    pub(crate) driver: Driver<T, ()>,
    abilities: Abilities,
    started: Instant,
    /// Time at which the preemption under way began, in nanoseconds since the client started;
    /// `None` where no preemption is under way.
    since: Option<u64>,
    /// True if the preemption under way has taken longer than its time limit, and was counted for
    /// that.
    is_given_up: bool,
    given_up: u64,
    unasked: u64,
    preemption_ns: (u64, u64),
    journal: Option<ClientJournal>,
    /// Counts that the layer above the client (such as the OpenCL layer) keeps, by the name that
    /// the layer gives them.
    counted: BTreeMap<&'static str, u64>,
    /// State of the link to the daemon, as the client knows it.
    pub(crate) link: LinkState,
    /// Payloads (values that the program attached to its work) of launches that have ended. They
    /// are dropped later, while the lock is not held.
    ended: Vec<T>,
    /// Number of threads of the program that wait for work to end.
    pub(crate) waiting: u32,
    /// True if the client's worker thread sleeps until there is something to do.
    pub(crate) sleeping: bool,
    pub(crate) stop: bool,
    pub(crate) stopped: bool,
}

impl<T: Clone> Core<T> {
    pub(crate) fn new(
        declared: Declared,
        options: ClientConfig,
        log: Option<Box<dyn Write + Send>>,
    ) -> Result<Self, LiveError> {
        let mut driver = Driver::apart(declared, options.controller)?;
        driver.host(|controller| controller.join_as(PROCESS, Level(0)))?;
        let journal = log.map(|to| ClientJournal::new(to, declared, options.controller));
        Ok(Self {
            driver,
            abilities: declared.abilities,
            started: Instant::now(),
            since: None,
            is_given_up: false,
            given_up: 0,
            unasked: 0,
            preemption_ns: (0, 0),
            journal,
            counted: BTreeMap::new(),
            link: LinkState::default(),
            ended: Vec::new(),
            waiting: 0,
            sleeping: false,
            stop: false,
            stopped: false,
        })
    }

    fn now(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    fn log(&mut self, event: ClientEvent) {
        if self.journal.is_some() {
            let now = self.now();
            self.journal.iter_mut().for_each(|journal| journal.heard(now, event));
        }
    }

    /// Writes the buffered lines of the client's log to its file. A failure is counted as a lost
    /// log.
    pub(crate) fn flush(&mut self) {
        if self.journal.as_mut().is_some_and(|journal| !journal.flush()) {
            self.counted.insert(LOG_LOST, 1);
        }
    }

    /// Ends the client's log: events and answers after this call are not logged.
    pub(crate) fn finish(&mut self) {
        self.journal.take().iter_mut().for_each(ClientJournal::finish);
    }

    /// Adds `more` to the count with the name `what`, which the layer above the client (such as the
    /// OpenCL layer) keeps.
    pub(crate) fn count(&mut self, what: &'static str, more: u64) {
        let count = self.counted.entry(what).or_default();
        *count = count.saturating_add(more);
    }

    /// Returns the counts that the layer above the client (such as the OpenCL layer) keeps, by
    /// name.
    pub(crate) const fn counted(&self) -> &BTreeMap<&'static str, u64> {
        &self.counted
    }

    pub(crate) fn open(&mut self) -> Result<StreamId, LiveError> {
        let stream = self.driver.host(|it| it.open(PROCESS))?;
        self.log(ClientEvent::Opened {});
        Ok(stream)
    }

    pub(crate) fn close(&mut self, stream: StreamId) -> Result<(), LiveError> {
        self.driver.host(|it| it.close(PROCESS, stream))?;
        self.log(ClientEvent::Closed { stream });
        Ok(())
    }

    pub(crate) fn captured(
        &mut self,
        stream: StreamId,
        work: CapturedWork<T>,
    ) -> Result<Capture<T>, LiveError> {
        let event = self.journal.is_some().then(|| ClientEvent::captured(stream, &work));
        let captured = self.driver.host(|it| it.captured(PROCESS, stream, work))?;
        if let (Some(event), Capture::Taken(_)) = (event, &captured) {
            self.log(event);
        }
        Ok(captured)
    }

    pub(crate) fn hold(&mut self, stream: StreamId, from: CaptureOrder) -> Result<(), LiveError> {
        self.driver.host(|it| it.hold(PROCESS, stream, from))?;
        self.log(ClientEvent::Held { stream, from: from.0 });
        Ok(())
    }

    pub(crate) fn release(
        &mut self,
        stream: StreamId,
        from: CaptureOrder,
    ) -> Result<(), LiveError> {
        self.driver.host(|it| it.release(PROCESS, stream, from))?;
        self.log(ClientEvent::LetGo { stream, from: from.0 });
        Ok(())
    }

    pub(crate) fn reached(&self, until: Until) -> bool {
        let controller = self.driver.controller();
        let reached = match until {
            Until::All(order) => controller.reached(PROCESS, order),
            Until::Stream(stream, order) => controller.stream_reached(PROCESS, stream, order),
        };
        reached.unwrap_or(true)
    }

    fn wish(&mut self, wish: Wish) -> WishAnswer {
        self.log(wish.into());
        self.driver.wish(wish).expect("the process joined with the client and never leaves")
    }

    /// Begins a preemption by the method `way`, or, where the GPU runtime lacks it, by the nearest
    /// gentler method (flag for reset, drain for switch, else wait). Returns whether it has begun.
    pub(crate) fn preempt(&mut self, way: Preemption) -> bool {
        let way = self.nearest(way);
        self.link.keeps = true;
        let answer = self.wish(Wish::Preempt { process: PROCESS, way });
        let begun = answer == WishAnswer::Begun;
        if begun {
            (self.since, self.is_given_up) = (Some(self.now()), false);
        }
        begun
    }

    /// Returns the method `way` of preemption if the GPU runtime supports it, else the nearest
    /// gentler one that it supports (flag for reset, drain for switch, else wait).
    fn nearest(&self, way: Preemption) -> Preemption {
        let mut ways = std::iter::successors(Some(way), |way| way.gentler());
        ways.find(|&way| self.abilities.can(way)).unwrap_or(Preemption::Wait)
    }

    pub(crate) fn escalate(&mut self, way: Preemption) -> bool {
        let answer = self.wish(Wish::Escalate { process: PROCESS, way });
        answer == WishAnswer::Begun
    }

    pub(crate) fn pause(&mut self) {
        self.link.keeps = true;
        let running = self.driver.controller().phase(PROCESS) == Ok(ProcessPhase::Running);
        // Where a preemption is under way, nothing is submitted: only a resume that waits is taken back.
        let _ = self.wish(match running {
            true => Wish::Pause { process: PROCESS },
            false => Wish::Preempt { process: PROCESS, way: Preemption::Wait },
        });
    }

    pub(crate) fn resume(&mut self) {
        self.link.keeps = false;
        let _ = self.wish(Wish::Resume { process: PROCESS });
    }

    /// Passes a report of the GPU runtime to the controller (the state machine that decides what to
    /// submit and preempt). Returns whether work has ended for which some thread may wait, so that
    /// waiting threads must check again; the controller's error for a report that cannot be true.
    pub(crate) fn report(&mut self, report: Report) -> Result<bool, LiveError> {
        let heard = self.driver.report(report)?;
        self.log(report.into());
        match heard {
            Heard::Ended(payload) => {
                self.ended.push(payload);
                return Ok(self.waiting > 0);
            }
            Heard::Unasked => self.unasked += 1,
            Heard::Left | Heard::Noted | Heard::Reset | Heard::NoReset(_) => {}
        }
        Ok(false)
    }

    /// Returns the next task for the GPU runtime, which the caller must have locked; `None` where
    /// there is no task.
    pub(crate) fn take(&mut self) -> Option<Task<T>> {
        let task = self.driver.take()?;
        if self.journal.is_some() {
            let now = self.now();
            let controller = self.driver.controller();
            self.journal.iter_mut().for_each(|journal| journal.said(now, &task, controller));
        }
        if let Command::Drained { .. } = task.command()
            && let Some(since) = self.since.take()
        {
            let took = self.now().saturating_sub(since);
            self.preemption_ns = (took, self.preemption_ns.1.max(took));
        }
        Some(task)
    }

    /// Returns the next task of the preemption under way, such as killing launches; never a
    /// submission. `None` where there is none.
    pub(crate) fn take_leaving(&mut self) -> Option<Task<T>> {
        let leaving = self.driver.controller().phase(PROCESS) == Ok(ProcessPhase::Draining);
        if leaving { self.take() } else { None }
    }

    /// Returns whether the worker thread has a task to carry out or payloads (values attached to
    /// ended work) to drop.
    pub(crate) fn is_due(&self) -> bool {
        self.driver.controller().is_any_due() || self.must_drop()
    }

    /// Returns whether the worker thread must drop the payloads (values that the program attached
    /// to its work) of ended launches. If not, a thread of the program drops them when it next
    /// captures work or has waited for some.
    fn must_drop(&self) -> bool {
        let in_flight = self.driver.controller().in_flight(PROCESS).unwrap_or(0);
        let nobody_comes = in_flight == 0 && self.waiting == 0;
        !self.ended.is_empty() && (nobody_comes || self.ended.len() >= MOST_ENDED)
    }

    /// Takes the payloads (values that the program attached to its work) of ended launches out of
    /// the state, for the caller to drop while the lock is not held.
    pub(crate) fn take_ended(&mut self) -> Vec<T> {
        std::mem::take(&mut self.ended)
    }

    /// Returns the nanoseconds left until the preemption under way exceeds its time limit,
    /// `give_up` nanoseconds after its begin. Where the limit is exceeded for the first time, this
    /// call counts that. `None` where no preemption is under way, or it has been counted already.
    pub(crate) fn until_given_up(&mut self, give_up: u64) -> Option<u64> {
        let since = self.since.filter(|_| !self.is_given_up)?;
        let left = since.saturating_add(give_up).saturating_sub(self.now());
        if left == 0 {
            self.is_given_up = true;
            self.given_up += 1;
            self.log(ClientEvent::GaveUp {});
            return None;
        }
        Some(left)
    }

    /// Returns whether the program has work that waits for submission or is in the GPU runtime.
    pub(crate) fn has_work(&self) -> bool {
        let controller = self.driver.controller();
        controller.buffered(PROCESS).unwrap_or(0) + controller.in_flight(PROCESS).unwrap_or(0) > 0
    }

    /// Returns whether the preemption that the daemon ordered last is over and its end was not
    /// reported yet.
    pub(crate) fn drained_untold(&self) -> bool {
        self.link.ordered > self.link.told_drained
            && self.driver.controller().phase(PROCESS) != Ok(ProcessPhase::Draining)
    }

    /// Returns whether there is something to report to the daemon without delay: new work, or the
    /// end of a preemption.
    pub(crate) fn has_news(&self) -> bool {
        self.link.is_up && (self.drained_untold() || !self.link.told_work && self.has_work())
    }

    pub(crate) fn counts(&self) -> ClientCounts {
        let controller = self.driver.controller();
        let number = |count: Result<usize, _>| count.map_or(0, |count| count as u64);
        ClientCounts {
            driver: self.driver.counts(),
            waiting: number(controller.buffered(PROCESS)),
            in_flight: number(controller.in_flight(PROCESS)),
            given_up: self.given_up,
            unasked: self.unasked,
            preemption_ns: self.preemption_ns,
        }
    }
}
