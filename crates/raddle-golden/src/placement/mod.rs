//! Where do the algorithms of the placement contract (a fixed test run with known results) put
//! every workgroup, cycle by cycle?
//!
//! `{"algorithm":"round-robin","cus":64,"groups":4000,"kernel":{"threads":256,"vgpr":32,"sgpr":16,
//! "lds":4096}}` is answered with the hash over all placements and the cycles that they took. Times
//! are cycles; LDS is in bytes, registers are those of one work-item or wave.

pub mod contract;
mod explain;

use raddle_read::FaultKind;
use serde::Serialize;
use serde_json::Value;

use crate::explanation::Story;
use crate::fault::{Fault, check, fault, read_at};
use crate::{Topic, json};
use contract::{PlacementOutcome, PlacementReplay};
use explain::PlacementTeller;

pub(crate) const TOPIC: Topic = Topic {
    name: "placement",
    // The largest of the contract's kernels, whose workgroup 600 the contract shows.
    example: r#"{"algorithm":"round-robin","cus":64,"groups":4000,"kernel":{"threads":128,"vgpr":128,"sgpr":96,"lds":8192}}"#,
    solve,
};

/// Most workgroups of a replay of the placement contract (a fixed test run); larger replays would
/// take minutes.
const MOST_GROUPS: u64 = 100_000_000;

#[derive(Serialize)]
struct PlacementAnswer {
    fnv1a: String,
    cycles: u64,
}

fn solve(value: &Value, story: &mut Story) -> Result<String, Fault> {
    let replay: PlacementReplay = read_at(value, "")?;
    check(replay.cus.into(), &(1..=u64::from(u16::MAX)), "/cus")?;
    check(replay.groups, &(0..=MOST_GROUPS), "/groups")?;
    check(replay.kernel.threads.into(), &(1..=u64::from(u32::MAX)), "/kernel/threads")?;
    // A kernel that fits no compute unit is a fault of the question.
    let misfit = fault(FaultKind::Inconsistent, "/kernel");
    let demand = replay.kernel.demand().map_err(&misfit)?;
    let mut teller = PlacementTeller::new(&replay, demand, story);
    let outcome = replay.run(&mut |placed| teller.add(placed)).map_err(misfit)?;
    teller.end(&outcome);
    let PlacementOutcome { fnv1a, cycles, .. } = outcome;
    Ok(json(&PlacementAnswer { fnv1a: format!("{fnv1a:016x}"), cycles }))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn no_workgroups_end_at_the_first_tick() {
        let line = json!({"algorithm": "greedy", "cus": 1, "groups": 0,
            "kernel": {"threads": 1, "vgpr": 0, "sgpr": 0, "lds": 0}});
        let answer = (TOPIC.solve)(&line, &mut Story::default()).unwrap();
        assert_eq!(answer, r#"{"fnv1a":"cbf29ce484222325","cycles":1}"#);
    }
}
