//! How long do the requests and steps of the user's programs take beside each other?
//!
//! A program appends a line `START,END` for each request or step to the file that `RADDLE_TIMES`
//! names, in nanoseconds of the machine's monotonic clock, which all programs share. All programs
//! are asked to end (SIGTERM) once each has run for as long as wanted.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::error::CliError;
use crate::units::plain;

/// Name of the environment variable that tells a measured program the file into which it writes its
/// times. `LOAD` is the variable for the requests per second that it shall serve, and `SECONDS` for
/// the length of the measurement.
const TIMES: &str = "RADDLE_TIMES";
const LOAD: &str = "RADDLE_LOAD";
const SECONDS: &str = "RADDLE_SECONDS";
/// Shortest time between two reads of the files into which the programs write their times. A long
/// measurement reads them only about `LOOKS` times, so that reading does not slow the programs
/// down.
const LOOK: Duration = Duration::from_millis(20);
const LOOKS: f64 = 50.0;
/// Longest time, in seconds, in which no program writes a new line of times; then the measurement
/// fails. It is long because programs may first compile kernels and load models.
const START_S: f64 = 600.0;
/// Number of waits of the length `LOOK`, ten seconds in all, before a program that was asked to end
/// is killed.
const LOOKS_TO_END: u32 = 500;

/// Program of the user: its name in the file of measurements, and its command line.
#[derive(Clone, Debug)]
pub(super) struct CalibratedProgram {
    pub(super) name: String,
    pub(super) command: Vec<OsString>,
}

/// One measurement, in which one program runs or two run together: its length in seconds, and the
/// load in requests per second, or `None` for a program's own load.
#[derive(Clone, Copy, Debug)]
pub(super) struct ProgramCase<'c> {
    pub(super) seconds: f64,
    pub(super) load: Option<&'c str>,
    /// Environment variables of each program, as (name, value), by the index of the program in this
    /// measurement.
    pub(super) environment: &'c [Vec<(&'static str, String)>],
}

/// Requests or steps of one program, as (start, end) in nanoseconds. Those read from a file are
/// times on the machine's clock; those that `window` returns count from the beginning of the
/// measured window.
pub(super) type Spans = Vec<(u64, u64)>;

/// Running process of a measured program; the program is ended when this value is dropped.
struct Running {
    name: String,
    child: Child,
    times: PathBuf,
    ended: bool,
}

/// Runs programs at the same time, and returns for each program its requests or steps that began in
/// the measured window (see `window`), in the order of their starts.
pub(super) fn measure(
    programs: &[&CalibratedProgram],
    case: ProgramCase<'_>,
) -> Result<Vec<Spans>, CliError> {
    let folder = tempfile::tempdir().map_err(CliError::writing("a temporary folder"))?;
    let mut running = Vec::new();
    for (at, program) in programs.iter().enumerate() {
        let times = folder.path().join(format!("times-{at}.csv"));
        fs::write(&times, "").map_err(CliError::writing("a temporary file"))?;
        let environment = case.environment.get(at).map_or(&[][..], Vec::as_slice);
        running.push(Running::start(program, times, case, environment)?);
    }
    let length = (case.seconds * 1e9) as u64;
    let look = Duration::from_secs_f64(case.seconds / LOOKS).max(LOOK);
    let looks_to_start = (START_S / look.as_secs_f64()) as u32;
    let (mut looks_left, mut told) = (looks_to_start, 0);
    loop {
        thread::sleep(look);
        let spans: Vec<Spans> = running.iter().map(Running::spans).collect::<Result<_, _>>()?;
        if let Some(window) = window(&spans, length) {
            running.iter_mut().for_each(Running::end);
            return Ok(window);
        }
        // Each further line shows that the programs still work.
        let now = spans.iter().map(Vec::len).sum::<usize>();
        looks_left = if now > told { looks_to_start } else { looks_left.saturating_sub(1) };
        told = now;
        for (one, spans) in running.iter_mut().zip(&spans) {
            one.check(spans.len(), looks_left)?;
        }
    }
}

/// Returns, for each program, the requests or steps that began in the measured window, with times
/// in ns since the window began. The window begins when all programs have begun, and is `length` ns
/// long. `None` until each program has written a request or step that ends after the window.
fn window(all: &[Spans], length: u64) -> Option<Vec<Spans>> {
    let firsts = all.iter().map(|spans| spans.first().map(|&(start, _)| start));
    let begun = firsts.collect::<Option<Vec<u64>>>()?.into_iter().max()?;
    let end = begun.saturating_add(length);
    let beyond = |spans: &Spans| spans.last().is_some_and(|&(_, last)| last >= end);
    let within = |spans: &Spans| -> Spans {
        let own = spans.iter().filter(|&&(start, _)| (begun..end).contains(&start));
        let own = own.map(|&(start, ended)| (start - begun, ended - begun));
        let mut own: Spans = own.collect();
        own.sort_unstable();
        own
    };
    all.iter().all(beyond).then(|| all.iter().map(within).collect())
}

impl Running {
    fn start(
        program: &CalibratedProgram,
        times: PathBuf,
        case: ProgramCase<'_>,
        environment: &[(&'static str, String)],
    ) -> Result<Self, CliError> {
        let CalibratedProgram { name, command } = program;
        let [first, arguments @ ..] = command.as_slice() else {
            return Err(CliError::Usage(format!("the program of {name} is missing")));
        };
        let mut spawned = Command::new(first);
        spawned.args(arguments).stdin(Stdio::null()).stdout(Stdio::null());
        spawned.env(TIMES, &times).env(SECONDS, case.seconds.to_string());
        spawned.envs(case.load.map(|load| (LOAD, load)));
        spawned.envs(environment.iter().map(|(key, value)| (key, value)));
        // A program may be a script that starts others, which have to end with it.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut spawned, 0);
        let child = spawned.spawn().map_err(|cause| {
            let first = plain(&first.to_string_lossy(), 60);
            CliError::Refused(format!("the program of {name}, {first}, cannot be run: {cause}"))
        })?;
        Ok(Self { name: name.clone(), child, times, ended: false })
    }

    /// Reads the lines of times that the program has written so far, without an incomplete last
    /// line.
    fn spans(&self) -> Result<Spans, CliError> {
        read(&self.times).map_err(|why| {
            let name = &self.name;
            CliError::Refused(format!("{name}: {why}: a line is START,END in nanoseconds"))
        })
    }

    /// Checks that the program still runs, and that `looks_left` is not 0. `looks_left` is the
    /// number of further reads in which no program may have written a new line. `told` is the
    /// number of lines that this program has written, for the error text.
    fn check(&mut self, told: usize, looks_left: u32) -> Result<(), CliError> {
        let name = &self.name;
        let lost = |cause| CliError::Refused(format!("the program of {name} is lost: {cause}"));
        if let Some(status) = self.child.try_wait().map_err(lost)? {
            self.ended = true;
            return Err(CliError::Refused(format!(
                "the program of {name} ended ({status}) before both had run for as long as wanted, after {told} lines in {TIMES}: it must go on until it is asked to end (SIGTERM)"
            )));
        }
        if looks_left == 0 {
            return Err(CliError::Refused(format!(
                "no program has told a line in {TIMES} for ten minutes; {name} has told {told} (docs/calibrate.md)"
            )));
        }
        Ok(())
    }

    /// Asks the program to end, and kills it where it does not end within ten seconds.
    fn end(&mut self) {
        if std::mem::replace(&mut self.ended, true) {
            return;
        }
        #[cfg(unix)]
        {
            use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
            let group = Pid::from_child(&self.child);
            // Programs that have ended meanwhile need no signal.
            let _ = kill_process_group(group, Signal::TERM);
            for _ in 0..LOOKS_TO_END {
                let _ = self.child.try_wait();
                if test_kill_process_group(group).is_err() {
                    break;
                }
                thread::sleep(LOOK);
            }
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end();
    }
}

/// Reads the whole lines `START,END` (nanoseconds on the machine's clock) of a file of times, in
/// the order of their ends.
fn read(path: &Path) -> Result<Spans, String> {
    let text =
        fs::read_to_string(path).map_err(|cause| format!("its times cannot be read ({cause})"))?;
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    let mut spans = Spans::new();
    for (number, line) in (1..).zip(whole.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        let span = line.split_once(',');
        let span = span
            .and_then(|(start, end)| Some((start.trim().parse().ok()?, end.trim().parse().ok()?)));
        match span {
            Some((start, end)) if start <= end => spans.push((start, end)),
            _ => return Err(format!("line {number} of its times is none")),
        }
    }
    spans.sort_unstable_by_key(|&(start, end)| (end, start));
    Ok(spans)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_begins_when_all_have_begun_and_holds_what_began_in_it() {
        let one = vec![(100, 150), (200, 250), (300, 420), (400, 430), (430, 700)];
        let other = vec![(180, 220), (220, 390), (390, 500)];
        assert_eq!(window(&[one.clone(), other.clone()], 400), None, "the other is not there yet");
        let found = window(&[one, other], 250).expect("both are beyond 430");
        assert_eq!(found[0], [(20, 70), (120, 240), (220, 250)]);
        assert_eq!(found[1], [(0, 40), (40, 210), (210, 320)]);
        assert_eq!(window(&[vec![], vec![(0, 9)]], 1), None);
    }

    #[test]
    fn a_line_that_is_not_whole_waits_and_one_that_is_none_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("times");
        fs::write(&path, "5, 9\n\n1,4\n10,1").unwrap();
        assert_eq!(read(&path), Ok(vec![(1, 4), (5, 9)]));
        fs::write(&path, "5,9\n9,5\n").unwrap();
        assert_eq!(read(&path), Err("line 2 of its times is none".to_owned()));
    }
}
