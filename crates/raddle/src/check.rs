//! How far was a prediction from what was measured afterwards? The verb `check`.

use std::fs;
use std::path::{Path, PathBuf};

use raddle_report::check::document;
use raddle_report::json;
use raddle_study::check::{Check, Prediction, TenantRecording};
use raddle_study::pair::PairTruth;
use raddle_study::result::SUMMARY;
use raddle_study::units::Shell;
use raddle_study::{Files, NextCommand, profiles};

use crate::Console;
use crate::args::{CheckArgs, Format};
use crate::disk::{Disk, named};
use crate::error::CliError;
use crate::place;
use crate::schema::Followed;
use crate::seal::Seal;

/// Name of the HTML page of `raddle check`, which is written into the folder of the prediction;
/// `RESULT` is the name of its JSON result there.
pub(crate) const PAGE: &str = "check.html";
pub(crate) const RESULT: &str = "check.json";
/// Beginning of the JSON result of `raddle check`, by which an earlier result is recognised.
const MARK: &str = "{\n  \"raddle-check\":";
/// Text by which a file of measurements of two programs (a pair) is recognised; `MOST` is the
/// largest size of such a file in bytes.
const PAIR: &[u8] = b"\"raddle-pair\"";
const MOST: u64 = 64 << 20;

pub(crate) fn verb(
    args: &CheckArgs,
    format: Format,
    console: &mut Console,
) -> Result<(), CliError> {
    let (folder, file) = match args.prediction.is_dir() {
        true => (Some(args.prediction.as_path()), args.prediction.join(SUMMARY)),
        false => (None, args.prediction.clone()),
    };
    let beside = folder.filter(|_| !args.no_files).map(|it| (it.join(PAGE), it.join(RESULT)));
    if let Some((page, data)) = &beside {
        place::check(page, &place::page)?;
        place::check(data, &earlier)?;
    }
    let shown = file.display().to_string();
    let unreadable = |cause| CliError::Unreadable { file: shown.clone(), cause };
    let bytes = fs::read(&file).map_err(unreadable)?;
    let prediction = Prediction::parse(&bytes).map_err(|why| {
        CliError::Refused(format!(
            "{shown} is no {SUMMARY} of raddle ({why}): name a file that `raddle share` or `raddle replay` wrote, or its folder"
        ))
    })?;
    if let Some(recipe) = &args.recipe {
        let known = prediction.check_recipe(recipe);
        known.map_err(|why| CliError::Usage(format!("--recipe {recipe}: {shown}: {why}")))?;
    }
    let refused = |why: String| CliError::Refused(format!("{shown}: {why}"));
    let mut files = Vec::new();
    let mut check = match pair(args)? {
        Some(truth) => {
            let (recipe, load) = (args.recipe.as_deref(), args.load.as_deref());
            prediction.check_pair(recipe, &truth, load).map_err(refused)?
        }
        None if args.load.is_some() => {
            let text = "--load chooses among measurements of `raddle calibrate pair`, and a recording is of one load";
            return Err(CliError::Usage(text.to_owned()));
        }
        None => recorded(args, &prediction, &mut files, console)?.map_err(refused)?,
    };
    check.limit(&args.fail_if).map_err(CliError::Usage)?;
    let next = NextCommand::after_check(&check, &args.prediction.display().to_string(), &files);
    let result = json(&Followed::new(&check, Some(&next)));
    let mut document = document(&check);
    document.next(next.lines(Shell::HERE));
    if let Some((page, data)) = beside {
        place::write_sealed(&data, &result, Seal::Json, &earlier)?;
        place::write_sealed(&page, &document.html(), Seal::Html, &place::page)?;
    }
    let text = match format {
        Format::Json => result,
        Format::Text => document.text(console.stdout_colour),
    };
    console.print(&text)?;
    let failures = check.failures();
    if failures.is_empty() { Ok(()) } else { Err(CliError::Gate(failures.join("\n"))) }
}

/// Reads the measurements of a pair of programs, if the command line names a single recording and
/// that file holds such measurements; else returns `None`.
fn pair(args: &CheckArgs) -> Result<Option<PairTruth>, CliError> {
    let [file] = args.recordings.as_slice() else { return Ok(None) };
    // A recording may be much larger, and is told of where it is read.
    let small =
        |file: &&PathBuf| fs::metadata(file).is_ok_and(|of| of.is_file() && of.len() <= MOST);
    let bytes = Some(file).filter(small).and_then(|file| fs::read(file).ok()).unwrap_or_default();
    if !bytes.starts_with(b"{") || !bytes.windows(PAIR.len()).any(|part| part == PAIR) {
        return Ok(None);
    }
    let name = file.display().to_string();
    let truth = PairTruth::parse(&bytes);
    truth.map(Some).map_err(|error| CliError::Refused(format!("{name}: {error}")))
}

/// Compares the prediction with a recording of each tenant (process), and adds (tenant, file of its
/// recording) to `told`. The inner error says why prediction and recordings cannot be compared.
fn recorded(
    args: &CheckArgs,
    prediction: &Prediction,
    told: &mut Vec<(String, String)>,
    console: &Console,
) -> Result<Result<Check, String>, CliError> {
    let given: Vec<GivenRecording> =
        args.recordings.iter().map(|given| split(given, prediction)).collect();
    let files: Vec<PathBuf> = given.iter().map(|of| of.file.clone()).collect();
    let disk = Disk::new(&files, console.progress);
    let options = args.shapes.rules().options(args.barriers.into(), &disk)?;
    let profiles = profiles::open(&named(&files), &options, &disk)?;
    let recordings = profiles.iter().zip(given).map(|(loaded, of)| TenantRecording {
        tenant: of.tenant.unwrap_or_else(|| loaded.name.clone()),
        profile: &loaded.profile,
        process: of.process,
    });
    let recordings: Vec<_> = recordings.collect();
    let shown = files.iter().map(|file| file.display().to_string());
    told.extend(recordings.iter().map(|of| of.tenant.clone()).zip(shown));
    Ok(prediction.check(args.recipe.as_deref(), &recordings))
}

/// Checks that a file is the result of an earlier check, so that it may be replaced; the error says
/// that it is not.
pub(crate) fn earlier(path: &Path) -> Result<(), String> {
    place::begins(path, MARK)
}

/// Recording as the command line names it: its tenant (process of the prediction), its file, and
/// the number of the process in the file. Tenant or number is `None` where the command line leaves
/// it out.
struct GivenRecording {
    tenant: Option<String>,
    file: PathBuf,
    process: Option<u32>,
}

/// Splits a recording `TENANT=FILE@N`, of which tenant (process of the prediction) and `N` (number
/// of the process in the file) may be left out. A path that exists as it is written is not split.
fn split(given: &Path, prediction: &Prediction) -> GivenRecording {
    let of = |path: &Path| -> (PathBuf, Option<u32>) {
        let said = path.to_str().filter(|_| !path.exists()).and_then(|text| text.rsplit_once('@'));
        match said.and_then(|(file, process)| Some((file, process.parse().ok()?))) {
            Some((file, process)) => (file.into(), Some(process)),
            None => (path.to_path_buf(), None),
        }
    };
    let said = given.to_str().filter(|_| !given.exists()).and_then(|text| text.split_once('='));
    // Where the file is there, the tenant is misspelt, and a later error names the tenants.
    let is_there = |file: &Path| Disk::new(&[], false).has(&file.display().to_string());
    let is_meant = |&(tenant, file): &(&str, &str)| {
        prediction.tenants().any(|name| name == tenant) || is_there(&of(Path::new(file)).0)
    };
    let said = said.filter(is_meant);
    let (file, process) = of(said.map_or(given, |(_, file)| Path::new(file)));
    GivenRecording { tenant: said.map(|(tenant, _)| tenant.to_owned()), file, process }
}
