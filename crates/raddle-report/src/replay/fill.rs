//! In which order is a result shown?

use std::path::Path;

use raddle_sim::Workload;

use super::device::DeviceFound;
use super::facts::ProfileFacts;
use super::files::{DrawnTimeline, LOG, PAGE, PERFETTO, SUMMARY, coarse};
use super::result::{RecipeResult, ReplayResult};
use super::runs::RecipeRun;
use super::words::NAME;
use super::{comparison, grouping, latency, over_time, refused, shares, tiles, words};
use crate::document::{Block, Column, Document, List, Medium, Table};
use crate::units::{count, counted, duration, plain, size};

/// Decision logs that are larger than this together are named with their size.
const LARGE: u64 = 1_000_000;

/// What is said beside the result itself.
#[derive(Debug)]
pub struct Closing<'c> {
    /// Where the files are, if there are any.
    pub folder: Option<&'c Path>,
    /// What to try next, a command a line.
    pub next: Vec<String>,
    /// The most slices of a timeline.
    pub most_slices: u32,
}

/// The result for people.
#[must_use]
pub fn document(
    result: &ReplayResult,
    workload: &Workload,
    runs: &[RecipeRun],
    closing: Closing<'_>,
) -> Document {
    let mut document = Document::new(format!(
        "{} on {}, {}",
        counted(result.profiles.len() as u64, "process", "processes"),
        result.device,
        counted(result.recipes.len() as u64, "recipe", "recipes"),
    ));
    document.title = title(result);
    document.full = "in summary.json";
    document.page(Block::Tiles(tiles::tiles(result)));
    let heads = result.profiles.iter().map(head).collect();
    let heads = List { label: String::new(), items: heads, inline: false };
    document.add_on(Medium::Terminal, Block::List(heads));
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
    files(&mut document, result, &closing);
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
    document.add(Block::Terms { label: "Reading", terms: words::terms(result) });
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

fn files(document: &mut Document, result: &ReplayResult, closing: &Closing<'_>) {
    document.section("files", "Files");
    let recipes = result.recipes.iter();
    let logs: Vec<String> = recipes.clone().filter_map(|recipe| recipe.log.clone()).collect();
    let drawn = recipes.clone().filter_map(|of| Some((&*of.name, of.timeline.as_ref()?)));
    let drawn: Vec<(&str, &DrawnTimeline)> = drawn.collect();
    let timelines: Vec<String> =
        drawn.iter().flat_map(|(_, drawn)| drawn.files.iter().cloned()).collect();
    if let Some(folder) = closing.folder {
        let bytes = recipes.filter_map(|recipe| recipe.log_bytes).fold(0, u64::saturating_add);
        let mut each = Vec::new();
        match bytes {
            _ if logs.is_empty() => {}
            0..LARGE => each.push(LOG.to_owned()),
            _ => each.push(format!("{LOG} ({} in all; `--log none` writes none)", size(bytes))),
        }
        if !drawn.is_empty() {
            each.push(format!("{PERFETTO} (for ui.perfetto.dev)"));
        }
        let each = match each.as_slice() {
            [] => String::new(),
            names => format!(", and for each recipe {}", names.join(", ")),
        };
        let text = format!("{}: {PAGE}, {SUMMARY}{each}", folder.display());
        document.add_on(Medium::Terminal, Block::Paragraph { label: "Files".to_owned(), text });
    }
    for (text, paths) in [
        (
            "Everything above as one JSON document, for other programs and for `raddle compare`:",
            vec![SUMMARY.to_owned()],
        ),
        (
            "Every event and every answer of a run, one JSON line each. `raddle replay --events FILE` feeds the events again and must get the same answers:",
            logs,
        ),
        (
            "When which launch ran where. To look at one, open `ui.perfetto.dev` in a browser and drag the file onto the page; the file stays on your machine:",
            timelines,
        ),
    ] {
        if !paths.is_empty() {
            document.page(Block::Files { text: text.to_owned(), paths });
        }
    }
    document.list("Timelines drawn coarser", coarse(&drawn, closing.most_slices));
}
