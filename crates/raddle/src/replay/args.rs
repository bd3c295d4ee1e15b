//! Which options does `raddle replay` have?

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use raddle_dispatch::log::Detail;
use raddle_sim::{Scaling, WaitRule};
use raddle_study::amount::between;
use raddle_study::answer::Goal;
use raddle_study::{
    ContentionRule, IdempotenceClaim, Named, NeedClaim, Rule, SaidHint, Setting, Study,
    TimelineWish, Ways,
};
use raddle_trace::{BarrierRule, CommRule, TraceError};

use crate::arrivals::ArrivalArgs;
use crate::disk::named;
use crate::engine::{self, EngineFile};
use crate::error::CliError;
use crate::ranks::RankArgs;
use crate::shape_args::ShapeArgs;

/// Options for where results go, and how fast.
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
    /// A decision log a recipe, and how much it tells [default: none]
    #[arg(long, value_enum, value_name = "DETAIL")]
    pub(crate) log: Option<LogDetail>,
    /// The recipes whose timelines for ui.perfetto.dev are written [default: compared]
    #[arg(long, value_enum, value_name = "WHICH")]
    pub(crate) timeline: Option<WhichTimelines>,
    /// The most slices of a timeline; a longer run is drawn more coarsely [default: 500000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) timeline_slices: Option<u32>,
    /// Draw only this part of a run, in full detail: 100ms..120ms
    #[arg(long, value_name = "FROM..TO", value_parser = window)]
    pub(crate) timeline_window: Option<(u64, u64)>,
    /// Print the answer and how far to trust it, a line each, and no progress; what can overturn
    /// the answer goes to standard error
    #[arg(long, short, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Print everything that the report holds
    #[arg(long, short)]
    pub(crate) verbose: bool,
    /// Open the report in a browser
    #[arg(long, conflicts_with = "no_files")]
    pub(crate) open: bool,
    /// Put the profiles and the engine into the report, so that it can replay with another load,
    /// device or goal (docs/browser.md)
    #[arg(long, conflicts_with = "no_files")]
    pub(crate) live_report: bool,
    /// The engine for --live-report [default: raddle.wasm beside the program]
    #[arg(long, value_name = "FILE", requires = "live_report")]
    pub(crate) wasm: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// Profiles of PyTorch, JAX, Nsight Systems or rocprof, or launch tables; plain or gzip
    /// (docs/profiles.md); FILE*3 is three processes of one file, `-` is standard input
    #[arg(value_name = "PROFILE", required_unless_present = "events")]
    pub(crate) profiles: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) asked: StudyArgs,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    /// Feed the events of a decision log again and compare the answers, instead of a profile
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["profiles", "recipes", "settings", "device", "scale", "waits", "energy", "energy_weights", "launch_latency", "queues", "contention", "needs", "thinks", "priorities", "barriers", "verdicts",
            "idempotent_from", "starts",
            "shares", "memory", "hints", "once", "comm", "out", "no_files", "jobs", "log", "arrivals", "timeline",
            "all", "goals", "open_loop", "requests", "partial", "shapes_from", "ranks",
            "timeline_slices", "timeline_window", "quiet", "verbose", "open", "live_report"]
    )]
    pub(crate) events: Option<PathBuf>,
    // Last, because its heading holds for what follows.
    #[command(flatten)]
    pub(crate) load: ArrivalArgs,
}

/// Options for the question about profiles, besides their load.
#[derive(Debug, Args)]
pub(crate) struct StudyArgs {
    /// A bundled recipe or a recipe file; may be repeated [default: today, as the device shares
    /// itself without any set-up; spatial, which keeps processes apart in space; leftover-drain, which lets urgent work
    /// go first; weighted-slices, which keeps them apart in time; of `share`: every way that the driver offers, and what
    /// stopping work would gain]
    #[arg(long = "recipe", value_name = "NAME|FILE")]
    pub(crate) recipes: Vec<String>,
    /// Change a key of the recipes: KEY=VALUE, such as turn.t0-us=5000 or allocate.policy=greedy;
    /// may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = setting)]
    pub(crate) settings: Vec<Setting>,
    /// Every bundled recipe
    #[arg(long, conflicts_with = "recipes")]
    pub(crate) all: bool,
    /// A goal for a profile: NAME p50|p90|p95|p99|mean|max|step|end LIMIT, where LIMIT is a time
    /// (`serve p99 20ms`) or an increase over the way of today, which is then replayed too (`train
    /// step +5%`); may be repeated.
    /// A process with requests has percentiles, mean and max, one that repeats a step, any other an
    /// end. Exit code 5 if no recipe that counts (`raddle help`), or of a sweep no
    /// combination of values, meets all
    #[arg(long = "goal", value_name = "GOAL")]
    pub(crate) goals: Vec<Goal>,
    /// Let hosts issue at the recorded times, whatever the device does [default: a host waits for
    /// the same work as in the recording, if at least 95% of its waiting time is known]
    #[arg(long)]
    pub(crate) open_loop: bool,
    /// The device to replay on, by id, product name or file [default: that of the first profile]
    #[arg(long, value_name = "NAME|FILE")]
    pub(crate) device: Option<String>,
    /// How recorded times are scaled to another device than that of the profile
    #[arg(long, value_enum, value_name = "RULE", default_value_t = ScaleArg::None)]
    pub(crate) scale: ScaleArg,
    /// The waits of one stream for another that the replay applies
    #[arg(long, value_enum, value_name = "RULE", default_value_t = StreamWaits::Inferred)]
    pub(crate) waits: StreamWaits,
    /// Count energy under each recipe: its amount, its product with the time, and how evenly it is
    /// spread (docs/policies/place.md); a replay prints it like --verbose
    #[arg(long)]
    pub(crate) energy: bool,
    /// Energy weights, as `raddle calibrate energy` writes them [default: published and assumed weights]
    #[arg(long, value_name = "FILE")]
    pub(crate) energy_weights: Option<PathBuf>,
    /// How long a launch takes to reach the device
    #[arg(long, value_enum, value_name = "RULE", default_value_t = LatencyArgument::Fitted)]
    pub(crate) launch_latency: LatencyArgument,
    /// How many hardware queues a process has, which its streams share: work waits until what was
    /// issued before it in its queue has started (NVIDIA), or has ended (AMD) [default: 8 on NVIDIA,
    /// as `CUDA_DEVICE_MAX_CONNECTIONS`; 4 on AMD, as `GPU_MAX_HW_QUEUES`; else one a stream; what was
    /// recorded side by side waits only for a number given here]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) queues: Option<u16>,
    /// How much kernels of other processes slow a kernel down before a resource is full
    /// (docs/contention.md)
    #[arg(long, value_enum, value_name = "RULE", default_value_t = ContentionArg::Demand)]
    pub(crate) contention: ContentionArg,
    /// The resource that kernels need most: GLOB=memory|compute|latency|unknown, against kernel names; may be
    /// repeated, the last that matches wins [default: by name, grid and length, see `inspect`]
    #[arg(long = "kernel-class", value_name = "RULE", value_parser = need)]
    pub(crate) needs: Vec<NeedClaim>,
    /// How long the host takes between two steps or requests: FILE=TIME, such as train=2ms
    #[arg(long = "think", value_name = "FILE=TIME", value_parser = Named::start)]
    pub(crate) thinks: Vec<Named<u64>>,
    /// The level of work, 0 the most urgent: GLOB[:stream N]=LEVEL, which must match a profile; may
    /// be repeated, the last that matches wins
    #[arg(long = "priority", value_name = "RULE", value_parser = rule)]
    pub(crate) priorities: Vec<Rule>,
    /// The rule for whether workgroups have barriers, which profiles do not record
    #[arg(long, value_enum, value_name = "RULE", default_value_t = Barriers::Assume)]
    pub(crate) barriers: Barriers,
    /// A claim by name on whether kernels may be killed and run again: GLOB=yes|no|unknown; may be
    /// repeated, the last that matches wins [default: as the profile says, else unknown, which
    /// counts as no]
    #[arg(long = "idempotent", value_name = "RULE", value_parser = verdict)]
    pub(crate) verdicts: Vec<IdempotenceClaim>,
    /// Verdicts of `raddle kernel verdict --save`; may be repeated; --idempotent overrides them
    #[arg(long, value_name = "FILE")]
    pub(crate) idempotent_from: Vec<PathBuf>,
    /// When a profile begins, such as train=5ms; may be repeated [default: 0]
    #[arg(long = "start", value_name = "FILE=TIME", value_parser = Named::start)]
    pub(crate) starts: Vec<Named<u64>>,
    /// The share of a profile, for policies that divide by shares; may be repeated [default: 1]
    #[arg(long = "share", value_name = "FILE=N", value_parser = Named::share)]
    pub(crate) shares: Vec<Named<u32>>,
    /// The device memory that a program holds, such as serve=40GB: whether all fit together; may be
    /// repeated
    #[arg(long = "memory", value_name = "FILE=BYTES", value_parser = Named::memory)]
    pub(crate) memory: Vec<Named<u64>>,
    /// A hint that the program of a profile gives about itself, for policies that read hints:
    /// priority:LEVEL, deadline:TIME, laxity:TIME, utilisation:PERCENT or custom:NUMBER; may be
    /// repeated
    #[arg(long = "hint", value_name = "FILE=HINT", value_parser = Named::hint)]
    pub(crate) hints: Vec<Named<SaidHint>>,
    /// Run each profile once: by default the shorter ones repeat until the longest has ended
    #[arg(long)]
    pub(crate) once: bool,
    /// How communication kernels (NCCL and the like), which mostly wait for peers, are replayed
    #[arg(long, value_enum, value_name = "RULE", default_value_t = Comm::Peers)]
    pub(crate) comm: Comm,
    #[command(flatten)]
    pub(crate) shapes: ShapeArgs,
    #[command(flatten)]
    pub(crate) ranks: RankArgs,
}

impl ReplayArgs {
    /// Returns the study (question) that the options describe about the profiles `files`; `ways`
    /// says which recipes are replayed, unless the options ask for all.
    pub(crate) fn study(&self, files: &[PathBuf], ways: Ways) -> Study {
        Study {
            ways: if self.asked.all { Ways::All } else { ways },
            ..self.asked.study((&self.profiles, files), &self.load)
        }
    }
}

impl StudyArgs {
    /// Returns the study (question) that the options describe; `files` are the profiles to read,
    /// and `given` the paths on the command line from which they come.
    pub(crate) fn study(
        &self,
        (given, files): (&[PathBuf], &[PathBuf]),
        load: &ArrivalArgs,
    ) -> Study {
        let ranks = self.ranks.ranks.iter().map(ToString::to_string).collect();
        Study {
            profiles: named(files),
            shapes: self.shapes.rules(),
            ways: if self.all { Ways::All } else { Ways::Asked },
            recipes: self.recipes.clone(),
            settings: self.settings.clone(),
            goals: self.goals.clone(),
            open_loop: self.open_loop,
            device: self.device.clone(),
            scale: self.scale.into(),
            waits: self.waits.into(),
            energy: self.energy,
            energy_weights: self.energy_weights.as_deref().map(|path| path.display().to_string()),
            launch_latency: self.launch_latency.into(),
            queues: self.queues,
            contention: self.contention.into(),
            needs: self.needs.clone(),
            thinks: self.thinks.clone(),
            priorities: self.priorities.clone(),
            barriers: self.barriers.into(),
            idempotent: self.verdicts.clone(),
            idempotent_from: named(&self.idempotent_from),
            starts: self.starts.clone(),
            shares: self.shares.clone(),
            memory: self.memory.clone(),
            hints: self.hints.clone(),
            once: self.once,
            comm: self.comm.into(),
            load: load.load(),
            given: named(given),
            ranks,
        }
    }
}

impl RunArgs {
    /// Reads the engine (raddle as WebAssembly) that goes into the HTML report; `None` where the
    /// report gets none.
    pub(crate) fn engine(&self) -> Result<Option<EngineFile>, CliError> {
        self.live_report.then(|| engine::find(self.wasm.as_deref())).transpose()
    }

    /// Returns the choice of recipes whose timelines are drawn; `None` for no timelines.
    pub(crate) fn timelines(&self) -> Option<TimelineWish> {
        let all = self.timeline == Some(WhichTimelines::All);
        let (slices, window) = (self.timeline_slices, self.timeline_window);
        let some = self.timeline != Some(WhichTimelines::None);
        some.then_some(TimelineWish { all, slices, window })
    }
}

/// Amount of detail in a decision log, as the option `--log` takes it.
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
    /// Returns the amount of detail in decision logs; `None` where no logs are written.
    pub(crate) const fn detail(self) -> Option<Detail> {
        match self {
            Self::Answers => Some(Detail::Answers),
            Self::Full => Some(Detail::Full),
            Self::None => None,
        }
    }
}

/// Choice of the recipes of which timelines are drawn, as the option `--timeline` takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum WhichTimelines {
    /// The way of today and the recommended recipe, and the slowest request of both on every compute unit
    Compared,
    /// Every recipe, and the slowest requests as well
    All,
    /// No timelines
    None,
}

/// Assumption on which workgroups have barriers, as the option `--barriers` takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Barriers {
    /// A workgroup has one if it uses shared memory, or if that is unknown
    Assume,
    /// Every workgroup has one
    Yes,
    /// No workgroup has one
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

/// Rule for communication kernels (which move data between devices), as the option `--comm` takes
/// it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Comm {
    /// Kernels last as recorded
    Keep,
    /// Each lasts as long as the shortest launch of its kernel and grid
    Fixed,
    /// Kernels end with their peers. Those of ranks that are replayed together end together;
    /// otherwise one ends when its peers ended in the recording, later by the delay of the
    /// collective before. They hold their compute units until then
    Peers,
    /// Kernels are left out
    Drop,
}

impl From<Comm> for CommRule {
    fn from(comm: Comm) -> Self {
        match comm {
            Comm::Keep => Self::Keep,
            Comm::Fixed => Self::Fixed,
            Comm::Peers => Self::Peers,
            Comm::Drop => Self::Drop,
        }
    }
}

/// Rule for which recorded waits of one stream for another the replay keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StreamWaits {
    /// Waits for which the file names what is waited for
    Recorded,
    /// Also those for which the file only says where: they wait for the op of another stream that
    /// ended last before
    Inferred,
    /// No waits
    None,
}

impl From<StreamWaits> for WaitRule {
    fn from(waits: StreamWaits) -> Self {
        match waits {
            StreamWaits::Recorded => Self::Recorded,
            StreamWaits::Inferred => Self::Inferred,
            StreamWaits::None => Self::None,
        }
    }
}

/// Assumption on the time that a launch takes to reach the device, as the option `--launch-latency`
/// takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LatencyArgument {
    /// The time that fits the recording best
    Fitted,
    /// No time
    None,
}

impl From<LatencyArgument> for raddle_study::Latency {
    fn from(latency: LatencyArgument) -> Self {
        match latency {
            LatencyArgument::Fitted => Self::Fitted,
            LatencyArgument::None => Self::None,
        }
    }
}

/// Rule for what kernels lose to kernels of other processes while no resource is full, as the
/// option `--contention` takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ContentionArg {
    /// By the demand of kernels for the bandwidth of the memory (docs/demand.md)
    Demand,
    /// As measured in the profiles; unknown contention costs nothing and widens the interval
    Learnt,
    /// No cost
    None,
}

impl From<ContentionArg> for ContentionRule {
    fn from(rule: ContentionArg) -> Self {
        match rule {
            ContentionArg::Demand => Self::Demand,
            ContentionArg::Learnt => Self::Learnt,
            ContentionArg::None => Self::None,
        }
    }
}

/// Rule by which recorded times are scaled to another device, as the option `--scale` takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScaleArg {
    /// A workgroup lasts as long as on the device of the profile
    None,
    /// By the ratio of the clocks, for kernels that compute
    Clock,
    /// By the ratio of the memory bandwidth per compute unit, for kernels that move data
    Bandwidth,
}

impl From<ScaleArg> for Scaling {
    fn from(scale: ScaleArg) -> Self {
        match scale {
            ScaleArg::None => Self::None,
            ScaleArg::Clock => Self::Clock,
            ScaleArg::Bandwidth => Self::Bandwidth,
        }
    }
}

/// Reads a rule `GLOB[:stream N]=LEVEL`, which gives kernels a level of urgency.
fn rule(text: &str) -> Result<Rule, TraceError> {
    text.to_owned().try_into()
}

pub(crate) fn need(text: &str) -> Result<NeedClaim, TraceError> {
    text.to_owned().try_into()
}

/// Reads a setting `KEY=VALUE` of recipes.
fn setting(text: &str) -> Result<Setting, String> {
    text.to_owned().try_into()
}

/// Reads a rule `GLOB=yes|no|unknown`, which says whether kernels may be killed and run again.
fn verdict(text: &str) -> Result<IdempotenceClaim, TraceError> {
    text.to_owned().try_into()
}

/// Reads a window of time `FROM..TO`, whose end must be later than its start, and returns (start,
/// end) in nanoseconds.
fn window(text: &str) -> Result<(u64, u64), String> {
    let (from, to) = between(text).map_err(|error| error.to_string())?;
    if from < to { Ok((from, to)) } else { Err("it is empty".to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_exact_and_not_empty() {
        assert_eq!(window("100ms..120.5ms"), Ok((100_000_000, 120_500_000)));
        assert_eq!(window("1s..1.25s"), Ok((1_000_000_000, 1_250_000_000)));
        assert_eq!(window("1..2ms"), Ok((1_000_000, 2_000_000)));
        assert_eq!(window("500us..1ms"), Ok((500_000, 1_000_000)));
        for bad in ["", "1ms", "2ms..1ms", "1ms..1ms", "a..b", "1ms..2h", "1..2"] {
            assert!(window(bad).is_err(), "{bad}");
        }
    }
}
