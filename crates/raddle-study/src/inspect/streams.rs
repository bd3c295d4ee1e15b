//! What does each stream of a profile do?

use std::collections::BTreeSet;

use raddle_trace::{Op, OpKind, Profile};
use serde::Serialize;

use crate::launches::ConcurrentTime;
use crate::units::share;

/// Figures of one stream, over its kernels, copies and fills.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct InspectedStream {
    /// Name of the stream.
    pub label: String,
    /// Number of the context to which the stream belongs; `None` where the file names none.
    pub context: Option<u64>,
    /// Number of kernel launches of the stream.
    pub kernels: u64,
    /// Number of copies of the stream.
    pub copies: u64,
    /// Number of fills of memory of the stream.
    pub sets: u64,
    /// Sum of the durations of all kernel launches, in ns.
    pub kernel_ns: u64,
    /// Time in which at least one kernel, copy or fill of the stream ran, in ns.
    pub busy_ns: u64,
    /// Fraction of the profile's span in which the stream was busy.
    pub busy: f64,
    /// Time in which two or more ops (launches, copies, fills) of the stream ran side by side, in
    /// ns.
    pub overlap_ns: u64,
    /// Priorities that the kernels of the stream state, as in the file, ascending; empty where the
    /// file states none.
    pub priorities: Vec<i32>,
}

/// Returns the figures of all streams, in the order of first use.
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
