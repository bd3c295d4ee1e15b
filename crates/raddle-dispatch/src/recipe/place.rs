//! Where in a recipe does something lie: under which key, on which line?
//!
//! Keys are kebab-case here, however they are spelled in the text. Lines count from 1.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::Value;
use serde_json::value::RawValue;
use toml::de::{DeTable, DeValue};

/// One step into a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Into a table.
    Key(String),
    /// Into a list, counted from 0.
    Index(usize),
}

/// A way into a recipe, from its top.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Path(pub(super) Vec<Step>);

impl Path {
    /// The way that [`Path::shown`] shows.
    pub(super) fn of(shown: &str) -> Self {
        let mut path = Self::default();
        for part in shown.split('.') {
            let mut parts = part.split('[');
            path.0.extend(parts.next().map(|key| Step::Key(key.to_owned())));
            let at = |at: &str| at.trim_end_matches(']').parse().ok();
            path.0.extend(parts.filter_map(at).map(Step::Index));
        }
        path
    }

    /// One step further.
    pub(super) fn to(&self, step: Step) -> Self {
        let mut longer = self.clone();
        longer.0.push(step);
        longer
    }

    /// Without what lies in lists at its end, so that it ends with a key.
    pub(super) fn up_to_key(mut self) -> Self {
        while let Some(Step::Index(_)) = self.0.last() {
            self.0.pop();
        }
        self
    }

    /// The last key on it.
    pub(super) fn key(&self) -> Option<&str> {
        match self.0.last() {
            Some(Step::Key(key)) => Some(key),
            _ => None,
        }
    }

    /// `turn.t0-us`, `order.windows.windows-us[2]`.
    pub(super) fn shown(&self) -> String {
        let mut shown = String::new();
        for step in &self.0 {
            let dot = if shown.is_empty() { "" } else { "." };
            // Writing to a string cannot fail.
            let _ = match step {
                Step::Key(key) => write!(shown, "{dot}{key}"),
                Step::Index(at) => write!(shown, "[{at}]"),
            };
        }
        shown
    }

    /// What lies there.
    pub(super) fn get<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        self.0.iter().try_fold(value, |value, step| match step {
            Step::Key(key) => value.get(key),
            Step::Index(at) => value.get(at),
        })
    }

    /// The same, to change it.
    pub(super) fn get_mut<'v>(&self, value: &'v mut Value) -> Option<&'v mut Value> {
        self.0.iter().try_fold(value, |value, step| match step {
            Step::Key(key) => value.get_mut(key),
            Step::Index(at) => value.get_mut(at),
        })
    }

    /// Puts something there; the table or list that it lies in has to be there.
    pub(super) fn put(&self, value: &mut Value, new: Value) -> Option<()> {
        let (last, before) = self.0.split_last()?;
        let within = Self(before.to_vec()).get_mut(value)?;
        match last {
            Step::Key(key) => {
                within.as_object_mut()?.insert(key.clone(), new);
            }
            Step::Index(at) => *within.get_mut(at)? = new,
        }
        Some(())
    }

    /// The line of a recipe's text on which it begins, or that of what it would lie in.
    pub(super) fn line(&self, text: &str) -> Option<usize> {
        let at = if is_json(text) { self.in_json(text) } else { self.in_toml(text) }?;
        Some(1 + text.as_bytes().iter().take(at).filter(|&&byte| byte == b'\n').count())
    }

    fn in_toml(&self, text: &str) -> Option<usize> {
        let mut value = &DeValue::Table(DeTable::parse(text).ok()?.into_inner());
        let mut at = None;
        for step in &self.0 {
            let found = match (step, value) {
                (Step::Key(wanted), DeValue::Table(table)) => {
                    let entry = table.iter().find(|(key, _)| kebab(key.get_ref()) == *wanted);
                    entry.map(|(key, value)| (key.span().start, value))
                }
                (Step::Index(n), DeValue::Array(items)) => {
                    items.get(*n).map(|value| (value.span().start, value))
                }
                _ => None,
            };
            let Some((start, inner)) = found else { break };
            (at, value) = (Some(start), inner.get_ref());
        }
        at
    }

    fn in_json(&self, text: &str) -> Option<usize> {
        let mut value: &RawValue = serde_json::from_str(text).ok()?;
        let mut at = None;
        for step in &self.0 {
            let found = match step {
                Step::Key(wanted) => serde_json::from_str(value.get())
                    .ok()
                    .and_then(|map: BTreeMap<String, &RawValue>| {
                        map.into_iter().find(|(key, _)| kebab(key) == *wanted)
                    })
                    .map(|(_, value)| value),
                Step::Index(n) => serde_json::from_str(value.get())
                    .ok()
                    .and_then(|items: Vec<&RawValue>| items.get(*n).copied()),
            };
            let Some(inner) = found else { break };
            // A raw value is a part of the text that it was read from.
            (at, value) = (inner.get().as_ptr().addr().checked_sub(text.as_ptr().addr()), inner);
        }
        at
    }
}

/// Whether a recipe is JSON; else it is TOML.
pub(super) fn is_json(text: &str) -> bool {
    text.trim_start().starts_with('{')
}

/// A name as we spell it.
pub(super) fn kebab(name: &str) -> String {
    name.replace('_', "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn windows(at: usize) -> Path {
        let keys = Path::of("allocate.order.windows.windows-us");
        keys.to(Step::Index(at))
    }

    #[test]
    fn lines_of_keys_and_elements() {
        let toml = "raddle = 1\n\n[allocate]\npolicy = \"matching\"\norder = { windows = { windows_us = [\n 1,\n 2] } }\n";
        let json = "{\"raddle\": 1,\n\"allocate\": {\n\"policy\": \"matching\",\n\"order\": {\"windows\":\n{\"windows_us\": [\n1,\n2]}}}}";
        let line = |text: &str, path: Path| path.line(text);
        assert_eq!(line(toml, Path::of("raddle")), Some(1));
        assert_eq!(line(toml, Path::of("allocate")), Some(3));
        assert_eq!(line(toml, Path::of("allocate.policy")), Some(4));
        assert_eq!(line(toml, windows(1)), Some(7));
        assert_eq!(line(json, Path::of("allocate.policy")), Some(3));
        assert_eq!(line(json, windows(1)), Some(7));
        // What is not there would lie in its table; what lies in nothing is nowhere.
        assert_eq!(line(toml, Path::of("allocate.search")), Some(3));
        assert_eq!(line(json, Path::of("allocate.search")), Some(2));
        assert_eq!(line(toml, Path::of("turn.policy")), None);
    }

    #[test]
    fn ways_are_shown_and_read_again() {
        assert_eq!(Path::of(&windows(2).shown()), windows(2));
        assert_eq!(windows(2).shown(), "allocate.order.windows.windows-us[2]");
        assert_eq!(windows(2).up_to_key().shown(), "allocate.order.windows.windows-us");
    }
}
