//! What becomes of a profile's communication kernels before it is replayed?
//!
//! All other ops stay as recorded: launch times, order within streams, time 0.

use std::collections::BTreeMap;

use super::is_communication;
use crate::assemble::Renumber;
use crate::profile::{Collective, Op, OpKind, Profile, StreamWait};
use crate::provenance::{Field, Origin};
use crate::work::OpWork;

/// Rule for the durations of communication kernels in a replay, since these kernels mostly wait for
/// peers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CommRule {
    /// Communication kernels last as long in a replay as they did in the recording.
    Keep,
    /// Each communication kernel lasts as long as the shortest launch of the same kernel and grid
    /// in the profile: its work without the wait, as far as a profile can tell.
    Fixed,
    /// Each communication kernel ends together with its peers on other devices. It ends no earlier
    /// than in the recording, and runs for at least the time of its own work, which is the duration
    /// under [`CommRule::Fixed`].
    #[default]
    Peers,
    /// Communication kernels are left out; an op that waited for such a kernel now waits for the op
    /// that the kernel waited for.
    Drop,
}

/// The amount of communication in a profile: how many kernels, and how long they last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Communication {
    /// Number of launches of communication kernels.
    pub launches: u64,
    /// Sum of the durations of communication kernels as recorded, in nanoseconds.
    pub recorded_ns: u64,
    /// Sum of the durations of communication kernels in the replay, after the rule was applied, in
    /// nanoseconds; 0 where they were left out.
    pub replayed_ns: u64,
    /// Sum of the durations of all kernels as recorded, in nanoseconds.
    pub kernel_ns: u64,
}

impl CommRule {
    /// Returns the name of the rule in options and results, such as `keep`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Keep => "keep",
            Self::Fixed => "fixed",
            Self::Peers => "peers",
            Self::Drop => "drop",
        }
    }

    /// Applies the rule to a profile, and returns how much communication the profile had.
    ///
    /// After [`CommRule::Drop`] the import report has the new number of kernels, 0 if there was
    /// nothing but communication; its other counts stay. A duration that was taken from another
    /// launch is marked [`Origin::Joined`].
    pub fn apply(self, profile: &mut Profile) -> Communication {
        let is_one = communicates(profile);
        let mut found = Communication::of(profile);
        match self {
            Self::Keep => {}
            Self::Fixed => fix(profile, is_one),
            Self::Peers => {
                let shortest = shortest(profile, &is_one);
                let ops = profile.ops.iter().zip(0u32..).filter(|(op, _)| is_one(op));
                let work = |op: &Op| shortest.get(&key(op)).map_or(op.duration_ns, |it| it.1);
                profile.collectives =
                    ops.map(|(op, at)| Collective { op: at, work_ns: work(op) }).collect();
            }
            Self::Drop => leave_out(profile, is_one),
        }
        found.replayed_ns = Communication::of(profile).replayed_ns;
        found
    }
}

impl Communication {
    /// Counts the communication kernels of a profile, and adds up their durations; both sums of
    /// durations are those of the recording.
    #[must_use]
    pub fn of(profile: &Profile) -> Self {
        let is_one = communicates(profile);
        let sum = |ops: &mut dyn Iterator<Item = &Op>| {
            ops.fold(0, |sum: u64, op| sum.saturating_add(op.duration_ns))
        };
        let ops = &profile.ops;
        let recorded_ns = sum(&mut ops.iter().filter(|op| is_one(op)));
        Self {
            launches: ops.iter().filter(|op| is_one(op)).count() as u64,
            recorded_ns,
            replayed_ns: recorded_ns,
            kernel_ns: sum(&mut ops.iter().filter(|op| op.kind == OpKind::Kernel)),
        }
    }
}

/// Returns a function that tells whether an op of this profile is a communication kernel.
fn communicates(profile: &Profile) -> impl Fn(&Op) -> bool + use<> {
    let names: Vec<bool> = profile.kernels.iter().map(|name| is_communication(name)).collect();
    move |op| op.kind == OpKind::Kernel && names.get(op.kernel as usize).copied().unwrap_or(false)
}

/// Returns the kernel and the grid (x, y, z) of an op; communication ops that are equal in these
/// count as equal work.
const fn key(op: &Op) -> (u32, u32, u32, u32) {
    (op.kernel, op.grid.x, op.grid.y, op.grid.z)
}

/// Finds the shortest duration for each (kernel, grid x, y, z) among the ops for which `is_one` is
/// true. Returns it as (true if the duration is only assumed, nanoseconds); a measured duration
/// counts before every assumed one.
fn shortest(
    profile: &Profile,
    is_one: &impl Fn(&Op) -> bool,
) -> BTreeMap<(u32, u32, u32, u32), (bool, u64)> {
    // An assumed duration counts only where there is no measured one.
    let rank = |op: &Op| (op.provenance.of(Field::Duration) == Origin::Assumed, op.duration_ns);
    let mut shortest = BTreeMap::new();
    for op in profile.ops.iter().filter(|op| is_one(op)) {
        let best = shortest.entry(key(op)).or_insert(rank(op));
        *best = rank(op).min(*best);
    }
    shortest
}

/// Sets the duration of each op for which `is_one` is true to the shortest duration of an op with
/// the same kernel and grid.
fn fix(profile: &mut Profile, is_one: impl Fn(&Op) -> bool) {
    let shortest = shortest(profile, &is_one);
    for op in profile.ops.iter_mut().filter(|op| is_one(op)) {
        let duration = shortest.get(&key(op)).map_or(op.duration_ns, |&(_, duration)| duration);
        if duration != op.duration_ns {
            op.duration_ns = duration;
            op.provenance = op.provenance.with(Field::Duration, Origin::Joined);
        }
    }
    profile.span_ns = profile.ops.iter().map(Op::end_ns).max().unwrap_or(0);
}

/// Removes the ops for which `is_one` is true, and the kernels and streams that no other op uses.
fn leave_out(profile: &mut Profile, is_one: impl Fn(&Op) -> bool) {
    let mut kernels = Renumber::new(profile.kernels.len());
    let mut streams = Renumber::new(profile.streams.len());
    let mut kept: Vec<Op> = Vec::with_capacity(profile.ops.len());
    // For each op, the op that stands for it in waits: itself, or if left out, what it waited for.
    let mut stands_for: Vec<Option<u32>> = Vec::with_capacity(profile.ops.len());
    for op in &profile.ops {
        let after = op.after.and_then(|after| stands_for[after as usize]);
        if is_one(op) {
            stands_for.push(after);
            profile.report.kernels = profile.report.kernels.saturating_sub(1);
            continue;
        }
        let position = u32::try_from(kept.len()).ok();
        stands_for.push(position);
        let (kernel, stream) = (kernels.of(op.kernel), streams.of(op.stream));
        kept.push(Op { kernel, stream, after, ..*op });
    }
    for ops in profile.host_waits.iter_mut().filter_map(|wait| wait.ops.as_mut()) {
        *ops = ops.iter().filter_map(|&op| stands_for[op as usize]).collect();
    }
    profile.stream_waits = profile
        .stream_waits
        .iter()
        .filter_map(|wait| {
            let kept = |op: u32| stands_for[op as usize];
            // If the source is left out, the wait is for what the source waited for in its stream.
            let (op, source) = (kept(wait.op)?, kept(wait.source)?);
            (!is_one(&profile.ops[wait.op as usize])).then_some(StreamWait { op, source, ..*wait })
        })
        .collect();
    let works = profile.works.iter().filter(|of| !is_one(&profile.ops[of.op as usize]));
    let works = works.filter_map(|of| Some(OpWork { op: stands_for[of.op as usize]?, ..*of }));
    profile.works = works.collect();
    profile.ops = kept;
    profile.kernels = kernels.select(core::mem::take(&mut profile.kernels));
    profile.streams = streams.select(core::mem::take(&mut profile.streams));
    profile.span_ns = profile.ops.iter().map(Op::end_ns).max().unwrap_or(0);
}
