//! When do communication kernels end that wait for peers on other ranks of the run?
//!
//! They end together: when the last has begun and each has done its work. Workgroups of a kernel
//! that had no room on the device at first may end after its peers. Kernels of a repetition that
//! not every rank has, as where the shorter of two profiles repeats, end as if they had no peers.
//! Ranks that do not fit on the device beside each other wait for ever, and are listed as stuck.

use std::collections::BTreeMap;

use raddle_policy::{LaunchId, Tick};
use raddle_trace::Profile;

use crate::workload::{Meeting, ProcessPlan, Work, Workload};

/// The tick that stands for an end that is not known yet, as a workgroup waits for launches of
/// other processes that have not begun.
pub(crate) const NEVER: Tick = Tick(u64::MAX);

/// Makes the communication kernels of the ranks of one job wait for each other and end together:
/// the n-th kernel of a name in one rank with the n-th kernel of that name in every other rank.
/// Each such group (a meeting) gets a number, from `first` on, which no other job may use. Returns
/// the first number that is not used.
///
/// Only kernels that have peers by [`raddle_trace::CommRule::Peers`] take part.
pub fn meet(ranks: &mut [(&Profile, &mut ProcessPlan)], first: u32) -> u32 {
    let mut numbers: BTreeMap<(&str, u32), u32> = BTreeMap::new();
    let mut next = first;
    for (profile, plan) in ranks {
        let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
        plan.meetings.clear();
        for collective in &profile.collectives {
            let op = &profile.ops[collective.op as usize];
            let name = profile.kernels[op.kernel as usize].as_str();
            let place = seen.entry(name).or_default();
            let number = *numbers.entry((name, *place)).or_insert_with(|| {
                next += 1;
                next - 1
            });
            *place += 1;
            plan.meetings.push(Meeting { task: collective.op, number });
        }
    }
    next
}

/// The meetings of a run: a meeting is a set of launches of several processes that wait for each
/// other and end together.
#[derive(Debug, Default)]
pub(crate) struct Meetings {
    /// The meetings by number; a meeting is a set of launches of several processes that end
    /// together. Each is (number of processes that take part, number of repetitions, from the first
    /// on, in which all of them take part).
    members: BTreeMap<u32, (usize, usize)>,
    /// The peers that have arrived at each meeting (launches that end together), by (number of the
    /// meeting, index of the repetition).
    open: BTreeMap<(u32, u32), Gathering>,
}

/// The peers (launches that end together) that have arrived at one meeting in one repetition.
#[derive(Debug)]
pub(crate) struct Gathering {
    pub(crate) came: Vec<LaunchId>,
    /// The number of launches of the meeting (launches that end together) that will never begin.
    absent: usize,
    /// The tick at which the last of the launches that have begun so far has done its own work.
    pub(crate) ends: Tick,
    /// True if every launch of the meeting (launches that end together) has begun, or will never
    /// begin.
    pub(crate) complete: bool,
}

impl Meetings {
    pub(crate) fn new(workload: &Workload) -> Self {
        let mut members: BTreeMap<u32, (usize, usize)> = BTreeMap::new();
        for plan in &workload.processes {
            let times = plan.times().len().max(1);
            for meeting in &plan.meetings {
                let runs = matches!(
                    plan.tasks[meeting.task as usize].work,
                    Work::Kernel { workgroups: 1.., .. }
                );
                let (count, least) = members.entry(meeting.number).or_insert((0, times));
                *count += usize::from(runs);
                *least = times.min(*least);
            }
        }
        members.retain(|_, (count, _)| *count > 1);
        Self { members, open: BTreeMap::new() }
    }

    /// Returns whether kernels of several processes wait for each other under this number of a
    /// meeting, in this repetition of their profiles.
    pub(crate) fn binds(&self, (number, repetition): (u32, u32)) -> bool {
        self.members.get(&number).is_some_and(|&(_, times)| (repetition as usize) < times)
    }

    /// Returns whether any launch waits for launches of other processes, with which it ends
    /// together, that have not begun.
    pub(crate) fn waits(&self) -> bool {
        self.open.values().any(|it| !it.complete && !it.came.is_empty())
    }

    /// Records that a launch of a meeting (launches of several processes that end together) begins
    /// and will have done its own work at the tick `done`; with `None`, that it will never begin.
    /// `place` is (number of the meeting, repetition). Returns the launches of the meeting that
    /// have begun.
    pub(crate) fn come(
        &mut self,
        place: (u32, u32),
        launch: LaunchId,
        done: Option<Tick>,
    ) -> &Gathering {
        let wanted = self.members.get(&place.0).map_or(0, |&(count, _)| count);
        let gathering = self.open.entry(place).or_insert(Gathering {
            came: Vec::new(),
            absent: 0,
            ends: Tick::ZERO,
            complete: false,
        });
        if !gathering.came.contains(&launch) {
            match done {
                Some(done) => {
                    gathering.came.push(launch);
                    gathering.ends = gathering.ends.max(done);
                }
                None => gathering.absent += 1,
            }
        }
        gathering.complete = gathering.came.len() + gathering.absent >= wanted;
        gathering
    }
}
