//! Which importer reads a file? Its content decides, never its name.

mod blocking;
mod calls;
mod cells;
mod devices;
mod document;
mod kineto;
mod known;
mod launch_table;
mod nsys;
mod rocprof;
mod source;

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::assemble::assemble;
use crate::error::TraceError;
use crate::input::{FileInput, is_damage, peek};
use crate::options::ImportOptions;
use crate::profile::{Profile, ProfileFormat, profile_name};
use source::ImportSource;
pub use source::Watch;

/// Reads a profile from a file of one of the kinds of [`ProfileFormat`], plain or gzip.
///
/// # Errors
/// When the file cannot be read, is of another kind or holds no kernel that can be used; see
/// [`TraceError`]. Lesser faults are mended and counted in [`Profile::report`].
pub fn open(path: &Path, options: &ImportOptions) -> Result<Profile, TraceError> {
    let file = path.display().to_string();
    if path.is_dir() {
        return Err(TraceError::Directory { file });
    }
    match File::open(path) {
        Ok(bytes) => read(&file, bytes, options),
        Err(cause) => Err(TraceError::Unreadable { file, cause }),
    }
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
    let draft = match format {
        ProfileFormat::Kineto => kineto::import(source, options),
        ProfileFormat::NsysSqlite => nsys::sqlite::import(source, options),
        ProfileFormat::NsysCsv => nsys::csv::import(source, options),
        ProfileFormat::RocprofJson => rocprof::json::import(source, options),
        ProfileFormat::RocprofCsv => rocprof::csv::import(source, options),
        ProfileFormat::LaunchTable => launch_table::import(source, options),
    }?;
    Ok(assemble(profile_name(file), format, draft))
}

fn detect<'a>(
    file: &str,
    bytes: impl Read + 'a,
    watch: Watch<'a>,
) -> Result<(ImportSource<'a>, ProfileFormat), TraceError> {
    let file = file.to_owned();
    let input = match FileInput::new(bytes) {
        Ok(input) => input,
        Err(cause) => return Err(TraceError::Unreadable { file, cause }),
    };
    let mut source = ImportSource { file, reader: input.reader, gzip: input.gzip, lines: 0, watch };
    loop {
        let head = match peek(&mut source.reader) {
            Ok(head) => head,
            Err(cause) if source.gzip && is_damage(&cause) => {
                return Err(TraceError::TruncatedGzip { file: source.file });
            }
            Err(cause) => {
                return Err(TraceError::Unreadable { file: source.file, cause });
            }
        };
        if head.is_empty() {
            return Err(TraceError::Empty { file: source.file });
        }
        let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
        let blanks = head.len() - text.len();
        if !text.is_empty() {
            if let Some(known) = known::by_text(text) {
                return Err(known.refuse(source.file));
            }
            let kind = kind(text);
            source.pass(blanks);
            return match kind {
                Ok(format) => Ok((source, format)),
                Err(looks_like) => {
                    let looks_like = nsys::unexported(&source.file).unwrap_or(looks_like);
                    Err(TraceError::NotAProfile { file: source.file, looks_like })
                }
            };
        }
        source.pass(blanks);
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
