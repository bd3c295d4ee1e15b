//! What does each stream of a profile do?

use std::collections::BTreeSet;

use raddle_trace::{Op, OpKind, Profile};
use serde::Serialize;

use crate::launches::ConcurrentTime;
use crate::units::share;

/// One stream, over its kernels, copies and fills.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct InspectedStream {
    /// The name of the stream.
    pub label: String,
    /// The context of the stream, where the file names one.
    pub context: Option<u64>,
    /// The number of kernel launches.
    pub kernels: u64,
    /// The number of copies.
    pub copies: u64,
    /// The number of fills.
    pub sets: u64,
    /// The sum of the times of all kernel launches.
    pub kernel_ns: u64,
    /// The time in which at least one op ran.
    pub busy_ns: u64,
    /// The share of the profile's span in which the stream was busy.
    pub busy: f64,
    /// The time in which two or more ops ran.
    pub overlap_ns: u64,
    /// The priorities that the kernels state, rising; none where the file states none.
    pub priorities: Vec<i32>,
}

/// Returns the streams, in order of first use.
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
