//! How is an SQLite database opened and read, whichever tool wrote it?
//!
//! Of a database only figures and the names of kernels and devices are kept.

mod by_id;
pub(super) mod database;
mod load;
mod meter;
mod row;

use super::{ImportSource, Watch};
use crate::error::TraceError;
use crate::report::{ImportReport, Quirk};
pub(super) use by_id::NumbersById;
use database::Database;
pub(super) use meter::RowMeter;

/// An open SQLite database, with the properties of its file that an importer needs.
pub(super) struct SqliteSource<'a> {
    /// Path of the file as the caller gave it, for messages.
    pub(super) file: String,
    pub(super) database: Database,
    pub(super) watch: Watch<'a>,
    /// Offset in bytes at which the database file is cut off; `None` where it is complete.
    cut: Option<u64>,
    /// True if the file is compressed and the compressed data is damaged.
    damaged: bool,
}

impl<'a> SqliteSource<'a> {
    /// Opens the SQLite database in a file.
    ///
    /// # Errors
    /// When the file is no database, or cannot be read at all.
    pub(super) fn open(source: ImportSource<'a>) -> Result<Self, TraceError> {
        let ImportSource { file, reader, gzip, watch, .. } = source;
        let loaded = load::load(&file, reader, gzip)?;
        let (cut, damaged) = (loaded.cut.then_some(loaded.bytes), loaded.damaged);
        match Database::new(loaded) {
            Ok(database) => Ok(Self { file, database, watch, cut, damaged }),
            Err(problem) => Err(match cut {
                Some(byte) => TraceError::BreaksOff { file, byte },
                None => TraceError::Database { file, problem },
            }),
        }
    }

    /// Returns the error that says why no kernel was found, where the file is damaged or ends too
    /// early; else `None`.
    pub(super) fn broken(&self) -> Option<TraceError> {
        let file = self.file.clone();
        if let Some(byte) = self.cut {
            return Some(TraceError::BreaksOff { file, byte });
        }
        let problem = "its tables are damaged".to_owned();
        self.database.damaged().then_some(TraceError::Database { file, problem })
    }

    /// Counts in the import report that the database file is damaged or truncated, if it is; called
    /// after all rows were read.
    pub(super) fn note(&self, report: &mut ImportReport) {
        // A missing end shows as damage too, but is reported as `Truncated` alone.
        let damaged = (self.damaged || self.database.damaged()) && self.cut.is_none();
        report.add(Quirk::Truncated, u64::from(self.cut.is_some()));
        report.add(Quirk::Damaged, u64::from(damaged));
    }
}
