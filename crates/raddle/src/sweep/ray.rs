//! How does a cluster of Ray run cases? The Python module `raddle._ray` distributes them, and
//! prints their rows.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use raddle_study::sweep::ReadRow;
use raddle_study::{StudyError, Sweep};
use serde_json::{Value, json};

use crate::error::CliError;

/// Runs the cases with the indices `positions` on the Ray cluster at `address`; with `None`, on the
/// cluster that `RAY_ADDRESS` names. Calls `take` with each row (result of a case, as a line with
/// its line end) as soon as it comes.
///
/// # Errors
/// When Python or the package is missing, the cluster fails, or a row is not taken.
pub(super) fn run(
    address: Option<&str>,
    sweep: &Sweep,
    positions: &[usize],
    take: impl Fn(&str) -> Result<(), StudyError>,
) -> Result<(), CliError> {
    if positions.is_empty() {
        return Ok(());
    }
    let python = std::env::var_os("RADDLE_PYTHON").filter(|python| !python.is_empty());
    let mut child = RayDriver::start(python.unwrap_or_else(|| "python3".into()))?;
    let asked = json!({
        "sweep": sweep,
        "files": files(sweep),
        "positions": positions,
        "address": address,
    });
    let taken = child.ask(&asked).and_then(|()| child.rows(take));
    child.end(taken)
}

/// Running Python process that hands cases to a Ray cluster and prints their rows (results).
struct RayDriver {
    python: String,
    child: Child,
}

impl RayDriver {
    fn start(python: OsString) -> Result<Self, CliError> {
        let shown = python.display().to_string();
        let mut command = Command::new(python);
        command.args(["-m", "raddle._ray"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        match command.spawn() {
            Ok(child) => Ok(Self { python: shown, child }),
            Err(error) => Err(CliError::Refused(format!(
                "{shown} does not start ({error}): --engine ray needs Python with the packages raddle and ray; RADDLE_PYTHON names another one"
            ))),
        }
    }

    fn ask(&mut self, asked: &Value) -> Result<(), CliError> {
        // The pipe is dropped at the end of this function, so that the program reads to its end.
        let mut pipe = self.child.stdin.take();
        let written = pipe.as_mut().map_or(Ok(()), |pipe| writeln!(pipe, "{asked}"));
        written.map_err(CliError::writing(&self.python))
    }

    fn rows(&mut self, take: impl Fn(&str) -> Result<(), StudyError>) -> Result<(), CliError> {
        let Some(pipe) = self.child.stdout.take() else { return Ok(()) };
        let mut reader = BufReader::new(pipe);
        let mut line = String::new();
        loop {
            line.clear();
            let read = reader.read_line(&mut line);
            read.map_err(|cause| CliError::Unreadable { file: self.python.clone(), cause })?;
            if !line.ends_with('\n') {
                return Ok(());
            }
            if ReadRow::parse(&line).is_none() {
                let what = line.trim_end().chars().take(200).collect::<String>();
                return Err(CliError::Refused(format!(
                    "{} -m raddle._ray printed `{what}`, which is no row: is its package raddle of this version?",
                    self.python
                )));
            }
            take(&line)?;
        }
    }

    /// Waits for the Python process to end; if `taken` is an error, such as a row that could not be
    /// stored, kills the process first. Returns the first error.
    fn end(mut self, taken: Result<(), CliError>) -> Result<(), CliError> {
        if taken.is_err() {
            // The program may have ended by itself.
            let _ = self.child.kill();
        }
        let ended = self.child.wait();
        taken?;
        match ended {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(CliError::Refused(format!(
                "the sweep on Ray stopped ({status}), and said why above; --engine ray needs Python with the packages raddle and ray (RADDLE_PYTHON names one, now {}); the same command goes on where it stopped",
                self.python
            ))),
            Err(cause) => Err(CliError::Unreadable { file: self.python, cause }),
        }
    }
}

/// Finds the files that strings in the options of a sweep name, as a Ray cluster needs copies of
/// them. A string that is the path of a file by chance does no harm.
fn files(sweep: &Sweep) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    // A sweep is strings, numbers and lists of them, so that writing it as JSON cannot fail.
    gather(&serde_json::to_value(sweep).unwrap_or_default(), &mut found);
    found
}

fn gather(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => {
            // Texts can have the forms FILE*3, NAME=FILE:TASK and KEY=FILE,FILE.
            let parts = text.split(['=', ',']);
            let parts = std::iter::once(&**text).chain(parts);
            let cut = |part: &'_ str, at| part.rsplit_once(at).map(|(file, _)| file.to_owned());
            let names = parts.flat_map(|part| {
                [Some(part.to_owned()), cut(part, '*'), cut(part, ':')].into_iter().flatten()
            });
            found.extend(names.filter(|name| Path::new(name).is_file()));
        }
        Value::Array(values) => values.iter().for_each(|value| gather(value, found)),
        Value::Object(values) => values.values().for_each(|value| gather(value, found)),
        _ => {}
    }
}
