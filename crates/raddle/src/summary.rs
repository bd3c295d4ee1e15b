//! What came out, as one document: `summary.json`, `--format json`, and what the text is made from.
//!
//! No paths and nothing from the metadata of a profile: equal input gives equal bytes anywhere.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use raddle_device::Device;
use raddle_dispatch::Recipe;
use raddle_policy::Resource;
use raddle_sim::{Outcome, Summary, Workload};
use raddle_trace::OpKind;
use raddle_workgroup::{MatchingConfig, Search};
use serde::Serialize;

use crate::devices::{Told, unit};
use crate::profiles::Loaded;
use crate::recipes::NamedRecipe;
use crate::runs::{LOG, Runs};
use crate::sources::Source;
use crate::timelines::Drawn;
use crate::units::{counted, percent, share};

/// The whole result of a replay.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct Report {
    /// The version of this tool.
    pub(crate) raddle: &'static str,
    /// What was replayed on.
    pub(crate) device: Told,
    /// What was replayed.
    pub(crate) profiles: Vec<Source>,
    /// Under which rules: what every figure rests on.
    pub(crate) assumptions: Vec<String>,
    /// What a reader should think about.
    pub(crate) warnings: Vec<String>,
    /// The recipes under which launches never ended: their figures are of the rest.
    pub(crate) stuck: Vec<String>,
    /// One entry a recipe.
    pub(crate) recipes: Vec<RecipeResult>,
}

/// The result of one recipe.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct RecipeResult {
    pub(crate) name: String,
    /// Launch path, turn, allocate, preempt and their parameters.
    pub(crate) recipe: Recipe,
    /// Its decision log, within the folder of results.
    pub(crate) log: Option<String>,
    /// How large that is.
    pub(crate) log_bytes: Option<u64>,
    /// Its timeline, if one was drawn.
    pub(crate) timeline: Option<Drawn>,
    pub(crate) summary: Summary,
    /// Launches of first repetitions that can never run.
    pub(crate) refusals: Vec<Refusal>,
    /// Such launches in later repetitions.
    pub(crate) refused_again: u64,
    /// Launches that never ended although nothing more could happen.
    pub(crate) stuck: Vec<Stuck>,
}

/// Launches that can never run, for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Refusal {
    pub(crate) profile: String,
    pub(crate) kernel: String,
    /// What lacks: the limiter.
    pub(crate) resource: &'static str,
    /// How much one workgroup wants, and how much there is; in `unit`.
    pub(crate) wanted: u64,
    pub(crate) available: u64,
    pub(crate) unit: &'static str,
    /// What there is although it is not reported, where that is why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unreported: Option<Unreported>,
    pub(crate) launches: u64,
}

/// Room that an approximate search does not see.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct Unreported {
    /// The search of the recipe.
    pub(crate) search: &'static str,
    /// How much an empty compute unit has in one run, in the unit of the refusal.
    pub(crate) there_is: u64,
}

/// Launches that never ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Stuck {
    pub(crate) profile: String,
    pub(crate) kernel: String,
    pub(crate) launches: u64,
}

impl RecipeResult {
    pub(crate) fn new(
        named: &NamedRecipe,
        workload: &Workload,
        runs: &Runs,
        profiles: &[Loaded],
        device: &Device,
        folder: Option<&Path>,
    ) -> Self {
        let Runs { together, timeline, alone } = runs;
        let log = format!("{}/{LOG}", named.name);
        let bytes = |folder: &Path| Some(fs::metadata(folder.join(&log)).ok()?.len());
        let log_bytes = folder.and_then(bytes);
        let base: Vec<&Outcome> =
            if alone.is_empty() { vec![together] } else { alone.iter().collect() };
        Self {
            name: named.name.clone(),
            recipe: named.recipe.clone(),
            log: log_bytes.map(|_| log),
            log_bytes,
            timeline: timeline.clone(),
            summary: Summary::new(workload, together, &base),
            refusals: refusals(together, profiles, device, &named.recipe),
            refused_again: together.refused_again,
            stuck: stuck(together, profiles),
        }
    }
}

/// The name of a task's kernel.
fn kernel(profiles: &[Loaded], process: u16, task: u32) -> (String, String) {
    let loaded = &profiles[usize::from(process)];
    let op = &loaded.profile.ops[task as usize];
    let kernel = loaded.profile.kernels.get(op.kernel as usize);
    (loaded.name.clone(), kernel.cloned().unwrap_or_default())
}

impl RecipeResult {
    /// How many launches of a process never ended.
    pub(crate) fn stuck_of(&self, process: &str) -> u64 {
        let own = self.stuck.iter().filter(|stuck| stuck.profile == process);
        own.map(|stuck| stuck.launches).sum()
    }
}

/// What a search does not report of a resource, where an empty compute unit would have room.
fn unreported(
    recipe: &Recipe,
    device: &Device,
    why: &raddle_policy::Refusal,
    size: u64,
) -> Option<Unreported> {
    let config: &MatchingConfig = recipe.allocate.settings()?;
    let search = match config.search {
        Search::Full => return None,
        Search::Grouped { .. } => "grouped",
        Search::Sampled { .. } => "sampled",
        Search::Shared { .. } => "shared",
    };
    let there_is: u64 = match why.resource {
        Resource::Vgpr => device.shape.vgpr_per_simd.into(),
        Resource::Sgpr => device.shape.sgpr.into(),
        Resource::Lds => device.shape.lds.into(),
        _ => return None,
    };
    (why.wanted <= there_is).then(|| Unreported { search, there_is: there_is.saturating_mul(size) })
}

fn refusals(
    outcome: &Outcome,
    profiles: &[Loaded],
    device: &Device,
    recipe: &Recipe,
) -> Vec<Refusal> {
    let mut found: BTreeMap<_, Refusal> = BTreeMap::new();
    for refused in &outcome.refused {
        let (profile, kernel) = kernel(profiles, refused.process, refused.task);
        let why = refused.refusal;
        let op = &profiles[usize::from(refused.process)].profile.ops[refused.task as usize];
        let (size, unit) = unit(device, why.resource, &op.footprint);
        let key = (refused.process, kernel.clone(), why.resource, why.wanted, why.available);
        let entry = found.entry(key).or_insert_with(|| Refusal {
            profile,
            kernel,
            resource: why.resource.name(),
            wanted: why.wanted.saturating_mul(size),
            available: why.available.saturating_mul(size),
            unit,
            unreported: unreported(recipe, device, &why, size),
            launches: 0,
        });
        entry.launches += 1;
    }
    found.into_values().collect()
}

fn stuck(outcome: &Outcome, profiles: &[Loaded]) -> Vec<Stuck> {
    let mut found: BTreeMap<(u16, String), Stuck> = BTreeMap::new();
    for launch in &outcome.stuck {
        let record = &outcome.records[launch.index()];
        let (profile, kernel) = kernel(profiles, record.process, record.task);
        let entry = found.entry((record.process, kernel.clone()));
        let entry = entry.or_insert(Stuck { profile, kernel, launches: 0 });
        entry.launches += 1;
    }
    found.into_values().collect()
}

/// The recipes under which launches never ended.
pub(crate) fn stuck_names(recipes: &[RecipeResult]) -> Vec<String> {
    let stuck = recipes.iter().filter(|result| result.summary.stuck > 0);
    stuck.map(|result| result.name.clone()).collect()
}

/// Of how many recipes launches never ended, and of which; `None` where all launches did.
pub(crate) fn stuck_under(recipes: &[RecipeResult]) -> Option<String> {
    let stuck = recipes.iter().filter(|result| result.summary.stuck > 0);
    let told: Vec<String> = stuck
        .map(|result| {
            let launches = counted(result.summary.stuck, "launch", "launches");
            format!("{launches} under {}", result.name)
        })
        .collect();
    (!told.is_empty()).then(|| format!("{} never ended", told.join(", ")))
}

/// A warning for each profile of which something can never run: what is refused takes no time.
pub(crate) fn refused_shares(profiles: &[Loaded], runs: &[Runs]) -> Vec<String> {
    let Some(run) = runs.first() else {
        return Vec::new();
    };
    let mut lost = vec![(0_u64, 0_u128); profiles.len()];
    for refused in &run.together.refused {
        let process = usize::from(refused.process);
        let (launches, ns) = &mut lost[process];
        *launches += 1;
        *ns += u128::from(profiles[process].profile.ops[refused.task as usize].duration_ns);
    }
    let of = |(loaded, &(launches, ns)): (&Loaded, &(u64, u128))| {
        let kernels = loaded.profile.ops.iter().filter(|op| op.kind == OpKind::Kernel);
        let all = kernels.map(|op| u128::from(op.duration_ns)).sum();
        (launches > 0).then(|| {
            format!(
                "{} of {}, {} of its kernel time, can never run here and take no time: its figures are of the rest",
                counted(launches, "launch", "launches"),
                loaded.name,
                percent(share(ns, all))
            )
        })
    };
    profiles.iter().zip(&lost).filter_map(of).collect()
}
