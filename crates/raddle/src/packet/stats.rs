//! What do condensed packets save on profiles? The verb `packet stats`.

use raddle_packet::{AqlConfig, AqlFormat};
use raddle_study::result::of_files;
use raddle_study::{Loaded, profiles};
use raddle_trace::ImportConfig;

use super::args::StatsArgs;
use super::savings::{Assumed, StatsReport, saved};
use super::stats_text;
use crate::Console;
use crate::args::Format;
use crate::disk::{Disk, named};
use crate::error::CliError;
use crate::schema::versioned;

pub(super) fn verb(
    args: &StatsArgs,
    format: Format,
    console: &mut Console,
) -> Result<(), CliError> {
    let disk = Disk::new(&args.profiles, console.progress);
    let profiles = profiles::open(&named(&args.profiles), &ImportConfig::default(), &disk)?;
    let options = AqlConfig::default().with_entries(args.entries);
    let overturning = of_files(profiles.iter().map(|of| (&*of.name, &*of.profile)));
    let saved = |loaded: &Loaded| {
        AqlFormat::new(&options)
            .and_then(|layout| saved(loaded, args, &layout))
            .map_err(|error| CliError::Refused(format!("{}: {error}", loaded.given)))
    };
    let profiles = profiles.iter().map(saved).collect::<Result<_, _>>()?;
    let StatsArgs { near, entries, scope, signals, hold_us, costs, .. } = *args;
    let assumed = Assumed { near, entries, scope, signals, release_scope: false, hold_us, costs };
    let report = StatsReport { raddle: env!("CARGO_PKG_VERSION"), assumed, profiles, overturning };
    let text = match format {
        Format::Json => versioned("packet-stats", &report),
        Format::Text => stats_text::document(&report, args).text(console.stdout_colour),
    };
    console.print(&text)
}
