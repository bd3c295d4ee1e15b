//! How do results get into a folder so that nothing half-written is ever seen there?
//!
//! They are made in a temporary folder beside it, which takes its name at the very end. A folder is
//! replaced only if everything in it is known to be an earlier result.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use raddle_report::replay::{LOG, PAGE, PERFETTO, SET_UP, SLOWEST, SUMMARY, SetUpFile};

use crate::error::CliError;
use crate::{check, interrupt};

/// What a folder of a recipe may hold.
const FILES: [&str; 3] = [LOG, PERFETTO, SLOWEST];

/// A folder of results under construction. Dropped unfinished, it leaves nothing behind.
#[derive(Debug)]
pub(crate) struct Output {
    folder: PathBuf,
    /// `None` once it has been moved or given up.
    temporary: Option<TempDir>,
    /// Folders above that were made for it, the innermost first.
    made: Vec<PathBuf>,
}

impl Output {
    /// Begins results for `folder`, which must not exist, be empty or hold an earlier result.
    pub(crate) fn begin(folder: &Path) -> Result<Self, CliError> {
        let shown = folder.display().to_string();
        let write = CliError::writing(&shown);
        // A link is followed, so that what it leads to is replaced and not the link.
        let folder = match fs::canonicalize(folder) {
            Ok(real) => real,
            Err(_) => folder.to_path_buf(),
        };
        let here = std::env::current_dir().and_then(fs::canonicalize);
        if here.is_ok_and(|here| here.starts_with(&folder)) {
            let reason =
                "it is the current folder or lies around it; name one of its own".to_owned();
            return Err(CliError::NotOurs { folder: shown.clone(), reason });
        }
        check(&folder, &shown)?;
        let parent = match folder.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let missing = |path: &&Path| !path.as_os_str().is_empty() && !path.exists();
        let made = parent.ancestors().take_while(missing);
        let mut output = Self {
            made: made.map(Path::to_path_buf).collect(),
            folder: folder.clone(),
            temporary: None,
        };
        fs::create_dir_all(parent).map_err(&write)?;
        let temporary =
            tempfile::Builder::new().prefix(".raddle-").tempdir_in(parent).map_err(&write)?;
        let new = temporary.path().join("new");
        interrupt::remove_on_exit(Some(temporary.path()));
        output.temporary = Some(temporary);
        // Within, so that the result has the rights that any new folder gets.
        fs::create_dir(new).map_err(&write)?;
        Ok(output)
    }

    /// Where to write.
    pub(crate) fn path(&self) -> PathBuf {
        let temporary = self.temporary.as_ref();
        temporary.map_or_else(|| self.folder.clone(), |dir| dir.path().join("new"))
    }

    /// Writes the files that set up what is recommended, if there are any.
    pub(crate) fn set_up(&self, files: &[SetUpFile]) -> Result<(), CliError> {
        let shown = self.folder.display().to_string();
        let folder = self.path().join(SET_UP);
        if !files.is_empty() {
            fs::create_dir(&folder).map_err(CliError::writing(&shown))?;
        }
        for file in files {
            fs::write(folder.join(file.name), &file.text).map_err(CliError::writing(&shown))?;
        }
        Ok(())
    }

    /// Writes the summary and the page, and gives the folder its name.
    pub(crate) fn finish(mut self, summary: &str, page: &str) -> Result<(), CliError> {
        let shown = self.folder.display().to_string();
        let write = CliError::writing(&shown);
        let new = self.path();
        fs::write(new.join(SUMMARY), summary).map_err(&write)?;
        fs::write(new.join(PAGE), page).map_err(&write)?;
        let Some(temporary) = self.temporary.take() else {
            return Ok(());
        };
        // From here on an interruption must not take away what is about to be the result.
        interrupt::remove_on_exit(None);
        let old = temporary.path().join("old");
        let replaced = match fs::rename(&self.folder, &old) {
            Ok(()) => true,
            Err(error) if error.kind() == io::ErrorKind::NotFound => false,
            Err(error) => return Err(write(error)),
        };
        fs::rename(&new, &self.folder).map_err(|error| {
            if replaced {
                // Nothing more can be done if this fails too: the old result is then lost.
                let _ = fs::rename(&old, &self.folder);
            }
            write(error)
        })
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        drop(self.temporary.take());
        interrupt::remove_on_exit(None);
        for folder in &self.made {
            // Not empty where the result, or somebody else's, lies there by now.
            let _ = fs::remove_dir(folder);
        }
    }
}

/// Whether the folder may be replaced.
fn check(folder: &Path, shown: &str) -> Result<(), CliError> {
    let refuse = |reason: String| CliError::NotOurs { folder: shown.to_owned(), reason };
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            return Err(refuse("it is a file".to_owned()));
        }
        Err(error) => return Err(CliError::writing(shown)(error)),
    };
    let names = names(entries).map_err(CliError::writing(shown))?;
    if names.is_empty() {
        return Ok(());
    }
    let ours = Ours::read(&folder.join(SUMMARY))
        .ok_or_else(|| refuse(format!("it holds files, but no {SUMMARY} of raddle")))?;
    let own = [SUMMARY, PAGE, check::RESULT, check::PAGE];
    for name in names.iter().filter(|name| !own.contains(&&***name)) {
        let within = fs::read_dir(folder.join(name)).and_then(self::names);
        let all = |known: &dyn Fn(&String) -> bool| within.is_ok_and(|all| all.iter().all(known));
        let known = match name == SET_UP {
            true => all(&|name| ours.set_up.contains(name)),
            false => ours.recipes.contains(name) && all(&|name| FILES.contains(&&**name)),
        };
        if !known {
            return Err(refuse(format!("it holds {name}, which raddle did not write")));
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

/// What a summary of ours names.
struct Ours {
    recipes: Vec<String>,
    /// The files that set up what it recommends.
    set_up: Vec<String>,
}

impl Ours {
    /// `None` where the file is not ours.
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
