//! Which lines of a table form a row, a header or a comment?

use std::io::{self, BufRead, Read};

use crate::error::TraceError;
use crate::import::cells::cells;
use crate::input::is_damage;

/// The most bytes of a row.
const ROW_LIMIT: u64 = 16 << 20;

/// A part of a table with the line it begins at, from 1.
#[derive(Debug)]
pub(in crate::import) enum TablePart {
    /// A line that begins with `#`.
    Comment(u64, String),
    /// The cells of a header or row without blanks around them, and whether a line end follows it.
    Cells(u64, csv::StringRecord, bool),
    /// A row that is not UTF-8 text.
    NotUtf8(u64),
}

/// The parts of a table, one after the other.
pub(in crate::import) struct TableParts<'a> {
    reader: Box<dyn BufRead + 'a>,
    line: u64,
    text: Vec<u8>,
}

impl<'a> TableParts<'a> {
    /// Parts of what `reader` holds, of which `lines` lines have been read already.
    pub(in crate::import) fn new(reader: Box<dyn BufRead + 'a>, lines: u64) -> Self {
        Self { reader, line: lines, text: Vec::new() }
    }

    /// The next part; `None` at the end.
    ///
    /// # Errors
    /// Those of the reader, and `FileTooLarge` for a row of more than [`ROW_LIMIT`] bytes.
    pub(in crate::import) fn next(&mut self) -> io::Result<Option<TablePart>> {
        self.text.clear();
        let mut first = self.line + 1;
        let (mut seen, mut quotes) = (0, 0);
        while self.read_line()? {
            if self.text.iter().all(u8::is_ascii_whitespace) {
                self.text.clear();
                first = self.line + 1;
                continue;
            }
            let comment = self.text.starts_with(b"#");
            // Within double quotes a line end belongs to the cell.
            quotes += self.text[seen..].iter().filter(|&&b| b == b'"').count();
            seen = self.text.len();
            if comment || quotes % 2 == 0 {
                break;
            }
        }
        if self.text.is_empty() {
            return Ok(None);
        }
        if self.text.starts_with(b"#") {
            let comment = String::from_utf8_lossy(&self.text).trim().to_owned();
            return Ok(Some(TablePart::Comment(first, comment)));
        }
        Ok(Some(match std::str::from_utf8(&self.text) {
            Ok(row) => {
                let mut cells = cells(row);
                cells.trim();
                TablePart::Cells(first, cells, row.ends_with('\n'))
            }
            Err(_) => TablePart::NotUtf8(first),
        }))
    }

    /// The error for what [`Self::next`] returned before any row.
    pub(in crate::import) fn error(file: String, cause: io::Error) -> TraceError {
        match cause.kind() {
            io::ErrorKind::FileTooLarge => {
                TraceError::TooLarge { file, limit: ROW_LIMIT, what: "bytes in one row" }
            }
            _ if is_damage(&cause) => TraceError::TruncatedGzip { file },
            _ => TraceError::Unreadable { file, cause },
        }
    }

    fn read_line(&mut self) -> io::Result<bool> {
        let left = ROW_LIMIT.saturating_sub(self.text.len() as u64);
        let read = self.reader.by_ref().take(left).read_until(b'\n', &mut self.text)?;
        self.line += 1;
        if self.text.len() as u64 >= ROW_LIMIT {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        Ok(read > 0)
    }
}
