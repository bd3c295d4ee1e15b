//! What of a `summary.json` is compared, and is it one?
//!
//! Only the compared parts are read, so that results of other versions can be read too.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::Value;

use super::metrics::{self, Metric};
use crate::written::json;

/// The result of a replay, as it was written.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ComparedResult {
    /// The path as it was given.
    #[serde(skip)]
    pub(super) file: String,
    /// The version that wrote it.
    pub(super) raddle: String,
    pub(super) device: ComparedDevice,
    pub(super) profiles: Vec<ComparedProfile>,
    #[serde(default)]
    pub(super) assumptions: Vec<String>,
    pub(super) recipes: Vec<ComparedRecipe>,
    /// The facts that can overturn the answer, a line each.
    #[serde(default)]
    pub(super) overturning: Vec<String>,
    /// The only recipe that is compared, by its name in the result.
    #[serde(skip)]
    pub(super) chosen: Option<String>,
}

#[derive(Debug, PartialEq, Deserialize)]
pub(super) struct ComparedDevice {
    pub(super) id: String,
    pub(super) product: String,
    pub(super) cus: u64,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct ComparedProfile {
    pub(super) name: String,
    pub(super) kernels: u64,
    pub(super) workgroups: u64,
    pub(super) span_ns: u64,
    #[serde(default)]
    pub(super) start_ns: u64,
    #[serde(default)]
    pub(super) share: u64,
    #[serde(default)]
    pub(super) launch_ns: u64,
    #[serde(default)]
    pub(super) handover_ns: u64,
    /// The arrivals of the requests; only their equality matters.
    #[serde(default)]
    pub(super) requests: Option<Value>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ComparedRecipe {
    pub(super) name: String,
    /// The settings of the recipe; only their equality matters.
    pub(super) recipe: Value,
    /// The figures of the recipe, which are found by their paths.
    pub(super) summary: Value,
}

impl ComparedRecipe {
    /// Returns whether processes take turns under the recipe, one after the other.
    pub(super) fn takes_turns(&self) -> bool {
        let turn = self.recipe.pointer("/turn/policy").and_then(Value::as_str);
        turn.is_some_and(|turn| !["everyone", "highest-level"].contains(&turn))
    }

    /// Returns the processes under the recipe, with their figures.
    pub(super) fn processes(&self) -> &[Value] {
        self.summary.pointer("/processes").and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }
}

impl ComparedResult {
    /// Reads a `summary.json`, which came from `file`.
    ///
    /// # Errors
    /// The reason why the bytes are no `summary.json`.
    pub fn parse(file: String, bytes: &[u8]) -> Result<Self, String> {
        let result: Self = json(bytes)?;
        let good = |recipe: &ComparedRecipe| recipe.summary["makespan-ns"].is_u64();
        match result.recipes.iter().find(|recipe| !good(recipe)) {
            Some(recipe) => Err(format!("recipe {} has no valid `makespan-ns`", recipe.name)),
            None => result.recipes.iter().try_for_each(check).map(|()| Self { file, ..result }),
        }
    }

    /// Leaves one recipe of each result and puts these side by side, whatever their names: for each
    /// position the recipe that is named for it, else the first that is named at all. Where none is
    /// named all recipes stay.
    ///
    /// # Errors
    /// The result that lacks its recipe, and the recipes that it has.
    pub fn choose(results: &mut [Self], named: &[Option<String>]) -> Result<(), String> {
        let Some(first) = named.iter().flatten().next() else { return Ok(()) };
        let wanted = |at: usize| named.get(at).and_then(Option::as_ref).unwrap_or(first);
        let mut all: Vec<&str> = Vec::new();
        for name in (0..results.len()).map(wanted) {
            if !all.contains(&name.as_str()) {
                all.push(name);
            }
        }
        let common = all.join(" | ");
        for (at, result) in results.iter_mut().enumerate() {
            let name = wanted(at);
            let Some(found) = result.recipes.iter().position(|recipe| recipe.name == *name) else {
                let known: Vec<&str> = result.recipes.iter().map(|of| &*of.name).collect();
                return Err(format!(
                    "{} has no recipe {name}: it has {}",
                    result.file,
                    known.join(", ")
                ));
            };
            result.recipes.swap(0, found);
            result.recipes.truncate(1);
            result.recipes[0].name.clone_from(&common);
            result.chosen = Some(name.clone());
        }
        Ok(())
    }
}

/// Checks the figures of a recipe that are compared; the error says which cannot be.
fn check(recipe: &ComparedRecipe) -> Result<(), String> {
    let [of_recipe, of_process, of_level] = metrics::all();
    let each = |metrics: &[Metric], of: &Value, whose: &str| {
        let checked = metrics.iter().try_for_each(|metric| metric.check(of));
        checked.map_err(|why| format!("recipe {}{whose}: {why}", recipe.name))
    };
    each(&of_recipe, &recipe.summary, "")?;
    for process in recipe.processes() {
        let whose = format!(", {}", process["name"].as_str().unwrap_or("a process"));
        each(&of_process, process, &whose)?;
        let levels = process["levels"].as_array().map_or(&[][..], Vec::as_slice);
        levels.iter().try_for_each(|level| {
            each(&of_level, level, &format!("{whose} level {}", level["level"]))
        })?;
    }
    Ok(())
}

/// Returns names in the order in which they first occur.
pub(super) fn names<'i, I: Iterator<Item = &'i String>>(
    inputs: &'i [ComparedResult],
    of: impl Fn(&'i ComparedResult) -> I,
) -> Vec<&'i str> {
    let mut seen = BTreeSet::new();
    let all = inputs.iter().flat_map(of).map(String::as_str);
    all.filter(|name| seen.insert(*name)).collect()
}
