//! How does the layer carry out the commands of the controller of a device?

use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

use raddle_kernel::instrument::{LEAVES, UNDECIDED};
use raddle_live::{PROCESS, Reporter};
use raddle_policy::{Idempotence, ProcessId, StreamId};
use raddle_preempt::{Declared, FlagCut, LaunchHandle, Report, Runtime, SubmitCall};

use crate::ending::pass;
use crate::words::{Cut, WORDS, Words, number};

use super::{LaneTask, LaneWork, QueueLane};

/// OpenCL runtime of one device, in the form that the client's controller uses: carries out the
/// controller's tasks by calls of OpenCL.
pub(crate) struct Launcher {
    declared: Declared,
    reporter: Reporter<Arc<LaneWork>>,
    /// Last launch that was submitted in each slot, as (handle, queue); `None` for a slot that was
    /// not used yet. There is a slot for each launch that may be in the runtime at a time.
    flying: Vec<Option<(LaunchHandle, Weak<QueueLane>)>>,
    /// Lanes (queues that the layer schedules) whose shared memory tells some launches to leave or
    /// that they are killed.
    raised: Vec<Weak<QueueLane>>,
}

impl Launcher {
    pub(crate) const fn new(declared: Declared, reporter: Reporter<Arc<LaneWork>>) -> Self {
        Self { declared, reporter, flying: Vec::new(), raised: Vec::new() }
    }

    fn lanes(&self) -> impl Iterator<Item = (LaunchHandle, Arc<QueueLane>)> {
        let flying = self.flying.iter().flatten();
        flying.filter_map(|(handle, lane)| Some((*handle, lane.upgrade()?)))
    }

    /// Tells the launches `hit` through the shared memory of their queues that they are to leave,
    /// or are killed. In each queue this is a range, from the first to the last of these launches.
    fn cut(&mut self, cut: Cut, hit: &[LaunchHandle]) {
        let mut cuts: Vec<(Arc<QueueLane>, u64, u64)> = Vec::new();
        for (handle, lane) in self.lanes().filter(|(handle, _)| hit.contains(handle)) {
            let at = handle.sequence();
            match cuts.iter_mut().find(|(other, ..)| other.stream == lane.stream) {
                Some((_, from, to)) => (*from, *to) = ((*from).min(at), (*to).max(at)),
                None => cuts.push((lane, at, at)),
            }
        }
        for (lane, from, to) in cuts {
            if let Some(words) = &lane.words {
                words.raise(cut, number(from), number(to - from + 1));
                self.raised.push(Arc::downgrade(&lane));
            }
        }
    }
}

impl Runtime<Arc<LaneWork>> for Launcher {
    fn declared(&self) -> Declared {
        self.declared
    }

    fn verdict(&mut self, work: &Arc<LaneWork>) -> Option<Idempotence> {
        match &work.task {
            LaneTask::Launch(launch) => Some(launch.verdict()),
            LaneTask::InOrder(_) => None,
        }
    }

    fn submit(&mut self, handle: LaunchHandle, _: StreamId, work: Arc<LaneWork>) -> SubmitCall {
        let _pass = pass();
        match &work.task {
            LaneTask::InOrder(in_order) => in_order.open(handle, &work, &self.reporter),
            LaneTask::Launch(launch) => {
                let slot = handle.slot() as usize;
                if slot >= WORDS {
                    return SubmitCall::NotNow;
                }
                if self.flying.len() <= slot {
                    self.flying.resize(slot + 1, None);
                }
                self.flying[slot] = Some((handle, Arc::downgrade(&work.command.lane)));
                launch.submit(handle, &work, &self.reporter)
            }
        }
    }

    fn raise(&mut self, _: ProcessId, cuts: &[(StreamId, FlagCut)]) {
        let _pass = pass();
        let leaves = |handle: &LaunchHandle, lane: &QueueLane| {
            let cut = cuts.iter().find(|(stream, _)| *stream == lane.stream);
            cut.is_some_and(|(_, cut)| cut.holds(handle.sequence()))
        };
        let hit: Vec<LaunchHandle> =
            self.lanes().filter(|(handle, lane)| leaves(handle, lane)).map(|it| it.0).collect();
        self.cut(Cut::Leave, &hit);
        // A launch that has not begun and is claimed leaves for certain, so a kill need not ask
        // whether it may be run again.
        for (handle, lane) in self.lanes().filter(|(handle, _)| hit.contains(handle)) {
            let word = lane.words.as_ref().map(|words: &Words| words.word(handle.slot()));
            let (before, after) = (Ordering::AcqRel, Ordering::Acquire);
            let claim = |word: &std::sync::atomic::AtomicU32| {
                word.compare_exchange(UNDECIDED, LEAVES, before, after).is_ok()
            };
            if word.is_some_and(claim) {
                let _ = self.reporter.report(Report::Claimed(handle));
            }
        }
        let _ = self.reporter.report(Report::Raised(PROCESS));
    }

    fn lower(&mut self, _: ProcessId) {
        let _pass = pass();
        for lane in self.raised.drain(..).filter_map(|lane| lane.upgrade()) {
            if let Some(words) = &lane.words {
                words.lower();
            }
        }
    }

    fn reset(&mut self, _: ProcessId, hit: &[LaunchHandle]) {
        let _pass = pass();
        self.cut(Cut::Kill, hit);
        let _ = self.reporter.report(Report::Drained(PROCESS));
    }
}
