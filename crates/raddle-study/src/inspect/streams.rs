//! What does each stream of a profile do?

use std::collections::BTreeSet;

use raddle_trace::{Op, OpKind, Profile};
use serde::Serialize;

use crate::launches::ConcurrentTime;
use crate::units::share;

/// Figures of one stream of a profile, over its kernels, copies and fills.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct InspectedStream {
    /// Name of the stream, as results show it.
    pub label: String,
    /// Number of the context (process-wide device state) to which the stream belongs; `None` where
    /// the file does not say.
    pub context: Option<u64>,
    /// Number of kernel launches in the stream.
    pub kernels: u64,
    /// Number of memory copies in the stream.
    pub copies: u64,
    /// Number of memory fills in the stream.
    pub sets: u64,
    /// Sum of the durations of the stream's kernel launches, in ns.
    pub kernel_ns: u64,
    /// Time in which at least one kernel, copy or fill of the stream ran, in ns.
    pub busy_ns: u64,
    /// Fraction of the recording's length, 0 to 1, in which at least one kernel, copy or fill of
    /// the stream ran.
    pub busy: f64,
    /// Time in which two or more ops (launches, copies, fills) of the stream ran at once, in ns.
    pub overlap_ns: u64,
    /// Priorities of the stream's kernels as the file states them, ascending and without
    /// duplicates; empty where it states none.
    pub priorities: Vec<i32>,
}

/// Returns, for each stream of a profile, the numbers that `raddle inspect` shows of it, such as
/// its launches and busy time, in the order in which the streams were first used.
pub(super) fn streams(profile: &Profile) -> Vec<InspectedStream> {
    let mut ops: Vec<Vec<&Op>> = vec![Vec::new(); profile.streams.len()];
    for op in &profile.ops {
        if let Some(ops) = ops.get_mut(op.stream as usize) {
            ops.push(op);
        }
    }
    let stream = |(label, ops): (&raddle_trace::StreamLabel, &Vec<&Op>)| {
        let of = |kind| ops.iter().filter(move |op| op.kind == kind);
        let running = ConcurrentTime::of(ops.iter().map(|op| (op.start_ns, op.end_ns())));
        let priorities: BTreeSet<i32> = of(OpKind::Kernel).filter_map(|op| op.priority).collect();
        let busy_ns = running.at_least_one();
        InspectedStream {
            label: label.label.clone(),
            context: label.context,
            kernels: of(OpKind::Kernel).count() as u64,
            copies: of(OpKind::Copy).count() as u64,
            sets: of(OpKind::Set).count() as u64,
            kernel_ns: of(OpKind::Kernel).fold(0, |sum, op| op.duration_ns.saturating_add(sum)),
            busy_ns,
            busy: share(busy_ns.into(), profile.span_ns.into()),
            overlap_ns: running.two + running.more,
            priorities: priorities.into_iter().collect(),
        }
    };
    profile.streams.iter().zip(&ops).map(stream).collect()
}
