//! Which numbers does the row of a table with a given `id` hold?
//!
//! The ids that are looked up mostly rise, as those in the table do. So an id that follows the rows
//! in memory makes a query read twice as many rows as the query before; for any other id one row is
//! read.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use rusqlite::Statement;
use rusqlite::types::ValueRef;

use super::row::DatabaseRow;

/// Largest number of rows that one query reads ahead, in order of their ids.
const LONGEST: usize = 1024;

/// Look-up table: the integers in N columns of a database table, by the `id` of the row.
pub(in crate::import) struct NumbersById<'d, const N: usize> {
    by_key: Option<RefCell<KeyedRows<'d, N>>>,
    /// Integers of all rows by `id`, `None` for an empty cell; used where `id` is not the key of
    /// the table, else empty.
    pub(super) listed: BTreeMap<i64, [Option<i64>; N]>,
    damaged: &'d Cell<bool>,
}

impl<'d, const N: usize> NumbersById<'d, N> {
    /// Builds the look-up table for a database table that does not exist: no `id` is found.
    pub(super) fn empty(damaged: &'d Cell<bool>) -> Self {
        Self { by_key: None, listed: BTreeMap::new(), damaged }
    }

    /// Sets the query that looks up rows by key; an error marks the database as damaged. The query
    /// takes an `id` and a number of rows, and returns the rows from that `id` on, in rising order.
    pub(super) fn read_by_key(&mut self, query: rusqlite::Result<Statement<'d>>) {
        match query {
            Ok(query) => self.by_key = Some(RefCell::new(KeyedRows::new(query))),
            Err(_) => self.damaged.set(true),
        }
    }

    /// Returns the integers in the row with this `id`, each `None` for an empty cell; `None` where
    /// the table has no such row.
    pub(in crate::import) fn of(&self, id: i64) -> Option<[Option<i64>; N]> {
        let Some(by_key) = &self.by_key else { return self.listed.get(&id).copied() };
        let found = by_key.borrow_mut().of(id);
        found.unwrap_or_else(|_| {
            self.damaged.set(true);
            None
        })
    }
}

/// A cache of the rows read last, which have successive ids, with the query that reads further
/// rows.
struct KeyedRows<'d, const N: usize> {
    query: Statement<'d>,
    /// All rows of the table with an `id` in `from..until`, each as (id, its numbers; `None` for an
    /// empty cell).
    rows: Vec<(i64, [Option<i64>; N])>,
    from: i64,
    until: i64,
    /// Number of rows that the last query asked for. A query for an `id` that follows its rows asks
    /// for twice as many, any other query for one row.
    count: usize,
}

impl<'d, const N: usize> KeyedRows<'d, N> {
    fn new(query: Statement<'d>) -> Self {
        Self { query, rows: Vec::new(), from: 0, until: 0, count: 1 }
    }

    fn of(&mut self, id: i64) -> rusqlite::Result<Option<[Option<i64>; N]>> {
        if !(self.from..self.until).contains(&id) {
            let ahead = id.checked_sub(self.until).and_then(|ahead| usize::try_from(ahead).ok());
            let follows = ahead.is_some_and(|ahead| ahead <= self.count);
            self.count = if follows { (2 * self.count).min(LONGEST) } else { 1 };
            self.read(id)?;
        }
        let at = self.rows.binary_search_by_key(&id, |row| row.0);
        Ok(at.ok().map(|at| self.rows[at].1))
    }

    fn read(&mut self, id: i64) -> rusqlite::Result<()> {
        self.rows.clear();
        (self.from, self.until) = (id, id);
        match self.read_on(id) {
            // The rows before the damage are kept.
            Err(error) if self.rows.is_empty() => return Err(error),
            Ok(()) if self.rows.len() < self.count => self.until = i64::MAX,
            _ => self.until = self.rows.last().map_or(id, |row| row.0.saturating_add(1)),
        }
        Ok(())
    }

    fn read_on(&mut self, id: i64) -> rusqlite::Result<()> {
        let mut rows = self.query.query((id, self.count as i64))?;
        while let Some(row) = rows.next()? {
            let mut cells = [ValueRef::Null; N];
            for (at, cell) in cells.iter_mut().enumerate() {
                *cell = row.get_ref(1 + at)?;
            }
            let numbers = DatabaseRow(&cells);
            let numbers = std::array::from_fn(|at| numbers.number(at));
            self.rows.push((row.get(0)?, numbers));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crate::import::sqlite::load::tests::{bytes_of_sql, of_bytes};

    #[test]
    fn rows_are_found_in_whatever_order_they_are_asked_for() {
        let rows = "CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
            INSERT INTO t SELECT 3 * i, i, NULL FROM n;";
        let database = of_bytes(&bytes_of_sql(rows));
        let found = database.by_id("t", ["a", "b"]);
        let held =
            |id: i64| (id % 3 == 0 && (3..=15_000).contains(&id)).then_some([Some(id / 3), None]);
        let rising = -5..15_100;
        let jumps = (0..5_000).map(|i| (i * 7_919) % 15_050);
        let falling = (0..15_100).rev();
        for id in rising.chain(jumps).chain(falling).chain([i64::MIN, i64::MAX, 0]) {
            assert_eq!(found.of(id), held(id), "{id}");
        }
        assert!(!database.damaged());
    }

    #[test]
    fn rows_before_a_damaged_page_are_found_too() {
        let rows = "CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
            INSERT INTO t SELECT i, i FROM n;";
        let mut bytes = bytes_of_sql(rows);
        // A leaf in the middle says that its rows begin behind its end.
        let middle = bytes.len() / 2 / 4096 * 4096;
        bytes[middle + 8..middle + 2048].fill(0xff);
        let database = of_bytes(&bytes);
        let lost = |ids: &mut dyn Iterator<Item = i64>| -> BTreeSet<i64> {
            let found = database.by_id("t", ["a"]);
            ids.filter(|&id| found.of(id) != Some([Some(id)])).collect()
        };
        // Downwards each row is read by itself.
        let by_page = lost(&mut (1..=5000).rev());
        assert!((100..1000).contains(&by_page.len()) && database.damaged());
        assert_eq!(lost(&mut (1..=5000)), by_page);
    }
}
