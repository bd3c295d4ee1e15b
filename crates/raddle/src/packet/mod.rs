//! What do launches look like as packets, and what would condensing save? The verb `packet`.
//!
//! `encode` turns launches or a profile into packets, `decode` turns packets into launches, `stats`
//! says what condensed packets (seed 002) would save on a profile.

mod args;
mod decode;
mod encode;
mod launches;
mod packets;
mod play;
mod recorded;
mod savings;
mod stats;
mod stats_text;

use std::io::Read;
use std::path::Path;

use crate::Console;
use crate::args::Format;
use crate::error::CliError;
pub(crate) use args::PacketArgs;
use args::PacketVerb;

pub(crate) fn verb(
    args: &PacketArgs,
    format: Format,
    console: &mut Console,
) -> Result<(), CliError> {
    match &args.verb {
        PacketVerb::Encode(args) => encode::verb(args, format, console),
        PacketVerb::Decode(args) => decode::verb(args, format, console),
        PacketVerb::Stats(args) => stats::verb(args, format, console),
    }
}

/// Reads all bytes of a file, or of the standard input for `-`.
fn read(file: &Path, console: &mut Console) -> Result<Vec<u8>, CliError> {
    let mut bytes = Vec::new();
    let read = if file == Path::new("-") {
        console.stdin.read_to_end(&mut bytes).map(|_| ())
    } else {
        std::fs::File::open(file).and_then(|mut file| file.read_to_end(&mut bytes)).map(|_| ())
    };
    read.map_err(|cause| CliError::Unreadable { file: name(file), cause })?;
    Ok(bytes)
}

/// Returns the name by which messages call a file; for `-` that of the standard input.
fn name(file: &Path) -> String {
    if file == Path::new("-") {
        return "the standard input".to_owned();
    }
    file.display().to_string()
}

/// Prints a note that a file has nothing to work on: the file `name` holds only `what`, and `so` is
/// the consequence.
fn nothing(name: &str, what: &str, so: &str, console: &mut Console) {
    console.note(&format!("note: {name} holds {what}: {so}"));
}
