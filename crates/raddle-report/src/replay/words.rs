//! What do the words of the tables mean?

use super::result::ReplayResult;

/// Characters of a name on a terminal.
pub(super) const NAME: usize = 20;

/// The words of the tables of a result.
pub(super) fn terms(result: &ReplayResult) -> Vec<(&'static str, &'static str)> {
    let mut terms = vec![
        (
            "makespan",
            "until every profile has ended once, which in an open loop mostly follows the recorded arrivals",
        ),
        ("used", "wave-slot time used, of what there was between the first event and the last end"),
        (
            "Jain",
            "fairness of wave-slot time while two or more processes were runnable: 1 is equal shares, one over their number is all for one",
        ),
        ("level", "urgency, 0 first, 255 best effort"),
        ("launches", "kernel launches that started, with repetitions"),
        (
            "p50 and p99",
            "latency of launches, from ready (issued, and everything it waits for has ended) to the first wave started",
        ),
        (
            "slowdown",
            "(end - ready) over the same launch alone here under the same recipe, geometric mean: many short waits can raise it while the rare long ones, which p99 shows, are gone",
        ),
        ("refused", "launches that can never run here, in one repetition"),
    ];
    if result.profiles.iter().any(|profile| profile.requests.is_some()) {
        terms.push((
            "requests",
            "repetitions of a profile that began at times of their own; their p50, p99 and longest = from arrival to the end of all their work, alone = the same of one request alone here under the same recipe; the makespan counts every request with a time of its own",
        ));
    }
    if !result.stuck.is_empty() {
        terms.push((
            "stuck",
            "launches that never ended, although nothing more could happen: there is no makespan, and all other figures of the recipe are of the rest",
        ));
    }
    terms
}
