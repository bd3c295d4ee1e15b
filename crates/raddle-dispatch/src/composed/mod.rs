//! How do four policies make one dispatcher?
//!
//! One decision asks, in this order: turn (and, for each process revoked, preempt), launch path,
//! allocate until it waits. Events only change what the dispatcher knows; nothing is decided
//! between the events of one tick.
//!
//! The file `events` takes events, `turns` and `placing` decide. `control` carries out the commands
//! of the preemption controller, which alone knows which launches are submitted when, come back or
//! are killed.

mod builder;
mod control;
mod copies;
mod events;
mod journal;
mod launch;
mod lists;
mod periods;
mod placing;
mod policies;
mod process;
mod ready;
#[cfg(not(feature = "recipes"))]
mod silent;
mod standstill;
mod turns;

use alloc::collections::{BTreeMap, BTreeSet, VecDeque};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::book::FreeUnits;
use raddle_policy::{
    Action, Actions, CuId, Cus, Event, Fact, Free, FreeRun, Launch, LaunchId, ProcessId, Refusal,
    StreamId, Tick, WaitTally,
};
use raddle_preempt::{Arbiter, Driver};

pub use builder::Builder;
use control::SteppedRuntime;
use journal::Journal;
use launch::{LaunchState, Stage};
use lists::Lists;
use periods::Mark;
use policies::Policies;
use process::Process;
use ready::Ready;
#[cfg(not(feature = "recipes"))]
use silent::Unchecked as Checker;

use crate::answer::LoggedAnswer;
use crate::error::DispatchReason;
#[cfg(feature = "recipes")]
use crate::log::check::Checker;
use crate::{
    ByLaunch, DispatchError, Dispatcher, PreemptionTally, RefusedReset, Standstill, TurnTally,
};

/// A dispatcher that is composed of four policies: launch path, turn, allocate and preempt.
pub struct Composed {
    policies: Policies,
    /// True if the allocate policy may cut workgroups whose waves are independent, so that waves of
    /// one workgroup run on different compute units.
    cuts: bool,
    /// True if the turn policy also chooses which streams of a process may issue launches.
    by_stream: bool,
    /// True if processes may submit launches that still wait for other work, which needs a
    /// submission window.
    ahead: bool,
    /// True if copies start as soon as they are ready, without the dispatcher.
    copies_apart: bool,
    /// The driver of the preemption controller, which decides which launches are submitted and how
    /// work leaves the device.
    driver: Driver<LaunchId, SteppedRuntime>,
    preemptions: Preemptions,
    units: FreeUnits,
    processes: BTreeMap<ProcessId, Process>,
    launches: ByLaunch<LaunchState>,
    turns: Turns,
    transit: Transit,
    /// The launches that the allocate policy sees, in the order of submission: those on the device,
    /// not taken off by a preemption, with workgroups or waves to start.
    ready: Ready,
    /// The ready copies that have reached the device and are to be started, as (number in the order
    /// of submission, id).
    copies: BTreeSet<(u64, LaunchId)>,
    /// True if the allocate policy must be asked again, as the launches or resources that it sees
    /// have changed.
    allocate_stale: bool,
    /// Refusals of launches that can never run, which the next decision reports.
    refused: Vec<Refusal>,
    /// The future ticks at which the dispatcher has asked to be called again, ascending.
    wakes: VecDeque<Tick>,
    /// The number of launches and copies issued so far; `submissions` is the number of submissions.
    orders: u64,
    submissions: u64,
    heard: bool,
    /// True if the allocate policy has refused a launch for good in this decision.
    gave_up: bool,
    /// The tick of the last event or decision.
    now: Tick,
    lists: Lists,
    /// The launch that a simulator marked last, with the state of the device at that time; `None`
    /// where it marked none. By it the simulator can skip ahead, while workgroups of the launch end
    /// and are replaced by equally many.
    mark: Option<Mark>,
    journal: Journal,
    /// A message for each policy that broke a law of its trait and was replaced, with its slot, the
    /// tick and the law.
    replaced: Vec<String>,
}

/// The processes that have the turn (the right to issue launches), and those whose work is still on
/// the device after they lost it.
#[derive(Debug, Default)]
struct Turns {
    arbiter: Arbiter,
    /// The tick at which each process lost the turn (the right to issue launches), for processes
    /// that have had waves on the device ever since.
    lost: BTreeMap<ProcessId, Tick>,
    tally: TurnTally,
}

/// The state of the preemptions and resets that are under way.
#[derive(Debug, Default)]
struct Preemptions {
    /// Launches that leave as soon as they are on the device, as they see a raised preemption flag
    /// at their start.
    exits: Vec<LaunchId>,
    /// Launches that have come back although their process is preempted again, and so leave soon:
    /// (tick at which the launch leaves, launch).
    late: Vec<(Tick, LaunchId)>,
    /// Processes whose held (drain) or saved (switch) launches are to come back to the device.
    returning: BTreeSet<ProcessId>,
    /// Processes whose reset (killing of running launches) is under way.
    resetting: BTreeSet<ProcessId>,
    /// Processes whose reset covers the whole device: until the reset is over, no work starts.
    resets: BTreeSet<ProcessId>,
    /// Compute units that are being reset, as (process that is reset, compute unit); no work starts
    /// there until the reset is over.
    closed: Vec<(ProcessId, CuId)>,
    /// The reason why the reset of a process was refused, by process. The refusal is counted when
    /// the preemption is complete, unless a reset of another process has killed launches of this
    /// one before.
    refused: BTreeMap<ProcessId, RefusedReset>,
    tally: PreemptionTally,
}

/// The launches that are on their way from the host to the device, and the streams that are busy
/// with submitting.
#[derive(Debug, Default)]
struct Transit {
    /// Submitted launches that have not reached the device, as (tick at which the launch reaches
    /// it, number in the order of submission, launch).
    travelling: BTreeSet<(Tick, u64, LaunchId)>,
    /// The tick until which each stream is busy with submitting launches, where submitting overlaps
    /// with running kernels.
    lines: BTreeMap<(ProcessId, StreamId), Tick>,
}

impl core::fmt::Debug for Composed {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Composed")
            .field("policies", &self.policies.names())
            .field("step", &self.journal.step)
            .finish_non_exhaustive()
    }
}

impl Composed {
    /// Returns a builder for a device with `cus` compute units of this shape.
    pub fn builder(shape: raddle_policy::CuShape, cus: u16) -> Builder {
        Builder::new(shape, cus)
    }

    /// Returns the names of the four policies: launch path, turn, allocate, preempt.
    pub fn policies(&self) -> [&str; 4] {
        self.policies.names()
    }

    /// Returns the first of the four policies that has the type `P`, so that a caller can read
    /// counts that the policy keeps; `None` where no policy has it.
    pub fn policy<P: 'static>(&self) -> Option<&P> {
        self.policies.of_type()
    }

    /// Returns the compute units with their present free resources.
    #[must_use]
    pub const fn cus(&self) -> &Cus {
        self.units.cus()
    }

    /// Returns the next tick at which the dispatcher is to get the event [`Event::Woke`]; `None`
    /// where it has asked for none ([`Action::WakeAt`]).
    #[must_use]
    pub fn next_wake(&self) -> Option<Tick> {
        self.wakes.front().copied()
    }

    fn known(&self, id: LaunchId) -> Result<&LaunchState, DispatchError> {
        self.launches.get(id).ok_or(DispatchError(DispatchReason::UnknownLaunch(id)))
    }

    fn known_mut(&mut self, id: LaunchId) -> Result<&mut LaunchState, DispatchError> {
        self.launches.get_mut(id).ok_or(DispatchError(DispatchReason::UnknownLaunch(id)))
    }

    /// Adds a launch to those that the allocate policy sees, if it has workgroups or waves to start
    /// now. A copy is put into the list of copies to start instead, as no policy places copies.
    fn show(&mut self, id: LaunchId) {
        let Some(known) = self.launches.get(id).filter(|it| !it.waits && !it.claimed) else {
            return;
        };
        if known.launch.is_copy() {
            self.copies.insert((known.submission, id));
        } else if known.unstarted() {
            self.ready.show(known.submission, known.entry());
            self.allocate_stale = true;
        }
    }

    /// Tells every policy a fact (an event, or an answer that was carried out) about a launch; does
    /// nothing for a copy, as no policy places copies.
    fn tell_of(&mut self, launch: &Launch, fact: &Fact<'_>, now: Tick) {
        if !launch.is_copy() {
            self.policies.tell(fact, now);
        }
    }

    /// Updates whether a launch counts as work of its process for the turn policy, which it does
    /// while it is ready or submitted. Must be called whenever one of the two changes.
    fn count_runnable(&mut self, id: LaunchId, now: Tick) {
        let Some(known) = self.launches.get_mut(id) else { return };
        let counts = !known.waits || !matches!(known.stage, Stage::Buffered);
        if core::mem::replace(&mut known.counts, counts) == counts {
            return;
        }
        let (id, launch) = (known.launch.process, known.launch);
        let Some(process) = self.processes.get_mut(&id) else { return };
        let changed =
            if counts { process.gained(&launch, now) } else { process.lost(&launch, now) };
        if changed {
            self.turns.arbiter.ask_again();
        }
    }

    fn resident_waves(&self, id: LaunchId) -> u64 {
        self.launches.get(id).map_or(0, |known| known.on_device.resident_waves())
    }

    /// Updates the number of waves that a process has on the device, after a start or end of a
    /// launch that had `before` waves there.
    fn count_resident(&mut self, launch: &Launch, before: u64, now: Tick) {
        let after = self.resident_waves(launch.id);
        if let Some(process) = self.processes.get_mut(&launch.process) {
            let waves = process.resident_waves.saturating_sub(before) + after;
            process.set_resident(waves, now);
        }
    }

    /// Returns an error if the tick `given` is before the tick of the last event or decision.
    const fn check_time(&self, given: Tick) -> Result<(), DispatchError> {
        let now = self.now;
        if given.0 < now.0 {
            Err(DispatchError(DispatchReason::TimeBackwards { given, now }))
        } else {
            Ok(())
        }
    }

    /// Records that the policy of `slot` (such as `turn`) broke the law `law` of its trait, so that
    /// another policy answers in its place from now on.
    fn note_broken(&mut self, slot: &'static str, law: &str, now: Tick) {
        self.journal.answer(now, LoggedAnswer::Broke { slot, law });
        let [_, turn, allocate, _] = self.policies();
        let name = if slot == "turn" { turn } else { allocate };
        self.replaced.push(format!("`{name}` ({slot}) at tick {now}: {law}"));
    }

    /// Adds the action that asks to be woken at the tick `at`, once for each tick; does nothing if
    /// `at` is not after `now`.
    fn wake_at(&mut self, at: Tick, now: Tick, actions: &mut Actions) {
        if at > now
            && let Err(place) = self.wakes.binary_search(&at)
        {
            self.wakes.insert(place, at);
            actions.push(Action::WakeAt(at));
            self.journal.answer(now, LoggedAnswer::WakeAt { at });
        }
    }
}

impl Dispatcher for Composed {
    fn looks_ahead(&self) -> bool {
        self.ahead
    }

    fn takes_copies(&self) -> bool {
        self.ahead && !self.copies_apart
    }

    fn event(&mut self, event: &Event<'_>, now: Tick) -> Result<(), DispatchError> {
        self.check_time(now)?;
        self.hear(event, now)?;
        (self.heard, self.now) = (true, now);
        self.journal.event(now, event);
        #[cfg(feature = "recipes")]
        self.journal.kept(now)?;
        Ok(())
    }

    fn decide(&mut self, now: Tick, actions: &mut Actions) -> Result<(), DispatchError> {
        self.check_time(now)?;
        self.now = now;
        // Without a new event there is no new answer, so a log of the events can be replayed.
        if !core::mem::take(&mut self.heard) {
            return Ok(());
        }
        while self.wakes.front().is_some_and(|&at| at <= now) {
            self.wakes.pop_front();
        }
        for refusal in self.refused.drain(..) {
            actions.push(Action::Refuse { refusal });
            self.journal.answer(now, LoggedAnswer::Refuse(refusal));
        }
        loop {
            self.take_turns(now, actions)?;
            self.choose_streams(now, actions)?;
            self.take_off_late(now, actions);
            self.control(now, actions)?;
            self.arrive(now);
            self.start_copies(now, actions)?;
            self.place(now, actions)?;
            // A launch that will never run is gone, so its process may give away the turn and its
            // place in the window. No event reports that later, so the loop runs once more.
            if !core::mem::take(&mut self.gave_up) {
                break;
            }
        }
        self.note_overruns(now);
        self.journal.step += 1;
        #[cfg(feature = "recipes")]
        self.journal.kept(now)?;
        Ok(())
    }

    fn free(&self, cu: CuId) -> Option<Free> {
        Some(self.units.cus().free(cu))
    }

    fn alike(&self, cu: CuId) -> u16 {
        self.units.cus().alike(cu)
    }

    fn most_units(&self, process: ProcessId, all: u16) -> Option<u16> {
        self.policies.allocate.policy.most_units(process, all)
    }

    fn free_runs(&self, cu: CuId) -> Option<[FreeRun; 3]> {
        self.policies.allocate.policy.free_runs(cu)
    }

    fn waits(&self) -> &[WaitTally] {
        self.policies.allocate.policy.waits()
    }

    fn turns(&self) -> TurnTally {
        self.turns.tally
    }

    fn mark(&mut self, launch: LaunchId) -> bool {
        self.remember(launch)
    }

    fn skip(&mut self, launch: LaunchId, workgroups: u64) -> bool {
        self.move_on(launch, workgroups)
    }

    fn preemptions(&self) -> PreemptionTally {
        self.preemptions.tally.clone()
    }

    fn replaced(&self) -> &[String] {
        &self.replaced
    }

    fn standstill(&self) -> Option<Standstill> {
        self.launches.any(|_| true).then(|| self.who_stands_still())
    }

    #[cfg(feature = "recipes")]
    fn finish(&mut self) -> Result<(), DispatchError> {
        self.journal.log.finish().map_err(|error| DispatchError(DispatchReason::Log(error)))
    }
}

#[cfg(all(test, feature = "recipes"))]
mod tests {
    use raddle_policy::CuShape;

    use super::*;

    const SHAPE: CuShape = CuShape {
        simds: 1,
        waves_per_simd: 4,
        vgpr_per_simd: 4,
        sgpr: u16::MAX,
        lds: 4,
        workgroups: 4,
        barriers: 4,
    };

    fn composed() -> Composed {
        let mut composed = Composed::builder(SHAPE, 1).build().expect("a dispatcher");
        let joined = Event::ProcessJoined { process: ProcessId(0), share: 1 };
        composed.event(&joined, Tick::ZERO).expect("it joins");
        composed
    }

    /// Checks that a broken rule of the preemption controller ends the run. As no event and no
    /// policy can break one, the test logs an answer that the dispatcher would not give.
    #[test]
    fn a_broken_rule_ends_the_run() {
        let mut composed = composed();
        composed.decide(Tick(1), &mut Actions::default()).expect("nothing is wrong yet");
        composed.journal.answer(Tick(2), LoggedAnswer::Restore { launch: LaunchId(7) });
        let woken = composed.event(&Event::Woke, Tick(2));
        let error = woken.expect_err("a rule is broken");
        assert_eq!(error.kind(), raddle_policy::ErrorKind::Fault);
        let told = error.to_string();
        assert!(told.contains("rule 5 of the controller of preemptions"), "{told}");
        assert!(told.contains("is restored, which has ended"), "{told}");
        assert!(composed.decide(Tick(2), &mut Actions::default()).is_err());
    }

    #[test]
    fn work_without_a_start_is_the_allocate_policys_to_go_on_with() {
        let mut composed = composed();
        assert_eq!(composed.standstill(), None, "no launch is left");
        let entry = raddle_testkit::launch(1).ready();
        let launch = *entry.launch();
        composed.event(&Event::LaunchReady { launch }, Tick(1)).expect("it is new");
        composed.ready.show(0, entry);
        let allocate = Standstill::Policy { slot: "allocate", law: 10, setting: None };
        assert_eq!(composed.standstill(), Some(allocate));
    }
}
