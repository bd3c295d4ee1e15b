//! What does a kernel table of rocprof (v1, v2 or v3) hold?

use crate::assemble::Draft;
use crate::error::TraceError;
use crate::import::Source;
use crate::options::ImportOptions;

/// Whether text beginning so may be such a file.
pub(in crate::import) fn looks_like(text: &[u8]) -> bool {
    let _ = text;
    false
}

/// Imports such a file.
pub(in crate::import) fn import(
    source: Source<'_>,
    _options: &ImportOptions,
) -> Result<Draft, TraceError> {
    Err(TraceError::NotAProfile { file: source.file, looks_like: "a table of rocprof".to_owned() })
}
