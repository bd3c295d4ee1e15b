//! Which events happen in a tick, and which of them is the dispatcher told?

use raddle_dispatch::DispatchError;
use raddle_policy::{Event, Launch, LaunchId, ProcessId, Refusal, Tick, Ticks};

use super::{Engine, TIMES_OFF};
use crate::SimError;
use crate::demand::RoomFor;
use crate::outcome::{RefusedLaunch, RequestMarks};
use crate::queue::Due;
use crate::tasks::{Issued, Mark};
use crate::watch::Seen;
use crate::workload::{LaunchLatency, RecordedGap, Work};

/// The most requests of one process whose begin and end are stored.
const MOST_MARKS: usize = 1 << 16;

impl Engine<'_> {
    pub(super) fn tell(&mut self, event: &Event<'_>) -> Result<(), SimError> {
        let at = self.now;
        self.undecided = true;
        let heard = self.dispatcher.event(event, at);
        heard.map_err(|error: DispatchError| SimError::Dispatch { at, error })
    }

    pub(super) fn happen(&mut self, due: Due) -> Result<(), SimError> {
        match due {
            Due::Join(process) => {
                let share = self.tasks.share(process);
                self.tell(&Event::ProcessJoined { process: ProcessId(process), share })?;
                self.count_units();
                Ok(())
            }
            Due::Hint(process, position) => {
                let plan = &self.tasks.workload().processes[usize::from(process)];
                let (_, stream, hint) = plan.hints[position as usize];
                self.tell(&Event::Hint { process: ProcessId(process), stream, hint })
            }
            Due::Arrival(process) => self.arrive(process),
            Due::Issue(id) => {
                let mut told = std::mem::take(&mut self.told);
                self.tasks.issue_late(id, self.now, &mut told);
                self.usage.touch(self.tasks.records[id.index()].process);
                self.tell_all(told)
            }
            Due::Ready(id) => self.make_ready(id),
            Due::Front(slot, generation) => self.front_ended(slot, generation),
            Due::Copy(id) => self.copy_ended(id),
            Due::CopyOff(id, how) => self.tell(&Event::TakenOff { launch: id, how, done: 0 }),
            Due::CopyBack(id) => self.tell(&Event::Restored { launch: id }),
            Due::CleanedUp(id) => self.ended(id),
            Due::TakenOff(id) => self.taken_off(id),
            Due::Restored(id) => {
                if self.machine.restored(id, self.now, &mut self.queue) {
                    self.tell(&Event::Restored { launch: id })?;
                }
                Ok(())
            }
            Due::Raised(id) => self.tell(&Event::Raised { process: ProcessId(id) }),
            Due::ResetOver(id) => self.tell(&Event::ResetOver { process: ProcessId(id) }),
            Due::Wake => self.tell(&Event::Woke),
        }
    }

    fn arrive(&mut self, process: u16) -> Result<(), SimError> {
        self.first.get_or_insert(self.now);
        let mut told = std::mem::take(&mut self.told);
        self.tasks.arrive(usize::from(process), self.now, &mut told)?;
        self.usage.touch(process);
        self.mark();
        self.set_alarms();
        self.tell_all(told)
    }

    /// Stores the time that a process has spent on each activity so far, for each process of which
    /// a request or repetition has just begun or ended.
    fn mark(&mut self) {
        for mark in std::mem::take(&mut self.tasks.marks) {
            let Mark { process, iteration, ended, counts } = mark;
            if counts {
                self.usage.mark();
            }
            let then = (self.now, self.usage.spent(process));
            if ended {
                let took = self.now.since(self.tasks.began_at(process, iteration));
                self.watch.see(self.now, &Seen::RepetitionEnded { process, took });
            }
            let marks = &mut self.requests[usize::from(process)];
            if ended && let Some(marks) = marks.get_mut(iteration as usize) {
                marks.ended = Some(then);
            } else if !ended && marks.len() == iteration as usize && marks.len() < MOST_MARKS {
                marks.push(RequestMarks { issued: then, ended: None });
            }
        }
    }

    fn set_alarms(&mut self) {
        for (at, process) in self.tasks.alarms() {
            self.queue.push(at, Due::Arrival(process));
        }
    }

    /// Records that a launch has ended or will never run. Adds to `told` the launches that waited
    /// for nothing else: the dispatcher will be told of the launches in this list.
    fn finish(&mut self, id: LaunchId, told: &mut Vec<Issued>) -> Result<(), SimError> {
        self.tasks.finish(id, self.now, told)?;
        for (at, id) in self.tasks.gaps.drain(..) {
            self.queue.push(at, Due::Issue(id));
        }
        self.usage.touch(self.tasks.records[id.index()].process);
        self.mark();
        self.set_alarms();
        Ok(())
    }

    fn tell_all(&mut self, mut told: Vec<Issued>) -> Result<(), SimError> {
        for &Issued { id, free } in &told {
            let can_start = if free { self.can_start(id) } else { self.now };
            if free && can_start <= self.now {
                self.make_ready(id)?;
                continue;
            }
            if free {
                self.queue.push(can_start, Due::Ready(id));
            }
            // A dispatcher that looks ahead hears of a launch before it hears of those behind it.
            if !free || self.tasks.lines_up(id) {
                self.tell_issued(id)?;
            }
        }
        told.clear();
        self.told = told;
        Ok(())
    }

    /// Tells the dispatcher that a launch or copy was issued and is not ready yet, if the
    /// dispatcher wants to know of launches in advance.
    pub(super) fn tell_issued(&mut self, id: LaunchId) -> Result<(), SimError> {
        self.fit(id);
        match self.launch(id) {
            Some(launch) => self.tell(&Event::LaunchIssued { launch }),
            None => self.tell_copy(id),
        }
    }

    /// Returns the tick at which a launch that waits for no other work can start, after its launch
    /// latency.
    fn can_start(&self, id: LaunchId) -> Tick {
        let (plan, task) = self.tasks.plan(id);
        // A launch is handled here when it is issued, or later when the last one that it waited for
        // has ended.
        let waited = self.tasks.records[id.index()].arrival < self.now;
        match task.gap {
            Some(RecordedGap::Device(gap)) if waited => return self.now + gap,
            Some(_) => return self.now,
            None => {}
        }
        let LaunchLatency { launch, handover } = plan.latency;
        let issued = self.tasks.latency_from(id) + launch;
        issued.max(if waited { self.now + handover } else { self.now })
    }

    /// Asks the dispatcher how many compute units each process may ever use: the answer may change
    /// as processes join.
    fn count_units(&mut self) {
        // The number of units is that of the options, a u16.
        let all = self.machine.ledger.units() as u16;
        for (process, units) in (0..).map(ProcessId).zip(&mut self.units) {
            *units = self.dispatcher.most_units(process, all).unwrap_or(all).min(all);
        }
    }

    /// Sets the number of workgroups of a launch whose library sizes its grid by the number of
    /// compute units, to suit those that its process may use. Other launches keep their number.
    fn fit(&mut self, id: LaunchId) {
        let record = &mut self.tasks.records[id.index()];
        if record.units > 0 {
            return;
        }
        record.units = self.units[usize::from(record.process)];
        if let Some((workgroups, ..)) = self.fitted(id) {
            self.tasks.records[id.index()].workgroups = workgroups;
        }
    }

    /// Returns (number of workgroups of a launch, ticks of each workgroup, number of compute units
    /// on which its process may run); `None` where the op is no kernel.
    pub(super) fn fitted(&self, id: LaunchId) -> Option<(u64, Ticks, u64)> {
        let (plan, task) = self.tasks.plan(id);
        let Work::Kernel { workgroups, workgroup, demand, .. } = task.work else { return None };
        let (record, all) = (&self.tasks.records[id.index()], self.machine.ledger.units());
        let units = if record.units > 0 { record.units.into() } else { all };
        let Some(of) = plan.demand.as_ref().filter(|_| units < all) else {
            return Some((workgroups, workgroup, all));
        };
        let whole = self.machine.ledger.room(&demand);
        let few = RoomFor { units, ..whole };
        let (workgroups, lasts) = of.on_fewer(record.task, (workgroups, workgroup), whole, few);
        Some((workgroups, lasts, units))
    }

    /// Returns a launch with the fields that the dispatcher gets to see; `None` for an op that runs
    /// no workgroups.
    fn launch(&self, id: LaunchId) -> Option<Launch> {
        let (_, task) = self.tasks.plan(id);
        let Work::Kernel { demand, barrier, .. } = task.work else { return None };
        let (workgroups, workgroup, units) = self.fitted(id)?;
        let process = ProcessId(self.tasks.records[id.index()].process);
        let mut launch = Launch::new(id, process, workgroups, demand)
            .with_stream(task.stream)
            .with_level(task.level)
            .with_barrier(barrier)
            .with_idempotent(task.idempotent);
        (launch.activity, launch.call) = (task.activity, task.call);
        launch.estimate = self.machine.ledger.alone(workgroups, workgroup, &demand, units);
        Some(launch)
    }

    /// Makes a launch ready: it was issued, and waits for no other work.
    fn make_ready(&mut self, id: LaunchId) -> Result<(), SimError> {
        self.fit(id);
        let (_, task) = self.tasks.plan(id);
        let record = &mut self.tasks.records[id.index()];
        record.ready = Some(self.now);
        let process = record.process;
        match task.work {
            Work::Copy { .. } => self.copy_ready(id),
            Work::Unfit { resource, wanted, available } => {
                let refusal = Refusal { launch: id, cu: None, resource, wanted, available };
                self.refuse(refusal)
            }
            Work::Kernel { .. } => {
                self.usage.gained(process);
                if self.tasks.is_placed(id) {
                    self.usage.place(process, true);
                }
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
            self.usage.went(ended.process, ended.waves);
            if ended.finished {
                self.place(launch, false);
                self.usage.lost(ended.process);
                let Some(cleanup) = self.cleanups.remove(launch) else {
                    return self.ended(launch);
                };
                // Launches that wait for this one hear of its end once it has been cleaned up.
                self.queue.push(at + cleanup, Due::CleanedUp(launch));
            }
        }
        Ok(())
    }

    /// Records that a launch, copy or fill has ended, and releases the launches that waited for it.
    pub(super) fn ended(&mut self, id: LaunchId) -> Result<(), SimError> {
        self.tasks.records[id.index()].ended = Some(self.now);
        self.times_off.remove(id);
        self.last = self.now;
        let mut told = std::mem::take(&mut self.told);
        self.finish(id, &mut told)?;
        self.tell_all(told)
    }

    fn taken_off(&mut self, id: LaunchId) -> Result<(), SimError> {
        let Some((how, done, waves, process)) =
            self.machine.taken_off(id, self.now, &mut self.queue)
        else {
            return Ok(());
        };
        self.usage.went(process, waves);
        self.count_off(id)?;
        self.watch.see(self.now, &Seen::TakenOff { launch: id, how });
        self.tell(&Event::TakenOff { launch: id, how, done })
    }

    /// Counts one more time that a launch was taken off the device before it ended. Returns an
    /// error after [`TIMES_OFF`] times, as such a run would take too long.
    fn count_off(&mut self, id: LaunchId) -> Result<(), SimError> {
        let times = self.times_off.or_insert_with(id, || 0);
        *times += 1;
        if *times <= TIMES_OFF {
            return Ok(());
        }
        let (times, launch) = (*times, self.tasks.records[id.index()].task);
        let process = self.tasks.plan(id).0.name.clone();
        Err(SimError::NeverEnds { at: self.now, process, launch, times })
    }

    /// Records the reason why a launch will never run, and releases the launches that wait for it.
    pub(super) fn refuse(&mut self, refusal: Refusal) -> Result<(), SimError> {
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
        for Issued { id, free } in told.drain(before..) {
            if free {
                self.queue.push(self.can_start(id), Due::Ready(id));
            }
            if !free || self.tasks.lines_up(id) {
                self.tell_issued(id)?;
            }
        }
        self.told = told;
        Ok(())
    }
}
