//! Where do the baselines put every workgroup, cycle by cycle?
//!
//! `{"algorithm":"round-robin","cus":64,"groups":4000,"kernel":{"threads":256,"vgpr":32,"sgpr":16,
//! "lds":4096}}` is answered with the hash over all placements and the cycles that they took.
//! Times are cycles, registers and LDS as the contract counts them (LDS in bytes).

pub mod contract;
mod explain;

use raddle_dispatch::read::FaultKind;
use serde::Serialize;
use serde_json::Value;

use crate::fault::{Fault, check, fault, read_at};
use crate::{Topic, json};
use contract::{PlacementOutcome, Replay};

pub(crate) const TOPIC: Topic = Topic {
    name: "placement",
    // The largest of the contract's kernels, whose workgroup 600 the contract shows.
    example: r#"{"algorithm":"round-robin","cus":64,"groups":4000,"kernel":{"threads":128,"vgpr":128,"sgpr":96,"lds":8192}}"#,
    answer: |value| Ok(answer_of(&run(&question(value)?, &mut |_| {})?)),
    explain: explain::explain,
};

/// Larger replays would take minutes.
const MOST_GROUPS: u64 = 100_000_000;

#[derive(Serialize)]
struct PlacementAnswer {
    fnv1a: String,
    cycles: u64,
}

fn question(value: &Value) -> Result<Replay, Fault> {
    let replay: Replay = read_at(value, "")?;
    check(replay.cus.into(), &(1..=u64::from(u16::MAX)), "/cus")?;
    check(replay.groups, &(0..=MOST_GROUPS), "/groups")?;
    check(replay.kernel.threads.into(), &(1..=u64::from(u32::MAX)), "/kernel/threads")?;
    Ok(replay)
}

/// Runs it; a kernel that fits no compute unit is a fault of the question.
fn run(question: &Replay, row: &mut dyn FnMut(&str)) -> Result<PlacementOutcome, Fault> {
    question.run(row).map_err(fault(FaultKind::Inconsistent, "/kernel"))
}

fn answer_of(outcome: &PlacementOutcome) -> String {
    json(&PlacementAnswer { fnv1a: format!("{:016x}", outcome.fnv1a), cycles: outcome.cycles })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn no_workgroups_end_at_the_first_tick() {
        let line = json!({"algorithm": "greedy", "cus": 1, "groups": 0,
            "kernel": {"threads": 1, "vgpr": 0, "sgpr": 0, "lds": 0}});
        let answer = (TOPIC.answer)(&line).unwrap();
        assert_eq!(answer, r#"{"fnv1a":"cbf29ce484222325","cycles":1}"#);
    }
}
