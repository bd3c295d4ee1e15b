//! A GPU of several processes and streams, and the driver that lets a controller drive it, tick by
//! tick.
//!
//! Streams run side by side, each in order. A launch runs in rounds of workgroups. Flags, resets,
//! submissions and reports are late by what the schedule says; where submit calls take their time, the
//! runtime has some launches before the call returns, and they may start or end before, too. Processes come and go; a flag lies at a
//! place that belongs to an id, so one that is lowered late is still seen by the next of its id.
//! Faults of the device itself can be switched on, to see that they are noticed.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use raddle_preempt::Scope;

use crate::control::{Control, Order};
use crate::history::History;
use crate::schedule::{Random, Schedule, Wish};
use crate::wished::Wished;

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
    /// When the newest of its launches is in the runtime: the next one is not before.
    newest: u64,
}

#[derive(Clone, Debug, Default)]
struct Gpu {
    lanes: Vec<Lane>,
    /// Which flag is its own.
    id: usize,
    there: bool,
    /// When it joined.
    joined: Option<u64>,
    /// What its program will do.
    jobs: VecDeque<usize>,
    wishes: VecDeque<(u64, Wish)>,
    /// What the controller was given of it.
    captured: Vec<usize>,
    /// What the wishes ask for.
    wished: Wished,
    /// It wants to leave.
    leaving: bool,
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

/// The flag of an id.
#[derive(Clone, Debug, Default)]
struct Flag {
    /// As launches see it, and what they will see when.
    now: Option<(u64, u64)>,
    soon: VecDeque<(u64, Option<(u64, u64)>)>,
}

/// What the host hears; and, which it does not hear, that a launch is in the runtime.
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
    /// By program.
    gpus: Vec<Gpu>,
    /// By id.
    flags: Vec<Flag>,
    /// By tick and order of making: process, report.
    reports: BTreeMap<(u64, u64), (usize, Report)>,
    made: u64,
    /// Reports that have been made, by process and submission: the next is not before.
    last: BTreeMap<(usize, u64), u64>,
    /// Submissions that the host has heard of otherwise than by the return of their call.
    known: BTreeSet<(usize, u64)>,
    random: Random,
    now: u64,
    history: History,
}

/// No schedule takes so long.
const ENDLESS: u64 = 20_000;

/// Runs a schedule, then resumes everything and runs it out.
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

    /// What a program does by itself: its launches, its wishes.
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

    /// Asks what a synchronising call hears, in turn one for everything and one for a part of it.
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

    /// Everything has run that will: processes whose synchronising calls wait all the same.
    fn never_synced(&self) -> u64 {
        let there = self.gpus.iter().enumerate().filter(|(_, gpu)| gpu.there);
        let waits = there.filter(|(process, gpu)| {
            let ran = gpu.captured.iter().all(|&job| self.history.full[job] > 0);
            let last = gpu.captured.last();
            ran && last.is_some_and(|&last| !self.control.reached(*process, last))
        });
        waits.count() as u64
    }

    /// Whether something happens at a time that is known.
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

    /// Lets those join whose time has come; whether there is one.
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

    /// Lets a process leave that wants to, if it may.
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
        // Also while it is under way, what was said to the ones before it means nothing.
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

    /// Lets the host hear what is due.
    fn deliver(&mut self) -> bool {
        let mut any = false;
        while let Some(entry) = self.reports.first_entry()
            && entry.key().0 <= self.now
        {
            let (process, report) = entry.remove();
            any = true;
            match report {
                Report::Arrived { sequence, stream, job } => {
                    self.arrive(process, stream, (sequence, job));
                }
                Report::Submitted(sequence) => {
                    self.history.early += u64::from(self.known.contains(&(process, sequence)));
                    // Of one that has left meanwhile, it is said by `stale`.
                    if self.gpus[process].there {
                        self.control.submitted(process, sequence);
                    }
                }
                Report::Started(sequence) => self.started(process, sequence),
                Report::Finished(sequence) => {
                    self.known.insert((process, sequence));
                    self.control.finished(process, sequence);
                }
                Report::Exited(sequence) => {
                    self.known.insert((process, sequence));
                    let asked = self.control.exited(process, sequence);
                    self.history.faults.unasked += u64::from(!asked);
                }
            }
        }
        any
    }

    fn started(&mut self, process: usize, sequence: u64) {
        self.known.insert((process, sequence));
        self.control.started(process, sequence);
    }

    /// The runtime has a launch.
    fn arrive(&mut self, process: usize, stream: usize, launch: (u64, usize)) {
        self.gpus[process].lanes[stream].queue.push_back(launch);
        let lanes = self.gpus[process].lanes.iter();
        let there = lanes.map(|lane| lane.queue.len() + lane.running.iter().len()).sum();
        self.history.in_flight(self.schedule, there);
    }

    /// Begins a submit call, which may return later, or never took the launch.
    fn submit(&mut self, process: usize, stream: usize, (sequence, job): (u64, usize)) {
        let late = self.schedule.setup.late;
        if self.random.percent(late.refused) {
            // Such calls return at once.
            return self.control.not_submitted(process, sequence);
        }
        // In the order of the stream, whatever each call takes.
        let returns = self.late(late.submit);
        let returns = returns.max(self.last.get(&(process, u64::MAX)).copied().unwrap_or(0));
        self.last.insert((process, u64::MAX), returns);
        let wait = returns - self.now;
        let early = wait > 0 && self.random.percent(50);
        let arrives = if early { self.late(wait) } else { returns };
        let lane = &mut self.gpus[process].lanes[stream];
        lane.newest = lane.newest.max(arrives);
        let arrives = lane.newest;
        let arrived = Report::Arrived { sequence, stream, job };
        for (at, report) in [(arrives, arrived), (returns, Report::Submitted(sequence))] {
            self.made += 1;
            self.reports.insert((at, self.made), (process, report));
        }
        self.deliver();
    }

    /// Asks every controller what to do, until none wants anything.
    fn ask(&mut self) -> bool {
        let mut any = false;
        loop {
            let mut asked = false;
            for process in 0..self.gpus.len() {
                while self.gpus[process].there
                    && let Some(order) = self.control.next(process)
                {
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
        self.check(process, order);
        let late = self.schedule.setup.late;
        match order {
            Order::Submit { sequence, stream, job } => {
                self.submit(process, stream, (sequence, job))
            }
            Order::Raise { from, to } => {
                let at = self.late(late.flag);
                self.gpus[process].raising = true;
                self.store(process, at, Some((from, to)));
            }
            Order::Lower => {
                let at = self.late(late.flag);
                self.store(process, at, None);
            }
            Order::Reset => {
                self.gpus[process].reset_at = Some(self.late(late.reset));
                self.believes();
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

    /// Whether this is a time for such a command, as far as the host knows.
    fn check(&mut self, process: usize, order: Order) {
        // A call whose launch was heard of is nothing to wait for.
        let known = |it: u64| self.known.contains(&(process, it));
        let old = |report: &Report| matches!(report, Report::Submitted(it) if known(*it));
        let mine = self.reports.values().filter(|(whose, _)| *whose == process);
        let heard: Vec<Report> = mine.map(|it| it.1).filter(|report| !old(report)).collect();
        let idle = self.gpus[process].lanes.iter().all(Lane::is_empty) && heard.is_empty();
        let calls = heard.iter().any(|report| matches!(report, Report::Submitted(_)));
        let wished = &mut self.gpus[process].wished;
        let faults = &mut self.history.faults;
        match order {
            Order::Submit { .. } => faults.pause += wished.submits(),
            Order::Raise { .. } | Order::Hold | Order::Save => faults.pause += u64::from(calls),
            Order::Reset => faults.idle += u64::from(idle),
            Order::Lower | Order::Release | Order::Restore | Order::Drained { .. } => {}
        }
        faults.wish += wished.carries_out(order);
    }

    /// Stores to the flag of a process, which is seen then.
    fn store(&mut self, process: usize, at: u64, flag: Option<(u64, u64)>) {
        let id = self.gpus[process].id;
        self.flags[id].soon.push_back((at, flag));
        self.see_flag(id);
    }

    /// What launches see of a flag now, and whether the driver is to hear of it.
    fn see_flag(&mut self, id: usize) {
        while let Some(&(at, flag)) = self.flags[id].soon.front()
            && at <= self.now
        {
            self.flags[id].soon.pop_front();
            self.flags[id].now = flag;
            let owner = self.gpus.iter().position(|gpu| gpu.there && gpu.id == id);
            if let Some(process) = owner.filter(|_| flag.is_some())
                && std::mem::take(&mut self.gpus[process].raising)
            {
                self.control.raised(process);
                self.believes();
            }
        }
    }

    /// Asks of everything in the runtime whether it would be taken for killed now.
    fn believes(&mut self) {
        let mut there = Vec::new();
        for (process, gpu) in self.gpus.iter().enumerate().filter(|(_, gpu)| gpu.there) {
            for lane in &gpu.lanes {
                there.extend(lane.running.iter().map(|it| (process, it.sequence)));
                there.extend(lane.queue.iter().map(|it| (process, it.0)));
            }
        }
        self.history.believed.extend(self.control.believes(&there));
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
            self.started(process, sequence);
        }
    }

    fn reset_over(&mut self, process: usize) {
        if self.gpus[process].reset_until.take_if(|until| *until <= self.now).is_some() {
            self.control.drained(process);
            self.believes();
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
        (0..self.flags.len()).for_each(|id| self.see_flag(id));
        for process in 0..self.gpus.len() {
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
        self.history.round(self.schedule, it.job, it.rounds_done);
        if it.rounds_done + 1 == self.schedule.jobs[it.job].rounds() {
            self.gpus[process].lanes[lane].running = None;
            self.history.ran(it.job);
            self.history.end = self.now;
            self.report(process, it.sequence, Report::Finished(it.sequence));
        }
        true
    }

    /// Whether a launch that looks at the flag now leaves.
    fn leaves(&self, process: usize, sequence: u64, job: usize) -> bool {
        let own = self.flags[self.gpus[process].id].now;
        let flagged = match self.wrong {
            Wrong::OneFlagForAll => self.flags.iter().any(|flag| flag.now.is_some()),
            Wrong::Bit => own.is_some(),
            _ => own.is_some_and(|(from, to)| (from..to).contains(&sequence)),
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

    /// Whether something goes on by itself.
    fn is_busy(&self) -> bool {
        let runs = |lane: &Lane| lane.running.is_some_and(|it| it.left > 0);
        let reset = self.reset_at.is_some() || self.reset_until.is_some();
        reset || self.saved_at.is_some() || !self.still && self.lanes.iter().any(runs)
    }
}
