//! Does a host learn from the actions which launches a raised flag holds?
//!
//! A host writes the cuts of [`Action::Raise`] where launches read them, and gives each launch the
//! number of its submission. Then exactly the launches that the dispatcher expects leave.

use std::collections::{BTreeMap, BTreeSet};

use raddle_dispatch::{DispatchError, Dispatcher, PreemptionTally, Standstill, TurnTally};
use raddle_policy::{
    Action, Actions, CuId, Event, FlagCut, Free, FreeRun, LaunchId, Preemption, ProcessId,
    StreamId, Tick, WaitTally,
};

/// The preemption flags of one process, as its host knows them from the actions.
#[derive(Debug, Default)]
struct Flags {
    cuts: BTreeMap<StreamId, FlagCut>,
    /// True if every launch that starts sees the raised flags.
    visible: bool,
    /// The number of the last submission of the process; `None` before the first.
    last: Option<u64>,
}

/// A dispatcher whose actions are compared with what a host can know of the flags.
#[derive(Debug)]
pub(super) struct Flagged<D> {
    inner: D,
    processes: BTreeMap<ProcessId, Flags>,
    streams: BTreeMap<LaunchId, (ProcessId, StreamId)>,
    numbers: BTreeMap<LaunchId, u64>,
    begun: BTreeSet<LaunchId>,
    /// The first action that a host could not have carried out; `None` if there was none.
    pub(super) wrong: Option<String>,
}

impl<D> Flagged<D> {
    pub(super) fn new(inner: D) -> Self {
        Self {
            inner,
            processes: BTreeMap::new(),
            streams: BTreeMap::new(),
            numbers: BTreeMap::new(),
            begun: BTreeSet::new(),
            wrong: None,
        }
    }

    fn holds(&self, launch: LaunchId) -> bool {
        let Some((process, stream)) = self.streams.get(&launch) else { return false };
        let cut = self.processes.get(process).and_then(|flags| flags.cuts.get(stream));
        cut.is_some_and(|cut| self.numbers.get(&launch).is_some_and(|&it| cut.holds(it)))
    }

    fn see(&mut self, action: &Action, all: &Actions) -> Option<&'static str> {
        match action {
            Action::Submit { launch, sequence, .. } => {
                let (process, _) = *self.streams.get(launch)?;
                let flags = self.processes.entry(process).or_default();
                let grows = flags.last.is_none_or(|last| last < *sequence);
                flags.last = Some(*sequence);
                self.numbers.insert(*launch, *sequence);
                self.begun.remove(launch);
                (!grows).then_some("the number of a submission is used twice")
            }
            Action::Raise { process, cuts } => {
                let flags = self.processes.entry(*process).or_default();
                flags.cuts = all.cuts(cuts).iter().copied().collect();
                flags.visible = false;
                None
            }
            Action::Lower { process } => {
                let flags = self.processes.entry(*process).or_default();
                (flags.cuts, flags.visible) = (BTreeMap::new(), false);
                None
            }
            Action::TakeOff { launch, how: Preemption::Flag } => {
                (!self.holds(*launch)).then_some("a launch leaves that no flag holds")
            }
            // A launch reads the flag once, when it begins (A6); one that is bound to a unit has begun.
            Action::Start { launch, .. } | Action::Assign { launch, .. }
                if self.begun.insert(*launch) =>
            {
                let (process, _) = self.streams.get(launch)?;
                let visible = self.processes.get(process).is_some_and(|flags| flags.visible);
                (visible && self.holds(*launch)).then_some("a launch begins that a flag holds")
            }
            _ => None,
        }
    }
}

impl<D: Dispatcher> Dispatcher for Flagged<D> {
    fn looks_ahead(&self) -> bool {
        self.inner.looks_ahead()
    }

    fn event(&mut self, event: &Event<'_>, now: Tick) -> Result<(), DispatchError> {
        match *event {
            Event::LaunchReady { launch } | Event::LaunchIssued { launch } => {
                self.streams.insert(launch.id, (launch.process, launch.stream));
            }
            Event::CopyIssued { copy, process, stream, .. } => {
                self.streams.insert(copy, (process, stream));
            }
            Event::Raised { process } => {
                self.processes.entry(process).or_default().visible = true;
            }
            _ => {}
        }
        self.inner.event(event, now)
    }

    fn decide(&mut self, now: Tick, actions: &mut Actions) -> Result<(), DispatchError> {
        self.inner.decide(now, actions)?;
        for action in &actions.list {
            let wrong = self.see(action, actions).map(|why| format!("{why}: {action:?} at {now}"));
            self.wrong = self.wrong.take().or(wrong);
        }
        Ok(())
    }

    fn free(&self, cu: CuId) -> Option<Free> {
        self.inner.free(cu)
    }

    fn alike(&self, cu: CuId) -> u16 {
        self.inner.alike(cu)
    }

    fn most_units(&self, process: ProcessId, all: u16) -> Option<u16> {
        self.inner.most_units(process, all)
    }

    fn free_runs(&self, cu: CuId) -> Option<[FreeRun; 3]> {
        self.inner.free_runs(cu)
    }

    fn waits(&self) -> &[WaitTally] {
        self.inner.waits()
    }

    fn turns(&self) -> TurnTally {
        self.inner.turns()
    }

    fn preemptions(&self) -> PreemptionTally {
        self.inner.preemptions()
    }

    fn replaced(&self) -> &[String] {
        self.inner.replaced()
    }

    fn standstill(&self) -> Option<Standstill> {
        self.inner.standstill()
    }

    fn finish(&mut self) -> Result<(), DispatchError> {
        self.inner.finish()
    }
}
