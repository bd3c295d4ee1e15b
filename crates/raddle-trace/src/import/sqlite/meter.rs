//! How many of the rows of a database have been read so far?

use super::database::Database;
use crate::assemble::OP_LIMIT;
use crate::error::TraceError;
use crate::import::Watch;

/// Number of rows read between two calls of the progress callback.
const STRIDE: u64 = 1 << 13;

/// Meter that counts the rows that have been read and reports the count to a callback.
pub(in crate::import) struct RowMeter<'w> {
    watch: Watch<'w>,
    done: u64,
    all: u64,
}

impl<'w> RowMeter<'w> {
    pub(in crate::import) fn new<'t>(
        database: &Database,
        tables: impl IntoIterator<Item = &'t str>,
        watch: Watch<'w>,
    ) -> Self {
        let about = |sum: u64, table| database.about(table).saturating_add(sum);
        Self { watch, done: 0, all: tables.into_iter().fold(0, about) }
    }

    /// Counts a row of the database that was read; always returns true, so that reading goes on.
    pub(in crate::import) fn row(&mut self) -> bool {
        self.done += 1;
        if self.done.is_multiple_of(STRIDE) {
            // The count that was estimated beforehand may be too small.
            (self.watch)(self.done, self.all.max(self.done));
        }
        true
    }

    /// Reports to the callback that all rows are read; `kept` is the number of records that were
    /// kept.
    ///
    /// # Errors
    /// When more records were kept than an import takes.
    pub(in crate::import) fn end(&self, file: &str, kept: usize) -> Result<(), TraceError> {
        (self.watch)(self.done, self.done);
        if kept > OP_LIMIT {
            let (file, limit) = (file.to_owned(), OP_LIMIT as u64);
            return Err(TraceError::TooLarge { file, limit, what: "launches" });
        }
        Ok(())
    }
}
