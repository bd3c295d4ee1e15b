//! What is the result in a few figures?

use super::result::{RecipeResult, ReplayResult};
use crate::document::Tile;
use crate::units::{count, duration};

pub(super) fn tiles(result: &ReplayResult) -> Vec<Tile> {
    let recipes = &result.recipes;
    let time = |ns: u64| (ns as f64, duration(ns));
    let mut tiles = vec![best("makespan", "up to", recipes, |recipe| {
        (recipe.summary.stuck == 0).then(|| time(recipe.summary.makespan_ns))
    })];
    if let Some((process, level)) = most_urgent(recipes) {
        let name = &recipes[0].summary.processes[process].name;
        let title = format!("p99 latency of {name}, level {level}");
        tiles.push(best(&title, "up to", recipes, |recipe| {
            let levels = &recipe.summary.processes.get(process)?.levels;
            Some(time(levels.iter().find(|found| found.level == level)?.latency_p99_ns))
        }));
    }
    tiles.push(best("fairness (Jain)", "down to", recipes, |recipe| {
        recipe.summary.jain.map(|jain| (-jain, format!("{jain:.2}")))
    }));
    tiles.push(Some(refused(recipes)));
    tiles.into_iter().flatten().collect()
}

/// The process and level whose work is most urgent; of equals, the first.
fn most_urgent(recipes: &[RecipeResult]) -> Option<(usize, u8)> {
    let processes = recipes.first()?.summary.processes.iter().enumerate();
    let found = processes.filter_map(|(n, process)| Some((process.levels.first()?.level, n)));
    found.min().map(|(level, process)| (process, level))
}

/// The best figure, who reached it, and the worst one; the lower the rank of a figure the better.
/// Figures that look equal are equal.
fn best(
    what: &str,
    to: &str,
    recipes: &[RecipeResult],
    figure: impl Fn(&RecipeResult) -> Option<(f64, String)>,
) -> Option<Tile> {
    let of = |recipe| {
        let recipe: &RecipeResult = recipe;
        figure(recipe).map(|(rank, text)| (rank, text, recipe.name.as_str()))
    };
    let mut figures: Vec<(f64, String, &str)> = recipes.iter().filter_map(of).collect();
    let who = |text: &str, figures: &[(f64, String, &str)]| {
        let names = figures.iter().filter(|(_, own, _)| own == text);
        let names: Vec<&str> = names.map(|(.., name)| *name).collect();
        match names[..] {
            [first, second, _, ref rest @ ..] => {
                format!("{first}, {second} and {} more", rest.len() + 1)
            }
            _ => names.join(" and "),
        }
    };
    let shown = figures.clone();
    figures.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (best, worst) = (&figures.first()?.1, &figures.last()?.1);
    let note = match &figures[..] {
        [(.., only)] => format!("under {only}"),
        _ if best == worst => "under every recipe".to_owned(),
        _ => format!("{}; {to} {worst} under {}", who(best, &shown), who(worst, &shown)),
    };
    Some(Tile { what: what.to_owned(), value: best.clone(), note })
}

fn refused(recipes: &[RecipeResult]) -> Tile {
    let of = |recipe: &RecipeResult| -> u64 {
        recipe.summary.processes.iter().flat_map(|process| process.refused.values()).sum()
    };
    let low = recipes.iter().map(of).min().unwrap_or(0);
    let high = recipes.iter().map(of).max().unwrap_or(0);
    let note = match high {
        0 => "every launch can run here",
        _ if low == high => "under every recipe",
        _ => "the most under one recipe",
    };
    Tile { what: "launches refused".to_owned(), value: count(high), note: note.to_owned() }
}
