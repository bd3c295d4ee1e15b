//! What does a table hold, whatever draws it?

/// Table of a document: rows of cells under columns with titles.
#[derive(Clone, Debug)]
pub struct Table {
    /// Subject of the table's rows, by which readers who cannot see the table know what it is
    /// about.
    pub(super) label: String,
    pub(super) columns: Vec<Column>,
    pub(super) rows: Vec<Vec<Cell>>,
    /// Index, from 0, of the row of the recommended recipe (way of sharing the device); `None`
    /// where no row is recommended.
    pub(super) chosen: Option<usize>,
    /// True if the table has only the columns by which recipes (ways of sharing the device) are
    /// judged, so that it fits the screen of a telephone.
    pub(super) is_deciding: bool,
    /// True if a terminal shows the notes (text in small print on the page) of cells on a line of
    /// their own below the figures.
    pub(super) has_notes_below: bool,
}

/// Column of a table: its title and the kind of its values.
#[derive(Clone, Debug)]
pub struct Column {
    pub(super) title: String,
    pub(super) kind: ColumnKind,
    /// True if the column is shown even where all its cells are equal.
    pub(super) kept: bool,
}

/// Kind of the values in a column of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ColumnKind {
    Text,
    /// Names from input files, of which a terminal shows at most this many characters.
    Name(usize),
    /// The column has figures, which are aligned to the right.
    Figure,
}

impl Column {
    /// Makes a column of raddle's own words, such as the names of resources.
    pub fn text(title: impl Into<String>) -> Self {
        Self { title: title.into(), kind: ColumnKind::Text, kept: false }
    }

    /// Makes a column of names from input files; a terminal shortens each to at most `most`
    /// characters.
    pub fn name(title: impl Into<String>, most: usize) -> Self {
        Self { kind: ColumnKind::Name(most), ..Self::text(title) }
    }

    /// Makes a column of figures, aligned to the right.
    pub fn figure(title: impl Into<String>) -> Self {
        Self { kind: ColumnKind::Figure, ..Self::text(title) }
    }

    /// Marks the column as one that is shown even where all its cells are equal.
    #[must_use]
    pub fn kept(self) -> Self {
        Self { kept: true, ..self }
    }
}

/// Cell of a table: its text, the number by which it is sorted, and its bar, note and link.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    pub(super) text: String,
    /// Number by which readers can sort the cell; `None` where the cell is sorted by its text.
    pub(super) rank: Option<f64>,
    /// Bar below the text of the cell; `None` draws no bar.
    pub(super) bar: Option<CellBar>,
    /// Text in small print behind the text of the cell; empty for none.
    pub(super) note: String,
    /// Link from the cell to a file or a place on the HTML page; `None` for none.
    pub(super) link: Option<CellLink>,
}

/// Bar in a cell of a table that shows the cell's figure. All bars of a column have the same scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellBar {
    /// Fraction of the full width of the cell's bar that is filled, 0 to 1.
    pub share: f64,
    /// True if the number for which the bar stands is larger than the end of the scale, so that the
    /// bar is cut off there.
    pub is_cut: bool,
    /// Interval of the cell's figure, [least, most], as fractions of the bar's full width; `None`
    /// draws none.
    pub within: Option<[f64; 2]>,
}

/// Link from a table's cell, to a file or to a place on the page.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum CellLink {
    /// Path of a file in the folder of the HTML page, which the link downloads.
    File(String),
    /// Place on the HTML page, as (name of its anchor, words that say what is there).
    Place(String, String),
}

impl Cell {
    /// Makes a cell that is sorted by the number `rank`; with `None` by its text.
    pub fn ranked(text: impl Into<String>, rank: Option<f64>) -> Self {
        Self { rank, ..Self::from(text.into()) }
    }
}

impl Cell {
    /// Adds a bar below the text of the cell.
    #[must_use]
    pub fn bar(self, bar: CellBar) -> Self {
        Self { bar: Some(bar), ..self }
    }

    /// Adds a text in small print behind the text of the cell.
    #[must_use]
    pub fn note(self, note: impl Into<String>) -> Self {
        Self { note: note.into(), ..self }
    }

    /// Marks the cell by a star in front of its text.
    #[must_use]
    pub fn starred(self) -> Self {
        Self { text: format!("*{}", self.text), ..self }
    }

    /// Adds a link from the cell to a file in the folder of the HTML page.
    #[must_use]
    pub fn link(self, path: impl Into<String>) -> Self {
        Self { link: Some(CellLink::File(path.into())), ..self }
    }

    /// Adds a link from the cell to the place `name` on the HTML page; `words` say what is there.
    #[must_use]
    pub fn place(self, name: impl Into<String>, words: impl Into<String>) -> Self {
        Self { link: Some(CellLink::Place(name.into(), words.into())), ..self }
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self { text, rank: None, bar: None, note: String::new(), link: None }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl Table {
    /// Makes a table without rows; `label` is the subject of its rows.
    pub fn new(label: impl Into<String>, columns: impl Into<Vec<Column>>) -> Self {
        Self {
            label: label.into(),
            columns: columns.into(),
            rows: Vec::new(),
            chosen: None,
            is_deciding: false,
            has_notes_below: false,
        }
    }

    /// Marks the table as one that has only the columns by which recipes (ways of sharing the
    /// device) are judged, so that it fits the screen of a telephone.
    #[must_use]
    pub fn deciding(self) -> Self {
        Self { is_deciding: true, ..self }
    }

    /// Makes a terminal show the notes of cells on a line of their own below the figures: the
    /// table's columns are then narrower, and its rows take two lines.
    #[must_use]
    pub fn with_notes_below(self) -> Self {
        Self { has_notes_below: true, ..self }
    }

    /// Adds a column of figures for each of these titles.
    #[must_use]
    pub fn figures<const N: usize>(mut self, titles: [&str; N]) -> Self {
        self.columns.extend(titles.map(Column::figure));
        self
    }

    /// Adds columns at the right of the table.
    #[must_use]
    pub fn more(mut self, columns: impl IntoIterator<Item = Column>) -> Self {
        self.columns.extend(columns);
        self
    }

    /// Adds a row, with one cell for each column.
    pub fn row<C: Into<Cell>>(&mut self, cells: impl IntoIterator<Item = C>) {
        let row: Vec<Cell> = cells.into_iter().map(Into::into).collect();
        debug_assert_eq!(row.len(), self.columns.len(), "{}", self.label);
        self.rows.push(row);
    }

    /// Counts the columns of the table.
    #[must_use]
    pub const fn columns(&self) -> usize {
        self.columns.len()
    }

    /// Returns whether the table has no row.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns whether any bar of the table is longer than the scale and so cut off.
    pub(crate) fn has_cut_bar(&self) -> bool {
        self.rows.iter().flatten().any(|cell| cell.bar.is_some_and(|bar| bar.is_cut))
    }

    /// Marks the row that was added last as the recommended one.
    pub fn choose(&mut self) {
        self.chosen = self.rows.len().checked_sub(1);
    }

    /// Removes each column of figures that has the same text in every row, if the table has several
    /// rows. Columns that are marked by [`Column::kept`] stay.
    #[must_use]
    pub fn without_constants(mut self) -> Self {
        let keep: Vec<bool> = (0..self.columns.len()).map(|at| !self.is_constant(at)).collect();
        self.keep(&keep);
        self
    }

    /// Returns, for each column that [`Table::without_constants`] removes, (title of the column,
    /// its text in every row).
    pub fn constants(&self) -> impl Iterator<Item = (&str, String)> {
        let constant = (0..self.columns.len()).filter(|&at| self.is_constant(at));
        constant.map(|at| {
            let Cell { text, note, .. } = &self.rows[0][at];
            (&*self.columns[at].title, format!("{text}{note}"))
        })
    }

    /// Returns whether [`Table::without_constants`] removes the column with the index `at`: it has
    /// figures, the same text in all of several rows, and is not marked by [`Column::kept`].
    fn is_constant(&self, at: usize) -> bool {
        let column = &self.columns[at];
        let mut cells = self.rows.iter().map(|row| (&row[at].text, &row[at].note));
        let first = cells.next();
        let figure = column.kind == ColumnKind::Figure && self.rows.len() > 1;
        figure && !column.kept && cells.all(|cell| Some(cell) == first)
    }

    fn keep(&mut self, kept: &[bool]) {
        for row in &mut self.rows {
            let mut kept = kept.iter();
            row.retain(|_| kept.next() != Some(&false));
        }
        let mut kept = kept.iter();
        self.columns.retain(|_| kept.next() != Some(&false));
    }

    /// Removes the columns with these titles from the table.
    #[must_use]
    pub fn without(mut self, titles: &[&str]) -> Self {
        let kept: Vec<bool> =
            self.columns.iter().map(|column| !titles.contains(&&*column.title)).collect();
        self.keep(&kept);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_is_constant_only_with_its_small_print() {
        let mut table = Table::new("", [Column::name("policy", 9)]).figures(["a", "b", "c"]);
        let cells = |note: &str| ["5".into(), Cell::from("6").note(note), "7".into()];
        table.row([&[Cell::from("x")][..], &cells(" (4 to 8)")].concat());
        table.row([&[Cell::from("y")][..], &cells(" (4 to 9)")].concat());
        let told: Vec<_> = table.constants().collect();
        assert_eq!(told, [("a", "5".to_owned()), ("c", "7".to_owned())]);
        assert_eq!(table.without_constants().columns(), 2);
    }
}
