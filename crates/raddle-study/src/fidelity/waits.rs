//! How long did kernels wait from launch to start, and why does the simulated wait differ?
//!
//! A wait is start - arrival, in ns. The arrival is the same in both worlds, so the error of a wait
//! is simulated start - recorded start; `off` says where each comes from.

use raddle_sim::{LaunchLatency, percentile};
use serde::Serialize;

use super::both::Both;
use super::cause::WaitCause;
use super::gaps::gaps;
use super::off::{StartError, all_off};
use super::{DifferencePart, share};

/// Least fraction of the kernels whose waits must be within the goal for the replay to keep it:
/// half of them, so that the median kernel is within it.
const WITHIN_GOAL: f64 = 0.5;
/// Length of a recorded wait in ns below which it counts as short.
const SHORT_NS: u64 = 100_000;

/// Comparison of the waits from launch to start, over the kernels that ran and whose launch was
/// recorded.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Waits {
    /// Number of kernels that ran, have a recorded launch, and are compared.
    pub kernels: u64,
    /// Number of kernels that ran and are left out, as their launch was not recorded.
    pub left_out: u64,
    /// Median of the recorded waits, in ns.
    pub recorded_p50_ns: u64,
    /// 95th percentile of the recorded waits by nearest rank, in ns.
    pub recorded_p95_ns: u64,
    /// Median of |simulated - recorded| over the waits, in ns.
    pub error_p50_ns: u64,
    /// 95th percentile of |simulated - recorded| over the waits, in ns.
    pub error_p95_ns: u64,
    /// Median of the relative errors |simulated - recorded| / recorded, over the waits that are not
    /// 0; a fraction.
    pub relative_p50: f64,
    /// 95th percentile of the relative errors |simulated - recorded| / recorded, over the waits
    /// that are not 0; a fraction.
    pub relative_p95: f64,
    /// Number of kernels with a recorded wait of 0, which have no relative error.
    pub zero_waits: u64,
    /// Fraction of the kernels whose error is at most 2 us + 5 % of the recorded wait. From 0.5 on,
    /// the median kernel is within this goal.
    pub within: f64,
    /// Number of kernels that waited less than 100 us: for such waits the goal of 5 % is a very
    /// short time.
    pub short: u64,
    /// Fraction of the kernels with waits below 100 us that are within the goal; 0 where there are
    /// none.
    pub short_within: f64,
    /// Number of kernels that start earlier than recorded.
    pub early: u64,
    /// Number of kernels that start later than recorded.
    pub late: u64,
    /// Median of the error in ns that a kernel adds to the error of the op it waits for.
    pub own_error_p50_ns: u64,
    /// 95th percentile of the error in ns that a kernel adds to the error of the op it waits for.
    pub own_error_p95_ns: u64,
    /// Sum of |simulated - recorded| over the waits, in ns.
    pub error_ns: u64,
    /// Fraction of `error_ns` that kernels take over from the ops that they wait for.
    pub carried: f64,
    /// Parts of `error_ns`, one for each cause, in a fixed order; they add up to it, and their
    /// fractions are of it.
    pub causes: Vec<DifferencePart>,
    /// Number of kernels issued into an idle stream that started while nothing else ran.
    pub launches: u64,
    /// Median of the recorded wait of the kernels counted in `launches`, in ns: the launch latency.
    pub launch_p50_ns: u64,
    /// Number of kernels that waited for the op before them in a queue and started while nothing
    /// else ran.
    pub handovers: u64,
    /// Median of the time from the end of an op to the start of the kernel that follows in its
    /// queue, in ns, over the kernels counted in `handovers`.
    pub handover_p50_ns: u64,
}

/// Kernels whose waits are compared, with all ops and the error of the start of each.
struct Compared<'o> {
    ops: &'o [Both],
    off: Vec<StartError>,
    /// Indices in `ops` of the kernels that ran and whose launch was recorded.
    known: Vec<usize>,
}

impl Compared<'_> {
    fn wait(&self, at: usize) -> u64 {
        self.ops[at].recorded.start.abs_diff(self.ops[at].arrival)
    }

    fn error(&self, at: usize) -> u64 {
        self.off[at].start.unsigned_abs()
    }

    /// Returns the error in ns that the kernel with the index `at` adds to the start error of the
    /// op that it waits for.
    fn own_error(&self, at: usize) -> u64 {
        self.off[at].start.abs_diff(self.off[at].carried)
    }

    fn is_within(&self, at: usize) -> bool {
        LaunchLatency::is_within(self.error(at), self.wait(at))
    }

    /// Divides |error| by the recorded wait, in millionths; `None` where the wait is 0.
    fn relative(&self, at: usize) -> Option<u64> {
        let millionths = u128::from(self.error(at)) * 1_000_000;
        let relative = millionths.checked_div(self.wait(at).into())?;
        Some(u64::try_from(relative).unwrap_or(u64::MAX))
    }

    /// Returns the values of `figure` over the compared kernels, in ascending order; kernels for
    /// which it is `None` are left out.
    fn sorted(&self, figure: impl Fn(usize) -> Option<u64>) -> Vec<u64> {
        let mut figures: Vec<u64> = self.known.iter().filter_map(|&at| figure(at)).collect();
        figures.sort_unstable();
        figures
    }

    fn count(&self, holds: impl Fn(usize) -> bool) -> u64 {
        self.known.iter().filter(|&&at| holds(at)).count() as u64
    }

    /// Returns (fraction of the errors in `total` that kernels take over from the ops that they
    /// wait for, part of each cause in the errors); `total` is the sum of all errors in ns.
    fn sums(&self, total: i128) -> (f64, Vec<DifferencePart>) {
        let (mut carried, mut sums) = (0_i128, [0_i128; WaitCause::ALL.len()]);
        for &at in &self.known {
            let StartError { start, carried: handed_on, parts } = self.off[at];
            let sign = i128::from(start.signum());
            carried += sign * i128::from(handed_on);
            for (sum, &part) in sums.iter_mut().zip(&parts) {
                *sum += sign * i128::from(part);
            }
        }
        let part = |(cause, ns): (WaitCause, i128)| {
            DifferencePart::new(cause.name(), cause.explanation(), ns, total)
        };
        (share(carried, total), WaitCause::ALL.into_iter().zip(sums).map(part).collect())
    }
}

impl Waits {
    /// Returns whether at least half of the kernels are within the goal, an error of at most 2 us +
    /// 5 % of the recorded wait.
    #[must_use]
    pub fn keep_goal(&self) -> bool {
        self.within >= WITHIN_GOAL
    }

    pub(super) fn of(ops: &[Both]) -> Option<Self> {
        let gaps = gaps(ops);
        let ran = || ops.iter().enumerate().filter(|(_, op)| op.kernel && op.ran());
        let known: Vec<usize> = ran().filter(|(_, op)| op.launch_known).map(|(at, _)| at).collect();
        let kernels = known.len() as u64;
        if kernels == 0 {
            return None;
        }
        let these = Compared { ops, off: all_off(ops, &gaps), known };
        let waits = these.sorted(|at| Some(these.wait(at)));
        let errors = these.sorted(|at| Some(these.error(at)));
        let own_errors = these.sorted(|at| Some(these.own_error(at)));
        let relatives = these.sorted(|at| these.relative(at));
        let relative = |percent| share(percentile(&relatives, percent).into(), 1_000_000);
        let alone = |at: usize, queued| {
            let found = gaps[at].is_idle() && is_queued(ops, at) == queued;
            found.then(|| gaps[at].idle.unsigned_abs())
        };
        let launches = these.sorted(|at| alone(at, false));
        let handovers = these.sorted(|at| alone(at, true));
        let total: i128 = errors.iter().map(|&ns| i128::from(ns)).sum();
        let (carried, causes) = these.sums(total);
        Some(Self {
            kernels,
            left_out: ran().count() as u64 - kernels,
            recorded_p50_ns: percentile(&waits, 50),
            recorded_p95_ns: percentile(&waits, 95),
            error_p50_ns: percentile(&errors, 50),
            error_p95_ns: percentile(&errors, 95),
            relative_p50: relative(50),
            relative_p95: relative(95),
            zero_waits: kernels - relatives.len() as u64,
            within: share(these.count(|at| these.is_within(at)).into(), kernels.into()),
            short: these.count(|at| these.wait(at) < SHORT_NS),
            short_within: share(
                these.count(|at| these.wait(at) < SHORT_NS && these.is_within(at)).into(),
                these.count(|at| these.wait(at) < SHORT_NS).into(),
            ),
            early: these.count(|at| these.off[at].start < 0),
            late: these.count(|at| these.off[at].start > 0),
            own_error_p50_ns: percentile(&own_errors, 50),
            own_error_p95_ns: percentile(&own_errors, 95),
            error_ns: u64::try_from(total).unwrap_or(u64::MAX),
            carried,
            causes,
            launches: launches.len() as u64,
            launch_p50_ns: percentile(&launches, 50),
            handovers: handovers.len() as u64,
            handover_p50_ns: percentile(&handovers, 50),
        })
    }
}

/// Returns whether the op with the index `at` was issued before an op that it waits for had ended.
fn is_queued(ops: &[Both], at: usize) -> bool {
    ops[at].before(ops).any(|(_, before)| before.recorded.end >= ops[at].arrival)
}
