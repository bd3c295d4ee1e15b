//! Which figures of a device does a minute of measuring give? `raddle calibrate device`.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use raddle_report::json;
use raddle_study::{DeviceFit, DeviceReadings};

use super::args::DeviceArgs;
use crate::Console;
use crate::args::Format;
use crate::disk::Disk;
use crate::error::CliError;
use crate::place;
use crate::units::{plain, quoted};

/// Name of the Python file that holds the measuring program. `FILES` are that file and the GPU
/// kernels that the program runs, as (name, content).
const PROGRAM: &str = "device.py";
const FILES: [(&str, &str); 3] = [
    (PROGRAM, include_str!("../../data/calibrate/device.py")),
    ("kernels.ptx", include_str!("../../data/calibrate/kernels.ptx")),
    ("kernels.cl", include_str!("../../data/calibrate/kernels.cl")),
];

/// Error text for a machine on which no GPU can be measured: what `raddle calibrate device` needs,
/// and which devices need no measuring.
const NEEDED: &str = "`raddle calibrate device` runs on the machine with the GPU, and needs its driver (CUDA, or OpenCL); `raddle devices` lists the devices that need no measuring";

/// Measurements of `raddle calibrate device`, each as (description, seconds that three repetitions
/// take); the last measurement is made only with `--mps`.
const PLAN: [(&str, u32); 6] = [
    ("bandwidth by the number of workgroups that copy, each on a unit of its own", 5),
    ("bandwidth of two streams, half of the units each", 1),
    ("a launch behind others", 1),
    ("an urgent launch beside launches that fill the device (CUDA)", 1),
    ("turns and switches of two processes that look at the device's timer (CUDA)", 10),
    ("units that CUDA shows under nine percentages of MPS, with --mps where a daemon runs", 10),
];

/// Carries out `raddle calibrate device`: measures the first GPU, or takes earlier measurements,
/// and writes a device file.
pub(super) fn verb(
    args: &DeviceArgs,
    format: Format,
    console: &mut Console,
) -> Result<(), CliError> {
    if args.dry_run {
        return console.print(&plan(args));
    }
    let save = args.save.as_deref();
    save.map_or(Ok(()), |save| place::check(save, &place::nothing))?;
    let (name, text) = match &args.from {
        Some(from) => (from.clone(), read(from)?),
        None => {
            let lines = save.unwrap_or(Path::new("device")).with_extension("jsonl");
            (lines.clone(), measured(args, &lines, console)?)
        }
    };
    let name = name.display().to_string();
    let refused = |why: String| CliError::Refused(format!("{name}: {why}"));
    let readings = DeviceReadings::read(&text).map_err(|error| refused(error.to_string()))?;
    let fit = DeviceFit::of(&readings, args.device.as_deref(), &Disk::default())?;
    let toml = told(&fit)?;
    save.map_or(Ok(()), |save| place::write(save, &toml, &place::nothing))?;
    let text = match (format, save) {
        (Format::Json, _) => json(&fit),
        (Format::Text, None) => toml,
        (Format::Text, Some(save)) => {
            let save = quoted(&save.display().to_string());
            notes(&fit)
                + &format!("Wrote {save}: `raddle share .. --device {save}` replays by it\n")
        }
    };
    console.print(&text)
}

fn read(path: &Path) -> Result<String, CliError> {
    let unreadable = |cause| CliError::Unreadable { file: path.display().to_string(), cause };
    fs::read_to_string(path).map_err(unreadable)
}

/// Returns a text that says what will be measured, and how many seconds each measurement takes.
fn plan(args: &DeviceArgs) -> String {
    let mut text = "This measures the first GPU, and changes no setting of it:\n".to_owned();
    let mut all = 0;
    let skipped = usize::from(!args.mps);
    for (what, seconds) in &PLAN[..PLAN.len() - skipped] {
        let seconds = (seconds * u32::from(args.repetitions)).div_ceil(3);
        all += seconds;
        let _ = writeln!(text, "{seconds:>4} s  {what}");
    }
    let _ = writeln!(text, "{all:>4} s  in all, on a device that nothing else uses meanwhile");
    text
}

/// Running process of the measuring program; it is killed when this value is dropped.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // The program may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs the measuring program, and appends each line that it prints to the new file `lines` as soon
/// as the line comes. Returns all lines as one text.
fn measured(args: &DeviceArgs, lines: &Path, console: &mut Console) -> Result<String, CliError> {
    let shown = lines.display().to_string();
    place::check(lines, &place::nothing)?;
    let folder = tempfile::tempdir().map_err(CliError::writing("a temporary folder"))?;
    for (name, text) in FILES {
        fs::write(folder.path().join(name), text).map_err(CliError::writing(name))?;
    }
    let program: PathBuf = folder.path().join(PROGRAM);
    let mut command = Command::new(&args.python);
    command.arg(program).arg("--repetitions").arg(args.repetitions.to_string());
    command.args(args.mps.then_some("--mps"));
    let python = args.python.display().to_string();
    let started = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
    let mut running = Running(started.map_err(|cause| {
        let python = plain(&python, 60);
        CliError::Refused(format!("{python} cannot be run ({cause}): name a Python 3 (--python)"))
    })?);
    let mut file = None;
    let mut all = String::new();
    for line in running.0.stdout.take().into_iter().flat_map(|out| BufReader::new(out).lines()) {
        let line =
            line.map_err(|cause| CliError::Unreadable { file: python.clone(), cause })? + "\n";
        let file = match &mut file {
            Some(file) => file,
            None => {
                is_known(&line, args)?;
                console.note(&plan(args));
                file.insert(File::create(lines).map_err(CliError::writing(&shown))?)
            }
        };
        file.write_all(line.as_bytes()).map_err(CliError::writing(&shown))?;
        console.note(plain(&line, 200).trim_end());
        all += &line;
    }
    let ended = running.0.wait().map_err(|cause| CliError::Unreadable { file: python, cause })?;
    if ended.success() {
        return Ok(all);
    }
    Err(CliError::Refused(match file {
        None => format!("nothing was measured, for the reason above: {NEEDED}"),
        Some(_) => format!(
            "the measuring program failed; what it measured is in {shown}: `--from {}` takes that",
            quoted(&shown)
        ),
    }))
}

/// Checks that raddle has a device file for the GPU that is measured, or that the user gave one,
/// since the measured figures are put into that file. `line` is the first line that the measuring
/// program prints; it describes the GPU.
fn is_known(line: &str, args: &DeviceArgs) -> Result<(), CliError> {
    // A line that says nothing of a device is told of where all lines are read.
    let Ok(readings) = DeviceReadings::read(line) else { return Ok(()) };
    let found = DeviceFit::of(&readings, args.device.as_deref(), &Disk::default());
    found
        .map(|_| ())
        .map_err(|error| CliError::Refused(format!("{error}. Nothing was measured: {NEEDED}")))
}

/// Returns a text with one line for each figure of the device that was measured, and one line for
/// each figure that was not.
fn notes(fit: &DeviceFit) -> String {
    let mut text = String::new();
    for line in fit.measured.iter().map(raddle_study::MeasuredFigure::text).chain(fit.told.clone())
    {
        let _ = writeln!(text, "{line}");
    }
    for line in &fit.missing {
        let _ = writeln!(text, "Not measured: {line}");
    }
    text
}

/// Returns the text of the device file, which begins with the lines of `notes` as comments.
fn told(fit: &DeviceFit) -> Result<String, CliError> {
    let toml = toml::to_string(&fit.device)
        .map_err(|error| CliError::Refused(format!("the device cannot be written: {error}")))?;
    let notes = notes(fit);
    let notes = notes.lines().map(|line| format!("# {line}\n"));
    Ok(format!("# A device, by `raddle calibrate device`.\n{}{toml}", notes.collect::<String>()))
}
