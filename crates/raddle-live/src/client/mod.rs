//! How do the threads of one program and of its runtime share a controller?
//!
//! | thread | calls | waits for |
//! |---|---|---|
//! | of the program | [`Client::capture`] and the other calls of a host, [`Client::wait`] | the controller's lock, held for microseconds; `wait` for the device |
//! | of the runtime, in a callback | [`Reporter::report`] | that lock |
//! | the worker, one a client | the [`Runtime`], and drops payloads | the runtime |
//! | that schedules | [`Client::preempt`], [`Client::pause`], [`Client::resume`] | that lock |
//!
//! Two locks, always taken in this order: the thread with the runtime's lock carries tasks out, in
//! their order; the controller's lock is held for one step of the controller, never during a call
//! of the runtime. A capture takes the runtime's lock if it is free, so that where nothing is
//! preempted and the window has room the calling thread submits by itself. So does a thread that
//! preempts: on a machine whose cores are busy the worker may wake milliseconds later.

pub(crate) mod board;
pub(crate) mod core;
pub(crate) mod journal;
mod worker;

use std::io::Write;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use raddle_policy::{Preemption, ProcessId, StreamId};
use raddle_preempt::{
    Capture, CaptureOrder, CapturedWork, Controller, ControllerConfig, Counts, Declared,
    MOST_KILLS, Report, Runtime,
};

use self::board::Board;
use crate::LiveError;
use crate::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError, thread};

/// Process id within a client's controller: a client has only this one process.
pub const PROCESS: ProcessId = ProcessId(0);

/// Settings of a client (the part of a program that schedules its launches live): those of its
/// controller (which decides what to submit and preempt), and the time limit for a preemption.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientConfig {
    /// Settings of the client's controller. By default at most 8 launches are in the GPU runtime,
    /// and no launch is killed more than 3 times.
    pub controller: ControllerConfig,
    /// Time limit of a preemption, 1 s by default. A preemption that takes longer is counted, and
    /// goes on nevertheless.
    pub give_up: Duration,
}

impl Default for ClientConfig {
    fn default() -> Self {
        let controller = ControllerConfig::default().with_most_kills(Some(MOST_KILLS));
        Self { controller, give_up: Duration::from_secs(1) }
    }
}

/// Condition for which a thread of the program waits: the end of a part of the program's work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// The thread waits for the end of all work of the program that was captured up to this
    /// position in the order of capture (number among all captured work of the program).
    All(CaptureOrder),
    /// The thread waits for the end of all work of one stream that was captured up to this position
    /// in the order of capture (number among all captured work of the program).
    Stream(StreamId, CaptureOrder),
}

/// Counts of launches and preemptions of a client since it started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClientCounts {
    /// Counts of the client's driver (which passes the controller's commands to the GPU runtime),
    /// such as launches submitted and killed.
    pub driver: Counts,
    /// Number of launches that wait in the client's queues for their submission now.
    pub waiting: u64,
    /// Number of launches in the GPU runtime now: submitted and not ended.
    pub in_flight: u64,
    /// Number of preemptions that took longer than the client's time limit for them.
    pub given_up: u64,
    /// Number of times that a launch left the device although no preemption flag was raised for it.
    /// Work that was submitted after such a launch may have run before it.
    pub unasked: u64,
    /// (duration of the last preemption, duration of the longest one), each in nanoseconds from its
    /// begin to its end.
    pub preemption_ns: (u64, u64),
}

type AnyRuntime<T> = Mutex<Box<dyn Runtime<T> + Send>>;

/// Handle of a client of the live scheduler, which schedules the work of one program on one device.
/// Clones of the handle stand for the same client.
#[derive(Debug)]
pub struct Client<T>(Arc<ClientHandle<T>>);

impl<T> Clone for Client<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

/// Parts of a client that are shared by its own threads, the threads of the program and the link to
/// the daemon.
pub(crate) struct ClientParts<T> {
    pub(crate) board: Arc<Board<T>>,
    runtime: Arc<AnyRuntime<T>>,
    /// Function that a thread of the program calls to report changes of the client's state to the
    /// daemon; `None` without a link to a daemon.
    tells: std::sync::Arc<std::sync::Mutex<Option<Tells>>>,
    /// Longest time in nanoseconds that a preemption of the program should take; 0 for no bound.
    bound: std::sync::Arc<std::sync::atomic::AtomicU64>,
}

type Tells = std::sync::Arc<dyn Fn() + Send + Sync>;

impl<T> Clone for ClientParts<T> {
    fn clone(&self) -> Self {
        let Self { board, runtime, tells, bound } = self;
        let (board, runtime) = (Arc::clone(board), Arc::clone(runtime));
        let (tells, bound) = (std::sync::Arc::clone(tells), std::sync::Arc::clone(bound));
        Self { board, runtime, tells, bound }
    }
}

impl<T> ClientParts<T> {
    /// Sets the function that a thread of the program calls to report changes of the client's state
    /// to the daemon.
    pub(crate) fn tell_by(&self, tell: impl Fn() + Send + Sync + 'static) {
        let mut tells = self.tells.lock().unwrap_or_else(PoisonError::into_inner);
        *tells = Some(std::sync::Arc::new(tell));
    }

    /// Sets the longest time in nanoseconds that a preemption of the program should take; `None`
    /// for no bound.
    pub(crate) fn bound_by(&self, ns: Option<u64>) {
        self.bound.store(ns.unwrap_or(0), Relaxed);
    }

    /// Reports changes of the client's state to the daemon, on the calling thread; does nothing
    /// without a link to a daemon.
    fn tell(&self) {
        let tells = self.tells.lock().unwrap_or_else(PoisonError::into_inner).clone();
        tells.iter().for_each(|tell| tell());
    }
}

impl<T: Clone> ClientParts<T> {
    /// Begins a preemption by the method `way`, and returns whether it has begun. `order` is the
    /// number under which the daemon ordered the preemption; `None` where the program itself wants
    /// it. This thread carries out the tasks of the preemption, unless another thread has the GPU
    /// runtime locked and does that.
    pub(crate) fn preempt(&self, order: Option<u64>, way: Preemption) -> bool {
        let board = &*self.board;
        let Some(mut runtime) = self.try_baton() else {
            return board.preempt(order, way, |_| ()).0;
        };
        let (begun, mut next) = board.preempt(order, way, core::Core::take_leaving);
        while let Some(task) = next {
            board.carry_out(task, &mut **runtime);
            next = board.take_leaving();
        }
        begun
    }

    /// Locks the GPU runtime if no other thread has it locked. Whoever holds the returned guard may
    /// carry out tasks; `None` where another thread holds it.
    fn try_baton(&self) -> Option<MutexGuard<'_, Box<dyn Runtime<T> + Send + 'static>>> {
        match self.runtime.try_lock() {
            Ok(guard) => Some(guard),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }
}

struct ClientHandle<T> {
    shared: ClientParts<T>,
    worker: Mutex<Option<thread::JoinHandle<()>>>,
}

impl<T> std::fmt::Debug for ClientHandle<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ClientHandle").finish_non_exhaustive()
    }
}

impl<T> Drop for ClientHandle<T> {
    fn drop(&mut self) {
        self.shared.board.stop();
    }
}

/// Handle by which callbacks of the GPU runtime report to a client what has happened. The client
/// may be dropped while handles exist.
#[derive(Debug)]
pub struct Reporter<T>(pub(crate) Arc<Board<T>>);

impl<T> Clone for Reporter<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T: Clone> Reporter<T> {
    /// Passes a report of the GPU runtime to the client's controller, and wakes the threads that
    /// wait for the reported event. This call neither calls the runtime nor drops payloads.
    ///
    /// # Errors
    /// A report that cannot be true; nothing has changed.
    pub fn report(&self, report: Report) -> Result<(), LiveError> {
        self.0.report(report)
    }
}

impl<T: Clone + Send + 'static> Client<T> {
    /// Starts a client and its worker thread. `make` gets a handle for reports and makes the
    /// client's GPU runtime, whose abilities must be `declared`. At first the program is neither
    /// preempted nor paused.
    ///
    /// # Errors
    /// As [`Controller::new`]; a runtime whose abilities are not `declared`; a worker thread that
    /// cannot be started.
    pub fn start<R: Runtime<T> + Send + 'static>(
        declared: Declared,
        options: ClientConfig,
        make: impl FnOnce(Reporter<T>) -> R,
    ) -> Result<Self, LiveError> {
        Self::logged(declared, options, None, make)
    }

    /// Starts a client as [`start`](Self::start) does, and logs all its events and answers to
    /// `log`, a buffered writer; `None` is no log.
    ///
    /// # Errors
    /// As [`start`](Self::start).
    pub fn logged<R: Runtime<T> + Send + 'static>(
        declared: Declared,
        options: ClientConfig,
        log: Option<Box<dyn Write + Send>>,
        make: impl FnOnce(Reporter<T>) -> R,
    ) -> Result<Self, LiveError> {
        let board = Arc::new(Board::new(declared, options, log)?);
        let runtime = make(Reporter(Arc::clone(&board)));
        if runtime.declared() != declared {
            return Err(LiveError::DeclaredOther);
        }
        let runtime: Arc<AnyRuntime<T>> = Arc::new(Mutex::new(Box::new(runtime)));
        let (tells, bound) = Default::default();
        let shared = ClientParts { board, runtime, tells, bound };
        let worker = Mutex::new(Some(worker::start(shared.clone())?));
        Ok(Self(Arc::new(ClientHandle { shared, worker })))
    }

    /// Opens a stream of the program, an in-order lane of its work, and returns the id of the
    /// stream.
    ///
    /// # Errors
    /// More streams than ids.
    pub fn open(&self) -> Result<StreamId, LiveError> {
        self.board().host(core::Core::open)
    }

    /// Closes a stream of the program: the client takes no further work for it, and work that it
    /// has taken still runs. After that the id of the stream may be given to a new one.
    ///
    /// # Errors
    /// An unknown stream.
    pub fn close(&self, stream: StreamId) -> Result<(), LiveError> {
        self.board().host(|core| core.close(stream))
    }

    /// Takes work of the program over, at the end of its stream, to submit it when the program may
    /// run. Returns the order of capture, or the work itself where the queues are full. If no
    /// preemption is under way and the GPU runtime has room, this thread submits the work, or work
    /// taken before it.
    ///
    /// # Errors
    /// An unknown stream.
    pub fn capture(
        &self,
        stream: StreamId,
        work: CapturedWork<T>,
    ) -> Result<Capture<T>, LiveError> {
        let board = self.board();
        let mut runtime = self.0.shared.try_baton();
        let (captured, task, ended, news) = board.host(|core| {
            let captured = core.captured(stream, work);
            let (task, ended) = match runtime {
                Some(_) => (core.take(), core.take_ended()),
                None => (None, Vec::new()),
            };
            (captured, task, ended, core.has_news())
        });
        drop(ended);
        if let (Some(task), Some(runtime)) = (task, &mut runtime) {
            board.carry_out(task, &mut ***runtime);
        }
        drop(runtime);
        if news {
            self.0.shared.tell();
        }
        captured
    }

    /// Takes work of the program over that waits for an event which only the program knows. Neither
    /// this work nor later work of the stream is submitted until the hold is
    /// [released](Self::release) with the work's order of capture (number among all captured work
    /// of the program).
    ///
    /// # Errors
    /// An unknown stream.
    pub fn capture_held(
        &self,
        stream: StreamId,
        work: CapturedWork<T>,
    ) -> Result<Capture<T>, LiveError> {
        let (captured, news) = self.board().host(|core| {
            let captured = core.captured(stream, work)?;
            if let Capture::Taken(order) = captured {
                core.hold(stream, order)?;
            }
            Ok::<_, LiveError>((captured, core.has_news()))
        })?;
        if news {
            self.0.shared.tell();
        }
        Ok(captured)
    }

    /// Holds a stream back: work that was captured in it at the order of capture `from` (number
    /// among all captured work of the program) or later is not submitted until
    /// [released](Self::release).
    ///
    /// # Errors
    /// An unknown stream.
    pub fn hold(&self, stream: StreamId, from: CaptureOrder) -> Result<(), LiveError> {
        self.board().host(|core| core.hold(stream, from))
    }

    /// Ends a hold: work of the stream that [`hold`](Self::hold) kept back from the order of
    /// capture (number among all captured work of the program) `from` on may be submitted again.
    ///
    /// # Errors
    /// A stream that is not held from there.
    pub fn release(&self, stream: StreamId, from: CaptureOrder) -> Result<(), LiveError> {
        self.board().host(|core| core.release(stream, from))
    }

    /// Returns whether the work that `until` names has ended by now.
    #[must_use]
    pub fn reached(&self, until: Until) -> bool {
        self.board().reached(until)
    }

    /// Blocks until the work that `until` names has ended, or the client stops. Must not be called
    /// from within a call of the GPU runtime or a callback.
    pub fn wait(&self, until: Until) {
        let _ = self.board().wait(until, None);
    }

    /// Blocks for at most `at_most` until the work that `until` names has ended. Returns whether it
    /// has ended.
    #[must_use]
    pub fn wait_for(&self, until: Until, at_most: Duration) -> bool {
        self.board().wait(until, Some(at_most))
    }

    /// Takes the program's work off the device by the method `way`, or, where the GPU runtime lacks
    /// it, by the nearest gentler method (flag for reset, drain for switch, else wait). Returns
    /// whether a preemption has begun.
    pub fn preempt(&self, way: Preemption) -> bool {
        self.0.shared.preempt(None, way)
    }

    /// Replaces the method of the preemption under way by `way`, if that is stronger (reset than
    /// flag, switch than drain, any than wait). Returns whether the method was replaced.
    pub fn escalate(&self, way: Preemption) -> bool {
        self.board().host(|core| core.escalate(way))
    }

    /// Pauses the program: no further work is submitted until [`resume`](Self::resume) is called;
    /// work that was submitted before runs on.
    pub fn pause(&self) {
        self.board().host(core::Core::pause);
    }

    /// Resumes the program after a pause or a preemption: immediately, or when the preemption under
    /// way is complete.
    pub fn resume(&self) {
        self.board().host(core::Core::resume);
    }

    /// Calls `question` with the client's controller under the client's lock, and returns what
    /// `question` returns.
    pub fn ask<A>(&self, question: impl FnOnce(&Controller<T>) -> A) -> A {
        self.board().host(|core| question(core.driver.controller()))
    }

    /// Returns the longest time that a preemption of the program should take, as the daemon has set
    /// it; `None` for no bound. A GPU runtime that can cut launches into parts submits parts that
    /// take no longer.
    #[must_use]
    pub fn bound(&self) -> Option<Duration> {
        let ns = self.0.shared.bound.load(Relaxed);
        (ns > 0).then(|| Duration::from_nanos(ns))
    }

    /// Returns the counts of launches and preemptions of the client since it started.
    #[must_use]
    pub fn counts(&self) -> ClientCounts {
        self.board().host(|core| core.counts())
    }

    /// Adds `more` to a count that the caller keeps under the name `what`; `raddle live status`
    /// shows it.
    pub fn count(&self, what: &'static str, more: u64) {
        self.board().host(|core| core.count(what, more));
    }

    fn board(&self) -> &Board<T> {
        &self.0.shared.board
    }

    /// Returns the parts that the client and its link to the daemon share.
    pub(crate) fn shared(&self) -> ClientParts<T> {
        self.0.shared.clone()
    }

    /// Returns a handle by which callbacks of the GPU runtime report to the client.
    #[must_use]
    pub fn reporter(&self) -> Reporter<T> {
        Reporter(Arc::clone(&self.0.shared.board))
    }

    /// Ends the client's log, for a program that is about to end: later events and answers are not
    /// logged.
    pub fn end_log(&self) {
        self.board().host(core::Core::finish);
    }

    /// Stops the client: the worker thread ends after its present task, all waits end, and work
    /// that waits in queues is never submitted. Returns false if the worker thread has not ended
    /// after `at_most`.
    pub fn stop(&self, at_most: Duration) -> bool {
        self.board().stop();
        let worker = self.0.worker.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(worker) = worker else { return true };
        self.board().wait_stopped(at_most) && worker.join().is_ok()
    }
}
