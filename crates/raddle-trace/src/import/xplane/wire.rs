//! Which fields does a protocol buffer message have that is too large for memory, and may be cut
//! off?
//!
//! A profile is one message of perhaps gigabytes, so it stays in its file, and is gone through as
//! often as needed: only the small messages inside are read into memory, one at a time.

use std::io::{self, BufReader, Read, Seek, SeekFrom};

/// Largest number of bytes of a message that is read into memory; real events and names are far
/// shorter.
const SMALL: u64 = 1 << 20;

/// Byte range of a message, a text or a byte string in a protocol buffer file.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct WireSpan {
    start: u64,
    end: u64,
}

/// Value of a field of a protocol buffer message: a number, or the byte range of its content.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum WireValue {
    Number(u64),
    Bytes(WireSpan),
}

/// A file that is one protocol buffer message, read with seeks and not loaded into memory.
#[derive(Debug)]
pub(super) struct WireFile<R> {
    reader: BufReader<R>,
    at: u64,
    whole: WireSpan,
    /// Error of the first failed read of the file; `None` where none has failed.
    pub(super) failure: Option<io::Error>,
}

impl<R: Read + Seek> WireFile<R> {
    pub(super) fn new(mut bytes: R, len: u64) -> Self {
        let failure = bytes.seek(SeekFrom::Start(0)).err();
        let (reader, whole) = (BufReader::new(bytes), WireSpan { start: 0, end: len });
        Self { reader, at: 0, whole, failure }
    }

    pub(super) const fn fields(&self) -> WireFields {
        WireFields::of(self.whole)
    }

    /// Reads a message of at most [`SMALL`] bytes into memory; `None` where it is larger or cannot
    /// be read.
    pub(super) fn read(&mut self, span: WireSpan) -> Option<Vec<u8>> {
        let len = usize::try_from(span.end - span.start).ok()?;
        if len as u64 > SMALL {
            return None;
        }
        let mut bytes = vec![0; len];
        self.go(span.start)?;
        self.take(&mut bytes)?;
        Some(bytes)
    }

    fn go(&mut self, to: u64) -> Option<()> {
        // This cast is safe, as files are below the limit of a protocol buffer.
        let by = to.cast_signed() - self.at.cast_signed();
        let gone = self.reader.seek_relative(by);
        self.at = to;
        self.noted(gone)
    }

    fn take(&mut self, bytes: &mut [u8]) -> Option<()> {
        let read = self.reader.read_exact(bytes);
        self.at += bytes.len() as u64;
        self.noted(read)
    }

    fn noted(&mut self, done: io::Result<()>) -> Option<()> {
        match done {
            Ok(()) if self.failure.is_none() => Some(()),
            Ok(()) => None,
            Err(failure) => {
                self.failure.get_or_insert(failure);
                None
            }
        }
    }

    /// Reads a number of up to 64 bits; `None` where it does not end before the file offset `end`.
    fn number(&mut self, end: u64) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let mut byte = [0];
            if self.at >= end {
                return None;
            }
            self.take(&mut byte)?;
            number |= u64::from(byte[0] & 127) << shift;
            if byte[0] < 128 {
                return Some(number);
            }
        }
        None
    }
}

/// Iterator over the fields of one protocol buffer message. It ends where the bytes are no valid
/// field.
#[derive(Clone, Debug)]
pub(super) struct WireFields {
    rest: WireSpan,
    /// True if the part of the message read so far is damaged or cut off.
    pub(super) broken: bool,
}

impl WireFields {
    pub(super) const fn of(message: WireSpan) -> Self {
        Self { rest: message, broken: false }
    }

    /// Returns the next field whose value is a number or bytes, as (number of the field, value);
    /// `None` at the end of the message.
    pub(super) fn next<R: Read + Seek>(
        &mut self,
        file: &mut WireFile<R>,
    ) -> Option<(u64, WireValue)> {
        while self.rest.start < self.rest.end {
            let Some((field, value)) = self.field(file) else {
                (self.rest.start, self.broken) = (self.rest.end, true);
                return None;
            };
            if let Some(value) = value {
                return Some((field, value));
            }
        }
        None
    }

    /// Returns the byte range of the next field whose number is `number` and whose value is bytes;
    /// `None` at the end of the message.
    pub(super) fn numbered<R: Read + Seek>(
        &mut self,
        file: &mut WireFile<R>,
        number: u64,
    ) -> Option<WireSpan> {
        loop {
            if let (field, WireValue::Bytes(span)) = self.next(file)?
                && field == number
            {
                return Some(span);
            }
        }
    }

    /// Reads the next field as (number of the field, value); the value is `None` where it is
    /// neither a number nor bytes.
    fn field<R: Read + Seek>(
        &mut self,
        file: &mut WireFile<R>,
    ) -> Option<(u64, Option<WireValue>)> {
        let end = self.rest.end;
        file.go(self.rest.start)?;
        let key = file.number(end)?;
        let (field, kind) = (key >> 3, key & 7);
        let mut value = None;
        self.rest.start = match kind {
            0 => {
                value = Some(WireValue::Number(file.number(end)?));
                file.at
            }
            1 => file.at + 8,
            2 => {
                let (len, start) = (file.number(end)?, file.at);
                // Bytes that are cut off are taken as far as they go.
                self.broken |= len > end - start;
                let last = start + len.min(end - start);
                value = Some(WireValue::Bytes(WireSpan { start, end: last }));
                last
            }
            5 => file.at + 4,
            _ => return None,
        };
        (field > 0 && self.rest.start <= end).then_some((field, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::io::Cursor;

    fn file(bytes: &[u8]) -> WireFile<Cursor<&[u8]>> {
        WireFile::new(Cursor::new(bytes), bytes.len() as u64)
    }

    /// Returns all fields of a message with the content of each that has bytes, and whether the
    /// message was broken.
    fn all(bytes: &[u8]) -> (Vec<(u64, Vec<u8>)>, bool) {
        let mut file = file(bytes);
        let (mut fields, mut found) = (file.fields(), Vec::new());
        while let Some((field, value)) = fields.next(&mut file) {
            found.push(match value {
                WireValue::Number(number) => (field, vec![number as u8]),
                WireValue::Bytes(span) => (field, file.read(span).unwrap()),
            });
        }
        assert!(file.failure.is_none());
        (found, fields.broken)
    }

    #[test]
    fn fields_are_found_between_others_and_up_to_where_they_are_cut() {
        // 1: varint 300; 2: "ab"; 3: fixed 32 bits; 2: "c"
        let message = [8, 0xac, 2, 0x12, 2, b'a', b'b', 0x1d, 1, 2, 3, 4, 0x12, 1, b'c'];
        let found = vec![(1, vec![44]), (2, b"ab".to_vec()), (2, b"c".to_vec())];
        assert_eq!(all(&message), (found, false));
        assert_eq!(all(&message[..6]), (vec![(1, vec![44]), (2, b"a".to_vec())], true));
        // A group, a field without a number, a fixed one that is cut off, a number without an end.
        for broken in [&[0x0f, 1][..], &[2, 1, 1], &[0x1d, 1, 2], &[8, 0xff], &[0xff; 12]] {
            assert_eq!(all(broken), (vec![], true), "{broken:?}");
        }
    }

    #[test]
    fn a_message_that_is_too_large_to_be_held_is_not_read() {
        let long = [vec![0x12, 0x81, 0x80, 0x40], vec![7; 1 + (1 << 20)]].concat();
        let mut file = file(&long);
        let span = file.fields().numbered(&mut file, 2).unwrap();
        assert_eq!((file.read(span), file.failure.is_none()), (None, true));
    }

    proptest! {
        #[test]
        fn any_bytes_end(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let total: usize = all(&bytes).0.iter().map(|(_, bytes)| bytes.len()).sum();
            prop_assert!(total <= bytes.len());
        }
    }
}
