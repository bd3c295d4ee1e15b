//! Where are results kept between runs, so that they need not be computed again?
//!
//! The environment variable `RADDLE_CACHE` names the folder, or says `off`; by default it is
//! `raddle` in the user's folder of caches. No failure there is reported: a result that cannot be
//! kept is computed again.

use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use tempfile::NamedTempFile;

/// Largest number of bytes in the cache folder, where results such as fits of profiles are kept for
/// later commands; beyond it, the files that were written longest ago are removed.
const MOST_BYTES: u64 = 64 << 20;
const ENDING: &str = "fit.json";

/// Switch for the cache of results: true in a process of this tool, unless its command line says
/// `--no-cache`. In a process of another program, such as Python, it stays false, as the program's
/// file does not identify the version of this code.
static ON: AtomicBool = AtomicBool::new(false);

/// Switches the cache of results on or off, from now on.
pub(crate) fn switch(on: bool) {
    ON.store(on, Ordering::Relaxed);
}

/// Returns the cache folder; `None` where the cache is switched off or no folder is known.
fn folder() -> Option<PathBuf> {
    if !ON.load(Ordering::Relaxed) {
        return None;
    }
    let named = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    match named("RADDLE_CACHE") {
        Some(off) if off == *"off" => None,
        Some(folder) => Some(folder.into()),
        None => {
            let home = || named("HOME").map(|home| PathBuf::from(home).join(".cache"));
            let base = named("XDG_CACHE_HOME").map(PathBuf::from).or_else(home);
            base.filter(|base| base.is_absolute()).map(|base| base.join("raddle"))
        }
    }
}

/// Returns the name of the cache file for a key; `None` where the program's own file cannot be
/// examined. The name also identifies this program, by its size and the time at which it was built,
/// since another version may compute other results.
fn name(key: &str) -> Option<OsString> {
    let program = fs::metadata(std::env::current_exe().ok()?).ok()?;
    let built = program.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(format!("{:x}-{:x}-{key}.{ENDING}", program.len(), built.as_nanos()).into())
}

/// Reads the result that an earlier command kept in the cache under a key; `None` where there is
/// none.
pub(crate) fn get(key: &str) -> Option<Vec<u8>> {
    fs::read(folder()?.join(name(key)?)).ok()
}

/// Keeps a result in the cache under a key. Another program that does so at the same time writes an
/// equal file.
pub(crate) fn put(key: &str, content: &[u8]) {
    let keep = || {
        let folder = folder()?;
        fs::create_dir_all(&folder).ok()?;
        let mut file = NamedTempFile::new_in(&folder).ok()?;
        file.write_all(content).ok()?;
        file.persist(folder.join(name(key)?)).ok()?;
        forget_old(&folder)
    };
    // A folder that cannot be written costs time in the next run, and nothing else.
    let _: Option<()> = keep();
}

/// Removes the cache files that were written longest ago, until the cache folder has at most
/// `MOST_BYTES`; `None` where the folder cannot be read.
fn forget_old(folder: &Path) -> Option<()> {
    let mut files: Vec<(SystemTime, PathBuf, u64)> = fs::read_dir(folder)
        .ok()?
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().ends_with(ENDING))
        .filter_map(|entry| {
            let about = entry.metadata().ok()?;
            Some((about.modified().ok()?, entry.path(), about.len()))
        })
        .collect();
    files.sort();
    let mut bytes: u64 = files.iter().map(|&(.., bytes)| bytes).sum();
    for (_, path, size) in files {
        if bytes <= MOST_BYTES {
            break;
        }
        if fs::remove_file(path).is_ok() {
            bytes -= size;
        }
    }
    Some(())
}
