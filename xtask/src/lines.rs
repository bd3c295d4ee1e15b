//! How many lines of code does each crate have, and which names do types in several files share?
//!
//! A line of code is neither blank nor a comment. A crate's source is all files that the `mod`
//! items of its `src` reach without `#[cfg(test)]`; other Rust code counts as tests and benches.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::{checkout, modules};

/// Numbers of lines of code in the source, and in tests and benches.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Lines {
    source: usize,
    tests: usize,
}

/// Prints, for a checkout, a table of the lines of code of each crate; with `names`, also the names
/// of types that several files define.
pub(crate) fn run(root: &Path, names: bool) -> Result<()> {
    let mut table: BTreeMap<String, Lines> = BTreeMap::new();
    let mut types: BTreeMap<String, BTreeSet<PathBuf>> = BTreeMap::new();
    let mut counted: BTreeSet<PathBuf> = BTreeSet::new();
    for package in packages(root)? {
        let row = table.entry(group(&package)).or_default();
        for module in modules::trees(&root.join(&package))?.into_iter().flatten() {
            if !counted.insert(module.file.clone()) {
                continue;
            }
            let lines = of_module(&module);
            row.source += lines.source;
            row.tests += lines.tests;
            if !module.test {
                let file = module.file.strip_prefix(root).unwrap_or(&module.file);
                for name in modules::type_names(&module) {
                    types.entry(name).or_default().insert(file.to_owned());
                }
            }
        }
    }
    for path in checkout::files(root)? {
        let file = root.join(&path);
        if path.ends_with(".rs") && !counted.contains(&file) {
            let text = fs::read_to_string(&file)?;
            table.entry(group(&path)).or_default().tests += code_lines(&text).count();
        }
    }
    types.retain(|_, files| files.len() > 1);
    if names {
        for (name, files) in &types {
            let files: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
            println!("{name}: {}", files.join(", "));
        }
    }
    let mut all = Lines::default();
    for (name, lines) in &table {
        println!("{name:20} source {:6}  tests and benches {:6}", lines.source, lines.tests);
        all = Lines { source: all.source + lines.source, tests: all.tests + lines.tests };
    }
    println!("{:20} source {:6}  tests and benches {:6}", "all", all.source, all.tests);
    println!("{} type names are defined in several files", types.len());
    Ok(())
}

/// Returns the folders of packages whose `src` counts as source: those in `crates`, and `xtask`.
fn packages(root: &Path) -> Result<BTreeSet<String>> {
    let manifests = checkout::files(root)?;
    let folders = manifests.iter().filter_map(|path| path.strip_suffix("/Cargo.toml"));
    let is_source = |folder: &&str| match folder.strip_prefix("crates/") {
        Some(name) => !name.contains('/'),
        None => *folder == "xtask",
    };
    Ok(folders.filter(is_source).map(str::to_owned).collect())
}

/// Returns the name of the table's row in which a file counts: its crate, or its first folder.
fn group(path: &str) -> String {
    let path = path.strip_prefix("crates/").unwrap_or(path);
    path.split('/').next().unwrap_or(path).to_owned()
}

fn of_module(module: &modules::Module) -> Lines {
    let tests = module.test_lines();
    let is_test = |line: &usize| module.test || tests.iter().any(|range| range.contains(line));
    let mut lines = Lines::default();
    for line in code_lines(&module.text) {
        if is_test(&line) {
            lines.tests += 1;
        } else {
            lines.source += 1;
        }
    }
    lines
}

/// Returns the line numbers, from 1, of the lines that are neither blank nor a comment.
fn code_lines(text: &str) -> impl Iterator<Item = usize> {
    let mut in_comment = false;
    (1..).zip(text.lines()).filter_map(move |(number, line)| {
        let line = line.trim();
        let opens = line.starts_with("/*");
        let comment = in_comment || opens || line.starts_with("//");
        in_comment = (in_comment || opens) && !line.contains("*/");
        (!line.is_empty() && !comment).then_some(number)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_blank_lines_and_tests_are_no_source() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let file = folder.path().join("src").join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        };
        write("lib.rs", "//! What?\n\nmod a;\n#[cfg(test)]\nmod b;\n/* x\ny */\nfn f() {}\n");
        write("a.rs", "/// A.\nstruct A;\n#[cfg(test)]\nmod tests {\n    struct B;\n}\n");
        write("b.rs", "mod c;\n");
        write("b/c.rs", "struct A;\n");
        let tree = modules::trees(folder.path()).unwrap().remove(0);
        let all: Vec<(usize, usize)> =
            tree.iter().map(of_module).map(|lines| (lines.source, lines.tests)).collect();
        assert_eq!(all, [(2, 2), (1, 4), (0, 1), (0, 1)]);
        assert_eq!(modules::type_names(&tree[1]), BTreeSet::from(["A".to_owned()]));
    }

    #[test]
    fn a_row_is_a_crate_or_a_folder_of_the_root() {
        assert_eq!(group("crates/raddle-sim/tests/a.rs"), "raddle-sim");
        assert_eq!(group("xtask/fuzz/src/lib.rs"), "xtask");
        assert_eq!(group("examples/a/src/lib.rs"), "examples");
    }
}
