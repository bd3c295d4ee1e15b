//! Which files does an HTML report carry that can replay with other settings?
//!
//! The report carries the engine (raddle as WebAssembly), the study, and every file that the study
//! names, by names without folders, so that a page tells nobody where the files were.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use raddle_study::{Files, Study};
use raddle_trace::{ImportConfig, Profile, TraceError};
use raddle_web::{Carried, page};
use serde_json::Value;

use crate::disk::Disk;
use crate::engine::EngineFile;
use crate::error::CliError;

/// Files that a study (a question about profiles) reads, kept as bytes so that the HTML page with
/// its result can carry them; `-` is the standard input.
#[derive(Debug)]
pub(crate) struct CarriedFiles {
    disk: Disk,
    kept: Mutex<BTreeMap<String, Vec<u8>>>,
}

impl CarriedFiles {
    /// Returns access to all files of the machine, which keeps the content of each file that is
    /// read; `paths` are the files that the study names.
    pub(crate) fn of(paths: &[PathBuf]) -> Self {
        Self { disk: Disk::new(paths, false), kept: Mutex::default() }
    }

    /// Returns access to the files in `files`, by name, whose content is in memory; a name that is
    /// not among them means a file of the machine.
    pub(crate) fn in_memory(files: BTreeMap<String, Vec<u8>>) -> Self {
        Self { disk: Disk::default(), kept: Mutex::new(files) }
    }

    /// Returns the HTML page that shows `report` and carries the files that the study read, so that
    /// the page can replay them with other settings.
    pub(crate) fn page(
        &self,
        engine: &EngineFile,
        study: &Study,
        report: &str,
    ) -> Result<String, CliError> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let names = names(kept.keys());
        let files: Vec<(String, Vec<u8>)> =
            kept.iter().map(|(name, bytes)| (names[name].clone(), bytes.clone())).collect();
        let study = renamed(study, &names)?;
        Ok(page(engine.engine(), Some(&Carried { study: &study, files: &files, report })))
    }
}

impl Files for CarriedFiles {
    fn has(&self, name: &str) -> bool {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.contains_key(name) || self.disk.has(name)
    }

    fn bytes(&self, name: &str) -> io::Result<Cow<'_, [u8]>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bytes) = kept.get(name) {
            return Ok(Cow::Owned(bytes.clone()));
        }
        let bytes = if name == "-" {
            let mut bytes = Vec::new();
            io::stdin().lock().read_to_end(&mut bytes)?;
            bytes
        } else {
            self.disk.bytes(name)?.into_owned()
        };
        kept.insert(name.to_owned(), bytes.clone());
        Ok(Cow::Owned(bytes))
    }

    fn kept(&self, key: &str) -> Option<Vec<u8>> {
        self.disk.kept(key)
    }

    fn keep(&self, key: &str, content: &[u8]) {
        self.disk.keep(key, content);
    }

    fn profile(&self, name: &str, options: &ImportConfig) -> Result<Profile, TraceError> {
        let file = if name == "-" { "stdin" } else { name };
        let bytes = self.bytes(name);
        let bytes =
            bytes.map_err(|cause| TraceError::Unreadable { file: file.to_owned(), cause })?;
        raddle_trace::read(file, &*bytes, options)
    }
}

/// Returns, for each path, the name by which the HTML page knows the file: its file name without
/// folders; where two would be equal, the later one is `2/NAME`, then `3/NAME`.
fn names<'n>(given: impl Iterator<Item = &'n String>) -> BTreeMap<String, String> {
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    for name in given {
        let bare = if name == "-" { "stdin" } else { file_name(name) };
        let mut free = bare.to_owned();
        let mut n = 2_u32;
        while names.values().any(|taken| *taken == free) {
            free = format!("{n}/{bare}");
            n += 1;
        }
        names.insert(name.clone(), free);
    }
    names
}

fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Returns the study with its files renamed by `names` (old name to new name), and with the paths
/// that the user typed cut to their file names.
fn renamed(study: &Study, names: &BTreeMap<String, String>) -> Result<Study, CliError> {
    let given = study.given.iter().map(|name| file_name(name).to_owned()).collect();
    let study = Study { given, ..study.clone() };
    let renamed = serde_json::to_value(&study)
        .map(|value| {
            each_text(value, &|text| names.iter().find_map(|(name, to)| swap(text, name, to)))
        })
        .and_then(serde_json::from_value);
    renamed.map_err(|error| {
        CliError::Refused(format!("the study cannot be carried ({error}): leave --live-report out"))
    })
}

/// Returns the text with the file name `name` replaced by `to`, if the text names that file as
/// `NAME`, `NAME*3` or `serve=NAME:task`; else `None`.
fn swap(text: &str, name: &str, to: &str) -> Option<String> {
    let stands = |&(at, _): &(usize, &str)| {
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        (before.is_empty() || before.ends_with('='))
            && (after.is_empty() || after.starts_with([':', '*', '=']))
    };
    let (at, _) = text.match_indices(name).find(stands)?;
    Some(format!("{}{to}{}", &text[..at], &text[at + name.len()..]))
}

/// Replaces every string in a JSON value for which `change` returns a new one.
fn each_text(value: Value, change: &dyn Fn(&str) -> Option<String>) -> Value {
    match value {
        Value::String(text) => Value::String(change(&text).unwrap_or(text)),
        Value::Array(all) => {
            Value::Array(all.into_iter().map(|one| each_text(one, change)).collect())
        }
        Value::Object(all) => {
            all.into_iter().map(|(key, one)| (key, each_text(one, change))).collect()
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_folder_of_a_file_is_carried() {
        let given = ["/a/x.csv", "/b/x.csv", "load.json", "-", "C:\\c\\y.csv"].map(str::to_owned);
        let names = names(given.iter());
        let study = Study {
            profiles: vec!["/a/x.csv*3".to_owned(), "/b/x.csv".to_owned(), "-".to_owned()],
            recipes: vec!["leftover-drain".to_owned()],
            device: Some("rtx-2080-ti".to_owned()),
            given: vec!["/a".to_owned(), "-".to_owned()],
            load: raddle_study::Load {
                requests: vec!["x=load.json:t".to_owned(), "C:\\c\\y.csv=40/s".to_owned()],
                ..Default::default()
            },
            ..Study::default()
        };
        let renamed = renamed(&study, &names).unwrap();
        assert_eq!(renamed.profiles, ["x.csv*3", "2/x.csv", "stdin"]);
        assert_eq!(renamed.recipes, study.recipes);
        assert_eq!(renamed.device, study.device);
        assert_eq!(renamed.given, ["a", "stdin"]);
        assert_eq!(renamed.load.requests, ["x=load.json:t", "y.csv=40/s"]);
    }

    #[test]
    fn a_file_is_read_once_and_kept() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.csv");
        std::fs::write(&path, "x").unwrap();
        let files = CarriedFiles::of(&[]);
        let name = path.display().to_string();
        assert!(files.has(&name) && !files.has("b.csv"));
        assert_eq!(*files.bytes(&name).unwrap(), *b"x");
        std::fs::remove_file(&path).unwrap();
        assert_eq!(*files.bytes(&name).unwrap(), *b"x");
        assert!(files.bytes("b.csv").is_err());
    }
}
