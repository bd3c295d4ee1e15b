//! Which files does the repository hold, and what kind is each?
//!
//! Paths are relative to the root, with `/`, sorted. Files that git ignores are not part of it.

use std::collections::BTreeMap;
use std::fs;
use std::ops::RangeInclusive;
use std::path::Path;
use std::process::Command;

use super::lexer;
use crate::shell;

/// A text file, read. Binary files are kept with an empty text, so that links to them resolve.
pub(crate) struct File {
    pub(crate) path: String,
    pub(crate) text: String,
    /// Rust only: the text with every comment, string and character blanked, same lines.
    pub(crate) code: String,
    /// Rust only: the lines (from 1) of test-only items.
    tests: Vec<RangeInclusive<usize>>,
}

impl File {
    pub(crate) fn new(path: &str, text: &str) -> Self {
        let mut file = Self {
            path: path.to_owned(),
            text: text.to_owned(),
            code: String::new(),
            tests: Vec::new(),
        };
        if file.is_rust() {
            file.code = lexer::mask(text);
            file.tests = lexer::test_items(text, &file.code);
        }
        file
    }

    pub(crate) fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// The crate whose `src` folder holds this file: its folder's name.
    pub(crate) fn source_of(&self) -> Option<&str> {
        if !self.is_rust() {
            return None;
        }
        let (name, rest) = match self.path.strip_prefix("crates/") {
            Some(rest) => rest.split_once('/')?,
            None => self.path.split_once('/').filter(|(name, _)| *name == "xtask")?,
        };
        rest.starts_with("src/").then_some(name)
    }

    /// A file that only tests use: in a folder `tests`, or a module kept in a file of its own.
    pub(crate) fn is_test(&self) -> bool {
        self.path
            .split('/')
            .any(|part| part == "tests" || part == "tests.rs" || part.ends_with("_tests.rs"))
    }

    /// A file of a test kit: published aids for the tests of others.
    pub(crate) fn is_test_kit(&self) -> bool {
        self.path.split('/').any(|part| matches!(part, "test_kit" | "test_kit.rs" | "test-kit"))
    }

    /// Whether this line (from 1) belongs to a test-only item.
    pub(crate) fn is_test_line(&self, line: usize) -> bool {
        self.tests.iter().any(|lines| lines.contains(&line))
    }

    /// Number and masked text of each line that is not in a test-only item.
    pub(crate) fn code_lines(&self) -> impl Iterator<Item = (usize, &str)> {
        (1..).zip(self.code.lines()).filter(|(line, _)| !self.is_test_line(*line))
    }
}

/// All files of the repository.
pub(crate) struct Tree {
    files: BTreeMap<String, File>,
}

impl Tree {
    /// Reads what git tracks or would track; without git, everything but build outputs.
    ///
    /// # Errors
    /// When there is nothing to read.
    pub(crate) fn read(root: &Path) -> Result<Self, String> {
        let mut paths = listed(root);
        if paths.is_empty() {
            walk(root, "", &mut paths);
        }
        // Inputs of a fuzzer are bytes, whatever they look like.
        paths.retain(|path| !path.starts_with("xtask/fuzz/corpus/"));
        let files: Vec<File> = paths.iter().filter_map(|path| read(root, path)).collect();
        if files.is_empty() {
            return Err(format!("no file could be read below {}", root.display()));
        }
        Ok(Self::of(files))
    }

    pub(crate) fn of(files: impl IntoIterator<Item = File>) -> Self {
        Self { files: files.into_iter().map(|file| (file.path.clone(), file)).collect() }
    }

    pub(crate) fn files(&self) -> impl ExactSizeIterator<Item = &File> {
        self.files.values()
    }

    pub(crate) fn get(&self, path: &str) -> Option<&File> {
        self.files.get(path)
    }

    /// Whether a file or a folder that holds files has this path.
    pub(crate) fn has(&self, path: &str) -> bool {
        let folder = format!("{path}/");
        let next = self.files.range(folder.clone()..).next();
        self.files.contains_key(path) || next.is_some_and(|(path, _)| path.starts_with(&folder))
    }

    /// The names of the crates, `xtask` among them, from their manifests' folders.
    pub(crate) fn crates(&self) -> impl Iterator<Item = &str> {
        self.files.keys().filter_map(|path| {
            let folder = path.strip_suffix("/Cargo.toml")?;
            let name = folder.strip_prefix("crates/").unwrap_or(folder);
            (!name.contains('/') && (name != folder || name == "xtask")).then_some(name)
        })
    }

    #[cfg(test)]
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        Self::of(files.iter().map(|(path, text)| File::new(path, text)))
    }
}

/// New files count as soon as they exist, not only once they are added.
fn listed(root: &Path) -> Vec<String> {
    let mut git = Command::new("git");
    git.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]).current_dir(root);
    let names = shell::output(&mut git).unwrap_or_default();
    names.split('\0').filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

fn walk(root: &Path, folder: &str, paths: &mut Vec<String>) {
    for entry in fs::read_dir(root.join(folder)).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        let output = matches!(name.as_str(), "target" | ".git" | "raddle-out");
        if kind.is_dir() && !output {
            walk(root, &path, paths);
        } else if kind.is_file() && !name.ends_with(".snap.new") {
            paths.push(path);
        }
    }
}

/// `None` for what is listed but gone, and for what is no plain file.
fn read(root: &Path, path: &str) -> Option<File> {
    let bytes = fs::read(root.join(path)).ok()?;
    let binary = bytes.contains(&0);
    let text = if binary { String::new() } else { String::from_utf8(bytes).unwrap_or_default() };
    Some(File::new(path, &text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_knows_its_crate_and_its_kind() {
        let file = |path| File::new(path, "");
        assert_eq!(file("crates/raddle-sim/src/a/b.rs").source_of(), Some("raddle-sim"));
        assert_eq!(file("xtask/src/main.rs").source_of(), Some("xtask"));
        assert_eq!(file("crates/raddle-sim/tests/a.rs").source_of(), None);
        assert_eq!(file("examples/x/src/lib.rs").source_of(), None);
        assert!(file("crates/raddle-sim/src/tests.rs").is_test());
        assert!(!file("crates/raddle-sim/src/contests.rs").is_test());
        assert!(file("crates/raddle-policy/src/test_kit/laws.rs").is_test_kit());
    }

    #[test]
    fn folders_and_crates_follow_from_the_files() {
        let tree = Tree::with(&[
            ("Cargo.toml", ""),
            ("crates/a/Cargo.toml", ""),
            ("crates/a-b/src/lib.rs", ""),
            ("examples/x/Cargo.toml", ""),
            ("xtask/Cargo.toml", ""),
        ]);
        assert_eq!(tree.crates().collect::<Vec<_>>(), ["a", "xtask"]);
        assert!(tree.has("crates/a") && tree.has("crates/a-b/src/lib.rs"));
        assert!(!tree.has("crates/a-"));
    }

    #[test]
    fn walking_finds_what_git_lists() {
        let root = crate::workspace::root();
        let mut walked = Vec::new();
        walk(&root, "xtask", &mut walked);
        assert!(walked.contains(&"xtask/src/tidy/tree.rs".to_owned()), "{walked:?}");
    }
}
