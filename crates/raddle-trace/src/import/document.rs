//! How are the records of a JSON document read that is too large to keep in memory?
//!
//! A layout names the keys under which records are; serde_json parses each record by itself.
//! Positions are zero-based bytes of the uncompressed text.

mod layout;
mod members;
mod nesting;
mod walker;

use super::ImportSource;
use crate::assemble::OP_LIMIT;
use crate::error::TraceError;
use crate::input::{Window, is_damage};
use crate::report::Quirk;
pub(super) use layout::{DocumentEnd, DocumentLayout, RecordSink};
pub(super) use members::{members, string};
use walker::DocumentWalker;

/// Passes every record of a JSON document to `sink`, and counts damaged records in its report.
/// `layout` returns where a document that begins with the given byte has its records.
///
/// # Errors
/// When the input cannot be read, breaks off before any kernel, or holds too much.
pub(super) fn read_document<S: RecordSink>(
    source: ImportSource<'_>,
    layout: impl FnOnce(u8) -> DocumentLayout<S::Section>,
    sink: &mut S,
) -> Result<DocumentEnd, TraceError> {
    let ImportSource { file, reader, gzip, .. } = source;
    let mut window = Window::new(reader);
    let mut walker = DocumentWalker::new(&mut window, sink);
    let layout = layout(walker.window.token().unwrap_or(b'{'));
    // The walker's end has the reason why it stopped.
    let _stopped = walker.value(&layout);
    let mut end = walker.end;
    end.position = window.position();
    if gzip {
        window.drain();
    }
    if sink.kept() > OP_LIMIT {
        return Err(TraceError::TooLarge { file, limit: OP_LIMIT as u64, what: S::RECORDS });
    }
    if let Some(cause) = window.failure() {
        if !is_damage(&cause) {
            return Err(TraceError::Unreadable { file, cause });
        }
        if gzip && sink.kernels_seen() == 0 {
            return Err(TraceError::TruncatedGzip { file });
        }
        sink.report().add(Quirk::Damaged, u64::from(!end.truncated));
    }
    let report = sink.report();
    report.add(Quirk::Truncated, u64::from(end.truncated));
    report.add(Quirk::Damaged, u64::from(end.broken_at.is_some()));
    report.add(Quirk::LostEvents, end.lost);
    report.add(Quirk::Malformed, end.strange);
    Ok(end)
}
