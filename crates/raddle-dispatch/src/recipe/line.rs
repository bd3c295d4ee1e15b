//! On which line of a recipe's text is a key?

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use toml::de::{DeTable, DeValue};

use raddle_read::kebab;

/// Returns the number, from 1, of the line that has the key `key`, such as
/// `order.windows.windows-us[2]`, in a recipe's text (TOML or JSON). Where the key is missing,
/// returns the line of the innermost table to which it belongs; `None` where that is missing too.
pub(super) fn line(text: &str, key: &str) -> Option<usize> {
    let steps = key.split(['.', '[']).map(|step| step.trim_end_matches(']'));
    let at = if is_json(text) { in_json(text, steps) } else { in_toml(text, steps) }?;
    Some(line_at(text, at))
}

/// Returns the number, from 1, of the line of a text that contains the byte with the index `at`.
pub(super) fn line_at(text: &str, at: usize) -> usize {
    1 + text.bytes().take(at).filter(|&byte| byte == b'\n').count()
}

/// Returns whether the text of a recipe is JSON; all other texts are TOML.
pub(super) fn is_json(text: &str) -> bool {
    text.trim_start().starts_with('{')
}

fn in_toml<'s>(text: &str, steps: impl Iterator<Item = &'s str>) -> Option<usize> {
    let mut value = &DeValue::Table(DeTable::parse(text).ok()?.into_inner());
    let mut at = None;
    for step in steps {
        let found = match value {
            DeValue::Table(table) => {
                let entry = table.iter().find(|(key, _)| kebab(key.get_ref()) == step);
                entry.map(|(key, value)| (key.span().start, value))
            }
            DeValue::Array(items) => step
                .parse()
                .ok()
                .and_then(|index: usize| items.get(index).map(|value| (value.span().start, value))),
            _ => None,
        };
        let Some((start, inner)) = found else { break };
        (at, value) = (Some(start), inner.get_ref());
    }
    at
}

fn in_json<'s>(text: &str, steps: impl Iterator<Item = &'s str>) -> Option<usize> {
    let mut value: &RawValue = serde_json::from_str(text).ok()?;
    let mut at = None;
    for step in steps {
        let found = if is_json(value.get()) {
            let table: BTreeMap<String, &RawValue> = serde_json::from_str(value.get()).ok()?;
            table.into_iter().find(|(key, _)| kebab(key) == step).map(|(_, value)| value)
        } else {
            let items: Option<Vec<&RawValue>> = serde_json::from_str(value.get()).ok();
            items.and_then(|items| items.get(step.parse::<usize>().ok()?).copied())
        };
        let Some(inner) = found else { break };
        // A raw value is a part of the text that it was read from.
        (at, value) = (inner.get().as_ptr().addr().checked_sub(text.as_ptr().addr()), inner);
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_keys_and_elements() {
        let toml = "raddle = 1\n\n[allocate]\npolicy = \"matching\"\norder = { windows = { windows_us = [\n 1,\n 2] } }\n";
        let json = "{\"raddle\": 1,\n\"allocate\": {\n\"policy\": \"matching\",\n\"order\": {\"windows\":\n{\"windows_us\": [\n1,\n2]}}}}";
        for (key, in_toml, in_json) in [
            ("raddle", Some(1), Some(1)),
            ("allocate", Some(3), Some(2)),
            ("allocate.policy", Some(4), Some(3)),
            ("allocate.order.windows.windows-us[1]", Some(7), Some(7)),
            // The line of a missing key is that of its table.
            ("allocate.search", Some(3), Some(2)),
            ("turn.policy", None, None),
        ] {
            assert_eq!((line(toml, key), line(json, key)), (in_toml, in_json), "{key}");
        }
    }
}
