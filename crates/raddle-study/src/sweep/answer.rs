//! Which way of sharing holds all goals up to the highest load of a sweep?

use super::summary::{Reach, SweepSummary};
use crate::units::plain;

/// Number of ways that the sentence names.
const NAMED: usize = 3;
/// Largest number of characters of the name of a way in the sentence.
const NAME: usize = 60;

/// Says which combination of the other varied values holds all goals up to the highest value along
/// the axis (varied option) of the curves, such as the load: surely first, then by the figures.
/// `None` where there are no goals or no such axis.
pub(super) fn answer(summary: &SweepSummary) -> Option<String> {
    let (along, numbers) = summary.along.as_ref()?;
    let key = summary.axes.get(*along)?;
    if summary.goals.is_empty() || summary.reaches.is_empty() {
        return None;
    }
    let mut numbers: Vec<&(String, f64)> = numbers.iter().collect();
    numbers.sort_by(|a, b| a.1.total_cmp(&b.1));
    let place = |value: &Option<String>| {
        value.as_ref().and_then(|value| numbers.iter().position(|(own, _)| own == value))
    };
    let far = |reach: &Reach| (place(&reach.surely_up_to), place(&reach.up_to));
    let furthest = summary.reaches.iter().map(far).max()?;
    let best: Vec<&Reach> = summary.reaches.iter().filter(|it| far(it) == furthest).collect();
    let (surely, by_figures) = furthest;
    let Some(by_figures) = by_figures else {
        let unknown = summary.reaches.iter().any(|it| it.without_answer.is_some());
        let of = if unknown { ", of the cases with an answer" } else { "" };
        let lowest = &numbers.first()?.0;
        return Some(format!("No way meets all goals even at {key} {lowest}, the lowest{of}."));
    };
    let highest = match best.iter().all(|reach| reach.all) {
        true => ", the highest tried",
        false => "",
    };
    let figures = format!("up to {}{highest}", numbers[by_figures].0);
    let held = match surely {
        Some(surely) if surely == by_figures => format!("surely {figures}"),
        Some(surely) => {
            format!("surely up to {}, by the figures {figures}", numbers[surely].0)
        }
        None => format!("{figures}, by the figures; by their intervals a goal may be missed"),
    };
    if summary.reaches.len() == 1 {
        return Some(format!("All goals hold at {key} {held}."));
    }
    let all: Vec<String> = best.iter().map(|it| plain(&it.values.join(" "), NAME)).collect();
    let names = match all.as_slice() {
        [one] => format!("{one} goes"),
        some if some.len() <= NAMED => {
            let (last, others) = some.split_last()?;
            format!("{} and {last} go", others.join(", "))
        }
        many => format!("{} and {} more go", many[..NAMED].join(", "), many.len() - NAMED),
    };
    Some(format!("{names} furthest: all goals hold at {key} {held}."))
}
