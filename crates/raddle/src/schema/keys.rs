//! How does a list of keys become a JSON Schema?
//!
//! A line is a path and the types of its values, such as `rows[].between-ns~[] integer`: `[]` stands
//! for the entries of a list, `*` for any name, `?` behind a key that may be absent, `~` behind a
//! value that may be null, `any` for a value of any shape, `@answer` for one with the keys of that
//! list. The first line is the name of the document with its version, and its title.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

/// List of the keys of a JSON document, read from a text, from which its JSON Schema is made.
pub(super) struct KeyList<'l> {
    /// Name of the document with its version: `raddle/inspect/1`.
    pub(super) id: &'l str,
    title: &'l str,
    root: Shape<'l>,
}

/// Values that are allowed at one place of a JSON document, such as behind a key.
#[derive(Default)]
struct Shape<'l> {
    optional: bool,
    nullable: bool,
    /// Names of the JSON types that the value may have, besides list and object; `any` stands for
    /// all types.
    types: Vec<&'l str>,
    /// Values that the entries may have if the value is a list; `None` if it is none.
    entries: Option<Box<Self>>,
    /// Keys of the object if the value is an object, each with the values that it may have; empty
    /// if it is none.
    keys: BTreeMap<&'l str, Self>,
}

impl<'l> KeyList<'l> {
    /// Reads a list of keys from its text; `other` returns the list with a given name, to which the
    /// text may refer for a part of the document.
    pub(super) fn read(text: &'l str, other: impl Fn(&str) -> Option<Self>) -> Self {
        let mut lines = text.lines();
        let (id, title) = lines.next().and_then(|line| line.split_once(' ')).unwrap_or_default();
        let mut root = Shape::default();
        for (path, types) in lines.filter_map(|line| line.rsplit_once(' ')) {
            let mut shape = &mut root;
            for key in path.split('.') {
                let name = key.trim_end_matches(['[', ']', '?', '~']);
                if !name.is_empty() {
                    shape = shape.keys.entry(name).or_default();
                }
                for mark in key[name.len()..].chars() {
                    match mark {
                        '?' => shape.optional = true,
                        '~' => shape.nullable = true,
                        '[' => shape = shape.entries.get_or_insert_default(),
                        _ => {}
                    }
                }
            }
            match types.strip_prefix('@').and_then(&other) {
                Some(KeyList { root: Shape { keys, entries, .. }, .. }) => {
                    (shape.keys, shape.entries) = (keys, entries);
                }
                None => shape.types = types.split('|').collect(),
            }
        }
        Self { id, title, root }
    }

    /// Returns the JSON Schema of the document whose keys these are.
    pub(super) fn schema(&self) -> Value {
        let mut schema = self.root.schema();
        schema.insert("$schema".into(), "https://json-schema.org/draft/2020-12/schema".into());
        schema.insert("$id".into(), self.id.into());
        schema.insert("title".into(), self.title.into());
        Value::Object(schema)
    }
}

impl Shape<'_> {
    fn schema(&self) -> Map<String, Value> {
        let mut schema = Map::new();
        let mut types = self.types.clone();
        if types.contains(&"any") {
            return schema;
        }
        if let Some(entries) = &self.entries {
            types.push("array");
            schema.insert("items".into(), Value::Object(entries.schema()));
        }
        if !self.keys.is_empty() {
            types.push("object");
            self.describe_keys(&mut schema);
        }
        types.extend(self.nullable.then_some("null"));
        let types = match types.as_slice() {
            [only] => json!(only),
            several => json!(several),
        };
        schema.insert("type".into(), types);
        schema
    }

    fn describe_keys(&self, schema: &mut Map<String, Value>) {
        let named = || self.keys.iter().filter(|(name, _)| **name != "*");
        let properties: Map<String, Value> = named()
            .map(|(name, shape)| ((*name).to_owned(), Value::Object(shape.schema())))
            .collect();
        let required: Vec<&str> =
            named().filter(|(_, shape)| !shape.optional).map(|(name, _)| *name).collect();
        let others = self.keys.get("*");
        let others = others.map_or(Value::Bool(false), |shape| Value::Object(shape.schema()));
        schema.insert("properties".into(), Value::Object(properties));
        schema.insert("required".into(), json!(required));
        schema.insert("additionalProperties".into(), others);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_keys_becomes_a_schema() {
        let list = "raddle/a/1 A\nat?.*.ns~[] integer\nname string|integer\nany~ any\n";
        let found = KeyList::read(list, |_| None).schema();
        assert_eq!((&found["$id"], &found["title"]), (&json!("raddle/a/1"), &json!("A")));
        assert_eq!(found["required"], json!(["any", "name"]));
        assert_eq!(found["additionalProperties"], json!(false));
        assert_eq!(found["properties"]["any"], json!({}));
        assert_eq!(found["properties"]["name"]["type"], json!(["string", "integer"]));
        let at = &found["properties"]["at"]["additionalProperties"];
        assert_eq!(at["required"], json!(["ns"]));
        let ns = json!({"items": {"type": "integer"}, "type": ["array", "null"]});
        assert_eq!(at["properties"]["ns"], ns);
        let part = |_: &str| Some(KeyList::read("raddle/c/1 C\nname string\n", |_| None));
        let list = KeyList::read("raddle/b/1 B\n[] @c\n", part).schema();
        assert_eq!(
            (&list["type"], &list["items"]["required"]),
            (&json!("array"), &json!(["name"]))
        );
    }
}
