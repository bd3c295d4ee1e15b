//! Which program has the turn, and which orders does the daemon give? Without sockets and clocks:
//! times are arguments, in nanoseconds, and the events of a log give its answers again.

use std::collections::{BTreeMap, VecDeque};

use raddle_dispatch::log::LogWriter;
use raddle_dispatch::{Recipe, Registry};
use raddle_policy::{
    Hints, Launch, Level, Preempt, Preemption, ProcessId, ProcessState, Tick, Ticks, Turn,
    VictimLaunch,
};
use raddle_preempt::{Arbiter, Decided, Standing, Wish};
use serde::{Deserialize, Serialize};

use crate::LiveError;
use crate::status::ProgramStanding;

/// First line of a daemon's log. It has all settings from which a replay makes the daemon's
/// decisions again.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct DaemonHeader {
    /// Version of the form of the log: 1.
    pub(crate) raddle_log: u32,
    pub(crate) live: DaemonMark,
    /// Largest number of preemptions of one program in a second; the daemon does not order further
    /// ones.
    pub(crate) most_a_second: u32,
    pub(crate) recipe: Recipe,
}

impl DaemonHeader {
    /// Reads the first line of a daemon's log, whose policies are in the registry.
    pub(crate) fn read(line: &str, registry: &Registry) -> Result<Self, LiveError> {
        #[derive(Deserialize)]
        #[serde(rename_all = "kebab-case", deny_unknown_fields)]
        struct WrittenHeader {
            raddle_log: u32,
            live: DaemonMark,
            most_a_second: u32,
            recipe: serde_json::Value,
        }
        let WrittenHeader { raddle_log, live, most_a_second, recipe } =
            serde_json::from_str(line).map_err(|error| LiveError::bad_log(1, &error))?;
        let recipe = registry.recipe("of the daemon", &recipe.to_string()).map_err(|error| {
            let what = format!("{error}. A log is read with a registry that has its policies");
            LiveError::bad_log(1, &what)
        })?;
        Ok(Self { raddle_log, live, most_a_second, recipe })
    }
}

/// Word in the first line of a log by which it is known as the log of a daemon.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum DaemonMark {
    Daemon,
}

/// Event of a daemon, as the log has it: a message of a program, an order from outside, or a time
/// that has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum DaemonEvent {
    ProcessJoined {
        process: ProcessId,
        level: Level,
        /// Number of the device that the program uses.
        #[serde(default, skip_serializing_if = "is_first")]
        device: u16,
    },
    ProcessLeft {
        process: ProcessId,
    },
    Runnable {
        process: ProcessId,
        in_flight: u64,
    },
    Idle {
        process: ProcessId,
    },
    Drained {
        process: ProcessId,
    },
    /// A program is taken off the device, by this method of preemption, until a person, or the test
    /// that preempts at random, lets it go on.
    Held {
        process: ProcessId,
        how: Preemption,
    },
    LetGo {
        process: ProcessId,
    },
    Woke {},
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
const fn is_first(device: &u16) -> bool {
    *device == 0
}

/// Order of the daemon to a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "answer", rename_all = "kebab-case")]
pub(crate) enum Told {
    Preempt { process: ProcessId, how: Preemption },
    Pause { process: ProcessId },
    Resume { process: ProcessId },
}

/// Decision of the policies, as the log has it: which programs have the turn, or which law of its
/// trait a policy has broken.
#[derive(Serialize)]
#[serde(tag = "answer", rename_all = "kebab-case")]
enum Answered<'a> {
    Turn {
        may_issue: &'a [ProcessId],
        #[serde(skip_serializing_if = "is_first")]
        device: u16,
        #[serde(skip_serializing_if = "Option::is_none")]
        until: Option<Tick>,
    },
    Broke {
        slot: &'a str,
        law: &'a str,
    },
}

/// Times in nanoseconds at which a program was preempted within the last second; they limit further
/// preemptions.
#[derive(Debug, Default)]
struct Allowance(VecDeque<u64>);

const SECOND: u64 = 1_000_000_000;

#[derive(Debug)]
struct Member {
    level: Level,
    /// Number of the device that the program uses.
    device: u16,
    joined: u64,
    runnable: Option<u64>,
    in_flight: u64,
    alive: u64,
    allowance: Allowance,
    held: bool,
    held_back: u64,
    /// (right of the program to use its device, time in nanoseconds since which it has had that
    /// right).
    standing: (ProgramStanding, u64),
}

/// State of one program, as the daemon's decisions have made it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seat {
    pub(crate) standing: ProgramStanding,
    /// Time in nanoseconds since which the program has had the right that `standing` says.
    pub(crate) since: u64,
    /// Number of the device that the program uses.
    pub(crate) device: u16,
    /// True if the last answer of the turn policy named the program.
    pub(crate) has_turn: bool,
    /// True if the program has work that waits or is in the runtime.
    pub(crate) is_runnable: bool,
    /// Number of preemptions of the program that were not ordered, as there were too many in a
    /// second.
    pub(crate) held_back: u64,
}

/// Turn policy and preempt policy for the programs that use one device, with the state of their
/// turns.
struct DeviceTurns {
    arbiter: Arbiter,
    turn: Box<dyn Turn>,
    preempt: Box<dyn Preempt>,
    /// Time in nanoseconds at which the policies have to be asked again at the latest; `None` where
    /// there is none.
    until: Option<u64>,
}

impl DeviceTurns {
    fn new(recipe: &Recipe) -> Result<Self, LiveError> {
        let (turn, preempt) = recipe.turn_and_preempt()?;
        Ok(Self { arbiter: Arbiter::default(), turn, preempt, until: None })
    }
}

/// Decisions of a daemon: which program has the turn on each device, and how the other programs
/// leave the device.
pub(crate) struct Desk {
    recipe: Recipe,
    devices: BTreeMap<u16, DeviceTurns>,
    most_a_second: u32,
    members: BTreeMap<ProcessId, Member>,
    states: Vec<ProcessState>,
    decided: Decided,
    log: LogWriter,
    step: u64,
}

impl Desk {
    /// Makes the decision maker of a daemon, with the turn policy and the preempt policy of a
    /// recipe; its events and decisions go to `log`.
    pub(crate) fn new(header: &DaemonHeader, log: LogWriter) -> Result<Self, LiveError> {
        Ok(Self {
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

    /// Takes an event that happens at the time `now`, in nanoseconds, into account. Orders to
    /// programs that follow from the event alone are added to `told`.
    pub(crate) fn hear(&mut self, event: DaemonEvent, now: u64, told: &mut Vec<Told>) {
        self.log.heard(Tick(now), self.step, event);
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
                    self.arbiter(process).into_iter().for_each(|it| it.runnable(process));
                }
            }
            DaemonEvent::Idle { process } => {
                let Some(member) = self.members.get_mut(&process) else { return };
                member.in_flight = 0;
                if let Some(since) = member.runnable.take() {
                    member.alive = member.alive.saturating_add(now.saturating_sub(since));
                    self.arbiter(process).into_iter().for_each(|it| it.idle(process));
                }
            }
            DaemonEvent::Drained { process } => {
                self.arbiter(process).into_iter().for_each(|it| it.drained(process));
            }
            DaemonEvent::Held { process, how } => self.hold(process, how, now, told),
            DaemonEvent::LetGo { process } => self.let_go(process, now, told),
            DaemonEvent::Woke {} => {}
        }
        self.note_standings(now);
    }

    /// Returns the arbiter (it makes pauses and preemptions of the answers of the turn policy) of
    /// the device that a program uses; `None` where there is no such program.
    fn arbiter(&mut self, process: ProcessId) -> Option<&mut Arbiter> {
        let device = self.members.get(&process)?.device;
        self.devices.get_mut(&device).map(|it| &mut it.arbiter)
    }

    /// Returns the right of a program to use its device; `None` where there is no such program.
    fn right(&self, process: ProcessId) -> Option<Standing> {
        let device = self.members.get(&process)?.device;
        self.devices.get(&device)?.arbiter.standing(process)
    }

    /// Notes since when, up to the time `now` in nanoseconds, each program has had its right to use
    /// its device.
    fn note_standings(&mut self, now: u64) {
        for (&process, member) in &mut self.members {
            let turns = self.devices.get(&member.device);
            let standing = match turns.and_then(|it| it.arbiter.standing(process)) {
                _ if member.held => ProgramStanding::Held,
                Some(Standing::HasTurn) => ProgramStanding::Turn,
                Some(Standing::Leaving(_) | Standing::Returning(_)) => ProgramStanding::Leaving,
                Some(Standing::Away) => ProgramStanding::Away,
                Some(Standing::Paused) | None => ProgramStanding::Paused,
            };
            if member.standing.0 != standing {
                member.standing = (standing, now);
            }
        }
    }

    fn joined(&mut self, process: ProcessId, level: Level, device: u16, now: u64) {
        let allowance = Allowance::default();
        if !self.devices.contains_key(&device) {
            let turns = DeviceTurns::new(&self.recipe).expect("policies of the recipe were made");
            self.devices.insert(device, turns);
        }
        self.members.insert(
            process,
            Member {
                level,
                device,
                joined: now,
                runnable: None,
                in_flight: 0,
                alive: 0,
                allowance,
                held: false,
                held_back: 0,
                standing: (ProgramStanding::Paused, now),
            },
        );
        self.arbiter(process).into_iter().for_each(|it| it.joined(process));
    }

    fn hold(&mut self, process: ProcessId, how: Preemption, now: u64, told: &mut Vec<Told>) {
        let Some(member) = self.members.get_mut(&process) else { return };
        if !std::mem::replace(&mut member.held, true) {
            self.arbiter(process).into_iter().for_each(|it| it.idle(process));
            self.tell(Told::Preempt { process, how }, now, told);
        }
    }

    fn let_go(&mut self, process: ProcessId, now: u64, told: &mut Vec<Told>) {
        let Some(member) = self.members.get_mut(&process) else { return };
        if !std::mem::take(&mut member.held) {
            return;
        }
        self.arbiter(process).into_iter().for_each(|it| it.runnable(process));
        // A program that kept the turn gets no other order to go on: no policy was asked meanwhile.
        if self.right(process).is_some_and(Standing::has_turn) {
            self.tell(Told::Resume { process }, now, told);
        }
    }

    /// Asks the policies of each device which programs have the turn at the time `now`, in
    /// nanoseconds, if that question is due, and adds the orders to programs that follow to `told`.
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
        let Some(turns) = self.devices.get_mut(&device) else { return Ok(()) };
        let own = self.members.iter().filter(|(_, it)| it.device == device);
        self.states.clear();
        self.states.extend(own.filter_map(|(&id, it)| it.state(id, now)));
        let (members, mut decided) = (&self.members, std::mem::take(&mut self.decided));
        let victims = |process: ProcessId, launches: &mut Vec<VictimLaunch>| {
            launches.extend(members.get(&process).into_iter().flat_map(|it| it.victims(process)));
            // A live runtime neither holds nor saves.
            None
        };
        let policies: (&mut dyn Turn, &mut dyn Preempt) = (&mut *turns.turn, &mut *turns.preempt);
        turns.arbiter.decide(policies, &self.states, victims, Tick(now), &mut decided)?;
        turns.until = decided.until.map(|until| until.0);
        if let Some(law) = decided.broken {
            self.log.said(Tick(now), self.step, Answered::Broke { slot: "turn", law });
        }
        let (may_issue, until) = (&*decided.may_issue, decided.until);
        self.log.said(Tick(now), self.step, Answered::Turn { may_issue, device, until });
        for &wish in &decided.wishes {
            let is_new = |process| decided.ways.iter().any(|(of, _)| *of == process);
            self.wish(wish, is_new, now, told);
        }
        self.decided = decided;
        self.step += 1;
        Ok(())
    }

    /// Turns a wish of the arbiter (what shall become of a process) into an order to a program, and
    /// adds it to `told`. `is_new` is true for a process whose preemption begins now and so counts
    /// against its limit; any other preemption is under way.
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

    /// Returns the time in nanoseconds at which the policies have to be asked again at the latest;
    /// `None` where there is none.
    pub(crate) fn until(&self) -> Option<u64> {
        self.devices.values().filter_map(|it| it.until).min()
    }

    /// Returns the level of a program; `None` where there is no such program.
    pub(crate) fn level(&self, process: ProcessId) -> Option<Level> {
        self.members.get(&process).map(|member| member.level)
    }

    /// Returns the right to the device, the turn and the work of a program; `None` where there is
    /// no such program.
    pub(crate) fn seat(&self, process: ProcessId) -> Option<Seat> {
        let member = self.members.get(&process)?;
        let (standing, since) = member.standing;
        Some(Seat {
            standing,
            since,
            device: member.device,
            has_turn: self.right(process).is_some_and(Standing::has_turn),
            is_runnable: member.runnable.is_some(),
            held_back: member.held_back,
        })
    }

    /// Writes the buffered lines of the log to its file.
    pub(crate) fn flush(&mut self) {
        self.log.flush();
    }

    /// Writes the last line of the log, which marks the log as complete.
    pub(crate) fn finish(&mut self) -> std::io::Result<()> {
        self.log.finish()
    }
}

impl Allowance {
    /// Returns whether one more preemption of a program is allowed at the time `now`, in
    /// nanoseconds, without more than `most` in any second. If so, it is counted.
    fn take(&mut self, most: u32, now: u64) -> bool {
        while self.0.front().is_some_and(|&at| now.saturating_sub(at) >= SECOND) {
            self.0.pop_front();
        }
        let allowed = self.0.len() < most as usize;
        if allowed {
            self.0.push_back(now);
        }
        allowed
    }
}

impl Member {
    fn state(&self, id: ProcessId, now: u64) -> Option<ProcessState> {
        let since = self.runnable.filter(|_| !self.held)?;
        let alive = Ticks(self.alive.saturating_add(now.saturating_sub(since)));
        Some(ProcessState {
            id,
            level: self.level,
            share: 1,
            joined: Tick(self.joined),
            alive,
            // Nobody sees when waves of the program run: its time counts while it has work.
            ran: alive,
            resident_waves: self.in_flight,
            ready: None,
            submitted: self.in_flight,
            outstanding: None,
            ready_since: Tick(since),
            waiting_since: (self.in_flight == 0).then_some(Tick(since)),
            streams: None,
            hints: Hints::default(),
        })
    }

    /// Returns an entry for each submitted launch of the program; a daemon knows only how many
    /// there are.
    fn victims(&self, process: ProcessId) -> impl Iterator<Item = VictimLaunch> + use<> {
        let launch = Launch { process, level: self.level, workgroups: 1, ..Launch::default() };
        let one =
            VictimLaunch { launch, unstarted: 0, resident_waves: 1, submitted: Tick(self.joined) };
        // The last number that the program told is old, so at least one launch counts.
        std::iter::repeat_n(one, self.in_flight.clamp(1, 64) as usize)
    }
}
