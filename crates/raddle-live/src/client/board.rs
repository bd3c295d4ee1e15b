//! How do callbacks of the runtime, threads of the program and the worker thread wake each other,
//! under the lock around the controller?

use std::io::Write;
use std::time::{Duration, Instant};

use raddle_policy::Preemption;
use raddle_preempt::{Declared, Report, Runtime, Task};

use super::core::Core;
use super::{ClientConfig, Until};
use crate::LiveError;
use crate::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// State of a client that callbacks of the GPU runtime, threads of the program and the client's
/// worker thread share, under one lock.
pub(crate) struct Board<T> {
    core: Mutex<Core<T>>,
    /// Condition variable on which the client's worker thread waits for tasks.
    work: Condvar,
    /// Condition variable on which threads of the program wait for work to end.
    moved: Condvar,
    /// Condition variable on which the thread that writes to the daemon waits for changes of the
    /// client's state.
    news: Condvar,
    give_up: u64,
}

impl<T> std::fmt::Debug for Board<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Board").finish_non_exhaustive()
    }
}

impl<T> Board<T> {
    fn lock(&self) -> MutexGuard<'_, Core<T>> {
        self.core.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stops the client: ends its worker thread and all waits of other threads.
    pub(crate) fn stop(&self) {
        self.lock().stop = true;
        self.work.notify_all();
        self.moved.notify_all();
        self.news.notify_all();
    }

    /// Waits for at most `at_most` until the worker, the thread that calls the GPU runtime, has
    /// ended. Returns whether it has ended.
    pub(crate) fn wait_stopped(&self, at_most: Duration) -> bool {
        let deadline = Instant::now() + at_most;
        let mut core = self.lock();
        while !core.stopped {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            core = Self::sleep(core, &self.moved, Some(left));
        }
        core.stopped
    }

    /// Releases the lock and waits until the condition `on` is notified, or until `at_most` is over
    /// (`None` is no limit). Returns with the lock taken again.
    fn sleep<'c>(
        core: MutexGuard<'c, Core<T>>,
        on: &Condvar,
        at_most: Option<Duration>,
    ) -> MutexGuard<'c, Core<T>> {
        match at_most {
            None => on.wait(core).unwrap_or_else(PoisonError::into_inner),
            Some(left) => on.wait_timeout(core, left).unwrap_or_else(PoisonError::into_inner).0,
        }
    }
}

impl<T: Clone> Board<T> {
    pub(crate) fn new(
        declared: Declared,
        options: ClientConfig,
        log: Option<Box<dyn Write + Send>>,
    ) -> Result<Self, LiveError> {
        let give_up = u64::try_from(options.give_up.as_nanos()).unwrap_or(u64::MAX);
        let core = Mutex::new(Core::new(declared, options, log)?);
        Ok(Self {
            core,
            work: Condvar::new(),
            moved: Condvar::new(),
            news: Condvar::new(),
            give_up,
        })
    }

    /// Calls `call` with the client's state under its lock, and returns the result. Then wakes the
    /// worker thread, or the thread that writes to the daemon, if there is something for it to do.
    pub(crate) fn host<A>(&self, call: impl FnOnce(&mut Core<T>) -> A) -> A {
        let mut core = self.lock();
        let answer = call(&mut core);
        self.nudge(&mut core);
        answer
    }

    fn nudge(&self, core: &mut Core<T>) {
        if core.sleeping && core.is_due() {
            core.sleeping = false;
            self.work.notify_one();
        }
        if core.link.waits && core.has_news() {
            core.link.waits = false;
            self.news.notify_one();
        }
    }

    /// Begins a preemption by the method `way`. Returns (whether it has begun, result of `then`,
    /// which gets the client's state). `order` is the number under which the daemon ordered the
    /// preemption; `None` where the program itself wants it. The worker thread is woken in any
    /// case, to measure how long the preemption takes.
    pub(crate) fn preempt<A>(
        &self,
        order: Option<u64>,
        way: Preemption,
        then: impl FnOnce(&mut Core<T>) -> A,
    ) -> (bool, A) {
        let told = self.host(|core| {
            core.link.ordered = order.unwrap_or(core.link.ordered);
            (core.preempt(way), then(core))
        });
        self.work.notify_one();
        told
    }

    pub(crate) fn report(&self, report: Report) -> Result<(), LiveError> {
        let mut core = self.lock();
        let moved = core.report(report)?;
        self.nudge(&mut core);
        drop(core);
        if moved {
            self.moved.notify_all();
        }
        Ok(())
    }

    /// Lets the GPU runtime carry out a task. Returns false if the task is a launch that the
    /// runtime does not take now, so that the caller must try again; true otherwise.
    pub(crate) fn carry_out(&self, task: Task<T>, runtime: &mut (dyn Runtime<T> + Send)) -> bool {
        // A launch that is reported as ended before its call returns is not known any more.
        task.carry_out(runtime, |report| self.report(report).or(Ok::<(), ()>(()))).unwrap_or(true)
    }

    /// Records that the client's worker thread has ended, and ends the log.
    pub(crate) fn stopped(&self) {
        let mut core = self.lock();
        core.stopped = true;
        core.finish();
        drop(core);
        self.moved.notify_all();
    }

    pub(crate) fn reached(&self, until: Until) -> bool {
        self.lock().reached(until)
    }

    /// Waits until the work that `until` names has ended, for at most `at_most` (`None` is no
    /// limit). Returns true if it has ended, false if the time is over or the client stops before.
    pub(crate) fn wait(&self, until: Until, at_most: Option<Duration>) -> bool {
        let deadline = at_most.map(|at_most| Instant::now() + at_most);
        let mut core = self.lock();
        core.waiting += 1;
        while !core.reached(until) && !core.stop {
            let left = deadline.map(|at| at.saturating_duration_since(Instant::now()));
            if left == Some(Duration::ZERO) {
                break;
            }
            core = Self::sleep(core, &self.moved, left);
        }
        core.waiting -= 1;
        let (reached, ended) = (core.reached(until), core.take_ended());
        self.nudge(&mut core);
        drop(core);
        drop(ended);
        reached
    }

    /// Lets the worker thread sleep: first for at most `at_most`, if that is given, then until
    /// there is something to do. Returns the payloads (values that the program attached to its
    /// work) of ended launches, which the worker must drop; `None` if the worker must end.
    pub(crate) fn next_work(&self, at_most: Option<Duration>) -> Option<Vec<T>> {
        let mut core = self.lock();
        let mut at_most = at_most;
        while !core.stop && (at_most.is_some() || !core.is_due()) {
            let until_given_up = core.until_given_up(self.give_up).map(Duration::from_nanos);
            core.flush();
            core.sleeping = at_most.is_none();
            core = Self::sleep(core, &self.work, at_most.take().or(until_given_up));
        }
        core.sleeping = false;
        (!core.stop).then(|| core.take_ended())
    }

    /// Waits until there is something to report to the daemon, such as new work or the end of a
    /// preemption, or until the time `at_most` is over.
    pub(crate) fn wait_news(&self, at_most: Duration) {
        let mut core = self.lock();
        if !core.stop && !core.has_news() {
            core.link.waits = true;
            core = Self::sleep(core, &self.news, Some(at_most));
            core.link.waits = false;
        }
    }

    /// Returns the next task of the preemption under way; `None` where there is none. The caller
    /// must have the GPU runtime locked.
    pub(crate) fn take_leaving(&self) -> Option<Task<T>> {
        self.host(|core| if core.stop { None } else { core.take_leaving() })
    }

    /// Returns the next task for the GPU runtime; `None` where there is none. The caller must have
    /// the runtime locked.
    pub(crate) fn take(&self) -> Option<Task<T>> {
        // The task may be the end of a preemption, which is news: `host` wakes the link.
        self.host(|core| if core.stop { None } else { core.take() })
    }
}
