//! A card without a clock: the first launch of each stream runs until somebody says that it ends.

use std::collections::{BTreeMap, VecDeque};

use raddle_policy::{Preemption, ProcessId, StreamId};
use raddle_preempt::{
    Abilities, Declared, FlagCut, LaunchHandle, Report, ResetScope, Runtime, SubmitCall,
};

/// A command to a simulated card: from its driver, or from the test, which ends launches.
#[derive(Clone, Debug)]
pub(crate) enum Order {
    Take(LaunchHandle, StreamId),
    Raise(ProcessId, Vec<(StreamId, FlagCut)>),
    Lower(ProcessId),
    Reset(ProcessId, Vec<LaunchHandle>),
    Save(ProcessId),
    Restore(ProcessId),
    /// Ends the running launch of each stream of a process, unless the process was saved.
    End(ProcessId),
}

#[derive(Debug, Default)]
struct Lane {
    queue: VecDeque<LaunchHandle>,
    /// True if the first launch of the queue runs.
    begun: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Card {
    lanes: BTreeMap<(ProcessId, StreamId), Lane>,
    flags: BTreeMap<ProcessId, Vec<(StreamId, FlagCut)>>,
    saved: Vec<ProcessId>,
}

impl Card {
    /// Carries out a command, and returns the reports that the driver must get about it.
    pub(crate) fn obey(&mut self, order: Order) -> Vec<Report> {
        let mut reports = Vec::new();
        match order {
            Order::Take(handle, stream) => {
                self.lanes.entry((handle.process(), stream)).or_default().queue.push_back(handle);
            }
            Order::Raise(process, cuts) => {
                self.flags.insert(process, cuts);
                reports.push(Report::Raised(process));
            }
            Order::Lower(process) => drop(self.flags.remove(&process)),
            Order::Reset(process, hits) => {
                for lane in self.lanes.values_mut() {
                    let first = lane.queue.front().copied().filter(|it| hits.contains(it));
                    if let Some(handle) = first.filter(|_| lane.begun) {
                        lane.queue.pop_front();
                        lane.begun = false;
                        reports.push(Report::Killed(handle));
                    }
                }
                reports.push(Report::Drained(process));
            }
            Order::Save(process) => {
                self.saved.push(process);
                reports.push(Report::Drained(process));
            }
            Order::Restore(process) => self.saved.retain(|it| *it != process),
            Order::End(process) => {
                let saved = self.saved.contains(&process);
                for (_, lane) in self.lanes.iter_mut().filter(|(key, _)| key.0 == process) {
                    if lane.begun && !saved {
                        reports.extend(lane.queue.pop_front().map(Report::Finished));
                        lane.begun = false;
                    }
                }
            }
        }
        self.settle(&mut reports);
        reports
    }

    /// Starts the first launch of each stream that has none running, or lets it leave where the
    /// raised flag holds it.
    fn settle(&mut self, reports: &mut Vec<Report>) {
        for (&(process, stream), lane) in &mut self.lanes {
            if self.saved.contains(&process) {
                continue;
            }
            let cuts = self.flags.get(&process);
            let cut = cuts.and_then(|cuts| cuts.iter().find(|(of, _)| *of == stream));
            while !lane.begun
                && let Some(&handle) = lane.queue.front()
            {
                if cut.is_some_and(|(_, cut)| cut.holds(handle.sequence())) {
                    lane.queue.pop_front();
                    reports.push(Report::Exited(handle));
                } else {
                    lane.begun = true;
                    reports.push(Report::Started(handle));
                }
            }
        }
    }
}

/// A runtime that passes the driver's commands to a card by a function, directly or over threads.
pub(crate) struct Link(pub(crate) Box<dyn FnMut(Order) + Send>);

impl Runtime<u32> for Link {
    fn declared(&self) -> Declared {
        let abilities = Abilities::ALL.with(Preemption::Drain, false);
        Declared { abilities, latched: true, withdraws: true, scope: ResetScope::Process }
    }

    fn submit(&mut self, handle: LaunchHandle, stream: StreamId, payload: u32) -> SubmitCall {
        if payload.is_multiple_of(17) {
            return SubmitCall::Refused;
        }
        (self.0)(Order::Take(handle, stream));
        SubmitCall::UnderWay
    }

    fn raise(&mut self, process: ProcessId, cuts: &[(StreamId, FlagCut)]) {
        (self.0)(Order::Raise(process, cuts.to_vec()));
    }

    fn lower(&mut self, process: ProcessId) {
        (self.0)(Order::Lower(process));
    }

    fn reset(&mut self, process: ProcessId, hit: &[LaunchHandle]) {
        (self.0)(Order::Reset(process, hit.to_vec()));
    }

    fn save(&mut self, process: ProcessId) {
        (self.0)(Order::Save(process));
    }

    fn restore(&mut self, process: ProcessId) {
        (self.0)(Order::Restore(process));
    }
}
