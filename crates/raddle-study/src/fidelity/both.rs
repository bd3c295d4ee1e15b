//! When did each launch, copy or fill run, in the recording and in the simulation?

use raddle_sim::{Outcome, PlanConfig, Record};
use raddle_trace::{Field, OpKind, Origin, Profile};

/// Time span from a start to an end, in ns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: i64,
    pub(super) end: i64,
}

impl Span {
    pub(super) fn ns(self) -> i64 {
        self.end.saturating_sub(self.start)
    }
}

/// A launch, copy or fill (called an op), with its times in the recording and in the simulation, in
/// ns.
#[derive(Clone, Debug)]
pub(super) struct Both {
    pub(super) kernel: bool,
    pub(super) stream: u32,
    /// Indices of the ops (launches, copies and fills) that must end before this op can start; all
    /// are less than the index of this op.
    pub(super) after: Vec<usize>,
    pub(super) arrival: i64,
    /// True if the time at which the op (launch, copy or fill) was issued was measured, or found in
    /// another record; false if it was assumed.
    pub(super) launch_known: bool,
    pub(super) recorded: Span,
    /// Time span in which the op (launch, copy or fill) ran in the simulation; `None` where it
    /// never started or never ended there. A refused op has a span of length 0.
    pub(super) simulated: Option<Span>,
    /// Time by which launch latency delayed the op in the simulation, in ns; at least 0.
    pub(super) latency: i64,
    pub(super) refused: bool,
    /// Duration of the op (launch, copy or fill) in ns, as the simulation plans it if no other work
    /// delays the op.
    pub(super) planned: i64,
    /// Time for which the op (launch, copy or fill) ran in the recording after all ops that it
    /// waits for had ended, in ns; less than its recorded duration where it overlaps one of them.
    pub(super) own: i64,
}

impl Both {
    /// Returns whether the op (launch, copy or fill) ran to its end in the simulation.
    pub(super) fn ran(&self) -> bool {
        self.simulated.is_some() && !self.refused
    }

    /// Returns the earliest possible start of the op (launch, copy or fill) in the recording, in
    /// ns: when it was issued and all ops that it waits for had ended.
    pub(super) fn could_start(&self, ops: &[Self]) -> i64 {
        self.before(ops).map(|(_, before)| before.recorded.end).fold(self.arrival, i64::max)
    }

    /// Returns the earliest possible start of the op (launch, copy or fill) in the simulation, in
    /// ns. Where an op that it waits for never ended in the simulation, that op's recorded end
    /// counts.
    pub(super) fn could_start_now(&self, ops: &[Self]) -> i64 {
        self.before(ops).map(|(_, before)| before.end_now()).fold(self.arrival, i64::max)
    }

    /// Returns the end of the op (launch, copy or fill) in the simulation, in ns, or its recorded
    /// end where it never ended in the simulation.
    pub(super) fn end_now(&self) -> i64 {
        self.simulated.map_or(self.recorded.end, |span| span.end)
    }

    /// Returns the ops (launches, copies and fills) that must end before this op can start, each
    /// with its index in `ops`.
    pub(super) fn before<'o>(&self, ops: &'o [Self]) -> impl Iterator<Item = (usize, &'o Self)> {
        self.after.iter().filter_map(|&at| Some((at, ops.get(at)?)))
    }
}

/// Returns the recorded and the simulated times of all ops (launches, copies and fills) of a
/// profile, in the order of the profile.
pub(super) fn both(profile: &Profile, options: &PlanConfig<'_>, outcome: &Outcome) -> Vec<Both> {
    let mut records = outcome.records.iter();
    let mut waits = options.waits_of(profile).into_iter().peekable();
    let pair = |(position, op): (usize, &raddle_trace::Op)| {
        let record = records.next();
        let after = op.after.map(|at| at as usize).filter(|&at| at < position);
        let mut after: Vec<usize> = after.into_iter().collect();
        while let Some(wait) = waits.next_if(|wait| wait.task as usize <= position) {
            after.push(wait.source as usize);
        }
        Both {
            kernel: op.kind == OpKind::Kernel,
            stream: op.stream,
            after,
            arrival: ns(op.arrival_ns),
            launch_known: op.provenance.of(Field::Arrival) != Origin::Assumed,
            recorded: Span { start: ns(op.start_ns), end: ns(op.end_ns()) },
            simulated: record.and_then(simulated),
            latency: 0,
            refused: record.is_some_and(|record| record.refused),
            own: ns(profile.own_ns(position)),
            planned: ns(options.planned_ns(profile, position)),
        }
    };
    let mut ops: Vec<Both> = profile.ops.iter().enumerate().map(pair).collect();
    for (at, record) in outcome.records.iter().enumerate().take(ops.len()) {
        let ready = record.ready.filter(|_| !record.refused).map(|ready| ns(ready.0));
        ops[at].latency = ready.map_or(0, |ready| (ready - ops[at].could_start_now(&ops)).max(0));
    }
    ops
}

fn simulated(record: &Record) -> Option<Span> {
    if record.refused {
        let at = ns(record.ready?.0);
        return Some(Span { start: at, end: at });
    }
    Some(Span { start: ns(record.started?.0), end: ns(record.ended?.0) })
}

fn ns(time: u64) -> i64 {
    i64::try_from(time).unwrap_or(i64::MAX)
}
