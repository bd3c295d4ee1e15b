//! How does a sweep read a file of arrivals once for all of its cases?

use std::borrow::Cow;
use std::io;
use std::sync::Arc;

use raddle_trace::arrivals::{ArrivalConfig, ArrivalFile};
use raddle_trace::{GraphCaptures, ImportConfig, Profile, TraceError};

use super::memo::Memo;
use crate::files::Files;

/// Files of a sweep; a file with arrivals is read only once, and its content stays in memory.
pub(super) struct Remembered<'f> {
    files: &'f dyn Files,
    arrivals: Memo<Arc<ArrivalFile>>,
}

impl<'f> Remembered<'f> {
    pub(super) fn new(files: &'f dyn Files) -> Self {
        Self { files, arrivals: Memo::default() }
    }
}

impl Files for Remembered<'_> {
    fn has(&self, name: &str) -> bool {
        self.files.has(name)
    }

    fn bytes(&self, name: &str) -> io::Result<Cow<'_, [u8]>> {
        self.files.bytes(name)
    }

    fn kept(&self, key: &str) -> Option<Vec<u8>> {
        self.files.kept(key)
    }

    fn keep(&self, key: &str, content: &[u8]) {
        self.files.keep(key, content);
    }

    fn profile(&self, name: &str, options: &ImportConfig) -> Result<Profile, TraceError> {
        self.files.profile(name, options)
    }

    fn arrivals(&self, name: &str, options: &ArrivalConfig) -> Result<ArrivalFile, TraceError> {
        let read = || Ok(Arc::new(self.files.arrivals(name, options)?));
        match self.arrivals.get(&format!("{name} {:?}", options.time_unit), read) {
            Ok(file) => Ok(ArrivalFile::clone(&file)),
            // A memo keeps only the text of an error, so the file is read again for the error
            // itself.
            Err(_) => self.files.arrivals(name, options),
        }
    }

    fn captures(&self, name: &str) -> Result<GraphCaptures, TraceError> {
        self.files.captures(name)
    }
}
