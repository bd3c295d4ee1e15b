//! Which figures of a process does the table of policies have, from left to right?

use raddle_study::answer::{FigureBounds, JudgedBy, PolicyFigures, ProcessFigures};
use raddle_study::units::{duration, in_unit_of};

use super::looks::is_chosen;
use crate::document::{Cell, CellBar};

/// Largest end of the scale of bars, as a multiple of the larger of two figures: those under the
/// recommended way of sharing and under the baseline (with which the others are compared). Longer
/// bars are cut off.
const LONGEST_BAR: u64 = 4;

/// Choice of the columns that a table of policies has in addition to the figures by which processes
/// are judged.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct AnswerDetail {
    /// True if the table has a column that describes each policy in words.
    pub(super) words: bool,
    /// True if the table shows the slowdown of requests: their time over the time when the process
    /// is alone.
    pub(super) alone: bool,
    /// True if the table has a column for the median time of requests, and on the HTML page one for
    /// the longest wait.
    pub(super) median: bool,
    /// True if the table shows, for processes without requests, by how much the judged figure
    /// differs from that under the baseline (the way of sharing with which the others are
    /// compared).
    pub(super) change: bool,
    /// For [figures by which processes with requests are judged, those of processes without
    /// requests, medians]: true if the table shows the interval or accuracy of these figures.
    pub(super) within: [bool; 3],
    /// True if the interval of a figure stands below the figure on a terminal, so that the table is
    /// narrower.
    pub(super) below: bool,
}

/// Column of the table of policies, which shows one figure of one process.
pub(super) struct FigureColumn<'a> {
    pub(super) title: String,
    /// True if the table shows this column; false where the chosen detail, or the kind of process,
    /// leaves it out.
    pub(super) when: bool,
    /// Function that makes the cell of this column for the policy with a given row index.
    pub(super) cell: Box<dyn Fn(usize) -> Cell + 'a>,
}

/// Returns the columns that a table of policies may have for the process with the index `at`, from
/// left to right.
pub(super) fn figures<'a>(
    answer: &'a PolicyFigures,
    at: usize,
    name: &str,
    detail: AnswerDetail,
    page: bool,
) -> [FigureColumn<'a>; 5] {
    let judged = answer.processes[at].judged;
    let requests = judged == JudgedBy::Requests;
    let own = move |row: usize| &answer.rows[row].processes[at];
    let both = move |row: usize| times(own(row), answer.bounds(row, at), requests, detail);
    let of = |when: bool, title: &str, cell: Box<dyn Fn(usize) -> Cell + 'a>| FigureColumn {
        title: title.to_owned(),
        when,
        cell,
    };
    let decisive = move |row: usize| {
        let [_, decisive] = both(row);
        match own(row).decisive_ns.filter(|_| page) {
            Some(ns) => decisive.bar(bar(answer, at, ns, answer.bounds(row, at))),
            None => decisive,
        }
    };
    let median = move |row| {
        let [median, _] = both(row);
        median
    };
    [
        of(requests && detail.median, &format!("{name} p50"), Box::new(median)),
        of(true, &format!("{name} {}", judged.word()), Box::new(decisive)),
        of(
            requests && detail.alone,
            "x alone",
            Box::new(move |row| slowdown(answer.slowdown(row, at))),
        ),
        of(
            !requests && detail.change,
            "change",
            Box::new(move |row| change(answer.change(row, at))),
        ),
        of(
            page && requests && detail.median,
            "longest wait",
            Box::new(move |row| time(Some(own(row).longest_wait_ns))),
        ),
    ]
}

/// Makes the bar of the figure `ns` of the process with the index `at`. The scale ends at the
/// largest figure under any recipe (way of sharing the device), but at most at [`LONGEST_BAR`]
/// times the larger of two figures: those of the recommended recipe and of the baseline. Longer
/// bars are cut off, because these two bars would else be too short to see.
fn bar(answer: &PolicyFigures, at: usize, ns: u64, bounds: Option<FigureBounds>) -> CellBar {
    let figure = |row: usize| answer.rows[row].processes[at].decisive_ns;
    let all = || 0..answer.rows.len();
    let compared = |row: &usize| *row == answer.baseline || is_chosen(answer, *row);
    let most = all().filter(compared).filter_map(figure).max().unwrap_or(u64::MAX);
    let most = most.saturating_mul(LONGEST_BAR);
    let end = |row: usize| figure(row).max(answer.bounds(row, at).map(|it| it.most_ns));
    let full = all().filter_map(end).max().unwrap_or(1).min(most).max(1) as f64;
    let share = |ns: u64| (ns as f64 / full).min(1.0);
    // The line of an interval without an upper end goes on to the end of the scale.
    let most = |it: FigureBounds| if it.open { 1.0 } else { share(it.most_ns) };
    let within = bounds.map(|it| [share(it.least_ns), most(it)]);
    CellBar { share: share(ns), is_cut: ns > full as u64, within }
}

fn time(ns: Option<u64>) -> Cell {
    let text = ns.map_or_else(|| "-".to_owned(), duration);
    Cell::ranked(text, ns.map(|ns| ns as f64))
}

/// Writes the accuracy of a mean, such as `±1.2`, in the unit in which the mean is shown. `mean`
/// and `within` are in ns; the text is empty where one of them is missing.
fn within(mean: Option<u64>, within: Option<u64>) -> String {
    let told = mean.zip(within).map(|(mean, within)| format!("±{}", in_unit_of(mean, within)));
    told.unwrap_or_default()
}

fn change(change: Option<f64>) -> Cell {
    let text = change.map_or_else(
        || "-".to_owned(),
        |by| match by {
            _ if by.abs() < 0.0005 => "0%".to_owned(),
            _ => format!("{:+.1}%", by * 100.0),
        },
    );
    Cell::ranked(text, change)
}

/// Makes two cells: the time of the median request, and the figure by which the process is judged,
/// each with its bounds or accuracy.
fn times(
    figures: &ProcessFigures,
    bounds: Option<FigureBounds>,
    requests: bool,
    detail: AnswerDetail,
) -> [Cell; 2] {
    let drawn = figures.drawn;
    let [served, other, median] = detail.within;
    let decisive = if requests { served } else { other };
    let interval = bounds.filter(|_| decisive);
    let decisive = drawn.filter(|_| decisive).map(|drawn| drawn.decisive_within_ns);
    let median = drawn.filter(|_| median).and_then(|drawn| drawn.p50_within_ns);
    let decisive = match (figures.decisive_ns, interval) {
        (Some(own), Some(bounds)) => format!(" ({})", bounds.in_unit_of(own)),
        _ => within(figures.decisive_ns, decisive),
    };
    [
        time(figures.p50_ns).note(within(figures.p50_ns, median)),
        time(figures.decisive_ns).note(decisive),
    ]
}

fn slowdown(slowdown: Option<f64>) -> Cell {
    let text = slowdown.map_or_else(|| "-".to_owned(), |by| format!("{by:.1}x"));
    Cell::ranked(text, slowdown)
}
