//! How do the figures of a recipe differ from those of the baseline, in words?

use super::either::SMALL;
use super::words::percent;
use super::{JudgedProcess, PolicyFigures};
use crate::units::counted;

/// Returns (index of a process, change of the time by which it is judged, as a fraction) for each
/// process of which both times are known. The change is from the baseline recipe to the recipe with
/// the index `row`.
pub(super) fn changes(figures: &PolicyFigures, row: usize) -> impl Iterator<Item = (usize, f64)> {
    (0..figures.processes.len()).filter_map(move |at| Some((at, figures.change(row, at)?)))
}

/// Says how the times of processes change, from those under the baseline recipe, under two other
/// recipes between which the figures cannot decide. `rows` holds the indices of the two. `None`
/// where neither recipe changes anything.
pub(super) fn against_today(figures: &PolicyFigures, rows: [usize; 2]) -> Option<String> {
    let told = |row: usize| {
        let all = all_changes(figures, row, None);
        let recipe = &figures.rows[row].recipe;
        (row != figures.baseline && !all.is_empty()).then(|| format!("{recipe}, {all}"))
    };
    let told: Vec<String> = rows.into_iter().filter_map(told).collect();
    let base = &figures.rows[figures.baseline].recipe;
    (!told.is_empty()).then(|| format!("Against {base}: {}.", told.join("; ")))
}

/// Returns whether any process, except the one with the index `but`, takes at least 1 % longer
/// under the recipe with the index `row` than under the baseline recipe.
pub(super) fn has_cost(figures: &PolicyFigures, row: usize, but: usize) -> bool {
    changes(figures, row).any(|(at, by)| at != but && by >= SMALL)
}

/// Largest number of changes of processes that a sentence of the verdict names one by one; of more,
/// losses are named before gains, the largest first.
const NAMED_CHANGES: usize = 3;

/// Writes the changes against the baseline recipe of all processes (except the one with the index
/// `but`, if any): "a train step 6 % longer and a b p99 2 % shorter". Changes below 1 % are left
/// out; at most three are named, losses before gains, the largest first.
pub(super) fn all_changes(figures: &PolicyFigures, row: usize, but: Option<usize>) -> String {
    let changed = changes(figures, row).filter(|(at, by)| Some(*at) != but && by.abs() >= SMALL);
    let mut changed: Vec<(usize, f64)> = changed.collect();
    let left_out = changed.len().saturating_sub(NAMED_CHANGES);
    // A cost is never among those that are only counted while a gain is named.
    changed.sort_by(|(_, one), (_, other)| {
        let costs = (*other > 0.0).cmp(&(*one > 0.0));
        costs.then(other.abs().total_cmp(&one.abs()))
    });
    changed.truncate(NAMED_CHANGES);
    changed.sort_by_key(|&(at, _)| at);
    let told = changed.into_iter().map(|(at, by)| {
        let told = change(figures, at, by);
        match queued_change(figures, row, at).filter(|other| other * by < 0.0) {
            Some(other) => format!("{told} ({} if work was queued)", change_alone(other)),
            None => told,
        }
    });
    let more = (left_out > 0).then(|| counted(left_out as u64, "other change", "other changes"));
    told.chain(more).collect::<Vec<_>>().join(" and ")
}

/// Returns the change of a process against the baseline recipe, as a fraction, if the host issued
/// its work early, so that recorded idle gaps vanish. `None` where that change is less than 1 %, or
/// was not simulated.
fn queued_change(figures: &PolicyFigures, row: usize, at: usize) -> Option<f64> {
    let of = |row: usize| figures.rows[row].processes[at].queued_ns;
    let [own, base] = [of(row)?, of(figures.baseline)?.max(1)];
    let change = own as f64 / base as f64 - 1.0;
    (change.abs() >= SMALL).then_some(change)
}

/// Writes the change `by` (a fraction) of the process with the index `at` against the baseline
/// recipe: "a train step 6 % longer".
pub(super) fn change(figures: &PolicyFigures, at: usize, by: f64) -> String {
    let JudgedProcess { name, judged, .. } = &figures.processes[at];
    format!("a {name} {} {}", judged.word(), change_alone(by))
}

/// Writes a change of a time, given as a fraction, without naming the process: 0.06 as "6 %
/// longer".
fn change_alone(by: f64) -> String {
    format!("{} {}", percent(by.abs()), if by > 0.0 { "longer" } else { "shorter" })
}

#[cfg(test)]
mod tests {
    use super::super::tests::row;
    use super::*;
    use crate::answer::JudgedBy;

    /// Makes the figures of five processes. Each takes 100 ms under `time-slice`, the device's
    /// default, and `ms` under `mps`; `queued` are the times under `mps` without the recorded idle
    /// gaps, if they are simulated.
    fn five(ms: [f64; 5], queued: Option<[f64; 5]>) -> PolicyFigures {
        let plain = |name: &&str| JudgedProcess::plain(name, JudgedBy::Steps, Some(50_000_000));
        let processes = ["a", "b", "c", "d", "e"].iter().map(plain).collect();
        let today = row("time-slice", &[100.0; 5], 1.0).queued(Some(&row("", &[100.0; 5], 1.0)));
        let other = queued.map(|ms| row("", &ms, 1.0));
        let own = row("mps", &ms, 1.0).queued(other.as_ref());
        PolicyFigures::new("time-slice", processes, vec![today, own], Vec::new())
    }

    #[test]
    fn the_largest_changes_are_named_and_the_others_counted() {
        let told = |ms| all_changes(&five(ms, None), 1, None);
        let three = "a b step 20 % shorter and a c step 30 % shorter and a e step 40 % shorter";
        assert_eq!(told([100.0, 80.0, 70.0, 90.0, 60.0]), format!("{three} and 1 other change"));
        assert_eq!(told([95.0, 80.0, 70.0, 90.0, 60.0]), format!("{three} and 2 other changes"));
        assert_eq!(told([100.0, 80.0, 70.0, 100.0, 60.0]), three);
    }

    #[test]
    fn a_cost_is_a_process_that_takes_longer_whatever_the_words_say() {
        let found =
            five([50.0, 90.0, 100.0, 100.0, 100.0], Some([50.0, 120.0, 100.0, 100.0, 100.0]));
        assert!(!has_cost(&found, 1, 0), "as replayed");
        let told = "a b step 10 % shorter (20 % longer if work was queued)";
        assert_eq!(all_changes(&found, 1, Some(0)), told);
        assert!(found.verdict.text.contains(&format!(", and {told}.")), "{}", found.verdict.text);
        // A small cost is named before larger gains.
        let small = five([40.0, 60.0, 70.0, 80.0, 110.0], None);
        assert!(has_cost(&small, 1, 0));
        let told = ", for a b step 40 % shorter and a c step 30 % shorter and a e step 10 % longer and 1 other change.";
        assert!(small.verdict.text.contains(told), "{}", small.verdict.text);
    }
}
