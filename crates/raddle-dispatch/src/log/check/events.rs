//! Which state of the checker of decision logs does an event change, and which rule may it break?

use raddle_policy::{Barrier, Demand, Launch, LaunchId, Preemption, ProcessId, StreamId};
use raddle_preempt::ResetScope;

use super::checker::{Checker, Pieces};
use super::fault::LogRule;
use super::seen::{InOrder, SeenFlag, SeenLaunch, SeenProcess, SeenStage};
use crate::line::LoggedEvent;

impl Checker {
    pub(super) fn hear<P: Pieces>(&mut self, event: &LoggedEvent<P>) {
        match *event {
            LoggedEvent::ProcessJoined { process, .. } => {
                self.processes.insert(process, SeenProcess::default());
            }
            LoggedEvent::ProcessLeft { process } => self.left(process),
            // Without a window the dispatcher knows nothing of copies, or of launches that are not
            // ready.
            LoggedEvent::LaunchIssued { .. }
            | LoggedEvent::CopyIssued { .. }
            | LoggedEvent::CopyReady { .. }
            | LoggedEvent::CopyEnded { .. }
                if !self.ahead => {}
            LoggedEvent::LaunchIssued { ref launch } => self.known(launch, false),
            LoggedEvent::LaunchReady { ref launch } => self.known(launch, true),
            LoggedEvent::CopyIssued { copy, process, stream, .. } => {
                self.copy_issued(copy, process, stream);
            }
            LoggedEvent::CopyReady { copy } => {
                if let Some(copy) = self.launches.get_mut(copy) {
                    copy.ready = true;
                }
            }
            LoggedEvent::CopyEnded { copy } => {
                if !self.launches.get(copy).is_some_and(|copy| copy.begun) {
                    self.fault(LogRule::ONCE, || format!("copy {copy} ends, which has not begun"));
                }
                self.forget(copy);
            }
            LoggedEvent::WavesEnded { launch, waves, cut, ref pieces } => {
                let count = waves.or(cut).map(|(_, count)| u64::from(count));
                self.ended(launch, count, pieces);
            }
            LoggedEvent::TakenOff { launch, how, .. } => self.taken_off(launch, how),
            LoggedEvent::Restored { launch } => self.restored(launch),
            LoggedEvent::Raised { process } => {
                let flag = self.processes.entry(process).or_default();
                if std::mem::replace(&mut flag.flag, SeenFlag::Visible) != SeenFlag::Raised {
                    self.fault(LogRule::FLAG, || {
                        format!("the flag of {process} is seen, which was not raised")
                    });
                }
            }
            LoggedEvent::ResetOver { process } => {
                self.processes.entry(process).or_default().resetting = false;
                if self.scope == ResetScope::Queue {
                    // Other streams of the process must be able to end their begun work there.
                    self.closed.retain(|_, whose| *whose != process);
                }
            }
            LoggedEvent::Submitted { launch } => {
                if let Some(launch) = self.launches.get_mut(launch) {
                    launch.called = false;
                }
            }
            LoggedEvent::NotSubmitted { launch } => self.not_submitted(launch),
            LoggedEvent::Judged { launch, idempotent } => {
                if let Some(launch) = self.launches.get_mut(launch) {
                    launch.idempotent = idempotent;
                }
            }
            LoggedEvent::Reached { process, launch } => self.reached(process, launch),
            LoggedEvent::Hint { .. } | LoggedEvent::Woke {} | LoggedEvent::Unknown => {}
        }
    }

    fn copy_issued(&mut self, id: LaunchId, process: ProcessId, stream: StreamId) {
        let copy = Launch::new(id, process, 0, Demand::default()).with_stream(stream);
        self.issued(&copy, false);
    }

    fn left(&mut self, process: ProcessId) {
        for id in self.launches.ids() {
            if self.launches.get(id).is_none_or(|launch| launch.process != process) {
                continue;
            }
            self.fault(LogRule::LOST, || {
                format!("{process} leaves, and {id} has neither ended nor been refused")
            });
            self.forget(id);
        }
        self.processes.remove(&process);
    }

    /// Records a launch that was issued, or that is ready if `ready` is true. A launch that can
    /// never run is not put into a buffer, as it will be refused when it is ready.
    fn known(&mut self, launch: &Launch, ready: bool) {
        if let Some(known) = self.launches.get_mut(launch.id) {
            known.ready |= ready;
            return;
        }
        let mut least = *launch;
        if self.cuts && launch.barrier == Barrier::No {
            least.demand.waves = launch.demand.waves.min(1);
        }
        if self.empty.never(&least).is_none() || self.gone.contains(launch.id) {
            self.issued(launch, ready);
        }
    }

    /// Records a launch or copy that the decision log names for the first time, and puts it into
    /// the buffer in which work of its stream waits to be submitted; `ready` is true if it waits
    /// for no other work.
    fn issued(&mut self, launch: &Launch, ready: bool) {
        if self.gone.contains(launch.id) || self.launches.contains(launch.id) {
            return self.fault(LogRule::ONCE, || format!("{} comes a second time", launch.id));
        }
        let order = self.orders;
        self.orders += 1;
        let new = self.buffers.len();
        let buffer = *self.streams.entry((launch.process, launch.stream)).or_insert(new);
        if buffer == new {
            self.buffers.push(InOrder::default());
        }
        self.buffers[buffer].insert(order, launch.id);
        self.launches.insert(launch.id, SeenLaunch::new(launch, buffer, order, ready));
    }

    fn ended<P: Pieces>(&mut self, id: LaunchId, count: Option<u64>, pieces: &P) {
        let Some(launch) = self.launches.get_mut(id) else {
            return self.fault(LogRule::ONCE, || format!("waves of {id} end, which is not there"));
        };
        let each = count.unwrap_or(launch.waves);
        let mut strange = false;
        for piece in pieces.each() {
            let waves = each.saturating_mul(piece.count.into());
            let left = launch.units.get(&piece.cu).and_then(|there| there.checked_sub(waves));
            match left {
                Some(0) => drop(launch.units.remove(&piece.cu)),
                Some(left) => drop(launch.units.insert(piece.cu, left)),
                None => strange = true,
            }
            launch.ended = launch.ended.saturating_add(waves);
        }
        let over = launch.ended >= launch.whole;
        if strange {
            self.fault(LogRule::ONCE, || {
                format!("more waves of {id} end on a compute unit than started there")
            });
        }
        if over {
            self.forget(id);
        }
    }

    /// Removes a launch that has ended or was refused from the state of the checker of decision
    /// logs.
    pub(super) fn forget(&mut self, id: LaunchId) {
        self.gone.insert(id);
        let Some(launch) = self.launches.remove(id) else { return };
        let order = launch.order;
        self.buffers[launch.buffer].remove(launch.order);
        if let Some(process) = self.processes.get_mut(&launch.process) {
            process.runtime.remove(order);
        }
    }

    fn not_submitted(&mut self, id: LaunchId) {
        let Some(launch) = self.launches.get_mut(id).filter(|launch| launch.called) else {
            return self.fault(LogRule::ONCE, || format!("{id} comes back, and nobody submits it"));
        };
        let order = launch.order;
        (launch.stage, launch.called) = (SeenStage::Buffered, false);
        self.buffers[launch.buffer].insert(launch.order, id);
        if let Some(process) = self.processes.get_mut(&launch.process) {
            process.runtime.remove(order);
        }
    }

    fn taken_off(&mut self, id: LaunchId, how: Preemption) {
        let asked = |launch: &&mut SeenLaunch| launch.stage == SeenStage::Leaving(how);
        let Some(launch) = self.launches.get_mut(id).filter(asked) else {
            let rule = match how {
                Preemption::Flag => LogRule::FLAG,
                Preemption::Reset => LogRule::STOPPED,
                _ => LogRule::PAUSE,
            };
            return self.fault(rule, || format!("{id} is off, and nobody took it off so"));
        };
        let (process, order) = (launch.process, launch.order);
        launch.stage = SeenStage::Held;
        if how.empties() {
            launch.stage = SeenStage::Buffered;
            (launch.started, launch.ended, launch.begun) = (0, 0, false);
            launch.kills += u32::from(how.begins_again());
            launch.units.clear();
            if let Some(process) = self.processes.get_mut(&process) {
                process.runtime.remove(order);
            }
        }
    }

    fn restored(&mut self, id: LaunchId) {
        let returning = |launch: &&mut SeenLaunch| launch.stage == SeenStage::Returning;
        match self.launches.get_mut(id).filter(returning) {
            Some(launch) => {
                let process = self.processes.get(&launch.process);
                let leaves = process.and_then(|it| it.preemption).is_some_and(|it| it.holds);
                launch.stage = if leaves { SeenStage::Staying } else { SeenStage::Submitted };
            }
            None => self.fault(LogRule::ONCE, || format!("{id} is back, which was not off")),
        }
    }

    fn reached(&mut self, process: ProcessId, id: LaunchId) {
        let Some(order) = self.launches.get(id).map(|launch| launch.order) else { return };
        let own = self.streams.iter().filter(|((owner, _), _)| *owner == process);
        let buffers = own.map(|(_, &buffer)| &self.buffers[buffer]);
        let submitted = self.processes.get(&process).map(|process| &process.runtime);
        let mut first = buffers.chain(submitted).filter_map(InOrder::first);
        if first.any(|first| first <= order) {
            self.fault(LogRule::REACHED, || {
                format!("the host of {process} is told that {id} was reached, and it has not ended")
            });
        }
    }
}
