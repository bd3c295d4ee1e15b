//! Which rows does the file of a sweep hold already, and how are more added?
//!
//! A row is added by one write of a whole line, so a sweep that is stopped loses at most the row
//! that was being written: an incomplete last line is cut off when the sweep is continued. Rows of
//! failed cases are removed from the file before those cases are run again.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use raddle_study::sweep::ReadRow;

use crate::error::CliError;
use crate::place;

/// Beginning of every row (line with the result of a case) in the file of a sweep.
const BEGIN: &str = "{\"case\":";
/// Largest number of bytes of a file's first line that are read to see whether it is the row
/// (result) of a case.
const MOST_BYTES: u64 = 1 << 24;

/// Checks that rows (results of cases) may be written to a file, before any case is run; the error
/// says why not.
pub(super) fn check(path: &Path) -> Result<(), CliError> {
    place::check(path, &|path| {
        let mut line = Vec::new();
        let read = File::open(path)
            .and_then(|file| BufReader::new(file.take(MOST_BYTES)).read_until(b'\n', &mut line));
        match (read, std::str::from_utf8(&line)) {
            (Ok(_), Ok(line)) if is_rest(line) || ReadRow::parse(line).is_some() => Ok(()),
            _ => Err("line 1 is no row of a sweep".to_owned()),
        }
    })
}

/// Returns whether a text is the beginning of a row (result of a case), cut off because its sweep
/// was stopped. A file that ends in any other text was not written by a sweep, and stays as it is.
fn is_rest(text: &str) -> bool {
    !text.ends_with('\n') && (text.starts_with(BEGIN) || BEGIN.starts_with(text))
}

/// Returns whether the path still leads to the open file `file`, and not to a new file that has got
/// the same name.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let same = |own: std::fs::Metadata, there: std::fs::Metadata| {
        (own.dev(), own.ino()) == (there.dev(), there.ino())
    };
    let there = path.symlink_metadata().ok();
    file.metadata().ok().zip(there).is_some_and(|(own, there)| same(own, there))
}

/// Returns true: only on Unix can another file get the name of an open file.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

/// File of rows (results of cases) that is open and locked, so that no other process writes to it.
#[derive(Debug)]
pub(super) struct RowFile {
    name: String,
    /// Path of the file of rows, with links resolved.
    path: PathBuf,
    /// True if this process created the file of rows.
    made: bool,
    file: Mutex<File>,
}

impl RowFile {
    /// Opens the file of rows (results of cases) at a path, or creates it.
    pub(super) fn open(path: &Path) -> Result<Self, CliError> {
        let name = path.display().to_string();
        let path = &place::behind_links(path)?;
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder).map_err(CliError::writing(&name))?;
        }
        let open = |new: bool| {
            OpenOptions::new().read(true).append(true).create(true).create_new(new).open(path)
        };
        let (file, made) = match open(true) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => (open(false), false),
            file => (file, true),
        };
        let file = file.map_err(CliError::writing(&name))?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => {
                return Err(CliError::Refused(format!(
                    "another sweep is writing {name}: wait for it, or give another --out"
                )));
            }
            // If files cannot be locked, the user has to keep two sweeps apart.
            Ok(()) | Err(TryLockError::Error(_)) => {}
        }
        let path = path.canonicalize().map_err(CliError::writing(&name))?;
        Ok(Self { name, path, made, file: Mutex::new(file) })
    }

    /// Removes from the file the rows (results of cases) for which `drop` returns true. The file is
    /// replaced as a whole, so that an interruption loses nothing.
    pub(super) fn leave_out(&self, drop: impl Fn(&ReadRow) -> bool) -> Result<(), CliError> {
        let failed = |cause| CliError::writing(&self.name)(cause);
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let mut kept = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(0)).map_err(failed)?;
        for line in BufReader::with_capacity(1 << 16, &*file).lines() {
            let line = line.map_err(failed)?;
            if !ReadRow::parse(&line).is_some_and(|row| drop(&row)) {
                writeln!(kept, "{line}").map_err(failed)?;
            }
        }
        kept.as_file()
            .set_permissions(file.metadata().map_err(failed)?.permissions())
            .map_err(failed)?;
        // The new file is locked before it has the name, so that no other process writes it from
        // then on.
        let own = OpenOptions::new().read(true).append(true).open(kept.path()).map_err(failed)?;
        let _ = own.try_lock();
        if !is_at(&file, &self.path) {
            let reason = "another file came there meanwhile".to_owned();
            return Err(CliError::NotOurs { what: self.name.clone(), reason });
        }
        kept.persist(&self.path).map_err(|error| failed(error.error))?;
        *file = own;
        Ok(())
    }

    /// Makes sure that the finished file of rows is at its path. If another file has got that name
    /// meanwhile, that file stays, and the rows are stored beside it under another name.
    pub(super) fn keep(&self) -> Result<(), CliError> {
        let failed = |cause| CliError::writing(&self.name)(cause);
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if is_at(&file, &self.path) {
            return Ok(());
        }
        let free = self.path.symlink_metadata().is_err();
        let to = if free { self.path.clone() } else { place::beside(&self.path) };
        file.seek(SeekFrom::Start(0)).map_err(failed)?;
        io::copy(&mut *file, &mut File::create_new(&to).map_err(failed)?).map_err(failed)?;
        let reason = format!("another file came there meanwhile; the rows are {}", to.display());
        if free { Ok(()) } else { Err(CliError::NotOurs { what: self.name.clone(), reason }) }
    }

    /// Passes every complete row (result of a case) in the file to `take`, and removes an
    /// incomplete last line from the file.
    pub(super) fn read(
        &self,
        mut take: impl FnMut(ReadRow) -> Result<(), CliError>,
    ) -> Result<(), CliError> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let unreadable = |cause| CliError::Unreadable { file: self.name.clone(), cause };
        file.seek(SeekFrom::Start(0)).map_err(unreadable)?;
        let mut reader = BufReader::with_capacity(1 << 16, &*file);
        let (mut line, mut number, mut whole) = (String::new(), 0_u64, 0_u64);
        let foreign = |number: u64| {
            CliError::Refused(format!(
                "{}, line {number}: that is no row of a sweep, so the file stays as it is: give another --out",
                self.name
            ))
        };
        loop {
            line.clear();
            let read = reader.read_line(&mut line).map_err(unreadable)?;
            number += 1;
            if !line.ends_with('\n') {
                break;
            }
            whole += read as u64;
            take(ReadRow::parse(&line).ok_or_else(|| foreign(number))?)?;
        }
        if !is_rest(&line) {
            return Err(foreign(number));
        }
        file.set_len(whole).map_err(CliError::writing(&self.name))
    }

    /// Appends a row (result of a case) to the file: one line of text with its line end.
    pub(super) fn add(&self, line: &str) -> io::Result<()> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(line.as_bytes())
    }
}

impl Drop for RowFile {
    fn drop(&mut self) {
        // A file that was made and got no row tells nothing, and would be in the way.
        let file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let empty = file.metadata().is_ok_and(|found| found.len() == 0);
        if self.made && empty && is_at(&file, &self.path) {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use raddle_study::sweep::SweepRow;

    use super::*;

    fn row(case: &str) -> String {
        let figures = vec![("makespan-ns".to_owned(), 1.into())];
        let (case, of) = (case.into(), "0".into());
        SweepRow { case, of, values: Vec::new(), result: Ok(figures) }.line()
    }

    fn cases(file: &RowFile) -> Result<Vec<String>, String> {
        let mut cases = Vec::new();
        let read = file.read(|row| {
            cases.push(row.case);
            Ok(())
        });
        read.map(|()| cases).map_err(|error| error.to_string())
    }

    #[test]
    fn a_row_that_was_being_written_is_cut_off() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a/rows.jsonl");
        let file = RowFile::open(&path).unwrap();
        file.add(&row("x")).unwrap();
        file.add(&row("y")).unwrap();
        drop(file);
        let half = std::fs::read(&path).unwrap();
        std::fs::write(&path, &half[..half.len() - 3]).unwrap();
        let file = RowFile::open(&path).unwrap();
        assert_eq!(cases(&file), Ok(vec!["x".to_owned()]));
        file.add(&row("z")).unwrap();
        assert_eq!(cases(&file), Ok(vec!["x".to_owned(), "z".to_owned()]));
    }

    #[test]
    fn rows_that_are_left_out_are_gone_and_the_file_stays_locked() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("rows.jsonl");
        let file = RowFile::open(&path).unwrap();
        for case in ["x", "y", "z"] {
            file.add(&row(case)).unwrap();
        }
        file.leave_out(|row| row.case == "y").unwrap();
        file.add(&row("y")).unwrap();
        assert_eq!(cases(&file), Ok(["x", "z", "y"].map(str::to_owned).to_vec()));
        assert!(RowFile::open(&path).unwrap_err().to_string().contains("another sweep"));
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1, "nothing lies about");
    }

    #[test]
    #[cfg(unix)]
    fn a_file_that_takes_the_name_meanwhile_stays_and_the_rows_are_beside_it() {
        let dir = tempfile::tempdir().unwrap();
        let (path, other) = (dir.path().join("rows.jsonl"), dir.path().join("other"));
        let theirs = || {
            std::fs::write(&other, "theirs").unwrap();
            std::fs::rename(&other, &path).unwrap();
        };
        let file = RowFile::open(&path).unwrap();
        theirs();
        drop(file);
        assert_eq!(
            std::fs::read_to_string(&path).unwrap(),
            "theirs",
            "not removed as our empty one"
        );
        std::fs::remove_file(&path).unwrap();
        let file = RowFile::open(&path).unwrap();
        file.add(&row("x")).unwrap();
        theirs();
        assert!(file.leave_out(|_| true).unwrap_err().to_string().contains("stays as it is"));
        let told = file.keep().unwrap_err().to_string();
        assert!(told.contains("the rows are") && told.contains("rows-2.jsonl"), "{told}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "theirs");
        let beside = dir.path().join("rows-2.jsonl");
        assert_eq!(std::fs::read_to_string(beside).unwrap(), row("x"));
        // Rows whose name was only taken away get it again.
        std::fs::remove_file(&path).unwrap();
        file.keep().unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), row("x"));
    }

    #[test]
    fn a_file_that_got_no_row_goes_again() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("rows.jsonl");
        drop(RowFile::open(&path).unwrap());
        assert!(!path.exists());
        std::fs::write(&path, "").unwrap();
        drop(RowFile::open(&path).unwrap());
        assert!(path.exists(), "it was there before");
    }

    #[test]
    fn what_others_wrote_stays_and_two_sweeps_are_kept_apart() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("rows.jsonl");
        for theirs in ["my notes", "a,b\n1,2\n"] {
            std::fs::write(&path, theirs).unwrap();
            assert!(check(&path).unwrap_err().to_string().contains("line 1 is no row"));
            let file = RowFile::open(&path).unwrap();
            assert!(cases(&file).is_err());
            assert_eq!(std::fs::read_to_string(&path).unwrap(), theirs);
        }
        let file = RowFile::open(&path).unwrap();
        assert!(cases(&file).unwrap_err().contains("line 1: that is no row"));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "a,b\n1,2\n");
        let other = RowFile::open(&path).unwrap_err().to_string();
        assert!(other.contains("another sweep"), "{other}");
    }
}
