//! From how many requests are percentiles of a process computed, and did the limit on launches
//! allow no more?

use super::{PolicyFigures, PolicyRow, ProcessFigures};
use crate::evidence::MOST_LAUNCHES;
use crate::units::count;

/// Smallest number of requests whose 99th percentile is not simply the slowest request.
const ENOUGH: u64 = 100;
/// End of a clause on a process that has fewer than 100 requests, so that its p99 is its slowest
/// request.
const SLOWEST: &str = ": p99 is the slowest";

/// Returns a clause that says from how many requests the percentiles of the process with the index
/// `at` are computed. It also says under which recipes the limit on launches allowed no more
/// requests. `None` for a process without requests or confidence intervals.
pub(super) fn evidence(figures: &PolicyFigures, at: usize) -> Option<String> {
    let rests = few_requests(figures, at).or_else(|| sampled_by(figures, at))?;
    let cut = figures.rows.iter().filter(|row| row.processes[at].cut_short);
    let cut: Vec<&str> = cut.map(|row| &*row.recipe).collect();
    let under = match cut.as_slice() {
        [] => return Some(rests),
        all if all.len() == figures.rows.len() => "all policies".to_owned(),
        [one] => (*one).to_owned(),
        [one, other] => format!("{one} and {other}"),
        all => format!("{} policies", all.len()),
    };
    Some(format!(
        "{rests}, over 10 % wide under {under}, as runs end at {} launches (`--until` lets requests arrive for longer; what is unknown of contention stays)",
        count(MOST_LAUNCHES)
    ))
}

/// Returns for all processes clauses that say from how many requests their percentiles are
/// computed; processes with few requests share one: `16 requests of serve, 4 of chat: p99 is the
/// slowest`.
pub(super) fn evidence_in_brief(figures: &PolicyFigures) -> Vec<String> {
    let (mut all, mut few) = (Vec::new(), Vec::new());
    for clause in (0..figures.processes.len()).filter_map(|at| evidence(figures, at)) {
        match clause.strip_suffix(SLOWEST) {
            Some(own) if few.is_empty() => few.push(own.to_owned()),
            Some(own) => few.push(own.replacen(" requests of ", " of ", 1)),
            None => all.push(clause),
        }
    }
    if !few.is_empty() {
        all.push(few.join(", ") + SLOWEST);
    }
    all
}

/// Returns a clause that says from how many requests the percentiles of the process with the index
/// `at` are computed; `None` where no recipe gives them a confidence interval.
fn sampled_by(figures: &PolicyFigures, at: usize) -> Option<String> {
    let own = || figures.rows.iter().map(|row| &row.processes[at]);
    let counts = own().filter(|it| it.sampled.is_some()).filter_map(|it| it.requests);
    let has_bounds = |it: &ProcessFigures| it.sampled.is_some_and(|it| it.most_ns.is_some());
    let (least, most) = (counts.clone().min()?, counts.max()?);
    let counts = match least == most {
        true => count(least),
        false => format!("{} to {}", count(least), count(most)),
    };
    let name = &figures.processes[at].name;
    let intervals = match (own().any(has_bounds), own().all(has_bounds)) {
        (_, true) => "intervals are of 95 %",
        (true, false) => "intervals are of 95 % (`+`: no upper end)",
        (false, false) => "too close together for an upper end of p99 (`+`)",
    };
    Some(format!("{counts} requests of {name}: {intervals}"))
}

/// Says that the process with the index `at` has fewer than 100 requests, so that its 99th
/// percentile is the slowest request; `None` where it has more requests, or none.
fn few_requests(figures: &PolicyFigures, at: usize) -> Option<String> {
    let requests = |row: &PolicyRow| -> Option<u64> {
        let ProcessFigures { requests, .. } = row.processes[at];
        requests
    };
    let few = figures.rows.iter().filter_map(requests).min().filter(|&n| n < ENOUGH)?;
    let name = &figures.processes[at].name;
    Some(format!("{few} requests of {name}{SLOWEST}"))
}

#[cfg(test)]
mod tests {
    use raddle_sim::Interval;

    use super::super::tests::{row, serve_and_train};
    use super::*;

    #[test]
    fn a_limit_that_ended_the_search_for_evidence_is_told() {
        let told = |is_open: bool, most_ns: [Option<u64>; 2]| {
            let mut processes = serve_and_train();
            processes[0].is_open = is_open;
            let rows = ["mps", "time-slice"].into_iter().zip(most_ns).map(|(recipe, most_ns)| {
                let mut row = row(recipe, &[30.0, 30.0], 1.0);
                let own = &mut row.processes[0];
                own.requests = Some(400);
                own.sampled = Some(Interval { least_ns: 29_000_000, most_ns });
                row
            });
            let answer = PolicyFigures::new("mps", processes, rows.collect(), Vec::new());
            let cut = answer.rows.iter().map(|row| row.processes[0].cut_short);
            (cut.collect::<Vec<_>>(), evidence(&answer, 0).expect("it has requests"))
        };
        // Up to 32 ms the interval is a tenth of 30 ms wide.
        let [near, far] = [Some(32_000_000), Some(32_000_001)];
        let plain = "400 requests of decode: intervals are of 95 %";
        assert_eq!(told(true, [near; 2]), (vec![false, false], plain.to_owned()));
        assert_eq!(told(false, [far; 2]), (vec![false, false], plain.to_owned()));
        let limit = "as runs end at 200,000 launches (`--until` lets requests arrive for longer; what is unknown of contention stays)";
        let found = told(true, [far, near]);
        assert_eq!(
            found,
            (vec![true, false], format!("{plain}, over 10 % wide under mps, {limit}"))
        );
        let (cut, text) = told(true, [None; 2]);
        assert_eq!(cut, [true, true]);
        assert!(text.ends_with(&format!(", over 10 % wide under all policies, {limit}")), "{text}");
    }

    #[test]
    fn few_requests_of_several_processes_are_told_together() {
        let mut processes = serve_and_train();
        processes[1].judged = processes[0].judged;
        let mut row = row("mps", &[30.0, 30.0], 1.0);
        row.processes[0].requests = Some(16);
        row.processes[1].requests = Some(4);
        let answer = PolicyFigures::new("mps", processes, vec![row], Vec::new());
        let told = "16 requests of decode, 4 of train: p99 is the slowest";
        assert_eq!(evidence_in_brief(&answer), [told]);
    }
}
