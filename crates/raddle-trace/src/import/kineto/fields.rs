//! Which members does a JSON object have, as they are written?
//!
//! Just as much of JSON as that takes: strings end, a colon stands behind a key, a comma or the end
//! behind a value. Numbers and words are left to whoever wants them, nested values are passed over.

use std::borrow::Cow;

use memchr::memchr2;

use crate::scan::{End, Nesting};

/// The text is no JSON object, from here on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Broken;

/// A key without quotes, and its value as written.
pub(super) type Member<'a> = (&'a [u8], &'a [u8]);

/// The members of an object, in the order of the text.
#[derive(Clone, Debug)]
pub(super) struct Fields<'a> {
    text: &'a [u8],
    at: usize,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    New,
    Open,
    Done,
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<Member<'a>, Broken>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.state == State::Done {
            return None;
        }
        let member = self.member();
        if !matches!(member, Ok(Some(_))) {
            self.state = State::Done;
        }
        member.transpose()
    }
}

impl<'a> Fields<'a> {
    /// Those of the object that `text` is, blanks around it aside.
    pub(super) fn of(text: &'a [u8]) -> Self {
        Self { text, at: 0, state: State::New }
    }

    fn member(&mut self) -> Result<Option<Member<'a>>, Broken> {
        let mut token = self.token()?;
        if self.state == State::New {
            if token != b'{' {
                return Err(Broken);
            }
            self.state = State::Open;
            self.at += 1;
            token = self.token()?;
            if token == b'}' {
                return self.end();
            }
        } else if token == b'}' {
            return self.end();
        } else if token == b',' {
            self.at += 1;
            token = self.token()?;
        } else {
            return Err(Broken);
        }
        if token != b'"' {
            return Err(Broken);
        }
        let key = self.string()?;
        if self.token()? != b':' {
            return Err(Broken);
        }
        self.at += 1;
        let value = self.value()?;
        Ok(Some((&key[1..key.len() - 1], value)))
    }

    fn end(&mut self) -> Result<Option<Member<'a>>, Broken> {
        let rest = &self.text[self.at + 1..];
        if rest.trim_ascii().is_empty() { Ok(None) } else { Err(Broken) }
    }

    /// The next byte that is no blank, left in place.
    fn token(&mut self) -> Result<u8, Broken> {
        loop {
            match self.text.get(self.at) {
                Some(byte) if byte.is_ascii_whitespace() => self.at += 1,
                Some(&byte) => return Ok(byte),
                None => return Err(Broken),
            }
        }
    }

    fn value(&mut self) -> Result<&'a [u8], Broken> {
        let first = self.token()?;
        let rest = &self.text[self.at..];
        let len = match first {
            b'"' => return self.string(),
            b'{' | b'[' => match Nesting::new(first).feed(rest) {
                Some(End::Closed(len)) => len,
                _ => return Err(Broken),
            },
            _ => {
                let plain = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'+' | b'.');
                rest.iter().position(|b| !plain(b)).unwrap_or(rest.len())
            }
        };
        self.at += len;
        if len == 0 { Err(Broken) } else { Ok(&rest[..len]) }
    }

    /// The string at hand, with its quotes.
    fn string(&mut self) -> Result<&'a [u8], Broken> {
        let start = self.at;
        let mut from = start + 1;
        loop {
            let rest = self.text.get(from..).ok_or(Broken)?;
            let at = from + memchr2(b'"', b'\\', rest).ok_or(Broken)?;
            if self.text[at] == b'"' {
                self.at = at + 1;
                return Ok(&self.text[start..self.at]);
            }
            from = at + 2;
        }
    }
}

/// What a string says, from its text with quotes; `None` where it is no string. Bytes that are not
/// UTF-8 stay.
pub(super) fn said(value: &[u8]) -> Option<Cow<'_, [u8]>> {
    let inner = value.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    if !inner.contains(&b'\\') {
        return Some(Cow::Borrowed(inner));
    }
    let text = String::from_utf8_lossy(value);
    let said: String = serde_json::from_str(&text).ok()?;
    Some(Cow::Owned(said.into_bytes()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The members as text, and `!` where the text breaks.
    fn members(text: &str) -> String {
        let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let one = |field: Result<Member<'_>, Broken>| match field {
            Ok((key, value)) => format!("{}={}", shown(key), shown(value)),
            Err(Broken) => "!".to_owned(),
        };
        Fields::of(text.as_bytes()).map(one).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn members_are_found_as_they_are_written() {
        assert_eq!(members(r#" { "a" : 1.50 ,"b":"x,\"}" , "c":[1,{"d":2}],"":{}} "#), {
            r#"a=1.50 b="x,\"}" c=[1,{"d":2}] ={}"#
        });
        assert_eq!(members("{}"), "");
        assert_eq!(members(r#"{"a":null,"a":-1e9}"#), "a=null a=-1e9");
    }

    #[test]
    fn what_is_no_object_breaks_off_where_it_stops_being_one() {
        for text in ["", "[1]", "{", "{]", r#"{"a"}"#, r#"{"a":}"#, r#"{"a":"b}"#, "{} x"] {
            assert_eq!(members(text), "!", "{text}");
        }
        assert_eq!(members(r#"{"a":"say "hi"","b":1}"#), r#"a="say " !"#);
        assert_eq!(members(r#"{"a":1,}"#), "a=1 !");
        assert_eq!(members(r#"{"a":1 "b":2}"#), "a=1 !");
        assert_eq!(members(r#"{"a":[1}"#), "!");
        assert_eq!(members(r#"{"a":"\"#), "!");
    }

    #[test]
    fn strings_say_what_they_mean() {
        assert_eq!(said(br#""plain""#).as_deref(), Some(b"plain".as_slice()));
        assert_eq!(said(br#""\"\u0041\\""#).as_deref(), Some(br#""A\"#.as_slice()));
        assert_eq!(said(b"\"\xff\"").as_deref(), Some(b"\xff".as_slice()));
        for text in [b"7".as_slice(), b"\"", b"null", br#""\x""#] {
            assert_eq!(said(text), None);
        }
    }

    proptest! {
        #[test]
        fn agrees_with_a_whole_parser_on_what_it_accepts(
            members in prop::collection::btree_map("[a-z ]{0,6}", "\\PC{0,12}", 0..6),
            numbers in prop::collection::btree_map("[A-Z]{1,3}", any::<i64>(), 0..4),
        ) {
            let mut object = serde_json::Map::new();
            object.extend(members.iter().map(|(k, v)| (k.clone(), v.as_str().into())));
            object.extend(numbers.iter().map(|(k, &v)| (k.clone(), v.into())));
            let text = serde_json::to_string(&object).unwrap();
            let mut read = 0;
            for field in Fields::of(text.as_bytes()) {
                let (key, value) = field.unwrap();
                let key = std::str::from_utf8(key).unwrap();
                let value = std::str::from_utf8(value).unwrap();
                match said(value.as_bytes()) {
                    Some(said) => prop_assert_eq!(&*said, members[key].as_bytes()),
                    None => prop_assert_eq!(value.parse(), Ok(numbers[key])),
                }
                read += 1;
            }
            prop_assert_eq!(read, object.len());
        }

        #[test]
        fn any_bytes_end(text in prop::collection::vec(prop_oneof![
            Just(b'"'), Just(b'{'), Just(b'}'), Just(b':'), Just(b','), Just(b'\\'), Just(b'[')
        ], 0..60)) {
            let _members = Fields::of(&text).count();
        }
    }
}
