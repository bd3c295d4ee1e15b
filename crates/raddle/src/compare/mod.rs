//! What differs between two results of replays, or more? The verb `compare`.
//!
//! The first result is what the others are measured by. Whatever else differs than the figures
//! (device, profiles, version, settings of a recipe) is told before them.

mod document;
mod rows;
mod show;
mod unlike;

use crate::Console;
use crate::args::{CompareArgs, Format};
use crate::error::CliError;
use crate::table::json;
use document::Input;

/// The verb `compare`.
pub(crate) fn verb(
    args: &CompareArgs,
    format: Format,
    console: &mut Console,
) -> Result<(), CliError> {
    let inputs: Vec<Input> =
        args.results.iter().map(|path| Input::read(path)).collect::<Result<_, _>>()?;
    let told = rows::compare(&inputs);
    let text = match format {
        Format::Json => json(&told),
        Format::Text => show::text(&told, console.stdout_colour),
    };
    console.stdout.write_all(text.as_bytes()).map_err(CliError::printing)
}
