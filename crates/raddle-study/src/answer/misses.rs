//! Which conclusions are forbidden where a replay of a profile alone differs much from its
//! recording, or where times in its file lie far from all others?

use super::{JudgedProcess, PolicyFigures};

/// Error of a replay's busy time or makespan, as a fraction of the recorded one, above which the
/// replay supports no conclusion about times.
const LARGE: f64 = 0.1;

/// Warns not to draw conclusions on how long some processes take: a replay of such a process alone
/// differs from its recording by more than a tenth, or some times in its file lie far from all
/// others. `None` where there is no such process.
pub(super) fn misses(figures: &PolicyFigures) -> Option<String> {
    let told: Vec<(&str, String)> = figures
        .processes
        .iter()
        .filter_map(|process| Some((&*process.name, why(process)?)))
        .collect();
    let names: Vec<&str> = told.iter().map(|(name, _)| *name).collect();
    let (names, does) = match names.as_slice() {
        [] => return None,
        [one] => ((*one).to_owned(), "takes"),
        [first, more @ ..] => (format!("{first} and {} more", more.len()), "take"),
    };
    let worst = told.first().map_or("", |(_, why)| why);
    Some(format!("Do not conclude how long {names} {does} or how idle the GPU is: {worst}."))
}

/// Returns the reason why the times of a process support no conclusion; `None` where there is no
/// such reason.
fn why(process: &JudgedProcess) -> Option<String> {
    if process.times_apart {
        return Some("times in the file lie far from all others".to_owned());
    }
    let error = process.self_replay?;
    let of = |what: &str, error: f64| {
        (error.abs() > LARGE).then(|| format!("{what} {:+.0} %", error * 100.0))
    };
    let both = [of("busy time", error.busy), of("makespan", error.makespan)];
    let both: Vec<String> = both.into_iter().flatten().collect();
    (!both.is_empty()).then(|| {
        format!("alone on its own device the replay misses the recording ({})", both.join(", "))
    })
}
