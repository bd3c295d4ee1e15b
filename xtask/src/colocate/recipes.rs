//! Which recipes are compared?
//!
//! One template; rows are ways of taking work off, columns allocation policies.

/// Allocation policies, the default first.
pub(super) const ALLOCATE: [&str; 6] =
    ["leftover", "greedy", "round-robin", "matching", "block-warp", "spatial"];

/// A row.
pub(super) struct Way {
    /// As the tables show it.
    pub(super) name: &'static str,
    /// Its file, without the allocation policy.
    stem: &'static str,
    /// What stands in `[preempt]`; `None`: no turns and no window either.
    preempt: Option<&'static str>,
}

const fn way(name: &'static str, stem: &'static str, preempt: &'static str) -> Way {
    Way { name, stem, preempt: Some(preempt) }
}

/// Every way, the gentlest first.
pub(super) const WAYS: [Way; 10] = [
    Way { name: "no turns, no window", stem: "none", preempt: None },
    way("`never`", "never", "policy = \"never\""),
    way("`wait`", "wait", "policy = \"wait\""),
    way("`flag`", "flag", "policy = \"flag\""),
    way("`drain`", "drain", "policy = \"drain\""),
    way("`reset`", "reset", "policy = \"reset\""),
    way("`reset`, `most-kills = 16`", "reset-16", "policy = \"reset\"\nmost-kills = 16"),
    way("`reset`, `most-kills = 4`", "reset-4", "policy = \"reset\"\nmost-kills = 4"),
    way("`switch`", "switch", "policy = \"switch\""),
    way("`cheapest`", "cheapest", "policy = \"cheapest\"\nbound-us = 100"),
];

impl Way {
    /// The file of its recipe.
    pub(super) fn file(&self, allocate: &str) -> String {
        format!("{allocate}-{}.toml", self.stem)
    }

    /// Its recipe.
    pub(super) fn recipe(&self, allocate: &str) -> String {
        let allocate = format!("[allocate]\npolicy = \"{allocate}\"\n");
        match self.preempt {
            None => format!("raddle = 1\n{allocate}"),
            Some(preempt) => format!(
                "raddle = 1\nwindow = 8\n[turn]\npolicy = \"highest-level\"\n{allocate}[preempt]\n{preempt}\n"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_recipe_has_a_file_of_its_own() {
        let all = ALLOCATE.iter().flat_map(|allocate| WAYS.iter().map(|way| way.file(allocate)));
        assert_eq!(all.collect::<BTreeSet<_>>().len(), ALLOCATE.len() * WAYS.len());
        let text = "raddle = 1\nwindow = 8\n[turn]\npolicy = \"highest-level\"\n[allocate]\npolicy = \
            \"greedy\"\n[preempt]\npolicy = \"flag\"\n";
        assert_eq!(WAYS[3].recipe("greedy"), text);
        assert_eq!(WAYS[0].recipe("greedy"), "raddle = 1\n[allocate]\npolicy = \"greedy\"\n");
    }
}
