//! Does a document of `--format json` have the keys and types of its schema, and no others?

use std::collections::BTreeMap;
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

/// Schemas that the tool has printed, by the name of the document, so that each is printed once.
static PRINTED: Mutex<BTreeMap<String, Value>> = Mutex::new(BTreeMap::new());

/// Returns the schema of a document, as the tool prints it.
pub(crate) fn schema(name: &str) -> Value {
    let mut printed = PRINTED.lock().unwrap_or_else(PoisonError::into_inner);
    let print = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_raddle"));
        let output = command.args(["schema", name]).output().unwrap();
        assert!(output.status.success(), "{name}: {output:?}");
        serde_json::from_slice(&output.stdout).unwrap()
    };
    printed.entry(name.to_owned()).or_insert_with(print).clone()
}

/// Checks a document that a command line printed against its schema, if it has one.
pub(crate) fn check(args: &[&str], printed: &[u8]) {
    let asked = args.windows(2).any(|pair| pair == ["--format", "json"]);
    if !(asked || args.contains(&"--format=json")) || printed.is_empty() {
        return;
    }
    let Ok(document) = serde_json::from_slice::<Value>(printed) else { return };
    if let Some(name) = name(args, &document) {
        let wrong = misfits(&document, &name);
        assert!(wrong.is_empty(), "{args:?} prints no {name}: {wrong:#?}");
    }
}

/// Returns the name of the document that a command line prints; `None` where it has no schema.
fn name(args: &[&str], document: &Value) -> Option<String> {
    let has = |option: &str| args.iter().any(|arg| arg.starts_with(option));
    let verb = args.iter().find(|arg| !arg.starts_with('-') && **arg != "json")?;
    let behind = || args.get(args.iter().position(|arg| arg == verb)? + 1).copied();
    match *verb {
        "replay" if has("--events") => Some("log-replay".to_owned()),
        "recipes" | "devices" if has("--show") => Some(verb.trim_end_matches('s').to_owned()),
        "compare" if document.is_array() => Some("compare-profiles".to_owned()),
        "log" if has("--check") => Some("log-check".to_owned()),
        "log" if has("--replay") => Some("log-replay".to_owned()),
        "packet" | "kernel" | "calibrate" | "live" => Some(format!("{verb}-{}", behind()?)),
        "replay" | "share" | "tune" | "sweep" | "search-study" | "check" | "compare"
        | "inspect" | "contention" | "recipes" | "devices" | "explain" | "circuit"
        | "check-placement" | "serve" => Some((*verb).to_owned()),
        _ => None,
    }
}

/// Returns in words how a document differs from its schema.
pub(crate) fn misfits(document: &Value, name: &str) -> Vec<String> {
    let schema = schema(name);
    let mut wrong = Vec::new();
    fits(document, &schema, "", &mut wrong);
    let id = schema["$id"].as_str().unwrap();
    match &document["schema"] {
        Value::String(said) if said != id => wrong.push(format!("it says {said}, not {id}")),
        Value::Number(version) if !id.ends_with(&format!("/{version}")) => {
            wrong.push(format!("it says {version}, not {id}"));
        }
        _ => {}
    }
    wrong
}

fn fits(value: &Value, schema: &Value, path: &str, wrong: &mut Vec<String>) {
    let is = |name: &str| match value {
        Value::Null => name == "null",
        Value::Bool(_) => name == "boolean",
        Value::Number(number) => name == "number" || name == "integer" && !number.is_f64(),
        Value::String(_) => name == "string",
        Value::Array(_) => name == "array",
        Value::Object(_) => name == "object",
    };
    let one = match &schema["type"] {
        Value::Null => return,
        Value::String(name) => is(name),
        several => several.as_array().unwrap().iter().any(|name| is(name.as_str().unwrap())),
    };
    if !one {
        return wrong.push(format!("{path}: {value} is no {}", schema["type"]));
    }
    if let Value::Array(entries) = value {
        entries.iter().for_each(|it| fits(it, &schema["items"], &format!("{path}[]"), wrong));
    }
    let Value::Object(keys) = value else { return };
    let required = schema["required"].as_array().into_iter().flatten();
    let absent = required.filter(|key| !keys.contains_key(key.as_str().unwrap()));
    wrong.extend(absent.map(|key| format!("{path}: no {key}")));
    for (key, value) in keys {
        let path = format!("{path}.{key}");
        match (schema["properties"].get(key), &schema["additionalProperties"]) {
            (Some(own), _) => fits(value, own, &path, wrong),
            (None, Value::Bool(false)) => wrong.push(format!("{path} is not in the schema")),
            (None, others) => fits(value, others, &path, wrong),
        }
    }
}
