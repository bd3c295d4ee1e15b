//! What is in a profile, and how well does its replay agree with it? The verb `inspect`.

mod self_replay;

use raddle_report::inspect::{InspectedAs, InspectedProfile, Inspection, document};
use raddle_report::json;
use raddle_trace::ImportOptions;

use crate::Console;
use crate::args::{Format, InspectArgs};
use crate::devices;
use crate::error::CliError;
use crate::profiles::{self, Loaded};

/// The verb `inspect`.
pub(crate) fn verb(
    args: &InspectArgs,
    format: Format,
    console: &mut Console,
) -> Result<(), CliError> {
    let options = ImportOptions { barriers: args.barriers.into(), ..ImportOptions::default() };
    let mut profiles = profiles::open(&args.profiles, &options, console.progress)?;
    profiles::communicate(&mut profiles, args.comm.into())?;
    let inspect = |loaded: &Loaded| inspected(loaded, args, console.progress);
    let inspection = Inspection::new(profiles.iter().map(inspect).collect::<Result<_, _>>()?);
    let text = match format {
        Format::Json => json(&inspection),
        Format::Text => document(&inspection).text(console.stdout_colour),
    };
    console.stdout.write_all(text.as_bytes()).map_err(CliError::printing)
}

fn inspected(
    loaded: &Loaded,
    args: &InspectArgs,
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
    let self_replay = own.map(|(own, _)| self_replay::run(loaded, own, progress)).transpose()?;
    let with = InspectedAs {
        name: &loaded.name,
        device,
        rule: args.comm.into(),
        communication: &loaded.communication,
        self_replay,
    };
    Ok(InspectedProfile::new(&loaded.profile, with))
}
