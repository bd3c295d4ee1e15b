//! Which number or text does a cell of a row hold?

use std::borrow::Cow;

use rusqlite::types::ValueRef;

/// One row of a database table; cells are counted from 0.
pub(in crate::import) struct DatabaseRow<'a>(pub(super) &'a [ValueRef<'a>]);

impl DatabaseRow<'_> {
    fn cell(&self, at: usize) -> ValueRef<'_> {
        self.0.get(at).copied().unwrap_or(ValueRef::Null)
    }

    /// Reads the cell `at` as a whole number; `None` where it holds none. A float or a text that is
    /// a whole number counts too, since tools that rewrite databases change numbers in this way.
    pub(in crate::import) fn number(&self, at: usize) -> Option<i64> {
        match self.cell(at) {
            ValueRef::Integer(number) => Some(number),
            // Below 2^53 a double without a fraction is that very number.
            ValueRef::Real(number) if number.fract() == 0.0 && number.abs() < 9e15 => {
                Some(number as i64)
            }
            ValueRef::Text(text) => str::from_utf8(text).ok()?.trim().parse().ok(),
            _ => None,
        }
    }

    /// Reads the cell `at` as a text; `None` where the cell holds no text.
    pub(in crate::import) fn text(&self, at: usize) -> Option<Cow<'_, str>> {
        match self.cell(at) {
            ValueRef::Text(text) => Some(String::from_utf8_lossy(text)),
            _ => None,
        }
    }
}
