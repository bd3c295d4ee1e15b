//! What is in a profile, and how well does its replay agree with it? The verb `inspect`.

pub(crate) mod self_replay;

use std::path::{Path, PathBuf};

use raddle_device::Device;
use raddle_report::inspect::{InspectedAs, InspectedProfile, Inspection, SelfReplayed, document};
use raddle_report::json;
use raddle_sim::{ModelError, WaitRule};

use crate::Console;
use crate::args::{Format, InspectArgs};
use crate::devices;
use crate::error::CliError;
use crate::fitted::Fitted;
use crate::kernel::Sources;
use crate::profiles::{self, Loaded};
use crate::replay::Latency;

/// The verb `inspect`.
pub(crate) fn verb(
    args: &InspectArgs,
    format: Format,
    console: &mut Console,
) -> Result<(), CliError> {
    let options = args.shapes.options(args.barriers.into())?;
    let files = args.ranks.files(&args.profiles)?;
    let mut profiles = profiles::open(&files, &options, console.progress)?;
    let enough = args.shapes.check(&profiles::given(&profiles));
    profiles::communicate(&mut profiles, args.comm.into())?;
    let mut all = Vec::new();
    for (loaded, path) in profiles.iter().zip(&files) {
        let sources = Sources::of(&sources(path, args), &mut console.stderr)?;
        all.push(inspected(loaded, args, &sources, console.progress)?);
    }
    let inspection = Inspection::new(all);
    let text = match format {
        Format::Json => json(&inspection),
        Format::Text => document(&inspection).text(console.stdout_colour),
    };
    console.stdout.write_all(text.as_bytes()).map_err(CliError::printing)?;
    enough
}

/// The folders of sources: those that are named, or the one beside the profile.
fn sources(profile: &Path, args: &InspectArgs) -> Vec<PathBuf> {
    if !args.kernels.is_empty() {
        return args.kernels.clone();
    }
    let beside = profile.parent().unwrap_or(Path::new("")).join("kernels");
    if beside.is_dir() { vec![beside] } else { Vec::new() }
}

/// A profile against its recording, as the model was before it learned from it, and after.
fn compared(
    loaded: &Loaded,
    own: &Device,
    args: &InspectArgs,
    progress: bool,
) -> Result<SelfReplayed, CliError> {
    let before = Fitted::default();
    let before = self_replay::run(loaded, own, &before, WaitRule::None, progress)?;
    let waits = args.waits.into();
    let latency = args.launch_latency.is_none_or(|latency| latency == Latency::Fitted);
    let (fitted, found) = self_replay::fit(loaded, own, waits, latency)?;
    let after = match found {
        Some(found) => found,
        None => self_replay::run(loaded, own, &fitted, waits, progress)?,
    };
    let inferred = loaded.profile.stream_waits.iter().filter(|wait| wait.inferred).count();
    let recorded = loaded.profile.stream_waits.len() - inferred;
    Ok(SelfReplayed {
        before: ModelError::of(&before),
        after,
        latency: fitted.latency.into(),
        stream_waits: [recorded as u64, inferred as u64],
    })
}

fn inspected(
    loaded: &Loaded,
    args: &InspectArgs,
    sources: &Sources,
    progress: bool,
) -> Result<InspectedProfile, CliError> {
    let found = devices::target(args.device.as_deref(), std::slice::from_ref(loaded));
    let device = match found {
        Ok(found) => Ok((found.device, found.found)),
        // Most of what there is to say needs no device.
        Err(error @ (CliError::NoDevice { .. } | CliError::StrangeDevice { .. }))
            if !args.self_replay =>
        {
            Err(error.to_string())
        }
        Err(error) => return Err(error),
    };
    let own = device.as_ref().ok().filter(|_| args.self_replay);
    let self_replay = own.map(|(own, _)| compared(loaded, own, args, progress)).transpose()?;
    let with = InspectedAs {
        name: &loaded.name,
        device,
        rule: args.comm.into(),
        communication: &loaded.communication,
        self_replay,
        verdicts: sources.verdicts(&loaded.profile),
    };
    Ok(InspectedProfile::new(&loaded.profile, with))
}
