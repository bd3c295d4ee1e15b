//! How is a program started so that its OpenCL work is scheduled, and was the work scheduled?
//!
//! The OpenCL loader ignores a layer that it cannot load, without a message. So the layer writes
//! its process id to a file, and if that file is empty at the end, no work was scheduled.

use std::ffi::OsString;
use std::io::{IsTerminal, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};

use raddle_live::{Inquiry, LiveError, env};
use raddle_policy::Level;

use super::super::args::ProgramArgs;
use crate::Console;
use crate::console::alarm;
use crate::error::CliError;
use crate::units::harmless;

/// File name of the OpenCL layer.
const LAYER: &str = "libraddle_opencl.so";

/// Carries out `live run`: runs a program whose OpenCL work is scheduled, and returns the program's
/// exit code.
pub(super) fn run(args: &ProgramArgs, console: &mut Console) -> Result<u8, CliError> {
    let layer = layer(args)?;
    let loaded = tempfile::NamedTempFile::new().map_err(CliError::writing("a temporary file"))?;
    let Some((program, words)) = args.program.split_first() else {
        return Err(CliError::Usage("name the program behind `--`".to_owned()));
    };
    let mut command = Command::new(program);
    command.args(words).env(env::LOADED, loaded.path()).env("OPENCL_LAYERS", layers(&layer));
    settings(&mut command, args)?;
    // The daemon grants the level for as long as this connection exists.
    let connection = connect(&mut command, args, console)?;
    let child = command.spawn().map_err(|cause| {
        let program = program.display();
        CliError::Usage(format!(
            "{program} cannot be started ({cause}): give a program behind `--`"
        ))
    })?;
    let status = wait(child)?;
    drop(connection);
    let mut marks = String::new();
    // If the file of marks cannot be read, the layer counts as not loaded.
    let _ = loaded.reopen().and_then(|mut file| file.read_to_string(&mut marks));
    if marks.is_empty() {
        return Err(CliError::Usage(not_loaded(program, &layer)));
    }
    // The layer has said so itself; the program's own failure is the worse one.
    let lost: Vec<&str> = env::lost_logs(&marks).collect();
    match (code(status), lost.first()) {
        (0, Some(lost)) => Err(CliError::Refused(format!(
            "the program ran to its end, but its log is not whole: {lost}"
        ))),
        (code, _) => Ok(code),
    }
}

fn not_loaded(program: &OsString, layer: &Path) -> String {
    format!(
        "{} has ended and {} was never loaded, so nothing was scheduled. Either it uses no OpenCL; or it brings a loader of its own, or one that knows no layers, as ocl-icd before 2.3 (`clinfo | tail` names the loader; OCL_ICD_ENABLE_TRACE=1 makes Khronos's tell why it leaves a layer out); or something it starts clears OPENCL_LAYERS",
        program.display(),
        layer.display(),
    )
}

/// Returns the path of the OpenCL layer: the one that is named, or one near the program.
fn layer(args: &ProgramArgs) -> Result<PathBuf, CliError> {
    let given =
        args.layer.clone().or_else(|| std::env::var_os("RADDLE_OPENCL_LAYER").map(Into::into));
    let beside = std::env::current_exe().ok().and_then(|exe| Some(exe.parent()?.to_owned()));
    let near = beside.map(|folder| [folder.join(LAYER), folder.join("../lib").join(LAYER)]);
    let places: Vec<PathBuf> = match given {
        Some(given) => vec![given],
        None => near.into_iter().flatten().collect(),
    };
    let found = places.iter().find_map(|place| place.canonicalize().ok().filter(|it| it.is_file()));
    found.ok_or_else(|| {
        let places: Vec<String> = places.iter().map(|place| place.display().to_string()).collect();
        CliError::Usage(format!(
            "there is no OpenCL layer at {}: build it with `cargo build -p raddle-opencl`, or name it with --layer FILE",
            places.join(" nor at ")
        ))
    })
}

/// Returns the value that names the OpenCL layers to load: `layer` first, then those that the
/// environment names.
fn layers(layer: &Path) -> OsString {
    let mut layers = layer.as_os_str().to_owned();
    if let Some(others) = std::env::var_os("OPENCL_LAYERS").filter(|others| !others.is_empty()) {
        layers.push(":");
        layers.push(others);
    }
    layers
}

fn settings(command: &mut Command, args: &ProgramArgs) -> Result<(), CliError> {
    if let Some(window) = args.window {
        command.env(env::WINDOW, window.to_string());
    }
    if let Some(most) = &args.most_kills {
        command.env(env::MOST_KILLS, most);
    }
    if let Some(ms) = args.give_up_ms {
        command.env(env::GIVE_UP_MS, ms.to_string());
    }
    if let Some(log) = &args.log {
        // The program may change its folder before it writes the log.
        let shown = log.display().to_string();
        let log = std::path::absolute(log).map_err(CliError::writing("the log"))?;
        env::check_log_path(&log).map_err(CliError::writing(&shown))?;
        command.env(env::LOG, log);
    }
    Ok(())
}

/// Asks the daemon to grant the level that the options name, and returns the connection to be kept
/// open; `None` where no level was named. Without a daemon the program runs unscheduled (`None`),
/// or, with `--require`, not at all.
fn connect(
    command: &mut Command,
    args: &ProgramArgs,
    console: &mut Console,
) -> Result<Option<Inquiry>, CliError> {
    let asked = super::socket(&args.socket).and_then(|socket| {
        let ask = || -> Result<_, LiveError> {
            let mut daemon = Inquiry::connect(&socket)?;
            let granted = args.level.map(|level| daemon.grant(Level(level))).transpose()?;
            Ok((daemon, granted))
        };
        // On a machine whose cores are busy, the daemon may have heard nothing for too long.
        let told = match ask() {
            Err(LiveError::Closed) => ask(),
            told => told,
        };
        let (daemon, granted) = told?;
        Ok((socket, daemon, granted))
    });
    let (socket, daemon, granted) = match asked {
        Ok(asked) => asked,
        Err(error) if args.require => {
            return Err(CliError::Usage(format!(
                "{error}. The program was not started (--require)"
            )));
        }
        Err(error) => {
            let label = alarm("warning:", console.stderr_colour);
            let error = harmless(&error.to_string()).into_owned();
            let text = format!("{label} {error}. The program runs unscheduled\n");
            console.stderr.write_all(text.as_bytes()).map_err(CliError::printing)?;
            // A daemon that comes later schedules the program.
            if let Ok(socket) = super::socket(&args.socket) {
                command.env(env::SOCKET, socket);
            }
            return Ok(None);
        }
    };
    command.env(env::SOCKET, std::path::absolute(&socket).unwrap_or(socket));
    let keep = granted.is_some();
    if let Some((token, level)) = granted {
        command.env(env::TOKEN, token);
        if let Some(asked) = args.level.filter(|asked| *asked < level.0) {
            let label = alarm("warning:", console.stderr_colour);
            let text =
                format!("{label} level {asked} was asked for, the daemon grants {}\n", level.0);
            console.stderr.write_all(text.as_bytes()).map_err(CliError::printing)?;
        }
    }
    // The daemon would drop a connection that stays silent, so only one that was granted a level is
    // kept.
    Ok(keep.then_some(daemon))
}

/// Waits for the program to end. On a terminal Ctrl-C reaches the program by itself; other requests
/// to end are passed on to it.
fn wait(mut child: Child) -> Result<ExitStatus, CliError> {
    let pid = rustix::process::Pid::from_child(&child);
    let on_terminal = std::io::stdin().is_terminal();
    // If there can be no handler, both processes end.
    let _ = ctrlc::set_handler(move || {
        if !on_terminal {
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
        }
    });
    child.wait().map_err(|cause| CliError::Usage(format!("the program is lost: {cause}")))
}

/// Returns the exit code of a program as shells have it: 128 plus the number of the signal that
/// ended it, if one did.
fn code(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}
