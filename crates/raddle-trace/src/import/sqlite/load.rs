//! How do the bytes of a database get into a file that SQLite can read?
//!
//! SQLite wants to jump about in its file, and the file that is read may be compressed, so the
//! bytes go to a temporary file. On the way the header is mended: a database in write-ahead mode
//! would ask for a second file, and one that was cut off would not open at all.

use std::io::{self, BufRead, Seek, SeekFrom, Write};

use tempfile::NamedTempFile;

use crate::error::TraceError;
use crate::input::{is_damage, peek};

/// Largest number of bytes of a database, uncompressed.
const BYTE_LIMIT: u64 = 16 << 30;

/// Length of a database's header in bytes.
const HEADER: usize = 100;

/// A temporary copy of a database that SQLite can open.
#[derive(Debug)]
pub(in crate::import) struct LoadedDatabase {
    pub(super) copy: NamedTempFile,
    /// Number of bytes of the temporary copy.
    pub(super) bytes: u64,
    /// True if the end of the database file is missing.
    pub(super) cut: bool,
    /// True if the file is compressed and the compressed data is damaged.
    pub(super) damaged: bool,
}

/// Copies a database to a temporary file, as far as it can be read. `gzip` is true where the file
/// is compressed.
///
/// # Errors
/// When the file cannot be read, is larger than `BYTE_LIMIT`, or a temporary file cannot be
/// written.
pub(super) fn load(
    file: &str,
    mut reader: Box<dyn BufRead + '_>,
    gzip: bool,
) -> Result<LoadedDatabase, TraceError> {
    let scratch = |cause| TraceError::Scratch { file: file.to_owned(), cause };
    let mut copy = NamedTempFile::new().map_err(scratch)?;
    let (mut head, mut bytes, mut damaged) = (Vec::new(), 0_u64, false);
    loop {
        let chunk = match peek(&mut reader) {
            Ok(chunk) => chunk,
            Err(cause) if gzip && is_damage(&cause) => {
                damaged = true;
                break;
            }
            Err(cause) => return Err(TraceError::Unreadable { file: file.to_owned(), cause }),
        };
        if chunk.is_empty() {
            break;
        }
        let read = chunk.len();
        bytes = bytes.saturating_add(read as u64);
        if bytes > BYTE_LIMIT {
            let (file, limit) = (file.to_owned(), BYTE_LIMIT);
            return Err(TraceError::TooLarge { file, limit, what: "bytes" });
        }
        head.extend(chunk.iter().take(HEADER - head.len()));
        copy.write_all(chunk).map_err(scratch)?;
        reader.consume(read);
    }
    let cut = mend(&mut head, bytes);
    rewrite(&mut copy, &head).map_err(scratch)?;
    Ok(LoadedDatabase { copy, bytes, cut, damaged })
}

fn rewrite(copy: &mut NamedTempFile, head: &[u8]) -> io::Result<()> {
    copy.seek(SeekFrom::Start(0))?;
    copy.write_all(head)?;
    copy.flush()
}

/// Repairs the header of a truncated database so that SQLite opens it; `bytes` begins with the
/// header, and `len` is the size of the file in bytes. Returns whether bytes are missing at the
/// end.
fn mend(bytes: &mut [u8], len: u64) -> bool {
    let Some(header) = bytes.first_chunk_mut::<HEADER>() else {
        return false;
    };
    // Versions of the format for writing and reading: 2 is write-ahead, 1 is not.
    for version in &mut header[18..20] {
        *version = if *version == 2 { 1 } else { *version };
    }
    // A size of 65536 does not fit the field and is written as 1.
    let page = match u16::from_be_bytes([header[16], header[17]]) {
        1 => 65536,
        size => u64::from(size),
    };
    let pages = u64::from(u32::from_be_bytes([header[28], header[29], header[30], header[31]]));
    // The count of pages holds only if it was written with the last change.
    let counted = header[24..28] == header[92..96];
    if !counted || page == 0 || pages.saturating_mul(page) <= len {
        return false;
    }
    let whole = u32::try_from(len / page).unwrap_or(u32::MAX);
    header[28..32].copy_from_slice(&whole.to_be_bytes());
    true
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::import::sqlite::database::Database;
    use rusqlite::Connection;

    pub(in crate::import::sqlite) fn bytes_of_sql(sql: &str) -> Vec<u8> {
        let mut connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(sql).unwrap();
        connection.serialize("main").unwrap().to_vec()
    }

    pub(in crate::import::sqlite) fn of_bytes(bytes: &[u8]) -> Database {
        Database::new(load("x", Box::new(bytes), false).unwrap()).unwrap()
    }

    fn database() -> Vec<u8> {
        bytes_of_sql(
            "CREATE TABLE t (a INTEGER, b TEXT); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL \
             SELECT i + 1 FROM n WHERE i < 2000) INSERT INTO t SELECT i, 'row ' || i FROM n;",
        )
    }

    fn rows(loaded: LoadedDatabase) -> (u64, bool) {
        let database = Database::new(loaded).unwrap();
        let mut seen = 0;
        database.scan("t", &["a", "b"], |row| {
            seen += 1;
            assert_eq!(row.number(0), Some(seen));
            assert_eq!(row.text(1).unwrap(), format!("row {seen}"));
            true
        });
        (seen.unsigned_abs(), database.damaged())
    }

    #[test]
    fn a_temporary_file_holds_what_was_read() {
        let bytes = database();
        // In one piece, and in pieces smaller than the header.
        let pieces = io::BufReader::with_capacity(7, bytes.as_slice());
        let readers: [Box<dyn BufRead>; 2] = [Box::new(bytes.as_slice()), Box::new(pieces)];
        for reader in readers {
            let loaded = load("x", reader, false).unwrap();
            assert_eq!(loaded.bytes, bytes.len() as u64);
            assert!(!loaded.cut && !loaded.damaged);
            assert_eq!(rows(loaded), (2000, false));
        }
    }

    #[test]
    fn a_database_that_was_cut_off_gives_its_first_rows() {
        let bytes = database();
        let half = &bytes[..bytes.len() / 2];
        let loaded = load("x", Box::new(half), false).unwrap();
        assert!(loaded.cut);
        let (rows, damaged) = rows(loaded);
        assert!(damaged && rows > 100 && rows < 1100, "{rows}");
    }

    #[test]
    fn a_database_in_write_ahead_mode_opens_alone() {
        let mut bytes = database();
        bytes[18] = 2;
        bytes[19] = 2;
        let loaded = load("x", Box::new(bytes.as_slice()), false).unwrap();
        assert_eq!(rows(loaded), (2000, false));
    }
}
