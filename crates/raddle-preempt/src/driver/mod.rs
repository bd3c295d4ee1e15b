//! How do a controller and a runtime work together?
//!
//! | half | what it does |
//! |---|---|
//! | [`Arbiter`](crate::Arbiter) | says whose turn it is and how work leaves: [`Wish`]es |
//! | [`Driver`] | holds the controller and the runtime: carries wishes and reports to the one, commands to the other |
//!
//! A replay holds both; where every program has a driver of its own, they are apart. A driver takes no
//! lock: who shares one puts it into his own. Where the runtime's calls take their time, it lies
//! [apart](Driver::apart), and [`Task`]s go there.

mod observer;
mod runtime;
mod task;

use alloc::boxed::Box;
use core::fmt;

use raddle_policy::{Idempotence, Preemption, ProcessId};

pub use observer::{Counts, Observer, Seen};
pub use runtime::{Runtime, SubmitCall};
pub use task::Task;

use crate::controller::{
    Command, Controller, ControllerOptions, Declared, Escalated, Exit, LaunchHandle, Preempted,
    ResetVerdict, Resumed,
};
use crate::error::PreemptError;

/// What is wished for a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// Its work leaves by this way.
    Preempt {
        /// The process.
        process: ProcessId,
        /// The way.
        way: Preemption,
    },
    /// A stronger way replaces the one under way.
    Escalate {
        /// The process.
        process: ProcessId,
        /// The way.
        way: Preemption,
    },
    /// Nothing more of it is submitted.
    Pause {
        /// The process.
        process: ProcessId,
    },
    /// It goes on.
    Resume {
        /// The process.
        process: ProcessId,
    },
}

/// What became of a wish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WishAnswer {
    /// Of a preemption.
    Preempted(Preempted),
    /// Of a stronger way.
    Escalated(Escalated),
    /// Of a pause.
    Paused,
    /// Of a resume.
    Resumed(Resumed),
}

/// What a runtime reports; each is a call of the [`Controller`] of the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the calls of the controller say what each is")]
pub enum Report {
    Judged(LaunchHandle, Idempotence),
    Submitted(LaunchHandle),
    NotSubmitted(LaunchHandle),
    Started(LaunchHandle),
    Finished(LaunchHandle),
    Failed(LaunchHandle),
    Exited(LaunchHandle),
    Killed(LaunchHandle),
    Claimed(LaunchHandle),
    Raised(ProcessId),
    Drained(ProcessId),
}

/// What a report led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard<T> {
    /// Nothing that has to be said.
    Noted,
    /// A launch has ended: its payload.
    Ended(T),
    /// A launch has left by the flag.
    Left(Exit),
    /// The flag is visible: whether there is a reset.
    Verdict(ResetVerdict),
}

/// Is told when there is something to do where nothing was: wakes the thread that calls
/// [`Driver::run`], [`Driver::take`] or [`Driver::step`].
pub trait Wake {
    /// There is something to do. Called within a call of the driver, so it must not call that.
    fn wake(&self);
}

/// A controller, its runtime, and who watches them.
pub struct Driver<T, R, O = ()> {
    controller: Controller<T>,
    runtime: R,
    observer: O,
    wake: Option<Box<dyn Wake + Send>>,
    /// The last question what to do was answered with nothing.
    idle: bool,
}

impl<T: fmt::Debug, R: fmt::Debug, O> fmt::Debug for Driver<T, R, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut all = f.debug_struct("Driver");
        all.field("controller", &self.controller).field("runtime", &self.runtime);
        all.finish_non_exhaustive()
    }
}

impl<T: Clone, R: Runtime<T>> Driver<T, R> {
    /// A driver of this runtime, by what that declares.
    ///
    /// # Errors
    /// As [`Controller::new`].
    pub fn new(runtime: R, options: ControllerOptions) -> Result<Self, PreemptError> {
        let controller = Controller::new(runtime.declared(), options)?;
        Ok(Self { controller, runtime, observer: (), wake: None, idle: true })
    }
}

impl<T: Clone> Driver<T, ()> {
    /// A driver whose runtime lies apart, and has declared this: its [tasks](Self::take) go there.
    ///
    /// # Errors
    /// As [`Controller::new`].
    pub fn apart(declared: Declared, options: ControllerOptions) -> Result<Self, PreemptError> {
        let controller = Controller::new(declared, options)?;
        Ok(Self { controller, runtime: (), observer: (), wake: None, idle: true })
    }
}

impl<T: Clone, R, O: Observer> Driver<T, R, O> {
    /// The same with somebody who watches.
    #[must_use]
    pub fn watched_by<P: Observer>(self, observer: P) -> Driver<T, R, P> {
        let Self { controller, runtime, wake, idle, .. } = self;
        Driver { controller, runtime, observer, wake, idle }
    }

    /// The same with somebody who is told when there is something to do.
    #[must_use]
    pub fn waking(self, wake: impl Wake + Send + 'static) -> Self {
        Self { wake: Some(Box::new(wake)), ..self }
    }

    /// The controller, to be asked.
    pub const fn controller(&self) -> &Controller<T> {
        &self.controller
    }

    /// The runtime.
    pub const fn runtime(&self) -> &R {
        &self.runtime
    }

    /// The runtime.
    pub const fn runtime_mut(&mut self) -> &mut R {
        &mut self.runtime
    }

    /// Who watches.
    pub const fn observer(&self) -> &O {
        &self.observer
    }

    /// A call of the host on the controller: processes, streams, captured work.
    pub fn host<A>(&mut self, call: impl FnOnce(&mut Controller<T>) -> A) -> A {
        let answer = call(&mut self.controller);
        self.note_edge();
        answer
    }

    /// A wish, and what became of it.
    ///
    /// # Errors
    /// An unknown process.
    pub fn wish(&mut self, wish: Wish) -> Result<WishAnswer, PreemptError> {
        let answer = match wish {
            Wish::Preempt { process, way } => {
                WishAnswer::Preempted(self.controller.preempt(process, way, None)?)
            }
            Wish::Escalate { process, way } => {
                WishAnswer::Escalated(self.controller.escalate(process, way)?)
            }
            Wish::Pause { process } => {
                self.controller.pause(process)?;
                WishAnswer::Paused
            }
            Wish::Resume { process } => WishAnswer::Resumed(self.controller.resume(process)?),
        };
        self.observer.saw(&Seen::Wish(wish, answer));
        self.note_edge();
        Ok(answer)
    }

    /// A report of the runtime, and what it led to.
    ///
    /// # Errors
    /// As the call of the controller of the same name; nothing has changed.
    pub fn report(&mut self, report: Report) -> Result<Heard<T>, PreemptError> {
        let heard = hear(&mut self.controller, &mut self.observer, report)?;
        self.note_edge();
        Ok(heard)
    }

    /// What is to be done next. Who calls [`run`](Self::run) or [`take`](Self::take) does not need it.
    pub fn step(&mut self) -> Option<Command> {
        let command = self.controller.next_any();
        self.idle = command.is_none();
        if let Some(command) = &command {
            self.observer.saw(&Seen::Command(*command));
        }
        command
    }

    /// What is to be done next, to be [carried out](Task::carry_out) elsewhere, in this order. Who has
    /// taken it leaves his lock for that.
    pub fn take(&mut self) -> Option<Task<T>> {
        let command = self.step()?;
        Task::new(&self.controller, command)
    }

    /// Wakes where there is something to do and nothing was.
    fn note_edge(&mut self) {
        if self.idle
            && let Some(wake) = &self.wake
            && self.controller.is_any_due()
        {
            self.idle = false;
            wake.wake();
        }
    }
}

impl<T: Clone, R: Runtime<T>, O: Observer> Driver<T, R, O> {
    /// Lets the runtime do what is to be done; whether that was all of it. `false` where the runtime
    /// takes no launch now: call it again later.
    ///
    /// # Errors
    /// As the calls of the controller by which what the runtime answers is reported.
    pub fn run(&mut self) -> Result<bool, PreemptError> {
        while let Some(task) = self.take() {
            let Self { controller, runtime, observer, .. } = self;
            let hear = |report| hear(controller, observer, report).map(|_| ());
            if !task.carry_out(runtime, hear)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// A report reaches the controller, and who watches.
fn hear<T>(
    controller: &mut Controller<T>,
    observer: &mut impl Observer,
    report: Report,
) -> Result<Heard<T>, PreemptError> {
    let done = |()| Heard::Noted;
    let heard = match report {
        Report::Judged(handle, verdict) => controller.judged(handle, verdict).map(done),
        Report::Submitted(handle) => controller.submitted(handle).map(done),
        Report::NotSubmitted(handle) => controller.not_submitted(handle).map(done),
        Report::Started(handle) => controller.started(handle).map(done),
        Report::Finished(handle) => controller.finished(handle).map(Heard::Ended),
        Report::Failed(handle) => controller.failed(handle).map(Heard::Ended),
        Report::Exited(handle) => controller.exited(handle).map(Heard::Left),
        Report::Killed(handle) => controller.killed(handle).map(done),
        Report::Claimed(handle) => controller.claimed(handle).map(done),
        Report::Raised(process) => controller.raised(process).map(Heard::Verdict),
        Report::Drained(process) => controller.drained(process).map(done),
    }?;
    observer.saw(&Seen::Report(report));
    if let (Report::Raised(process), Heard::Verdict(verdict)) = (report, &heard) {
        observer.saw(&Seen::Verdict(process, *verdict));
    }
    Ok(heard)
}
