//! Which bytes of a trace are its events, without holding the trace?
//!
//! The outermost level is an object in which `traceEvents` may come anywhere, or the bare array of
//! events that the first versions wrote. Only one event is in memory at a time.

use crate::input::Window;
use crate::json::{Cursor, Measured, Stop};
use crate::scan::Nesting;

/// The first keys that are kept for an error message.
const KEYS: usize = 8;

/// Bytes that may be read again in search of the next event after a broken one.
const RESCAN_LIMIT: usize = 256 << 20;

/// What takes the parts of a trace.
pub(super) trait Sink {
    /// One event, from `{` to `}`; `false` where it is no valid JSON.
    fn event(&mut self, text: &[u8]) -> bool;
    /// The value of `deviceProperties`.
    fn devices(&mut self, text: &[u8]);
    /// Whether the sink can take no more.
    fn full(&self) -> bool;
}

/// How a walk ended, and what it met.
#[derive(Debug, Default)]
pub(super) struct Walk {
    /// The input ended before the trace did.
    pub(super) truncated: bool,
    /// The byte at which the outermost level stopped being JSON.
    pub(super) broken_at: Option<u64>,
    /// Events known to be lost.
    pub(super) lost: u64,
    /// Things in the array of events that are no event.
    pub(super) strange: u64,
    /// Whether there was an array of events.
    pub(super) has_events: bool,
    /// The first keys of the outermost object.
    pub(super) keys: Vec<String>,
}

pub(super) struct Walker<'w, 'a, S> {
    cursor: Cursor<'w, 'a>,
    sink: &'w mut S,
    walk: Walk,
    rescanned: usize,
}

/// Hands every event of the trace to `sink`.
pub(super) fn walk<S: Sink>(window: &mut Window<'_>, sink: &mut S) -> Walk {
    let cursor = Cursor::new(window);
    let mut walker = Walker { cursor, sink, walk: Walk::default(), rescanned: 0 };
    // Where it stopped is in the cursor already.
    let _stopped = match walker.cursor.window.token() {
        Some(b'[') => walker.events(),
        _ => walker.object(),
    };
    let Walker { cursor, walk, .. } = walker;
    Walk { truncated: cursor.truncated, broken_at: cursor.broken_at, ..walk }
}

impl<S: Sink> Walker<'_, '_, S> {
    fn object(&mut self) -> Result<(), Stop> {
        self.cursor.expect(b'{')?;
        while let Some(key) = self.cursor.member()? {
            if self.walk.keys.len() < KEYS {
                self.walk.keys.push(String::from_utf8_lossy(&key).into_owned());
            }
            self.member(&key)?;
        }
        Ok(())
    }

    fn member(&mut self, key: &[u8]) -> Result<(), Stop> {
        let first = self.cursor.token()?;
        match (key, first) {
            (b"traceEvents", b'[') => self.events(),
            (b"deviceProperties", b'[') => {
                let mut nesting = Nesting::new(b'[');
                match self.cursor.measure(&mut nesting)? {
                    Measured::Whole(len) => {
                        self.sink.devices(&self.cursor.window.bytes()[..len]);
                        self.cursor.window.skip(len);
                    }
                    Measured::Broken(_) | Measured::Large => {
                        self.walk.strange += 1;
                        self.cursor.pass_rest(&mut nesting)?;
                    }
                }
                Ok(())
            }
            _ => self.cursor.pass(first),
        }
    }

    /// Everything between `[` and `]`.
    fn events(&mut self) -> Result<(), Stop> {
        self.cursor.expect(b'[')?;
        self.walk.has_events = true;
        // Whether a comma was the last thing, and whether a value may come.
        let (mut comma, mut open) = (false, true);
        loop {
            let Some(first) = self.cursor.window.token() else {
                self.walk.lost += u64::from(comma);
                return Err(self.cursor.cut());
            };
            match first {
                b']' => {
                    self.cursor.window.skip(1);
                    return Ok(());
                }
                b',' => {
                    self.cursor.window.skip(1);
                    (comma, open) = (true, true);
                    continue;
                }
                b'{' => self.event()?,
                _ if open && !matches!(first, b'}' | b':') => {
                    self.walk.strange += 1;
                    self.cursor.pass(first)?;
                }
                // An event whose text is broken ended too early.
                _ => {
                    self.walk.strange += 1;
                    self.resync(1)?;
                }
            }
            (comma, open) = (false, false);
            if self.sink.full() {
                return Err(Stop);
            }
        }
    }

    fn event(&mut self) -> Result<(), Stop> {
        let mut nesting = Nesting::in_lines(b'{');
        let len = match self.cursor.measure(&mut nesting) {
            Ok(Measured::Whole(len)) => len,
            Ok(Measured::Broken(len)) => {
                self.walk.strange += 1;
                return self.resync(len);
            }
            Ok(Measured::Large) => {
                self.walk.lost += 1;
                let rest = self.cursor.window.bytes().len();
                return if self.resume(rest) {
                    Ok(())
                } else {
                    self.cursor.pass_rest(&mut nesting)
                };
            }
            Err(stop) => {
                self.walk.lost += 1;
                let rest = self.cursor.window.bytes().len();
                if !self.resume(rest) {
                    return Err(stop);
                }
                self.cursor.truncated = false;
                return Ok(());
            }
        };
        if self.sink.event(&self.cursor.window.bytes()[..len]) || !self.resume(len) {
            self.cursor.window.skip(len);
        }
        Ok(())
    }

    /// After a broken event of `len` bytes: moves to an event that begins inside of it. Kernel
    /// names with a bare quote, which profilers wrote until 2026, hide the events behind them.
    fn resume(&mut self, len: usize) -> bool {
        self.rescanned = self.rescanned.saturating_add(len);
        if self.rescanned > RESCAN_LIMIT || len == 0 {
            return false;
        }
        let hidden = &self.cursor.window.bytes()[1..len];
        let Some(at) = event_start(hidden) else {
            return false;
        };
        self.cursor.window.skip(1 + at);
        true
    }

    /// After `len` bytes that are no event: moves to the next event behind the head, however far.
    fn resync(&mut self, len: usize) -> Result<(), Stop> {
        /// So many bytes may lie between the brace of an event and its first key.
        const START: usize = 64;
        let broken_at = self.cursor.window.position();
        self.rescanned = self.rescanned.saturating_add(len);
        self.cursor.window.skip(1);
        while self.rescanned <= RESCAN_LIMIT {
            if let Some(at) = event_start(self.cursor.window.bytes()) {
                self.cursor.window.skip(at);
                return Ok(());
            }
            let passed = self.cursor.window.bytes().len().saturating_sub(START);
            self.cursor.window.skip(passed);
            if !self.cursor.window.more() {
                break;
            }
        }
        self.cursor.broken_at = Some(broken_at);
        Err(Stop)
    }
}

/// Where an event begins the way profilers write it: `{`, blanks, `"ph"`.
fn event_start(bytes: &[u8]) -> Option<usize> {
    let braces = bytes.iter().enumerate().filter(|&(_, &b)| b == b'{');
    braces.map(|(at, _)| at).find(|&at| bytes[at + 1..].trim_ascii_start().starts_with(b"\"ph\""))
}
