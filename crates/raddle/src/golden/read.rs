//! How is a question read, so that every refusal knows its place?
//!
//! Names are kebab-case, snake_case is accepted. Integers are exact up to u64, as numbers or as
//! "0x.." strings.

use std::ops::RangeInclusive;

use serde_json::{Map, Value};

use super::fault::{Fault, Kind};
use crate::units::plain;

/// Characters of a string of the question in a message about it.
const SHOWN: usize = 40;

/// An object of the question, and where it is.
#[derive(Clone, Debug)]
pub(crate) struct Fields<'v> {
    map: &'v Map<String, Value>,
    at: String,
}

impl<'v> Fields<'v> {
    /// The object `value` at `at`.
    pub(crate) fn of(value: &'v Value, at: &str) -> Result<Self, Fault> {
        match value {
            Value::Object(map) => Ok(Self { map, at: at.to_owned() }),
            other => Err(wrong_type(at, "an object", other)),
        }
    }

    /// Refuses every key but these; in the outermost object, `id` is always allowed.
    pub(crate) fn only(&self, known: &[&str]) -> Result<(), Fault> {
        let mut seen: Vec<String> = Vec::new();
        for key in self.map.keys() {
            let name = kebab(key);
            let id = self.at.is_empty() && name == "id";
            if !id && !known.contains(&&*name) {
                let near = known.iter().min_by_key(|word| strsim::damerau_levenshtein(&name, word));
                let near =
                    near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
                let message = format!("`{key}` is not a key here{near}");
                return Err(Fault::new(Kind::UnknownField, &self.pointer(key), message));
            }
            if seen.contains(&name) {
                let message = format!("`{name}` is given in two spellings");
                return Err(Fault::new(Kind::Inconsistent, &self.pointer(key), message));
            }
            seen.push(name);
        }
        Ok(())
    }

    /// The value of a key, and where it is.
    pub(crate) fn get(&self, key: &str) -> Result<(&'v Value, String), Fault> {
        let found = self.map.iter().find(|(name, _)| kebab(name) == key);
        let (name, value) = found.ok_or_else(|| {
            Fault::new(Kind::MissingField, &self.at, format!("`{key}` is missing"))
        })?;
        Ok((value, self.pointer(name)))
    }

    /// An integer within a range.
    pub(crate) fn integer(&self, key: &str, range: RangeInclusive<u64>) -> Result<u64, Fault> {
        let (value, at) = self.get(key)?;
        integer(value, &at, key, range)
    }

    /// One of some words.
    pub(crate) fn word<T: Copy>(&self, key: &str, words: &[(&str, T)]) -> Result<T, Fault> {
        let (value, at) = self.get(key)?;
        word(value, &at, key, words)
    }

    /// A list of integers within a range.
    pub(crate) fn integers(
        &self,
        key: &str,
        range: RangeInclusive<u64>,
    ) -> Result<Vec<u64>, Fault> {
        let (value, at) = self.get(key)?;
        integers(value, &at, key, range)
    }

    /// A list of lists of integers.
    pub(crate) fn rows(&self, key: &str) -> Result<Vec<Vec<u64>>, Fault> {
        let (value, at) = self.get(key)?;
        let row = |(value, at): (&Value, String)| integers(value, &at, key, 0..=u64::MAX);
        list(value, &at)?.into_iter().map(row).collect()
    }

    /// An object within this one.
    pub(crate) fn object(&self, key: &str) -> Result<Self, Fault> {
        let (value, at) = self.get(key)?;
        Self::of(value, &at)
    }

    /// All keys, as they are spelled, with their values.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&'v String, &'v Value)> {
        self.map.iter()
    }

    /// The JSON Pointer to a key.
    pub(crate) fn pointer(&self, key: &str) -> String {
        format!("{}/{}", self.at, key.replace('~', "~0").replace('/', "~1"))
    }
}

/// An integer within a range; `name` is what it is called in messages.
pub(crate) fn integer(
    value: &Value,
    at: &str,
    name: &str,
    range: RangeInclusive<u64>,
) -> Result<u64, Fault> {
    let beyond = || {
        let (low, high) = (range.start(), range.end());
        let message = format!("`{name}` must be from {low} to {high}");
        Fault::new(Kind::OutOfRange, at, message)
    };
    let number = match value {
        Value::Number(number) => number.as_u64().ok_or_else(|| {
            // Whole numbers below 0 or above u64 are only too far out.
            let whole = number.as_f64().is_some_and(|x| x.abs() >= 1.8e19);
            if whole || number.is_i64() {
                return beyond();
            }
            wrong_type(at, "a whole number", value)
        })?,
        Value::String(text) => hexadecimal(text).ok_or_else(|| {
            if is_hexadecimal(text) {
                return beyond();
            }
            wrong_type(at, "a whole number or a \"0x..\" string", value)
        })?,
        other => return Err(wrong_type(at, "a whole number", other)),
    };
    if range.contains(&number) { Ok(number) } else { Err(beyond()) }
}

/// One of some words; `name` is what it is called in messages.
pub(crate) fn word<T: Copy>(
    value: &Value,
    at: &str,
    name: &str,
    words: &[(&str, T)],
) -> Result<T, Fault> {
    let Value::String(text) = value else {
        return Err(wrong_type(at, "a word", value));
    };
    let given = kebab(text);
    let found = words.iter().find(|(word, _)| *word == given);
    found.map(|(_, meaning)| *meaning).ok_or_else(|| {
        let meant = crate::units::meant(&given, words.iter().map(|(word, _)| *word));
        let meant = meant.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        let words: Vec<String> = words.iter().map(|(word, _)| format!("`{word}`")).collect();
        let given = plain(text, SHOWN);
        let message = format!("`{name}` must be {}, not `{given}`{meant}", words.join(" or "));
        Fault::new(Kind::OutOfRange, at, message)
    })
}

/// A list of integers within a range.
fn integers(
    value: &Value,
    at: &str,
    name: &str,
    range: RangeInclusive<u64>,
) -> Result<Vec<u64>, Fault> {
    let one = |(value, at): (&Value, String)| integer(value, &at, name, range.clone());
    list(value, at)?.into_iter().map(one).collect()
}

/// The elements of an array, and where each is.
pub(crate) fn list<'v>(value: &'v Value, at: &str) -> Result<Vec<(&'v Value, String)>, Fault> {
    let Value::Array(values) = value else {
        return Err(wrong_type(at, "an array", value));
    };
    Ok(values.iter().enumerate().map(|(n, value)| (value, format!("{at}/{n}"))).collect())
}

fn kebab(name: &str) -> String {
    name.replace('_', "-")
}

fn is_hexadecimal(text: &str) -> bool {
    let digits = text.strip_prefix("0x").unwrap_or_default();
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn hexadecimal(text: &str) -> Option<u64> {
    // `from_str_radix` alone would take a sign.
    is_hexadecimal(text)
        .then(|| u64::from_str_radix(text.get(2..).unwrap_or_default(), 16).ok())
        .flatten()
}

/// A value of another type than the one wanted.
pub(crate) fn wrong_type(at: &str, wanted: &str, value: &Value) -> Fault {
    let is = match value {
        Value::Null => "null".to_owned(),
        Value::Bool(truth) => format!("the truth value {truth}"),
        Value::Number(number) if number.is_f64() => {
            format!("the number {number}, which is not written as a whole one")
        }
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) => format!("the string \"{}\"", plain(text, SHOWN)),
        Value::Array(_) => "an array".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    };
    Fault::new(Kind::WrongType, at, format!("{wanted} is wanted, this is {is}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn integer(value: Value, range: RangeInclusive<u64>) -> Result<u64, (Kind, String)> {
        let object = json!({ "a_b": value });
        let fields = Fields::of(&object, "/x").unwrap();
        fields.integer("a-b", range).map_err(|fault| (fault.kind, fault.at))
    }

    #[test]
    fn integers_are_exact_and_may_be_hexadecimal() {
        assert_eq!(integer(json!(u64::MAX), 0..=u64::MAX), Ok(u64::MAX));
        assert_eq!(integer(json!("0xff"), 0..=255), Ok(255));
        assert_eq!(integer(json!("0xFFFFFFFFFFFFFFFF"), 0..=u64::MAX), Ok(u64::MAX));
        let at = || "/x/a_b".to_owned();
        for (value, kind) in [
            (json!(256), Kind::OutOfRange),
            (json!(-1), Kind::OutOfRange),
            (json!(18_446_744_073_709_551_616_f64), Kind::OutOfRange),
            (json!("0x10000000000000000"), Kind::OutOfRange),
            (json!(1.5), Kind::WrongType),
            (json!(1.0), Kind::WrongType),
            (json!("12"), Kind::WrongType),
            (json!("0x"), Kind::WrongType),
            (json!("0x+1"), Kind::WrongType),
            (json!(true), Kind::WrongType),
            (json!(null), Kind::WrongType),
            (json!([1]), Kind::WrongType),
        ] {
            assert_eq!(integer(value.clone(), 0..=255), Err((kind, at())), "{value}");
        }
    }

    #[test]
    fn a_wrong_type_says_what_is_wanted_and_what_is_there() {
        for (value, is) in [
            (json!(7), "the number 7"),
            (json!(-7), "the number -7"),
            (json!(1.5), "the number 1.5, which is not written as a whole one"),
            (json!(2.0), "the number 2.0, which is not written as a whole one"),
            (json!("a\nb"), "the string \"a?b\""),
            (json!("a".repeat(50)), "the string \"aaaaaaaaaaaaaaaaaaaaaaaaaa…aaaaaaaaaaaaa\""),
            (json!(false), "the truth value false"),
            (json!(null), "null"),
            (json!([7]), "an array"),
            (json!({"a": 7}), "an object"),
        ] {
            let fault = wrong_type("/x", "a name", &value);
            assert_eq!(fault.message, format!("a name is wanted, this is {is}"));
        }
    }

    #[test]
    fn a_wrong_word_is_told_with_the_nearest() {
        let object = json!({"rule": "mena", "order": "sideways"});
        let fields = Fields::of(&object, "").unwrap();
        let told =
            |key: &str| fields.word(key, &[("mean", 1), ("min-one", 2)]).unwrap_err().message;
        assert_eq!(
            told("rule"),
            "`rule` must be `mean` or `min-one`, not `mena`; did you mean `mean`?"
        );
        assert_eq!(told("order"), "`order` must be `mean` or `min-one`, not `sideways`");
    }

    #[test]
    fn keys_are_known_and_spelled_once() {
        let fault = |object: Value, at: &str| {
            let fault = Fields::of(&object, at).unwrap().only(&["lds-bytes"]);
            fault.map_err(|fault| (fault.kind, fault.at))
        };
        assert_eq!(fault(json!({"lds_bytes": 1, "id": 2}), ""), Ok(()));
        assert_eq!(fault(json!({"id": 2}), "/k"), Err((Kind::UnknownField, "/k/id".into())));
        assert_eq!(fault(json!({"a/~": 2}), ""), Err((Kind::UnknownField, "/a~1~0".into())));
        let twice = fault(json!({"lds_bytes": 1, "lds-bytes": 1}), "");
        assert_eq!(twice.unwrap_err().0, Kind::Inconsistent);
    }

    #[test]
    fn what_is_missing_lies_in_the_object_that_lacks_it() {
        let object = json!({});
        let fault = Fields::of(&object, "/k").unwrap().get("a").unwrap_err();
        assert_eq!((fault.kind, &*fault.at), (Kind::MissingField, "/k"));
    }

    #[test]
    fn words_are_those_given() {
        let object = json!({"w": "min_one", "n": 1});
        let fields = Fields::of(&object, "").unwrap();
        assert_eq!(fields.word("w", &[("min-one", 1)]), Ok(1));
        assert_eq!(fields.word("w", &[("mean", 1)]).unwrap_err().kind, Kind::OutOfRange);
        assert_eq!(fields.word("n", &[("mean", 1)]).unwrap_err().kind, Kind::WrongType);
    }
}
