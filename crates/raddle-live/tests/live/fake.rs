//! A runtime with a card: streams side by side, each in order, one launch of a stream at a time. What it
//! has to report is told later, in any order. It writes down what would have been wrong.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use raddle_policy::{Idempotence, Preemption, ProcessId, StreamId};
use raddle_preempt::{
    Abilities, Declared, FlagCut, LaunchHandle, Report, ResetScope, Runtime, SubmitCall,
};

use super::{Arc, Mutex, PROCESS, Reporter};

/// Launch of the test's program, with its number in its stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Job {
    pub(crate) number: u32,
    pub(crate) stream: u32,
    pub(crate) verdict: Idempotence,
}

/// Source of numbers that look random; a seed always gives the same numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// Returns a number from 0 to `most` that looks random.
    pub(crate) fn to(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % (most + 1)
    }
}

/// Decision whether a launch on the card (the simulated device) runs, or leaves by the preemption
/// flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Word {
    Undecided,
    Runs,
    Leaves,
}

#[derive(Debug)]
struct OnCard {
    handle: LaunchHandle,
    job: Job,
    word: Word,
}

/// Counts of the faults that a card (the simulated device) saw; all are 0 if the client is right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Faults {
    pub(crate) order: u64,
    pub(crate) doubled: u64,
    pub(crate) window: u64,
    pub(crate) wrongly_killed: u64,
    /// Number of reports that the client's controller refused.
    pub(crate) refused: u64,
    pub(crate) lost: u64,
}

#[derive(Debug)]
pub(crate) struct Card {
    random: Random,
    lanes: BTreeMap<u32, VecDeque<OnCard>>,
    cuts: Vec<(StreamId, FlagCut)>,
    hit: BTreeSet<LaunchHandle>,
    /// Reports to the client that the card (the simulated device) still has to make.
    late: Vec<Report>,
    /// Launches that were submitted and whose end is not reported.
    unreported: BTreeSet<LaunchHandle>,
    window: usize,
    /// Number of the last finished job, by stream.
    done: BTreeMap<u32, u32>,
    pub(crate) count: u64,
    pub(crate) exits: u64,
    pub(crate) kills: u64,
    pub(crate) faults: Faults,
}

impl Card {
    pub(crate) fn new(window: usize, seed: u64) -> Self {
        Self {
            random: Random(seed),
            lanes: BTreeMap::new(),
            cuts: Vec::new(),
            hit: BTreeSet::new(),
            late: Vec::new(),
            unreported: BTreeSet::new(),
            window,
            done: BTreeMap::new(),
            count: 0,
            exits: 0,
            kills: 0,
            faults: Faults::default(),
        }
    }

    fn take(&mut self, handle: LaunchHandle, job: Job) {
        self.lanes.entry(job.stream).or_default().push_back(OnCard {
            handle,
            job,
            word: Word::Undecided,
        });
        self.unreported.insert(handle);
        self.faults.window += u64::from(self.unreported.len() > self.window);
    }

    /// Lets something happen on the card (the simulated device), or returns a report to be made;
    /// `None` where there is neither. `Some(None)` is a step without a report.
    pub(crate) fn step(&mut self) -> Option<Option<Report>> {
        let busy = self.lanes.values().filter(|lane| !lane.is_empty()).count() as u64;
        if busy == 0 && self.late.is_empty() {
            return None;
        }
        let told = self.random.to(busy + self.late.len() as u64 - 1);
        match usize::try_from(told.wrapping_sub(busy)) {
            Ok(at) if told >= busy => {
                let report = self.late.swap_remove(at);
                if let Report::Finished(it) | Report::Exited(it) | Report::Killed(it) = report {
                    self.unreported.remove(&it);
                }
                return Some(Some(report));
            }
            _ => {}
        }
        let mut lanes = self.lanes.values_mut().filter(|lane| !lane.is_empty());
        let lane = lanes.nth(told as usize).expect("it was counted");
        let first = lane.front_mut().expect("it is not empty");
        let stream = StreamId(first.job.stream);
        let sequence = first.handle.sequence();
        let leaves = self.cuts.iter().any(|(of, cut)| *of == stream && cut.holds(sequence));
        match first.word {
            Word::Undecided if leaves => first.word = Word::Leaves,
            Word::Undecided => {
                first.word = Word::Runs;
                // The report of a start is often left out, as a callback of OpenCL is.
                if self.random.to(3) == 0 {
                    self.late.push(Report::Started(first.handle));
                }
            }
            Word::Leaves => {
                let gone = lane.pop_front().expect("it is not empty");
                self.exits += 1;
                self.end(gone.handle, Report::Exited(gone.handle));
            }
            // A launch takes its time.
            Word::Runs if self.random.to(7) > 0 => {}
            Word::Runs => {
                let gone = lane.pop_front().expect("it is not empty");
                if self.hit.contains(&gone.handle) && self.random.to(3) > 0 {
                    self.kills += 1;
                    let may = gone.job.verdict.may_be_killed();
                    self.faults.wrongly_killed += u64::from(!may);
                    self.end(gone.handle, Report::Killed(gone.handle));
                } else {
                    self.finish(gone);
                }
            }
        }
        Some(None)
    }

    /// Adds the report of the end of a launch, and drops that of its start, which must not come
    /// later.
    fn end(&mut self, handle: LaunchHandle, report: Report) {
        self.late.retain(|late| *late != Report::Started(handle));
        self.late.push(report);
    }

    fn finish(&mut self, gone: OnCard) {
        let Job { number, stream, .. } = gone.job;
        let before = self.done.insert(stream, number);
        self.faults.doubled += u64::from(before == Some(number));
        self.faults.order += u64::from(before.is_some_and(|before| before > number));
        self.count += 1;
        self.end(gone.handle, Report::Finished(gone.handle));
    }
}

/// Runtime of the test, which submits launches to a card (the simulated device).
pub(crate) struct Fake {
    pub(crate) card: Arc<Mutex<Card>>,
    pub(crate) reporter: Reporter<Job>,
    /// True if launches are claimed (kept from beginning) when the preemption flag goes up.
    pub(crate) claims: bool,
}

pub(crate) fn declared() -> Declared {
    let abilities = Abilities::NONE.with(Preemption::Flag, true).with(Preemption::Reset, true);
    Declared { abilities, latched: true, withdraws: false, scope: ResetScope::Queue }
}

impl Runtime<Job> for Fake {
    fn declared(&self) -> Declared {
        declared()
    }

    fn submit(&mut self, handle: LaunchHandle, _stream: StreamId, job: Job) -> SubmitCall {
        let mut card = self.card.lock().unwrap();
        if card.random.to(15) == 0 {
            return SubmitCall::NotNow;
        }
        card.take(handle, job);
        SubmitCall::Returned
    }

    fn raise(&mut self, process: ProcessId, cuts: &[(StreamId, FlagCut)]) {
        assert_eq!(process, PROCESS);
        let mut card = self.card.lock().unwrap();
        card.cuts = cuts.to_vec();
        let mut claimed = Vec::new();
        for (stream, cut) in cuts.iter().filter(|_| self.claims) {
            let lane = card.lanes.entry(stream.0).or_default();
            for it in lane.iter_mut().filter(|it| cut.holds(it.handle.sequence())) {
                if it.word == Word::Undecided {
                    it.word = Word::Leaves;
                    claimed.push(it.handle);
                }
            }
        }
        drop(card);
        for handle in claimed {
            // Refused where it was heard before that the launch has left.
            let _ = self.reporter.report(Report::Claimed(handle));
        }
        // Behind the claims: from then on it is decided whether there is a reset.
        self.card.lock().unwrap().late.push(Report::Raised(process));
    }

    fn lower(&mut self, _process: ProcessId) {
        self.card.lock().unwrap().cuts.clear();
    }

    fn reset(&mut self, process: ProcessId, hit: &[LaunchHandle]) {
        let mut card = self.card.lock().unwrap();
        card.hit = hit.iter().copied().collect();
        card.late.push(Report::Drained(process));
    }
}
