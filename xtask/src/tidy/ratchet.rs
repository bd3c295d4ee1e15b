//! Which files and functions may be longer than the limit, and by how much?
//!
//! `docs/ratchet.txt` holds one allowance a line, `path = lines` or `path::function = lines`; `#`
//! begins a comment. An allowance may only fall: longer than allowed fails, and so does an
//! allowance that nothing needs any more. No file means no allowance.

use std::collections::BTreeMap;

use super::Finding;
use super::tree::Tree;

const PATH: &str = "docs/ratchet.txt";

/// The allowances, each with whether something needed it.
pub(crate) struct Ratchet {
    entries: BTreeMap<String, Entry>,
}

struct Entry {
    line: usize,
    allowed: usize,
    needed: bool,
}

impl Ratchet {
    /// Reads the allowances; lines that are none become findings.
    pub(crate) fn read(tree: &Tree, found: &mut Vec<Finding>) -> Self {
        let mut entries = BTreeMap::new();
        let text = tree.get(PATH).map_or("", |file| file.text.as_str());
        for (line, text) in (1..).zip(text.lines().map(str::trim)) {
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            let parts = text.split_once('=').map(|(key, lines)| (key.trim(), lines.trim().parse()));
            let Some((key, Ok(allowed))) = parts else {
                found.push(malformed(line, text));
                continue;
            };
            let entry = Entry { line, allowed, needed: false };
            if entries.insert(key.to_owned(), entry).is_some() {
                found.push(malformed(line, "a second allowance of the same name"));
            }
        }
        Self { entries }
    }

    /// Passes `finding` on unless an allowance covers it.
    pub(crate) fn judge(&mut self, key: &str, lines: usize, finding: Finding) -> Option<Finding> {
        let Some(entry) = self.entries.get_mut(key) else {
            return Some(finding);
        };
        entry.needed = true;
        let allowed = entry.allowed;
        if lines > allowed {
            let what = format!("{}; {PATH} allows it {allowed}", finding.what);
            return Some(Finding { what, ..finding });
        }
        let lower = format!("set the entry to {lines}, so that it cannot grow back");
        (lines < allowed).then(|| {
            let what = format!("`{key}` has shrunk from {allowed} to {lines} lines");
            Finding::at(PATH, entry.line, what, lower).into_warning()
        })
    }

    /// The allowances that nothing needed.
    pub(crate) fn unused(&self) -> impl Iterator<Item = Finding> {
        self.entries.iter().filter(|(_, entry)| !entry.needed).map(|(key, entry)| {
            let what = format!("`{key}` needs no allowance any more");
            Finding::at(PATH, entry.line, what, "delete the entry")
        })
    }
}

fn malformed(line: usize, text: &str) -> Finding {
    let what = format!("no allowance can be read here: {text}");
    Finding::at(PATH, line, what, "write `path = lines` or `path::function = lines`, once each")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a file of `lines` lines, in need of an allowance, comes to under these entries.
    fn judged(entries: &str, lines: usize) -> Vec<String> {
        let tree = Tree::with(&[(PATH, entries)]);
        let mut found = Vec::new();
        let mut ratchet = Ratchet::read(&tree, &mut found);
        let finding = Finding::at("a.rs", 1, format!("{lines} lines"), "split it");
        found.extend(ratchet.judge("a.rs", lines, finding));
        found.extend(ratchet.unused());
        found.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn an_allowance_covers_its_number_of_lines() {
        assert!(judged("# why\n\na.rs = 700\n", 700).is_empty());
    }

    #[test]
    fn growth_fails_and_shrinking_warns() {
        assert!(judged("a.rs = 700", 701)[0].contains("error: 701 lines; docs/ratchet.txt"));
        assert!(judged("a.rs = 700", 650)[0].contains("warning: `a.rs` has shrunk from 700"));
    }

    #[test]
    fn what_nothing_needs_fails() {
        let found = judged("a.rs = 700\nb.rs::f = 80", 700);
        assert!(found[0].contains("ratchet.txt:2: error: `b.rs::f` needs no"), "{found:?}");
        assert_eq!(found.len(), 1);
    }

    #[test]
    fn a_line_that_is_no_allowance_fails() {
        assert!(judged("a.rs = many\na.rs = 700", 700)[0].contains("ratchet.txt:1: error"));
        assert_eq!(judged("a.rs = 700\na.rs = 700", 700).len(), 1);
    }
}
