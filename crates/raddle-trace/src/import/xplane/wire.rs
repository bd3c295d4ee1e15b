//! Which fields does a message have that may be cut off?
//!
//! A profile is one message of perhaps gigabytes, so it is walked through where it lies: only the
//! small messages inside are decoded, one at a time.

use prost::encoding::{DecodeContext, WireType, decode_key, skip_field};

/// The fields of a message that are messages, texts or bytes, in order, by their numbers. It ends
/// where the bytes are no such message any more.
#[derive(Clone, Debug)]
pub(super) struct WireFields<'a> {
    rest: &'a [u8],
    /// Whether the message was cut off or damaged so far.
    pub(super) broken: bool,
}

impl<'a> WireFields<'a> {
    pub(super) const fn of(message: &'a [u8]) -> Self {
        Self { rest: message, broken: false }
    }

    /// Those with this number.
    pub(super) fn numbered(message: &'a [u8], number: u32) -> impl Iterator<Item = &'a [u8]> {
        Self::of(message).filter(move |&(found, _)| found == number).map(|(_, bytes)| bytes)
    }

    /// The next field; `None` at the end, an error where there is none.
    fn field(&mut self) -> Result<Option<(u32, &'a [u8])>, prost::DecodeError> {
        while !self.rest.is_empty() {
            let (number, kind) = decode_key(&mut self.rest)?;
            if kind != WireType::LengthDelimited {
                skip_field(kind, number, &mut self.rest, DecodeContext::default())?;
                continue;
            }
            let len = prost::decode_length_delimiter(&mut self.rest)?;
            // What is cut off is taken as far as it goes.
            self.broken |= len > self.rest.len();
            let (bytes, rest) = self.rest.split_at(len.min(self.rest.len()));
            self.rest = rest;
            return Ok(Some((number, bytes)));
        }
        Ok(None)
    }
}

impl<'a> Iterator for WireFields<'a> {
    type Item = (u32, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        self.field().unwrap_or_else(|_| {
            (self.rest, self.broken) = (&[], true);
            None
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn fields_are_found_between_others_and_up_to_where_they_are_cut() {
        // 1: varint 300; 2: "ab"; 3: fixed 32 bits; 2: "c"
        let message = [8, 0xac, 2, 0x12, 2, b'a', b'b', 0x1d, 1, 2, 3, 4, 0x12, 1, b'c'];
        let mut fields = WireFields::of(&message);
        let found: Vec<_> = fields.by_ref().collect();
        assert_eq!((found, fields.broken), (vec![(2, b"ab".as_slice()), (2, b"c")], false));
        let mut fields = WireFields::of(&message[..6]);
        assert_eq!((fields.next(), fields.broken), (Some((2, b"a".as_slice())), true));
        let mut fields = WireFields::of(&[0x0f, 1]);
        assert_eq!((fields.next(), fields.next(), fields.broken), (None, None, true));
    }

    proptest! {
        #[test]
        fn any_bytes_end(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let total: usize = WireFields::of(&bytes).map(|(_, bytes)| bytes.len()).sum();
            prop_assert!(total <= bytes.len());
        }
    }
}
