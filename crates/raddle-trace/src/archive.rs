//! How is a file opened by its path, whether plain, in gzip, or in a tar archive?
//!
//! A member of an archive is opened by the path of the archive followed by the member's name,
//! `job.tar.gz/rank0.json`, as if the archive were a folder; nothing is unpacked.

use std::fs::File;
use std::io::{self, BufRead, Read};
use std::path::{Path, PathBuf};

use crate::error::TraceError;
use crate::input::{FileInput, peek};

/// Length of a tar header in bytes; a member's bytes are padded to a multiple of this length.
const BLOCK: usize = 512;

/// Largest size in bytes of a tar member that only holds the long name of the next file; a larger
/// one is ignored, and that file keeps the short name in its own header.
const LONGEST: u64 = 1 << 16;

/// Largest number of members of one tar archive that are read, so that reading a hostile archive
/// ends.
const MEMBERS: usize = 1 << 16;

/// Opens a file, or a member of a tar archive, and returns (its path as a name for messages, a
/// reader of its bytes). The path of a member is the path of the archive followed by the member's
/// name. The error says why the file cannot be opened.
pub(crate) fn open_file(path: &Path) -> Result<(String, Box<dyn Read>), TraceError> {
    let file = path.display().to_string();
    if path.is_dir() {
        return Err(TraceError::Directory { file });
    }
    match File::open(path) {
        Ok(bytes) => Ok((file, Box::new(bytes))),
        Err(cause) => match open_member(path) {
            Some(bytes) => Ok((file, Box::new(bytes))),
            None => Err(TraceError::Unreadable { file, cause }),
        },
    }
}

/// Lists the paths of the files in a tar archive, in the archive's order; `None` where `path` is no
/// tar archive. Of an archive that ends too early, the files before that end are listed.
#[must_use]
pub fn archive_members(path: &Path) -> Option<Vec<PathBuf>> {
    // Bytes that are read from a pipe are gone for later readers, so only plain files are opened.
    if !path.is_file() {
        return None;
    }
    let mut tar = TarReader::open(path).ok()?;
    let mut members = Vec::new();
    while let Ok(Some(member)) = tar.member() {
        members.push(path.join(member.name));
        if members.len() == MEMBERS
            || tar.pass(member.bytes.next_multiple_of(BLOCK as u64)).is_err()
        {
            break;
        }
    }
    Some(members)
}

/// Opens a member of a tar archive by its path, which is the path of the archive followed by the
/// member's name; `None` where no part of the path is an archive with such a member.
fn open_member(path: &Path) -> Option<impl Read + use<>> {
    let archive = path.ancestors().skip(1).find(|part| part.is_file())?;
    let wanted = path.strip_prefix(archive).ok()?;
    let mut tar = TarReader::open(archive).ok()?;
    for _ in 0..MEMBERS {
        let member = tar.member().ok()??;
        if Path::new(&member.name) == wanted {
            return Some(tar.reader.take(member.bytes));
        }
        tar.pass(member.bytes.next_multiple_of(BLOCK as u64)).ok()?;
    }
    None
}

/// Name and length in bytes of one file in a tar archive.
struct TarMember {
    name: String,
    bytes: u64,
}

struct TarReader {
    reader: Box<dyn BufRead>,
}

impl TarReader {
    /// Opens a tar archive, plain or gzip. A file without the mark of a tar header is an error.
    fn open(path: &Path) -> io::Result<Self> {
        let mut reader = FileInput::new(File::open(path)?)?.reader;
        // The first header is whole in the buffer at this point, however the reader fills it.
        let head = peek(&mut reader)?;
        let is_tar = head.get(257..262) == Some(b"ustar".as_slice());
        is_tar.then_some(Self { reader }).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }

    /// Returns the next file of the archive, `None` at the end; the reader then stands at the first
    /// byte of the file's content. An archive that cannot be read further is an error.
    fn member(&mut self) -> io::Result<Option<TarMember>> {
        let mut long = None;
        loop {
            let mut header = [0; BLOCK];
            self.reader.read_exact(&mut header)?;
            let Some(bytes) = octal(&header[124..136]).filter(|_| header[0] != 0) else {
                return Ok(None);
            };
            match header[156] {
                b'0' | 0 => {
                    let name = long.unwrap_or_else(|| name(&header));
                    // As in `tar` when it unpacks, a name never leads out of the archive's folder.
                    let name = inside(&name).to_owned();
                    return Ok(Some(TarMember { name, bytes }));
                }
                // GNU (`L`) and POSIX (`x`) put a name that is too long for a header into a member
                // of its own.
                kind @ (b'L' | b'x') if bytes <= LONGEST => {
                    let mut text = Vec::new();
                    (&mut self.reader).take(bytes).read_to_end(&mut text)?;
                    self.pass(bytes.next_multiple_of(BLOCK as u64) - bytes)?;
                    long = if kind == b'L' { Some(until_nul(&text)) } else { extended(&text) }
                        .or(long);
                }
                _ => self.pass(bytes.next_multiple_of(BLOCK as u64))?,
            }
        }
    }

    /// Skips the next `bytes` bytes of the archive. An archive that ends earlier is an error.
    fn pass(&mut self, bytes: u64) -> io::Result<()> {
        let passed = io::copy(&mut (&mut self.reader).take(bytes), &mut io::sink())?;
        if passed < bytes { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
    }
}

/// Returns the name of a tar member without the `./`, `../` and `/` at its beginning. The dot of a
/// hidden file stays.
fn inside(name: &str) -> &str {
    let outer = ["/", "./", "../"];
    let mut name = name;
    while let Some(rest) = outer.iter().find_map(|outer| name.strip_prefix(outer)) {
        name = rest;
    }
    name
}

fn until_nul(text: &[u8]) -> String {
    let text = text.split(|&byte| byte == 0).next().unwrap_or_default();
    String::from_utf8_lossy(text).into_owned()
}

/// Returns the name of the file that a tar header describes. POSIX keeps the folder of a long name
/// in a separate field, which is put before the name.
fn name(header: &[u8; BLOCK]) -> String {
    let own = until_nul(&header[..100]);
    match until_nul(&header[345..500]) {
        // GNU keeps times in this field.
        folder if folder.is_empty() || header[262] == b' ' => own,
        folder => format!("{folder}/{own}"),
    }
}

/// Reads a number from a field of a tar header: octal digits, perhaps with blanks and NUL around
/// them, or, for a large number in an archive of GNU tar, binary. `None` where the field is
/// neither.
fn octal(field: &[u8]) -> Option<u64> {
    if field[0] == 0x80 {
        return Some(field[4..].iter().fold(0, |number, &byte| number << 8 | u64::from(byte)));
    }
    let text = std::str::from_utf8(field).ok()?;
    u64::from_str_radix(text.trim_matches(['\0', ' ']), 8).ok()
}

/// Returns the file name in an extended tar header of POSIX, which has lines `LENGTH path=NAME`;
/// `None` where no line has a path.
fn extended(text: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(text);
    text.lines().find_map(|line| Some(line.split_once(" path=")?.1.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn member(name: &str, kind: u8, bytes: &[u8]) -> Vec<u8> {
        let mut header = vec![0; BLOCK];
        header[..name.len()].copy_from_slice(name.as_bytes());
        header[124..135].copy_from_slice(format!("{:011o}", bytes.len()).as_bytes());
        header[156] = kind;
        header[257..263].copy_from_slice(b"ustar\0");
        header.extend(bytes);
        header.resize(header.len().next_multiple_of(BLOCK), 0);
        header
    }

    fn archive(parts: &[Vec<u8>]) -> tempfile::NamedTempFile {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&parts.concat()).unwrap();
        file.write_all(&[0; 2 * BLOCK]).unwrap();
        file
    }

    fn text(path: &Path) -> Option<String> {
        let mut text = String::new();
        open_member(path)?.read_to_string(&mut text).ok()?;
        Some(text)
    }

    #[test]
    fn members_are_found_by_their_names_behind_the_archive() {
        let file = archive(&[
            member("job/", b'5', b""),
            member("./job/rank0.json", b'0', b"first"),
            member("x", b'L', b"job/a_long_name.json\0"),
            member("short", b'0', &[b'a'; 600]),
            member("x", b'x', b"28 path=job/an_extended_one\n"),
            member("short", 0, b"third"),
            member("link", b'2', b""),
            member(".././.hidden", b'0', b"dot"),
        ]);
        let names = archive_members(file.path()).unwrap();
        let found: Vec<_> = names
            .iter()
            .map(|name| name.strip_prefix(file.path()).unwrap().display().to_string())
            .collect();
        assert_eq!(
            found,
            ["job/rank0.json", "job/a_long_name.json", "job/an_extended_one", ".hidden"]
        );
        assert_eq!(text(&names[0]).as_deref(), Some("first"));
        assert_eq!(text(&names[1]).map(|text| text.len()), Some(600));
        assert_eq!(text(&names[2]).as_deref(), Some("third"));
        assert!(text(&file.path().join("job")).is_none());
        assert!(text(Path::new("/no/such/place")).is_none());
    }

    #[test]
    fn what_is_none_is_none_and_one_that_is_cut_has_what_stands_before() {
        let mut other = tempfile::NamedTempFile::new().unwrap();
        other.write_all(&[b'{'; 2000]).unwrap();
        assert!(archive_members(other.path()).is_none());
        let whole = [member("a", b'0', b"1"), member("b", b'0', &[b'2'; 2000])].concat();
        let file = archive(&[whole[..1800].to_vec()]);
        file.as_file().set_len(1800).unwrap();
        assert_eq!(archive_members(file.path()).unwrap().len(), 2);
        assert_eq!(text(&file.path().join("b")).map(|text| text.len()), Some(1800 - 3 * BLOCK));
    }
}
