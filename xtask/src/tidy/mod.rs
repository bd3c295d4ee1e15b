//! Does the repository keep those house rules that no compiler, lint or other tool checks?
//!
//! `docs/STYLE.md` names the rule here that checks each of its sentences. The rules also run as a
//! test of this crate, so `cargo test --workspace` finds breaches too.

mod arrows;
mod circles;
mod comments;
mod files;

use std::fmt;

use anyhow::{Result, bail};

/// Breach of a house rule, with its place and advice.
#[derive(Debug)]
struct Finding {
    /// Place of the breach, as `path` or `path:line`.
    place: String,
    /// Description of the breach.
    what: String,
    /// Advice how to mend the breach, as text.
    mend: &'static str,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}\n    mend: {}", self.place, self.what, self.mend)
    }
}

type TidyRule = fn() -> Result<Vec<Finding>>;

const RULES: [(&str, TidyRule); 8] = [
    ("arrows", arrows::check),
    ("circles", circles::check),
    ("header", || files::check(files::header)),
    ("size", || files::check(files::size)),
    ("comments", || files::check(comments::comments)),
    ("words", || files::check(files::words)),
    ("links", || files::check(files::links)),
    ("fixtures", files::fixtures),
];

/// Prints every place where a house rule is broken.
///
/// # Errors
/// When a rule is broken.
pub(crate) fn run() -> Result<()> {
    let mut count = 0;
    for (name, rule) in RULES {
        for finding in rule()? {
            println!("[{name}] {finding}");
            count += 1;
        }
    }
    if count > 0 {
        bail!("{count} findings");
    }
    println!("tidy: {} rules hold", RULES.len());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repository_is_tidy() {
        for (name, rule) in RULES {
            let found = rule().expect("the rule can be checked");
            let found: Vec<String> = found.iter().map(ToString::to_string).collect();
            assert!(found.is_empty(), "cargo xtask tidy: [{name}]\n{}", found.join("\n"));
        }
    }

    #[test]
    fn every_rule_is_explained_in_the_style_guide() {
        let style = std::fs::read_to_string(crate::checkout::root().join("docs/STYLE.md"));
        let style = style.expect("the style guide can be read");
        for (name, _) in RULES {
            assert!(style.contains(&format!("`{name}`")), "docs/STYLE.md must name rule `{name}`");
        }
    }
}
