//! Which recipe should be used, why, and how far may that be believed? One sentence each.

use serde::{Deserialize, Serialize};

use super::bounds::DecidingFigure;
use super::changes::{against_today, all_changes, change, changes, has_cost};
use super::either::{Doubt, DoubtBy, SMALL, by_gaps, can_be_tried, either, others_may_pay};
use super::elsewhere::OTHER_VENDOR;
use super::meets;
use super::misses::misses;
use super::no_driver;
use super::no_effect::no_effect;
use super::settings::settings;
use super::streams::{by_streams, streams_told};
use super::trust::trust;
use super::unsure::{self, at_stake, cheaper, goal_or_gain, is_surer};
use super::words::{from_to, percent, time};
use super::{JudgedBy, JudgedProcess, PolicyFigures};

/// Recommendation of a comparison of recipes (ways of sharing the device), its reasons, and how far
/// it may be believed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct PolicyVerdict {
    /// Kind of the recommendation, such as [`VerdictKind::Use`] or [`VerdictKind::Stay`].
    pub kind: VerdictKind,
    /// Name of the recipe that the verdict recommends or is about; `None` where it names none.
    pub recipe: Option<String>,
    /// Name of the second of two recipes of which either may be the best; `None` for other
    /// verdicts.
    #[serde(default)]
    pub or: Option<String>,
    /// Text of the recommendation, in a sentence or a few.
    pub text: String,
    /// Reason for the verdict in one sentence; for [`VerdictKind::Either`], how both recipes change
    /// times against the baseline recipe. `None` where the figures show no reason.
    pub why: Option<String>,
    /// Figures by which the processes are judged under the recipe that the verdict names, or under
    /// the baseline recipe where it names none.
    #[serde(default)]
    pub figures: Vec<DecidingFigure>,
    /// Short sentences, without their full stops, that say how far the verdict may be believed.
    pub trust: Vec<String>,
    /// Command to run next, as a shell takes it. Files are named without their folders; words in
    /// capitals are to be filled in.
    #[serde(default)]
    pub next_command: String,
    /// True if both of two recipes tried on the device tell which is better, and figures do not.
    #[serde(skip)]
    pub(crate) by_trial: bool,
    /// True if most of the kernel time of a process ran under no recipe, or no recipe that a driver
    /// offers serves the requests as fast as they arrive.
    #[serde(skip)]
    pub(crate) says_little: bool,
}

/// Kind of a recommendation, such as to use another recipe or to stay with the baseline recipe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum VerdictKind {
    /// A recipe other than the baseline one is better and should be used.
    Use,
    /// A recipe other than the baseline one is better, but no driver offers it, so that it cannot be
    /// switched on.
    NoDriver,
    /// No recipe is better than the baseline recipe, which should be kept.
    Stay,
    /// Under all recipes every process takes the same time, to within 1 %.
    NoEffect,
    /// Figures cannot tell which of two recipes is better: too little is known of contention, of
    /// recorded idle gaps or of the error of the simulation, or another random draw of requests
    /// might reverse their order.
    Either,
    /// The best recipe beats the baseline recipe by less than the error of the simulation, or by
    /// less than figures differ between random seeds.
    BelowError,
    /// No recipe meets all goals.
    NoGoalMet,
    /// A profile was recorded on a device of another vendor than the device of the replay, so
    /// recipes are not ranked.
    OtherVendor,
    /// Launches never ended under the baseline recipe, so nothing can be compared with it.
    Incomplete,
    /// There is only one recipe, so there is nothing to compare it with.
    #[default]
    OneRecipe,
}

impl VerdictKind {
    /// Returns the kind of a verdict that a recipe is better than the baseline.
    const fn better(offered: bool) -> Self {
        if offered { Self::Use } else { Self::NoDriver }
    }

    /// Returns whether a verdict of this kind says which recipe is better, or might be.
    pub(super) const fn orders(self) -> bool {
        use VerdictKind::{BelowError, Either, NoDriver, NoGoalMet, Stay, Use};
        matches!(self, Use | NoDriver | Stay | Either | BelowError | NoGoalMet)
    }
}

/// Draft of a verdict, without the clauses that say how far it may be believed. `recipe` is the
/// index of the recipe that the verdict names.
struct Said {
    kind: VerdictKind,
    recipe: Option<usize>,
    /// Index of the second recipe, where the verdict is that either of two may be the best; else
    /// `None`.
    other: Option<usize>,
    text: String,
    why: Option<String>,
    /// Cause of the doubt, where the verdict is that either of two recipes may be the best; else
    /// `None`.
    doubt: Option<DoubtBy>,
}

impl Said {
    /// Makes a draft that names no recipe.
    const fn plain(kind: VerdictKind, text: String) -> Self {
        Self { kind, recipe: None, other: None, text, why: None, doubt: None }
    }
}

/// Draws the verdict from figures whose rows are ranked and whose goals are judged already.
pub(super) fn verdict(figures: &PolicyFigures) -> PolicyVerdict {
    let Said { kind, recipe, other, text, why, doubt } = said(figures);
    let named = recipe.filter(|_| !are_alike(figures));
    let streams = named.and_then(|row| streams_told(figures, row));
    let text = more(figures, [recipe, other], text);
    let yes = meets::who_meets(figures).filter(|_| kind != VerdictKind::OtherVendor);
    let assumed = by_assumed_gaps(figures, kind).filter(|_| doubt != Some(DoubtBy::Gaps));
    let about = recipe.filter(|_| kind != VerdictKind::OtherVendor);
    let about: Vec<usize> = about.into_iter().chain(other).collect();
    // The reason why another way is advised is that the one of today may miss a goal.
    let is_better = matches!(kind, VerdictKind::Use | VerdictKind::NoDriver);
    let surer = recipe.filter(|&row| is_better && is_surer(figures, row));
    let base = surer.map(|_| figures.baseline);
    let unsure = unsure::unsure(figures, &[&about[..], base.as_slice()].concat());
    let recommends = is_better || kind == VerdictKind::Either;
    let kinds = (kind == VerdictKind::NoDriver, kind == VerdictKind::NoGoalMet);
    let offered = no_driver::beside(figures, kinds, &about).filter(|_| kind.orders());
    let alike = settings(figures, &about).filter(|_| recommends);
    let is_trial =
        recipe.zip(other).is_some_and(|(one, other)| can_be_tried(figures, [one, other]));
    let text = [yes, Some(text), offered, unsure, alike, streams, misses(figures), assumed];
    let text = text.into_iter().flatten().collect::<Vec<_>>().join(" ");
    PolicyVerdict {
        kind,
        recipe: recipe.map(|at| figures.rows[at].recipe.clone()),
        or: other.map(|at| figures.rows[at].recipe.clone()),
        text,
        why,
        figures: figures.deciding(recipe.unwrap_or(figures.baseline)),
        trust: trust(figures),
        next_command: String::new(),
        by_trial: doubt == Some(DoubtBy::Trial) && is_trial,
        says_little: false,
    }
}

/// Returns a sentence that the verdict rests on an assumption about the cause of recorded idle
/// gaps; `None` where it does not.
fn by_assumed_gaps(figures: &PolicyFigures, kind: VerdictKind) -> Option<String> {
    let told = figures.gaps_told().filter(|_| kind.orders())?;
    Some(format!("Assumed: the {told}."))
}

fn said(figures: &PolicyFigures) -> Said {
    let base = figures.baseline;
    let plain = Said::plain;
    let (Some(&best), true) = (figures.ranking.first(), figures.rows.len() > 1) else {
        let text = no_comparison(figures);
        return unmet(figures).unwrap_or_else(|| plain(VerdictKind::OneRecipe, text.to_owned()));
    };
    if !figures.rows[base].complete {
        let name = &figures.rows[base].recipe;
        let text = format!("Nothing can be compared: under {name} some launches never ended.");
        return plain(VerdictKind::Incomplete, text);
    }
    if let Some(text) = other_vendor(figures) {
        return plain(VerdictKind::OtherVendor, text);
    }
    if let Some(said) = unmet(figures) {
        return said;
    }
    if are_alike(figures) {
        let Some((row, text)) = by_streams(figures, best) else {
            return plain(VerdictKind::NoEffect, no_effect(figures));
        };
        let kind = if row == base {
            VerdictKind::Stay
        } else {
            VerdictKind::better(figures.rows[row].offered)
        };
        return Said { recipe: Some(row), ..plain(kind, text) };
    }
    if let Some((other, text)) = goal_or_gain(figures, best) {
        let why = against_today(figures, [best, other]);
        let said = plain(VerdictKind::Either, text);
        let (one, other, doubt) = (Some(best), Some(other), Some(DoubtBy::Trial));
        return Said { recipe: one, other, doubt, why, ..said };
    }
    if let Some(Doubt { text, other, by }) = either(figures, best) {
        let why = against_today(figures, [best, other]);
        let [one, other] = surer(figures, [best, other]);
        let said = plain(VerdictKind::Either, text);
        return Said { recipe: Some(one), other: Some(other), doubt: Some(by), why, ..said };
    }
    against_base(figures, best)
}

/// Draws the verdict between the baseline recipe and the recipe `best`, which ranks first and beside
/// which no other may be the better one.
fn against_base(figures: &PolicyFigures, best: usize) -> Said {
    let (base, plain) = (figures.baseline, Said::plain);
    // A way that meets the goals may cost other processes more than it gains.
    let is_surer = is_surer(figures, best);
    let must = is_surer || !figures.meets_all(base);
    let beyond = figures.beyond(base) - 1.0;
    let gain = figures.behind(base, best).max(beyond);
    if best != base
        && gain < SMALL
        && !must
        && let Some(text) = by_gaps(figures, base, best)
    {
        let said = plain(VerdictKind::Either, text);
        return Said { recipe: Some(base), other: Some(best), doubt: Some(DoubtBy::Gaps), ..said };
    }
    if best == base || (gain < SMALL && !must) {
        return Said { recipe: Some(base), ..plain(VerdictKind::Stay, stay(figures)) };
    }
    let error = error(figures);
    if gain < error && !is_surer {
        let (name, base) = (&figures.rows[best].recipe, &figures.rows[base].recipe);
        let text = format!(
            "{name} looks better than {base} by {}, which is less than the model's own error of {}: do not choose by it.",
            percent(gain),
            percent(error)
        );
        return Said { recipe: Some(best), ..plain(VerdictKind::BelowError, text) };
    }
    let at_stake = at_stake(figures).filter(|_| is_surer);
    let head = at_stake.unwrap_or_else(|| headline(figures, best));
    if let Some(text) = undecided(figures, best, head) {
        return Said { recipe: Some(best), ..plain(VerdictKind::BelowError, text) };
    }
    let text = advice(figures, best, head);
    let surely = at_stake.map(|_| {
        let [one, today] = [best, base].map(|row| &figures.rows[row].recipe);
        format!("{one} meets {} also by its intervals, {today} may not.", unsure::all(figures))
    });
    let why = surely.or_else(|| why(figures, best, head));
    Said { recipe: Some(best), why, ..plain(VerdictKind::better(figures.rows[best].offered), text) }
}

/// Says what the user must add for a comparison, where there is only one recipe.
const fn no_comparison(figures: &PolicyFigures) -> &'static str {
    match figures.processes.as_slice() {
        [_] => {
            "One process under one policy is no comparison: add a profile (or FILE*2), or another --recipe."
        }
        _ => "One policy alone is no comparison: leave out --recipe, or add another.",
    }
}

/// Returns two recipes of which either may be the better one, with the recipe first that is surer to
/// meet all goals.
fn surer(figures: &PolicyFigures, [best, other]: [usize; 2]) -> [usize; 2] {
    let is_surer = figures.meets_all(other) && figures.risk(other) < figures.risk(best);
    if is_surer { [other, best] } else { [best, other] }
}

/// Returns the recommendation `text`, begun with "To gain more," where the baseline recipe meets
/// all goals as it is, not every recipe does, and the baseline is none of those recommended; else
/// `text` unchanged. `recipes` are the recipes that `text` names.
fn more(figures: &PolicyFigures, recipes: [Option<usize>; 2], text: String) -> String {
    let base = figures.baseline;
    let meets = |at: usize| figures.surely_meets_all(at);
    let is_enough = !figures.goals.is_empty() && meets(base);
    if !is_enough || meets::all_meet(figures) || recipes.contains(&Some(base)) {
        return text;
    }
    let lower = [("Use ", "use "), ("Either ", "either ")];
    let rest = lower.iter().find_map(|(from, to)| Some((to, text.strip_prefix(from)?)));
    rest.map_or(text.clone(), |(to, rest)| format!("To gain more, {to}{rest}"))
}

/// Returns whether every process takes the same time as under the baseline recipe, to within 1 %,
/// under all recipes under which everything ended.
pub(super) fn are_alike(figures: &PolicyFigures) -> bool {
    let mut complete = (0..figures.rows.len()).filter(|&row| figures.rows[row].complete);
    !complete.any(|row| differs(figures, row))
}

/// Returns whether any process takes at least 1 % longer or shorter under the recipe with the index
/// `row` among those compared than under the baseline recipe.
fn differs(figures: &PolicyFigures, row: usize) -> bool {
    changes(figures, row).any(|(_, change)| change.abs() >= SMALL)
}

/// Says that recipes are not ranked, as a profile was recorded on a device of another vendor than
/// the device of the replay; `None` where no profile was.
fn other_vendor(figures: &PolicyFigures) -> Option<String> {
    let process = figures.processes.iter().find(|it| it.other_vendor)?;
    let [least, most] = OTHER_VENDOR.map(|error| percent(error.abs()));
    let (name, device) = (&process.name, process.recorded_on.as_deref().unwrap_or_default());
    Some(format!(
        "Nothing is ranked: {name} was recorded on {device}, and devices of another vendor run other kernels (where both were measured, replays came out {least} too short to {most} too long). Record it on such a device."
    ))
}

fn stay(figures: &PolicyFigures) -> String {
    let base = &figures.rows[figures.baseline].recipe;
    let second = figures.ranking.iter().find(|&&row| row != figures.baseline);
    let costs = second.map_or(String::new(), |&row| {
        let all = all_changes(figures, row, None);
        if all.is_empty() {
            format!(" {} does the same.", figures.rows[row].recipe)
        } else {
            format!(" {}, the next best, gives {all}.", figures.rows[row].recipe)
        }
    });
    let goals = unsure::all(figures);
    let who = match figures.not_offered() {
        _ if cheaper(figures, figures.baseline).is_some() => {
            format!("no other policy that surely meets {goals} does")
        }
        Some(_) => "no other policy that a driver offers does".to_owned(),
        None => "no other policy does".to_owned(),
    };
    format!("Stay with {base}: {who} better{}.{costs}", figures.for_whom())
}

/// Returns the verdict that no recipe meets all goals, with the goals that the best ranked recipe
/// misses; `None` where a recipe meets all goals.
fn unmet(figures: &PolicyFigures) -> Option<Said> {
    let &nearest = figures.ranking.first().filter(|&&row| figures.rows[row].complete)?;
    if figures.meets_all(nearest) {
        return None;
    }
    let row = &figures.rows[nearest];
    let missed = figures.goals.iter().zip(&row.goals_met).filter(|(_, met)| !**met);
    let missed: Vec<String> = missed
        .map(|(goal, _)| {
            let found = goal.figure(figures, nearest);
            let found = found.map_or_else(|| "unknown, as nothing ended".to_owned(), time);
            // No policy makes a process faster than it is without neighbours.
            let alone = goal.alone_above_limit(figures).map(time);
            let alone = alone.map_or_else(String::new, |alone| format!(", alone already {alone}"));
            format!("{} is {found}{alone}", goal_words(figures, goal))
        })
        .collect();
    let (name, all, met) = (&row.recipe, figures.goals.len(), figures.goals.len() - missed.len());
    let missed = missed.join(", ");
    let text = match met {
        0 => format!("No policy meets the goals. {name} comes nearest: {missed}."),
        _ => format!(
            "No policy meets all goals. {name} comes nearest with {met} of {all}: {missed}."
        ),
    };
    Some(Said {
        kind: VerdictKind::NoGoalMet,
        recipe: Some(nearest),
        other: None,
        text,
        why: None,
        doubt: None,
    })
}

fn goal_words(figures: &PolicyFigures, goal: &super::Goal) -> String {
    match goal.resolved(figures) {
        Some(limit) => format!("`{goal}` (limit {limit})"),
        None => format!("`{goal}`"),
    }
}

/// Says that the change of a process from the baseline recipe to the recipe with the index `best`
/// is smaller than its spread over random seeds; `None` where it is larger. `head` is the index of
/// the process.
fn undecided(figures: &PolicyFigures, best: usize, head: usize) -> Option<String> {
    let (mean, within) = figures.paired_change(best, head)?;
    if mean.abs() > within {
        return None;
    }
    let JudgedProcess { name, judged, .. } = &figures.processes[head];
    let side = |ns: f64| {
        let way = if ns < 0.0 { "shorter" } else { "longer" };
        format!("{} {way}", time(ns.abs().round() as u64))
    };
    let base = &figures.rows[figures.baseline].recipe;
    Some(format!(
        "{} looks better than {base}, but by these seeds nobody can tell: seed by seed, {name} {} is {} to {} than under {base}. Give more --seeds, or more requests.",
        figures.rows[best].recipe,
        judged.word(),
        side(mean - within),
        side(mean + within),
    ))
}

/// Returns the index of the process that the verdict is about, under the recipe with the index
/// `row`: the process of which a figure was minimised, else the one that gains most. A process with
/// requests that gains at least 1 % comes before processes without requests.
fn headline(figures: &PolicyFigures, row: usize) -> usize {
    if let Some((process, _)) = figures.minimised {
        return process;
    }
    let requests = |at: usize| figures.processes[at].judged == JudgedBy::Requests;
    let gains = |at: usize, change: f64| requests(at) && change <= -SMALL;
    let most = changes(figures, row).min_by(|&(a, one), &(b, other)| {
        gains(b, other).cmp(&gains(a, one)).then(one.total_cmp(&other))
    });
    most.map_or(0, |(at, _)| at)
}

/// Writes the advice to use the recipe with the index `best`, in a sentence about the process with
/// the index `head`: "Use leftover-drain: decode p99 42.5 -> 16.9 ms (15.8 ms to 18.1 ms), for a
/// train step 6 % longer."
fn advice(figures: &PolicyFigures, best: usize, head: usize) -> String {
    let JudgedProcess { name, judged, .. } = &figures.processes[head];
    let of = |row: usize| figures.rows[row].processes[head].decisive_ns.unwrap_or(0);
    let from_to = from_to(of(figures.baseline), of(best));
    let between = match figures.bounds(best, head) {
        Some(bounds) => format!(" ({})", bounds.text()),
        None => String::new(),
    };
    let others = all_changes(figures, best, Some(head));
    let others = match (others.as_str(), figures.processes.len()) {
        (_, 1) => String::new(),
        ("", _) if others_may_pay(figures, best, head) => String::new(),
        ("", _) => ", at no cost to the others".to_owned(),
        // A gain is no price.
        _ if !has_cost(figures, best, head) => format!(", and {others}"),
        _ => format!(", for {others}"),
    };
    let begin = figures.rows[best].begin();
    format!("{begin}: {name} {} {from_to}{between}{others}.", judged.word())
}

/// Returns the reason why the process with the index `head` gains under the recipe with the index
/// `best`: "decode no longer queues behind whole launches of others: ...". `None` where its longest
/// wait is not at least a tenth shorter than under the baseline recipe.
fn why(figures: &PolicyFigures, best: usize, head: usize) -> Option<String> {
    let wait = |row: usize| figures.rows[row].processes[head].longest_wait_ns;
    let (now, before) = (wait(best), wait(figures.baseline));
    let name = &figures.processes[head].name;
    let base = &figures.rows[figures.baseline].recipe;
    if now >= before - before / 10 {
        return None;
    }
    Some(format!(
        "{name} no longer queues behind whole launches of others: its longest wait for the GPU is {}, under {base} {}.",
        time(now),
        time(before)
    ))
}

/// Returns the largest error of the busy time or of the end of any process, in a replay of it alone
/// compared with its recording, as a fraction; 0 where no error is known.
fn error(figures: &PolicyFigures) -> f64 {
    let busy = |it: &JudgedProcess| it.self_replay.map(|found| found.busy);
    let errors = figures.processes.iter().flat_map(|it| [busy(it), it.end_error]);
    let errors = errors.flatten();
    errors.map(f64::abs).fold(0.0, f64::max)
}

/// Names the changes of processes against the baseline recipe that are smaller than the error of
/// the simulation, so that they may not be real. Returns one sentence, or an empty list where there
/// is none.
pub(super) fn doubts(figures: &PolicyFigures) -> Vec<String> {
    let error = error(figures);
    let rows = (0..figures.rows.len()).filter(|&row| row != figures.baseline);
    let of = |row: usize| {
        let small = changes(figures, row).filter(|(_, by)| (SMALL..error).contains(&by.abs()));
        let told: Vec<String> = small.map(|(at, by)| change(figures, at, by)).collect();
        let name = &figures.rows[row].recipe;
        (!told.is_empty()).then(|| format!("{name}, {}", told.join(" and ")))
    };
    let doubted: Vec<String> = rows.filter_map(of).collect();
    if doubted.is_empty() {
        return Vec::new();
    }
    let error = error * 100.0;
    vec![format!("less than the model's own error of {error:.1} %: {}", doubted.join("; "))]
}
