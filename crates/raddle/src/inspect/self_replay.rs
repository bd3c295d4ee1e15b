//! How is a profile replayed alone on its own device, to be compared with itself?

use raddle_device::Device;
use raddle_dispatch::Registry;
use raddle_policy::Ticks;
use raddle_sim::{Fidelity, PlanOptions, Workload, plan};

use crate::error::CliError;
use crate::profiles::Loaded;
use crate::{recipes, runs};

/// What comes closest to the device itself: everyone, ordinary, leftover, never.
const RECIPE: &str = "leftover";

/// Replays a profile and compares.
pub(crate) fn run(loaded: &Loaded, own: &Device, progress: bool) -> Result<Fidelity, CliError> {
    let options = PlanOptions { own, target: own, start: Ticks::ZERO, share: 1 };
    let mut process = plan(&loaded.profile, &options, loaded.levels(&[]));
    process.name.clone_from(&loaded.name);
    let workload = Workload { processes: vec![process], repeat: false };
    workload.check(own)?;
    let plan = runs::RunPlan {
        workload: &workload,
        recipes: &recipes::choose(&[RECIPE.to_owned()], &Registry::bundled())?,
        draws: &[],
        target: own,
        detail: None,
        folder: None,
        timeline: None,
        jobs: Some(1),
        progress,
    };
    let runs = runs::Runner::new(plan)?.all()?;
    let outcome = &runs.recipes.first().expect("one recipe gives one entry").together;
    Ok(Fidelity::new(&loaded.profile, own, outcome))
}
