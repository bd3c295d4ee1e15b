//! How is a study asked for: which profiles share which device, under which recipes and with which
//! options?

use raddle_sim::{Scaling, WaitRule};
use raddle_trace::{BarrierRule, CommRule};
use serde::{Deserialize, Serialize};

use crate::amount::rate;
use crate::answer::Goal;
use crate::arrivals::Load;
use crate::files::{Files, base_name};
use crate::profiles;
use crate::rules::{IdempotenceClaim, Named, NeedClaim, Rule, SaidHint, Setting};
use crate::shapes::ShapeRules;

/// Question that a study answers: how do these profiles share a device under these recipes, with
/// these requests and options?
///
/// Profiles and files are given by names that [`Files`] knows. Every other field has the meaning
/// and the default of the option of `raddle replay` with its name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Study {
    /// Names of profiles; `serve.csv*3` means three processes of one profile.
    pub profiles: Vec<String>,
    /// Rules for kernels whose profile does not state their shape (grid and needed resources).
    pub shapes: ShapeRules,
    /// Choice of the recipes (sets of scheduling policies) that are replayed where `recipes` names
    /// none.
    pub ways: Ways,
    /// Names of bundled recipes (sets of policies), and paths of recipe files; empty where `ways`
    /// chooses the recipes.
    pub recipes: Vec<String>,
    /// Values that the user gives keys of the recipes (sets of policies), such as
    /// `turn.t0-us=5000`.
    pub settings: Vec<Setting>,
    /// Goals that figures of processes are to meet, such as `serve p99 20ms`.
    pub goals: Vec<Goal>,
    /// True if hosts issue at the recorded times, whatever the device does; false if they wait for
    /// the device where they waited in the recording.
    pub open_loop: bool,
    /// Device that is replayed on, by id, product name or file; `None` for the device of the first
    /// profile.
    pub device: Option<String>,
    /// Rule by which times are scaled from the device of a profile to another device.
    pub scale: Scaling,
    /// Rule for which of the recorded waits of one stream for another the replay keeps.
    pub waits: WaitRule,
    /// True if energy is counted even where the user gives no file of energy weights; assumed
    /// weights then serve.
    pub energy: bool,
    /// File that says how much energy each kind of work takes; `None` for the assumed weights.
    pub energy_weights: Option<String>,
    /// Rule for the time that a launch takes to reach the device.
    pub launch_latency: Latency,
    /// Number of hardware queues that a process has; `None` for the number that the device has.
    pub queues: Option<u16>,
    /// Rule for how much a kernel is slowed by kernels of other processes while no resource is
    /// full.
    pub contention: ContentionRule,
    /// Statements of the user on the resource that certain kernels need most.
    pub needs: Vec<NeedClaim>,
    /// Times, in nanoseconds, that the hosts of certain profiles take between two steps or
    /// requests.
    pub thinks: Vec<Named<u64>>,
    /// Rules for how urgent work is, each for certain profiles or streams.
    pub priorities: Vec<Rule>,
    /// Assumption on which workgroups have waves that meet at barriers; profiles do not say so.
    pub barriers: BarrierRule,
    /// Statements of the user, by names of kernels, on whether kernels may be killed and run again.
    pub idempotent: Vec<IdempotenceClaim>,
    /// Files of verdicts on whether kernels may be killed and run again.
    pub idempotent_from: Vec<String>,
    /// Times in the replay at which profiles begin, in nanoseconds.
    pub starts: Vec<Named<u64>>,
    /// Shares of profiles: the weight by which a process gets longer turns, or a larger part of the
    /// device.
    pub shares: Vec<Named<u32>>,
    /// Device memory that programs need, in bytes, as the user states it for profiles.
    pub memory: Vec<Named<u64>>,
    /// Hints that programs give the scheduler about themselves at their start, such as a deadline.
    pub hints: Vec<Named<SaidHint>>,
    /// True if no profile repeats; false if the shorter profiles repeat until the longest has
    /// ended.
    pub once: bool,
    /// Rule for communication kernels, which move data between devices.
    pub comm: CommRule,
    /// Requests that run profiles, and when they arrive.
    pub load: Load,
    /// Paths as the user gave them, where they differ from `profiles`: a folder with the files of
    /// all ranks (processes) of one job, for instance. Empty where the user gave the profiles
    /// themselves.
    pub given: Vec<String>,
    /// Ranks (numbers of processes of one job), or the word `all`, that the user chose from folders
    /// with the files of all ranks; empty where the user chose none.
    pub ranks: Vec<String>,
}

/// Choice of the recipes (sets of scheduling policies) that are replayed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ways {
    /// The recipes (sets of scheduling policies) that the study names are replayed; where it names
    /// none, the default ones.
    #[default]
    Asked,
    /// Every bundled recipe (set of policies) is replayed.
    All,
    /// The ways of sharing that drivers offer for the device, such as MPS, are replayed, each with
    /// the best parameters that a search finds.
    Modes,
}

/// Rule for how much a kernel is slowed by kernels of other processes while no resource is full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ContentionRule {
    /// The slowdown is computed from the memory bandwidth that kernels need, which is estimated
    /// from their names, grids and durations. How much a kernel loses on fewer compute units
    /// follows from the same model.
    #[default]
    Demand,
    /// The slowdown is taken from profiles in which kernels ran side by side. Where none did, the
    /// slowdown is unknown, and the intervals of figures become wider.
    Learnt,
    /// Kernels are not slowed by kernels of other processes while no resource is full.
    None,
}

/// Rule for the time that a launch takes to reach the device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Latency {
    /// A launch takes the time (launch latency) that was fitted to its recording.
    #[default]
    Fitted,
    /// A launch takes no time.
    None,
}

impl Study {
    /// Returns the command `raddle VERB ...` that asks the question of this study, as a list of
    /// words; options that change no figure, such as those for output, are left out.
    pub(crate) fn command(&self, verb: &str, files: &FileNames<'_>) -> Vec<String> {
        let bare = |text: &String| files.file_or_word(text);
        let verb = if self.ways == Ways::Modes { "share" } else { verb };
        let mut command = vec!["raddle".to_owned(), verb.to_owned()];
        let given = if self.given.is_empty() { &self.profiles } else { &self.given };
        command.extend(given.iter().map(|path| files.file(path)));
        let mut more = |option: &str, values: Vec<String>| {
            command.extend(values.into_iter().map(|value| format!("--{option}={value}")));
        };
        let names = |paths: &[String]| paths.iter().map(|path| files.file(path)).collect();
        more("recipe", self.recipes.iter().map(bare).collect());
        more("set", self.settings.iter().map(|setting| setting.text.clone()).collect());
        more("device", self.device.iter().map(bare).collect());
        more("scale", word(changed(self.scale)));
        more("waits", word(changed(self.waits)));
        more("launch-latency", word(changed(self.launch_latency)));
        more("queues", self.queues.iter().map(u16::to_string).collect());
        more("contention", word(changed(self.contention)));
        more("kernel-class", self.needs.iter().map(|claim| claim.text.clone()).collect());
        let time = |it: &Named<u64>| format!("{}={}ms", bare(&it.file), millions_of(it.value));
        more("think", self.thinks.iter().map(time).collect());
        more("priority", self.priorities.iter().map(|rule| rule.text.clone()).collect());
        more("barriers", word(Some(self.barriers)));
        more("comm", word(Some(self.comm)));
        more("idempotent", self.idempotent.iter().map(|claim| claim.text.clone()).collect());
        more("idempotent-from", names(&self.idempotent_from));
        more("start", self.starts.iter().map(time).collect());
        let share = |it: &Named<u32>| format!("{}={}", bare(&it.file), it.value);
        more("share", self.shares.iter().map(share).collect());
        let held = |it: &Named<u64>| format!("{}={}MB", bare(&it.file), millions_of(it.value));
        more("memory", self.memory.iter().map(held).collect());
        let hint = |it: &Named<SaidHint>| format!("{}={}", bare(&it.file), it.value.text);
        more("hint", self.hints.iter().map(hint).collect());
        more("rank", self.ranks.clone());
        more("shapes-from", names(&self.shapes.shapes_from));
        more("goal", self.goals.iter().map(Goal::to_string).collect());
        more("arrivals", self.load.queued.then(|| Load::QUEUED.to_owned()).into_iter().collect());
        more("arrivals", self.load.arrivals.iter().map(|text| files.arrivals(text)).collect());
        let said = |text: &String| match text.ends_with("/s") || text.contains("burst:") {
            true => text.clone(),
            false => files.arrivals(text),
        };
        more("requests", self.load.requests.iter().map(said).collect());
        let span = |ns: Option<u64>| ns.iter().map(|&ns| millions_of(ns) + "ms").collect();
        more("until", span(self.load.until));
        more("seed", self.load.seed.iter().map(u64::to_string).collect());
        more("seeds", self.load.seeds.iter().map(u16::to_string).collect());
        more("jitter", span(self.load.jitter));
        more("time-unit", word(self.load.time_unit));
        more("energy-weights", names(self.energy_weights.as_slice()));
        let flags = [
            ("energy", self.energy),
            ("all", self.ways == Ways::All),
            ("once", self.once),
            ("open-loop", self.open_loop),
            ("partial", self.shapes.partial),
        ];
        let flags = flags.iter().filter(|(_, given)| *given);
        command.extend(flags.map(|(flag, _)| format!("--{flag}")));
        command
    }
}

/// Form in which a printed command names files.
pub(crate) enum FileNames<'f> {
    /// Files are named as the user named them.
    Given,
    /// Files are named without their folders; words that name no file stay as they are.
    Bare(&'f dyn Files),
}

/// Returns the name of a file in a form that no command mistakes for an option: `./` is put before
/// a name that begins with a hyphen.
pub(crate) fn operand(name: String) -> String {
    if name.len() > 1 && name.starts_with('-') { format!("./{name}") } else { name }
}

impl FileNames<'_> {
    pub(crate) fn file(&self, path: &str) -> String {
        match self {
            Self::Given => path.to_owned(),
            Self::Bare(_) => operand(base_name(path)),
        }
    }

    /// Returns the name of a file as a printed command shows it; a text that names no file is
    /// returned unchanged.
    fn file_or_word(&self, text: &str) -> String {
        match self {
            // Beside a file named 40, `40/s` would be taken for a file in that archive.
            Self::Bare(files) if rate(text).is_err() && files.has(text) => base_name(text),
            _ => text.to_owned(),
        }
    }

    /// Returns the value of the option `--arrivals` as a printed command shows it. Where files are
    /// named without folders the value becomes the word `FILE`, as results do not store the file's
    /// name.
    fn arrivals(&self, text: &str) -> String {
        match self {
            Self::Given => text.to_owned(),
            Self::Bare(_) => "FILE".to_owned(),
        }
    }
}

impl Study {
    /// Returns the first missing file among the profiles, the files of shapes and the files of
    /// verdicts that the study names; `None` where all exist.
    #[must_use]
    pub fn missing(&self, files: &dyn Files) -> Option<String> {
        let profiles = self.profiles.iter().map(|name| profiles::times(name, files).0);
        let more = self.shapes.shapes_from.iter().chain(&self.idempotent_from).map(String::as_str);
        let mut all = profiles.chain(more).filter(|name| *name != "-");
        all.find(|name| !files.has(name)).map(str::to_owned)
    }
}

/// Returns a rule if it is not the default; else `None`.
fn changed<R: Default + PartialEq>(rule: R) -> Option<R> {
    Some(rule).filter(|rule| *rule != R::default())
}

/// Returns the word by which an option names a rule, as a list; empty for `None`.
fn word(rule: Option<impl Serialize>) -> Vec<String> {
    let value = rule.and_then(|rule| serde_json::to_value(rule).ok());
    value.iter().filter_map(|value| value.as_str()).map(str::to_owned).collect()
}

/// Writes nanoseconds as milliseconds, or bytes as megabytes, exactly: the number divided by a
/// million.
fn millions_of(ns: u64) -> String {
    let text = format!("{}.{:06}", ns / 1_000_000, ns % 1_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
