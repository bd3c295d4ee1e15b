//! How is the result of a replay shown to a person who looks at it first?
//!
//! One file, `report.html`, that needs nothing else: no network, no script, no font, and its own
//! policy (`Content-Security-Policy`) forbids them. What was compared, the table, the pictures, on
//! what the figures rest, the files. Equal input gives equal bytes. Everything from a profile or a
//! recipe is escaped ([`html`]), and of a profile only names and figures are shown.

mod chart;
mod compared;
mod comparison;
mod energy;
mod fairness;
mod files;
mod grouping;
mod html;
mod latency;
mod occupancy;
mod queue;
mod refused;
mod requests;
mod rests;
mod shares;
mod tiles;
mod time;

use raddle_sim::Workload;

use crate::runs::Runs;
use crate::summary::Report;
use crate::units::counted;
use html::{escape, shown};

/// The name of the page among the results.
pub(crate) const PAGE: &str = "report.html";

/// What the page is made from.
#[derive(Debug)]
pub(crate) struct Source<'p> {
    /// What came out.
    pub(crate) report: &'p Report,
    /// The runs, in the order of the report's recipes.
    pub(crate) runs: &'p [Runs],
    /// What was run.
    pub(crate) workload: &'p Workload,
}

/// The whole page.
pub(crate) fn page(source: &Source<'_>) -> String {
    let report = source.report;
    let names: Vec<String> = report.profiles.iter().map(|profile| shown(&profile.name)).collect();
    let title = match names.as_slice() {
        [first, second, third, _, rest @ ..] => {
            format!("{first} + {second} + {third} + {} more", rest.len() + 1)
        }
        _ => names.join(" + "),
    };
    let under = format!(
        "{} on {}, {}",
        counted(report.profiles.len() as u64, "process", "processes"),
        report.device,
        counted(report.recipes.len() as u64, "recipe", "recipes"),
    );
    let sections = [
        tiles::tiles(source),
        compared::section(source),
        comparison::section(source),
        latency::section(source),
        occupancy::section(source),
        queue::section(source),
        shares::section(source),
        refused::section(source),
        rests::section(source),
        files::section(source),
    ];
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{0} – raddle</title>\n<style>\n{style}</style>\n</head>\n<body>\n\
         <header>\n<p class=\"brand\">raddle {version}</p>\n<h1>{0}</h1>\n<p class=\"under\">{1}</p>\n</header>\n\
         <main>\n{sections}</main>\n</body>\n</html>\n",
        escape(&title),
        escape(&under),
        style = include_str!("../../../raddle-report/src/document/style.css"),
        version = escape(report.raddle),
        sections = sections.concat(),
    )
}
