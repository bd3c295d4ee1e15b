//! What does an SQLite export of Nsight Systems hold? (`nsys export --type sqlite`)
//!
//! Schemas 2.7 (2021) to 3.25 (2026). Tables are there only where they have rows, and columns move
//! from version to version, so both are found by name. Times are nanoseconds since the recording
//! began. An op's arrival is the start of the CUDA call with the same correlation number in the
//! same process. Nothing but figures and the names of kernels and devices leaves a database.

#[cfg(feature = "nsys")]
mod collect;
#[cfg(feature = "nsys")]
mod database;
#[cfg(feature = "nsys")]
mod device;
#[cfg(feature = "nsys")]
mod draft;
#[cfg(feature = "nsys")]
mod load;
#[cfg(feature = "nsys")]
mod ops;
#[cfg(feature = "nsys")]
mod refuse;
#[cfg(feature = "nsys")]
mod waits;

use crate::assemble::Draft;
use crate::error::TraceError;
use crate::import::ImportSource;
use crate::options::ImportOptions;
#[cfg(feature = "nsys")]
use crate::report::Quirk;

/// Whether text beginning so may be such a file.
pub(in crate::import) fn looks_like(text: &[u8]) -> bool {
    text.starts_with(b"SQLite format 3\0")
}

/// Imports such a file.
#[cfg(not(feature = "nsys"))]
pub(in crate::import) fn import(
    source: ImportSource<'_>,
    _options: &ImportOptions,
) -> Result<Draft, TraceError> {
    Err(TraceError::SqliteSwitchedOff { file: source.file })
}

/// Imports such a file.
#[cfg(feature = "nsys")]
pub(in crate::import) fn import(
    source: ImportSource<'_>,
    options: &ImportOptions,
) -> Result<Draft, TraceError> {
    let ImportSource { file, reader, gzip, watch, .. } = source;
    let loaded = load::load(&file, reader, gzip)?;
    let (cut, damaged) = (loaded.cut.then_some(loaded.bytes), loaded.damaged);
    let database = database::Database::new(loaded).map_err(|problem| {
        let file = file.clone();
        match cut {
            Some(byte) => TraceError::BreaksOff { file, byte },
            None => TraceError::Database { file, problem },
        }
    })?;
    refuse::foreign(&file, &database)?;
    let mut found = collect::NsysCollector::new(&database, options.barriers);
    found.read(&file, &database, watch)?;
    if let Some(error) = refuse::unusable(&file, &database, &found, cut) {
        return Err(error);
    }
    let mut draft = draft::draft(&file, &database, found, options.device)?;
    // What is missing at the end shows as damage too, but is said better so.
    let damaged = (damaged || database.damaged()) && cut.is_none();
    draft.report.add(Quirk::Truncated, u64::from(cut.is_some()));
    draft.report.add(Quirk::Damaged, u64::from(damaged));
    Ok(draft)
}
