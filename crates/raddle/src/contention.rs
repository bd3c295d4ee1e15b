//! By how much do kernels slow each other down in recordings? The verb `contention`.

use raddle_report::contention::document;
use raddle_report::json;
use raddle_study::{contention, profiles};

use crate::Console;
use crate::args::{ContentionArgs, Format};
use crate::disk::{Disk, named};
use crate::error::CliError;
use crate::progress::RunsShown;

pub(crate) fn verb(
    args: &ContentionArgs,
    format: Format,
    console: &mut Console,
) -> Result<(), CliError> {
    let files = args.ranks.told_files(&args.profiles, console)?;
    let disk = Disk::new(&files, console.progress);
    let shapes = args.shapes.rules();
    let options = shapes.options(args.barriers.into(), &disk)?;
    let profiles = profiles::open(&named(&files), &options, &disk)?;
    shapes.check(&profiles::given(&profiles))?;
    let watcher = RunsShown::new(console.progress, "");
    let found = contention::learn(&profiles, args.device.as_deref(), &disk, &watcher)?;
    let text = match format {
        Format::Json => json(&found),
        Format::Text => document(&found).text(console.stdout_colour),
    };
    console.print(&text)
}
