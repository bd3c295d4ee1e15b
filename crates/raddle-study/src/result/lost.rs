//! Which launches never ran or never ended, and which resource was missing?

use std::collections::BTreeMap;

use raddle_device::Device;
use raddle_dispatch::{Recipe, Standstill};
use raddle_policy::{Refusal, Resource};
use raddle_sim::Outcome;
use raddle_workgroup::{MatchingConfig, SearchRule};
use serde::Serialize;

use super::device::unit;
use super::facts::ReplayedProfile;
use super::overturning::Overturning;
use super::runs::{RecipeRun, Replay};
use crate::answer::PolicyFigures;
use crate::units::{counted, percent, share};

/// Launches of one kernel that can never run on the device, all for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RefusedLaunches {
    /// Name of the profile whose launches can never run.
    pub profile: String,
    /// Name of the kernel whose launches can never run.
    pub kernel: String,
    /// Name of the resource of which there is too little for the launches.
    pub resource: &'static str,
    /// Amount of the resource that one workgroup needs, in the unit `unit`.
    pub wanted: u64,
    /// Largest amount of the resource that a workgroup can get on the empty device, in the unit
    /// `unit`.
    pub available: u64,
    /// Unit of the amounts, such as "bytes of shared memory".
    pub unit: &'static str,
    /// Room on a compute unit that the recipe's inexact search for free registers or memory
    /// overlooks. `None` where this is not why the launches cannot run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreported: Option<Unreported>,
    /// Number of launches of the kernel that can never run for this reason.
    pub launches: u64,
}

/// Free room on a compute unit that a recipe's search overlooks. Such an inexact search is cheaper
/// in hardware than a full one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Unreported {
    /// Name of the inexact search that the recipe uses, such as `sampled`.
    pub search: &'static str,
    /// Largest amount of the resource that an empty compute unit has in one piece, in the unit of
    /// the refused launches.
    pub there_is: u64,
}

/// Launches of one kernel that never ended in a replay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StuckLaunches {
    /// Name of the profile whose launches never ended.
    pub profile: String,
    /// Name of the kernel whose launches never ended.
    pub kernel: String,
    /// Number of launches of the kernel that never ended.
    pub launches: u64,
}

/// Reason why some launches of a replay never ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NeverEnded {
    pub(crate) why: String,
    /// True if the reason is a fault of raddle itself, not of a policy or of the input.
    pub(crate) fault: bool,
}

impl NeverEnded {
    /// Explains why launches of a replay under a recipe (set of policies) never ended; `None` where
    /// all launches ended, or the reason is unknown.
    pub(super) fn new(recipe: &Recipe, outcome: &Outcome) -> Option<Self> {
        let why = match outcome.standstill? {
            Standstill::Policy { slot, law, setting } => {
                let (policy, outside, of) = match slot {
                    "turn" => (recipe.turn().policy(), recipe.turn().is_from_outside(), "Turn"),
                    _ => (
                        recipe.allocate().policy(),
                        recipe.allocate().is_from_outside(),
                        "Allocate",
                    ),
                };
                match setting {
                    Some(setting) => format!(
                        "with `{setting}` work under `{policy}` may wait for work that waits for it"
                    ),
                    None if outside => format!(
                        "`{policy}` breaks law {law} of `raddle_policy::{of}`: it waits although nothing else will happen; `raddle_testkit` checks the laws"
                    ),
                    None => {
                        return Some(Self::fault(&format!("law {law} of `{of}` by `{policy}`")));
                    }
                }
            }
            Standstill::Peers => {
                "ranks wait for peers that find no room or get no turn beside them".to_owned()
            }
            _ => return Some(Self::fault("the dispatcher")),
        };
        Some(Self { why, fault: false })
    }

    fn fault(whose: &str) -> Self {
        Self { why: format!("this is a fault of raddle ({whose})"), fault: true }
    }
}

/// Returns the room on an empty compute unit that the recipe's inexact search overlooks, if it
/// would suffice for the refused workgroup; else `None`. `size` is the number of readable units
/// (such as bytes) in one granule, the smallest amount that is handed out.
fn unreported(recipe: &Recipe, device: &Device, why: &Refusal, size: u64) -> Option<Unreported> {
    let config: &MatchingConfig = recipe.allocate().settings()?;
    let search = match config.search() {
        SearchRule::Full => return None,
        SearchRule::Grouped { .. } => "grouped",
        SearchRule::Sampled { .. } => "sampled",
        SearchRule::Shared { .. } => "shared",
    };
    let there_is: u64 = match why.resource {
        Resource::Vgpr => device.shape.vgpr_per_simd.into(),
        Resource::Sgpr => device.shape.sgpr.into(),
        Resource::Lds => device.shape.lds.into(),
        _ => return None,
    };
    (why.wanted <= there_is).then(|| Unreported { search, there_is: there_is.saturating_mul(size) })
}

pub(super) fn refusals(replay: &Replay<'_>, run: &RecipeRun) -> Vec<RefusedLaunches> {
    let mut found: BTreeMap<_, RefusedLaunches> = BTreeMap::new();
    for refused in &run.together.refused {
        let profile = &replay.profiles[usize::from(refused.process)];
        let (kernel, why) = (profile.kernel(refused.task), refused.refusal);
        let op = &profile.profile.ops[refused.task as usize];
        let (size, unit) = unit(replay.target, why.resource, &op.footprint);
        let key = (refused.process, kernel.clone(), why.resource, why.wanted, why.available);
        let entry = found.entry(key).or_insert_with(|| RefusedLaunches {
            profile: profile.name.to_owned(),
            kernel,
            resource: why.resource.name(),
            wanted: why.wanted.saturating_mul(size),
            available: why.available.saturating_mul(size),
            unit,
            unreported: unreported(&run.recipe, replay.target, &why, size),
            launches: 0,
        });
        entry.launches += 1;
    }
    found.into_values().collect()
}

pub(super) fn stuck(outcome: &Outcome, profiles: &[ReplayedProfile<'_>]) -> Vec<StuckLaunches> {
    let mut found: BTreeMap<(u16, String), StuckLaunches> = BTreeMap::new();
    for launch in &outcome.stuck {
        let record = &outcome.records[launch.index()];
        let profile = &profiles[usize::from(record.process)];
        let kernel = profile.kernel(record.task);
        let entry = found.entry((record.process, kernel.clone()));
        let profile = profile.name.to_owned();
        entry.or_insert(StuckLaunches { profile, kernel, launches: 0 }).launches += 1;
    }
    found.into_values().collect()
}

/// Smallest fraction of a profile's kernel time that makes the study's answer doubtful if that much
/// work never runs in a replay.
const NOTICED: f64 = 0.01;
/// Fraction of a profile's kernel time above which the answer is about the part that ran alone.
const MOST: f64 = 0.5;

/// Describes the profiles of which some launches can never run under some recipe. Replays count no
/// time for such launches, so the study's answer may be wrong where they make up a large part of
/// the kernel time.
pub(crate) fn never_ran(
    profiles: &[ReplayedProfile<'_>],
    runs: &[(&str, LostLaunches)],
) -> LostWork {
    let lost = || runs.iter().map(|(_, lost)| lost);
    let mut work = LostWork::default();
    let mut overturning: Vec<(&str, String)> = Vec::new();
    let mut worst = 0.0_f64;
    for (at, loaded) in profiles.iter().enumerate() {
        let all = loaded.kernel_ns();
        let most = lost().map(|of| of[at]).max_by_key(|&(_, ns)| ns).unwrap_or_default();
        let (launches, ns) = most;
        if launches == 0 {
            continue;
        }
        let least = lost().map(|of| of[at]).min_by_key(|&(launches, _)| launches);
        let least = least.filter(|&(launches, _)| launches > 0);
        work.everywhere.extend(least.map(|(launches, ns)| {
            let launches = counted(launches, "launch", "launches");
            let part = share(ns, all);
            work.worst_everywhere = work.worst_everywhere.max(part);
            format!("{launches} of {} ({} of its kernel time)", loaded.name, percent(part))
        }));
        let under = runs.iter().filter(|(_, of)| of[at].0 > 0);
        let under: Vec<&str> = under.map(|(name, _)| *name).collect();
        let under = match under.len() {
            n if n == runs.len() => String::new(),
            _ => format!(" under {}", under.join(", ")),
        };
        let part = share(ns, all);
        let text = format!(
            "{} of {}, {} of its kernel time, can never run here{under} and take no time: its figures are of the rest",
            counted(launches, "launch", "launches"),
            loaded.name,
            percent(part)
        );
        if part < NOTICED {
            work.warnings.push(text);
        } else {
            worst = worst.max(part);
            overturning.push((loaded.name, text));
        }
    }
    work.overturning = Overturning::of(overturning, |names| {
        format!("{names}: {} of kernel time never ran, figures lack it", percent(worst))
    });
    work
}

/// Work that never ran under some recipe (set of scheduling policies), in words for a person.
#[derive(Debug, Default)]
pub(crate) struct LostWork {
    /// Warning for the top of the result, where the lost work can make the study's answer wrong;
    /// else `None`.
    pub(crate) overturning: Option<Overturning>,
    /// Sentences about profiles that lost too little work to make the study's answer wrong, one
    /// each.
    pub(crate) warnings: Vec<String>,
    /// Launches of each profile that can run under none of the recipes (sets of policies), in
    /// words.
    everywhere: Vec<String>,
    /// Largest fraction of the kernel time of a profile that runs under none of the recipes.
    worst_everywhere: f64,
}

impl LostWork {
    /// Names the launches that can run under no recipe (set of policies); `None` where there are
    /// none.
    fn told(&self) -> Option<String> {
        (!self.everywhere.is_empty()).then(|| self.everywhere.join(", "))
    }

    /// Adds to an answer the launches that can run under no recipe (set of policies), and returns
    /// them in words; `None` where there are none.
    pub(crate) fn tell(&self, answer: &mut PolicyFigures) -> Option<String> {
        let launches = self.told()?;
        answer.add(&format!("The figures lack {launches}, which can never run here."));
        if self.worst_everywhere > MOST {
            answer.of_the_part_that_ran();
        }
        Some(launches)
    }
}

/// Launches that never ran in a replay, one entry for each profile: (number of launches of the
/// first repetition, sum of their recorded durations in ns).
pub(crate) type LostLaunches = Vec<(u64, u128)>;

/// Returns the fraction of the kernel time of each profile that never ran, 0 to 1.
pub(crate) fn lost_shares(profiles: &[ReplayedProfile<'_>], lost: &LostLaunches) -> Vec<f64> {
    let own =
        |(loaded, &(_, ns)): (&ReplayedProfile<'_>, &(u64, u128))| share(ns, loaded.kernel_ns());
    profiles.iter().zip(lost).map(own).collect()
}

/// Returns the launches that the device refused in the replay `run` as they can never run there,
/// one entry for each profile.
pub(crate) fn lost_in(profiles: &[ReplayedProfile<'_>], run: &Outcome) -> LostLaunches {
    let mut lost = vec![(0_u64, 0_u128); profiles.len()];
    for refused in &run.refused {
        let process = usize::from(refused.process);
        let (launches, ns) = &mut lost[process];
        *launches += 1;
        *ns += u128::from(profiles[process].profile.ops[refused.task as usize].duration_ns);
    }
    lost
}
