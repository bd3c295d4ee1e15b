//! Which files lie beside the page, and what are they good for?

use super::Source;
use super::html::{self, link};
use crate::output::SUMMARY;

pub(crate) fn section(source: &Source<'_>) -> String {
    let mut body = format!(
        "<p>{}: everything above as one JSON document, for other programs and for <code>raddle compare</code>.</p>\n",
        link(SUMMARY)
    );
    let recipes = source.report.recipes.iter();
    let logs: Vec<String> =
        recipes.clone().filter_map(|result| Some(link(result.log.as_deref()?))).collect();
    body += &list(
        "Every event and every answer of a run, one JSON line each. <code>raddle replay --events FILE</code> feeds the events again and must get the same answers:",
        &logs,
    );
    let drawn = recipes.filter_map(|result| result.timeline.as_ref());
    let timelines: Vec<String> =
        drawn.flat_map(|drawn| &drawn.files).map(|file| link(file)).collect();
    body += &list(
        "When which launch ran where. To look at one, open <code>ui.perfetto.dev</code> in a browser and drag the file onto the page; the file stays on your machine:",
        &timelines,
    );
    html::section("files", "Files", &body)
}

fn list(said: &str, links: &[String]) -> String {
    if links.is_empty() {
        return String::new();
    }
    let items: String = links.iter().map(|link| format!("<li>{link}</li>\n")).collect();
    format!("<p>{said}</p>\n<ul class=\"files\">\n{items}</ul>\n")
}
