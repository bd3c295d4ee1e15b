//! How do a controller and a runtime work together?
//!
//! | half | what it does |
//! |---|---|
//! | [`Arbiter`](crate::Arbiter) | says whose turn it is and how work leaves: [`Wish`]es |
//! | [`Driver`] | holds the controller and the runtime: carries wishes and reports to the one, commands to the other |
//!
//! A replay holds both; where every program has a driver of its own, they are apart. A driver takes no
//! lock: who shares one puts it into his own.

mod observer;
mod runtime;

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

use raddle_policy::{Preemption, ProcessId, StreamId};

pub use observer::{Counts, Observer, Seen};
pub use runtime::{Runtime, SubmitCall};

use crate::controller::{
    Command, Controller, ControllerOptions, Escalated, Exit, FlagCut, LaunchHandle, Preempted,
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
/// [`Driver::run`] or [`Driver::step`].
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
    cuts: Vec<(StreamId, FlagCut)>,
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
        Ok(Self { controller, runtime, observer: (), wake: None, idle: true, cuts: Vec::new() })
    }
}

impl<T: Clone, R: Runtime<T>, O: Observer> Driver<T, R, O> {
    /// The same with somebody who watches.
    #[must_use]
    pub fn watched_by<P: Observer>(self, observer: P) -> Driver<T, R, P> {
        let Self { controller, runtime, wake, idle, cuts, .. } = self;
        Driver { controller, runtime, observer, wake, idle, cuts }
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
        let controller = &mut self.controller;
        let done = |()| Heard::Noted;
        let heard = match report {
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
        self.observer.saw(&Seen::Report(report));
        if let (Report::Raised(process), Heard::Verdict(verdict)) = (report, &heard) {
            self.observer.saw(&Seen::Verdict(process, *verdict));
        }
        self.note_edge();
        Ok(heard)
    }

    /// What is to be done next. For a driver whose submit calls take their time: it clones the
    /// [payload](Controller::payload), leaves its lock, calls, and reports. Who calls [`run`](Self::run)
    /// does not need it.
    pub fn step(&mut self) -> Option<Command> {
        let command = self.controller.next_any();
        self.idle = command.is_none();
        if let Some(command) = &command {
            self.observer.saw(&Seen::Command(*command));
        }
        command
    }

    /// Lets the runtime do what is to be done; whether that was all of it. `false` where the runtime
    /// takes no launch now: call it again later.
    ///
    /// # Errors
    /// As the calls of the controller by which what the runtime answers is reported.
    pub fn run(&mut self) -> Result<bool, PreemptError> {
        while let Some(command) = self.step() {
            if !self.carry_out(command)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Lets the runtime do one thing; whether it did.
    fn carry_out(&mut self, command: Command) -> Result<bool, PreemptError> {
        let runtime = &mut self.runtime;
        match command {
            Command::Submit { handle, stream } => return self.submit(handle, stream),
            Command::Raise { process } => {
                self.cuts.clear();
                self.cuts.extend(self.controller.cuts(process)?);
                runtime.raise(process, &self.cuts);
            }
            Command::Lower { process } => runtime.lower(process),
            Command::Reset { process } => runtime.reset(process, &self.controller),
            Command::Hold { process } => runtime.hold(process),
            Command::Release { process } => runtime.release(process),
            Command::Save { process } => runtime.save(process),
            Command::Restore { process } => runtime.restore(process),
            Command::Drained { process, resumed } => runtime.drained(process, resumed),
        }
        Ok(true)
    }

    fn submit(&mut self, handle: LaunchHandle, stream: StreamId) -> Result<bool, PreemptError> {
        let Some(payload) = self.controller.payload(handle).cloned() else { return Ok(true) };
        if let Some(verdict) = self.runtime.verdict(&payload) {
            self.controller.judged(handle, verdict)?;
        }
        let report = match self.runtime.submit(handle, stream, payload) {
            SubmitCall::UnderWay => return Ok(true),
            SubmitCall::Returned => Report::Submitted(handle),
            SubmitCall::NotNow => Report::NotSubmitted(handle),
            SubmitCall::Refused => Report::Failed(handle),
        };
        self.report(report)?;
        Ok(!matches!(report, Report::NotSubmitted(_)))
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
