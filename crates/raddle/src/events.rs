//! Does a decision log come out again when its events are fed to a new dispatcher?

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use raddle_dispatch::DispatchError;
use raddle_dispatch::log::reader;
use serde::Serialize;

use crate::Console;
use crate::args::Format;
use crate::error::CliError;
use crate::table::json;
use crate::units::{counted, plain};

#[derive(Serialize)]
struct Agreed {
    events: u64,
    answers: u64,
    agree: bool,
}

/// `replay --events FILE`.
pub(crate) fn verb(path: &Path, format: Format, console: &mut Console) -> Result<(), CliError> {
    let file = path.display().to_string();
    let found = read(path, &file)?;
    if let Some((line, logged, answered)) = found.difference {
        return Err(CliError::Differs {
            file,
            line,
            logged: plain(&logged, 300),
            answered: plain(&answered, 300),
        });
    }
    let text = match format {
        Format::Json => json(&Agreed { events: found.events, answers: found.answers, agree: true }),
        Format::Text => format!(
            "{file}: {} fed again, {} agree byte for byte\n",
            counted(found.events, "event", "events"),
            counted(found.answers, "answer", "answers"),
        ),
    };
    console.stdout.write_all(text.as_bytes()).map_err(CliError::printing)
}

fn read(path: &Path, file: &str) -> Result<reader::Replayed, CliError> {
    let unreadable = |cause| CliError::Unreadable { file: file.to_owned(), cause };
    let log = File::open(path).map_err(unreadable)?;
    if log.metadata().map_err(unreadable)?.is_dir() {
        let text = format!("{file} is a folder: name the decisions.jsonl inside it");
        return Err(CliError::Refused(text));
    }
    reader::replay(BufReader::with_capacity(1 << 16, log)).map_err(|error| match error {
        // The replay writes to memory only, so this was a read.
        DispatchError::ReadLog(cause) => unreadable(cause),
        error => CliError::Log { file: file.to_owned(), error },
    })
}
