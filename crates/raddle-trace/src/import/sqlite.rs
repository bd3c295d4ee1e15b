//! How is an SQLite database opened and read, whichever tool wrote it?
//!
//! Nothing but figures and the names of kernels and devices leaves a database.

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

/// An open database and what its importer needs beside it.
pub(super) struct SqliteSource<'a> {
    /// The path as it was given, for messages.
    pub(super) file: String,
    pub(super) database: Database,
    /// The callback for rows that have been read.
    pub(super) watch: Watch<'a>,
    /// The number of bytes after which the file stops early.
    cut: Option<u64>,
    /// True if the compressed form of the file was damaged.
    damaged: bool,
}

impl<'a> SqliteSource<'a> {
    /// Opens a database.
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

    /// Returns why no kernel was found, where the state of the file is the reason.
    pub(super) fn broken(&self) -> Option<TraceError> {
        let file = self.file.clone();
        if let Some(byte) = self.cut {
            return Some(TraceError::BreaksOff { file, byte });
        }
        let problem = "its tables are damaged".to_owned();
        self.database.damaged().then_some(TraceError::Database { file, problem })
    }

    /// Notes the damage that was met, once all is read.
    pub(super) fn note(&self, report: &mut ImportReport) {
        // A missing end shows as damage too, but is reported as `Truncated` alone.
        let damaged = (self.damaged || self.database.damaged()) && self.cut.is_none();
        report.add(Quirk::Truncated, u64::from(self.cut.is_some()));
        report.add(Quirk::Damaged, u64::from(damaged));
    }
}
