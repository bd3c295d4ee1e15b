//! How does it follow from weights which tasks run next and how long (seed 004)?
//!
//! The steps have the names of the seed, S10 to S23.

use raddle_read::shown;
use raddle_timeslice::{Arranger, LevelRange, LoadOrder, Reload, Shares, SliceRule, TakeOver};

use super::{DecidedSlices, SlicesQuestion, SlicesRun, sum};
use crate::explanation::{Story, counted, listed};

pub(super) fn tell(
    question: &SlicesQuestion,
    decided: &DecidedSlices,
    ran: Option<&SlicesRun>,
    story: &mut Story,
) {
    let name = |index: usize| shown(&question.tasks[index].name);
    let tasks = counted(question.tasks.len() as u64, "task", "tasks");
    story.step(format!("S10, S11: the pool of {tasks}, level 1 is the best"));
    for task in &question.tasks {
        // Levels were read within range.
        let code = LevelRange::default().code(task.level.into());
        let code = code.map_or_else(|_| String::new(), |code| format!(", code {code}"));
        story.line(format!("{}: level {}{code}", shown(&task.name), task.level));
    }
    let first = decided.candidates.first().map_or(0, |&index| question.tasks[index].level);
    story.step(format!("S12: all tasks of level {first}, the best present"));
    story.note(listed(decided.candidates.iter().map(|&index| name(index)), ", "));
    story.note("while any of them is unfinished, no other level runs");
    selection(question, decided, story);
    slices(question, decided, story);
    let mut first: Vec<usize> = decided.loaded.iter().map(|loaded| loaded.index()).collect();
    Arranger::new(question.order).arrange(&mut first);
    story.step(match question.order {
        LoadOrder::Fifo => "S20, S22, S23: first in, first out".to_owned(),
        LoadOrder::Random { seed } => format!("S20, S22, S23: at random, from seed {seed} on"),
    });
    story.note(listed(first.into_iter().map(name), ", "));
    story.note("each runs for exactly its slice, then the next one begins");
    let Some(ran) = ran else { return };
    if question.take_over != TakeOver::default() || question.reload != Reload::default() {
        let reload = match question.reload {
            Reload::OnePass => "when each has had its slice",
            Reload::Completion => "when all that was loaded has completed",
        };
        let take_over = match question.take_over {
            TakeOver::SliceEnd => "when a slice ends",
            TakeOver::AtOnce => "at once",
            TakeOver::BatchEnd => "when the load is used up",
        };
        story.note(format!("loaded again {reload}; a better level takes over {take_over}"));
    }
    let loads = counted(ran.rounds, "load", "loads");
    let (now, until) = (question.now, ran.until);
    story.step(format!("S23, and again from S10: {loads} from {now} to {until}"));
    for (index, ran) in ran.ran.iter().enumerate() {
        story.line(format!("{} ran {ran}", name(index)));
    }
    story.end_list();
    for &(index, at) in &ran.completed {
        story.line(format!("{} completed at {at}", name(index)));
    }
}

fn selection(question: &SlicesQuestion, decided: &DecidedSlices, story: &mut Story) {
    let (found, fit, t0) = (decided.candidates.len(), question.capacity(), question.t0);
    let count = counted(found as u64, "candidate", "candidates");
    story.step(if found <= fit {
        format!("S13: {count}, {fit} fit: all are loaded")
    } else {
        format!("S14: {found} candidates, {fit} fit: S141 sorts, S142 takes the first {fit}")
    });
    story.note(format!("weight = share x alive / run time, both times at least t0 = {t0}"));
    for (loaded, weight) in decided.loaded.iter().zip(&decided.weights) {
        let task = &question.tasks[loaded.index()];
        let (alive, ran) = ((question.now - task.created).max(t0), task.ran.max(t0));
        let name = shown(&task.name);
        story.line(format!("{name}: {} x {alive} / {ran} = {}", task.share, shown(weight)));
    }
    if found > fit {
        story.note("by weight, large to small; equal weights in pool order");
    }
}

fn slices(question: &SlicesQuestion, decided: &DecidedSlices, story: &mut Story) {
    let (t0, total) = (question.t0, shown(&sum(&decided.loaded)));
    story.step(format!("S21: the slices by rule {}", question.rule.name()));
    story.note(match question.rule {
        SliceRule::Claim => {
            format!("slice = t0 x W / w, t0 = {t0}, W = {total}: who ran more gets more")
        }
        SliceRule::Equal => format!("slice = t0 = {t0}"),
        SliceRule::Mean => {
            let n = decided.loaded.len();
            format!("slice = t0 x n x w / W, t0 = {t0}, n = {n}, W = {total}")
        }
        SliceRule::Inverse => format!("slice = t0 x w x (sum of 1 / w), t0 = {t0}"),
        SliceRule::MinOne => format!("slice = t0 x w / (the least w), t0 = {t0}"),
    });
    if question.shares == Shares::Time {
        story.note("w is the weight times the share once more, so that run times are as shares");
    }
    if let Some(longest) = question.longest {
        story.note(format!("none is longer than {longest}"));
    }
    let each = decided.loaded.iter().zip(decided.slices.iter().zip(&decided.ticks));
    for (loaded, (slice, ticks)) in each {
        let name = shown(&question.tasks[loaded.index()].name);
        story.line(format!("{name}: {}, charged as {ticks}", shown(slice)));
    }
}
