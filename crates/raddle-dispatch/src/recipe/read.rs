//! How does text become a recipe, and what is said of text that is none?

use serde::Deserialize;
use serde_json::{Map, Value};

use super::Recipe;
use super::node::{Fault, Node};
use super::place::{Path, Step, is_json, kebab};
use super::tell;
use crate::RecipeError;

/// Reads a recipe; see [`Recipe::parse`].
pub(super) fn parse(name: &str, text: &str) -> Result<Recipe, RecipeError> {
    let mut value = value(name, text)?;
    if let Err((path, spelled)) = spell(&mut value, &Path::default()) {
        let message = format!(
            "it is there twice, as {}: leave one of them out",
            tell::listed(&spelled, "and")
        );
        return Err(RecipeError::setting(&path.shown(), message, None).of_file(name, text));
    }
    let version = value.get("raddle").cloned().unwrap_or(Value::Null);
    if version != 1 {
        let version = match version {
            Value::Null => "has no version".to_owned(),
            other => format!("is of version {other}"),
        };
        let line = if is_json(text) { "\"raddle\": 1" } else { "raddle = 1" };
        return Err(RecipeError::Version { name: name.into(), version, line });
    }
    trial(&value).map_err(|fault| {
        let told = tell::tell(&value, &fault, is_json(text));
        told.of_file(name, text)
    })
}

/// What a value is as a recipe.
pub(super) fn trial(value: &Value) -> Result<Recipe, Fault> {
    // serde would take a number for the policy at that place in its list.
    let mut policies = value.as_object().into_iter().flatten().filter_map(|(_, v)| v.get("policy"));
    if policies.any(|policy| !policy.is_string()) {
        return Err(Fault::Unfit("a string".to_owned()));
    }
    Recipe::deserialize(Node(value.clone()))
}

fn value(name: &str, text: &str) -> Result<Value, RecipeError> {
    let syntax = |format, line: Option<usize>, message: &str| RecipeError::Syntax {
        name: name.into(),
        format,
        line: line.unwrap_or(1),
        message: message.trim().replace('\n', ", "),
    };
    if is_json(text) {
        return serde_json::from_str(text).map_err(|error| {
            let told = error.to_string();
            // The line stands in front already.
            let message = told.rsplit_once(" at line ").map_or(&*told, |(message, _)| message);
            syntax("JSON", Some(error.line()), message)
        });
    }
    toml::from_str(text).map_err(|error: toml::de::Error| {
        let before = |at: usize| text.as_bytes().iter().take(at).filter(|&&byte| byte == b'\n');
        let line = error.span().map(|span| 1 + before(span.start).count());
        syntax("TOML", line, error.message())
    })
}

/// Spells keys, and words that are values, in kebab-case; prose stays as it is. A key that is there
/// in both spellings is an error: the way to it, and how it is spelled.
fn spell(value: &mut Value, path: &Path) -> Result<(), (Path, [String; 2])> {
    match value {
        Value::Object(map) => {
            let mut spelled = Map::new();
            for (key, mut inner) in std::mem::take(map) {
                let to = path.to(Step::Key(kebab(&key)));
                if key != "description" {
                    spell(&mut inner, &to)?;
                }
                if spelled.insert(kebab(&key), inner).is_some() {
                    return Err((to, [kebab(&key), key]));
                }
            }
            *map = spelled;
            Ok(())
        }
        Value::Array(items) => items
            .iter_mut()
            .enumerate()
            .try_for_each(|(at, item)| spell(item, &path.to(Step::Index(at)))),
        Value::String(word) => {
            *word = kebab(word);
            Ok(())
        }
        _ => Ok(()),
    }
}
