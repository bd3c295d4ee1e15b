//! Which rows does a table hold, if the database may be damaged or hostile?
//!
//! A database is a program of sorts: views, triggers, computed columns and page links that lead in
//! circles. So only real tables are read, whole, in the order of their rows, without indices,
//! under a budget of steps and of text that grows with the file's size and that no honest file can
//! use up. Where SQLite stops, the rows before it count and the database is marked as damaged.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};
use tempfile::NamedTempFile;

use super::by_id::NumbersById;
use super::load::LoadedDatabase;
pub(in crate::import) use super::row::DatabaseRow;

/// Number of steps of SQLite's virtual machine between two checks of the budget of steps.
const STRIDE: i32 = 1000;

/// Number of steps of SQLite's virtual machine that reading a file may take per byte of it, besides
/// `STEPS`. It suffices, since reading a cell takes one step, and a cell takes at least one byte.
const STEPS_PER_BYTE: u64 = 8;
const STEPS: u64 = 1_000_000;

/// Largest number of bytes of text that may be read per byte of the file. Two would be enough for
/// UTF-16, which is read as UTF-8.
const TEXT_PER_BYTE: u64 = 4;

/// Largest number of bytes of an SQL statement, including the definitions stored in the file.
const SQL_LIMIT: i32 = 1 << 20;

/// An open SQLite database, read with limits on the steps of SQLite's virtual machine and on the
/// bytes of text.
#[derive(Debug)]
pub(in crate::import) struct Database {
    connection: Connection,
    /// Names of the tables (not the views) of the database, in lower case.
    tables: BTreeSet<String>,
    bytes: u64,
    text_left: Cell<u64>,
    damaged: Cell<bool>,
    // The copy is dropped after the connection, which must close first.
    copy: Arc<NamedTempFile>,
}

impl Database {
    /// Opens a database and lists its tables.
    ///
    /// # Errors
    /// The message of SQLite, when the file is no database or its list of tables cannot be read.
    pub(in crate::import) fn new(loaded: LoadedDatabase) -> Result<Self, String> {
        let LoadedDatabase { copy, bytes, .. } = loaded;
        let mut database = Self::opened(Arc::new(copy), bytes, BTreeSet::new())?;
        database.tables = database.list().map_err(|error| error.to_string())?;
        Ok(database)
    }

    fn opened(
        copy: Arc<NamedTempFile>,
        bytes: u64,
        tables: BTreeSet<String>,
    ) -> Result<Self, String> {
        let connection = open(copy.path(), bytes).map_err(|error| error.to_string())?;
        let text_left = Cell::new(bytes.saturating_mul(TEXT_PER_BYTE));
        Ok(Self { connection, tables, bytes, text_left, damaged: Cell::new(false), copy })
    }

    /// Reads the database with two threads at once. `here` runs on this thread with this
    /// connection, `beside` on another one with a second connection. If that cannot be opened, both
    /// run one after the other. Returns (result of `beside`, result of `here`).
    pub(in crate::import) fn beside<A: Send, B>(
        &self,
        beside: impl FnOnce(&Self) -> A + Send,
        here: impl FnOnce(&Self) -> B,
    ) -> (A, B) {
        let Ok(other) = Self::opened(Arc::clone(&self.copy), self.bytes, self.tables.clone())
        else {
            return (beside(self), here(self));
        };
        std::thread::scope(|scope| {
            let beside = scope.spawn(move || (beside(&other), other.damaged()));
            let found = here(self);
            let (other, damaged) =
                beside.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            self.damaged.set(self.damaged() || damaged);
            (other, found)
        })
    }

    fn list(&self) -> rusqlite::Result<BTreeSet<String>> {
        // A table without a root page is a virtual one, which runs code.
        let sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0";
        let mut statement = self.connection.prepare(sql)?;
        let mut rows = statement.query([])?;
        let mut names = BTreeSet::new();
        while let Some(row) = rows.next()? {
            let name = [row.get_ref(0)?];
            let row = DatabaseRow(&name);
            names.extend(row.text(0).map(|name| name.to_ascii_lowercase()));
        }
        Ok(names)
    }

    /// Returns the names of the tables (not the views) of the database, in lower case.
    pub(in crate::import) fn tables(&self) -> impl Iterator<Item = &str> {
        self.tables.iter().map(String::as_str)
    }

    pub(in crate::import) fn has(&self, table: &str) -> bool {
        self.tables.contains(&table.to_ascii_lowercase())
    }

    /// Returns those of `columns` that the table `table` lacks.
    pub(in crate::import) fn lacks<'c>(&self, table: &str, columns: &[&'c str]) -> Vec<&'c str> {
        let mut lacking = columns.to_vec();
        // This pragma leaves out computed columns; a column's name is its second cell.
        let listed = self.connection.pragma(None, "table_info", table, |row| {
            let cells = [row.get_ref(0)?, row.get_ref(1)?];
            let row = DatabaseRow(&cells);
            let name = row.text(1).unwrap_or_default();
            lacking.retain(|column| !name.eq_ignore_ascii_case(column));
            Ok(())
        });
        if listed.is_err() {
            self.damaged.set(true);
        }
        lacking
    }

    /// Passes each row of a table to `take` until it returns `false`, and returns the number of
    /// rows. A column that the table lacks is NULL; a table that does not exist is empty.
    pub(in crate::import) fn scan(
        &self,
        table: &str,
        columns: &[&str],
        mut take: impl FnMut(&DatabaseRow<'_>) -> bool,
    ) -> u64 {
        if !self.has(table) {
            return 0;
        }
        let mut rows = 0;
        let sql = select(table, columns, &self.lacks(table, columns));
        let mut read = || -> rusqlite::Result<()> {
            let mut statement = self.connection.prepare(&sql)?;
            let mut cells = statement.query([])?;
            while let Some(row) = cells.next()? {
                let mut cells = [ValueRef::Null; CELLS];
                for (at, cell) in cells.iter_mut().enumerate().take(columns.len()) {
                    *cell = row.get_ref(at)?;
                    // SQLite has copied the texts of this row, whether they are wanted or not.
                    if !self.charge(*cell) {
                        self.damaged.set(true);
                        return Ok(());
                    }
                }
                rows += 1;
                if !take(&DatabaseRow(&cells)) {
                    break;
                }
            }
            Ok(())
        };
        if read().is_err() {
            self.damaged.set(true);
        }
        rows
    }

    /// Returns a look-up table of the integers in these columns by the `id` of a row. Where `id` is
    /// the table's key, as tools make it, rows are read when they are looked up; otherwise the
    /// whole table is read at once.
    pub(in crate::import) fn by_id<const N: usize>(
        &self,
        table: &str,
        columns: [&str; N],
    ) -> NumbersById<'_, N> {
        let mut found = NumbersById::empty(&self.damaged);
        if !self.has(table) {
            return found;
        }
        let (columns, lacking) =
            ([&["id"], columns.as_slice()].concat(), self.lacks(table, &columns));
        if self.is_key(table) {
            let sql = select(table, &columns, &lacking);
            let sql = format!("{sql} WHERE \"id\" >= ?1 ORDER BY \"id\" LIMIT ?2");
            found.read_by_key(self.connection.prepare(&sql));
        } else {
            self.scan(table, &columns, |row| {
                let numbers = std::array::from_fn(|at| row.number(1 + at));
                found.listed.extend(row.number(0).map(|id| (id, numbers)));
                true
            });
        }
        found
    }

    /// Returns whether the column `id` is the table's key, by which SQLite finds a row at once.
    fn is_key(&self, table: &str) -> bool {
        let mut keys = Vec::new();
        let listed = self.connection.pragma(None, "table_info", table, |row| {
            if row.get_ref(5)? != ValueRef::Integer(0) {
                let cells = [row.get_ref(1)?, row.get_ref(2)?];
                let key = DatabaseRow(&cells);
                let text = |at| key.text(at).unwrap_or_default().to_ascii_lowercase();
                keys.push((text(0), text(1)));
            }
            Ok(())
        });
        listed.is_ok() && keys == [("id".to_owned(), "integer".to_owned())]
    }

    /// Estimates the number of a table's rows by the largest row number, without reading the rows.
    /// The estimate is used only to show progress.
    pub(in crate::import) fn about(&self, table: &str) -> u64 {
        if !self.has(table) {
            return 0;
        }
        let sql = format!("SELECT max(rowid) FROM \"{table}\"");
        let last = self.connection.query_row(&sql, [], |row| row.get(0));
        last.ok().and_then(|last: i64| u64::try_from(last).ok()).unwrap_or(0)
    }

    /// Returns whether any table could not be read to its end.
    pub(in crate::import) fn damaged(&self) -> bool {
        self.damaged.get()
    }

    /// Subtracts the size of a text or blob in a cell from the number of bytes that may still be
    /// read. Returns whether the cell was within that limit.
    fn charge(&self, value: ValueRef<'_>) -> bool {
        let (ValueRef::Text(bytes) | ValueRef::Blob(bytes)) = value else {
            return true;
        };
        let left = self.text_left.get().checked_sub(bytes.len() as u64);
        self.text_left.set(left.unwrap_or(0));
        left.is_some()
    }
}

/// Builds an SQL query for columns of a table, in the order of the rows, with NULL for the columns
/// in `lacking`.
fn select(table: &str, columns: &[&str], lacking: &[&str]) -> String {
    let name = |column: &&str| match lacking.contains(column) {
        true => "NULL".to_owned(),
        false => format!("\"{column}\""),
    };
    let columns: Vec<_> = columns.iter().map(name).collect();
    format!("SELECT {} FROM \"{table}\" NOT INDEXED", columns.join(", "))
}

/// Opens a database file of `bytes` bytes in such a way that a hostile file cannot cause writes,
/// endless computation or unlimited use of memory. The error is that of SQLite.
fn open(path: &Path, bytes: u64) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    for (config, on) in [
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
    ] {
        connection.set_db_config(config, on)?;
    }
    connection.pragma_update(None, "query_only", true)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    // The file is ours alone and does not shrink, so its pages are read where they lie.
    connection.pragma_update(None, "mmap_size", i64::try_from(bytes).unwrap_or(i64::MAX))?;
    // No cell is larger than the file.
    let longest = i32::try_from(bytes).unwrap_or(i32::MAX).max(SQL_LIMIT);
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, longest)?;
    connection.set_limit(Limit::SQLITE_LIMIT_SQL_LENGTH, SQL_LIMIT)?;
    connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
    let steps = bytes.saturating_mul(STEPS_PER_BYTE).saturating_add(STEPS);
    let mut looks_left = steps / u64::from(STRIDE.unsigned_abs());
    let spent = move || {
        looks_left = looks_left.saturating_sub(1);
        looks_left == 0
    };
    connection.progress_handler(STRIDE, Some(spent))?;
    Ok(connection)
}

/// Largest number of columns that one query reads from a table.
const CELLS: usize = 32;
