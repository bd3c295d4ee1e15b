//! What may be said to the verb `calibrate`?

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
pub(crate) struct CalibrateArgs {
    #[command(subcommand)]
    pub(super) wanted: WantedParts,
}

#[derive(Debug, Subcommand)]
pub(super) enum WantedParts {
    /// Measure this GPU for about a minute, and write a device file for --device
    Device(DeviceArgs),
    /// Compute energy weights from the measured power of kernels
    Energy(EnergyArgs),
    /// Measure two programs alone and beside each other under ways of sharing, and fit the device
    /// file to that, with one way held out at a time (docs/calibrate.md)
    Pair(PairArgs),
    /// A table without a word before it, as older raddles took it.
    #[command(external_subcommand)]
    Other(Vec<OsString>),
}

#[derive(Debug, Args)]
pub(super) struct DeviceArgs {
    /// The device file to write, which must not be there yet; the measurements go to a file of the
    /// same name that ends with .jsonl, each as soon as it is there
    #[arg(long, value_name = "FILE", required_unless_present_any = ["from", "dry_run"])]
    pub(super) save: Option<PathBuf>,
    /// Measure nothing: take measurements that an earlier run wrote
    #[arg(long, value_name = "FILE", conflicts_with_all = ["dry_run", "python", "mps", "repetitions"])]
    pub(super) from: Option<PathBuf>,
    /// Only say what would be measured, and how long that takes
    #[arg(long)]
    pub(super) dry_run: bool,
    /// The Python that runs the measuring program; it needs no package
    #[arg(long, value_name = "PROGRAM", default_value = "python3")]
    pub(super) python: PathBuf,
    /// Also count the units that CUDA shows under percentages of MPS; its daemon must run already
    #[arg(long)]
    pub(super) mps: bool,
    /// How often each figure is measured
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=100))]
    pub(super) repetitions: u16,
    /// The device that the measured figures are added to, by id, product name or file [default: the
    /// one of the table with the name that the driver gives]
    #[arg(long, value_name = "NAME|FILE")]
    pub(super) device: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct PairArgs {
    /// The profile of the program that answers requests, recorded alone
    #[arg(long, value_name = "FILE")]
    pub(super) profile_a: PathBuf,
    /// The profile of the program that repeats steps, recorded alone
    #[arg(long, value_name = "FILE")]
    pub(super) profile_b: PathBuf,
    /// The file of the measurements; a way that it has already is not measured again [default:
    /// A-beside-B.json beside the first profile]
    #[arg(long, value_name = "FILE", conflicts_with = "from")]
    pub(super) truth: Option<PathBuf>,
    /// Measure nothing: take the measurements of this file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["ways", "seconds", "repetitions", "dry_run", "programs"])]
    pub(super) from: Option<PathBuf>,
    /// The device file to write, which must not be there yet [default: print it]
    #[arg(long, value_name = "FILE")]
    pub(super) save: Option<PathBuf>,
    /// The device that is fitted, by id, product name or file [default: that of the first profile]
    #[arg(long, value_name = "NAME|FILE")]
    pub(super) device: Option<String>,
    /// A way to measure: time-slice, mps, mps-priority, mps-N-M; may be repeated [default: the
    /// first without a daemon of MPS, the others with it, percentages 30-70, 50-50 and 70-30]
    #[arg(long = "way", value_name = "WAY")]
    pub(super) ways: Vec<String>,
    /// A number of requests a second, which the program with requests is told; may be repeated. With
    /// --from: the loads that are fitted to [default: its own load; all]
    #[arg(long = "load", value_name = "N")]
    pub(super) loads: Vec<String>,
    /// The length of each case
    #[arg(long, value_name = "N", default_value_t = 60.0, value_parser = seconds)]
    pub(super) seconds: f64,
    /// How often each case is measured
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=100))]
    pub(super) repetitions: u16,
    /// Only say what would be run, and how long that takes
    #[arg(long)]
    pub(super) dry_run: bool,
    /// The program that answers requests with its arguments, `--`, and the one that repeats steps
    #[arg(last = true, value_name = "PROGRAMS", required_unless_present_any = ["from"])]
    pub(super) programs: Vec<OsString>,
}

/// Reads a length of a measurement, from 0.1 to 3600 seconds; the error says what is allowed.
fn seconds(text: &str) -> Result<f64, String> {
    let found = text.parse().ok().filter(|of| (0.1..=3600.0).contains(of));
    found.ok_or_else(|| "it is no number of seconds from 0.1 to 3600".to_owned())
}

#[derive(Debug, Args)]
pub(super) struct EnergyArgs {
    /// A table with the columns kernel, move, load, store, matrix, compare, jump (instructions of
    /// all waves), ns and mw (mean power); a row without instructions is the idle device
    #[arg(value_name = "TABLE")]
    pub(super) table: PathBuf,
    /// A note for the file: what was measured, and where
    #[arg(long, value_name = "TEXT", default_value = "measured")]
    pub(super) source: String,
    /// Write the weights to this file, which must not be there yet, instead of printing them
    #[arg(long, value_name = "FILE")]
    pub(super) save: Option<PathBuf>,
}
