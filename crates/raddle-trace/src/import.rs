//! Which importer reads a file? The content of the file decides, never its name.

mod blocking;
mod calls;
mod device_side;
mod devices;
mod document;
mod kineto;
mod known;
mod launch_table;
mod nsys;
mod plausible;
mod rocprof;
#[cfg(feature = "sqlite")]
mod rpd;
#[cfg(feature = "sqlite")]
mod sqlite;
#[cfg(feature = "xplane")]
mod xplane;

use std::io::{BufRead, Read};
use std::path::Path;

pub use launch_table::LAUNCH_TABLE_COLUMNS;

use crate::archive::open_file;
use crate::assemble::{Draft, assemble};
use crate::config::ImportConfig;
use crate::error::TraceError;
use crate::format::ProfileFormat;
use crate::input::{FileInput, is_damage, peek};
use crate::profile::{OpKind, Profile, profile_name};
use crate::provenance::{Field, Origin};
use crate::report::Quirk;

/// Largest believed number of workgroups per nanosecond of a kernel's duration. A kernel with more
/// has an impossible grid, since even the largest device holds only some 10,000 workgroups at once.
const MOST_IN_A_NANOSECOND: u64 = 1000;

/// A callback for progress, called now and then and at the end with (rows of the database read so
/// far, estimated number of all rows). Only importers of databases call it.
pub type Watch<'w> = &'w dyn Fn(u64, u64);

/// An opened file, as it is passed to the importer of its kind of file.
struct ImportSource<'a> {
    /// Path of the file as the caller gave it, for messages.
    file: String,
    /// Uncompressed text of the file, from the first byte that is no blank.
    reader: Box<dyn BufRead + 'a>,
    gzip: bool,
    /// Number of lines of the file before the first byte of `reader`.
    lines: u64,
    #[cfg_attr(not(feature = "sqlite"), expect(dead_code, reason = "only databases tell"))]
    watch: Watch<'a>,
}

/// Reads a profile from a file of one of the kinds of [`ProfileFormat`], plain or gzip.
///
/// # Errors
/// When the file cannot be read, is of another kind or holds no kernel that can be used; see
/// [`TraceError`]. Lesser faults are mended and counted in [`Profile::report`].
pub fn open(path: &Path, options: &ImportConfig) -> Result<Profile, TraceError> {
    let (file, bytes) = open_file(path)?;
    read(&file, bytes, options)
}

/// Reads a profile from bytes; `file` is their name, for the profile's name and for messages.
///
/// # Errors
/// The errors of [`open`].
pub fn read(file: &str, bytes: impl Read, options: &ImportConfig) -> Result<Profile, TraceError> {
    read_watched(file, bytes, options, &|_, _| ())
}

/// Reads a profile as [`read`] does, and calls `watch` while the rows of a database are read.
///
/// # Errors
/// The errors of [`open`].
pub fn read_watched(
    file: &str,
    bytes: impl Read,
    options: &ImportConfig,
    watch: Watch<'_>,
) -> Result<Profile, TraceError> {
    let (source, kind) = detect(file, bytes, watch)?;
    let mut diagnostics = Vec::new();
    let (format, mut draft) = (kind.import)(source, options, &mut diagnostics)?;
    if format != ProfileFormat::LaunchTable {
        plausible::forget_impossible(&mut draft, format);
        if !draft.ops.iter().any(|op| op.kind == OpKind::Kernel) {
            let reasons = draft.report.reasons(&[Quirk::Malformed, Quirk::ImpossibleTime]);
            let kernels = draft.report.left_out;
            return Err(TraceError::NothingUsable { file: file.to_owned(), kernels, reasons });
        }
    }
    for op in draft.ops.iter_mut().filter(|op| op.kind == OpKind::Kernel) {
        if op.is_opaque() {
            draft.report.note(Quirk::NoShape);
            op.forget_footprint();
            continue;
        }
        let no_registers = op.provenance.of(Field::Registers) == Origin::Assumed;
        draft.report.add(Quirk::NoRegisters, u64::from(no_registers));
        draft.report.add(Quirk::EmptyShape, u64::from(op.workgroups == 0));
        let most = op.duration_ns.max(draft.resolution_ns).saturating_mul(MOST_IN_A_NANOSECOND);
        draft.report.add(Quirk::ImpossibleShape, u64::from(op.workgroups > most));
    }
    Ok(Profile { diagnostics, ..assemble(profile_name(file), format, draft) })
}

/// An importer: a function that reads a file, and returns its format and its records, or an error.
/// It appends what the recording tool wrote about its own recording to the list of messages.
type Import = fn(
    ImportSource<'_>,
    &ImportConfig,
    &mut Vec<String>,
) -> Result<(ProfileFormat, Draft), TraceError>;

/// A kind of file: how it is recognised, and the importer that reads it. Some kinds hold profiles
/// of several formats.
struct FileKind {
    name: &'static str,
    /// Returns whether the first bytes of a file are those of this kind.
    looks_like: fn(&[u8]) -> bool,
    import: Import,
}

/// Name of the kind of file that holds a trace of events in JSON; several tools write such files.
const EVENTS: &str = "events";

/// The kind of files that are protocol buffers. Their first byte counts as a blank in a text, so
/// this kind is tested before blanks are skipped.
const PACKETS: FileKind = FileKind {
    name: "xplane",
    looks_like: known::is_xplane,
    import: |source, options, _| Ok((ProfileFormat::XPlane, planes(source, options)?)),
};

/// Kinds of texts and databases, in the order in which a file is compared with them. The first kind
/// that a file looks like is the one that reads it, so kinds that accept more files come later.
const KINDS: [FileKind; 6] = [
    FileKind {
        name: "sqlite",
        looks_like: |head| head.starts_with(b"SQLite format 3\0"),
        import: database,
    },
    FileKind {
        name: "rocprof-json",
        looks_like: rocprof::json::looks_like,
        import: |source, options, _| {
            Ok((ProfileFormat::RocprofJson, rocprof::json::import(source, options)?))
        },
    },
    FileKind {
        name: EVENTS,
        looks_like: |head| matches!(head.first(), Some(b'{' | b'[')),
        import: |source, options, _| kineto::import(source, options),
    },
    FileKind {
        name: "rocprof-csv",
        looks_like: rocprof::csv::looks_like,
        import: |source, options, _| {
            Ok((ProfileFormat::RocprofCsv, rocprof::csv::import(source, options)?))
        },
    },
    FileKind {
        name: "launch-table",
        looks_like: launch_table::looks_like,
        import: |source, options, _| {
            Ok((ProfileFormat::LaunchTable, launch_table::import(source, options)?))
        },
    },
    // The header of Nsight Systems' table may stand below other lines.
    FileKind {
        name: "nsys-csv",
        looks_like: nsys::csv::looks_like,
        import: |source, options, _| nsys::csv::import(source, options),
    },
];

/// Imports an SQLite database; its tables show which tool wrote it. Messages of the tool about its
/// own recording are added to `diagnostics`. An error where no known tool wrote it, or it has no
/// kernel that can be used.
#[cfg(feature = "sqlite")]
fn database(
    source: ImportSource<'_>,
    options: &ImportConfig,
    diagnostics: &mut Vec<String>,
) -> Result<(ProfileFormat, Draft), TraceError> {
    let source = sqlite::SqliteSource::open(source)?;
    let (format, mut draft) = if rocprof::rocpd::looks_like(&source.database) {
        (ProfileFormat::Rocpd, rocprof::rocpd::import(&source, options)?)
    } else if rocprof::v1_database::looks_like(&source.database) {
        (ProfileFormat::RocprofCsv, rocprof::v1_database::import(&source, options)?)
    } else if rpd::looks_like(&source.database) {
        (ProfileFormat::Rpd, rpd::import(&source, options)?)
    } else {
        let draft = nsys::sqlite::import(&source, options)?;
        *diagnostics = nsys::sqlite::diagnostics(&source.database);
        (ProfileFormat::NsysSqlite, draft)
    };
    source.note(&mut draft.report);
    Ok((format, draft))
}

/// Refuses an SQLite database with an error, since this build cannot read one.
#[cfg(not(feature = "sqlite"))]
fn database(
    source: ImportSource<'_>,
    _options: &ImportConfig,
    _diagnostics: &mut Vec<String>,
) -> Result<(ProfileFormat, Draft), TraceError> {
    Err(TraceError::SqliteSwitchedOff { file: source.file })
}

/// Imports an XPlane, a profile of JAX, XLA or TensorFlow; an error where it has no kernel that can
/// be used.
#[cfg(feature = "xplane")]
fn planes(source: ImportSource<'_>, options: &ImportConfig) -> Result<Draft, TraceError> {
    xplane::import(source, options)
}

/// Refuses an XPlane with an error, since this build cannot read one.
#[cfg(not(feature = "xplane"))]
fn planes(source: ImportSource<'_>, _options: &ImportConfig) -> Result<Draft, TraceError> {
    Err(TraceError::XPlaneSwitchedOff { file: source.file })
}

fn detect<'a>(
    file: &str,
    bytes: impl Read + 'a,
    watch: Watch<'a>,
) -> Result<(ImportSource<'a>, &'static FileKind), TraceError> {
    let file = file.to_owned();
    let mut input = match FileInput::new(bytes) {
        Ok(input) => input,
        Err(cause) => return Err(TraceError::Unreadable { file, cause }),
    };
    let gzip = input.gzip;
    let unreadable = |file, cause| match gzip && is_damage(&cause) {
        true => TraceError::TruncatedGzip { file },
        false => TraceError::Unreadable { file, cause },
    };
    let head = match peek(&mut input.reader) {
        Ok(head) => head,
        Err(cause) => return Err(unreadable(file, cause)),
    };
    if (PACKETS.looks_like)(head) {
        let FileInput { reader, gzip, lines } = input;
        return Ok((ImportSource { file, reader, gzip, lines, watch }, &PACKETS));
    }
    if let Some(known) = known::by_packets(head) {
        return Err(known.refuse(file));
    }
    let head = match input.head() {
        Ok(head) => head,
        Err(cause) => return Err(unreadable(file, cause)),
    };
    if head.is_empty() {
        return Err(TraceError::Empty { file });
    }
    if let Some(known) = known::by_text(head) {
        return Err(known.refuse(file));
    }
    if let Some(kind) = KINDS.iter().find(|kind| (kind.looks_like)(head)) {
        let FileInput { reader, gzip, lines } = input;
        return Ok((ImportSource { file, reader, gzip, lines, watch }, kind));
    }
    let looks_like = described(head);
    Err(match known::by_name(&file) {
        Some(known) => known.refuse(file),
        None => TraceError::NotAProfile { file, looks_like },
    })
}

/// Describes a file of unknown kind for an error message. The file may be private, so its content
/// is not quoted.
fn described(text: &[u8]) -> String {
    match text.iter().any(|byte| byte.is_ascii_control() && !byte.is_ascii_whitespace()) {
        true => "bytes of another kind".to_owned(),
        false => "text of another kind, without a known header in line 1".to_owned(),
    }
}
