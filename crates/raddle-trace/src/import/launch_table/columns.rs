//! Which column of a launch table stands where?

use crate::table::Column;

/// The position of each column that is present.
#[derive(Debug)]
pub(super) struct Columns([Option<usize>; Column::ALL.len()]);

impl Columns {
    /// Reads the header; the problem with it where it is wrong.
    pub(super) fn new(header: &csv::StringRecord) -> Result<Self, String> {
        let mut columns = Self([None; Column::ALL.len()]);
        for (at, text) in header.iter().enumerate() {
            let text = text.trim();
            let Some(column) = Column::ALL.iter().find(|column| column.name() == text) else {
                return Err(unknown(text));
            };
            if columns.0[*column as usize].replace(at).is_some() {
                return Err(format!("column `{text}` comes twice"));
            }
        }
        columns.check()?;
        Ok(columns)
    }

    /// Where a column stands, if it is there.
    pub(super) fn at(&self, column: Column) -> Option<usize> {
        self.0[column as usize]
    }

    /// How many columns there are.
    pub(super) fn width(&self) -> usize {
        self.0.iter().flatten().count()
    }

    fn check(&self) -> Result<(), String> {
        const REQUIRED: [Column; 8] = [
            Column::Name,
            Column::GridX,
            Column::GridY,
            Column::GridZ,
            Column::BlockX,
            Column::BlockY,
            Column::BlockZ,
            Column::Start,
        ];
        if let Some(missing) = REQUIRED.iter().find(|&&column| self.at(column).is_none()) {
            return Err(format!("column `{}` is missing", missing.name()));
        }
        match (self.at(Column::Duration), self.at(Column::End)) {
            (None, None) => Err("column `duration_ns` is missing".to_owned()),
            (Some(_), Some(_)) => {
                Err("columns `duration_ns` and `end_ns` say the same: keep one".to_owned())
            }
            _ => Ok(()),
        }
    }
}

fn unknown(text: &str) -> String {
    let likeness = |column: &&Column| strsim::normalized_damerau_levenshtein(text, column.name());
    let shown = text.escape_debug();
    if text.contains([';', '\t']) {
        return format!("column `{shown}` is not known: separate the cells by commas");
    }
    let nearest = Column::ALL.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    match nearest.filter(|column| likeness(column) >= LIKE) {
        Some(column) => format!("column `{shown}` is not known; did you mean `{}`?", column.name()),
        None => {
            let known: Vec<_> = Column::ALL.iter().map(|column| column.name()).collect();
            format!("column `{shown}` is not known; there are {}", known.join(", "))
        }
    }
}

/// Names at least so alike are taken for a slip, 0 to 1.
const LIKE: f64 = 0.5;
