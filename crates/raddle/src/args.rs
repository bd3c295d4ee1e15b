//! Which verbs and options does the command line have?

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use raddle_study::check::ErrorLimit;
use raddle_study::compare::Gate;

use crate::calibrate::CalibrateArgs;
use crate::check_placement::CheckPlacementArgs;
use crate::circuit::CircuitArgs;
use crate::error::CliError;
use crate::kernel::KernelArgs;
#[cfg(target_os = "linux")]
use raddle_study::NeedClaim;

use crate::live::LiveArgs;
use crate::packet::PacketArgs;
use crate::place;
use crate::ranks::RankArgs;
use crate::replay::{Barriers, Comm, LatencyArgument, ReplayArgs, RunArgs, StreamWaits, need};
use crate::serve::ServeArgs;
use crate::shape_args::ShapeArgs;
use crate::sweep::SweepArgs;
use crate::tune::TuneArgs;

/// Replays GPU profiles under every way of sharing a GPU, and under scheduling policies of your own.
///
/// Without a verb it replays the bundled pair under four ways of sharing and says which one to use.
#[derive(Debug, Parser)]
#[command(name = "raddle", version, max_term_width = 100, after_help = EXAMPLES, disable_help_subcommand = true)]
pub(crate) struct Cli {
    /// How results are printed
    #[arg(long, global = true, value_enum, value_name = "FORMAT", default_value_t = Format::Text)]
    pub(crate) format: Format,
    /// Fit each profile anew, and keep no fit for the next run
    #[arg(long, global = true)]
    pub(crate) no_cache: bool,
    #[command(flatten)]
    pub(crate) bundled: RunArgs,
    #[command(subcommand)]
    pub(crate) verb: Option<Verb>,
}

const EXAMPLES: &str = "Examples:
  raddle                                             the bundled pair, four ways of sharing
  raddle replay trace.json.gz                        your own profile, four recipes
  raddle share train.csv 'serve.csv*2'               time slices, MPS, MIG, or a partition?
  raddle sweep train.csv serve.csv --vary load.serve=10..80/s --out sweep.jsonl   up to which load?
  raddle inspect trace.json.gz                       what is in it
  raddle packet stats trace.json.gz                  what condensed packets save
  raddle replay train.csv serve.csv --priority 'train*=5' --recipe leftover-drain
  raddle recipes --show leftover-drain --save mine.toml   a recipe to start from

Work of more than 10 s shows its progress on standard error, where that is no terminal by a line every
10 s; --quiet, or RADDLE_PROGRESS=off in the environment, shows none.

Exit status: 0 done; 1 the input is refused; 2 wrong usage; 3 launches of a replay never ended (its
results are written, and say which); 4 a limit of `compare` or `check` is broken, `check-placement` has
findings, or cases of `sweep`, `search-study` or `tune` failed (the others are written); 5 no recipe
meets the goals: of `replay` and `tune` none of those that the device's driver offers, or where it
offers none that was asked for, none of all; 70 raddle has broken a rule of its own, so there is no
verdict.";

/// Form in which a verb prints its result, as the option `--format` takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Text,
    /// One JSON document
    Json,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Replay profiles (several = co-located processes) under each recipe, and compare
    Replay(Box<ReplayArgs>),
    /// Find the way of sharing a GPU that suits these profiles (FILE*3: three of one), and how to
    /// set it up
    Share(Box<ReplayArgs>),
    /// Replay profiles once for each combination of values, and write a file with one row per case
    Sweep(Box<SweepArgs>),
    /// Compare the searches of `matching`: gates and clocks against makespan, refusals and waits
    SearchStudy(Box<SweepArgs>),
    /// Search the best values of options and recipe keys, and write the best recipe to a file
    Tune(Box<TuneArgs>),
    /// Show what is in profiles, and how well their replay agrees with the recording
    Inspect(InspectArgs),
    /// Measure in recordings how much kernels slow each other down
    Contention(ContentionArgs),
    /// Print a decision log, check it against the rules of the controller, or replay it
    Log(LogArgs),
    /// List the bundled recipes, or print one as TOML to start from
    Recipes(ShowArgs),
    /// List the known devices, or print one as TOML
    Devices(ShowArgs),
    /// Compare results of replays, or profiles of one program: what differs, and by how much
    Compare(CompareArgs),
    /// Compare a prediction with recordings of the same processes running together
    Check(CheckArgs),
    /// Measure this device, or compute energy weights from measured power
    Calibrate(CalibrateArgs),
    /// Answer questions as hardware should: JSON Lines on stdin, answers on stdout
    Golden(GoldenArgs),
    /// Answer a question of `golden` step by step, for people
    Explain(ExplainArgs),
    /// Write a circuit of the patents as Verilog, with its bench (docs/rtl.md)
    Circuit(Box<CircuitArgs>),
    /// Check what a dispatcher handed out, from a table of its events (docs/rtl.md)
    CheckPlacement(CheckPlacementArgs),
    /// Encode and decode AQL packets, and say what condensing them saves on a profile
    Packet(PacketArgs),
    /// Decide whether kernels may be stopped and run again; add the test of the flag to their
    /// sources
    Kernel(KernelArgs),
    /// Open the application in a browser on this machine (docs/browser.md)
    Serve(ServeArgs),
    /// Schedule the OpenCL work of running programs by a recipe (docs/live.md)
    Live(Box<LiveArgs>),
    /// Print the options of a verb; `help model`: the assumptions behind every figure of a replay
    Help {
        /// A verb, or `model`
        topic: Option<String>,
    },
    /// Print the JSON Schema of what `--format json` prints, or the names of all documents
    Schema {
        /// A document, such as `share` or `packet-stats`
        document: Option<String>,
    },
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print a manual page
    Man {
        /// The page of a verb instead of the whole tool's
        verb: Option<String>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct InspectArgs {
    /// Profiles of PyTorch, JAX, Nsight Systems or rocprof, or launch tables; plain or gzip
    /// (docs/profiles.md); `-` is the standard input
    #[arg(value_name = "PROFILE", required = true)]
    pub(crate) profiles: Vec<PathBuf>,
    /// The device they were recorded on, by id, product name or file [default: what each profile
    /// says]
    #[arg(long, value_name = "NAME|FILE")]
    pub(crate) device: Option<String>,
    /// The rule for whether workgroups have barriers, which profiles do not record
    #[arg(long, value_enum, value_name = "RULE", default_value_t = Barriers::Assume)]
    pub(crate) barriers: Barriers,
    /// How communication kernels, which mostly wait for other devices, are replayed
    #[arg(long, value_enum, value_name = "RULE", default_value_t = Comm::Keep)]
    pub(crate) comm: Comm,
    /// Print all that is known, not only what takes the time and why the device was idle
    #[arg(long, short)]
    pub(crate) verbose: bool,
    /// Replay each profile alone on its own device and compare with the recording
    #[arg(long)]
    pub(crate) self_replay: bool,
    /// Print the lengths of the runs that its workgroups need, and a sampled search without those
    /// that fewer than this percentage of workgroups need (docs/policies/matching.md)
    #[arg(long, value_name = "PERCENT", num_args = 0..=1, require_equals = true, default_missing_value = "0", value_parser = percentage)]
    pub(crate) amounts: Option<f64>,
    /// The waits of one stream for another that replay applies
    #[arg(long, value_enum, value_name = "RULE", default_value_t = StreamWaits::Inferred)]
    pub(crate) waits: StreamWaits,
    /// How long a launch takes to reach the device in that replay
    #[arg(long, value_enum, value_name = "RULE", default_value_t = LatencyArgument::Fitted)]
    pub(crate) launch_latency: LatencyArgument,
    /// The number of hardware queues of the process in that replay, where the recording agrees with it
    /// [default: 8 on NVIDIA, 4 on AMD, else one a stream]
    #[arg(long, value_name = "N", requires = "self_replay", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) queues: Option<u16>,
    /// Take the launch latency of that replay from another profile: another rank or run
    #[arg(long, value_name = "FILE", requires = "self_replay", conflicts_with = "launch_latency")]
    pub(crate) fit_from: Option<PathBuf>,
    /// The resource that kernels need most: GLOB=memory|compute|latency|unknown, against kernel names; may be
    /// repeated, the last that matches wins
    #[arg(long = "kernel-class", value_name = "RULE", value_parser = need)]
    pub(crate) needs: Vec<NeedClaim>,
    #[command(flatten)]
    pub(crate) shapes: ShapeArgs,
    #[command(flatten)]
    pub(crate) ranks: RankArgs,
    /// Sources of its kernels, such as Triton's cache (docs/kernels.md) [default: `kernels` beside
    /// it]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) kernels: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ContentionArgs {
    /// Recordings in which kernels ran both alone and beside others, of streams or processes
    /// (docs/contention.md); `-` is the standard input
    #[arg(value_name = "PROFILE", required = true)]
    pub(crate) profiles: Vec<PathBuf>,
    /// The device they were recorded on, by id, product name or file [default: what each profile
    /// says]
    #[arg(long, value_name = "NAME|FILE")]
    pub(crate) device: Option<String>,
    /// The rule for whether workgroups have barriers, which profiles do not record
    #[arg(long, value_enum, value_name = "RULE", default_value_t = Barriers::Assume)]
    pub(crate) barriers: Barriers,
    #[command(flatten)]
    pub(crate) shapes: ShapeArgs,
    #[command(flatten)]
    pub(crate) ranks: RankArgs,
}

#[derive(Debug, Args)]
pub(crate) struct LogArgs {
    /// The decisions.jsonl.zst of a replay, or the log of a live program, compressed or not
    #[arg(value_name = "FILE")]
    pub(crate) log: PathBuf,
    /// Check it against the rules of the controller: which does it break, in which line?
    /// (docs/policies/preempt.md)
    #[arg(long, conflicts_with_all = ["replay", "print"])]
    pub(crate) check: bool,
    /// Feed its events to a new dispatcher, and check that the answers are the same
    #[arg(long, conflicts_with = "print")]
    pub(crate) replay: bool,
    /// Print its lines as text [default: JSON Lines, as in the file]
    #[arg(long)]
    pub(crate) print: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// Print this one instead of the list
    #[arg(long, value_name = "NAME")]
    pub(crate) show: Option<String>,
    /// Write it to this file, which must not be there yet, instead of printing it
    #[arg(long, value_name = "FILE", requires = "show")]
    pub(crate) save: Option<PathBuf>,
}

/// Reads a percentage from 0 to 100, with or without `%` behind it.
fn percentage(text: &str) -> Result<f64, String> {
    let number = text.trim().trim_end_matches('%').trim_end().parse().ok();
    let number = number.filter(|of| (0.0..=100.0).contains(of));
    number.ok_or_else(|| "it is no number from 0% to 100%, such as 5%".to_owned())
}

impl ShowArgs {
    /// Writes the text to the file that the option `--save` names, and returns a sentence that says
    /// so; without the option, returns the text itself.
    pub(crate) fn shown(&self, text: String) -> Result<String, CliError> {
        let (Some(path), Some(name)) = (&self.save, &self.show) else { return Ok(text) };
        place::write(path, &text, &place::nothing)?;
        Ok(format!("{name} is in {}\n", path.display()))
    }
}

#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// Two or more summary.json, or the folders that hold them, or profiles; the others are compared
    /// with the first. RESULT#RECIPE is one recipe of a result, compared with another recipe or
    /// result (A#leftover A#spatial)
    #[arg(value_name = "RESULT", required = true, num_args = 2..)]
    pub(crate) results: Vec<PathBuf>,
    /// Show all figures, not only those that changed
    #[arg(long)]
    pub(crate) equal: bool,
    /// Exit with code 4 if a figure has grown by more than a limit: [RECIPE:][PROCESS ]FIGURE +N%,
    /// such as 'decode p99 +5%' or 'mps:decode step +2%'; may be repeated. It also holds between
    /// results whose profiles differ, as those of a program before and after a change
    #[arg(long, value_name = "LIMIT")]
    pub(crate) fail_if: Vec<Gate>,
    /// Print Markdown, for a pull request
    #[arg(long)]
    pub(crate) markdown: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// A summary.json of `share` or `replay`, or its folder; for a folder the check is written
    /// beside its report, as check.html and check.json
    #[arg(value_name = "PREDICTION")]
    pub(crate) prediction: PathBuf,
    /// The recording of each process while all ran together: TENANT=FILE, or a file with the
    /// tenant's name; for a recording of several processes TENANT=FILE@N, the Nth in order of first
    /// use. Each holds the profile of its tenant a whole number of times (docs/check.md). Or the
    /// measurements of `raddle calibrate pair`, which hold both tenants
    #[arg(value_name = "RECORDING", required = true)]
    pub(crate) recordings: Vec<PathBuf>,
    /// The recipe that was set up [default: the recommended one]
    #[arg(long, value_name = "NAME")]
    pub(crate) recipe: Option<String>,
    /// The load at which both tenants were measured, where measurements of `raddle calibrate pair`
    /// have several
    #[arg(long, value_name = "N")]
    pub(crate) load: Option<String>,
    /// Exit with code 4 if a prediction is off by more than a limit, too low or too high: [TENANT
    /// [FIGURE]] N%, such as '15%' or 'serve p99 10%'; or if a measurement lies outside of its
    /// predicted interval: [TENANT [FIGURE]] interval; may be repeated
    #[arg(long, value_name = "LIMIT")]
    pub(crate) fail_if: Vec<ErrorLimit>,
    /// Write nothing beside the prediction
    #[arg(long)]
    pub(crate) no_files: bool,
    /// The rule for whether workgroups have barriers, which profiles do not record
    #[arg(long, value_enum, value_name = "RULE", default_value_t = Barriers::Assume)]
    pub(crate) barriers: Barriers,
    #[command(flatten)]
    pub(crate) shapes: ShapeArgs,
}

#[derive(Debug, Args)]
pub(crate) struct GoldenArgs {
    /// The topic of the questions: bitmap, windows, split, balance, place, match, placement, sm,
    /// slices, preempt or packet
    pub(crate) topic: String,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// The topic of the question: bitmap, windows, split, balance, place, match, placement, sm,
    /// slices, preempt or packet
    pub(crate) topic: String,
    /// Print what the circuits of a topic cost, and what the cheaper ones miss (bitmap)
    #[arg(long)]
    pub(crate) cost: bool,
    /// A question as `raddle golden` takes it [default: a line of stdin, or a worked example]
    pub(crate) question: Option<String>,
}
