//! Does the dispatcher keep every rule, whatever its four policies, their settings and the
//! workload?
//!
//! Each case is a random recipe over all bundled policies on a random workload. The simulator's
//! ledger agrees with the dispatcher's book throughout, every launch ends, the log keeps the eleven
//! rules of the controller, each answer is that of the naive model of its policy, and the events of
//! the log give equal answers again, byte for byte. A host that knows of flags only what the
//! actions say lets the expected launches leave.

mod cases;
mod flags;
mod recipes;
mod skipped;
mod workloads;

use std::ops::ControlFlow;

use proptest::prelude::*;
use raddle_dispatch::log::{self, Detail, LogHeader};
use raddle_dispatch::{DispatchError, Registry};
use raddle_golden::twin;
use raddle_policy::Ticks;
use raddle_sim::{Costs, EnergyModel, Progress, SimConfig, Workload, run_watched};
use raddle_testkit::Sink;

use self::flags::Flagged;
use self::recipes::Chosen;

/// The number of progress reports, one in 1,024 decisions, after which a run counts as endless:
/// repetitions hold 2^22 launches at most, each with two decisions.
const MOST_REPORTS: u32 = 1 << 13;

/// Returns the costs of taking work off that the recipe of a log's header states.
fn costs(header: &LogHeader) -> Costs {
    let asked = header.recipe().runtime;
    let ns = |ns: Option<u64>| Ticks(ns.unwrap_or(0));
    Costs {
        flag: ns(asked.flag_ns),
        exit: ns(asked.exit_ns),
        check: ns(asked.check_ns),
        reset: ns(asked.reset_ns),
        switch: ns(asked.switch_ns),
        switch_bytes: asked.switch_bytes.unwrap_or(0),
        load: ns(asked.load_ns),
        context_bytes_per_us: 20_000,
    }
}

/// Returns a receiver of progress that ends a run after [`MOST_REPORTS`].
fn bounded() -> impl FnMut(Progress) -> ControlFlow<()> {
    let mut reports = 0;
    move |_| {
        reports += 1;
        if reports < MOST_REPORTS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

/// Runs a recipe on a workload and checks everything that must hold of the run.
fn check(chosen: &Chosen, workload: &Workload) -> Result<(), String> {
    let registry = Registry::bundled();
    let recipe = registry.recipe("any", &chosen.recipe).map_err(|error| error.to_string())?;
    let &Chosen { shape, cus, .. } = chosen;
    let header = LogHeader::new(recipe, "any", shape, cus).with_detail(Detail::Full);
    let sink = Sink::default();
    let builder = header.recipe().builder(shape, cus).map_err(|error| error.to_string())?;
    let built = builder.log(header.writer(Box::new(sink.clone()))).build();
    let mut dispatcher = Flagged::new(built.map_err(|error| error.to_string())?);
    let energy = EnergyModel::of_instructions(EnergyModel::ASSUMED.pj);
    let options = SimConfig { shape, cus, costs: costs(&header), energy };
    let ran = run_watched(workload, &mut dispatcher, &options, &mut (), &mut bounded());
    let text = sink.text();
    let outcome = ran.map_err(|error| error.to_string())?;
    if let Some(wrong) = dispatcher.wrong.take() {
        return Err(wrong);
    }
    let told = |error: DispatchError| error.to_string();
    let mut twins = twin::Checker::default();
    let also = |number: usize, line: &str| twins.take(number, line);
    let checked = log::check::check_beside(&registry, text.as_bytes(), also);
    // A run that ends before its last launch has no whole log; what it lacks is told by `stuck`.
    let found = checked.map_err(told)?;
    let broken = found.broken();
    let broken: Vec<String> = broken
        .iter()
        .map(|(rule, it)| {
            format!("{rule}: {} times, first in line {}: {}", it.count(), it.line(), it.what())
        })
        .collect();
    if !broken.is_empty() {
        return Err(broken.join("\n"));
    }
    if !outcome.stuck.is_empty() {
        return Err(format!("stuck: {:?}, {:?}", outcome.stuck, outcome.standstill));
    }
    let report = twins.report();
    if let Some(slot) = report.slots.iter().find(|slot| slot.unchecked.is_some()) {
        return Err(format!("`{}` is not checked: {:?}", slot.policy, slot.unchecked));
    }
    if let Some(first) = report.first() {
        return Err(format!("no twin answers so: {first}"));
    }
    if let Some((line, ours, theirs)) = log::replay(text.as_bytes()).map_err(told)?.difference() {
        return Err(format!("line {line} is answered otherwise: {ours:?}, {theirs:?}"));
    }
    Ok(())
}

/// Returns the settings of the property test: 200 cases, or as many as `PROPTEST_CASES` says.
fn cases() -> ProptestConfig {
    let long = std::env::var_os("PROPTEST_CASES").is_some();
    let config = if long { ProptestConfig::default() } else { ProptestConfig::with_cases(200) };
    ProptestConfig { max_global_rejects: u32::MAX, ..config }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn any_recipe_keeps_every_rule(chosen in recipes::chosen(), workload in workloads::workload()) {
        if let Err(what) = check(&chosen, &workload) {
            prop_assert!(false, "{what}\n{}", chosen.recipe);
        }
    }
}
