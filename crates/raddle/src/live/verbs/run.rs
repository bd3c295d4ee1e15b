//! How is a program started so that its work is scheduled, and was the work scheduled?
//!
//! The OpenCL loader ignores a layer that it cannot load, without a message, and a CUDA program may load
//! the driver by its path. So each library writes its process id to a file, and if that file is empty
//! at the end, no work was scheduled.

use std::ffi::OsString;
use std::io::{IsTerminal, Read};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus};

use raddle_live::{Inquiry, LiveError, env};
use raddle_policy::Level;

use super::super::args::ProgramArgs;
use super::libraries::Libraries;
use crate::Console;
use crate::console::alarm;
use crate::error::CliError;
use crate::units::harmless;

/// Carries out `live run`: runs a program whose OpenCL and CUDA work is scheduled, and returns the
/// program's exit code.
pub(super) fn run(args: &ProgramArgs, console: &mut Console) -> Result<u8, CliError> {
    let libraries = Libraries::find(args)?;
    let loaded = tempfile::NamedTempFile::new().map_err(CliError::writing("a temporary file"))?;
    let Some((program, words)) = args.program.split_first() else {
        return Err(CliError::Usage("name the program behind `--`".to_owned()));
    };
    let mut command = Command::new(program);
    command.args(words).env(env::LOADED, loaded.path());
    libraries.offer(&mut command);
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
    // If the file of marks cannot be read, the library counts as not loaded.
    let _ = loaded.reopen().and_then(|mut file| file.read_to_string(&mut marks));
    if marks.is_empty() {
        return Err(CliError::Usage(not_loaded(program, &libraries)));
    }
    // The library has said so itself; the program's own failure is the worse one.
    let lost: Vec<&str> = env::lost_logs(&marks).collect();
    match (code(status), lost.first()) {
        (0, Some(lost)) => Err(CliError::Refused(format!(
            "the program ran to its end, but its log is not whole: {lost}"
        ))),
        (code, _) => Ok(code),
    }
}

fn not_loaded(program: &OsString, libraries: &Libraries) -> String {
    format!(
        "{} has ended and {} was never loaded, so nothing was scheduled. Either it uses neither OpenCL nor CUDA; or it brings an OpenCL loader of its own, or one that knows no layers, as ocl-icd before 2.3 (`clinfo | tail` names the loader; OCL_ICD_ENABLE_TRACE=1 makes Khronos's tell why it leaves a layer out); or it loads the CUDA driver by a path; or something it starts clears OPENCL_LAYERS or LD_LIBRARY_PATH",
        program.display(),
        libraries.shown(),
    )
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

/// Asks the daemon to grant the level of urgency that the options name. Returns the connection to
/// the daemon, which must stay open while the program runs; `None` where no level was named. Where
/// no daemon answers, the program runs unscheduled (`None`) or, with `--require`, not at all.
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

/// Waits for the started program to end. On a terminal Ctrl-C reaches the program by itself;
/// otherwise a request to end raddle is passed on to the program.
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
