//! Which lines of a table form a row, a header or a comment?

use std::io::{self, BufRead, Read};

/// The most bytes of a row.
pub(in crate::import) const ROW_LIMIT: u64 = 16 << 20;

/// A part of a table with the line it begins at, from 1.
#[derive(Debug)]
pub(in crate::import) enum Part {
    /// A line that begins with `#`.
    Comment(u64, String),
    /// The cells of a header or row, and whether a line end follows it.
    Cells(u64, csv::StringRecord, bool),
    /// A row that is not UTF-8 text.
    NotUtf8(u64),
}

/// The parts of a table, one after the other.
pub(in crate::import) struct Rows<'a> {
    reader: Box<dyn BufRead + 'a>,
    line: u64,
    text: Vec<u8>,
}

impl<'a> Rows<'a> {
    /// Parts of what `reader` holds, of which `lines` lines have been read already.
    pub(in crate::import) fn new(reader: Box<dyn BufRead + 'a>, lines: u64) -> Self {
        Self { reader, line: lines, text: Vec::new() }
    }

    /// The next part; `None` at the end.
    ///
    /// # Errors
    /// Those of the reader, and `FileTooLarge` for a row of more than [`ROW_LIMIT`] bytes.
    pub(in crate::import) fn next(&mut self) -> io::Result<Option<Part>> {
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
            return Ok(Some(Part::Comment(first, comment)));
        }
        Ok(Some(match cells(&self.text) {
            Some(cells) => Part::Cells(first, cells, self.text.ends_with(b"\n")),
            None => Part::NotUtf8(first),
        }))
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

/// The cells of a row; `None` where it is not UTF-8 text.
fn cells(row: &[u8]) -> Option<csv::StringRecord> {
    // A reader of the csv crate a row costs more than the row.
    let text = std::str::from_utf8(row).ok()?;
    let text = text.strip_suffix('\n').unwrap_or(text);
    let mut rest = text.strip_suffix('\r').unwrap_or(text);
    let mut cells = csv::StringRecord::with_capacity(rest.len(), 32);
    let mut cell = String::new();
    loop {
        cell.clear();
        let behind = match rest.strip_prefix('"') {
            Some(quoted) => unquote(quoted, &mut cell),
            None => rest,
        };
        let (plain, next) = match behind.split_once(',') {
            Some((plain, next)) => (plain, Some(next)),
            None => (behind, None),
        };
        cell.push_str(plain);
        cells.push_field(&cell);
        match next {
            Some(next) => rest = next,
            None => return Some(cells),
        }
    }
}

/// Adds what stands before the closing quote to `cell`; what stands behind it. Two quotes stand for
/// one.
fn unquote<'t>(mut text: &'t str, cell: &mut String) -> &'t str {
    loop {
        let Some((part, behind)) = text.split_once('"') else {
            cell.push_str(text);
            return "";
        };
        cell.push_str(part);
        match behind.strip_prefix('"') {
            Some(more) => {
                cell.push('"');
                text = more;
            }
            None => return behind,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn with_the_crate(row: &[u8]) -> Option<csv::StringRecord> {
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(row);
        let mut cells = csv::StringRecord::new();
        reader.read_record(&mut cells).ok().map(|_| cells)
    }

    #[test]
    fn rows_of_every_kind() {
        for (row, wanted) in [
            ("a,b\n", vec!["a", "b"]),
            ("a,,\r\n", vec!["a", "", ""]),
            ("\"f(a, b)\",\"\",\"say \"\"x\"\"\"", vec!["f(a, b)", "", "say \"x\""]),
            ("\"two\nlines\",c\n", vec!["two\nlines", "c"]),
            ("mid\"quote,\"open", vec!["mid\"quote", "open"]),
        ] {
            assert_eq!(cells(row.as_bytes()).unwrap(), wanted, "{row}");
        }
        assert_eq!(cells(b"a,\xff\n"), None);
    }

    proptest! {
        #[test]
        fn cells_agree_with_the_csv_crate(row in "[ab,\" ]{1,40}") {
            // Only blank rows differ, which never come here.
            let (ours, theirs) = (cells(row.as_bytes()), with_the_crate(row.as_bytes()));
            prop_assert_eq!(ours, theirs);
        }
    }
}
