//! Which twin (naive model of the rules) checks the policy of each slot of a recipe?

use raddle_policy::CuShape;
use raddle_preempt::Abilities;
use serde_json::Value;

use super::addressed::Addressed;
use super::baselines::Baseline;
use super::block_warp::BlockWarp;
use super::leaving::Leaving;
use super::matching::Matching;
use super::path::Path;
use super::placing::PlacingTwin;
use super::report::Slot;
use super::slices::Slices;
use super::spatial::Spatial;
use super::turning::{TurnTwin, Turning};
use super::turns;
use super::vruntime::Vruntime;

fn name(slot: &Value) -> &str {
    slot["policy"].as_str().unwrap_or("?")
}

/// Makes the report's entry for a slot (place for one policy of the run) whose policy has no twin
/// (naive model).
fn without(slot: &'static str, policy: &str, answers: &'static str) -> Slot {
    let why = "there is no twin of this policy".to_owned();
    Slot { unchecked: Some(why), ..Slot::new(slot, policy, String::new(), answers) }
}

/// Returns (entry of the report for the allocate policy; the policy's twin, a naive model, or
/// `None` where there is none).
pub(super) fn allocate(
    slot: &Value,
    shape: &CuShape,
    cus: u16,
) -> (Slot, Option<Box<dyn PlacingTwin>>) {
    let policy = name(slot);
    let twin: Result<(String, Box<dyn PlacingTwin>), String> = match policy {
        "matching" => Matching::new(slot, shape, cus).map(|twin| {
            let by = format!("seed 000 {}", Matching::steps(slot));
            (by, Box::new(twin) as Box<dyn PlacingTwin>)
        }),
        "block-warp" => {
            let twin = BlockWarp::new(slot, shape, cus);
            Ok(("seed 003 G1 to G6, L1 to L5".to_owned(), Box::new(twin)))
        }
        "greedy" | "round-robin" if slot["addresses"] == true => Addressed::new(slot, shape, cus)
            .map(|twin| (baselines(), Box::new(twin) as Box<dyn PlacingTwin>)),
        "greedy" | "round-robin" | "leftover" => {
            Ok((baselines(), Box::new(Baseline::new(slot, shape, cus))))
        }
        "spatial" => Ok((baselines(), Box::new(Spatial::new(slot, shape, cus)))),
        _ => return (without("allocate", policy, "placements"), None),
    };
    let new = |by| Slot::new("allocate", policy, by, "placements");
    match twin {
        Ok((by, twin)) => (new(by), Some(twin)),
        Err(why) => (Slot { unchecked: Some(why), ..new(String::new()) }, None),
    }
}

fn baselines() -> String {
    "docs/policies/baselines.md".to_owned()
}

/// Returns (entry of the report for the turn policy; the policy's twin, a naive model, or `None`
/// where there is none).
pub(super) fn turn(slot: &Value) -> (Slot, Option<Turning>) {
    let policy = name(slot);
    let twin: Box<dyn TurnTwin> = match policy {
        "weighted-slices" => Box::new(Slices::new(slot)),
        "round-robin" => Box::new(turns::RoundRobin::new(slot)),
        "unmap-all" => Box::new(turns::UnmapAll::new(slot)),
        "vruntime" => Box::new(Vruntime::new(slot)),
        "highest-level" => Box::new(turns::HighestLevel),
        "everyone" => Box::new(turns::Everyone),
        _ => return (without("turn", policy, "turns"), None),
    };
    let by = match policy {
        "weighted-slices" => "seed 004 S11 to S23",
        _ => "docs/policies/weighted-slices.md",
    };
    (Slot::new("turn", policy, by.to_owned(), "turns"), Some(Turning::new(twin)))
}

/// Returns (entry of the report for the preempt policy; the policy's twin, a naive model, or `None`
/// where there is none).
pub(super) fn preempt(slot: &Value, abilities: Abilities) -> (Slot, Option<Leaving>) {
    let policy = name(slot);
    let by = match policy {
        "flag" | "reset" => "seed 001 S3.2, S3.3",
        _ => "docs/policies/preempt.md",
    };
    let checked = Slot::new("preempt", policy, by.to_owned(), "preemptions");
    match Leaving::new(slot, abilities) {
        Ok(leaving) => (checked, Some(leaving)),
        Err(why) => (Slot { unchecked: Some(why), ..checked }, None),
    }
}

/// Returns (entry of the report for the launch path; its twin, a naive model, or `None` where there
/// is none).
pub(super) fn path(slot: &Value) -> (Slot, Option<Path>) {
    let policy = name(slot);
    let (by, twin) = match policy {
        "ordinary" => ("docs/policies/condensed-packets.md", Path::ordinary(slot)),
        "condensed" => ("seed 002 302 to 310, 602 to 612", Path::condensed(slot)),
        _ => return (without("launch-path", policy, "submissions"), None),
    };
    (Slot::new("launch-path", policy, by.to_owned(), "submissions"), Some(twin))
}
