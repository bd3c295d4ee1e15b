//! How is an invalid value of a recipe reported: its key, the valid values, an example?

use serde_json::Value;

use super::error::RecipeError;
use super::registry::Registry;
use super::sample;
use raddle_read::{FaultKind, ReadError, kebab};

/// A recipe with all keys that are not settings of a policy; error messages take examples from it.
const RECIPE: &str = "raddle = 1
description = \"what it is for, in a line\"
window = 8
launch-path = { policy = \"ordinary\" }
turn = { policy = \"everyone\" }
allocate = { policy = \"leftover\" }
preempt = { policy = \"never\" }";

/// Turns an error in reading a value of `recipe` into an error of the recipe, with an example of a
/// valid value if one is known: as JSON if `json` is true, else as TOML.
pub(super) fn explain(
    error: &ReadError,
    recipe: &Value,
    json: bool,
    registry: &Registry,
) -> RecipeError {
    let at: Vec<String> = error.at.split('/').skip(1).map(unescaped).collect();
    let mut at: Vec<&str> = at.iter().map(String::as_str).collect();
    let policy = policy(recipe, &at);
    let (mut message, mut word) = (error.to_string(), error.nearest().map(kebab));
    let missing = kebab(&error.found);
    // The key of the example, where it is another one than the key of the error.
    let mut like = None;
    match error.kind {
        FaultKind::MissingField if !missing.is_empty() => {
            at.push(&missing);
            message = "it is missing".to_owned();
            if !error.known.is_empty() {
                message += &format!("; it can be {}", raddle_read::listed(&error.known, "or"));
            }
        }
        FaultKind::UnknownField if !error.known.is_empty() => {
            let telling = |key: &&str| !["raddle", "description"].contains(key);
            let known = || error.known.iter().copied().find(telling).map(kebab);
            like = word.take().or_else(known);
        }
        FaultKind::UnknownField if at.last() == Some(&&*error.found) => {
            let policy = policy.as_deref().unwrap_or("what it lies in");
            message = format!("unknown key, `{policy}` has no settings: leave it out");
        }
        // A word that is a key to settings stands without settings.
        FaultKind::UnknownField => {
            message.clone_from(&error.found);
            word = at.pop().map(kebab);
        }
        _ => word = word.or_else(|| value(recipe, &at)?.as_str().map(kebab)),
    }
    let mut path = at.clone();
    if let Some(like) = &like {
        path.pop();
        path.push(like);
    }
    let found = match (&*path, &policy) {
        _ if error.kind == FaultKind::Inconsistent => None,
        // A misspelled key `policy` keeps its value in the example.
        ([_, "policy"], policy) if error.kind == FaultKind::UnknownField => {
            let given = value(recipe, &at).and_then(Value::as_str).map(kebab);
            let name = given.or_else(|| policy.clone());
            name.map(|name| ("policy".to_owned(), toml::Value::from(name)))
        }
        ([_, "policy"], _) => {
            let first = || error.known.first().map(|name| kebab(name));
            let name = word.filter(|word| error.known.contains(&&**word)).or_else(first);
            name.map(|name| ("policy".to_owned(), toml::Value::from(name)))
        }
        ([slot, rest @ ..], Some(policy)) if !rest.is_empty() => {
            sample::find(registry.samples(slot, policy), rest, word.as_deref())
        }
        _ => sample::find(&[RECIPE], &path, None),
    };
    let example = found.map(|found| sample::shown(&found, json));
    RecipeError::setting(&dotted(&at), &message, example)
}

/// Returns one part of a JSON Pointer (the text between two slashes) without its escapes, in
/// kebab-case.
fn unescaped(step: &str) -> String {
    kebab(&step.replace("~1", "/").replace("~0", "~"))
}

/// Returns a path of keys as text, such as `order.windows.windows-us[2]`.
fn dotted(path: &[&str]) -> String {
    let step = |shown: String, step: &&str| match step.parse::<usize>() {
        Ok(index) => format!("{shown}[{index}]"),
        Err(_) if shown.is_empty() => (*step).to_owned(),
        Err(_) => format!("{shown}.{step}"),
    };
    path.iter().fold(String::new(), step)
}

fn value<'v>(recipe: &'v Value, path: &[&str]) -> Option<&'v Value> {
    path.iter().try_fold(recipe, |value, step| match value {
        Value::Object(table) => {
            table.iter().find(|(key, _)| kebab(key) == *step).map(|(_, value)| value)
        }
        other => other.get(step.parse::<usize>().ok()?),
    })
}

/// Returns the name of the policy that the recipe has in the slot (such as `turn`) in which a path
/// of keys begins; `None` where the path begins in no slot, or the slot has no policy.
fn policy(recipe: &Value, path: &[&str]) -> Option<String> {
    value(recipe, &[path.first()?, "policy"])?.as_str().map(kebab)
}
