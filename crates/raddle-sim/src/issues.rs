//! When does the host issue each op of a profile, and how long until the device begins the op?

use raddle_policy::Ticks;
use raddle_trace::{Field, Op, Origin, Profile};

use crate::workload::{RecordedGap, TaskWait};

/// The least time in ns from a launch call to the start of its kernel: the shortest that was found
/// in a public recording of 50 kernels or more (docs/fidelity.md).
const LEAST_LAUNCH_NS: u64 = 6_000;

/// Returns for each op (kernel, copy or fill) of a profile (time at which the host issues it, gap).
/// The gap is `None` where the recording has the time of issue; else the op is issued that long
/// after the end of the work for which it waits. With `queued`, an op without a recorded time of
/// issue is issued together with the op before it in its stream, and has no gap.
///
/// Times of issue are missing where only the device was recorded. Then an op that waits for others
/// gets the gap that was recorded between their end and its start, and an op that waits for none is
/// issued at its recorded start. A gap that is shorter than a launch takes belongs to the device:
/// the op was issued before the other work ended. So does a gap before an op in a graph, except the
/// first, because the device itself launches these ops.
pub(crate) fn issues(
    profile: &Profile,
    waits: &[TaskWait],
    queued: bool,
) -> Vec<(Ticks, Option<RecordedGap>)> {
    let mut waits = waits.iter().peekable();
    let mut last = vec![0; profile.streams.len()];
    let one = |(position, op): (usize, &Op)| {
        let mut ended = op.after.map(|at| profile.ops[at as usize].end_ns());
        while let Some(wait) = waits.next_if(|wait| wait.task as usize <= position) {
            ended = ended.max(profile.ops.get(wait.source as usize).map(Op::end_ns));
        }
        let assumed = op.provenance.of(Field::Arrival) == Origin::Assumed;
        let last = &mut last[op.stream as usize];
        *last = match ended {
            _ if !assumed || queued => op.arrival_ns,
            Some(_) => op.arrival_ns.max(*last),
            None => op.start_ns,
        };
        let gap = op.start_ns.saturating_sub(ended.unwrap_or(op.start_ns));
        if is_later_in_graph(profile, op) {
            return (Ticks(*last), Some(RecordedGap::Device(Ticks(gap))));
        }
        let ahead = op.after.is_some() && gap < LEAST_LAUNCH_NS;
        let gap =
            if ahead { RecordedGap::Device(Ticks(gap)) } else { RecordedGap::Host(Ticks(gap)) };
        (Ticks(*last), (assumed && !queued).then_some(gap))
    };
    profile.ops.iter().enumerate().map(one).collect()
}

/// Returns whether an op (kernel, copy or fill) was launched by the same call as the op before it
/// in its stream, as the nodes of a graph are.
pub(crate) fn is_later_in_graph(profile: &Profile, op: &Op) -> bool {
    let joined = |op: &Op| op.provenance.of(Field::Arrival) == Origin::Joined;
    let before = op.after.map(|at| &profile.ops[at as usize]);
    before.is_some_and(|it| joined(it) && joined(op) && it.arrival_ns == op.arrival_ns)
}
