//! Which policies have no row in the first screen's table, and how are they named all the same?

use raddle_study::answer::{JudgedBy, PolicyFigures};
use raddle_study::result::ReplayResult;
use raddle_study::units::{duration, plain};

/// Largest number of characters that the line about policies without a row in the table shows of
/// the name of a policy or process.
const NAME: usize = 40;

/// Returns the rows of the policies that a table of `most` rows shows, the best first. The policy
/// that the verdict is about, the other one of "either" and the baseline (the policy with which the
/// others are compared) are always among them, so that there may be a row or two more.
pub(super) fn shown_rows(answer: &PolicyFigures, most: usize) -> Vec<usize> {
    let mut shown: Vec<usize> = answer.ranking.iter().copied().take(most).collect();
    let verdict = &answer.verdict;
    let row_of = |name: &String| answer.rows.iter().position(|row| row.recipe == *name);
    let named = verdict.recipe.iter().chain(&verdict.or).filter_map(row_of);
    // The policy that the verdict names first need not be the best by its figures.
    let kept: Vec<usize> = named.filter(|row| *row != answer.baseline).collect();
    // A verdict on a policy that no driver offers also names the best of those that one does.
    let best = match kept.as_slice() {
        [one] if !answer.rows[*one].offered => answer.best_offered(),
        _ => None,
    };
    let best = best.filter(|row| *row != answer.baseline);
    let mut kept = [kept, best.into_iter().chain([answer.baseline]).collect()].concat();
    let rank = |row: &usize| answer.ranking.iter().position(|it| it == row);
    kept.sort_by_key(|row| rank(row).unwrap_or(usize::MAX));
    let missing: Vec<usize> = kept.iter().copied().filter(|row| !shown.contains(row)).collect();
    for row in missing {
        let best = answer.ranking.first();
        let spare = |own: &usize| Some(own) != best && !kept.contains(own);
        if let Some(at) = shown.iter().rposition(spare) {
            shown.remove(at);
        }
        shown.push(row);
    }
    shown
}

/// Says what a table of `most` rows leaves out: policies that the user asked for, or of the ways of
/// sharing those that a driver offers, each with the figures by which processes are judged, and
/// policies that were not tried, with the reason. `None` where nothing is left out.
pub(super) fn not_shown(result: &ReplayResult, most: usize) -> Option<String> {
    let answer = &result.answer;
    let shown = shown_rows(answer, most);
    let asked =
        |row: &usize| result.by_name || (answer.rows[*row].offered && !answer.rows[*row].asked);
    let hidden = answer.ranking.iter().copied().filter(|row| !shown.contains(row)).filter(asked);
    let judged = told(answer);
    let names = hidden.map(|row| {
        let row = &answer.rows[row];
        let figures = judged.iter().filter_map(|&at| row.processes[at].decisive_ns).map(duration);
        let figures = figures.collect::<Vec<String>>().join(" / ");
        format!("{} {figures}", plain(&row.recipe, NAME)).trim_end().to_owned()
    });
    let names: Vec<String> = names.collect();
    let behind = (!names.is_empty() && !judged.is_empty()).then(|| {
        let figures = judged.iter().map(|&at| {
            let process = &answer.processes[at];
            format!("{} {}", plain(&process.name, NAME), process.judged.word())
        });
        format!("{} ({})", names.join(", "), figures.collect::<Vec<String>>().join(" / "))
    });
    let clauses: Vec<String> = behind.into_iter().chain(result.not_tried.iter().cloned()).collect();
    (!clauses.is_empty()).then(|| clauses.join("; "))
}

/// Returns the indices of the processes whose figures stand for a policy: of two both, that with
/// requests first; of more the first with requests, or else the first.
fn told(answer: &PolicyFigures) -> Vec<usize> {
    let count = answer.processes.len();
    let requests = answer.processes.iter().position(|it| it.judged == JudgedBy::Requests);
    let first = requests.unwrap_or(0);
    match count {
        2 => vec![first, 1 - first],
        _ => (0..count).filter(|&at| at == first).collect(),
    }
}

#[cfg(test)]
mod tests {
    use raddle_study::answer::{JudgedProcess, PolicyRow, ProcessFigures};
    use serde_json::{from_value, json};

    use super::*;

    /// Ranks ways of sharing, each given as (name, p99 in ms, upper bound of the p99 in ms, step in
    /// ms), by a goal of 120 ms.
    fn judged(ways: &[(&str, f64, u64, f64)]) -> PolicyFigures {
        let process = |name: &str, judged: &str| -> JudgedProcess {
            let text = json!({ "name": name, "judged": judged, "alone-ns": 9_500_000 });
            from_value(text).expect("it is a process")
        };
        let figures = |ms: f64, between_ns: Option<[u64; 2]>| {
            let decisive_ns = Some((ms * 1e6) as u64);
            let mut figures = ProcessFigures::default();
            (figures.decisive_ns, figures.between_ns) = (decisive_ns, between_ns);
            figures
        };
        let row = |&(name, ms, most, step): &(&str, f64, u64, f64)| PolicyRow {
            recipe: name.to_owned(),
            offered: true,
            complete: true,
            processes: vec![
                figures(ms, Some([(ms * 1e6) as u64, most * 1_000_000])),
                figures(step, None),
            ],
            ..PolicyRow::default()
        };
        let processes = vec![process("decode", "requests"), process("train", "steps")];
        let goals = vec!["decode p99 120ms".parse().expect("it is a goal")];
        PolicyFigures::new("time-slice", processes, ways.iter().map(row).collect(), goals)
    }

    /// Checks that the first screen shows the policies that the verdict names, and the baseline,
    /// however few rows it has.
    #[test]
    fn the_recommended_policy_has_a_row() {
        let found = judged(&[
            ("time-slice", 30.0, 50, 40.7),
            ("mps", 116.0, 144, 37.3),
            ("mps-priority", 38.2, 49, 38.3),
        ]);
        assert_eq!(found.recommended(), Some("mps-priority"), "{}", found.verdict.text);
        assert_eq!(found.verdict.or.as_deref(), Some("time-slice"), "{}", found.verdict.text);
        let ranked = ["mps-priority", "time-slice", "mps"];
        for (most, rows) in [(1, 2), (2, 2), (3, 3)] {
            let shown = shown_rows(&found, most);
            let names: Vec<&str> = shown.iter().map(|row| &*found.rows[*row].recipe).collect();
            assert_eq!(names, ranked[..rows], "{most}");
        }
    }
}
