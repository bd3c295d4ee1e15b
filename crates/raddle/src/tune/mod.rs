//! Which values of options and settings suit profiles best, and how sure is that? The verb `tune`.

mod args;

use std::path::Path;

use raddle_dispatch::Registry;
use raddle_report::tune::document;
use raddle_study::{Bench, Surroundings, Sweep, Tuned};

use crate::Console;
use crate::args::Format;
use crate::disk::Disk;
use crate::ending::{OF_A_REPLAY, VerbEnding};
use crate::error::CliError;
use crate::place;
use crate::progress::RunsShown;
use crate::replay::RESULTS;
use crate::schema::versioned;
use crate::seal::Seal;
use crate::units::plain;

pub(crate) use args::TuneArgs;

/// Beginning of the file with the recipe that `tune` found, by which a file that `tune` wrote
/// earlier is recognised.
const MARK: &str = "# Found by `raddle tune`";
/// Hint that tells the user how to make a search shorter.
const SHORTER: &str = "fewer values of --vary or --seeds are fewer cases, --until TIME lets requests arrive for a shorter time";
/// Largest number of characters of the answer's sentence in the comment at the top of the recipe
/// that `tune` writes.
const SENTENCE: usize = 500;

pub(crate) fn verb(
    args: &TuneArgs,
    registry: &Registry,
    format: Format,
    console: &mut Console,
) -> Result<(), CliError> {
    let paths = args.asked.ranks.told_files(&args.profiles, console)?;
    let progress = console.progress && !args.quiet;
    let files = Disk::new(&paths, progress);
    let study = args.asked.study((&args.profiles, &paths), &args.load);
    let sweep = Sweep { study, vary: args.vary.clone(), searched: true };
    let watcher = RunsShown::new(progress, SHORTER);
    let around = Surroundings { registry, files: &files, watcher: &watcher, jobs: args.jobs };
    let path = args.save.clone().unwrap_or_else(|| Path::new(RESULTS).join("tuned.toml"));
    place::check(&path, &found_before)?;
    let mut tuned = Bench::new(&sweep, around)?.tune(args.minimise.as_ref())?;
    tuned.saved_as(&path.display().to_string());
    save(&path, &tuned)?;
    let text = match format {
        Format::Json => versioned("tune", &tuned),
        Format::Text => {
            let mut document = document(&tuned, &path);
            document.columns = console.columns;
            match args.quiet {
                true => document.sentence().map_or_else(String::new, |text| format!("{text}\n")),
                false => document.text(console.stdout_colour),
            }
        }
    };
    console.print(&text)?;
    ending(&tuned).end(args.quiet, args.asked.shapes.partial, console)
}

fn ending(tuned: &Tuned) -> VerbEnding<'_> {
    let best = tuned.best.first();
    let stuck = best.filter(|best| !best.complete);
    VerbEnding {
        overturning: &tuned.overturning,
        unanswered: raddle_study::sweep::failed(&tuned.failures, tuned.candidates),
        stuck: stuck.map(|best| format!("launches never ended under {}", best.case)),
        has_fault: false,
        never_ran: tuned.never_ran.clone(),
        lacked: OF_A_REPLAY,
        missed_goals: match best {
            Some(best) if !best.goals_met => Some(missed(tuned)),
            _ => tuned.by_no_driver.clone(),
        },
    }
}

/// Returns the sentence that says that no candidate (combination of values) meets all goals of the
/// user.
fn missed(tuned: &Tuned) -> String {
    let today = &tuned.base.case;
    let only = || format!("No candidate meets all goals; {today}, which is today's way, does");
    tuned.answer.missed_goals().map_or_else(only, str::to_owned)
}

/// Writes the recipe that was found to a file, unless a file is at that path that `tune` did not
/// write.
fn save(path: &Path, tuned: &Tuned) -> Result<(), CliError> {
    let case = tuned.best.first().map_or("", |best| &best.case);
    // The file tells its user what was found of the recipe.
    let found = plain(tuned.answer.sentence(), SENTENCE);
    let rank = if tuned.is_recommended() {
        ""
    } else {
        "# Not recommended, the best of those searched.\n"
    };
    let text = format!("{MARK}: {case}\n{rank}# {found}\n{}", tuned.recipe);
    place::write_sealed(path, &text, Seal::Toml, &found_before)
}

/// Checks that a file is a recipe that `tune` has found earlier, so that it may be replaced; the
/// error says that it is not.
fn found_before(path: &Path) -> Result<(), String> {
    place::begins(path, MARK)
}
