//! How does a study (a question about profiles) read files, and where does it write logs?

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use raddle_report::timeline::write_perfetto;
use raddle_study::timeline::Timeline;
use raddle_study::{Files, Leavings};
use raddle_trace::arrivals::{ArrivalConfig, ArrivalFile};
use raddle_trace::{GraphCaptures, ImportConfig, Profile, TraceError};

use crate::kept;
use crate::log_file::LogFile;
use crate::progress::ProgressLine;

/// Files of this machine, as a study (a question about profiles) reads them; where a profile is
/// meant, the name `-` is the standard input.
#[derive(Clone, Debug, Default)]
pub(crate) struct Disk {
    /// Paths that are not valid Unicode, each by the readable text that stands for it in a study.
    odd: BTreeMap<String, PathBuf>,
    /// True if a line on the terminal shows the progress of reading a profile.
    progress: bool,
}

impl Disk {
    /// Returns access to all files of the machine; those in `paths` can be read by name even if
    /// their paths are not valid Unicode.
    pub(crate) fn new(paths: &[PathBuf], progress: bool) -> Self {
        let odd = paths.iter().filter(|path| path.to_str().is_none());
        let odd = odd.map(|path| (path.display().to_string(), path.clone())).collect();
        Self { odd, progress }
    }

    fn path<'p>(&'p self, name: &'p str) -> &'p Path {
        self.odd.get(name).map_or(Path::new(name), PathBuf::as_path)
    }
}

/// Returns for each path the readable text by which a study names it.
pub(crate) fn named(paths: &[PathBuf]) -> Vec<String> {
    paths.iter().map(|path| path.display().to_string()).collect()
}

impl Files for Disk {
    fn has(&self, name: &str) -> bool {
        let path = self.path(name);
        // The name of a file in an archive stands behind the name of the archive.
        path.exists() || path.ancestors().skip(1).any(Path::is_file)
    }

    fn bytes(&self, name: &str) -> io::Result<Cow<'_, [u8]>> {
        fs::read(self.path(name)).map(Cow::Owned)
    }

    fn kept(&self, key: &str) -> Option<Vec<u8>> {
        kept::get(key)
    }

    fn keep(&self, key: &str, content: &[u8]) {
        kept::put(key, content);
    }

    fn profile(&self, name: &str, options: &ImportConfig) -> Result<Profile, TraceError> {
        if name == "-" {
            return raddle_trace::read("stdin", io::stdin().lock(), options);
        }
        let path = self.path(name);
        // A reader that counts is only needed if progress can be shown.
        let file = self.progress.then(|| File::open(path).ok()).flatten();
        let length = file.as_ref().and_then(|file| file.metadata().ok());
        match (file, length) {
            (Some(file), Some(data)) if data.is_file() => {
                let reading = ProgressLine::bytes(true, data.len()).reading(file);
                let rows = ProgressLine::rows(true);
                let watch = |done, of| rows.at(done, of);
                let profile = raddle_trace::read_watched(name, reading, options, &watch);
                rows.done();
                profile
            }
            _ => raddle_trace::open(path, options),
        }
    }

    fn arrivals(&self, name: &str, options: &ArrivalConfig) -> Result<ArrivalFile, TraceError> {
        raddle_trace::arrivals::open(self.path(name), options)
    }

    fn captures(&self, name: &str) -> Result<GraphCaptures, TraceError> {
        GraphCaptures::open(self.path(name))
    }
}

/// Folder into which the simulations of a study write their decision logs and timelines.
#[derive(Debug)]
pub(crate) struct RunFolder(pub(crate) PathBuf);

impl RunFolder {
    /// Returns the path of a result file in this folder, and makes the subfolders that it needs.
    fn place(&self, file: &str) -> io::Result<PathBuf> {
        let path = self.0.join(file);
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        Ok(path)
    }
}

impl Leavings for RunFolder {
    fn log(&self, file: &str) -> io::Result<Box<dyn Write + Send>> {
        Ok(Box::new(LogFile::create(&self.place(file)?)?))
    }

    fn log_bytes(&self, file: &str) -> Option<u64> {
        fs::metadata(self.0.join(file)).ok().map(|file| file.len())
    }

    fn timeline(&self, file: &str, timeline: &Timeline) -> io::Result<()> {
        let file = File::create(self.place(file)?)?;
        write_perfetto(timeline, BufWriter::with_capacity(1 << 16, file), &mut |_, _| ())
    }
}
