//! How is a profile replayed alone on its own device, to be compared with itself, and what does the
//! model of time learn from that?

use raddle_device::Device;
use raddle_dispatch::Registry;
use raddle_policy::Ticks;
use raddle_sim::{
    Calibration, EnergyModel, LaunchLatency, Outcome, ProcessPlan, WaitRule, Workload, plan,
};

use crate::error::StudyError;
use crate::fidelity::{Fidelity, ModelError};
use crate::fitted::Fitted;
use crate::inspect::SelfReplayed;
use crate::open_load::OpenLoad;
use crate::profiles::Loaded;
use crate::watcher::{Quiet, Watcher};
use crate::{Files, devices, kept_fit, parallel, recipes, runs};

/// The recipe by which a device runs one process.
const RECIPE: &str = "streams";

/// Compares a profile with its recording, as the model was before it learned from the profile, and
/// after. With `latency`, launches take the time that the recording shows, or else that of the other
/// profile, if one is given.
///
/// # Errors
/// When no part of the profile can run there.
pub fn compared(
    (loaded, other): (&Loaded, Option<&Loaded>),
    own: &Device,
    (waits, latency): (WaitRule, bool),
    watcher: &dyn Watcher,
) -> Result<SelfReplayed, StudyError> {
    let before = run(loaded, own, &Fitted::default(), WaitRule::None, watcher)?;
    let (mut fitted, mut found) = fit(loaded, own, waits, latency, watcher)?;
    let mut in_sample = None;
    if let Some(other) = other {
        in_sample = error(loaded, own, (&fitted, found), waits, watcher)?.within;
        (fitted.latency, found) = (LaunchLatency::fitted(&other.profile, waits), None);
    }
    let after = match found {
        Some(found) => found,
        None => run(loaded, own, &fitted, waits, watcher)?,
    };
    let inferred = loaded.profile.stream_waits.iter().filter(|wait| wait.inferred).count();
    let recorded = loaded.profile.stream_waits.len() - inferred;
    Ok(SelfReplayed {
        before: ModelError::of(&before),
        after,
        latency: fitted.latency.into(),
        stream_waits: [recorded as u64, inferred as u64],
        halves: LaunchLatency::halves(&loaded.profile, waits),
        in_sample,
    })
}

/// Fits the model to a profile that was recorded on that device. Returns also how the replay
/// compares with the recording, if that was tried.
///
/// # Errors
/// When no part of the profile can run there.
pub(crate) fn fit(
    loaded: &Loaded,
    own: &Device,
    waits: WaitRule,
    latency: bool,
    watcher: &dyn Watcher,
) -> Result<(Fitted, Option<Fidelity>), StudyError> {
    let fitted = || match latency {
        true => LaunchLatency::fitted(&loaded.profile, waits),
        false => LaunchLatency::default(),
    };
    let (latency, calibrated) = parallel::join(fitted, || calibrated(loaded, own, watcher));
    let Some(calibration) = calibrated? else {
        return Ok((Fitted { latency, ..Fitted::default() }, None));
    };
    let uncalibrated = calibration.uncalibrated();
    let fitted =
        Fitted { workgroups: Some(calibration.into_workgroups().into()), latency, uncalibrated };
    if latency == LaunchLatency::default() {
        Ok((fitted, None))
    } else {
        refined(fitted, loaded, own, waits, watcher)
    }
}

/// Calibrates how long workgroups last; `None` if no kernels ran side by side.
fn calibrated<'l>(
    loaded: &'l Loaded,
    own: &'l Device,
    watcher: &dyn Watcher,
) -> Result<Option<Calibration<'l>>, StudyError> {
    let Some(mut calibration) = Calibration::new(&loaded.profile, own) else { return Ok(None) };
    for _ in 0..Calibration::PASSES {
        let pinned = calibration.plan(loaded.levels(&[]));
        if !calibration.learn(&alone(pinned, own, &Quiet(watcher))?) {
            break;
        }
    }
    Ok(Some(calibration))
}

/// Lowers the handover of a fit. Kernels that ran side by side wait for room too, which the fit
/// knows nothing of. The handover is lowered by quarters for as long as that brings more waits of
/// the self-replay within the goal.
fn refined(
    fitted: Fitted,
    loaded: &Loaded,
    own: &Device,
    waits: WaitRule,
    watcher: &dyn Watcher,
) -> Result<(Fitted, Option<Fidelity>), StudyError> {
    let tried = |quarters: u64| -> Result<(Fitted, Fidelity), StudyError> {
        let handover = Ticks(fitted.latency.handover.0 * quarters / 4);
        let latency = LaunchLatency { handover, ..fitted.latency };
        let tried = Fitted { latency, ..fitted.clone() };
        let found = run(loaded, own, &tried, waits, &Quiet(watcher))?;
        Ok((tried, found))
    };
    let within = |(_, found): &(Fitted, Fidelity)| ModelError::of(found).within;
    let (best, less) = parallel::join(|| tried(4), || tried(3));
    let (mut best, mut less) = (best?, less?);
    for quarters in [2, 1] {
        if within(&less) <= within(&best) {
            break;
        }
        best = less;
        less = tried(quarters)?;
    }
    if within(&less) > within(&best) {
        best = less;
    }
    Ok((best.0, Some(best.1)))
}

/// Replays a profile with the fitted times, and compares the replay with the recording.
fn run(
    loaded: &Loaded,
    own: &Device,
    fitted: &Fitted,
    waits: WaitRule,
    watcher: &dyn Watcher,
) -> Result<Fidelity, StudyError> {
    let options = fitted.options((own, own), waits);
    let mut process = plan(&loaded.profile, &options, loaded.levels(&[]));
    process.name.clone_from(&loaded.name);
    let outcome = alone(process, own, watcher)?;
    Ok(Fidelity::new(&loaded.profile, &options, &outcome))
}

/// Returns how far a replay may be trusted: by `found`, or else by a replay here.
pub(crate) fn error(
    loaded: &Loaded,
    own: &Device,
    (fitted, found): (&Fitted, Option<Fidelity>),
    waits: WaitRule,
    watcher: &dyn Watcher,
) -> Result<ModelError, StudyError> {
    let found = match found {
        Some(found) => found,
        None => run(loaded, own, fitted, waits, &Quiet(watcher))?,
    };
    Ok(ModelError { uncalibrated: fitted.uncalibrated, ..ModelError::of(&found) })
}

/// Fits the model to a profile alone on its own device. Returns also how far the fit may be
/// trusted.
pub(crate) fn judged(
    loaded: &Loaded,
    (waits, latency): (WaitRule, bool),
    files: &dyn Files,
    watcher: &dyn Watcher,
) -> (Fitted, Option<ModelError>) {
    let fitted = || {
        let own = devices::own(&loaded.profile).ok()?.device;
        let key = kept_fit::key(loaded, &own, waits, latency);
        let kept = files.kept(&key);
        if let Some(fit) = kept.and_then(|kept| kept_fit::read(&kept, loaded.profile.ops.len())) {
            return Some(fit);
        }
        // A profile that cannot be replayed on its own device teaches nothing about the model.
        let (fitted, found) = fit(loaded, &own, waits, latency, watcher).ok()?;
        let error = error(loaded, &own, (&fitted, found), waits, watcher).ok()?;
        files.keep(&key, &kept_fit::text(&fitted, Some(&error)));
        Some((fitted, Some(error)))
    };
    fitted().unwrap_or_default()
}

/// Runs one process alone and once.
fn alone(process: ProcessPlan, own: &Device, watcher: &dyn Watcher) -> Result<Outcome, StudyError> {
    let workload = Workload { processes: vec![process], repeat: false };
    workload.check(own)?;
    let plan = runs::RunPlan {
        workload: &workload,
        recipes: &[recipes::bundled(RECIPE, &Registry::bundled())?],
        bounds: &[],
        priced: false,
        draws: &[],
        open: &OpenLoad::default(),
        goals: &[],
        target: own,
        energy: EnergyModel::NONE,
        detail: None,
        leavings: None,
        timeline: None,
        jobs: Some(1),
        watcher,
    };
    let mut runs = runs::Runner::new(plan)?.all()?;
    Ok(runs.recipes.swap_remove(0).together)
}
