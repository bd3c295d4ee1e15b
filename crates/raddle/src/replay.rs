//! How is a replay run, from the command line to the comparison of recipes?

mod args;

use std::path::{Path, PathBuf};

use args::LogDetail;
use raddle_dispatch::Registry;
use raddle_report::json;
use raddle_report::replay::{Closing, document};
use raddle_study::result::{LOG, PAGE, ReplayResult};
use raddle_study::{Files, Kept, Loaded, Studied, Study, Surroundings, Watcher, Ways, joined};

use crate::Console;
use crate::args::{Cli, Format, Verb};
use crate::browser;
use crate::carry::CarriedFiles;
use crate::disk::{Disk, RunFolder};
use crate::ending::VerbEnding;
use crate::engine::EngineFile;
use crate::error::CliError;
use crate::manual;
use crate::output::Output;
use crate::progress::RunsShown;
use crate::units::{plain, quoted, sentences};
pub(crate) use args::{
    Barriers, Comm, LatencyArgument, ReplayArgs, RunArgs, StreamWaits, StudyArgs, need,
};

/// Default folder of results, in which each replay has a folder of its own.
pub(crate) const RESULTS: &str = "raddle-out";

/// Name of the folder, within [`RESULTS`], of the results for the bundled pair of programs.
pub(crate) const BUNDLED: &str = "bundled";

/// Number of characters in a line of a result that does not go to a terminal, and the smallest
/// number for a terminal.
const COLUMNS: usize = 80;

/// Hint that tells the user how to make a replay shorter.
const SHORTER: &str =
    "--recipe NAME replays fewer ways, --until TIME lets requests arrive for a shorter time";

/// Largest number of characters of a line of the brief answer (`--quiet`).
const LINE: usize = 2000;

/// Profile of the decoder in the bundled pair of programs that `raddle` without a verb replays;
/// `TRAIN` is the profile of the training beside it, and `LOAD` the times at which the decoder's
/// requests arrive.
const DECODE: &str = include_str!("../data/demo/decode.csv");
const TRAIN: &str = include_str!("../data/demo/train.csv");
const LOAD: &str = include_str!("../data/demo/load.json");

/// Figures measured on an H200 that ran the bundled pair of programs under the ways of sharing in
/// [`TOUR`], one run for each way (`fixtures/h200`).
const MEASURED: &str = "\
Measured: on that H200 decode p99 97 ms and train step 50.0 ms under time-slice,
  80 and 46.1 under partition-30-70 (percentages of MPS), 121 and 42.7 under
  mps-priority, 719 and 40.5 under mps (docs/judged.md)
";

/// Line that names the command by which users replay profiles of their own.
const YOURS: &str = "\
Yours: `raddle share YOUR_PROFILE OTHER_PROFILE` tries all, MIG too, with set-up
";

/// Hint with the commands that copy a bundled recipe to a file, for the user to edit, and replay
/// with it.
const NEXT: &str = "raddle recipes --show leftover-drain --save mine.toml    then: --recipe mine.toml --recipe today";

/// Study to carry out, as (study; name of its folder of results if the user gives none; what the
/// bundled pair of programs adds to the result, if it is studied).
type Asked = (Study, String, Option<Tour>);

/// Parts that only a result of the bundled pair of programs has, not one of the user's profiles.
struct Tour {
    /// Commands that the user may run next, in place of those that the result suggests by itself.
    next: Vec<String>,
    /// Profiles and requests of the bundled pair of programs, each as (file name, text). They are
    /// written beside the report, so that the user can pass them to every verb.
    files: [(&'static str, &'static str); 3],
}

impl Tour {
    /// Returns the text that is printed behind the answer for the bundled pair of programs;
    /// `folder` is where the pair's files were written, `None` if nowhere.
    fn behind(folder: Option<&Path>) -> String {
        let mut text = MEASURED.to_owned();
        if let Some(folder) = folder {
            let file = |name: &str| quoted(&folder.join(name).display().to_string());
            let (decode, train) = (file("decode.csv"), file("train.csv"));
            text += &format!(
                "This pair again, with options such as `--requests decode=40/s`:\n  raddle share {decode} {train}\n"
            );
        }
        text + YOURS
    }
}

/// Profiles of a study, read from its files, and access to these files.
struct Source<'f> {
    profiles: Vec<Loaded>,
    files: &'f dyn Files,
    /// (engine, files) that the report carries so that it can replay with other settings; `None`
    /// for a report that cannot. The engine is raddle as WebAssembly.
    live: Option<(EngineFile, &'f CarriedFiles)>,
}

/// Command that `raddle` without a verb carries out on the bundled pair of profiles.
const TOUR: &str = "raddle replay decode.csv train.csv --arrivals decode=load.json --until 3000ms \
                    --priority train=5 --recipe time-slice --recipe mps --recipe mps-priority \
                    --recipe partition-30-70";

/// Carries out `raddle` without a verb: replays the bundled pair of profiles by the command
/// [`TOUR`].
pub(crate) fn tour(
    run: &RunArgs,
    registry: &Registry,
    format: Format,
    console: &mut Console,
) -> Result<(), CliError> {
    let cli = manual::parse(TOUR.split_whitespace().map(Into::into));
    let Ok(Cli { verb: Some(Verb::Replay(args)), .. }) = cli else {
        return Err(CliError::Usage(format!("`{TOUR}` is not understood")));
    };
    let mut args = ReplayArgs { run: run.clone(), ..*args };
    // Timelines of all three seconds would be 50 MB.
    args.run.timeline_window.get_or_insert((0, 80_000_000));
    args.run.timeline_slices.get_or_insert(30_000);
    let next = vec![
        "raddle replay YOUR_PROFILE    your own, of PyTorch, Nsight Systems or rocprof".to_owned(),
        "raddle share YOUR_PROFILE OTHER    every way that the device offers, with its set-up".to_owned(),
        "raddle recipes --show leftover-drain --save mine.toml    then: raddle replay ... --recipe mine.toml".to_owned(),
        "raddle devices    what else it could be replayed on, with --device".to_owned(),
    ];
    let bundled = [("decode.csv", DECODE), ("train.csv", TRAIN), ("load.json", LOAD)];
    let carried = bundled.map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec()));
    let engine = args.run.engine()?;
    args.run.out.as_deref().map_or(Ok(()), Output::check)?;
    let files = CarriedFiles::in_memory(carried.into());
    let study = args.study(&args.profiles, Ways::Asked);
    let profiles = study.profiles(&files)?;
    let named = (study, BUNDLED.to_owned(), Some(Tour { next, files: bundled }));
    let from = Source { profiles, files: &files, live: engine.map(|engine| (engine, &files)) };
    of_profiles(&args.run, registry, named, from, format, console)
}

/// Carries out the verb `replay`: replays profiles under each recipe, and compares the results.
pub(crate) fn verb(
    args: &ReplayArgs,
    registry: &Registry,
    format: Format,
    console: &mut Console,
) -> Result<(), CliError> {
    of_files(args, (registry, Ways::Asked), format, console)
}

/// Carries out the verb `share`: a replay under the ways of sharing that the device offers.
pub(crate) fn shared(
    args: &ReplayArgs,
    registry: &Registry,
    format: Format,
    console: &mut Console,
) -> Result<(), CliError> {
    of_files(args, (registry, Ways::Modes), format, console)
}

/// Carries out the study (a question about profiles) that a command line asks for, and returns the
/// result as data. `ways` says which recipes are replayed.
pub(crate) fn studied(
    args: &ReplayArgs,
    ways: Ways,
    registry: &Registry,
    watcher: &dyn Watcher,
) -> Result<Studied, CliError> {
    let jobs = args.run.jobs;
    if args.run != (RunArgs { jobs, ..RunArgs::default() }) || args.events.is_some() {
        let text = "an answer as data has no files, logs and timelines: of the options for what is \
                    printed and written only --jobs can stand here";
        return Err(CliError::Usage(text.to_owned()));
    }
    let paths = args.asked.ranks.files(&args.profiles)?;
    let files = Disk::new(&paths, false);
    let around = Surroundings { registry, files: &files, watcher, jobs };
    Ok(args.study(&paths, ways).run(&around)?)
}

fn of_files(
    args: &ReplayArgs,
    (registry, ways): (&Registry, Ways),
    format: Format,
    console: &mut Console,
) -> Result<(), CliError> {
    let paths = args.asked.ranks.told_files(&args.profiles, console)?;
    let engine = args.run.engine()?;
    args.run.out.as_deref().map_or(Ok(()), Output::check)?;
    let (disk, carried) =
        (Disk::new(&paths, console.progress && !args.run.quiet), CarriedFiles::of(&paths));
    let live = engine.map(|engine| (engine, &carried));
    let files: &dyn Files = if live.is_some() { &carried } else { &disk };
    let study = args.study(&paths, ways);
    let profiles = study.profiles(files)?;
    let names: Vec<&str> = profiles.iter().map(|profile| &*profile.name).collect();
    let asked = (study, joined(&names), None);
    of_profiles(&args.run, registry, asked, Source { profiles, files, live }, format, console)
}

/// Replays profiles that have been read, prints the results, and writes the files of results. The
/// first screen names no timeline, so it is printed before timelines are drawn.
fn of_profiles(
    run: &RunArgs,
    registry: &Registry,
    (study, name, tour): Asked,
    Source { profiles, files, live }: Source<'_>,
    format: Format,
    console: &mut Console,
) -> Result<(), CliError> {
    let watcher = RunsShown::new(console.progress && !run.quiet, SHORTER);
    let around = Surroundings { registry, files, watcher: &watcher, jobs: run.jobs };
    let folder = folder_of(run, &name, tour.is_some(), console);
    let output = folder.as_deref().map(Output::begin).transpose()?;
    let prepared = study.prepare(profiles, &around)?;
    let detail = run.log.and_then(LogDetail::detail);
    let leavings = output.as_ref().map(|output| RunFolder(output.path()));
    let kept = leavings.as_ref();
    let kept = kept.map(|leavings| Kept { leavings, detail, timelines: run.timelines() });
    let mut studied = prepared.run(&around, kept.as_ref())?;
    let columns = console.columns.unwrap_or(COLUMNS).max(COLUMNS);
    // Figures of energy stand behind the first screen, so they need the whole report.
    let (folder, verbose) = (folder.as_deref(), run.verbose || study.energy);
    let instead = tour.as_ref().map(|tour| tour.next.clone());
    let next = next_commands(&studied, folder, detail.is_some(), instead);
    let behind = tour.as_ref().map(|_| Tour::behind(folder)).unwrap_or_default();
    let whole = |studied: &Studied| {
        let next = next.clone();
        document(studied, Closing { folder, next, columns: Some(columns), verbose })
    };
    let is_early = format == Format::Text && !verbose;
    let text = |studied: &Studied, console: &Console| match format {
        Format::Json => json(&studied.result),
        Format::Text if run.quiet => in_brief(&studied.result),
        Format::Text => whole(studied).text(console.stdout_colour) + &behind,
    };
    // Files are written even where nobody reads what is printed.
    let early = if is_early { console.print(&text(&studied, console)) } else { Ok(()) };
    watcher.answered();
    let write = |studied: &mut Studied| -> Result<(), CliError> {
        kept.as_ref().map_or(Ok(()), |kept| studied.draw(&around, kept))?;
        let Some(output) = output else { return Ok(()) };
        let page = whole(studied).html();
        let page = match &live {
            Some((engine, carried)) => carried.page(engine, &study, &page)?,
            None => page,
        };
        output.set_up(studied.result.setup_files())?;
        output.pair(tour.as_ref().map_or(&[], |tour| &tour.files))?;
        output.finish(&json(&studied.result), &page)
    };
    if let Err(error) = write(&mut studied) {
        if let (true, Some(folder)) = (is_early, folder) {
            console.warn(&format!("{} was not written", folder.display()));
        }
        return Err(error);
    }
    if let Some(folder) = folder.filter(|_| run.open) {
        browser::open(folder.join(PAGE).as_os_str())?;
    }
    early?;
    if !is_early {
        console.print(&text(&studied, console))?;
    }
    ending(&studied.result).end(run.quiet, study.shapes.partial, console)
}

/// Returns the folder into which the files of a result called `name` are written; `None` where none
/// are. Files of the bundled pair (`is_tour`) are there to be changed: then they stay, the folder is
/// another one, and a note says so.
fn folder_of(run: &RunArgs, name: &str, is_tour: bool, console: &mut Console) -> Option<PathBuf> {
    let default = Path::new(RESULTS).join(name);
    match &run.out {
        _ if run.no_files => None,
        Some(folder) => Some(folder.clone()),
        None if is_tour => {
            let (free, told) = free(default);
            told.into_iter().for_each(|told| console.note(&told));
            Some(free)
        }
        None => Some(default),
    }
}

/// Largest number that is put behind the name of a folder where folders of that name stay.
const MOST_FOLDERS: u32 = 1000;

/// Returns (the first of the folders `folder`, `folder-2` and so on that is none yet, or an earlier
/// result as raddle wrote it; a note if it is not the first, as the user has changed files there,
/// which stay).
fn free(folder: PathBuf) -> (PathBuf, Option<String>) {
    let Err(CliError::NotOurs { what, reason }) = Output::check(&folder) else {
        return (folder, None);
    };
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut others = (2..=MOST_FOLDERS).map(|n| folder.with_file_name(format!("{name}-{n}")));
    let Some(other) = others.find(|other| Output::check(other).is_ok()) else {
        return (folder, None);
    };
    let note = format!("{what} stays as it is ({reason}); this result is in {}", other.display());
    (other, Some(note))
}

/// Returns the answer in brief: one sentence, and one line on how far to trust it.
fn in_brief(result: &ReplayResult) -> String {
    let answer = result.answer();
    let trust = sentences(&answer.trust_in_brief());
    format!("{}\nTrust: {}\n", plain(answer.sentence(), LINE), plain(&trust, LINE))
}

fn ending(result: &ReplayResult) -> VerbEnding<'_> {
    VerbEnding {
        overturning: result.overturning(),
        unanswered: result.failed(),
        stuck: result.stuck_launches(),
        has_fault: result.has_fault(),
        never_ran: result.never_ran().map(str::to_owned),
        lacked: "the list `Refused` of `-v` says what lacked",
        missed_goals: result.missed_goals(),
    }
}

/// Returns the commands that the user may run next. `instead` replaces the command that the answer
/// suggests; `logged` is true if decision logs were written, which a suggested command then checks.
fn next_commands(
    studied: &Studied,
    folder: Option<&Path>,
    logged: bool,
    instead: Option<Vec<String>>,
) -> Vec<String> {
    let mut next = Vec::new();
    if instead.is_none() {
        next.extend(studied.next_command(folder));
    }
    let file = |path: PathBuf| quoted(&path.display().to_string());
    if let (Some(folder), Some(first)) = (folder, studied.result.recipes.first()) {
        next.push(format!(
            "open {} in a browser    the same with pictures",
            file(folder.join(PAGE))
        ));
        let log = file(folder.join(&first.name).join(LOG));
        let check = format!("raddle log {log} --check    holds a decision log against the rules");
        next.extend(logged.then_some(check));
    }
    next.extend(instead.unwrap_or_else(|| vec![NEXT.to_owned()]));
    next
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that a bare `raddle` goes on where the user has changed its files, and that these stay.
    #[test]
    fn changed_files_of_the_bundled_pair_stay_and_the_result_is_beside_them() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join(BUNDLED);
        let write = |folder: &Path| {
            let output = Output::begin(folder).unwrap();
            output.pair(&[("decode.csv", "as written")]).unwrap();
            output.finish(r#"{"raddle":"0","recipes":[]}"#, "").unwrap();
        };
        assert_eq!(free(folder.clone()), (folder.clone(), None));
        write(&folder);
        assert_eq!(free(folder.clone()), (folder.clone(), None), "it is replaced");
        std::fs::write(folder.join("decode.csv"), "mine").unwrap();
        let other = dir.path().join("bundled-2");
        // The second time the folder beside it is replaced.
        for _ in 0..2 {
            let (found, note) = free(folder.clone());
            assert_eq!(found, other);
            let note = note.unwrap();
            assert!(note.contains("stays as it is (decode.csv in it was changed"), "{note}");
            assert!(note.ends_with("bundled-2"), "{note}");
            write(&other);
        }
        assert_eq!(std::fs::read_to_string(folder.join("decode.csv")).unwrap(), "mine");
    }
}
