//! How do fields become bytes of a protocol-buffer message?
//!
//! The wire format: a field is a key (number x 8 + type) and a value; numbers are base-128 varints,
//! texts and messages carry their length in front.

const VARINT: u64 = 0;
const FIXED64: u64 = 1;
const LENGTH: u64 = 2;

/// Message of protocol buffers under construction.
#[derive(Debug, Default)]
pub(super) struct Proto {
    bytes: Vec<u8>,
}

impl Proto {
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
    }

    fn raw(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }

    /// Writes a field that holds a number: uint32, uint64, an enum, a bool, or an int64 that is not
    /// negative.
    pub(super) fn number(&mut self, field: u64, value: u64) {
        self.raw(field << 3 | VARINT);
        self.raw(value);
    }

    pub(super) fn fixed64(&mut self, field: u64, value: u64) {
        self.raw(field << 3 | FIXED64);
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    pub(super) fn text(&mut self, field: u64, text: &str) {
        self.raw(field << 3 | LENGTH);
        self.raw(text.len() as u64);
        self.bytes.extend_from_slice(text.as_bytes());
    }

    /// Writes a field that holds a message, whose content the function `fill` writes.
    pub(super) fn message(&mut self, field: u64, fill: impl FnOnce(&mut Self)) {
        self.raw(field << 3 | LENGTH);
        // Nearly all messages are shorter than 128 bytes, so room is kept for a length of one byte.
        let at = self.bytes.len();
        self.bytes.push(0);
        fill(self);
        let length = self.bytes.len() - at - 1;
        if length < 0x80 {
            self.bytes[at] = length as u8;
            return;
        }
        let content = self.bytes.split_off(at + 1);
        self.bytes.truncate(at);
        self.raw(length as u64);
        self.bytes.extend_from_slice(&content);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_written_as_the_wire_format_says() {
        let mut proto = Proto::default();
        proto.number(1, 150);
        proto.text(2, "testing");
        proto.fixed64(47, 1);
        proto.message(3, |inner| inner.number(1, u64::MAX));
        let mut wanted = vec![0x08, 0x96, 0x01, 0x12, 7];
        wanted.extend_from_slice(b"testing");
        wanted.extend_from_slice(&[0xf9, 0x02, 1, 0, 0, 0, 0, 0, 0, 0]);
        wanted.extend_from_slice(&[0x1a, 11, 0x08]);
        wanted.extend_from_slice(&[0xff; 9]);
        wanted.push(1);
        assert_eq!(proto.bytes(), wanted);
    }

    #[test]
    fn a_long_message_has_a_long_length() {
        let mut proto = Proto::default();
        proto.message(1, |inner| inner.text(2, &"x".repeat(300)));
        assert_eq!(proto.bytes()[..6], [0x0a, 0xaf, 0x02, 0x12, 0xac, 0x02]);
        assert_eq!(proto.bytes().len(), 1 + 2 + 303);
    }
}
