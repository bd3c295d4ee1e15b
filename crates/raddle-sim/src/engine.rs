//! How does a run go?
//!
//! For each tick: everything that happens in it is told to the dispatcher, then it decides, then
//! its actions are carried out; what they cause in the same tick makes one more round. After each
//! round the two books are compared on the compute units that changed.

use std::collections::BTreeMap;

use raddle_dispatch::{DispatchError, Dispatcher};
use raddle_policy::{Action, Actions, CuId, Event, Free};
use raddle_types::{CuShape, Launch, LaunchId, ProcessId, Refusal, Tick, Ticks};

use crate::ledger::Ledger;
use crate::machine::{Kernel, Machine};
use crate::outcome::RefusedLaunch;
use crate::plan::{Costs, Work, Workload};
use crate::queue::{Due, Queue};
use crate::tasks::{Issued, Tasks};
use crate::usage::Usage;
use crate::watch::{Seen, Watch};
use crate::{EnergyModel, Outcome, SimError};

/// So many decisions in one tick are a livelock.
const DECISIONS_A_TICK: u32 = 1_000_000;
/// So many wakes in a row that led to nothing, while nothing else can happen, end the run. Policies
/// that count their retries (seed 000, E3) need some hundreds.
const IDLE_WAKES: u32 = 65_536;
/// Progress is told every so many decisions.
const PROGRESS_EVERY: u64 = 1024;

/// The device of a run.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// What one compute unit holds.
    pub shape: CuShape,
    /// How many there are.
    pub cus: u16,
    /// What taking work off costs.
    pub costs: Costs,
    /// What its instructions cost.
    pub energy: EnergyModel,
}

/// How far a run is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Simulated time.
    pub now: Tick,
    /// Launches that lead the run and have ended.
    pub ended: u64,
    /// All that lead it; see [`Workload::leading`].
    pub total: u64,
}

/// Runs a workload under a dispatcher until nothing more happens.
///
/// # Errors
/// When the dispatcher breaks a rule. What is wrong with the workload is in the outcome.
pub fn run(
    workload: &Workload,
    dispatcher: &mut dyn Dispatcher,
    options: &Options,
    progress: &mut dyn FnMut(Progress),
) -> Result<Outcome, SimError> {
    run_watched(workload, dispatcher, options, &mut (), progress)
}

/// [`run`], while somebody looks on.
///
/// # Errors
/// Those of [`run`].
pub fn run_watched(
    workload: &Workload,
    dispatcher: &mut dyn Dispatcher,
    options: &Options,
    watch: &mut impl Watch,
    progress: &mut dyn FnMut(Progress),
) -> Result<Outcome, SimError> {
    if u16::try_from(workload.processes.len()).is_err() {
        return Err(SimError::TooManyProcesses(workload.processes.len()));
    }
    Engine::new(workload, dispatcher, options, watch)?.run(progress)
}

struct Engine<'r, W> {
    dispatcher: &'r mut dyn Dispatcher,
    watch: &'r mut W,
    tasks: Tasks<'r>,
    machine: Machine,
    energy: EnergyModel,
    queue: Queue,
    usage: Usage,
    actions: Actions,
    told: Vec<Issued>,
    /// How long it takes to clean up launches that are submitted, where it takes any time.
    cleanups: BTreeMap<LaunchId, Ticks>,
    refused: Vec<RefusedLaunch>,
    refused_again: u64,
    now: Tick,
    first: Option<Tick>,
    last: Tick,
}

impl<'r, W: Watch> Engine<'r, W> {
    fn new(
        workload: &'r Workload,
        dispatcher: &'r mut dyn Dispatcher,
        options: &Options,
        watch: &'r mut W,
    ) -> Result<Self, SimError> {
        let mut tasks = Tasks::new(workload, dispatcher.looks_ahead())?;
        let mut queue = Queue::default();
        for (process, plan) in (0u16..).zip(&workload.processes) {
            queue.push(Tick::ZERO + plan.start, Due::Join(process));
        }
        for (at, process) in tasks.alarms() {
            queue.push(at, Due::Arrival(process));
        }
        let ledger = Ledger::new(&options.shape, options.cus);
        Ok(Self {
            dispatcher,
            watch,
            tasks,
            machine: Machine::new(ledger, options.costs),
            energy: options.energy,
            queue,
            usage: Usage::new(workload.processes.len()),
            actions: Actions::default(),
            told: Vec::new(),
            cleanups: BTreeMap::new(),
            refused: Vec::new(),
            refused_again: 0,
            now: Tick::ZERO,
            first: None,
            last: Tick::ZERO,
        })
    }

    fn run(mut self, progress: &mut dyn FnMut(Progress)) -> Result<Outcome, SimError> {
        let (mut same_tick, mut idle) = (0, 0);
        while let Some(now) = self.queue.next_tick() {
            same_tick = if now == self.now { same_tick + 1 } else { 0 };
            if same_tick > DECISIONS_A_TICK {
                return Err(SimError::Livelock { at: now });
            }
            self.now = now;
            self.usage.advance(now);
            self.machine.ledger.power.now = now;
            let only_wakes = self.queue.only_wakes();
            while let Some(due) = self.queue.pop_at(now) {
                self.happen(due)?;
            }
            let acted = self.decide()?;
            let Usage { waves, unfinished: launches, .. } = &self.usage;
            self.watch.see(now, &Seen::Settled { waves, launches });
            idle = if only_wakes && !acted { idle + 1 } else { 0 };
            if idle > IDLE_WAKES {
                break;
            }
            if self.machine.counters.decisions.is_multiple_of(PROGRESS_EVERY) {
                progress(self.progress());
            }
        }
        progress(self.progress());
        self.dispatcher.finish().map_err(|error| SimError::Dispatch { at: self.now, error })?;
        let stuck = self.tasks.unfinished();
        if stuck.is_empty() && !self.machine.ledger.is_empty() {
            return Err(SimError::NotGivenBack { at: self.now });
        }
        Ok(self.outcome(stuck))
    }

    fn progress(&self) -> Progress {
        let (ended, total) = self.tasks.progress();
        Progress { now: self.now, ended, total }
    }

    fn outcome(mut self, stuck: Vec<LaunchId>) -> Outcome {
        let ledger = &self.machine.ledger;
        let times = std::mem::take(&mut self.usage.times);
        let (wave_ns, shared_wave_ns, series) = self.usage.finish();
        Outcome {
            wave_slots: ledger.waves_of_a_unit() * ledger.units(),
            stuck,
            iterations: self.tasks.iterations(),
            repeat_capped: self.tasks.repeat_capped,
            records: self.tasks.records,
            refused: self.refused,
            refused_again: self.refused_again,
            first: self.first.unwrap_or(Tick::ZERO),
            last: self.last,
            wave_ns,
            shared_wave_ns,
            times,
            turns: self.dispatcher.turns(),
            series,
            counters: self.machine.counters,
            energy: self.machine.ledger.power.finish(),
        }
    }

    fn tell(&mut self, event: &Event<'_>) -> Result<(), SimError> {
        let at = self.now;
        let heard = self.dispatcher.event(event, at);
        heard.map_err(|error: DispatchError| SimError::Dispatch { at, error })
    }

    fn happen(&mut self, due: Due) -> Result<(), SimError> {
        match due {
            Due::Join(process) => {
                let share = self.tasks.share(process);
                self.tell(&Event::ProcessJoined { process: ProcessId(process), share })
            }
            Due::Arrival(process) => self.arrive(process),
            Due::Ready(id) => self.make_ready(id),
            Due::Front(slot, generation) => self.front_ended(slot, generation),
            Due::Copy(id) | Due::CleanedUp(id) => self.ended(id),
            Due::TakenOff(id) => self.taken_off(id),
            Due::Restored(id) => {
                if self.machine.restored(id, self.now, &mut self.queue) {
                    self.tell(&Event::Restored { launch: id })?;
                }
                Ok(())
            }
            Due::Wake => self.tell(&Event::Woke),
        }
    }

    fn arrive(&mut self, process: u16) -> Result<(), SimError> {
        self.first.get_or_insert(self.now);
        let mut told = std::mem::take(&mut self.told);
        self.tasks.arrive(usize::from(process), self.now, &mut told)?;
        self.set_alarms();
        self.tell_all(told)
    }

    fn set_alarms(&mut self) {
        for (at, process) in self.tasks.alarms() {
            self.queue.push(at, Due::Arrival(process));
        }
    }

    /// Notes that a launch has ended or will never run; what waited for it only goes to `told`.
    fn finish(&mut self, id: LaunchId, told: &mut Vec<Issued>) -> Result<(), SimError> {
        self.tasks.finish(id, self.now, told)?;
        self.set_alarms();
        Ok(())
    }

    fn tell_all(&mut self, mut told: Vec<Issued>) -> Result<(), SimError> {
        for &Issued { id, free } in &told {
            if free {
                self.make_ready(id)?;
            } else if let Some(launch) = self.launch(id) {
                self.tell(&Event::LaunchIssued { launch })?;
            }
        }
        told.clear();
        self.told = told;
        Ok(())
    }

    /// A launch as the dispatcher knows it; `None` where it runs no workgroups.
    fn launch(&self, id: LaunchId) -> Option<Launch> {
        let (_, task) = self.tasks.plan(id);
        let Work::Kernel { workgroups, demand, barrier, .. } = task.work else { return None };
        Some(Launch {
            id,
            process: ProcessId(self.tasks.records[id.index()].process),
            stream: task.stream,
            level: task.level,
            workgroups,
            demand,
            barrier,
            idempotent: task.idempotent,
            activity: task.activity,
        })
    }

    /// A launch was issued and waits for nothing any more.
    fn make_ready(&mut self, id: LaunchId) -> Result<(), SimError> {
        let (_, task) = self.tasks.plan(id);
        let record = &mut self.tasks.records[id.index()];
        record.ready = Some(self.now);
        let process = record.process;
        match task.work {
            Work::Copy(lasts) => {
                record.started = Some(self.now);
                self.queue.push(self.now + lasts, Due::Copy(id));
                Ok(())
            }
            Work::Unfit { resource, wanted, available } => {
                let refusal = Refusal { launch: id, cu: None, resource, wanted, available };
                self.refuse(refusal)
            }
            Work::Kernel { .. } => {
                self.usage.gained(process);
                let Some(launch) = self.launch(id) else { return Ok(()) };
                self.tell(&Event::LaunchReady { launch })
            }
        }
    }

    fn front_ended(&mut self, slot: u32, generation: u32) -> Result<(), SimError> {
        let Some(front) = self.machine.front(slot, generation) else {
            return Ok(());
        };
        let (launch, at) = (front.launch, self.now);
        let event = Event::WavesEnded { launch, waves: front.waves, pieces: &front.pieces };
        let heard = self.dispatcher.event(&event, at);
        heard.map_err(|error| SimError::Dispatch { at, error })?;
        let whole = match self.tasks.plan(launch).1.work {
            Work::Kernel { demand, .. } => demand.waves,
            _ => 0,
        };
        let (waves, pieces) = (front.waves, &front.pieces);
        self.watch.see(at, &Seen::Ended { launch, front: slot, waves, whole, pieces });
        if let Some(ended) = self.machine.end_front(slot, at, &mut self.queue) {
            self.usage.waves[usize::from(ended.process)] -= ended.waves;
            if ended.finished {
                self.usage.lost(ended.process);
                let Some(cleanup) = self.cleanups.remove(&launch) else {
                    return self.ended(launch);
                };
                // Who waits for it hears of it when it has been cleaned up.
                self.queue.push(at + cleanup, Due::CleanedUp(launch));
            }
        }
        Ok(())
    }

    /// A launch, copy or fill has ended.
    fn ended(&mut self, id: LaunchId) -> Result<(), SimError> {
        self.tasks.records[id.index()].ended = Some(self.now);
        self.last = self.now;
        let mut told = std::mem::take(&mut self.told);
        self.finish(id, &mut told)?;
        self.tell_all(told)
    }

    fn taken_off(&mut self, id: LaunchId) -> Result<(), SimError> {
        let Some((how, done, waves, process)) = self.machine.taken_off(id) else {
            return Ok(());
        };
        self.usage.waves[usize::from(process)] -= waves;
        self.watch.see(self.now, &Seen::TakenOff { launch: id, how });
        self.tell(&Event::TakenOff { launch: id, how, done })
    }

    /// A launch will never run: notes why and releases what waits for it.
    fn refuse(&mut self, refusal: Refusal) -> Result<(), SimError> {
        let id = refusal.launch;
        let record = &mut self.tasks.records[id.index()];
        record.refused = true;
        if record.iteration == 0 {
            let (process, task) = (record.process, record.task);
            self.refused.push(RefusedLaunch { process, task, refusal });
        } else {
            self.refused_again += 1;
        }
        let mut told = std::mem::take(&mut self.told);
        let before = told.len();
        self.finish(id, &mut told)?;
        for issued in told.drain(before..) {
            self.queue.push(self.now, Due::Ready(issued.id));
        }
        self.told = told;
        Ok(())
    }

    /// Lets the dispatcher decide; whether it did more than to ask for a wake.
    fn decide(&mut self) -> Result<bool, SimError> {
        let at = self.now;
        let mut actions = std::mem::take(&mut self.actions);
        actions.clear();
        let decided = self.dispatcher.decide(at, &mut actions);
        decided.map_err(|error| SimError::Dispatch { at, error })?;
        self.machine.counters.decisions += 1;
        for action in &actions.list {
            self.carry_out(action, &actions)?;
        }
        let acted = actions.list.iter().any(|action| !matches!(action, Action::WakeAt(_)));
        self.actions = actions;
        let theirs = |cu: CuId| -> Option<Free> { self.dispatcher.free(cu) };
        match self.machine.ledger.differs(theirs) {
            Some((cu, ours, theirs)) => Err(SimError::BooksDiffer {
                at,
                cu,
                ours: Box::new(ours),
                theirs: Box::new(theirs),
            }),
            None => Ok(acted),
        }
    }

    fn carry_out(&mut self, action: &Action, lists: &Actions) -> Result<(), SimError> {
        let now = self.now;
        match *action {
            Action::Submit { launch, via } => {
                let kernel = self.kernel(launch)?;
                if via.cleanup > Ticks::ZERO {
                    self.cleanups.insert(launch, via.cleanup);
                }
                self.machine.submit(launch, kernel, now)
            }
            Action::Start { launch, waves, ref pieces, .. } => {
                self.must_be_ready(launch, "start workgroups of")?;
                let pieces = lists.pieces(pieces);
                let (started, front) =
                    self.machine.start(launch, waves, pieces, now, &mut self.queue)?;
                self.watch.see(now, &Seen::Started { launch, front, waves, pieces });
                let record = &mut self.tasks.records[launch.index()];
                record.started.get_or_insert(now);
                self.usage.waves[usize::from(record.process)] += started;
                Ok(())
            }
            Action::Assign { launch, workgroup, cu } => {
                self.must_be_ready(launch, "assign a workgroup of")?;
                self.machine.assign(launch, workgroup, cu, now)
            }
            Action::TakeOff { launch, how } => {
                self.machine.take_off(launch, how, now, &mut self.queue)
            }
            Action::Restore { launch } => {
                let (waves, process) = self.machine.restore(launch, now, &mut self.queue)?;
                self.usage.waves[usize::from(process)] += waves;
                self.watch.see(now, &Seen::Restored { launch });
                Ok(())
            }
            Action::Refuse { refusal } => {
                self.kernel(refusal.launch)?;
                self.machine.forget(refusal.launch, now)?;
                let process = self.tasks.records[refusal.launch.index()].process;
                self.usage.lost(process);
                self.refuse(refusal)
            }
            Action::WakeAt(at) => {
                // A wake in the past would never come; it comes at once instead.
                self.queue.push(at.max(now), Due::Wake);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// What waits for another launch may lie on the device, but nothing of it starts.
    fn must_be_ready(&self, launch: LaunchId, what: &'static str) -> Result<(), SimError> {
        let record = self.tasks.records.get(launch.index());
        if record.is_some_and(|record| record.ready.is_none()) && self.tasks.is_told(launch) {
            return Err(SimError::Action { at: self.now, launch, what, state: "not ready" });
        }
        Ok(())
    }

    /// What the machine needs to know of a launch that was issued and has neither ended nor been
    /// refused.
    fn kernel(&self, id: LaunchId) -> Result<Kernel, SimError> {
        let state = match self.tasks.records.get(id.index()) {
            Some(record) if record.refused => "refused",
            Some(record) if record.ended.is_some() => "ended",
            Some(record) if record.ready.is_some() || self.tasks.is_told(id) => {
                let (_, task) = self.tasks.plan(id);
                if let Work::Kernel { workgroups, workgroup, demand, context_bytes, .. } = task.work
                {
                    let process = record.process;
                    let wave_uw = self.energy.wave_uw(task.activity);
                    return Ok(Kernel {
                        process,
                        workgroups,
                        workgroup,
                        demand,
                        context_bytes,
                        wave_uw,
                    });
                }
                "not a kernel"
            }
            Some(_) => "not ready",
            None => "unknown",
        };
        Err(SimError::Action { at: self.now, launch: id, what: "act on", state })
    }
}
