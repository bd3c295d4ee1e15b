//! Which launch latency fits a recording?
//!
//! A launch latency has two constants for each profile: the time from the issue of an op to its
//! start, and the time from the end of the ops for which it waits to its start. The starts in a
//! replay follow from both and from the recorded durations, but for waits for room and copy
//! engines. So values are tried out without placing any workgroup, and those are taken under which
//! most kernels start within the goal of `docs/fidelity.md`; of equally good ones, those with the
//! least sum of errors. An op waits for the same ops as in a replay, also those in its hardware
//! queue. All times are whole nanoseconds.

use raddle_policy::Ticks;
use raddle_trace::{Field, OpKind, Origin, Profile};

use crate::figures::percentile;
use crate::issues::is_later_in_graph;
use crate::plan::PlanConfig;
use crate::workload::LaunchLatency;

/// The number of values that the second, finer search for a launch latency tries between two
/// neighbouring values of the first, coarse search.
const STEPS: u64 = 8;

/// The constant part, in ns, of the error that counts as good in `docs/fidelity.md`: 2 us plus 5 %
/// of the recorded wait from a launch call to the start of its kernel.
const TOLERANCE_NS: u64 = 2_000;

impl LaunchLatency {
    /// Returns whether an error of `error_ns` is small enough to count as good in
    /// `docs/fidelity.md`: at most 2 us plus 5 % of `wait_ns`, the recorded wait from a launch call
    /// to the start of its kernel.
    #[must_use]
    pub const fn is_within(error_ns: u64, wait_ns: u64) -> bool {
        error_ns <= TOLERANCE_NS.saturating_add(wait_ns / 20)
    }

    /// Returns the launch latency under which the replayed starts fit a profile best; 0 where no
    /// launch call was recorded. Ops wait for each other as in a plan with `options`.
    #[must_use]
    pub fn fitted(profile: &Profile, options: &PlanConfig<'_>) -> Self {
        Self::fit(&WaitingOp::all(profile, options))
    }

    /// Fits a launch latency to the first half of the kernels whose launch call was recorded, and
    /// returns how well it predicts the starts in the second half; `None` where there are fewer
    /// than two such kernels.
    #[must_use]
    pub fn halves(profile: &Profile, options: &PlanConfig<'_>) -> Option<HalvesFit> {
        let all = WaitingOp::all(profile, options);
        let known: Vec<usize> = (0..all.len()).filter(|&at| all[at].known).collect();
        let kernels = known.len() - known.len() / 2;
        let &middle = known.get(known.len() / 2).filter(|_| known.len() > 1)?;
        let (mut first, mut second) = (all.clone(), all);
        first.iter_mut().skip(middle).for_each(|op| op.known = false);
        second.iter_mut().take(middle).for_each(|op| op.known = false);
        let share = |latency: Self| {
            let mut ends = vec![0; second.len()];
            let (within, _) = tried(&second, latency.launch.0, latency.handover.0, &mut ends);
            (within as f64 / kernels as f64 * 10_000.0).round() / 10_000.0
        };
        Some(HalvesFit {
            kernels: kernels as u64,
            own: share(Self::fit(&second)),
            first: share(Self::fit(&first)),
        })
    }

    /// Returns the latency under which the start of the most kernels is right: off by at most 2 us
    /// plus 5 % of the recorded wait from the launch call to the start. Only kernels with a
    /// recorded launch call count.
    fn fit(ops: &[WaitingOp]) -> Self {
        if !ops.iter().any(|op| op.known) {
            return Self::default();
        }
        let gaps = |queued: bool| candidates(ops, queued);
        let (launches, handovers) = (gaps(false), gaps(true));
        let first = best(ops, &launches, &handovers);
        let between = |found: Ticks, tried: &[u64]| {
            let at = tried.partition_point(|&it| it < found.0);
            let from = tried.get(at.saturating_sub(1)).copied().unwrap_or(found.0);
            let to = tried.get(at + 1).copied().unwrap_or(found.0);
            let steps = (0..=2 * STEPS).map(|step| from + (to - from) * step / (2 * STEPS));
            let mut steps: Vec<u64> = steps.chain([found.0]).collect();
            steps.sort_unstable();
            steps.dedup();
            steps
        };
        best(ops, &between(first.launch, &launches), &between(first.handover, &handovers))
    }
}

/// The fractions, 0 to 1, of the kernels in the second half of a profile whose start is predicted
/// right: off by at most 2 us plus 5 % of the recorded wait from the launch call to the start. The
/// prediction knows waits for other ops alone, not waits for room or for a copy engine.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct HalvesFit {
    /// The number of kernels in the second half of the profile whose launch call was recorded.
    pub kernels: u64,
    /// The fraction of kernels whose start is predicted right (off by at most 2 us plus 5 % of the
    /// wait) by a latency that was fitted to the second half itself.
    pub own: f64,
    /// The fraction of kernels whose start is predicted right (off by at most 2 us plus 5 % of the
    /// wait) by a latency that was fitted to the first half.
    pub first: f64,
}

/// The recorded times of one op (kernel, copy or fill), in ns, from which its start under a given
/// launch latency is computed.
#[derive(Clone)]
struct WaitingOp {
    arrival: u64,
    start: u64,
    end: u64,
    /// The time in ns for which the op (kernel, copy or fill) runs by itself, without the time for
    /// which it waited for another op.
    lasts: u64,
    /// The indices of the earlier ops (kernels, copies, fills) for which the op waits.
    after: Vec<usize>,
    /// True if the op is a kernel whose launch call was recorded.
    known: bool,
    /// The recorded time in ns from the end of the ops for which this op waits to its start, for an
    /// op of a graph other than the graph's first; `None` for any other op.
    gap: Option<u64>,
}

impl WaitingOp {
    fn all(profile: &Profile, options: &PlanConfig<'_>) -> Vec<Self> {
        let mut waits = options.waits_of(profile).into_iter().peekable();
        let one = |(position, op): (usize, &raddle_trace::Op)| {
            let mut after: Vec<usize> = op.after.map(|at| at as usize).into_iter().collect();
            while let Some(wait) = waits.next_if(|wait| wait.task as usize <= position) {
                after.push(wait.source as usize);
            }
            after.retain(|&at| at < position);
            let launched = op.provenance.of(Field::Arrival) != Origin::Assumed;
            let ended = after.iter().map(|&at| profile.ops[at].end_ns()).max();
            let gap = op.start_ns.saturating_sub(ended.unwrap_or(op.start_ns));
            Self {
                gap: is_later_in_graph(profile, op).then_some(gap),
                arrival: op.arrival_ns,
                start: op.start_ns,
                end: op.end_ns(),
                lasts: profile.own_ns(position),
                after,
                known: launched && op.kind == OpKind::Kernel,
            }
        };
        profile.ops.iter().enumerate().map(one).collect()
    }
}

/// Returns the latencies in ns that the search tries: 0, and the deciles and the mean of the
/// recorded latencies. A recorded latency runs from the issue of a kernel to its start or, with
/// `queued`, from the end of the ops for which the kernel waited to its start.
fn candidates(ops: &[WaitingOp], queued: bool) -> Vec<u64> {
    let gaps = ops.iter().filter(|op| op.known && op.gap.is_none()).filter_map(|op| {
        let ended = op.after.iter().map(|&at| ops[at].end).max();
        match ended.filter(|&ended| ended >= op.arrival) {
            Some(ended) => queued.then(|| op.start.checked_sub(ended))?,
            None => (!queued).then(|| op.start.checked_sub(op.arrival))?,
        }
    });
    let mut gaps: Vec<u64> = gaps.collect();
    gaps.sort_unstable();
    let mut tried = vec![0];
    if !gaps.is_empty() {
        let sum: u128 = gaps.iter().map(|&gap| u128::from(gap)).sum();
        tried.extend((1..10).map(|tenth| percentile(&gaps, tenth * 10)));
        tried.extend(u64::try_from(sum / gaps.len() as u128));
    }
    tried.sort_unstable();
    tried.dedup();
    tried
}

/// Returns the pair of latencies in ns, one of `launches` and one of `handovers`, under which the
/// start of the most kernels is right: off by at most 2 us plus 5 % of the recorded wait. Of
/// equally good pairs, returns the one with the smaller sum of errors.
fn best(ops: &[WaitingOp], launches: &[u64], handovers: &[u64]) -> LaunchLatency {
    let mut ends = vec![0; ops.len()];
    let mut found: Option<((u64, std::cmp::Reverse<u128>), LaunchLatency)> = None;
    for &launch in launches {
        for &handover in handovers {
            let score = tried(ops, launch, handover, &mut ends);
            if found.is_none_or(|(best, _)| score > best) {
                let latency = LaunchLatency { launch: Ticks(launch), handover: Ticks(handover) };
                found = Some((score, latency));
            }
        }
    }
    found.map(|(_, latency)| latency).unwrap_or_default()
}

/// Returns (number of kernels whose start is right, sum of all errors in ns), if kernels start
/// `launch` ns after their issue and `handover` ns after the end of the work for which they wait. A
/// start is right if it is off by at most 2 us plus 5 % of the recorded wait. The sum is reversed,
/// so that a smaller one compares as greater.
fn tried(
    ops: &[WaitingOp],
    launch: u64,
    handover: u64,
    ends: &mut [u64],
) -> (u64, std::cmp::Reverse<u128>) {
    let (mut within, mut off) = (0, 0);
    for (position, op) in ops.iter().enumerate() {
        let ended = op.after.iter().map(|&at| ends[at]).max().unwrap_or(0);
        let mut start = op.arrival.saturating_add(launch);
        if ended > op.arrival {
            start = start.max(ended.saturating_add(op.gap.unwrap_or(handover)));
        }
        ends[position] = start.saturating_add(op.lasts);
        if op.known {
            let error = start.abs_diff(op.start);
            within +=
                u64::from(LaunchLatency::is_within(error, op.start.saturating_sub(op.arrival)));
            off += u128::from(error);
        }
    }
    (within, std::cmp::Reverse(off))
}
