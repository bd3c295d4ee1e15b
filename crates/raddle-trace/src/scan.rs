//! Where does a JSON object or array end?
//!
//! Sixty-four bytes a step: the positions of quotes, backslashes and brackets become bits of a
//! word, a prefix sum of the quotes tells what lies inside strings, and the brackets that are left
//! are counted, one by one only where the nesting can reach 0. Nothing is checked beyond that; what
//! matters is parsed afterwards.

/// A search for the end of one object or array that may come in pieces.
#[derive(Clone, Debug)]
pub(crate) struct Nesting {
    open: u8,
    close: u8,
    depth: u64,
    in_string: bool,
    escaped: bool,
    /// Whether a string that runs over the end of its line is a fault.
    lines: bool,
}

/// What a search for the end has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The length up to and with the closing bracket.
    Closed(usize),
    /// The length up to and with the line end within a string: some quote before it is none.
    Broken(usize),
}

impl End {
    fn behind(self, bytes: usize) -> Self {
        match self {
            Self::Closed(n) => Self::Closed(bytes + n),
            Self::Broken(n) => Self::Broken(bytes + n),
        }
    }
}

impl Nesting {
    /// A search over bytes that begin with `open`, `{` or `[`, that never finds fault.
    pub(crate) fn new(open: u8) -> Self {
        // In ASCII each closing bracket is two behind its opening one.
        let close = open.wrapping_add(2);
        Self { open, close, depth: 0, in_string: false, escaped: false, lines: false }
    }

    /// The same, but ends with the first line that ends within a string, as JSON forbids.
    pub(crate) fn in_lines(open: u8) -> Self {
        Self { lines: true, ..Self::new(open) }
    }

    /// Takes the next bytes; the end once it is among them.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Option<End> {
        let (blocks, rest) = bytes.as_chunks::<64>();
        for (i, block) in blocks.iter().enumerate() {
            if let Some(end) = self.block(block) {
                return Some(end.behind(64 * i));
            }
        }
        self.bytewise(rest).map(|end| end.behind(64 * blocks.len()))
    }

    fn block(&mut self, block: &[u8; 64]) -> Option<End> {
        let lanes = lanes(block);
        let slashes = places(&lanes, b'\\');
        let mut quotes = places(&lanes, b'"');
        if slashes != 0 || self.escaped {
            quotes &= !self.escapes(slashes);
        }
        let inside = prefix_xor(quotes) ^ if self.in_string { u64::MAX } else { 0 };
        let opens = places(&lanes, self.open) & !inside;
        let closes = places(&lanes, self.close) & !inside;
        let faults = if self.lines { places(&lanes, b'\n') & inside } else { 0 };
        self.in_string = inside >> 63 == 1;
        if faults != 0 {
            let before = (faults & faults.wrapping_neg()) - 1;
            let broken = End::Broken(faults.trailing_zeros() as usize + 1);
            return self.count(opens & before, closes & before).or(Some(broken));
        }
        if closes != 0 && self.depth <= u64::from(closes.count_ones()) {
            return self.count(opens, closes);
        }
        self.depth += u64::from(opens.count_ones());
        self.depth -= u64::from(closes.count_ones());
        None
    }

    /// The bytes that a backslash before them makes plain, given where backslashes are.
    fn escapes(&mut self, mut slashes: u64) -> u64 {
        let mut plain = u64::from(self.escaped);
        slashes &= !plain;
        self.escaped = false;
        while slashes != 0 {
            let slash = slashes & slashes.wrapping_neg();
            let next = slash << 1;
            self.escaped = next == 0;
            plain |= next;
            slashes &= !(slash | next);
        }
        plain
    }

    /// Follows the nesting bracket by bracket.
    fn count(&mut self, opens: u64, closes: u64) -> Option<End> {
        let mut both = opens | closes;
        while both != 0 {
            let at = both.trailing_zeros();
            if opens >> at & 1 == 1 {
                self.depth += 1;
            } else {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 {
                    return Some(End::Closed(at as usize + 1));
                }
            }
            both &= both - 1;
        }
        None
    }

    fn bytewise(&mut self, bytes: &[u8]) -> Option<End> {
        for (i, &byte) in bytes.iter().enumerate() {
            let plain = core::mem::take(&mut self.escaped);
            if byte == b'\\' {
                self.escaped = !plain;
            } else if byte == b'"' {
                self.in_string ^= !plain;
            } else if self.in_string {
                if byte == b'\n' && self.lines {
                    return Some(End::Broken(i + 1));
                }
            } else if byte == self.open {
                self.depth += 1;
            } else if byte == self.close {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 {
                    return Some(End::Closed(i + 1));
                }
            }
        }
        None
    }
}

#[cfg(target_arch = "x86_64")]
use sse2::{lanes, places};
#[cfg(not(target_arch = "x86_64"))]
use words::{lanes, places};

/// Sixteen bytes a step.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "SIMD")]
mod sse2 {
    use core::arch::x86_64::{
        __m128i, _mm_cmpeq_epi8, _mm_movemask_epi8, _mm_set_epi64x, _mm_set1_epi8,
    };

    pub(super) type Lanes = [__m128i; 4];

    #[inline]
    pub(super) fn lanes(block: &[u8; 64]) -> Lanes {
        let (words, _) = block.as_chunks::<8>();
        let word = |i: usize| i64::from_le_bytes(words[i]);
        // Two neighbours in memory, which the compiler makes one load.
        let pair = |i: usize| {
            // SAFETY: every processor of this kind has SSE2.
            unsafe { _mm_set_epi64x(word(i + 1), word(i)) }
        };
        [pair(0), pair(2), pair(4), pair(6)]
    }

    /// One bit a byte, set where the byte is `byte`.
    #[inline]
    pub(super) fn places(lanes: &Lanes, byte: u8) -> u64 {
        let sixteen = |i: usize| {
            // SAFETY: every processor of this kind has SSE2.
            let bits = unsafe {
                _mm_movemask_epi8(_mm_cmpeq_epi8(lanes[i], _mm_set1_epi8(byte.cast_signed())))
            };
            u64::from(bits.cast_unsigned()) << (16 * i)
        };
        sixteen(0) | sixteen(1) | sixteen(2) | sixteen(3)
    }
}

/// Eight bytes a step, for other processors.
#[cfg(any(test, not(target_arch = "x86_64")))]
mod words {
    pub(super) type Lanes = [u64; 8];

    pub(super) fn lanes(block: &[u8; 64]) -> Lanes {
        let (words, _) = block.as_chunks::<8>();
        core::array::from_fn(|i| u64::from_le_bytes(words[i]))
    }

    /// One bit a byte, set where the byte is `byte`.
    pub(super) fn places(lanes: &Lanes, byte: u8) -> u64 {
        let eight = |i: usize| equal(lanes[i], byte) << (8 * i);
        (0..8).fold(0, |bits, i| bits | eight(i))
    }

    /// Eight bits, one a byte of `word`, set where the byte is `byte`.
    fn equal(word: u64, byte: u8) -> u64 {
        const LOW7: u64 = 0x7f7f_7f7f_7f7f_7f7f;
        let differ = word ^ u64::from_ne_bytes([byte; 8]);
        let same = !(((differ & LOW7) + LOW7) | differ | LOW7);
        // Gathers the top bits of the eight bytes; the product's upper byte takes each exactly once.
        (same >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
    }
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
                Some(End::Closed(text.len())),
                "{text}"
            );
        }
    }

    #[test]
    fn a_line_that_ends_within_a_string_is_a_fault_where_that_is_asked_for() {
        let text = "{\"a\":\"b\"c\",\n\"d\":1}";
        assert_eq!(Nesting::in_lines(b'{').feed(text.as_bytes()), Some(End::Broken(12)));
        assert_eq!(Nesting::new(b'{').feed(text.as_bytes()), None);
        let text = "{\"a\":\n\"}\"\n}, \"x\n";
        assert_eq!(Nesting::in_lines(b'{').feed(text.as_bytes()), Some(End::Closed(11)));
    }

    #[test]
    fn every_byte_is_found_alone_in_either_way() {
        for at in 0..64 {
            let mut block = [b'"' ^ 0x80; 64];
            block[at] = b'"';
            assert_eq!(places(&lanes(&block), b'"'), 1 << at);
            assert_eq!(words::places(&words::lanes(&block), b'"'), 1 << at);
        }
    }

    fn json_like() -> impl Strategy<Value = Vec<u8>> {
        let byte = prop_oneof![
            4 => Just(b'x'), 2 => Just(b'"'), 2 => Just(b'\\'), 3 => Just(b'{'), 2 => Just(b'}'),
            1 => Just(b'\n'), 1 => any::<u8>()
        ];
        prop::collection::vec(byte, 0..400)
    }

    proptest! {
        #[test]
        fn both_ways_find_the_same(block in any::<[u8; 64]>(), byte in any::<u8>()) {
            prop_assert_eq!(
                places(&lanes(&block), byte),
                words::places(&words::lanes(&block), byte)
            );
        }

        #[test]
        fn blocks_agree_with_bytes_however_cut(
            text in json_like(),
            cut in 0usize..400,
            lines in any::<bool>(),
        ) {
            let text = [b"{".as_slice(), &text].concat();
            let new = || Nesting { lines, ..Nesting::new(b'{') };
            let slow = new().bytewise(&text);
            let mut fast = new();
            let (head, tail) = text.split_at(cut.min(text.len()));
            let found = fast.feed(head).or_else(|| fast.feed(tail).map(|end| end.behind(head.len())));
            prop_assert_eq!(found, slow);
        }
    }
}
