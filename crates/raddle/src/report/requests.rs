//! How long did requests take, under each recipe?

use raddle_sim::RequestSummary;

use super::Source;
use super::comparison::{Cell, best, time};
use super::html::{self, figure, name};
use crate::summary::RecipeResult;
use crate::units::{count, duration};

const HEADER: [&str; 8] =
    ["recipe", "process", "#requests", "#ended", "#p50", "#p99", "#longest", "#alone"];

/// The times that are compared.
const TIMES: [fn(&RequestSummary) -> u64; 3] = [
    |requests| requests.latency_p50_ns,
    |requests| requests.latency_p99_ns,
    |requests| requests.latency_max_ns,
];

/// One row a recipe and process with requests; nothing where there are none.
pub(crate) fn table(source: &Source<'_>) -> String {
    let recipes = &source.report.recipes;
    let rows: Vec<Vec<String>> = recipes.iter().flat_map(|result| rows(result, recipes)).collect();
    if rows.is_empty() {
        return String::new();
    }
    format!("<h3>Requests</h3>\n{}", html::table("Requests", &HEADER, &rows))
}

fn rows(result: &RecipeResult, recipes: &[RecipeResult]) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    for (position, process) in result.summary.processes.iter().enumerate() {
        let Some(requests) = &process.requests else {
            continue;
        };
        let of = |result: &RecipeResult| result.summary.processes.get(position)?.requests;
        let mut row = vec![
            name(&result.name),
            name(&process.name),
            count(requests.arrived),
            count(requests.ended),
        ];
        for of_requests in TIMES {
            let cells = recipes.iter().filter_map(of).map(|requests| time(of_requests(&requests)));
            let own: Cell = time(of_requests(requests));
            let text = figure(&own.text);
            let bold = best(cells) == Some(own.text);
            row.push(if bold { format!("<b>{text}</b>") } else { text });
        }
        row.push(requests.alone_ns.map_or_else(|| "–".to_owned(), |ns| figure(&duration(ns))));
        rows.push(row);
    }
    rows
}
