//! Which figures of a device does the verb `calibrate` fit to measurements?

mod args;
mod device;
mod energy;
mod pair;
mod programs;

use crate::Console;
use crate::args::Format;
use crate::error::CliError;
use crate::units::plain;

pub(crate) use args::CalibrateArgs;
use args::WantedParts;

pub(crate) fn verb(
    args: &CalibrateArgs,
    format: Format,
    console: &mut Console,
) -> Result<(), CliError> {
    match &args.wanted {
        WantedParts::Device(args) => device::verb(args, format, console),
        WantedParts::Energy(args) => energy::verb(args, format, console),
        WantedParts::Pair(args) => pair::verb(args, format, console),
        WantedParts::Other(words) => {
            let word = words.first().map(|word| word.to_string_lossy()).unwrap_or_default();
            let word = plain(&word, 60);
            Err(CliError::Usage(format!(
                "`{word}` is nothing to calibrate: `raddle calibrate device` measures this GPU, `raddle calibrate pair` two programs on it, `raddle calibrate energy TABLE` fits weights of energy to a table"
            )))
        }
    }
}
