//! How long did requests take, what did the slowest requests wait for, and which process blocked
//! which?

use raddle_sim::{RequestSummary, SlowRequest};
use raddle_study::result::{DrawnTimeline, RecipeResult, ReplayResult};
use raddle_study::units::{duration, plain};

use super::cards::compared;
use super::looks::look;
use super::{NAME, spent};
use crate::document::{
    Block, Cell, Chart, ChartAxis, ChartKind, ChartSeries, Column, Document, Scale, SeriesLook,
    Table, ValueUnit,
};

const SLOWEST: &str = "The times of a row add up to the latency: behind earlier requests of the same process; waiting for the host, for own work or copies (dependency), for the turn, for room; running beside others, or alone.";
const LINKS: &str = "The number of a request is a link to the timeline that holds it: download, open in `ui.perfetto.dev`, and search there for `request` with that number; arrows lead from it to its launches, and `waiting` says for what the process waits. The slowest has one of its own with every compute unit, from its arrival on for 40,000 slices. `--timeline-window FROM..TO` draws any other part so, and `--timeline all` the policies that have none.";
/// Largest number of requests of one process under one policy that are drawn as bars.
const DRAWN: usize = 5;
/// Largest number of policies that one chart shows.
const LINES: usize = 6;
const BLOCKED: &str = "For how long a process (row) had work and no waves on the device while another (column) had; where several ran, the time counts for each.";

pub(super) fn fill(document: &mut Document, result: &ReplayResult) {
    let slow = slowest(result);
    let blocked = blocked(result);
    if slow.is_empty() && blocked.is_empty() {
        return;
    }
    document.section("requests", "Slow requests, and who blocks whom");
    let charts = charts(result);
    if !charts.is_empty() {
        let names = drawn(result)
            .into_iter()
            .map(|at| (look(&result.answer, at), result.recipes[at].name.clone()));
        document.page(Block::Charts(names.collect(), charts));
    }
    if !slow.is_empty() {
        document.page(Block::Heading("The slowest requests".to_owned()));
        document.page(bars(result));
        let mut figures = vec![Block::Note(SLOWEST.to_owned()), Block::Table(slow)];
        if result.recipes.iter().any(|of| of.timeline.is_some()) {
            figures.push(Block::Note(LINKS.to_owned()));
        }
        document.page(Block::Fold("All figures of these requests, by policy".to_owned(), figures));
    }
    if !blocked.is_empty() {
        document.page(Block::Heading("Who blocks whom".to_owned()));
        document.page(Block::Note(BLOCKED.to_owned()));
        document.page(Block::Table(blocked));
    }
}

/// Draws the slowest requests of each process as bars with a common scale, under the recommended
/// way of sharing and under the baseline (with which the others are compared).
fn bars(result: &ReplayResult) -> Block {
    let slow = compared(result).into_iter().flat_map(|of| {
        requests_of(of).flat_map(move |(name, own)| {
            own.slowest.iter().take(DRAWN).map(move |slow| (of, name, slow))
        })
    });
    let slow: Vec<(&RecipeResult, &str, &SlowRequest)> = slow.collect();
    let full_ns = slow.iter().map(|(.., slow)| slow.latency_ns).max().unwrap_or(0);
    let bar = |(of, name, slow): &(&RecipeResult, &str, &SlowRequest)| {
        let name = format!("{name} #{} under {}", slow.number, of.name);
        spent::bar(name, duration(slow.latency_ns), slow, full_ns)
    };
    let names = spent::legend(slow.iter().map(|(.., slow)| *slow));
    Block::Bars { title: String::new(), names, bars: slow.iter().map(bar).collect() }
}

fn requests_of(of: &RecipeResult) -> impl Iterator<Item = (&str, &RequestSummary)> {
    of.summary.processes.iter().filter_map(|own| Some((&*own.name, own.requests.as_ref()?)))
}

/// Returns the indices of the recipes (ways of sharing the device) that charts show: those that
/// rank best, and the baseline.
fn drawn(result: &ReplayResult) -> Vec<usize> {
    let answer = &result.answer;
    let best = answer.ranking.iter().copied().filter(|&at| at != answer.baseline);
    let best: Vec<usize> = best.take(LINES - 1).chain([answer.baseline]).collect();
    let in_order = answer.ranking.iter().copied().filter(|at| best.contains(at));
    in_order.filter(|&at| at < result.recipes.len()).collect()
}

/// Draws a chart for each process with requests, which shows for each duration the fraction of
/// requests that took at most that time.
fn charts(result: &ReplayResult) -> Vec<Chart> {
    let Some(first) = result.recipes.first() else { return Vec::new() };
    let mut note = "the share that took no longer".to_owned();
    let (some, all) = (drawn(result).len(), result.recipes.len());
    if some < all {
        note += &format!(", under the best of {all} policies and the baseline");
    }
    let chart = |(process, _): (&str, &RequestSummary)| {
        let lines = drawn(result).into_iter().filter_map(|at| {
            let of = &result.recipes[at];
            let (_, own) = requests_of(of).find(|(name, _)| *name == process)?;
            (own.ended > 0).then(|| line(look(&result.answer, at), &of.name, own))
        });
        let series: Vec<ChartSeries> = lines.collect();
        let ends = |at: usize| series.iter().map(move |line| line.points[at].0);
        let least = ends(0).fold(f64::INFINITY, f64::min);
        let most = series.iter().filter_map(|line| Some(line.points.last()?.0)).fold(1.0, f64::max);
        let words: Vec<&str> = series.iter().map(|line| &*line.words).collect();
        Chart {
            title: format!("Requests of {process}"),
            note: note.clone(),
            words: words.join("; "),
            kind: ChartKind::Steps,
            x: ChartAxis {
                title: "latency",
                scale: Scale::Ratio(least.min(most) / 1.1, most * 1.1),
                unit: ValueUnit::Ns,
            },
            y: ChartAxis { title: "requests", scale: Scale::Linear(1.0), unit: ValueUnit::Share },
            rule: Some(0.99),
            series,
        }
    };
    requests_of(first).map(chart).collect()
}

fn line(look: SeriesLook, name: &str, own: &RequestSummary) -> ChartSeries {
    let mut seen = 0;
    let points = own.latencies.buckets.iter().map(|&(ns, count)| {
        seen += count;
        (ns as f64, seen as f64 / own.ended as f64)
    });
    let points = points.collect();
    let [p50, p99, longest] =
        [own.latency_p50_ns, own.latency_p99_ns, own.latency_max_ns].map(duration);
    let words = format!("{name}: p50 {p50}, p99 {p99}, longest {longest}");
    ChartSeries::new(look, name.to_owned(), words, points)
}

/// Returns the results of the recipes (ways of sharing the device), that of the best recipe first.
fn ranked(result: &ReplayResult) -> impl Iterator<Item = &RecipeResult> {
    result.answer.ranking.iter().filter_map(|&at| result.recipes.get(at))
}

/// Makes the table of the slowest requests of each process under each recipe (way of sharing the
/// device).
fn slowest(result: &ReplayResult) -> Table {
    let figures = [
        "request",
        "latency",
        "from",
        "to",
        "behind",
        "host",
        "dependency",
        "turn",
        "room",
        "beside",
        "alone",
    ];
    let columns = [Column::name("policy", NAME), Column::name("process", NAME)];
    let mut table = Table::new("The slowest requests", columns).figures(figures);
    for of in ranked(result) {
        let drawn = of.slowest_timeline.iter().chain(&of.timeline);
        for (name, requests) in requests_of(of) {
            for slow in &requests.slowest {
                let SlowRequest { number, arrival_ns, end_ns, latency_ns, waits } = slow;
                let time = |ns: u64| match ns {
                    0 => Cell::ranked("", Some(0.0)),
                    _ => Cell::ranked(duration(ns), Some(ns as f64)),
                };
                let at =
                    |ns: u64| Cell::ranked(format!("{:.3} ms", ns as f64 / 1e6), Some(ns as f64));
                let request = Cell::ranked(format!("#{number}"), Some(f64::from(*number)));
                let holds = |drawn: &&DrawnTimeline| {
                    drawn.window_ns.is_none_or(|(from, to)| (from..to).contains(arrival_ns))
                };
                let cells = [
                    of.name.as_str().into(),
                    name.into(),
                    match drawn.clone().find(holds) {
                        Some(drawn) => request.link(drawn.file.clone()),
                        None => request,
                    },
                    time(*latency_ns),
                    at(*arrival_ns),
                    at(*end_ns),
                    time(waits.behind_ns),
                    time(waits.host_ns),
                    time(waits.dependency_ns),
                    time(waits.turn_ns),
                    time(waits.room_ns),
                    time(waits.beside_ns),
                    time(waits.alone_ns),
                ];
                table.row(cells);
            }
        }
    }
    table.without_constants()
}

/// Makes the table of waiting processes, with the time that each spent while another process had
/// the device.
fn blocked(result: &ReplayResult) -> Table {
    let names: Vec<&str> = result.profiles.iter().map(|profile| &*profile.name).collect();
    let blocks = |name: &&str| {
        let rows = ranked(result).flat_map(|of| &of.summary.blocked);
        rows.flat_map(|row| &row.by).any(|by| by.process == **name)
    };
    let blockers: Vec<&str> = names.iter().copied().filter(|name| blocks(name)).collect();
    let mut columns = vec![Column::name("policy", NAME), Column::name("waits", NAME)];
    columns
        .extend(blockers.iter().map(|name| Column::figure(format!("for {}", plain(name, NAME)))));
    let mut table = Table::new("Who blocks whom", columns);
    for of in ranked(result) {
        for row in &of.summary.blocked {
            let of_blocker = |name: &&str| {
                let found = row.by.iter().find(|by| by.process == **name);
                found.map_or_else(
                    || "".into(),
                    |by| Cell::from(format!("{:.3} ms", by.ns as f64 / 1e6)),
                )
            };
            let cells = [of.name.as_str().into(), row.victim.as_str().into()];
            table.row(cells.into_iter().chain(blockers.iter().map(of_blocker)));
        }
    }
    table
}
