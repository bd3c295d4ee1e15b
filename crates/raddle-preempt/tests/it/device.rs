//! A GPU of several processes and streams, and the driver that lets a controller drive it, tick by
//! tick.
//!
//! Streams run side by side, each in order. A launch runs in rounds of workgroups. Flags, resets,
//! submissions and reports are late by what the schedule says. Faults of the device itself can be
//! switched on, to see that they are noticed.

use std::collections::{BTreeMap, VecDeque};

use raddle_preempt::Scope;

use crate::control::{Control, Order};
use crate::history::History;
use crate::schedule::{Random, Schedule, Wish};

/// What the device does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wrong {
    Nothing,
    /// Workgroups look at the flag by themselves, though launches are declared to latch it (A6).
    EachRoundLooks,
    /// One flag for everybody (A10), and a bit at that.
    OneFlagForAll,
    /// A bit in place of a cut: seen late to be lowered, it makes resubmitted launches leave (A9).
    Bit,
}

#[derive(Clone, Copy, Debug)]
struct Running {
    sequence: u64,
    job: usize,
    rounds_done: u64,
    /// Ticks left of the round, or of the exit.
    left: u64,
    leaves: bool,
}

#[derive(Clone, Debug, Default)]
struct Lane {
    queue: VecDeque<(u64, usize)>,
    running: Option<Running>,
}

#[derive(Clone, Debug, Default)]
struct Gpu {
    lanes: Vec<Lane>,
    /// The flag as launches see it, and what they will see when.
    flag: Option<(u64, u64)>,
    flag_soon: VecDeque<(u64, Option<(u64, u64)>)>,
    /// The driver waits to hear that the flag is visible.
    raising: bool,
    /// When the reset hits, until when it takes.
    reset_at: Option<u64>,
    reset_until: Option<u64>,
    /// Rounds end and no further one begins; or everything stands still, from then on.
    held: bool,
    saved_at: Option<u64>,
    still: bool,
    removing: bool,
    preempted: bool,
    begun: u64,
}

/// What the host hears, and when.
#[derive(Clone, Copy, Debug)]
enum Report {
    Submitted(u64, usize, usize),
    Started(u64),
    Finished(u64),
    Exited(u64),
}

pub(crate) struct Device<'s, C> {
    schedule: &'s Schedule,
    wrong: Wrong,
    control: C,
    gpus: Vec<Gpu>,
    /// By tick and order of making: process, report.
    reports: BTreeMap<(u64, u64), (usize, Report)>,
    made: u64,
    /// Reports that have been made, by process and submission: the next is not before.
    last: BTreeMap<(usize, u64), u64>,
    random: Random,
    now: u64,
    history: History,
}

/// No schedule takes so long.
const ENDLESS: u64 = 20_000;

/// Runs a schedule, then resumes everything and runs it out.
pub(crate) fn run<C: Control>(schedule: &Schedule, control: C, wrong: Wrong) -> History {
    let lanes = |streams| Gpu { lanes: vec![Lane::default(); streams], ..Gpu::default() };
    let mut device = Device {
        schedule,
        wrong,
        control,
        gpus: schedule.setup.processes.iter().map(|&(_, streams)| lanes(streams)).collect(),
        reports: BTreeMap::new(),
        made: 0,
        last: BTreeMap::new(),
        random: Random(schedule.seed ^ 0x5eed),
        now: 0,
        history: History::new(schedule.jobs.len()),
    };
    device.play();
    let left = (0..device.gpus.len()).map(|process| device.control.left(process)).sum();
    device.history.close(left);
    device.history
}

impl<C: Control> Device<'_, C> {
    fn play(&mut self) {
        let (mut captured, mut wished, mut idle) = (0, 0, 0);
        let mut resumed = false;
        loop {
            let mut busy = self.advance() | self.deliver();
            while let Some(job) = self.schedule.jobs.get(captured)
                && job.at <= self.now
            {
                self.control.capture(job.process, captured, job);
                captured += 1;
            }
            while let Some(&(at, process, wish)) = self.schedule.wishes.get(wished)
                && at <= self.now
            {
                self.hear(process, wish);
                wished += 1;
            }
            let over = captured == self.schedule.jobs.len() && wished == self.schedule.wishes.len();
            if over && idle > 40 && !resumed {
                resumed = true;
                (0..self.gpus.len()).for_each(|process| self.hear(process, Wish::Resume));
            }
            busy |= self.ask();
            busy |= self.start();
            busy |= self.gpus.iter().any(Gpu::is_busy) || !self.reports.is_empty();
            idle = if busy || !over { 0 } else { idle + 1 };
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

    fn late(&mut self, most: u64) -> u64 {
        self.now + self.random.to(most)
    }

    /// A report that comes late, but not before an earlier one of the same launch.
    fn report(&mut self, process: usize, sequence: u64, report: Report) {
        let at = self.late(self.schedule.setup.late.report);
        let at = at.max(self.last.get(&(process, sequence)).copied().unwrap_or(0));
        self.last.insert((process, sequence), at);
        self.made += 1;
        self.reports.insert((at, self.made), (process, report));
    }

    fn hear(&mut self, process: usize, wish: Wish) {
        let became = match wish {
            Wish::Preempt(way, by) => self.control.preempt(process, way, by),
            Wish::Resume => self.control.resume(process),
        };
        match became.as_str() {
            "Begun" => self.gpus[process].begun = self.now,
            "Now" => self.gpus[process].preempted = false,
            _ => {}
        }
        self.history.wishes.push((self.now, process, became));
    }

    /// Lets the host hear what is due.
    fn deliver(&mut self) -> bool {
        let mut any = false;
        while let Some(entry) = self.reports.first_entry()
            && entry.key().0 <= self.now
        {
            let (process, report) = entry.remove();
            any = true;
            match report {
                Report::Submitted(sequence, _, _)
                    if self.random.percent(self.schedule.setup.late.refused) =>
                {
                    self.control.not_submitted(process, sequence);
                }
                Report::Submitted(sequence, stream, job) => {
                    self.gpus[process].lanes[stream].queue.push_back((sequence, job));
                    self.control.submitted(process, sequence);
                    let lanes = self.gpus[process].lanes.iter();
                    let there = lanes.map(|lane| lane.queue.len() + lane.running.iter().len());
                    let there = there.sum();
                    self.history.in_flight(self.schedule, there);
                }
                Report::Started(sequence) => self.control.started(process, sequence),
                Report::Finished(sequence) => self.control.finished(process, sequence),
                Report::Exited(sequence) => {
                    let asked = self.control.exited(process, sequence);
                    self.history.faults.unasked += u64::from(!asked);
                }
            }
        }
        any
    }

    /// Asks every controller what to do, until none wants anything.
    fn ask(&mut self) -> bool {
        let mut any = false;
        loop {
            let mut asked = false;
            for process in 0..self.gpus.len() {
                while let Some(order) = self.control.next(process) {
                    asked = true;
                    self.obey(process, order);
                }
            }
            any |= asked;
            if !asked {
                return any;
            }
        }
    }

    fn obey(&mut self, process: usize, order: Order) {
        self.history.orders.push((self.now, process, order));
        let late = self.schedule.setup.late;
        match order {
            Order::Submit { sequence, stream, job } => {
                // In the order of the stream, whatever each call takes.
                let mut at = self.late(late.submit);
                at = at.max(self.last.get(&(process, u64::MAX)).copied().unwrap_or(0));
                self.last.insert((process, u64::MAX), at);
                self.made += 1;
                let report = Report::Submitted(sequence, stream, job);
                self.reports.insert((at, self.made), (process, report));
                if at == self.now {
                    self.deliver();
                }
            }
            Order::Raise { from, to } => {
                let at = self.late(late.flag);
                let gpu = &mut self.gpus[process];
                gpu.flag_soon.push_back((at, Some((from, to))));
                gpu.raising = true;
                self.see_flags(process);
            }
            Order::Lower => {
                let at = self.late(late.flag);
                self.gpus[process].flag_soon.push_back((at, None));
                self.see_flags(process);
            }
            Order::Reset => {
                self.gpus[process].reset_at = Some(self.late(late.reset));
                self.hit(process);
            }
            Order::Hold => {
                (self.gpus[process].held, self.gpus[process].removing) = (true, true);
                self.removed(process);
            }
            Order::Save => {
                let at = self.now + self.schedule.setup.save;
                self.gpus[process].still = true;
                (self.gpus[process].saved_at, self.gpus[process].removing) = (Some(at), true);
                self.removed(process);
            }
            Order::Release => self.gpus[process].held = false,
            Order::Restore => self.gpus[process].still = false,
            Order::Drained { resumed } => {
                self.history.latencies.push(self.now - self.gpus[process].begun);
                self.gpus[process].preempted = !resumed;
            }
        }
    }

    /// What launches see of a flag now, and whether the driver is to hear of it.
    fn see_flags(&mut self, process: usize) {
        let gpu = &mut self.gpus[process];
        while let Some(&(at, flag)) = gpu.flag_soon.front()
            && at <= self.now
        {
            gpu.flag_soon.pop_front();
            gpu.flag = flag;
            if flag.is_some() && std::mem::take(&mut gpu.raising) {
                self.control.raised(process);
                return self.see_flags(process);
            }
        }
    }

    /// A reset that is due: what it hits is killed.
    fn hit(&mut self, process: usize) {
        if self.gpus[process].reset_at.is_none_or(|at| at > self.now) {
            return;
        }
        self.gpus[process].reset_at = None;
        let whole = self.schedule.setup.declared.scope == Scope::Device;
        for victim in 0..self.gpus.len() {
            if victim != process && !whole {
                continue;
            }
            for lane in 0..self.gpus[victim].lanes.len() {
                let Some(running) = self.gpus[victim].lanes[lane].running.take() else { continue };
                // It is heard of after whatever was heard of this launch before.
                self.hurry(victim, running.sequence);
                self.history.stopped(self.schedule, running.job);
                self.control.killed(victim, running.sequence);
            }
        }
        self.gpus[process].reset_until = Some(self.now + self.schedule.setup.reset);
        self.reset_over(process);
    }

    /// Delivers a report that a launch has started, if it is still under way.
    fn hurry(&mut self, process: usize, sequence: u64) {
        let this = |report: &Report| matches!(report, Report::Started(it) if *it == sequence);
        let found = self.reports.iter().find(|(_, (whose, it))| *whose == process && this(it));
        if let Some((&key, _)) = found {
            self.reports.remove(&key);
            self.control.started(process, sequence);
        }
    }

    fn reset_over(&mut self, process: usize) {
        if self.gpus[process].reset_until.take_if(|until| *until <= self.now).is_some() {
            self.control.drained(process);
        }
    }

    /// Whether what was to be held or saved is off the device.
    fn removed(&mut self, process: usize) {
        let gpu = &mut self.gpus[process];
        let saved = gpu.saved_at.is_none_or(|at| at <= self.now);
        let still = |lane: &Lane| lane.running.is_none_or(|it| it.left == 0);
        if gpu.removing && saved && (gpu.still || gpu.lanes.iter().all(still)) {
            (gpu.removing, gpu.saved_at) = (false, None);
            self.control.drained(process);
        }
    }

    /// One tick goes by.
    fn advance(&mut self) -> bool {
        let mut any = false;
        for process in 0..self.gpus.len() {
            for lane in 0..self.gpus[process].lanes.len() {
                any |= self.advance_lane(process, lane);
            }
        }
        for process in 0..self.gpus.len() {
            self.see_flags(process);
            self.hit(process);
            self.reset_over(process);
            self.removed(process);
        }
        any
    }

    fn advance_lane(&mut self, process: usize, lane: usize) -> bool {
        let still = self.gpus[process].still;
        let Some(running) = &mut self.gpus[process].lanes[lane].running else { return false };
        if still || running.left == 0 {
            return false;
        }
        running.left -= 1;
        if running.left > 0 {
            return true;
        }
        let it = *running;
        if it.leaves {
            self.gpus[process].lanes[lane].running = None;
            if it.rounds_done > 0 {
                self.history.stopped(self.schedule, it.job);
            }
            self.report(process, it.sequence, Report::Exited(it.sequence));
            return true;
        }
        running.rounds_done += 1;
        self.history.rounds[it.job] += 1;
        if running.rounds_done == self.schedule.jobs[it.job].rounds {
            self.gpus[process].lanes[lane].running = None;
            self.history.ran(it.job);
            self.history.end = self.now;
            self.report(process, it.sequence, Report::Finished(it.sequence));
        }
        true
    }

    /// Whether a launch that looks at the flag now leaves.
    fn leaves(&self, process: usize, sequence: u64, job: usize) -> bool {
        let holds = |gpu: &Gpu| gpu.flag.is_some_and(|(from, to)| (from..to).contains(&sequence));
        let flagged = match self.wrong {
            Wrong::OneFlagForAll => self.gpus.iter().any(|gpu| gpu.flag.is_some()),
            Wrong::Bit => self.gpus[process].flag.is_some(),
            _ => holds(&self.gpus[process]),
        };
        flagged && self.schedule.jobs[job].tests_flag
    }

    /// Whether the compute units are being reset under this process.
    fn resetting(&self, process: usize) -> bool {
        let whole = self.schedule.setup.declared.scope == Scope::Device;
        let all = self.gpus.iter().enumerate();
        let mut mine = all.filter(|(id, _)| *id == process || whole);
        mine.any(|(_, gpu)| gpu.reset_until.is_some())
    }

    /// Free lanes start their next launch, running ones their next round.
    fn start(&mut self) -> bool {
        let mut any = false;
        let each = !self.schedule.setup.declared.latched || self.wrong == Wrong::EachRoundLooks;
        for process in 0..self.gpus.len() {
            let gpu = &self.gpus[process];
            if gpu.held || gpu.still || self.resetting(process) {
                continue;
            }
            for lane in 0..self.gpus[process].lanes.len() {
                any |= self.next_round(process, lane, each);
                any |= self.next_launch(process, lane);
            }
        }
        any
    }

    fn next_round(&mut self, process: usize, lane: usize, each: bool) -> bool {
        let Some(it) = self.gpus[process].lanes[lane].running.filter(|it| it.left == 0) else {
            return false;
        };
        let leaves = each && self.leaves(process, it.sequence, it.job);
        let left = if leaves { self.schedule.setup.exit } else { self.schedule.jobs[it.job].ticks };
        self.gpus[process].lanes[lane].running = Some(Running { left, leaves, ..it });
        true
    }

    fn next_launch(&mut self, process: usize, lane: usize) -> bool {
        let lanes = &mut self.gpus[process].lanes[lane];
        if lanes.running.is_some() {
            return false;
        }
        let Some((sequence, job)) = lanes.queue.pop_front() else { return false };
        let leaves = self.leaves(process, sequence, job);
        if !leaves {
            self.history.begins(self.schedule, job, self.gpus[process].preempted);
        }
        let left = if leaves { self.schedule.setup.exit } else { self.schedule.jobs[job].ticks };
        let running = Running { sequence, job, rounds_done: 0, left, leaves };
        self.gpus[process].lanes[lane].running = Some(running);
        self.report(process, sequence, Report::Started(sequence));
        true
    }
}

impl Gpu {
    /// Whether something goes on by itself.
    fn is_busy(&self) -> bool {
        let runs = |lane: &Lane| lane.running.is_some_and(|it| it.left > 0);
        let soon = !self.flag_soon.is_empty() || self.reset_at.is_some();
        let wait = self.reset_until.is_some() || self.saved_at.is_some();
        soon || wait || !self.still && self.lanes.iter().any(runs)
    }
}
