//! What may be said on the command line?

use std::fs::File;
use std::io::{self, Write as _};
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use raddle_dispatch::log::Detail;
use raddle_report::compare::Gate;
use raddle_sim::Goal;
use raddle_trace::{BarrierRule, CommRule, IdempotenceRule, PriorityRule, TraceError};

use crate::arrivals::{ArrivalArgs, milliseconds};
use crate::error::CliError;
use crate::kernel::KernelArgs;
use crate::packet::PacketArgs;

/// Replays GPU profiles under composable scheduling policies.
///
/// Without a verb it replays the bundled pair under a few dispatchers and says which one to use.
#[derive(Debug, Parser)]
#[command(name = "raddle", version, max_term_width = 100, after_help = EXAMPLES, disable_help_subcommand = true)]
pub(crate) struct Cli {
    /// How results are printed
    #[arg(long, global = true, value_enum, value_name = "FORMAT", default_value_t = Format::Text)]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) bundled: RunArgs,
    #[command(subcommand)]
    pub(crate) verb: Option<Verb>,
}

const EXAMPLES: &str = "Examples:
  raddle                                             the bundled pair, four recipes
  raddle replay trace.json.gz                        your own profile, four recipes
  raddle inspect trace.json.gz                       what is in it
  raddle packet stats trace.json.gz                  what condensed packets save
  raddle replay train.csv serve.csv --priority 'train*=5' --recipe leftover-drain
  raddle recipes --show leftover-drain --save mine.toml   a recipe to start from

Exit status: 0 done; 1 the input is refused; 2 wrong usage; 3 launches of a replay never ended (its
results are written, and say which); 4 a figure of `compare` fails; 5 no recipe meets the goals.";

/// How results are printed.
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
    /// Tell what is in profiles, and how well their replay agrees with the recording
    Inspect(InspectArgs),
    /// Hold a decision log against the rules of the controller, replay it, or print it
    Log(LogArgs),
    /// List the bundled recipes, or print one as TOML to start from
    Recipes(ShowArgs),
    /// List the known devices, or print one as TOML
    Devices(ShowArgs),
    /// Compare results of replays side by side: which figures differ, and by how much
    Compare(CompareArgs),
    /// Golden model: JSON Lines questions on stdin, answers on stdout
    Golden(GoldenArgs),
    /// The questions of `golden`, answered step by step for a person
    Explain(ExplainArgs),
    /// AQL packets as bytes, and what condensing them saves on a profile
    Packet(PacketArgs),
    /// May kernels be stopped and run again? Their sources with the test of the flag
    Kernel(KernelArgs),
    /// Tell what a verb takes; `help model`: on what every figure of a replay rests
    Help {
        /// A verb, or `model`
        topic: Option<String>,
    },
    /// Print a completion script for a shell
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
    /// Print a manual page
    Man {
        /// The page of a verb instead of the whole tool's
        verb: Option<String>,
    },
}

/// Where results go, and how fast.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub(crate) struct RunArgs {
    /// The folder for summary.json, decision logs and timelines [default: raddle-out/NAME]
    #[arg(long, value_name = "DIR", conflicts_with = "no_files")]
    pub(crate) out: Option<PathBuf>,
    /// Write no files
    #[arg(long)]
    pub(crate) no_files: bool,
    /// Runs at the same time [default: one a core]; results do not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) jobs: Option<u16>,
    /// A decision log a recipe, and how much it tells; it can be larger than the profiles
    /// [default: none]
    #[arg(long, value_enum, value_name = "DETAIL")]
    pub(crate) log: Option<LogDetail>,
    /// Of which recipes timelines for ui.perfetto.dev are drawn [default: compared]
    #[arg(long, value_enum, value_name = "WHICH")]
    pub(crate) timeline: Option<WhichTimelines>,
    /// The most slices of a timeline; what has more is drawn coarser [default: 500000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) timeline_slices: Option<u32>,
    /// Draw only this part of a run, so at full grain: 100ms..120ms
    #[arg(long, value_name = "FROM..TO", value_parser = window)]
    pub(crate) timeline_window: Option<(u64, u64)>,
    /// Print one sentence, and nothing while it goes
    #[arg(long, short, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Print everything that the report holds
    #[arg(long, short)]
    pub(crate) verbose: bool,
    /// Open the report in a browser
    #[arg(long, conflicts_with = "no_files")]
    pub(crate) open: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// Profiles of PyTorch, Nsight Systems or rocprof, or launch tables; plain or gzip (docs/profiles.md)
    #[arg(value_name = "PROFILE", required_unless_present = "events")]
    pub(crate) profiles: Vec<PathBuf>,
    /// A bundled recipe or a recipe file; may be repeated [default: leftover, what devices do today;
    /// spatial, which keeps processes apart in space; leftover-drain, which lets urgent work go
    /// first; weighted-slices, which keeps them apart in time]
    #[arg(long = "recipe", value_name = "NAME|FILE")]
    pub(crate) recipes: Vec<String>,
    /// Every bundled recipe
    #[arg(long, conflicts_with = "recipes")]
    pub(crate) all: bool,
    /// What is asked of a profile: NAME p50|p99|max|step|end LIMIT, the limit a time (`serve p99
    /// 20ms`) or by how much longer than under leftover (`train step +5%`); may be repeated. Exit
    /// code 5 where no recipe meets them all
    #[arg(long = "goal", value_name = "GOAL")]
    pub(crate) goals: Vec<Goal>,
    /// Let hosts issue at the recorded times, whatever the device does [default: where at least 95%
    /// of the time for which a host waited is known, it waits for the same work here]
    #[arg(long)]
    pub(crate) open_loop: bool,
    /// The device to replay on, by id or product name [default: that of the first profile]
    #[arg(long, value_name = "NAME")]
    pub(crate) device: Option<String>,
    /// How urgent work is, 0 first: GLOB[:stream N]=LEVEL; may be repeated, the last that fits wins
    #[arg(long = "priority", value_name = "RULE", value_parser = rule)]
    pub(crate) priorities: Vec<Rule>,
    /// Whether the waves of a workgroup meet at barriers, which no profile says
    #[arg(long, value_enum, value_name = "RULE", default_value_t = Barriers::Assume)]
    pub(crate) barriers: Barriers,
    /// Whether kernels may be killed and run again, by name: GLOB=yes|no|unknown; may be repeated,
    /// the last that fits wins [default: what the profile says, else unknown, which counts as no]
    #[arg(long = "idempotent", value_name = "RULE", value_parser = verdict)]
    pub(crate) verdicts: Vec<IdempotenceClaim>,
    /// Verdicts of `raddle kernel verdict --save`; may be repeated, and --idempotent wins over them
    #[arg(long, value_name = "FILE")]
    pub(crate) idempotent_from: Vec<PathBuf>,
    /// When a profile begins, in milliseconds; may be repeated [default: 0]
    #[arg(long = "start", value_name = "FILE=MS", value_parser = start)]
    pub(crate) starts: Vec<Named<u64>>,
    /// The share of a profile, for policies that divide by shares; may be repeated [default: 1]
    #[arg(long = "share", value_name = "FILE=N", value_parser = share)]
    pub(crate) shares: Vec<Named<u32>>,
    /// Let no profile repeat: by default the shorter ones repeat until the longest has ended
    #[arg(long)]
    pub(crate) once: bool,
    /// What becomes of communication kernels (NCCL and the like), which mostly wait for peers
    #[arg(long, value_enum, value_name = "RULE", default_value_t = Comm::Keep)]
    pub(crate) comm: Comm,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    /// Feed the events of a decision log again and compare the answers, instead of a profile
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["profiles", "recipes", "device", "priorities", "barriers", "verdicts",
            "idempotent_from", "starts",
            "shares", "once", "comm", "out", "no_files", "jobs", "log", "arrivals", "timeline",
            "all", "goals", "open_loop", "requests",
            "timeline_slices", "timeline_window", "quiet", "verbose", "open"]
    )]
    pub(crate) events: Option<PathBuf>,
    // Last, because its heading holds for what follows.
    #[command(flatten)]
    pub(crate) load: ArrivalArgs,
}

impl ReplayArgs {
    /// The command, with the names of files and without what changes no figure.
    pub(crate) fn command(&self) -> Vec<String> {
        let name = |path: &std::path::Path| {
            path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
        };
        let bare = |text: &String| match std::path::Path::new(text) {
            path if path.exists() => name(path),
            _ => text.clone(),
        };
        let mut command = vec!["raddle".to_owned(), "replay".to_owned()];
        command.extend(self.profiles.iter().map(|path| name(path)));
        let mut more = |option: &str, values: Vec<String>| {
            command.extend(values.into_iter().map(|value| format!("--{option}={value}")));
        };
        let word = |value: Option<clap::builder::PossibleValue>| {
            value.map(|value| value.get_name().to_owned()).into_iter().collect()
        };
        more("recipe", self.recipes.iter().map(bare).collect());
        more("device", self.device.iter().cloned().collect());
        more("priority", self.priorities.iter().map(|rule| rule.text.clone()).collect());
        more("barriers", word(self.barriers.to_possible_value()));
        more("comm", word(self.comm.to_possible_value()));
        more("idempotent", self.verdicts.iter().map(|claim| claim.text.clone()).collect());
        more("idempotent-from", self.idempotent_from.iter().map(|path| name(path)).collect());
        more(
            "start",
            self.starts
                .iter()
                .map(|it| format!("{}={}", bare(&it.file), milliseconds_of(it.value)))
                .collect(),
        );
        more(
            "share",
            self.shares.iter().map(|it| format!("{}={}", bare(&it.file), it.value)).collect(),
        );
        more("goal", self.goals.iter().map(Goal::to_string).collect());
        // Of files with arrivals results tell the task, and nothing of the file.
        more("arrivals", vec!["FILE".to_owned(); self.load.arrivals.len()]);
        let said = |text: &String| match text.ends_with("/s") || text.contains("burst:") {
            true => text.clone(),
            false => "FILE".to_owned(),
        };
        more("requests", self.load.requests.iter().map(said).collect());
        more("until", self.load.until.iter().map(|&ns| milliseconds_of(ns)).collect());
        more("seed", self.load.seed.iter().map(u64::to_string).collect());
        more("seeds", self.load.seeds.iter().map(u16::to_string).collect());
        let flags = [("all", self.all), ("once", self.once), ("open-loop", self.open_loop)];
        let flags = flags.iter().filter(|(_, given)| *given);
        command.extend(flags.map(|(flag, _)| format!("--{flag}")));
        command
    }
}

#[derive(Debug, Args)]
pub(crate) struct InspectArgs {
    /// Profiles of PyTorch, Nsight Systems or rocprof, or launch tables; plain or gzip (docs/profiles.md)
    #[arg(value_name = "PROFILE", required = true)]
    pub(crate) profiles: Vec<PathBuf>,
    /// The device they were recorded on, by id or product name [default: what each profile says]
    #[arg(long, value_name = "NAME")]
    pub(crate) device: Option<String>,
    /// Whether the waves of a workgroup meet at barriers, which no profile says
    #[arg(long, value_enum, value_name = "RULE", default_value_t = Barriers::Assume)]
    pub(crate) barriers: Barriers,
    /// What becomes of communication kernels, which mostly wait for other devices
    #[arg(long, value_enum, value_name = "RULE", default_value_t = Comm::Keep)]
    pub(crate) comm: Comm,
    /// Replay each profile alone on its own device and compare with the recording
    #[arg(long)]
    pub(crate) self_replay: bool,
    /// Sources of its kernels, such as Triton's cache (docs/kernels.md) [default: `kernels` beside it]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) kernels: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct LogArgs {
    /// A decisions.jsonl of a replay, or one of a live runtime
    #[arg(value_name = "FILE")]
    pub(crate) log: PathBuf,
    /// Which rules of the controller it breaks, and in which line (docs/policies/preempt.md) [default]
    #[arg(long, conflicts_with_all = ["replay", "print"])]
    pub(crate) check: bool,
    /// Whether its events, fed to a new dispatcher, give the same answers
    #[arg(long, conflicts_with = "print")]
    pub(crate) replay: bool,
    /// Its lines as text
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

impl ShowArgs {
    /// What is told of what was asked for: where it was saved, else the text itself.
    pub(crate) fn shown(&self, text: String) -> Result<String, CliError> {
        let (Some(path), Some(name)) = (&self.save, &self.show) else { return Ok(text) };
        let file = path.display().to_string();
        let saved = File::create_new(path).and_then(|mut file| file.write_all(text.as_bytes()));
        saved.map_err(|cause| match cause.kind() {
            io::ErrorKind::AlreadyExists => CliError::Refused(format!(
                "{file} is there already and stays as it is: give --save another name"
            )),
            _ => CliError::writing(&file)(cause),
        })?;
        Ok(format!("{name} is in {file}\n"))
    }
}

#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// Two or more summary.json, or the folders they lie in; the first is measured by
    #[arg(value_name = "RESULT", required = true, num_args = 2..)]
    pub(crate) results: Vec<PathBuf>,
    /// Show every figure, and not only those that changed
    #[arg(long)]
    pub(crate) equal: bool,
    /// Exit with code 4 where a figure has grown by more: [RECIPE:][PROCESS.]FIGURE > +N%, such as
    /// 'decode.request-p99 > +5%'; may be repeated
    #[arg(long, value_name = "LIMIT")]
    pub(crate) fail_if: Vec<Gate>,
    /// Print Markdown, for a pull request
    #[arg(long)]
    pub(crate) markdown: bool,
}

#[derive(Debug, Args)]
pub(crate) struct GoldenArgs {
    /// What is asked: bitmap, windows, split, balance, place, match, placement, sm, slices, preempt or packet
    pub(crate) topic: String,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// What is asked: bitmap, windows, split, balance, place, match, placement, sm, slices, preempt or packet
    pub(crate) topic: String,
    /// What the circuits of a topic cost, and what the cheaper ones miss (bitmap)
    #[arg(long)]
    pub(crate) cost: bool,
    /// A question as `raddle golden` takes it [default: a line of stdin, or a worked example]
    pub(crate) question: Option<String>,
}

/// How much a decision log tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogDetail {
    /// One line an answer
    Answers,
    /// One line a workgroup
    Full,
    /// No decision logs
    None,
}

impl LogDetail {
    /// What a log holds, if there is to be one.
    pub(crate) const fn detail(self) -> Option<Detail> {
        match self {
            Self::Answers => Some(Detail::Answers),
            Self::Full => Some(Detail::Full),
            Self::None => None,
        }
    }
}

/// Of which recipes timelines are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum WhichTimelines {
    /// Today's way and the recommended one, and the slowest request of both on every compute unit
    Compared,
    /// Every recipe, and those slowest requests
    All,
    /// None
    None,
}

/// Whether workgroups have barriers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Barriers {
    /// Where shared memory is used, or nobody knows
    Assume,
    /// Every workgroup has one
    Yes,
    /// None has one
    No,
}

impl From<Barriers> for BarrierRule {
    fn from(barriers: Barriers) -> Self {
        match barriers {
            Barriers::Assume => Self::Assume,
            Barriers::Yes => Self::Yes,
            Barriers::No => Self::No,
        }
    }
}

/// What becomes of communication kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Comm {
    /// They last as recorded
    Keep,
    /// Each lasts as long as the shortest launch of its kernel and grid
    Fixed,
    /// They are left out
    Drop,
}

impl From<Comm> for CommRule {
    fn from(comm: Comm) -> Self {
        match comm {
            Comm::Keep => Self::Keep,
            Comm::Fixed => Self::Fixed,
            Comm::Drop => Self::Drop,
        }
    }
}

/// Nanoseconds as the options write them, in milliseconds.
fn milliseconds_of(ns: u64) -> String {
    let text = format!("{}.{:06}", ns / 1_000_000, ns % 1_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A value for one of the profiles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Named<T> {
    pub(crate) file: String,
    pub(crate) value: T,
}

/// A priority rule and how it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rule {
    pub(crate) text: String,
    pub(crate) rule: PriorityRule,
}

/// Reads a priority rule.
pub(crate) fn rule(text: &str) -> Result<Rule, TraceError> {
    let rule = text.parse()?;
    let text = text.to_owned();
    Ok(Rule { text, rule })
}

/// A rule of idempotence and how it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct IdempotenceClaim {
    pub(crate) text: String,
    pub(crate) rule: IdempotenceRule,
}

/// Reads a rule of idempotence.
fn verdict(text: &str) -> Result<IdempotenceClaim, TraceError> {
    let rule = text.parse()?;
    let text = text.to_owned();
    Ok(IdempotenceClaim { text, rule })
}

fn named(text: &str) -> Result<(&str, &str), String> {
    let (file, value) = text.rsplit_once('=').ok_or("there is no `=` in it")?;
    if file.is_empty() {
        return Err("there is no file before the `=`".to_owned());
    }
    Ok((file, value.trim()))
}

fn start(text: &str) -> Result<Named<u64>, String> {
    let (file, value) = named(text)?;
    let value = milliseconds(value).ok_or("its time is no number of milliseconds, such as 2.5")?;
    let file = file.to_owned();
    Ok(Named { file, value })
}

/// From one time to a later one, in nanoseconds.
fn window(text: &str) -> Result<(u64, u64), String> {
    let time = |text: &str| {
        let text = text.trim();
        let (number, factor) = match (text.strip_suffix("ms"), text.strip_suffix('s')) {
            (Some(number), _) => (number, 1),
            (None, Some(number)) => (number, 1000),
            (None, None) => (text, 1),
        };
        milliseconds(number.trim_end())?.checked_mul(factor)
    };
    let ends = text.split_once("..").and_then(|(from, to)| Some((time(from)?, time(to)?)));
    ends.filter(|(from, to)| from < to).ok_or_else(|| {
        "it is not FROM..TO in milliseconds or seconds, such as 100ms..120ms".to_owned()
    })
}

fn share(text: &str) -> Result<Named<u32>, String> {
    let (file, value) = named(text)?;
    let value = value.parse().ok().filter(|&share| share > 0);
    let value = value.ok_or("its share is no whole number from 1 to 4294967295")?;
    let file = file.to_owned();
    Ok(Named { file, value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_exact_and_not_empty() {
        assert_eq!(window("100ms..120.5ms"), Ok((100_000_000, 120_500_000)));
        assert_eq!(window("1s..1.25s"), Ok((1_000_000_000, 1_250_000_000)));
        assert_eq!(window("1..2"), Ok((1_000_000, 2_000_000)));
        for bad in ["", "1ms", "2ms..1ms", "1ms..1ms", "a..b", "1ms..2h"] {
            assert!(window(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn starts_are_exact() {
        let ns = |text: &str| start(text).map(|named| named.value);
        assert_eq!(ns("a.csv=2"), Ok(2_000_000));
        assert_eq!(ns("a=b.csv=2.000001"), Ok(2_000_001));
        assert_eq!(ns("a=0.5"), Ok(500_000));
        for bad in ["a", "=1", "a=", "a=-1", "a=1.0000001", "a=1e3", "a=x", "a=.5"] {
            assert!(start(bad).is_err(), "{bad}");
        }
        assert!(start("a=18446744073709551615").is_err());
    }

    #[test]
    fn shares_are_whole_and_positive() {
        assert_eq!(share("a=3").map(|named| named.value), Ok(3));
        for bad in ["a=0", "a=1.5", "a", "a=4294967296"] {
            assert!(share(bad).is_err(), "{bad}");
        }
    }
}
