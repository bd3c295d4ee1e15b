//! Which folder of results may be replaced, and what is written into a new one?
//!
//! A folder is replaced only if everything in it is known to be an earlier result.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;

use raddle_report::replay::{LOG, PAGE, PERFETTO, SET_UP, SLOWEST, SUMMARY, SetUpFile};

use crate::check;
use crate::error::CliError;
use crate::place::Place;

/// The files that the folder of a recipe may hold.
const FILES: [&str; 3] = [LOG, PERFETTO, SLOWEST];

/// A folder of results under construction. If dropped unfinished, it leaves nothing behind.
#[derive(Debug)]
pub(crate) struct Output {
    place: Place,
    shown: String,
}

impl Output {
    /// Begins results for `folder`, which must not exist, be empty or hold an earlier result.
    pub(crate) fn begin(folder: &Path) -> Result<Self, CliError> {
        let shown = folder.display().to_string();
        let place = Place::begin(folder, &earlier)?;
        // The folder is made inside of the temporary one, so that it has the rights that any new
        // folder gets.
        fs::create_dir(place.new_path()).map_err(CliError::writing(&shown))?;
        Ok(Self { place, shown })
    }

    /// Returns the folder into which results are written.
    pub(crate) fn path(&self) -> PathBuf {
        self.place.new_path()
    }

    /// Writes the files that set up what is recommended, if there are any.
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

    /// Writes the summary and the page, and gives the folder its name.
    pub(crate) fn finish(self, summary: &str, page: &str) -> Result<(), CliError> {
        let new = self.path();
        fs::write(new.join(SUMMARY), summary).map_err(CliError::writing(&self.shown))?;
        fs::write(new.join(PAGE), page).map_err(CliError::writing(&self.shown))?;
        self.place.finish(&earlier)
    }
}

/// Checks that a folder is an earlier result, of which everything in it is known.
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
    let ours = Ours::read(&folder.join(SUMMARY))
        .ok_or_else(|| format!("it holds files, but no {SUMMARY} of raddle"))?;
    let own = [SUMMARY, PAGE, check::RESULT, check::PAGE];
    for name in names {
        let inner = folder.join(&name);
        let within = fs::read_dir(&inner).and_then(self::names);
        let all = |known: &dyn Fn(&String) -> bool| within.is_ok_and(|all| all.iter().all(known));
        let known = match &*name {
            SET_UP => all(&|name| ours.set_up.contains(name)),
            name if own.contains(&name) => inner.is_file(),
            _ => ours.recipes.contains(&name) && all(&|name| FILES.contains(&&**name)),
        };
        if !known {
            return Err(format!("it holds {name}, which raddle did not write"));
        }
    }
    Ok(())
}

fn names(entries: fs::ReadDir) -> io::Result<Vec<String>> {
    let mut names = entries
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect::<io::Result<Vec<_>>>()?;
    names.sort_unstable();
    Ok(names)
}

/// The names in a summary that raddle wrote.
struct Ours {
    recipes: Vec<String>,
    /// The files that set up what the result recommends.
    set_up: Vec<String>,
}

impl Ours {
    /// Reads a summary; `None` if raddle did not write the file.
    fn read(summary: &Path) -> Option<Self> {
        let summary: Value = serde_json::from_str(&fs::read_to_string(summary).ok()?).ok()?;
        summary.get("raddle")?.as_str()?;
        let names = |key: &str| -> Option<Vec<String>> {
            let name = |entry: &Value| Some(entry.get("name")?.as_str()?.to_owned());
            summary.get(key)?.as_array()?.iter().map(name).collect()
        };
        let set_up = names("setup-files").unwrap_or_default();
        Some(Self { recipes: names("recipes")?, set_up })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        fs::write(output.path().join("greedy").join(LOG), "x").unwrap();
        output.finish(OURS, "").unwrap();
        assert_eq!(entries(&dir.path().join("a/b")), ["c"]);
        assert_eq!(entries(&folder), ["greedy", PAGE, SUMMARY]);
    }

    #[test]
    fn an_earlier_result_is_replaced_as_a_whole() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("out");
        let output = begin(&folder).unwrap();
        fs::create_dir(output.path().join("greedy")).unwrap();
        output.finish(OURS, "").unwrap();
        begin(&folder).unwrap().finish(OURS, "").unwrap();
        assert_eq!(entries(&folder), [PAGE, SUMMARY]);
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
        assert_eq!(entries(&folder), ["notes", PAGE, SUMMARY, "work"]);
        assert_eq!(entries(&dir.path().join("out-2")), [PAGE, SUMMARY]);
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
        assert!(begin(&folder).unwrap_err().contains("no summary.json"));
        fs::write(folder.join(SUMMARY), "{}").unwrap();
        assert!(begin(&folder).unwrap_err().contains("no summary.json"));
        fs::write(folder.join(SUMMARY), OURS).unwrap();
        assert!(begin(&folder).unwrap_err().contains("it holds notes"));
        fs::remove_file(folder.join("notes")).unwrap();
        fs::create_dir(folder.join("greedy")).unwrap();
        fs::write(folder.join("greedy/mine"), "").unwrap();
        assert!(begin(&folder).unwrap_err().contains("it holds greedy"));
        fs::remove_file(folder.join("greedy/mine")).unwrap();
        for file in FILES {
            fs::write(folder.join("greedy").join(file), "").unwrap();
        }
        begin(&folder).unwrap().finish(OURS, "").unwrap();
        assert_eq!(entries(&folder), [PAGE, SUMMARY]);
    }
}
