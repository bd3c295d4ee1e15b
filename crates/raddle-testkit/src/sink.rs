//! How does a test read the bytes that the code under test has written?

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// Writer that keeps all bytes written to it, so that a test can read them; clones share the bytes.
#[derive(Clone, Debug, Default)]
pub struct Sink(Arc<Mutex<Vec<u8>>>);

impl Sink {
    /// Returns all bytes that have been written so far, as text.
    ///
    /// # Panics
    /// If the bytes are not UTF-8.
    #[must_use]
    pub fn text(&self) -> String {
        let bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        String::from_utf8(bytes).expect("what was written is text")
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
