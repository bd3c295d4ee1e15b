//! Is every sample file either imported or refused with something that can be done?
#![cfg(all(feature = "sqlite", feature = "xplane"))]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use raddle_trace::{ImportConfig, open};

/// Folder of sample files ("" is the outermost), as (name, number of files that are imported,
/// number that are refused, advice that a refusal there may give).
type Folder = (&'static str, u32, u32, &'static [&'static str]);

const FOLDERS: [Folder; 12] = [
    ("", 0, 2, &["docs/profiles.md"]),
    ("accelsim", 0, 5, &["docs/launch-table.md"]),
    ("derived", 2, 0, &[]),
    ("disb", 0, 19, &["--arrivals FILE", "a result of a benchmark", "docs/profiles.md"]),
    ("jax", 1, 1, &["record a process"]),
    ("kineto_amd", 6, 0, &[]),
    ("kineto_nvidia", 8, 0, &[]),
    ("llm_requests", 0, 1, &["--arrivals FILE"]),
    ("nsys", 3, 0, &[]),
    ("reef", 0, 23, &["--arrivals FILE", "docs/launch-table.md"]),
    ("rocprof", 9, 16, ROCPROF),
    ("rpd", 2, 0, &[]),
];

const ROCPROF: &[&str] = &[
    "give timestamps.csv of the same folder",
    "_kernel_trace.csv of the same run",
    "give the file that the profiler wrote",
    "record again",
];

/// Lists the files in a folder, without those in folders below it.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut files: Vec<_> =
        entries.map(|entry| entry.expect("the folder can be read").path()).collect();
    files.retain(|path| path.is_file());
    files.sort();
    files
}

#[test]
fn imports_or_says_what_to_do() {
    let folder = raddle_testkit::samples();
    let Ok(manifest) = fs::read_to_string(folder.join("MANIFEST.tsv")) else {
        return raddle_testkit::absent("the list of all samples");
    };
    let mut found = BTreeMap::new();
    for (name, _, _, advice) in FOLDERS {
        let (mut imported, mut refused) = (0, 0);
        for path in files(&folder.join(name)) {
            match open(&path, &ImportConfig::default()) {
                Ok(_) => imported += 1,
                Err(error) => {
                    refused += 1;
                    let text = error.to_string();
                    assert!(advice.iter().any(|part| text.contains(part)), "{text}");
                }
            }
        }
        found.insert(name, (imported, refused));
    }
    let wanted: BTreeMap<_, _> = FOLDERS.map(|(name, i, r, _)| (name, (i, r))).into();
    assert_eq!(found, wanted);
    // No sample is left out.
    for path in manifest.lines().skip(1).filter_map(|line| line.split('\t').next()) {
        let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent);
        assert!(wanted.contains_key(parent), "{path}: a folder that is not checked here");
    }
}
