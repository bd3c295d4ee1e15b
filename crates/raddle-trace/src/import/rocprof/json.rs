//! What does a JSON result of rocprofv3 hold?
//!
//! A result has dispatches with their packets, kernels with their registers, devices with their
//! limits, copies, and the calls that caused them where those were recorded: an op was issued when
//! its call began. [`ImportConfig::device`] is the `handle` of a GPU, or else the GPU's index among
//! the GPUs of the file, from 0. Of a result only numbers, kernel names and the device's product
//! name are kept: no hosts, users, paths or command lines.

use crate::assemble::Draft;
use crate::config::ImportConfig;
use crate::error::TraceError;
use crate::import::ImportSource;
use crate::import::document::{DocumentEnd, DocumentLayout, read_document};
use crate::import::rocprof::result::{ResultCollector, ResultSection, work};

/// Key of the outermost object under which a result of rocprofv3 lists its processes.
const TOOL: &str = "rocprofiler-sdk-tool";

/// Places in the JSON document where a result of rocprofv3 has its records.
const RESULT: DocumentLayout<ResultSection> = {
    use DocumentLayout::{Object, Objects, Records};
    Object(&[(
        TOOL,
        Objects(
            ResultSection::Processes,
            &[
                ("agents", Records(ResultSection::Agents)),
                ("kernel_symbols", Records(ResultSection::Symbols)),
                ("strings", Object(&[("buffer_records", Records(ResultSection::Kinds))])),
                (
                    "callback_records",
                    Object(&[("counter_collection", Records(ResultSection::Counters))]),
                ),
                (
                    "buffer_records",
                    Object(&[
                        ("kernel_dispatch", Records(ResultSection::Dispatches)),
                        ("memory_copy", Records(ResultSection::Copies)),
                        ("hip_api", Records(ResultSection::Calls)),
                    ]),
                ),
            ],
        ),
    )])
};

/// Returns whether a file that begins with this text is a result of rocprofv3: a JSON object whose
/// first key is `rocprofiler-sdk-tool`.
pub(in crate::import) fn looks_like(text: &[u8]) -> bool {
    let inner = text.strip_prefix(b"{").map(<[u8]>::trim_ascii_start);
    let key = inner.and_then(|text| text.strip_prefix(b"\"")?.strip_prefix(TOOL.as_bytes()));
    key.is_some_and(|rest| rest.starts_with(b"\""))
}

/// Imports a result of rocprofv3 in JSON; an error where no kernel in it can be used.
pub(in crate::import) fn import(
    source: ImportSource<'_>,
    options: &ImportConfig,
) -> Result<Draft, TraceError> {
    let file = source.file.clone();
    let mut found = ResultCollector { barriers: options.barriers, ..ResultCollector::default() };
    let end = read_document(source, |_| RESULT, &mut found)?;
    if !found.has_kernels() {
        return Err(unusable(file, &end, &found));
    }
    work(&file, found, options.device)
}

/// Returns the error, with the reason, for a result of rocprofv3 none of whose kernels can be used.
fn unusable(file: String, end: &DocumentEnd, found: &ResultCollector) -> TraceError {
    if let Some(byte) = end.broken_at.filter(|_| found.dispatches_seen == 0) {
        return TraceError::NotJson { file, byte };
    }
    if end.truncated && found.dispatches_seen == 0 {
        return TraceError::BreaksOff { file, byte: end.position };
    }
    found.unusable(file)
}
