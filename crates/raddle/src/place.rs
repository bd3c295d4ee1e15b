//! How does a file or a folder get its name, so that no half-written one is seen and no foreign
//! file is lost?
//!
//! One rule holds for all that is written: what stands at a path already is replaced only if it is
//! an earlier result ([`Ours`]) that is still as raddle wrote it ([`seal`](crate::seal)), or is
//! empty; all else is refused. The path is checked before the work, and again at the end, after the
//! old file has been moved aside: hours may lie between the two checks. The new file or folder is
//! made in a folder `.raddle-*` beside the path and renamed. The process that makes such a folder
//! holds the folder's lock, so a folder whose lock is free was left by a run that was killed, and
//! is removed.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use raddle_report::PAGE_MARK;
use tempfile::{TempDir, TempPath};

use crate::error::CliError;
use crate::interrupt;
use crate::seal::{self, Seal, sealed};

/// Beginning of the name of the temporary folder in which a result is made.
const PREFIX: &str = ".raddle-";
/// Name of the lock file in a temporary folder; its content is the final name of the result. `NEW`
/// is the name of the new file or folder there, and `OLD` that of an earlier result, which is moved
/// there.
const LOCK: &str = "lock";
const NEW: &str = "new";
const OLD: &str = "old";
/// Largest number of bytes at the beginning of a file that are read to see whether raddle wrote it.
const BEGIN: u64 = 1 << 20;

/// A check that the file or folder at a path is an earlier result of raddle, which may be replaced;
/// the error says why it is not one.
pub(crate) type Ours<'o> = &'o dyn Fn(&Path) -> Result<(), String>;

/// Checks that a file is empty, for results that must not replace any content; the error says that
/// the file is never replaced.
pub(crate) fn nothing(path: &Path) -> Result<(), String> {
    holds(path, |_| false, "it is never replaced")
}

/// Checks that a file is an HTML page that raddle wrote; the error says that it is none.
pub(crate) fn page(path: &Path) -> Result<(), String> {
    holds(path, |text| text.contains(PAGE_MARK), "it is no page of raddle")
}

/// Checks that a file begins with `mark`, as files that raddle writes do, so that it may be
/// replaced; the error says that it does not.
pub(crate) fn begins(path: &Path, mark: &str) -> Result<(), String> {
    holds(path, |text| text.starts_with(mark), "raddle did not write it")
}

/// Checks that raddle wrote a file: `is_ours` accepts the beginning of its text, and nobody has
/// changed it since. An empty file passes too. The error is `otherwise` where `is_ours` does not
/// accept the text.
pub(crate) fn holds(
    path: &Path,
    is_ours: impl Fn(&str) -> bool,
    otherwise: &str,
) -> Result<(), String> {
    let mut begin = Vec::new();
    let read = File::open(path).and_then(|file| file.take(BEGIN).read_to_end(&mut begin));
    let text = String::from_utf8_lossy(&begin);
    match read {
        Ok(0) => Ok(()),
        Ok(_) if !is_ours(&text) => Err(otherwise.to_owned()),
        Ok(_) if !seal::is_intact(path) => {
            Err("it was changed after raddle wrote it, or is of an older raddle".to_owned())
        }
        Ok(_) => Ok(()),
        Err(_) => Err(otherwise.to_owned()),
    }
}

/// A file or folder of results under construction. If this value is dropped unfinished, no files
/// are left behind.
#[derive(Debug)]
pub(crate) struct OutputPlace {
    /// Path that the file or folder will have when it is finished, with links resolved.
    path: PathBuf,
    /// Path of the file or folder as the user gave it, for messages.
    shown: String,
    /// The open lock file and the temporary folder; `None` after the new file or folder has been
    /// moved to its path or given up.
    temporary: Option<(File, TempDir)>,
    /// Folders that had to be created above the path of the file or folder, the innermost first.
    made: Vec<PathBuf>,
}

impl OutputPlace {
    /// Begins a new file or folder for a path, after a check that it may be replaced.
    pub(crate) fn begin(path: &Path, ours: Ours<'_>) -> Result<Self, CliError> {
        let shown = path.display().to_string();
        let write = CliError::writing(&shown);
        check(path, ours)?;
        let path = behind_links(path)?;
        let parent = parent(&path);
        let missing = |path: &&Path| !path.as_os_str().is_empty() && !path.exists();
        let made = parent.ancestors().take_while(missing).map(Path::to_path_buf).collect();
        let mut place = Self { path: path.clone(), shown: shown.clone(), temporary: None, made };
        fs::create_dir_all(parent).map_err(&write)?;
        sweep_out(parent);
        let temporary =
            tempfile::Builder::new().prefix(PREFIX).tempdir_in(parent).map_err(&write)?;
        interrupt::remove_on_exit(Some(temporary.path()));
        let lock = lock(temporary.path(), &path).map_err(&write)?;
        place.temporary = Some((lock, temporary));
        Ok(place)
    }

    /// Returns the path of the file or folder as the user gave it, for messages.
    pub(crate) fn shown(&self) -> &str {
        &self.shown
    }

    /// Returns the temporary path at which the new file or folder is made until it is finished.
    pub(crate) fn new_path(&self) -> PathBuf {
        let temporary = self.temporary.as_ref();
        temporary.map_or_else(|| self.path.clone(), |(_, folder)| folder.path().join(NEW))
    }

    /// Gives the new file or folder its final name. If a file that `ours` does not accept has taken
    /// that name meanwhile, that file stays, the new one gets a free name beside it, and an error
    /// says so.
    pub(crate) fn finish(mut self, ours: Ours<'_>) -> Result<(), CliError> {
        let write = CliError::writing(&self.shown);
        let Some((_lock, temporary)) = self.temporary.take() else { return Ok(()) };
        // From here on an interruption must not take away what is about to be the result.
        interrupt::remove_on_exit(None);
        let (new, old) = (temporary.path().join(NEW), temporary.path().join(OLD));
        let foreign = match fs::rename(&self.path, &old) {
            Ok(()) => replaceable(&old, ours).err(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(write(error)),
        };
        let failed = match foreign {
            Some(reason) => reason,
            None => match rename_new(&new, &self.path) {
                Ok(()) => return Ok(()),
                Err(error) => error.to_string(),
            },
        };
        let beside = beside(&self.path);
        let kept = rename_new(&new, &beside);
        if old.symlink_metadata().is_ok() && rename_new(&old, &self.path).is_err() {
            // The old file stays in the temporary folder, as another one has taken its name.
            let folder = temporary.keep();
            return Err(
                self.refused(&format!("{failed}; it is {} now", folder.join(OLD).display()))
            );
        }
        kept.map_err(&write)?;
        Err(self.refused(&format!("{failed}; the new one is {}", beside.display())))
    }

    fn refused(&self, reason: &str) -> CliError {
        CliError::NotOurs { what: self.shown.clone(), reason: reason.to_owned() }
    }
}

impl Drop for OutputPlace {
    fn drop(&mut self) {
        drop(self.temporary.take());
        interrupt::remove_on_exit(None);
        for folder in &self.made {
            // A folder is not empty, and stays, if the result or another file lies there by now.
            let _ = fs::remove_dir(folder);
        }
    }
}

/// Writes a text to a file, with a seal by which it is later recognised as unchanged.
pub(crate) fn write_sealed(
    path: &Path,
    text: &str,
    seal: Seal,
    ours: Ours<'_>,
) -> Result<(), CliError> {
    write(path, &sealed(text, seal), ours)
}

/// Writes a text to a file, which may replace an earlier file that `ours` accepts.
pub(crate) fn write(path: &Path, text: &str, ours: Ours<'_>) -> Result<(), CliError> {
    let shown = path.display().to_string();
    let place = OutputPlace::begin(path, ours)?;
    fs::write(place.new_path(), text).map_err(CliError::writing(&shown))?;
    place.finish(ours)
}

/// Checks whether a file or a folder may be made at a path, before the work of making it. Anything
/// else at the path, such as a device or a pipe, is never replaced.
pub(crate) fn check(path: &Path, ours: Ours<'_>) -> Result<(), CliError> {
    let refused = |reason| CliError::NotOurs { what: path.display().to_string(), reason };
    if fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
        return Err(refused("it is neither a file nor a folder".to_owned()));
    }
    let real = behind_links(path)?;
    let above = real.ancestors().skip(1).find(|above| above.exists());
    if let Some(above) = above.filter(|above| !above.is_dir()) {
        return Err(refused(format!("{} is no folder", above.display())));
    }
    replaceable(&real, ours).map_err(refused)
}

/// Checks that the file or folder at a path may be replaced: there is none, or `ours` accepts it.
fn replaceable(path: &Path, ours: Ours<'_>) -> Result<(), String> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error.to_string()),
        Ok(_) => ours(path),
    }
}

/// Returns the path with all links resolved, so that the file that a link leads to is replaced, and
/// not the link.
pub(crate) fn behind_links(path: &Path) -> Result<PathBuf, CliError> {
    match fs::canonicalize(path) {
        Ok(real) => Ok(real),
        Err(_) if path.is_symlink() => {
            let to = fs::read_link(path).unwrap_or_default();
            let reason = format!("it is a link to {}, which is not there", to.display());
            Err(CliError::NotOurs { what: path.display().to_string(), reason })
        }
        Err(_) => Ok(path.to_path_buf()),
    }
}

fn parent(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Returns a path that does not exist yet: the given one with a number, such as `out-2` or
/// `tuned-2.toml`.
pub(crate) fn beside(path: &Path) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let ending = path.extension().map(|ending| format!(".{}", ending.to_string_lossy()));
    let ending = ending.unwrap_or_default();
    let names = (2_u32..).map(|n| path.with_file_name(format!("{stem}-{n}{ending}")));
    names.into_iter().find(|name| name.symlink_metadata().is_err()).unwrap_or_default()
}

/// Renames the file or folder `from` to `to`. If `to` exists, returns an error that says so, except
/// that a folder may replace an empty folder.
fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    if from.is_dir() && !from.is_symlink() {
        return fs::rename(from, to);
    }
    TempPath::try_from_path(from)?.persist_noclobber(to).map_err(|failed| {
        // The error would delete its file when it is dropped, so the file is kept first.
        let _ = failed.path.keep();
        failed.error
    })
}

/// Makes the lock file of a temporary folder, with the name of `wanted` as its content. The file is
/// locked under another name first, so that no unlocked file ever has the name [`LOCK`].
fn lock(folder: &Path, wanted: &Path) -> io::Result<File> {
    let making = folder.join("lock.new");
    let mut lock = File::create_new(&making)?;
    match lock.try_lock() {
        // If files cannot be locked, nobody can tell that the folder was left.
        Err(TryLockError::Error(_)) => return Ok(lock),
        _ => write!(lock, "{}", wanted.file_name().and_then(|name| name.to_str()).unwrap_or(""))?,
    }
    fs::rename(making, folder.join(LOCK))?;
    Ok(lock)
}

/// Removes the temporary folders that killed processes of raddle have left in a folder. An earlier
/// result that such a process had moved aside gets its name again; if that name is taken, the
/// result stays where it is.
fn sweep_out(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    let ours = |name: &str| name.starts_with(PREFIX) && name.len() == PREFIX.len() + 6;
    for entry in entries.flatten().filter(|entry| entry.file_name().to_str().is_some_and(ours)) {
        let folder = entry.path();
        let Ok(lock) = File::open(folder.join(LOCK)) else { continue };
        if folder.is_symlink() || lock.try_lock().is_err() {
            continue;
        }
        let wanted = fs::read_to_string(folder.join(LOCK)).unwrap_or_default();
        let old = folder.join(OLD);
        let known = [LOCK, NEW, OLD];
        let only_known = fs::read_dir(&folder).is_ok_and(|all| {
            all.flatten().all(|entry| known.iter().any(|known| entry.file_name() == *known))
        });
        let back = || rename_new(&old, &parent.join(&wanted));
        if only_known && (old.symlink_metadata().is_err() || back().is_ok()) {
            // A folder that cannot be removed is left for the next run.
            let _ = fs::remove_dir_all(&folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARK: &str = "# ours\n";

    fn ours(path: &Path) -> Result<(), String> {
        begins(path, MARK)
    }

    fn put(path: &Path, text: &str) -> Result<(), String> {
        write_sealed(path, text, Seal::Toml, &ours).map_err(|error| error.to_string())
    }

    fn names(folder: &Path) -> Vec<String> {
        let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn what_is_new_empty_or_ours_is_written_and_all_else_stays() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a/b/x.toml");
        put(&path, "# ours\n1").unwrap();
        put(&path, "# ours\n2").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), sealed("# ours\n2", Seal::Toml));
        fs::write(&path, "").unwrap();
        put(&path, "# ours\n3").unwrap();
        let changed = sealed("# ours\n3", Seal::Toml).replace('3', "4");
        for theirs in ["precious", "# our", "\u{1}", "# ours\n3", &changed] {
            fs::write(&path, theirs).unwrap();
            assert!(put(&path, "# ours\n4").unwrap_err().contains("stays as it is"), "{theirs}");
            assert_eq!(fs::read_to_string(&path).unwrap(), theirs);
        }
        assert!(put(path.parent().unwrap(), "x").is_err(), "a folder");
        assert_eq!(names(path.parent().unwrap()), ["x.toml"]);
        assert!(write(&dir.path().join("new"), "x", &nothing).is_ok());
        assert!(write(&dir.path().join("new"), "x", &nothing).is_err());
    }

    #[test]
    fn what_comes_while_a_file_is_made_stays_and_the_new_is_beside_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.toml");
        put(&path, MARK).unwrap();
        let place = OutputPlace::begin(&path, &ours).unwrap();
        fs::write(place.new_path(), "# ours\nnew").unwrap();
        fs::write(&path, "theirs").unwrap();
        let told = place.finish(&ours).unwrap_err().to_string();
        assert!(told.contains("x-2.toml"), "{told}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "theirs");
        assert_eq!(fs::read_to_string(dir.path().join("x-2.toml")).unwrap(), "# ours\nnew");
        assert_eq!(names(dir.path()), ["x-2.toml", "x.toml"]);
    }

    #[test]
    fn what_a_killed_run_left_goes_and_what_it_had_moved_away_comes_back() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x");
        let killed = |name: &str, files: &[&str]| {
            let folder = dir.path().join(name);
            fs::create_dir(&folder).unwrap();
            drop(lock(&folder, &path).unwrap());
            files.iter().for_each(|file| fs::write(folder.join(file), "y").unwrap());
        };
        killed(".raddle-aaaaaa", &[NEW]);
        killed(".raddle-bbbbbb", &[OLD]);
        killed(".raddle-cccccc", &["notes"]);
        fs::create_dir(dir.path().join(".raddle-notours")).unwrap();
        fs::create_dir(dir.path().join(".raddle-dddddd")).unwrap();
        let alive = OutputPlace::begin(&dir.path().join("z"), &ours).unwrap();
        let other = OutputPlace::begin(&dir.path().join("z"), &ours).unwrap();
        assert!(alive.temporary.as_ref().unwrap().1.path().exists());
        drop((alive, other));
        let left = [".raddle-cccccc", ".raddle-dddddd", ".raddle-notours", "x"];
        assert_eq!(names(dir.path()), left);
        assert_eq!(fs::read_to_string(&path).unwrap(), "y");
    }

    #[test]
    #[cfg(unix)]
    fn a_link_stays_and_one_that_leads_nowhere_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let (link, real) = (dir.path().join("link"), dir.path().join("real"));
        std::os::unix::fs::symlink(&real, &link).unwrap();
        assert!(put(&link, MARK).unwrap_err().contains("is not there"));
        put(&real, MARK).unwrap();
        put(&link, "# ours\nmore").unwrap();
        assert!(link.is_symlink());
        assert!(fs::read_to_string(&real).unwrap().starts_with("# ours\nmore\n"));
    }

    #[test]
    fn nothing_is_made_beside_what_is_no_file_and_below_what_is_no_folder() {
        let dir = tempfile::tempdir().unwrap();
        let told = |path: &Path| OutputPlace::begin(path, &ours).unwrap_err().to_string();
        fs::write(dir.path().join("file"), MARK).unwrap();
        assert!(told(&dir.path().join("file/a/b")).contains("file is no folder"));
        #[cfg(unix)]
        {
            let path = dir.path().join("socket");
            let _socket = std::os::unix::net::UnixListener::bind(&path).unwrap();
            assert!(told(&path).contains("neither a file nor a folder"));
            assert_eq!(names(dir.path()), ["file", "socket"]);
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_stream_is_never_written_to() {
        for stream in ["/dev/null", "/dev/full"] {
            assert!(
                put(Path::new(stream), "x").unwrap_err().contains("neither a file nor a folder")
            );
        }
    }
}
