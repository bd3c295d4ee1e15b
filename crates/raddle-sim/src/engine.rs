//! How does a simulated run proceed?
//!
//! For each tick the dispatcher is told all events, then it decides, then its actions are carried
//! out; events that these cause in the same tick make one more round. Every so many rounds the
//! dispatcher's account of resources and the simulator's are compared on the compute units that
//! changed. `happen` has the events and who is told of them, `act` how actions are carried out.

mod act;
mod copies;
mod happen;
mod periods;

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use raddle_dispatch::{Dispatcher, Standstill};
use raddle_policy::{Action, Actions, CuShape, LaunchId, Preemption, Tick, Ticks};

use crate::copy_engines::CopyEngines;
use crate::fragmentation::FragmentationLog;
use crate::ledger::Ledger;
use crate::machine::Machine;
use crate::meetings::Meetings;
use crate::outcome::{RefusedLaunch, RequestMarks};
use crate::plan::Costs;
use crate::queue::{Due, Queue};
use crate::tasks::{Issued, Tasks};
use crate::usage::Usage;
use crate::watch::{Seen, Watch};
use crate::workload::Workload;
use crate::{EnergyModel, Outcome, SimError};
use periods::Refills;
use raddle_dispatch::ByLaunch;

/// The most decisions within one tick before the run stops with an error (livelock).
const DECISIONS_A_TICK: u32 = 1_000_000;
/// The number of timer wake-ups in a row, without an action of the dispatcher and with no other
/// event to come, after which a run ends. Policies that count their retries (seed 000, E3) need
/// some hundreds.
const IDLE_WAKES: u32 = 65_536;
/// The number of turns (time slices) in a row, in which no work was issued and none ended, after
/// which a run stops. Then a kernel lasts too long for such short turns, for example because the
/// clock of the recording was wrong. With turns of 1 ms, that kernel would last 17 minutes.
const TURNS_IN_A_ROW: u32 = 1 << 20;
/// The number of times that one launch may be taken off the device before it ends, after which a
/// run stops: a kernel lasts too long, although other programs make progress beside it. With turns
/// of 2 ms, that kernel would last 10 minutes.
const TIMES_OFF: u32 = 1 << 18;
/// The number of decisions between two comparisons of the dispatcher's account of resources with
/// the simulator's; 1 in a debug build. A comparison covers all changes since the last one, so a
/// lasting fault is found, at most this many decisions late.
const COMPARED_EVERY: u64 = if cfg!(debug_assertions) { 1 } else { 64 };
/// The number of decisions between two reports of progress.
const PROGRESS_EVERY: u64 = 1024;

/// The device of a simulated run: its compute units, its costs of preemption, and its energy model.
#[derive(Clone, Copy, Debug)]
pub struct SimConfig {
    /// The resources of one compute unit: slots, and granules of registers and LDS.
    pub shape: CuShape,
    /// The number of compute units of the device.
    pub cus: u16,
    /// The costs of preempting work on the device, in ticks and bytes.
    pub costs: Costs,
    /// The energy that instructions and memory cost, in pJ, and the power while no work runs, in
    /// mW.
    pub energy: EnergyModel,
}

/// The progress of a simulated run, as the progress callback of [`run`] gets it.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// The simulated time that has passed, in ticks.
    pub now: Tick,
    /// The number of launches that have ended, out of `total`.
    pub ended: u64,
    /// The number of launches for whose end the run waits, while other processes repeat; see
    /// [`Workload::leading`].
    pub total: u64,
}

/// Runs a workload under a dispatcher until no event is left to happen.
///
/// # Errors
/// When the dispatcher does what is not allowed, such as starting more than fits on a compute unit.
/// Problems of the workload are reported in the outcome.
pub fn run(
    workload: &Workload,
    dispatcher: &mut dyn Dispatcher,
    options: &SimConfig,
    progress: &mut dyn FnMut(Progress),
) -> Result<Outcome, SimError> {
    let mut told = |at| {
        progress(at);
        ControlFlow::Continue(())
    };
    run_watched(workload, dispatcher, options, &mut (), &mut told)
}

/// Runs a workload as [`run`] does, and calls `watch` with each event; `progress` may end the run.
///
/// # Errors
/// The errors of [`run`], and [`SimError::Cancelled`] if `progress` ended the run.
pub fn run_watched(
    workload: &Workload,
    dispatcher: &mut dyn Dispatcher,
    options: &SimConfig,
    watch: &mut dyn Watch,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Outcome, SimError> {
    if u16::try_from(workload.processes.len()).is_err() {
        return Err(SimError::TooManyProcesses(workload.processes.len()));
    }
    Engine::new(workload, dispatcher, options, watch)?.run(progress)
}

struct Engine<'r> {
    dispatcher: &'r mut dyn Dispatcher,
    watch: &'r mut dyn Watch,
    tasks: Tasks<'r>,
    machine: Machine,
    energy: EnergyModel,
    queue: Queue,
    usage: Usage,
    /// The most compute units that a process may ever use, by process.
    units: Vec<u16>,
    fragmentation: FragmentationLog,
    actions: Actions,
    told: Vec<Issued>,
    /// The ticks of cleanup (from the end of a launch until its end is known) of each submitted
    /// launch that has any.
    cleanups: ByLaunch<Ticks>,
    engines: CopyEngines,
    meetings: Meetings,
    /// The ticks that each completed preemption took, by preemption method.
    latencies: BTreeMap<Preemption, Vec<Ticks>>,
    /// The number of times that each unfinished launch was taken off the device.
    times_off: ByLaunch<u32>,
    refills: Refills,
    refused: Vec<RefusedLaunch>,
    refused_again: u64,
    /// The begin and end of each request, by process, each with the time that the process had spent
    /// on each activity by then.
    requests: Vec<Vec<RequestMarks>>,
    /// True if the dispatcher has got an event since its last decision.
    undecided: bool,
    now: Tick,
    first: Option<Tick>,
    last: Tick,
}

impl<'r> Engine<'r> {
    fn new(
        workload: &'r Workload,
        dispatcher: &'r mut dyn Dispatcher,
        options: &SimConfig,
        watch: &'r mut dyn Watch,
    ) -> Result<Self, SimError> {
        let mut tasks = {
            let hears = (dispatcher.looks_ahead(), dispatcher.takes_copies());
            Tasks::new(workload, hears, options.shape)?
        };
        let mut queue = Queue::default();
        for (process, plan) in (0u16..).zip(&workload.processes) {
            queue.push(Tick::ZERO + plan.start, Due::Join(process));
            for (position, (at, ..)) in (0..).zip(&plan.hints) {
                queue.push(Tick::ZERO + plan.start + *at, Due::Hint(process, position));
            }
        }
        for (at, process) in tasks.alarms() {
            queue.push(at, Due::Arrival(process));
        }
        let mut ledger = Ledger::new(&options.shape, options.cus);
        ledger.power.idle(&options.energy);
        let slots = ledger.waves_of_a_unit() * ledger.units();
        Ok(Self {
            dispatcher,
            watch,
            tasks,
            machine: Machine::new(ledger, options.costs, workload),
            energy: options.energy,
            queue,
            units: vec![options.cus; workload.processes.len()],
            usage: Usage::new(workload.processes.len(), slots),
            fragmentation: FragmentationLog::new(options.cus),
            actions: Actions::without_places(),
            told: Vec::new(),
            cleanups: ByLaunch::default(),
            engines: CopyEngines::default(),
            meetings: Meetings::new(workload),
            latencies: BTreeMap::new(),
            times_off: ByLaunch::default(),
            refills: Refills::default(),
            refused: Vec::new(),
            refused_again: 0,
            requests: vec![Vec::new(); workload.processes.len()],
            undecided: false,
            now: Tick::ZERO,
            first: None,
            last: Tick::ZERO,
        })
    }

    fn run(
        mut self,
        progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Outcome, SimError> {
        let (mut same_tick, mut idle, mut turns) = (0, 0, 0);
        self.refills.until = self.watch.sees_from().unwrap_or(Tick::MAX);
        while let Some(now) = self.queue.next_tick() {
            same_tick = if now == self.now { same_tick + 1 } else { 0 };
            if same_tick > DECISIONS_A_TICK {
                return Err(SimError::Livelock { at: now });
            }
            self.now = now;
            self.usage.advance(now, &self.tasks.open);
            self.fragmentation.advance(now);
            self.machine.ledger.power.now = now;
            let only_wakes = self.queue.only_wakes();
            turns += 1;
            let (mut happened, mut only) = (false, None);
            while let Some(due) = self.queue.pop_at(now) {
                if self.machine.is_put_off(due, now, &mut self.queue) {
                    continue;
                }
                only = (!happened).then_some(due);
                happened = true;
                turns = if due.is_work() { 0 } else { turns };
                self.happen(due)?;
            }
            if !happened {
                continue;
            }
            if turns > TURNS_IN_A_ROW {
                return Err(SimError::NothingEnds { at: now, turns });
            }
            let mut acted = self.decide()?;
            only = only.filter(|_| !self.undecided);
            // A refusal releases the launches that waited, of which the dispatcher hears behind its
            // decision: it decides on them in the same tick.
            while self.undecided && self.queue.next_tick() != Some(now) {
                acted |= self.decide()?;
            }
            let (waves, launches) = (self.usage.waves(), self.usage.unfinished());
            let (placed, issued) = (self.usage.placed(), &self.tasks.open);
            self.watch.see(now, &Seen::Settled { waves, launches, placed, issued });
            match only.filter(|_| now < self.refills.until) {
                Some(due) => self.count_refill(due),
                None => self.end_refills(),
            }
            idle = if only_wakes && !acted { idle + 1 } else { 0 };
            if idle > IDLE_WAKES {
                break;
            }
            if self.machine.counters.decisions.is_multiple_of(PROGRESS_EVERY) {
                self.report(progress)?;
                if self.watch.ends_run(now) {
                    break;
                }
            }
        }
        self.report(progress)?;
        self.compare_books()?;
        self.dispatcher.finish().map_err(|error| SimError::Dispatch { at: self.now, error })?;
        let stuck = self.tasks.unfinished(self.now);
        if stuck.is_empty() && !self.machine.ledger.is_empty() {
            return Err(SimError::NotGivenBack { at: self.now });
        }
        Ok(self.outcome(stuck))
    }

    /// Reports the progress of the run to the callback, which may end the run with
    /// [`SimError::Cancelled`].
    fn report(
        &self,
        progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<(), SimError> {
        let (ended, total) = self.tasks.progress();
        let told = progress(Progress { now: self.now, ended, total });
        if told.is_break() { Err(SimError::Cancelled { at: self.now }) } else { Ok(()) }
    }

    fn outcome(self, stuck: Vec<LaunchId>) -> Outcome {
        let ledger = &self.machine.ledger;
        let used = self.usage.finish();
        let standstill = match () {
            () if stuck.is_empty() => None,
            () if self.meetings.waits() => Some(Standstill::Peers),
            () => self.dispatcher.standstill(),
        };
        Outcome {
            wave_slots: ledger.waves_of_a_unit() * ledger.units(),
            stuck,
            standstill,
            iterations: self.tasks.iterations(),
            warm_up: self.tasks.workload().processes.iter().map(|plan| plan.warm_up).collect(),
            began: self.tasks.began(),
            requests: self.requests,
            device_time: used.device_time,
            window_wave_ns: used.window_wave_ns,
            blocked_ns: used.blocked_ns,
            repeat_capped: self.tasks.repeat_capped,
            records: self.tasks.records,
            refused: self.refused,
            refused_again: self.refused_again,
            first: self.first.unwrap_or(Tick::ZERO),
            last: self.last,
            wave_ns: used.wave_ns,
            shared_wave_ns: used.shared_wave_ns,
            times: used.times,
            turns: self.dispatcher.turns(),
            latencies: self.latencies,
            preemptions: self.dispatcher.preemptions(),
            replaced: self.dispatcher.replaced().to_vec(),
            counters: self.machine.counters,
            skipped: self.machine.skipped,
            energy: self.machine.ledger.power.finish(),
            free: self.fragmentation.finish(),
            waits: self.dispatcher.waits().to_vec(),
        }
    }

    /// Asks the dispatcher for a decision, and carries out its actions. Returns whether there was
    /// an action other than asking for a wake-up.
    fn decide(&mut self) -> Result<bool, SimError> {
        let at = self.now;
        let mut actions = std::mem::take(&mut self.actions);
        actions.clear();
        self.undecided = false;
        let decided = self.dispatcher.decide(at, &mut actions);
        decided.map_err(|error| SimError::Dispatch { at, error })?;
        self.machine.counters.decisions += 1;
        for action in &actions.list {
            if !self.act_on_copy(action)? {
                self.carry_out(action, &actions)?;
            }
        }
        self.machine.retime(at, &mut self.queue);
        let acted = actions.list.iter().any(|action| !matches!(action, Action::WakeAt(_)));
        self.actions = actions;
        let (dispatcher, ledger) = (&*self.dispatcher, &self.machine.ledger);
        self.fragmentation.see(ledger.touched().flatten(), |cu| dispatcher.free_runs(cu));
        // Addresses are looked at where units changed, so there each decision clears what changed.
        let is_due = self.machine.counters.decisions.is_multiple_of(COMPARED_EVERY);
        if is_due || self.fragmentation.has_addresses() {
            self.compare_books()?;
        }
        Ok(acted)
    }

    /// Compares the dispatcher's account of resources with the simulator's, on the compute units
    /// that changed since the last comparison.
    fn compare_books(&mut self) -> Result<(), SimError> {
        let (dispatcher, ledger) = (&*self.dispatcher, &mut self.machine.ledger);
        match ledger.differs(|cu| (dispatcher.free(cu), dispatcher.alike(cu))) {
            Some((cu, ours, theirs)) => Err(SimError::BooksDiffer {
                at: self.now,
                cu,
                ours: Box::new(ours),
                theirs: Box::new(theirs),
            }),
            None => Ok(()),
        }
    }
}
