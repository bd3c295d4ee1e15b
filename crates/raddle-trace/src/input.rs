//! How are the bytes of a file read, plain or gzip, with little memory?

use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::MultiGzDecoder;

/// Number of bytes that one read requests from the operating system.
const CHUNK: usize = 128 * 1024;

/// Largest number of chunks (of `CHUNK` bytes) that are read after the last needed byte, to find
/// damage in a gzip file.
const DRAIN_CHUNKS: usize = 512;

/// The uncompressed bytes of a file; gzip is recognised by the first two bytes, never by a name.
pub(crate) struct FileInput<'a> {
    pub(crate) reader: Box<dyn BufRead + 'a>,
    pub(crate) gzip: bool,
    /// Number of lines of the file that have been skipped at its beginning.
    pub(crate) lines: u64,
}

impl<'a> FileInput<'a> {
    pub(crate) fn new(raw: impl Read + 'a) -> io::Result<Self> {
        let mut raw = BufReader::with_capacity(CHUNK, raw);
        let gzip = peek(&mut raw)?.starts_with(&[0x1f, 0x8b]);
        let reader: Box<dyn BufRead + 'a> = if gzip {
            Box::new(BufReader::with_capacity(CHUNK, MultiGzDecoder::new(raw)))
        } else {
            Box::new(raw)
        };
        Ok(Self { reader, gzip, lines: 0 })
    }

    /// Skips a byte order mark and blanks, and returns the buffered bytes after them, none at the
    /// end of the input. The error is that of a failed read.
    pub(crate) fn head(&mut self) -> io::Result<&[u8]> {
        const MARK: &[u8] = b"\xef\xbb\xbf";
        let marked = peek(&mut self.reader)?.starts_with(MARK);
        self.reader.consume(if marked { MARK.len() } else { 0 });
        loop {
            let bytes = peek(&mut self.reader)?;
            let blanks = bytes.len() - bytes.trim_ascii_start().len();
            let newlines = bytes[..blanks].iter().filter(|&&b| b == b'\n').count();
            self.lines += newlines as u64;
            if blanks == 0 {
                return peek(&mut self.reader);
            }
            self.reader.consume(blanks);
        }
    }
}

/// Returns the bytes in the reader's buffer, filled if it was empty; none at the end of the input.
/// The error is that of a failed read.
pub(crate) fn peek(reader: &mut (impl BufRead + ?Sized)) -> io::Result<&[u8]> {
    while let Err(error) = reader.fill_buf() {
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    reader.fill_buf()
}

/// Returns whether a read error means that the bytes are damaged or end too early, rather than that
/// the file cannot be read.
pub(crate) fn is_damage(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput
    )
}

/// A buffer over a reader, with a part of the text that begins at the head, the first byte not yet
/// used. The head only moves forward.
pub(crate) struct Window<'a> {
    reader: Box<dyn BufRead + 'a>,
    buffer: Vec<u8>,
    head: usize,
    tail: usize,
    offset: u64,
    ended: bool,
    failure: Option<io::Error>,
}

impl<'a> Window<'a> {
    pub(crate) fn new(reader: Box<dyn BufRead + 'a>) -> Self {
        let buffer = vec![0; 2 * CHUNK];
        Self { reader, buffer, head: 0, tail: 0, offset: 0, ended: false, failure: None }
    }

    /// Returns the buffered bytes from the head (the first byte not yet used) on.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.buffer[self.head..self.tail]
    }

    /// Moves the head (the first byte not yet used) forward by `n` bytes, at most to the end of the
    /// buffered bytes.
    pub(crate) fn skip(&mut self, n: usize) {
        self.head = self.tail.min(self.head + n);
    }

    /// Returns the offset of the head (the first byte not yet used) in the uncompressed text, in
    /// bytes from 0.
    pub(crate) fn position(&self) -> u64 {
        self.offset + self.head as u64
    }

    /// Reads more bytes and appends them to the buffer; returns `false` at the end of the input.
    pub(crate) fn more(&mut self) -> bool {
        if self.ended {
            return false;
        }
        self.buffer.copy_within(self.head..self.tail, 0);
        self.offset += self.head as u64;
        self.tail -= self.head;
        self.head = 0;
        if self.tail == self.buffer.len() {
            self.buffer.resize(2 * self.buffer.len(), 0);
        }
        loop {
            match self.reader.read(&mut self.buffer[self.tail..]) {
                Ok(0) => break,
                Ok(n) => {
                    self.tail += n;
                    return true;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.failure = Some(error);
                    break;
                }
            }
        }
        self.ended = true;
        false
    }

    /// Reads and drops the remaining input, at most `DRAIN_CHUNKS` chunks, since gzip reports
    /// damage only at its end.
    pub(crate) fn drain(&mut self) {
        for _ in 0..DRAIN_CHUNKS {
            self.skip(self.bytes().len());
            if !self.more() {
                return;
            }
        }
    }

    /// Returns the error of the read that ended the input; `None` if all of the input was read.
    pub(crate) fn failure(self) -> Option<io::Error> {
        self.failure
    }

    /// Returns the next byte that is no blank, without skipping it; `None` at the end of the input.
    pub(crate) fn token(&mut self) -> Option<u8> {
        loop {
            let blanks = self.bytes().iter().take_while(|b| b.is_ascii_whitespace()).count();
            self.skip(blanks);
            if let Some(&byte) = self.bytes().first() {
                return Some(byte);
            }
            if !self.more() {
                return None;
            }
        }
    }
}
