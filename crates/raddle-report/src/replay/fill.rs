//! In which order are the parts of a result shown?

use std::path::Path;

use raddle_study::Studied;
use raddle_study::result::{
    DeviceFound, ProfileFacts, RecipeResult, ReplayResult, SET_UP, SetUpFile, met,
};
use raddle_study::units::{Shell, copies_elsewhere, count, counted, duration, plain, quoted};

use super::files::{self, Closing};
use super::looks::POLICY;
use super::{NAME, answer, cards, comparison, refused, requests, shares};
use crate::document::{Block, Document, List, Medium};

/// Makes the document that shows the result of a replay.
#[must_use]
pub fn document(studied: &Studied, closing: Closing<'_>) -> Document {
    let result = &studied.result;
    let mut document = Document::default();
    document.title = title(result);
    document.summary = format!(
        "{}, {}",
        answer::what_on(result),
        counted(result.recipes.len() as u64, "policy", "policies"),
    );
    document.full = "in summary.json";
    document.columns = closing.columns;
    document.verbose = closing.verbose;
    let settles = studied.settling_command(closing.folder);
    let cards = cards::cards(result, &studied.replay());
    answer::fill(&mut document, (result, settles.len()), cards, &closing);
    set_up(&mut document, result, closing.folder);
    if !settles.is_empty() && !closing.verbose {
        document.next(settles);
    }
    document.fold();
    requests::fill(&mut document, result);
    document.section("compared", "What was compared");
    let items = result.recipes.iter().map(recipe).collect();
    let policies = List { label: "Policies".to_owned(), items, inline: false, anchor: POLICY };
    document.add(Block::List(policies));
    document.page(Block::Heading("All figures".to_owned()));
    document.page(Block::Table(answer::all_figures(result)));
    document.page(Block::Note(answer::figures_note(&result.answer)));
    document.list("Profiles", result.profiles.iter().map(profile).collect());
    comparison::fill(&mut document, result);
    shares::fill(&mut document, result);
    refused::fill(&mut document, result);
    rests(&mut document, result);
    files::fill(&mut document, result, &closing);
    document.next(closing.next);
    document
}

/// Adds to the document which part of the device each process gets under the recommended recipe
/// (way of sharing the device), and the commands and files by which a user sets that up, and undoes
/// it.
fn set_up(document: &mut Document, result: &ReplayResult, folder: Option<&Path>) {
    if result.setup.is_empty() {
        return;
    }
    let set_up = result.setup_of.as_ref();
    let chosen = set_up.and_then(|it| result.recipes.iter().position(|of| of.name == it.recipe));
    let got = shares::got(result, chosen);
    if let Some(of) = chosen.and_then(|at| result.recipes.get(at)).filter(|_| !got.is_empty()) {
        let heading = format!(
            "What each process gets under {} (received: of the wave-slot time that all used)",
            plain(&of.name, 60)
        );
        document.add_on(Medium::Terminal, Block::Heading(heading));
        document.add_on(Medium::Terminal, Block::Table(got));
    }
    let why =
        set_up.and_then(|it| Some(format!("# {}: {}", plain(&it.recipe, 60), it.why.as_ref()?)));
    let (folder, files) = (folder.map(|folder| folder.join(SET_UP)), &result.setup_files);
    let placed = |line: &String| match &folder {
        Some(folder) => SetUpFile::placed(line, files, folder, Shell::HERE),
        None => line.clone(),
    };
    let mut commands: Vec<String> =
        why.into_iter().chain(result.setup.iter().map(placed)).collect();
    commands.extend(files.iter().map(|file| match &folder {
        Some(folder) => {
            format!("{}    {}", quoted(&folder.join(file.name).display().to_string()), file.what)
        }
        None => format!("{}    {}; written without --no-files", file.name, file.what),
    }));
    document.add(Block::Commands { label: "Set it", commands });
    if !result.setup_undo.is_empty() {
        let commands = result.setup_undo.iter().map(placed).collect();
        document.add(Block::Commands { label: "Undo it", commands });
    }
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

/// Describes a recipe (way of sharing the device) in one line, with the names of its policies.
fn recipe(recipe: &RecipeResult) -> String {
    let [path, turn, allocate, preempt] = recipe.recipe.policies();
    let words = recipe.recipe.description.as_deref().unwrap_or("without a description");
    let name = plain(&recipe.name, NAME);
    format!("{name}: {words} (allocate {allocate}, turn {turn}, preempt {preempt}, path {path})")
}

/// Describes a profile in one line: its launches, copies, streams, span and device.
fn profile(profile: &ProfileFacts) -> String {
    let mut text = format!(
        "{}: {} ({} workgroups), {} copies and fills{}, {}, {}",
        plain(&profile.name, NAME),
        counted(profile.kernels, "kernel", "kernels"),
        count(profile.workgroups),
        count(profile.copies.saturating_add(profile.sets)),
        copies_elsewhere(&profile.copies_elsewhere),
        counted(profile.streams as u64, "stream", "streams"),
        duration(profile.span_ns),
    );
    if profile.start_ns > 0 {
        text += &format!(", begins at {}", duration(profile.start_ns));
    }
    if profile.share != 1 {
        text += &format!(", share {}", profile.share);
    }
    let device = match profile.device.found {
        DeviceFound::StandIn => "an unknown device".to_owned(),
        _ => profile.device.to_string(),
    };
    format!("{text}, recorded on {device}, read from {}", profile.format)
}

/// Adds to the document what the figures rest on: warnings, assumptions of the model, and faults
/// that were found in the files.
fn rests(document: &mut Document, result: &ReplayResult) {
    document.section("rests", "What the figures rest on");
    for warning in result.warnings.iter().cloned().chain(capped(&result.recipes)) {
        document.add(Block::Warning(warning));
    }
    let model = "A replay is a model, not a measurement. Every workgroup of every launch was placed; how long each lasts, and what they cost each other, is taken from the profile by the cost model.";
    document.page(Block::Note(model.to_owned()));
    let label = "Cost model".to_owned();
    let items = result.assumptions.clone();
    document.add(Block::List(List { label, items, inline: true, anchor: "" }));
    let met = result.profiles.iter().flat_map(|profile| {
        let name = plain(&profile.name, NAME);
        profile.quirks.iter().map(move |quirk| format!("{name}: {}", met(quirk)))
    });
    let met: Vec<String> = met.collect();
    if met.is_empty() {
        document.page(Block::Note("Nothing unusual was met in the files.".to_owned()));
    }
    document.list("Met in the files", met);
}

/// Names the recipes (ways of sharing the device) under which shorter profiles reached the limit on
/// repetitions, and stopped repeating before the longest profile had ended. `None` where there are
/// no such recipes.
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
