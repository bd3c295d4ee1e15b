//! How do a controller and a runtime work together?
//!
//! | half | what it does |
//! |---|---|
//! | [`Arbiter`](crate::Arbiter) | says whose turn it is and how work leaves: [`Wish`]es |
//! | [`Driver`] | holds the controller and the runtime: passes wishes and reports to the controller, commands to the runtime |
//!
//! A replay has both in one place; in a live run every program has a driver of its own. A driver
//! takes no lock: to share it between threads, put it into a mutex. If calls of the runtime may
//! block, make the driver [apart](Driver::apart) from the runtime, and pass the runtime [`Task`]s.

mod counts;
mod runtime;
mod task;

use core::fmt;

use raddle_policy::{Preemption, ProcessId};

pub use counts::Counts;
pub use runtime::{Runtime, SubmitCall};
pub use task::Task;

use crate::controller::{
    Command, Controller, ControllerConfig, Declared, Heard, Report, WishAnswer,
};
use crate::error::PreemptError;

/// Request of the arbiter, which decides which processes may submit launches, to the driver of a
/// process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// The work of a process shall leave the device by the given method.
    Preempt {
        /// Process whose work shall leave the device.
        process: ProcessId,
        /// Method by which the work leaves the device.
        way: Preemption,
    },
    /// The work that is leaving the device shall leave by a stronger method (any in place of wait,
    /// reset in place of flag, switch in place of drain) from now on.
    Escalate {
        /// Process whose preemption is under way.
        process: ProcessId,
        /// Stronger method, by which the work leaves the device from now on.
        way: Preemption,
    },
    /// The process shall be paused: no further launch of it is submitted until it is resumed.
    Pause {
        /// Process that is paused.
        process: ProcessId,
    },
    /// A process may submit launches again.
    Resume {
        /// Process that may submit launches again.
        process: ProcessId,
    },
}

/// Controller of a device, combined with the runtime that carries out its commands.
pub struct Driver<T, R> {
    controller: Controller<T>,
    runtime: R,
    counts: Counts,
}

impl<T: fmt::Debug, R: fmt::Debug> fmt::Debug for Driver<T, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut all = f.debug_struct("Driver");
        all.field("controller", &self.controller).field("runtime", &self.runtime);
        all.finish_non_exhaustive()
    }
}

impl<T: Clone, R: Runtime<T>> Driver<T, R> {
    /// Returns a driver of the runtime `runtime`, with the properties that the runtime declares.
    ///
    /// # Errors
    /// Where the runtime can reset (kill running launches) and has no preemption flag, or the
    /// window (largest number of launches in the runtime) is 0.
    pub fn new(runtime: R, options: ControllerConfig) -> Result<Self, PreemptError> {
        let controller = Controller::new(runtime.declared(), options)?;
        Ok(Self { controller, runtime, counts: Counts::default() })
    }
}

impl<T: Clone> Driver<T, ()> {
    /// Returns a driver without a runtime of its own. `declared` describes the runtime; the caller
    /// takes [tasks](Self::take) and lets that runtime carry them out.
    ///
    /// # Errors
    /// Where the runtime can reset (kill running launches) and has no preemption flag, or the
    /// window (largest number of launches in the runtime) is 0.
    pub fn apart(declared: Declared, options: ControllerConfig) -> Result<Self, PreemptError> {
        let controller = Controller::new(declared, options)?;
        Ok(Self { controller, runtime: (), counts: Counts::default() })
    }
}

impl<T: Clone, R> Driver<T, R> {
    /// Returns the driver's controller, for queries.
    pub const fn controller(&self) -> &Controller<T> {
        &self.controller
    }

    /// Returns the driver's runtime.
    pub const fn runtime(&self) -> &R {
        &self.runtime
    }

    /// Returns the driver's runtime, which the caller may change.
    pub const fn runtime_mut(&mut self) -> &mut R {
        &mut self.runtime
    }

    /// Returns the counts of launches, preemptions and resets so far.
    #[must_use]
    pub const fn counts(&self) -> Counts {
        self.counts
    }

    /// Calls `call` with the controller, for a call of the host about processes, streams or
    /// captured work, and returns the answer.
    pub fn host<A>(&mut self, call: impl FnOnce(&mut Controller<T>) -> A) -> A {
        call(&mut self.controller)
    }

    /// Carries out a request of the arbiter about a process (a wish), and returns the answer.
    ///
    /// # Errors
    /// An unknown process.
    pub fn wish(&mut self, wish: Wish) -> Result<WishAnswer, PreemptError> {
        let answer = match wish {
            Wish::Preempt { process, way } => self.controller.preempt(process, way, None)?,
            Wish::Escalate { process, way } => self.controller.escalate(process, way)?,
            Wish::Pause { process } => {
                self.controller.pause(process)?;
                WishAnswer::Begun
            }
            Wish::Resume { process } => self.controller.resume(process)?,
        };
        self.counts.wished(wish, answer);
        Ok(answer)
    }

    /// Passes a report of the runtime on to the controller, and returns its effect.
    ///
    /// # Errors
    /// An unknown process; a launch that is not in the runtime; a report that does not fit
    /// the state of the launch or the commands that were given. After an error nothing has changed.
    pub fn report(&mut self, report: Report) -> Result<Heard<T>, PreemptError> {
        hear(&mut self.controller, &mut self.counts, report)
    }

    /// Returns the next command for the runtime; `None` where there is none. Callers of
    /// [`run`](Self::run) or [`take`](Self::take) do not need this.
    pub fn step(&mut self) -> Option<Command> {
        let command = self.controller.next_any();
        if let Some(command) = command {
            self.counts.commanded(command);
        }
        command
    }

    /// Returns the next task, which the caller [carries out](Task::carry_out) without the driver;
    /// `None` where there is none. Tasks must be carried out in the order in which they are
    /// returned, and without the lock around the driver.
    pub fn take(&mut self) -> Option<Task<T>> {
        let command = self.step()?;
        Task::new(&self.controller, command)
    }
}

impl<T: Clone, R: Runtime<T>> Driver<T, R> {
    /// Has the runtime carry out all commands that are due. Returns `true` when all are carried
    /// out; `false` if the runtime takes no launch now: call this again later.
    ///
    /// # Errors
    /// The errors of [`report`](Self::report), which receives every answer of the runtime.
    pub fn run(&mut self) -> Result<bool, PreemptError> {
        while let Some(task) = self.take() {
            let Self { controller, runtime, counts } = self;
            let hear = |report| hear(controller, counts, report).map(|_| ());
            if !task.carry_out(runtime, hear)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Passes a report to the controller, and counts it if the controller accepts it. Returns the
/// effect of the report, or the error of the controller.
fn hear<T>(
    controller: &mut Controller<T>,
    counts: &mut Counts,
    report: Report,
) -> Result<Heard<T>, PreemptError> {
    let heard = controller.report(report)?;
    counts.heard(report, &heard);
    Ok(heard)
}
