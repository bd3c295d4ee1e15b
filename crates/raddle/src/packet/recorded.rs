//! Which launches does a profile hold, and in which order?
//!
//! No profile holds addresses of kernels, arguments or signals. The order of a profile is that of
//! the starts, which in a stream is the order of issue.

use raddle_policy::{Demand, Launch, LaunchId, ProcessId, StreamId};
use raddle_sim::kernel_calls;
use raddle_trace::{OpKind, Profile};

/// A launch of a profile, with the time at which the host issued it.
#[derive(Clone, Copy, Debug)]
pub(super) struct RecordedLaunch {
    pub(super) launch: Launch,
    /// Time at which the host issued the launch, in nanoseconds since time 0 of the profile.
    pub(super) issued: u64,
}

/// Returns the launches of a profile, in the order of the profile; the profile counts as one
/// process.
pub(super) fn recorded(profile: &Profile) -> Vec<RecordedLaunch> {
    let ops = (0..).zip(&profile.ops).zip(kernel_calls(profile));
    let kernels = ops.filter(|((_, op), _)| op.kind == OpKind::Kernel);
    let launch = |((number, op), call): ((u32, &raddle_trace::Op), _)| {
        let (id, demand) = (LaunchId(number), Demand::default());
        let launch = Launch::new(id, ProcessId(0), op.workgroups, demand);
        let mut launch = launch.with_stream(StreamId(op.stream));
        launch.call = call;
        RecordedLaunch { launch, issued: op.arrival_ns }
    };
    kernels.map(launch).collect()
}
