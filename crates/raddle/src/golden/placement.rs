//! Where do the baselines put every workgroup, cycle by cycle?
//!
//! `{"algorithm":"round-robin","cus":64,"groups":4000,"kernel":{"threads":256,"vgpr":32,"sgpr":16,
//! "lds":4096}}` is answered with the hash over all placements and the cycles that they took.
//! Times are cycles, registers and LDS as the contract counts them (LDS in bytes).

use raddle_golden::placement::contract::{Algorithm, Kernel, Outcome, Replay};
use serde::Serialize;

use super::fault::{Fault, Kind};
use super::read::Fields;

/// Larger replays would keep whoever asks waiting for minutes.
const MOST_GROUPS: u64 = 100_000_000;

#[derive(Serialize)]
struct Placed {
    fnv1a: String,
    cycles: u64,
}

/// Answers one question.
pub(crate) fn answer(fields: &Fields<'_>) -> Result<String, Fault> {
    let question = question(fields)?;
    Ok(answer_of(&run(&question, &mut |_| {})?))
}

/// The answer as JSON.
pub(crate) fn answer_of(outcome: &Outcome) -> String {
    let placed = Placed { fnv1a: format!("{:016x}", outcome.fnv1a), cycles: outcome.cycles };
    // A string and an integer: this cannot fail.
    serde_json::to_string(&placed).unwrap_or_default()
}

/// The replay that a question asks for.
pub(crate) fn question(fields: &Fields<'_>) -> Result<Replay, Fault> {
    fields.only(&["algorithm", "cus", "groups", "kernel"])?;
    let algorithms = [("round-robin", Algorithm::RoundRobin), ("greedy", Algorithm::Greedy)];
    let algorithm = fields.word("algorithm", &algorithms)?;
    let cus = fields.integer("cus", 1..=u64::from(u16::MAX))?;
    let groups = fields.integer("groups", 0..=MOST_GROUPS)?;
    let kernel = fields.object("kernel")?;
    kernel.only(&["threads", "vgpr", "sgpr", "lds"])?;
    // Within the range, so within the type.
    let amount = |key, least| {
        let amount = kernel.integer(key, least..=u64::from(u32::MAX))?;
        Ok(u32::try_from(amount).unwrap_or(u32::MAX))
    };
    Ok(Replay {
        algorithm,
        cus: u16::try_from(cus).unwrap_or(u16::MAX),
        groups,
        kernel: Kernel {
            threads: amount("threads", 1)?,
            vgpr: amount("vgpr", 0)?,
            sgpr: amount("sgpr", 0)?,
            lds: amount("lds", 0)?,
        },
    })
}

/// Runs it; a kernel that fits no compute unit is a fault of the question.
pub(crate) fn run(question: &Replay, row: &mut dyn FnMut(&str)) -> Result<Outcome, Fault> {
    question.run(row).map_err(|error| Fault::new(Kind::Inconsistent, "/kernel", error.to_string()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn no_workgroups_end_at_the_first_tick() {
        let line = json!({"algorithm": "greedy", "cus": 1, "groups": 0,
            "kernel": {"threads": 1, "vgpr": 0, "sgpr": 0, "lds": 0}});
        let answer = answer(&Fields::of(&line, "").unwrap()).unwrap();
        assert_eq!(answer, r#"{"fnv1a":"cbf29ce484222325","cycles":1}"#);
    }
}
