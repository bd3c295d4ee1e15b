//! What is in a profile, and how well does its replay agree with the recording? The verb `inspect`.

use std::path::{Path, PathBuf};

use raddle_report::inspect::document;
use raddle_study::inspect::{InspectedAs, InspectedProfile, Inspection, WantedAmounts};
use raddle_study::units::Shell;
use raddle_study::{
    FitRules, Loaded, NeedClaim, NextCommand, ShapeRules, Study, StudyError, devices, profiles,
    self_replay,
};

use crate::Console;
use crate::args::{Format, InspectArgs};
use crate::disk::{Disk, named};
use crate::error::CliError;
use crate::kernel::Sources;
use crate::progress::RunsShown;
use crate::replay::LatencyArgument;
use crate::schema::{Followed, versioned};

pub(crate) fn verb(
    args: &InspectArgs,
    format: Format,
    console: &mut Console,
) -> Result<(), CliError> {
    let files = args.ranks.told_files(&args.profiles, console)?;
    let disk = Disk::new(&files, console.progress);
    let shapes = args.shapes.rules();
    let options = shapes.options(args.barriers.into(), &disk)?;
    let mut profiles = profiles::open(&named(&files), &options, &disk)?;
    profiles::check_needs(&profiles, &args.needs)?;
    let enough = shapes.check(&profiles::given(&profiles));
    profiles::communicate(&mut profiles, args.comm.into())?;
    let other = args.fit_from.as_ref().map(|path| -> Result<Loaded, CliError> {
        let name = path.display().to_string();
        let other =
            profiles::open(&[name], &options, &Disk::new(std::slice::from_ref(path), false))?;
        Ok(other.into_iter().next().expect("one name is one profile"))
    });
    let other = other.transpose()?;
    let mut all = Vec::new();
    for (loaded, path) in profiles.iter().zip(&files) {
        let sources = Sources::of(&sources(path, args), &mut console.stderr)?;
        all.push(inspected(loaded, (args, other.as_ref()), &sources, &disk, console.progress)?);
    }
    let inspection = Inspection::new(all);
    let shapes = accepted(&shapes, enough.is_err(), &profiles);
    let study = Study { shapes, ..study(args, &files) };
    let next = NextCommand::after_inspect(&inspection, &study, &disk);
    let text = match format {
        Format::Json => versioned("inspect", &Followed::new(&inspection, Some(&next))),
        Format::Text => {
            let mut document = document(&inspection, args.verbose);
            document.next(next.lines(Shell::HERE));
            document.text(console.stdout_colour)
        }
    };
    console.print(&text)?;
    Ok(enough?)
}

/// Returns rules for kernels without shapes by which a replay takes these profiles. Where it refuses
/// them by the rules of the command line (`is_refused`), it takes them with `--partial`, and without
/// files of shapes that give no kernel a shape.
fn accepted(rules: &ShapeRules, is_refused: bool, profiles: &[Loaded]) -> ShapeRules {
    if !is_refused {
        return rules.clone();
    }
    let partial = ShapeRules { partial: true, ..rules.clone() };
    match partial.check(&profiles::given(profiles)) {
        Ok(()) => partial,
        Err(_) => ShapeRules { shapes_from: Vec::new(), ..partial },
    }
}

/// Returns the study (a question about profiles) for the command that `inspect` suggests next: how
/// do the profiles share a device? It takes over those options of `inspect` that `replay` and
/// `share` have too.
fn study(args: &InspectArgs, files: &[PathBuf]) -> Study {
    Study {
        profiles: named(files),
        given: named(&args.profiles),
        ranks: args.ranks.ranks.iter().map(ToString::to_string).collect(),
        device: args.device.clone(),
        barriers: args.barriers.into(),
        needs: args.needs.clone(),
        ..Study::default()
    }
}

/// Returns the folders of kernel sources: those that the command line names, or else the folder
/// `kernels` beside the profile, if there is one.
fn sources(profile: &Path, args: &InspectArgs) -> Vec<PathBuf> {
    if !args.kernels.is_empty() {
        return args.kernels.clone();
    }
    let beside = profile.parent().unwrap_or(Path::new("")).join("kernels");
    if beside.is_dir() { vec![beside] } else { Vec::new() }
}

fn inspected(
    loaded: &Loaded,
    (args, other): (&InspectArgs, Option<&Loaded>),
    sources: &Sources,
    disk: &Disk,
    progress: bool,
) -> Result<InspectedProfile, CliError> {
    let found = devices::target(args.device.as_deref(), std::slice::from_ref(loaded), disk);
    let device = match found {
        Ok(found) => Ok((found.device, found.found)),
        // Most of what can be told about a profile needs no device.
        Err(error @ (StudyError::NoDevice { .. } | StudyError::StrangeDevice { .. }))
            if !args.self_replay =>
        {
            Err(error.to_string())
        }
        Err(error) => return Err(error.into()),
    };
    let own = device.as_ref().ok().filter(|_| args.self_replay);
    let watcher = RunsShown::new(progress, "");
    let latency = args.launch_latency == LatencyArgument::Fitted;
    let rules = FitRules { waits: args.waits.into(), latency, queues: args.queues };
    let self_replay =
        own.map(|(own, _)| self_replay::compared((loaded, other), own, rules, &watcher));
    let self_replay = self_replay.transpose()?;
    let amounts = args.amounts.map(|rare| {
        let (own, _) = device.as_ref().map_err(|why| CliError::Usage(why.clone()))?;
        Ok::<_, CliError>(WantedAmounts::of(&loaded.profile, own, rare))
    });
    let with = InspectedAs {
        amounts: amounts.transpose()?,
        name: &loaded.name,
        said: &|kernel| NeedClaim::last(&args.needs, kernel),
        device,
        rule: args.comm.into(),
        communication: &loaded.communication,
        self_replay,
        verdicts: sources.verdicts(&loaded.profile),
    };
    Ok(InspectedProfile::new(&loaded.profile, with))
}
