//! How long does a person wait for raddle? Measures rows T1 to T9 of the table in
//! `docs/benchmarks.md`, in seconds of processor time.
//!
//! Each row measures one process on one core (`taskset`), so that other work on the machine changes
//! little. Fits of profiles are kept in a folder of this run alone: runs called *first* make the
//! fit, runs called *again* find it there.

mod bound;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use tempfile::TempDir;
use xshell::{Shell, cmd};

use crate::checkout;
use bound::Table;

/// Number, from 0, of the processor core on which all measured processes run.
const CORE: &str = "1";
/// Options of `raddle replay` that leave only the replay of one recipe: no reports or timelines.
const ALONE: [&str; 5] = ["--once", "--quiet", "--no-files", "--timeline", "none"];
/// Recipes that the rows T7 of `docs/benchmarks.md` compare with `leftover`.
const OTHERS: [&str; 6] =
    ["greedy", "round-robin", "spatial", "matching", "block-warp", "weighted-slices"];

/// Program that computes the critical path of a Kineto profile by HolisticTraceAnalysis.
const CRITICAL_PATH: &str = "import sys
from hta.analyzers.critical_path_analysis import CriticalPathAnalysis
from hta.common.trace import Trace

trace = Trace(trace_files={0: sys.argv[1]}, trace_dir='')
trace.parse_traces()
trace.decode_symbol_ids()
CriticalPathAnalysis.critical_path_analysis(trace, 0, 'ProfilerStep', 0)
";

/// Shortest time, in seconds of processor time, of a `leftover` replay with which other replays are
/// compared; a shorter one tells no ratio.
const LEAST: f64 = 0.1;

/// Cost of one process: its processor time in seconds, and its peak memory in MiB.
#[derive(Clone, Copy)]
struct Cost {
    seconds: f64,
    megabytes: f64,
}

/// Program that is measured (`raddle`), with the shell and the folder for the measurements.
struct Bench {
    shell: Shell,
    raddle: PathBuf,
    /// Folder of the launch tables that are replayed, and of raddle's cache of fits.
    folder: TempDir,
}

/// Builds raddle, measures every row of the table, and prints the table.
///
/// # Errors
/// When the samples, `taskset` or GNU `time` are missing, or a run fails.
pub(crate) fn run(shell: &Shell) -> Result<()> {
    let samples =
        std::env::var_os("RADDLE_SAMPLES").map_or("../shared/traces".into(), PathBuf::from);
    ensure!(samples.is_dir(), "{} is no folder: name it in RADDLE_SAMPLES", samples.display());
    cmd!(shell, "cargo build --release -p raddle -p xtask").run()?;
    let raddle = checkout::target_folder().join("release/raddle");
    let bench = Bench { shell: checkout::shell()?, raddle, folder: tempfile::tempdir()? };
    let nvidia = samples.canonicalize()?.join("kineto_nvidia");
    let v100 = nvidia.join("hta_trace_diff_test_v100.json.gz").display().to_string();
    let b200 = nvidia.join("tracelens_b200_eager.json.gz").display().to_string();
    println!("| id | work | s | MB | against | goal |\n|---|---|---|---|---|---|");
    bench.waits(&v100)?;
    bench.recipes(&v100, &b200)?;
    bench.many(&b200, "leftover", "3")?;
    bench.matching(&b200, 8, "1.0")?;
    bench.many(&b200, "greedy", "15")?;
    // The longest runs come last.
    bench.many(&b200, "round-robin", "")?;
    bench.matching(&b200, 64, "12")
}

impl Bench {
    /// Measures one run of raddle with the arguments `args`.
    fn cost(&self, args: &[&str]) -> Result<Cost> {
        self.cost_of(&self.raddle, args)
    }

    /// Runs a program once with the arguments `args`, and returns its processor time and memory.
    fn cost_of(&self, program: &Path, args: &[&str]) -> Result<Cost> {
        let folder = self.folder.path();
        let told = folder.join("time");
        cmd!(self.shell, "taskset -c {CORE} time -f '%U %S %M' -o {told} {program} {args...}")
            .env("XDG_CACHE_HOME", folder)
            .quiet()
            .ignore_stdout()
            .ignore_stderr()
            .run()
            .context("it takes taskset and GNU time")?;
        let text = std::fs::read_to_string(&told)?;
        let numbers: Vec<f64> = text.split_whitespace().filter_map(|it| it.parse().ok()).collect();
        let [user, system, kilobytes] = numbers[..] else { bail!("time printed {text:?}") };
        Ok(Cost { seconds: user + system, megabytes: kilobytes / 1024.0 })
    }

    fn replay(&self, profile: &str, recipe: &str) -> Result<Cost> {
        self.cost(&[&["replay", profile, "--recipe", recipe][..], &ALONE].concat())
    }

    /// Prints the rows T1 (raddle without arguments), T2 (a sample of a V100), T3 and T6 (large
    /// launch tables) of `docs/benchmarks.md`; T3, T6 also against a simulator of `leftover` alone.
    fn waits(&self, v100: &str) -> Result<()> {
        let demo = checkout::root().join("crates/raddle/data/demo");
        let [decode, train] =
            ["decode.csv", "train.csv"].map(|it| demo.join(it).display().to_string());
        let out = self.folder.path().join("plan").display().to_string();
        row("T1", "`raddle`", self.cost(&["--quiet", "--no-files", "--jobs", "1"])?, "", "");
        let share = ["share", &decode, &train, "--requests", "decode=40/s", "--out", &out];
        let share = self.cost(&[&share[..], &["--jobs", "1"]].concat())?;
        row("T1", "`share`, 300 requests a way, with intervals", share, "", "20");
        let first = self.replay(v100, "leftover")?;
        row("T2", "V100 sample, first", first, "", "0.6");
        row("T2", "V100 sample, again", self.replay(v100, "leftover")?, "", "0.35");
        self.beside_hta(v100, first)?;
        for (id, table, goals) in [
            ("T3", Table { launches: 100_000, workgroups: 200 }, ["2.5", "1.5 times"]),
            ("T6", Table { launches: 10_000, workgroups: 20_000 }, ["3", "1.5 times"]),
        ] {
            let file = self.folder.path().join(format!("{id}.csv"));
            table.write(&file)?;
            let file = file.display().to_string();
            let what = format!("{} launches of {} workgroups", table.launches, table.workgroups);
            row(id, &format!("{what}, first"), self.replay(&file, "leftover")?, "", goals[0]);
            let again = self.replay(&file, "leftover")?;
            let bound = self.bound(table)?;
            let against = format!("{:.1} times the bound, {bound:.2} s", again.seconds / bound);
            row(&format!("{id}, T9"), &format!("{what}, again"), again, &against, goals[1]);
        }
        Ok(())
    }

    /// Prints the time and memory that HolisticTraceAnalysis takes for the critical path of the
    /// V100 sample, against a first replay. `RADDLE_HTA_PYTHON` names a Python with the package.
    fn beside_hta(&self, v100: &str, replay: Cost) -> Result<()> {
        let Some(python) = std::env::var_os("RADDLE_HTA_PYTHON").map(PathBuf::from) else {
            println!(
                "| T2 | V100 sample, HTA | `RADDLE_HTA_PYTHON` names no Python with it | | | |"
            );
            return Ok(());
        };
        let script = self.folder.path().join("critical.py");
        write(&script, CRITICAL_PATH)?;
        let hta = self.cost_of(&python, &[&script.display().to_string(), v100])?;
        let times = [hta.seconds / replay.seconds, hta.megabytes / replay.megabytes];
        let [time, memory] = times.map(|times| format!("{times:.1} times"));
        let against = format!("the first replay's {time} in time, {memory} in memory");
        row("T2", "V100 sample, critical path by HTA", hta, &against, "");
        Ok(())
    }

    /// Returns the processor time, in seconds, that a simulator of `leftover` alone (a lower bound
    /// for raddle) takes for a launch table.
    fn bound(&self, table: Table) -> Result<f64> {
        // A bound that is not optimised is none.
        let own = checkout::target_folder().join("release/xtask");
        let (launches, workgroups) = (table.launches.to_string(), table.workgroups.to_string());
        let other = Self { shell: checkout::shell()?, raddle: own, folder: tempfile::tempdir()? };
        Ok(other.cost(&["bench", "bound", &launches, &workgroups])?.seconds)
    }

    /// Prints the rows T4 of `docs/benchmarks.md`: 8 and 128 copies of the B200 sample under one
    /// recipe, and by how much longer each process takes among 128.
    fn many(&self, b200: &str, recipe: &str, goal: &str) -> Result<()> {
        let few = self.replay(&format!("{b200}*8"), recipe)?;
        row("T4", &format!("8 times the B200 sample, {recipe}"), few, "", "");
        let many = self.replay(&format!("{b200}*128"), recipe)?;
        let each = many.seconds / few.seconds / 16.0;
        let against = format!("a process {each:.1} times one of 8 (goal 2)");
        row("T4", &format!("128 times, {recipe}"), many, &against, goal);
        Ok(())
    }

    /// Prints a row T5 of `docs/benchmarks.md`: `times` copies of the B200 sample under the recipe
    /// `matching`; `goal` is the time in seconds to reach.
    fn matching(&self, b200: &str, times: u16, goal: &str) -> Result<()> {
        let cost = self.replay(&format!("{b200}*{times}"), "matching")?;
        row("T5", &format!("{times} times the B200 sample, matching"), cost, "", goal);
        Ok(())
    }

    /// Prints the rows T7 of `docs/benchmarks.md`: how many times the time of `leftover` the
    /// slowest other recipe takes, without the import.
    fn recipes(&self, v100: &str, b200: &str) -> Result<()> {
        let eight = format!("{b200}*8");
        for (what, profile, goal) in
            [("the V100 sample", v100, "2.5 times"), ("8 times the B200 sample", &eight, "5 times")]
        {
            let import = self.cost(&["inspect", profile.trim_end_matches("*8")])?.seconds;
            let leftover = self.replay(profile, "leftover")?.seconds - import;
            let mut most = (0.0, "");
            for recipe in OTHERS {
                let seconds = self.replay(profile, recipe)?.seconds - import;
                if seconds > most.0 {
                    most = (seconds, recipe);
                }
            }
            let (seconds, recipe) = most;
            // The time of a replay that hardly differs from that of its import tells no ratio.
            let told = match leftover {
                least if least < LEAST => {
                    format!("{recipe} {seconds:.2} s, leftover below {LEAST} s")
                }
                _ => format!("{recipe} {:.1} times leftover", seconds / leftover),
            };
            println!("| T7 | {what}, replay alone | | | {told} | {goal} |");
        }
        println!("| T8 | clone to first answer | not measured here | | | 120 |");
        Ok(())
    }
}

fn row(id: &str, work: &str, Cost { seconds, megabytes }: Cost, against: &str, goal: &str) {
    println!("| {id} | {work} | {seconds:.2} | {megabytes:.0} | {against} | {goal} |");
}

/// Replays a launch table by a simulator of `leftover` alone, and prints the result. The arguments
/// are the number of launches, and the number of workgroups of each.
///
/// # Errors
/// When the arguments are not two numbers.
pub(crate) fn bound(args: &[String]) -> Result<()> {
    let numbers: Vec<u64> = args.iter().filter_map(|arg| arg.parse().ok()).collect();
    let [launches, workgroups] = numbers[..] else {
        bail!("it takes a number of launches and of workgroups")
    };
    let (starts, end) = Table { launches, workgroups }.leftover();
    println!("{starts} starts, end at {end} ns");
    Ok(())
}

/// Writes a text to a file; the error names the file.
fn write(file: &Path, text: &str) -> Result<()> {
    std::fs::write(file, text).with_context(|| format!("{} cannot be written", file.display()))
}
