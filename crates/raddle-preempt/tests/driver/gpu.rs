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
    /// The last one that was here left or was killed.
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
    /// The tick at which the work that is held or saved is off the device.
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

/// A thing that comes to pass later.
#[derive(Clone, Copy, Debug)]
enum Soon {
    Report(Report),
    Arrives(LaunchHandle, u32, usize),
    /// The end of a reset, also of a process that has died.
    ResetOver(ProcessId),
}

#[derive(Debug)]
pub(crate) struct Gpu {
    pub(crate) truth: Truth,
    declared: Declared,
    contexts: BTreeMap<ProcessId, Context>,
    resets: Vec<Reset>,
    soon: BTreeMap<(u64, u64), Soon>,
    /// The tick of the last report of each launch: a later report does not come before it.
    last: BTreeMap<LaunchHandle, u64>,
    made: u64,
    pub(crate) now: u64,
    late: u64,
    claims: bool,
    random: Random,
    /// Launches that were claimed: they leave whatever happens in front of them.
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

    /// Returns a report that is due now, if any.
    pub(crate) fn due(&mut self) -> Option<Report> {
        while let Some(entry) = self.soon.first_entry()
            && entry.key().0 <= self.now
        {
            match entry.remove() {
                Soon::Report(report) => return Some(report),
                Soon::ResetOver(process) => return Some(Report::Drained(process)),
                Soon::Arrives(handle, stream, job) => {
                    let lane = self.lane(handle.process, stream);
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

    /// A process is no longer preempted.
    pub(crate) fn resumed(&mut self, process: ProcessId) {
        self.contexts.entry(process).or_default().preempted = false;
    }

    /// A process has died: nothing of it is left; what was commanded for it is reported no more, but
    /// the end of a reset.
    pub(crate) fn forget(&mut self, process: ProcessId) {
        self.contexts.remove(&process);
        self.last.retain(|handle, _| handle.process != process);
        self.soon.retain(|_, soon| match *soon {
            Soon::Arrives(handle, ..) => handle.process != process,
            Soon::Report(report) => of(report) != process,
            Soon::ResetOver(_) => true,
        });
        self.sure.retain(|handle| handle.process != process);
    }

    pub(crate) fn is_busy(&self) -> bool {
        let runs = |lane: &Lane| lane.running.is_some() || !lane.queue.is_empty();
        let busy = |it: &Context| {
            let still = it.held || it.still;
            it.off_at.is_some() || !it.soon.is_empty() || !still && it.lanes.values().any(runs)
        };
        !self.soon.is_empty() || !self.resets.is_empty() || self.contexts.values().any(busy)
    }

    /// Lets one tick go by.
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
        // A flag that is seen to be lowered late is not reported.
        let mut fresh = false;
        while context.soon.front().is_some_and(|(at, _)| *at <= self.now) {
            context.flag = context.soon.pop_front().and_then(|(_, flag)| flag);
            fresh = context.flag.is_some();
        }
        if !fresh || !std::mem::take(&mut context.raising) {
            return;
        }
        // The driver claims launches that have not begun, and reports that before it reports that
        // all see the flag.
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

    /// Returns whether the visible flag holds a launch.
    fn holds(&self, handle: LaunchHandle) -> bool {
        let context = &self.contexts[&handle.process];
        let cuts = context.flag.as_ref();
        let stream = context.lanes.iter().find_map(|(stream, lane)| {
            let mut queue = lane.queue.iter().map(|(it, _)| *it);
            let running = lane.running.is_some_and(|it| it.handle == handle);
            (running || queue.any(|it| it == handle)).then_some(StreamId(*stream))
        });
        cuts.is_some_and(|cuts| {
            cuts.iter().any(|(of, cut)| Some(*of) == stream && cut.holds(handle.sequence))
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

    /// Kills what runs of these; when the last of them is reported.
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

    /// Returns whether the compute units are being reset under a process.
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

    /// Stops a running launch by the flag where each workgroup tests it: the flag is read in the
    /// middle of a launch.
    fn look(&mut self, process: ProcessId, stream: u32, it: Running) {
        let tests = self.truth.jobs[it.job].job.tests_flag();
        if self.declared.latched || it.leaves || !tests || !self.holds(it.handle) {
            return;
        }
        self.truth.stopped(it.job);
        self.lane(process, stream).running = Some(Running { left: 1, leaves: true, ..it });
    }

    /// Reports `drained` once the work that was to be held or saved is off the device.
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
        Report::Submitted(it) | Report::NotSubmitted(it) | Report::Started(it) => it.process,
        Report::Finished(it) | Report::Failed(it) | Report::Exited(it) => it.process,
        Report::Killed(it) | Report::Claimed(it) | Report::Judged(it, _) => it.process,
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
        let lane = self.lane(handle.process, stream.0);
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
        self.truth.faults.idle += u64::from(!hits.iter().any(|it| it.process == process));
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
