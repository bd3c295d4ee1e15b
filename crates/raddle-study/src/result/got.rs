//! How much of the device was guaranteed to each process, how much did it use, and how much was
//! lent to it?

use raddle_device::Vendor;
use raddle_dispatch::Recipe;
use raddle_sim::{Outcome, ProcessSummary, Summary};
use serde::Serialize;

use super::runs::RecipeRun;
use crate::share::without_parameters;

/// Part of the device that one process got under a recipe (set of policies), as fractions from 0 to
/// 1.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct TenantGot {
    /// Name of the process that got this part of the device.
    pub process: String,
    /// Weight that the user gave the process (its share), as a fraction of the sum over all
    /// processes.
    pub asked: f64,
    /// Fraction of the device that is the part of the process whatever the others do; `part_is` says
    /// what that means. `None` where it has no part.
    pub guaranteed: Option<f64>,
    /// Kind of `guaranteed`; `None` where nothing is guaranteed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part_is: Option<PartKind>,
    /// Wave-slot time that the process used, as a fraction of the wave-slot time that all processes
    /// used.
    pub received: f64,
    /// Wave-slot time that the process got beyond its guarantee, as others left theirs unused: a
    /// fraction of the wave-slot time that all processes used. `None` where nothing is guaranteed.
    pub lent: Option<f64>,
    /// Number of requests or steps of the process that ended per second; `None` where it has
    /// neither.
    pub per_second: Option<f64>,
    /// Bounds (least, most) of the requests or steps ended per second that follow from the
    /// uncertain cost of contention; `None` where contention is not charged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_second_between: Option<[f64; 2]>,
}

/// Meaning of the part of the device that one process has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PartKind {
    /// Compute units that no other process may use.
    Own,
    /// Limit of the process, which keeps nothing for it, as percentages of MPS do.
    AtMost,
    /// Compute units that are the process's whenever it needs them; idle ones serve others.
    AtLeast,
    /// Part of the turns on the whole device, which others take while the process has nothing to
    /// run.
    OfTurns,
}

impl PartKind {
    /// Returns words that can stand behind the part, as in "30.0% at most".
    #[must_use]
    pub const fn told(self) -> &'static str {
        match self {
            Self::Own => "its own",
            Self::AtMost => "at most",
            Self::AtLeast => "at least",
            Self::OfTurns => "of turns",
        }
    }

    /// Returns the meaning of the parts that a recipe gives processes, on a device of this vendor.
    /// What drivers set is not always what is simulated: percentages of MPS limit, and are simulated
    /// as units of one process. Instances of MIG (`is_mig`) have units of their own.
    fn of(guarantee: GuaranteeOf, is_mig: bool, vendor: Vendor) -> Self {
        match guarantee {
            GuaranteeOf::Units if vendor == Vendor::Nvidia && !is_mig => Self::AtMost,
            GuaranteeOf::Units => Self::Own,
            GuaranteeOf::LentUnits => Self::AtLeast,
            GuaranteeOf::Turns => Self::OfTurns,
        }
    }
}

/// Parts of the device that a recipe (set of policies) guarantees to each process, whatever the
/// other processes do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guarantee {
    /// Guaranteed part of each process, in the unit of `all`, such as compute units.
    pub parts: Vec<u64>,
    /// Whole device in the unit of `parts`, such as its number of compute units; more than the sum
    /// of `parts` where some belong to no process.
    pub all: u64,
    /// Kind of resource of which each process has a guaranteed part: compute units or turns.
    pub of: GuaranteeOf,
}

/// Kind of resource of which a recipe (set of policies) guarantees each process a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GuaranteeOf {
    /// The guarantee is of compute units that no other process may use.
    Units,
    /// The guarantee is of compute units that serve others while their owner has nothing to start.
    LentUnits,
    /// The guarantee is of turns on the whole device, which go to other processes while their owner
    /// has nothing to run.
    Turns,
}

impl Guarantee {
    /// Returns the parts that a recipe (set of policies) guarantees to processes with the shares
    /// `shares`; `None` where it guarantees none.
    #[must_use]
    pub fn new(recipe: &Recipe, shares: &[u32]) -> Option<Self> {
        let [_, turn, allocate, _] = recipe.policies();
        let asked = || shares.iter().map(|&share| u64::from(share));
        let (parts, all, of) = match (turn, allocate) {
            (_, "spatial") => {
                let settings = serde_json::to_value(recipe).ok()?;
                let given = &settings["allocate"];
                let own = |(at, own)| given["shares"][at].as_u64().unwrap_or(own);
                let lends = given["lend"].as_bool().unwrap_or(false);
                let of = if lends { GuaranteeOf::LentUnits } else { GuaranteeOf::Units };
                let parts = asked().enumerate().map(own).collect();
                (parts, given["of"].as_u64().unwrap_or(0), of)
            }
            ("round-robin" | "unmap-all", _) => (vec![1; shares.len()], 0, GuaranteeOf::Turns),
            ("weighted-slices" | "vruntime", _) => (asked().collect(), 0, GuaranteeOf::Turns),
            _ => return None,
        };
        let all = parts.iter().fold(0, |sum: u64, part| sum.saturating_add(*part)).max(all).max(1);
        Some(Self { parts, all, of })
    }

    fn share(&self, process: usize) -> Option<f64> {
        Some(*self.parts.get(process)? as f64 / self.all as f64)
    }

    /// Returns the wave-slot time that a process used beyond its guaranteed part, as other
    /// processes left it unused, in wave slots times ns. It is 0 where nothing can be lent, and
    /// `None` where it was not recorded.
    fn lent(&self, run: &RecipeRun, process: usize) -> Option<f64> {
        let Outcome { times, wave_ns, first, last, .. } = &run.together;
        let used = *wave_ns.get(process)? as f64;
        match self.of {
            GuaranteeOf::Units => Some(0.0),
            GuaranteeOf::LentUnits => run.lent.as_ref()?.get(process).map(|&lent| lent as f64),
            GuaranteeOf::Turns => {
                let ran = times.processes.get(process)?.run_ns as f64;
                let own = last.since(*first).0 as f64 * self.share(process)?;
                Some(if ran > own { used * (ran - own) / ran } else { 0.0 })
            }
        }
    }
}

/// Returns the part of the device that every process got in a replay with this summary; empty with
/// one process.
pub(super) fn got(
    summary: &Summary,
    (shares, vendor): (&[u32], Vendor),
    run: &RecipeRun,
) -> Vec<TenantGot> {
    if summary.processes.len() < 2 {
        return Vec::new();
    }
    let guarantee = Guarantee::new(&run.recipe, shares);
    let is_mig = without_parameters(&run.name) == "mig";
    let asked: u64 = shares.iter().map(|&share| u64::from(share)).sum();
    let used = &run.together.wave_ns;
    let all = used.iter().sum::<u128>().max(1) as f64;
    let of = |(process, of): (usize, &ProcessSummary)| {
        let share = f64::from(shares.get(process).copied().unwrap_or(0));
        let per_second = rate(of);
        TenantGot {
            process: of.name.clone(),
            asked: round(share / asked.max(1) as f64),
            guaranteed: guarantee.as_ref().and_then(|it| it.share(process)).map(round),
            part_is: guarantee.as_ref().map(|it| PartKind::of(it.of, is_mig, vendor)),
            received: round(used.get(process).map_or(0.0, |&own| own as f64) / all),
            lent: guarantee.as_ref().and_then(|it| it.lent(run, process)).map(|it| round(it / all)),
            per_second: per_second.map(round),
            per_second_between: per_second
                .and_then(|expected| rates(run, process, expected))
                .map(|between| between.map(round)),
        }
    };
    summary.processes.iter().enumerate().map(of).collect()
}

fn round(share: f64) -> f64 {
    (share * 10_000.0).round() / 10_000.0
}

/// Returns the number of requests or steps of a process that ended per second; `None` where none
/// ended.
fn rate(of: &ProcessSummary) -> Option<f64> {
    let requests = of.requests.as_ref().filter(|it| it.ended > 0);
    let served = requests.map(|it| it.ended as f64 * 1e9 / it.last_end_ns.max(1) as f64);
    served.or_else(|| of.steps.filter(|steps| steps.ended > 0).map(|steps| steps.per_second))
}

/// Returns bounds (least, most) of the requests or steps per second of a process that follow from
/// the uncertain cost of contention; `None` where contention is not charged.
fn rates(run: &RecipeRun, process: usize, expected: f64) -> Option<[f64; 2]> {
    let bounds = run.bounds.iter().map(|of| of.processes.get(process).and_then(rate));
    let all: Option<Vec<f64>> = bounds.chain([Some(expected)]).collect();
    let all = all.filter(|all| all.len() > 1)?;
    let least = all.iter().copied().fold(f64::INFINITY, f64::min);
    Some([least, all.iter().copied().fold(0.0, f64::max)])
}
