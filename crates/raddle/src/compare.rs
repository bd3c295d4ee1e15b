//! What differs between results of replays, or between profiles of one program? The verb `compare`.

use std::fs;
use std::path::{Path, PathBuf};

use raddle_report::compare::{document, markdown};
use raddle_report::inspect::changes as page;
use raddle_report::{Document, json};
use raddle_study::compare::{ComparedResult, compare};
use raddle_study::inspect::ProfileChanges;
use raddle_study::result::SUMMARY;
use raddle_study::units::Shell;
use raddle_study::{Loaded, NextCommand, profiles};
use raddle_trace::ImportConfig;

use crate::Console;
use crate::args::{CompareArgs, Format};
use crate::disk::{Disk, named};
use crate::error::CliError;
use crate::schema::{Followed, versioned};

pub(crate) fn verb(
    args: &CompareArgs,
    format: Format,
    console: &mut Console,
) -> Result<(), CliError> {
    let (paths, named): (Vec<PathBuf>, Vec<Option<String>>) =
        args.results.iter().map(|path| split(path)).unzip();
    let results: Vec<_> = paths.iter().map(|path| read(path)).collect();
    if results.iter().all(Result::is_err)
        && let Some(profiles) = read_profiles(&paths)
    {
        return compare_profiles(args, &profiles, format, console);
    }
    let mut results = results.into_iter().collect::<Result<Vec<_>, _>>()?;
    ComparedResult::choose(&mut results, &named).map_err(CliError::Usage)?;
    let mut comparison = compare(&results);
    comparison.limit(&args.fail_if).map_err(CliError::Usage)?;
    let failures = comparison.failures();
    if !args.equal {
        comparison.only_changes();
    }
    let next = ComparedResult::next(&results);
    let text = match format {
        Format::Json => versioned("compare", &Followed::new(&comparison, next.as_ref())),
        Format::Text if args.markdown => markdown(&comparison, &failures),
        Format::Text => followed(document(&comparison), next.as_ref(), console),
    };
    console.print(&text)?;
    if failures.is_empty() { Ok(()) } else { Err(CliError::Gate(failures.join("\n"))) }
}

/// Reads all files as profiles; returns `None` where one of them is no profile.
fn read_profiles(paths: &[PathBuf]) -> Option<Vec<Loaded>> {
    let disk = Disk::new(paths, false);
    profiles::open(&named(paths), &ImportConfig::default(), &disk).ok()
}

/// Compares profiles of one program with the first of them, and prints the differences.
fn compare_profiles(
    args: &CompareArgs,
    profiles: &[Loaded],
    format: Format,
    console: &mut Console,
) -> Result<(), CliError> {
    if !args.fail_if.is_empty() || args.markdown || args.equal {
        return Err(CliError::Usage(
            "these are profiles: --fail-if, --markdown and --equal are for results of `raddle replay`"
                .to_owned(),
        ));
    }
    let (first, others) = profiles.split_first().expect("clap asks for two files");
    let all = others.iter().map(|other| {
        ProfileChanges::of((&first.name, &first.profile), (&other.name, &other.profile))
    });
    let all: Vec<ProfileChanges> = all.collect();
    let files = args.results.iter().skip(1).map(|path| path.display().to_string());
    let next: Vec<NextCommand> = files.map(|file| NextCommand::after_changes(&file)).collect();
    let text = match format {
        Format::Json => {
            let all = all.iter().zip(&next);
            let all = all.map(|(changes, next)| Followed::new(changes, Some(next)));
            json(&all.collect::<Vec<_>>())
        }
        Format::Text => {
            let pages = all.iter().zip(&next);
            let pages = pages.map(|(changes, next)| followed(page(changes), Some(next), console));
            pages.collect::<Vec<_>>().join("\n")
        }
    };
    console.print(&text)
}

/// Writes a document as text, with the command to run next at its end.
fn followed(mut document: Document, next: Option<&NextCommand>, console: &Console) -> String {
    document.next(next.map_or_else(Vec::new, |next| next.lines(Shell::HERE)));
    document.text(console.stdout_colour)
}

/// Splits `PATH#RECIPE` into the path and the recipe. A path that exists as it is written has no
/// recipe (`None`).
fn split(given: &Path) -> (PathBuf, Option<String>) {
    let said = given.to_str().filter(|_| !given.exists()).and_then(|text| text.rsplit_once('#'));
    match said {
        Some((path, recipe)) => (path.into(), Some(recipe.to_owned())),
        None => (given.to_path_buf(), None),
    }
}

/// Reads the result in a `summary.json`, given by its path or by that of its folder.
fn read(path: &Path) -> Result<ComparedResult, CliError> {
    let from = if path.is_dir() { path.join(SUMMARY) } else { path.to_path_buf() };
    let shown = from.display().to_string();
    let unreadable = |cause| CliError::Unreadable { file: shown.clone(), cause };
    let bytes = fs::read(&from).map_err(unreadable)?;
    ComparedResult::parse(path.display().to_string(), &bytes).map_err(|why| {
        CliError::Refused(format!(
            "{shown} is no {SUMMARY} of raddle ({why}): name files that `raddle replay` wrote, or their folders, or profiles alone"
        ))
    })
}
