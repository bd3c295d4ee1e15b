//! How do the first screen of a terminal and the top of the HTML page say which recipe to use, at
//! what cost, and how far to believe it?

use std::collections::BTreeSet;

use raddle_study::answer::{JudgedBy, PolicyFigures, VerdictKind};
use raddle_study::result::{LoadLimitLeftOut, ReplayResult};
use raddle_study::units::{apart, counted, plain, sentences, shell};

use super::NAME;
use super::choice::pareto;
use super::columns::{AnswerDetail, FigureColumn, figures};
use super::files::Closing;
use super::hidden::{not_shown, shown_rows};
use super::looks::{POLICY, is_chosen};
use crate::document::{Block, Cell, Column, Document, Medium, Table};
use crate::verdict::{verdict, verdict_of};

/// Number of characters in a line of a terminal where the width is unknown.
const COLUMNS: usize = 80;
/// Largest number of characters of a process's name in the titles of a table on a terminal.
const SHORT: usize = 12;
/// Options, as part of a sentence, by which a user replays on another device or with another load.
const WHAT_IF: &str = "`--device NAME`, `--requests NAME=N/s`, or many with `raddle sweep`";
/// Largest number of lines of the first screen: the answer that a terminal shows without `-v`.
const LINES: usize = 20;

/// Length of the first screen (the answer that a terminal shows without `-v`): how many policies it
/// shows, and in how many words.
#[derive(Clone, Copy, Debug)]
struct Brevity {
    /// Largest number of rows of the table that compares policies.
    rows: usize,
    /// True if idle time, and how far the verdict can be trusted, are shown in fewer words.
    brief: bool,
    /// True if the intervals of figures may stand on a line below the figures where they do not fit
    /// beside them.
    below: bool,
    /// True if the first screen (the answer without `-v`) gives the reason for the verdict.
    why: bool,
}

/// Lengths of the first screen (the answer that a terminal shows without `-v`) to try, the longest
/// first; the last one is used where all need too many lines.
const BREVITY: [Brevity; 7] = [
    Brevity { rows: 5, brief: false, ..SHORTEST },
    Brevity { rows: 5, ..SHORTEST },
    Brevity { rows: 4, ..SHORTEST },
    Brevity { rows: 3, ..SHORTEST },
    SHORTEST,
    Brevity { why: false, ..SHORTEST },
    Brevity { below: false, why: false, ..SHORTEST },
];

/// Length of the shortest first screen (the answer that a terminal shows without `-v`) that gives
/// the reason for the verdict and shows the intervals of figures.
const SHORTEST: Brevity = Brevity { rows: 2, brief: true, below: true, why: true };

const ALL: AnswerDetail = AnswerDetail {
    words: true,
    alone: true,
    median: true,
    change: true,
    within: [true; 3],
    below: false,
};

/// Choices of columns for the table that compares policies, the most detailed first; a terminal
/// gets the first table that fits its width.
const DETAILS: [AnswerDetail; 12] = [
    ALL,
    PAGE,
    AnswerDetail { within: BOTH, ..PAGE },
    AnswerDetail { alone: false, within: BOTH, ..PAGE },
    AnswerDetail { alone: false, change: false, within: BOTH, ..PAGE },
    AnswerDetail { within: BOTH, ..LEAST },
    AnswerDetail { within: BOTH, below: true, ..LEAST },
    AnswerDetail { alone: false, within: [true, false, false], ..PAGE },
    AnswerDetail { alone: false, median: false, within: [true, false, false], ..PAGE },
    AnswerDetail { within: [true, false, false], ..LEAST },
    AnswerDetail { alone: false, within: [false; 3], change: false, ..PAGE },
    LEAST,
];

/// Choice of columns for the narrowest table of policies: only the figures by which processes are
/// judged.
const LEAST: AnswerDetail = AnswerDetail {
    words: false,
    alone: false,
    median: false,
    change: false,
    within: [false; 3],
    below: false,
};

/// Largest width, in characters, of a table that is shown with `-v`, even where the terminal is
/// narrower.
const VERBOSE_COLUMNS: usize = 120;

/// Choice of columns for the table at the top of the HTML page: only the figures by which processes
/// are judged, which a telephone shows without scrolling.
const DECIDING: AnswerDetail = AnswerDetail { within: BOTH, ..LEAST };

/// Value of `AnswerDetail::within` that shows the intervals of the figures by which processes are
/// judged, but not the intervals of medians.
const BOTH: [bool; 3] = [true, true, false];

/// Choice of columns for the table of all figures on the HTML page, where wide tables scroll.
const PAGE: AnswerDetail = AnswerDetail { words: false, ..ALL };

/// Adds the answer to the document: the first screen of a terminal (the answer that it shows
/// without `-v`), and the top of the HTML page, where `cards` are the blocks of its three cards.
/// `settles` is the number of lines of the command behind them that settles what the verdict leaves
/// open.
pub(super) fn fill(
    document: &mut Document,
    (result, settles): (&ReplayResult, usize),
    cards: Vec<Vec<Block>>,
    closing: &Closing<'_>,
) {
    let answer = &result.answer;
    document.append(screen(document, (result, settles), closing));
    document.page(verdict(answer));
    overturning(result).for_each(|warning| document.page(warning));
    document.page(Block::Chips(facts(result)));
    let table = policies(result, usize::MAX, DECIDING, true).deciding();
    let note = page_note(answer, &table);
    let heading = Block::Heading("Policies, the best first".to_owned());
    let left = vec![heading, Block::Table(table), Block::Note(note)];
    let mut right = vec![Block::Heading("What the choice costs".to_owned())];
    right.extend(pareto(answer).map(|chart| Block::Charts(Vec::new(), vec![chart])));
    document.page(Block::Beside(if right.len() > 1 { vec![left, right] } else { vec![left] }));
    document.page(Block::Beside(cards));
    if let Some(text) = not_shown(result, usize::MAX) {
        document.page(Block::Note(format!("Not tried: {text}.")));
    }
    if let Some(no_driver) = &result.no_driver {
        document.page(Block::Note(format!("Offered: {}.", no_driver.text())));
    }
    if let Some(beyond) = answer.not_offered() {
        document.page(Block::Note(format!("Beyond: {beyond}.")));
    }
    let trust = sentences(&answer.verdict.trust);
    document.page(Block::Note(format!("How far to trust this: {trust}")));
    document.page(Block::Note(format!("What if: {}", what_if(result))));
    if let Some(left_out) = &result.load_limit_left_out {
        document.page(commands(left_out, false));
    }
    document.page(Block::Link { text: "All assumptions".to_owned(), to: "#rests".to_owned() });
}

/// Makes the block with the command that finds the highest load at which all goals are met, quoted
/// for a shell. If `given` is true, the command has the paths of files as the user wrote them; else
/// it has their names without folders.
fn commands(left_out: &LoadLimitLeftOut, given: bool) -> Block {
    let words = if given { &left_out.given } else { &left_out.command };
    Block::Commands { label: "Up to which load", commands: vec![shell(words)] }
}

/// Makes the first screen (the answer that a terminal shows without `-v`) in the longest of the
/// lengths [`BREVITY`] that needs at most [`LINES`] lines; with `-v`, the answer with all rows.
fn screen(
    document: &Document,
    (result, settles): (&ReplayResult, usize),
    closing: &Closing<'_>,
) -> Document {
    let columns = Some(document.columns.unwrap_or(COLUMNS));
    let of = |brevity: Brevity| {
        let mut screen = Document::default();
        screen.columns = columns;
        fill_screen(&mut screen, result, closing, brevity);
        screen
    };
    if document.verbose {
        return of(Brevity { rows: usize::MAX, brief: false, ..SHORTEST });
    }
    // The commands and files that set up the recommendation follow after a blank line.
    let why = result.setup_of.iter().filter(|of| of.why.is_some()).count();
    let undo = result.setup_undo.len();
    let after = result.setup.len() + result.setup_files.len() + why + undo + undo.min(1);
    let settling = usize::from(settles > 0) + settles;
    let after = after + usize::from(after > 0) + settling;
    let fits = |screen: &Document| screen.text(false).lines().count() + after <= LINES;
    let mut screens = BREVITY.into_iter().map(of);
    let last = screens.next_back();
    screens.find(fits).or(last).unwrap_or_default()
}

/// Returns the table of the best `rows` policies with the most detail that fits in `columns`
/// characters, and a line with the figures that are equal under all these policies (`None` if there
/// are none). The outer value is never `None`.
///
/// All rows (`usize::MAX`, as with `-v`) are shown without such a line, in wider lines, and with
/// all intervals of the figures by which processes are judged. If `below` is false, no interval
/// stands on a line below its figure.
fn widest(
    result: &ReplayResult,
    (rows, below): (usize, bool),
    columns: usize,
) -> Option<(Table, Option<String>)> {
    let answer = &result.answer;
    let whole = rows == usize::MAX;
    let details = DETAILS.iter().filter(|detail| below || !detail.below);
    let mut tables = details.map(|&detail| {
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
    Brevity { rows, brief, below, why }: Brevity,
) {
    let answer = &result.answer;
    let columns = screen.columns.unwrap_or(COLUMNS);
    let mut say = |block: Block| screen.add_on(Medium::Terminal, block);
    // The reason of "either" is what each of the two gains and costs, which its text does not say.
    let is_either = answer.verdict.kind == VerdictKind::Either && result.overturning.is_empty();
    say(verdict_of(answer, why || is_either));
    overturning(result).for_each(&mut say);
    let (table, alike) = widest(result, (rows, below), columns).unzip();
    let all = answer.ranking.len();
    let shown = shown_rows(answer, rows).len();
    let some = format!("{shown} of {all} policies (`-v`)");
    let some = if all > shown { some } else { counted(all as u64, "policy", "policies") };
    say(Block::Heading(format!("{}, {some}", what_on(result))));
    table.into_iter().for_each(|table| say(Block::Table(table)));
    alike.flatten().into_iter().for_each(|line| say(Block::Note(line)));
    let paragraph = |label: &str, text: String| Block::Paragraph { label: label.to_owned(), text };
    if let Some(text) = not_shown(result, rows) {
        say(paragraph("Not shown", text));
    }
    if let Some(text) = super::cards::idle_words(result, brief) {
        say(paragraph("GPU", text));
    }
    let mut trust = if brief { answer.trust_in_brief() } else { answer.verdict.trust.clone() };
    let mut figures = answer.rows.iter().flat_map(|row| &row.processes);
    // The shortest screen has no line to spare for it.
    if brief && below && figures.any(|of| of.between_ns.is_some_and(|[least, most]| least < most)) {
        trust.push("Intervals: `-v`".to_owned());
    }
    say(paragraph("Memory", result.memory.clone()));
    // The verdict says that no driver offers it; where lines are few, that has to do.
    if let Some(no_driver) = result.no_driver.as_ref().filter(|_| why) {
        say(paragraph("Offered", no_driver.text()));
    }
    if let Some(beyond) = answer.not_offered() {
        say(paragraph("Beyond", beyond));
    }
    say(paragraph("Trust", sentences(&trust)));
    if let Some(stuck) = result.stuck_launches() {
        say(Block::Warning(stuck));
    }
    let told = result.in_brief + usize::from(!result.stuck.is_empty());
    let warnings = result.warnings.len().saturating_sub(told);
    // With `-v` they stand below.
    if warnings > 0 && rows != usize::MAX {
        let text = counted(warnings as u64, "warning", "warnings");
        let them = if warnings == 1 { "it" } else { "them" };
        say(Block::Note(format!("! {text}: `-v` shows {them}, and the report")));
    }
    // The reason takes the room of options that `--help` lists too.
    let is_told = result.load_limit.is_some() || result.load_limit_left_out.is_some();
    if !brief || !is_either || is_told {
        say(paragraph("What if", what_if(result)));
    }
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

/// Says up to which load all goals are met, where that is known, else by which options the user can
/// replay another load or device.
fn what_if(result: &ReplayResult) -> String {
    let limit = result.load_limit.as_ref().map(|limit| limit.text());
    let left_out = result.load_limit_left_out.as_ref();
    match limit.or_else(|| left_out.map(LoadLimitLeftOut::text)) {
        Some(said) => said,
        None => WHAT_IF.to_owned(),
    }
}

/// Returns the warnings that can make the answer wrong, one block each.
fn overturning(result: &ReplayResult) -> impl Iterator<Item = Block> {
    result.overturning.iter().cloned().map(Block::Warning)
}

/// Returns in words the number of processes that were replayed, and the device.
pub(super) fn what_on(result: &ReplayResult) -> String {
    let processes = counted(result.profiles.len() as u64, "process", "processes");
    format!("{processes} on {}", result.device)
}

/// Returns the facts on which the figures depend, each as (label, text): loads, goals and memory.
fn facts(result: &ReplayResult) -> Vec<(&'static str, String)> {
    let answer = &result.answer;
    let goals = answer.goals.iter().map(|goal| ("goal", goal.told(answer)));
    let loads = result.profiles.iter().filter_map(|profile| {
        let requests = profile.requests.as_ref()?;
        let name = plain(&profile.name, NAME);
        let count = requests.replayed.map(|n| counted(n, "request", "requests"));
        let kind = requests.process;
        let text = match (requests.per_s, count) {
            (Some(rate), None) => format!("{name} {rate}/s ({kind})"),
            (Some(rate), Some(count)) => format!("{name} {rate}/s ({kind}, {count})"),
            (None, Some(count)) => format!("{count} of {name} ({kind})"),
            (None, None) => format!("requests of {name} ({kind})"),
        };
        Some(("load", text))
    });
    let recorded = result.profiles.iter().filter(|profile| profile.requests.is_none());
    let recorded: Vec<String> = recorded.map(|profile| plain(&profile.name, NAME)).collect();
    let repeats = |judged: JudgedBy| answer.processes.iter().any(|it| it.judged == judged);
    let how = match (repeats(JudgedBy::Steps), repeats(JudgedBy::End)) {
        (true, false) => "repeated",
        (false, _) => "once",
        _ => "repeated, the longest once",
    };
    let mut facts: Vec<(&str, String)> = loads.collect();
    if !recorded.is_empty() {
        facts.push(("load", format!("{} as recorded, {how}", recorded.join(", "))));
    }
    facts.extend(goals);
    facts.push(("memory", result.memory.clone()));
    facts
}

/// Makes the cell with the name of the recipe (way of sharing the device) that has the index `row`
/// among the compared recipes.
fn named(answer: &PolicyFigures, row: usize) -> Cell {
    let today = row == answer.baseline && answer.rows[row].recipe == answer.today;
    let cell = Cell::from(answer.rows[row].recipe.as_str());
    if today { cell.note(" (today)") } else { cell }
}

/// Makes the cell that says how many goals the recipe with the index `row` meets; `None` where the
/// user set no goals. If there is only one goal, and some requests miss it, the cell also has the
/// fraction of requests that meet it: on the HTML page (`page`) in small print, else behind the
/// text.
fn goals(answer: &PolicyFigures, row: usize, page: bool) -> Option<Cell> {
    let (met, sure) = (&answer.rows[row].goals_met, &answer.rows[row].goals_sure);
    let text = match met.iter().filter(|met| **met).count() {
        // No bounds were simulated, which "missed" and "may meet" speak of.
        n if n < met.len() && answer.rows[row].out_of_reach => "far off".to_owned(),
        n if n == 0 || n == met.len() => answer.rows[row].goals_judged().words().to_owned(),
        n => format!("{n} of {}{}", met.len(), if sure.contains(&false) { "?" } else { "" }),
    };
    // With a single goal, the fraction of the requests within its limit shows how nearly it is met.
    let share = match answer.rows[row].goals_share.as_slice() {
        [Some(share)] if *share < 1.0 => Some(format!("{:.1}%", floor_per_mille(*share))),
        _ => None,
    };
    let rank = met.iter().filter(|met| !**met).count() as f64;
    let cell = |text: String| Cell::ranked(text, Some(rank));
    (!met.is_empty()).then(|| match share {
        None => cell(text),
        Some(share) if page => cell(text).note(format!("{share} within")),
        Some(share) => cell(format!("{text}, {share}")),
    })
}

/// Converts a fraction to percent with one decimal, rounded down, so that 100 % is shown only where
/// the fraction is 1.
fn floor_per_mille(share: f64) -> f64 {
    (share * 1000.0).floor() / 10.0
}

/// Returns the indices of all processes, with those that have requests first.
fn processes(answer: &PolicyFigures) -> Vec<usize> {
    let mut order: Vec<usize> = (0..answer.processes.len()).collect();
    order.sort_by_key(|&at| answer.processes[at].judged != JudgedBy::Requests);
    order
}

/// Makes the table of all figures of the policies, for the HTML page.
pub(super) fn all_figures(result: &ReplayResult) -> Table {
    policies(result, usize::MAX, PAGE, true)
}

/// Makes the table of policies, the best first, with at most `most` rows. With `page`, the table is
/// for the HTML page: it has bars and longest waits, and each name is a link to the description of
/// the policy.
fn policies(result: &ReplayResult, most: usize, detail: AnswerDetail, page: bool) -> Table {
    let answer = &result.answer;
    let mut columns = vec![Column::name("policy", NAME)];
    let names: Vec<&str> = answer.processes.iter().map(|process| &*process.name).collect();
    let names = apart(&names, if page { 24 } else { SHORT });
    let figures = |at: usize| figures(answer, at, &names[at], detail, page);
    let figures: Vec<FigureColumn<'_>> =
        processes(answer).into_iter().flat_map(figures).filter(|figure| figure.when).collect();
    columns.extend(figures.iter().map(|figure| Column::figure(figure.title.as_str())));
    // On the page the goal comes first, so that no width hides it.
    // In a terminal the heading says of what the percentages are.
    let is_shared = |&row: &usize| matches!(*answer.rows[row].goals_share, [Some(of)] if of < 1.0);
    let shares = !page && shown_rows(answer, most).iter().any(is_shared);
    let goal = if shares { "goal, requests" } else { "goal" };
    let goals = (!answer.goals.is_empty()).then(|| Column::figure(goal).kept());
    let at = if page { 1 } else { columns.len() };
    columns.splice(at..at, goals);
    columns.extend(detail.words.then(|| Column::text("what it does")));
    let mut table = Table::new(if page { "Policies" } else { "" }, columns);
    if detail.below {
        table = table.with_notes_below();
    }
    for row in shown_rows(answer, most) {
        table.row(cells(result, row, &figures, detail, page));
        if is_chosen(answer, row) {
            table.choose();
        }
    }
    table
}

/// Removes from a table of policies the figures that are equal under all policies. Returns the
/// table, and a line with those removed figures by which processes are judged (`None` if there are
/// none). A table whose rows are all alike stays whole, because it is to show just that.
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
    let words = result.recipes.get(row).and_then(|of| of.recipe.description.as_deref());
    let words = words.unwrap_or_default();
    let name = named(answer, row);
    let mut cells = vec![if page { name.place(format!("{POLICY}-{row}"), words) } else { name }];
    cells.extend(figures.iter().map(|figure| (figure.cell)(row)));
    let at = if page { 1 } else { cells.len() };
    cells.splice(at..at, goals(answer, row, page));
    cells.extend(detail.words.then(|| words.into()));
    cells
}

/// Returns the note that explains how to read the table at the top of the HTML page.
fn page_note(answer: &PolicyFigures, table: &Table) -> String {
    let mut note = "A name leads to what the policy does; a click on a heading sorts.".to_owned();
    let bounds =
        |row: usize| (0..answer.processes.len()).any(|at| answer.bounds(row, at).is_some());
    if (0..answer.rows.len()).any(bounds) {
        note += " Brackets, and the lines across bars and points, are intervals: of 95 % for the requests drawn, or what unknown costs leave open.";
    }
    if table.has_cut_bar() {
        note += " A bar with a tip goes on.";
    }
    note
}

/// Returns the note that explains how to read the table of all figures on the HTML page.
pub(super) fn figures_note(answer: &PolicyFigures) -> String {
    let base = answer.rows.get(answer.baseline).map_or("", |row| &row.recipe);
    format!(
        "`x alone` compares with the same process by itself on this device under {base}, `change` with {base}. The longest wait is the longest time for which a process had work and none of it was on the device."
    )
}
