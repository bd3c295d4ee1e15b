//! Which launches could not run, and which resource was missing?

use raddle_study::result::{
    RecipeResult, RefusedLaunches, ReplayResult, StuckLaunches, Unreported,
};
use raddle_study::units::{count, counted, plain};

use super::NAME;
use crate::document::{Block, Document};

/// Largest number of characters that a line about refused launches shows of the name of a kernel.
const KERNEL: usize = 60;

pub(super) fn fill(document: &mut Document, result: &ReplayResult) {
    document.section("refused", "Refused");
    let refused = by_recipe(&result.recipes, |recipe| &recipe.refusals, refusal);
    let again: u64 = result.recipes.iter().map(|recipe| recipe.refused_again).sum();
    let note = match (refused.is_empty(), again) {
        (true, _) => {
            "None: every launch of every profile can run on this device under every recipe."
        }
        (_, 0) => {
            "These launches can never run here, so they were refused when they arrived, and what waited for them went on."
        }
        _ => {
            "These launches can never run here, so they were refused when they arrived, and what waited for them went on. Repetitions of a profile met them again; they are counted once."
        }
    };
    document.page(Block::Note(note.to_owned()));
    document.list("Refused", refused);
    document.list("Stuck", by_recipe(&result.recipes, |recipe| &recipe.stuck, never_ended));
}

/// Writes one line for each item that a recipe (way of sharing the device) has, such as a kernel
/// that was refused. Each line begins with the name of the recipe. But if all recipes have equal
/// items, each item gets only one line, without a name.
fn by_recipe<T: PartialEq>(
    recipes: &[RecipeResult],
    items: impl Fn(&RecipeResult) -> &[T],
    line: impl Fn(&T) -> String,
) -> Vec<String> {
    let Some(first) = recipes.first() else {
        return Vec::new();
    };
    if recipes.iter().all(|recipe| items(recipe) == items(first)) {
        return items(first).iter().map(line).collect();
    }
    let of = |recipe: &RecipeResult| {
        let name = plain(&recipe.name, NAME);
        let lines = items(recipe).iter().map(&line);
        lines.map(|line| format!("{name}: {line}")).collect::<Vec<_>>()
    };
    recipes.iter().flat_map(of).collect()
}

fn launches(n: u64, kernel: &str, profile: &str) -> String {
    let launches = counted(n, "launch", "launches");
    format!("{launches} of `{}` in {}", plain(kernel, KERNEL), plain(profile, NAME))
}

fn never_ended(found: &StuckLaunches) -> String {
    let launches = launches(found.launches, &found.kernel, &found.profile);
    format!("{launches} never ended, and nothing more could happen")
}

fn refusal(refused: &RefusedLaunches) -> String {
    let launches = launches(refused.launches, &refused.kernel, &refused.profile);
    format!("{launches}: {}", why(refused))
}

/// Says which resource a launch that can never run lacks, and how much of it the launch needs.
fn why(refused: &RefusedLaunches) -> String {
    let RefusedLaunches { resource, wanted, available, unit, unreported, .. } = refused;
    let (wanted, had) = (count(*wanted), count(*available));
    match (*resource, unreported) {
        ("grid", _) if *available == 0 => "its grid or its workgroup is empty".to_owned(),
        ("grid", _) => format!(
            "grid: it has {wanted} workgroups, and at most {had} can have run in its duration, a nanosecond a round: the grid or the duration is wrong in the file"
        ),
        ("cus", _) => "the policy gives its process no compute unit".to_owned(),
        (_, None) => {
            format!("{resource}: a workgroup wants {wanted} {unit}, at most {had} can be had")
        }
        (_, Some(Unreported { search, there_is })) => format!(
            "{resource}: a workgroup wants {wanted} {unit}; an empty compute unit has {} in one run, but the search `{search}` of the recipe reports only {had} of it: with `search = \"full\"` it would run",
            count(*there_is)
        ),
    }
}
