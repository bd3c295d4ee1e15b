//! Which public items of a crate can other crates name?
//!
//! A walk through rustdoc's JSON finds them, from the crate's root through modules and re-exports.

use std::collections::BTreeSet;

use serde_json::Value;

use super::signature::{after, bounds, conditions, each, function, generics, tuple, ty};

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Item {
    /// Path of the item, beginning with the name of the crate.
    pub(super) path: String,
    /// Kind of the item as rustdoc names it, such as `struct_field`.
    pub(super) kind: String,
    /// Declaration of the item, in one line.
    pub(super) line: String,
}

/// Returns the public items of a crate, sorted by path; `document` is its rustdoc JSON.
pub(super) fn public(document: &Value) -> Vec<Item> {
    let mut walk = Walk { index: &document["index"], seen: BTreeSet::new(), items: Vec::new() };
    walk.visit(&document["root"], "");
    walk.items.sort();
    walk.items
}

struct Walk<'a> {
    index: &'a Value,
    seen: BTreeSet<String>,
    items: Vec<Item>,
}

/// Item of this crate in rustdoc's JSON, as (whole entry, kind, part of the entry for this kind).
type Found<'a> = (&'a Value, &'a str, &'a Value);

impl<'a> Walk<'a> {
    fn get(&self, id: &Value) -> Option<Found<'a>> {
        let item = &self.index[id.to_string()];
        let (kind, inner) = item["inner"].as_object()?.iter().next()?;
        (item["crate_id"] == 0).then_some((item, kind, inner))
    }

    fn visit(&mut self, id: &Value, path: &str) {
        let Some(found @ (item, kind, inner)) = self.get(id) else { return };
        if kind == "use" {
            return self.follow(inner, path);
        }
        if !self.seen.insert(id.to_string()) {
            return;
        }
        let path = join(path, item["name"].as_str().unwrap_or_default());
        if kind == "module" {
            return each(&inner["items"]).for_each(|id| self.visit(id, &path));
        }
        self.push(found, &path);
        let fields = &inner["kind"];
        self.members(each(&fields["plain"]["fields"]).chain(each(&fields["tuple"])), &path, true);
        self.members(each(&inner["variants"]), &path, false);
        // The members of a trait; items of a module are visited above.
        self.members(each(&inner["items"]), &path, false);
        for id in each(&inner["impls"]) {
            if let Some((_, _, inner)) = self.get(id).filter(|(.., inner)| inner["trait"].is_null())
            {
                self.members(each(&inner["items"]), &path, true);
            }
        }
    }

    /// Visits the item that a re-export names, under the path of the module that has the re-export.
    fn follow(&mut self, inner: &Value, path: &str) {
        let target = self.get(&inner["id"]);
        match (target, inner["is_glob"] == true) {
            (Some(_), false) => self.visit(&inner["id"], path),
            (Some((_, _, inner)), true) => each(&inner["items"])
                .chain(each(&inner["variants"]))
                .for_each(|id| self.visit(id, path)),
            (None, _) => {
                let path = join(path, inner["name"].as_str().unwrap_or_default());
                let line = format!("use {path} = {}", inner["source"].as_str().unwrap_or_default());
                self.items.push(Item { path, kind: "use".to_owned(), line });
            }
        }
    }

    fn members(&mut self, ids: impl Iterator<Item = &'a Value>, path: &str, only_public: bool) {
        for found in ids.filter_map(|id| self.get(id)).collect::<Vec<_>>() {
            if !only_public || found.0["visibility"] == "public" {
                let name = found.0["name"].as_str().unwrap_or_default();
                self.push(found, &join(path, name));
            }
        }
    }

    fn push(&mut self, found: Found<'a>, path: &str) {
        let line = self.line(found, path);
        self.items.push(Item { path: path.to_owned(), kind: found.1.to_owned(), line });
    }

    /// Writes the declaration of an item in one line, with its full path in place of its name.
    fn line(&self, (item, kind, inner): Found<'a>, path: &str) -> String {
        let open = if each(&item["attrs"]).any(|attr| attr == "non_exhaustive") {
            " (non_exhaustive)"
        } else {
            ""
        };
        let generic = &inner["generics"];
        match kind {
            "struct" | "enum" | "union" => {
                let params = generics(generic);
                let limits = conditions(generic);
                format!(
                    "{kind} {path}{params}{limits}{open}{}",
                    after(": ", &self.traits(&item["id"], inner))
                )
            }
            "trait" => {
                let limits = after(": ", &bounds(&inner["bounds"]));
                format!("trait {path}{}{limits}{}", generics(generic), conditions(generic))
            }
            "function" => {
                let (before, behind) = function(inner);
                let provided = if inner["has_body"] == true { "" } else { ";" };
                format!("{before} {path}{behind}{provided}")
            }
            "struct_field" => format!("{path}: {}", ty(inner)),
            "variant" => format!("{path}{}{open}", self.held(&inner["kind"])),
            "constant" | "assoc_const" => format!("const {path}: {}", ty(&inner["type"])),
            "type_alias" => format!("type {path}{} = {}", generics(generic), ty(&inner["type"])),
            "assoc_type" => format!("type {path}{}", after(": ", &bounds(&inner["bounds"]))),
            _ => format!("{kind} {path}"),
        }
    }

    /// Writes the fields of an enum's variant, in round or curly brackets; empty where it has none.
    fn held(&self, kind: &Value) -> String {
        let field = |id: &Value| self.get(id).map_or("_".to_owned(), |(.., inner)| ty(inner));
        if let Some(members) = kind.get("tuple") {
            return tuple(&each(members).map(field).collect::<Vec<_>>()).replace(",)", ")");
        }
        let named = each(&kind["struct"]["fields"]).map(|id| {
            let name = self.get(id).map_or("", |(item, ..)| item["name"].as_str().unwrap_or(""));
            format!("{name}: {}", field(id))
        });
        let named = named.collect::<Vec<_>>().join(", ");
        if named.is_empty() { named } else { format!(" {{ {named} }}") }
    }

    /// Writes the traits that a type implements, sorted, without blanket and automatic ones.
    fn traits(&self, of: &Value, inner: &Value) -> String {
        let own = each(&inner["impls"]).filter_map(|id| self.get(id)).filter_map(|(.., inner)| {
            let own = inner["for"]["resolved_path"]["id"] == *of && inner["is_synthetic"] != true;
            let own = own && inner["blanket_impl"].is_null();
            let name = own.then(|| ty(&serde_json::json!({"resolved_path": inner["trait"]})))?;
            // The compiler's own companion of a derived comparison.
            (!name.is_empty() && name != "StructuralPartialEq").then_some(name)
        });
        own.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(" + ")
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}::{name}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_that_can_be_named_is_listed_once() {
        let document = serde_json::json!({"root": 0, "index": {
            "0": {"crate_id": 0, "name": "a", "inner": {"module": {"items": [1, 2, 3, 9, 13]}}},
            // Two ways to one type.
            "1": {"crate_id": 0, "inner": {"use": {"id": 3, "is_glob": false}}},
            "2": {"crate_id": 0, "inner": {"use": {"id": 8, "is_glob": true}}},
            "3": {"crate_id": 0, "id": 3, "name": "S", "inner": {"struct": {"kind": {"plain": {"fields": [4, 5]}}, "impls": [6, 10, 14]}}},
            "4": {"crate_id": 0, "name": "seen", "visibility": "public", "inner": {"struct_field": {"primitive": "u8"}}},
            "5": {"crate_id": 0, "name": "own", "visibility": "crate", "inner": {"struct_field": {"primitive": "u8"}}},
            "6": {"crate_id": 0, "inner": {"impl": {"trait": null, "items": [7]}}},
            "7": {"crate_id": 0, "name": "new", "visibility": "public", "inner": {"function":
                {"has_body": true, "sig": {"inputs": [], "output": {"generic": "Self"}}}}},
            "8": {"crate_id": 0, "name": "m", "inner": {"module": {"items": [3, 11]}}},
            // Of another crate.
            "9": {"crate_id": 1, "name": "T", "inner": {"struct": {}}},
            "10": {"crate_id": 0, "inner": {"impl": {"trait": {"path": "Clone"}, "items": [7], "for": {"resolved_path": {"id": 3}}}}},
            // Of another type, in whose signature this one stands.
            "14": {"crate_id": 0, "inner": {"impl": {"trait": {"path": "From"}, "items": [], "for": {"resolved_path": {"id": 11}}}}},
            "11": {"crate_id": 0, "name": "E", "attrs": ["non_exhaustive"], "inner": {"enum": {"variants": [12], "impls": []}}},
            "12": {"crate_id": 0, "name": "V", "visibility": "default", "inner": {"variant": {"kind": {"tuple": [5]}}}},
            "13": {"crate_id": 0, "inner": {"use": {"id": 9, "is_glob": false, "name": "T", "source": "b::T"}}},
        }});
        let expected = [
            "enum a::E (non_exhaustive)",
            "a::E::V(u8)",
            "struct a::S: Clone",
            "fn a::S::new() -> Self",
            "a::S::seen: u8",
            "use a::T = b::T",
        ];
        let found = public(&document);
        assert_eq!(found.iter().map(|item| item.line.as_str()).collect::<Vec<_>>(), expected);
    }
}
