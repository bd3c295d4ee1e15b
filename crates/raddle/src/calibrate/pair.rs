//! How far do two programs slow each other down, and which device file predicts that best? The verb
//! `calibrate pair`.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use raddle_device::Vendor;
use raddle_dispatch::Registry;
use raddle_report::json;
use raddle_report::pair::document;
use raddle_study::pair::{PairFit, PairPredictor, PairTimes, PairTruth, recipe_of};
use raddle_study::{Loaded, Study, Surroundings, devices};

use super::args::PairArgs;
use super::programs::{CalibratedProgram, ProgramCase, Spans, measure};
use crate::Console;
use crate::args::Format;
use crate::disk::{Disk, named};
use crate::error::CliError;
use crate::place;
use crate::seal::Seal;
use crate::units::{plain, quoted};

/// Ways of sharing a GPU that are measured where a daemon of MPS runs and the user names none.
const WITH_MPS: [&str; 5] = ["mps", "mps-priority", "mps-30-70", "mps-50-50", "mps-70-30"];
/// Way of sharing a GPU that is measured where no daemon of MPS runs.
const WITHOUT: &str = "time-slice";
/// Name of the load in measurements where the user gives no load, so that the first program makes
/// its requests by itself.
const OWN_LOAD: &str = "own";
/// Name of the program that controls the daemon of MPS.
const CONTROL: &str = "nvidia-cuda-mps-control";
/// Beginning of a file of measurements, by which `raddle calibrate pair` recognises a file that it
/// wrote earlier.
const MARK: &str = "{\n  \"raddle-pair\":";

/// Carries out `raddle calibrate pair`: measures two programs alone and beside each other, and fits
/// the device file to the measurements.
pub(super) fn verb(args: &PairArgs, format: Format, console: &mut Console) -> Result<(), CliError> {
    args.save.as_deref().map_or(Ok(()), |save| place::check(save, &place::nothing))?;
    let paths = [args.profile_a.clone(), args.profile_b.clone()];
    let disk = Disk::new(&paths, console.progress);
    let study = Study { profiles: named(&paths), ..Study::default() };
    let profiles = study.profiles(&disk)?;
    let device = devices::target(args.device.as_deref(), &profiles, &disk)?.device;
    let Ok(profiles) = <[Loaded; 2]>::try_from(profiles) else {
        return Err(CliError::Usage("each profile is that of one process".to_owned()));
    };
    let path = args.from.clone().unwrap_or_else(|| truth_path(args, &profiles));
    if args.from.is_none() {
        if device.vendor != Vendor::Nvidia {
            return Err(CliError::Refused(not_nvidia(&device.product)));
        }
        let names = profiles.each_ref().map(|of| of.name.clone());
        let plan = Plan::of(args, names, &device.product)?;
        let text = plan.text(&path);
        if args.dry_run {
            return console.print(&text);
        }
        console.note(&text);
        plan.measure(&path, console)?;
    }
    let truth = read(&path)?;
    let registry = Registry::bundled();
    let around = Surroundings { registry: &registry, files: &disk, watcher: &(), jobs: None };
    let loads = if args.from.is_some() { &args.loads[..] } else { &[] };
    let predictor = PairPredictor::new(&truth, loads, profiles, around)?;
    let fit = PairFit::of(&device, &predictor)?;
    let toml = toml::to_string(&fit.device)
        .map_err(|error| CliError::Refused(format!("the device cannot be written: {error}")))?;
    let toml = format!("# A device, by `raddle calibrate pair`.\n{toml}");
    args.save.as_deref().map_or(Ok(()), |save| place::write(save, &toml, &place::nothing))?;
    let text = match (format, &args.save) {
        (Format::Json, _) => json(&fit),
        (Format::Text, None) => document(&fit).text(console.stdout_colour) + "\n" + &toml,
        (Format::Text, Some(save)) => {
            let save = quoted(&save.display().to_string());
            document(&fit).text(console.stdout_colour)
                + &format!("\nWrote {save}: `raddle share .. --device {save}` replays by it\n")
        }
    };
    console.print(&text)
}

/// Returns the error text for a device that is not NVIDIA's: none of the measured ways of sharing
/// exists there; and what the user can do instead.
fn not_nvidia(product: &str) -> String {
    format!(
        "`calibrate pair` measures time slices and MPS, which {} does not have: record both programs while they share it, and give that to `raddle check` (docs/check.md)",
        plain(product, 60)
    )
}

/// Returns the path of the file of measurements: that of `--truth`, or `A-beside-B.json` beside the
/// first profile, with the names of both profiles.
fn truth_path(args: &PairArgs, profiles: &[Loaded; 2]) -> PathBuf {
    let [a, b] = profiles.each_ref().map(|of| &of.name);
    let beside = || args.profile_a.with_file_name(format!("{a}-beside-{b}.json"));
    args.truth.clone().unwrap_or_else(beside)
}

fn read(path: &Path) -> Result<PairTruth, CliError> {
    let file = path.display().to_string();
    let bytes =
        fs::read(path).map_err(|cause| CliError::Unreadable { file: file.clone(), cause })?;
    PairTruth::parse(&bytes).map_err(|error| CliError::Refused(format!("{file}: {error}")))
}

/// Checks that a file holds earlier measurements of a pair of programs, so that it may be replaced;
/// the error says that it does not.
fn earlier(path: &Path) -> Result<(), String> {
    place::begins(path, MARK)
}

/// Plan of a measurement: two programs of the user, and the ways of sharing a GPU and the loads
/// (requests per second) under which they are measured.
struct Plan<'p> {
    args: &'p PairArgs,
    programs: [CalibratedProgram; 2],
    device: &'p str,
    ways: Vec<String>,
    loads: Vec<Option<&'p str>>,
}

impl<'p> Plan<'p> {
    fn of(args: &'p PairArgs, names: [String; 2], device: &'p str) -> Result<Self, CliError> {
        let both: Vec<&[OsString]> = args.programs.split(|word| word == "--").collect();
        let [one, other] = both[..] else {
            let text = "two programs are measured: -- PROGRAM ARGUMENTS -- PROGRAM ARGUMENTS";
            return Err(CliError::Usage(text.to_owned()));
        };
        let [first, second] = names;
        let of = |name, command: &[OsString]| CalibratedProgram { name, command: command.to_vec() };
        let programs = [of(first, one), of(second, other)];
        let loads = args.loads.iter().map(|load| Some(load.as_str())).collect::<Vec<_>>();
        let odd = args.loads.iter().find(|load| !load.parse().is_ok_and(|of: f64| of > 0.0));
        if let Some(odd) = odd {
            let odd = plain(odd, 40);
            return Err(CliError::Usage(format!("--load {odd}: it is no number above 0")));
        }
        let loads = if loads.is_empty() { vec![None] } else { loads };
        let ways = Self::ways(&args.ways, has_daemon())?;
        Ok(Self { args, programs, device, ways, loads })
    }

    /// Returns the ways of sharing that are measured: those that `asked` names, or else the default
    /// ones. `daemon` is true if a daemon of MPS runs; the error says that a way is unknown, or
    /// that it needs the daemon started or ended first.
    fn ways(asked: &[String], daemon: bool) -> Result<Vec<String>, CliError> {
        let default = if daemon { &WITH_MPS[..] } else { &[WITHOUT] };
        for way in asked {
            let known = recipe_of(way).filter(|_| !way.contains("stream"));
            let shown = plain(way, 40);
            if known.is_none() {
                return Err(CliError::Usage(format!(
                    "--way {shown}: two programs share a GPU by {WITHOUT}, {}",
                    WITH_MPS.join(", ")
                )));
            }
            let missing = match (way == WITHOUT, daemon) {
                (false, false) => format!("{CONTROL} -d"),
                (true, true) => format!("echo quit | {CONTROL}"),
                _ => continue,
            };
            return Err(CliError::Usage(format!(
                "--way {shown} needs this first, which raddle does not do by itself: {missing}"
            )));
        }
        Ok(match asked {
            [] => default.iter().map(|way| (*way).to_owned()).collect(),
            _ => asked.to_vec(),
        })
    }

    /// Returns the cases that are measured under each way of sharing: the second program alone and,
    /// for each load, the first program alone and both together. A case is (name, load, [true for
    /// each program that runs]). The load is the number of requests per second that the first
    /// program is told; with `None` it chooses its own.
    fn cases(&self) -> Vec<(String, Option<&'p str>, [bool; 2])> {
        let [one, other] = self.programs.each_ref().map(|program| &program.name);
        let mut all = vec![(format!("{other} alone"), None, [false, true])];
        for &load in &self.loads {
            let word = load.unwrap_or(OWN_LOAD);
            all.push((format!("{one} alone {word}"), load, [true, false]));
            all.push((format!("beside {word}"), load, [true, true]));
        }
        all
    }

    /// Returns a text that says which programs will be run, how long that takes, and that the
    /// results go to `path`.
    fn text(&self, path: &Path) -> String {
        let runs = self.ways.len() * self.cases().len() * usize::from(self.args.repetitions);
        let shown = |program: &CalibratedProgram| {
            let words = program.command.iter().map(|word| word.to_string_lossy().into_owned());
            plain(&raddle_study::units::shell(&words.collect::<Vec<_>>()), 200)
        };
        let [a, b] = &self.programs;
        let mut text = "This runs two programs, and changes no setting of the device:\n".to_owned();
        let _ = writeln!(text, "  {} (requests): {}", a.name, shown(a));
        let _ = writeln!(text, "  {} (steps): {}", b.name, shown(b));
        let cases: Vec<String> = self.cases().into_iter().map(|(name, ..)| name).collect();
        let _ = writeln!(text, "  ways: {}", self.ways.join(", "));
        let _ = writeln!(text, "  in each: {}", cases.join(", "));
        let seconds = runs as f64 * self.args.seconds;
        let _ = writeln!(
            text,
            "  {runs} runs of {} s, {:.0} minutes and the starts of the programs; each result goes to {} at once",
            self.args.seconds,
            (seconds / 60.0).ceil(),
            path.display()
        );
        if self.ways == [WITHOUT] {
            let _ = writeln!(
                text,
                "  not measured without a daemon of MPS: {}. Start it (`{CONTROL} -d`), give the same command again, end it (`echo quit | {CONTROL}`)",
                WITH_MPS.join(", ")
            );
        }
        text
    }

    /// Measures each case (a way of sharing, a load, and the programs that run) whose result is not
    /// yet in the file at `path`, and adds each result to the file as soon as it is known.
    fn measure(&self, path: &Path, console: &mut Console) -> Result<(), CliError> {
        place::check(path, &earlier)?;
        let old = fs::metadata(path).is_ok_and(|file| file.len() > 0);
        let mut truth = if old { read(path)? } else { self.empty() };
        if truth.programs.iter().ne(self.programs.iter().map(|program| &program.name)) {
            let text = format!("{} is of other programs: give --truth FILE", path.display());
            return Err(CliError::Refused(text));
        }
        let same = truth.seconds.to_bits() == self.args.seconds.to_bits();
        if !same || truth.device != self.device {
            return Err(CliError::Refused(format!(
                "{} holds runs of {} s on {}, not of {} s on {}: give --truth FILE",
                path.display(),
                truth.seconds,
                plain(&truth.device, 60),
                self.args.seconds,
                plain(self.device, 60),
            )));
        }
        for way in &self.ways {
            for (case, load, runs) in self.cases() {
                let repetitions = usize::from(self.args.repetitions);
                let known = truth.ways.get(way).and_then(|cases| cases.get(&case));
                let is_whole = |times: &PairTimes| times.repetitions().len() >= repetitions;
                if known.is_some_and(|known| known.values().all(is_whole)) {
                    console.note(&format!("{way}, {case}: it is in {} already", path.display()));
                    continue;
                }
                let found = self.case(way, (&case, load, runs), console)?;
                truth.ways.entry(way.clone()).or_default().insert(case, found);
                place::write_sealed(path, &json(&truth), Seal::Json, &earlier)?;
            }
        }
        Ok(())
    }

    fn empty(&self) -> PairTruth {
        PairTruth {
            version: 1,
            device: self.device.to_owned(),
            driver: None,
            torch: None,
            unit: "ms".to_owned(),
            seconds: self.args.seconds,
            programs: self.programs.each_ref().map(|program| program.name.clone()),
            arrivals: BTreeMap::new(),
            ways: BTreeMap::new(),
        }
    }

    /// Measures all repetitions of a case (one load, and the programs that run) under one way of
    /// sharing. Returns times in milliseconds: under the name of each program the durations of its
    /// requests or steps, and under `arrivals` the times at which requests came.
    fn case(
        &self,
        way: &str,
        (case, load, runs): (&str, Option<&str>, [bool; 2]),
        console: &mut Console,
    ) -> Result<BTreeMap<String, PairTimes>, CliError> {
        let chosen = self.programs.iter().zip(runs).enumerate().filter(|(_, (_, runs))| *runs);
        let (positions, chosen): (Vec<usize>, Vec<&CalibratedProgram>) =
            chosen.map(|(at, (program, _))| (at, program)).unzip();
        let environment: Vec<_> = positions.iter().map(|&at| environment(way, at)).collect();
        let asked = ProgramCase { seconds: self.args.seconds, load, environment: &environment };
        let mut all: BTreeMap<String, Vec<Vec<f64>>> = BTreeMap::new();
        for repetition in 1..=self.args.repetitions {
            console.note(&format!("{way}, {case}, {repetition} of {}", self.args.repetitions));
            let found = measure(&chosen, asked)?;
            for ((&at, program), spans) in positions.iter().zip(&chosen).zip(&found) {
                let times = times(spans, self.args.seconds);
                if times.is_empty() {
                    let text = format!(
                        "{}: nothing of it ended in {case}: give more --seconds",
                        program.name
                    );
                    return Err(CliError::Refused(text));
                }
                if at == 0 {
                    all.entry("arrivals".to_owned()).or_default().push(arrivals(spans));
                    let told = other_load(load, self.args.seconds, times.len());
                    if let Some(told) = told {
                        console.warn(&format!(
                            "{told}: does {} heed RADDLE_LOAD, and can it serve so many?",
                            program.name
                        ));
                    }
                }
                all.entry(program.name.clone()).or_default().push(times);
            }
        }
        Ok(all.into_iter().map(|(key, times)| (key, PairTimes::Several(times))).collect())
    }
}

/// Returns the durations, in milliseconds, of the requests or steps that ended in the first `seconds`
/// seconds. A request that goes on beyond the end arrived in the window; its time is not of it.
fn times(spans: &Spans, seconds: f64) -> Vec<f64> {
    let ended = spans.iter().filter(|(_, end)| *end as f64 <= seconds * 1e9);
    ended.map(|(start, end)| ms(end - start)).collect()
}

/// Says how many requests ended in `seconds` seconds, if that is less than half, or more than twice,
/// of what `load` (requests per second) asks for; else `None`.
fn other_load(load: Option<&str>, seconds: f64, ended: usize) -> Option<String> {
    let wanted = load?.parse::<f64>().ok()? * seconds;
    let is_near = wanted < 20.0 || (0.5..=2.0).contains(&(ended as f64 / wanted));
    (!is_near).then(|| format!("{ended} requests ended where {wanted:.0} were wanted"))
}

/// Returns the starts of the requests, ascending, in milliseconds since the measurement began.
fn arrivals(spans: &Spans) -> Vec<f64> {
    let mut starts: Vec<u64> = spans.iter().map(|&(start, _)| start).collect();
    starts.sort_unstable();
    starts.into_iter().map(ms).collect()
}

/// Converts nanoseconds to milliseconds, rounded to whole microseconds.
fn ms(ns: u64) -> f64 {
    (ns as f64 / 1000.0).round() / 1000.0
}

/// Returns the environment variables, as (name, value), by which the program with the index `at` (0
/// or 1) gets its part of the GPU under a way of sharing; empty for ways without such variables.
fn environment(way: &str, at: usize) -> Vec<(&'static str, String)> {
    match recipe_of(way) {
        Some(("mps-priority", _)) => vec![("CUDA_MPS_CLIENT_PRIORITY", at.to_string())],
        Some((_, Some(percents))) => {
            vec![("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", percents[at].to_string())]
        }
        _ => Vec::new(),
    }
}

/// Returns whether a daemon of MPS runs and answers.
fn has_daemon() -> bool {
    let mut command = Command::new(CONTROL);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let Ok(mut child) = command.spawn() else { return false };
    let asked =
        child.stdin.take().is_some_and(|mut pipe| pipe.write_all(b"get_server_list\n").is_ok());
    child.wait().is_ok_and(|status| status.success()) && asked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_are_those_of_the_machine_as_it_is() {
        let asked = |ways: &[&str], daemon| {
            let ways: Vec<String> = ways.iter().map(|way| (*way).to_owned()).collect();
            Plan::ways(&ways, daemon).map_err(|error| error.to_string())
        };
        assert_eq!(asked(&[], false).unwrap(), ["time-slice"]);
        assert_eq!(asked(&[], true).unwrap(), WITH_MPS);
        assert_eq!(asked(&["mps-20-80"], true).unwrap(), ["mps-20-80"]);
        assert!(asked(&["mps"], false).unwrap_err().contains("nvidia-cuda-mps-control -d"));
        assert!(asked(&["time-slice"], true).unwrap_err().contains("echo quit"));
        assert!(asked(&["streams"], true).unwrap_err().contains("share a GPU by time-slice, mps"));
    }

    #[test]
    fn a_way_is_the_environment_of_each_program() {
        assert_eq!(environment("mps-30-70", 1)[0].1, "70");
        assert_eq!(environment("mps-priority", 1)[0], ("CUDA_MPS_CLIENT_PRIORITY", "1".to_owned()));
        assert!(environment("mps", 0).is_empty() && environment("time-slice", 0).is_empty());
    }

    /// Checks that requests that came in the window and ended behind it are not counted as served.
    #[test]
    fn a_load_is_heeded_where_as_many_requests_end() {
        let second = 1_000_000_000;
        let mut spans: Spans = (0..40).map(|at| (at, second)).collect();
        assert_eq!(times(&spans, 1.0).len(), 40);
        let told = |spans: &Spans| other_load(Some("40"), 1.0, times(spans, 1.0).len());
        assert_eq!(told(&spans), None);
        spans.iter_mut().skip(10).for_each(|(_, end)| *end += 1);
        assert_eq!(told(&spans).as_deref(), Some("10 requests ended where 40 were wanted"));
        assert_eq!(other_load(Some("40"), 1.0, 90).map(|told| told.len()), Some(38));
        assert_eq!((other_load(None, 1.0, 9), other_load(Some("9"), 1.0, 0)), (None, None));
    }
}
