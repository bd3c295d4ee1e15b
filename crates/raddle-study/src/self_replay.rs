//! How is a profile replayed alone on the device that it was recorded on, and which times does the
//! model learn from comparing the replay with the recording?

use raddle_device::Device;
use raddle_dispatch::Registry;
use raddle_policy::Ticks;
use raddle_sim::{
    Calibration, EnergyModel, LaunchLatency, Outcome, PlanConfig, ProcessPlan, WaitRule, Workload,
    plan,
};

use crate::error::StudyError;
use crate::fidelity::{Fidelity, ModelError};
use crate::fitted::{FitRules, Fitted};
use crate::inspect::SelfReplayed;
use crate::open_load::OpenLoad;
use crate::profiles::Loaded;
use crate::watcher::{Quiet, Watcher};
use crate::{Files, devices, kept_fit, parallel, recipes, runs};

/// Name of the recipe (set of policies) under which a single process is replayed on its own device.
const RECIPE: &str = "streams";

/// Compares two replays of a profile alone with its recording: the first without fitted times, the
/// second with times fitted to the recording. If `rules.latency` is true, the second has the launch
/// latency that the recording shows. If `other` is given, the latency is that of the recording of
/// `other`.
///
/// # Errors
/// When no part of the profile can run on the device `own`.
pub fn compared(
    (loaded, other): (&Loaded, Option<&Loaded>),
    own: &Device,
    rules: FitRules,
    watcher: &dyn Watcher,
) -> Result<SelfReplayed, StudyError> {
    let rules = rules.of_recording(&loaded.profile, own);
    let options = rules.options(own);
    let unfitted = FitRules { waits: WaitRule::None, ..rules };
    let before = run(loaded, own, &Fitted::default(), unfitted, watcher)?;
    let (mut fitted, mut found) = fit(loaded, own, rules, watcher)?;
    let mut in_sample = None;
    if let Some(other) = other {
        in_sample = error(loaded, own, (&fitted, found), rules, watcher)?.within;
        (fitted.latency, found) = (LaunchLatency::fitted(&other.profile, &options), None);
    }
    let after = match found {
        Some(found) => found,
        None => run(loaded, own, &fitted, rules, watcher)?,
    };
    let inferred = loaded.profile.stream_waits.iter().filter(|wait| wait.inferred).count();
    let recorded = loaded.profile.stream_waits.len() - inferred;
    Ok(SelfReplayed {
        before: ModelError::of(&before),
        after,
        latency: fitted.latency.into(),
        stream_waits: [recorded as u64, inferred as u64],
        halves: LaunchLatency::halves(&loaded.profile, &options),
        in_sample,
    })
}

/// Fits launch latency and workgroup times to a profile that was recorded on `own`. Returns (fit,
/// comparison of the fitted replay with the recording); the comparison is `None` where no such
/// replay was needed for the fit.
///
/// # Errors
///
/// When no part of the profile can run on that device.
pub(crate) fn fit(
    loaded: &Loaded,
    own: &Device,
    rules: FitRules,
    watcher: &dyn Watcher,
) -> Result<(Fitted, Option<Fidelity>), StudyError> {
    let options = rules.options(own);
    let fitted = || match rules.latency {
        true => LaunchLatency::fitted(&loaded.profile, &options),
        false => LaunchLatency::default(),
    };
    let (latency, calibrated) = parallel::join(fitted, || calibrated(loaded, own, watcher));
    let calibration = calibrated?;
    let uncalibrated = calibration.as_ref().and_then(Calibration::uncalibrated);
    let workgroups = calibration.map(|it| it.into_workgroups().into());
    let fitted = Fitted { workgroups, latency, uncalibrated };
    if latency == LaunchLatency::default() {
        Ok((fitted, None))
    } else {
        refined(fitted, loaded, own, rules, watcher).map(|(fitted, found)| (fitted, Some(found)))
    }
}

/// Finds, by repeated replays, how long workgroups would last without kernels beside them; `None`
/// if no kernels ran side by side in the recording.
fn calibrated<'l>(
    loaded: &'l Loaded,
    own: &'l Device,
    watcher: &dyn Watcher,
) -> Result<Option<Calibration<'l>>, StudyError> {
    let levels = loaded.levels(&[]);
    let Some(mut calibration) = Calibration::new(&loaded.profile, own, levels) else {
        return Ok(None);
    };
    for _ in 0..calibration.passes() {
        let pinned = calibration.plan();
        if !calibration.learn(&alone(pinned, own, &Quiet(watcher))?) {
            break;
        }
    }
    Ok(Some(calibration))
}

/// Lowers the launch latency of a fit where that makes the replay agree better with the recording.
/// The fit takes every wait of an op (launch, copy or fill) for latency, even a wait for room or
/// for a copy engine. A replay simulates those waits too, so they would count twice.
///
/// The latency between ops is lowered first, in steps of a quarter, for as long as the replay does
/// not get worse; then the latency from issue to start. No latency at all is tried too. A replay is
/// better if more waits are as recorded (within a tolerance); if equal, by the sum of the errors of
/// waits; if equal again, by the makespan.
///
/// Of equally good fits the one with the least latency is kept. Beside other programs the device is
/// free at other times, and latency that the recording does not show would then count.
fn refined(
    fitted: Fitted,
    loaded: &Loaded,
    own: &Device,
    rules: FitRules,
    watcher: &dyn Watcher,
) -> Result<(Fitted, Fidelity), StudyError> {
    let LaunchLatency { launch, handover } = fitted.latency;
    let latency = |launches: u64, handovers: u64| {
        let part = |of: Ticks, quarters: u64| Ticks(of.0 / 4 * quarters + of.0 % 4 * quarters / 4);
        LaunchLatency { launch: part(launch, launches), handover: part(handover, handovers) }
    };
    let tried = |launches: u64, handovers: u64| -> Result<(Fitted, Fidelity), StudyError> {
        let tried = Fitted { latency: latency(launches, handovers), ..fitted.clone() };
        let found = run(loaded, own, &tried, rules, &Quiet(watcher))?;
        Ok((tried, found))
    };
    let (best, none) = parallel::join(|| tried(4, 4), || tried(0, 0));
    let (mut best, none) = (best?, none?);
    let mut least = (4, 4);
    for of_handover in [true, false] {
        if (if of_handover { handover } else { launch }) == Ticks::ZERO {
            continue;
        }
        for quarters in (0..4).rev() {
            let parts = if of_handover { (least.0, quarters) } else { (quarters, least.1) };
            // The replay without latency is there already, and is compared with the best below.
            if latency(parts.0, parts.1) == LaunchLatency::default() {
                break;
            }
            let less = tried(parts.0, parts.1)?;
            if !is_as_good(&less.1, &best.1) {
                break;
            }
            (best, least) = (less, parts);
        }
    }
    Ok(if is_as_good(&none.1, &best.1) { none } else { best })
}

/// Returns whether replay `one` agrees with the recording at least as well as replay `other`: in
/// its waits, then in its makespan.
fn is_as_good(one: &Fidelity, other: &Fidelity) -> bool {
    let within = |found: &Fidelity| found.waits.as_ref().map_or(0.0, |waits| waits.within);
    let error = |found: &Fidelity| found.waits.as_ref().map_or(0, |waits| waits.error_ns);
    let off = |found: &Fidelity| found.simulated_makespan_ns.abs_diff(found.recorded_makespan_ns);
    let more = within(one).total_cmp(&within(other));
    more.then(error(other).cmp(&error(one))).then(off(other).cmp(&off(one))).is_ge()
}

/// Replays a profile alone with the fitted times, and compares the replay with the recording.
fn run(
    loaded: &Loaded,
    own: &Device,
    fitted: &Fitted,
    rules: FitRules,
    watcher: &dyn Watcher,
) -> Result<Fidelity, StudyError> {
    let queues = rules.queues;
    let options = PlanConfig { queues, ..fitted.options((own, own), rules.waits) };
    let mut process = plan(&loaded.profile, &options, loaded.levels(&[]));
    process.name.clone_from(&loaded.name);
    let outcome = alone(process, own, watcher)?;
    Ok(Fidelity::new(&loaded.profile, &options, &outcome))
}

/// Returns the errors of a fitted replay against the recording. They are taken from the comparison
/// `found`; where that is `None`, the replay is made first.
pub(crate) fn error(
    loaded: &Loaded,
    own: &Device,
    (fitted, found): (&Fitted, Option<Fidelity>),
    rules: FitRules,
    watcher: &dyn Watcher,
) -> Result<ModelError, StudyError> {
    let found = match found {
        Some(found) => found,
        None => run(loaded, own, fitted, rules, &Quiet(watcher))?,
    };
    Ok(ModelError { uncalibrated: fitted.uncalibrated, ..ModelError::of(&found) })
}

/// Fits launch latency and workgroup times to a profile alone on its own device, or takes the fit
/// that an earlier command stored. Returns (fit, errors of the fitted replay); the errors are
/// `None` where the profile cannot be replayed on that device.
pub(crate) fn judged(
    loaded: &Loaded,
    rules: FitRules,
    files: &dyn Files,
    watcher: &dyn Watcher,
) -> (Fitted, Option<ModelError>) {
    let fitted = || {
        let own = devices::own(&loaded.profile).ok()?.device;
        let rules = rules.of_recording(&loaded.profile, &own);
        let key = kept_fit::key(loaded, &own, rules);
        let kept = files.kept(&key);
        if let Some(fit) = kept.and_then(|kept| kept_fit::read(&kept, loaded.profile.ops.len())) {
            return Some(fit);
        }
        // A profile that cannot be replayed on its own device teaches nothing about the model.
        let (fitted, found) = fit(loaded, &own, rules, watcher).ok()?;
        let error = error(loaded, &own, (&fitted, found), rules, watcher).ok()?;
        files.keep(&key, &kept_fit::text(&fitted, Some(&error)));
        Some((fitted, Some(error)))
    };
    fitted().unwrap_or_default()
}

/// Simulates one repetition of one process alone on a device.
fn alone(process: ProcessPlan, own: &Device, watcher: &dyn Watcher) -> Result<Outcome, StudyError> {
    let workload = Workload { processes: vec![process], repeat: false };
    workload.check(own)?;
    let plan = runs::RunsPlan {
        workload: &workload,
        recipes: &[recipes::bundled(RECIPE, &Registry::bundled())?],
        bounds: &[],
        priced: false,
        queued: None,
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
