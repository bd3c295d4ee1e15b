//! How are live programs scheduled, run, and listed? The verb `live`.

mod libraries;
mod run;
mod status;

use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use raddle_dispatch::log::check::CheckedLog;
use raddle_dispatch::{Recipe, Registry};
use raddle_live::{
    Daemon, DaemonConfig, Inquiry, LiveError, LiveHint, LiveReplayed, Storm, default_socket, env,
};
use raddle_policy::Level;
use raddle_report::json;
use raddle_study::{Files, recipes};
use serde::Serialize;

use super::LiveArgs;
use super::args::{HintArg, HintArgs, LiveVerb, ServeArgs, SetArgs, SocketArgs};
use crate::Console;
use crate::args::Format;
use crate::disk::Disk;
use crate::error::CliError;
use crate::units::{counted, harmless, plain};

impl From<LiveError> for CliError {
    fn from(error: LiveError) -> Self {
        Self::Refused(error.to_string())
    }
}

/// Carries out the verb `live`. Returns the exit code, which for `run` is that of the program.
pub(crate) fn verb(
    args: &LiveArgs,
    registry: &Registry,
    format: Format,
    console: &mut Console,
) -> Result<u8, CliError> {
    match &args.what {
        LiveVerb::Serve(args) => serve(args, registry, console)?,
        LiveVerb::Run(args) => return run::run(args, console),
        LiveVerb::Status(args) => {
            let every = args.watch.map(Duration::from_millis);
            status::show(&mut ask(&args.socket)?, every, format, console)?;
        }
        LiveVerb::Preempt(args) => {
            let count = ask(&args.socket)?.preempt(args.pid)?;
            told(args.pid, count, "taken off until `raddle live resume`", format, console)?;
        }
        LiveVerb::Resume(args) => {
            let count = ask(&args.socket)?.resume(args.pid)?;
            told(args.pid, count, "may go on", format, console)?;
        }
        LiveVerb::Set(args) => set(args, registry, format, console)?,
        LiveVerb::Hint(args) => hint(args, format, console)?,
        LiveVerb::Log { logs } => {
            for log in logs {
                self::log(log, registry, format, console)?;
            }
        }
    }
    Ok(0)
}

/// Returns the path of the socket at which the daemon listens: that of the options, or the default.
fn socket(args: &SocketArgs) -> Result<PathBuf, CliError> {
    args.socket.clone().or_else(default_socket).ok_or_else(|| {
        CliError::Usage(
            "XDG_RUNTIME_DIR is not set, so there is no place for the socket: give --socket FILE"
                .to_owned(),
        )
    })
}

fn ask(args: &SocketArgs) -> Result<Inquiry, CliError> {
    Ok(Inquiry::connect(&socket(args)?)?)
}

#[derive(Serialize)]
struct Done {
    pid: i32,
    programs: u64,
}

fn told(
    pid: i32,
    programs: u64,
    what: &str,
    format: Format,
    console: &mut Console,
) -> Result<(), CliError> {
    if programs == 0 {
        return Err(CliError::Refused(format!(
            "process {pid} has not joined: `raddle live status` lists those that have"
        )));
    }
    let text = match format {
        Format::Json => json(&Done { pid, programs }),
        Format::Text => format!("process {pid}: {what}\n"),
    };
    console.print(&text)
}

/// Opens a file into which the log of a daemon or a program is written.
fn log_file(path: &Path) -> Result<Box<dyn Write + Send>, CliError> {
    let file = env::log_file(path).map_err(CliError::writing(&path.display().to_string()))?;
    Ok(Box::new(BufWriter::with_capacity(1 << 16, file)))
}

/// Finds the recipe with the name, or in the file, that the command line gives.
fn recipe(name: &String, registry: &Registry) -> Result<Recipe, CliError> {
    let files = (registry, &Disk::default() as &dyn Files);
    // There is no recipe of today: the daemon stands for a device that does not wait for one.
    let chosen = recipes::choose(std::slice::from_ref(name), "today", &[], files)?;
    Ok(chosen.into_iter().map(|it| it.recipe).next().unwrap_or_default())
}

#[derive(Serialize)]
struct NowDecides {
    turn: &'static str,
    preempt: &'static str,
    programs: u64,
}

/// Carries out `live set`: makes the daemon schedule its programs by another recipe.
fn set(
    args: &SetArgs,
    registry: &Registry,
    format: Format,
    console: &mut Console,
) -> Result<(), CliError> {
    let recipe = recipe(&args.recipe, registry)?;
    let programs = ask(&args.socket)?.set(&recipe)?;
    let [_, turn, _, preempt] = recipe.policies();
    let text = match format {
        Format::Json => json(&NowDecides { turn, preempt, programs }),
        Format::Text => format!(
            "{turn} and {preempt} decide for {}\n",
            counted(programs, "program", "programs")
        ),
    };
    console.print(&text)
}

/// Carries out `live hint`: passes hints about a process, such as its level of urgency, to the
/// daemon and its policies.
fn hint(args: &HintArgs, format: Format, console: &mut Console) -> Result<(), CliError> {
    let mut daemon = ask(&args.socket)?;
    let mut programs = 0;
    for hint in &args.hints {
        let hint = match hint {
            HintArg::Level(level) => LiveHint::Level(Level(*level)),
            HintArg::Share(share) => LiveHint::Share(*share),
            HintArg::Policy(said) => LiveHint::Policy(said.hint),
        };
        programs = daemon.hint(Some(args.pid), hint)?;
    }
    told(args.pid, programs, "the policies see it", format, console)
}

/// Carries out `live serve`: runs the daemon, which does not return until it is stopped.
fn serve(args: &ServeArgs, registry: &Registry, console: &mut Console) -> Result<(), CliError> {
    let path = socket(&args.socket)?;
    let mut options = DaemonConfig {
        most_urgent: Level(args.most_urgent),
        most_a_second: args.most_preemptions,
        give_up: Duration::from_millis(args.give_up_ms),
        storm: args.storm.map(|(from, to)| Storm::new(from, to, args.seed)),
        registry: registry.clone(),
        ..DaemonConfig::default()
    };
    if let Some(name) = &args.recipe {
        options.recipe = recipe(name, registry)?;
    }
    let [_, turn, _, preempt] = options.recipe.policies();
    let (turn, preempt) = (turn.to_owned(), preempt.to_owned());
    let log = args.log.as_deref().map(log_file).transpose()?;
    // Lines of the daemon go to the error stream at once, as their readers need them while it runs.
    let mut errors = std::io::stderr();
    let say = move |line: &str| drop(writeln!(errors, "raddle live: {}", harmless(line)));
    let mut daemon = Daemon::bind(&path, options, log, say)?;
    let stop = Arc::new(AtomicBool::new(false));
    let stops = Arc::clone(&stop);
    // If there can be no handler, an interrupt leaves the socket, and the next daemon takes its
    // place.
    let _ = ctrlc::set_handler(move || stops.store(true, Ordering::Relaxed));
    let ready = format!("raddle live: {turn} and {preempt} at {}\n", path.display());
    console.stderr.write_all(ready.as_bytes()).map_err(CliError::printing)?;
    Ok(daemon.run(&stop)?)
}

/// Checks the decision log of a live program, and returns which rules of the dispatcher it breaks.
pub(crate) fn rules(path: &Path) -> Result<CheckedLog, CliError> {
    read(path, raddle_live::check)
}

/// Reads the decision log of a live program, and returns what the function `find` computes from it.
fn read<A>(
    path: &Path,
    find: impl FnOnce(BufReader<File>) -> Result<A, LiveError>,
) -> Result<A, CliError> {
    let file = path.display().to_string();
    let unreadable = |cause| CliError::Unreadable { file: file.clone(), cause };
    let log = BufReader::new(File::open(path).map_err(unreadable)?);
    find(log).map_err(|error| match error {
        LiveError::ReadLog(cause) => CliError::Unreadable { file: file.clone(), cause },
        error => CliError::Refused(format!("{file}: {error}")),
    })
}

/// Replays the events of a live log, and checks that this gives the answers in the log, for the
/// verbs `live log` and `log`.
pub(crate) fn log(
    path: &Path,
    registry: &Registry,
    format: Format,
    console: &mut Console,
) -> Result<(), CliError> {
    let file = path.display().to_string();
    let found = read(path, |log| raddle_live::replay_with(registry, log))?;
    let LiveReplayed { events, answers, is_whole, difference } = found;
    if let Some((line, logged, answered)) = difference {
        let (logged, answered) = (plain(&logged, 300), plain(&answered, 300));
        return Err(CliError::Differs { file, line, logged, answered });
    }
    let text = match format {
        Format::Json => json(&Agreed { file, events, answers, agree: is_whole }),
        Format::Text => format!(
            "{file}: {} fed again, {} {}\n",
            counted(events, "event", "events"),
            counted(answers, "answer", "answers"),
            if is_whole {
                "agree byte for byte"
            } else {
                "so far are the same; it breaks off: its program runs or was killed, or the log could not be written"
            },
        ),
    };
    console.print(&text)
}

#[derive(Serialize)]
struct Agreed {
    file: String,
    events: u64,
    answers: u64,
    /// True if a replay of the events gave all answers in the log, and the log is complete.
    agree: bool,
}
