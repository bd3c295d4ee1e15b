//! How well does a profile that is replayed on its own device agree with what was recorded?
//!
//! Three comparisons, in nanoseconds. *Waits*: from launch to start, simulated against recorded.
//! *Busy time*: how long at least one kernel ran. *Order*: which of two kernels started first.
//! Differences are split into [`DifferencePart`]s that add up to them exactly.
//!
//! The makespan is reported but proves little: in an open loop it follows the recorded launch
//! times. No arrival is ever taken from a start; kernels without a recorded launch have no wait to
//! compare.

mod both;
mod busy;
mod cause;
mod gaps;
mod off;
mod order;
mod waits;

use raddle_sim::{Outcome, PlanConfig};
use raddle_trace::{Field, OpKind, Origin, Profile};
use serde::{Deserialize, Serialize};

use both::both;
pub use busy::BusyTime;
pub use order::StartOrder;
pub use waits::Waits;

/// Comparison of a recording with its replay: waits, busy time, and order of kernel starts.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Fidelity {
    /// Number of kernel launches in the profile.
    pub kernels: u64,
    /// Number of kernel launches that ran to their end in the simulation.
    pub ran: u64,
    /// Number of kernel launches whose recorded duration was shorter than one step of the recording
    /// clock. Half a step is taken as their duration, in the recording and in the simulation alike.
    pub assumed_durations: u64,
    /// Comparison of the waits of kernels from launch to start; `None` where no kernel that ran has
    /// a recorded launch time.
    pub waits: Option<Waits>,
    /// Comparison of the time in which at least one kernel ran, between recording and replay.
    pub busy: BusyTime,
    /// Comparison of the order in which kernels started in the replay with that of the recording.
    pub order: StartOrder,
    /// Time from the start of the recording to its last end, in nanoseconds.
    pub recorded_makespan_ns: u64,
    /// Time from the start of the simulation to its last end, in nanoseconds.
    pub simulated_makespan_ns: u64,
}

impl Fidelity {
    /// Compares a profile with its replay. `outcome` must come from a replay of the profile alone
    /// that began at time 0 and ran it once. `options` are those by which that replay was planned,
    /// which must run on the device of the recording.
    #[must_use]
    pub fn new(profile: &Profile, options: &PlanConfig<'_>, outcome: &Outcome) -> Self {
        let ops = both(profile, options, outcome);
        let kernels = || profile.ops.iter().filter(|op| op.kind == OpKind::Kernel);
        let assumed = |op: &&raddle_trace::Op| op.provenance.of(Field::Duration) == Origin::Assumed;
        Self {
            kernels: kernels().count() as u64,
            ran: ops.iter().filter(|op| op.kernel && op.ran()).count() as u64,
            assumed_durations: kernels().filter(assumed).count() as u64,
            waits: Waits::of(&ops),
            busy: BusyTime::of(&ops),
            order: StartOrder::of(&ops),
            recorded_makespan_ns: profile.span_ns,
            simulated_makespan_ns: outcome.last.0,
        }
    }
}

/// Part of a difference between a replay and its recording: the time that one cause explains.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct DifferencePart {
    /// Name of the cause of the difference, in kebab-case.
    pub cause: &'static str,
    /// Time that this cause adds to the difference between the replay and its recording, in ns;
    /// negative where it takes time away.
    pub ns: i64,
    /// Time that this cause adds to the difference between the replay and its recording, as a
    /// fraction of a whole (the sum of all errors, or the recorded time); negative where it takes
    /// time away.
    pub share: f64,
    /// Explanation of the cause in words, for people.
    #[serde(skip)]
    pub explanation: &'static str,
}

impl DifferencePart {
    fn new(cause: &'static str, explanation: &'static str, ns: i128, of: i128) -> Self {
        Self { cause, ns: narrow(ns), share: share(ns, of), explanation }
    }
}

/// Errors of a replay of a profile alone on its own device, compared with the recording.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ModelError {
    /// Error of the busy time (in which at least one kernel ran), as a fraction of the recorded
    /// one; above 0 the simulated time is longer.
    pub busy: f64,
    /// Error of the busy time, as a fraction, in a replay without fitted durations of workgroups;
    /// `None` where no durations were fitted, as no kernels ran side by side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uncalibrated: Option<f64>,
    /// Error of the makespan, as a fraction of the recorded one; above 0 the last launch ended
    /// later than recorded.
    pub makespan: f64,
    /// Fraction of the kernels whose wait from launch to start is wrong by at most 2 us + 5 % of
    /// the recorded wait (the goal of `docs/fidelity.md`); `None` where no launch time was
    /// recorded.
    pub within: Option<f64>,
}

impl ModelError {
    /// Returns the errors of a replay from its comparison with the recording.
    #[must_use]
    pub fn of(found: &Fidelity) -> Self {
        let (recorded, simulated) = (found.recorded_makespan_ns, found.simulated_makespan_ns);
        Self {
            busy: found.busy.difference,
            uncalibrated: None,
            makespan: share(i128::from(simulated) - i128::from(recorded), i128::from(recorded)),
            within: found.waits.as_ref().map(|waits| waits.within),
        }
    }
}

impl std::fmt::Display for ModelError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "busy {:+.1} %", self.busy * 100.0)?;
        if let Some(before) = self.uncalibrated {
            write!(f, " ({:+.1} % uncalibrated)", before * 100.0)?;
        }
        write!(f, ", makespan {:+.1} %", self.makespan * 100.0)?;
        match self.within {
            Some(within) => write!(f, ", {:.0} % of waits as recorded", within * 100.0),
            None => Ok(()),
        }
    }
}

/// Divides `part` by `whole`, rounded to four decimals, with its sign; 0 where `whole` is 0.
fn share(part: i128, whole: i128) -> f64 {
    if whole == 0 {
        return 0.0;
    }
    // Adding 0 turns a -0 from rounding into a plain 0.
    (part as f64 / whole as f64 * 10_000.0).round() / 10_000.0 + 0.0
}

fn narrow(ns: i128) -> i64 {
    i64::try_from(ns).unwrap_or(if ns < 0 { i64::MIN } else { i64::MAX })
}

#[cfg(test)]
mod tests;
