//! Which bytes of a JSON document are its records?
//!
//! Each record is parsed where it lies in a window over the text; all other text is skipped a part
//! at a time. After damaged text, reading goes on at the next record, which is found by its first
//! key.

use super::layout::{DocumentEnd, DocumentLayout, LayoutMembers, RecordSink};
use super::members::mended;
use super::nesting::{Nesting, ValueEnd};
use crate::assemble::OP_LIMIT;
use crate::input::Window;
use crate::report::Quirk;

/// Largest number of bytes of one record of a JSON document; a larger record is lost.
const RECORD_LIMIT: usize = 64 << 20;
/// Largest number of bytes of an object's key that are kept; longer keys are cut off there.
const KEY_LIMIT: usize = 64;
/// Number of keys of the outermost object that are kept for an error message.
const KEYS_KEPT: usize = 8;
/// Largest number of bytes that may be read a second time in search of the next record after
/// damaged text.
const RESCAN_LIMIT: usize = 256 << 20;
/// Longest distance in bytes between the brace of a record and its first key.
const FIRST_KEY_DISTANCE: usize = 64;

/// Signal that the reading of a JSON document stops before its end. [`DocumentEnd`] has the reason,
/// unless the document has too many records.
pub(super) struct Stop;

/// Length of the JSON value at the beginning of the window, the part of the text that is in memory.
enum Measured {
    /// The value is complete and has this length in bytes.
    Whole(usize),
    /// The text stops being JSON after this many bytes.
    Broken(usize),
    /// The value is larger than a record may be.
    Large,
}

/// The reader of a JSON document's text, which only moves forward and passes records to a sink (the
/// receiver of records).
pub(super) struct DocumentWalker<'w, 'a, S> {
    pub(super) window: &'w mut Window<'a>,
    sink: &'w mut S,
    pub(super) end: DocumentEnd,
    rescanned: usize,
}

impl<'w, 'a, S: RecordSink> DocumentWalker<'w, 'a, S> {
    pub(super) fn new(window: &'w mut Window<'a>, sink: &'w mut S) -> Self {
        Self { window, sink, end: DocumentEnd::default(), rescanned: 0 }
    }

    /// Passes the records of the JSON value at the beginning of the window (the part of the text in
    /// memory) to the receiver of records; `layout` says where in the value they are. The error
    /// means that reading stops before the end of the document.
    pub(super) fn value(&mut self, layout: &DocumentLayout<S::Section>) -> Result<(), Stop> {
        match (layout, self.token()?) {
            (DocumentLayout::Object(members), b'{') => self.object(members),
            (DocumentLayout::Objects(section, members), b'[') => self.objects(*section, members),
            (DocumentLayout::Records(section), b'[') => self.records(*section),
            (DocumentLayout::Record(section), first @ (b'{' | b'[')) => {
                self.record(*section, first)
            }
            (_, first) => self.skip_value(first),
        }
    }

    fn object(&mut self, members: LayoutMembers<S::Section>) -> Result<(), Stop> {
        self.expect(b'{')?;
        while let Some(key) = self.key()? {
            let layout = members.iter().find(|(name, _)| *name == key).map(|(_, layout)| layout);
            if self.end.keys.len() < KEYS_KEPT {
                self.end.keys.push(key);
            }
            match layout {
                Some(layout) => self.value(layout)?,
                None => {
                    let first = self.token()?;
                    self.skip_value(first)?;
                }
            }
        }
        Ok(())
    }

    fn objects(
        &mut self,
        section: S::Section,
        members: LayoutMembers<S::Section>,
    ) -> Result<(), Stop> {
        self.expect(b'[')?;
        loop {
            match self.token()? {
                b']' => {
                    self.window.skip(1);
                    return Ok(());
                }
                b',' => self.window.skip(1),
                b'{' => {
                    self.sink.begin(section);
                    self.object(members)?;
                }
                first => {
                    self.end.strange += 1;
                    self.skip_value(first)?;
                }
            }
        }
    }

    fn records(&mut self, section: S::Section) -> Result<(), Stop> {
        self.expect(b'[')?;
        self.sink.begin(section);
        // `comma` is true if a comma came last; `open` is true if a value may come.
        let (mut comma, mut open) = (false, true);
        loop {
            let Some(first) = self.window.token() else {
                self.end.lost += u64::from(comma);
                return Err(self.cut());
            };
            match first {
                b']' => {
                    self.window.skip(1);
                    return Ok(());
                }
                b',' => {
                    self.window.skip(1);
                    (comma, open) = (true, true);
                    continue;
                }
                b'{' => self.record(section, b'{')?,
                _ if open && !matches!(first, b'}' | b':') => {
                    self.end.strange += 1;
                    self.skip_value(first)?;
                }
                // If no value may come here, a damaged record ended too early.
                _ => {
                    self.end.strange += 1;
                    self.find_next_record(section, 1)?;
                }
            }
            (comma, open) = (false, false);
            if self.sink.kept() > OP_LIMIT {
                return Err(Stop);
            }
        }
    }

    fn record(&mut self, section: S::Section, first: u8) -> Result<(), Stop> {
        // Nearly every record is whole in the bytes at hand and needs no second look.
        if let Ok(len) = self.sink.record(section, self.window.bytes()) {
            self.window.skip(len);
            return Ok(());
        }
        let mut nesting = Nesting::new(first, S::first_key(section).is_some());
        match self.measure(&mut nesting) {
            Ok(Measured::Whole(len)) => {
                if !self.record_of(section, len) {
                    self.sink.malformed(section);
                    if self.find_hidden_record(section, len) {
                        return Ok(());
                    }
                }
                self.window.skip(len);
                Ok(())
            }
            Ok(Measured::Broken(len)) => {
                self.end.strange += 1;
                self.find_next_record(section, len)
            }
            Ok(Measured::Large) => {
                self.end.lost += 1;
                if self.find_hidden_record(section, self.window.bytes().len()) {
                    return Ok(());
                }
                self.skip_rest(&mut nesting)
            }
            Err(stop) => {
                self.end.lost += 1;
                if !self.find_hidden_record(section, self.window.bytes().len()) {
                    return Err(stop);
                }
                self.end.truncated = false;
                Ok(())
            }
        }
    }

    /// Passes the record in the first `len` bytes of the window (the part of the text in memory) to
    /// the receiver of records, after correcting text that breaks JSON. Returns whether the record
    /// could be read.
    fn record_of(&mut self, section: S::Section, len: usize) -> bool {
        let text = &self.window.bytes()[..len];
        if self.sink.record(section, text).is_ok() {
            return true;
        }
        let utf8 = std::str::from_utf8(text).is_ok();
        let read = self.sink.record(section, &mended(text)).is_ok();
        self.sink.report().add(Quirk::NotUtf8, u64::from(read && !utf8));
        read
    }

    /// Moves to a record that begins inside of a damaged record, and returns whether there is one.
    /// The damaged record is the first `len` bytes of the window (the part of the text in memory).
    /// It seems to contain the next records if a kernel's name has a bare quote, as in files of
    /// profilers until 2026.
    fn find_hidden_record(&mut self, section: S::Section, len: usize) -> bool {
        self.rescanned = self.rescanned.saturating_add(len);
        let Some(key) = S::first_key(section) else {
            return false;
        };
        if self.rescanned > RESCAN_LIMIT || len == 0 {
            return false;
        }
        let start = record_start(&self.window.bytes()[1..len], key);
        self.window.skip(start.map_or(0, |at| 1 + at));
        start.is_some()
    }

    /// Moves to the next record behind damaged text, the first `len` bytes of the window (the part
    /// of the text in memory). The error means that no further record was found before the end of
    /// the text, or before the limit of the search.
    fn find_next_record(&mut self, section: S::Section, len: usize) -> Result<(), Stop> {
        let broken_at = self.window.position();
        let Some(key) = S::first_key(section) else {
            return Err(self.broken());
        };
        self.rescanned = self.rescanned.saturating_add(len);
        self.window.skip(1);
        while self.rescanned <= RESCAN_LIMIT {
            if let Some(at) = record_start(self.window.bytes(), key) {
                self.window.skip(at);
                return Ok(());
            }
            let passed = self.window.bytes().len().saturating_sub(FIRST_KEY_DISTANCE);
            self.window.skip(passed);
            if !self.window.more() {
                break;
            }
        }
        self.end.broken_at = Some(broken_at);
        Err(Stop)
    }

    /// Returns the next key of the object that is being read; `None` at the object's end, which is
    /// skipped. Of a very long key only the first bytes are returned. The error means that the text
    /// ends or is damaged.
    fn key(&mut self) -> Result<Option<String>, Stop> {
        loop {
            match self.token()? {
                b'}' => {
                    self.window.skip(1);
                    return Ok(None);
                }
                b',' => self.window.skip(1),
                b'"' => break,
                _ => return Err(self.broken()),
            }
        }
        let Measured::Whole(len) = self.measure(&mut Nesting::new(b'"', false))? else {
            return Err(self.broken());
        };
        let key = &self.window.bytes()[1..len - 1];
        let key = String::from_utf8_lossy(&key[..key.len().min(KEY_LIMIT)]).into_owned();
        self.window.skip(len);
        self.expect(b':')?;
        self.token()?;
        Ok(Some(key))
    }

    /// Measures the object, array or string at the start of the window (the part of the text in
    /// memory), without skipping it. If the value is too large or damaged, `nesting` holds how many
    /// of its brackets are still open. The error means that the text ends first.
    fn measure(&mut self, nesting: &mut Nesting) -> Result<Measured, Stop> {
        let mut seen = 0;
        loop {
            match nesting.feed(&self.window.bytes()[seen..]) {
                Some(ValueEnd::Closed(len)) => return Ok(Measured::Whole(seen + len)),
                Some(ValueEnd::Broken(len)) => return Ok(Measured::Broken(seen + len)),
                None => seen = self.window.bytes().len(),
            }
            if seen > RECORD_LIMIT {
                return Ok(Measured::Large);
            }
            if !self.window.more() {
                return Err(self.cut());
            }
        }
    }

    /// Skips a JSON value whose first byte is `first`; the error means that the text ends or is
    /// damaged.
    fn skip_value(&mut self, first: u8) -> Result<(), Stop> {
        match first {
            b'{' | b'[' | b'"' => self.skip_nested(&mut Nesting::new(first, false)),
            b'-' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => {
                let ends = |b: &u8| !matches!(b, b'-' | b'+' | b'.') && !b.is_ascii_alphanumeric();
                while !self.skip_some(|bytes| bytes.iter().position(ends))? {}
                Ok(())
            }
            _ => Err(self.broken()),
        }
    }

    /// Skips all bytes of the window (the part of the text in memory), and then the rest of the
    /// value that began in them. `nesting` holds how many of its brackets are still open. The error
    /// means that the text ends first.
    fn skip_rest(&mut self, nesting: &mut Nesting) -> Result<(), Stop> {
        self.window.skip(self.window.bytes().len());
        self.skip_nested(nesting)
    }

    fn skip_nested(&mut self, nesting: &mut Nesting) -> Result<(), Stop> {
        while !self.skip_some(|bytes| match nesting.feed(bytes)? {
            ValueEnd::Closed(len) | ValueEnd::Broken(len) => Some(len),
        })? {}
        Ok(())
    }

    /// Skips the bytes of the window (the part of the text in memory) up to the offset that `find`
    /// returns for them, or all of them where `find` returns `None`. Returns whether `find`
    /// returned an offset; the error means that the text ends first.
    fn skip_some(&mut self, mut find: impl FnMut(&[u8]) -> Option<usize>) -> Result<bool, Stop> {
        let found = find(self.window.bytes());
        self.window.skip(found.unwrap_or(self.window.bytes().len()));
        if found.is_none() && !self.window.more() {
            return Err(self.cut());
        }
        Ok(found.is_some())
    }

    /// Skips the byte `wanted`, after blanks; the error means that another byte stands there, or
    /// that the text ends.
    fn expect(&mut self, wanted: u8) -> Result<(), Stop> {
        if self.token()? != wanted {
            return Err(self.broken());
        }
        self.window.skip(1);
        Ok(())
    }

    /// Returns the next byte that is no blank, without skipping it; the error means that the text
    /// ends.
    fn token(&mut self) -> Result<u8, Stop> {
        self.window.token().ok_or_else(|| self.cut())
    }

    /// Records that the input ends in the middle of the document, and returns the value with which
    /// reading stops.
    fn cut(&mut self) -> Stop {
        self.end.truncated = true;
        Stop
    }

    /// Records that the text is no JSON from here on, and returns the value with which reading
    /// stops.
    fn broken(&mut self) -> Stop {
        self.end.broken_at = Some(self.window.position());
        Stop
    }
}

/// Returns the offset in bytes of the first record in `bytes`, recognised by a brace, perhaps
/// blanks, and the records' first key `key`; `None` where none begins.
fn record_start(bytes: &[u8], key: &[u8]) -> Option<usize> {
    let starts = |at: &usize| {
        let inner = bytes[at + 1..].trim_ascii_start().strip_prefix(b"\"");
        inner.and_then(|inner| inner.strip_prefix(key)).is_some_and(|rest| rest.starts_with(b"\""))
    };
    memchr::memchr_iter(b'{', bytes).find(starts)
}
