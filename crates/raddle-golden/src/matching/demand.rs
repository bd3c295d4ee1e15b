//! How is the demand of a workgroup read, and the demand of its first wave (seed 000, E1, E3)?

use std::collections::BTreeMap;

use raddle_read::{FaultKind, pointer, shown};
use serde::Deserialize;
use serde_json::Value;

use super::model::{Cu, Wants};
use crate::fault::{Fault, has, positive, read_at};

/// (demand of a workgroup, demand of its first wave); the latter is `None` where the workgroup has
/// only one wave, or is not given as a number of waves.
pub(super) type HeadAndPiece = (Wants<String>, Option<Wants<String>>);

type AmountsByName = BTreeMap<String, u64>;

#[derive(Deserialize)]
struct GroupsDemand {
    shared: AmountsByName,
    simds: Vec<AmountsByName>,
}

#[derive(Deserialize)]
struct WavesDemand {
    shared: AmountsByName,
    #[serde(deserialize_with = "positive")]
    waves: u64,
    per_wave: AmountsByName,
    /// Amounts in blocks that each wave takes of the resources that the SIMDs of a compute unit
    /// share.
    #[serde(default)]
    shared_per_wave: AmountsByName,
}

/// Reads a workgroup's demand from a question: the amount that it needs of each resource. For a
/// workgroup of several waves, reads also the demand of its first wave alone, which includes all
/// that the waves share. A fault names `at`, the place of the demand in the question.
pub(super) fn wants(demand: &Value, cus: &[Cu<String>], at: &str) -> Result<HeadAndPiece, Fault> {
    if !is_in_waves(demand) {
        let GroupsDemand { shared, simds } = read_at(demand, at)?;
        return Ok((Wants::Groups { shared, groups: simds }, None));
    }
    let WavesDemand { shared, waves, per_wave, shared_per_wave } = read_at(demand, at)?;
    let at = |name: &str| format!("{at}/shared-per-wave{}", pointer(name));
    let absent = |name: &&String| cus.iter().any(|cu| !cu.shared.contains_key(*name));
    if let Some(name) = shared_per_wave.keys().find(absent) {
        let message = format!("not every compute unit shares a resource `{}`", shown(name));
        return Err(Fault::new(FaultKind::Inconsistent, &at(name), message));
    }
    let of_waves = |waves: u64| -> Result<Wants<String>, Fault> {
        let mut shared = shared.clone();
        for (name, amount) in &shared_per_wave {
            let before = shared.entry(name.clone()).or_default();
            let sum = amount.checked_mul(waves).and_then(|all| before.checked_add(all));
            *before = sum.ok_or_else(|| {
                let message = "so many waves want more than 64 bits count";
                Fault::new(FaultKind::Overflow, &at(name), message)
            })?;
        }
        Ok(Wants::Waves { shared, waves, each: per_wave.clone() })
    };
    let piece = (waves > 1).then(|| of_waves(1)).transpose()?;
    Ok((of_waves(waves)?, piece))
}

/// Returns whether a demand is given as a number of waves, and not as amounts for each SIMD.
pub(super) fn is_in_waves(demand: &Value) -> bool {
    has(demand, "waves") || has(demand, "per-wave")
}
