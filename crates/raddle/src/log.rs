//! What is in a decision log, does it keep the rules of the controller and of its policies, and are
//! its answers given again when its events are fed to a new dispatcher? The verb `log`.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;

use raddle_dispatch::log::{check, replay_with, spelled_out};
use raddle_dispatch::{DispatchError, Registry};
use raddle_golden::twin::{self, CheckedSlot, Report};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::Console;
use crate::args::{Format, LogArgs};
use crate::error::CliError;
use crate::live;
use crate::log_file;
use crate::progress::{ProgressLine, ProgressText};
use crate::schema::versioned;
use crate::units::{counted, escaped_json, harmless, plain};

/// Number of bytes of a log that are read at a time, and then reported as progress.
const BUFFER: usize = 1 << 16;

#[derive(Serialize)]
struct LogAgreed {
    events: u64,
    answers: u64,
    agree: bool,
}

/// Rule that a decision log breaks: how often it does, and the line and description of the first
/// time.
#[derive(Serialize)]
struct Broken<'b> {
    rule: u32,
    name: &'static str,
    count: u64,
    line: usize,
    what: &'b str,
}

#[derive(Serialize)]
struct Checked<'b> {
    events: u64,
    answers: u64,
    broken: Vec<Broken<'b>>,
    /// Differences between the log's answers and those of the naive models (twins) of its policies,
    /// one entry for each slot of the recipe. `None` (`null` in JSON) if the log has no answers of
    /// policies.
    policies: Option<&'b [CheckedSlot]>,
}

/// Carries out the verb `log`: prints, checks or replays a decision log.
pub(crate) fn verb(
    args: &LogArgs,
    registry: &Registry,
    format: Format,
    console: &mut Console,
) -> Result<(), CliError> {
    if (args.check || args.replay)
        && let Some(whose) = live::whose(&args.log)
    {
        // The answers of a daemon are those of its policies, so its log has no rules of its own,
        // and is replayed instead.
        if args.check && whose == "client" {
            let (file, found) = (args.log.display().to_string(), live::rules(&args.log)?);
            return tell_of_rules(file, &found, None, format, console);
        }
        return live::log(&args.log, registry, format, console);
    }
    if args.replay {
        replay(&args.log, registry, format, console)
    } else if args.check {
        keeps_the_rules(&args.log, registry, format, console)
    } else {
        print(&args.log, if args.print { format } else { Format::Json }, console)
    }
}

/// Carries out `log --check`: checks a decision log by the rules of the dispatcher and of its
/// policies.
fn keeps_the_rules(
    path: &Path,
    registry: &Registry,
    format: Format,
    console: &mut Console,
) -> Result<(), CliError> {
    let file = path.display().to_string();
    let log = open(path, &file, console.progress)?;
    let mut twins = twin::Checker::default();
    let found = check::check_beside(registry, log, |number, line| twins.take(number, line));
    let found = found.map_err(|error| unread(error, &file))?;
    tell_of_rules(file, &found, Some(&twins.report()), format, console)
}

/// Prints which rules of the dispatcher a log breaks, and which answers differ from those of the
/// naive models (twins) of its policies.
fn tell_of_rules(
    file: String,
    found: &check::CheckedLog,
    twins: Option<&Report>,
    format: Format,
    console: &mut Console,
) -> Result<(), CliError> {
    let broken: Vec<Broken<'_>> = found
        .broken()
        .iter()
        .map(|(rule, broken)| Broken {
            rule: rule.number(),
            name: rule.name(),
            count: broken.count(),
            line: broken.line(),
            what: broken.what(),
        })
        .collect();
    let text = match format {
        Format::Json => versioned(
            "log-check",
            &Checked {
                events: found.events(),
                answers: found.answers(),
                broken,
                policies: twins.map(|twins| &*twins.slots),
            },
        ),
        Format::Text if broken.is_empty() => format!(
            "{file}: {} and {} keep the {} rules\n{}",
            counted(found.events(), "event", "events"),
            counted(found.answers(), "answer", "answers"),
            check::LogRule::ALL.len(),
            told_of_policies(twins),
        ),
        Format::Text => broken.iter().map(told).chain([told_of_policies(twins)]).collect(),
    };
    console.print(&text)?;
    match found.broken().iter().min_by_key(|(_, broken)| broken.line()) {
        None => twins.and_then(Report::first).map_or(Ok(()), |first| {
            Err(CliError::TwinDiffers { file, first: Box::new(first.clone()) })
        }),
        Some((rule, first)) => Err(CliError::RuleBroken {
            file,
            line: first.line(),
            rule: *rule,
            what: first.what().to_owned(),
        }),
    }
}

/// Returns a text with a line for each slot of the recipe: how many of its answers equal those of
/// the naive model (twin) of its policy, and how many differ. The line also has the first answer
/// that differs, and the reason why answers behind it are not checked.
fn told_of_policies(twins: Option<&Report>) -> String {
    let Some(twins) = twins else {
        return "answers of policies are not in the log of a live program, so none are checked\n"
            .to_owned();
    };
    let told = |slot: &CheckedSlot| {
        let CheckedSlot { slot: name, policy, by, answers, checked, different, .. } = slot;
        let all = counted(*checked, answers, answers);
        let mut line = match (checked, different) {
            (0, _) if slot.unchecked.is_some() => String::new(),
            (_, 0) => format!("{all} of `{policy}` as {by} asks\n"),
            _ => {
                let first = slot.findings.first().map(ToString::to_string).unwrap_or_default();
                let few = counted(*different, "differs", "differ");
                format!("{all} of `{policy}` ({by}): {few}, first {first}\n")
            }
        };
        if let Some(why) = &slot.unchecked {
            line += &format!("`{policy}` ({name}) is not checked: {why}\n");
        }
        line
    };
    twins.slots.iter().map(told).collect()
}

fn told(broken: &Broken<'_>) -> String {
    let Broken { rule, name, count, line, what } = broken;
    let times = counted(*count, "time", "times");
    format!("rule {rule} ({name}) is broken {times}, first in line {line}: {what}\n")
}

/// Prints the lines of a log as JSON or, with `--print`, as readable text. Parts that a line leaves
/// out, since they follow from earlier lines, are filled in.
fn print(path: &Path, format: Format, console: &mut Console) -> Result<(), CliError> {
    let file = path.display().to_string();
    let log = open(path, &file, console.progress)?;
    let mut stdout = BufWriter::new(&mut console.stdout);
    for (line, number) in spelled_out(log).zip(1..) {
        let line = line.map_err(|error| unread(error, &file))?;
        let text = match format {
            Format::Json => escaped_json(format!("{line}\n")),
            Format::Text => spelled(&line).ok_or_else(|| {
                CliError::Refused(format!("{file}, line {number}: it is no line of a decision log"))
            })?,
        };
        stdout.write_all(harmless(&text).as_bytes()).map_err(CliError::printing)?;
    }
    stdout.flush().map_err(CliError::printing)
}

/// Writes a line of a log as text, with its time, its kind and its keys: `1.234567 ms  submit
/// launch 5, packets 1`. `None` where the line is no JSON object.
fn spelled(line: &str) -> Option<String> {
    let mut keys: Map<String, Value> = serde_json::from_str(line).ok()?;
    let word = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let Some(at) = keys.remove("t").and_then(|t| t.as_u64()) else {
        let recipe = keys.remove("recipe").map(|recipe| format!(", recipe {recipe}"));
        let said = keys.iter().map(|(key, value)| format!("{key} {}", word(value)));
        return Some(format!(
            "{}{}\n",
            said.collect::<Vec<_>>().join(", "),
            recipe.unwrap_or_default()
        ));
    };
    keys.remove("step");
    let (mark, what) = match (keys.remove("event"), keys.remove("answer")) {
        (Some(what), None) => (' ', what),
        (None, Some(what)) => ('>', what),
        _ => return None,
    };
    // A launch that comes is shown by its id, its process and a few keys; the rest is in the log.
    if let Some(Value::Object(launch)) = keys.get("launch").cloned() {
        keys.remove("launch");
        for key in ["id", "process", "stream", "level", "workgroups", "idempotent"] {
            keys.extend(launch.get(key).map(|value| (key.to_owned(), value.clone())));
        }
    }
    let said = keys.iter().map(|(key, value)| format!("{key} {}", word(value)));
    let said: Vec<String> = said.collect();
    let (ms, ns) = (at / 1_000_000, at % 1_000_000);
    Some(format!("{ms:>8}.{ns:06} ms {mark} {:<14} {}\n", word(&what), said.join(", ")))
}

/// Carries out `log --replay` and `replay --events`: feeds the events of a log to a new dispatcher,
/// and compares the answers.
pub(crate) fn replay(
    path: &Path,
    registry: &Registry,
    format: Format,
    console: &mut Console,
) -> Result<(), CliError> {
    let file = path.display().to_string();
    let log = open(path, &file, console.progress)?;
    let found = replay_with(registry, log).map_err(|error| unread(error, &file))?;
    if let Some(&(line, ref logged, ref answered)) = found.difference() {
        return Err(CliError::Differs {
            file,
            line,
            logged: plain(logged, 300),
            answered: plain(answered, 300),
        });
    }
    let text = match format {
        Format::Json => versioned(
            "log-replay",
            &LogAgreed { events: found.events(), answers: found.answers(), agree: true },
        ),
        Format::Text => format!(
            "{file}: {} fed again, {} agree byte for byte\n",
            counted(found.events(), "event", "events"),
            counted(found.answers(), "answer", "answers"),
        ),
    };
    console.print(&text)
}

/// Opens the text of a log, compressed or not; `file` is its name in errors. If `shown`, progress
/// is shown while the text is read.
fn open<'l>(
    path: &Path,
    file: &str,
    shown: bool,
) -> Result<ProgressText<Box<dyn BufRead + 'l>>, CliError> {
    let unreadable = |cause| CliError::Unreadable { file: file.to_owned(), cause };
    let log = File::open(path).map_err(unreadable)?;
    let data = log.metadata().map_err(unreadable)?;
    if data.is_dir() {
        let text = format!("{file} is a folder: name the decisions.jsonl.zst inside it");
        return Err(CliError::Refused(text));
    }
    let mut log = BufReader::with_capacity(BUFFER, log);
    // The length of a pipe is not known, and that of a compressed text neither.
    let packed = log_file::is_packed(&mut log).map_err(unreadable)?;
    let progress = match data.is_file() && !packed {
        true => ProgressLine::bytes(shown, data.len()),
        false => ProgressLine::text(shown),
    };
    Ok(ProgressText::new(log_file::text(log).map_err(unreadable)?, progress))
}

fn unread(error: DispatchError, file: &str) -> CliError {
    CliError::Log { file: file.to_owned(), error }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};

    use super::*;

    #[test]
    fn a_log_is_told_of_line_by_line() {
        let lines = "a line\n".repeat(10_000);
        for packed in [false, true] {
            let mut file = tempfile::NamedTempFile::new().unwrap();
            let bytes = match packed {
                true => zstd::encode_all(lines.as_bytes(), 1).unwrap(),
                false => lines.clone().into_bytes(),
            };
            file.write_all(&bytes).unwrap();
            let mut log = open(file.path(), "log", true).unwrap();
            let length = if packed { 0 } else { lines.len() as u64 };
            assert_eq!(log.told(), Some((0, Some(length))));
            for taken in [7, 14, 21] {
                log.read_line(&mut String::new()).unwrap();
                assert_eq!(log.told(), Some((taken, Some(length))), "packed: {packed}");
            }
            assert_eq!(log.by_ref().lines().count(), 9_997);
            assert_eq!(log.told(), Some((lines.len() as u64, Some(length))));
            // Bytes are not counted if progress is not shown.
            assert_eq!(open(file.path(), "log", false).unwrap().told(), None);
        }
    }
}
