//! Does every Markdown link to a local file lead somewhere?
//!
//! Links to hosts are not tried, and neither are headings inside a page.

use super::Finding;
use super::tree::{File, Tree};

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let pages = tree.files().filter(|file| file.path.ends_with(".md"));
    pages.flat_map(|file| of_page(tree, file)).collect()
}

fn of_page(tree: &Tree, file: &File) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut fenced = false;
    for (line, text) in (1..).zip(file.text.lines()) {
        if text.trim_start().starts_with("```") {
            fenced = !fenced;
            continue;
        }
        if fenced {
            continue;
        }
        for target in targets(text).into_iter().filter(|target| is_local(target)) {
            let leads = resolve(&file.path, target).is_some_and(|path| tree.has(&path));
            if !leads {
                let what = format!("the link to `{target}` leads nowhere");
                let mend = "link a file of this repository, relative to the page";
                found.push(Finding::at(&file.path, line, what, mend));
            }
        }
    }
    found
}

/// The targets in a line: `[text](target)`, `[text](target "title")` and `[label]: target`.
fn targets(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    // Every second part lies between backquotes and is no link; a link whose text is code
    // (`[`name`](target)`) has its target outside of them all the same.
    for part in text.split('`').step_by(2) {
        found.extend(part.split("](").skip(1).filter_map(|rest| rest.split([')', ' ']).next()));
    }
    let label = text.trim_start().strip_prefix('[').and_then(|text| text.split_once("]: "));
    found.extend(label.and_then(|(_, target)| target.split_whitespace().next()));
    found.into_iter().map(|target| target.trim_matches(['<', '>'])).collect()
}

fn is_local(target: &str) -> bool {
    !target.contains("://") && !target.starts_with("mailto:") && !target.starts_with('#')
}

/// The path from the root; `None` when it leaves the repository or begins at the machine's root.
fn resolve(page: &str, target: &str) -> Option<String> {
    let target = target.split('#').next().unwrap_or_default();
    if target.starts_with('/') {
        return None;
    }
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let tree = Tree::with(&[("docs/A.md", text), ("docs/b/C.md", ""), ("README.md", "")]);
        check(&tree).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_link_that_leads_nowhere_fails() {
        for link in [
            "[a](missing.md)",
            "fine [b](b/C.md), not [c](b/D.md#x)",
            "[`code`](missing.md)",
            "[a]: missing.md",
            "![picture](a.png \"title\")",
            "[a](../../README.md)",
            "[a](/README.md)",
        ] {
            let found = found(&format!("\n{link}\n"));
            assert_eq!(found.len(), 1, "{link}: {found:?}");
            assert!(found[0].starts_with("docs/A.md:2: error"), "{found:?}");
        }
    }

    #[test]
    fn links_that_lead_somewhere_pass() {
        for link in [
            "[a](A.md#part) and [b](b/C.md \"title\") and [c](./b)",
            "[a](../README.md)",
            "[a](https://example.org/x.md) [b](#part) [c](mailto:a@example.org)",
            "[a]: <../README.md>",
            "code `[a](missing.md)` is no link",
            "```\n[a](missing.md)\n```",
        ] {
            assert_eq!(found(link), Vec::<String>::new(), "{link}");
        }
    }
}
