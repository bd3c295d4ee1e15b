//! How do the records of an importer become a profile: order, arrivals, dependencies?
//!
//! An op waits for the last op of its stream, in order of start, that had ended when it started,
//! give or take one step of the clock. Starts only grow, so what has ended stays ended: one heap
//! of ends a stream answers that in O(n log n).

use std::borrow::Borrow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use raddle_policy::{Activity, Dim3, Footprint, Idempotence};

use crate::assumed_activity;
use crate::claims::Claims;
use crate::profile::{Format, Op, OpKind, Profile, SourceDevice, StreamLabel};
use crate::provenance::{Field, Origin, Provenance};
use crate::report::{ImportReport, Quirk};

/// The most ops that one import takes.
pub(crate) const OP_LIMIT: usize = 1 << 24;

/// One op with times in nanoseconds of the source's own clock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DraftOp {
    pub(crate) kernel: u32,
    pub(crate) stream: u32,
    pub(crate) kind: OpKind,
    pub(crate) grid: Dim3,
    pub(crate) workgroups: u64,
    pub(crate) footprint: Footprint,
    pub(crate) start: i64,
    pub(crate) duration: u64,
    pub(crate) arrival: Option<i64>,
    pub(crate) priority: Option<i32>,
    pub(crate) idempotent: Idempotence,
    /// As it was counted, if it was.
    pub(crate) activity: Activity,
    pub(crate) provenance: Provenance,
}

/// What an importer has collected, in the order of the file.
#[derive(Debug)]
pub(crate) struct Draft {
    pub(crate) ops: Vec<DraftOp>,
    pub(crate) kernels: Vec<String>,
    pub(crate) streams: Vec<StreamLabel>,
    pub(crate) device: Option<SourceDevice>,
    pub(crate) resolution_ns: u64,
    pub(crate) report: ImportReport,
}

/// Makes the profile of what an importer has collected.
pub(crate) fn assemble(name: String, format: Format, draft: Draft) -> Profile {
    assemble_claimed(name, format, draft, Claims::default())
}

/// The same with what the file claims of the ops of the draft.
pub(crate) fn assemble_claimed(
    name: String,
    format: Format,
    draft: Draft,
    mut claims: Claims,
) -> Profile {
    let Draft { mut ops, kernels, streams, device, resolution_ns, mut report } = draft;
    let back = ops.windows(2).filter(|pair| pair[1].start < pair[0].start).count();
    report.add(Quirk::Unsorted, back as u64);
    if back > 0 && !claims.is_empty() {
        let places = places_by_start(&ops);
        claims = claims.moved(|op| places.get(op as usize).copied());
    }
    ops.sort_by_key(|op| op.start);
    let zero = ops.iter().map(|op| op.arrival.map_or(op.start, |a| a.min(op.start))).min();
    let zero = zero.unwrap_or(0);

    let assumed: Vec<Activity> = kernels.iter().map(|name| assumed_activity(name).1).collect();
    for op in ops.iter_mut().filter(|op| op.kind == OpKind::Kernel && op.activity.is_unknown()) {
        op.activity = assumed.get(op.kernel as usize).copied().unwrap_or_default();
        op.provenance = op.provenance.with(Field::Activity, Origin::Assumed);
    }
    let (mut names, mut lanes) = (Renumber::new(kernels.len()), Renumber::new(streams.len()));
    let mut ops: Vec<Op> = ops
        .into_iter()
        .map(|op| {
            let step = (resolution_ns / 2).max(1);
            if op.duration == 0 {
                report.note(Quirk::ZeroDuration);
            }
            finish(op, zero, step, names.of(op.kernel), lanes.of(op.stream), &mut report)
        })
        .collect();
    fill_arrivals(&mut ops, lanes.order.len(), &mut report);
    link(&mut ops, lanes.order.len(), resolution_ns, &mut report);
    Profile {
        name,
        format,
        device,
        kernels: names.select(kernels),
        streams: lanes.select(streams),
        span_ns: ops.iter().map(Op::end_ns).max().unwrap_or(0),
        ops,
        resolution_ns,
        claims,
        report,
    }
}

/// Where each op comes to lie when they are sorted by start and equal ones keep their order.
fn places_by_start(ops: &[DraftOp]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..number(ops.len())).collect();
    order.sort_by_key(|&op| ops[op as usize].start);
    let mut places = vec![0; ops.len()];
    for (&op, place) in order.iter().zip(0..) {
        places[op as usize] = place;
    }
    places
}

impl Profile {
    /// The ops `first..first + count` as a profile of their own that starts at time 0. Its report
    /// counts anew what concerns order, arrivals and durations, and nothing else.
    #[must_use]
    pub fn window(&self, first: usize, count: usize) -> Self {
        let last = first.saturating_add(count).min(self.ops.len());
        let ops = self.ops.get(first..last).unwrap_or_default();
        let signed = |ns: u64| i64::try_from(ns).unwrap_or(i64::MAX);
        let assumed = |op: &Op, field| op.provenance.of(field) == Origin::Assumed;
        let again = |op: &Op| DraftOp {
            kernel: op.kernel,
            stream: op.stream,
            kind: op.kind,
            grid: op.grid,
            workgroups: op.workgroups,
            footprint: op.footprint,
            start: signed(op.start_ns),
            duration: if assumed(op, Field::Duration) { 0 } else { op.duration_ns },
            arrival: (!assumed(op, Field::Arrival)).then(|| signed(op.arrival_ns)),
            priority: op.priority,
            idempotent: op.idempotent,
            activity: if assumed(op, Field::Activity) { Activity::UNKNOWN } else { op.activity },
            provenance: op.provenance,
        };
        let draft = Draft {
            ops: ops.iter().map(again).collect(),
            kernels: self.kernels.clone(),
            streams: self.streams.clone(),
            device: self.device.clone(),
            resolution_ns: self.resolution_ns,
            report: ImportReport::of_events(ops.len() as u64),
        };
        let claims = self.claims.within(first, last);
        assemble_claimed(self.name.clone(), self.format, draft, claims)
    }
}

/// One op on the profile's clock, its duration at least `step`, its arrival not yet filled in.
fn finish(
    op: DraftOp,
    zero: i64,
    step: u64,
    kernel: u32,
    stream: u32,
    report: &mut ImportReport,
) -> Op {
    match op.kind {
        OpKind::Kernel => report.kernels += 1,
        OpKind::Copy => report.copies += 1,
        OpKind::Set => report.sets += 1,
    }
    let mut provenance = op.provenance;
    if op.duration == 0 {
        provenance = provenance.with(Field::Duration, Origin::Assumed);
    }
    if op.arrival.is_some_and(|arrival| arrival > op.start) {
        report.note(Quirk::ClockSkew);
    }
    if op.arrival.is_none() {
        provenance = provenance.with(Field::Arrival, Origin::Assumed);
    }
    Op {
        kernel,
        stream,
        grid: op.grid,
        workgroups: op.workgroups,
        arrival_ns: op.arrival.map_or(0, |arrival| arrival.min(op.start).abs_diff(zero)),
        start_ns: op.start.abs_diff(zero),
        duration_ns: if op.duration == 0 { step } else { op.duration },
        footprint: op.footprint,
        after: None,
        priority: op.priority,
        kind: op.kind,
        idempotent: op.idempotent,
        activity: op.activity,
        provenance,
    }
}

/// Gives ops without an arrival that of the op before them in their stream.
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

/// Ends of a stream's ops that may still run, and the last op that has ended.
#[derive(Default)]
struct Lane {
    running: BinaryHeap<Reverse<(u64, u32)>>,
    ended: Option<u32>,
}

/// Finds the op each op waits for; counts the pairs that overlap instead.
fn link(ops: &mut [Op], streams: usize, resolution_ns: u64, report: &mut ImportReport) {
    let mut lanes: Vec<Lane> = (0..streams).map(|_| Lane::default()).collect();
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
        report.add(Quirk::OverlapInStream, lane.running.len() as u64);
        op.after = lane.ended;
        lane.running.push(Reverse((op.end_ns(), index)));
    }
}

/// New numbers in order of first use, so that what was left out leaves no trace.
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

/// A table of distinct items, numbered in order of first use.
#[derive(Debug)]
pub(crate) struct Interner<T> {
    numbers: BTreeMap<T, u32>,
}

impl<T: Ord> Interner<T> {
    pub(crate) fn new() -> Self {
        Self { numbers: BTreeMap::new() }
    }

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
