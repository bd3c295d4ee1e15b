//! How is an action of the dispatcher carried out, and when can it not be?

use raddle_policy::{Action, Actions, LaunchId, Preemption, Tick, Ticks};

use super::Engine;
use crate::SimError;
use crate::demand::TaskDemand;
use crate::machine::SubmittedKernel;
use crate::meetings::NEVER;
use crate::queue::Due;
use crate::watch::Seen;
use crate::workload::Work;

impl Engine<'_> {
    pub(super) fn carry_out(&mut self, action: &Action, lists: &Actions) -> Result<(), SimError> {
        let now = self.now;
        match *action {
            Action::Submit { launch, via, .. } => {
                let kernel = self.kernel(launch)?;
                // Where a launch is submitted again, it may owe another cleanup than before, or
                // none.
                if via.cleanup > Ticks::ZERO {
                    self.cleanups.insert(launch, via.cleanup);
                } else {
                    self.cleanups.remove(launch);
                }
                self.machine.submit(launch, kernel, now)?;
                self.machine.counters.launching.add(&via);
                self.watch.see(now, &Seen::Submitted { launch });
                self.place(launch, true);
                Ok(())
            }
            Action::Start { launch, waves, ref pieces, .. } => {
                self.must_be_ready(launch, "start workgroups of")?;
                let pieces = lists.pieces(pieces);
                self.meet_peers(launch);
                let (started, front) =
                    self.machine.start(launch, waves, pieces, now, &mut self.queue)?;
                self.watch.see(now, &Seen::Started { launch, front, waves, pieces });
                let record = &mut self.tasks.records[launch.index()];
                record.started.get_or_insert(now);
                self.usage.came(record.process, started);
                Ok(())
            }
            Action::Assign { launch, workgroup, cu } => {
                self.must_be_ready(launch, "assign a workgroup of")?;
                self.machine.assign(launch, workgroup, cu, now)
            }
            Action::TakeOff { launch, how } => {
                self.machine.take_off(launch, how, now, &mut self.queue)?;
                let record = &self.tasks.records[launch.index()];
                let runs_on = how == Preemption::Flag && record.started.is_some();
                self.place(launch, how == Preemption::Wait || runs_on);
                Ok(())
            }
            Action::Restore { launch } => {
                let (waves, process) = self.machine.restore(launch, now, &mut self.queue)?;
                self.usage.came(process, waves);
                self.place(launch, true);
                self.watch.see(now, &Seen::Restored { launch });
                Ok(())
            }
            Action::Refuse { refusal } => {
                self.kernel(refusal.launch)?;
                self.machine.forget(refusal.launch, now)?;
                let process = self.tasks.records[refusal.launch.index()].process;
                self.place(refusal.launch, false);
                self.stay_away(refusal.launch);
                self.usage.lost(process);
                self.refuse(refusal)
            }
            _ => {
                self.note(action);
                Ok(())
            }
        }
    }

    /// Records that a launch begins which ends together with launches of other processes (its
    /// peers, as in a collective operation). If all peers have begun by now, sets the end of all of
    /// them; else this launch lasts until they have.
    fn meet_peers(&mut self, launch: LaunchId) {
        let peers = self.tasks.peers_end(launch);
        let Some(place) = self.tasks.meeting(launch).filter(|&at| self.meetings.binds(at)) else {
            if let Some(until) = peers {
                self.machine.lasts_until(launch, until);
            }
            return;
        };
        let done = self.machine.works_until(launch, self.now).max(peers.unwrap_or(Tick::ZERO));
        let there = self.meetings.come(place, launch, Some(done));
        if there.complete {
            for &other in &there.came {
                self.machine.ends_at(other, there.ends, self.now, &mut self.queue);
            }
        } else {
            self.machine.lasts_until(launch, NEVER);
        }
    }

    /// Records that a launch which ends together with launches of other processes (its peers) will
    /// never begin, so that no peer waits for it.
    fn stay_away(&mut self, launch: LaunchId) {
        let place = self.tasks.meeting(launch).filter(|&at| self.meetings.binds(at));
        let Some(there) = place.map(|at| self.meetings.come(at, launch, None)) else { return };
        for &other in there.came.iter().filter(|_| there.complete) {
            self.machine.ends_at(other, there.ends, self.now, &mut self.queue);
        }
    }

    /// Carries out an action of the dispatcher that concerns no single launch, such as a wake or
    /// the end of a preemption.
    fn note(&mut self, action: &Action) {
        let (now, costs) = (self.now, self.machine.costs);
        match *action {
            Action::Raise { process, .. } => {
                self.queue.push(now + costs.flag, Due::Raised(process.0));
            }
            Action::Reset { process } => {
                self.queue.push(now + costs.reset, Due::ResetOver(process.0));
            }
            Action::Drained { how, after, .. } => {
                self.latencies.entry(how).or_default().push(after);
            }
            // A wake in the past would never come; it comes at once instead.
            Action::WakeAt(at) => self.queue.push(at.max(now), Due::Wake),
            _ => {}
        }
    }

    /// Records that a launch is on the device and may run or, where `placed` is false, that it is
    /// not submitted or is kept off the device by a preemption.
    pub(super) fn place(&mut self, launch: LaunchId, placed: bool) {
        if self.tasks.place(launch, placed) && self.tasks.records[launch.index()].ready.is_some() {
            self.usage.place(self.tasks.records[launch.index()].process, placed);
        }
    }

    /// Checks that all work for which a launch waits has ended: before that the launch may be on
    /// the device, but none of its workgroups may start. `what` names the action, for the error.
    fn must_be_ready(&self, launch: LaunchId, what: &'static str) -> Result<(), SimError> {
        let record = self.tasks.records.get(launch.index());
        if record.is_some_and(|record| record.ready.is_none()) && self.tasks.is_told(launch) {
            return Err(SimError::Action { at: self.now, launch, what, state: "not ready" });
        }
        Ok(())
    }

    /// Returns the fields of a launch that the simulated device needs; an error for a launch that
    /// is not issued, has ended, or was refused.
    fn kernel(&self, id: LaunchId) -> Result<SubmittedKernel, SimError> {
        let state = match self.tasks.records.get(id.index()) {
            Some(record) if record.refused => "refused",
            Some(record) if record.ended.is_some() => "ended",
            Some(record) if record.ready.is_some() || self.tasks.is_told(id) => {
                let (plan, task) = self.tasks.plan(id);
                let contention = plan.contention.get(record.task as usize);
                if let (Work::Kernel { demand, barrier, context_bytes, .. }, Some(fitted)) =
                    (task.work, self.fitted(id))
                {
                    let (workgroups, workgroup, units) = fitted;
                    let memory = plan.demand.as_ref();
                    let memory = memory.and_then(|of| of.tasks.get(record.task as usize));
                    let all = self.machine.ledger.units();
                    let process = record.process;
                    let wave_uw = self.energy.wave_uw(task.activity, demand.lds > 0);
                    return Ok(SubmittedKernel {
                        process,
                        stream: task.stream,
                        workgroups,
                        workgroup: workgroup + self.machine.costs.check,
                        contention: contention.copied().unwrap_or_default(),
                        memory: memory
                            .map_or_else(TaskDemand::default, |of| of.on_units(units, all)),
                        until: Tick::ZERO,
                        demand,
                        barrier: barrier.possible(),
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
