//! What does an SQLite export of Nsight Systems hold? (`nsys export --type sqlite`)
//!
//! Schemas 2.7 (2021) to 3.25 (2026) are read. Tables are there only where they have rows, and
//! columns move from version to version, so both are found by name. Times are nanoseconds since the
//! recording began. The host issued an op when the CUDA call of the same process began that has the
//! op's correlation number.

mod collect;
mod device;
mod diagnostics;
mod draft;
mod launches;
mod memory;
mod ops;
mod refuse;
mod waits;

use crate::assemble::Draft;
use crate::config::ImportConfig;
use crate::error::TraceError;
use crate::import::sqlite::SqliteSource;
use crate::import::sqlite::database::Database;

/// Imports an SQLite export of Nsight Systems; an error where the database is something else, or no
/// kernel in it can be used.
pub(in crate::import) fn import(
    source: &SqliteSource<'_>,
    options: &ImportConfig,
) -> Result<Draft, TraceError> {
    let SqliteSource { file, database, watch, .. } = source;
    refuse::foreign(file, database)?;
    let mut found = collect::NsysCollector::new(database, options.barriers);
    found.read(file, database, *watch)?;
    if let Some(error) = refuse::unusable(source, &found) {
        return Err(error);
    }
    draft::draft(file, database, found, options.device)
}

/// Returns the warnings and errors that Nsight Systems itself wrote about the recording.
pub(in crate::import) fn diagnostics(database: &Database) -> Vec<String> {
    diagnostics::severe(database)
}
