//! Why is a question to a golden model refused, and where in its line is the fault?

use std::fmt::Display;
use std::ops::RangeInclusive;

use raddle_read::{FaultKind, ReadError, kebab, pointer, read};
use serde::de::{DeserializeOwned, Error, Unexpected};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// Reason why a golden model cannot answer the question in one line of its input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{message}")]
pub struct Fault {
    /// Kind of the fault in the question, such as a number out of range.
    pub kind: FaultKind,
    /// Message that tells a person what is wrong with the question.
    pub message: String,
    /// JSON Pointer to the wrong value in the line; "" stands for the whole line. A missing key is
    /// reported at the object that lacks it.
    pub at: String,
}

impl Fault {
    pub(crate) fn new(kind: FaultKind, at: &str, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), at: at.to_owned() }
    }

    /// Returns the fault with the keys of its JSON Pointer as the question spells them, with `-` or
    /// with `_`.
    pub(crate) fn spelled_as_in(mut self, question: &Value) -> Self {
        let (mut value, mut at) = (question, String::new());
        for key in self.at.split('/').skip(1) {
            let name = key.replace("~1", "/").replace("~0", "~");
            let same = |other: &&String| **other == name || kebab(other) == kebab(&name);
            let object = value.as_object();
            let given = object.and_then(|object| {
                object.keys().find(|other| **other == name).or_else(|| object.keys().find(same))
            });
            let index = || value.get(name.parse::<usize>().ok()?);
            at += &pointer(given.unwrap_or(&name));
            value = match given {
                Some(given) => &value[given],
                None => index().unwrap_or(&Value::Null),
            };
        }
        self.at = at;
        self
    }
}

impl From<ReadError> for Fault {
    fn from(error: ReadError) -> Self {
        Self { kind: error.kind, message: error.to_string(), at: error.at }
    }
}

/// Returns a function that converts an error of a model to a fault of the kind `kind`; `at` is the
/// JSON Pointer to the wrong value in the question.
pub(crate) fn fault<E: Display>(kind: FaultKind, at: &str) -> impl Fn(E) -> Fault {
    move |error| Fault::new(kind, at, error.to_string())
}

/// Reads the value of a question whose JSON Pointer is `at`; a fault names that pointer.
pub(crate) fn read_at<T: DeserializeOwned>(value: &Value, at: &str) -> Result<T, Fault> {
    read(value).map_err(|error| {
        let fault = Fault::from(error);
        Fault { at: format!("{at}{}", fault.at), ..fault }
    })
}

/// Returns whether a JSON object has this key, spelled with `-` or with `_`.
pub(crate) fn has(value: &Value, key: &str) -> bool {
    value.as_object().is_some_and(|object| object.keys().any(|other| kebab(other) == key))
}

/// Returns a fault if `value` lies outside of `range`; `at` is the value's JSON Pointer in the
/// question.
pub(crate) fn check(value: u64, range: &RangeInclusive<u64>, at: &str) -> Result<(), Fault> {
    if range.contains(&value) {
        return Ok(());
    }
    let message = format!("{value} must be from {} to {}", range.start(), range.end());
    Err(Fault::new(FaultKind::OutOfRange, at, message))
}

/// Returns a fault if a list has a number outside of a range; `at` is the list's JSON Pointer in
/// the question.
pub(crate) fn check_all(
    values: &[u64],
    range: &RangeInclusive<u64>,
    at: &str,
) -> Result<(), Fault> {
    let mut values = values.iter().enumerate();
    values.try_for_each(|(n, &value)| check(value, range, &format!("{at}/{n}")))
}

/// Reads a whole number from `LOW` to `HIGH`, for `#[serde(deserialize_with)]`; any other number is
/// an error.
pub(crate) fn within<'de, D, T, const LOW: u64, const HIGH: u64>(from: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: TryFrom<u64>,
{
    let given = u64::deserialize(from)?;
    let fits = T::try_from(given).ok().filter(|_| (LOW..=HIGH).contains(&given));
    fits.ok_or_else(|| {
        let wanted = format!("a whole number from {LOW} to {HIGH}");
        D::Error::invalid_value(Unexpected::Unsigned(given), &&*wanted)
    })
}

/// Reads a whole number that is at least 1, for `#[serde(deserialize_with)]`; 0 is an error.
pub(crate) fn positive<'de, D, T>(from: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: TryFrom<u64>,
{
    within::<D, T, 1, { u64::MAX }>(from)
}

/// Reads a value whose key may be missing, for `#[serde(default, deserialize_with)]`: serde
/// supplies `None` for a missing key, and the JSON value null is an error.
pub(crate) fn given<'de, D, T>(from: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(from).map(Some)
}
