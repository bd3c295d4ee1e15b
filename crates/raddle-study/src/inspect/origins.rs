//! Which figures of a profile were measured or assumed, and how long did kernels wait to start?

use raddle_sim::percentile;
use raddle_trace::{Field, Op, Origin, Profile};
use serde::Serialize;

use crate::launches::{OriginShares, kernels};

/// Origins of one field of the recorded launches. They are fractions of the launches for which the
/// field was measured, joined from other records, assumed, or is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct FieldOrigins {
    /// Name of the field of launches whose origins are counted, such as the arrival of a launch.
    pub field: &'static str,
    /// Fractions of the launches by the origin of the field: measured, joined from other records,
    /// assumed or unknown.
    #[serde(flatten)]
    pub shares: OriginShares,
}

/// Returns the origins of each field of the launches whose origin is tracked, such as the arrival.
pub(super) fn origins(profile: &Profile) -> Vec<FieldOrigins> {
    let all: Vec<&Op> = kernels(profile).collect();
    let origins =
        |field: Field| FieldOrigins { field: field.name(), shares: OriginShares::of(&all, field) };
    Field::ALL.map(origins).to_vec()
}

/// Waits of kernels from launch to start, over those whose launch time was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct LaunchWaits {
    /// Number of kernels whose launch time was recorded.
    pub known: u64,
    /// Median of the recorded waits of kernels from launch to start, in ns.
    pub wait_p50_ns: u64,
    /// 99th percentile (nearest rank) of the recorded waits of kernels from launch to start, in ns.
    pub wait_p99_ns: u64,
}

impl LaunchWaits {
    pub(super) fn of(profile: &Profile) -> Self {
        let known = |op: &&Op| op.provenance.of(Field::Arrival) != Origin::Assumed;
        let waits =
            kernels(profile).filter(known).map(|op| op.start_ns.saturating_sub(op.arrival_ns));
        let mut waits: Vec<u64> = waits.collect();
        waits.sort_unstable();
        Self {
            known: waits.len() as u64,
            wait_p50_ns: percentile(&waits, 50),
            wait_p99_ns: percentile(&waits, 99),
        }
    }
}
