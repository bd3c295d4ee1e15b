//! Where does a JSON object or array end?
//!
//! Sixty-four bytes a step: the positions of quotes, backslashes and brackets become bits of a
//! word, a prefix sum of the quotes tells what lies inside strings, and only blocks in which the
//! nesting can reach 0 are looked at bit by bit. Nothing is checked beyond that; what matters is
//! parsed afterwards.

/// A search for the end of one object or array that may come in pieces.
#[derive(Clone, Debug)]
pub(crate) struct Nesting {
    open: u8,
    close: u8,
    depth: u64,
    in_string: bool,
    escaped: bool,
}

impl Nesting {
    /// A search over bytes that begin with `open`, `{` or `[`.
    pub(crate) fn new(open: u8) -> Self {
        // In ASCII each closing bracket is two behind its opening one.
        Self { open, close: open.wrapping_add(2), depth: 0, in_string: false, escaped: false }
    }

    /// Takes the next bytes; the length up to and with the closing bracket once it is among them.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Option<usize> {
        let (blocks, rest) = bytes.as_chunks::<64>();
        for (i, block) in blocks.iter().enumerate() {
            if let Some(n) = self.block(block) {
                return Some(64 * i + n);
            }
        }
        self.bytewise(rest).map(|n| 64 * blocks.len() + n)
    }

    fn block(&mut self, block: &[u8; 64]) -> Option<usize> {
        let (mut quotes, mut slashes, mut opens, mut closes) = (0, 0, 0, 0);
        let (words, _) = block.as_chunks::<8>();
        for (i, word) in words.iter().enumerate() {
            let word = u64::from_le_bytes(*word);
            quotes |= equal(word, b'"') << (8 * i);
            slashes |= equal(word, b'\\') << (8 * i);
            opens |= equal(word, self.open) << (8 * i);
            closes |= equal(word, self.close) << (8 * i);
        }
        if slashes != 0 || self.escaped {
            return self.bytewise(block);
        }
        let inside = prefix_xor(quotes) ^ if self.in_string { u64::MAX } else { 0 };
        opens &= !inside;
        closes &= !inside;
        if self.depth <= u64::from(closes.count_ones()) && closes != 0 {
            return self.bytewise(block);
        }
        self.in_string = inside >> 63 == 1;
        self.depth += u64::from(opens.count_ones());
        self.depth -= u64::from(closes.count_ones());
        None
    }

    fn bytewise(&mut self, bytes: &[u8]) -> Option<usize> {
        for (i, &byte) in bytes.iter().enumerate() {
            if self.in_string {
                if self.escaped {
                    self.escaped = false;
                } else if byte == b'\\' {
                    self.escaped = true;
                } else if byte == b'"' {
                    self.in_string = false;
                }
            } else if byte == b'"' {
                self.in_string = true;
            } else if byte == self.open {
                self.depth += 1;
            } else if byte == self.close {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 {
                    return Some(i + 1);
                }
            }
        }
        None
    }
}

/// Eight bits, one a byte of `word`, set where the byte is `byte`.
fn equal(word: u64, byte: u8) -> u64 {
    const LOW7: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let differ = word ^ u64::from_ne_bytes([byte; 8]);
    let same = !(((differ & LOW7) + LOW7) | differ | LOW7);
    // Gathers the top bits of the eight bytes; the product's upper byte takes each exactly once.
    (same >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// Bit i of the answer is the parity of bits 0 to i.
fn prefix_xor(mut bits: u64) -> u64 {
    for shift in [1, 2, 4, 8, 16, 32] {
        bits ^= bits << shift;
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn brackets_in_strings_do_not_count() {
        for text in
            [r#"{}"#, r#"{"a":"}"}"#, r#"{"a":"\"}"}"#, r#"{"a":"\\"}"#, r#"{"a":{"b":[{}]}}"#]
        {
            let mut nesting = Nesting::new(b'{');
            assert_eq!(
                nesting.feed(format!("{text}, more").as_bytes()),
                Some(text.len()),
                "{text}"
            );
        }
    }

    #[test]
    fn equal_finds_every_byte_alone() {
        for at in 0..8 {
            let mut bytes = [b'"' ^ 0x80; 8];
            bytes[at] = b'"';
            assert_eq!(equal(u64::from_le_bytes(bytes), b'"'), 1 << at);
        }
    }

    fn json_like() -> impl Strategy<Value = Vec<u8>> {
        let byte = prop_oneof![
            4 => Just(b'x'), 2 => Just(b'"'), 1 => Just(b'\\'), 2 => Just(b'{'), 2 => Just(b'}'),
            1 => any::<u8>()
        ];
        prop::collection::vec(byte, 0..400)
    }

    proptest! {
        #[test]
        fn blocks_agree_with_bytes_however_cut(text in json_like(), cut in 0usize..400) {
            let text = [b"{".as_slice(), &text].concat();
            let slow = Nesting::new(b'{').bytewise(&text);
            let mut fast = Nesting::new(b'{');
            let (head, tail) = text.split_at(cut.min(text.len()));
            let found = fast.feed(head).or_else(|| fast.feed(tail).map(|n| n + head.len()));
            prop_assert_eq!(found, slow);
        }
    }
}
