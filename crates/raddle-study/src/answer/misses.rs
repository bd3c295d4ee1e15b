//! A replay of a profile alone misses its own recording: which conclusions does that forbid?

use super::PolicyFigures;

/// The error of the busy time or the makespan from which on nothing follows for times.
const LARGE: f64 = 0.1;

/// Says of which processes the replay alone misses the recording by more than a tenth, and what
/// does not follow; `None` where there is no such process.
pub(super) fn misses(figures: &PolicyFigures) -> Option<String> {
    let told: Vec<(&str, String)> = figures
        .processes
        .iter()
        .filter_map(|process| {
            let error = process.self_replay?;
            let of = |what: &str, error: f64| {
                (error.abs() > LARGE).then(|| format!("{what} {:+.0} %", error * 100.0))
            };
            let both = [of("busy time", error.busy), of("makespan", error.makespan)];
            let both: Vec<String> = both.into_iter().flatten().collect();
            (!both.is_empty()).then(|| (&*process.name, both.join(", ")))
        })
        .collect();
    let names: Vec<&str> = told.iter().map(|(name, _)| *name).collect();
    let (names, does) = match names.as_slice() {
        [] => return None,
        [one] => ((*one).to_owned(), "takes"),
        [first, more @ ..] => (format!("{first} and {} more", more.len()), "take"),
    };
    let worst = told.first().map_or("", |(_, both)| both);
    Some(format!(
        "Do not conclude how long {names} {does} or how idle the GPU is: alone on its own device the replay misses the recording ({worst})."
    ))
}
