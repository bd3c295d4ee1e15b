//! Which files did a web page send with a study, and how are profiles read from them?

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Read};

use raddle_study::Files;
use raddle_trace::{ImportConfig, Profile, TraceError};

use crate::tell::Teller;

/// Files, by name, that a web page sent together with a study. While a profile is read from them,
/// reports of progress go to the page.
pub(crate) struct GivenFiles<'q> {
    pub(crate) files: BTreeMap<String, &'q [u8]>,
    pub(crate) teller: &'q Teller<'q>,
}

impl Files for GivenFiles<'_> {
    fn has(&self, name: &str) -> bool {
        self.files.contains_key(name)
    }

    fn bytes(&self, name: &str) -> io::Result<Cow<'_, [u8]>> {
        let found = self.files.get(name).copied().map(Cow::Borrowed);
        found.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "no such file was given"))
    }

    fn profile(&self, name: &str, options: &ImportConfig) -> Result<Profile, TraceError> {
        let file = || name.to_owned();
        let bytes = self.bytes(name);
        let bytes = bytes.map_err(|cause| TraceError::Unreadable { file: file(), cause })?;
        self.teller.begins(&format!("reading {name}"), bytes.len() as u64);
        raddle_trace::read(name, GivenReader { left: &bytes, teller: self.teller }, options)
    }
}

struct GivenReader<'q> {
    left: &'q [u8],
    teller: &'q Teller<'q>,
}

impl Read for GivenReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.teller.is_over() {
            return Err(io::Error::other("the study was cancelled"));
        }
        let n = self.left.read(buffer)?;
        self.teller.more(n as u64);
        Ok(n)
    }
}
