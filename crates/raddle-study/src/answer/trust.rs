//! How far may a verdict be believed? The answer is short sentences, without their full stops.

use std::collections::BTreeSet;

use super::evidence::{evidence, evidence_in_brief};
use super::{ErrorsMeasured, JudgedProcess, PolicyFigures};
use crate::fidelity::ModelError;

/// Returns the sentences that say how far the figures may be believed, with some on each process.
pub(super) fn trust(figures: &PolicyFigures) -> Vec<String> {
    let mut trust = begun(figures);
    for (at, process) in figures.processes.iter().enumerate() {
        let name = &process.name;
        if let Some((device, scaled)) = elsewhere(process) {
            trust.push(format!("{name} was recorded on {device} and is {scaled}"));
        }
        if let Some(errors) = errors(process.self_replay, process.end_error) {
            trust.push(format!("{name} replayed alone, errors: {errors}"));
        }
        trust.extend(evidence(figures, at));
    }
    trust.extend(figures.without_bounds());
    trust
}

/// Returns the sentences that say how far the figures may be believed, in brief: of each kind of
/// error only the worst over all processes.
pub(super) fn trust_in_brief(figures: &PolicyFigures) -> Vec<String> {
    let mut trust = begun(figures);
    let processes = || figures.processes.iter();
    let places: BTreeSet<(&str, String)> = processes().filter_map(elsewhere).collect();
    for place in places {
        let of = processes().filter(|it| elsewhere(it).as_ref() == Some(&place));
        let names: Vec<&str> = of.map(|it| &*it.name).collect();
        let (device, scaled) = place;
        trust.push(match names.as_slice() {
            [one] => format!("{one} was recorded on {device} and is {scaled}"),
            all => format!("{} were recorded on {device} and are {scaled}", all.join(", ")),
        });
    }
    let replayed = || processes().filter(|it| it.self_replay.is_some());
    let replays = || processes().filter_map(|it| it.self_replay);
    let most = |of: fn(ModelError) -> f64| {
        replays().map(of).max_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap_or_default()
    };
    let worst = ModelError {
        busy: most(|found| found.busy),
        uncalibrated: None,
        makespan: most(|found| found.makespan),
        within: replays().filter_map(|found| found.within).min_by(f64::total_cmp),
    };
    let names: Vec<&str> = replayed().map(|it| &*it.name).collect();
    let worst = errors(Some(worst), None).unwrap_or_default();
    match names.as_slice() {
        [] => {}
        [one] => trust.push(format!("{one} replayed alone, errors: {worst}")),
        _ => trust.push(format!("Replayed alone, worst errors: {worst}")),
    }
    trust.extend(figures.errors_measured.as_ref().map(ErrorsMeasured::told));
    trust.extend(evidence_in_brief(figures));
    trust
}

/// Writes the errors of a replay of one process alone: those in `found`, and `end`, the error of
/// its end where its host waits for the device. `None` where neither is known.
fn errors(found: Option<ModelError>, end: Option<f64>) -> Option<String> {
    let percent = |error: f64| format!("{:+.1} %", error * 100.0);
    let end = end.map(|error| format!("end {}", percent(error)));
    let Some(ModelError { busy, uncalibrated, makespan, within }) = found else { return end };
    let before = uncalibrated
        .map_or_else(String::new, |error| format!(" ({} uncalibrated)", percent(error)));
    let length = format!("length {}", percent(makespan));
    let busy = format!("busy time {}{before}", percent(busy));
    let mut text = match end {
        None => format!("{busy}, {length}"),
        Some(end) => format!("{busy}, {length}, {end}"),
    };
    if let Some(within) = within {
        text += &format!("; {:.0} % of waits agree", within * 100.0);
    }
    Some(text)
}

/// Returns the first sentences on how far the verdict may be believed: those that hold for all
/// processes.
fn begun(figures: &PolicyFigures) -> Vec<String> {
    let mut trust = vec!["Simulated".to_owned()];
    let drawn = figures.rows.iter().flat_map(|row| &row.processes).find_map(|it| it.drawn);
    if let Some(drawn) = drawn {
        trust.push(format!("Means over {} seeds, with 95 % intervals", drawn.seeds));
    }
    trust
}

/// Returns (the device on which a process was recorded, words for how its times are scaled to the
/// device of the replay); `None` where both devices are the same.
fn elsewhere(process: &JudgedProcess) -> Option<(&str, String)> {
    let scaled = process.scaled.as_ref();
    let scaled = scaled.map_or("not scaled".to_owned(), |by| format!("scaled by {by}"));
    Some((process.recorded_on.as_deref()?, scaled))
}
