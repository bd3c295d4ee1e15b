//! How do the first screen and the first page say which recipe to use, at what cost, and how far to
//! believe it?

use std::collections::BTreeSet;

use raddle_study::answer::{GoalMetric, JudgedBy, PolicyFigures};
use raddle_study::result::{LoadLimitLeftOut, ReplayResult};
use raddle_study::units::{apart, counted, duration, plain, shell};

use super::NAME;
use super::columns::{AnswerDetail, FigureColumn, figures};
use super::files::Closing;
use crate::document::{
    Axis, Block, Cell, Chart, ChartKind, ChartSeries, Column, Document, Medium, Scale, Table,
    ValueUnit,
};
use crate::verdict::verdict;

/// Number of columns of a terminal whose width is unknown.
const COLUMNS: usize = 80;
/// Largest number of characters of a name where there is little room.
const SHORT: usize = 12;
/// Options by which a user replays on another device, or with another load.
const WHAT_IF: &str = "`--device NAME`, `--requests NAME=N/s`, or many with `raddle sweep`";
/// Largest number of policies that are named one by one.
const CHIPS: usize = 6;
/// Largest number of lines of the first screen, where it does not show everything.
const LINES: usize = 20;

/// Length of the first screen.
#[derive(Clone, Copy, Debug)]
struct Brevity {
    /// Largest number of rows of the table of policies.
    rows: usize,
    /// True if idle time, and how far to believe the verdict, are shown in fewer words.
    brief: bool,
}

/// Lengths of the first screen, the longest first; the last one is used where none has few enough
/// lines.
const BREVITY: [Brevity; 5] = [
    Brevity { rows: 5, brief: false },
    Brevity { rows: 5, brief: true },
    Brevity { rows: 4, brief: true },
    Brevity { rows: 3, brief: true },
    Brevity { rows: 2, brief: true },
];

const ALL: AnswerDetail =
    AnswerDetail { words: true, alone: true, median: true, change: true, within: [true; 3] };

/// Details of the table of policies, the most detailed first; a terminal gets the first table that
/// fits its width.
const DETAILS: [AnswerDetail; 11] = [
    ALL,
    PAGE,
    AnswerDetail { within: BOTH, ..PAGE },
    AnswerDetail { alone: false, within: BOTH, ..PAGE },
    AnswerDetail { alone: false, change: false, within: BOTH, ..PAGE },
    AnswerDetail { within: BOTH, ..LEAST },
    AnswerDetail { alone: false, within: [true, false, false], ..PAGE },
    AnswerDetail { alone: false, median: false, within: [true, false, false], ..PAGE },
    AnswerDetail { within: [true, false, false], ..LEAST },
    AnswerDetail { alone: false, within: [false; 3], change: false, ..PAGE },
    LEAST,
];

/// Detail of the narrowest table of policies.
const LEAST: AnswerDetail =
    AnswerDetail { words: false, alone: false, median: false, change: false, within: [false; 3] };

/// Columns that a table may have with `-v`, also where the terminal has fewer.
const VERBOSE_COLUMNS: usize = 120;

/// The intervals of the figures by which processes are judged, without those of medians.
const BOTH: [bool; 3] = [true, true, false];

/// Detail of the table of policies on the page, where tables scroll.
const PAGE: AnswerDetail = AnswerDetail { words: false, ..ALL };

/// Adds the first screen of a terminal and the first page of the report; `cards` are the blocks of
/// the three cards of that page.
pub(super) fn fill(
    document: &mut Document,
    result: &ReplayResult,
    cards: Vec<Vec<Block>>,
    closing: &Closing<'_>,
) {
    let answer = &result.answer;
    document.append(screen(document, result, closing));
    document.page(verdict(answer));
    overturning(result).for_each(|warning| document.page(warning));
    document.page(Block::Chips(chips(result)));
    let mut left = vec![Block::Heading("What the choice costs".to_owned())];
    left.extend(pareto(answer).map(|chart| Block::Charts(Vec::new(), vec![chart])));
    let right = vec![
        Block::Heading("Policies, the best first".to_owned()),
        Block::Table(policies(result, usize::MAX, PAGE, true)),
        Block::Note(page_note(answer)),
    ];
    document.page(Block::Beside(if left.len() > 1 { vec![left, right] } else { vec![right] }));
    document.page(Block::Beside(cards));
    document.page(Block::Note(format!("Memory: {}.", result.memory)));
    if let Some(no_driver) = &result.no_driver {
        document.page(Block::Note(format!("Offered: {}.", no_driver.text())));
    }
    if let Some(beyond) = answer.not_offered() {
        document.page(Block::Note(format!("Beyond: {beyond}.")));
    }
    let trust = answer.verdict.trust.join("; ");
    document.page(Block::Note(format!("How far to trust this: {trust}.")));
    document.page(Block::Note(format!("What if: {}", what_if(result, false))));
    if let Some(left_out) = &result.load_limit_left_out {
        document.page(commands(left_out, false));
    }
    document.page(Block::Link { text: "All assumptions".to_owned(), to: "#rests".to_owned() });
}

/// Makes the block with the command that finds the highest load at which the goals hold, quoted for
/// a shell. With `given`, files are named as the user gave them, else without folders.
fn commands(left_out: &LoadLimitLeftOut, given: bool) -> Block {
    let words = if given { &left_out.given } else { &left_out.command };
    Block::Commands { label: "Up to which load", commands: vec![shell(words)] }
}

/// Makes the first screen in the longest of [`BREVITY`] that has few enough lines.
fn screen(document: &Document, result: &ReplayResult, closing: &Closing<'_>) -> Document {
    let columns = Some(document.columns.unwrap_or(COLUMNS));
    let of = |brevity: Brevity| {
        let mut screen = Document::default();
        screen.columns = columns;
        fill_screen(&mut screen, result, closing, brevity);
        screen
    };
    if document.verbose {
        return of(Brevity { rows: usize::MAX, brief: false });
    }
    // The commands and files that set up the recommendation follow after a blank line.
    let after = result.setup.len() + result.setup_files.len();
    let after = after + usize::from(after > 0);
    let fits = |screen: &Document| screen.text(false).lines().count() + after <= LINES;
    let mut screens = BREVITY.into_iter().map(of);
    let last = screens.next_back();
    screens.find(fits).or(last).unwrap_or_default()
}

/// Returns the table of the best `rows` policies with the most details that `columns` hold, and a
/// line that names the figures that are the same under all of them. Of `usize::MAX` rows, as with
/// `-v`, no interval is left out, however wide the table is, and lines may be longer.
fn widest(result: &ReplayResult, rows: usize, columns: usize) -> Option<(Table, Option<String>)> {
    let answer = &result.answer;
    let whole = rows == usize::MAX;
    let mut tables = DETAILS.iter().map(|&detail| {
        let table = policies(result, rows, detail, false);
        let (table, alike) =
            if whole { (table, None) } else { without_alike(table, answer, detail) };
        (detail, table, alike)
    });
    let most = if whole { columns.max(VERBOSE_COLUMNS) } else { columns };
    let fits = |(detail, table, _): &(AnswerDetail, Table, Option<String>)| {
        let least = !detail.alone && !detail.change && !detail.median && detail.within == BOTH;
        table.width() <= most || (whole && least)
    };
    let last = tables.next_back();
    tables.find(fits).or(last).map(|(_, table, alike)| (table, alike))
}

fn fill_screen(
    screen: &mut Document,
    result: &ReplayResult,
    closing: &Closing<'_>,
    Brevity { rows, brief }: Brevity,
) {
    let answer = &result.answer;
    let columns = screen.columns.unwrap_or(COLUMNS);
    let mut say = |block: Block| screen.add_on(Medium::Terminal, block);
    say(verdict(answer));
    overturning(result).for_each(&mut say);
    let (table, alike) = widest(result, rows, columns).unzip();
    let all = answer.ranking.len();
    let some = format!("{rows} of {all} policies (`-v`: all)");
    let some = if all > rows { some } else { counted(all as u64, "policy", "policies") };
    say(Block::Heading(format!("{}, {some}", what_on(result))));
    table.into_iter().for_each(|table| say(Block::Table(table)));
    alike.flatten().into_iter().for_each(|line| say(Block::Note(line)));
    let paragraph = |label: &str, text: String| Block::Paragraph { label: label.to_owned(), text };
    if let Some(text) = super::cards::idle_words(result, brief) {
        say(paragraph("GPU", text));
    }
    let mut trust = if brief { answer.trust_in_brief() } else { answer.verdict.trust.clone() };
    let mut figures = answer.rows.iter().flat_map(|row| &row.processes);
    if brief && figures.any(|of| of.between_ns.is_some_and(|[least, most]| least < most)) {
        trust.push("intervals: `-v` says why".to_owned());
    }
    say(paragraph("Memory", result.memory.clone()));
    if let Some(no_driver) = &result.no_driver {
        say(paragraph("Offered", no_driver.text()));
    }
    if let Some(beyond) = answer.not_offered() {
        say(paragraph("Beyond", beyond));
    }
    say(paragraph("Trust", trust.join("; ")));
    if let Some(stuck) = result.stuck_launches() {
        say(Block::Warning(stuck));
    }
    let told = result.in_brief + usize::from(!result.stuck.is_empty());
    let warnings = result.warnings.len().saturating_sub(told);
    if warnings > 0 {
        let text = counted(warnings as u64, "warning", "warnings");
        say(Block::Note(format!("! {text}: `-v` shows them, and the report")));
    }
    say(paragraph("What if", what_if(result, true)));
    let (label, text) = match closing.folder {
        Some(folder) => {
            let page = folder.join(raddle_study::result::PAGE);
            ("Report", format!("{}; model: `raddle help model`", page.display()))
        }
        None => ("Model", "`raddle help model` says on what figures rest".to_owned()),
    };
    say(paragraph(label, text));
    if let Some(left_out) = &result.load_limit_left_out {
        say(commands(left_out, true));
    }
}

/// Writes up to which load the goals hold, where that is known, and how to replay another load or
/// device.
fn what_if(result: &ReplayResult, brief: bool) -> String {
    let limit = result.load_limit.as_ref().map(|limit| limit.text(brief));
    let left_out = result.load_limit_left_out.as_ref();
    match limit.or_else(|| left_out.map(LoadLimitLeftOut::text)) {
        Some(said) => format!("{said}; elsewhere: `--device NAME`"),
        None => WHAT_IF.to_owned(),
    }
}

/// Returns the warnings that can overturn the answer, one block each.
fn overturning(result: &ReplayResult) -> impl Iterator<Item = Block> {
    result.overturning.iter().cloned().map(Block::Warning)
}

/// Returns the number of processes, and the device on which they were replayed, in words.
pub(super) fn what_on(result: &ReplayResult) -> String {
    let processes = counted(result.profiles.len() as u64, "process", "processes");
    format!("{processes} on {}", result.device)
}

/// Returns the facts on which the figures depend: (label, text) of goals, device, loads and
/// policies.
fn chips(result: &ReplayResult) -> Vec<(&'static str, String)> {
    let answer = &result.answer;
    let base = answer.rows.get(answer.baseline).map_or("", |row| &row.recipe);
    let goals = answer.goals.iter().map(|goal| ("goal", goal.to_string()));
    let loads = result.profiles.iter().filter_map(|profile| {
        let requests = profile.requests.as_ref()?;
        let count = requests.replayed.map_or_else(String::new, |n| format!("{n} "));
        let name = plain(&profile.name, NAME);
        Some(("load", format!("{count}requests of {name} ({})", requests.process)))
    });
    let recorded = result.profiles.iter().filter(|profile| profile.requests.is_none());
    let recorded: Vec<String> = recorded.map(|profile| plain(&profile.name, NAME)).collect();
    let repeats = |judged: JudgedBy| answer.processes.iter().any(|it| it.judged == judged);
    let how = match (repeats(JudgedBy::Steps), repeats(JudgedBy::End)) {
        (true, false) => "repeated",
        (false, _) => "once",
        _ => "repeated, the longest once",
    };
    let mut chips: Vec<(&str, String)> = goals.collect();
    if chips.is_empty() {
        chips.push(("goal", "none".to_owned()));
    }
    chips.push(("device", result.device.to_string()));
    chips.extend(loads);
    if !recorded.is_empty() {
        chips.push(("load", format!("{} as recorded, {how}", recorded.join(", "))));
    }
    let policies: Vec<String> = result.recipes.iter().map(|of| plain(&of.name, NAME)).collect();
    let policies = match policies.len() {
        0..=CHIPS => policies.join(", "),
        n => format!("{n}, from {} to {}", policies[0], policies[n - 1]),
    };
    chips.push(("policies", policies));
    chips.push(("compared with", plain(base, NAME)));
    chips
}

/// Makes the cell with the name of the recipe whose row in the answer has the index `row`.
fn named(answer: &PolicyFigures, row: usize) -> Cell {
    let today = row == answer.baseline && answer.rows[row].recipe == answer.today;
    let cell = Cell::from(answer.rows[row].recipe.as_str());
    if today { cell.note(" (today)") } else { cell }
}

fn is_chosen(answer: &PolicyFigures, row: usize) -> bool {
    answer.verdict.recipe.as_ref() == Some(&answer.rows[row].recipe)
}

/// Makes the cell that says how many goals the recipe meets whose row in the answer has the index
/// `row`; `None` where no goals were set.
fn goals(answer: &PolicyFigures, row: usize) -> Option<Cell> {
    let (met, sure) = (&answer.rows[row].goals_met, &answer.rows[row].goals_sure);
    let is_sure = sure.iter().all(|&sure| sure);
    let text = match met.iter().filter(|met| **met).count() {
        n if n == met.len() => if is_sure { "met" } else { "may miss" }.to_owned(),
        0 => if is_sure { "missed" } else { "may meet" }.to_owned(),
        n => format!("{n} of {}{}", met.len(), if is_sure { "" } else { "?" }),
    };
    // With a single goal, the fraction of the requests within its limit shows how nearly it is met.
    let text = match answer.rows[row].goals_share.as_slice() {
        [Some(share)] if *share < 1.0 => format!("{text}, {:.1}%", floor_per_mille(*share)),
        _ => text,
    };
    let rank = met.iter().filter(|met| !**met).count() as f64;
    (!met.is_empty()).then(|| Cell::ranked(text, Some(rank)))
}

/// Converts a fraction to percent with one decimal, rounded down, so that 100 % is shown only for
/// all.
fn floor_per_mille(share: f64) -> f64 {
    (share * 1000.0).floor() / 10.0
}

/// Returns the indices of the processes, those with requests first.
fn processes(answer: &PolicyFigures) -> Vec<usize> {
    let mut order: Vec<usize> = (0..answer.processes.len()).collect();
    order.sort_by_key(|&at| answer.processes[at].judged != JudgedBy::Requests);
    order
}

/// Makes the table of policies, the best first, with at most `most` rows. The page shows bars and
/// longest waits too, and rows link to their timelines.
fn policies(result: &ReplayResult, most: usize, detail: AnswerDetail, page: bool) -> Table {
    let answer = &result.answer;
    let mut columns = vec![Column::name("policy", NAME)];
    let names: Vec<&str> = answer.processes.iter().map(|process| &*process.name).collect();
    let names = apart(&names, if page { 24 } else { SHORT });
    let figures = |at: usize| figures(answer, at, &names[at], detail, page);
    let figures: Vec<FigureColumn<'_>> =
        processes(answer).into_iter().flat_map(figures).filter(|figure| figure.when).collect();
    columns.extend(figures.iter().map(|figure| Column::figure(figure.title.as_str())));
    let goals = !answer.goals.is_empty();
    columns.extend(goals.then(|| Column::figure("goal").kept()));
    columns.extend(detail.words.then(|| Column::text("what it does")));
    let mut table = Table::new(if page { "Policies" } else { "" }, columns);
    let mut shown: Vec<usize> = answer.ranking.iter().copied().take(most).collect();
    // The baseline, which is the recipe of today, and both recipes of "either" are always there.
    let or = answer.verdict.or.as_ref();
    let or = or.and_then(|name| answer.rows.iter().position(|row| row.recipe == *name));
    let or = or.filter(|row| *row != answer.baseline);
    let kept: Vec<usize> = or.into_iter().chain([answer.baseline]).collect();
    let missing: Vec<usize> = kept.iter().copied().filter(|row| !shown.contains(row)).collect();
    for row in missing {
        let best = answer.ranking.first();
        let spare = |own: &usize| Some(own) != best && !kept.contains(own);
        if let Some(at) = shown.iter().rposition(spare) {
            shown.remove(at);
        }
        shown.push(row);
    }
    for row in shown {
        table.row(cells(result, row, &figures, detail, page));
        if is_chosen(answer, row) {
            table.choose();
        }
    }
    table
}

/// Returns a table of policies without the figures that are the same under all of them, and a line
/// that names the figures of processes among them. Where all rows are alike, the table stays whole:
/// that they are alike is the answer.
fn without_alike(
    table: Table,
    answer: &PolicyFigures,
    detail: AnswerDetail,
) -> (Table, Option<String>) {
    let few = table.clone().without_constants();
    let names = 1 + usize::from(detail.words) + usize::from(!answer.goals.is_empty());
    if few.columns() <= names {
        return (table, None);
    }
    let judged = answer.processes.iter().map(|it| format!(" {}", it.judged.word()));
    let words: BTreeSet<String> = judged.collect();
    let decisive = |title: &str| words.iter().any(|word| title.ends_with(word.as_str()));
    let alike = table.constants().filter(|(title, _)| decisive(title));
    let alike: Vec<String> = alike.map(|(title, text)| format!("{title} {text}")).collect();
    let line = (!alike.is_empty()).then(|| format!("Under each of them: {}.", alike.join(", ")));
    (few, line)
}

fn cells(
    result: &ReplayResult,
    row: usize,
    figures: &[FigureColumn<'_>],
    detail: AnswerDetail,
    page: bool,
) -> Vec<Cell> {
    let answer = &result.answer;
    let recipe = result.recipes.get(row);
    let drawn = recipe.and_then(|of| of.timeline.as_ref()).filter(|_| page);
    let name = named(answer, row);
    let mut cells = vec![match drawn {
        Some(drawn) => name.link(drawn.file.clone()),
        None => name,
    }];
    cells.extend(figures.iter().map(|figure| (figure.cell)(row)));
    cells.extend(goals(answer, row));
    let words = recipe.and_then(|of| of.recipe.description.as_deref());
    cells.extend(detail.words.then(|| words.unwrap_or_default().into()));
    cells
}

fn page_note(answer: &PolicyFigures) -> String {
    let base = answer.rows.get(answer.baseline).map_or("", |row| &row.recipe);
    format!(
        "A click on a heading sorts. `x alone` compares with the same process by itself on this device under {base}, `change` with {base}. The longest wait is the longest time for which a process had work and none of it was on the device."
    )
}

/// Returns the indices of two processes: that of the process whose figure is on the vertical axis,
/// and that of the process whose cost is on the horizontal axis: the first with requests and the
/// first without, else the first two. `None` with fewer than two processes.
fn axes(answer: &PolicyFigures) -> Option<(usize, usize)> {
    let requests = |at: &usize| answer.processes[*at].judged == JudgedBy::Requests;
    let all = 0..answer.processes.len();
    let up = all.clone().find(requests).or(all.clone().next())?;
    let along = all.clone().find(|at| *at != up && !requests(at));
    Some((up, along.or(all.clone().find(|at| *at != up))?))
}

/// Draws the figure by which one process is judged over what another process pays for it, one point
/// for each recipe; `None` with fewer than two points.
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
    // The recommended recipe is drawn first.
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
