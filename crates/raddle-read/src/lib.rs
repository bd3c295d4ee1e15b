//! How is a document read so that every error has a kind, a place and the expected value?
//!
//! [`read`] makes a JSON value into any type that derives `Deserialize`; TOML is parsed into such a
//! value first. On top of serde's rules, structs refuse unknown keys, and before anything else; keys
//! and words are taken in kebab-case and in snake_case; an integer may be a string `"0x.."`.
#![warn(clippy::too_many_lines)]
#![forbid(unsafe_code)]

use std::fmt;

use serde::Serialize;
use serde::de::{DeserializeOwned, Error, Expected, Unexpected};
use serde_json::Value;

mod tree;

/// Kind of error that makes a JSON document invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FaultKind {
    /// The text of the document is no JSON.
    NotJson,
    /// The document has a key that is not known.
    UnknownField,
    /// The document lacks a required key.
    MissingField,
    /// A value of the document has another type than the one expected there.
    WrongType,
    /// A number of the document is outside its range, or a word is none of the accepted ones.
    OutOfRange,
    /// Values of the document contradict each other.
    Inconsistent,
    /// A result computed from the document does not fit its integer type.
    Overflow,
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotJson => "not_json",
            Self::UnknownField => "unknown_field",
            Self::MissingField => "missing_field",
            Self::WrongType => "wrong_type",
            Self::OutOfRange => "out_of_range",
            Self::Inconsistent => "inconsistent",
            Self::Overflow => "overflow",
        })
    }
}

/// Error in a JSON document: its kind, its place, and what was found and expected there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// Kind of the error, such as an unknown key.
    pub kind: FaultKind,
    /// JSON Pointer to the wrong value in the document; "" means the whole document. For a missing
    /// key the pointer leads to the object that lacks the key.
    pub at: String,
    /// Wrong key or word, or else a description of the wrong value. Where `wanted` is empty, it is
    /// the whole error message instead.
    pub found: String,
    /// Description of the values that are allowed at this place of the document.
    pub wanted: String,
    /// Keys or words that are allowed at this place of the document; empty where any is.
    pub known: Vec<&'static str>,
}

/// Converts a value of a document, already parsed as JSON, to the type `T`. JSON Pointers in errors
/// begin at this value.
///
/// ```
/// use raddle_read::{FaultKind, read};
/// #[derive(Debug, serde::Deserialize)]
/// struct Slot { t0_us: u32 }
/// let slot: Slot = read(&serde_json::json!({"t0-us": "0xff"})).unwrap();
/// assert_eq!(slot.t0_us, 255);
/// let error = read::<Slot>(&serde_json::json!({"t0-us": -1})).unwrap_err();
/// assert_eq!((error.kind, &*error.at), (FaultKind::OutOfRange, "/t0-us"));
/// let error = read::<Slot>(&serde_json::json!({"t0us": 1})).unwrap_err();
/// assert_eq!(error.nearest(), Some("t0_us"));
/// ```
///
/// # Errors
/// When the value does not fit the type.
pub fn read<T: DeserializeOwned>(value: &Value) -> Result<T, ReadError> {
    T::deserialize(tree::JsonTree(value))
}

impl ReadError {
    /// Makes an error whose whole text is `message`, at the value that is being read.
    pub fn new(kind: FaultKind, message: impl Into<String>) -> Self {
        Self::unfit(kind, message.into(), String::new())
    }

    /// Makes the error that a word of a document is none of the words in `known`.
    #[must_use]
    pub fn unknown_name(found: &str, known: Vec<&'static str>) -> Self {
        let wanted = listed(&known, "or");
        Self { known, ..Self::unfit(FaultKind::OutOfRange, found.to_owned(), wanted) }
    }

    /// Returns this error with a longer JSON Pointer: one that begins at the object or list which
    /// holds the value under `key`.
    #[must_use]
    pub fn within(mut self, key: &str) -> Self {
        self.at.insert_str(0, &pointer(key));
        self
    }

    /// Returns the allowed key or word that is spelled most like the wrong one; `None` where none
    /// is similar.
    #[must_use]
    pub fn nearest(&self) -> Option<&'static str> {
        nearest(&kebab(&self.found), self.known.iter().copied())
    }

    const fn unfit(kind: FaultKind, found: String, wanted: String) -> Self {
        Self { kind, at: String::new(), found, wanted, known: Vec::new() }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, found, wanted, known, .. } = self;
        match kind {
            FaultKind::UnknownField => write!(f, "unknown key `{}`", shown(found))?,
            FaultKind::MissingField if known.is_empty() => {
                write!(f, "`{}` is missing", kebab(found))?
            }
            FaultKind::MissingField => write!(f, "{wanted} is missing")?,
            _ if wanted.is_empty() => f.write_str(found)?,
            FaultKind::OutOfRange if !known.is_empty() => {
                write!(f, "expected {wanted}, found `{}`", shown(found))?;
            }
            _ => write!(f, "expected {wanted}, found {found}")?,
        }
        if let Some(near) = self.nearest() {
            write!(f, "; did you mean `{}`?", kebab(near))?;
        } else if *kind == FaultKind::UnknownField && !known.is_empty() {
            write!(f, "; the keys are {}", listed(known, "and"))?;
        }
        Ok(())
    }
}

impl std::error::Error for ReadError {}

/// Makes errors from those that derived and hand-written visitors of serde report. The types of
/// values are checked before serde asks for them.
impl Error for ReadError {
    fn custom<T: fmt::Display>(text: T) -> Self {
        Self::new(FaultKind::Inconsistent, text.to_string())
    }

    fn invalid_type(found: Unexpected<'_>, wanted: &dyn Expected) -> Self {
        Self::unfit(FaultKind::WrongType, found.to_string(), wanted.to_string())
    }

    fn invalid_value(found: Unexpected<'_>, wanted: &dyn Expected) -> Self {
        Self::unfit(FaultKind::OutOfRange, found.to_string(), wanted.to_string())
    }

    fn invalid_length(length: usize, wanted: &dyn Expected) -> Self {
        Self::unfit(FaultKind::OutOfRange, format!("{length} entries"), wanted.to_string())
    }

    fn unknown_variant(found: &str, known: &'static [&'static str]) -> Self {
        Self::unknown_name(found, known.to_vec())
    }

    fn unknown_field(found: &str, known: &'static [&'static str]) -> Self {
        Self { known: known.to_vec(), ..Self::new(FaultKind::UnknownField, found) }
    }

    fn missing_field(key: &'static str) -> Self {
        Self::new(FaultKind::MissingField, key)
    }

    fn duplicate_field(key: &'static str) -> Self {
        let message = format!("duplicate key `{}`", kebab(key));
        Self::new(FaultKind::Inconsistent, message)
    }
}

/// Returns the name in `names` that is spelled most like `name`, if fewer than half of its
/// characters differ; else `None`. Also `None` for a `name` of more than 64 bytes, as a comparison
/// of long names takes much time and memory.
pub fn nearest<'n>(name: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    if name.len() > 64 {
        return None;
    }
    let distance = |known: &str| strsim::damerau_levenshtein(name, &kebab(known));
    // Of equally near names, one that only has more letters is preferred: letters are forgotten
    // more often than mistaken.
    let lacks = |known: &str| {
        let known = kebab(known);
        let mut letters = known.chars();
        name.chars().all(|own| letters.any(|other| other == own))
    };
    let near = names.into_iter().min_by_key(|known| (distance(known), !lacks(known)))?;
    (2 * distance(near) < near.chars().count().max(2)).then_some(near)
}

/// Returns an error message of serde without the parts that it quotes from the document, which may
/// be private.
///
/// ```
/// let message = "unknown field `password`, expected `id` or `cus` at line 1 column 9";
/// let told = raddle_read::without_content(message);
/// assert_eq!(told, "an unknown key, expected `id` or `cus` at line 1 column 9");
/// ```
#[must_use]
pub fn without_content(message: &str) -> String {
    let kinds = [
        ("invalid type: ", "a value of another kind"),
        ("invalid value: ", "an impossible value"),
        ("unknown field ", "an unknown key"),
        ("unknown variant ", "an unknown word"),
    ];
    let Some((_, found)) = kinds.iter().find(|(begin, _)| message.starts_with(begin)) else {
        return message.to_owned();
    };
    // The quoted part may contain these words too, so the last ones count.
    match message.rsplit_once(", expected ") {
        Some((_, wanted)) => format!("{found}, expected {wanted}"),
        None => (*found).to_owned(),
    }
}

/// Returns the name of a key in kebab-case: each `_` becomes `-`.
#[must_use]
pub fn kebab(name: &str) -> String {
    name.replace('_', "-")
}

/// Returns a key as one step of a JSON Pointer, such as `/a~1b` for `a/b`.
#[must_use]
pub fn pointer(key: &str) -> String {
    format!("/{}", key.replace('~', "~0").replace('/', "~1"))
}

/// Writes a list of names as text, such as `a`, `b` and `c`, each in kebab-case between backticks;
/// `and` is the word before the last name.
#[must_use]
pub fn listed(names: &[impl AsRef<str>], and: &str) -> String {
    let quoted: Vec<String> =
        names.iter().map(|name| format!("`{}`", kebab(name.as_ref()))).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, before)) => format!("{} {and} {last}", before.join(", ")),
        None => String::new(),
    }
}

/// Shortens a text from a document for use in a message: to at most 40 characters, with `?` for
/// characters that control a terminal or change the direction of text.
#[must_use]
pub fn shown(text: &str) -> String {
    const MOST: usize = 40;
    let harmful = |c: char| {
        let turns = matches!(c, '\u{61c}' | '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        c.is_control() || turns
    };
    let mut short: String =
        text.chars().take(MOST).map(|c| if harmful(c) { '?' } else { c }).collect();
    if text.chars().nth(MOST).is_some() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests;
