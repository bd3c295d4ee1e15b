//! Which records does a JSON document hold that is too large to keep in memory?
//!
//! A layout names the keys under which records are. Each record is parsed alone, where it lies in a
//! window over the text; everything else is skipped piece by piece. After damaged text, reading
//! goes on with the next record that begins as the sink says. Positions are zero-based bytes of the
//! uncompressed text.

mod members;
mod nesting;

use super::source::ImportSource;
use crate::assemble::OP_LIMIT;
use crate::error::TraceError;
use crate::input::{Window, is_damage};
use crate::report::{ImportReport, Quirk};
pub(super) use members::{members, mended, string};
use nesting::{Nesting, ValueEnd};

/// A record larger than this is lost.
const RECORD_LIMIT: usize = 64 << 20;
/// Bytes of a key that are kept.
const KEY_LIMIT: usize = 64;
/// The outermost keys that are kept for an error message.
const KEYS_KEPT: usize = 8;
/// Bytes that may be read again in search of the next record after damaged ones.
const RESCAN_LIMIT: usize = 256 << 20;
/// The longest distance between the brace of a record and its first key, in bytes.
const FIRST_KEY_DISTANCE: usize = 64;

/// The members of an object that matter, by key.
pub(super) type LayoutMembers<S> = &'static [(&'static str, DocumentLayout<S>)];

/// Where a document has records. Everything that a layout does not name is skipped.
#[derive(Clone, Copy, Debug)]
pub(super) enum DocumentLayout<S: 'static> {
    /// An object.
    Object(LayoutMembers<S>),
    /// An array of objects, each of which begins this section.
    Objects(S, LayoutMembers<S>),
    /// An array of records, which begins this section.
    Records(S),
    /// An object or array that is one record of this section.
    Record(S),
}

/// What takes the records of a document.
pub(super) trait RecordSink {
    /// The kinds of records.
    type Section: Copy + 'static;

    /// What is counted against the limit of records, for messages.
    const RECORDS: &'static str;

    /// A section begins.
    fn begin(&mut self, section: Self::Section);

    /// Takes the record at the start of `text` and tells its length.
    ///
    /// # Errors
    /// When the text is not such a record, or ends before the record does. Nothing was taken then.
    fn record(&mut self, section: Self::Section, text: &[u8]) -> serde_json::Result<usize>;

    /// Counts a record that cannot be read.
    fn malformed(&mut self, section: Self::Section);

    /// The first key of every record of this section; after damaged text, reading goes on there.
    /// `None` where records have none in common.
    fn first_key(section: Self::Section) -> Option<&'static [u8]>;

    /// How many records are kept.
    fn kept(&self) -> usize;

    /// How many kernels were met, also those left out.
    fn kernels_seen(&self) -> u64;

    fn report(&mut self) -> &mut ImportReport;
}

/// How the reading of a document ended, and what it met.
#[derive(Debug, Default)]
pub(super) struct DocumentEnd {
    /// How far it came.
    pub(super) position: u64,
    /// Whether the input ended before the document did.
    pub(super) truncated: bool,
    /// Where the text stopped being JSON.
    pub(super) broken_at: Option<u64>,
    /// Values among the records that are no records.
    pub(super) strange: u64,
    /// The first keys of the outermost object.
    pub(super) keys: Vec<String>,
    lost: u64,
}

/// Hands every record of a document to `sink` and notes in its report what was damaged. The
/// layout depends on the first byte of the document.
///
/// # Errors
/// When the input cannot be read, breaks off before any kernel, or holds too much.
pub(super) fn read_document<S: RecordSink>(
    source: ImportSource<'_>,
    layout: impl FnOnce(u8) -> DocumentLayout<S::Section>,
    sink: &mut S,
) -> Result<DocumentEnd, TraceError> {
    let ImportSource { file, reader, gzip, .. } = source;
    let mut window = Window::new(reader);
    let mut walker =
        DocumentWalker { window: &mut window, sink, end: DocumentEnd::default(), rescanned: 0 };
    let layout = layout(walker.window.token().unwrap_or(b'{'));
    // Why it stopped is noted.
    let _stopped = walker.value(&layout);
    let mut end = walker.end;
    end.position = window.position();
    if gzip {
        window.drain();
    }
    if sink.kept() > OP_LIMIT {
        return Err(TraceError::TooLarge { file, limit: OP_LIMIT as u64, what: S::RECORDS });
    }
    if let Some(cause) = window.failure() {
        if !is_damage(&cause) {
            return Err(TraceError::Unreadable { file, cause });
        }
        if gzip && sink.kernels_seen() == 0 {
            return Err(TraceError::TruncatedGzip { file });
        }
        sink.report().add(Quirk::Damaged, u64::from(!end.truncated));
    }
    let report = sink.report();
    report.add(Quirk::Truncated, u64::from(end.truncated));
    report.add(Quirk::Damaged, u64::from(end.broken_at.is_some()));
    report.add(Quirk::LostEvents, end.lost);
    report.add(Quirk::Malformed, end.strange);
    Ok(end)
}

/// Reading stops before the end; the [`DocumentEnd`] says why, unless there are too many records.
struct Stop;

/// What lies at the head of the window.
enum Measured {
    /// A value of this length.
    Whole(usize),
    /// Text that is no JSON after this length.
    Broken(usize),
    /// A value larger than is kept.
    Large,
}

/// A place in the text that only moves on.
struct DocumentWalker<'w, 'a, S> {
    window: &'w mut Window<'a>,
    sink: &'w mut S,
    end: DocumentEnd,
    rescanned: usize,
}

impl<S: RecordSink> DocumentWalker<'_, '_, S> {
    fn value(&mut self, layout: &DocumentLayout<S::Section>) -> Result<(), Stop> {
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
        // Whether a comma was the last thing, and whether a value may come.
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
                // A damaged record ended too early.
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

    /// Takes the record in the first `len` bytes, mended if it must be; whether it could be read.
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

    /// Moves to a record that begins inside of the damaged one of `len` bytes at the head; whether
    /// there is one. Kernel names with a bare quote, which profilers wrote until 2026, hide the
    /// records behind them.
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

    /// Moves to the next record, however far behind the `len` damaged bytes at the head.
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

    /// The next key of the object that the head is in; `None` at the object's end, which is
    /// skipped. Only the first bytes of a very long key.
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

    /// Measures the object, array or string at the head. One that is too large, or broken, stays
    /// there up to where `nesting` has come.
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

    /// Skips a value that begins with `first`.
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

    /// Skips what is at hand, and the rest of the value that began in it.
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

    /// Skips to the end that `find` sees in the bytes at hand, or all of them; whether it saw it.
    fn skip_some(&mut self, mut find: impl FnMut(&[u8]) -> Option<usize>) -> Result<bool, Stop> {
        let found = find(self.window.bytes());
        self.window.skip(found.unwrap_or(self.window.bytes().len()));
        if found.is_none() && !self.window.more() {
            return Err(self.cut());
        }
        Ok(found.is_some())
    }

    /// Skips `wanted`, which must come next.
    fn expect(&mut self, wanted: u8) -> Result<(), Stop> {
        if self.token()? != wanted {
            return Err(self.broken());
        }
        self.window.skip(1);
        Ok(())
    }

    /// The next byte that is no blank, left in place.
    fn token(&mut self) -> Result<u8, Stop> {
        self.window.token().ok_or_else(|| self.cut())
    }

    /// Notes that the input ends here.
    fn cut(&mut self) -> Stop {
        self.end.truncated = true;
        Stop
    }

    /// Notes that the text is no JSON here.
    fn broken(&mut self) -> Stop {
        self.end.broken_at = Some(self.window.position());
        Stop
    }
}

/// Where a record begins: a brace, blanks, and its first key.
fn record_start(bytes: &[u8], key: &[u8]) -> Option<usize> {
    let starts = |at: &usize| {
        let inner = bytes[at + 1..].trim_ascii_start().strip_prefix(b"\"");
        inner.and_then(|inner| inner.strip_prefix(key)).is_some_and(|rest| rest.starts_with(b"\""))
    };
    memchr::memchr_iter(b'{', bytes).find(starts)
}
