//! How do the records of an importer become a profile: order, arrivals, dependencies?
//!
//! An op waits for the last op of its stream, in order of start, that had ended when it started,
//! give or take the resolution of the clock. Ops are visited by rising start, so an op that has
//! ended stays ended: one heap of ends for each stream finds all waits in O(n log n).

pub(crate) mod waits;

use std::borrow::Borrow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use raddle_policy::Activity;

use crate::assumed_activity;
use crate::between::between_repetitions;
use crate::format::ProfileFormat;
use crate::profile::{Op, OpKind, Profile, SourceDevice, StreamLabel};
use crate::provenance::{Field, Origin};
use crate::report::{ImportReport, Quirk};
use crate::work::{DraftWorks, OpWork};
use waits::DraftWait;

/// Largest number of ops (kernels, copies and fills) that one import accepts.
pub(crate) const OP_LIMIT: usize = 1 << 24;

/// The records that an importer has collected from a profiler's file, in the order of the file,
/// with times on the clock of the recording.
///
/// Some values of ops are filled in later: a time of issue (`arrival_ns`) whose [`Origin`] is
/// `Assumed`, a duration of 0, and an unknown activity.
#[derive(Debug)]
pub(crate) struct Draft {
    pub(crate) ops: Vec<Op>,
    pub(crate) kernels: Vec<String>,
    pub(crate) streams: Vec<StreamLabel>,
    pub(crate) device: Option<SourceDevice>,
    /// Time in nanoseconds that the host takes between two repetitions of the profile's work;
    /// `None` where the file does not give it.
    pub(crate) between_ns: Option<u64>,
    /// Largest amount of device memory that the recorded program held at once, in bytes; `None`
    /// where the file does not give it.
    pub(crate) memory_bytes: Option<u64>,
    pub(crate) resolution_ns: u64,
    /// Calls in which the host waited, and commands by which one stream waits for another.
    pub(crate) waits: Vec<DraftWait>,
    /// Bytes moved and arithmetic done by the ops, where the shapes of tensors are known.
    pub(crate) works: DraftWorks,
    pub(crate) report: ImportReport,
}

/// Builds the profile from the records that an importer has collected: sorts the ops, and finds
/// arrivals, dependencies and waits.
pub(crate) fn assemble(name: String, format: ProfileFormat, draft: Draft) -> Profile {
    let Draft { mut ops, kernels, streams, device, waits, mut report, .. } = draft;
    let Draft { between_ns, memory_bytes, resolution_ns, mut works, .. } = draft;
    sort_by_start(&mut ops, &mut works, &mut report);
    let first = |op: &Op| match op.provenance.of(Field::Arrival) {
        Origin::Assumed => op.start_ns,
        _ => op.start_ns.min(op.arrival_ns),
    };
    let zero = ops.iter().map(first).min().unwrap_or(0);
    let activities: Vec<Activity> = kernels.iter().map(|name| assumed_activity(name).1).collect();
    let (mut names, mut lanes) = (Renumber::new(kernels.len()), Renumber::new(streams.len()));
    for op in &mut ops {
        keep(&mut report, op.kind);
        if op.kind == OpKind::Kernel && op.activity.is_unknown() {
            op.activity = activities.get(op.kernel as usize).copied().unwrap_or_default();
            op.assume(Field::Activity);
        }
        if op.duration_ns == 0 {
            report.note(Quirk::ZeroDuration);
            op.duration_ns = (resolution_ns / 2).max(1);
            op.assume(Field::Duration);
        }
        if op.provenance.of(Field::Arrival) != Origin::Assumed {
            report.add(Quirk::ClockSkew, u64::from(op.arrival_ns > op.start_ns));
            op.arrival_ns = op.arrival_ns.min(op.start_ns).saturating_sub(zero);
        }
        op.start_ns = op.start_ns.saturating_sub(zero);
        (op.kernel, op.stream) = (names.of(op.kernel), lanes.of(op.stream));
    }
    fill_arrivals(&mut ops, lanes.order.len(), &mut report);
    link(&mut ops, lanes.order.len(), resolution_ns, &mut report);
    report.add(Quirk::TimeOutlier, outliers(&ops));
    report.add(Quirk::RepeatedOp, repeated(&ops, resolution_ns));
    let (host_waits, stream_waits) = waits::resolve(waits, &ops, &lanes, zero, resolution_ns);
    let mut profile = Profile {
        name,
        format,
        device,
        kernels: names.select(kernels),
        streams: lanes.select(streams),
        span_ns: ops.iter().map(Op::end_ns).max().unwrap_or(0),
        ops,
        between_ns,
        memory_bytes,
        resolution_ns,
        host_waits,
        stream_waits,
        works: works.known(),
        collectives: Vec::new(),
        diagnostics: Vec::new(),
        report,
    };
    if profile.between_ns.is_none() {
        let gaps = between_repetitions(&profile);
        profile.between_ns = gaps.get(gaps.len() / 2).copied();
    }
    profile
}

/// Sorts ops by start time, together with their works (bytes and arithmetic), and counts in the
/// import report the ops that started before the one ahead of them in the file.
fn sort_by_start(ops: &mut [Op], works: &mut DraftWorks, report: &mut ImportReport) {
    let back = ops.windows(2).filter(|pair| pair[1].start_ns < pair[0].start_ns).count();
    report.add(Quirk::Unsorted, back as u64);
    if back > 0 {
        works.sort_by_key(|at| ops[at].start_ns);
        sort_in_place(ops, |op| op.start_ns);
    }
}

/// Counts in the import report an op that is kept in the profile, under its kind: kernel, copy or
/// fill.
fn keep(report: &mut ImportReport, kind: OpKind) {
    match kind {
        OpKind::Kernel => report.kernels += 1,
        OpKind::Copy => report.copies += 1,
        OpKind::Set => report.sets += 1,
    }
}

/// Appends an item to one of the lists that take most of an import's memory: when full, the list
/// grows by a 32nd of its length instead of doubling.
pub(crate) fn push<T>(items: &mut Vec<T>, item: T) {
    if items.len() == items.capacity() {
        items.reserve_exact(items.len() / 32 + 64);
    }
    items.push(item);
}

/// Sorts ops by a key in place, without a second copy of the list, which takes most of an import's
/// memory.
pub(crate) fn sort_in_place<T: Copy>(ops: &mut [T], key: impl Fn(&T) -> u64) {
    let mut order: Vec<u32> = (0..number(ops.len())).collect();
    order.sort_by_key(|&at| key(&ops[at as usize]));
    for first in 0..ops.len() {
        // Each turn of this loop fills the places of one cycle of the permutation, and marks them.
        let (mut at, displaced) = (first, ops[first]);
        loop {
            let from = order[at] as usize;
            order[at] = number(at);
            if from == first || from == at {
                ops[at] = displaced;
                break;
            }
            ops[at] = ops[from];
            at = from;
        }
    }
}

/// Longest gap, an hour in nanoseconds, between ops that count as recorded together.
const FAR_NS: u64 = 3_600_000_000_000;

/// Counts ops with doubtful times: those that last longer than an hour (`FAR_NS`), or start more
/// than an hour after their launch. Where a gap of more than an hour divides the ops in two groups,
/// returns the number of ops in the smaller group instead, if that is larger.
fn outliers(ops: &[Op]) -> u64 {
    let far = |op: &&Op| op.start_ns - op.arrival_ns > FAR_NS || op.duration_ns > FAR_NS;
    let late = ops.iter().filter(far).count();
    let (mut end, mut fewest) = (0, ops.len());
    for (at, op) in ops.iter().enumerate() {
        if op.start_ns.saturating_sub(end) > FAR_NS && at > 0 {
            fewest = fewest.min(at).min(ops.len() - at);
        }
        end = end.max(op.end_ns());
    }
    let apart = if fewest < ops.len() { fewest } else { 0 };
    late.max(apart) as u64
}

/// Counts ops that are recorded twice: with the stream, kernel, size, start and duration of another
/// op. Ops that last at most two ticks of the recording clock (`resolution_ns` each) are not
/// counted, since different ones can look equal.
fn repeated(ops: &[Op], resolution_ns: u64) -> u64 {
    let mut count = 0;
    for same_start in ops.chunk_by(|a, b| a.start_ns == b.start_ns) {
        let key = |op: &Op| (op.stream, op.kernel, op.duration_ns, op.workgroups);
        let long = same_start.iter().filter(|op| op.duration_ns > 2 * resolution_ns);
        let mut keys: Vec<_> = long.map(key).collect();
        keys.sort_unstable();
        count += keys.windows(2).filter(|pair| pair[0] == pair[1]).count();
    }
    count as u64
}

impl Profile {
    /// Returns the ops `first..first + count` as a profile of its own, which starts at time 0 and
    /// has no waits. Its import report counts only what these ops show: faults of their order,
    /// issue times and durations.
    #[must_use]
    pub fn window(&self, first: usize, count: usize) -> Self {
        let last = first.saturating_add(count).min(self.ops.len());
        let mut ops = self.ops.get(first..last).unwrap_or_default().to_vec();
        for op in &mut ops {
            let assumed = |field| op.provenance.of(field) == Origin::Assumed;
            let (duration, activity) = (assumed(Field::Duration), assumed(Field::Activity));
            op.duration_ns = if duration { 0 } else { op.duration_ns };
            op.activity = if activity { Activity::UNKNOWN } else { op.activity };
        }
        let draft = Draft {
            kernels: self.kernels.clone(),
            streams: self.streams.clone(),
            device: self.device.clone(),
            between_ns: self.between_ns,
            memory_bytes: self.memory_bytes,
            resolution_ns: self.resolution_ns,
            waits: Vec::new(),
            works: DraftWorks::default(),
            report: ImportReport::of_events(ops.len() as u64),
            ops,
        };
        // Ops are sorted, so each keeps its place.
        let within = self.works.iter().filter(|of| (first..last).contains(&(of.op as usize)));
        let works = within.map(|of| OpWork { op: of.op - number(first), ..*of }).collect();
        Self { works, ..assemble(self.name.clone(), self.format, draft) }
    }
}

/// Sets the unknown issue time of an op to that of the op before it in the same stream; an issue
/// time is when the host launched the op.
fn fill_arrivals(ops: &mut [Op], streams: usize, report: &mut ImportReport) {
    let mut last = vec![0; streams];
    for op in ops {
        let last = &mut last[op.stream as usize];
        if op.provenance.of(Field::Arrival) == Origin::Assumed {
            report.note(Quirk::NoLaunchCall);
            op.arrival_ns = *last;
        }
        *last = op.arrival_ns;
    }
}

/// State of one stream during the search for the op that each op waits for. `running` has the ops
/// that may not have ended yet, as (end in nanoseconds, index of the op); `ended` is the latest op
/// that has ended.
#[derive(Default)]
struct LaneEnds {
    running: BinaryHeap<Reverse<(u64, u32)>>,
    ended: Option<u32>,
    /// Last op of the stream so far, as (index of the op, end, duration), both times in
    /// nanoseconds; `None` before the first op.
    last: Option<(u32, u64, u64)>,
}

/// Finds for each op the earlier op of the same stream that it waits for. The import report gets
/// the number of pairs of ops that overlap by more than one tick of the recording clock,
/// `resolution_ns`.
///
/// With CUDA's programmatic dependent launch a kernel begins before the previous one has ended, and
/// then waits for that end. So neighbours that overlap by at most half of the shorter one count as
/// one after the other.
fn link(ops: &mut [Op], streams: usize, resolution_ns: u64, report: &mut ImportReport) {
    let mut lanes: Vec<LaneEnds> = (0..streams).map(|_| LaneEnds::default()).collect();
    for (op, index) in ops.iter_mut().zip(0u32..) {
        let lane = &mut lanes[op.stream as usize];
        let limit = op.start_ns.saturating_add(resolution_ns);
        while let Some(&Reverse((end, earlier))) = lane.running.peek() {
            if end > limit {
                break;
            }
            lane.ended = lane.ended.max(Some(earlier));
            lane.running.pop();
        }
        let hands_over = |&(_, end, duration): &(u32, u64, u64)| {
            let overlap = end.saturating_sub(op.start_ns);
            end > limit && overlap <= duration.min(op.duration_ns) / 2
        };
        let handed = lane.last.filter(hands_over).map(|(before, ..)| before);
        report.add(Quirk::Handover, u64::from(handed.is_some()));
        report.add(
            Quirk::OverlapInStream,
            (lane.running.len() - usize::from(handed.is_some())) as u64,
        );
        op.after = handed.or(lane.ended);
        lane.running.push(Reverse((op.end_ns(), index)));
        lane.last = Some((index, op.end_ns(), op.duration_ns));
    }
}

/// New numbers for the kernels or streams that are kept when others are left out: from 0, in order
/// of first use, without gaps.
pub(crate) struct Renumber {
    new: Vec<Option<u32>>,
    order: Vec<u32>,
}

impl Renumber {
    pub(crate) fn new(len: usize) -> Self {
        Self { new: vec![None; len], order: Vec::new() }
    }

    pub(crate) fn of(&mut self, old: u32) -> u32 {
        let next = number(self.order.len());
        *self.new[old as usize].get_or_insert_with(|| {
            self.order.push(old);
            next
        })
    }

    pub(crate) fn select<T: Default>(&self, mut items: Vec<T>) -> Vec<T> {
        self.order.iter().map(|&old| core::mem::take(&mut items[old as usize])).collect()
    }
}

/// A table of distinct items, such as names or streams, each with a number from 0 that is given in
/// order of first use.
#[derive(Debug)]
pub(crate) struct Interner<T> {
    numbers: BTreeMap<T, u32>,
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Self { numbers: BTreeMap::new() }
    }
}

impl<T: Ord> Interner<T> {
    pub(crate) fn number<Q>(&mut self, item: &Q) -> u32
    where
        T: Borrow<Q>,
        Q: Ord + ToOwned<Owned = T> + ?Sized,
    {
        if let Some(&number) = self.numbers.get(item) {
            return number;
        }
        let next = number(self.numbers.len());
        self.numbers.insert(item.to_owned(), next);
        next
    }

    /// Returns the distinct items of the table, in order of their numbers.
    pub(crate) fn items(&self) -> Vec<&T> {
        let mut items: Vec<_> = self.numbers.iter().collect();
        items.sort_by_key(|&(_, number)| number);
        items.into_iter().map(|(item, _)| item).collect()
    }

    pub(crate) fn into_items(self) -> Vec<T> {
        let mut items: Vec<_> = self.numbers.into_iter().collect();
        items.sort_by_key(|&(_, number)| number);
        items.into_iter().map(|(item, _)| item).collect()
    }
}

fn number(len: usize) -> u32 {
    u32::try_from(len).expect("there are no more items than ops, and those are limited")
}

#[cfg(test)]
mod tests;
