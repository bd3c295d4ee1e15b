//! Is a file still as raddle wrote it, so that it may be replaced?
//!
//! A file that may be replaced by a later one ends with a line with a hash of all of it: its seal.
//! A folder of results holds logs and timelines too, which have no room for such a line, so the
//! hashes of all its files are in a file [`RECORD`] of the folder. A file that somebody changed has
//! another hash. That guards against mistakes, not against malice.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use raddle_golden::placement::contract::Fnv1a;

/// Name of the file in a folder of results that holds the hashes of all other files.
pub(crate) const RECORD: &str = ".raddle.json";
/// Word in front of the hash in a seal (the line of a file that holds the hash of the file).
const WORD: &str = "raddle-seal";
/// Digits that stand in place of the hash while the hash is computed; they are as many as the hash
/// has.
const BLANK: &str = "0000000000000000";

/// Form of a seal (the line of a file that holds the hash of the file), by the kind of file.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Seal {
    /// The seal (line with the file's hash) is a comment of TOML, which begins with `#`.
    Toml,
    /// The seal (line with the file's hash) is a comment of HTML, in `<!-- -->`.
    Html,
    /// The seal (line with the file's hash) is a comment of OpenCL C or PTX, which begins with
    /// `//`.
    Code,
    /// The seal (with the file's hash) is the last member of the JSON object that the file holds.
    Json,
}

/// Returns a text with its seal added at the end: a line that holds the hash of the text.
pub(crate) fn sealed(text: &str, seal: Seal) -> String {
    let (text, line) = match (seal, text.trim_end().strip_suffix('}')) {
        (Seal::Json, Some(open)) => {
            (open.trim_end(), format!(",\n  \"{WORD}\": \"{BLANK}\"\n}}\n"))
        }
        (Seal::Toml | Seal::Json, _) => (text, format!("# {WORD}: {BLANK}\n")),
        (Seal::Html, _) => (text, format!("<!-- {WORD}: {BLANK} -->\n")),
        (Seal::Code, _) => (text, format!("// {WORD}: {BLANK}\n")),
    };
    let end = if line.starts_with(',') || text.ends_with('\n') { "" } else { "\n" };
    let blank = format!("{text}{end}{line}");
    let hash = hash(blank.as_bytes());
    let at = blank.rfind(BLANK).unwrap_or(blank.len());
    format!("{}{hash}{}", &blank[..at], blank.get(at + BLANK.len()..).unwrap_or_default())
}

/// Returns whether a file has a seal (a line with its hash) and is unchanged since it was sealed.
pub(crate) fn is_intact(path: &Path) -> bool {
    fs::read(path).is_ok_and(|bytes| has_its_seal(bytes).unwrap_or(false))
}

fn has_its_seal(mut bytes: Vec<u8>) -> Option<bool> {
    let word = bytes.windows(WORD.len()).rposition(|part| part == WORD.as_bytes())?;
    let behind = word + WORD.len();
    let digit = bytes[behind..].iter().position(u8::is_ascii_hexdigit)?;
    let place = bytes.get_mut(behind + digit..behind + digit + BLANK.len())?;
    let found = place.to_vec();
    place.copy_from_slice(BLANK.as_bytes());
    Some(hash(&bytes).as_bytes() == found)
}

/// Writes the record of a new folder of results: a file that holds the hashes of all other files.
pub(crate) fn record(folder: &Path) -> io::Result<()> {
    let mut files = BTreeMap::new();
    hashes(folder, "", &mut files)?;
    let text = serde_json::to_string_pretty(&files).map_err(io::Error::from)?;
    fs::write(folder.join(RECORD), format!("{text}\n"))
}

/// Checks that each file in a folder of results is in the folder's record of hashes and unchanged,
/// or that `is_other` accepts it; the error names a file that is not. Empty folders do not matter.
pub(crate) fn check_record(
    folder: &Path,
    is_other: &dyn Fn(&str, &Path) -> bool,
) -> Result<(), String> {
    let record = fs::read(folder.join(RECORD)).ok();
    let record = record.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let record: BTreeMap<String, String> = record.ok_or_else(|| {
        format!("it holds files, but no {RECORD} in which raddle says what it wrote there")
    })?;
    each_file(folder, "", &mut |name, path| {
        if name == RECORD || is_other(name, path) {
            return Ok(());
        }
        match (record.get(name), hash_of(path)) {
            (None, _) => Err(format!("it holds {name}, which raddle did not write")),
            (Some(_), Err(error)) => Err(format!("{name}: {error}")),
            (Some(then), Ok(now)) if *then != now => {
                Err(format!("{name} in it was changed after raddle wrote it"))
            }
            _ => Ok(()),
        }
    })
}

/// Passes every file below a folder to `take`, by its path within the folder.
fn each_file(
    folder: &Path,
    within: &str,
    take: &mut dyn FnMut(&str, &Path) -> Result<(), String>,
) -> Result<(), String> {
    let told = |error: io::Error| error.to_string();
    let mut entries = fs::read_dir(folder).map_err(told)?.collect::<io::Result<Vec<_>>>();
    if let Ok(entries) = &mut entries {
        entries.sort_by_key(fs::DirEntry::file_name);
    }
    for entry in entries.map_err(told)? {
        let name = format!("{within}{}", entry.file_name().to_string_lossy());
        // A link is no folder here, so nothing beyond the folder is looked at.
        if entry.file_type().map_err(told)?.is_dir() {
            each_file(&entry.path(), &format!("{name}/"), take)?;
        } else {
            take(&name, &entry.path())?;
        }
    }
    Ok(())
}

fn hashes(folder: &Path, within: &str, to: &mut BTreeMap<String, String>) -> io::Result<()> {
    let found = each_file(folder, within, &mut |name, path| {
        let hash = hash_of(path).map_err(|error| error.to_string())?;
        to.insert(name.to_owned(), hash);
        Ok(())
    });
    found.map_err(io::Error::other)
}

fn hash_of(path: &Path) -> io::Result<String> {
    if fs::symlink_metadata(path)?.is_symlink() {
        return Ok("a link".to_owned());
    }
    let (mut file, mut part) = (File::open(path)?, vec![0; 1 << 16]);
    let mut hash = Fnv1a::default();
    loop {
        match file.read(&mut part)? {
            0 => return Ok(format!("{:016x}", hash.0)),
            read => hash.update(&part[..read]),
        }
    }
}

fn hash(bytes: &[u8]) -> String {
    let mut hash = Fnv1a::default();
    hash.update(bytes);
    format!("{:016x}", hash.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sealed_text_is_intact_until_a_byte_of_it_changes() {
        let texts = [
            (Seal::Toml, "# head\na = 1"),
            (Seal::Toml, "raddle-seal = \"x\"\n"),
            (Seal::Html, "<p>0000000000000000</p>\n"),
            (Seal::Code, "kernel void k() {}\n"),
            (Seal::Json, "{\n  \"a\": {}\n}\n"),
        ];
        for (seal, text) in texts {
            let whole = sealed(text, seal);
            assert_eq!(has_its_seal(whole.clone().into_bytes()), Some(true), "{whole}");
            for at in 0..whole.len() {
                let mut bent = whole.clone().into_bytes();
                bent[at] ^= 1;
                assert_ne!(has_its_seal(bent), Some(true), "{at}: {whole}");
            }
            assert_ne!(has_its_seal(whole[..whole.len() - 1].into()), Some(true), "{whole}");
            assert_ne!(has_its_seal(text.into()), Some(true), "{text}");
        }
        let json = sealed("{\n  \"a\": {}\n}\n", Seal::Json);
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert!(json["a"].is_object() && json[WORD].is_string());
    }

    #[test]
    fn a_folder_is_ours_while_each_file_is_as_it_was_recorded() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path();
        let none = |_: &str, _: &Path| false;
        fs::create_dir(folder.join("a")).unwrap();
        fs::write(folder.join("a/log"), "x").unwrap();
        fs::write(folder.join("page"), "y").unwrap();
        assert!(check_record(folder, &none).unwrap_err().contains(RECORD));
        record(folder).unwrap();
        assert_eq!(check_record(folder, &none), Ok(()));
        fs::write(folder.join("a/log"), "z").unwrap();
        assert!(check_record(folder, &none).unwrap_err().contains("a/log in it was changed"));
        fs::remove_file(folder.join("a/log")).unwrap();
        assert_eq!(check_record(folder, &none), Ok(()), "what is gone cannot be lost");
        fs::write(folder.join("a/mine"), "").unwrap();
        assert!(check_record(folder, &none).unwrap_err().contains("a/mine, which raddle did not"));
        assert_eq!(check_record(folder, &|name, _| name == "a/mine"), Ok(()));
    }
}
