//! On what do the figures rest: what the words mean, what the model assumes, what was met in the
//! files, and what a reader should look at twice?

use super::Source;
use super::html::{self, escape, name, sentence};
use crate::text;
use crate::units::count;

/// The words of the table and what they mean.
const WORDS: [(&str, &str); 10] = [
    (
        "makespan",
        "From the first event until every profile has ended once. In an open loop it mostly follows the recorded arrivals.",
    ),
    ("used", "Wave-slot time used, of what there was between the first event and the last end."),
    (
        "Jain",
        "Jain's index of the wave-slot time of the processes while two or more of them were runnable: 1 is equal shares, one over their number is all for one.",
    ),
    ("launches", "Kernel launches that started, repetitions included."),
    (
        "p50, p99",
        "Latency of launches: from ready (issued, and everything it waits for has ended) to the first wave started. Half of them, and 99 of 100, waited no longer.",
    ),
    (
        "slowdown",
        "From ready to the end, over the same for the same launch alone on this device under the same recipe; the geometric mean. Many short waits can raise it while the rare long ones, which p99 shows, are gone.",
    ),
    (
        "requests",
        "Repetitions of a profile that began at times of their own. Their times are from arrival to the end of all their work; alone is one request alone on this device under the same recipe.",
    ),
    ("share", "The part of all wave-slot time used that this process used."),
    ("refused", "Launches that can never run on this device, in one repetition."),
    ("level", "Urgency: 0 is the most urgent, 255 best effort."),
];

pub(crate) fn section(source: &Source<'_>) -> String {
    let body = [warnings(source), assumptions(source), quirks(source), words()].concat();
    html::section("rests", "What the figures rest on", &body)
}

fn warnings(source: &Source<'_>) -> String {
    let report = source.report;
    let warnings: Vec<&String> = report.warnings.iter().collect();
    let capped = text::capped(report);
    let said: Vec<String> =
        warnings.into_iter().chain(&capped).map(|said| item(&sentence(said))).collect();
    if said.is_empty() {
        return String::new();
    }
    format!("<h3>Warnings</h3>\n<ul class=\"warnings\">\n{}</ul>\n", said.concat())
}

fn item(markup: &str) -> String {
    format!("<li>{markup}</li>\n")
}

fn assumptions(source: &Source<'_>) -> String {
    let said = source.report.assumptions.iter().map(|said| item(&sentence(said)));
    format!(
        "<h3>The cost model</h3>\n<p>A replay is a model, not a measurement. Every workgroup of every launch was placed; how long each lasts, and what they cost each other, is taken from the profile like this:</p>\n<ul>\n{}</ul>\n",
        said.collect::<String>()
    )
}

fn quirks(source: &Source<'_>) -> String {
    let profiles = &source.report.profiles;
    let rows: Vec<Vec<String>> = profiles
        .iter()
        .flat_map(|profile| profile.quirks.iter().map(move |quirk| (profile, quirk)))
        .map(|(profile, quirk)| {
            vec![
                name(&profile.name),
                escape(quirk.name),
                count(quirk.count),
                format!("<span class=\"words\">{}</span>", sentence(quirk.explanation)),
            ]
        })
        .collect();
    let body = if rows.is_empty() {
        "<p>Nothing unusual was met in the files.</p>\n".to_owned()
    } else {
        html::table("Met in the files", &["process", "what", "#times", "what was done"], &rows)
    };
    format!("<h3>Met in the files</h3>\n{body}")
}

fn words() -> String {
    let entry = |(word, meaning): &(&str, &str)| {
        format!("<dt>{}</dt><dd>{}</dd>\n", escape(word), escape(meaning))
    };
    format!("<h3>Words</h3>\n<dl>\n{}</dl>\n", WORDS.iter().map(entry).collect::<String>())
}
