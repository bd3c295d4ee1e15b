//! Where do the figures of a profile come from, and how long did kernels wait for their start?

use raddle_sim::percentile;
use raddle_trace::{Field, Op, Origin, Profile};
use serde::Serialize;

use crate::launches::{OriginShares, kernels};

/// The origins of one field.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct FieldOrigins {
    /// The name of the field.
    pub field: &'static str,
    /// The shares of the launches by origin.
    #[serde(flatten)]
    pub shares: OriginShares,
}

/// Returns the origins of every field that is not always measured.
pub(super) fn origins(profile: &Profile) -> Vec<FieldOrigins> {
    let all: Vec<&Op> = kernels(profile).collect();
    let origins =
        |field: Field| FieldOrigins { field: field.name(), shares: OriginShares::of(&all, field) };
    Field::ALL.map(origins).to_vec()
}

/// Waits from launch to start, of kernels whose launch is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct LaunchWaits {
    /// The number of kernels whose launch is recorded; the shares of their origins are in
    /// [`FieldOrigins`].
    pub known: u64,
    /// The median of the waits.
    pub wait_p50_ns: u64,
    /// The 99th percentile of the waits, nearest rank.
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
