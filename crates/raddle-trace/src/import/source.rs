//! What does an importer get to read?

use std::io::BufRead;

use crate::input::peek;

/// Called with the number of rows of a database that are read, and about how many there are: now and
/// then, and at the end. Other files are read in step with their bytes and call nothing.
pub type Watch<'w> = &'w dyn Fn(u64, u64);

/// An opened file on its way to an importer.
pub(super) struct ImportSource<'a> {
    /// The path as it was given, for messages.
    pub(super) file: String,
    /// The uncompressed text, from the first byte that is no blank.
    pub(super) reader: Box<dyn BufRead + 'a>,
    /// Whether it is compressed.
    pub(super) gzip: bool,
    /// Lines already passed over.
    pub(super) lines: u64,
    /// Called as rows of a database are read.
    #[cfg_attr(not(feature = "nsys"), expect(dead_code, reason = "only databases tell"))]
    pub(super) watch: Watch<'a>,
}

impl ImportSource<'_> {
    /// Passes over `n` waiting bytes.
    pub(super) fn pass(&mut self, n: usize) {
        // What was just peeked at is still there.
        let waiting = peek(&mut self.reader).unwrap_or_default();
        let newlines = waiting.iter().take(n).filter(|&&b| b == b'\n').count();
        self.lines += newlines as u64;
        self.reader.consume(n);
    }
}
