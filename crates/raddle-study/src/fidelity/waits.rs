//! How long did kernels wait from launch to start, and why does the simulated wait differ?
//!
//! A wait is start - arrival, in ns. The arrival is equal in recording and simulation, so the error
//! of a wait is simulated start - recorded start; the module `off` says what causes it.

use raddle_sim::{LaunchLatency, percentile};
use serde::Serialize;

use super::both::Both;
use super::cause::WaitCause;
use super::gaps::gaps;
use super::off::{StartError, all_off};
use super::{DifferencePart, share};

/// Least fraction of the kernels whose wait must be within the goal (an error of at most 2 us + 5
/// %) for the replay to keep the goal. A half means that the median kernel is within the goal.
const WITHIN_GOAL: f64 = 0.5;
/// Recorded wait, in ns, below which the wait counts as short.
const SHORT_NS: u64 = 100_000;

/// Comparison of the waits of kernels from launch to start, between recording and simulation. Only
/// kernels that ran and whose launch time was recorded are compared.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Waits {
    /// Number of kernels whose waits are compared: those that ran and have a recorded launch time.
    pub kernels: u64,
    /// Number of kernels that ran but are not compared, as their launch time was not recorded.
    pub left_out: u64,
    /// Median of the recorded waits of kernels from launch to start, in ns.
    pub recorded_p50_ns: u64,
    /// 95th percentile (by nearest rank) of the recorded waits of kernels from launch to start, in
    /// ns.
    pub recorded_p95_ns: u64,
    /// Median of the errors |simulated wait - recorded wait| of kernels, in ns.
    pub error_p50_ns: u64,
    /// 95th percentile of the errors |simulated wait - recorded wait| of kernels, in ns.
    pub error_p95_ns: u64,
    /// Median of the relative errors |simulated - recorded| / recorded of the waits of kernels, as
    /// a fraction; recorded waits of 0 are left out.
    pub relative_p50: f64,
    /// 95th percentile of the relative errors |simulated - recorded| / recorded of the waits of
    /// kernels, as a fraction; recorded waits of 0 are left out.
    pub relative_p95: f64,
    /// Number of kernels with a recorded wait of 0, for which there is no relative error.
    pub zero_waits: u64,
    /// Fraction of the kernels whose simulated wait is within the goal: wrong by at most 2 us + 5 %
    /// of the recorded wait. From 0.5 on, the median kernel is within it.
    pub within: f64,
    /// Number of kernels with a recorded wait below 100 us; 5 % of such a wait is below 5 us.
    pub short: u64,
    /// Fraction of the kernels with recorded waits below 100 us whose simulated wait is wrong by at
    /// most 2 us + 5 %; 0 where there are no such kernels.
    pub short_within: f64,
    /// Number of compared kernels that start earlier in the simulation than in the recording.
    pub early: u64,
    /// Number of compared kernels that start later in the simulation than in the recording.
    pub late: u64,
    /// Median of the start error, in ns, that a kernel adds to the error inherited from the ops
    /// (launches, copies and fills) that it waits for.
    pub own_error_p50_ns: u64,
    /// 95th percentile of the start error, in ns, that a kernel adds to the error inherited from
    /// the ops (launches, copies and fills) that it waits for.
    pub own_error_p95_ns: u64,
    /// Sum of the errors |simulated wait - recorded wait| over all compared kernels, in ns.
    pub error_ns: u64,
    /// Fraction of the sum of all errors (`error_ns`) that kernels inherit from the ops (launches,
    /// copies and fills) that they wait for.
    pub carried: f64,
    /// Parts of the sum of all errors of waits (`error_ns`), one for each cause, in a fixed order.
    /// Their times add up to that sum, and their fractions are of it.
    pub causes: Vec<DifferencePart>,
    /// Number of kernels that were issued into an idle stream and started while nothing else ran,
    /// so that their wait is launch latency.
    pub launches: u64,
    /// Median of the recorded waits, in ns, of the kernels that were issued into an idle stream and
    /// started while nothing else ran: the launch latency of an idle stream.
    pub launch_p50_ns: u64,
    /// Number of kernels that were issued before an op (launch, copy or fill) that they wait for
    /// had ended, and that started while nothing else ran.
    pub handovers: u64,
    /// Median time, in ns, from the end of the last op (launch, copy or fill) that a kernel waits
    /// for to the start of the kernel, over the kernels (counted in `handovers`) issued before that
    /// end.
    pub handover_p50_ns: u64,
}

/// Kernels whose waits are compared, beside all ops (launches, copies and fills) and the start
/// errors of these.
struct Compared<'o> {
    ops: &'o [Both],
    off: Vec<StartError>,
    /// Indices in `ops` of the compared kernels: those that ran and whose launch time was recorded.
    known: Vec<usize>,
}

impl Compared<'_> {
    fn wait(&self, at: usize) -> u64 {
        self.ops[at].recorded.start.abs_diff(self.ops[at].arrival)
    }

    fn error(&self, at: usize) -> u64 {
        self.off[at].start.unsigned_abs()
    }

    /// Returns the start error, in ns, that the kernel with the index `at` adds to the error
    /// inherited from the launches, copies and fills that it waits for.
    fn own_error(&self, at: usize) -> u64 {
        self.off[at].start.abs_diff(self.off[at].carried)
    }

    fn is_within(&self, at: usize) -> bool {
        LaunchLatency::is_within(self.error(at), self.wait(at))
    }

    /// Returns the error of the wait of the kernel with the index `at`, in millionths of the
    /// recorded wait; `None` where the recorded wait is 0.
    fn relative(&self, at: usize) -> Option<u64> {
        let millionths = u128::from(self.error(at)) * 1_000_000;
        let relative = millionths.checked_div(self.wait(at).into())?;
        Some(u64::try_from(relative).unwrap_or(u64::MAX))
    }

    /// Returns the values of `figure` for the compared kernels, in ascending order; a kernel for
    /// which `figure` returns `None` is left out.
    fn sorted(&self, figure: impl Fn(usize) -> Option<u64>) -> Vec<u64> {
        let mut figures: Vec<u64> = self.known.iter().filter_map(|&at| figure(at)).collect();
        figures.sort_unstable();
        figures
    }

    fn count(&self, holds: impl Fn(usize) -> bool) -> u64 {
        self.known.iter().filter(|&&at| holds(at)).count() as u64
    }

    /// Returns (fraction of `total` that kernels inherit from the launches, copies and fills that
    /// they wait for, part that each cause has in `total`). `total` is the sum of all errors of
    /// waits in ns.
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
    /// Returns whether at least half of the kernels have a simulated wait that is wrong by at most
    /// 2 us + 5 % of the recorded wait.
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

/// Returns whether the op (launch, copy or fill) with the index `at` was issued while an op that it
/// waits for had not yet ended.
fn is_queued(ops: &[Both], at: usize) -> bool {
    ops[at].before(ops).any(|(_, before)| before.recorded.end >= ops[at].arrival)
}
