//! Which figures differ, by how much, and is that better or worse?

use std::collections::BTreeSet;

use serde::Serialize;

use super::document::{Fairness, Input, Level, Process, Recipe, Result};
use super::unlike::{differences, unlike_inputs};

/// Everything that is told.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Told {
    pub(super) results: Vec<Origin>,
    /// What else differs than the figures, a sentence each.
    pub(super) differences: Vec<String>,
    /// What went in and is not the same in all results: their changes are not judged by it.
    pub(super) inputs_that_differ: Vec<&'static str>,
    pub(super) rows: Vec<Row>,
    pub(super) verdicts: Verdicts,
}

/// Where a result comes from.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Origin {
    /// A, B and so on.
    pub(super) label: String,
    pub(super) file: String,
    pub(super) raddle: String,
    pub(super) device: String,
}

/// One figure in every result.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Row {
    pub(super) recipe: String,
    /// `None`: of the recipe as a whole.
    pub(super) process: Option<String>,
    pub(super) level: Option<u8>,
    pub(super) metric: &'static str,
    pub(super) unit: Unit,
    /// By result; `None` where there is none.
    pub(super) values: Vec<Option<f64>>,
    /// Of every result but the first, measured by the first.
    pub(super) changes: Vec<Change>,
}

/// What a value counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Unit {
    Ns,
    /// 0 to 1, shown as percent.
    Share,
    /// A number without unit.
    Ratio,
    /// The same, of which the fourth decimal says something.
    Index,
    Count,
}

/// How a value differs from that of the first result.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Change {
    /// (value - first) / first; `None` where one is missing or the first is 0.
    pub(super) relative: Option<f64>,
    pub(super) verdict: Verdict,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Verdict {
    Equal,
    Better,
    Worse,
    /// Neither better nor worse.
    Other,
    /// Other work, or on another device, so nobody can say.
    Unjudged,
    /// Only one of the two results has it.
    Missing,
}

/// How often each verdict was given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Verdicts {
    pub(super) equal: usize,
    pub(super) better: usize,
    pub(super) worse: usize,
    pub(super) other: usize,
    pub(super) unjudged: usize,
    pub(super) missing: usize,
}

/// Which values of a metric are good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Good {
    Low,
    High,
    Neither,
}

type Metric<T> = (&'static str, Unit, Good, fn(&T) -> Option<f64>);

const OF_RECIPE: [Metric<Recipe>; 3] = [
    // Nothing has ended where something is stuck.
    ("makespan", Unit::Ns, Good::Low, |recipe| {
        (recipe.summary.stuck == 0).then_some(recipe.summary.makespan_ns as f64)
    }),
    ("used", Unit::Share, Good::High, |recipe| Some(recipe.summary.utilisation)),
    ("Jain", Unit::Ratio, Good::High, |recipe| recipe.summary.jain),
];
/// Where it is so under a recipe of any result.
const STUCK: Metric<Recipe> =
    ("stuck", Unit::Count, Good::Low, |recipe| Some(recipe.summary.stuck as f64));
/// Of every result in which processes take turns.
pub(super) const TURNS_LOST: &str = "turns lost";
/// How time was divided, where a recipe of the results divides it by turns.
const OF_TURNS: [Metric<Fairness>; 5] = [
    ("Jain of run", Unit::Index, Good::High, |fairness| Some(fairness.jain_run)),
    ("Jain of run/alive", Unit::Index, Good::High, |fairness| Some(fairness.jain_rate)),
    ("longest wait", Unit::Ns, Good::Low, |fairness| Some(fairness.longest_wait_ns as f64)),
    (TURNS_LOST, Unit::Count, Good::Low, |fairness| Some(fairness.switches as f64)),
    ("switching", Unit::Ns, Good::Low, |fairness| Some(fairness.switch_ns as f64)),
];
/// Of the process that begins last, which need not be the same in all results.
const OF_NEWCOMER: Metric<Fairness> =
    ("newcomer", Unit::Share, Good::Neither, |fairness| fairness.newcomer_share);
const OF_PROCESS: [Metric<Process>; 6] = [
    ("refused", Unit::Count, Good::Low, |process| {
        Some(process.refused.values().fold(0, |sum: u64, &n| sum.saturating_add(n)) as f64)
    }),
    ("requests", Unit::Count, Good::Neither, |process| {
        Some(process.requests.as_ref()?.arrived as f64)
    }),
    ("requests ended", Unit::Count, Good::Neither, |process| {
        Some(process.requests.as_ref()?.ended as f64)
    }),
    ("request p50", Unit::Ns, Good::Low, |process| {
        Some(process.requests.as_ref()?.latency_p50_ns as f64)
    }),
    ("request p99", Unit::Ns, Good::Low, |process| {
        Some(process.requests.as_ref()?.latency_p99_ns as f64)
    }),
    ("request longest", Unit::Ns, Good::Low, |process| {
        Some(process.requests.as_ref()?.latency_max_ns as f64)
    }),
];
const OF_LEVEL: [Metric<Level>; 4] = [
    ("launches", Unit::Count, Good::Neither, |level| Some(level.launches as f64)),
    ("p50", Unit::Ns, Good::Low, |level| Some(level.latency_p50_ns as f64)),
    ("p99", Unit::Ns, Good::Low, |level| Some(level.latency_p99_ns as f64)),
    ("slowdown", Unit::Ratio, Good::Low, |level| level.slowdown),
];

/// Compares results; the first is what the others are measured by.
pub(super) fn compare(inputs: &[Input]) -> Told {
    let mut rows = Vec::new();
    for name in names(inputs, |result| result.recipes.iter().map(|recipe| &recipe.name)) {
        of_recipe(inputs, name, &mut rows);
    }
    let first = inputs.first().map(|input| &input.result);
    let unlike_first =
        |result: &Result| first.is_some_and(|first| !unlike_inputs(first, result).is_empty());
    for (position, other) in inputs.iter().skip(1).enumerate() {
        if unlike_first(&other.result) {
            rows.iter_mut().filter_map(|row| row.changes.get_mut(position)).for_each(unjudge);
        }
    }
    let others = inputs.iter().filter_map(|input| Some(unlike_inputs(first?, &input.result)));
    let differing: BTreeSet<&str> = others.flatten().collect();
    let mut verdicts = Verdicts::default();
    for change in rows.iter().flat_map(|row| &row.changes) {
        *match change.verdict {
            Verdict::Equal => &mut verdicts.equal,
            Verdict::Better => &mut verdicts.better,
            Verdict::Worse => &mut verdicts.worse,
            Verdict::Other => &mut verdicts.other,
            Verdict::Unjudged => &mut verdicts.unjudged,
            Verdict::Missing => &mut verdicts.missing,
        } += 1;
    }
    let results = inputs.iter().enumerate().map(|(n, input)| Origin {
        label: label(n),
        file: input.file.clone(),
        raddle: input.result.raddle.clone(),
        device: input.result.device.id.clone(),
    });
    Told {
        results: results.collect(),
        differences: differences(inputs),
        inputs_that_differ: differing.into_iter().collect(),
        rows,
        verdicts,
    }
}

fn unjudge(change: &mut Change) {
    if matches!(change.verdict, Verdict::Better | Verdict::Worse) {
        change.verdict = Verdict::Unjudged;
    }
}

/// A, B, ..., Z, R27, R28, ...
pub(super) fn label(position: usize) -> String {
    match u8::try_from(position) {
        Ok(n @ 0..26) => char::from(b'A' + n).to_string(),
        _ => format!("R{}", position + 1),
    }
}

/// Names in the order in which they first occur.
pub(super) fn names<'i, I: Iterator<Item = &'i String>>(
    inputs: &'i [Input],
    of: impl Fn(&'i Result) -> I,
) -> Vec<&'i str> {
    let mut seen = BTreeSet::new();
    let all = inputs.iter().flat_map(|input| of(&input.result)).map(String::as_str);
    all.filter(|name| seen.insert(*name)).collect()
}

fn of_recipe(inputs: &[Input], name: &str, rows: &mut Vec<Row>) {
    let recipe = |input| -> Option<&Recipe> {
        let input: &Input = input;
        input.result.recipes.iter().find(|recipe| recipe.name == name)
    };
    let own: Vec<Option<&Recipe>> = inputs.iter().map(recipe).collect();
    let mut place = Place { recipe: name, process: None, level: None };
    if own.iter().flatten().any(|recipe| recipe.summary.stuck > 0) {
        rows.extend(row(&place, &STUCK, &own));
    }
    rows.extend(OF_RECIPE.iter().filter_map(|metric| row(&place, metric, &own)));
    let mut all = inputs.iter().flat_map(|input| &input.result.recipes);
    let takes_turns = all.any(Recipe::takes_turns);
    let turns: Vec<Option<&Fairness>> = own
        .iter()
        .map(|recipe| recipe.filter(|_| takes_turns)?.summary.fairness.as_ref())
        .collect();
    rows.extend(OF_TURNS.iter().filter_map(|metric| row(&place, metric, &turns)));
    let mut seen = BTreeSet::new();
    let processes = own.iter().flatten().flat_map(|recipe| &recipe.summary.processes);
    for name in processes.map(|process| process.name.as_str()).filter(|name| seen.insert(*name)) {
        let find = |recipe: &Option<&'_ Recipe>| {
            let processes = recipe.map(|recipe| &recipe.summary.processes)?;
            processes.iter().position(|process| process.name == name)
        };
        let own: Vec<Option<&Process>> = own
            .iter()
            .map(|recipe| find(recipe).and_then(|at| recipe.map(|r| &r.summary.processes[at])))
            .collect();
        place.process = Some(name);
        place.level = None;
        let is_it = |turns: &&Fairness| turns.newcomer.as_deref() == Some(name);
        let its: Vec<Option<&Fairness>> = turns.iter().map(|turns| turns.filter(is_it)).collect();
        rows.extend(row(&place, &OF_NEWCOMER, &its));
        rows.extend(OF_PROCESS.iter().filter_map(|metric| row(&place, metric, &own)));
        let levels = own.iter().flatten().flat_map(|process| &process.levels);
        let levels: BTreeSet<u8> = levels.map(|level| level.level).collect();
        for number in levels {
            place.level = Some(number);
            let level = |process: &Option<&'_ Process>| {
                let levels = process.map(|process| &process.levels)?;
                levels.iter().position(|level| level.level == number)
            };
            let own: Vec<Option<&Level>> = own
                .iter()
                .map(|process| level(process).and_then(|at| process.map(|p| &p.levels[at])))
                .collect();
            rows.extend(OF_LEVEL.iter().filter_map(|metric| row(&place, metric, &own)));
        }
    }
}

/// What a row is about.
struct Place<'p> {
    recipe: &'p str,
    process: Option<&'p str>,
    level: Option<u8>,
}

/// The row of a metric, unless no result has it.
fn row<T>(place: &Place<'_>, metric: &Metric<T>, own: &[Option<&T>]) -> Option<Row> {
    let (name, unit, good, value) = *metric;
    let values: Vec<Option<f64>> = own.iter().map(|own| own.and_then(value)).collect();
    let (first, others) = values.split_first()?;
    if values.iter().all(Option::is_none) {
        return None;
    }
    Some(Row {
        recipe: place.recipe.to_owned(),
        process: place.process.map(str::to_owned),
        level: place.level,
        metric: name,
        unit,
        changes: others.iter().map(|value| change(*first, *value, good)).collect(),
        values,
    })
}

fn change(first: Option<f64>, value: Option<f64>, good: Good) -> Change {
    let (Some(first), Some(value)) = (first, value) else {
        let verdict =
            if first.is_none() && value.is_none() { Verdict::Equal } else { Verdict::Missing };
        return Change { relative: None, verdict };
    };
    let verdict = match (value.total_cmp(&first), good) {
        (std::cmp::Ordering::Equal, _) => Verdict::Equal,
        (_, Good::Neither) => Verdict::Other,
        (std::cmp::Ordering::Less, Good::Low) | (std::cmp::Ordering::Greater, Good::High) => {
            Verdict::Better
        }
        _ => Verdict::Worse,
    };
    // Four decimals, as everywhere.
    let relative = ((value - first) / first * 10_000.0).round() / 10_000.0;
    Change { relative: relative.is_finite().then_some(relative), verdict }
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
        assert_eq!(judged(Some(100.0), Some(90.0), Good::Low), (Some(-0.1), Verdict::Better));
        assert_eq!(judged(Some(100.0), Some(90.0), Good::High), (Some(-0.1), Verdict::Worse));
        assert_eq!(judged(Some(3.0), Some(4.0), Good::Low), (Some(0.3333), Verdict::Worse));
        assert_eq!(judged(Some(3.0), Some(4.0), Good::Neither), (Some(0.3333), Verdict::Other));
        assert_eq!(judged(Some(0.0), Some(4.0), Good::Low), (None, Verdict::Worse));
        assert_eq!(judged(Some(0.0), Some(0.0), Good::Low), (None, Verdict::Equal));
        assert_eq!(judged(None, Some(4.0), Good::Low), (None, Verdict::Missing));
        assert_eq!(judged(None, None, Good::Low), (None, Verdict::Equal));
    }

    #[test]
    fn labels_go_on_after_z() {
        assert_eq!([0, 25, 26].map(label), ["A", "Z", "R27"]);
    }
}
