//! Which twin stands beside the policy of each slot?

use raddle_policy::CuShape;
use serde_json::Value;

use super::matching::Matching;
use super::placing::PlacingTwin;
use super::report::Slot;

fn name(slot: &Value) -> &str {
    slot["policy"].as_str().unwrap_or("?")
}

/// A policy that has no twin.
fn without(slot: &'static str, policy: &str, answers: &'static str) -> Slot {
    let why = "there is no twin of this policy".to_owned();
    Slot { unchecked: Some(why), ..Slot::new(slot, policy, String::new(), answers) }
}

/// The allocate policy.
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
        _ => return (without("allocate", policy, "placements"), None),
    };
    let new = |by| Slot::new("allocate", policy, by, "placements");
    match twin {
        Ok((by, twin)) => (new(by), Some(twin)),
        Err(why) => (Slot { unchecked: Some(why), ..new(String::new()) }, None),
    }
}

/// The turn policy.
pub(super) fn turn(slot: &Value) -> Slot {
    without("turn", name(slot), "turns")
}

/// The preempt policy.
pub(super) fn preempt(slot: &Value) -> Slot {
    without("preempt", name(slot), "preemptions")
}

/// The launch path.
pub(super) fn path(slot: &Value) -> Slot {
    let policy = name(slot);
    match policy {
        "ordinary" | "condensed" => {
            Slot::new("launch-path", policy, "its page".to_owned(), "submissions")
        }
        _ => without("launch-path", policy, "submissions"),
    }
}
