//! What does an SQLite export of Nsight Systems hold?

use crate::assemble::Draft;
use crate::error::TraceError;
use crate::import::Source;
use crate::options::ImportOptions;

/// Whether text beginning so may be such a file.
pub(in crate::import) fn looks_like(text: &[u8]) -> bool {
    text.starts_with(b"SQLite format 3\0")
}

/// Imports such a file.
pub(in crate::import) fn import(
    source: Source<'_>,
    _options: &ImportOptions,
) -> Result<Draft, TraceError> {
    Err(TraceError::NotAProfile { file: source.file, looks_like: "an SQLite database".to_owned() })
}
