//! Who got how much of the device, and how fair was that?

use super::Source;
use super::chart::{Bar, Key, Part, Style, bars, legend};
use super::fairness;
use super::grouping::{Group, groups};
use super::html::{self, shown};
use crate::summary::RecipeResult;
use crate::units::{percent, share};

const WIDTH: u16 = 440;

pub(crate) fn section(source: &Source<'_>) -> String {
    let groups = groups(source);
    let title = "Share and fairness";
    if groups.len() < 2 {
        let alone = "<p>There is one process: all wave-slot time is its own, and there is nobody to be fair to.</p>\n";
        return html::section("shares", title, alone);
    }
    let mut body = legend(Key::Area, groups.iter().map(|group| (group.style, group.name.as_str())));
    body += "<div class=\"figures\">\n";
    body += &figure("Share of the wave-slot time used", &shares(source, &groups));
    body += &figure("Jain’s index (a full bar: equal shares)", &jain(source));
    body += "</div>\n";
    body += &fairness::table(source);
    html::section("shares", title, &body)
}

fn figure(caption: &str, picture: &str) -> String {
    format!("<figure>\n<figcaption>{caption}</figcaption>\n{picture}\n</figure>\n")
}

fn shares(source: &Source<'_>, groups: &[Group]) -> String {
    let of = |(result, runs): (&RecipeResult, &crate::runs::Runs)| {
        let used = &runs.together.wave_ns;
        let whole: u128 = used.iter().sum();
        let part = |group: &Group| {
            let amount = group.total(|process| used[process]);
            let text = percent(share(amount, whole));
            let hint = format!("{} {text}", shown(&group.name));
            Part { style: group.style, amount, whole, label: text, hint }
        };
        Bar {
            name: shown(&result.name),
            note: String::new(),
            parts: groups.iter().map(part).collect(),
        }
    };
    let rows: Vec<Bar> = source.report.recipes.iter().zip(source.runs).map(of).collect();
    let told = |bar: &Bar| {
        let parts: Vec<&str> = bar.parts.iter().map(|part| part.hint.as_str()).collect();
        format!("{}: {}", bar.name, parts.join(", "))
    };
    picture("Share of the wave-slot time used", &rows, told)
}

fn jain(source: &Source<'_>) -> String {
    let of = |result: &RecipeResult| {
        let jain = result.summary.jain;
        let text = jain.map_or_else(|| "never two at once".to_owned(), |jain| format!("{jain:.2}"));
        // Four decimals are all it has.
        let amount = (jain.unwrap_or(0.0).clamp(0.0, 1.0) * 10_000.0).round() as u128;
        Bar {
            name: shown(&result.name),
            note: text.clone(),
            parts: vec![Part {
                style: Style(6),
                amount,
                whole: 10_000,
                label: String::new(),
                hint: text,
            }],
        }
    };
    let rows: Vec<Bar> = source.report.recipes.iter().map(of).collect();
    picture("Jain’s index", &rows, |bar| format!("{}: {}", bar.name, bar.note))
}

fn picture(title: &str, rows: &[Bar], told: impl Fn(&Bar) -> String) -> String {
    let told: Vec<String> = rows.iter().map(told).collect();
    bars(WIDTH, title, &told.join("; "), rows)
}
