//! How is a fault in the values of a recipe told: where, what it is, what may stand there, an example?
//!
//! serde knows what is wrong but not where. Where is found by trial: the first entry of a table with
//! which the fault is there lies on the way to it. Examples are found by trial too, by putting right
//! whatever a recipe with nothing but the key is refused for, so that every example can be read.

use serde_json::{Map, Value, json};

use super::node::Fault;
use super::place::{Path, Step};
use super::read::trial;
use crate::RecipeError;

/// A word that no policy knows, to be told those that it does.
const NONSENSE: &str = "?";
/// As much of a value is shown.
const SHOWN: usize = 40;
/// So many things are put right for an example.
const REPAIRS: usize = 64;

/// The error for a value that has a fault; `json`: how examples are written.
pub(super) fn tell(value: &Value, fault: &Fault, json: bool) -> RecipeError {
    let mut root = value.clone();
    let at = locate(&mut root, fault);
    let Told { path, message, example } = match fault {
        Fault::Key(key, known) => unknown_key(&root, at, key, known),
        Fault::Word(word, known) => unknown_word(at, word, known),
        Fault::Missing(key) => {
            let path = at.to(Step::Key((*key).to_owned()));
            let known = words(&root, &path);
            let known = known.map(|known| format!("; it can be {}", listed(known, "or")));
            Told::of(path, format!("it is missing{}", known.unwrap_or_default()))
        }
        Fault::Unfit(what) => unfit(&root, at, what),
        Fault::Length(length, what) => {
            Told::of(at, format!("it has {length} elements, wanted is {}", kind(what)))
        }
        Fault::Other(text) => Told::of(at, text.clone()),
    };
    let example = match example {
        Example::None => None,
        Example::Of(path, word) => self::example(&root, &path, word, json),
    };
    RecipeError::setting(&path.shown(), message, example)
}

/// What is told of a fault.
struct Told {
    path: Path,
    message: String,
    example: Example,
}

/// What an example is given of.
enum Example {
    /// Nothing.
    None,
    /// A key, with the word that is wanted if there is one.
    Of(Path, Option<Value>),
}

impl Told {
    fn of(path: Path, message: String) -> Self {
        let example = Example::Of(path.clone().up_to_key(), None);
        Self { path, message, example }
    }
}

fn unknown_key(root: &Value, path: Path, key: &str, known: &[&str]) -> Told {
    let mut within = path.clone();
    within.0.pop();
    if known.is_empty() {
        let policy = within.get(root).and_then(|table| table.get("policy")?.as_str());
        let policy = policy.unwrap_or("what it lies in");
        let message = format!("there is no such key, `{policy}` has no settings: leave it out");
        return Told { path, message, example: Example::None };
    }
    let near = nearest(key, known);
    let are = if known.len() == 1 { "is" } else { "are" };
    let message = match near {
        Some(near) => format!("there is no such key; did you mean `{near}`? There {are} "),
        None => format!("there is no such key; there {are} "),
    };
    let telling = |name: &&str| !["raddle", "description", "policy"].contains(name);
    let like = near.or_else(|| known.iter().copied().find(telling));
    let example =
        like.map_or(Example::None, |like| Example::Of(within.to(Step::Key(like.to_owned())), None));
    Told { path, message: message + &listed(known, "and"), example }
}

fn unknown_word(mut path: Path, word: &str, known: &[&str]) -> Told {
    // A word with settings is the key to them.
    if path.key() == Some(word) {
        path.0.pop();
    }
    let near = nearest(word, known);
    let message = match near {
        Some(near) => format!("it cannot be `{word}`; did you mean `{near}`? It can be "),
        None => format!("it cannot be `{word}`; it can be "),
    };
    let like = near.or(known.first().copied()).map(Value::from);
    let example = Example::Of(path.clone(), like);
    Told { path, message: message + &listed(known, "or"), example }
}

/// Of a value of another kind than serde wants.
fn unfit(root: &Value, path: Path, what: &str) -> Told {
    if what == "unit" {
        // A word that is the key to settings, but has none; what is given may lie deeper.
        for length in (1..path.0.len()).rev() {
            let (outer, inner) = path.0.split_at(length);
            let outer = Path(outer.to_vec());
            let Some((Step::Key(word), known)) = inner.first().zip(words(root, &outer)) else {
                continue;
            };
            if known.contains(&word.as_str()) {
                let message = format!("`{word}` has no settings: write the word alone");
                let example = Example::Of(outer.clone(), Some(word.as_str().into()));
                return Told { path: outer, message, example };
            }
        }
    }
    let value = path.get(root);
    if what.contains("variant")
        && let Some(Value::String(word)) = value
    {
        let message = format!("`{word}` has settings, which are missing");
        let example = Example::Of(path.clone(), Some(word.as_str().into()));
        return Told { path, message, example };
    }
    let given = value.map(shown).unwrap_or_default();
    let message = match words(root, &path) {
        Some(known) => format!("it is {given}; it can be {}", listed(known, "or")),
        None => format!("it is {given}, wanted is {}", kind(what)),
    };
    Told::of(path, message)
}

/// The way to a fault, or to the table that lacks something. What comes behind it is cut off, so that
/// it is the first one.
fn locate(root: &mut Value, fault: &Fault) -> Path {
    let mut path = Path::default();
    if let Fault::Missing(key) = fault {
        return lacking(root, &path, key).unwrap_or(path);
    }
    while let Some((shorter, step)) = first_with(root, &path, fault) {
        *root = shorter;
        path = path.to(step);
    }
    path
}

/// The innermost table from `path` on that lacks a key: with it, that is missing no more, and unknown
/// neither.
fn lacking(root: &Value, path: &Path, key: &'static str) -> Option<Path> {
    let table = path.get(root)?.as_object()?;
    let within = table.keys().map(|key| path.to(Step::Key(key.clone())));
    within.into_iter().find_map(|path| lacking(root, &path, key)).or_else(|| {
        let mut with = root.clone();
        path.to(Step::Key(key.to_owned())).put(&mut with, 1.into())?;
        let other = match trial(&with) {
            Ok(_) => true,
            Err(Fault::Missing(other)) => other != key,
            Err(Fault::Key(other, _)) => other != key,
            // Beside a word with its settings nothing can stand.
            Err(Fault::Unfit(what)) => !what.contains("single key"),
            Err(_) => true,
        };
        other.then(|| path.clone())
    })
}

/// The entry of what lies at `path` with which a fault is there for the first time.
fn first_with(root: &Value, path: &Path, fault: &Fault) -> Option<(Value, Step)> {
    let with = |value: Value| {
        let mut root = root.clone();
        *path.get_mut(&mut root)? = value;
        (trial(&root).err().as_ref() == Some(fault)).then_some(root)
    };
    match path.get(root)? {
        Value::Object(map) => {
            let mut some = Map::new();
            if with(some.clone().into()).is_some() {
                return None;
            }
            // Without its tag a table is nothing.
            let (tag, rest): (Vec<_>, Vec<_>) = map.iter().partition(|(key, _)| *key == "policy");
            tag.into_iter().chain(rest).find_map(|(key, value)| {
                some.insert(key.clone(), value.clone());
                Some((with(some.clone().into())?, Step::Key(key.clone())))
            })
        }
        Value::Array(items) if !matches!(fault, Fault::Length(..)) => {
            if with(json!([])).is_some() {
                return None;
            }
            (0..items.len())
                .find_map(|last| Some((with(items[..=last].into())?, Step::Index(last))))
        }
        _ => None,
    }
}

/// The words that may stand at a place, where words may.
fn words(root: &Value, path: &Path) -> Option<&'static [&'static str]> {
    let mut root = root.clone();
    path.put(&mut root, NONSENSE.into())?;
    match trial(&root).err()? {
        Fault::Word(word, known) if word == NONSENSE => Some(known),
        _ => None,
    }
}

/// `key = value`: the word that is wanted, else what a key is if it is left out, else what can be read.
fn example(root: &Value, path: &Path, word: Option<Value>, json: bool) -> Option<String> {
    let mut bare = ancestors(root, path);
    let key = path.key()?;
    let with = |mut bare: Value, new: Value| {
        path.put(&mut bare, new)?;
        path.get(&complete(bare)?.0).cloned()
    };
    let value = if word.is_some() {
        with(bare, word?)?
    } else {
        let recipe;
        (bare, recipe) = complete(bare)?;
        let all = serde_json::to_value(recipe).ok()?;
        let telling = |value: &&Value| !value.is_null() && **value != json!([]);
        let left_out = path.get(&bare).or_else(|| path.get(&all)).filter(telling).cloned();
        left_out.or_else(|| with(bare, 1.into()))?
    };
    Some(if json {
        format!("`\"{key}\": {value}`")
    } else {
        format!("`{key} = {}`", toml::Value::try_from(value).ok()?)
    })
}

/// Only the tables that lead to a place, with their tags.
fn ancestors(root: &Value, path: &Path) -> Value {
    let mut bare = json!({ "raddle": 1 });
    let Some((_, before)) = path.0.split_last() else { return bare };
    for length in 1..=before.len() {
        let way = Path(before[..length].to_vec());
        let policy = way.get(root).and_then(|table| table.get("policy"));
        let table = policy.map_or_else(|| json!({}), |policy| json!({ "policy": policy }));
        way.put(&mut bare, table);
    }
    bare
}

/// Puts right whatever a recipe is refused for; with it, the recipe.
fn complete(mut value: Value) -> Option<(Value, super::Recipe)> {
    for _ in 0..REPAIRS {
        let fault = match trial(&value) {
            Ok(recipe) => return Some((value, recipe)),
            Err(fault) => fault,
        };
        let mut path = locate(&mut value.clone(), &fault);
        let new = match &fault {
            Fault::Missing(key) => {
                path = path.to(Step::Key((*key).to_owned()));
                words(&value, &path)
                    .and_then(|known| known.first().copied())
                    .map_or(1.into(), Value::from)
            }
            Fault::Word(_, known) => (*known.first()?).into(),
            Fault::Length(_, what) => json!(vec![1; number_in(what)?]),
            Fault::Unfit(what) => fitting(&value, &path, what)?,
            Fault::Key(..) | Fault::Other(_) => return None,
        };
        path.put(&mut value, new)?;
    }
    None
}

/// A value of the kind that serde wants at a place.
fn fitting(root: &Value, path: &Path, what: &str) -> Option<Value> {
    if let Some(Value::String(word)) = path.get(root)
        && what.contains("variant")
    {
        return Some(json!({ word: 1 }));
    }
    if let Some(known) = words(root, path) {
        return Some((*known.first()?).into());
    }
    Some(match kind(what).as_str() {
        TRUTH => true.into(),
        TEXT => "text".into(),
        TABLE => json!({}),
        LIST => json!([1]),
        list if list.starts_with(LIST) => json!(vec![1; number_in(what)?]),
        _ => 1.into(),
    })
}

const TRUTH: &str = "`true` or `false`";
const TEXT: &str = "text in quotes";
const TABLE: &str = "a table with its settings";
const LIST: &str = "a list";

/// What serde wants, in our words.
fn kind(what: &str) -> String {
    let whole = |most: u64| format!("a whole number from 0 to {most}");
    match what {
        "u8" => whole(u8::MAX.into()),
        "u16" => whole(u16::MAX.into()),
        "u32" => whole(u32::MAX.into()),
        "u64" | "usize" => "a whole number, 0 or more".to_owned(),
        "a boolean" => TRUTH.to_owned(),
        "a string" => TEXT.to_owned(),
        "a sequence" => LIST.to_owned(),
        _ => match number_in(what) {
            Some(length) => format!("{LIST} of {length}"),
            None if ["struct", "map", "enum"].iter().any(|word| what.contains(word)) => {
                TABLE.to_owned()
            }
            None => what.to_owned(),
        },
    }
}

/// The number that stands in a text as a word.
fn number_in(text: &str) -> Option<usize> {
    text.split(' ').find_map(|word| word.parse().ok())
}

/// A value as it is told.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::Bool(_) | Value::Number(_) => format!("`{value}`"),
        Value::String(text) => {
            let short: String = text.chars().take(SHOWN).collect();
            let rest = if short.len() < text.len() { ".." } else { "" };
            format!("the text {short:?}{rest}")
        }
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "a table".to_owned(),
    }
}

/// The known name that was likely meant: less than half of it is otherwise.
fn nearest<'k>(given: &str, known: &[&'k str]) -> Option<&'k str> {
    let far = |name: &&str| strsim::damerau_levenshtein(given, name);
    let near = known.iter().copied().min_by_key(|name| far(name))?;
    (2 * far(&near) < near.chars().count().max(2)).then_some(near)
}

/// `a`, `b` and `c`.
pub(super) fn listed(names: &[impl AsRef<str>], and: &str) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{}`", name.as_ref())).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, before)) => format!("{} {and} {last}", before.join(", ")),
        None => String::new(),
    }
}
