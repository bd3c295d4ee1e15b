//! Which settings of a recipe had no effect on a replay, which costs were unknown, and what could
//! the user change?

use std::collections::BTreeSet;

use raddle_device::Device;
use raddle_dispatch::RefusedReset;
use raddle_policy::{Idempotence, Preemption};
use raddle_sim::{Counters, ProcessPlan, Task, Work, Workload};

use crate::recipes::unknown_prices;
use crate::result::{Overturning, RecipeRun};
use crate::units::{counted, duration, plain};

/// Returns warnings about the replays of all recipes, one line each: settings without effect,
/// unknown costs, processes that waited too long for the device, and policies that make the replay
/// slow.
pub(crate) fn warnings(device: &Device, workload: &Workload, runs: &[RecipeRun]) -> Vec<String> {
    let of = |run: &RecipeRun| {
        [
            never_asked(workload, run),
            never_reset(workload, run),
            unknown_bytes(workload, run),
            unknown_costs(device, run),
            starved(workload, run),
            one_by_one(run),
            folded(workload, run),
        ]
        .into_iter()
        .flatten()
        .map(|warning| format!("{}: {warning}", run.name))
        .collect::<Vec<_>>()
    };
    runs.iter().flat_map(of).collect()
}

/// Warns of recipes in which a policy broke a law (a rule that all policies of its kind must keep),
/// so that another policy decided in its place from then on. `None` where there is no such recipe.
pub(crate) fn replaced(runs: &[RecipeRun]) -> Option<Overturning> {
    let broken = runs.iter().filter(|run| !run.together.replaced.is_empty());
    let (names, warnings): (Vec<&str>, Vec<String>) = broken
        .map(|run| {
            let RecipeRun { name, together, .. } = run;
            let broken = together.replaced.join("; ");
            (
                &**name,
                format!("{name}: a policy broke its law and another one took its place: {broken}"),
            )
        })
        .unzip();
    let first = plain(names.first()?, RECIPE);
    let more = match names.len() {
        1 => String::new(),
        all => format!(" +{} more", all - 1),
    };
    let line = format!("{first}{more}: another policy took the place of one that broke a law");
    Some(Overturning { line, warnings })
}

/// Number of characters to which a warning shortens a recipe's name by cutting out its middle.
const RECIPE: usize = 12;

/// Returns a warning that a recipe's preempt policy was never used: no process lost its turn while
/// it had work on the device. `None` where the policy was used, or never preempts.
fn never_asked(workload: &Workload, run: &RecipeRun) -> Option<String> {
    let [_, turn, _, preempt] = run.recipe.policies();
    if preempt == "never" || run.together.turns.revoked() > 0 || workload.processes.len() < 2 {
        return None;
    }
    let remedy = match turn {
        "everyone" => {
            "with `turn = everyone` every process always has it; take `highest-level` with --priority, or a policy of time slices"
        }
        "highest-level" => "all were of one level at any time: give levels with --priority",
        _ => "no turn ended while launches were submitted",
    };
    Some(format!(
        "preempt `{preempt}` was never asked, as no process lost the turn with work on the device; {remedy}"
    ))
}

/// Returns a warning that a recipe's preempt policy `reset`, which kills launches and runs them
/// again, killed nothing, as no launch is known to be safe to run again. `None` where it killed
/// some, or the recipe has another preempt policy.
fn never_reset(workload: &Workload, run: &RecipeRun) -> Option<String> {
    let [.., preempt] = run.recipe.policies();
    let outcome = &run.together;
    let refused = &outcome.preemptions.refused();
    let because = |why| refused.get(&why).copied().unwrap_or(0);
    let unsafe_ones = because(RefusedReset::NoVerdict) + because(RefusedReset::NotIdempotent);
    if preempt != "reset" || outcome.counters.killed > 0 || unsafe_ones == 0 {
        return None;
    }
    let tasks = || workload.processes.iter().flat_map(|process: &ProcessPlan| &process.tasks);
    let kernels = || tasks().filter(|task: &&Task| matches!(task.work, Work::Kernel { .. }));
    let with = |verdict| kernels().filter(|task| task.idempotent == verdict).count() as u64;
    let all = outcome.latencies.get(&Preemption::Reset).map_or(0, Vec::len);
    Some(format!(
        "reset: 0 of {}, {} no verdict and {} known not to be idempotent, so what runs is waited for: give verdicts with --idempotent, or --idempotent-from FILE",
        counted(all as u64, "preemption", "preemptions"),
        counted(with(Idempotence::Unknown), "launch has", "launches have"),
        counted(with(Idempotence::Not), "is", "are"),
    ))
}

/// Returns a warning about the costs of preemption that are unknown for this device and so count as
/// 0; `None` where there are none, or nothing was preempted.
fn unknown_costs(device: &Device, run: &RecipeRun) -> Option<String> {
    let [.., preempt] = run.recipe.policies();
    let unknown = unknown_prices(&run.recipe, device).into_iter().map(|(key, _)| key);
    let unknown: Vec<&str> = unknown.collect();
    if unknown.is_empty() || run.together.turns.revoked() == 0 {
        return None;
    }
    let unknown = unknown.join(", ");
    Some(format!(
        "{unknown}: unknown for this device, so counted as nothing and `{preempt}` is told too cheap; give them in [preempt]"
    ))
}

/// Time without the device, in ns, from which on a process that has work counts as starved.
const STARVED_NS: u64 = 1_000_000_000;

/// Returns a warning about processes that had work and did not get the device for one second or
/// more at a stretch; `None` where there are none.
fn starved(workload: &Workload, run: &RecipeRun) -> Option<String> {
    let waits = run.together.times.processes.iter().map(|time| time.longest_wait_ns);
    let starved = workload.processes.iter().zip(waits).filter(|(_, wait)| *wait >= STARVED_NS);
    let named: Vec<String> =
        starved.map(|(process, wait)| format!("{} for {}", process.name, duration(wait))).collect();
    if named.is_empty() {
        return None;
    }
    Some(format!("starved, with work and nothing on the device at a stretch: {}", named.join(", ")))
}

/// Number of answers of the allocate policy, each for a single workgroup, from which on a warning
/// says that they make a replay slow.
const SLOW_ANSWERS: u64 = 1_000_000;

/// Returns a warning about an allocate policy that raddle does not bundle, where it makes the
/// replay slow because it answers for each workgroup separately; else `None`.
fn one_by_one(run: &RecipeRun) -> Option<String> {
    let counters = &run.together.counters;
    let asked = answers_one_by_one(counters, run.together.records.len() as u64)?;
    let allocate =
        run.recipe.allocate().is_from_outside().then(|| run.recipe.allocate().policy())?;
    Some(format!(
        "allocate `{allocate}` answered for {asked} one by one, which is what made this replay slow: answer for many at once (`Allocate::allocate_round`), or rank launches and compute units (`raddle_policy::Ranked`)"
    ))
}

/// Writes the number of answers of the allocate policy, if most of them start a single workgroup.
/// `None` where there are fewer than [`SLOW_ANSWERS`], or hardly more than launches.
fn answers_one_by_one(counters: &Counters, launches: u64) -> Option<String> {
    let Counters { starts, workgroups, .. } = *counters;
    let single = workgroups / 2 < starts && launches.saturating_mul(4) < starts;
    (starts >= SLOW_ANSWERS && single).then(|| counted(starts, "workgroup", "workgroups"))
}

/// Returns a warning about urgency levels of the workload that the recipe's turn policy
/// `weighted-slices` treats as one level; `None` where there are none.
fn folded(workload: &Workload, run: &RecipeRun) -> Option<String> {
    if run.recipe.turn().policy() != "weighted-slices" {
        return None;
    }
    let turn = serde_json::to_value(run.recipe.turn()).ok()?;
    let levels = turn.get("levels")?.as_u64()?;
    let tasks = workload.processes.iter().flat_map(|process| &process.tasks);
    let last = tasks.map(|task| task.level.0).filter(|&level| u64::from(level) + 1 >= levels);
    let last: BTreeSet<u8> = last.collect();
    if last.len() < 2 {
        return None;
    }
    let last: Vec<String> = last.iter().map(u8::to_string).collect();
    Some(format!(
        "levels {} count as one, the last of `levels = {levels}` in [turn]: give levels below {levels} with --priority, or more `levels`",
        last.join(", ")
    ))
}

/// Returns a warning about kernels whose number of registers is unknown. A context switch of such a
/// kernel is charged for too few bytes, or never chosen. `None` where the recipe does not switch,
/// or all registers are known.
fn unknown_bytes(workload: &Workload, run: &RecipeRun) -> Option<String> {
    let [.., preempt] = run.recipe.policies();
    if !["switch", "cheapest"].contains(&preempt) {
        return None;
    }
    let unknown = |process: &&ProcessPlan| {
        process
            .tasks
            .iter()
            .any(|task| matches!(task.work, Work::Kernel { demand, .. } if demand.vgpr == 0))
    };
    let names: Vec<&str> =
        workload.processes.iter().filter(unknown).map(|process| &*process.name).collect();
    if names.is_empty() {
        return None;
    }
    let names = names.join(", ");
    Some(if preempt == "switch" {
        format!(
            "the registers of kernels of {names} are unknown, so what a switch of them moves is too low: give `switch-bytes` in [preempt]"
        )
    } else {
        format!(
            "the registers of kernels of {names} are unknown, so `cheapest` switches none of them"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_one_by_one_are_told_where_they_are_many_and_need_not_be() {
        let told = |starts, workgroups, launches| {
            let mut counters = Counters::default();
            (counters.starts, counters.workgroups) = (starts, workgroups);
            answers_one_by_one(&counters, launches)
        };
        assert_eq!(told(2_000_000, 2_000_000, 900).as_deref(), Some("2,000,000 workgroups"));
        assert_eq!(told(999_999, 999_999, 900), None);
        // Answers in bulk are not reported, nor answers for launches of one workgroup.
        assert_eq!(told(2_000_000, 40_000_000, 900), None);
        assert_eq!(told(2_000_000, 2_000_000, 2_000_000), None);
    }
}
