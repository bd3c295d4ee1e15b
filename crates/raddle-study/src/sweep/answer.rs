//! Which combination of the varied values other than the load, such as a way of sharing, keeps all
//! goals of a sweep up to the highest load?

use super::summary::{Reach, SweepSummary};
use crate::units::plain;

/// Largest number of combinations of values that the sentence names.
const NAMED: usize = 3;
/// Largest number of characters of the name of a combination of values in the sentence.
const NAME: usize = 60;

/// Says which combination of the varied values other than the load holds all goals up to the
/// highest load: surely holds them if one does, else by its figures. `None` where there are no
/// goals, no load is varied, or no case has an answer.
pub(super) fn answer(summary: &SweepSummary) -> Option<String> {
    let (along, numbers) = summary.along.as_ref()?;
    let key = summary.axes.get(*along)?;
    let is_load = key == "load" || key.starts_with("load.");
    if summary.goals.is_empty() || summary.reaches.is_empty() || !is_load {
        return None;
    }
    let mut numbers: Vec<&(String, f64)> = numbers.iter().collect();
    numbers.sort_by(|a, b| a.1.total_cmp(&b.1));
    let place = |value: &Option<String>| {
        value.as_ref().and_then(|value| numbers.iter().position(|(own, _)| own == value))
    };
    let far = |reach: &Reach| (place(&reach.surely_up_to), place(&reach.up_to));
    let names = Names::of(&summary.reaches);
    let is_unknown = |reach: &Reach| reach.without_answer.is_some();
    let (surely, by_figures) = summary.reaches.iter().map(far).max()?;
    let Some(by_figures) = by_figures else {
        let lowest = &numbers.first()?.0;
        let some = match summary.reaches.iter().filter(|reach| is_unknown(reach)).count() {
            0 => "No way meets",
            all if all == summary.reaches.len() => return None,
            _ => "No way with an answer meets",
        };
        return Some(format!("{some} all goals even at {key} {lowest}, the lowest."));
    };
    let best: Vec<&Reach> =
        summary.reaches.iter().filter(|&it| far(it) == (surely, Some(by_figures))).collect();
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
    let most = summary.reaches.iter().max_by_key(|&reach| place(&reach.up_to))?;
    let further = match place(&most.up_to).filter(|most| *most > by_figures) {
        Some(at) => format!("; {} by its figures up to {}", names.of_way(most), numbers[at].0),
        None => String::new(),
    };
    let known = match summary.reaches.iter().any(is_unknown) {
        true => " of those with an answer",
        false => "",
    };
    let (named, go) = names.of_ways(&best);
    Some(format!("{named} {go} furthest{known}: all goals hold at {key} {held}{further}."))
}

/// Writer of the names of combinations of values; it leaves out values that all combinations have.
struct Names {
    /// For each varied option other than the load, true if its values differ.
    differs: Vec<bool>,
}

impl Names {
    fn of(reaches: &[Reach]) -> Self {
        let options = reaches.first().map_or(0, |first| first.values.len());
        let differs = |at: usize| reaches.iter().any(|it| it.values[at] != reaches[0].values[at]);
        Self { differs: (0..options).map(differs).collect() }
    }

    fn of_way(&self, reach: &Reach) -> String {
        let values = reach.values.iter().zip(&self.differs).filter(|(_, differs)| **differs);
        plain(&values.map(|(value, _)| value.as_str()).collect::<Vec<_>>().join(" "), NAME)
    }

    /// Returns (names of several combinations, the verb that follows them: "goes" or "go").
    fn of_ways(&self, reaches: &[&Reach]) -> (String, &'static str) {
        let all: Vec<String> = reaches.iter().map(|reach| self.of_way(reach)).collect();
        match all.as_slice() {
            [one] => (one.clone(), "goes"),
            many if many.len() > NAMED => {
                let more = many.len() - NAMED;
                (format!("{} and {more} more", many[..NAMED].join(", ")), "go")
            }
            some => {
                let (last, others) = some.split_last().expect("one of them is the furthest");
                (format!("{} and {last}", others.join(", ")), "go")
            }
        }
    }
}
