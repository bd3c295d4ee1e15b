//! How does the naive controller answer each call of the driver?

use raddle_policy::Preemption;
use raddle_preempt::ResetScope;

use super::{At, Launch, Mutant, Naive, Place};
use crate::control::{Control, Order, killable};
use crate::schedule::Job;

impl Control for Naive {
    fn join(&mut self, process: usize) -> usize {
        let free = self.ids.iter().position(|(who, _)| who.is_none());
        let id = free.unwrap_or(self.ids.len());
        if id == self.ids.len() {
            self.ids.push((None, 0));
        }
        let next = if self.mutant == Mutant::NumbersAgain { 0 } else { self.ids[id].1 };
        self.ids[id].0 = Some(process);
        let it = &mut self.all[process];
        (it.id, it.first, it.next) = (id, next, next);
        id
    }

    fn leave(&mut self, process: usize) -> Option<usize> {
        let flies = !self.runtime(process).is_empty() && self.mutant != Mutant::LeavesFlying;
        let it = &mut self.all[process];
        if flies || it.at != At::Running || it.undo.is_some() {
            return None;
        }
        let buffered = it.launches.iter().filter(|it| it.place == Place::Buffer).count();
        it.launches.clear();
        self.ids[it.id] = (None, it.next);
        Some(buffered)
    }

    fn stale(&mut self, process: usize) -> u64 {
        let id = self.all[process].id;
        let others = self.all.iter().enumerate().filter(|(at, it)| *at != process && it.id == id);
        let former: Vec<_> = others.map(|(_, it)| it.first..it.next).collect();
        let taken = |sequence: &u64| former.iter().any(|range| range.contains(sequence));
        self.runtime(process).iter().filter(|(sequence, _)| taken(sequence)).count() as u64
    }

    fn capture(&mut self, process: usize, job: usize, it: &Job) {
        let (stream, may, tests_flag) = (it.stream, killable(it), it.tests_flag);
        let meanwhile = self.all[process].at != At::Running;
        if meanwhile && self.mutant == Mutant::CapturedNowhere {
            return;
        }
        let mut rank = self.all[process].rank;
        self.all[process].rank += 1;
        if meanwhile && self.mutant == Mutant::CapturedInFront {
            self.all[process].launches.iter_mut().for_each(|it| it.rank += 1);
            rank = 0;
        }
        let place = Place::Buffer;
        let launch = Launch { job, stream, rank, may, tests_flag, kills: 0, place };
        self.all[process].launches.push(launch);
    }

    fn next(&mut self, process: usize) -> Option<Order> {
        if let Some(way) = self.all[process].undo.take() {
            match way {
                Preemption::Wait => {}
                Preemption::Flag | Preemption::Reset => {
                    self.all[process].cut = None;
                    return Some(Order::Lower);
                }
                Preemption::Drain => return Some(Order::Release),
                Preemption::Switch => return Some(Order::Restore),
            }
        }
        let there = self.seen(process);
        let empty = there.is_empty();
        let calling = there
            .iter()
            .any(|(_, it)| matches!(it.place, Place::Runtime { acknowledged: false, .. }));
        match (self.all[process].at, self.all[process].way) {
            (At::Running, _) => self.submit(process),
            (At::Begun, _) if calling => None,
            (At::Begun, Preemption::Wait) => {
                self.all[process].at = At::Waiting;
                empty.then(|| self.complete(process))
            }
            (At::Begun, Preemption::Flag | Preemption::Reset) => {
                let cuts = self.cuts(process);
                self.all[process].cut = Some(cuts.clone());
                self.all[process].at = At::Told;
                if self.mutant == Mutant::ResetAtOnce {
                    self.check(process);
                }
                Some(Order::Raise { cuts })
            }
            (At::Begun, way) => {
                self.all[process].at = At::Removing;
                Some(if way == Preemption::Drain { Order::Hold } else { Order::Save })
            }
            // The work of the process has ended since the check, so no reset is needed.
            (At::ResetDue, _) if empty && self.mutant != Mutant::IdleReset => {
                Some(self.complete(process))
            }
            (At::ResetDue, _) => {
                self.all[process].at = At::Resetting;
                Some(Order::Reset)
            }
            (At::Reset | At::Waiting, _) => empty.then(|| self.complete(process)),
            (At::Removed, _) => Some(self.complete(process)),
            (At::Told | At::Resetting | At::Removing | At::Preempted, _) => None,
        }
    }

    fn submitted(&mut self, process: usize, wanted: u64) {
        if let Some(launch) = self.find(process, wanted)
            && let Place::Runtime { acknowledged, .. } = &mut launch.place
        {
            *acknowledged = true;
        }
    }

    fn not_submitted(&mut self, process: usize, wanted: u64) {
        if let Some(launch) = self.find(process, wanted) {
            launch.place = Place::Buffer;
        }
    }

    fn started(&mut self, process: usize, wanted: u64) {
        if let Some(launch) = self.find(process, wanted)
            && let Place::Runtime { acknowledged, started, .. } = &mut launch.place
        {
            (*acknowledged, *started) = (true, true);
        }
    }

    fn finished(&mut self, process: usize, sequence: u64) {
        if let Some(launch) = self.find(process, sequence) {
            launch.place = Place::Done;
        }
    }

    fn exited(&mut self, process: usize, sequence: u64) -> bool {
        let latched = self.setup.declared.latched;
        let known = self.find(process, sequence).copied();
        let asked = known.is_some_and(|it| self.leaves(process, sequence, &it));
        if let Some(launch) = self.find(process, sequence)
            && matches!(launch.place, Place::Runtime { started: true, .. })
            && !latched
        {
            launch.kills += 1;
        }
        if self.mutant != Mutant::ExitsForgotten {
            self.back(process, sequence, false);
        }
        asked
    }

    fn killed(&mut self, process: usize, sequence: u64) {
        if let Some(launch) = self.find(process, sequence) {
            launch.kills += 1;
        }
        self.back(process, sequence, true);
    }

    fn believes(&self, launches: &[(usize, u64)]) -> Vec<bool> {
        let believes = |&(process, sequence): &(usize, u64)| {
            let it = &self.all[process];
            let there = self.runtime(process).into_iter().find(|(other, _)| *other == sequence);
            let Some((_, launch)) = there else { return false };
            let leaves = self.leaves(process, sequence, &launch);
            let whole = self.setup.declared.scope == ResetScope::Device;
            let hit = whole && self.all.iter().any(|other| other.at == At::Resetting);
            matches!(it.at, At::Resetting | At::Reset) || hit && leaves
        };
        launches.iter().map(believes).collect()
    }

    fn raised(&mut self, process: usize) {
        if self.all[process].at == At::Told {
            self.check(process);
        }
    }

    fn drained(&mut self, process: usize) {
        let it = &mut self.all[process];
        it.at = match it.at {
            At::Resetting => At::Reset,
            At::Removing => At::Removed,
            other => other,
        };
    }

    fn left(&self, process: usize) -> usize {
        let all = self.all[process].launches.iter();
        all.filter(|launch| launch.place != Place::Done).count()
    }

    fn reached(&self, process: usize, job: usize) -> bool {
        let mut before = self.all[process].launches.iter().filter(|launch| launch.job <= job);
        let alone = self.mutant == Mutant::SyncRuntimeOnly;
        before.all(|it| it.place == Place::Done || alone && it.place == Place::Buffer)
    }

    fn preempt(&mut self, process: usize, way: Preemption, by: Option<usize>) -> String {
        if by.is_some_and(|by| self.all[by].level >= self.all[process].level) {
            return "NotOutranked".to_owned();
        }
        let can = self.setup.declared.abilities;
        if !can.can(way) {
            return format!("missing {}", way.name());
        }
        let it = &mut self.all[process];
        if it.at == At::Running || self.mutant == Mutant::PreemptsAgain {
            (it.at, it.way) = (At::Begun, way);
            return "Begun".to_owned();
        }
        if self.mutant == Mutant::ResumeNotCancelled && it.resume {
            return "ResumeCancelled".to_owned();
        }
        if std::mem::take(&mut it.resume) { "ResumeCancelled" } else { "Already" }.to_owned()
    }

    fn resume(&mut self, process: usize) -> String {
        let mutant = self.mutant;
        let it = &mut self.all[process];
        match it.at {
            At::Running => {
                it.resume = mutant == Mutant::ResumeRemembered;
                "Running"
            }
            At::Preempted => {
                (it.at, it.undo) = (At::Running, super::undone(it.way));
                "Now"
            }
            _ if mutant == Mutant::ResumeWithoutDrain => {
                (it.at, it.undo) = (At::Running, Some(it.way));
                for launch in &mut it.launches {
                    if launch.place != Place::Done {
                        launch.place = Place::Buffer;
                    }
                }
                "Now"
            }
            _ => {
                it.resume = true;
                "Waits"
            }
        }
        .to_owned()
    }
}
