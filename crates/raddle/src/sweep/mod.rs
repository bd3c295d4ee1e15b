//! How is a sweep run, from the command line to a file of rows and a page? The verbs `sweep` and
//! `search-study`.

mod args;
mod ray;
mod rows;
mod slurm;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use raddle_dispatch::Registry;
use raddle_report::Document;
use raddle_report::sweep::{document, search_document};
use raddle_study::sweep::{NeverRan, ReadRow, SearchRows, Swept, SweptAxis};
use raddle_study::{Bench, Latency, StudyError, Surroundings, Sweep, joined};

use crate::Console;
use crate::args::Format;
use crate::browser;
use crate::disk::Disk;
use crate::ending::{OF_A_REPLAY, VerbEnding};
use crate::error::CliError;
use crate::place::{self, OutputPlace};
use crate::progress::{ProgressLine, RunsShown};
use crate::schema::versioned;
use crate::seal::{Seal, sealed};

pub(crate) use args::SweepArgs;
use args::SweepEngine;
use rows::RowFile;

/// Hint that tells the user how to make a sweep shorter.
const SHORTER: &str = "fewer values of --vary are fewer cases, --shard I/N runs a part of them elsewhere, --until TIME lets requests arrive for a shorter time";

/// Carries out the verb `sweep`: replays profiles once for each combination of values.
pub(crate) fn verb(
    args: &SweepArgs,
    registry: &Registry,
    format: Format,
    console: &mut Console,
) -> Result<(), CliError> {
    of_kind(SweepKind::Any, args, registry, format, console)
}

/// Carries out the verb `search-study`: a sweep over the searches for free blocks of the policy
/// `matching`, with a table of its own.
pub(crate) fn of_searches(
    args: &SweepArgs,
    registry: &Registry,
    format: Format,
    console: &mut Console,
) -> Result<(), CliError> {
    of_kind(SweepKind::Searches, args, registry, format, console)
}

/// Kind of sweep: which keys of recipes or options are varied, and how the results are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SweepKind {
    /// The sweep varies the options and keys that the command line names.
    Any,
    /// The sweep varies how the policy `matching` searches for free blocks of a resource.
    Searches,
}

fn of_kind(
    kind: SweepKind,
    args: &SweepArgs,
    registry: &Registry,
    format: Format,
    console: &mut Console,
) -> Result<(), CliError> {
    let paths = args.asked.ranks.told_files(&args.profiles, console)?;
    let progress = console.progress && !args.quiet;
    let files = Disk::new(&paths, progress);
    let study = args.asked.study((&args.profiles, &paths), &args.load);
    let sweep = match kind {
        SweepKind::Any => Sweep { study, vary: args.vary.clone(), searched: false },
        SweepKind::Searches => Sweep::of_searches(study, args.vary.clone(), &files)?,
    };
    let around = Surroundings { registry, files: &files, watcher: &(), jobs: args.jobs };
    if let Some(out) = &args.out {
        check_out(out, args)?;
    }
    if args.dry_run {
        let text = dry(args, &sweep, around, console)?;
        return console.print(&text);
    }
    if args.engine == SweepEngine::Slurm {
        return Err(CliError::Usage(
            "--engine slurm submits nothing: add --dry-run, and give what is printed to sbatch"
                .to_owned(),
        ));
    }
    let Some(out) = &args.out else {
        return Err(CliError::Usage("--out says where the rows go".to_owned()));
    };
    let preparing = RunsShown::new(progress, SHORTER);
    let bench = Bench::new(&sweep, around)?;
    drop(preparing);
    let rows = RowFile::open(out)?;
    // A part of the rows makes no page.
    let page =
        args.shard.is_none().then(|| OutputPlace::begin(&out.with_extension("html"), &place::page));
    let page = page.transpose()?;
    let told = ToldCases::new(&bench, (out, &rows));
    run(args, (&sweep, &told), console)?;
    let summed = told.summed_up(kind, args)?;
    let SummedUp { json, document, ref overturning, unanswered, never_ran, missed_goals } = summed;
    let (kept, part) = (rows.keep(), page.is_none());
    if let Some(page) = page {
        finish(args, page, (json, document), format, console)?;
    }
    kept?;
    let missed_goals = missed_goals.filter(|_| !part);
    let lacked = OF_A_REPLAY;
    let ending = VerbEnding {
        overturning,
        unanswered,
        never_ran,
        lacked,
        missed_goals,
        ..VerbEnding::default()
    };
    ending.end(args.quiet || part, args.asked.shapes.partial, console)
}

/// Runs those cases of the sweep that have no row (result) in the file yet, and adds their rows.
fn run(
    args: &SweepArgs,
    (sweep, told): (&Sweep, &ToldCases<'_>),
    console: &Console,
) -> Result<(), CliError> {
    let ToldCases { bench, rows, .. } = *told;
    let ReadCases { done, failed } = told.read(|_, _| {})?;
    let own = |position: &usize| {
        !done[*position] && args.shard.is_none_or(|shard| shard.holds(*position))
    };
    let left: Vec<usize> = (0..bench.cases().len()).filter(own).collect();
    if left.iter().any(|position| failed.contains_key(position)) {
        let again = |row: &ReadRow| {
            let position = told.positions.get(&row.case);
            row.result.is_err() && position.is_some_and(|at| left.binary_search(at).is_ok())
        };
        rows.leave_out(again)?;
    }
    let bar = ProgressLine::cases(console.progress && !args.quiet, left.len() as u64, SHORTER);
    let name = told.out.display().to_string();
    let add = |line: &str| {
        rows.add(line).map_err(|cause| StudyError::Unwritable { what: name.clone(), cause })?;
        bar.add(1);
        Ok(())
    };
    let ran = match &args.engine {
        SweepEngine::Ray(address) => ray::run(address.as_deref(), sweep, &left, add),
        _ => bench.run(&left, |row| add(&row.line())).map_err(CliError::from),
    };
    bar.done();
    ran
}

/// Checks that the file of rows (results of cases), and the page beside it, can be written; the
/// error says which cannot.
fn check_out(out: &Path, args: &SweepArgs) -> Result<(), CliError> {
    if out.extension().is_some_and(|ending| ending == "html") {
        return Err(CliError::Usage(
            "--out names the file of rows, such as sweep.jsonl: the page beside it ends with .html"
                .to_owned(),
        ));
    }
    rows::check(out)?;
    if args.shard.is_none() {
        place::check(&out.with_extension("html"), &place::page)?;
    }
    Ok(())
}

/// Makes all checks of a sweep without running a case (`--dry-run`), and returns a text that
/// describes the cases that would be run.
fn dry(
    args: &SweepArgs,
    sweep: &Sweep,
    around: Surroundings<'_>,
    console: &mut Console,
) -> Result<String, CliError> {
    let Surroundings { registry, files, .. } = around;
    let cases = raddle_study::Cases::new(sweep, files)?;
    for line in cases.check_values(registry, files)? {
        console.warn(&line);
    }
    // A missing file is reported now, as a job on a cluster would fail late.
    if let Some(file) = sweep.study.missing(files) {
        let cause = std::io::ErrorKind::NotFound.into();
        return Err(CliError::Unreadable { file, cause });
    }
    // Names of processes and their goals do not depend on a fit, which takes the longest.
    let mut unfitted = sweep.clone();
    unfitted.study.launch_latency = Latency::None;
    Bench::new(&unfitted, around)?;
    if args.engine == SweepEngine::Slurm {
        let out = args.out.clone().unwrap_or_else(|| PathBuf::from("sweep.jsonl"));
        return Ok(slurm::script(&own_command()?, &out, args.tasks));
    }
    let own = |position: &usize| args.shard.is_none_or(|shard| shard.holds(*position));
    Ok((0..cases.len()).filter(own).map(|position| cases.id(position) + "\n").collect())
}

/// Returns the command line of this process, without the options that decide only where and how the
/// sweep is run, for a script that runs the sweep elsewhere.
///
/// # Errors
/// When a word is no Unicode, which a script cannot hold.
fn own_command() -> Result<Vec<String>, CliError> {
    let mut command = vec!["raddle".to_owned()];
    let mut words = std::env::args_os().skip(1);
    while let Some(word) = words.next() {
        let word = word.into_string().map_err(|word| {
            CliError::Usage(format!("{} is no Unicode: give the file another name", word.display()))
        })?;
        let option = word.split_once('=').map_or(&*word, |(option, _)| option);
        match option {
            "--dry-run" | "--quiet" | "-q" | "--open" => {}
            "--out" | "--engine" | "--tasks" | "--jobs" | "--shard" | "--format" => {
                if option == word {
                    words.next();
                }
            }
            _ => command.push(word),
        }
    }
    Ok(command)
}

/// The cases of a sweep together with the file of their rows (results).
struct ToldCases<'t> {
    bench: &'t Bench<'t>,
    out: &'t Path,
    rows: &'t RowFile,
    /// Index of each case in the list of cases, by the case's identifier.
    positions: BTreeMap<String, usize>,
}

impl<'t> ToldCases<'t> {
    fn new(bench: &'t Bench<'t>, (out, rows): (&'t Path, &'t RowFile)) -> Self {
        let positions = (0..bench.cases().len()).map(|at| (bench.cases().id(at), at)).collect();
        Self { bench, out, rows, positions }
    }

    /// Reads the rows (results) of the file, and calls `take` once for each case that has one: with
    /// the index of the case's value for each varied option, and the row. If a case has both a
    /// failed row and a row with figures, the latter counts. A row with figures must come from the
    /// files of this sweep.
    fn read(&self, mut take: impl FnMut(&[usize], &ReadRow)) -> Result<ReadCases, CliError> {
        let mut done = vec![false; self.bench.cases().len()];
        let mut failed = BTreeMap::new();
        self.rows.read(|row| {
            // A row of a case that is no longer asked for stays in the file, and is not read.
            let Some(&position) = self.positions.get(&row.case) else { return Ok(()) };
            if row.result.is_err() {
                failed.insert(position, row);
                return Ok(());
            }
            if self.bench.print_of(position)? != row.of {
                return Err(CliError::Refused(format!(
                    "{}: the row of `{}` is of another question, of other profiles, or of another version of raddle: give another --out",
                    self.out.display(),
                    row.case
                )));
            }
            if !done[position] {
                done[position] = true;
                take(&self.bench.cases().places(position), &row);
            }
            Ok(())
        })?;
        failed.retain(|position, _| !done[*position]);
        failed.iter().for_each(|(&at, row)| take(&self.bench.cases().places(at), row));
        Ok(ReadCases { done, failed })
    }

    /// Sums up the results of all cases, or only of the cases of the shard (part of the sweep) that
    /// the options name.
    fn summed_up(&self, kind: SweepKind, args: &SweepArgs) -> Result<SummedUp, CliError> {
        let cases = self.bench.cases();
        let axis = |(key, values): (&str, &[String])| SweptAxis {
            key: key.to_owned(),
            values: values.to_vec(),
        };
        let axes: Vec<SweptAxis> = cases.axes().map(axis).collect();
        let bare = |path: &Path| {
            path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
        };
        let names: Vec<String> = args.profiles.iter().map(|path| bare(path)).collect();
        let title = joined(&names.iter().map(String::as_str).collect::<Vec<_>>());
        let file = bare(self.out);
        // Where no case can be planned, the rows say why.
        let warnings = || self.bench.overturning(args.shard).unwrap_or_default();
        let own = |at: usize| args.shard.is_none_or(|shard| shard.holds(at));
        let is_own = |row: &ReadRow| self.positions.get(&row.case).is_some_and(|&at| own(at));
        let many = (0..cases.len()).filter(|&at| own(at)).count() as u64;
        Ok(match kind {
            SweepKind::Any => {
                let mut swept = Swept::new(axes, cases.goals().to_vec(), self.bench.processes()?);
                swept.only(args.shard.map(|_| many));
                self.read(|places, row| {
                    if is_own(row) {
                        swept.add(places, row);
                    }
                })?;
                swept.warn(warnings());
                swept.hold(self.bench.memory().unwrap_or_default());
                let summary = swept.summary();
                SummedUp {
                    json: versioned("sweep", &summary),
                    document: document(&summary, &title, &file),
                    unanswered: summary.without_answer(),
                    missed_goals: summary.missed_goals(),
                    never_ran: lost(&summary.never_ran),
                    overturning: summary.overturning,
                }
            }
            SweepKind::Searches => {
                let mut rows = SearchRows::new(axes);
                rows.hold(self.bench.memory().unwrap_or_default());
                self.read(|places, row| {
                    if is_own(row) {
                        rows.add(places, row);
                    }
                })?;
                rows.warn(warnings());
                let summary = rows.summary();
                SummedUp {
                    json: versioned("search-study", &summary),
                    document: search_document(&summary, &title, &file),
                    unanswered: raddle_study::sweep::failed(&summary.failures, many),
                    missed_goals: None,
                    never_ran: lost(&summary.never_ran),
                    overturning: summary.overturning,
                }
            }
        })
    }
}

/// Cases of a sweep that already have rows (results) in a file.
struct ReadCases {
    /// For each case, by its index, true if it has a row with figures.
    done: Vec<bool>,
    /// Rows of cases that failed and have no row with figures, by the index of the case.
    failed: BTreeMap<usize, ReadRow>,
}

/// Result of a sweep, as JSON and as a document for people, with the facts that decide the exit
/// code.
struct SummedUp {
    json: String,
    document: Document,
    /// Facts that can make the answer wrong; this and all further fields are as in [`VerbEnding`].
    overturning: Vec<String>,
    unanswered: Option<String>,
    never_ran: Option<String>,
    missed_goals: Option<String>,
}

/// Names the launches that can never run, as text; `None` where there are none.
fn lost(processes: &[NeverRan]) -> Option<String> {
    let all: Vec<String> = processes.iter().map(NeverRan::told).collect();
    (!all.is_empty()).then(|| all.join(", "))
}

/// Writes the HTML page of a sweep, and prints the result of the sweep.
fn finish(
    args: &SweepArgs,
    page: OutputPlace,
    (summary, mut document): (String, Document),
    format: Format,
    console: &mut Console,
) -> Result<(), CliError> {
    let shown = page.shown().to_owned();
    let html = sealed(&document.html(), Seal::Html);
    std::fs::write(page.new_path(), html).map_err(CliError::writing(&shown))?;
    document.columns = console.columns;
    document.paragraph("Report", shown.clone());
    let text = match format {
        Format::Json => summary,
        Format::Text if args.quiet => String::new(),
        Format::Text => document.text(console.stdout_colour),
    };
    // If another page came there meanwhile, the answer is printed all the same.
    let done = page.finish(&place::page);
    console.print(&text)?;
    done?;
    if args.open { browser::open(shown.as_ref()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;
    use raddle_study::Study;

    use crate::args::{Cli, Verb};

    fn study(words: &[&str]) -> Study {
        use clap::Parser as _;
        let words = ["raddle", "sweep", "a.csv", "--out=x"].iter().chain(words);
        match Cli::try_parse_from(words).unwrap().verb {
            Some(Verb::Sweep(args)) => args.asked.study((&[], &[]), &args.load),
            _ => unreachable!("the verb is given"),
        }
    }

    /// Checks that an option has the same effect in a sweep that varies it as on the command line.
    #[test]
    fn options_are_those_of_the_command_line() {
        let texts = [
            ("recipe", "greedy"),
            ("set", "turn.t0-us=5"),
            ("device", "h100"),
            ("scale", "clock"),
            ("waits", "recorded"),
            ("energy-weights", "e.toml"),
            ("launch-latency", "none"),
            ("queues", "3"),
            ("contention", "none"),
            ("kernel-class", "a*=memory"),
            ("think", "a=1.5ms"),
            ("priority", "a*=5"),
            ("barriers", "no"),
            ("comm", "fixed"),
            ("idempotent", "a*=yes"),
            ("idempotent-from", "v.toml"),
            ("start", "a=2.5ms"),
            ("share", "a=3"),
            ("memory", "a=40GB"),
            ("hint", "a=priority:2"),
            ("once", "true"),
            ("energy", "true"),
            ("open-loop", "true"),
            ("partial", "true"),
            ("shapes-from", "c.json"),
            ("arrivals", "a.json"),
            ("requests", "a=5/s"),
            ("until", "2.5ms"),
            ("seed", "7"),
            ("jitter", "0.5ms"),
            ("time-unit", "minutes"),
        ];
        for (option, text) in texts {
            let mut own = study(&[]);
            own.option(option, text).unwrap();
            let word = match text {
                "true" => format!("--{option}"),
                _ => format!("--{option}={text}"),
            };
            assert_eq!(own, study(&[&word]), "{option}");
        }
        // And there are no others.
        let of_sweep =
            ["vary", "out", "shard", "dry-run", "engine", "tasks", "jobs", "quiet", "open"];
        let of_all_cases = ["goal", "all", "rank", "seeds", "format", "help"];
        let cli = Cli::command();
        let verb = cli.find_subcommand("sweep").unwrap();
        for option in verb.get_arguments().filter_map(clap::Arg::get_long) {
            let varied = texts.iter().any(|(known, _)| *known == option);
            assert!(
                varied || of_sweep.contains(&option) || of_all_cases.contains(&option),
                "{option}"
            );
        }
    }
}
