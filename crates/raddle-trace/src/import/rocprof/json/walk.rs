//! Which bytes of a result are its records, without holding the result?
//!
//! The outermost object holds an array of processes, each with sections in any order; only one
//! record is in memory at a time.

use crate::input::Window;
use crate::json::{Cursor, Measured, Stop};
use crate::scan::Nesting;

/// The sections whose entries matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    /// `agents`
    Agents,
    /// `kernel_symbols`
    Symbols,
    /// `strings.buffer_records`
    Kinds,
    /// `buffer_records.kernel_dispatch`
    Dispatches,
    /// `buffer_records.memory_copy`
    Copies,
    /// `buffer_records.hip_api`
    Calls,
    /// `callback_records.counter_collection`
    Counters,
}

/// What takes the records.
pub(super) trait Sink {
    /// Another process begins.
    fn process(&mut self);
    /// Takes the record at the start of `text` and says how long it is; `None` where it is not
    /// whole or cannot be read.
    fn record(&mut self, section: Section, text: &[u8]) -> Option<usize>;
    /// Takes a record that [`Sink::record`] could not read, now whole.
    fn odd_record(&mut self, section: Section, text: &[u8]);
    /// Whether the sink can take no more.
    fn full(&self) -> bool;
}

/// How a walk ended, and what it met.
#[derive(Debug, Default)]
pub(super) struct Walk {
    /// The input ended before the result did.
    pub(super) truncated: bool,
    /// The byte at which the text stopped being JSON.
    pub(super) broken_at: Option<u64>,
    /// Records known to be lost.
    pub(super) lost: u64,
    /// Entries of sections that are no record.
    pub(super) strange: u64,
}

/// Where in a result an object is.
#[derive(Clone, Copy, Debug)]
enum Level {
    Process,
    Strings,
    Callbacks,
    Buffers,
}

impl Level {
    /// The object of interest under that key.
    fn below(self, key: &[u8]) -> Option<Self> {
        match (self, key) {
            (Self::Process, b"strings") => Some(Self::Strings),
            (Self::Process, b"callback_records") => Some(Self::Callbacks),
            (Self::Process, b"buffer_records") => Some(Self::Buffers),
            _ => None,
        }
    }

    /// The section under that key.
    fn section(self, key: &[u8]) -> Option<Section> {
        match (self, key) {
            (Self::Process, b"agents") => Some(Section::Agents),
            (Self::Process, b"kernel_symbols") => Some(Section::Symbols),
            (Self::Strings, b"buffer_records") => Some(Section::Kinds),
            (Self::Callbacks, b"counter_collection") => Some(Section::Counters),
            (Self::Buffers, b"kernel_dispatch") => Some(Section::Dispatches),
            (Self::Buffers, b"memory_copy") => Some(Section::Copies),
            (Self::Buffers, b"hip_api") => Some(Section::Calls),
            _ => None,
        }
    }
}

/// The key of the outermost object under which the processes are.
pub(super) const TOOL: &[u8] = b"rocprofiler-sdk-tool";

/// Hands every record of the result to `sink`.
pub(super) fn walk<S: Sink>(window: &mut Window<'_>, sink: &mut S) -> Walk {
    let mut walker = Walker { cursor: Cursor::new(window), sink, lost: 0, strange: 0 };
    // Where it stopped is in the cursor already.
    let _stopped = walker.result();
    let Walker { cursor: Cursor { truncated, broken_at, .. }, lost, strange, .. } = walker;
    Walk { truncated, broken_at, lost, strange }
}

struct Walker<'w, 'a, S> {
    cursor: Cursor<'w, 'a>,
    sink: &'w mut S,
    lost: u64,
    strange: u64,
}

impl<S: Sink> Walker<'_, '_, S> {
    fn result(&mut self) -> Result<(), Stop> {
        self.cursor.expect(b'{')?;
        while let Some(key) = self.cursor.member()? {
            let first = self.cursor.token()?;
            match (&*key, first) {
                (TOOL, b'[') => self.entries(|walker| {
                    walker.sink.process();
                    walker.object(Level::Process)
                })?,
                _ => self.cursor.pass(first)?,
            }
        }
        Ok(())
    }

    /// The members of an object.
    fn object(&mut self, level: Level) -> Result<(), Stop> {
        self.cursor.expect(b'{')?;
        while let Some(key) = self.cursor.member()? {
            let first = self.cursor.token()?;
            match (first, level.below(&key), level.section(&key)) {
                (b'{', Some(below), _) => self.object(below)?,
                (b'[', _, Some(section)) => self.entries(|walker| walker.record(section))?,
                _ => self.cursor.pass(first)?,
            }
        }
        Ok(())
    }

    /// Every object between `[` and `]`.
    fn entries(&mut self, mut each: impl FnMut(&mut Self) -> Result<(), Stop>) -> Result<(), Stop> {
        self.cursor.expect(b'[')?;
        loop {
            match self.cursor.token()? {
                b']' => {
                    self.cursor.window.skip(1);
                    return Ok(());
                }
                b',' => self.cursor.window.skip(1),
                b'{' => each(self)?,
                b'}' | b':' => return Err(self.cursor.broken()),
                first => {
                    self.strange += 1;
                    self.cursor.pass(first)?;
                }
            }
            if self.sink.full() {
                return Err(Stop);
            }
        }
    }

    fn record(&mut self, section: Section) -> Result<(), Stop> {
        // Nearly every record is whole in the bytes at hand and needs no second look.
        if let Some(len) = self.sink.record(section, self.cursor.window.bytes()) {
            self.cursor.window.skip(len);
            return Ok(());
        }
        let mut nesting = Nesting::new(b'{');
        match self.cursor.measure(&mut nesting) {
            Ok(Measured::Whole(len)) => {
                let text = &self.cursor.window.bytes()[..len];
                if self.sink.record(section, text).is_none() {
                    self.sink.odd_record(section, text);
                }
                self.cursor.window.skip(len);
                Ok(())
            }
            Ok(Measured::Broken(_) | Measured::Large) => {
                self.lost += 1;
                self.cursor.pass_rest(&mut nesting)
            }
            Err(stop) => {
                self.lost += 1;
                Err(stop)
            }
        }
    }
}
