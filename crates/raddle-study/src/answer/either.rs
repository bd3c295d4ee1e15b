//! May another way of sharing be better than the one that seems best, and what would tell?

use super::measured::measured_error;
use super::today::TIME_SLICE;
use super::words::{percent, time};
use super::{JudgedProcess, PolicyFigures, PolicyRow, ProcessFigures};

/// Smallest relative difference of two times that counts: 1 %.
pub(super) const SMALL: f64 = 0.01;

/// Reason why figures cannot decide between the best recipe and another one.
pub(super) struct Doubt {
    pub(super) text: String,
    /// Index of the row of the other recipe.
    pub(super) other: usize,
    /// Cause of the doubt, which also decides what would settle it.
    pub(super) by: DoubtBy,
}

/// Cause of a doubt whether the best recipe is really the best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DoubtBy {
    /// Contention, which a recording of the processes side by side would settle.
    Contention,
    /// Idle times in recordings of which no file says whether they were waits for the host.
    Gaps,
    /// Requests, turns or the error of the model, which a trial on the device settles.
    Trial,
}

/// Returns the doubt whether another recipe may in truth be better than the one with the index
/// `best`, by contention, by accident or by the model's measured error; of several doubts that of
/// the best ranked recipe. Recipes that differ from it by less than 1 % raise none. `None` where
/// there is no doubt.
pub(super) fn either(figures: &PolicyFigures, best: usize) -> Option<Doubt> {
    let comparable = |&other: &usize| {
        other != best
            && figures.minimised.is_none()
            && figures.rows[other].complete
            && figures.rows[other].offered >= figures.rows[best].offered
            && figures.meets_all(other) == figures.meets_all(best)
    };
    let others = figures.ranking.iter().copied().filter(comparable);
    let is_apart = |&other: &usize| figures.rank(other) / figures.rank(best) - 1.0 >= SMALL;
    let device_tells = |text, other| Doubt { text, other, by: DoubtBy::Trial };
    let doubt = |other| {
        by_contention(figures, best, other).or_else(|| {
            let text = by_accident(figures, best, other)
                .or_else(|| by_measured_error(figures, best, other));
            text.map(|text| device_tells(text, other))
        })
    };
    let queued = |row: usize| figures.rank_by(row, |it| it.queued_ns);
    let gaps = others
        .clone()
        .filter_map(|other| Some((other, by_gaps(figures, best, other)?)))
        .min_by(|&(a, _), &(b, _)| queued(a).total_cmp(&queued(b)))
        .map(|(other, text)| Doubt { text, other, by: DoubtBy::Gaps });
    gaps.or_else(|| others.filter(is_apart).find_map(doubt))
}

/// Says, where all recipes do the same, which one is better than the baseline if work whose issue no
/// file tells was issued without the recorded gaps. `None` where none is.
pub(super) fn if_queued(figures: &PolicyFigures) -> Option<String> {
    let base = figures.baseline;
    let others = figures.ranking.iter().copied().filter(|&row| {
        let it = &figures.rows[row];
        row != base && it.complete && it.offered >= figures.rows[base].offered
    });
    let queued = |row: usize| figures.rank_by(row, |it| it.queued_ns);
    let other = others
        .filter(|&other| by_gaps(figures, base, other).is_some())
        .min_by(|&a, &b| queued(a).total_cmp(&queued(b)))?;
    let gain = percent(figures.most_gain((base, other), |it| it.queued_ns));
    let name = &figures.rows[other].recipe;
    Some(format!(
        " If its work was queued instead, {name} is better by up to {gain} for a process."
    ))
}

/// Returns the doubt that contention leaves: the upper bounds of the recipe `best` are no better
/// than the figures of the recipe `second`. `None` where they are better.
fn by_contention(figures: &PolicyFigures, best: usize, second: usize) -> Option<Doubt> {
    if figures.rank_by(best, ProcessFigures::most_ns) < figures.rank(second) {
        return None;
    }
    let [one, other] = [best, second].map(|row| &figures.rows[row]);
    let interval = |at: usize, row: &PolicyRow| {
        let JudgedProcess { name, judged, .. } = &figures.processes[at];
        let [least, most] = row.processes[at].between_ns.filter(|[least, most]| least < most)?;
        let other = other.processes[at].decisive_ns?;
        Some(format!(
            "{name} {} {} to {}, under {} {}",
            judged.word(),
            time(least),
            time(most),
            figures.rows[second].recipe,
            time(other)
        ))
    };
    let told = (0..figures.processes.len()).filter_map(|at| interval(at, one));
    let told: Vec<String> = told.collect();
    let by_turns = one.recipe == TIME_SLICE;
    let (unknown, tells) = match by_turns {
        true => ("of turns and switches", "Both tried on the device tell it"),
        false => {
            ("of contention", "`raddle contention` on a recording of both side by side tells it")
        }
    };
    let text = format!(
        "Either {} or {}: too little is known {unknown} to tell which is better ({}). {tells}.",
        one.recipe,
        other.recipe,
        told.join("; ")
    );
    let by = if by_turns { DoubtBy::Trial } else { DoubtBy::Contention };
    Some(Doubt { text, other: second, by })
}

/// Returns a sentence that the recipe `other` is better if work was issued without the recorded
/// gaps where no file says when it was issued; `None` where `best` is no worse then too, or every
/// file says it.
pub(super) fn by_gaps(figures: &PolicyFigures, best: usize, other: usize) -> Option<String> {
    let names = figures.issue_unknown()?;
    let known = |row: usize| figures.rows[row].processes.iter().all(|it| it.queued_ns.is_some());
    if !known(best) || !known(other) {
        return None;
    }
    let [one, better] = [best, other].map(|row| figures.rank_by(row, |it| it.queued_ns));
    let gain = one / better - 1.0;
    let most = figures.most_gain((best, other), |it| it.queued_ns);
    let [best, other] = [best, other].map(|row| &figures.rows[row].recipe);
    (gain >= SMALL).then(|| {
        format!(
            "Either {best} or {other}: the file of {names} does not say when work was issued. If its gaps are waits for the host, as replayed, {best} is no worse; if its work was queued, {other} is better by up to {} for a process. Record the launches too.",
            percent(most)
        )
    })
}

/// Returns a sentence that other requests of the same kind might rank the recipes of the rows
/// `best` and `second` the other way round; `None` where nearly all random draws of the requests
/// agree.
fn by_accident(figures: &PolicyFigures, best: usize, second: usize) -> Option<String> {
    let [least, most] = figures.ratio_resampled(second, best)?;
    if least > 1.0 {
        return None;
    }
    let [one, other] = [best, second].map(|row| &figures.rows[row].recipe);
    Some(format!(
        "Either {one} or {other}: other requests of the same kind might order them otherwise (with requests drawn again, all processes together fare from {} worse to {} better under {one}). More requests, or both tried on the device, tell it.",
        percent(1.0 - least),
        percent(most - 1.0),
    ))
}

/// Returns a sentence that the rows `best` and `second` differ by less than replays of these ways
/// of sharing were wrong on measured devices; `None` where they differ by more or were not
/// measured.
fn by_measured_error(figures: &PolicyFigures, best: usize, second: usize) -> Option<String> {
    let [one, other] = [best, second].map(|row| &figures.rows[row].recipe);
    let errors = (measured_error(one)?, measured_error(other)?);
    let gain = figures.rank(second) / figures.rank(best) - 1.0;
    if gain >= (1.0 + errors.0.worst) * (1.0 + errors.1.worst) - 1.0 {
        return None;
    }
    Some(format!(
        "Either {one} or {other}: {one} looks better by {}, and where devices were measured, replays of these ways were off by up to {} and {} (docs/judged.md). Both tried on the device, and `raddle check`, tell it.",
        percent(figures.most_gain((second, best), |it| it.decisive_ns)),
        percent(errors.0.worst),
        percent(errors.1.worst),
    ))
}

/// Returns whether a process other than the one with the index `head` may take over 1 % longer than
/// under the baseline, by the upper bound of its figure in the row with the index `row`.
pub(super) fn others_may_pay(figures: &PolicyFigures, row: usize, head: usize) -> bool {
    let own = |row: usize, at: usize| &figures.rows[row].processes[at];
    let pays = |at: usize| {
        let base = own(figures.baseline, at).decisive_ns?;
        Some(own(row, at).most_ns()? as f64 > base as f64 * (1.0 + SMALL))
    };
    (0..figures.processes.len()).filter(|at| *at != head).any(|at| pays(at).unwrap_or(false))
}
