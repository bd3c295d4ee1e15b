//! Which policies of this workspace can a recipe name? Each has a row: name, settings for examples,
//! how it is made.

use raddle_policy::{Allocate, Configured, LaunchPath, NoConfig, Preempt, Turn};
#[cfg(any(feature = "packet", feature = "preempt", feature = "timeslice"))]
use raddle_policy::{Needs, SettingError};
#[cfg(feature = "preempt")]
use raddle_policy::{Preemption, Ticks};
#[cfg(feature = "preempt")]
use raddle_preempt::Abilities;
#[cfg(feature = "preempt")]
use raddle_preempt::policy::{ByRule, CheapestConfig, ResetConfig};
#[cfg(feature = "timeslice")]
use raddle_timeslice::{
    RoundRobinTurnConfig, UnmapAllConfig, VruntimeConfig, WeightedSlicesConfig,
};
use raddle_workgroup::{
    BaselineConfig, Greedy, Leftover, LeftoverConfig, Matching, MatchingConfig, RoundRobin,
    Spatial, SpatialConfig,
};

#[cfg(any(feature = "packet", feature = "preempt", feature = "timeslice"))]
use super::slot::Knowledge;
use super::slot::{SlotPolicies, row, row_knowing};
use crate::slots::{Everyone, HighestLevel, Never, Ordinary, OrdinaryConfig};

/// Returns the launch path policies of this workspace, which decide how launches reach the device.
pub(super) fn launch_paths() -> SlotPolicies<dyn LaunchPath + Send> {
    SlotPolicies::new(
        "launch-path",
        [
            row(
                "ordinary",
                &["packet-ns = 1500\nenqueue-ns = 2000\nprocessing-ns = 3000\nschedule-ns = 1000
                   cleanup-ns = 2000\noverlap = false"],
                |config: &OrdinaryConfig, _| Ok(Box::new(Ordinary::new(*config))),
            ),
            #[cfg(feature = "packet")]
            row_knowing(
                "condensed",
                &["enqueue-ns = 2000\nprocessing-ns = 3000\ndecode-ns = 0\nschedule-ns = 1000
                   cleanup-ns = 2000\nkeep = \"frequency\"\nnear = 9\nentries = 8\nscope = \"queue\"
                   arguments = \"new\"\nsignals = false\nahead = 31\noverlap = false"],
                Knowledge::needs(|_| Needs::CALL),
                |config: &raddle_packet::CondensedConfig, _| {
                    Ok(Box::new(raddle_packet::CondensedPath::new(*config)?))
                },
            ),
        ],
    )
}

/// Returns the turn policies of this workspace, which choose the processes that may issue launches.
pub(super) fn turns() -> SlotPolicies<dyn Turn + Send> {
    SlotPolicies::new(
        "turn",
        [
            row("everyone", &[], |_: &NoConfig, _| Ok(Box::new(Everyone))),
            row("highest-level", &[], |_: &NoConfig, _| Ok(Box::new(HighestLevel))),
            #[cfg(feature = "timeslice")]
            row_knowing(
                "weighted-slices",
                &[
                    "rule = \"mean\"\nt0-us = 40000\ncapacity = 8\nlevels = 16\nshares = \"time\"
                     longest-us = 100000\norder = \"fifo\"",
                    "rule = \"min-one\"\norder = { random = { seed = 7 } }",
                ],
                ends_by_time(),
                |config: &WeightedSlicesConfig, _| {
                    Ok(Box::new(raddle_timeslice::WeightedSlices::new(*config)?))
                },
            ),
            #[cfg(feature = "timeslice")]
            row_knowing(
                "round-robin",
                &["slice-us = 40000"],
                ends_by_time(),
                |config: &RoundRobinTurnConfig, _| {
                    Ok(Box::new(raddle_timeslice::RoundRobinTurn::new(*config)?))
                },
            ),
            #[cfg(feature = "timeslice")]
            row_knowing(
                "unmap-all",
                &["slice-us = 40000\ncapacity = 8"],
                ends_by_time(),
                |config: &UnmapAllConfig, _| {
                    Ok(Box::new(raddle_timeslice::UnmapAll::new(*config)?))
                },
            ),
            #[cfg(feature = "timeslice")]
            row_knowing(
                "vruntime",
                &["slice-us = 40000"],
                ends_by_time(),
                |config: &VruntimeConfig, _| {
                    Ok(Box::new(raddle_timeslice::Vruntime::new(*config)?))
                },
            ),
        ],
    )
}

/// Returns the allocate policies of this workspace, which choose the compute units of workgroups.
pub(super) fn allocates() -> SlotPolicies<dyn Allocate + Send> {
    SlotPolicies::new(
        "allocate",
        [
            row("leftover", &["order = \"level\""], |config: &LeftoverConfig, _| {
                Ok(Box::new(Leftover::new(*config)))
            }),
            row("round-robin", &["addresses = true"], |config: &BaselineConfig, _| {
                Ok(Box::new(RoundRobin::new(*config)))
            }),
            row("greedy", &["addresses = true"], |config: &BaselineConfig, _| {
                Ok(Box::new(Greedy::new(*config)))
            }),
            row("spatial", &["shares = [3, 1]\nof = 8"], |config: &SpatialConfig, _| {
                Ok(Box::new(Spatial::new(config.clone())?))
            }),
            row_knowing(
                "matching",
                Matching::EXAMPLES,
                super::matching::KNOWN,
                |config: &MatchingConfig, on| Ok(Box::new(Matching::make(config, on)?)),
            ),
            #[cfg(feature = "sm")]
            row(
                "block-warp",
                &["strict = false\nchoose = \"lowest\"\nfall-through = false\nbackfill = true
                   whole-blocks-for-barriers = true"],
                |options: &raddle_sm::BlockWarpConfig, _| {
                    Ok(Box::new(raddle_sm::BlockWarp::new(*options)))
                },
            ),
        ],
    )
}

/// Returns the preempt policies of this workspace, which choose how the work of a process leaves
/// the device when the process loses the turn.
pub(super) fn preempts() -> SlotPolicies<dyn Preempt + Send> {
    SlotPolicies::new(
        "preempt",
        [
            row("never", &[], |_: &NoConfig, _| Ok(Box::new(Never))),
            #[cfg(feature = "preempt")]
            row("wait", &[], |_: &NoConfig, _| Ok(Box::new(ByRule::fixed(Preemption::Wait)))),
            #[cfg(feature = "preempt")]
            row_knowing("flag", &[], Knowledge::needs(|_| Needs::FLAG), |_: &NoConfig, _| Ok(Box::new(ByRule::fixed(Preemption::Flag)))),
            #[cfg(feature = "preempt")]
            row("drain", &[], |_: &NoConfig, _| Ok(Box::new(ByRule::fixed(Preemption::Drain)))),
            #[cfg(feature = "preempt")]
            // The controller keeps to `most-kills`, so the policy need not know it.
            row_knowing("reset", &["most-kills = 4"], RESET, |_: &ResetConfig, _| {
                Ok(Box::new(ByRule::wished(Preemption::Reset)))
            }),
            #[cfg(feature = "preempt")]
            row_knowing("switch", &[], Knowledge::needs(|_| Needs::SWITCHES), |_: &NoConfig, _| Ok(Box::new(ByRule::fixed(Preemption::Switch)))),
            #[cfg(feature = "preempt")]
            row_knowing(
                "cheapest",
                &["bound-us = 50\nmost-kills = 4\nabilities = { can-flag = true, can-reset = true }
                   costs = { reset-ns = 10000, bytes-per-us = 1000000, vgpr-bytes = 1024, sgpr-bytes = 64, lds-bytes = 512 }"],
                CHEAPEST,
                |config: &CheapestConfig, _| Ok(Box::new(cheapest(config)?)),
            ),
        ],
    )
}

/// Returns the facts that a recipe must know of a turn policy that may end a turn because its time
/// slice is over. Nothing is filled into the policy's settings.
#[cfg(feature = "timeslice")]
const fn ends_by_time<C>() -> Knowledge<C> {
    Knowledge::needs(|_| Needs::SLICES)
}

#[cfg(feature = "preempt")]
const RESET: Knowledge<ResetConfig> = Knowledge {
    needs: |config| Needs::FLAG.with_most_kills(config.most_kills),
    fill: |config, given| {
        let most_kills = given.most_kills.filter(|_| config.most_kills.is_none());
        most_kills.map(|_| ResetConfig { most_kills })
    },
};

#[cfg(feature = "preempt")]
const CHEAPEST: Knowledge<CheapestConfig> = Knowledge {
    needs: |config| {
        let needs = Needs::FLAG.with_most_kills(config.most_kills);
        let abilities = config.abilities.unwrap_or(Abilities::ALL);
        if abilities.can(Preemption::Switch) { needs.and(Needs::SWITCHES) } else { needs }
    },
    fill: |config, given| {
        let most_kills = config.most_kills.or(given.most_kills);
        let costs = config.costs.or(given.costs);
        let filled = CheapestConfig { most_kills, costs, ..*config };
        (filled != *config).then_some(filled)
    },
};

#[cfg(feature = "preempt")]
fn cheapest(config: &CheapestConfig) -> Result<ByRule, SettingError> {
    const NO_COSTS: &str = "it is missing, and `cheapest` weighs what the device takes: give reset-ns, bytes-per-us, vgpr-bytes, sgpr-bytes and lds-bytes (`raddle replay` fills them in from its device table)";
    let costs = config.costs.ok_or_else(|| SettingError::new("costs", NO_COSTS))?;
    let bound = Ticks(config.bound_us.saturating_mul(1000));
    let abilities = config.abilities.unwrap_or(Abilities::ALL);
    abilities.check().map_err(|error| SettingError::new("abilities", error))?;
    Ok(ByRule::cheapest(bound, abilities, costs).sparing(config.most_kills))
}

#[cfg(test)]
mod tests {
    use raddle_policy::{CuShape, Cus};
    use serde_json::{Value, json};

    use super::*;

    /// Checks that each policy can be made from the sample settings that error messages show as
    /// examples.
    fn check<P: ?Sized + 'static>(policies: &SlotPolicies<P>) {
        let shape = CuShape {
            simds: 4,
            waves_per_simd: 16,
            vgpr_per_simd: 64,
            sgpr: u16::MAX,
            lds: 384,
            workgroups: 32,
            barriers: 512,
        };
        for policy in policies.names() {
            let read = |text: &str| {
                let mut slot: Value = toml::from_str(text).expect(text);
                slot["policy"] = json!(policy);
                policies.read(Some(slot)).expect(text)
            };
            let samples = policies.samples(policy);
            let texts = if samples.is_empty() { &[""] } else { samples };
            for text in texts {
                let slot = read(text);
                let made = slot.make(&Cus::new(shape, 2)).map(drop);
                assert_eq!(made, Ok(()), "{policy}: {text}");
                assert_eq!(policies.read(serde_json::to_value(&slot).ok()).unwrap(), slot);
            }
        }
    }

    #[test]
    fn every_sample_can_be_read_and_used_and_comes_back_from_json() {
        check(&launch_paths());
        check(&turns());
        check(&allocates());
        check(&preempts());
    }
}
