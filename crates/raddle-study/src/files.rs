//! Where are the files that a study names, and where do its runs write?

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

use raddle_trace::arrivals::{ArrivalConfig, ArrivalFile};
use raddle_trace::{GraphCaptures, ImportConfig, Profile, TraceError};

use crate::timeline::Timeline;

/// Returns whether a name can only be that of a file: it has a folder, or ends as files of recipes
/// and devices do (`.toml`, `.json`).
pub(crate) fn is_path(name: &str) -> bool {
    name.contains(['/', '\\']) || name.ends_with(".toml") || name.ends_with(".json")
}

/// Source of the files that a study names, such as a disk or memory.
pub trait Files: Sync {
    /// Returns whether there is a file of this name.
    fn has(&self, name: &str) -> bool;

    /// Reads a whole file.
    ///
    /// # Errors
    /// When the file cannot be read.
    fn bytes(&self, name: &str) -> io::Result<Cow<'_, [u8]>>;

    /// Reads the text of a small file, such as a recipe or a device.
    ///
    /// # Errors
    /// When the file cannot be read.
    fn text(&self, name: &str) -> io::Result<String> {
        let text = String::from_utf8(self.bytes(name)?.into_owned());
        text.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
    }

    /// Returns the content that [`Files::keep`] stored under a key, now or in an earlier command;
    /// `None` where nothing is stored under it.
    fn kept(&self, key: &str) -> Option<Vec<u8>> {
        let _ = key;
        None
    }

    /// Keeps a content under a key of letters and digits, so that later commands need not compute
    /// it again. It may be lost at any time.
    fn keep(&self, key: &str, content: &[u8]) {
        let _ = (key, content);
    }

    /// Reads a profile.
    ///
    /// # Errors
    /// When the file cannot be read, or is no profile.
    fn profile(&self, name: &str, options: &ImportConfig) -> Result<Profile, TraceError> {
        raddle_trace::read(name, &*traced(self, name)?, options)
    }

    /// Reads a file with the arrivals of requests.
    ///
    /// # Errors
    /// When the file cannot be read, or tells nothing about requests.
    fn arrivals(&self, name: &str, options: &ArrivalConfig) -> Result<ArrivalFile, TraceError> {
        raddle_trace::arrivals::read(name, &*traced(self, name)?, options)
    }

    /// Reads a file with the shapes of kernels whose profile has none.
    ///
    /// # Errors
    /// When the file cannot be read, or holds no shape.
    fn captures(&self, name: &str) -> Result<GraphCaptures, TraceError> {
        GraphCaptures::read(name, &traced(self, name)?)
    }
}

fn traced<'f>(files: &'f (impl Files + ?Sized), name: &str) -> Result<Cow<'f, [u8]>, TraceError> {
    files.bytes(name).map_err(|cause| TraceError::Unreadable { file: name.to_owned(), cause })
}

/// Files in memory: the name of each with its content, for tests and for studies without a disk.
#[derive(Clone, Debug, Default)]
pub struct MemoryFiles(pub BTreeMap<String, Vec<u8>>);

impl Files for MemoryFiles {
    fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    fn bytes(&self, name: &str) -> io::Result<Cow<'_, [u8]>> {
        let found = self.0.get(name).map(|bytes| Cow::Borrowed(&**bytes));
        found.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "no such file was given"))
    }
}

/// Receiver of the files that a study writes beside its figures, for each recipe: decision logs and
/// timelines.
pub trait Leavings: Sync {
    /// Opens a decision log to be written as text; `file` is its name, `RECIPE/...`.
    ///
    /// # Errors
    /// When the log cannot be made.
    fn log(&self, file: &str) -> io::Result<Box<dyn Write + Send>>;

    /// Returns the size of a finished decision log in bytes; `None` where it is not known.
    fn log_bytes(&self, file: &str) -> Option<u64>;

    /// Takes a timeline to be stored; `file` is its name, `RECIPE/...`.
    ///
    /// # Errors
    /// When the timeline cannot be written.
    fn timeline(&self, file: &str, timeline: &Timeline) -> io::Result<()>;
}

/// Returns the name of a file without its folders, for results and messages.
pub(crate) fn base_name(path: &str) -> String {
    let name = Path::new(path).file_name();
    name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}
