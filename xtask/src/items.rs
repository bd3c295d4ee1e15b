//! How many public items does each crate have that others build on?
//!
//! Counted by rustdoc's JSON with all features: types, traits, functions and constants that can be
//! named from outside, public fields and methods, variants, and what traits ask for. Not counted:
//! modules, re-exports, implementations of traits, associated constants and types, fields of
//! variants.

use std::collections::BTreeSet;
use std::fs;

use anyhow::{Context, Result};
use serde_json::Value;
use xshell::{Shell, cmd};

use crate::checkout;

/// Crates that an embedder depends on.
const CRATES: [&str; 12] = [
    "raddle-policy",
    "raddle-device",
    "raddle-bitmap",
    "raddle-workgroup",
    "raddle-sm",
    "raddle-timeslice",
    "raddle-preempt",
    "raddle-packet",
    "raddle-read",
    "raddle-dispatch",
    "raddle-trace",
    "raddle-sim",
];

/// Prints the number of public items of each crate, and with `list` every item.
pub(crate) fn run(shell: &Shell, crates: &[String], list: bool) -> Result<()> {
    let all: Vec<String> = CRATES.map(str::to_owned).into();
    let crates = if crates.is_empty() { &all } else { crates };
    // A folder of its own: the variable below would make cargo build everything else again.
    let folder = checkout::target_folder().join("items");
    let mut sum = 0;
    for name in crates {
        cmd!(shell, "cargo rustdoc -q -p {name} --lib --all-features --target-dir {folder}")
            .args(["--", "-Z", "unstable-options", "--output-format", "json"])
            .env("RUSTC_BOOTSTRAP", "1")
            .quiet()
            .run()?;
        let file = folder.join("doc").join(name.replace('-', "_")).with_extension("json");
        let text = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
        let items = public(&serde_json::from_str(&text)?);
        if list {
            for item in &items {
                println!("{item}");
            }
        }
        println!("{name:20} {:5}", items.len());
        sum += items.len();
    }
    println!("{:20} {sum:5}", "all");
    Ok(())
}

/// Returns the paths of the public items of a crate, each with its kind before it, from rustdoc's
/// JSON.
fn public(document: &Value) -> Vec<String> {
    let mut walk = Walk { index: &document["index"], seen: BTreeSet::new(), items: Vec::new() };
    walk.visit(&document["root"], "");
    walk.items
}

struct Walk<'a> {
    index: &'a Value,
    seen: BTreeSet<String>,
    items: Vec<String>,
}

impl<'a> Walk<'a> {
    /// Returns (item, its kind, what that kind holds) for the id of an item of this crate; `None`
    /// for an item of another.
    fn get(&self, id: &Value) -> Option<(&'a Value, &'a str, &'a Value)> {
        let item = &self.index[id.to_string()];
        let (kind, inner) = item["inner"].as_object()?.iter().next()?;
        (item["crate_id"] == 0).then_some((item, kind, inner))
    }

    fn visit(&mut self, id: &Value, path: &str) {
        let Some((item, kind, inner)) = self.get(id) else { return };
        if kind == "use" {
            return self.follow(inner, path);
        }
        if !self.seen.insert(id.to_string()) {
            return;
        }
        let path = format!("{path}::{}", item["name"].as_str().unwrap_or_default());
        if kind == "module" {
            return each(&inner["items"]).for_each(|id| self.visit(id, &path));
        }
        self.items.push(format!("{kind} {path}"));
        let fields = &inner["kind"];
        let public = |(item, kind, _): &(&Value, &str, &Value)| {
            matches!(*kind, "function" | "struct_field") && item["visibility"] == "public"
        };
        self.members(each(&fields["plain"]["fields"]).chain(each(&fields["tuple"])), &path, public);
        self.members(each(&inner["variants"]), &path, |_| true);
        // Functions of a trait; items of a module are visited above.
        self.members(each(&inner["items"]), &path, |(_, kind, _)| *kind == "function");
        for id in each(&inner["impls"]) {
            let Some((_, _, inner)) = self.get(id) else { continue };
            if inner["trait"].is_null() {
                self.members(each(&inner["items"]), &path, public);
            }
        }
    }

    /// Visits the item that a re-export leads to, under the path `path` of the module that
    /// re-exports it.
    fn follow(&mut self, inner: &Value, path: &str) {
        if inner["is_glob"] != true {
            return self.visit(&inner["id"], path);
        }
        if let Some((_, _, inner)) = self.get(&inner["id"]) {
            each(&inner["items"])
                .chain(each(&inner["variants"]))
                .for_each(|id| self.visit(id, path));
        }
    }

    fn members(
        &mut self,
        ids: impl Iterator<Item = &'a Value>,
        path: &str,
        counts: impl Fn(&(&'a Value, &'a str, &'a Value)) -> bool,
    ) {
        for found in ids.filter_map(|id| self.get(id)).filter(counts).collect::<Vec<_>>() {
            let name = found.0["name"].as_str().unwrap_or_default();
            self.items.push(format!("{} {path}::{name}", found.1));
        }
    }
}

fn each(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_named_counts_once() {
        let document = serde_json::json!({"root": 0, "index": {
            "0": {"crate_id": 0, "name": "a", "inner": {"module": {"items": [1, 2, 3, 9]}}},
            // Two ways to one type.
            "1": {"crate_id": 0, "inner": {"use": {"id": 3, "is_glob": false}}},
            "2": {"crate_id": 0, "inner": {"use": {"id": 8, "is_glob": true}}},
            "3": {"crate_id": 0, "name": "S", "inner": {"struct": {"kind": {"plain": {"fields": [4, 5]}}, "impls": [6, 10]}}},
            "4": {"crate_id": 0, "name": "seen", "visibility": "public", "inner": {"struct_field": {}}},
            "5": {"crate_id": 0, "name": "own", "visibility": "crate", "inner": {"struct_field": {}}},
            "6": {"crate_id": 0, "inner": {"impl": {"trait": null, "items": [7]}}},
            "7": {"crate_id": 0, "name": "new", "visibility": "public", "inner": {"function": {}}},
            "8": {"crate_id": 0, "name": "m", "inner": {"module": {"items": [3, 11]}}},
            // Of another crate.
            "9": {"crate_id": 1, "name": "T", "inner": {"struct": {}}},
            "10": {"crate_id": 0, "inner": {"impl": {"trait": {"path": "Clone"}, "items": [7]}}},
            "11": {"crate_id": 0, "name": "E", "inner": {"enum": {"variants": [12], "impls": []}}},
            "12": {"crate_id": 0, "name": "V", "visibility": "default", "inner": {"variant": {}}},
        }});
        let expected = [
            "struct ::a::S",
            "struct_field ::a::S::seen",
            "function ::a::S::new",
            "enum ::a::E",
            "variant ::a::E::V",
        ];
        let found = public(&document);
        assert_eq!(BTreeSet::from_iter(found.iter().map(String::as_str)), BTreeSet::from(expected));
        assert_eq!(found.len(), expected.len());
    }
}
