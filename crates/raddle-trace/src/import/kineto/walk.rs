//! Which bytes of a trace are its events, without holding the trace?
//!
//! The outermost level is an object in which `traceEvents` may come anywhere, or the bare array of
//! events that the first versions wrote. Only one event is in memory at a time.

use crate::input::Window;
use crate::scan::{End, Nesting};

/// An event, or another value that is kept, larger than this is lost.
const VALUE_LIMIT: usize = 64 << 20;
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

/// What lies at the head.
enum Measured {
    /// So many bytes.
    Whole(usize),
    /// After so many bytes it is no JSON any more.
    Broken(usize),
    /// More than is kept.
    Large,
}

/// Why a walk stops before the end; [`Walk`] says the rest.
struct Stop;

pub(super) struct Walker<'w, 'a, S> {
    window: &'w mut Window<'a>,
    sink: &'w mut S,
    walk: Walk,
    rescanned: usize,
}

/// Hands every event of the trace to `sink`.
pub(super) fn walk<S: Sink>(window: &mut Window<'_>, sink: &mut S) -> Walk {
    let mut walker = Walker { window, sink, walk: Walk::default(), rescanned: 0 };
    // Where it stopped is in the walk already.
    let _stopped = match walker.window.token() {
        Some(b'[') => walker.events(),
        _ => walker.object(),
    };
    walker.walk
}

impl<S: Sink> Walker<'_, '_, S> {
    fn object(&mut self) -> Result<(), Stop> {
        self.expect(b'{')?;
        loop {
            match self.token()? {
                b'}' => return Ok(()),
                b',' => self.window.skip(1),
                b'"' => {
                    let key = self.key()?;
                    self.expect(b':')?;
                    self.member(&key)?;
                }
                _ => return Err(self.broken()),
            }
        }
    }

    fn member(&mut self, key: &[u8]) -> Result<(), Stop> {
        let first = self.token()?;
        match (key, first) {
            (b"traceEvents", b'[') => self.events(),
            (b"deviceProperties", b'[') => {
                let mut nesting = Nesting::new(b'[');
                match self.measure(&mut nesting)? {
                    Measured::Whole(len) => {
                        self.sink.devices(&self.window.bytes()[..len]);
                        self.window.skip(len);
                    }
                    Measured::Broken(_) | Measured::Large => {
                        self.walk.strange += 1;
                        self.pass_rest(&mut nesting)?;
                    }
                }
                Ok(())
            }
            _ => self.pass(first),
        }
    }

    /// Everything between `[` and `]`.
    fn events(&mut self) -> Result<(), Stop> {
        self.expect(b'[')?;
        self.walk.has_events = true;
        // Whether a comma was the last thing, and whether a value may come.
        let (mut comma, mut open) = (false, true);
        loop {
            let Some(first) = self.window.token() else {
                self.walk.lost += u64::from(comma);
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
                b'{' => self.event()?,
                _ if open && !matches!(first, b'}' | b':') => {
                    self.walk.strange += 1;
                    self.pass(first)?;
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
        let len = match self.measure(&mut nesting) {
            Ok(Measured::Whole(len)) => len,
            Ok(Measured::Broken(len)) => {
                self.walk.strange += 1;
                return self.resync(len);
            }
            Ok(Measured::Large) => {
                self.walk.lost += 1;
                let rest = self.window.bytes().len();
                return if self.resume(rest) { Ok(()) } else { self.pass_rest(&mut nesting) };
            }
            Err(stop) => {
                self.walk.lost += 1;
                let rest = self.window.bytes().len();
                if !self.resume(rest) {
                    return Err(stop);
                }
                self.walk.truncated = false;
                return Ok(());
            }
        };
        if self.sink.event(&self.window.bytes()[..len]) || !self.resume(len) {
            self.window.skip(len);
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
        let hidden = &self.window.bytes()[1..len];
        let Some(at) = event_start(hidden) else {
            return false;
        };
        self.window.skip(1 + at);
        true
    }

    /// After `len` bytes that are no event: moves to the next event behind the head, however far.
    fn resync(&mut self, len: usize) -> Result<(), Stop> {
        /// So many bytes may lie between the brace of an event and its first key.
        const START: usize = 64;
        let broken_at = self.window.position();
        self.rescanned = self.rescanned.saturating_add(len);
        self.window.skip(1);
        while self.rescanned <= RESCAN_LIMIT {
            if let Some(at) = event_start(self.window.bytes()) {
                self.window.skip(at);
                return Ok(());
            }
            let passed = self.window.bytes().len().saturating_sub(START);
            self.window.skip(passed);
            if !self.window.more() {
                break;
            }
        }
        self.walk.broken_at = Some(broken_at);
        Err(Stop)
    }

    /// The length of the object or array at the head. One that is too large, or broken, stays there
    /// up to where `nesting` has come.
    fn measure(&mut self, nesting: &mut Nesting) -> Result<Measured, Stop> {
        let mut seen = 0;
        loop {
            match nesting.feed(&self.window.bytes()[seen..]) {
                Some(End::Closed(len)) => return Ok(Measured::Whole(seen + len)),
                Some(End::Broken(len)) => return Ok(Measured::Broken(seen + len)),
                None => seen = self.window.bytes().len(),
            }
            if seen > VALUE_LIMIT {
                return Ok(Measured::Large);
            }
            if !self.window.more() {
                return Err(self.cut());
            }
        }
    }

    /// Passes over what is at hand and the rest of the object or array that began in it.
    fn pass_rest(&mut self, nesting: &mut Nesting) -> Result<(), Stop> {
        self.window.skip(self.window.bytes().len());
        self.pass_nested(nesting)
    }

    /// Passes over an object or array.
    fn pass_nested(&mut self, nesting: &mut Nesting) -> Result<(), Stop> {
        while !self.pass_some(|bytes| match nesting.feed(bytes)? {
            End::Closed(len) | End::Broken(len) => Some(len),
        })? {}
        Ok(())
    }

    /// Passes over a value that begins with `first` and is not wanted.
    fn pass(&mut self, first: u8) -> Result<(), Stop> {
        match first {
            b'{' | b'[' => self.pass_nested(&mut Nesting::new(first))?,
            b'"' => {
                let mut end = StringEnd::default();
                while !self.pass_some(|bytes| end.feed(bytes))? {}
            }
            b'-' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => {
                let scalar =
                    |b: &u8| !matches!(b, b'-' | b'+' | b'.') && !b.is_ascii_alphanumeric();
                while !self.pass_some(|bytes| bytes.iter().position(scalar))? {}
            }
            _ => return Err(self.broken()),
        }
        Ok(())
    }

    /// Skips up to the end that `find` sees in the bytes at hand, or all of them; whether it saw it.
    fn pass_some(&mut self, mut find: impl FnMut(&[u8]) -> Option<usize>) -> Result<bool, Stop> {
        let found = find(self.window.bytes());
        let len = found.unwrap_or(self.window.bytes().len());
        self.window.skip(len);
        if found.is_none() && !self.window.more() {
            return Err(self.cut());
        }
        Ok(found.is_some())
    }

    /// The text of a key, without its quotes; only the first bytes of a very long one.
    fn key(&mut self) -> Result<Vec<u8>, Stop> {
        let mut end = StringEnd::default();
        let mut key = Vec::new();
        while !self.pass_some(|bytes| {
            let found = end.feed(bytes);
            let part = &bytes[..found.unwrap_or(bytes.len())];
            key.extend(part.iter().take(64usize.saturating_sub(key.len())));
            found
        })? {}
        let key = key.strip_prefix(b"\"").unwrap_or(&key);
        let key = key.strip_suffix(b"\"").unwrap_or(key).to_vec();
        if self.walk.keys.len() < 8 {
            self.walk.keys.push(String::from_utf8_lossy(&key).into_owned());
        }
        Ok(key)
    }

    fn token(&mut self) -> Result<u8, Stop> {
        match self.window.token() {
            Some(byte) => Ok(byte),
            None => Err(self.cut()),
        }
    }

    fn expect(&mut self, wanted: u8) -> Result<(), Stop> {
        if self.token()? != wanted {
            return Err(self.broken());
        }
        self.window.skip(1);
        Ok(())
    }

    fn cut(&mut self) -> Stop {
        self.walk.truncated = true;
        Stop
    }

    fn broken(&mut self) -> Stop {
        self.walk.broken_at = Some(self.window.position());
        Stop
    }
}

/// A search for the end of a string that may come in pieces.
#[derive(Default)]
struct StringEnd {
    begun: bool,
    escaped: bool,
}

impl StringEnd {
    /// Takes the next bytes; the length up to and with the closing quote once it is among them.
    fn feed(&mut self, bytes: &[u8]) -> Option<usize> {
        for (i, &byte) in bytes.iter().enumerate() {
            if !self.begun {
                self.begun = true;
            } else if self.escaped {
                self.escaped = false;
            } else if byte == b'\\' {
                self.escaped = true;
            } else if byte == b'"' {
                return Some(i + 1);
            }
        }
        None
    }
}

/// Where an event begins the way profilers write it: `{`, blanks, `"ph"`.
fn event_start(bytes: &[u8]) -> Option<usize> {
    let braces = bytes.iter().enumerate().filter(|&(_, &b)| b == b'{');
    braces.map(|(at, _)| at).find(|&at| bytes[at + 1..].trim_ascii_start().starts_with(b"\"ph\""))
}
