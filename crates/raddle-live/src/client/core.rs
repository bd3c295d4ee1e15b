//! What stands under the board's lock: the controller of one program, and who is to be told what?
//!
//! Times are nanoseconds since the client started.

use std::time::Instant;

use raddle_policy::{Level, Preemption, ProcessId, StreamId};
use raddle_preempt::{
    Abilities, Capture, CaptureOrder, CapturedWork, Command, Counts, Declared, Driver, Escalated,
    Exit, Heard, Preempted, Report, Task, Wish, WishAnswer,
};

use super::{ClientCounts, ClientOptions, Until};
use crate::LiveError;

/// The process of a client: it has only one.
pub const PROCESS: ProcessId = ProcessId(0);

/// Payloads that are kept until somebody drops them, at most while launches are in the runtime.
const MOST_ENDED: usize = 64;

pub(crate) struct Core<T> {
    pub(crate) driver: Driver<T, (), Counts>,
    abilities: Abilities,
    started: Instant,
    /// When the preemption under way began.
    since: Option<u64>,
    /// It has been counted as given up.
    is_given_up: bool,
    given_up: u64,
    unasked: u64,
    preemption_ns: (u64, u64),
    /// Payloads of launches that have ended: dropped outside of the lock.
    ended: Vec<T>,
    /// Hosts that wait.
    pub(crate) waiting: u32,
    /// The worker waits.
    pub(crate) sleeping: bool,
    pub(crate) stop: bool,
    pub(crate) stopped: bool,
}

impl<T: Clone> Core<T> {
    pub(crate) fn new(declared: Declared, options: ClientOptions) -> Result<Self, LiveError> {
        let mut driver = Driver::apart(declared, options.controller)?.watched_by(Counts::default());
        driver.host(|controller| controller.join_as(PROCESS, Level(0)))?;
        Ok(Self {
            driver,
            abilities: declared.abilities,
            started: Instant::now(),
            since: None,
            is_given_up: false,
            given_up: 0,
            unasked: 0,
            preemption_ns: (0, 0),
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

    pub(crate) fn open(&mut self) -> Result<StreamId, LiveError> {
        Ok(self.driver.host(|it| it.open(PROCESS))?)
    }

    pub(crate) fn close(&mut self, stream: StreamId) -> Result<(), LiveError> {
        Ok(self.driver.host(|it| it.close(PROCESS, stream))?)
    }

    pub(crate) fn captured(
        &mut self,
        stream: StreamId,
        work: CapturedWork<T>,
    ) -> Result<Capture<T>, LiveError> {
        Ok(self.driver.host(|it| it.captured(PROCESS, stream, work))?)
    }

    pub(crate) fn hold(&mut self, stream: StreamId, from: CaptureOrder) -> Result<(), LiveError> {
        Ok(self.driver.host(|it| it.hold(PROCESS, stream, from))?)
    }

    pub(crate) fn release(
        &mut self,
        stream: StreamId,
        from: CaptureOrder,
    ) -> Result<(), LiveError> {
        Ok(self.driver.host(|it| it.release(PROCESS, stream, from))?)
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
        self.driver.wish(wish).expect("the process joined with the client and never leaves")
    }

    /// Whether a preemption has begun.
    pub(crate) fn preempt(&mut self, way: Preemption) -> bool {
        let way = self.nearest(way);
        let answer = self.wish(Wish::Preempt { process: PROCESS, way });
        let begun = answer == WishAnswer::Preempted(Preempted::Begun);
        if begun {
            (self.since, self.is_given_up) = (Some(self.now()), false);
        }
        begun
    }

    /// This way, or the strongest weaker one that the runtime has.
    fn nearest(&self, way: Preemption) -> Preemption {
        let weaker = match way {
            Preemption::Reset => Preemption::Flag,
            Preemption::Switch => Preemption::Drain,
            Preemption::Flag | Preemption::Drain | Preemption::Wait => Preemption::Wait,
        };
        let has = |way: &Preemption| self.abilities.can(*way);
        [way, weaker].into_iter().find(has).unwrap_or(Preemption::Wait)
    }

    pub(crate) fn escalate(&mut self, way: Preemption) -> bool {
        let answer = self.wish(Wish::Escalate { process: PROCESS, way });
        answer == WishAnswer::Escalated(Escalated::Begun)
    }

    pub(crate) fn pause(&mut self) {
        self.wish(Wish::Pause { process: PROCESS });
    }

    pub(crate) fn resume(&mut self) {
        self.wish(Wish::Resume { process: PROCESS });
    }

    /// Enters a report; whether hosts that wait have to look again.
    pub(crate) fn report(&mut self, report: Report) -> Result<bool, LiveError> {
        match self.driver.report(report)? {
            Heard::Ended(payload) => {
                self.ended.push(payload);
                return Ok(self.waiting > 0);
            }
            Heard::Left(Exit::Unasked) => self.unasked += 1,
            Heard::Left(Exit::Flagged) | Heard::Noted | Heard::Verdict(_) => {}
        }
        Ok(false)
    }

    /// The next task. Who takes it holds the runtime.
    pub(crate) fn take(&mut self) -> Option<Task<T>> {
        let task = self.driver.take()?;
        if let Task::Plain(Command::Drained { .. }) = task
            && let Some(since) = self.since.take()
        {
            let took = self.now().saturating_sub(since);
            self.preemption_ns = (took, self.preemption_ns.1.max(took));
        }
        Some(task)
    }

    /// Whether the worker has something to do.
    pub(crate) fn is_due(&self) -> bool {
        self.driver.controller().is_any_due() || self.must_drop()
    }

    /// Payloads are dropped by who comes by: a host that captures or has waited, else the worker.
    fn must_drop(&self) -> bool {
        let in_flight = self.driver.controller().in_flight(PROCESS).unwrap_or(0);
        let nobody_comes = in_flight == 0 && self.waiting == 0;
        !self.ended.is_empty() && (nobody_comes || self.ended.len() >= MOST_ENDED)
    }

    /// Payloads to be dropped outside of the lock.
    pub(crate) fn take_ended(&mut self) -> Vec<T> {
        std::mem::take(&mut self.ended)
    }

    /// Nanoseconds until the preemption under way is given up; it is counted when they are over.
    pub(crate) fn until_given_up(&mut self, give_up: u64) -> Option<u64> {
        let since = self.since.filter(|_| !self.is_given_up)?;
        let left = since.saturating_add(give_up).saturating_sub(self.now());
        if left == 0 {
            self.is_given_up = true;
            self.given_up += 1;
            return None;
        }
        Some(left)
    }

    pub(crate) fn counts(&self) -> ClientCounts {
        let controller = self.driver.controller();
        let number = |count: Result<usize, _>| count.map_or(0, |count| count as u64);
        ClientCounts {
            driver: *self.driver.observer(),
            waiting: number(controller.buffered(PROCESS)),
            in_flight: number(controller.in_flight(PROCESS)),
            given_up: self.given_up,
            unasked: self.unasked,
            preemption_ns: self.preemption_ns,
        }
    }
}
