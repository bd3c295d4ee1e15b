//! What does a daemon do on a message of a program?

use raddle_dispatch::Recipe;
use raddle_policy::{Level, Preemption, ProcessId};
use serde_json::Value;

use super::connection::{Connection, Fault};
use super::desk::{DeviceTurns, Seat};
use super::said::DaemonEvent;
use super::{DEFAULT_LEVEL, Daemon};
use crate::LiveError;
use crate::LiveHint;
use crate::status::{LiveStatus, OffReason, ProgramStanding, ProgramStatus, RefusedClient};
use crate::wire::{ToClient, ToDaemon};

/// Most devices that a daemon schedules separately; programs on further devices share the turns of
/// the last one.
const MOST_DEVICES: usize = 64;

impl Daemon {
    pub(super) fn obey(&mut self, id: u64, message: ToDaemon, now: u64) -> Result<(), Fault> {
        let bad = Fault::Refused(RefusedClient::BadMessage);
        let connection = self.connections.get_mut(&id).ok_or(Fault::Gone)?;
        match (message, connection.program) {
            (ToDaemon::Join { token, device }, None) => {
                self.join(id, token.as_deref(), &device, now)?;
            }
            (ToDaemon::Runnable { in_flight }, Some(process)) => {
                self.hear(DaemonEvent::Runnable { process, in_flight }, now);
            }
            (ToDaemon::Idle {}, Some(process)) => self.hear(DaemonEvent::Idle { process }, now),
            (ToDaemon::Drained { order }, Some(process)) => {
                if connection.drained(order) {
                    self.hear(DaemonEvent::Drained { process }, now);
                }
            }
            (ToDaemon::Summary { of }, Some(_)) => connection.summary = of,
            (ToDaemon::Alive {}, Some(_)) => self.send(id, &ToClient::Alive {}, now),
            (ToDaemon::Grant { level }, None) => {
                let level = Level(level.0.max(self.options.most_urgent.0));
                let token = connection.grant(level).map_err(|_| Fault::Gone)?;
                self.send(id, &ToClient::Granted { token, level }, now);
            }
            (ToDaemon::Status {}, None) => {
                let of = Box::new(self.status(now));
                self.send(id, &ToClient::Status { of }, now);
            }
            (ToDaemon::Preempt { pid }, None) => {
                let how = Preemption::Reset;
                self.of_pid(id, (pid, true), now, |process| DaemonEvent::Held { process, how });
            }
            (ToDaemon::Hint { pid, hint }, None) => {
                let (own, most) = (connection.pid, self.options.most_urgent);
                self.hint(id, pid.unwrap_or(own), hint.at_most(most), now);
            }
            (ToDaemon::Set { recipe }, None) => {
                let told = match self.live(&recipe) {
                    Ok(()) => {
                        let was = self.desk.bound();
                        self.hear(DaemonEvent::Set { recipe }, now);
                        if self.desk.bound() != was {
                            self.tell_bound(now);
                        }
                        ToClient::Done { programs: self.programs.len() as u64 }
                    }
                    Err(error) => ToClient::Refused { why: error.to_string() },
                };
                self.send(id, &told, now);
            }
            (ToDaemon::Resume { pid }, None) => {
                self.of_pid(id, (pid, false), now, |process| DaemonEvent::LetGo { process });
            }
            _ => return Err(bad),
        }
        Ok(())
    }

    /// Applies a hint to every program with the process id `pid`, and sends the number of these
    /// programs to the connection `id`. In a hint of a process about itself, a priority level
    /// cannot be more urgent than the one with which the process joined.
    fn hint(&mut self, id: u64, pid: i32, hint: LiveHint, now: u64) {
        let own = self.connections.get(&id).is_some_and(|it| it.pid == pid);
        let of = |it: &Connection| {
            let process = it.program.filter(|_| it.pid == pid)?;
            Some((process, if own { hint.at_most(it.level) } else { hint }))
        };
        let hints: Vec<(ProcessId, LiveHint)> = self.connections.values().filter_map(of).collect();
        for &(process, hint) in &hints {
            self.hear(DaemonEvent::Hint { process, hint }, now);
        }
        self.send(id, &ToClient::Done { programs: hints.len() as u64 }, now);
    }

    /// Sends to all programs the longest time that a preemption should take.
    pub(super) fn tell_bound(&mut self, now: u64) {
        let ns = self.desk.bound();
        let all: Vec<u64> = self.programs.values().copied().collect();
        all.into_iter().for_each(|id| self.send(id, &ToClient::Bound { ns }, now));
    }

    /// Checks that the turn (the right to use the device) and preempt policies of the recipe can be
    /// used by this daemon; the error says why not.
    fn live(&self, recipe: &Value) -> Result<(), LiveError> {
        let recipe: Recipe = self.options.registry.recipe("live", &recipe.to_string())?;
        DeviceTurns::new(&recipe).map(drop)
    }

    /// Applies `event` to every program with the process id `pid`, and sends the number of these
    /// programs to the connection `id`, whose process has ordered this. `holds` is true if the
    /// event takes the programs off the device.
    fn of_pid(
        &mut self,
        id: u64,
        (pid, holds): (i32, bool),
        now: u64,
        event: impl Fn(ProcessId) -> DaemonEvent,
    ) {
        let asker = self.connections.get(&id).map(|it| it.pid).filter(|_| holds);
        for connection in self.connections.values_mut().filter(|it| it.pid == pid) {
            connection.held_by = asker.and(connection.held_by.or(asker));
        }
        let of = |connection: &Connection| connection.program.filter(|_| connection.pid == pid);
        let programs: Vec<ProcessId> = self.connections.values().filter_map(of).collect();
        for &process in &programs {
            self.hear(event(process), now);
        }
        self.send(id, &ToClient::Done { programs: programs.len() as u64 }, now);
    }

    fn join(&mut self, id: u64, token: Option<&str>, device: &str, now: u64) -> Result<(), Fault> {
        let granted = |it: &Connection| it.granted(token?);
        let level = self.connections.values().find_map(granted).unwrap_or(DEFAULT_LEVEL);
        let level = Level(level.0.max(self.options.most_urgent.0));
        let process = self.desk.free_id().ok_or(Fault::Refused(RefusedClient::TooMany))?;
        let device = self.device(device);
        self.programs.insert(process, id);
        if let Some(connection) = self.connections.get_mut(&id) {
            connection.program = Some(process);
            connection.level = level;
        }
        self.hear(DaemonEvent::ProcessJoined { process, level, device }, now);
        self.send(id, &ToClient::Welcome { level }, now);
        if let ns @ Some(_) = self.desk.bound() {
            self.send(id, &ToClient::Bound { ns }, now);
        }
        Ok(())
    }

    /// Returns the number of the device with this name, a new number where no program has named the
    /// device before. Devices beyond the limit share the number of the last one.
    fn device(&mut self, name: &str) -> u16 {
        let known = self.devices.iter().position(|it| it == name);
        let at = known.unwrap_or_else(|| {
            if self.devices.len() < MOST_DEVICES {
                self.devices.push(name.to_owned());
            }
            self.devices.len() - 1
        });
        u16::try_from(at).unwrap_or(0)
    }

    fn status(&self, now: u64) -> LiveStatus {
        let programs = self.programs.iter().filter_map(|(&process, id)| {
            let (it, seat) = (self.connections.get(id)?, self.desk.seat(process)?);
            let (because, by) = self.off(it, &seat);
            Some(ProgramStatus {
                pid: it.pid,
                device: self.devices.get(usize::from(seat.device)).cloned().unwrap_or_default(),
                level: seat.level,
                share: seat.share,
                hints: seat.hints,
                standing: seat.standing,
                since_ms: now.saturating_sub(seat.since) / 1_000_000,
                because,
                by,
                runnable: seat.is_runnable,
                ordered: it.ordered,
                overdue: it.overdue,
                held_back: seat.held_back,
                summary: it.summary.clone(),
            })
        });
        let (recipe, fell_back) = self.desk.recipe();
        let [_, turn, _, preempt] = recipe.policies();
        LiveStatus {
            pid: std::process::id(),
            uptime_ms: now / 1_000_000,
            policies: (turn.to_owned(), preempt.to_owned()),
            fell_back: fell_back.map(str::to_owned),
            most_urgent: self.options.most_urgent,
            programs: programs.collect(),
            refused: self.refused.clone(),
        }
    }

    /// Returns why a program may not use the device now, as (reason, process ids). The ids are
    /// those of the programs that may use the device, or of the process that ordered the program
    /// off. `None` and no ids where the program may use the device.
    fn off(&self, program: &Connection, seat: &Seat) -> (Option<OffReason>, Vec<i32>) {
        if seat.standing == ProgramStanding::Held {
            let why = program.held_by.map_or(OffReason::Storm, |_| OffReason::Order);
            return (Some(why), program.held_by.into_iter().collect());
        }
        if seat.has_turn {
            return (None, Vec::new());
        }
        if !seat.is_runnable {
            return (Some(OffReason::NoWork), Vec::new());
        }
        let has_turn = |process: ProcessId| {
            let other = self.desk.seat(process);
            other.is_some_and(|it| it.has_turn && it.device == seat.device)
        };
        let others = self.programs.iter().filter(|(process, _)| has_turn(**process));
        let pids = others.filter_map(|(_, id)| Some(self.connections.get(id)?.pid));
        (Some(OffReason::Others), pids.collect())
    }
}
