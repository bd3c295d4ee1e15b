//! How long does an urgent request wait for a long job, by each way of taking the job off?
//!
//! `cargo run -p raddle-preempt --example preempt_a_long_job`
//!
//! A job of 12 launches of 10 ms each keeps 8 of them in the runtime. 25 ms after its start a request
//! comes that needs the GPU for 5 ms. The GPU here is a queue and a clock, in a few lines below; the
//! controller is the one that would drive a real one. `drive` is what a driver looks like.
#![allow(
    clippy::print_stdout,
    dead_code,
    reason = "an example prints; its test only asks for the text"
)]

use std::collections::VecDeque;
use std::fmt::Write;

use raddle_policy::{Idempotence, Level, Preemption, ProcessId, StreamId};
use raddle_preempt::{
    Abilities, CapturedWork, Command, Controller, ControllerConfig, Declared, FlagCut, Heard,
    LaunchHandle, PreemptError, Report, ResetScope, WishAnswer,
};

/// Time that one launch of the job takes, in microseconds, as all times of this example are.
const LAUNCH: u64 = 10_000;
const REQUEST_AT: u64 = 25_000;
const REQUEST: u64 = 5_000;
const EXIT: u64 = 5;
const RESET: u64 = 200;

/// A GPU that runs one launch at a time, in the order in which they were submitted.
#[derive(Default)]
struct Gpu {
    now: u64,
    queue: VecDeque<LaunchHandle>,
    /// The launch that runs: (its handle, tick at which it ends, true where it only leaves by the
    /// flag).
    running: Option<(LaunchHandle, u64, bool)>,
    flag: Option<FlagCut>,
}

/// The long job with its controller and GPU, and the text that the example prints about them.
struct Story {
    controller: Controller<usize>,
    job: ProcessId,
    stream: StreamId,
    gpu: Gpu,
    text: String,
    thrown_away: u64,
}

impl Story {
    fn new() -> Result<Self, PreemptError> {
        // This runtime has two methods: its kernels test a flag, and its compute units can be
        // reset.
        let abilities = Abilities::NONE.with(Preemption::Flag, true).with(Preemption::Reset, true);
        let scope = ResetScope::Process;
        let declared = Declared { abilities, latched: true, withdraws: false, scope };
        let mut controller = Controller::new(declared, ControllerConfig::default())?;
        let job = controller.join(Level(9))?;
        let stream = controller.open(job)?;
        for number in 1..=12 {
            let work = CapturedWork::kernel(number, Idempotence::Idempotent);
            let _ = controller.captured(job, stream, work)?;
        }
        Ok(Self {
            controller,
            job,
            stream,
            gpu: Gpu::default(),
            text: String::new(),
            thrown_away: 0,
        })
    }

    fn tell(&mut self, what: &str) {
        let now = self.gpu.now;
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "  {:>3}.{:03} ms  {what}", now / 1000, now % 1000);
    }

    fn number(&self, handle: LaunchHandle) -> usize {
        self.controller.payload(handle).copied().unwrap_or_default()
    }

    /// Carries out the commands of the controller until there is none. Returns whether the job is
    /// off the GPU now.
    fn drive(&mut self) -> Result<bool, PreemptError> {
        while let Some(command) = self.controller.next(self.job)? {
            match command {
                Command::Submit { handle, .. } => {
                    self.gpu.queue.push_back(handle);
                    self.controller.report(Report::Submitted(handle))?;
                }
                Command::Raise { .. } => {
                    self.gpu.flag = self.controller.cut(self.job, self.stream)?;
                    self.tell(
                        "the flag goes up: what is in the runtime and has not begun will leave",
                    );
                    let heard = self.controller.report(Report::Raised(self.job))?;
                    if let Heard::NoReset(why) = heard {
                        self.tell(&format!("no reset: {why:?}"));
                    }
                }
                Command::Reset { .. } => {
                    if let Some((handle, ends, _)) = self.gpu.running.take() {
                        let done = LAUNCH - (ends - self.gpu.now);
                        self.thrown_away += done;
                        let number = self.number(handle);
                        self.tell(&format!(
                            "reset: launch {number} is killed, {} ms of it are thrown away",
                            done / 1000
                        ));
                        self.controller.report(Report::Killed(handle))?;
                    }
                    self.gpu.now += RESET;
                    self.controller.report(Report::Drained(self.job))?;
                }
                Command::Lower { .. } => {
                    self.gpu.flag = None;
                    self.tell("the flag goes down, launches are submitted again");
                }
                Command::Drained { .. } => return Ok(true),
                // This runtime has not declared that it can hold or save work.
                Command::Hold { .. } | Command::Release { .. } => {}
                Command::Save { .. } | Command::Restore { .. } => {}
            }
        }
        Ok(false)
    }

    /// Lets the GPU go on until the time `until`, in microseconds, or until a launch has ended.
    /// Returns whether a launch has ended.
    fn run(&mut self, until: u64) -> Result<bool, PreemptError> {
        if self.gpu.running.is_none()
            && let Some(handle) = self.gpu.queue.pop_front()
        {
            let leaves = self.gpu.flag.is_some_and(|cut| cut.holds(handle.sequence()));
            let takes = if leaves { EXIT } else { LAUNCH };
            self.gpu.running = Some((handle, self.gpu.now + takes, leaves));
            self.controller.report(Report::Started(handle))?;
        }
        match self.gpu.running.take_if(|(_, ends, _)| *ends <= until) {
            Some((handle, ends, leaves)) => {
                self.gpu.now = ends;
                if leaves {
                    let _ = self.controller.report(Report::Exited(handle))?;
                } else {
                    self.controller.report(Report::Finished(handle))?;
                }
                Ok(true)
            }
            None => {
                self.gpu.now = self.gpu.now.max(until);
                Ok(false)
            }
        }
    }

    /// Plays the story, with the job preempted by the method `way`. Returns (time that the request
    /// waited, time at which the job was done), in microseconds.
    fn play(&mut self, way: Preemption) -> Result<(u64, u64), PreemptError> {
        self.drive()?;
        while self.run(REQUEST_AT)? {
            self.drive()?;
        }
        let (flying, waiting) =
            (self.controller.in_flight(self.job)?, self.controller.buffered(self.job)?);
        self.tell(&format!(
            "a request comes; of the job, {flying} launches are in the runtime, {waiting} in the queue"
        ));
        // On behalf of a process that is more urgent than the job: nothing else may preempt it.
        let urgent = self.controller.join(Level(0))?;
        let begun = self.controller.preempt(self.job, way, Some(urgent))?;
        assert_eq!(begun, WishAnswer::Begun, "the way is declared, the process more urgent");
        while !self.drive()? {
            self.run(u64::MAX)?;
        }
        let waited = self.gpu.now - REQUEST_AT;
        self.tell("the job is off the GPU, the request runs");
        self.gpu.now += REQUEST;
        self.tell("the request is answered, the job goes on");
        let _ = self.controller.resume(self.job)?;
        self.drive()?;
        while self.controller.in_flight(self.job)? > 0 {
            self.run(u64::MAX)?;
            self.drive()?;
        }
        self.tell("the job is done");
        Ok((waited, self.gpu.now))
    }
}

/// Returns the text that the example prints: the story told once for each method of preempting.
pub(crate) fn story() -> Result<String, PreemptError> {
    let mut text = String::new();
    let mut table = String::new();
    for (way, what) in [
        (Preemption::Wait, "wait: what was submitted runs to its end"),
        (Preemption::Flag, "flag: only the launch that runs is waited for"),
        (Preemption::Reset, "reset: not even that, as every launch may be run again"),
    ] {
        let mut story = Story::new()?;
        let (waited, end) = story.play(way)?;
        let _ = write!(text, "{what}\n\n{}\n", story.text);
        let ms = |time: u64| format!("{}.{:03} ms", time / 1000, time % 1000);
        let thrown = ms(story.thrown_away);
        let _ =
            writeln!(table, "{:<6} {:>16} {:>16} {thrown:>16}", way.name(), ms(waited), ms(end));
    }
    let head = format!(
        "{:<6} {:>16} {:>16} {:>16}",
        "way", "request waited", "job done at", "thrown away"
    );
    Ok(format!("{text}{head}\n{table}"))
}

fn main() -> Result<(), PreemptError> {
    print!("{}", story()?);
    Ok(())
}
