//! Which texts do the members of a JSON object have, without conversion to numbers?
//!
//! Values stay text: profilers write numbers as strings and strings as numbers, and times with more
//! digits than a double can hold.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Returns (the values of the members with the names `names`, as text; the length in bytes of the
/// object at the start of `text`). A member that is missing or `null` gives `None`; of members with
/// equal names the last counts; all other members are skipped.
///
/// # Errors
/// When no whole object is there.
pub(in crate::import) fn members<'t, const N: usize>(
    text: &'t [u8],
    names: &[&str; N],
) -> serde_json::Result<([Option<&'t str>; N], usize)> {
    let mut json = serde_json::Deserializer::from_slice(text);
    let values = MembersSeed(names).deserialize(&mut json)?;
    Ok((values, json.into_iter::<IgnoredAny>().byte_offset()))
}

struct MembersSeed<'n, const N: usize>(&'n [&'n str; N]);

impl<'t, const N: usize> DeserializeSeed<'t> for MembersSeed<'_, N> {
    type Value = [Option<&'t str>; N];

    fn deserialize<D: Deserializer<'t>>(self, json: D) -> Result<Self::Value, D::Error> {
        json.deserialize_map(self)
    }
}

impl<'t, const N: usize> Visitor<'t> for MembersSeed<'_, N> {
    type Value = [Option<&'t str>; N];

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'t>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut values = [None; N];
        while let Some(at) = map.next_key_seed(NameSeed(self.0))? {
            match at {
                Some(at) => {
                    let value = map.next_value::<&RawValue>()?.get();
                    values[at] = Some(value).filter(|value| *value != "null");
                }
                None => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(values)
    }
}

/// Deserializer of a key of a JSON object. The key becomes its index in the list of wanted names
/// that this struct holds, or `None` if it is not in the list.
struct NameSeed<'n>(&'n [&'n str]);

impl<'t> DeserializeSeed<'t> for NameSeed<'_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'t>>(self, json: D) -> Result<Self::Value, D::Error> {
        json.deserialize_identifier(self)
    }
}

impl Visitor<'_> for NameSeed<'_> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<Self::Value, E> {
        Ok(self.0.iter().position(|name| *name == key))
    }
}

/// Returns the string that a JSON value holds; `None` where the value is no string.
pub(in crate::import) fn string(value: &str) -> Option<Cow<'_, str>> {
    let inner = value.strip_prefix('"')?.strip_suffix('"')?;
    if inner.contains('\\') {
        return serde_json::from_str(value).ok().map(Cow::Owned);
    }
    Some(Cow::Borrowed(inner))
}

/// Returns the text of a JSON value with the common faults of profilers corrected: bytes that are
/// not UTF-8 become replacement characters, control characters and lone backslashes in strings are
/// escaped, and words such as `inf` and `NaN` become `null`.
pub(in crate::import) fn mended(text: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(text);
    let mut rest = &*text;
    let mut out = String::with_capacity(rest.len());
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
        let len = match first {
            '"' => string_len(rest),
            _ if is_word(first) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        let (part, behind) = rest.split_at(len);
        rest = behind;
        let valid = || serde_json::from_str::<IgnoredAny>(part).is_ok();
        match first {
            '"' if !valid() => escape(part, &mut out),
            _ if is_word(first) && !valid() => out.push_str("null"),
            _ => out.push_str(part),
        }
    }
    out.into_bytes()
}

/// Appends a JSON string to `out`, with control characters escaped, and also backslashes that do
/// not begin a valid escape.
fn escape(string: &str, out: &mut String) {
    let mut chars = string.chars();
    while let Some(c) = chars.next() {
        let behind = chars.as_str();
        let is_hex = || behind.get(1..5).is_some_and(|n| n.bytes().all(|b| b.is_ascii_hexdigit()));
        match c {
            '\\' if behind.starts_with(['"', '\\', '/', 'b', 'f', 'n', 'r', 't'])
                || behind.starts_with('u') && is_hex() =>
            {
                out.push(c);
                out.extend(chars.next());
            }
            '\\' => out.push_str("\\\\"),
            _ if c.is_ascii_control() => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            _ => out.push(c),
        }
    }
}

/// Returns the length in bytes of the JSON string at the start of the text, quotes included; a
/// string that does not end takes the whole text.
fn string_len(text: &str) -> usize {
    let mut escaped = false;
    let end = text.bytes().skip(1).position(|byte| {
        let plain = core::mem::take(&mut escaped);
        escaped = byte == b'\\' && !plain;
        byte == b'"' && !plain
    });
    end.map_or(text.len(), |at| at + 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn members_stay_as_they_are_written_and_the_last_of_equal_ones_counts() {
        let text = br#" { "a" : 1.50 ,"b":"x,\"}" , "c":[1,{"d":2}],"e":7,"\u0065":null} ] "#;
        let (values, len) = members(text, &["a", "b", "c", "d", "e"]).unwrap();
        let wanted = [Some("1.50"), Some(r#""x,\"}""#), Some(r#"[1,{"d":2}]"#), None, None];
        assert_eq!((values, &text[len..]), (wanted, b" ] ".as_slice()));
    }

    #[test]
    fn what_is_no_whole_object_is_an_error() {
        for text in
            ["", "[1]", "{", "{]", r#"{"a"}"#, r#"{"a":}"#, r#"{"a":"say "hi""}"#, r#"{"a":1,}"#]
        {
            assert!(members(text.as_bytes(), &["a"]).is_err(), "{text}");
        }
    }

    #[test]
    fn strings_say_what_they_mean() {
        assert_eq!(string(r#""plain""#).as_deref(), Some("plain"));
        assert_eq!(string(r#""\"\u0041\\""#).as_deref(), Some("\"A\\"));
        for text in ["7", "\"", "null", r#""\x""#] {
            assert_eq!(string(text), None, "{text}");
        }
    }

    #[test]
    fn what_json_forbids_is_put_right() {
        for (text, wanted) in [
            (b"{\"a\":[inf,-NaN,1e9]}".as_slice(), r#"{"a":[null,null,1e9]}"#),
            (b"{\"a\tb\":\"\\\"inf\n\"}", r#"{"a\u0009b":"\"inf\u000a"}"#),
            (b"{\"\xff\":true}", "{\"\u{fffd}\":true}"),
            (b"{\"C:\\Users\\u12\\\"\":\"\\n\"}", r#"{"C:\\Users\\u12\"":"\n"}"#),
        ] {
            assert_eq!(String::from_utf8(mended(text)).unwrap(), wanted);
        }
    }

    proptest! {
        #[test]
        fn valid_json_needs_no_mending(value in prop::collection::btree_map("\\PC{0,6}", any::<i64>(), 0..6)) {
            let text = serde_json::to_vec(&value).unwrap();
            prop_assert_eq!(mended(&text), text);
        }
    }
}
