//! A runtime and its GPU, tick by tick: streams side by side, each in order; flags, resets, submit calls
//! and reports that come late.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use raddle_policy::{Idempotence, ProcessId, StreamId};
use raddle_preempt::{Declared, FlagCut, LaunchHandle, Report, Runtime, SubmitCall};

use crate::random_numbers::Random;
use crate::truth::{Fate, Truth};

#[derive(Clone, Copy, Debug)]
struct Running {
    handle: LaunchHandle,
    job: usize,
    left: u64,
    leaves: bool,
    done: u64,
}

#[derive(Debug, Default)]
struct Lane {
    queue: VecDeque<(LaunchHandle, usize)>,
    running: Option<Running>,
    /// True if the launch that was last at the head of this stream left or was killed.
    left: bool,
    newest: u64,
}

type Cuts = Vec<(StreamId, FlagCut)>;

#[derive(Debug, Default)]
struct Context {
    lanes: BTreeMap<u32, Lane>,
    flag: Option<Cuts>,
    soon: VecDeque<(u64, Option<Cuts>)>,
    raising: bool,
    held: bool,
    still: bool,
    /// The tick from which the process's held or saved work may be off the device; `None` if none
    /// leaves.
    off_at: Option<u64>,
    preempted: bool,
}

#[derive(Debug)]
struct Reset {
    process: ProcessId,
    hits: BTreeSet<LaunchHandle>,
    at: u64,
    until: u64,
    hit: bool,
}

/// An event on the simulated GPU that is due at a later tick.
#[derive(Clone, Copy, Debug)]
enum Soon {
    Report(Report),
    Arrives(LaunchHandle, u32, usize),
    /// The reset for a process is over; also reported of a process that has died meanwhile.
    ResetOver(ProcessId),
}

#[derive(Debug)]
pub(crate) struct Gpu {
    pub(crate) truth: Truth,
    declared: Declared,
    contexts: BTreeMap<ProcessId, Context>,
    resets: Vec<Reset>,
    soon: BTreeMap<(u64, u64), Soon>,
    /// The tick of the last report of each launch: no later report of the launch comes before it.
    last: BTreeMap<LaunchHandle, u64>,
    made: u64,
    pub(crate) now: u64,
    late: u64,
    claims: bool,
    random: Random,
    /// Launches of which the driver was told that they have not begun: they leave, whatever happens
    /// to launches before them.
    sure: BTreeSet<LaunchHandle>,
    pub(crate) claimed: u64,
    pub(crate) submits: Vec<(LaunchHandle, StreamId, usize)>,
}

impl Gpu {
    pub(crate) fn new(declared: Declared, late: u64, claims: bool, seed: u64) -> Self {
        Self {
            truth: Truth::default(),
            declared,
            contexts: BTreeMap::new(),
            resets: Vec::new(),
            soon: BTreeMap::new(),
            last: BTreeMap::new(),
            made: 0,
            now: 0,
            late,
            claims,
            random: Random(seed ^ 0x6a70),
            sure: BTreeSet::new(),
            claimed: 0,
            submits: Vec::new(),
        }
    }

    fn late(&mut self) -> u64 {
        self.now + self.random.to(self.late)
    }

    fn at(&mut self, at: u64, soon: Soon) {
        self.made += 1;
        self.soon.insert((at, self.made), soon);
    }

    fn report(&mut self, handle: LaunchHandle, report: Report) {
        let at = self.late().max(self.last.get(&handle).copied().unwrap_or(0));
        self.last.insert(handle, at);
        self.at(at, Soon::Report(report));
    }

    /// Returns a report to the driver that is due by the present tick; `None` if there is none.
    pub(crate) fn due(&mut self) -> Option<Report> {
        while let Some(entry) = self.soon.first_entry()
            && entry.key().0 <= self.now
        {
            match entry.remove() {
                Soon::Report(report) => return Some(report),
                Soon::ResetOver(process) => return Some(Report::Drained(process)),
                Soon::Arrives(handle, stream, job) => {
                    let lane = self.lane(handle.process(), stream);
                    lane.queue.push_back((handle, job));
                }
            }
        }
        None
    }

    fn lane(&mut self, process: ProcessId, stream: u32) -> &mut Lane {
        let context = self.contexts.entry(process).or_default();
        context.lanes.entry(stream).or_default()
    }

    /// Notes that a process was resumed: its launches break no promise if they begin from now on.
    pub(crate) fn resumed(&mut self, process: ProcessId) {
        self.contexts.entry(process).or_default().preempted = false;
    }

    /// Removes a process that has died, with all its work and outstanding reports, except the
    /// report that its reset is over.
    pub(crate) fn forget(&mut self, process: ProcessId) {
        self.contexts.remove(&process);
        self.last.retain(|handle, _| handle.process() != process);
        self.soon.retain(|_, soon| match *soon {
            Soon::Arrives(handle, ..) => handle.process() != process,
            Soon::Report(report) => of(report) != process,
            Soon::ResetOver(_) => true,
        });
        self.sure.retain(|handle| handle.process() != process);
    }

    pub(crate) fn is_busy(&self) -> bool {
        let runs = |lane: &Lane| lane.running.is_some() || !lane.queue.is_empty();
        let busy = |it: &Context| {
            let still = it.held || it.still;
            it.off_at.is_some() || !it.soon.is_empty() || !still && it.lanes.values().any(runs)
        };
        !self.soon.is_empty() || !self.resets.is_empty() || self.contexts.values().any(busy)
    }

    /// Moves the simulated GPU on by one tick.
    pub(crate) fn tick(&mut self) {
        self.now += 1;
        let processes: Vec<ProcessId> = self.contexts.keys().copied().collect();
        for &process in &processes {
            self.see_flag(process);
        }
        self.reset_tick();
        for &process in &processes {
            let streams: Vec<u32> = self.contexts[&process].lanes.keys().copied().collect();
            for stream in streams {
                self.run_lane(process, stream);
            }
            self.off(process);
        }
    }

    fn see_flag(&mut self, process: ProcessId) {
        let Some(context) = self.contexts.get_mut(&process) else { return };
        // A late view of a lowered flag is not reported.
        let mut fresh = false;
        while context.soon.front().is_some_and(|(at, _)| *at <= self.now) {
            context.flag = context.soon.pop_front().and_then(|(_, flag)| flag);
            fresh = context.flag.is_some();
        }
        if !fresh || !std::mem::take(&mut context.raising) {
            return;
        }
        // The driver claims launches that have not begun, and reports so before it reports that all
        // launches see the flag.
        let waiting: Vec<(LaunchHandle, usize)> =
            context.lanes.values().flat_map(|lane| lane.queue.iter().copied()).collect();
        for (handle, _) in waiting {
            let leaves = self.holds(handle);
            if self.claims && leaves {
                self.claimed += 1;
                self.sure.insert(handle);
                self.at(self.now, Soon::Report(Report::Claimed(handle)));
            }
        }
        self.at(self.now, Soon::Report(Report::Raised(process)));
    }

    /// Returns whether the raised flag that launches see holds this launch, so that it leaves at
    /// its start.
    fn holds(&self, handle: LaunchHandle) -> bool {
        let context = &self.contexts[&handle.process()];
        let cuts = context.flag.as_ref();
        let stream = context.lanes.iter().find_map(|(stream, lane)| {
            let mut queue = lane.queue.iter().map(|(it, _)| *it);
            let running = lane.running.is_some_and(|it| it.handle == handle);
            (running || queue.any(|it| it == handle)).then_some(StreamId(*stream))
        });
        cuts.is_some_and(|cuts| {
            cuts.iter().any(|(of, cut)| Some(*of) == stream && cut.holds(handle.sequence()))
        })
    }

    fn reset_tick(&mut self) {
        let mut resets = std::mem::take(&mut self.resets);
        for reset in &mut resets {
            if !reset.hit && reset.at <= self.now {
                reset.hit = true;
                reset.until = reset.until.max(self.hit(&reset.hits));
            }
            if reset.hit && reset.until <= self.now {
                self.at(self.now, Soon::ResetOver(reset.process));
            }
        }
        resets.retain(|reset| !reset.hit || reset.until > self.now);
        self.resets = resets;
    }

    /// Kills the launches in `hits` that are running. Returns the tick at which the last of them is
    /// reported; 0 if none runs.
    fn hit(&mut self, hits: &BTreeSet<LaunchHandle>) -> u64 {
        let mut killed = Vec::new();
        for context in self.contexts.values_mut() {
            for lane in context.lanes.values_mut() {
                if let Some(it) = lane.running.take_if(|it| hits.contains(&it.handle)) {
                    lane.left = true;
                    killed.push(it);
                }
            }
        }
        let mut last = 0;
        for it in killed {
            self.truth.stopped(it.job);
            // The report comes at once, as it must come before the end of the reset, but behind
            // earlier reports of the launch.
            let at = self.last.get(&it.handle).copied().unwrap_or(0).max(self.now);
            self.at(at, Soon::Report(Report::Killed(it.handle)));
            last = last.max(at);
        }
        last
    }

    /// Returns whether the compute units of a process are being reset now.
    fn resetting(&self, process: ProcessId) -> bool {
        self.resets.iter().any(|reset| {
            let whole = self.declared.scope.is_shared();
            reset.hit && (whole || reset.process == process)
        })
    }

    fn run_lane(&mut self, process: ProcessId, stream: u32) {
        let resetting = self.resetting(process);
        let Some(context) = self.contexts.get_mut(&process) else { return };
        let (held, still, preempted) = (context.held, context.still, context.preempted);
        let Some(lane) = context.lanes.get_mut(&stream) else { return };
        if still {
            return;
        }
        if lane.running.is_none() {
            if held || resetting {
                return;
            }
            let Some(&(handle, job)) = lane.queue.front() else { return };
            let behind = lane.left;
            let tests = self.truth.jobs[job].job.tests_flag();
            let taken_out = self.declared.withdraws && behind || self.sure.contains(&handle);
            let leaves = self.holds(handle) && (tests || taken_out);
            let lane = self.lane(process, stream);
            lane.queue.pop_front();
            lane.left = leaves;
            let ticks = self.truth.jobs[job].job.ticks;
            let running =
                Running { handle, job, left: if leaves { 1 } else { ticks }, leaves, done: 0 };
            self.lane(process, stream).running = Some(running);
            if leaves {
                self.truth.left(job);
            } else {
                self.truth.begins(job, preempted);
                if self.random.percent(70) {
                    self.report(handle, Report::Started(handle));
                }
            }
            return;
        }
        let Some(running) = &mut lane.running else { return };
        running.left -= 1;
        running.done += 1;
        let it = *running;
        if it.left > 0 {
            self.look(process, stream, it);
            return;
        }
        lane.running = None;
        if it.leaves {
            lane.left = true;
            self.report(it.handle, Report::Exited(it.handle));
        } else if self.truth.jobs[it.job].job.dies {
            self.truth.jobs[it.job].died = true;
            self.report(it.handle, Report::Failed(it.handle));
        } else {
            self.truth.ran(it.job);
            self.report(it.handle, Report::Finished(it.handle));
        }
    }

    /// Stops a running launch by the raised flag where each workgroup tests the flag, so that a
    /// launch may leave part-way.
    fn look(&mut self, process: ProcessId, stream: u32, it: Running) {
        let tests = self.truth.jobs[it.job].job.tests_flag();
        if self.declared.latched || it.leaves || !tests || !self.holds(it.handle) {
            return;
        }
        self.truth.stopped(it.job);
        self.lane(process, stream).running = Some(Running { left: 1, leaves: true, ..it });
    }

    /// Reports `drained` once the held or saved work of the process is off the device.
    fn off(&mut self, process: ProcessId) {
        let Some(context) = self.contexts.get_mut(&process) else { return };
        let empty = context.lanes.values().all(|lane| lane.running.is_none());
        if context.off_at.is_some_and(|at| at <= self.now) && (context.still || empty) {
            context.off_at = None;
            self.at(self.now, Soon::Report(Report::Drained(process)));
        }
    }
}

/// Returns the process that a report is about.
fn of(report: Report) -> ProcessId {
    match report {
        Report::Submitted(it) | Report::NotSubmitted(it) | Report::Started(it) => it.process(),
        Report::Finished(it) | Report::Failed(it) | Report::Exited(it) => it.process(),
        Report::Killed(it) | Report::Claimed(it) | Report::Judged(it, _) => it.process(),
        Report::Raised(process) | Report::Drained(process) => process,
    }
}

impl Runtime<usize> for Gpu {
    fn declared(&self) -> Declared {
        self.declared
    }

    fn verdict(&mut self, payload: &usize) -> Option<Idempotence> {
        let job = &self.truth.jobs[*payload].job;
        job.late_verdict.then_some(job.idempotent)
    }

    fn submit(&mut self, handle: LaunchHandle, stream: StreamId, payload: usize) -> SubmitCall {
        if self.truth.jobs[payload].job.refused {
            self.truth.ended(payload, Fate::Failed);
            return SubmitCall::Refused;
        }
        if self.random.percent(5) {
            return SubmitCall::NotNow;
        }
        self.submits.push((handle, stream, payload));
        let now = self.now;
        let (arrives, returns) = (self.late(), self.late());
        let lane = self.lane(handle.process(), stream.0);
        // Launches arrive in the order of the stream, however long each call takes.
        lane.newest = lane.newest.max(arrives);
        let arrives = lane.newest;
        self.at(arrives, Soon::Arrives(handle, stream.0, payload));
        if self.random.percent(50) && arrives == now {
            return SubmitCall::Returned;
        }
        self.at(returns.max(arrives), Soon::Report(Report::Submitted(handle)));
        SubmitCall::UnderWay
    }

    fn raise(&mut self, process: ProcessId, cuts: &[(StreamId, FlagCut)]) {
        let at = self.late();
        let context = self.contexts.entry(process).or_default();
        context.raising = true;
        context.soon.push_back((at, Some(cuts.to_vec())));
    }

    fn lower(&mut self, process: ProcessId) {
        let at = self.late();
        let context = self.contexts.entry(process).or_default();
        context.soon.push_back((at, None));
    }

    fn reset(&mut self, process: ProcessId, hit: &[LaunchHandle]) {
        let hits: BTreeSet<LaunchHandle> = hit.iter().copied().collect();
        self.truth.faults.idle += u64::from(!hits.iter().any(|it| it.process() == process));
        let at = self.late();
        let until = at + self.random.to(3);
        self.resets.push(Reset { process, hits, at, until, hit: false });
    }

    fn hold(&mut self, process: ProcessId) {
        let now = self.now;
        let context = self.contexts.entry(process).or_default();
        (context.held, context.off_at) = (true, Some(now));
    }

    fn release(&mut self, process: ProcessId) {
        self.contexts.entry(process).or_default().held = false;
    }

    fn save(&mut self, process: ProcessId) {
        let at = self.now + self.random.to(3);
        let context = self.contexts.entry(process).or_default();
        (context.still, context.off_at) = (true, Some(at));
    }

    fn restore(&mut self, process: ProcessId) {
        self.contexts.entry(process).or_default().still = false;
    }

    fn drained(&mut self, process: ProcessId, resumed: bool) {
        self.contexts.entry(process).or_default().preempted = !resumed;
    }
}
