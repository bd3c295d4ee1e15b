//! What does a daemon do on a message of a program?

use raddle_policy::{Level, Preemption, ProcessId};

use super::connection::{Connection, Fault};
use super::desk::DaemonEvent;
use super::{DEFAULT_LEVEL, Daemon};
use crate::status::{LiveStatus, ProgramStatus, RefusedClient};
use crate::wire::{ToClient, ToDaemon};

impl Daemon {
    pub(super) fn obey(&mut self, id: u64, message: ToDaemon, now: u64) -> Result<(), Fault> {
        let bad = Fault::Refused(RefusedClient::BadMessage);
        let connection = self.connections.get_mut(&id).ok_or(Fault::Gone)?;
        match (message, connection.program) {
            (ToDaemon::Join { token }, None) => self.join(id, token.as_deref(), now)?,
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
                self.of_pid(id, pid, now, |process| DaemonEvent::Held { process, how });
            }
            (ToDaemon::Resume { pid }, None) => {
                self.of_pid(id, pid, now, |process| DaemonEvent::LetGo { process });
            }
            _ => return Err(bad),
        }
        Ok(())
    }

    /// Enters an event for every program of a process id, and answers with their number.
    fn of_pid(&mut self, id: u64, pid: i32, now: u64, event: impl Fn(ProcessId) -> DaemonEvent) {
        let of = |connection: &Connection| connection.program.filter(|_| connection.pid == pid);
        let programs: Vec<ProcessId> = self.connections.values().filter_map(of).collect();
        for &process in &programs {
            self.hear(event(process), now);
        }
        self.send(id, &ToClient::Done { programs: programs.len() as u64 }, now);
    }

    fn join(&mut self, id: u64, token: Option<&str>, now: u64) -> Result<(), Fault> {
        let granted = |it: &Connection| it.granted(token?);
        let level = self.connections.values().find_map(granted).unwrap_or(DEFAULT_LEVEL);
        let level = Level(level.0.max(self.options.most_urgent.0));
        let process = self.desk.free_id().ok_or(Fault::Refused(RefusedClient::TooMany))?;
        self.programs.insert(process, id);
        if let Some(connection) = self.connections.get_mut(&id) {
            connection.program = Some(process);
        }
        self.hear(DaemonEvent::ProcessJoined { process, level }, now);
        self.send(id, &ToClient::Welcome { level }, now);
        Ok(())
    }

    fn status(&self, now: u64) -> LiveStatus {
        let programs = self.programs.iter().filter_map(|(&process, id)| {
            let it = self.connections.get(id)?;
            let (standing, runnable, held_back) = self.desk.standing(process);
            let (ordered, overdue) = (it.ordered, it.overdue);
            let (pid, summary) = (it.pid, it.summary.clone());
            let level = self.desk.level(process).unwrap_or(DEFAULT_LEVEL);
            Some(ProgramStatus {
                pid,
                level,
                standing,
                runnable,
                ordered,
                overdue,
                held_back,
                summary,
            })
        });
        let [_, turn, _, preempt] = self.options.recipe.policies();
        LiveStatus {
            pid: std::process::id(),
            uptime_ms: now / 1_000_000,
            policies: (turn.to_owned(), preempt.to_owned()),
            most_urgent: self.options.most_urgent,
            programs: programs.collect(),
            refused: self.refused.clone(),
        }
    }
}
