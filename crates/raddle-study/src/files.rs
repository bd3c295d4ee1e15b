//! Where are the files that a study names, and where do its runs write?

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

use raddle_trace::arrivals::{ArrivalConfig, ArrivalFile};
use raddle_trace::{GraphCaptures, ImportConfig, Profile, TraceError};

use crate::timeline::Timeline;

/// Returns whether a name must mean a file and no bundled recipe or device: it contains a folder,
/// or ends with `.toml` or `.json`.
pub(crate) fn is_path(name: &str) -> bool {
    name.contains(['/', '\\']) || name.ends_with(".toml") || name.ends_with(".json")
}

/// Source from which a study reads the files that it names, such as a disk or memory.
pub trait Files: Sync {
    /// Returns whether a file with this name exists.
    fn has(&self, name: &str) -> bool;

    /// Reads the whole content of a file.
    ///
    /// # Errors
    /// When the file cannot be read.
    fn bytes(&self, name: &str) -> io::Result<Cow<'_, [u8]>>;

    /// Reads the text of a small file, such as one with a recipe or a device.
    ///
    /// # Errors
    /// When the file cannot be read.
    fn text(&self, name: &str) -> io::Result<String> {
        let text = String::from_utf8(self.bytes(name)?.into_owned());
        text.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
    }

    /// Returns the content that [`Files::keep`] stored under this key, in this or an earlier
    /// command; `None` where none is stored.
    fn kept(&self, key: &str) -> Option<Vec<u8>> {
        let _ = key;
        None
    }

    /// Stores a content under a key of letters and digits, so that later commands need not compute
    /// it again. The stored content may get lost at any time.
    fn keep(&self, key: &str, content: &[u8]) {
        let _ = (key, content);
    }

    /// Reads a profile (a recording of a program by a profiler) from a file.
    ///
    /// # Errors
    /// When the file cannot be read, or is no profile.
    fn profile(&self, name: &str, options: &ImportConfig) -> Result<Profile, TraceError> {
        raddle_trace::read(name, &*traced(self, name)?, options)
    }

    /// Reads an arrival file, which says when requests arrive.
    ///
    /// # Errors
    /// When the file cannot be read, or tells nothing about requests.
    fn arrivals(&self, name: &str, options: &ArrivalConfig) -> Result<ArrivalFile, TraceError> {
        raddle_trace::arrivals::read(name, &*traced(self, name)?, options)
    }

    /// Reads a file with the shapes (grid and workgroup sizes) of kernels, for a profile that lacks
    /// them.
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

/// Source of files in memory, as a map from the name of a file to its content; for tests and for
/// studies without a disk.
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

/// Receiver of the files other than figures that a study writes for each recipe: decision logs and
/// timelines.
pub trait Leavings: Sync {
    /// Opens a decision log, to which the caller writes text. `file` is the name of the log,
    /// `RECIPE/...`.
    ///
    /// # Errors
    /// When the log cannot be created.
    fn log(&self, file: &str) -> io::Result<Box<dyn Write + Send>>;

    /// Returns the size of a finished decision log in bytes; `None` where the size is not known.
    fn log_bytes(&self, file: &str) -> Option<u64>;

    /// Stores a timeline; `file` is its name, `RECIPE/...`.
    ///
    /// # Errors
    /// When the timeline cannot be stored.
    fn timeline(&self, file: &str, timeline: &Timeline) -> io::Result<()>;
}

/// Returns the name of a file without its folders, for results and messages.
pub(crate) fn base_name(path: &str) -> String {
    let name = Path::new(path).file_name();
    name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}
