//! How is a table of `explain` printed?

use comfy_table::{Cell, CellAlignment, ContentArrangement, Row, presets};

use crate::console::heading;

/// Columns aligned with blanks, the header above a line; as wide as its contents, never wrapped.
pub(crate) struct Table {
    table: comfy_table::Table,
    right: Vec<usize>,
}

impl Table {
    /// An empty table; the columns at `right` hold numbers.
    pub(crate) fn new(header: &[&str], right: &[usize]) -> Self {
        let mut table = comfy_table::Table::new();
        table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
        let mut table = Self { table, right: right.to_vec() };
        table.row(header);
        table
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: &[&str]) {
        let cell = |(column, text): (usize, &&str)| {
            let right = self.right.contains(&column);
            let side = if right { CellAlignment::Right } else { CellAlignment::Left };
            Cell::new(text).set_alignment(side)
        };
        let row: Row = cells.iter().enumerate().map(cell).collect::<Vec<_>>().into();
        self.table.add_row(row);
    }

    /// The whole table, each line ended, no blanks at the ends.
    pub(crate) fn render(&self, colour: bool) -> String {
        let lines: Vec<String> = self
            .table
            .lines()
            .map(|line| line.strip_prefix(' ').unwrap_or(&line).trim_end().to_owned())
            .collect();
        let width = lines.iter().map(|line| line.chars().count()).max();
        let mut out = String::new();
        for (position, line) in lines.iter().enumerate() {
            out.push_str(&if position == 0 { heading(line, colour) } else { line.into() });
            out.push('\n');
            if position == 0 {
                out.push_str(&"-".repeat(width.unwrap_or(0)));
                out.push('\n');
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_lines_have_no_blank_ends() {
        let mut table = Table::new(&["name", "n", "note"], &[1]);
        table.row(&["a", "5", "x"]);
        table.row(&["größer", "1,000", ""]);
        assert_eq!(
            table.render(false),
            "name        n  note\n-------------------\na           5  x\ngrößer  1,000\n"
        );
    }
}
