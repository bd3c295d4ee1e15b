//! How is JSON walked that is too large to hold?
//!
//! Values of interest are measured and handed out whole, one at a time; everything else is passed
//! over piece by piece. Units: positions are bytes of the uncompressed text, from 0.

use crate::input::Window;
use crate::scan::{End, Nesting};

/// A value that is kept, larger than this is lost.
const VALUE_LIMIT: usize = 64 << 20;
/// Bytes of a key that are kept.
const KEY_LIMIT: usize = 64;

/// Why a walk stops before the end; the [`Cursor`] says which it was.
#[derive(Debug)]
pub(crate) struct Stop;

/// What lies at the head.
pub(crate) enum Measured {
    /// So many bytes.
    Whole(usize),
    /// After so many bytes it is no JSON any more.
    Broken(usize),
    /// More than is kept.
    Large,
}

/// A place in the text that only moves on.
pub(crate) struct Cursor<'w, 'a> {
    pub(crate) window: &'w mut Window<'a>,
    /// The input ended before the text did.
    pub(crate) truncated: bool,
    /// The byte at which the text stopped being JSON.
    pub(crate) broken_at: Option<u64>,
}

impl<'w, 'a> Cursor<'w, 'a> {
    pub(crate) fn new(window: &'w mut Window<'a>) -> Self {
        Self { window, truncated: false, broken_at: None }
    }

    /// The next byte that is no blank, left in place.
    pub(crate) fn token(&mut self) -> Result<u8, Stop> {
        match self.window.token() {
            Some(byte) => Ok(byte),
            None => Err(self.cut()),
        }
    }

    /// Passes over `wanted`, which must come next.
    pub(crate) fn expect(&mut self, wanted: u8) -> Result<(), Stop> {
        if self.token()? != wanted {
            return Err(self.broken());
        }
        self.window.skip(1);
        Ok(())
    }

    /// The next key of the object that the cursor is in, with the cursor at its value; `None` at
    /// the object's end, which is passed over.
    pub(crate) fn member(&mut self) -> Result<Option<Vec<u8>>, Stop> {
        loop {
            match self.token()? {
                b'}' => {
                    self.window.skip(1);
                    return Ok(None);
                }
                b',' => self.window.skip(1),
                b'"' => {
                    let key = self.key()?;
                    self.expect(b':')?;
                    self.token()?;
                    return Ok(Some(key));
                }
                _ => return Err(self.broken()),
            }
        }
    }

    /// The length of the object or array at the head. One that is too large, or broken, stays there
    /// up to where `nesting` has come.
    pub(crate) fn measure(&mut self, nesting: &mut Nesting) -> Result<Measured, Stop> {
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
    pub(crate) fn pass_rest(&mut self, nesting: &mut Nesting) -> Result<(), Stop> {
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
    pub(crate) fn pass(&mut self, first: u8) -> Result<(), Stop> {
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
            key.extend(part.iter().take(KEY_LIMIT.saturating_sub(key.len())));
            found
        })? {}
        let key = key.strip_prefix(b"\"").unwrap_or(&key);
        Ok(key.strip_suffix(b"\"").unwrap_or(key).to_vec())
    }

    /// Notes that the input ended here.
    pub(crate) fn cut(&mut self) -> Stop {
        self.truncated = true;
        Stop
    }

    /// Notes that the text is no JSON here.
    pub(crate) fn broken(&mut self) -> Stop {
        self.broken_at = Some(self.window.position());
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
