//! What is the result in a few figures?

use super::Source;
use super::html::{escape, figure, name};
use crate::summary::RecipeResult;
use crate::units::{count, duration};

pub(crate) fn tiles(source: &Source<'_>) -> String {
    let recipes = &source.report.recipes;
    let mut out = vec![lowest("makespan", recipes, |result| {
        (result.summary.stuck == 0).then_some(result.summary.makespan_ns)
    })];
    if let Some((process, level)) = most_urgent(source) {
        let who = &source.workload.processes[process].name;
        let p99 = |result: &RecipeResult| {
            let levels = &result.summary.processes.get(process)?.levels;
            Some(levels.iter().find(|found| found.level == level)?.latency_p99_ns)
        };
        let title = format!("p99 latency of {who}, level {level}");
        out.push(lowest(&title, recipes, p99));
    }
    out.push(fairest(recipes));
    out.push(Some(refused(recipes)));
    let tiles: String = out.into_iter().flatten().collect();
    format!("<div class=\"tiles\">\n{tiles}</div>\n")
}

fn tile(title: &str, value: &str, note: &str) -> String {
    format!(
        "<div class=\"tile\"><p class=\"what\">{}</p><p class=\"value\">{value}</p><p class=\"note\">{note}</p></div>\n",
        name(title)
    )
}

/// The process and level whose work is most urgent; of equals, the first.
fn most_urgent(source: &Source<'_>) -> Option<(usize, u8)> {
    let first = source.report.recipes.first()?;
    let processes = first.summary.processes.iter().enumerate();
    let found = processes.filter_map(|(n, process)| Some((process.levels.first()?.level, n)));
    found.min().map(|(level, process)| (process, level))
}

/// The lowest time and under which recipe, and the highest.
fn lowest(
    title: &str,
    recipes: &[RecipeResult],
    time: impl Fn(&RecipeResult) -> Option<u64>,
) -> Option<String> {
    let times: Vec<(u64, &RecipeResult)> =
        recipes.iter().filter_map(|result| Some((time(result)?, result))).collect();
    let low = times.iter().map(|(time, _)| *time).min()?;
    let high = times.iter().map(|(time, _)| *time).max()?;
    let shown: Vec<(String, &RecipeResult)> =
        times.iter().map(|(time, result)| (duration(*time), *result)).collect();
    Some(best(title, &shown, &duration(low), &duration(high), "up to"))
}

fn fairest(recipes: &[RecipeResult]) -> Option<String> {
    let jain: Vec<(f64, &RecipeResult)> =
        recipes.iter().filter_map(|result| Some((result.summary.jain?, result))).collect();
    let high = jain.iter().map(|(jain, _)| *jain).max_by(f64::total_cmp)?;
    let low = jain.iter().map(|(jain, _)| *jain).min_by(f64::total_cmp)?;
    let text = |jain: f64| format!("{jain:.2}");
    let shown: Vec<(String, &RecipeResult)> =
        jain.iter().map(|(jain, result)| (text(*jain), *result)).collect();
    Some(best("fairness (Jain)", &shown, &text(high), &text(low), "down to"))
}

/// The best figure, who reached it, and the worst one. Figures that look equal are equal.
fn best(
    title: &str,
    shown: &[(String, &RecipeResult)],
    best: &str,
    worst: &str,
    to: &str,
) -> String {
    let note = if let [(_, only)] = shown {
        format!("under {}", name(&only.name))
    } else if best == worst {
        "under every recipe".to_owned()
    } else {
        format!("{}; {to} {} under {}", who(shown, best), figure(worst), who(shown, worst))
    };
    tile(title, &figure(best), &note)
}

fn who(shown: &[(String, &RecipeResult)], text: &str) -> String {
    let names: Vec<String> =
        shown.iter().filter(|(own, _)| own == text).map(|(_, result)| name(&result.name)).collect();
    match names.as_slice() {
        [first, second, _, rest @ ..] => {
            format!("{first}, {second} and {} more", rest.len() + 1)
        }
        _ => names.join(" and "),
    }
}

fn refused(recipes: &[RecipeResult]) -> String {
    let of = |result: &RecipeResult| -> u64 {
        result.summary.processes.iter().flat_map(|process| process.refused.values()).sum()
    };
    let (low, high) = recipes
        .iter()
        .map(of)
        .fold((u64::MAX, 0), |(low, high), refused| (low.min(refused), high.max(refused)));
    let note = match high {
        0 => "every launch can run here",
        _ if low == high => "under every recipe",
        _ => "the most under one recipe",
    };
    tile("launches refused", &count(high), &escape(note))
}
