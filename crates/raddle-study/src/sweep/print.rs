//! How are the rows of one sweep told from those of another sweep?

use std::fmt;

/// Fingerprint of texts: FNV-1a of 64 bits. It guards against mistakes, not against malice.
#[derive(Clone, Copy, Debug)]
pub(super) struct Print(u64);

impl Default for Print {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Print {
    /// Adds a text to the fingerprint, with an end mark behind it, so that two different lists of
    /// texts never add the same bytes.
    pub(super) fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
        self.bytes(&[0xff]);
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
}

impl fmt::Write for Print {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.bytes(text.as_bytes());
        Ok(())
    }
}

impl fmt::Display for Print {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_that_of_the_published_vectors() {
        let of = |text: &str| {
            let mut print = Print::default();
            print.bytes(text.as_bytes());
            print.to_string()
        };
        // http://www.isthe.com/chongo/src/fnv/test_fnv.c
        assert_eq!(of(""), "cbf29ce484222325");
        assert_eq!(of("a"), "af63dc4c8601ec8c");
        assert_eq!(of("foobar"), "85944171f73967e8");
    }
}
