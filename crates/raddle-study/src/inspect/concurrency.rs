//! How many kernels run at a time, and for how long?

use raddle_trace::Profile;
use serde::Serialize;

use crate::launches::{ConcurrentTime, kernels};
use crate::units::share;

/// Times for which 0, 1, 2, and 3 or more kernels of a recording ran side by side, in ns.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Concurrency {
    pub(crate) none_ns: u64,
    pub(crate) one_ns: u64,
    pub(crate) two_ns: u64,
    pub(crate) more_ns: u64,
    /// Fractions of the length of the recording in which 0, 1, 2, and 3 or more kernels ran side by
    /// side, in this order.
    pub shares: [f64; 4],
    /// Time of the recording in which at least one kernel ran, in ns.
    pub busy_ns: u64,
    /// Largest number of kernels that ran at the same moment.
    pub most: u64,
}

impl Concurrency {
    pub(super) fn of(profile: &Profile) -> Self {
        let running = ConcurrentTime::of(kernels(profile).map(|op| (op.start_ns, op.end_ns())));
        let busy_ns = running.at_least_one();
        let none_ns = profile.span_ns.saturating_sub(busy_ns);
        let ConcurrentTime { one, two, more, most } = running;
        let part = |ns: u64| share(ns.into(), profile.span_ns.into());
        Self {
            none_ns,
            one_ns: one,
            two_ns: two,
            more_ns: more,
            shares: [none_ns, one, two, more].map(part),
            busy_ns,
            most,
        }
    }
}
