//! Does a decision log come out again when its events are fed to a new dispatcher?

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use raddle_dispatch::DispatchError;
use raddle_dispatch::log::reader;
use serde::Serialize;

use crate::Console;
use crate::args::Format;
use crate::error::CliError;
use crate::progress::{Progress, ProgressReader};
use crate::units::{counted, plain};
use raddle_report::json;

/// Bytes read at a time, and told of at a time.
const BUFFER: usize = 1 << 16;

#[derive(Serialize)]
struct Agreed {
    events: u64,
    answers: u64,
    agree: bool,
}

/// `replay --events FILE`.
pub(crate) fn verb(path: &Path, format: Format, console: &mut Console) -> Result<(), CliError> {
    let file = path.display().to_string();
    let found = check(open(path, &file, console.progress)?, &file)?;
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

/// The log, told of as it is read where progress is `shown`.
fn open(path: &Path, file: &str, shown: bool) -> Result<BufReader<ProgressReader>, CliError> {
    let unreadable = |cause| CliError::Unreadable { file: file.to_owned(), cause };
    let log = File::open(path).map_err(unreadable)?;
    let data = log.metadata().map_err(unreadable)?;
    if data.is_dir() {
        let text = format!("{file} is a folder: name the decisions.jsonl inside it");
        return Err(CliError::Refused(text));
    }
    // Of a pipe nobody knows how much is to come.
    let reading = Progress::bytes(shown && data.is_file(), data.len()).reading(log);
    Ok(BufReader::with_capacity(BUFFER, reading))
}

fn check(log: impl BufRead, file: &str) -> Result<reader::Replayed, CliError> {
    reader::replay(log).map_err(|error| match error {
        // The replay writes to memory only, so this was a read.
        DispatchError::ReadLog(cause) => CliError::Unreadable { file: file.to_owned(), cause },
        error => CliError::Log { file: file.to_owned(), error },
    })
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn a_log_is_told_of_as_it_is_read() {
        let length = BUFFER as u64 + 1000;
        let mut log = tempfile::NamedTempFile::new().unwrap();
        log.write_all(&"a line\n".repeat(BUFFER).as_bytes()[..BUFFER + 1000]).unwrap();
        let mut reading = open(log.path(), "log", true).unwrap();
        assert_eq!(reading.get_ref().told(), Some((0, Some(length))));
        reading.read_line(&mut String::new()).unwrap();
        assert_eq!(reading.get_ref().told(), Some((BUFFER as u64, Some(length))));
        assert_eq!(reading.lines().count() + 1, (BUFFER + 1000).div_ceil(7));
        // Nobody counts where nobody looks.
        assert_eq!(open(log.path(), "log", false).unwrap().get_ref().told(), None);
    }
}
