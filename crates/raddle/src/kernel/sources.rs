//! Which kernels of a profile have a source beside it, and what are the verdicts on them?
//!
//! A source is a `.ptx`, `.cl` or `.spv` file in a folder or one of its subfolders, as in Triton's
//! cache. A kernel is found by its name, mangled or readable. If several sources have its name, as
//! for the specialisations that Triton makes of one function, the most careful verdict counts.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use raddle_study::inspect::SourceVerdict;
use raddle_trace::Profile;

use super::args::Build;
use super::verdicts::readable;
use super::{KernelVerdict, analysis, strictness};
use crate::error::CliError;
use crate::units::harmless;

/// Largest depth of subfolders that are searched for kernel sources.
const DEEPEST: usize = 8;

/// Verdicts on kernels, from their source files, by the kernel's name: whether each may be stopped
/// and run again.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    by_name: BTreeMap<String, KernelVerdict>,
}

impl Sources {
    /// Judges all kernel sources in these folders; names those that cannot be read in `problems`.
    ///
    /// # Errors
    /// Where a folder cannot be read.
    pub(crate) fn of(folders: &[PathBuf], problems: &mut dyn Write) -> Result<Self, CliError> {
        let mut files = Vec::new();
        for folder in folders {
            collect(folder, DEEPEST, &mut files)?;
        }
        files.sort();
        let mut sources = Self::default();
        if let (Some(why), false) = (analysis::ABSENT, files.is_empty()) {
            let _ = writeln!(problems, "{why}");
            return Ok(sources);
        }
        for file in &files {
            match analysis::judge(file, &Build::default()) {
                Ok(verdicts) => verdicts.into_iter().for_each(|verdict| sources.add(verdict)),
                Err(error) => _ = writeln!(problems, "{}", harmless(&error.to_string())),
            }
        }
        Ok(sources)
    }

    fn add(&mut self, verdict: KernelVerdict) {
        for name in std::iter::once(verdict.name.clone()).chain(readable(&verdict.name)) {
            match self.by_name.get(&name) {
                Some(known) if strictness(known) >= strictness(&verdict) => {}
                _ => _ = self.by_name.insert(name, verdict.clone()),
            }
        }
    }

    /// Returns the verdicts on those kernels of a profile that have a source, in the order of the
    /// profile.
    pub(crate) fn verdicts(&self, profile: &Profile) -> Vec<SourceVerdict> {
        let found = profile.kernels.iter().filter_map(|name| {
            let verdict = self.by_name.get(name.strip_prefix("void ").unwrap_or(name))?;
            Some(SourceVerdict {
                kernel: name.clone(),
                verdict: verdict.verdict,
                why: verdict.why(),
                source: verdict.place(),
            })
        });
        found.collect()
    }
}

/// Adds the kernel sources of a folder, and of its subfolders down to the depth `deepest`, to
/// `files`.
fn collect(folder: &Path, deepest: usize, files: &mut Vec<PathBuf>) -> Result<(), CliError> {
    let file = folder.display().to_string();
    let unreadable = |cause| CliError::Unreadable { file: file.clone(), cause };
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.is_dir() && deepest > 0 {
            collect(&path, deepest - 1, files)?;
        } else if path.extension().is_some_and(|e| e == "ptx" || e == "cl" || e == "spv") {
            files.push(path);
        }
    }
    Ok(())
}
