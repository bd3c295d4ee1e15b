//! Where does a JSON value end, if its text arrives in several parts?
//!
//! Only quotes and the brackets of one kind are followed; serde_json checks the syntax when it parses the value.

use memchr::memchr3;

/// A search for the end of one JSON object, array or string, whose text arrives in several parts.
#[derive(Clone, Debug)]
pub(super) struct Nesting {
    open: u8,
    close: u8,
    depth: u64,
    in_string: bool,
    escaped: bool,
    /// True if a string that continues past the end of its line counts as damaged text.
    lines: bool,
}

/// Result of a search for the end of a JSON value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueEnd {
    /// The value ends after this many bytes of the last bytes passed to [`Nesting::feed`].
    Closed(usize),
    /// The text is damaged: a string continues past the end of its line. That line end lies before
    /// this offset, in bytes, in the last bytes passed to [`Nesting::feed`].
    Broken(usize),
}

impl Nesting {
    /// Starts a search over bytes that begin with `open`: `{`, `[` or `"`. If `lines` is true, a
    /// string that continues past the end of its line counts as damage.
    pub(super) fn new(open: u8, lines: bool) -> Self {
        // In ASCII each closing bracket is two behind its opening one.
        let close = open.wrapping_add(2);
        Self { open, close, depth: 0, in_string: false, escaped: false, lines }
    }

    /// Reads the next bytes of the text, and returns the end of the value if it is among them, else
    /// `None`.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Option<ValueEnd> {
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            let next = at + 1;
            at = next;
            let escaped = core::mem::take(&mut self.escaped);
            if byte == b'\\' {
                self.escaped = !escaped;
            } else if byte == b'"' {
                self.in_string ^= !escaped;
                if !escaped && !self.in_string && self.depth == 0 {
                    return Some(ValueEnd::Closed(next));
                }
            } else if self.in_string {
                if byte == b'\n' && self.lines {
                    return Some(ValueEnd::Broken(next));
                }
                let rest = &bytes[next..];
                at = next + memchr3(b'"', b'\\', b'\n', rest).unwrap_or(rest.len());
            } else if byte == self.open {
                self.depth += 1;
            } else if byte == self.close {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 {
                    return Some(ValueEnd::Closed(next));
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn brackets_in_strings_do_not_count() {
        for text in [
            r#"{}"#,
            r#"{"a":"}"}"#,
            r#"{"a":"\"}"}"#,
            r#"{"a":"\\"}"#,
            r#"{"a":{"b":[{}]}}"#,
            r#""\"}""#,
            "[[\"]\n\"]]",
        ] {
            let mut nesting = Nesting::new(text.as_bytes()[0], false);
            let wanted = Some(ValueEnd::Closed(text.len()));
            assert_eq!(nesting.feed(format!("{text}, more").as_bytes()), wanted, "{text}");
        }
    }

    #[test]
    fn a_line_that_ends_within_a_string_is_a_fault_where_that_is_asked_for() {
        let text = "{\"a\":\"b\"c\",\n\"d\":1}";
        assert_eq!(Nesting::new(b'{', true).feed(text.as_bytes()), Some(ValueEnd::Broken(12)));
        assert_eq!(Nesting::new(b'{', false).feed(text.as_bytes()), None);
        let text = "{\"a\":\n\"}\"\n}, \"x\n";
        assert_eq!(Nesting::new(b'{', true).feed(text.as_bytes()), Some(ValueEnd::Closed(11)));
    }

    proptest! {
        #[test]
        fn pieces_give_the_end_of_the_whole(
            text in "[x\"\\\\{}\\n]{0,60}", cut in 0usize..60, lines in any::<bool>(),
        ) {
            let text = format!("{{{text}");
            let whole = Nesting::new(b'{', lines).feed(text.as_bytes());
            let (head, tail) = text.as_bytes().split_at(cut.min(text.len()));
            let mut pieces = Nesting::new(b'{', lines);
            let found = pieces.feed(head).or_else(|| Some(match pieces.feed(tail)? {
                ValueEnd::Closed(len) => ValueEnd::Closed(head.len() + len),
                ValueEnd::Broken(len) => ValueEnd::Broken(head.len() + len),
            }));
            prop_assert_eq!(found, whole);
        }

        #[test]
        fn ends_where_serde_json_ends(value in prop::collection::btree_map("\\PC{0,6}", "\\PC{0,12}", 0..4)) {
            let text = serde_json::to_string(&value).unwrap();
            let found = Nesting::new(b'{', true).feed(format!("{text}]}}").as_bytes());
            prop_assert_eq!(found, Some(ValueEnd::Closed(text.len())));
        }
    }
}
