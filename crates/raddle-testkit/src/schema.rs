//! Does a JSON value keep a JSON schema?
//!
//! Only the keywords of the schemas in the fixtures are known; any other keyword is an error.

use serde_json::Value;

/// Returns every violation of a JSON schema by a JSON value, in words, each with its place in the
/// value; empty where there is none.
///
/// # Panics
/// On a keyword or a type of JSON schemas that this function does not know.
#[must_use]
pub fn schema_breaches(schema: &Value, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    check(schema, schema, value, "", &mut found);
    found
}

fn check(root: &Value, schema: &Value, value: &Value, at: &str, found: &mut Vec<String>) {
    for (keyword, wanted) in schema.as_object().expect("a schema is an object") {
        match keyword.as_str() {
            "$comment" | "$defs" | "additionalProperties" => {}
            "$ref" => {
                let pointer = wanted.as_str().and_then(|text| text.strip_prefix('#'));
                let inner = pointer.and_then(|pointer| root.pointer(pointer));
                check(root, inner.expect("a reference within the schema"), value, at, found);
            }
            "items" => {
                for (number, item) in value.as_array().into_iter().flatten().enumerate() {
                    check(root, wanted, item, &format!("{at}/{number}"), found);
                }
            }
            "properties" => {
                for (key, inner) in value.as_object().into_iter().flatten() {
                    match wanted.get(key) {
                        Some(schema) => check(root, schema, inner, &format!("{at}/{key}"), found),
                        None if schema["additionalProperties"] == false => {
                            found.push(format!("{at}: {key} is not known"));
                        }
                        None => {}
                    }
                }
            }
            _ => {
                let breaches = own_breaches(keyword, wanted, value);
                found.extend(breaches.into_iter().map(|breach| format!("{at}: {breach}")));
            }
        }
    }
}

/// Returns in words how a JSON value violates one keyword of a JSON schema; the items and
/// properties of the value are not checked.
fn own_breaches(keyword: &str, wanted: &Value, value: &Value) -> Vec<String> {
    let list = || wanted.as_array().expect("a list");
    let number = value.as_i64().zip(wanted.as_i64());
    let broken = match keyword {
        "type" => !match wanted.as_str().expect("a type is a text") {
            "object" => value.is_object(),
            "array" => value.is_array(),
            "string" => value.is_string(),
            "integer" => value.is_i64() || value.is_u64(),
            other => panic!("the type {other} is not known here"),
        },
        "const" => value != wanted,
        "enum" => !list().contains(value),
        "minimum" => number.is_some_and(|(own, least)| own < least),
        "maximum" => number.is_some_and(|(own, most)| own > most),
        "minItems" => value
            .as_array()
            .is_some_and(|all| (all.len() as u64) < wanted.as_u64().expect("a number")),
        "required" => {
            let keys = list().iter().filter_map(Value::as_str);
            let missing = keys.filter(|key| value.is_object() && value.get(key).is_none());
            return missing.map(|key| format!("there is no {key}")).collect();
        }
        other => panic!("the keyword {other} is not known here"),
    };
    if broken { vec![format!("{value} breaks {keyword} {wanted}")] } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::schema_breaches;
    use serde_json::json;

    #[test]
    fn every_breach_is_told_with_its_place() {
        let schema = json!({
            "type": "object", "required": ["a"], "additionalProperties": false,
            "$defs": { "small": { "type": "integer", "minimum": 1, "maximum": 3 } },
            "properties": {
                "a": { "type": "array", "minItems": 1, "items": { "$ref": "#/$defs/small" } },
                "b": { "enum": ["x", "y"] },
                "c": { "const": "v1" },
            },
        });
        let breaches = |value| schema_breaches(&schema, &value);
        assert!(breaches(json!({ "a": [1, 3], "b": "y", "c": "v1" })).is_empty());
        let found = breaches(json!({ "a": [0, 4, "2"], "b": "z", "d": 1 }));
        let expected = [
            "/a/0: 0 breaks minimum 1",
            "/a/1: 4 breaks maximum 3",
            "/a/2: \"2\" breaks type \"integer\"",
            "/b: \"z\" breaks enum [\"x\",\"y\"]",
            ": d is not known",
        ];
        assert_eq!(found, expected);
        assert_eq!(
            breaches(json!({ "c": "v2" })),
            ["/c: \"v2\" breaks const \"v1\"", ": there is no a"]
        );
        assert_eq!(breaches(json!({ "a": [] })), ["/a: [] breaks minItems 1"]);
        assert_eq!(breaches(json!([])).len(), 1);
    }
}
