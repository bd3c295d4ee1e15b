//! A GPU of several processes and streams, and the driver that lets a controller drive it, tick by
//! tick.
//!
//! Streams run side by side, each in order. A launch runs in rounds of workgroups. Flags, resets,
//! submissions and reports are late by what the schedule says; where submit calls take their time, the
//! runtime has some launches before the call returns, and they may start or end before, too. Processes
//! come and go; a flag lies at a place that belongs to an id, so one that is lowered late is still seen
//! by the next of its id.
//! Faults of the device itself can be switched on, to see that they are noticed.
//!
//! Here are what there is, and what the programs do; `driver` hears and obeys, `gpu` runs.

mod driver;
mod gpu;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::control::Control;
use crate::history::History;
use crate::random_numbers::Random;
use crate::schedule::{Schedule, Wish};
use crate::wished::Wished;

/// A deliberate fault of the simulated device, which the checks must notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wrong {
    Nothing,
    /// Workgroups test the flag one by one, though the device declares that a launch tests it once
    /// (seed 001, A6).
    EachRoundLooks,
    /// All processes share one flag (seed 001, A10), which is a bit and not a range of submissions.
    OneFlagForAll,
    /// A flag is a bit and not a range of submissions: if its lowering is seen late, resubmitted
    /// launches leave (seed 001, A9).
    Bit,
}

#[derive(Clone, Copy, Debug)]
struct Running {
    sequence: u64,
    job: usize,
    rounds_done: u64,
    /// Ticks until the present round of workgroups, or the exit, is over.
    left: u64,
    leaves: bool,
}

#[derive(Clone, Debug, Default)]
struct Lane {
    queue: VecDeque<(u64, usize)>,
    running: Option<Running>,
    /// The tick at which the newest launch of the stream reaches the runtime; no later launch
    /// reaches it earlier.
    newest: u64,
    /// True if the last launch of the stream left by the flag or was killed.
    left: bool,
}

#[derive(Clone, Debug, Default)]
struct Gpu {
    lanes: Vec<Lane>,
    /// The id of the process, by which its flag is found.
    id: usize,
    there: bool,
    /// The tick at which the process joined; `None` before that.
    joined: Option<u64>,
    /// The indices of the jobs that the program has still to launch; the next field has its wishes.
    jobs: VecDeque<usize>,
    wishes: VecDeque<(u64, Wish)>,
    /// The indices of the jobs of the program that the controller was given.
    captured: Vec<usize>,
    /// The state in which the wishes for the process should have put it.
    wished: Wished,
    /// True if the process wants to leave.
    leaving: bool,
    /// True while the driver waits for the report that the flag is visible.
    raising: bool,
    /// The tick at which the reset kills launches; the next field is the tick at which it is over.
    reset_at: Option<u64>,
    reset_until: Option<u64>,
    /// True while rounds end and no further one begins; the next fields are for work that is saved.
    held: bool,
    saved_at: Option<u64>,
    still: bool,
    removing: bool,
    preempted: bool,
    begun: u64,
}

/// The flags of a process: (stream, first submission that leaves, first that does not).
type Cuts = Vec<(usize, u64, u64)>;

#[derive(Clone, Debug, Default)]
struct Flag {
    /// The flag as launches see it; the next field has its coming values, each with its tick.
    now: Option<Cuts>,
    soon: VecDeque<(u64, Option<Cuts>)>,
}

/// A message from the GPU to the host; `Arrived` is only for the GPU's own account.
#[derive(Clone, Copy, Debug)]
enum Report {
    Arrived { sequence: u64, stream: usize, job: usize },
    Submitted(u64),
    Started(u64),
    Finished(u64),
    Exited(u64),
}

pub(crate) struct Device<'s, C> {
    schedule: &'s Schedule,
    wrong: Wrong,
    control: C,
    /// The state of each program on the GPU.
    gpus: Vec<Gpu>,
    /// The flag of each process id.
    flags: Vec<Flag>,
    /// The reports to come, by (tick, number in the order of making): (process, report).
    reports: BTreeMap<(u64, u64), (usize, Report)>,
    made: u64,
    /// The tick of the last report of each launch, by (process, submission): no later one comes
    /// before it.
    last: BTreeMap<(usize, u64), u64>,
    /// The submissions, as (process, number), of which the host heard before their submit call
    /// returned.
    known: BTreeSet<(usize, u64)>,
    random: Random,
    now: u64,
    history: History,
}

/// The tick after which a schedule that has not ended counts as hanging.
const ENDLESS: u64 = 20_000;

/// Runs a schedule, then resumes all processes and runs until all work has ended. Returns the
/// record.
pub(crate) fn run<C: Control>(schedule: &Schedule, control: C, wrong: Wrong) -> History {
    let mut device = Device {
        schedule,
        wrong,
        control,
        gpus: (0..schedule.setup.processes.len()).map(|at| Gpu::new(schedule, at)).collect(),
        flags: Vec::new(),
        reports: BTreeMap::new(),
        made: 0,
        last: BTreeMap::new(),
        known: BTreeSet::new(),
        random: Random(schedule.seed ^ 0x5eed),
        now: 0,
        history: History::new(schedule),
    };
    device.play();
    let there = (0..device.gpus.len()).filter(|&process| device.gpus[process].there);
    let left = there.map(|process| device.control.left(process)).sum();
    device.history.faults.hang += u64::from(device.gpus.iter().any(|gpu| gpu.leaving));
    device.history.faults.sync += device.never_synced();
    device.history.close(left);
    device.history
}

impl<C: Control> Device<'_, C> {
    fn play(&mut self) {
        let (mut idle, mut resumed) = (0, false);
        loop {
            let mut busy = self.advance() | self.deliver();
            (0..self.gpus.len()).for_each(|process| self.leave(process));
            if self.join() {
                (busy, resumed) = (true, false);
            }
            (0..self.gpus.len()).for_each(|process| self.program(process));
            if idle > 40 && !resumed {
                resumed = true;
                (0..self.gpus.len()).for_each(|process| self.hear(process, Wish::Resume));
            }
            busy |= self.ask();
            self.sync();
            busy |= self.start();
            busy |= self.gpus.iter().any(Gpu::is_busy) || !self.reports.is_empty();
            busy |= self.flags.iter().any(|flag| !flag.soon.is_empty()) || self.is_to_come();
            idle = if busy { 0 } else { idle + 1 };
            if resumed && idle > 40 {
                return;
            }
            if self.now > ENDLESS {
                self.history.faults.hang += 1;
                return;
            }
            self.now += 1;
        }
    }

    /// Lets a program capture the jobs, and state the wishes, whose time has come.
    fn program(&mut self, process: usize) {
        let Some(since) = self.gpus[process].joined else { return };
        while let Some(&job) = self.gpus[process].jobs.front()
            && since + self.schedule.jobs[job].at <= self.now
        {
            self.gpus[process].jobs.pop_front();
            if self.gpus[process].there && !self.gpus[process].leaving {
                self.control.capture(process, job, &self.schedule.jobs[job]);
                self.gpus[process].captured.push(job);
            } else {
                self.history.dropped[job] = true;
            }
        }
        while let Some(&(at, wish)) = self.gpus[process].wishes.front()
            && since + at <= self.now
        {
            self.gpus[process].wishes.pop_front();
            self.hear(process, wish);
        }
    }

    /// Checks the answer to a synchronising call, in turn for all captured jobs and for a part of
    /// them.
    fn sync(&mut self) {
        for (process, gpu) in self.gpus.iter().enumerate().filter(|(_, gpu)| gpu.there) {
            let all = gpu.captured.len();
            let part = (self.now / 2) as usize % (all + 1);
            let count = if self.now.is_multiple_of(2) { all } else { part };
            if let Some(&last) = gpu.captured[..count].last() {
                let reached = self.control.reached(process, last);
                self.history.synced(&gpu.captured[..count], reached);
            }
        }
    }

    /// Returns the number of processes of which all work has run while a synchronising call still
    /// waits.
    fn never_synced(&self) -> u64 {
        let there = self.gpus.iter().enumerate().filter(|(_, gpu)| gpu.there);
        let waits = there.filter(|(process, gpu)| {
            let ran = gpu.captured.iter().all(|&job| self.history.full[job] > 0);
            let last = gpu.captured.last();
            ran && last.is_some_and(|&last| !self.control.reached(*process, last))
        });
        waits.count() as u64
    }

    /// Returns whether a program has still to join, to launch a job or to state a wish.
    fn is_to_come(&self) -> bool {
        let joins = |process: usize| {
            let leader = self.schedule.setup.processes[process].follows;
            leader.is_none_or(|leader| self.gpus[leader].has_left())
        };
        (0..self.gpus.len()).any(|process| match self.gpus[process].joined {
            None => joins(process),
            Some(_) => !self.gpus[process].jobs.is_empty() || !self.gpus[process].wishes.is_empty(),
        })
    }

    /// Lets the programs join whose time has come. Returns whether one joined.
    fn join(&mut self) -> bool {
        let mut any = false;
        for (process, program) in self.schedule.setup.processes.iter().enumerate() {
            let free = program.follows.is_none_or(|leader| self.gpus[leader].has_left());
            if self.gpus[process].joined.is_none() && program.joins <= self.now && free {
                let id = self.control.join(process);
                self.flags.resize(self.flags.len().max(id + 1), Flag::default());
                self.history.ids = self.flags.len() as u64;
                let gpu = &mut self.gpus[process];
                (gpu.id, gpu.there, gpu.joined) = (id, true, Some(self.now));
                any = true;
            }
        }
        any
    }

    /// Lets a process leave if it wants to and the controller allows it.
    fn leave(&mut self, process: usize) {
        if self.gpus[process].leaving
            && let Some(dropped) = self.control.leave(process)
        {
            let gpu = &mut self.gpus[process];
            (gpu.there, gpu.leaving) = (false, false);
            self.history.left(self.schedule, process, &gpu.captured, dropped);
            self.history.wishes.push((self.now, process, "left".to_owned()));
        }
    }

    fn hear(&mut self, process: usize, wish: Wish) {
        let there = |process: usize| self.gpus[process].there;
        if !there(process) || matches!(wish, Wish::Preempt(_, Some(by)) if !there(by)) {
            return;
        }
        // While the process is there, late reports about the processes that had its id before
        // change nothing.
        self.history.faults.gone += self.control.stale(process);
        let became = match wish {
            Wish::Preempt(way, by) => {
                let became = self.control.preempt(process, way, by);
                self.history.faults.wish += self.gpus[process].wished.preempt(&became);
                became
            }
            Wish::Resume => {
                let became = self.control.resume(process);
                self.history.faults.wish += self.gpus[process].wished.resume(&became);
                became
            }
            Wish::Leave => {
                self.gpus[process].leaving = true;
                return self.leave(process);
            }
        };
        match became.as_str() {
            "Begun" => self.gpus[process].begun = self.now,
            "Now" => self.gpus[process].preempted = false,
            _ => {}
        }
        self.history.wishes.push((self.now, process, became));
    }
}

impl Lane {
    fn is_empty(&self) -> bool {
        self.queue.is_empty() && self.running.is_none()
    }
}

impl Gpu {
    fn new(schedule: &Schedule, process: usize) -> Self {
        let jobs = schedule.jobs.iter().enumerate().filter(|(_, job)| job.process == process);
        let wishes = schedule.wishes.iter().filter(|(_, whose, _)| *whose == process);
        Self {
            lanes: vec![Lane::default(); schedule.setup.processes[process].streams],
            jobs: jobs.map(|(at, _)| at).collect(),
            wishes: wishes.map(|&(at, _, wish)| (at, wish)).collect(),
            ..Self::default()
        }
    }

    fn has_left(&self) -> bool {
        self.joined.is_some() && !self.there
    }

    /// Returns whether something on the GPU goes on without a command.
    fn is_busy(&self) -> bool {
        let runs = |lane: &Lane| lane.running.is_some_and(|it| it.left > 0);
        let reset = self.reset_at.is_some() || self.reset_until.is_some();
        reset || self.saved_at.is_some() || !self.still && self.lanes.iter().any(runs)
    }
}
