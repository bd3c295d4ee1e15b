//! How is a document written for a terminal?

use std::borrow::Cow;

use comfy_table::{CellAlignment, ContentArrangement, presets};
use raddle_study::units::{count, plain, wrap};

use super::model::{Block, Document, List, Medium};
use super::table::{Cell, ColumnKind, Table};

/// Number of characters in a line of text where the document does not give one.
const WIDTH: usize = 100;
/// Largest number of characters of one list item on a terminal, however long the text from an input
/// file is.
const ITEM: usize = 2000;
/// Largest number of items of a list that a terminal shows.
const LISTED: usize = 12;

/// Writes `text` as a heading: in bold where `colour` is true.
#[must_use]
pub fn heading(text: &str, colour: bool) -> Cow<'_, str> {
    paint(text, "1", colour)
}

/// Writes `text` as a sign of trouble: in bold red where `colour` is true.
#[must_use]
pub fn alarm(text: &str, colour: bool) -> Cow<'_, str> {
    paint(text, "1;31", colour)
}

fn paint<'t>(text: &'t str, code: &str, colour: bool) -> Cow<'t, str> {
    if colour { Cow::Owned(format!("\x1b[{code}m{text}\x1b[0m")) } else { Cow::Borrowed(text) }
}

impl Document {
    /// Writes the document for a terminal, with colours where `colour` is true.
    #[must_use]
    pub fn text(&self, colour: bool) -> String {
        let width = self.columns.unwrap_or(WIDTH);
        let mut writer = TextWriter { out: String::new(), colour, width, full: self.full };
        let mut before: Option<&Block> = None;
        for block in self.on(Medium::Terminal) {
            let gap = match (before, block) {
                (_, Block::Section { .. }) => continue,
                (Some(Block::Heading(_)), Block::Table(_)) => false,
                (None, _) => false,
                (Some(Block::Table(_)), _) | (_, Block::Table(_) | Block::Heading(_)) => true,
                (_, Block::Commands { .. }) => true,
                _ => false,
            };
            if gap {
                writer.line("");
            }
            writer.block(block);
            before = Some(block);
        }
        writer.out
    }
}

struct TextWriter {
    out: String,
    colour: bool,
    width: usize,
    full: &'static str,
}

impl TextWriter {
    fn line(&mut self, text: &str) {
        self.out += text;
        self.out.push('\n');
    }

    fn block(&mut self, block: &Block) {
        match block {
            Block::Heading(text) => {
                let text = wrap(&plain(text, ITEM), self.width, "  ");
                self.line(&heading(&text, self.colour));
            }
            Block::Paragraph { label, text } => self.paragraph(label, text),
            Block::Note(text) => self.paragraph("", text),
            Block::List(list) if list.inline => self.paragraph(&list.label, &list.items.join("; ")),
            Block::List(list) => self.list(list),
            Block::Warning(text) => {
                let text = wrap(&format!("warning: {}", plain(text, ITEM)), self.width, "  ");
                let rest = text.strip_prefix("warning:").unwrap_or_default();
                self.line(&format!("{}{rest}", alarm("warning:", self.colour)));
            }
            Block::Table(table) => self.out += &rendered(table, self.colour),
            Block::Charts(_, charts) => {
                for chart in charts {
                    self.paragraph(&chart.title, &chart.words);
                }
            }
            Block::Verdict { text, why, .. } => {
                let (arrow, rest) = (heading("->", self.colour), self.width - 3);
                let text = plain(text, ITEM);
                self.line(&format!("{arrow} {}", wrap(&text, rest, "   ")));
                if let Some(why) = why {
                    self.line(&format!("   {}", wrap(&plain(why, ITEM), rest, "   ")));
                }
            }
            // A terminal does not show these blocks.
            Block::Beside(_) | Block::Link { .. } | Block::Chips(_) | Block::Fold(..) => {}
            Block::Bars { title, bars, .. } => {
                let bars = bars.iter().map(|bar| format!("{} {}", bar.name, bar.note));
                self.paragraph(title, &bars.collect::<Vec<_>>().join("; "));
            }
            Block::Files { text, paths, .. } => self.paragraph(text, &paths.join(", ")),
            Block::Commands { label, commands } => {
                let width = label.len() + 2;
                for (position, command) in commands.iter().enumerate() {
                    let label = if position == 0 { format!("{label}:") } else { String::new() };
                    let label = format!("{label:<width$}");
                    self.line(&format!("{} {command}", heading(&label, self.colour)));
                }
            }
            Block::Section { .. } => {}
        }
    }

    fn paragraph(&mut self, label: &str, text: &str) {
        if label.is_empty() {
            return self.line(&wrap(text, self.width, "  "));
        }
        let text = wrap(&format!("{label}: {text}"), self.width, "  ");
        let rest = text.strip_prefix(label).unwrap_or_default();
        self.line(&format!("{}{rest}", heading(label, self.colour)));
    }

    fn list(&mut self, list: &List) {
        if !list.label.is_empty() {
            self.line(&heading(&format!("{}:", list.label), self.colour));
        }
        for item in list.items.iter().take(LISTED) {
            self.line(&format!("  {}", wrap(&plain(item, ITEM), self.width - 2, "    ")));
        }
        if list.items.len() > LISTED {
            let more = count((list.items.len() - LISTED) as u64);
            self.line(&format!("  and {more} more {}", self.full));
        }
    }
}

impl Table {
    /// Returns the number of characters of the longest line of the table.
    #[must_use]
    pub fn width(&self) -> usize {
        rendered(self, false).lines().map(|line| line.chars().count()).max().unwrap_or(0)
    }
}

/// Writes a table as text, in columns aligned with blanks and with a line of dashes below the
/// titles; the text is as wide as the table's content.
fn rendered(table: &Table, colour: bool) -> String {
    let mut drawn = comfy_table::Table::new();
    drawn.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    let aligned = |column: usize, text: &str| {
        // The library that draws tables trims blanks at the left, so pairs of blanks become hard
        // blanks until it is done.
        let text = text.replace("  ", "\u{a0}\u{a0}");
        let right = table.columns[column].kind == ColumnKind::Figure;
        let side = if right { CellAlignment::Right } else { CellAlignment::Left };
        comfy_table::Cell::new(text).set_alignment(side)
    };
    let titles = table.columns.iter().enumerate();
    drawn.add_row(titles.map(|(at, column)| aligned(at, &column.title)).collect::<Vec<_>>());
    for (at, row) in table.rows.iter().enumerate() {
        let cell = |(column, cell): (usize, &Cell)| match table.columns[column].kind {
            ColumnKind::Name(most) => {
                let text = plain(&cell.text, most);
                let marked = table.chosen.is_some() && column == 0;
                let mark = if table.chosen == Some(at) { "* " } else { "  " };
                aligned(column, &format!("{}{text}{}", if marked { mark } else { "" }, cell.note))
            }
            _ if cell.note.is_empty() => aligned(column, &cell.text),
            _ => {
                // Intervals take less room with a dash, so that more columns keep theirs.
                let note = cell.note.replace(" to ", "-");
                aligned(
                    column,
                    &match table.has_notes_below {
                        true => format!("{}\n{}", cell.text, note.trim_start()),
                        false => format!("{} {note}", cell.text),
                    },
                )
            }
        };
        drawn.add_row(row.iter().enumerate().map(cell).collect::<Vec<_>>());
    }
    let lines = drawn.lines();
    let lines: Vec<String> = lines
        .map(|line| line.strip_prefix(' ').unwrap_or(&line).trim_end().replace('\u{a0}', " "))
        .collect();
    let width = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
    let mut out = String::new();
    for (position, line) in lines.iter().enumerate() {
        match position {
            0 => out += &format!("{}\n{}\n", heading(line, colour), "-".repeat(width)),
            _ => out += &format!("{line}\n"),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::table::Column;
    use super::*;

    #[test]
    fn columns_are_aligned_and_lines_have_no_blank_ends() {
        let columns = [Column::name("name", 5), Column::figure("n"), Column::text("note")];
        let mut table = Table::new("", columns);
        table.row(["a", "5", "x"]);
        table.row(["größer", "1,000", ""]);
        table.row(["größer", "1", ""]);
        let mut document = Document::default();
        document.add(Block::Note("one".to_owned()));
        document.table(table);
        document.paragraph("Label", "text");
        assert_eq!(
            document.text(false),
            "one\n\nname       n  note\n------------------\na          5  x\ngrö…r  1,000\ngrö…r      1\n\nLabel: text\n"
        );
    }
}
