//! Which values suit best, and how sure is that? The verb `tune`.

mod args;

use std::path::Path;

use raddle_dispatch::Registry;
use raddle_report::{Block, Cell, Column, Document, Table, json};
use raddle_study::{Bench, Surroundings, Sweep, Tuned, TunedRow};

use crate::Console;
use crate::args::Format;
use crate::disk::Disk;
use crate::error::CliError;
use crate::place;
use crate::progress::RunsShown;
use crate::replay::RESULTS;
use crate::units::{counted, duration, quoted};

pub(crate) use args::TuneArgs;

/// How the recipe that was found begins, by which it is known again.
const MARK: &str = "# Found by `raddle tune`";
/// Candidates that are shown.
const ROWS: usize = 8;
/// Characters of a candidate on a terminal.
const CASE: usize = 56;

/// The verb `tune`.
pub(crate) fn verb(
    args: &TuneArgs,
    registry: &Registry,
    format: Format,
    console: &mut Console,
) -> Result<(), CliError> {
    let paths = args.asked.ranks.files(&args.profiles)?;
    let files = Disk::new(&paths, console.progress);
    let study = args.asked.study((&args.profiles, &paths), &args.load);
    let sweep = Sweep { study, vary: args.vary.clone() };
    let watcher = RunsShown::new(console.progress && !args.quiet);
    let around = Surroundings { registry, files: &files, watcher: &watcher, jobs: args.jobs };
    let path = args.save.clone().unwrap_or_else(|| Path::new(RESULTS).join("tuned.toml"));
    place::check(&path, &found_before)?;
    let tuned = Bench::new(&sweep, around)?.tune(args.minimise.as_ref())?;
    save(&path, &tuned)?;
    let text = match format {
        Format::Json => json(&tuned),
        Format::Text => {
            let mut document = document(&tuned, &command(args, &path, &tuned));
            document.columns = console.columns;
            match args.quiet {
                true => document.sentence().map_or_else(String::new, |text| format!("{text}\n")),
                false => document.text(console.stdout_colour),
            }
        }
    };
    console.print(&text)?;
    match tuned.best.first() {
        Some(best) if !best.goals_met => Err(CliError::Goals(
            "No candidate meets all goals: the one above comes first by what is minimised"
                .to_owned(),
        )),
        _ => Ok(()),
    }
}

/// Writes the recipe.
fn save(path: &Path, tuned: &Tuned) -> Result<(), CliError> {
    let case = tuned.best.first().map_or("", |best| &best.case);
    place::write(path, &format!("{MARK}: {case}\n{}", tuned.recipe), &found_before)
}

/// An earlier recipe of this verb.
fn found_before(path: &Path) -> Result<(), String> {
    place::begins(path, MARK)
}

/// The replay of what was found.
fn command(args: &TuneArgs, path: &Path, tuned: &Tuned) -> String {
    let profiles = args.profiles.iter().map(|path| path.display().to_string());
    let words = ["raddle".to_owned(), "replay".to_owned()].into_iter().chain(profiles);
    let recipes = ["--recipe=leftover".to_owned(), format!("--recipe={}", path.display())];
    let words = words.chain(recipes).chain(tuned.options.iter().cloned());
    words.map(|word| quoted(&word)).collect::<Vec<_>>().join(" ")
}

fn document(tuned: &Tuned, command: &str) -> Document {
    let mut document = Document::default();
    let Some(best) = tuned.best.first() else { return document };
    let value = |row: &TunedRow| shown(tuned, row.objective);
    let text = format!(
        "Use {}: {} {} -> {}.",
        best.case,
        tuned.minimised,
        value(&tuned.base),
        value(best)
    );
    let (good, name) = (best.goals_met, best.case.clone());
    document.add(Block::Verdict { good, name, text, why: Some(sure(tuned)) });
    let mut columns = vec![Column::name("candidate", CASE)];
    columns.extend(tuned.processes.iter().map(Column::figure));
    columns.extend([Column::figure("behind"), Column::text("goals")]);
    let mut table = Table::new("", columns);
    for row in tuned.best.iter().take(ROWS).chain([&tuned.base]) {
        let today = std::ptr::eq(row, &tuned.base);
        let name = if today { format!("{} (today)", row.case) } else { row.case.clone() };
        let mut cells = vec![Cell::from(name)];
        let figures = row.figures.iter();
        cells.extend(figures.map(|ns| Cell::from(ns.map_or("-".to_owned(), duration))));
        cells.push(row.behind.map_or("-".to_owned(), |behind| difference(tuned, behind)).into());
        cells.push(if row.goals_met { "met" } else { "missed" }.into());
        table.row(cells);
    }
    document.table(table);
    let few = counted(tuned.candidates, "candidate", "candidates");
    let runs = counted(tuned.runs, "run", "runs");
    document.paragraph(
        "Searched",
        format!(
            "{few} in {runs}: all by one seed, then the better half by more, the last by {}",
            counted(tuned.seeds, "seed", "seeds")
        ),
    );
    if let Some(error) = &tuned.error {
        let failed = counted(tuned.failed, "candidate", "candidates");
        document.add(Block::Warning(format!("{failed} cannot be had: {error}")));
    }
    document.add(Block::Commands { label: "Next", commands: vec![command.to_owned()] });
    document
}

/// A value of what was small: a time, or a product of ratios.
fn shown(tuned: &Tuned, value: Option<f64>) -> String {
    match value {
        None => "nothing ended".to_owned(),
        Some(value) if tuned.minimised == "slowdowns" => format!("{value:.2}x"),
        Some(value) => duration(value as u64),
    }
}

fn difference(tuned: &Tuned, (mean, within): (f64, f64)) -> String {
    let sign = if mean < 0.0 { "-" } else { "+" };
    format!("{sign}{} ± {}", shown(tuned, Some(mean.abs())), shown(tuned, Some(within)))
}

/// How sure the choice is, in a sentence.
fn sure(tuned: &Tuned) -> String {
    let Some(second) = tuned.best.get(1) else {
        return "No other candidate was run by as many seeds.".to_owned();
    };
    let case = &second.case;
    match (tuned.is_sure(), second.behind) {
        (Some(true), Some(behind)) => {
            format!("The second best, {case}, is behind by {} (95 %).", difference(tuned, behind))
        }
        (Some(false), Some(behind)) => format!(
            "{case} may be as good: it is behind by {} (95 %).",
            difference(tuned, behind)
        ),
        _ => "One seed says nothing of chance: with random requests --seeds N tells how sure this is.".to_owned(),
    }
}
