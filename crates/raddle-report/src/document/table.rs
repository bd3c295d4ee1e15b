//! What is a table, whoever draws it?

use std::collections::BTreeMap;

/// Rows of cells under headings.
#[derive(Clone, Debug)]
pub struct Table {
    /// What it shows; a heading above it where it is not empty.
    pub(super) label: String,
    pub(super) columns: Vec<Column>,
    pub(super) rows: Vec<Vec<Cell>>,
    /// The row that is recommended.
    pub(super) chosen: Option<usize>,
}

/// A column of a table.
#[derive(Clone, Debug)]
pub struct Column {
    pub(super) title: String,
    pub(super) kind: ColumnKind,
    /// See [`Column::of`].
    pub(super) depth: Option<usize>,
}

/// What the cells of a column hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ColumnKind {
    Text,
    /// Names from outside, and how many of their characters a terminal shows.
    Name(usize),
    /// Figures, aligned at the right.
    Figure,
}

impl Column {
    /// A column of words of the tool.
    pub fn text(title: impl Into<String>) -> Self {
        Self { title: title.into(), kind: ColumnKind::Text, depth: None }
    }

    /// A column of names from outside, of which a terminal shows at most `most` characters.
    pub fn name(title: impl Into<String>, most: usize) -> Self {
        Self { kind: ColumnKind::Name(most), ..Self::text(title) }
    }

    /// A column of figures.
    pub fn figure(title: impl Into<String>) -> Self {
        Self { kind: ColumnKind::Figure, ..Self::text(title) }
    }

    /// Says that its cells hold for a group of rows: of the groups that contain each other, the
    /// one of this depth, 0 for the largest. The first column of a depth names the group. A cell
    /// is shown once a group.
    #[must_use]
    pub fn of(self, depth: usize) -> Self {
        Self { depth: Some(depth), ..self }
    }
}

/// A cell of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    pub(super) text: String,
    /// The smaller the better; `None`: not comparable.
    pub(super) rank: Option<f64>,
    pub(super) best: bool,
    /// The share of a bar beside it that is full, 0 to 1.
    pub(super) bar: Option<f64>,
    /// What is added in small print.
    pub(super) note: String,
    /// The file beside the page that it leads to.
    pub(super) link: Option<String>,
}

impl Cell {
    /// A cell that is compared with others: the smaller its rank, the better.
    pub fn ranked(text: impl Into<String>, rank: Option<f64>) -> Self {
        Self { rank, ..Self::from(text.into()) }
    }
}

impl Cell {
    /// With a bar beside it, of which this share is full.
    #[must_use]
    pub fn bar(self, share: f64) -> Self {
        Self { bar: Some(share), ..self }
    }

    /// With something in small print.
    #[must_use]
    pub fn note(self, note: impl Into<String>) -> Self {
        Self { note: note.into(), ..self }
    }

    /// With more in small print.
    #[must_use]
    pub fn and(self, more: &str) -> Self {
        let note = [&*self.note, more].join(" ").trim().to_owned();
        Self { note, ..self }
    }

    /// With a link to a file beside the page.
    #[must_use]
    pub fn link(self, path: impl Into<String>) -> Self {
        Self { link: Some(path.into()), ..self }
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self { text, rank: None, best: false, bar: None, note: String::new(), link: None }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl Table {
    /// An empty table.
    pub fn new(label: impl Into<String>, columns: impl Into<Vec<Column>>) -> Self {
        Self { label: label.into(), columns: columns.into(), rows: Vec::new(), chosen: None }
    }

    /// Adds columns of figures.
    #[must_use]
    pub fn figures<const N: usize>(mut self, titles: [&str; N]) -> Self {
        self.columns.extend(titles.map(Column::figure));
        self
    }

    /// Adds a row.
    pub fn row<C: Into<Cell>>(&mut self, cells: impl IntoIterator<Item = C>) {
        let row: Vec<Cell> = cells.into_iter().map(Into::into).collect();
        debug_assert_eq!(row.len(), self.columns.len(), "{}", self.label);
        self.rows.push(row);
    }

    /// How many columns it has.
    #[must_use]
    pub const fn columns(&self) -> usize {
        self.columns.len()
    }

    /// Whether it has no rows.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Recommends the row that was added last.
    pub fn choose(&mut self) {
        self.chosen = self.rows.len().checked_sub(1);
    }

    /// Leaves out columns of figures that say the same in every row, where there are several.
    #[must_use]
    pub fn without_constants(mut self) -> Self {
        let mut keep: Vec<bool> = vec![true; self.columns.len()];
        for (at, column) in self.columns.iter().enumerate() {
            let mut texts = self.rows.iter().map(|row| &row[at].text);
            let first = texts.next();
            let figure = column.kind == ColumnKind::Figure && self.rows.len() > 1;
            keep[at] = !figure || texts.any(|text| Some(text) != first);
        }
        self.keep(&keep);
        self
    }

    fn keep(&mut self, kept: &[bool]) {
        for row in &mut self.rows {
            let mut kept = kept.iter();
            row.retain(|_| kept.next() != Some(&false));
        }
        let mut kept = kept.iter();
        self.columns.retain(|_| kept.next() != Some(&false));
    }

    /// Leaves out columns, by title.
    #[must_use]
    pub fn without(mut self, titles: &[&str]) -> Self {
        let kept: Vec<bool> =
            self.columns.iter().map(|column| !titles.contains(&&*column.title)).collect();
        self.keep(&kept);
        self
    }

    /// Marks the best cells of these columns, among the rows whose cells in the columns `same` are
    /// equal. Cells that look equal are equal; where all do, none is best.
    pub fn mark_best(&mut self, columns: impl IntoIterator<Item = usize>, same: &[usize]) {
        let mut groups: BTreeMap<Vec<&str>, Vec<usize>> = BTreeMap::new();
        for (at, row) in self.rows.iter().enumerate() {
            let key = same.iter().map(|&column| &*row[column].text).collect();
            groups.entry(key).or_default().push(at);
        }
        let groups: Vec<Vec<usize>> = groups.into_values().collect();
        for column in columns {
            for group in &groups {
                let cells = group.iter().map(|&row| &self.rows[row][column]);
                let cells = cells.filter_map(|cell| Some((cell.rank?, &cell.text)));
                let Some((_, best)) = cells.clone().min_by(|a, b| a.0.total_cmp(&b.0)) else {
                    continue;
                };
                if cells.clone().all(|(_, text)| text == best) {
                    continue;
                }
                let best = best.clone();
                for &row in group {
                    let cell = &mut self.rows[row][column];
                    cell.best = cell.text == best;
                }
            }
        }
    }

    /// Whether a cell only repeats what the row before says of the group of both.
    pub(super) fn repeats(&self, row: usize, column: usize) -> bool {
        let Some(depth) = self.columns[column].depth else { return false };
        let Some(before) = row.checked_sub(1) else { return false };
        (0..=depth).all(|depth| {
            let key = self.columns.iter().position(|column| column.depth == Some(depth));
            key.is_none_or(|key| self.rows[row][key].text == self.rows[before][key].text)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[(&str, &str, Option<f64>)]) -> Table {
        let columns = [Column::name("a", 9).of(0), Column::figure("b").of(1), Column::figure("c")];
        let mut table = Table::new("", columns);
        for &(a, b, c) in rows {
            let text = c.map_or("-".to_owned(), |c| format!("{c:.1}"));
            table.row([a.into(), b.into(), Cell::ranked(text, c)]);
        }
        table
    }

    #[test]
    fn what_looks_equal_is_not_told_apart() {
        let best = |cells: &[Option<f64>], same: &[usize]| {
            let rows: Vec<_> = cells.iter().map(|&c| ("x", "1", c)).collect();
            let mut table = table(&rows);
            table.mark_best([2], same);
            table.rows.iter().map(|row| row[2].best).collect::<Vec<_>>()
        };
        assert_eq!(best(&[Some(1.01), Some(1.02)], &[]), [false, false]);
        assert_eq!(best(&[Some(1.0), Some(2.0), Some(1.01)], &[0]), [true, false, true]);
        assert_eq!(best(&[None, Some(0.5), Some(0.7)], &[]), [false, true, false]);
        assert_eq!(best(&[None, Some(0.5)], &[]), [false, false]);
    }

    #[test]
    fn a_group_is_named_once() {
        let table =
            table(&[("x", "1", None), ("x", "1", None), ("x", "2", None), ("y", "2", None)]);
        let repeats = |row| [0, 1, 2].map(|column| table.repeats(row, column));
        assert_eq!(repeats(0), [false; 3]);
        assert_eq!(repeats(1), [true, true, false]);
        assert_eq!(repeats(2), [true, false, false]);
        assert_eq!(repeats(3), [false; 3]);
        assert_eq!(table.without(&["b"]).rows[0].len(), 2);
    }
}
