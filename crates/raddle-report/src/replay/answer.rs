//! What is on the first screen and on page one: which recipe, at what cost, and may I believe it?

use raddle_sim::{GoalMetric, JudgedBy, PolicyFigures, ProcessFigures, VerdictKind};

use super::NAME;
use super::files::Closing;
use super::result::ReplayResult;
use crate::document::{
    Axis, Block, Cell, Chart, ChartKind, ChartSeries, Column, Document, Medium, Scale, Table,
    ValueUnit,
};
use crate::units::{counted, duration, plain};

/// Columns of a terminal of which nobody knows better.
const COLUMNS: usize = 80;
/// Rows of the table on a terminal, where it does not show everything.
const ROWS: usize = 5;

/// Page one, and the first screen.
pub(super) fn fill(
    document: &mut Document,
    result: &ReplayResult,
    cards: Vec<Vec<Block>>,
    closing: &Closing<'_>,
) {
    let answer = &result.answer;
    document.add(verdict(answer));
    for profile in &result.profiles {
        if let Some(unknown) = profile.unknown_kernels {
            let name = plain(&profile.name, NAME);
            document.add(Block::Warning(format!("{name}: {}", unknown.told())));
        }
    }
    let columns = document.columns.unwrap_or(COLUMNS);
    // What fits: everything, else without words, then without medians, else only what decides.
    let most = if document.verbose { usize::MAX } else { ROWS };
    let mut tables = (0..=3).rev().map(|detail| policies(result, most, detail, false));
    let fits = tables.find(|table| table.width() <= columns);
    let table = fits.unwrap_or_else(|| policies(result, most, 0, false));
    let some = (answer.ranking.len() > most).then_some(", here the best (`-v` has all)");
    let heading = format!("{}{}", document.summary, some.unwrap_or_default());
    document.add_on(Medium::Terminal, Block::Heading(heading));
    document.add_on(Medium::Terminal, Block::Table(table));
    document.page(Block::Note(what(result)));
    let mut left = vec![Block::Heading("What the choice costs".to_owned())];
    left.extend(pareto(answer).map(|chart| Block::Charts(Vec::new(), vec![chart])));
    let right = vec![
        Block::Heading("Policies, the best first".to_owned()),
        Block::Table(policies(result, usize::MAX, 2, true)),
        Block::Note(page_note(answer)),
    ];
    document.page(Block::Beside(if left.len() > 1 { vec![left, right] } else { vec![right] }));
    document.page(Block::Beside(cards));
    terminal_notes(document, result, closing);
    let trust = answer.verdict.trust.join("; ");
    document.page(Block::Note(format!("How far to trust this: {trust}.")));
    document.page(Block::Link { text: "All assumptions".to_owned(), to: "#rests".to_owned() });
}

/// What follows the verdict on a terminal.
fn terminal_notes(document: &mut Document, result: &ReplayResult, closing: &Closing<'_>) {
    let answer = &result.answer;
    let mut say = |label: &str, text: String| {
        let label = label.to_owned();
        document.add_on(Medium::Terminal, Block::Paragraph { label, text });
    };
    if let Some(text) = super::cards::idle_words(result) {
        say("GPU", text);
    }
    say("Trust", answer.verdict.trust.join("; "));
    if let Some(stuck) = result.stuck_launches() {
        document.add_on(Medium::Terminal, Block::Warning(stuck));
    }
    let warnings =
        result.warnings.len() - result.warnings.len().min(usize::from(!result.stuck.is_empty()));
    if warnings > 0 {
        let text = counted(warnings as u64, "warning", "warnings");
        let note = format!("! {text}: `-v` shows them, and the report");
        document.add_on(Medium::Terminal, Block::Note(note));
    }
    let (label, text) = match closing.folder {
        Some(folder) => {
            let page = folder.join(super::runs::PAGE);
            ("Report", format!("{}; model: `raddle help model`", page.display()))
        }
        None => ("Model", "`raddle help model` says on what figures rest".to_owned()),
    };
    document.add_on(Medium::Terminal, Block::Paragraph { label: label.to_owned(), text });
}

fn verdict(answer: &PolicyFigures) -> Block {
    let said = &answer.verdict;
    let good = matches!(said.kind, VerdictKind::Use | VerdictKind::Stay);
    let name = said.recipe.clone().unwrap_or_default();
    Block::Verdict { good, name, text: said.text.clone(), why: said.why.clone() }
}

/// What the figures are of, in a line.
fn what(result: &ReplayResult) -> String {
    let answer = &result.answer;
    let or = |all: Vec<String>, none: &str| match all.is_empty() {
        true => none.to_owned(),
        false => all.join(", "),
    };
    let goals = or(answer.goals.iter().map(ToString::to_string).collect(), "none");
    let loads = result.profiles.iter().filter_map(|profile| {
        let requests = profile.requests.as_ref()?;
        let count = requests.replayed.map_or_else(String::new, |n| format!("{n} "));
        Some(format!("{count}requests of {} ({})", plain(&profile.name, NAME), requests.process))
    });
    let loads = or(loads.collect(), "as recorded");
    let base = answer.rows.get(answer.baseline).map_or("", |row| &row.recipe);
    format!("Goal: {goals} · load: {loads} · compared with {}", plain(base, NAME))
}

/// The name of a recipe in a table.
fn named(answer: &PolicyFigures, row: usize) -> Cell {
    let today = row == answer.baseline && answer.rows[row].recipe == raddle_sim::BASELINE;
    let cell = Cell::from(answer.rows[row].recipe.as_str());
    if today { cell.note(" (today)") } else { cell }
}

fn is_chosen(answer: &PolicyFigures, row: usize) -> bool {
    answer.verdict.recipe.as_ref() == Some(&answer.rows[row].recipe)
}

fn time(ns: Option<u64>) -> Cell {
    let text = ns.map_or_else(|| "-".to_owned(), duration);
    Cell::ranked(text, ns.map(|ns| ns as f64))
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

/// The median request and what decides, with how far means may be off.
fn times(figures: &ProcessFigures) -> [Cell; 2] {
    let drawn = figures.drawn;
    let within = |ns: Option<u64>| ns.map_or_else(String::new, |ns| format!("±{}", duration(ns)));
    [
        time(figures.p50_ns).note(within(drawn.and_then(|drawn| drawn.p50_within_ns))),
        time(figures.decisive_ns).note(within(drawn.map(|drawn| drawn.decisive_within_ns))),
    ]
}

fn slowdown(slowdown: Option<f64>) -> Cell {
    let text = slowdown.map_or_else(|| "-".to_owned(), |by| format!("{by:.1}x"));
    Cell::ranked(text, slowdown)
}

/// Whether the goals are met, where there are some.
fn goals(answer: &PolicyFigures, row: usize) -> Option<Cell> {
    let met = &answer.rows[row].goals_met;
    let text = match met.iter().filter(|met| **met).count() {
        n if n == met.len() => "met".to_owned(),
        0 => "missed".to_owned(),
        n => format!("{n} of {}", met.len()),
    };
    let rank = met.iter().filter(|met| !**met).count() as f64;
    (!met.is_empty()).then(|| Cell::ranked(text, Some(rank)))
}

/// Positions of the processes, those with requests first.
fn processes(answer: &PolicyFigures) -> Vec<usize> {
    let mut order: Vec<usize> = (0..answer.processes.len()).collect();
    order.sort_by_key(|&at| answer.processes[at].judged != JudgedBy::Requests);
    order
}

/// The policies, the best first, with more or less detail: of a terminal the first ones; of the page
/// all, with bars and longest waits, and rows that lead to their timelines.
fn policies(result: &ReplayResult, most: usize, detail: u8, page: bool) -> Table {
    let answer = &result.answer;
    let mut columns = vec![Column::name("policy", NAME)];
    for at in processes(answer) {
        let process = &answer.processes[at];
        let (name, word) =
            (plain(&process.name, if page { 24 } else { 12 }), process.judged.word());
        let requests = process.judged == JudgedBy::Requests;
        columns.extend((requests && detail > 0).then(|| Column::figure(format!("{name} p50"))));
        columns.push(Column::figure(format!("{name} {word}")));
        let title = if requests { "x alone" } else { "change" };
        columns.extend((detail > 1 || !requests).then(|| Column::figure(title)));
        columns.extend((page && requests).then(|| Column::figure("longest wait")));
    }
    columns.extend((!answer.goals.is_empty()).then(|| Column::figure("goal")));
    columns.extend((detail > 2).then(|| Column::text("what it does")));
    let mut table = Table::new(if page { "Policies" } else { "" }, columns);
    let mut shown: Vec<usize> = answer.ranking.iter().copied().take(most).collect();
    // Today's way is always there.
    if !shown.contains(&answer.baseline) {
        shown.pop();
        shown.push(answer.baseline);
    }
    for row in shown {
        table.row(cells(result, row, detail, page));
        if is_chosen(answer, row) {
            table.choose();
        }
    }
    // Where all rows are alike, that is the answer.
    let few = table.clone().without_constants();
    if page || few.columns() <= 1 + usize::from(detail > 2) { table } else { few }
}

fn cells(result: &ReplayResult, row: usize, detail: u8, page: bool) -> Vec<Cell> {
    let answer = &result.answer;
    let recipe = result.recipes.get(row);
    let drawn = recipe.and_then(|of| of.timeline.as_ref()).filter(|_| page);
    let name = named(answer, row);
    let mut cells = vec![match drawn {
        Some(drawn) => name.link(drawn.file.clone()),
        None => name,
    }];
    for at in processes(answer) {
        let figures = answer.rows[row].processes[at];
        let requests = answer.processes[at].judged == JudgedBy::Requests;
        let [p50, decisive] = times(&figures);
        cells.extend((requests && detail > 0).then_some(p50));
        let own = |row: usize| answer.rows[row].processes[at].decisive_ns;
        let most = (0..answer.rows.len()).filter_map(own).max().unwrap_or(1).max(1) as f64;
        let share = own(row).unwrap_or(0) as f64 / most;
        cells.push(if page { decisive.bar(share) } else { decisive });
        if !requests {
            cells.push(change(answer.change(row, at)));
        } else if detail > 1 {
            cells.push(slowdown(answer.slowdown(row, at)));
        }
        let wait = time(Some(figures.longest_wait_ns));
        cells.extend((page && requests).then_some(wait));
    }
    cells.extend(goals(answer, row));
    let words = recipe.and_then(|of| of.recipe.description.as_deref());
    cells.extend((detail > 2).then(|| words.unwrap_or_default().into()));
    cells
}

fn page_note(answer: &PolicyFigures) -> String {
    let base = answer.rows.get(answer.baseline).map_or("", |row| &row.recipe);
    format!(
        "A click on a heading sorts. Alone is the same by itself on this device under {base}; changes are against {base}. The longest wait is with work and without waves on the device."
    )
}

/// The process on the upward axis, and the one whose cost stands along: the first with requests and
/// the first without, else the first two.
fn axes(answer: &PolicyFigures) -> Option<(usize, usize)> {
    let requests = |at: &usize| answer.processes[*at].judged == JudgedBy::Requests;
    let all = 0..answer.processes.len();
    let up = all.clone().find(requests).or(all.clone().next())?;
    let along = all.clone().find(|at| *at != up && !requests(at));
    Some((up, along.or(all.clone().find(|at| *at != up))?))
}

/// What one process gains and what another pays, a point a recipe.
fn pareto(answer: &PolicyFigures) -> Option<Chart> {
    let (up, along) = axes(answer)?;
    let figure = |row: usize, at: usize| answer.rows[row].processes[at].decisive_ns;
    let complete = answer.ranking.iter().copied();
    let complete: Vec<usize> = complete.filter(|&row| answer.rows[row].complete).collect();
    let fastest = complete.iter().filter_map(|&row| figure(row, along)).min()?.max(1) as f64;
    let series = complete.iter().filter_map(|&row| {
        let (gain, cost) = (figure(row, up)?, figure(row, along)? as f64 / fastest - 1.0);
        let name = answer.rows[row].recipe.clone();
        let words = format!("{name}: {}, {:+.1}%", duration(gain), cost * 100.0);
        Some(ChartSeries { look: row, name, words, points: vec![(cost, gain as f64)] })
    });
    let mut series: Vec<ChartSeries> = series.collect();
    // The one to choose is drawn first.
    series.sort_by_key(|series| !is_chosen(answer, series.look));
    if series.len() < 2 {
        return None;
    }
    let [one, other] = [up, along].map(|at| &answer.processes[at]);
    let goal = answer.goals.iter().find(|goal| {
        goal.process == one.name
            && (goal.metric == GoalMetric::P99 || one.judged != JudgedBy::Requests)
    });
    let rule = goal.and_then(|goal| goal.limit_ns(answer)).map(|ns| ns as f64);
    let ups = || series.iter().map(|series| series.points[0].1).chain(rule);
    let (least, most) = (ups().fold(f64::INFINITY, f64::min), ups().fold(1.0, f64::max));
    let dearest = series.iter().map(|series| series.points[0].0).fold(0.02, f64::max);
    let words: Vec<&str> = series.iter().map(|series| &*series.words).collect();
    Some(Chart {
        title: format!("{} {} by what {} pays", one.name, one.judged.word(), other.name),
        note: rule.map_or_else(String::new, |ns| format!("goal: at most {}", duration(ns as u64))),
        words: words.join("; "),
        kind: ChartKind::Points,
        x: Axis {
            title: "longer than the fastest (left is better)",
            scale: Scale::Linear(dearest * 1.15),
            unit: ValueUnit::Share,
        },
        y: Axis {
            title: "lower is better",
            scale: Scale::Ratio(least / 1.3, most * 1.25),
            unit: ValueUnit::Ns,
        },
        rule,
        series,
    })
}
