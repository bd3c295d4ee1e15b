//! Which figures of two results differ, by how much, and is that better or worse?

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value;

use super::advice::advice;
use super::input::{ComparedRecipe, ComparedResult, names};
use super::label::label;
use super::limits::JudgedLimit;
use super::metrics::{
    Good, LAUNCH_OVERHEAD, MAKESPAN, Metric, MetricUnit, OF_ENERGY, OF_LAUNCHING, OF_LEVEL,
    OF_NEWCOMER, OF_PROCESS, OF_RECIPE, OF_TURNS, STUCK, slug,
};
use super::unlike::{differences, overturning, unlike_inputs};
use crate::answer::FigureBounds;

/// Remark on limits that were exceeded between results whose device or arrivals differ too.
pub(super) const NOT_THE_CAUSE: &str = "so the program need not be the cause";

/// Comparison of the results of two or more replays.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Comparison {
    /// Results that are compared. Changes of the later results are measured from the first result.
    pub results: Vec<ResultOrigin>,
    /// Sentence, without a last full stop, on the recipe that each result recommends, and on what
    /// the change of the recipe means for the figures by which processes are judged; `None` where no
    /// result recommends a recipe, or neither the recipe differs nor a figure by half a percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
    /// Differences between the results other than their figures, such as another device, one
    /// sentence each.
    pub differences: Vec<String>,
    /// Names of the inputs, such as the device, that are not equal in all results. Changes between
    /// results with different inputs are not judged better or worse.
    pub inputs_that_differ: Vec<&'static str>,
    /// Facts that may make the answer of a result wrong, one line each, with the labels of the
    /// results that state the fact.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub overturning: Vec<String>,
    /// Inputs that differ although no change of a program changes them (device, request arrivals),
    /// in words; `None` where these are equal, even if profiles differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beside_the_program: Option<String>,
    /// Judgements by the limits that the user set to changes (`--fail-if`); limits are judged even
    /// where inputs differ.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<JudgedLimit>,
    /// Compared figures, one row for each figure of a recipe, a process or an urgency level.
    pub rows: Vec<MetricRow>,
    /// Number of figures that were compared, including those whose rows were dropped as unchanged.
    pub figures: usize,
    /// Number of further figures: those of recipes that the first result lacks, or all later ones,
    /// so that there is nothing to compare.
    pub of_other_recipes: usize,
    /// True while all rows are there, also of figures without a change.
    #[serde(skip)]
    pub is_whole: bool,
    /// Number of changes that got each judgement, such as "better".
    pub verdicts: BTreeMap<ChangeVerdict, usize>,
}

/// Origin of a compared result: its file, its version and its device.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ResultOrigin {
    /// Label of the result in the comparison: A, B and so on.
    pub label: String,
    /// Path of the result's file as the user wrote it.
    pub file: String,
    /// Version of raddle that wrote this compared result.
    pub raddle: String,
    /// Id of the device on which the result's replay ran.
    pub device: String,
    /// Name of the one recipe of this result that is compared; `None` where all of them are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recipe: Option<String>,
    /// Name of the recipe that the result recommends; `None` where it recommends none, or one of
    /// its recipes was chosen for the comparison.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recommends: Option<String>,
    /// Name of the other recipe, where the result recommends either of two; else `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub or: Option<String>,
}

/// Row of a comparison: one figure, with its value in every result.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct MetricRow {
    /// Name of the recipe under which the figure was found.
    pub recipe: String,
    /// Name of the process that has the figure; `None` for a figure of the recipe as a whole.
    pub process: Option<String>,
    /// Urgency level of the launches that have the figure; `None` for a figure of the process or
    /// recipe as a whole.
    pub level: Option<u8>,
    /// Name of the figure that the row compares, such as "request p99".
    pub metric: &'static str,
    /// Unit of the values of the figure.
    pub unit: MetricUnit,
    /// Values of the figure, one for each result; `None` where a result has no such figure.
    pub values: Vec<Option<f64>>,
    /// Error bounds of the figure, one for each result; `None` where they are not known. Empty for a
    /// figure that has none.
    #[serde(skip)]
    pub(super) bounds: Vec<Option<FigureBounds>>,
    /// Changes of the row's figure from its value in the first result, one for each later result.
    pub changes: Vec<FigureChange>,
    /// True if a driver offers the recipe, as far as the results say.
    #[serde(skip)]
    pub(super) is_offered: bool,
    /// True if the first result has the recipe, and a later one.
    #[serde(skip)]
    pub(super) is_compared: bool,
    /// For each result, true if it lacks the recipe, but has the same way of sharing with other
    /// parameters, such as `partition-60-40` in place of `partition-70-30`.
    #[serde(skip)]
    pub(super) has_other_parameters: Vec<bool>,
}

impl MetricRow {
    /// Returns whether the figure of any later result differs from that of the first result.
    #[must_use]
    pub fn is_changed(&self) -> bool {
        self.changes.iter().any(|change| change.verdict != ChangeVerdict::Equal)
    }

    /// Returns whether people judge by the figure how well a process does: percentiles of requests,
    /// the time of a step, and launches that never ran or ended.
    #[must_use]
    pub fn is_deciding(&self) -> bool {
        const DECIDING: [&str; 4] = ["request p50", "request p99", "step", "refused"];
        let own = self.process.is_some() && self.level.is_none();
        self.metric == STUCK.name || own && DECIDING.contains(&self.metric)
    }

    /// Returns the name of the figure as tables show it: "decode request p99".
    #[must_use]
    pub fn subject(&self) -> String {
        let level = self.level.map(|level| format!("level {level}"));
        let parts = [self.process.clone(), level, Some(self.metric.to_owned())];
        parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
    }

    /// Returns the name of the figure as a user writes it in a limit: "decode request-p99".
    pub(super) fn gate_name(&self) -> String {
        let metric = slug(self.metric);
        self.process.as_ref().map_or(metric.clone(), |process| format!("{process} {metric}"))
    }
}

/// Change of a figure from its value in the first result of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct FigureChange {
    /// Change as a fraction: (value - first) / first; `None` where a value is missing or the first
    /// one is 0.
    pub relative: Option<f64>,
    /// Judgement of the change, such as better or worse.
    pub verdict: ChangeVerdict,
}

/// Judgement of how a figure changed from the first result of a comparison to a later one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeVerdict {
    /// The compared figure is better than in the first result.
    Better,
    /// The compared figure is worse than in the first result.
    Worse,
    /// The compared figure is the same as in the first result, or missing in both.
    Equal,
    /// The figure differs, but for this kind of figure neither more nor less is better.
    Other,
    /// The figure differs, but so do the inputs of the results (other work, or another device), so
    /// the change is neither better nor worse.
    Unjudged,
    /// The compared figure is present in only one of the two results.
    Missing,
}

impl ChangeVerdict {
    /// All verdicts, in the order in which they are counted and shown.
    pub(super) const ALL: [Self; 6] =
        [Self::Better, Self::Worse, Self::Equal, Self::Other, Self::Unjudged, Self::Missing];

    /// Returns the words for the judgement, such as "better" or "not judged".
    #[must_use]
    pub const fn told(self) -> &'static str {
        match self {
            Self::Better => "better",
            Self::Worse => "worse",
            Self::Equal => "equal",
            Self::Other => "neither",
            Self::Unjudged => "not judged",
            Self::Missing => "in one result only",
        }
    }
}

/// Compares the results of replays. Changes of the later results are measured from the first.
#[must_use]
pub fn compare(inputs: &[ComparedResult]) -> Comparison {
    let mut rows = Vec::new();
    for name in names(inputs, |result| result.recipes.iter().map(|recipe| &recipe.name)) {
        of_recipe(inputs, name, &mut rows);
    }
    complete(&mut rows, inputs);
    let mut differing: BTreeSet<&str> = BTreeSet::new();
    if let Some((first, others)) = inputs.split_first() {
        for (position, other) in others.iter().enumerate() {
            let unlike = unlike_inputs(first, other);
            if !unlike.is_empty() {
                rows.iter_mut().filter_map(|row| row.changes.get_mut(position)).for_each(unjudge);
            }
            differing.extend(unlike);
        }
    }
    let mut verdicts: BTreeMap<_, _> = ChangeVerdict::ALL.map(|verdict| (verdict, 0)).into();
    let compared = rows.iter().filter(|row| row.is_compared);
    for change in compared.clone().flat_map(|row| &row.changes) {
        *verdicts.entry(change.verdict).or_default() += 1;
    }
    let results = inputs.iter().enumerate().map(|(n, input)| ResultOrigin {
        label: label(n),
        file: input.file.clone(),
        raddle: input.raddle.clone(),
        device: input.device.id.clone(),
        recipe: input.chosen.clone(),
        recommends: input.recommends().map(|(recipe, _)| recipe.to_owned()),
        or: input.recommends().and_then(|(_, or)| or).map(str::to_owned),
    });
    Comparison {
        results: results.collect(),
        advice: advice(inputs),
        figures: compared.clone().count(),
        of_other_recipes: rows.len() - compared.count(),
        differences: differences(inputs),
        overturning: overturning(inputs),
        beside_the_program: beside_the_program(&differing),
        inputs_that_differ: differing.into_iter().collect(),
        limits: Vec::new(),
        is_whole: true,
        rows,
        verdicts,
    }
}

/// Adds to rows the facts from the answers of the results: error bounds, means over all random
/// seeds, and which recipes a driver offers.
fn complete(rows: &mut [MetricRow], inputs: &[ComparedResult]) {
    for row in rows.iter_mut().filter(|row| row.level.is_none()) {
        let Some(process) = &row.process else { continue };
        let of = |input: &ComparedResult| input.bounds(&row.recipe, process, row.metric);
        row.bounds = inputs.iter().map(of).collect();
        // The summary of a recipe is of the first seed, the answer of all.
        let means = inputs.iter().map(|it| it.over_seeds(&row.recipe, process, row.metric));
        for (value, mean) in row.values.iter_mut().zip(means) {
            // Times of runs are far below 2^53 ns.
            *value = mean.map(|ns| ns as f64).or(*value);
        }
        let metric = OF_PROCESS.iter().find(|metric| metric.name == row.metric);
        if let (Some(metric), Some((first, others))) = (metric, row.values.split_first()) {
            row.changes = others.iter().map(|it| change(*first, *it, metric.good)).collect();
        }
    }
    for row in rows {
        let mut has = inputs.iter().map(|it| it.has(&row.recipe));
        row.is_compared = has.next() == Some(true) && has.any(|has| has);
        row.is_offered = inputs.iter().all(|it| it.is_offered(&row.recipe));
        let of = |input: &ComparedResult| input.has_other_parameters(&row.recipe);
        row.has_other_parameters = inputs.iter().map(of).collect();
    }
}

/// Names the inputs among `differing` that a change of the program does not change.
fn beside_the_program(differing: &BTreeSet<&str>) -> Option<String> {
    let differ = differing.iter().filter(|it| ["device", "arrivals"].contains(it));
    let differ: Vec<&str> = differ.copied().collect();
    (!differ.is_empty()).then(|| format!("inputs differ ({})", differ.join(", ")))
}

fn unjudge(change: &mut FigureChange) {
    if matches!(change.verdict, ChangeVerdict::Better | ChangeVerdict::Worse) {
        change.verdict = ChangeVerdict::Unjudged;
    }
}

impl Comparison {
    /// Returns the changes that exceed a limit, a sentence each; the last one also says which inputs
    /// may be their cause.
    #[must_use]
    pub fn failures(&self) -> Vec<String> {
        let broken = self.limits.iter().flat_map(|limit| limit.broken.iter().cloned());
        let mut broken: Vec<String> = broken.collect();
        if let (Some(last), Some(beside)) = (broken.last_mut(), &self.beside_the_program) {
            last.push_str(&format!("; {beside}, {NOT_THE_CAUSE}"));
        }
        broken
    }

    /// Returns whether all changes are within limits of the user, and each limit judged one.
    #[must_use]
    pub fn is_within_limits(&self) -> bool {
        let kept = |limit: &JudgedLimit| limit.broken.is_empty() && limit.largest.is_some();
        !self.limits.is_empty() && self.limits.iter().all(kept)
    }

    /// Returns the name of the recipe that the result with the index `at` recommends; `None` where
    /// it recommends none.
    pub(super) fn recommended(&self, at: usize) -> Option<&str> {
        self.results.get(at)?.recommends.as_deref()
    }

    /// Removes the rows of figures that are equal in all results, and of recipes not compared.
    pub fn only_changes(&mut self) {
        self.rows.retain(|row| row.is_compared && row.is_changed());
        self.is_whole = false;
    }
}

/// JSON objects of one recipe, one process or one urgency level, one for each compared result;
/// `None` where a result lacks it.
type Side<'v> = Vec<Option<&'v Value>>;

fn of_recipe(inputs: &[ComparedResult], name: &str, rows: &mut Vec<MetricRow>) {
    let find = |input| -> Option<&ComparedRecipe> {
        let input: &ComparedResult = input;
        input.recipes.iter().find(|recipe| recipe.name == name)
    };
    let own: Vec<Option<&ComparedRecipe>> = inputs.iter().map(find).collect();
    let figures: Side<'_> = own.iter().map(|recipe| Some(&recipe.as_ref()?.summary)).collect();
    let is_stuck = |of: &Value| STUCK.of(of).is_some_and(|stuck| stuck > 0.0);
    let mut subject = Subject { recipe: name, process: None, level: None };
    if figures.iter().flatten().any(|figures| is_stuck(figures)) {
        rows.extend(row(subject, &STUCK, &figures));
    }
    // Where a launch is stuck the run has no end, so the makespan is left out.
    let ended: Side<'_> = figures.iter().map(|of| of.filter(|of| !is_stuck(of))).collect();
    rows.extend(row(subject, &MAKESPAN, &ended));
    rows.extend(OF_RECIPE.iter().filter_map(|metric| row(subject, metric, &figures)));
    let costs = |of: &&Value| LAUNCH_OVERHEAD.of(of).is_some_and(|ns| ns > 0.0);
    if inputs.iter().flat_map(|of| &of.recipes).any(|recipe| costs(&&recipe.summary)) {
        rows.extend(OF_LAUNCHING.iter().filter_map(|metric| row(subject, metric, &figures)));
    }
    rows.extend(OF_ENERGY.iter().filter_map(|metric| row(subject, metric, &figures)));
    let takes_turns = inputs.iter().flat_map(|of| &of.recipes).any(ComparedRecipe::takes_turns);
    if takes_turns {
        rows.extend(OF_TURNS.iter().filter_map(|metric| row(subject, metric, &figures)));
    }
    let mut seen = BTreeSet::new();
    for process in own.iter().flatten().flat_map(|recipe| recipe.processes()).filter_map(called) {
        if !seen.insert(process) {
            continue;
        }
        subject = Subject { recipe: name, process: Some(process), level: None };
        let is_newcomer = |of: &&Value| {
            takes_turns && of.pointer("/fairness/newcomer").and_then(Value::as_str) == Some(process)
        };
        let newcomer: Side<'_> = figures.iter().map(|of| of.filter(is_newcomer)).collect();
        rows.extend(row(subject, &OF_NEWCOMER, &newcomer));
        let find = |recipe: &Option<&'_ ComparedRecipe>| {
            let at = recipe.as_ref()?.processes().iter();
            at.clone().position(|of| called(of) == Some(process))
        };
        let found = own.iter().map(|recipe| Some(&recipe.as_ref()?.processes()[find(recipe)?]));
        of_process(subject, &found.collect(), rows);
    }
}

fn of_process(mut subject: Subject<'_>, own: &Side<'_>, rows: &mut Vec<MetricRow>) {
    rows.extend(OF_PROCESS.iter().filter_map(|metric| row(subject, metric, own)));
    let number = |level: &Value| level["level"].as_u64().and_then(|level| u8::try_from(level).ok());
    let levels = own.iter().flatten().filter_map(|process| process["levels"].as_array()).flatten();
    let numbers: BTreeSet<u8> = levels.filter_map(number).collect();
    for wanted in numbers {
        subject.level = Some(wanted);
        let level = |process: &Option<&'_ Value>| -> Option<usize> {
            process.as_ref()?["levels"].as_array()?.iter().position(|of| number(of) == Some(wanted))
        };
        let found = own.iter().map(|process| Some(&process.as_ref()?["levels"][level(process)?]));
        let own: Side<'_> = found.collect();
        rows.extend(OF_LEVEL.iter().filter_map(|metric| row(subject, metric, &own)));
    }
}

fn called(process: &Value) -> Option<&str> {
    process["name"].as_str()
}

/// Owner of a figure in a comparison: a recipe, one process under it, or one urgency level of that
/// process.
#[derive(Clone, Copy)]
struct Subject<'p> {
    recipe: &'p str,
    process: Option<&'p str>,
    level: Option<u8>,
}

/// Makes the row of the figure `metric` of `subject`, whose JSON object in each result is in `own`;
/// `None` where no result has the figure.
fn row(subject: Subject<'_>, metric: &Metric, own: &Side<'_>) -> Option<MetricRow> {
    let values: Vec<Option<f64>> = own.iter().map(|own| metric.of(own.as_ref()?)).collect();
    let (first, others) = values.split_first()?;
    if values.iter().all(Option::is_none) {
        return None;
    }
    Some(MetricRow {
        recipe: subject.recipe.to_owned(),
        process: subject.process.map(str::to_owned),
        level: subject.level,
        metric: metric.name,
        unit: metric.unit,
        changes: others.iter().map(|value| change(*first, *value, metric.good)).collect(),
        bounds: Vec::new(),
        is_offered: true,
        is_compared: true,
        has_other_parameters: Vec::new(),
        values,
    })
}

fn change(first: Option<f64>, value: Option<f64>, good: Good) -> FigureChange {
    let (Some(first), Some(value)) = (first, value) else {
        let verdict = if first.is_none() && value.is_none() {
            ChangeVerdict::Equal
        } else {
            ChangeVerdict::Missing
        };
        return FigureChange { relative: None, verdict };
    };
    let verdict = match (value.total_cmp(&first), good) {
        (std::cmp::Ordering::Equal, _) => ChangeVerdict::Equal,
        (_, Good::Neither) => ChangeVerdict::Other,
        (std::cmp::Ordering::Less, Good::Low) | (std::cmp::Ordering::Greater, Good::High) => {
            ChangeVerdict::Better
        }
        _ => ChangeVerdict::Worse,
    };
    // The change is rounded to four decimals, as every figure is.
    let relative = ((value - first) / first * 10_000.0).round() / 10_000.0;
    FigureChange { relative: relative.is_finite().then_some(relative), verdict }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_judged_by_what_is_good() {
        let judged = |first, value, good| {
            let change = change(first, value, good);
            (change.relative, change.verdict)
        };
        assert_eq!(judged(Some(100.0), Some(90.0), Good::Low), (Some(-0.1), ChangeVerdict::Better));
        assert_eq!(judged(Some(100.0), Some(90.0), Good::High), (Some(-0.1), ChangeVerdict::Worse));
        assert_eq!(judged(Some(3.0), Some(4.0), Good::Low), (Some(0.3333), ChangeVerdict::Worse));
        assert_eq!(
            judged(Some(3.0), Some(4.0), Good::Neither),
            (Some(0.3333), ChangeVerdict::Other)
        );
        assert_eq!(judged(Some(0.0), Some(4.0), Good::Low), (None, ChangeVerdict::Worse));
        assert_eq!(judged(Some(0.0), Some(0.0), Good::Low), (None, ChangeVerdict::Equal));
        assert_eq!(judged(None, Some(4.0), Good::Low), (None, ChangeVerdict::Missing));
        assert_eq!(judged(None, None, Good::Low), (None, ChangeVerdict::Equal));
    }
}
