//! Which program has the turn, and which orders does the daemon give? Without sockets and clocks:
//! times are arguments, in nanoseconds, so the logged events, replayed, give the logged answers.

use std::collections::BTreeMap;

use raddle_dispatch::log::LogWriter;
use raddle_dispatch::{Recipe, Registry};
use raddle_policy::{
    Hints, Level, Preempt, Preemption, ProcessId, ProcessState, Tick, Turn, VictimLaunch,
};
use raddle_preempt::{Arbiter, Decided, PreemptError, Standing, Wish};
use serde_json::Value;

use super::member::Member;
use super::said::{Answered, DaemonEvent, DaemonHeader, Told};
use crate::LiveError;
use crate::status::ProgramStanding;

/// State of one program, as it follows from the daemon's decisions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seat {
    pub(crate) level: Level,
    pub(crate) share: u32,
    pub(crate) hints: Hints,
    pub(crate) standing: ProgramStanding,
    /// Time in nanoseconds since which the program has had its present right to use the device
    /// (`standing`).
    pub(crate) since: u64,
    pub(crate) device: u16,
    /// True if the turn policy's last answer gave the program the right to use the device.
    pub(crate) has_turn: bool,
    /// True if the program has work that waits for submission or is in the GPU runtime.
    pub(crate) is_runnable: bool,
    /// Number of preemptions of the program that were not ordered, as they would have exceeded the
    /// limit of preemptions in a second.
    pub(crate) held_back: u64,
}

/// Turn policy and preempt policy for the programs that use one device, and the present right of
/// each program to use it.
pub(crate) struct DeviceTurns {
    arbiter: Arbiter,
    turn: Box<dyn Turn>,
    preempt: Box<dyn Preempt>,
    /// Time in nanoseconds at which the turn and preempt policies must be asked again at the
    /// latest; `None` for no such time.
    until: Option<u64>,
}

impl DeviceTurns {
    /// Returns the policies of a recipe for one device, before their first answer. The error says
    /// why the recipe cannot be used by a live daemon.
    pub(crate) fn new(recipe: &Recipe) -> Result<Self, LiveError> {
        let [path, turn, allocate, _] = recipe.policies();
        let others = [("launch-path", path, "ordinary"), ("allocate", allocate, "leftover")];
        let other = others.into_iter().find(|(_, policy, plain)| policy != plain);
        if let Some((slot, policy, _)) = other.filter(|_| turn == "everyone") {
            return Err(LiveError::NotLive { slot, policy });
        }
        let (turn, preempt) = recipe.turn_and_preempt()?;
        Ok(Self { arbiter: Arbiter::default(), turn, preempt, until: None })
    }

    /// Asks the turn and preempt policies which of the programs `states` may use the device now,
    /// and writes the decision to `decided`. An error names the law that the turn policy broke.
    fn decide(
        &mut self,
        states: &[ProcessState],
        members: &BTreeMap<ProcessId, Member>,
        now: u64,
        decided: &mut Decided,
    ) -> Result<(), PreemptError> {
        let victims = |process: ProcessId, launches: &mut Vec<VictimLaunch>| {
            launches.extend(members.get(&process).into_iter().flat_map(|it| it.victims(process)));
            // A live runtime neither holds nor saves.
            None
        };
        let policies: (&mut dyn Turn, &mut dyn Preempt) = (&mut *self.turn, &mut *self.preempt);
        self.arbiter.decide(policies, states, victims, Tick(now), decided)?;
        self.until = decided.until().map(|until| until.0);
        Ok(())
    }
}

/// Decision maker of a daemon: decides which program may use each device, and how the work of the
/// others leaves it.
pub(crate) struct Desk {
    recipe: Recipe,
    registry: Registry,
    /// Reason why the policies of the user's recipe no longer decide and every program may use its
    /// device; `None` while they decide.
    fell_back: Option<String>,
    devices: BTreeMap<u16, DeviceTurns>,
    most_a_second: u32,
    members: BTreeMap<ProcessId, Member>,
    states: Vec<ProcessState>,
    decided: Decided,
    log: LogWriter,
    step: u64,
}

impl Desk {
    /// Makes the decision maker of a daemon, with the turn (the right to use the device) and
    /// preempt policies of the recipe in `header`; events and decisions are logged to `log`. The
    /// error says why the recipe cannot be used.
    pub(crate) fn new(
        header: &DaemonHeader,
        registry: &Registry,
        log: LogWriter,
    ) -> Result<Self, LiveError> {
        Ok(Self {
            registry: registry.clone(),
            fell_back: None,
            // A recipe whose policies cannot be made is an error before any program joins.
            devices: BTreeMap::from([(0, DeviceTurns::new(&header.recipe)?)]),
            recipe: header.recipe.clone(),
            most_a_second: header.most_a_second.max(1),
            members: BTreeMap::new(),
            states: Vec::new(),
            decided: Decided::default(),
            log,
            step: 0,
        })
    }

    /// Returns the lowest id that no program has; `None` where all are taken.
    pub(crate) fn free_id(&self) -> Option<ProcessId> {
        (0..=u16::MAX).map(ProcessId).find(|id| !self.members.contains_key(id))
    }

    /// Processes an event that happens at the time `now`, in nanoseconds. Orders to programs that
    /// follow directly from the event are added to `told`.
    pub(crate) fn hear(&mut self, event: DaemonEvent, now: u64, told: &mut Vec<Told>) {
        self.log.heard(Tick(now), self.step, &event);
        match event {
            DaemonEvent::ProcessJoined { process, level, device } => {
                self.joined(process, level, device, now);
            }
            DaemonEvent::ProcessLeft { process } => {
                self.arbiter(process).into_iter().for_each(|it| it.left(process));
                self.members.remove(&process);
            }
            DaemonEvent::Runnable { process, in_flight } => {
                let Some(member) = self.members.get_mut(&process) else { return };
                member.in_flight = in_flight;
                if member.runnable.is_none() {
                    member.runnable = Some(now);
                    self.arbiter(process).into_iter().for_each(Arbiter::ask_again);
                }
            }
            DaemonEvent::Idle { process } => {
                let Some(member) = self.members.get_mut(&process) else { return };
                if member.idle(now) {
                    self.arbiter(process).into_iter().for_each(Arbiter::ask_again);
                }
            }
            DaemonEvent::Drained { process } => {
                self.arbiter(process).into_iter().for_each(|it| it.drained(process));
            }
            DaemonEvent::Held { process, how } => self.hold(process, how, now, told),
            DaemonEvent::LetGo { process } => self.let_go(process, now, told),
            DaemonEvent::Hint { process, hint } => {
                self.members.get_mut(&process).into_iter().for_each(|it| it.hinted(hint));
                self.arbiter(process).into_iter().for_each(Arbiter::ask_again);
            }
            DaemonEvent::Set { recipe } => self.set(&recipe),
            DaemonEvent::Stalled {} => self.fall_back("a decision took it too long"),
            DaemonEvent::Woke {} => {}
        }
        self.note_standings(now);
    }

    /// Returns the arbiter (which turns answers of the turn policy into pauses and preemptions) of
    /// the device that a program uses; `None` where there is no such program.
    fn arbiter(&mut self, process: ProcessId) -> Option<&mut Arbiter> {
        let device = self.members.get(&process)?.device;
        self.devices.get_mut(&device).map(|it| &mut it.arbiter)
    }

    /// Returns the present right of a program to use its device; `None` where there is no such
    /// program.
    fn right(&self, process: ProcessId) -> Option<Standing> {
        let device = self.members.get(&process)?.device;
        self.devices.get(&device)?.arbiter.standing(process)
    }

    /// Updates, at the time `now` in nanoseconds, the record of which right to use its device each
    /// program has, and since when.
    fn note_standings(&mut self, now: u64) {
        for (&process, member) in &mut self.members {
            let turns = self.devices.get(&member.device);
            member.stands(turns.and_then(|it| it.arbiter.standing(process)), now);
        }
    }

    /// Replaces the policies by those of another recipe; the new ones know nothing of the past.
    /// Programs keep their rights to use a device, and preemptions under way go on.
    fn set(&mut self, recipe: &Value) {
        match self.registry.recipe("live", &recipe.to_string()).map_err(LiveError::from) {
            Ok(recipe) => {
                self.fell_back = None;
                self.take(recipe);
            }
            Err(error) => self.fall_back(&error.to_string()),
        }
    }

    fn take(&mut self, recipe: Recipe) {
        for turns in self.devices.values_mut() {
            match DeviceTurns::new(&recipe) {
                Ok(new) => {
                    let arbiter = std::mem::take(&mut turns.arbiter);
                    *turns = DeviceTurns { arbiter, ..new };
                    turns.arbiter.ask_again();
                }
                Err(error) => return self.fall_back(&error.to_string()),
            }
        }
        self.recipe = recipe;
    }

    /// Lets every program use its device from now on, as the policies of the recipe have failed for
    /// the reason `why`.
    fn fall_back(&mut self, why: &str) {
        let [_, turn, _, preempt] = self.recipe.policies();
        self.fell_back = Some(format!("{turn} and {preempt} failed: {why}"));
        self.take(Recipe::default());
    }

    /// Returns (recipe whose policies decide now, reason why it is not the user's recipe). The
    /// reason is `None` while the user's recipe decides.
    pub(crate) fn recipe(&self) -> (&Recipe, Option<&str>) {
        (&self.recipe, self.fell_back.as_deref())
    }

    /// Returns the longest time in nanoseconds that a preemption should take, by the settings of
    /// the preempt policy (`bound-us`); `None` for no bound.
    pub(crate) fn bound(&self) -> Option<u64> {
        let recipe = serde_json::to_value(&self.recipe).ok()?;
        recipe.get("preempt")?.get("bound-us")?.as_u64().map(|us| us.saturating_mul(1000))
    }

    fn joined(&mut self, process: ProcessId, level: Level, device: u16, now: u64) {
        if !self.devices.contains_key(&device) {
            let turns = DeviceTurns::new(&self.recipe).expect("policies of the recipe were made");
            self.devices.insert(device, turns);
        }
        self.members.insert(process, Member::new(level, device, now));
        self.arbiter(process).into_iter().for_each(|it| it.joined(process));
    }

    fn hold(&mut self, process: ProcessId, how: Preemption, now: u64, told: &mut Vec<Told>) {
        let Some(member) = self.members.get_mut(&process) else { return };
        if !std::mem::replace(&mut member.held, true) {
            self.arbiter(process).into_iter().for_each(Arbiter::ask_again);
            self.tell(Told::Preempt { process, how }, now, told);
        }
    }

    fn let_go(&mut self, process: ProcessId, now: u64, told: &mut Vec<Told>) {
        let Some(member) = self.members.get_mut(&process) else { return };
        if !std::mem::take(&mut member.held) {
            return;
        }
        self.arbiter(process).into_iter().for_each(Arbiter::ask_again);
        // A program that kept the turn gets no other order to go on: no policy was asked meanwhile.
        if self.right(process).is_some_and(Standing::has_turn) {
            self.tell(Told::Resume { process }, now, told);
        }
    }

    /// Asks the policies of each device which programs may use it, if their answer is due at the
    /// time `now`, in nanoseconds. Adds the orders to programs that follow to `told`. An error
    /// means that not even the policies that take over after a failure can answer.
    pub(crate) fn decide(&mut self, now: u64, told: &mut Vec<Told>) -> Result<(), LiveError> {
        let is_due =
            |(&device, it): (&u16, &DeviceTurns)| it.arbiter.is_due(Tick(now)).then_some(device);
        let due: Vec<u16> = self.devices.iter().filter_map(is_due).collect();
        for &device in &due {
            self.decide_on(device, now, told)?;
        }
        if !due.is_empty() {
            self.note_standings(now);
        }
        Ok(())
    }

    fn decide_on(&mut self, device: u16, now: u64, told: &mut Vec<Told>) -> Result<(), LiveError> {
        let own = self.members.iter().filter(|(_, it)| it.device == device);
        self.states.clear();
        self.states.extend(own.filter_map(|(&id, it)| it.state(id, now)));
        let mut decided = std::mem::take(&mut self.decided);
        let asked = self.ask(device, now, &mut decided);
        let broken = asked.as_ref().err().and_then(PreemptError::broken_law).or(decided.broken());
        if let Some(law) = broken {
            self.log.said(Tick(now), self.step, Answered::Broke { slot: "turn", law });
        }
        if asked.is_err() {
            self.fall_back(broken.unwrap_or("its answer cannot be used"));
            self.ask(device, now, &mut decided)?;
        }
        let (may_issue, until) = (decided.may_issue(), decided.until());
        self.log.said(Tick(now), self.step, Answered::Turn { may_issue, device, until });
        for &wish in decided.wishes() {
            let is_new = |process| decided.ways().iter().any(|(of, _)| *of == process);
            self.wish(wish, is_new, now, told);
        }
        self.decided = decided;
        self.step += 1;
        Ok(())
    }

    fn ask(&mut self, device: u16, now: u64, decided: &mut Decided) -> Result<(), PreemptError> {
        let mut turns = self.devices.get_mut(&device).into_iter();
        turns.try_for_each(|it| it.decide(&self.states, &self.members, now, decided))
    }

    /// Turns a wish of the arbiter (which turns answers of the turn policy into pauses and
    /// preemptions) into an order to the program, and adds the order to `told`. `is_new` returns
    /// true for a program whose preemption begins now: only those count against the limit of
    /// preemptions in a second.
    fn wish(
        &mut self,
        wish: Wish,
        is_new: impl Fn(ProcessId) -> bool,
        now: u64,
        told: &mut Vec<Told>,
    ) {
        let (Wish::Preempt { process, .. }
        | Wish::Escalate { process, .. }
        | Wish::Pause { process }
        | Wish::Resume { process }) = wish;
        let most = self.most_a_second;
        let Some(member) = self.members.get_mut(&process) else { return };
        let tells = match wish {
            Wish::Preempt { way, .. } | Wish::Escalate { way, .. } => {
                if !is_new(process) || member.allowance.take(most, now) {
                    Told::Preempt { process, how: way }
                } else {
                    // Submitted work runs on: there is no preemption, so nothing to wait for.
                    member.held_back += 1;
                    self.arbiter(process).into_iter().for_each(|it| it.drained(process));
                    Told::Pause { process }
                }
            }
            Wish::Pause { .. } => Told::Pause { process },
            Wish::Resume { .. } => Told::Resume { process },
        };
        // A program that is held was told so before.
        if !self.members.get(&process).is_some_and(|member| member.held) {
            self.tell(tells, now, told);
        }
    }

    fn tell(&mut self, tells: Told, now: u64, told: &mut Vec<Told>) {
        self.log.said(Tick(now), self.step, tells);
        told.push(tells);
    }

    /// Returns the earliest time in nanoseconds at which the policies of some device must be asked
    /// again; `None` for no such time.
    pub(crate) fn until(&self) -> Option<u64> {
        self.devices.values().filter_map(|it| it.until).min()
    }

    /// Returns the state of a program by the decisions so far; `None` where there is no such
    /// program.
    pub(crate) fn seat(&self, process: ProcessId) -> Option<Seat> {
        let member = self.members.get(&process)?;
        let (standing, since) = member.standing;
        Some(Seat {
            level: member.level,
            share: member.share,
            hints: member.hints,
            standing,
            since,
            device: member.device,
            has_turn: self.right(process).is_some_and(Standing::has_turn),
            is_runnable: member.runnable.is_some(),
            held_back: member.held_back,
        })
    }

    pub(crate) fn flush(&mut self) {
        self.log.flush();
    }

    /// Writes the last line of the daemon's log, which marks the log as complete.
    pub(crate) fn finish(&mut self) -> std::io::Result<()> {
        self.log.finish()
    }
}

#[cfg(test)]
mod tests {
    use raddle_policy::Hint;

    use super::super::said::DaemonMark;
    use super::*;
    use crate::LiveHint;

    fn desk(turn: &str) -> Desk {
        let text = format!("raddle = 1\n[turn]\n{turn}\n[preempt]\npolicy = 'wait'\n");
        let recipe = Recipe::parse("desk", &text).unwrap();
        let live = DaemonMark::Daemon;
        let header = DaemonHeader { raddle_log: 1, live, most_a_second: 1_000_000, recipe };
        Desk::new(&header, &Registry::bundled(), LogWriter::off()).unwrap()
    }

    const MS: u64 = 1_000_000;

    /// Simulates for 200 ms two programs that always have work, after the daemon got the hints
    /// `hints`, each (program, hint). Returns for each millisecond which of the two programs have
    /// the turn (the right to use the device). Preemptions take no time.
    fn turns(desk: &mut Desk, hints: &[(u16, LiveHint)]) -> Vec<[bool; 2]> {
        let mut told = Vec::new();
        for process in [ProcessId(0), ProcessId(1)] {
            let level = Level(128);
            desk.hear(DaemonEvent::ProcessJoined { process, level, device: 0 }, 0, &mut told);
            desk.hear(DaemonEvent::Runnable { process, in_flight: 1 }, 0, &mut told);
        }
        for &(process, hint) in hints {
            let process = ProcessId(process);
            desk.hear(DaemonEvent::Hint { process, hint }, 0, &mut told);
        }
        let mut seen = Vec::new();
        for now in (0..200).map(|ms| ms * MS) {
            desk.decide(now, &mut told).unwrap();
            for tells in told.drain(..) {
                if let Told::Preempt { process, .. } = tells {
                    desk.hear(DaemonEvent::Drained { process }, now, &mut Vec::new());
                }
            }
            seen.push([0, 1].map(|id| desk.seat(ProcessId(id)).unwrap().has_turn));
        }
        seen
    }

    #[test]
    fn a_program_that_waits_does_not_run_meanwhile() {
        let seen = turns(&mut desk("policy = 'vruntime'\nslice-us = 4000"), &[]);
        let of = |process: usize| seen.iter().filter(|has_turn| has_turn[process]).count();
        assert!(of(0).abs_diff(of(1)) <= 8 && of(0) + of(1) == 200, "{} {}", of(0), of(1));
    }

    #[test]
    fn policies_see_shares_levels_and_hints() {
        let slices = "policy = 'weighted-slices'\nrule = 'mean'\nt0-us = 8000";
        let seen = turns(&mut desk(slices), &[(1, LiveHint::Share(3))]);
        let of = |seen: &[[bool; 2]]| seen.iter().filter(|has_turn| has_turn[1]).count();
        let even = turns(&mut desk(slices), &[]);
        assert!(of(&seen) > of(&even) + 20 && of(&even).abs_diff(100) < 20, "{seen:?} {even:?}");
        let mut desk = desk("policy = 'highest-level'");
        let seen = turns(&mut desk, &[(1, LiveHint::Level(Level(3)))]);
        assert!(seen.iter().all(|has_turn| *has_turn == [false, true]));
        let hint = LiveHint::Policy(Hint::Custom(7));
        desk.hear(DaemonEvent::Hint { process: ProcessId(1), hint }, 0, &mut Vec::new());
        let seat = desk.seat(ProcessId(1)).unwrap();
        assert_eq!((seat.level, seat.share, seat.hints.custom()), (Level(3), 1, Some(7)));
    }
}
