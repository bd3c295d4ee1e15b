//! In which order is a result shown?

use super::device::DeviceFound;
use super::facts::ProfileFacts;
use super::files::{self, Closing};
use super::result::{RecipeResult, ReplayResult};
use super::runs::{RecipeRun, Replay};
use super::{
    NAME, answer, cards, comparison, grouping, latency, over_time, refused, requests, shares,
};
use crate::document::{Block, Column, Document, List, Medium, Table};
use crate::units::{count, counted, duration, plain};

/// The result for people.
#[must_use]
pub fn document(
    result: &ReplayResult,
    replay: &Replay<'_>,
    runs: &[RecipeRun],
    closing: Closing<'_>,
) -> Document {
    let workload = replay.workload;
    let mut document = Document::default();
    document.title = title(result);
    document.summary = format!(
        "{} on {}, {}",
        counted(result.profiles.len() as u64, "process", "processes"),
        result.device,
        counted(result.recipes.len() as u64, "policy", "policies"),
    );
    document.full = "in summary.json";
    document.columns = closing.columns;
    document.verbose = closing.verbose;
    answer::fill(&mut document, result, cards::cards(result, replay), &closing);
    document.fold();
    requests::fill(&mut document, result);
    for (label, items) in [
        ("Policies", result.recipes.iter().filter_map(in_words).collect()),
        ("Profiles", result.profiles.iter().map(head).collect::<Vec<_>>()),
    ] {
        if !items.is_empty() {
            let list = List { label: label.to_owned(), items, inline: false };
            document.add_on(Medium::Terminal, Block::List(list));
        }
    }
    document.section("compared", "What was compared");
    document.page(Block::Table(profiles(&result.profiles)));
    document.page(Block::Table(recipes(&result.recipes)));
    comparison::fill(&mut document, result);
    latency::fill(&mut document, workload, runs);
    let groups = grouping::groups(workload, runs);
    over_time::fill(&mut document, result, runs, &groups);
    shares::fill(&mut document, result, runs, &groups);
    refused::fill(&mut document, result);
    rests(&mut document, result);
    files::fill(&mut document, result, &closing);
    document.add_on(Medium::Terminal, Block::Commands(closing.next));
    document
}

fn title(result: &ReplayResult) -> String {
    let names: Vec<String> = result.profiles.iter().map(|of| plain(&of.name, 160)).collect();
    match names.as_slice() {
        [first, second, third, _, rest @ ..] => {
            format!("{first} + {second} + {third} + {} more", rest.len() + 1)
        }
        _ => names.join(" + "),
    }
}

/// What a recipe does.
fn in_words(recipe: &RecipeResult) -> Option<String> {
    let words = recipe.recipe.description.as_ref()?;
    Some(format!("{}: {words}", plain(&recipe.name, NAME)))
}

/// A profile in one line.
fn head(profile: &ProfileFacts) -> String {
    format!(
        "{}: {} ({} workgroups), {} copies and fills, {}, {}, recorded on {}",
        plain(&profile.name, NAME),
        counted(profile.kernels, "kernel", "kernels"),
        count(profile.workgroups),
        count(profile.copies.saturating_add(profile.sets)),
        counted(profile.streams as u64, "stream", "streams"),
        duration(profile.span_ns),
        match profile.device.found {
            DeviceFound::StandIn => "an unknown device".to_owned(),
            _ => profile.device.to_string(),
        },
    )
}

fn profiles(profiles: &[ProfileFacts]) -> Table {
    let columns = [
        Column::name("process", NAME),
        Column::figure("kernels"),
        Column::figure("workgroups"),
        Column::figure("copies, fills"),
        Column::figure("streams"),
        Column::figure("lasts"),
        Column::figure("begins at"),
        Column::figure("share"),
        Column::text("recorded on"),
        Column::text("read from"),
    ];
    let mut table = Table::new("Profiles", columns);
    for profile in profiles {
        table.row([
            profile.name.clone(),
            count(profile.kernels),
            count(profile.workgroups),
            count(profile.copies.saturating_add(profile.sets)),
            count(profile.streams as u64),
            duration(profile.span_ns),
            duration(profile.start_ns),
            count(profile.share.into()),
            match profile.device.found {
                DeviceFound::StandIn => "unknown".to_owned(),
                _ => profile.device.to_string(),
            },
            profile.format.to_owned(),
        ]);
    }
    let late = profiles.iter().any(|profile| profile.start_ns > 0);
    let unlike = profiles.iter().any(|profile| profile.share != 1);
    let silent = [(late, "begins at"), (unlike, "share")];
    let silent: Vec<&str> =
        silent.into_iter().filter_map(|(says, title)| (!says).then_some(title)).collect();
    table.without(&silent)
}

fn recipes(recipes: &[RecipeResult]) -> Table {
    let policies = ["allocate", "turn", "preempt", "launch path"].map(Column::text);
    let columns = [Column::name("recipe", NAME)].into_iter().chain(policies);
    let columns = columns.chain([Column::name("in words", NAME)]);
    let mut table = Table::new("Recipes", columns.collect::<Vec<_>>());
    for recipe in recipes {
        let [path, turn, allocate, preempt] = recipe.recipe.policies();
        let words = recipe.recipe.description.as_deref().unwrap_or_default();
        table.row([&*recipe.name, allocate, turn, preempt, path, words]);
    }
    table
}

/// On what the figures rest: what the words mean, what the model assumes, what was met in the
/// files, and what a reader should look at twice.
fn rests(document: &mut Document, result: &ReplayResult) {
    document.section("rests", "What the figures rest on");
    for warning in result.warnings.iter().cloned().chain(capped(&result.recipes)) {
        document.add(Block::Warning(warning));
    }
    document.add(Block::Terms { label: "Reading", terms: terms(result) });
    let model = "A replay is a model, not a measurement. Every workgroup of every launch was placed; how long each lasts, and what they cost each other, is taken from the profile by the cost model.";
    document.page(Block::Note(model.to_owned()));
    let label = "Cost model".to_owned();
    let items = result.assumptions.clone();
    document.add(Block::List(List { label, items, inline: true }));
    let met = result.profiles.iter().flat_map(|profile| {
        let name = plain(&profile.name, NAME);
        profile.quirks.iter().map(move |met| format!("{name}: {met}"))
    });
    let met: Vec<String> = met.collect();
    if met.is_empty() {
        document.page(Block::Note("Nothing unusual was met in the files.".to_owned()));
    }
    document.list("Met in the files", met);
}

/// The words of the tables of a result.
fn terms(result: &ReplayResult) -> Vec<(&'static str, &'static str)> {
    let mut terms = vec![
        (
            "makespan",
            "until every profile has ended once, which in an open loop mostly follows the recorded arrivals",
        ),
        ("used", "wave-slot time used, of what there was between the first event and the last end"),
        (
            "Jain",
            "fairness of wave-slot time while two or more processes were runnable: 1 is equal shares, one over their number is all for one",
        ),
        ("level", "urgency, 0 first, 255 best effort"),
        ("launches", "kernel launches that started, with repetitions"),
        (
            "p50 and p99",
            "latency of launches, from ready (issued, and everything it waits for has ended) to the first wave started",
        ),
        (
            "slowdown",
            "(end - ready) over the same launch alone here under leftover, geometric mean: many short waits can raise it while the rare long ones, which p99 shows, are gone",
        ),
        ("refused", "launches that can never run here, in one repetition"),
    ];
    if result.profiles.iter().any(|profile| profile.requests.is_some()) {
        terms.push((
            "requests",
            "repetitions of a profile that began at times of their own; their p50, p99 and longest = from arrival to the end of all their work, alone = the same of one request alone here under leftover; the makespan counts every request with a time of its own",
        ));
    }
    if !result.stuck.is_empty() {
        terms.push((
            "stuck",
            "launches that never ended, although nothing more could happen: there is no makespan, and all other figures of the recipe are of the rest",
        ));
    }
    terms
}

/// The recipes under which the shorter profiles could not repeat to the end.
fn capped(recipes: &[RecipeResult]) -> Option<String> {
    let capped = recipes.iter().filter(|result| result.summary.repeat_capped);
    let names: Vec<String> = capped.map(|result| plain(&result.name, NAME)).collect();
    (!names.is_empty()).then(|| {
        format!(
            "under {} the shorter profiles stopped repeating before the longest one had ended, because it made no headway beside them: its last part ran without company (`--once` lets nothing repeat)",
            names.join(", ")
        )
    })
}
