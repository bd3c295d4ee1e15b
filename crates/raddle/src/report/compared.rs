//! What was compared: which profiles, under which recipes?

use super::Source;
use super::html::{self, escape, figure, name};
use crate::devices::Found;
use crate::sources::Source as Profile;
use crate::units::{count, duration};

pub(crate) fn section(source: &Source<'_>) -> String {
    let body = format!("{}{}", profiles(source), recipes(source));
    html::section("compared", "What was compared", &body)
}

/// A column: its heading, whether it says anything, and its cells.
type Column = (&'static str, bool, fn(&Profile) -> String);

fn profiles(source: &Source<'_>) -> String {
    let profiles = &source.report.profiles;
    let late = profiles.iter().any(|profile| profile.start_ns > 0);
    let unlike = profiles.iter().any(|profile| profile.share != 1);
    let columns: [Column; 10] = [
        ("process", true, |profile| name(&profile.name)),
        ("#kernels", true, |profile| count(profile.kernels)),
        ("#workgroups", true, |profile| count(profile.workgroups)),
        ("#copies, fills", true, |profile| count(profile.copies.saturating_add(profile.sets))),
        ("#streams", true, |profile| count(profile.streams as u64)),
        ("#lasts", true, |profile| figure(&duration(profile.span_ns))),
        ("#begins at", late, |profile| figure(&duration(profile.start_ns))),
        ("#share", unlike, |profile| count(profile.share.into())),
        ("recorded on", true, |profile| match profile.device.found {
            Found::StandIn => "unknown".to_owned(),
            _ => escape(&profile.device.to_string()),
        }),
        ("read from", true, |profile| escape(profile.format)),
    ];
    let columns = columns.iter().filter(|(_, says, _)| *says);
    let header: Vec<&str> = columns.clone().map(|(heading, ..)| *heading).collect();
    let row = |profile: &Profile| columns.clone().map(|(.., cell)| cell(profile)).collect();
    let rows: Vec<Vec<String>> = profiles.iter().map(row).collect();
    html::table("Profiles", &header, &rows)
}

fn recipes(source: &Source<'_>) -> String {
    let header = ["recipe", "allocate", "turn", "preempt", "launch path", "in words"];
    let row = |result: &crate::summary::RecipeResult| {
        let [path, turn, allocate, preempt] = result.recipe.policies();
        let words = result.recipe.description.as_deref().unwrap_or_default();
        let words = format!("<span class=\"words\">{}</span>", name(words));
        let policies = [allocate, turn, preempt, path].map(escape);
        [name(&result.name)].into_iter().chain(policies).chain([words]).collect()
    };
    let rows: Vec<Vec<String>> = source.report.recipes.iter().map(row).collect();
    html::table("Recipes", &header, &rows)
}
