//! Which importer reads a file? Its content decides, never its name.

mod blocking;
mod calls;
mod devices;
mod document;
mod kineto;
mod known;
mod launch_table;
mod nsys;
mod rocprof;

use std::io::{BufRead, Read};
use std::path::Path;

pub use launch_table::LAUNCH_TABLE_COLUMNS;

use crate::assemble::assemble;
use crate::error::TraceError;
use crate::input::{FileInput, is_damage, open_file};
use crate::options::ImportOptions;
use crate::profile::{OpKind, Profile, ProfileFormat, profile_name};
use crate::provenance::{Field, Origin};
use crate::report::Quirk;

/// Called with the number of rows of a database that are read, and about how many there are: now and
/// then, and at the end. Other files are read in step with their bytes and call nothing.
pub type Watch<'w> = &'w dyn Fn(u64, u64);

/// An opened file on its way to an importer.
struct ImportSource<'a> {
    /// The path as it was given, for messages.
    file: String,
    /// The uncompressed text, from the first byte that is no blank.
    reader: Box<dyn BufRead + 'a>,
    /// Whether it is compressed.
    gzip: bool,
    /// How many lines have been passed over.
    lines: u64,
    /// Called as rows of a database are read.
    #[cfg_attr(not(feature = "nsys"), expect(dead_code, reason = "only databases tell"))]
    watch: Watch<'a>,
}

/// Reads a profile from a file of one of the kinds of [`ProfileFormat`], plain or gzip.
///
/// # Errors
/// When the file cannot be read, is of another kind or holds no kernel that can be used; see
/// [`TraceError`]. Lesser faults are mended and counted in [`Profile::report`].
pub fn open(path: &Path, options: &ImportOptions) -> Result<Profile, TraceError> {
    let (file, bytes) = open_file(path)?;
    read(&file, bytes, options)
}

/// Reads a profile from bytes; `file` is their name, for the profile's name and for messages.
///
/// # Errors
/// As [`open`].
pub fn read(file: &str, bytes: impl Read, options: &ImportOptions) -> Result<Profile, TraceError> {
    read_watched(file, bytes, options, &|_, _| ())
}

/// As [`read`]; `watch` is called once all bytes of a database have been read.
///
/// # Errors
/// As [`open`].
pub fn read_watched(
    file: &str,
    bytes: impl Read,
    options: &ImportOptions,
    watch: Watch<'_>,
) -> Result<Profile, TraceError> {
    let (source, format) = detect(file, bytes, watch)?;
    let mut draft = match format {
        ProfileFormat::Kineto => kineto::import(source, options),
        ProfileFormat::NsysSqlite => nsys::sqlite::import(source, options),
        ProfileFormat::NsysCsv => nsys::csv::import(source, options),
        ProfileFormat::RocprofJson => rocprof::json::import(source, options),
        ProfileFormat::RocprofCsv => rocprof::csv::import(source, options),
        ProfileFormat::LaunchTable => launch_table::import(source, options),
    }?;
    for op in draft.ops.iter().filter(|op| op.kind == OpKind::Kernel) {
        let no_registers = op.provenance.of(Field::Registers) == Origin::Assumed;
        draft.report.add(Quirk::NoRegisters, u64::from(no_registers));
        draft.report.add(Quirk::EmptyShape, u64::from(op.workgroups == 0));
    }
    Ok(assemble(profile_name(file), format, draft))
}

fn detect<'a>(
    file: &str,
    bytes: impl Read + 'a,
    watch: Watch<'a>,
) -> Result<(ImportSource<'a>, ProfileFormat), TraceError> {
    let file = file.to_owned();
    let mut input = match FileInput::new(bytes) {
        Ok(input) => input,
        Err(cause) => return Err(TraceError::Unreadable { file, cause }),
    };
    let gzip = input.gzip;
    let head = match input.head() {
        Ok(head) => head,
        Err(cause) if gzip && is_damage(&cause) => return Err(TraceError::TruncatedGzip { file }),
        Err(cause) => return Err(TraceError::Unreadable { file, cause }),
    };
    if head.is_empty() {
        return Err(TraceError::Empty { file });
    }
    if let Some(known) = known::by_text(head) {
        return Err(known.refuse(file));
    }
    match kind(head) {
        Ok(format) => {
            let FileInput { reader, gzip, lines } = input;
            Ok((ImportSource { file, reader, gzip, lines, watch }, format))
        }
        Err(looks_like) => {
            let looks_like = nsys::unexported(&file).unwrap_or(looks_like);
            Err(TraceError::NotAProfile { file, looks_like })
        }
    }
}

/// The format that text beginning so is in, or what it looks like instead.
fn kind(text: &[u8]) -> Result<ProfileFormat, String> {
    const OTHERS: [(&[u8], &str); 6] = [
        (b"version https://git-lfs", "a Git LFS pointer, not the file itself"),
        (b"PK\x03\x04", "a zip archive"),
        (b"\x28\xb5\x2f\xfd", "a zstd file, which `zstd -d` unpacks"),
        (b"\xfd7zXZ", "an xz file, which `xz -d` unpacks"),
        (b"\x1f\x8b", "a gzip file within a gzip file"),
        (b"<", "HTML or XML"),
    ];
    if nsys::sqlite::looks_like(text) {
        return Ok(ProfileFormat::NsysSqlite);
    }
    if rocprof::json::looks_like(text) {
        return Ok(ProfileFormat::RocprofJson);
    }
    if let Some(b'{' | b'[') = text.first() {
        return Ok(ProfileFormat::Kineto);
    }
    if rocprof::csv::looks_like(text) {
        return Ok(ProfileFormat::RocprofCsv);
    }
    if launch_table::looks_like(text) {
        return Ok(ProfileFormat::LaunchTable);
    }
    // Last, because its header may stand below other lines.
    if nsys::csv::looks_like(text) {
        return Ok(ProfileFormat::NsysCsv);
    }
    let other = OTHERS.iter().find(|(magic, _)| text.starts_with(magic));
    Err(match other {
        Some((_, words)) => (*words).to_owned(),
        None => {
            let start = String::from_utf8_lossy(&text[..text.len().min(24)]);
            format!("something that begins with \"{}\"", start.escape_debug())
        }
    })
}
