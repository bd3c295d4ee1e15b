//! Which folder of results may be replaced, and what is written into a new one?
//!
//! A folder is replaced only if every file in it belongs to an earlier result and is as raddle
//! wrote it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use raddle_study::result::{PAGE, SET_UP, SUMMARY, SetUpFile};

use crate::check;
use crate::error::CliError;
use crate::place::{self, OutputPlace};
use crate::seal;

/// A folder of results under construction. If this value is dropped unfinished, no files are left
/// behind.
#[derive(Debug)]
pub(crate) struct Output {
    place: OutputPlace,
    shown: String,
}

impl Output {
    /// Checks that results may be written to a folder, before the work of making them.
    pub(crate) fn check(folder: &Path) -> Result<(), CliError> {
        place::check(folder, &earlier)
    }

    /// Begins a folder of results at the path `folder`: nothing may be there but an empty folder or
    /// an earlier result.
    pub(crate) fn begin(folder: &Path) -> Result<Self, CliError> {
        let shown = folder.display().to_string();
        let place = OutputPlace::begin(folder, &earlier)?;
        // The folder is made inside of the temporary one, so that it has the rights that any new
        // folder gets.
        fs::create_dir(place.new_path()).map_err(CliError::writing(&shown))?;
        Ok(Self { place, shown })
    }

    /// Returns the temporary folder into which results are written.
    pub(crate) fn path(&self) -> PathBuf {
        self.place.new_path()
    }

    /// Writes the files by which the user sets up the recommended recipe on a device, if there are
    /// any.
    pub(crate) fn set_up(&self, files: &[SetUpFile]) -> Result<(), CliError> {
        let folder = self.path().join(SET_UP);
        if !files.is_empty() {
            fs::create_dir(&folder).map_err(CliError::writing(&self.shown))?;
        }
        for file in files {
            let written = fs::write(folder.join(file.name), &file.text);
            written.map_err(CliError::writing(&self.shown))?;
        }
        Ok(())
    }

    /// Writes the profiles and requests of the bundled pair of programs, each given as (file name,
    /// text).
    pub(crate) fn pair(&self, files: &[(&str, &str)]) -> Result<(), CliError> {
        for (name, text) in files {
            let written = fs::write(self.path().join(name), text);
            written.map_err(CliError::writing(&self.shown))?;
        }
        Ok(())
    }

    /// Writes the summary (JSON), the page (HTML), and the record with the hashes of all files, and
    /// renames the folder to its final name.
    pub(crate) fn finish(self, summary: &str, page: &str) -> Result<(), CliError> {
        let new = self.path();
        fs::write(new.join(SUMMARY), summary).map_err(CliError::writing(&self.shown))?;
        fs::write(new.join(PAGE), page).map_err(CliError::writing(&self.shown))?;
        self.close()
    }

    /// Writes the record with the hashes of all files, and renames the folder to its final name.
    pub(crate) fn close(self) -> Result<(), CliError> {
        seal::record(&self.path()).map_err(CliError::writing(&self.shown))?;
        self.place.finish(&earlier)
    }
}

/// Checks that a folder is an earlier result in which every file is as raddle wrote it; the error
/// says which is not.
fn earlier(folder: &Path) -> Result<(), String> {
    let entries = fs::read_dir(folder).map_err(|error| match error.kind() {
        io::ErrorKind::NotADirectory => "it is a file".to_owned(),
        _ => error.to_string(),
    })?;
    let here = std::env::current_dir().and_then(fs::canonicalize);
    let real = fs::canonicalize(folder).map_err(|error| error.to_string())?;
    if here.is_ok_and(|here| here.starts_with(real)) {
        return Err("it is the current folder or lies around it".to_owned());
    }
    let names = names(entries).map_err(|error| error.to_string())?;
    if names.is_empty() {
        return Ok(());
    }
    // A check of the prediction writes its result beside the report.
    seal::check_record(folder, &|name, path| match name {
        check::RESULT => check::earlier(path).is_ok(),
        check::PAGE => place::page(path).is_ok(),
        _ => false,
    })
}

fn names(entries: fs::ReadDir) -> io::Result<Vec<String>> {
    let mut names = entries
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect::<io::Result<Vec<_>>>()?;
    names.sort_unstable();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::seal::RECORD;

    const OURS: &str = r#"{"raddle":"0","recipes":[{"name":"greedy"}]}"#;

    fn begin(folder: &Path) -> Result<Output, String> {
        Output::begin(folder).map_err(|error| error.to_string())
    }

    fn entries(folder: &Path) -> Vec<String> {
        names(fs::read_dir(folder).unwrap()).unwrap()
    }

    #[test]
    fn given_up_it_leaves_nothing_finished_it_leaves_the_folder() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("a/b/c");
        drop(begin(&folder).unwrap());
        assert!(entries(dir.path()).is_empty());
        let output = begin(&folder).unwrap();
        fs::create_dir(output.path().join("greedy")).unwrap();
        fs::write(output.path().join("greedy/log"), "x").unwrap();
        output.finish(OURS, "").unwrap();
        assert_eq!(entries(&dir.path().join("a/b")), ["c"]);
        assert_eq!(entries(&folder), [RECORD, "greedy", PAGE, SUMMARY]);
    }

    #[test]
    fn an_earlier_result_is_replaced_as_a_whole() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("out");
        let output = begin(&folder).unwrap();
        fs::create_dir(output.path().join("greedy")).unwrap();
        output.finish(OURS, "").unwrap();
        begin(&folder).unwrap().finish(OURS, "").unwrap();
        assert_eq!(entries(&folder), [RECORD, PAGE, SUMMARY]);
        assert_eq!(entries(dir.path()), ["out"]);
    }

    #[test]
    fn what_others_put_there_meanwhile_stays_and_the_result_is_beside_it() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("out");
        begin(&folder).unwrap().finish(OURS, "").unwrap();
        let output = begin(&folder).unwrap();
        fs::write(folder.join("notes"), "mine").unwrap();
        fs::create_dir(folder.join("work")).unwrap();
        let told = output.finish(OURS, "").unwrap_err().to_string();
        assert!(told.contains("it holds notes") && told.contains("out-2"), "{told}");
        assert_eq!(entries(&folder), [RECORD, "notes", PAGE, SUMMARY, "work"]);
        assert_eq!(entries(&dir.path().join("out-2")), [RECORD, PAGE, SUMMARY]);
        assert_eq!(entries(dir.path()), ["out", "out-2"]);
    }

    #[test]
    fn what_others_wrote_stays() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("out");
        fs::write(&folder, "").unwrap();
        assert!(begin(&folder).unwrap_err().contains("it is a file"));
        fs::remove_file(&folder).unwrap();
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("notes"), "").unwrap();
        assert!(begin(&folder).unwrap_err().contains("no .raddle.json"));
        fs::write(folder.join(RECORD), "[]").unwrap();
        assert!(begin(&folder).unwrap_err().contains("no .raddle.json"));
        fs::remove_file(folder.join(RECORD)).unwrap();
        fs::remove_file(folder.join("notes")).unwrap();
        let output = begin(&folder).unwrap();
        fs::create_dir(output.path().join("greedy")).unwrap();
        fs::write(output.path().join("greedy/log"), "x").unwrap();
        output.finish(OURS, "").unwrap();
        fs::write(folder.join("greedy/mine"), "").unwrap();
        assert!(begin(&folder).unwrap_err().contains("it holds greedy/mine"));
        fs::remove_file(folder.join("greedy/mine")).unwrap();
        for file in [PAGE, SUMMARY, "greedy/log"] {
            let before = fs::read(folder.join(file)).unwrap();
            fs::write(folder.join(file), "changed").unwrap();
            let told = begin(&folder).unwrap_err();
            assert!(told.contains(&format!("{file} in it was changed")), "{told}");
            fs::write(folder.join(file), before).unwrap();
        }
        begin(&folder).unwrap().finish(OURS, "").unwrap();
        assert_eq!(entries(&folder), [RECORD, PAGE, SUMMARY]);
    }

    #[test]
    fn a_file_that_is_changed_meanwhile_stays_and_the_result_is_beside_it() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("out");
        begin(&folder).unwrap().finish(OURS, "").unwrap();
        let output = begin(&folder).unwrap();
        fs::write(folder.join(PAGE), "with my notes").unwrap();
        let told = output.finish(OURS, "").unwrap_err().to_string();
        assert!(told.contains("report.html in it was changed"), "{told}");
        assert_eq!(fs::read_to_string(folder.join(PAGE)).unwrap(), "with my notes");
        assert_eq!(entries(&dir.path().join("out-2")), [RECORD, PAGE, SUMMARY]);
    }
}
