//! Which launches could not run, and what lacked?

use super::Source;
use super::html::{self, escape, name};
use crate::summary::{RecipeResult, Refusal, Stuck};
use crate::text::why;
use crate::units::count;

/// Rows of a table; the rest is in the summary.
const ROWS: usize = 60;

pub(crate) fn section(source: &Source<'_>) -> String {
    let recipes = &source.report.recipes;
    let mut body = refusals(recipes);
    let stuck = by_recipe(recipes, |result| &result.stuck);
    if !stuck.is_empty() {
        body += "<p>These launches never ended, although nothing more could happen:</p>\n";
        let row = |(recipe, stuck): &(String, &Stuck)| {
            vec![recipe.clone(), name(&stuck.profile), name(&stuck.kernel), count(stuck.launches)]
        };
        let rows: Vec<_> = stuck.iter().take(ROWS).map(row).collect();
        body += &html::table("Stuck", &["recipe", "process", "kernel", "#launches"], &rows);
        body += &more(stuck.len());
    }
    html::section("refused", "Refused", &body)
}

fn refusals(recipes: &[RecipeResult]) -> String {
    let refusals = by_recipe(recipes, |result| &result.refusals);
    if refusals.is_empty() {
        return "<p>None: every launch of every profile can run on this device under every recipe.</p>\n"
            .to_owned();
    }
    let row = |(recipe, refusal): &(String, &Refusal)| {
        vec![
            recipe.clone(),
            name(&refusal.profile),
            name(&refusal.kernel),
            count(refusal.launches),
            escape(refusal.resource),
            format!("<span class=\"words\">{}</span>", escape(&why(refusal))),
        ]
    };
    let rows: Vec<_> = refusals.iter().take(ROWS).map(row).collect();
    let header = ["recipe", "process", "kernel", "#launches", "limiter", "why"];
    let again: u64 = recipes.iter().map(|result| result.refused_again).sum();
    let again = match again {
        0 => String::new(),
        _ => " Repetitions of a profile met them again; they are counted once.".to_owned(),
    };
    format!(
        "<p>These launches can never run here, so they were refused when they arrived, and what waited for them went on.{again}</p>\n{}{}",
        html::table("Refused", &header, &rows),
        more(refusals.len())
    )
}

fn more(rows: usize) -> String {
    match rows.saturating_sub(ROWS) {
        0 => String::new(),
        left => format!("<p>And {} more in summary.json.</p>\n", count(left as u64)),
    }
}

/// What there is of each recipe, with its name; what is the same under every recipe once.
fn by_recipe<T: PartialEq>(
    recipes: &[RecipeResult],
    items: impl Fn(&RecipeResult) -> &[T],
) -> Vec<(String, &T)> {
    let Some(first) = recipes.first() else {
        return Vec::new();
    };
    if recipes.len() > 1 && recipes.iter().all(|result| items(result) == items(first)) {
        return items(first).iter().map(|item| ("every one".to_owned(), item)).collect();
    }
    let of = |result| items(result).iter().map(move |item| (name(&result.name), item));
    recipes.iter().flat_map(of).collect()
}
