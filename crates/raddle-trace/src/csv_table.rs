//! Which rows does a CSV table hold, and in which line of the file does each begin?
//!
//! Every importer reads its tables through here: rows become structs by serde, whose fields are
//! columns. Lines are counted from 1; blank lines and lines that begin with `#` are no rows.

use std::io::{self, BufRead, Read};

use csv::StringRecord;
use serde::Deserialize;

use crate::assemble::OP_LIMIT;
use crate::error::TraceError;
use crate::input::is_damage;
use crate::report::TableEnd;

/// Largest number of bytes that one row of a CSV table may have; a longer row is an error.
const ROW_LIMIT: u64 = 1 << 20;

/// A table in CSV, read row by row; every importer of a text format reads through it.
pub(crate) struct CsvTable<'a> {
    pub(crate) file: String,
    rows: csv::Reader<RowBytes<'a>>,
    cells: StringRecord,
    header: StringRecord,
    /// True if a row may have more cells than the header has columns. The excess cells then belong
    /// to the last column, whose text has commas without quotes around it.
    open_end: bool,
}

/// One row of a CSV table, with the names of its columns and its place in the file.
pub(crate) struct CsvRow<'t> {
    file: &'t str,
    header: &'t StringRecord,
    /// Cells of the row, without blanks around them.
    pub(crate) cells: &'t StringRecord,
    /// Line of the file, from 1, in which the row begins.
    pub(crate) line: u64,
    /// True if blank lines stand directly before the row.
    pub(crate) after_blank: bool,
    /// True if bytes of the row that were not UTF-8 were replaced.
    pub(crate) lossy: bool,
    /// True if a line end follows the row; without one, the last value may be incomplete as the
    /// file may have been truncated.
    whole: bool,
}

impl<'a> CsvTable<'a> {
    /// Opens the CSV table in `reader`; `lines` lines of the file have been read already.
    pub(crate) fn new(file: String, reader: Box<dyn BufRead + 'a>, lines: u64) -> Self {
        let bytes = RowBytes {
            reader,
            text: Vec::new(),
            at: 0,
            line: lines,
            first: lines,
            row_bytes: 0,
            whole: true,
            ended: true,
            after_blank: false,
            lossy: false,
            comments: Vec::new(),
            keeps_comments: true,
        };
        let mut builder = csv::ReaderBuilder::new();
        let rows = builder.has_headers(false).flexible(true).from_reader(bytes);
        let (cells, header) = (StringRecord::new(), StringRecord::new());
        Self { file, rows, cells, header, open_end: false }
    }

    /// Sets the names of the columns; [`CsvRow::read`] matches them with the names of a struct's
    /// fields. `open_end` is true if cells beyond the last column belong to the last column.
    pub(crate) fn set_header(&mut self, names: StringRecord, open_end: bool) {
        (self.header, self.open_end) = (names, open_end);
        self.rows.get_mut().keeps_comments = false;
    }

    /// Reads the next row of the table as its header, with the column names as they are written.
    ///
    /// # Errors
    /// The errors of the reader, and too long a row.
    pub(crate) fn read_header(&mut self) -> Result<(), TraceError> {
        let header = match self.next() {
            Ok(row) => row.map(|row| row.cells.clone()).unwrap_or_default(),
            Err(cause) => return Err(self.error(cause)),
        };
        self.set_header(header, false);
        Ok(())
    }

    pub(crate) fn header(&self) -> impl Iterator<Item = &str> {
        self.header.iter()
    }

    /// Returns the comments above the header that have been read since the last call, each as (line
    /// of the file from 1, text).
    pub(crate) fn take_comments(&mut self) -> Vec<(u64, String)> {
        core::mem::take(&mut self.rows.get_mut().comments)
    }

    /// Returns the next row of the table; `None` at the end.
    ///
    /// # Errors
    /// The errors of the reader, and `FileTooLarge` for a row of [`ROW_LIMIT`] bytes or more.
    pub(crate) fn next(&mut self) -> io::Result<Option<CsvRow<'_>>> {
        self.rows.get_mut().begin_row();
        match self.rows.read_record(&mut self.cells).map_err(csv::Error::into_kind) {
            Ok(true) => {}
            Ok(false) => return Ok(None),
            Err(csv::ErrorKind::Io(cause)) => return Err(cause),
            Err(other) => return Err(io::Error::other(format!("{other:?}"))),
        }
        let width = self.header.len();
        if self.open_end && self.cells.len() > width {
            let last: Vec<&str> = self.cells.iter().skip(width - 1).collect();
            let last = last.join(",");
            self.cells.truncate(width - 1);
            self.cells.push_field(&last);
        }
        self.cells.trim();
        let RowBytes { first, after_blank, lossy, whole, .. } = *self.rows.get_ref();
        let (file, header, cells) = (&*self.file, &self.header, &self.cells);
        Ok(Some(CsvRow { file, header, cells, line: first, after_blank, lossy, whole }))
    }

    /// Calls `take` with each row below the header until `take` returns `false`. Returns whether
    /// the table ends with a line end, without one, or in the middle of a row.
    ///
    /// # Errors
    /// The errors of the reader and of `take`, and too many rows.
    pub(crate) fn rows(
        &mut self,
        mut take: impl FnMut(&CsvRow<'_>) -> Result<bool, TraceError>,
    ) -> Result<TableEnd, TraceError> {
        for _ in 0..=OP_LIMIT {
            match self.next() {
                Ok(None) => {
                    let ended = self.rows.get_ref().ended;
                    return Ok(if ended { TableEnd::Whole } else { TableEnd::NoLineEnd });
                }
                Ok(Some(row)) if row.cells.len() < row.header.len() && !row.whole => {
                    return Ok(TableEnd::Cut);
                }
                Ok(Some(row)) if take(&row)? => {}
                Ok(Some(_)) => return Ok(TableEnd::Whole),
                Err(cause) if is_damage(&cause) => return Ok(TableEnd::Cut),
                Err(cause) => return Err(self.error(cause)),
            }
        }
        let (file, limit) = (self.file.clone(), OP_LIMIT as u64);
        Err(TraceError::TooLarge { file, limit, what: "rows" })
    }

    /// Builds the import error, with the file's name, for an error that [`Self::next`] returned.
    pub(crate) fn error(&self, cause: io::Error) -> TraceError {
        let file = self.file.clone();
        match cause.kind() {
            io::ErrorKind::FileTooLarge => {
                TraceError::TooLarge { file, limit: ROW_LIMIT, what: "bytes in one row" }
            }
            _ if is_damage(&cause) => TraceError::TruncatedGzip { file },
            _ => TraceError::Unreadable { file, cause },
        }
    }
}

impl<'t> CsvRow<'t> {
    /// Reads the row as a struct whose fields are columns.
    ///
    /// # Errors
    /// A fault that says what is wrong, with the column of the first cell that does not
    /// fit, or with the first column where there are too few or too many cells.
    pub(crate) fn read<T: Deserialize<'t>>(&self) -> Result<T, CellFault> {
        let (found, wanted) = (self.cells.len(), self.header.len());
        if found != wanted {
            let advice = match found > wanted {
                true => "names with commas need double quotes around them",
                false => "leave a cell blank where nothing is known, but keep its comma",
            };
            let problem = format!("the row has {found} cells but the header {wanted}: {advice}");
            return Err(CellFault::new(self.header.get(0).unwrap_or_default(), problem));
        }
        self.cells.deserialize(Some(self.header)).map_err(|error| {
            let (at, words) = match error.kind() {
                csv::ErrorKind::Deserialize { err, .. } => (err.field(), err.kind()),
                _ => return CellFault::new("", error.to_string()),
            };
            let at = at.and_then(|at| usize::try_from(at).ok()).unwrap_or(0);
            let text = self.cells.get(at).unwrap_or_default();
            let problem = match words {
                csv::DeserializeErrorKind::Message(words) => words.clone(),
                _ => format!("`{text}` is not a whole number in range"),
            };
            CellFault::new(self.header.get(at).unwrap_or_default(), problem)
        })
    }

    /// Returns the cells of the row, each as (name of its column, cell).
    pub(crate) fn columns(&self) -> impl Iterator<Item = (&str, &str)> {
        self.header.iter().zip(self.cells)
    }

    /// Builds the import error for a faulty cell of this row, with file, line and column.
    pub(crate) fn error(&self, fault: CellFault) -> TraceError {
        let CellFault { column, problem } = fault;
        TraceError::Row { file: self.file.to_owned(), line: self.line, column, problem }
    }
}

/// The name of a column, and the problem with its cell in one row of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CellFault {
    pub(crate) column: String,
    pub(crate) problem: String,
}

impl CellFault {
    pub(crate) fn new(column: &str, problem: impl Into<String>) -> Self {
        Self { column: column.to_owned(), problem: problem.into() }
    }
}

/// The bytes of a CSV file, passed on to the parser one line at a time, so that the line in which a
/// row begins is known.
struct RowBytes<'a> {
    reader: Box<dyn BufRead + 'a>,
    /// The last line that was read from the file, of which `at` bytes have been handed to the
    /// parser.
    text: Vec<u8>,
    at: usize,
    /// Number of lines of the file that have been read.
    line: u64,
    /// Line of the file, from 1, in which the current row begins.
    first: u64,
    /// Number of bytes of the current row that have been read.
    row_bytes: u64,
    whole: bool,
    /// True if a line end follows the last line that was read, whether that line is part of a row
    /// or not.
    ended: bool,
    after_blank: bool,
    lossy: bool,
    /// Comments above the header, each as (line of the file from 1, text).
    comments: Vec<(u64, String)>,
    keeps_comments: bool,
}

impl RowBytes<'_> {
    fn begin_row(&mut self) {
        (self.row_bytes, self.after_blank, self.lossy) = (0, false, false);
    }

    /// Reads the next line of the file that belongs to a row, and passes over blank lines and
    /// comments; `false` at the end of the file. The error is that of a failed read, or
    /// `FileTooLarge` for too long a row.
    fn fill(&mut self) -> io::Result<bool> {
        loop {
            self.at = 0;
            self.text.clear();
            let left = ROW_LIMIT.saturating_sub(self.row_bytes);
            let read = self.reader.by_ref().take(left).read_until(b'\n', &mut self.text)?;
            if read as u64 >= left {
                return Err(io::ErrorKind::FileTooLarge.into());
            }
            if read == 0 {
                return Ok(false);
            }
            self.line += 1;
            self.ended = self.text.ends_with(b"\n");
            if self.row_bytes == 0 {
                self.first = self.line;
                if self.text.trim_ascii().is_empty() {
                    self.after_blank = true;
                    continue;
                }
                if self.text.starts_with(b"#") {
                    if self.keeps_comments {
                        let comment = String::from_utf8_lossy(&self.text).trim().to_owned();
                        self.comments.push((self.line, comment));
                    }
                    continue;
                }
            }
            self.row_bytes += read as u64;
            self.whole = self.ended;
            if std::str::from_utf8(&self.text).is_err() {
                self.lossy = true;
                self.text = String::from_utf8_lossy(&self.text).into_owned().into_bytes();
            }
            return Ok(true);
        }
    }
}

impl Read for RowBytes<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at == self.text.len() && !self.fill()? {
            return Ok(0);
        }
        let read = (&self.text[self.at..]).read(buffer)?;
        self.at += read;
        Ok(read)
    }
}
