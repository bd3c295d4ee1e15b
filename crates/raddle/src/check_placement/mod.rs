//! Does a table of a dispatcher's events keep the rules of allocation? The verb `check-placement`.

mod args;

use std::io::Read;
use std::path::Path;

use raddle_golden::allocation::check;

use crate::Console;
use crate::args::Format;
use crate::error::CliError;
use crate::schema::versioned;
pub(crate) use args::CheckPlacementArgs;

pub(crate) fn verb(
    args: &CheckPlacementArgs,
    format: Format,
    console: &mut Console,
) -> Result<(), CliError> {
    let options = args.options()?;
    let mut bytes = Vec::new();
    let standard = args.table == Path::new("-");
    let name =
        if standard { "the standard input".to_owned() } else { args.table.display().to_string() };
    let read = match standard {
        true => console.stdin.read_to_end(&mut bytes),
        false => std::fs::File::open(&args.table).and_then(|mut file| file.read_to_end(&mut bytes)),
    };
    read.map_err(|cause| CliError::Unreadable { file: name.clone(), cause })?;
    let report = check(&bytes, &options).map_err(|fault| {
        CliError::Refused(format!("{name}, line {}: {}", fault.line, fault.message))
    })?;
    console.print(&match format {
        Format::Json => versioned("check-placement", &report),
        Format::Text => report.to_string(),
    })?;
    match report.total() {
        0 => Ok(()),
        1 => Err(CliError::Gate(format!("{name}: 1 finding"))),
        many => Err(CliError::Gate(format!("{name}: {many} findings"))),
    }
}
