//! Does the tree hold what depends on the machine that it was written on?

use super::Finding;
use super::lexer;
use super::tree::Tree;

/// Where machines keep what is theirs; built from parts, so that this file passes.
const MACHINE_FOLDERS: &[&str] = &[
    concat!("/wo", "rk/"),
    concat!("/ho", "me/"),
    concat!("/ro", "ot/"),
    concat!("/Us", "ers/"),
    concat!("/tm", "p/"),
];

/// No absolute path that exists only where the file was written.
pub(crate) fn machine_paths(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    for file in tree.files() {
        for (line, text) in (1..).zip(file.text.lines()) {
            if let Some(folder) = MACHINE_FOLDERS.iter().find(|folder| names_path(text, folder)) {
                let what = format!("a path of one machine: `{folder}...`");
                let mend = "write it relative to the workspace, or take it from the environment";
                found.push(Finding::at(&file.path, line, what, mend));
            }
        }
    }
    found
}

/// Whether an absolute path into `folder` stands in the line: nothing that continues another path
/// or a host name before it, a name after it.
fn names_path(text: &str, folder: &str) -> bool {
    text.match_indices(folder).any(|(at, _)| {
        let before = at.checked_sub(1).map(|at| text.as_bytes()[at]);
        let after = text.as_bytes().get(at + folder.len()).copied();
        let continues =
            |byte: u8| lexer::is_name(byte) || matches!(byte, b'.' | b'-' | b'}' | b')');
        !before.is_some_and(continues) && after.is_some_and(lexer::is_name)
    })
}

/// Lines end with one byte everywhere.
pub(crate) fn line_ends(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    for file in tree.files() {
        let carriage = (1..).zip(file.text.split('\n')).find(|(_, line)| line.ends_with('\r'));
        if let Some((line, _)) = carriage {
            let mend = "save the file with LF line ends; a test that needs CRLF writes it itself";
            found.push(Finding::at(&file.path, line, "a CRLF line end", mend));
        }
    }
    found
}

/// Nothing that a build wrote: a file that was added by force stays in the tree although git ignores
/// its folder.
pub(crate) fn build_outputs(tree: &Tree) -> Vec<Finding> {
    let built = |path: &str| {
        path.rsplit_once('/')
            .is_some_and(|(folders, _)| folders.split('/').any(|folder| folder == "target"))
    };
    let found = tree.files().filter(|file| built(&file.path)).map(|file| {
        let mend = "`git rm --cached` it; a folder of sources must not be called `target`";
        Finding::in_file(&file.path, "what a build wrote, in the repository", mend)
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_machine_folder_is_found() {
        for folder in MACHINE_FOLDERS {
            for text in [
                format!("see {folder}a.txt"),
                format!("x=\"{folder}b\""),
                format!("file://{folder}c"),
            ] {
                let tree = Tree::with(&[("docs/A.md", &format!("fine\n{text}\n"))]);
                let found = machine_paths(&tree);
                assert_eq!(found.len(), 1, "{text}");
                assert_eq!(found[0].place, "docs/A.md:2");
            }
        }
    }

    #[test]
    fn relative_paths_and_hosts_are_not_found() {
        for folder in MACHINE_FOLDERS {
            for text in
                [format!("../a{folder}b"), format!("https://a.org{folder}b"), format!("`{folder}`")]
            {
                assert!(machine_paths(&Tree::with(&[("a.md", &text)])).is_empty(), "{text}");
            }
        }
    }

    #[test]
    fn what_a_build_wrote_is_found_in_any_folder() {
        let tree = Tree::with(&[
            ("target/debug/a.d", ""),
            ("fuzz/target/b", ""),
            ("fuzz/targets/c.rs", ""),
            ("docs/target", ""),
        ]);
        let places: Vec<_> = build_outputs(&tree).into_iter().map(|found| found.place).collect();
        assert_eq!(places, ["fuzz/target/b", "target/debug/a.d"]);
    }

    #[test]
    fn a_carriage_return_is_found_where_it_is() {
        let found = line_ends(&Tree::with(&[("a.csv", "x\ny\r\nz\n"), ("b.csv", "x\ny\n")]));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].place, "a.csv:2");
    }
}
