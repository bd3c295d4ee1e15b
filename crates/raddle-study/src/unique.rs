//! How do things with equal names get different names that can also name a folder?

use std::collections::BTreeSet;

use crate::units::turns;

/// Largest number of characters of a unique name, as it also names a folder; a longer name is cut.
const LONGEST: usize = 80;

/// Names that were given out so far, so that none is given twice.
#[derive(Debug, Default)]
pub(crate) struct UniqueNames(BTreeSet<String>);

impl UniqueNames {
    /// Returns `wanted`, changed so that it can name a folder; if that name was given before, `-2`,
    /// `-3` and so on is added.
    pub(crate) fn give(&mut self, wanted: &str) -> String {
        let base = fit(wanted);
        let mut name = base.clone();
        let mut n = 2_u64;
        while !self.0.insert(name.clone()) {
            name = format!("{base}-{n}");
            n += 1;
        }
        name
    }
}

/// Returns a name that a folder can have: `wanted` without separators and control characters, and
/// cut where it is too long.
pub(crate) fn fit(wanted: &str) -> String {
    let safe = |c: char| if c.is_control() || turns(c) || "/\\:".contains(c) { '_' } else { c };
    let name: String = wanted.chars().map(safe).take(LONGEST).collect();
    // A name of dots means a folder that exists, and a dot at the beginning hides a file.
    match name.trim_matches([' ', '.']) {
        "" => "unnamed".to_owned(),
        trimmed => trimmed.to_owned(),
    }
}

/// Joins several names to the name of a folder: `a+b`, or `a+2-more` if that gets too long.
#[must_use]
pub fn joined(names: &[&str]) -> String {
    let all = names.join("+");
    match names {
        [first, rest @ ..] if all.chars().count() > LONGEST => {
            let first: String = first.chars().take(LONGEST - 20).collect();
            format!("{first}+{}-more", rest.len())
        }
        _ => all,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_fit_for_folders() {
        let mut names = UniqueNames::default();
        assert_eq!(names.give("a"), "a");
        assert_eq!(names.give("a"), "a-2");
        assert_eq!(names.give("a-2"), "a-2-2");
        assert_eq!(names.give("../x\n"), "_x_");
        assert_eq!(names.give("a\u{202e}b"), "a_b");
        assert_eq!(names.give(".."), "unnamed");
        assert_eq!(names.give(""), "unnamed-2");
    }

    #[test]
    fn long_joins_are_cut() {
        assert_eq!(joined(&["a", "b"]), "a+b");
        let long = "x".repeat(70);
        assert_eq!(joined(&[&long, &long, "c"]), format!("{}+2-more", &long[..60]));
    }
}
