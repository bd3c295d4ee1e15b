//! A device that carries out what a dispatcher says, and hosts that launch random work on it.
//!
//! Waves of a launch all take its time; a flag is seen after 40 ticks, an exit takes 5, a reset 70, a save or
//! a restore 30.

use std::collections::{BTreeMap, BTreeSet};

use raddle_dispatch::{Composed, Dispatcher};
use raddle_policy::{
    Action, Actions, Event, Launch, LaunchId, Piece, Preemption, ProcessId, Tick, Ticks, WaveSpan,
};

/// A launch or a copy that a host of the test will issue.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    pub(crate) launch: Launch,
    pub(crate) issued: u64,
    /// Number of ticks that each of the launch's workgroups takes.
    pub(crate) takes: u64,
    /// Launch that must have ended before; `None` where the task waits for none.
    pub(crate) after: Option<LaunchId>,
}

/// An event that will happen at a known tick.
#[derive(Clone, Debug)]
enum Due {
    Joined(ProcessId, u32),
    Issued(usize),
    Ready(usize),
    Ended(LaunchId, u64),
    CopyEnded(LaunchId),
    Off(LaunchId, Preemption),
    Restored(LaunchId),
    Raised(ProcessId),
    ResetOver(ProcessId),
    Woke,
}

/// Workgroups of a launch that started together.
#[derive(Clone, Debug)]
struct Front {
    waves: WaveSpan,
    pieces: Vec<Piece>,
    ends: u64,
}

/// Waves of a launch on the device, and those that were saved.
#[derive(Clone, Debug, Default)]
struct Running {
    fronts: BTreeMap<u64, Front>,
    /// Workgroups that were saved together, with the ticks that they have left.
    saved: Vec<Front>,
    /// Number of waves of each workgroup that is assigned to a compute unit and has not started.
    bound: BTreeMap<u64, u16>,
    ended: u64,
    drains: bool,
}

pub(crate) struct Device {
    tasks: Vec<Task>,
    /// Events by (tick, order in which they were found out).
    due: BTreeMap<(u64, u64), Due>,
    serial: u64,
    running: BTreeMap<LaunchId, Running>,
    over: BTreeSet<LaunchId>,
    ready: BTreeSet<LaunchId>,
    /// True if hosts announce launches before they are ready.
    ahead: bool,
}

impl Device {
    pub(crate) fn new(tasks: Vec<Task>, joins: &[(u64, u32)], ahead: bool) -> Self {
        let mut device = Self {
            due: BTreeMap::new(),
            serial: 0,
            running: BTreeMap::new(),
            over: BTreeSet::new(),
            ready: BTreeSet::new(),
            ahead,
            tasks: Vec::new(),
        };
        for (id, &(at, share)) in (0..).zip(joins) {
            device.at(at, Due::Joined(ProcessId(id), share));
        }
        for (position, task) in tasks.iter().enumerate() {
            device.at(task.issued, Due::Issued(position));
        }
        Self { tasks, ..device }
    }

    fn at(&mut self, tick: u64, due: Due) {
        self.serial += 1;
        self.due.insert((tick, self.serial), due);
    }

    /// Runs the device until nothing more happens, or for a bounded number of decisions.
    pub(crate) fn run(mut self, dispatcher: &mut Composed) {
        let mut actions = Actions::default();
        // Turns that are shorter than their preemptions never end.
        for _ in 0..3000 {
            let Some(&(now, _)) = self.due.keys().next() else { return };
            while let Some(entry) = self.due.first_entry().filter(|it| it.key().0 == now) {
                let due = entry.remove();
                self.happens(due, now, dispatcher);
            }
            actions.clear();
            dispatcher.decide(Tick(now), &mut actions).expect("it keeps its laws");
            for action in &actions.list {
                self.carry_out(action, &actions, now);
            }
        }
    }

    fn launch(&self, id: LaunchId) -> &Task {
        self.tasks.iter().find(|task| task.launch.id == id).expect("it was issued")
    }

    fn happens(&mut self, due: Due, now: u64, dispatcher: &mut Composed) {
        let mut tell = |event: &Event<'_>| {
            dispatcher.event(event, Tick(now)).expect("it is as it was told");
        };
        match due {
            Due::Joined(process, share) => tell(&Event::ProcessJoined { process, share }),
            Due::Issued(position) => {
                let Task { launch, takes, after, .. } = self.tasks[position];
                let waits = after.is_some_and(|after| !self.over.contains(&after));
                if launch.is_copy() && self.ahead {
                    let (copy, lasts) = (launch.id, Ticks(takes));
                    let Launch { process, stream, level, .. } = launch;
                    tell(&Event::CopyIssued { copy, process, stream, level, lasts });
                } else if waits && self.ahead {
                    tell(&Event::LaunchIssued { launch });
                }
                if !waits {
                    self.happens(Due::Ready(position), now, dispatcher);
                }
            }
            Due::Ready(position) => {
                let launch = self.tasks[position].launch;
                if self.ready.insert(launch.id) {
                    match (launch.is_copy(), self.ahead) {
                        (true, true) => tell(&Event::CopyReady { copy: launch.id }),
                        (true, false) => self.ends(launch.id, now),
                        _ => tell(&Event::LaunchReady { launch }),
                    }
                }
            }
            Due::Ended(id, serial) => {
                let waves = self.launch(id).launch.demand.waves;
                let whole = self.launch(id).launch.workgroups * u64::from(waves);
                let Some(running) = self.running.get_mut(&id) else { return };
                let Some(front) = running.fronts.remove(&serial) else { return };
                let (_, each) = front.waves.bounds(waves);
                let groups: u64 = front.pieces.iter().map(|it| u64::from(it.count)).sum();
                running.ended += groups * u64::from(each);
                let over = running.ended == whole;
                tell(&Event::WavesEnded { launch: id, waves: front.waves, pieces: &front.pieces });
                if over {
                    self.ends(id, now);
                } else {
                    self.drained(id, now);
                }
            }
            Due::CopyEnded(copy) => {
                tell(&Event::CopyEnded { copy });
                self.ends(copy, now);
            }
            Due::Off(launch, how) => tell(&Event::TakenOff { launch, how, done: 0 }),
            Due::Restored(id) => {
                let saved = std::mem::take(&mut self.running.entry(id).or_default().saved);
                for front in saved {
                    let ends = now + front.ends;
                    self.front(id, Front { ends, ..front });
                }
                tell(&Event::Restored { launch: id });
            }
            Due::Raised(process) => tell(&Event::Raised { process }),
            Due::ResetOver(process) => tell(&Event::ResetOver { process }),
            Due::Woke => tell(&Event::Woke),
        }
    }

    fn front(&mut self, id: LaunchId, front: Front) {
        let (ends, serial) = (front.ends, self.serial + 1);
        self.running.entry(id).or_default().fronts.insert(serial, front);
        self.at(ends, Due::Ended(id, serial));
    }

    /// Records that a launch has ended or was refused, so that the tasks that wait for it are
    /// ready.
    fn ends(&mut self, id: LaunchId, now: u64) {
        self.over.insert(id);
        self.running.remove(&id);
        for position in 0..self.tasks.len() {
            let task = &self.tasks[position];
            if task.after == Some(id) && task.issued <= now {
                self.at(now, Due::Ready(position));
            }
        }
    }

    /// Reports to the dispatcher that a launch which drains has left the device, once none of it
    /// runs.
    fn drained(&mut self, id: LaunchId, now: u64) {
        let Some(running) = self.running.get_mut(&id) else { return };
        if running.drains && running.fronts.is_empty() && running.bound.is_empty() {
            running.drains = false;
            self.at(now, Due::Off(id, Preemption::Drain));
        }
    }

    fn carry_out(&mut self, action: &Action, actions: &Actions, now: u64) {
        match action {
            Action::Start { launch: id, waves, pieces, .. } => {
                let task = self.launch(*id);
                let (ends, whole) = (now + task.takes.max(1), task.launch.demand.waves);
                let pieces = actions.pieces(pieces).to_vec();
                let (first, count) = waves.bounds(whole);
                let running = self.running.entry(*id).or_default();
                let by_name = matches!(waves, WaveSpan::Range { .. });
                for group in pieces.iter().filter(|it| it.count == 1).map(|it| it.first) {
                    let left = whole - (first + count).min(whole);
                    match running.bound.get_mut(&group) {
                        _ if left == 0 => drop(running.bound.remove(&group)),
                        Some(bound) => *bound = left,
                        None if by_name => drop(running.bound.insert(group, left)),
                        None => {}
                    }
                }
                self.front(*id, Front { waves: *waves, pieces, ends });
            }
            Action::Assign { launch, workgroup, .. } => {
                let waves = self.launch(*launch).launch.demand.waves;
                self.running.entry(*launch).or_default().bound.insert(*workgroup, waves);
            }
            Action::StartCopy { copy } => {
                let takes = self.launch(*copy).takes;
                self.at(now + takes, Due::CopyEnded(*copy));
            }
            Action::TakeOff { launch, how } => self.take_off(*launch, *how, now),
            Action::Restore { launch } => self.at(now + 30, Due::Restored(*launch)),
            Action::Raise { process, .. } => self.at(now + 40, Due::Raised(*process)),
            Action::Reset { process } => self.at(now + 70, Due::ResetOver(*process)),
            Action::Refuse { refusal } => self.ends(refusal.launch, now),
            Action::WakeAt(at) => self.at(at.0, Due::Woke),
            _ => {}
        }
    }

    fn take_off(&mut self, id: LaunchId, how: Preemption, now: u64) {
        match how {
            Preemption::Reset => {
                self.running.remove(&id);
                self.at(now + 70, Due::Off(id, how));
            }
            Preemption::Switch => {
                let running = self.running.entry(id).or_default();
                let fronts = std::mem::take(&mut running.fronts).into_values();
                let left = |front: Front| Front { ends: front.ends.saturating_sub(now), ..front };
                running.saved.extend(fronts.map(left));
                // Workgroups that have not started are placed anew; the others go on where they
                // were.
                let task = self.tasks.iter().find(|task| task.launch.id == id);
                let whole = task.map_or(0, |task| task.launch.demand.waves);
                running.bound.retain(|_, left| *left < whole);
                self.at(now + 30, Due::Off(id, how));
            }
            Preemption::Drain => {
                self.running.entry(id).or_default().drains = true;
                self.drained(id, now);
            }
            _ => self.at(now + 5, Due::Off(id, how)),
        }
    }
}
