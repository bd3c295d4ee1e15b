//! How is a document written as one HTML page?
//!
//! The page needs no other file: no network, no font, and its own policy
//! (`Content-Security-Policy`) forbids them. Its one script sorts and filters tables, and the page
//! is complete without it. Equal documents give equal bytes. Text from outside is escaped and
//! stands on one line.

use maud::{DOCTYPE, Markup, PreEscaped, Render, html};
use raddle_study::units::{count, plain};

use super::chart::{Chart, ChartBar, SeriesLook};
use super::model::{Block, Document, List, Medium};
use super::plot::{key, svg};
use super::table::{Cell, CellBar, CellLink, ColumnKind, Table};

const SCRIPT: &str = include_str!("script.js");
/// Hash of the only script that may run in a page, for the page's content security policy. `cargo
/// xtask browse` fails where it is not the hash of that script.
pub const SCRIPT_HASH: &str = "sha256-EdxKVhE5LEObInPURxTOBCCgl1TzlJdyi0BA96lr6zQ=";
/// Text that every HTML page of raddle contains, and no other page; raddle recognises its own pages
/// by it.
pub const PAGE_MARK: &str = "<p class=\"brand\">raddle ";
/// Largest number of characters that the HTML page shows of a name; `TEXT` is that of a longer
/// text.
const NAME: usize = 160;
const TEXT: usize = 2000;
/// Largest number of items that the HTML page shows of one list.
const LISTED: usize = 60;
/// Largest number of characters of a table cell that is kept on one line.
const LONG: usize = 40;
/// Smallest fraction of a bar's full width that a part of the bar must take to have the number for
/// which it stands written in it.
const ROOM: f64 = 0.2;
/// Index of the first look of a bar's part that is a pattern; lower indices are colours.
const PATTERN: usize = 7;

impl Document {
    /// Writes the document as one HTML page.
    #[must_use]
    pub fn html(&self) -> String {
        let mut head = Vec::new();
        let mut sections: Vec<(&str, &str, Vec<&Block>)> = Vec::new();
        let folded = self.open.is_some();
        for block in self.on(Medium::Page) {
            match (block, sections.last_mut()) {
                (Block::Section { id, title }, _) => sections.push((id, title, Vec::new())),
                (block, Some((.., blocks))) => blocks.push(block),
                (block, None) => head.push(block),
            }
        }
        let [first, within] = [2, 3].map(|level| move |block: &Block| self.block(block, level));
        let policy =
            format!("default-src 'none'; style-src 'unsafe-inline'; script-src '{SCRIPT_HASH}'");
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta http-equiv="Content-Security-Policy" content=(policy);
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    title { (self.title) " – raddle" }
                    style { (PreEscaped(include_str!("style.css"))) }
                }
                body {
                    header {
                        p class="brand" { "raddle " (env!("CARGO_PKG_VERSION")) }
                        h1 { (self.title) }
                        p class="under" { (self.summary) }
                    }
                    main {
                        @for item in head { (first(item)) }
                        @for (id, title, blocks) in sections {
                            @if folded {
                                details id=(id) {
                                    summary { h2 { (title) } }
                                    @for item in blocks { (within(item)) }
                                }
                            } @else {
                                section id=(id) { h2 { (title) } @for item in blocks { (within(item)) } }
                            }
                        }
                    }
                    script { (PreEscaped(SCRIPT)) }
                }
            }
        };
        page.into_string()
    }

    /// Writes a block of the document as HTML; `level` is the level of the headings in it.
    fn block(&self, block: &Block, level: u8) -> Markup {
        html! {
            @match block {
                Block::Section { .. } => {}
                Block::Heading(text) => (heading(text, level)),
                Block::Paragraph { label, text } => p { @if !label.is_empty() { strong { (plain(label, NAME)) ": " } } (rich(text)) },
                Block::Note(text) => p class="small" { (rich(text)) },
                Block::List(list) => (self.items(list, level)),
                Block::Warning(text) => p class="warning" { (rich(text)) },
                Block::Table(table) => (grid(table)),
                Block::Charts(legend, charts) => (pictures(legend, charts)),
                Block::Bars { title, names, bars } => (all_bars(title, names, bars)),
                Block::Verdict { good, name, text, why } => {
                    div class=(if *good { "verdict good" } else { "verdict" }) {
                        @let text = plain(text, TEXT);
                        @match text.split_once(name.as_str()).filter(|_| !name.is_empty()) {
                            Some((before, after)) => p { (before) strong { (plain(name, NAME)) } (after) },
                            None => p { (text) },
                        }
                        @if let Some(why) = why { p class="note" { (rich(why)) } }
                    }
                }
                Block::Chips(chips) => ul class="chips" {
                    @for (label, text) in chips { li { span { (label) } " " (rich(text)) } }
                },
                Block::Beside(columns) => div class=(if columns.len() == 2 { "beside two" } else { "beside" }) {
                    @for blocks in columns { div { @for item in blocks { (self.block(item, level)) } } }
                },
                Block::Link { text, to } => p { a href=(if to.starts_with('#') { to.clone() } else { address(to) }) { (rich(text)) } },
                Block::Files { text, paths, how } => {
                    p { (rich(text)) }
                    ul class="files" {
                        @for path in paths { li { a href=(address(path)) download { (name(path)) ": " (how) } } }
                    }
                }
                Block::Fold(title, blocks) => details class="fold" {
                    summary { (title) }
                    @for item in blocks { (self.block(item, level)) }
                },
                Block::Commands { label, commands } => {
                    (heading(label, level))
                    ul class="commands" { @for command in commands { li { code tabindex="0" { (command) } } } }
                },
            }
        }
    }

    fn items(&self, list: &List, level: u8) -> Markup {
        let id = |at: usize| (!list.anchor.is_empty()).then(|| format!("{}-{at}", list.anchor));
        html! {
            @if !list.label.is_empty() { (heading(&list.label, level)) }
            ul {
                @for (at, item) in list.items.iter().enumerate().take(LISTED) { li id=[id(at)] { (rich(item)) } }
                @if list.items.len() > LISTED {
                    li { "and " (count((list.items.len() - LISTED) as u64)) " more " (self.full) }
                }
            }
        }
    }
}

/// Writes an HTML heading: of level 2 in the part of a page before its sections, or of level 3
/// within a section.
fn heading(text: &str, level: u8) -> Markup {
    html! { @if level == 2 { h2 class="part" { (text) } } @else { h3 { (text) } } }
}

/// Writes a name from an input file as HTML, with control characters escaped and its writing
/// direction kept apart from the text around it.
fn name(text: &str) -> Markup {
    html! { bdi { (plain(text, NAME)) } }
}

/// Writes one of raddle's own texts as HTML: what stands between two backticks becomes code.
fn rich(text: &str) -> Markup {
    let text = plain(text, TEXT);
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return text.render();
    }
    html! {
        @for (position, part) in parts.iter().enumerate() {
            @if position % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

/// Writes a figure with `µs` in place of `us`, and with a no-break space before its unit.
fn figure(text: &str) -> String {
    match text.strip_suffix(" us") {
        Some(number) => format!("{number}\u{a0}µs"),
        None => text.replace(' ', "\u{a0}"),
    }
}

/// Returns the relative URL of a file in the folder of the HTML page.
fn address(path: &str) -> String {
    let mut to = "./".to_owned();
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_./".contains(&byte) {
            to.push(char::from(byte));
        } else {
            to += &format!("%{byte:02X}");
        }
    }
    to
}

/// Writes a table as HTML; readers can sort it, and it scrolls sideways where it is too wide for
/// the page.
fn grid(table: &Table) -> Markup {
    let class = |at: usize| (table.columns[at].kind == ColumnKind::Figure).then_some("n");
    html! {
        div class="wide" role="region" tabindex="0" aria-label=(table.label) {
            table class=(if table.is_deciding { "sorts deciding" } else { "sorts" }) {
                thead {
                    tr { @for (at, column) in table.columns.iter().enumerate() {
                        th scope="col" class=[class(at)] { (column.title) }
                    } }
                }
                tbody { @for (at, row) in table.rows.iter().enumerate() {
                    tr class=[(table.chosen == Some(at)).then_some("chosen")] {
                        @for (at, cell) in row.iter().enumerate() {
                            @let content = content(cell, table.columns[at].kind);
                            @if at == 0 { th scope="row" { (content) } }
                            @else { td class=[class(at)] data-v=[cell.rank] { (content) } }
                        }
                    }
                } }
            }
        }
    }
}

fn content(cell: &Cell, kind: ColumnKind) -> Markup {
    let Cell { text, bar, note, link, .. } = cell;
    let shown = match kind {
        ColumnKind::Name(_) => name(text),
        ColumnKind::Figure => figure(text).render(),
        ColumnKind::Text => rich(text),
    };
    let long = text.chars().count() > LONG && kind != ColumnKind::Figure;
    html! {
        span class=[long.then_some("words")] {
            @match link {
                Some(CellLink::File(path)) => a href=(address(path)) download { (shown) ": download" },
                Some(CellLink::Place(place, words)) => a href=(format!("#{place}")) title=(plain(words, TEXT)) { (shown) },
                None => (shown),
            }
            @if !note.is_empty() { " " span class="note" { (note) } }
        }
        @if let Some(bar) = bar { (meter(bar)) }
    }
}

/// Draws the bar of a table's cell, with the interval of the cell's figure as a line across it.
fn meter(bar: &CellBar) -> Markup {
    let percent = |share: f64| format!("{:.1}%", share * 100.0);
    html! {
        span class="meter" aria-hidden="true" {
            span class=(if bar.is_cut { "full cut" } else { "full" }) style=(format!("width:{}", percent(bar.share))) {}
            @if let Some([least, most]) = bar.within {
                span class="within" style=(format!("left:{};width:{}", percent(least), percent(most - least))) {}
            }
        }
    }
}

fn pictures(legend: &[(SeriesLook, String)], charts: &[Chart]) -> Markup {
    html! {
        @if !legend.is_empty() {
            ul class="legend" {
                @for (look, text) in legend {
                    li { (key(*look)) (name(text)) }
                }
            }
        }
        div class="figures" {
            @for chart in charts {
                figure {
                    figcaption { (plain(&chart.title, NAME)) @if !chart.note.is_empty() { " " span class="note" { (chart.note) } } }
                    (svg(chart))
                }
            }
        }
    }
}

fn all_bars(title: &str, names: &[(usize, &str)], bars: &[ChartBar]) -> Markup {
    html! {
        figure class="bars" {
            @if !title.is_empty() { figcaption { (title) } }
            @if !names.is_empty() {
                ul class="legend" {
                    @for &(look, text) in names { li { span class=(format!("key f{look}")) {} (text) } }
                }
            }
            @for bar in bars {
                p { (name(&bar.name)) span { (bar.note) } }
                (one_bar(bar, names))
            }
        }
    }
}

/// Draws one bar, and describes its parts in words for readers who do not see it. `names` is the
/// legend: (index of the colour, meaning).
fn one_bar(bar: &ChartBar, names: &[(usize, &str)]) -> Markup {
    let meaning =
        |look: usize| names.iter().find(|(of, _)| *of == look).map_or("", |(_, text)| *text);
    let words = |at: usize| format!("{}: {}", meaning(bar.parts[at].look), bar.parts[at].text);
    let seen = (0..bar.parts.len()).filter(|&at| bar.parts[at].share > 0.0);
    let heard: Vec<String> = seen.clone().map(words).collect();
    html! {
        div class="bar" role="img" aria-label=(heard.join(", ")) {
            @for at in seen {
                @let part = &bar.parts[at];
                span class=(format!("f{}", part.look)) title=(words(at)) style=(format!("width:{:.2}%", part.share * 100.0)) {
                    @if part.share >= ROOM && bar.parts.len() > 1 {
                        @if part.look >= PATTERN { b { (part.text) } } @else { (part.text) }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::Column;
    use super::*;

    #[test]
    fn green_is_what_is_recommended_and_nothing_else() {
        let style = include_str!("style.css");
        let mut green = style.lines().filter(|line| {
            ["var(--mark)", "var(--good)"].iter().any(|colour| line.contains(colour))
        });
        assert!(green.clone().count() > 3);
        assert!(green.all(|line| line.contains("good") || line.contains("chosen")));
    }

    #[test]
    fn a_page_has_its_mark() {
        assert!(Document::default().html().contains(PAGE_MARK));
    }

    #[test]
    fn what_comes_from_outside_stays_text() {
        let text = |markup: Markup| markup.into_string();
        assert_eq!(text(name("<b onclick='x'>")), "<bdi>&lt;b onclick='x'&gt;</bdi>");
        assert_eq!(text(name("a\u{202e}b\u{2066}c\nd")), "<bdi>a?b?c?d</bdi>");
        assert_eq!(
            text(rich("say `--a <b>` or `c`")),
            "say <code>--a &lt;b&gt;</code> or <code>c</code>"
        );
        assert_eq!(text(rich("one ` only")), "one ` only");
        assert_eq!(address("a b#?\"<é/javascript:x"), "./a%20b%23%3F%22%3C%C3%A9/javascript%3Ax");
        assert_eq!(figure("12.5 us"), "12.5\u{a0}µs");
    }

    #[test]
    fn a_table_has_headings_and_what_it_is_sorted_by() {
        let mut table = Table::new("t\"", [Column::name("a", 9), Column::figure("b")]);
        table.row([Cell::from("x"), Cell::ranked("1 us", Some(1.0))]);
        table.row([Cell::from("x"), Cell::ranked("2", Some(2.0))]);
        table.row([Cell::from("y"), Cell::from("-")]);
        insta::assert_snapshot!(grid(&table).into_string().replace("><", ">\n<"));
    }
}
