//! What became of requests under each recipe?

use super::result::ReplayResult;
use super::words::NAME;
use crate::document::{Cell, Column, Table};
use crate::units::{count, duration};

/// What happened to requests under each recipe.
pub(super) fn table(result: &ReplayResult) -> Table {
    let figures = ["requests", "ended", "p50", "p99", "longest", "alone"];
    let mut table =
        Table::new("Requests", [Column::name("recipe", NAME).of(0), Column::name("process", NAME)])
            .figures(figures);
    for recipe in &result.recipes {
        for process in &recipe.summary.processes {
            let Some(requests) = &process.requests else { continue };
            let time = |ns: u64| match requests.ended {
                0 => Cell::from("-"),
                _ => Cell::ranked(duration(ns), Some(ns as f64)),
            };
            table.row([
                recipe.name.as_str().into(),
                process.name.as_str().into(),
                count(requests.arrived).into(),
                count(requests.ended).into(),
                time(requests.latency_p50_ns),
                time(requests.latency_p99_ns),
                time(requests.latency_max_ns),
                requests.alone_ns.map_or_else(|| "-".to_owned(), duration).into(),
            ]);
        }
    }
    table.mark_best(4..7, &[1]);
    table
}
