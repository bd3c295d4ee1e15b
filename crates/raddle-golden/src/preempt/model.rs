//! What happens, tick by tick, on a GPU that runs one stream of launches and is preempted?
//!
//! The preemption controller drives a GPU that runs one launch at a time, in order; `raddle golden
//! preempt` asks this. Inside one tick: the GPU finishes; the host issues launches; requests to
//! preempt and to resume are made, in their order; the controller gives commands until it has none
//! (the end of a drain, a resume that waited for it, submissions); a free GPU starts the next
//! launch, but never during a reset. A launch that starts while the preemption flag is raised takes
//! the ticks of an exit.

use std::collections::VecDeque;

use raddle_policy::{Idempotence, Level, Preemption, ProcessId, StreamId, Tick};
use raddle_preempt::{
    Abilities, CapturedWork, Command, Controller, ControllerConfig, Declared, FlagCut, Heard,
    LaunchHandle, Report, ResetScope, WishAnswer,
};
use serde::{Deserialize, Deserializer};

use crate::ModelError;

/// Settings of the simulated GPU that is preempted, and of its runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamSetup {
    /// Most launches that may be submitted to the runtime and not ended at the same time.
    pub window: u32,
    /// Ticks from the start of a launch to its exit, where the launch finds the preemption flag
    /// raised and leaves without doing its work.
    pub exit: u64,
    /// Number of ticks that a reset of the GPU (which kills the running launch) takes, during which
    /// no launch starts.
    pub reset: u64,
    /// True if the runtime can reset the GPU, which kills the running launch.
    pub can_reset: bool,
    /// Most steps (events) of a run; a run with more is refused.
    pub most_steps: u64,
}

impl Default for StreamSetup {
    fn default() -> Self {
        Self { window: 8, exit: 1, reset: 2, can_reset: false, most_steps: u64::MAX }
    }
}

/// One launch of the preempted program, as a question gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct StreamLaunch {
    /// Earliest tick at which the host issues the launch. The host issues launches in order, so it
    /// may issue this one later.
    pub at: Tick,
    /// Ticks for which the launch runs if nothing stops it.
    #[serde(deserialize_with = "crate::fault::positive")]
    pub ticks: u64,
    /// Verdict on whether the launch may be killed part-way and run again without harm; it may be
    /// unknown.
    #[serde(deserialize_with = "idempotence")]
    pub idempotent: Idempotence,
}

fn idempotence<'de, D: Deserializer<'de>>(from: D) -> Result<Idempotence, D::Error> {
    let may_run_again = bool::deserialize(from)?;
    Ok(if may_run_again { Idempotence::Idempotent } else { Idempotence::Not })
}

/// A request from outside (to preempt or to resume), made while the program runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StreamWish {
    /// Request that the launches leave the GPU, because another program needs it at once.
    Preempt,
    /// Request that the preempted program's launches run again.
    Resume,
}

/// One event of a preempted run. Launches are numbered from 0 in the order of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PreemptStep {
    /// The host issued the launch with this index (step S2.2 of patent 001).
    Captured(usize),
    /// The launch with this index was given to the GPU's runtime (steps S2.3 and S4.2 of patent
    /// 001).
    Submitted(usize),
    /// The launch with this index starts to run.
    Started(usize),
    /// The launch with this index starts, finds the preemption flag raised, and begins to leave
    /// without doing its work.
    Leaving(usize),
    /// The launch with this index has run to its end.
    Done(usize),
    /// The launch with this index, which found the preemption flag raised, has left without doing
    /// its work.
    Exited(usize),
    /// A request to preempt was made (step S3 of patent 001); the value tells what it caused.
    Preempt(WishAnswer),
    /// The preemption flag was raised for the launches of this range, so that they leave when they
    /// start (step S3.2 of patent 001).
    Raised(FlagCut),
    /// The controller checked whether the launches in the runtime allow a reset of the GPU (step
    /// S3.3 of patent 001): `Reset` or `NoReset`; `Noted` where none was asked for.
    Checked(Heard<usize>),
    /// The GPU was reset, which killed the launch with this index; `None` where none ran (step S3.3
    /// of patent 001).
    Reset(Option<usize>),
    /// The preemption is complete: no launch is left on the GPU.
    Drained,
    /// A request to resume was made (step S4 of patent 001); the value tells what it caused.
    Resume(WishAnswer),
    /// A resume that had to wait for the end of a preemption takes effect (step S4 of patent 001).
    Resumes,
    /// The preemption flag, which launches test at their start, was lowered (step S4.1 of patent
    /// 001).
    Lowered,
}

/// Outcome of a preempted run: how long each preemption took, and which launches ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PreemptOutcome {
    /// Number of ticks from the start of each preemption to its end.
    pub latencies: Vec<u64>,
    /// Indices of the launches that ran to their end, in the order in which they did.
    pub done: Vec<usize>,
    /// For each launch the number of times that it was killed.
    pub partial_runs: Vec<u64>,
    /// Indices of the launches that had not ended when no further event was possible.
    pub held: Vec<usize>,
}

#[derive(Clone, Copy, Debug)]
struct BusyGpu {
    handle: LaunchHandle,
    /// Tick at which the launch ends; it may lie beyond `u64`, and is then never reached.
    ends: u128,
    leaves: bool,
}

/// State of a preempted run. The preemption controller, a `Controller<usize>`, knows each launch by
/// its number in the program.
struct PreemptPlay<'a> {
    setup: StreamSetup,
    launches: &'a [StreamLaunch],
    controller: Controller<usize>,
    process: ProcessId,
    stream: StreamId,
    now: u64,
    /// Launches that were given to the runtime and have not started, in order.
    queue: VecDeque<LaunchHandle>,
    busy: Option<BusyGpu>,
    flag: Option<FlagCut>,
    resets_until: Option<u128>,
    begun: u64,
    steps: u64,
    outcome: PreemptOutcome,
    watch: &'a mut dyn FnMut(Tick, &PreemptStep, &Controller<usize>),
}

/// Runs the launches on a GPU that is preempted, until all have ended or no further event is
/// possible; `watch` is called with every step.
///
/// ```
/// use raddle_golden::preempt::model::{StreamLaunch, StreamSetup, StreamWish, run};
/// use raddle_policy::{Idempotence, Tick};
///
/// // The worked run of the digest: 12 launches of 10 ticks at once, and one at 40.
/// let launch = |at| StreamLaunch { at: Tick(at), ticks: 10, idempotent: Idempotence::Idempotent };
/// let launches: Vec<_> = (0..13).map(|n| launch(if n < 12 { 0 } else { 40 })).collect();
/// let wishes = [(Tick(25), StreamWish::Preempt), (Tick(84), StreamWish::Resume)];
/// let setup = StreamSetup { can_reset: true, ..StreamSetup::default() };
/// let mut end = Tick::ZERO;
/// let outcome = run(setup, &launches, &wishes, &mut |now, _, _| end = now)?;
/// assert_eq!((outcome.latencies, end), (vec![9], Tick(194)));
/// assert_eq!(outcome.done, (0..13).collect::<Vec<_>>());
/// # Ok::<(), raddle_golden::ModelError>(())
/// ```
///
/// # Errors
/// A window of 0, a launch or a reset that would end beyond `u64`, or a run of more steps than
/// [`StreamSetup::most_steps`] (found at the end of a tick).
pub fn run(
    setup: StreamSetup,
    launches: &[StreamLaunch],
    wishes: &[(Tick, StreamWish)],
    watch: &mut dyn FnMut(Tick, &PreemptStep, &Controller<usize>),
) -> Result<PreemptOutcome, ModelError> {
    let abilities =
        Abilities::NONE.with(Preemption::Flag, true).with(Preemption::Reset, setup.can_reset);
    let declared =
        Declared { abilities, latched: true, withdraws: false, scope: ResetScope::Process };
    let options = ControllerConfig::default().with_window(setup.window);
    let mut controller = Controller::new(declared, options)?;
    let process = controller.join(Level(0))?;
    let stream = controller.open(process)?;
    let mut run = PreemptPlay {
        setup,
        launches,
        controller,
        process,
        stream,
        now: 0,
        queue: VecDeque::new(),
        busy: None,
        flag: None,
        resets_until: None,
        begun: 0,
        steps: 0,
        outcome: PreemptOutcome {
            partial_runs: vec![0; launches.len()],
            ..PreemptOutcome::default()
        },
        watch,
    };
    let (mut captured, mut wished) = (0, 0);
    loop {
        let launch = launches.get(captured).map(|launch| u128::from(launch.at.0));
        let wish = wishes.get(wished).map(|(at, _)| u128::from(at.0));
        let Some(next) = run.due().into_iter().chain(launch).chain(wish).min() else { break };
        let next = u64::try_from(next).map_err(|_| run.endless())?;
        run.now = run.now.max(next);
        run.finish()?;
        while launches.get(captured).is_some_and(|launch| launch.at.0 <= run.now) {
            run.capture(captured)?;
            captured += 1;
        }
        while let Some(&(Tick(at), wish)) = wishes.get(wished)
            && at <= run.now
        {
            run.hear(wish)?;
            wished += 1;
        }
        run.ask()?;
        run.start()?;
        if run.steps > setup.most_steps {
            return Err(ModelError::Steps { most: setup.most_steps });
        }
    }
    let mut outcome = run.outcome;
    let mut held = vec![true; launches.len()];
    outcome.done.iter().for_each(|&launch| held[launch] = false);
    outcome.held = (0..launches.len()).filter(|&launch| held[launch]).collect();
    Ok(outcome)
}

impl PreemptPlay<'_> {
    fn tell(&mut self, step: PreemptStep) {
        self.steps = self.steps.saturating_add(1);
        (self.watch)(Tick(self.now), &step, &self.controller);
    }

    /// Returns the next tick at which a launch or a reset on the GPU ends; `None` where neither
    /// runs.
    fn due(&self) -> Option<u128> {
        self.busy.map(|busy| busy.ends).into_iter().chain(self.resets_until).min()
    }

    fn endless(&self) -> ModelError {
        let launch = self.busy.and_then(|busy| self.controller.payload(busy.handle).copied());
        launch.map_or(ModelError::ResetTime, |launch| ModelError::LaunchTime { launch })
    }

    /// Returns the number in the program of the launch that has this handle in the runtime.
    fn number(&self, handle: LaunchHandle) -> usize {
        // Every handle that is asked for is in the runtime.
        self.controller.payload(handle).copied().unwrap_or_default()
    }

    fn finish(&mut self) -> Result<(), ModelError> {
        let now = u128::from(self.now);
        if let Some(busy) = self.busy.take_if(|busy| busy.ends == now) {
            let launch = self.number(busy.handle);
            if busy.leaves {
                self.controller.report(Report::Exited(busy.handle))?;
                self.tell(PreemptStep::Exited(launch));
            } else {
                self.controller.report(Report::Finished(busy.handle))?;
                self.outcome.done.push(launch);
                self.tell(PreemptStep::Done(launch));
            }
        }
        if self.resets_until.take_if(|until| *until == now).is_some() {
            self.controller.report(Report::Drained(self.process))?;
        }
        Ok(())
    }

    fn capture(&mut self, launch: usize) -> Result<(), ModelError> {
        let idempotent = self.launches[launch].idempotent;
        let work = CapturedWork::kernel(launch, idempotent);
        let _ = self.controller.captured(self.process, self.stream, work)?;
        self.tell(PreemptStep::Captured(launch));
        Ok(())
    }

    fn hear(&mut self, wish: StreamWish) -> Result<(), ModelError> {
        match wish {
            StreamWish::Preempt => {
                let way = if self.setup.can_reset { Preemption::Reset } else { Preemption::Flag };
                let became = self.controller.preempt(self.process, way, None)?;
                if became == WishAnswer::Begun {
                    self.begun = self.now;
                }
                self.tell(PreemptStep::Preempt(became));
            }
            StreamWish::Resume => {
                let became = self.controller.resume(self.process)?;
                self.tell(PreemptStep::Resume(became));
            }
        }
        Ok(())
    }

    /// Takes commands from the preemption controller and carries them out, until the controller has
    /// no further command. Returns the error of the controller, if it fails.
    fn ask(&mut self) -> Result<(), ModelError> {
        while let Some(command) = self.controller.next(self.process)? {
            match command {
                Command::Submit { handle, .. } => {
                    self.controller.report(Report::Submitted(handle))?;
                    self.queue.push_back(handle);
                    let launch = self.number(handle);
                    self.tell(PreemptStep::Submitted(launch));
                }
                Command::Raise { .. } => {
                    let cut = self.controller.cut(self.process, self.stream)?.unwrap_or_default();
                    self.flag = Some(cut);
                    self.tell(PreemptStep::Raised(cut));
                    let heard = self.controller.report(Report::Raised(self.process))?;
                    self.tell(PreemptStep::Checked(heard));
                }
                Command::Lower { .. } => {
                    self.flag = None;
                    self.tell(PreemptStep::Lowered);
                }
                Command::Reset { .. } => self.reset()?,
                Command::Drained { resumed, .. } => {
                    self.outcome.latencies.push(self.now - self.begun);
                    self.tell(PreemptStep::Drained);
                    if resumed {
                        self.tell(PreemptStep::Resumes);
                    }
                }
                // The GPU of this model declares neither hold nor save.
                Command::Hold { .. }
                | Command::Release { .. }
                | Command::Save { .. }
                | Command::Restore { .. } => {}
            }
        }
        Ok(())
    }

    fn reset(&mut self) -> Result<(), ModelError> {
        let killed = match self.busy.take() {
            Some(busy) => {
                let launch = self.number(busy.handle);
                self.controller.report(Report::Killed(busy.handle))?;
                self.outcome.partial_runs[launch] += 1;
                Some(launch)
            }
            None => None,
        };
        if self.setup.reset == 0 {
            self.controller.report(Report::Drained(self.process))?;
        } else {
            self.resets_until = Some(u128::from(self.now) + u128::from(self.setup.reset));
        }
        self.tell(PreemptStep::Reset(killed));
        Ok(())
    }

    /// Starts the next launch, if the GPU is free; nothing happens if it is busy or no launch
    /// waits. Returns the error of the controller, if it fails.
    fn start(&mut self) -> Result<(), ModelError> {
        if self.busy.is_some() || self.resets_until.is_some() {
            return Ok(());
        }
        let Some(handle) = self.queue.pop_front() else { return Ok(()) };
        self.controller.report(Report::Started(handle))?;
        let launch = self.number(handle);
        let leaves = self.flag.is_some_and(|cut| cut.holds(handle.sequence()));
        let ticks = if leaves { self.setup.exit } else { self.launches[launch].ticks };
        let ends = u128::from(self.now) + u128::from(ticks);
        self.busy = Some(BusyGpu { handle, ends, leaves });
        self.tell(if leaves { PreemptStep::Leaving(launch) } else { PreemptStep::Started(launch) });
        Ok(())
    }
}
