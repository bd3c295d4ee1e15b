//! When did each op run, in the recording and in the simulation?

use raddle_device::Device;
use raddle_trace::{Field, OpKind, Origin, Profile};

use crate::outcome::{Outcome, Record};
use crate::plan::planned_ns;

/// From start to end, in ns.
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

/// One op, twice.
#[derive(Clone, Copy, Debug)]
pub(super) struct Both {
    pub(super) kernel: bool,
    pub(super) stream: u32,
    /// The op that must end first, an earlier position.
    pub(super) after: Option<usize>,
    pub(super) arrival: i64,
    /// Whether the arrival was measured or joined.
    pub(super) launch_known: bool,
    pub(super) recorded: Span,
    /// `None` where it never started or never ended. What was refused took no time.
    pub(super) simulated: Option<Span>,
    pub(super) refused: bool,
    /// How long the plan lets it run where nothing is in its way.
    pub(super) planned: i64,
}

impl Both {
    /// Whether it ran in the simulation.
    pub(super) fn ran(&self) -> bool {
        self.simulated.is_some() && !self.refused
    }

    /// When it could have started in the recording: issued, and what it waits for had ended.
    pub(super) fn could_start(&self, ops: &[Self]) -> i64 {
        self.arrival.max(self.before(ops).map_or(i64::MIN, |before| before.recorded.end))
    }

    /// The op that it waits for.
    pub(super) fn before<'o>(&self, ops: &'o [Self]) -> Option<&'o Self> {
        self.after.and_then(|at| ops.get(at))
    }
}

/// Every op of the profile, in its order.
pub(super) fn both(profile: &Profile, own: &Device, outcome: &Outcome) -> Vec<Both> {
    let mut records = outcome.records.iter();
    let pair = |(position, op): (usize, &raddle_trace::Op)| {
        let record = records.next();
        Both {
            kernel: op.kind == OpKind::Kernel,
            stream: op.stream,
            after: op.after.map(|at| at as usize).filter(|&at| at < position),
            arrival: ns(op.arrival_ns),
            launch_known: op.provenance.of(Field::Arrival) != Origin::Assumed,
            recorded: Span { start: ns(op.start_ns), end: ns(op.end_ns()) },
            simulated: record.and_then(simulated),
            refused: record.is_some_and(|record| record.refused),
            planned: ns(planned_ns(op, own)),
        }
    };
    profile.ops.iter().enumerate().map(pair).collect()
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
