//! How far is it, for whoever waits at a terminal?
//!
//! Shown on the error stream, only where that is a terminal, and only after a second.

use std::fs::File;
use std::io::Read;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

/// What takes less is not worth a line.
const PATIENCE: Duration = Duration::from_secs(1);

/// A line that shows how far something is, or nothing.
#[derive(Clone, Debug)]
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
}

impl Progress {
    /// Counts up to `total` of something; silent unless `shown`.
    pub(crate) fn new(shown: bool, what: &'static str, template: &str, total: u64) -> Self {
        let bar = shown.then(|| {
            let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden());
            if let Ok(style) = ProgressStyle::with_template(template) {
                let rate = |state: &ProgressState, text: &mut dyn std::fmt::Write| {
                    // What cannot be shown is left out.
                    let _ = write!(text, "{:.0}/s", state.per_sec());
                };
                bar.set_style(style.with_key("rate", rate));
            }
            bar.set_message(what);
            bar
        });
        Self { bar }
    }

    /// Launches of simulated runs.
    pub(crate) fn runs(shown: bool, total: u64) -> Self {
        let template = "{msg} {wide_bar} {human_pos}/{human_len} launches, {rate}, {eta} left";
        Self::new(shown, "replaying", template, total)
    }

    /// Bytes of a file.
    pub(crate) fn bytes(shown: bool, total: u64) -> Self {
        let template = "{msg} {wide_bar} {bytes}/{total_bytes}, {bytes_per_sec}, {eta} left";
        Self::new(shown, "reading", template, total)
    }

    /// That much more is done.
    pub(crate) fn add(&self, n: u64) {
        if let Some(bar) = &self.bar {
            bar.inc(n);
            if bar.is_hidden() && bar.elapsed() > PATIENCE {
                bar.set_draw_target(ProgressDrawTarget::stderr());
            }
        }
    }

    /// Takes the line away.
    pub(crate) fn done(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    /// A file that tells how far it has been read.
    pub(crate) fn reading(self, file: File) -> Reading {
        Reading { file, progress: self }
    }
}

/// See [`Progress::reading`].
#[derive(Debug)]
pub(crate) struct Reading {
    file: File,
    progress: Progress,
}

impl Read for Reading {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let n = self.file.read(buffer)?;
        self.progress.add(n as u64);
        if n == 0 {
            self.progress.done();
        }
        Ok(n)
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        self.progress.done();
    }
}
