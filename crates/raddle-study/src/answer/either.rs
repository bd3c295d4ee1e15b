//! May another way of sharing beat the one that seems best, and which measurement would tell?

use super::measured::{UNMEASURED, measured_error};
use super::today::TIME_SLICE;
use super::words::percent;
use super::{JudgedBy, PolicyFigures, ProcessFigures};
use crate::pair::way_of;
use crate::share::without_parameters;

impl PolicyFigures {
    /// Returns whether `raddle calibrate pair` can measure the two recipes with the indices `rows`
    /// on the device. That command runs a program with requests beside a program with steps, under
    /// time slices or MPS, and on NVIDIA's devices only.
    pub(crate) fn is_measurable(&self, rows: [usize; 2]) -> bool {
        let judged: Vec<JudgedBy> = self.processes.iter().map(|it| it.judged).collect();
        let ways = rows.map(|row| way_of(way(&self.rows[row].recipe)).is_some());
        // Two programs take turns without any set-up on NVIDIA alone.
        let nvidia = self.today == TIME_SLICE;
        let one_each = judged.len() == 2
            && [JudgedBy::Requests, JudgedBy::Steps].iter().all(|it| judged.contains(it));
        nvidia && one_each && ways == [true, true]
    }
}

/// Smallest relative difference between the times of one process under two recipes that counts as a
/// difference: 0.01, which is 1 %.
pub(super) const SMALL: f64 = 0.01;

/// Words for what settles a doubt between two ways of sharing that a driver offers. Which command
/// tries them depends on what the user has: `NextCommand` names it, and it alone.
const TRIED: &str = " Both tried on the device tell it.";

/// Reason why figures cannot decide whether the best recipe or another one is better.
pub(super) struct Doubt {
    pub(super) text: String,
    /// Index, in the rows of the comparison, of the other recipe, which may be the better one in
    /// truth.
    pub(super) other: usize,
    /// Cause of the doubt; it also decides which measurement would settle the doubt.
    pub(super) by: DoubtBy,
}

/// Cause of a doubt whether the recipe that ranks first is really the best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DoubtBy {
    /// The doubt comes from idle gaps in recordings: files do not say whether the device waited for
    /// the host in them.
    Gaps,
    /// The doubt comes from contention (processes slow each other down), the cost of time slices,
    /// chance in the randomly drawn requests, or the error of the simulation; a trial on the device
    /// would settle it.
    Trial,
}

/// Returns the doubt whether another recipe may in truth be better than the one with the index
/// `best`; `None` where there is none. Doubts come from recorded idle gaps, contention, the random
/// draw of requests, and the measured error of replays. One from gaps is returned first, else that
/// of the best ranked recipe of another way of sharing, else that of the best ranked one with other
/// values of its parameters.
///
/// Except for gaps, a recipe within 1 % of `best` raises no doubt. In a search, whose candidates
/// have most unknowns in common, only the baseline recipe raises one.
pub(super) fn either(figures: &PolicyFigures, best: usize) -> Option<Doubt> {
    let comparable = |&other: &usize| {
        other != best
            && figures.minimised.is_none()
            && (!figures.searched || other == figures.baseline)
            && figures.rows[other].complete
            && figures.rows[other].is_ranked() >= figures.rows[best].is_ranked()
            && figures.meets_all(other) == figures.meets_all(best)
            && figures.risk(other) <= figures.risk(best)
    };
    let others = figures.ranking.iter().copied().filter(comparable);
    // Another way of sharing is another set-up, and the greater change of the advice.
    let best_way = kind(&figures.rows[best].recipe);
    let is_same = |&other: &usize| kind(&figures.rows[other].recipe) == best_way;
    let (same, differ): (Vec<usize>, Vec<usize>) = others.partition(is_same);
    let others = differ.into_iter().chain(same);
    let is_apart = |&other: &usize| figures.behind(other, best) >= SMALL;
    let doubt = |other| {
        let text = by_contention(figures, best, other)
            .or_else(|| by_accident(figures, best, other))
            .or_else(|| by_measured_error(figures, best, other))?;
        Some(Doubt { text, other, by: DoubtBy::Trial })
    };
    let queued = |row: usize| figures.rank_by(row, |it| it.queued_ns);
    let gaps = others
        .clone()
        .filter_map(|other| Some((other, by_gaps(figures, best, other)?)))
        .min_by(|&(a, _), &(b, _)| queued(a).total_cmp(&queued(b)))
        .map(|(other, text)| Doubt { text, other, by: DoubtBy::Gaps });
    gaps.or_else(|| others.filter(is_apart).find_map(doubt))
}

/// Names the recipe that beats the baseline recipe if hosts issued their work early, so that
/// recorded idle gaps vanish. Used where all recipes give the same times, and files do not say when
/// work was issued. `None` where no recipe does.
pub(super) fn if_queued(figures: &PolicyFigures) -> Option<String> {
    let base = figures.baseline;
    let others = figures.ranking.iter().copied().filter(|&row| {
        let it = &figures.rows[row];
        row != base && it.complete && it.is_ranked() >= figures.rows[base].is_ranked()
    });
    let queued = |row: usize| figures.rank_by(row, |it| it.queued_ns);
    let other = others
        .filter(|&other| by_gaps(figures, base, other).is_some())
        .min_by(|&a, &b| queued(a).total_cmp(&queued(b)))?;
    let gain = percent(figures.most_gain((base, other), |it| it.queued_ns));
    let name = &figures.rows[other].recipe;
    let [_, its] = figures.unknown_words()?;
    Some(format!(
        " If {its} work was queued instead, {name} is better by up to {gain} for a process."
    ))
}

/// Returns the doubt between two recipes that contention, or the cost of time slices, leaves: with
/// its times at their upper bounds, `best` is no better than `second`. `None` where it is still
/// better.
fn by_contention(figures: &PolicyFigures, best: usize, second: usize) -> Option<String> {
    if figures.rank_by(best, ProcessFigures::most_ns) < figures.rank(second) {
        return None;
    }
    let [one, other] = [best, second].map(|row| &figures.rows[row]);
    let unknown = match way(&one.recipe) == TIME_SLICE {
        true => "turns and switches",
        false => "contention",
    };
    Some(format!(
        "Either {} or {}: too little is known of {unknown} to tell which is better.{}",
        one.recipe,
        other.recipe,
        tried(figures, [best, second]),
    ))
}

/// Returns a sentence that the recipe `other` is better than `best` if work was issued early, so
/// that recorded idle gaps vanish. `None` where it is not, or where all files say when work was
/// issued.
pub(super) fn by_gaps(figures: &PolicyFigures, best: usize, other: usize) -> Option<String> {
    let [file, its] = figures.unknown_words()?;
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
            "Either {best} or {other}: the {file} when work was issued. If {its} gaps are waits for the host, as replayed, {best} is no worse; if {its} work was queued, {other} is better by up to {} for a process. Record the launches too.",
            percent(most)
        )
    })
}

/// Returns a sentence that another random draw of requests might rank the recipes with the indices
/// `best` and `second` the other way round; `None` where nearly all draws agree.
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

/// Returns a sentence that the recipes `best` and `second` differ by less than replays of their
/// ways of sharing were wrong, as measured on a device. `None` where they differ by more, also with
/// recorded idle gaps left out.
///
/// A recipe that was never measured counts with the largest measured error. It raises no doubt
/// where `best` is the baseline recipe, or where one process runs alone.
fn by_measured_error(figures: &PolicyFigures, best: usize, second: usize) -> Option<String> {
    let [one, other] = [best, second].map(|row| &figures.rows[row].recipe);
    let known = [one, other].map(|name| measured_error(way(name)).map(|it| it.worst));
    let [first, next] = known.map(|error| error.unwrap_or(UNMEASURED));
    let of =
        |rank: fn(&PolicyFigures, usize) -> f64| rank(figures, second) / rank(figures, best) - 1.0;
    let queued = of(|figures, row| figures.rank_by(row, |it| it.queued_ns.or(it.decisive_ns)));
    let gain = figures.behind(second, best);
    let enough = (1.0 + first) * (1.0 + next) - 1.0;
    let unmeasured = known.contains(&None);
    let apart = figures.processes.len() < 2 || best == figures.baseline;
    if (unmeasured && apart) || gain.min(queued) >= enough {
        return None;
    }
    let if_queued = match gain < enough {
        true => String::new(),
        false => format!(" ({} if work was queued)", percent(queued.max(0.0))),
    };
    let begin = format!(
        "Either {one} or {other}: they differ by {}{if_queued} {}, and replays of",
        percent(gain),
        figures.weighed()
    );
    let tells = tried(figures, [best, second]);
    Some(match known {
        [Some(first), Some(next)] => format!(
            "{begin} these ways were off by up to {} and {} (docs/judged.md).{tells}",
            percent(first),
            percent(next),
        ),
        _ => format!(
            "{begin} measured ways were off by up to {} each (docs/judged.md).{tells}",
            percent(UNMEASURED)
        ),
    })
}

/// Returns whether both recipes can be tried on a device: a driver offers them.
pub(super) fn can_be_tried(figures: &PolicyFigures, rows: [usize; 2]) -> bool {
    rows.iter().all(|&row| figures.rows[row].offered)
}

/// Returns the sentence that a trial of both recipes on the device settles which is better, with a
/// space before it; empty where no driver offers one of them.
fn tried(figures: &PolicyFigures, rows: [usize; 2]) -> &'static str {
    if can_be_tried(figures, rows) { TRIED } else { "" }
}

/// Returns the way of sharing, such as `mps`, that the name of a row stands for. That is the whole
/// name, or for a candidate of a search the value of `recipe` in a name such as `recipe=mps
/// share.serve=2`.
fn way(row: &str) -> &str {
    let recipe = row.strip_prefix("recipe=").and_then(|rest| rest.split(' ').next());
    recipe.unwrap_or(row)
}

/// Returns the way of sharing that the name of a row stands for, without the values of its
/// parameters: `partition` for `partition-60-40`.
pub(super) fn kind(row: &str) -> &str {
    without_parameters(way(row))
}

/// Returns whether any process, except the one with the index `head`, may become over 1 % slower
/// than under the baseline recipe. Its time under the recipe with the index `row` is taken at its
/// upper bound.
pub(super) fn others_may_pay(figures: &PolicyFigures, row: usize, head: usize) -> bool {
    let own = |row: usize, at: usize| &figures.rows[row].processes[at];
    let pays = |at: usize| {
        let base = own(figures.baseline, at).decisive_ns?;
        Some(own(row, at).most_ns()? as f64 > base as f64 * (1.0 + SMALL))
    };
    (0..figures.processes.len()).filter(|at| *at != head).any(|at| pays(at).unwrap_or(false))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{row, serve_and_train};
    use crate::answer::{PolicyFigures, VerdictKind};

    /// Checks that a policy that was measured on no device is not trusted more than the measured
    /// ways of sharing. Also checks that a candidate of a search counts as the way of sharing that
    /// its recipe names.
    #[test]
    fn a_search_knows_the_error_of_a_measured_way() {
        assert_eq!(
            ["recipe=mps share.a=2", "mps", "turn.t0-us=4"].map(super::way),
            ["mps", "mps", "turn.t0-us=4"]
        );
        // The errors of the two ways are 9 % and 4 %.
        let of = |ms: f64, name: &str| {
            let rows = [("time-slice", [42.5, 30.0], 5.0), (name, [ms, 30.0], 0.1)];
            let rows = rows.map(|(recipe, figures, wait)| row(recipe, &figures, wait));
            PolicyFigures::new("time-slice", serve_and_train(), rows.into(), Vec::new())
                .verdict
                .kind
        };
        for name in ["mps-priority", "recipe=mps-priority"] {
            assert_eq!(of(37.0, name), VerdictKind::Use, "15 %");
            assert_eq!(of(38.5, name), VerdictKind::Either, "10 %");
        }
        assert_eq!(of(37.0, "leftover-drain"), VerdictKind::Either, "15 %, and nobody measured it");
    }

    #[test]
    fn a_small_gain_of_a_policy_that_nobody_measured_is_no_advice() {
        let rows =
            |ms: f64| [("time-slice", [42.5, 30.0], 5.0), ("leftover-drain", [ms, 30.0], 0.1)];
        let of = |ms: f64, alone: bool| {
            let count = if alone { 1 } else { 2 };
            let rows = rows(ms).map(|(recipe, figures, wait)| row(recipe, &figures[..count], wait));
            let processes = serve_and_train().into_iter().take(count).collect();
            PolicyFigures::new("time-slice", processes, rows.into(), Vec::new()).verdict
        };
        let small = of(40.0, false);
        assert_eq!(small.kind, VerdictKind::Either, "{}", small.text);
        let told = "they differ by 6 % over all processes, and replays of measured ways were off by up to 9 % each (docs/judged.md). Both tried on the device tell it.";
        assert!(small.text.ends_with(told), "{}", small.text);
        let why = "Against time-slice: leftover-drain, a decode p99 6 % shorter.";
        assert_eq!(small.why.as_deref(), Some(why));
        assert_eq!(of(35.0, false).kind, VerdictKind::Use);
        assert_eq!(of(43.5, false).kind, VerdictKind::Stay, "nothing is gained by leaving today");
        assert_eq!(of(40.0, true).kind, VerdictKind::Use, "a process alone has no neighbours");
    }
}
