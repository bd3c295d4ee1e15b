//! Which parts of a `summary.json` are compared, and is a file a `summary.json`?
//!
//! Only the compared parts are read, so that results of other versions can be read too.

use std::collections::BTreeSet;

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::metrics::{self, Metric};
use crate::answer::{FigureBounds, JudgedBy, PolicyFigures, PolicyRow};
use crate::next::NextCommand;
use crate::share::without_parameters;
use crate::written::json;

/// Result of a replay, read from its `summary.json`; only the parts that are compared.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ComparedResult {
    /// Path of the result's file as the user wrote it.
    #[serde(skip)]
    pub(super) file: String,
    /// Version of raddle that wrote the result that is compared.
    pub(super) raddle: String,
    pub(super) device: ComparedDevice,
    pub(super) profiles: Vec<ComparedProfile>,
    #[serde(default)]
    pub(super) assumptions: Vec<String>,
    pub(super) recipes: Vec<ComparedRecipe>,
    /// Figures by which the processes are judged, with their error bounds; `None` where another
    /// version of raddle wrote them in another form.
    #[serde(default, deserialize_with = "figures")]
    pub(super) answer: Option<PolicyFigures>,
    /// Facts that may make the result's answer wrong, one line each.
    #[serde(default)]
    pub(super) overturning: Vec<String>,
    /// Name of the one recipe of this result that is compared; `None` where all of them are.
    #[serde(skip)]
    pub(super) chosen: Option<String>,
}

/// Reads the figures by which processes are judged; `None` where they have another form.
fn figures<'de, D: Deserializer<'de>>(from: D) -> Result<Option<PolicyFigures>, D::Error> {
    Ok(serde_json::from_value(Value::deserialize(from)?).ok())
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
    /// Description of the profile's requests as JSON, of which the comparison asks only whether it
    /// is equal in both results; `None` for a profile without requests.
    #[serde(default)]
    pub(super) requests: Option<Value>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ComparedRecipe {
    pub(super) name: String,
    /// Settings of the recipe as JSON, of which only equality in both results is compared.
    pub(super) recipe: Value,
    /// Figures of the recipe as JSON, in which each metric is found by its JSON path.
    pub(super) summary: Value,
}

impl ComparedResult {
    /// Returns the command to run after a comparison: one that checks the last result against
    /// measurements. `None` where there is no result.
    #[must_use]
    pub fn next(results: &[Self]) -> Option<NextCommand> {
        let last = results.last()?;
        let processes: Vec<&str> = last.profiles.iter().map(|of| &*of.name).collect();
        Some(NextCommand::after_compare(&last.file, last.chosen.as_deref(), &processes))
    }
}

impl ComparedResult {
    /// Returns the error bounds of the figure `metric` of a process under the recipe that the
    /// comparison calls `recipe`; an exact figure is both of its bounds. `None` where the bounds
    /// are not known: for a figure by which the process is not judged, and under a recipe too far
    /// behind the best one.
    pub(super) fn bounds(&self, recipe: &str, process: &str, metric: &str) -> Option<FigureBounds> {
        let (answer, row, at) = self.place(recipe, process)?;
        let own = answer.rows[row].processes.get(at)?;
        let ns =
            own.decisive_ns.filter(|_| metric == judged_figure(answer.processes[at].judged))?;
        if answer.rows[row].out_of_reach {
            return None;
        }
        let exact = FigureBounds { least_ns: ns, most_ns: ns, open: false };
        Some(answer.bounds(row, at).unwrap_or(exact))
    }

    /// Returns the figure `metric` of a process over all random seeds, in nanoseconds, under the
    /// recipe that the comparison calls `recipe`: the mean, but for the longest request the longest
    /// of all seeds. `None` where there is one seed, or the figure over all seeds is not known.
    pub(super) fn over_seeds(&self, recipe: &str, process: &str, metric: &str) -> Option<u64> {
        let (answer, row, at) = self.place(recipe, process)?;
        let own = answer.rows[row].processes.get(at)?;
        let judged = judged_figure(answer.processes[at].judged);
        match metric {
            _ if answer.rows[row].by_seed_ns.is_empty() => None,
            "request p50" => own.p50_ns,
            "request longest" => own.max_ns,
            metric => own.decisive_ns.filter(|_| metric == judged),
        }
    }

    /// Returns whether a driver offers the recipe that the comparison calls `recipe`, or recipes
    /// were compared; true where the result does not say, or lacks the recipe.
    pub(super) fn is_offered(&self, recipe: &str) -> bool {
        let recipe = self.chosen.as_deref().unwrap_or(recipe);
        let mut rows = self.answer.iter().flat_map(|answer| &answer.rows);
        rows.find(|row| row.recipe == recipe).is_none_or(PolicyRow::is_ranked)
    }

    pub(super) fn has(&self, recipe: &str) -> bool {
        self.recipes.iter().any(|own| own.name == recipe)
    }

    /// Returns whether the result lacks a recipe, but has its way of sharing with other parameters,
    /// such as `partition-60-40` in place of `partition-70-30`.
    pub(super) fn has_other_parameters(&self, recipe: &str) -> bool {
        let way = without_parameters(recipe);
        let mut names = self.recipes.iter().map(|own| &*own.name);
        !self.has(recipe) && names.any(|own| without_parameters(own) == way)
    }

    /// Returns (answer of the result, index of the row of a recipe, index of a process); `None`
    /// where the answer lacks one of them.
    fn place(&self, recipe: &str, process: &str) -> Option<(&PolicyFigures, usize, usize)> {
        let answer = self.answer.as_ref()?;
        let recipe = self.chosen.as_deref().unwrap_or(recipe);
        let row = answer.rows.iter().position(|row| row.recipe == recipe)?;
        let at = answer.processes.iter().position(|it| it.name == process)?;
        Some((answer, row, at))
    }
}

/// Returns the name that the comparison has for the figure by which a process is judged.
const fn judged_figure(judged: JudgedBy) -> &'static str {
    match judged {
        JudgedBy::Requests => "request p99",
        JudgedBy::Steps | JudgedBy::End => judged.word(),
    }
}

impl ComparedRecipe {
    /// Returns whether processes take turns on the device (time slices) under the recipe, so that
    /// figures of turns are compared.
    pub(super) fn takes_turns(&self) -> bool {
        let turn = self.recipe.pointer("/turn/policy").and_then(Value::as_str);
        turn.is_some_and(|turn| !["everyone", "highest-level"].contains(&turn))
    }

    /// Returns the processes that ran under the recipe, each as the JSON object of its figures.
    pub(super) fn processes(&self) -> &[Value] {
        self.summary.pointer("/processes").and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }
}

impl ComparedResult {
    /// Reads a result from the bytes of a `summary.json`; `file` is its path.
    ///
    /// # Errors
    /// The reason why the bytes are no valid `summary.json`.
    pub fn parse(file: String, bytes: &[u8]) -> Result<Self, String> {
        let result: Self = json(bytes)?;
        let good = |recipe: &ComparedRecipe| recipe.summary["makespan-ns"].is_u64();
        match result.recipes.iter().find(|recipe| !good(recipe)) {
            Some(recipe) => Err(format!("recipe {} has no valid `makespan-ns`", recipe.name)),
            None => result.recipes.iter().try_for_each(check).map(|()| Self { file, ..result }),
        }
    }

    /// Keeps one recipe of each result and drops the others, so that the kept recipes are compared
    /// although their names may differ. `named` holds the name of a recipe for each result, in the
    /// order of the results; a result without a name gets the first name in `named`. Where `named`
    /// holds no name, all recipes stay.
    ///
    /// # Errors
    /// A message that names the result that lacks its recipe, and the recipes that this result has.
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

/// Checks that all compared figures of a recipe have possible values; the error names the first
/// figure with an impossible value.
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

/// Returns the names that `of` finds in the results, such as those of recipes, without duplicates
/// and in the order in which they first occur.
pub(super) fn names<'i, I: Iterator<Item = &'i String>>(
    inputs: &'i [ComparedResult],
    of: impl Fn(&'i ComparedResult) -> I,
) -> Vec<&'i str> {
    let mut seen = BTreeSet::new();
    let all = inputs.iter().flat_map(of).map(String::as_str);
    all.filter(|name| seen.insert(*name)).collect()
}
